//! `eigenspan evaluate DATA`: where a reduction helps a classifier.

use eigenspan::Context;
use eigenspan::evaluate::Verdict;
use eigenspan::prepare::Scale;
use eigenspan_io::Output;
use eigenspan_report::JobError;
use eigenspan_report::accuracy::{self, AccuracyJob, Compared};
use eigenspan_report::plot::{Medium, Paper};
use eigenspan_report::subject::Rows;

use super::look::typed_again;
use crate::args::evaluate::Evaluate;
use crate::console::Console;
use crate::outputs::Outputs;
use crate::typed::quoted;

pub(crate) fn run(ctx: &Context, console: &Console, args: &Evaluate) -> Result<(), JobError> {
    let before = Outputs::before(args.table.iter().chain(&args.output));
    let compared = accuracy::evaluate(ctx, &job_of(args)?)?;
    if console.json {
        let mut object = accuracy::json(&compared);
        object["notes"] = console.texts(&compared.notes);
        before.note_in(&mut object);
        return console.object(&object);
    }
    console.verbose_table(&compared.rows.table);
    // If the figure goes to standard output, nothing else is printed there.
    match (&args.output, &compared.drawn) {
        (Some(_), Some(svg)) => console.result(svg)?,
        _ => {
            let next = next(args, &compared);
            console.result(&accuracy::text(&compared, &next, Console::width()))?;
        }
    }
    console.notes(&compared.notes);
    if !compared.outputs.is_empty() {
        console.talk(&before.written(&compared.outputs));
    }
    Ok(())
}

fn job_of(args: &Evaluate) -> Result<AccuracyJob, JobError> {
    let figure = args.output.as_ref().map(Output::new);
    Ok(AccuracyJob {
        rows: Rows::file(
            args.data.input(),
            args.data.reading.options(args.comparison.seed),
        ),
        options: args.comparison.clone(),
        paper: Paper {
            medium: Medium::for_output(figure.as_ref(), crate::console::width())?,
            width: args.width,
            height: args.height,
            dark: args.dark,
        },
        figure,
        table: args.table.clone(),
    })
}

/// A fit of the reduction with the highest accuracy, with the number of components that most folds chose; none where that is `none`
/// or has options of its own, where guessing may be as good, or where the data cannot be typed again.
fn next(args: &Evaluate, compared: &Compared) -> Vec<String> {
    let accuracy = &compared.accuracy;
    let nested = accuracy
        .curves
        .iter()
        .filter_map(|curve| Some((curve.reduction, curve.nested.as_ref()?)));
    let best = nested.reduce(
        |best, next| match next.1.estimate.mean > best.1.estimate.mean {
            true => next,
            false => best,
        },
    );
    let (Some((reduction, nested)), Some(data)) = (best, typed_again(&args.data)) else {
        return Vec::new();
    };
    let reduced = &accuracy.reductions[reduction];
    let predicts = nested.against_guess.verdict == Verdict::Better;
    if reduced.is_none || reduced.name.contains('(') || !predicts {
        return Vec::new();
    }
    let votes = |k: usize| {
        nested
            .n_components
            .iter()
            .filter(|chosen| **chosen == k)
            .count()
    };
    let mut counts = nested.n_components.clone();
    counts.sort_unstable();
    let k = counts
        .into_iter()
        .reduce(|best, k| if votes(k) > votes(best) { k } else { best });
    let label = compared.rows.table.label().map_or(String::new(), |label| {
        format!(" --label-column {}", quoted(label))
    });
    let scale = match accuracy.options.scale {
        Scale::None => "",
        Scale::Std => " --scale",
        Scale::Genotype => " --scale=genotype",
    };
    let k = k.unwrap_or(1);
    vec![format!(
        "eigenspan fit {} {data}{label}{scale} -k {k}",
        reduced.name
    )]
}
