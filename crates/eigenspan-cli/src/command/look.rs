//! `eigenspan DATA`: a first look, nothing written.

use eigenspan::solve::Keep;
use eigenspan::{Context, PcaOptions};
use eigenspan_report::job::{self, Fit, FitJob};
use eigenspan_report::{JobError, json, text};

use super::quoted;
use crate::args::{Data, Look, Pca};
use crate::console::Console;

pub(crate) fn run(ctx: &Context, console: &Console, look: &Look) -> Result<(), JobError> {
    let job = job_of(&look.data, &look.pca);
    let fit = job::fit(ctx, &job)?;
    show(console, &fit, &next(&look.data, &fit))
}

/// The job of looking at data: all components where that is cheap and nothing else was asked.
pub(super) fn job_of(data: &Data, pca: &Pca) -> FitJob {
    FitJob {
        input: data.input(),
        read: data.reading.options(pca.options.seed),
        options: PcaOptions {
            n_components: all_where_cheap(pca.options.n_components),
            ..pca.options.clone()
        },
        asked: pca.asked,
        model: None,
        scores: None,
        keep: Vec::new(),
        command: Some(super::command_line()),
    }
}

/// All components instead of the share that is the default: what to look at is then known to the last.
pub(super) fn all_where_cheap(keep: Keep) -> Keep {
    match keep {
        Keep::Share(share) if share == eigenspan_report::summary::RULE => Keep::All,
        keep => keep,
    }
}

pub(super) fn show(console: &Console, fit: &Fit, next: &[String]) -> Result<(), JobError> {
    if console.json {
        return console.object(&json::fit(
            &fit.pca,
            &fit.notes,
            console.seconds(),
            &fit.outputs,
        ));
    }
    console.verbose_table(&fit.table);
    let heading = job::heading(&fit.table);
    console.result(&text::look(&heading, &fit.pca, &fit.summary, next))?;
    console.notes(&fit.notes);
    Ok(())
}

/// What to type next, with the options of this look, so that it is the same analysis.
fn next(data: &Data, fit: &Fit) -> Vec<String> {
    let words = data.data.iter();
    let names: Vec<String> = words
        .map(|path| quoted(&path.display().to_string()))
        .collect();
    // A pipe has run dry, and nobody types many names again.
    if names.iter().any(|name| name == "-") || names.len() > 3 {
        return Vec::new();
    }
    let name = names.join(" ");
    let k = fit.summary.for_ninety.unwrap_or(fit.pca.n_components());
    let stem = data
        .first()
        .file_stem()
        .map(|s| s.to_string_lossy().replace(['*', '?'], ""))
        .unwrap_or_default();
    let stem = stem.trim_end_matches(['-', '_', '.']);
    let options = super::options_as_typed(&data.data);
    let scores = quoted(&format!("{stem}-pc.csv"));
    vec![
        format!("eigenspan report {name}{options}"),
        format!("eigenspan fit pca {name}{options} -k {k} -o {scores}"),
    ]
}
