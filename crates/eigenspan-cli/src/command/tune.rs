//! `eigenspan tune kpca DATA`: the kernel's parameters and the number of components that do best on rows held out.

use eigenspan::Context;
use eigenspan::prepare::Scale;
use eigenspan_io::Output;
use eigenspan_report::JobError;
use eigenspan_report::plot::{Medium, Paper};
use eigenspan_report::subject::Rows;
use eigenspan_report::tune::{self, TuneJob, Tuned};

use super::look::typed_again;
use crate::args::tune::{Tune, TuneKpca, TuneMethod};
use crate::console::Console;
use crate::outputs::Outputs;
use crate::typed::quoted;

pub(crate) fn run(ctx: &Context, console: &Console, tune: &Tune) -> Result<(), JobError> {
    match &tune.method {
        TuneMethod::Kpca(args) => kpca(ctx, console, args),
    }
}

fn kpca(ctx: &Context, console: &Console, args: &TuneKpca) -> Result<(), JobError> {
    let before = Outputs::before(args.model.iter().chain(&args.output));
    let tuned = tune::tune(ctx, &job_of(console, args)?)?;
    let (all, known) = tuned.n_fits;
    if known > 0 && !console.json {
        console.talk(&format!(
            "{known} of {all} fits were known from the results file"
        ));
    }
    if console.json {
        let mut object = tune::json(&tuned);
        object["notes"] = console.texts(&tuned.notes);
        before.note_in(&mut object);
        return console.object(&object);
    }
    console.verbose_table(&tuned.rows.table);
    // If the figure goes to standard output, nothing else is printed there.
    match (&args.output, &tuned.drawn) {
        (Some(_), Some(svg)) => console.result(svg)?,
        _ => console.result(&tune::text(&tuned, &next(args, &tuned), Console::width()))?,
    }
    console.notes(&tuned.notes);
    if !tuned.outputs.is_empty() {
        console.talk(&before.written(&tuned.outputs));
    }
    Ok(())
}

fn job_of(console: &Console, args: &TuneKpca) -> Result<TuneJob, JobError> {
    let figure = args.output.as_ref().map(Output::new);
    Ok(TuneJob {
        rows: Rows::file(
            args.data.input(),
            args.data.reading.options(args.search.seed),
        ),
        options: args.search.clone(),
        results: args.results.clone(),
        paper: Paper {
            medium: Medium::for_output(figure.as_ref(), crate::console::width())?,
            width: args.width,
            height: args.height,
            dark: args.dark,
        },
        figure,
        model: args.model.clone(),
        command: Some(console.typed.command_line()),
    })
}

/// The command that fits with the best parameters; `None` if the data cannot be typed again.
fn next(args: &TuneKpca, tuned: &Tuned) -> Vec<String> {
    let (Some(data), Ok(kernel)) = (typed_again(&args.data), tuned.tuning.best_kernel()) else {
        return Vec::new();
    };
    let label = tuned.rows.table.label().map_or(String::new(), |label| {
        format!(" --label-column {}", quoted(label))
    });
    if args.model.is_some() {
        return Vec::new();
    }
    let scale = match tuned.options.scale {
        Scale::None => "",
        Scale::Std => " --scale",
        Scale::Genotype => " --scale=genotype",
    };
    let k = tuned.tuning.best().n_components;
    let kernel = quoted(&kernel.to_string());
    vec![format!(
        "eigenspan fit kpca {data}{label}{scale} --kernel {kernel} -k {k}"
    )]
}
