//! `eigenspan transform` and `eigenspan inverse`: a model meets rows, or scores.

use eigenspan::Context;
use eigenspan::method::PreImageOptions;
use eigenspan_io::Output;
use eigenspan_report::project::{self, ProjectJob, Projected};
use eigenspan_report::{JobError, json, text};
use serde_json::json;

use crate::args::{Inverse, Project};
use crate::console::Console;

pub(crate) fn transform(ctx: &Context, console: &Console, args: &Project) -> Result<(), JobError> {
    let job = job_of(args);
    let done = project::transform(ctx, &job)?;
    tell(console, &job, &done)
}

pub(crate) fn inverse(ctx: &Context, console: &Console, args: &Inverse) -> Result<(), JobError> {
    let job = ProjectJob {
        size: args.size,
        pre_image: args.pre_image,
        ..job_of(&args.project)
    };
    let done = project::inverse(ctx, &job)?;
    tell(console, &job, &done)
}

fn job_of(args: &Project) -> ProjectJob<'_> {
    ProjectJob {
        model: &args.model,
        input: args.data.input(),
        read: args.data.reading.options(args.seed.seed),
        keep: args.keep.clone(),
        output: Output::new(&args.output),
        size: None,
        pre_image: PreImageOptions::default(),
    }
}

fn tell(console: &Console, job: &ProjectJob<'_>, done: &Projected) -> Result<(), JobError> {
    let to_file = job.output != Output::Stdout;
    if console.json {
        let mut object = json!({
            "n_rows": done.n_rows,
            "n_cols": done.n_cols,
            "seconds": console.seconds(),
            "outputs": [job.output.name()],
            "notes": done.notes.iter().map(ToString::to_string).collect::<Vec<_>>(),
        });
        if let Some(residuals) = &done.residuals {
            object["residual"] = json::residuals(residuals);
        }
        if to_file {
            return console.object(&object);
        }
        // Standard output is taken by the rows: the object becomes talk.
        console.talk(&format!("{object:#}"));
        return Ok(());
    }
    if let Some(residuals) = &done.residuals {
        console.talk(&text::kernel::residuals(residuals));
    }
    console.notes(&done.notes);
    if to_file {
        console.talk(&format!("written: {}", job.output.name()));
    }
    Ok(())
}
