//! `eigenspan DATA`: a first look, nothing written.

use eigenspan::prepare::Missing;
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
    let read = data.reading.options(pca.options.seed);
    let options = PcaOptions {
        n_components: match pca.asked.n_components {
            true => pca.options.n_components,
            false => all_where_cheap(pca.options.n_components),
        },
        ..pca.options.clone()
    };
    FitJob {
        first_look: true,
        command: Some(super::command_line()),
        ..FitJob::new(data.input(), read, options, pca.asked)
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
    let kept = fit.pca.n_components();
    let k = match fit.pca.parts().options.n_components {
        Keep::Auto => kept,
        _ => fit.summary.for_ninety.unwrap_or(kept),
    };
    // A fit says what becomes of missing cells; a look may leave their rows out by itself.
    let missing = fit.pca.parts().options.missing == Missing::Drop;
    let options = super::options_as_typed(&data.data);
    let typed = [" --missing ", " --missing=", " --like"]
        .iter()
        .any(|option| options.contains(option));
    let drop = |command: String| match missing && !typed {
        true => format!("{command} --missing drop"),
        false => command,
    };
    let fit = fit_command(data, k).map(drop);
    report_command(data).into_iter().chain(fit).collect()
}

/// The report of the same analysis; none where the data cannot be typed again.
fn report_command(data: &Data) -> Option<String> {
    let options = super::options_as_typed(&data.data);
    Some(format!("eigenspan report {}{options}", typed_again(data)?))
}

/// The fit of the same analysis with so many components; none where the data cannot be typed again.
pub(super) fn fit_command(data: &Data, k: usize) -> Option<String> {
    let name = typed_again(data)?;
    let stem = data
        .first()
        .file_stem()
        .map(|s| s.to_string_lossy().replace(['*', '?'], ""))
        .unwrap_or_default();
    let stem = stem.trim_end_matches(['-', '_', '.']);
    let options = super::options_as_typed(&data.data);
    let scores = quoted(&format!("{stem}-pc.csv"));
    Some(format!(
        "eigenspan fit pca {name}{options} -k {k} -o {scores}"
    ))
}

/// The data as words of a command.
pub(super) fn typed_again(data: &Data) -> Option<String> {
    let words = data.data.iter();
    let names: Vec<String> = words
        .map(|path| quoted(&path.display().to_string()))
        .collect();
    // A pipe has run dry, and nobody types many names again.
    let again = names.len() <= 3 && names.iter().all(|name| name != "-");
    again.then(|| names.join(" "))
}
