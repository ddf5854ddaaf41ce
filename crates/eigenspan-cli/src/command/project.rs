//! `eigenspan transform` and `eigenspan inverse`: apply a model to rows, or to scores.

use std::path::PathBuf;

use eigenspan::Context;
use eigenspan::method::PreImageOptions;
use eigenspan_io::Output;
use eigenspan_io::model::Model;
use eigenspan_report::job::{self, ProjectJob, Written};
use eigenspan_report::project::Projected;
use eigenspan_report::results::RowsFile;
use eigenspan_report::subject::{ModelFrom, Rows, Subject};
use eigenspan_report::{JobError, json, text};
use serde_json::json;

use crate::args::{Inverse, Project};
use crate::console::Console;
use crate::outputs::{Outputs, path_of};
use crate::suggest::did_you_mean;

pub(crate) fn transform(ctx: &Context, console: &Console, args: &Project) -> Result<(), JobError> {
    refuse_swapped(console, args)?;
    let job = job_of(args);
    let before = Outputs::before(path_of(&job.file.output));
    let done = job::transform(ctx, &job)?;
    tell(console, &job, &done, &before)
}

pub(crate) fn inverse(ctx: &Context, console: &Console, args: &Inverse) -> Result<(), JobError> {
    refuse_swapped(console, &args.project)?;
    let mut job = job_of(&args.project);
    job.file.size = args.size;
    job.pre_image = args.pre_image;
    let before = Outputs::before(path_of(&job.file.output));
    let done = job::inverse(ctx, &job)?;
    tell(console, &job, &done, &before)
}

fn job_of(args: &Project) -> ProjectJob {
    let read = args.data.reading.options(args.seed.seed);
    ProjectJob {
        subject: Subject {
            rows: Some(Rows::file(args.data.input(), read)),
            model: ModelFrom::File(args.model.clone()),
        },
        pre_image: PreImageOptions::default(),
        file: RowsFile {
            keep: args.keep.clone(),
            ..RowsFile::new(Output::new(&args.output))
        },
    }
}

/// Refuses a model that is named after the data, because the model comes first.
fn refuse_swapped(console: &Console, args: &Project) -> Result<(), JobError> {
    let is_model = |path: &PathBuf| Model::is_model_file(path);
    let Some(model) = args.data.data.iter().find(|path| is_model(path)) else {
        return Ok(());
    };
    if is_model(&args.model) {
        return Ok(());
    }
    Err(JobError::Usage {
        what: format!(
            "{} is a model and {} is not: name the model first, then the data",
            model.display(),
            args.model.display()
        ),
        advice: did_you_mean(&console.typed.swapped(&args.model, model)).into(),
    })
}

fn tell(
    console: &Console,
    job: &ProjectJob,
    done: &Written<Projected>,
    before: &Outputs,
) -> Result<(), JobError> {
    let to_file = job.file.output != Output::Stdout;
    let (done, outputs) = (&done.value, &done.outputs);
    if console.json {
        let mut object = json!({
            "n_rows": done.n_rows,
            "n_cols": done.n_cols,
            "seconds": console.seconds(),
            "outputs": outputs,
        });
        object["notes"] = console.texts(&done.notes);
        if let Some(residuals) = &done.residuals {
            object["residual"] = json::residuals(residuals);
        }
        before.note_in(&mut object);
        if to_file {
            return console.object(&object);
        }
        // The rows go to standard output, so the JSON object goes to standard error.
        console.talk(&format!("{object:#}"));
        return Ok(());
    }
    if let Some(residuals) = &done.residuals {
        console.talk(&text::residuals(residuals));
    }
    console.notes(&done.notes);
    if to_file {
        console.talk(&before.written(outputs));
    }
    Ok(())
}
