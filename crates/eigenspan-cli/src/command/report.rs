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
    let data = report.data.first();
    if report.data.data.iter().any(|path| path == Path::new("-")) {
        return Err(JobError::Usage {
            what: "a report on standard input needs a name for its model file".to_owned(),
            tip: Some("-m NAME.safetensors".to_owned()),
        });
    }
    if data.to_string_lossy().contains(['*', '?']) && !data.exists() {
        return Err(JobError::Usage {
            what: format!(
                "a report on {} needs a name for its model file",
                data.display()
            ),
            tip: Some("-m NAME.safetensors".to_owned()),
        });
    }
    // A folder's own name may end in `/` or hold a dot; the model stands beside it.
    if data.is_dir() {
        let mut name = data.file_name().unwrap_or_default().to_owned();
        name.push(".eigenspan.safetensors");
        return Ok(data.with_file_name(name));
    }
    Ok(data.with_extension("eigenspan.safetensors"))
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
