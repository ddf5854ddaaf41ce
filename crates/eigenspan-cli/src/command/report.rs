//! `eigenspan report DATA`: the summary on the terminal, and a page that answers what people ask of a PCA.

use std::io::Read;
use std::path::{Path, PathBuf};

use eigenspan::Context;
use eigenspan::choose::ChooseOptions;
use eigenspan_report::analysis::{self, AnalysisOptions};
use eigenspan_report::report::{self, ReportJob};
use eigenspan_report::{JobError, json, text};

use super::look;
use crate::args::Report;
use crate::console::Console;

pub(crate) fn run(ctx: &Context, console: &Console, args: &Report) -> Result<(), JobError> {
    let page = page_path(args)?;
    let mut fit = look::job_of(&args.data, &args.pca);
    if !args.force {
        keep_others(&page, &fit.input.name())?;
    }
    fit.model.clone_from(&args.model);
    // What is held against the components has no part in them.
    fit.read.exclude.extend(args.supplementary.iter().cloned());
    let job = ReportJob {
        fit,
        analysis: AnalysisOptions {
            supplementary: args.supplementary.clone(),
            rotation: args.rotate,
            choose: ChooseOptions {
                seed: args.pca.options.seed,
                ..Default::default()
            },
            ..Default::default()
        },
        page,
        tables: args.tables.clone(),
    };
    let done = report::report(ctx, &job)?;
    let fit = &done.fit;
    if console.json {
        let mut object = json::fit(&fit.pca, &fit.notes, console.seconds(), &fit.outputs);
        if let Some(object) = object.as_object_mut() {
            let analysis = analysis::json(&fit.pca, &done.analysis);
            object.insert("analysis".to_owned(), analysis);
        }
        return console.object(&object);
    }
    console.verbose_table(&fit.table);
    console.result(&text::report(fit, &done.analysis, Console::width()))?;
    console.notes(&fit.notes);
    console.talk(&format!("written: {}", fit.outputs.join(", ")));
    Ok(())
}

/// Where the page goes: as told, or beside the data.
fn page_path(args: &Report) -> Result<PathBuf, JobError> {
    if let Some(path) = &args.output {
        return Ok(path.clone());
    }
    let data = args.data.first();
    let no_name = data.to_string_lossy().contains(['*', '?']) && !data.exists();
    if no_name || args.data.data.iter().any(|path| path == Path::new("-")) {
        let what = match no_name {
            true => data.display().to_string(),
            false => "standard input".to_owned(),
        };
        return Err(JobError::Usage {
            what: format!("a report on {what} needs a name for its page"),
            tip: Some("-o NAME.html".to_owned()),
        });
    }
    // A folder's own name may end in `/` or hold a dot; the page stands beside it.
    if data.is_dir() {
        let mut name = data.file_name().unwrap_or_default().to_owned();
        name.push(".report.html");
        return Ok(data.with_file_name(name));
    }
    Ok(data.with_extension("report.html"))
}

/// Refuses to write over a file that is not an earlier report of the same data.
fn keep_others(path: &Path, data: &str) -> Result<(), JobError> {
    if matches!(path.try_exists(), Ok(false)) || is_report_of(path, data) {
        return Ok(());
    }
    Err(JobError::Exists {
        file: path.display().to_string(),
    })
}

/// Whether a file begins like a page of ours with this title.
fn is_report_of(path: &Path, data: &str) -> bool {
    const HEAD: u64 = 4096;
    let mut head = Vec::new();
    let file = std::fs::File::open(path);
    let read = file.and_then(|file| file.take(HEAD).read_to_end(&mut head));
    read.is_ok() && eigenspan_report::page::is_titled(&String::from_utf8_lossy(&head), data)
}
