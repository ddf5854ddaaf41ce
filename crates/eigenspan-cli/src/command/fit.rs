//! `eigenspan fit METHOD DATA`: a model, its scores, or both.

use std::path::PathBuf;

use eigenspan::{Context, Note};
use eigenspan_io::{Output, Table};
use eigenspan_report::job::{self, FitJob};
use eigenspan_report::kernel_job::{self, KernelFitJob};
use eigenspan_report::{JobError, json, text};
use serde_json::Value;

use crate::args::kernel::FitKpca;
use crate::args::{Fit, FitMethod, FitPca};
use crate::console::Console;

pub(crate) fn run(ctx: &Context, console: &Console, fit: &Fit) -> Result<(), JobError> {
    match &fit.method {
        FitMethod::Pca(args) => {
            let fit = job::fit(ctx, &job_of(args))?;
            let told = Told {
                table: &fit.table,
                object: json::fit(&fit.pca, &fit.notes, console.seconds(), &fit.outputs),
                text: text::look(&job::heading(&fit.table), &fit.pca, &fit.summary, &[]),
                notes: &fit.notes,
                outputs: &fit.outputs,
            };
            tell(console, args.output.as_ref(), &told)
        }
        FitMethod::Kpca(args) => {
            let fit = kernel_job::fit(ctx, &kernel_job_of(args))?;
            let told = Told {
                table: &fit.table,
                object: json::fit(&fit.kpca, &fit.notes, console.seconds(), &fit.outputs),
                text: text::kernel::look(&job::heading(&fit.table), &fit.kpca, &fit.summary),
                notes: &fit.notes,
                outputs: &fit.outputs,
            };
            tell(console, args.output.as_ref(), &told)
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
}

fn tell(console: &Console, output: Option<&PathBuf>, told: &Told<'_>) -> Result<(), JobError> {
    let scores_on_stdout = output.is_some_and(|o| Output::new(o) == Output::Stdout);
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
    if !told.outputs.is_empty() && !console.json {
        console.talk(&format!("written: {}", told.outputs.join(", ")));
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

fn kernel_job_of(args: &FitKpca) -> KernelFitJob {
    let options = &args.kernel.options;
    KernelFitJob {
        input: args.data.input(),
        read: args.data.reading.options(options.seed),
        options: options.clone(),
        model: args.model.clone(),
        scores: args.output.as_ref().map(Output::new),
        keep: args.keep.clone(),
        command: Some(super::command_line()),
    }
}
