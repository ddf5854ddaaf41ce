//! `eigenspan fit METHOD DATA`: a model, its scores, or both.

use eigenspan::Context;
use eigenspan_io::Output;
use eigenspan_report::job::{self, FitJob};
use eigenspan_report::{JobError, json, text};

use crate::args::{Fit, FitMethod, FitPca};
use crate::console::Console;

pub(crate) fn run(ctx: &Context, console: &Console, fit: &Fit) -> Result<(), JobError> {
    let FitMethod::Pca(args) = &fit.method;
    let fit = job::fit(ctx, &job_of(args))?;
    let outputs = &fit.outputs;
    let object = || json::fit(&fit.pca, &fit.notes, console.seconds(), outputs);
    let scores_on_stdout = args
        .output
        .as_ref()
        .is_some_and(|o| Output::new(o) == Output::Stdout);
    let shown = match (console.json, scores_on_stdout) {
        (true, _) => format!("{:#}\n", object()),
        (false, _) => text::look(&job::heading(&fit.table), &fit.pca, &fit.summary, &[]),
    };
    console.verbose_table(&fit.table);
    // Standard output is taken by the scores: the summary becomes talk.
    if scores_on_stdout {
        console.talk(shown.trim_end());
    } else {
        console.result(&shown)?;
    }
    console.notes(&fit.notes);
    if !outputs.is_empty() && !console.json {
        console.talk(&format!("written: {}", outputs.join(", ")));
    }
    Ok(())
}

fn job_of(args: &FitPca) -> FitJob {
    FitJob {
        input: args.data.input(),
        read: args.data.reading.options(args.pca.options.seed),
        options: args.pca.options.clone(),
        asked: args.pca.asked,
        model: args.model.clone(),
        scores: args.output.as_ref().map(Output::new),
        keep: args.keep.clone(),
        command: Some(super::command_line()),
    }
}
