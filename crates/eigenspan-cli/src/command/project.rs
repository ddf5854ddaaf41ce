//! `eigenspan transform` and `eigenspan inverse`: apply a model to rows, or to scores.

use std::path::PathBuf;

use eigenspan::Context;
use eigenspan::method::PreImageOptions;
use eigenspan_io::Output;
use eigenspan_io::model::Model;
use eigenspan_report::project::{self, ProjectJob, Projected};
use eigenspan_report::subject::Rows;
use eigenspan_report::{JobError, json, text};
use serde_json::json;

use crate::args::{Inverse, Project};
use crate::console::Console;
use crate::outputs::{Outputs, path_of};
use crate::suggest::did_you_mean;

pub(crate) fn transform(ctx: &Context, console: &Console, args: &Project) -> Result<(), JobError> {
    refuse_swapped(console, args)?;
    let job = job_of(args);
    let before = Outputs::before(path_of(&job.output));
    let done = project::transform(ctx, &job)?;
    tell(console, &job, &done, &before)
}

pub(crate) fn inverse(ctx: &Context, console: &Console, args: &Inverse) -> Result<(), JobError> {
    refuse_swapped(console, &args.project)?;
    let job = ProjectJob {
        size: args.size,
        pre_image: args.pre_image,
        ..job_of(&args.project)
    };
    let before = Outputs::before(path_of(&job.output));
    let done = project::inverse(ctx, &job)?;
    tell(console, &job, &done, &before)
}

fn job_of(args: &Project) -> ProjectJob<'_> {
    ProjectJob {
        model: &args.model,
        rows: Rows::file(args.data.input(), args.data.reading.options(args.seed.seed)),
        keep: args.keep.clone(),
        output: Output::new(&args.output),
        size: None,
        pre_image: PreImageOptions::default(),
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
    job: &ProjectJob<'_>,
    done: &Projected,
    before: &Outputs,
) -> Result<(), JobError> {
    let to_file = job.output != Output::Stdout;
    if console.json {
        let mut object = json!({
            "n_rows": done.n_rows,
            "n_cols": done.n_cols,
            "seconds": console.seconds(),
            "outputs": [job.output.name()],
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
        console.talk(&before.written(&[job.output.name()]));
    }
    Ok(())
}
