//! `eigenspan fit METHOD DATA`: a model, its scores, or both.

use eigenspan::{Context, Note};
use eigenspan_io::{Output, Table};
use eigenspan_report::job::{self, FitJob};
use eigenspan_report::kernel_job::{self, KernelFitJob};
use eigenspan_report::{JobError, json, text};
use serde_json::Value;

use crate::args::kernel::FitKpca;
use crate::args::{Fit, FitMethod, FitPca, Results};
use crate::console::Console;
use crate::outputs::Outputs;

pub(crate) fn run(ctx: &Context, console: &Console, fit: &Fit) -> Result<(), JobError> {
    match &fit.method {
        FitMethod::Pca(args) => {
            let before = before(&args.results);
            let fit = job::fit(ctx, &job_of(args))?;
            let told = Told {
                table: &fit.table,
                object: json::fit(&fit.pca, &fit.notes, console.seconds(), &fit.outputs),
                text: text::look(&job::heading(&fit.table), &fit.pca, &fit.summary, &[]),
                notes: &fit.notes,
                outputs: &fit.outputs,
                before,
            };
            tell(console, &args.results, told)
        }
        FitMethod::Kpca(args) => {
            let before = before(&args.results);
            let fit = kernel_job::fit(ctx, &kernel_job_of(args))?;
            let told = Told {
                table: &fit.table,
                object: json::fit(&fit.kpca, &fit.notes, console.seconds(), &fit.outputs),
                text: text::kernel::look(&job::heading(&fit.table), &fit.kpca, &fit.summary),
                notes: &fit.notes,
                outputs: &fit.outputs,
                before,
            };
            tell(console, &args.results, told)
        }
    }
}

/// What a fit has to say.
struct Told<'a> {
    table: &'a Table,
    object: Value,
    text: String,
    notes: &'a [Note],
    outputs: &'a [String],
    before: Outputs,
}

fn before(results: &Results) -> Outputs {
    Outputs::before(results.model.iter().chain(&results.output))
}

fn tell(console: &Console, results: &Results, mut told: Told<'_>) -> Result<(), JobError> {
    told.before.note_in(&mut told.object);
    let scores_on_stdout = results.scores() == Some(Output::Stdout);
    let shown = match console.json {
        true => format!("{:#}\n", told.object),
        false => told.text.clone(),
    };
    console.verbose_table(told.table);
    // Standard output is taken by the scores: the summary becomes talk.
    if scores_on_stdout {
        console.talk(shown.trim_end());
    } else {
        console.result(&shown)?;
    }
    console.notes(told.notes);
    if console.json {
        return Ok(());
    }
    console.talk(&match told.outputs.is_empty() {
        true => "nothing was written: -m FILE keeps the model, -o FILE the scores".to_owned(),
        false => told.before.written(told.outputs),
    });
    Ok(())
}

fn job_of(args: &FitPca) -> FitJob {
    let options = args.pca.options.clone();
    let read = args.data.reading.options(options.seed);
    FitJob {
        model: args.results.model.clone(),
        scores: args.results.scores(),
        keep: args.results.keep.clone(),
        command: Some(super::command_line()),
        ..FitJob::new(args.data.input(), read, options, args.pca.asked)
    }
}

fn kernel_job_of(args: &FitKpca) -> KernelFitJob {
    let options = args.kernel.options();
    let read = args.data.reading.options(options.seed);
    KernelFitJob {
        model: args.results.model.clone(),
        scores: args.results.scores(),
        keep: args.results.keep.clone(),
        command: Some(super::command_line()),
        ..KernelFitJob::new(args.data.input(), read, options)
    }
}
