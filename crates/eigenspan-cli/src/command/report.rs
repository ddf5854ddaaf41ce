//! `eigenspan report [METHOD] DATA` and `eigenspan report MODEL [DATA]`: a summary in the terminal, and a page that answers common
//! questions about the method and its data.

use std::path::{Path, PathBuf};

use clap::Args;
use eigenspan::Context;
use eigenspan::choose::ChooseOptions;
use eigenspan_io::Input;
use eigenspan_io::model::Model;
use eigenspan_report::analysis::{self, AnalysisOptions};
use eigenspan_report::job::{self, MethodReportJob, ReportJob};
use eigenspan_report::results::{FitFiles, PageFiles};
use eigenspan_report::subject::{Fitting, ModelFrom, Rows, Subject};
use eigenspan_report::{Front, JobError, json, text};

use super::first_look;
use super::plot::refuse_swapped;
use crate::args::report::{DataReport, PcaReport, Report, Results};
use crate::args::{ByMethod, Data, Reading};
use crate::console::Console;
use crate::outputs::Outputs;
use crate::typed::quoted;

pub(crate) fn run(ctx: &Context, console: &Console, report: &Report) -> Result<(), JobError> {
    match report {
        Report::Method(by) => method(ctx, console, by),
        Report::Pca(args) if has_model(&args.data.data) => model(ctx, console, args),
        Report::Pca(args) => pca(ctx, console, args),
    }
}

/// The report on a PCA of data.
fn pca(ctx: &Context, console: &Console, args: &PcaReport) -> Result<(), JobError> {
    let results = &args.results;
    let page = page_path(&args.data, results)?;
    let mut read = args.data.reading.options(args.pca.options.seed);
    // Supplementary columns are left out of the fit.
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
        files: fit_files(console, results),
        page: PageFiles {
            tables: args.tables.clone(),
            ..page_files(page, results)
        },
        front: front(console),
    };
    let places = [&job.page.page].into_iter().chain(&results.model);
    let before = Outputs::before(places.chain(&args.tables));
    let done = job::report(ctx, &job)?;
    let (report, fit) = (&done.value, &done.value.fit);
    if console.json {
        let mut object = json::fit(&*fit.fitted, &fit.notes, console.seconds(), &done.outputs);
        object["notes"] = console.texts(&fit.notes);
        if let Some(object) = object.as_object_mut() {
            let analysis = analysis::json(fit, &report.analysis);
            object.insert("analysis".to_owned(), analysis);
        }
        before.note_in(&mut object);
        return console.object(&object);
    }
    console.verbose_table(&fit.rows.table);
    // The answers already contain the notes.
    console.result(&text::report(report, Console::width()))?;
    console.talk(&before.written(&done.outputs));
    Ok(())
}

/// The page is for whoever typed the command.
fn front(console: &Console) -> Front {
    let command = console.typed.without(&NOT_ON_THE_PAGE);
    Front::Terminal {
        command: Some(command),
    }
}

/// Where the model of a report goes.
fn fit_files(console: &Console, results: &Results) -> FitFiles {
    FitFiles {
        model: results.model.clone(),
        command: Some(console.typed.command_line()),
        ..FitFiles::default()
    }
}

/// Where the page of a report goes.
fn page_files(page: PathBuf, results: &Results) -> PageFiles {
    PageFiles {
        page,
        tables: None,
        force: results.force,
        replace_page: results.output.is_some(),
    }
}

/// The report on a fit of another method.
fn method(ctx: &Context, console: &Console, by: &ByMethod<DataReport>) -> Result<(), JobError> {
    let DataReport { data, results } = &by.around;
    if let Some(model) = data.data.iter().find(|path| Model::is_model_file(path)) {
        let name = quoted(&model.display().to_string());
        return Err(JobError::Usage {
            what: format!("{} is a model: it is fitted already", model.display()),
            advice: format!("eigenspan report {name} says what it knows").into(),
        });
    }
    let read = data.reading.options(by.method.seed());
    let fitting = Fitting::new(by.method.clone(), by.explicit);
    let subject = Subject::to_fit(Rows::file(data.input(), read), fitting);
    written(ctx, console, subject, (page_path(data, results)?, results))
}

