//! `eigenspan plot FIGURE MODEL|DATA`: one figure, in the terminal or in a file.

use std::path::PathBuf;

use eigenspan::Context;
use eigenspan_io::model::Model;
use eigenspan_io::{Input, Output};
use eigenspan_report::JobError;
use eigenspan_report::job::{self, PlotJob};
use eigenspan_report::plot::{FigureOptions, Medium, Paper};
use eigenspan_report::subject::{ModelFrom, Rows, Subject};
use serde_json::json;

use super::first_look;
use crate::args::plot::Plot;
use crate::console::Console;
use crate::outputs::Outputs;
use crate::suggest::did_you_mean;

pub(crate) fn run(ctx: &Context, console: &Console, args: &Plot) -> Result<(), JobError> {
    refuse_swapped(console, &args.data)?;
    let before = Outputs::before(&args.output);
    let plotted = job::plot(ctx, &job_of(args)?)?;
    if console.json {
        let figure = &plotted.figure;
        let mut object = json!({
            "figure": figure.id,
            "title": figure.title,
            "subtitle": figure.subtitle,
            "caption": figure.caption,
            "csv": figure.csv,
            "outputs": plotted.outputs,
            "notes": console.texts(&plotted.notes),
        });
        before.note_in(&mut object);
        return console.object(&object);
    }
    if let Some(text) = &plotted.text {
        console.result(text)?;
    }
    console.notes(&plotted.notes);
    if !plotted.outputs.is_empty() {
        console.talk(&before.written(&plotted.outputs));
    }
    Ok(())
}

/// Refuses a model that is named after the data, because the model comes first.
pub(super) fn refuse_swapped(console: &Console, data: &[PathBuf]) -> Result<(), JobError> {
    let Some((first, rest)) = data.split_first() else {
        return Ok(());
    };
    let model = rest.iter().find(|path| Model::is_model_file(path));
    match model.filter(|_| !Model::is_model_file(first)) {
        Some(model) => Err(JobError::Usage {
            what: format!(
                "{} is a model, and a model comes before its data",
                model.display()
            ),
            advice: did_you_mean(&console.typed.swapped(first, model)).into(),
        }),
        None => Ok(()),
    }
}

fn job_of(args: &Plot) -> Result<PlotJob, JobError> {
    let (model, data) = match args.data.split_first() {
        Some((first, rest)) if Model::is_model_file(first) => (Some(first.clone()), rest),
        _ => (None, args.data.as_slice()),
    };
    let seed = args.pca.options.seed;
    let mut read = args.reading.options(seed);
    // Supplementary columns are left out of the fit.
    read.exclude.extend(args.supplementary.iter().cloned());
    let output = args.output.as_ref().map(Output::new);
    let paper = Paper {
        medium: Medium::for_output(output.as_ref(), crate::console::width())?,
        width: args.width,
        height: args.height,
        dark: args.dark,
    };
    Ok(PlotJob {
        subject: Subject {
            rows: (!data.is_empty()).then(|| Rows::file(Input::from_paths(data), read)),
            model: match model {
                Some(path) => ModelFrom::File(path),
                None => ModelFrom::Fit(first_look::fitting(&args.pca)),
            },
        },
        options: FigureOptions {
            axes: [args.x.clone(), args.y.clone()],
            supplementary: args.supplementary.clone(),
            color: args.color_by.clone(),
            seed: if data.is_empty() { 0 } else { seed },
            ..FigureOptions::new(args.kind, paper)
        },
        output,
    })
}
