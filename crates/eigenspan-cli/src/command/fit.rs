//! `eigenspan fit METHOD DATA`: a model, its scores, or both.

use eigenspan::Context;
use eigenspan_io::Output;
use eigenspan_report::job::{self, FitJob};
use eigenspan_report::results::FitFiles;
use eigenspan_report::subject::{Fitting, Rows, Subject};
use eigenspan_report::{Heading, JobError, json, text};

use crate::args::{Fit, FitData};
use crate::console::Console;
use crate::outputs::Outputs;

pub(crate) fn run(ctx: &Context, console: &Console, args: &Fit) -> Result<(), JobError> {
    let by = &args.by;
    let fitting = Fitting::new(by.method.clone(), by.explicit);
    show(ctx, console, (&by.around, fitting), |heading, fit| {
        text::fit_summary(heading, &*fit.fitted, &fit.summary, &[])
    })
}

/// Fits, writes what is to be written, and prints the text of the fit.
pub(super) fn show(
    ctx: &Context,
    console: &Console,
    (around, fitting): (&FitData, Fitting),
    said: impl FnOnce(&Heading, &eigenspan_report::fit::Fit) -> String,
) -> Result<(), JobError> {
    let results = &around.results;
    let before = Outputs::before(results.model.iter().chain(&results.output));
    let done = job::fit(ctx, &job_of(console, around, fitting))?;
    let fit = &done.value;
    let shown = match console.json {
        true => {
            let mut object = json::fit(&*fit.fitted, &fit.notes, console.seconds(), &done.outputs);
            object["notes"] = console.texts(&fit.notes);
            before.note_in(&mut object);
            format!("{object:#}\n")
        }
        false => said(&Heading::from_table(&fit.rows.table), fit),
    };
    console.verbose_table(&fit.rows.table);
    // The scores go to standard output, so the summary goes to standard error.
    if results.scores() == Some(Output::Stdout) {
        console.talk(shown.trim_end());
    } else {
        console.result(&shown)?;
    }
    console.notes(&fit.notes);
    if console.json {
        return Ok(());
    }
    console.talk(&match done.outputs.is_empty() {
        true => "nothing was written: -m FILE keeps the model, -o FILE the scores".to_owned(),
        false => before.written(&done.outputs),
    });
    Ok(())
}

fn job_of(console: &Console, around: &FitData, fitting: Fitting) -> FitJob {
    let FitData { data, results } = around;
    let read = data.reading.options(fitting.method.seed());
    FitJob {
        subject: Subject::to_fit(Rows::file(data.input(), read), fitting),
        files: FitFiles {
            model: results.model.clone(),
            scores: results.scores(),
            keep: results.keep.clone(),
            command: Some(console.typed.command_line()),
        },
    }
}
