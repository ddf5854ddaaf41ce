//! `eigenspan report DATA`: the summary on the terminal, and a page that answers what people ask of a PCA.

use std::path::{Path, PathBuf};

use eigenspan::Context;
use eigenspan::choose::ChooseOptions;
use eigenspan_io::model::Model;
use eigenspan_report::analysis::{self, AnalysisOptions};
use eigenspan_report::report::{self, ReportJob};
use eigenspan_report::{JobError, json, text};

use super::look;
use crate::args::Report;
use crate::console::Console;
use crate::outputs::Outputs;
use crate::typed::quoted;

pub(crate) fn run(ctx: &Context, console: &Console, args: &Report) -> Result<(), JobError> {
    refuse_model(args)?;
    let page = page_path(args)?;
    let mut fit = look::job_of(console, &args.data, &args.pca);
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
        force: args.force,
        replace_page: args.output.is_some(),
        command: Some(console.typed.without(&NOT_ON_THE_PAGE)),
    };
    let places = [&job.page].into_iter().chain(&args.model);
    let before = Outputs::before(places.chain(&args.tables));
    let done = report::report(ctx, &job)?;
    let fit = &done.fit;
    if console.json {
        let mut object = json::fit(&*fit.fitted, &fit.notes, console.seconds(), &fit.outputs);
        if let Some(object) = object.as_object_mut() {
            let analysis = analysis::json(fit, &done.analysis);
            object.insert("analysis".to_owned(), analysis);
        }
        before.note_in(&mut object);
        return console.object(&object);
    }
    console.verbose_table(&fit.table);
    // Notes are among the answers.
    console.result(&text::report(&done, Console::width()))?;
    console.talk(&before.written(&fit.outputs));
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
