//! `eigenspan report DATA`: the summary on the terminal and a model file.

use std::path::{Path, PathBuf};

use eigenspan::Context;
use eigenspan_io::model::Model;
use eigenspan_report::{JobError, job};

use super::look;
use crate::args::Report;
use crate::console::Console;

pub(crate) fn run(ctx: &Context, console: &Console, report: &Report) -> Result<(), JobError> {
    let mut job = look::job_of(&report.data, &report.pca);
    let model = model_path(report)?;
    if !report.force && report.model.is_none() {
        keep_others(&model, &job.input.name())?;
    }
    job.model = Some(model);
    let fit = job::fit(ctx, &job)?;
    look::show(console, &fit, &[])?;
    if !console.json {
        console.talk(&format!("written: {}", fit.outputs.join(", ")));
    }
    Ok(())
}

/// Where the model goes: as told, or beside the data.
fn model_path(report: &Report) -> Result<PathBuf, JobError> {
    if let Some(path) = &report.model {
        return Ok(path.clone());
    }
    if report.data.data == Path::new("-") {
        return Err(JobError::Usage {
            what: "a report on standard input needs a name for its model file".to_owned(),
            tip: Some("-m NAME.safetensors".to_owned()),
        });
    }
    Ok(report.data.data.with_extension("eigenspan.safetensors"))
}

/// Refuses to write over a file that is not an earlier model of the same data.
fn keep_others(path: &Path, data: &str) -> Result<(), JobError> {
    let ours = match path.try_exists() {
        Ok(true) => Model::load(path).is_ok_and(|model| model.origin.data.as_deref() == Some(data)),
        _ => true,
    };
    if ours {
        Ok(())
    } else {
        Err(JobError::Exists {
            file: path.display().to_string(),
        })
    }
}
