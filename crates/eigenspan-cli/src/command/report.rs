//! `eigenspan report DATA`: the summary on the terminal, and a page that answers what people ask of a PCA.

use std::path::{Path, PathBuf};

use eigenspan::Context;
use eigenspan::choose::ChooseOptions;
use eigenspan_io::model::Model;
use eigenspan_report::analysis::{self, AnalysisOptions};
use eigenspan_report::job::{self, ReportJob};
use eigenspan_report::results::{FitFiles, PageFiles};
use eigenspan_report::{JobError, json, text};

use super::first_look;
use crate::args::Report;
use crate::console::Console;
use crate::outputs::Outputs;
use crate::typed::quoted;

pub(crate) fn run(ctx: &Context, console: &Console, args: &Report) -> Result<(), JobError> {
    refuse_model(args)?;
    let page = page_path(args)?;
    let mut read = args.data.reading.options(args.pca.options.seed);
    // What is held against the components has no part in them.
    read.exclude.extend(args.supplementary.iter().cloned());
    let job = ReportJob {
        subject: first_look::subject(args.data.input(), read, &args.pca),
        analysis: AnalysisOptions {
            supplementary: args.supplementary.clone(),
            rotation: args.rotate,
            choose: ChooseOptions {
                seed: args.pca.options.seed,
                ..Default::default()
            },
            ..Default::default()
        },
        files: FitFiles {
            model: args.model.clone(),
            command: Some(console.typed.command_line()),
            ..FitFiles::default()
        },
        page: PageFiles {
            page,
            tables: args.tables.clone(),
            force: args.force,
            replace_page: args.output.is_some(),
        },
        command: Some(console.typed.without(&NOT_ON_THE_PAGE)),
    };
    let places = [&job.page.page].into_iter().chain(&args.model);
    let before = Outputs::before(places.chain(&args.tables));
    let done = job::report(ctx, &job)?;
    let (report, fit) = (&done.value, &done.value.fit);
    if console.json {
        let mut object = json::fit(&*fit.fitted, &fit.notes, console.seconds(), &done.outputs);
        if let Some(object) = object.as_object_mut() {
            let analysis = analysis::json(fit, &report.analysis);
            object.insert("analysis".to_owned(), analysis);
        }
        before.note_in(&mut object);
        return console.object(&object);
    }
    console.verbose_table(&fit.rows.table);
    // Notes are among the answers.
    console.result(&text::report(report, Console::width()))?;
    console.talk(&before.written(&done.outputs));
    Ok(())
}

/// A model holds no rows, and a report is mostly about rows.
fn refuse_model(args: &Report) -> Result<(), JobError> {
    let Some(model) = args.data.data.iter().find(|path| Model::is_meant(path)) else {
        return Ok(());
    };
    let name = quoted(&model.display().to_string());
    let rest: Vec<&PathBuf> = args
        .data
        .data
        .iter()
        .filter(|path| *path != model)
        .collect();
    let tip = match rest.as_slice() {
        [] => {
            format!("eigenspan describe {name} says what is in it; eigenspan report takes the data")
        }
        [data, ..] => {
            let data = quoted(&data.display().to_string());
            format!(
                "eigenspan report {data} fits it anew; eigenspan plot scores {name} {data} shows its rows under the model"
            )
        }
    };
    Err(JobError::Usage {
        what: format!(
            "{} is a model, and a report is made from data",
            model.display()
        ),
        tip: Some(tip),
    })
}

/// Arguments that change how a report runs or prints, but nothing on its page.
const NOT_ON_THE_PAGE: [&str; 5] = ["threads", "json", "quiet", "verbose", "force"];

/// Where the page goes: as told, or beside the data.
fn page_path(args: &Report) -> Result<PathBuf, JobError> {
    if let Some(path) = &args.output {
        return Ok(path.clone());
    }
    let data = args.data.first();
    let no_name = data.to_string_lossy().contains(['*', '?']) && !data.exists();
    if no_name {
        // A pattern that nothing matches is refused before a name is asked for.
        args.data.input().files()?;
    }
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