fn has_model(data: &[PathBuf]) -> bool {
    data.iter().any(|path| Model::is_model_file(path))
}

/// The report on a model file, alone or with rows.
fn model(ctx: &Context, console: &Console, args: &PcaReport) -> Result<(), JobError> {
    refuse_swapped(console, &args.data.data)?;
    let Some((path, rows)) = args.data.data.split_first() else {
        return Ok(());
    };
    refuse_fitting(console, path, rows)?;
    let read = args.data.reading.options(args.pca.options.seed);
    let subject = Subject {
        rows: (!rows.is_empty()).then(|| Rows::file(Input::from_paths(rows), read)),
        model: ModelFrom::File(path.clone()),
    };
    let page = match &args.results.output {
        Some(page) => page.clone(),
        // The page goes beside the model, so that it does not replace the report on the data.
        None => path.with_extension("model.report.html"),
    };
    written(ctx, console, subject, (page, &args.results))
}

/// Refuses options of fitting, because a model is already fitted; without rows, also refuses options of reading.
fn refuse_fitting(console: &Console, model: &Path, rows: &[PathBuf]) -> Result<(), JobError> {
    let fitting = PcaReport::augment_args(clap::Command::new("report"));
    let reading = Reading::augment_args(clap::Command::new("reading"));
    let ids = |command: &clap::Command| -> Vec<String> {
        let all = command.get_arguments();
        all.map(|arg| arg.get_id().to_string()).collect()
    };
    let reading = ids(&reading);
    let allowed = ["data", "output", "force", "seed"];
    let is_refused =
        |id: &String| !allowed.contains(&id.as_str()) && (rows.is_empty() || !reading.contains(id));
    let refused: Vec<String> = ids(&fitting).into_iter().filter(is_refused).collect();
    match console.typed.first_of(&refused) {
        None => Ok(()),
        Some(option) => Err(JobError::Usage {
            what: format!(
                "{option} has no meaning here: {} is a model, which is fitted already",
                model.display()
            ),
            advice: format!("leave out {option}, or give the data instead of the model").into(),
        }),
    }
}

/// Writes the page and prints its content.
fn written(
    ctx: &Context,
    console: &Console,
    subject: Subject,
    (page, results): (PathBuf, &Results),
) -> Result<(), JobError> {
    let before = Outputs::before([&page].into_iter().chain(&results.model));
    let job = MethodReportJob {
        subject,
        files: fit_files(console, results),
        page: page_files(page, results),
        front: front(console),
    };
    let done = job::method_report(ctx, &job)?;
    let report = &done.value;
    if console.json {
        let mut object = json::method_report(report, console.seconds(), &done.outputs);
        object["notes"] = console.texts(&report.notes);
        before.note_in(&mut object);
        return console.object(&object);
    }
    if let Some(rows) = &report.rows {
        console.verbose_table(&rows.table);
    }
    console.result(&text::overview::report(report, Console::width()))?;
    console.talk(&before.written(&done.outputs));
    Ok(())
}

/// Arguments that change how a report runs or prints, but not the content of its page.
const NOT_ON_THE_PAGE: [&str; 5] = ["threads", "json", "quiet", "verbose", "force"];

/// The file for the page: the name that was typed, or a name beside the data.
fn page_path(given: &Data, results: &Results) -> Result<PathBuf, JobError> {
    if let Some(path) = &results.output {
        return Ok(path.clone());
    }
    let data = given.first();
    let no_name = data.to_string_lossy().contains(['*', '?']) && !data.exists();
    if no_name {
        // A pattern without matches is refused before a name is derived from it.
        given.input().files()?;
    }
    if no_name || given.data.iter().any(|path| path == Path::new("-")) {
        let what = match no_name {
            true => data.display().to_string(),
            false => "standard input".to_owned(),
        };
        return Err(JobError::Usage {
            what: format!("a report on {what} needs a name for its page"),
            advice: "-o NAME.html".into(),
        });
    }
    // The name of a folder may end in `/` or contain a dot; the page goes beside the folder.
    if data.is_dir() {
        let mut name = data.file_name().unwrap_or_default().to_owned();
        name.push(".report.html");
        return Ok(data.with_file_name(name));
    }
    Ok(data.with_extension("report.html"))
}
