//! `eigenspan DATA`: a first look, nothing written.

use clap::Args;
use eigenspan::Context;
use eigenspan::choose::ChooseOptions;
use eigenspan::prepare::Missing;
use eigenspan::solve::Keep;
use eigenspan_report::fit::{self, Fit};
use eigenspan_report::{Heading, JobError, json, text};

use super::first_look;
use crate::args::{Data, FirstLook};
use crate::console::Console;
use crate::typed::quoted;

pub(crate) fn run(ctx: &Context, console: &Console, look: &FirstLook) -> Result<(), JobError> {
    let read = look.data.reading.options(look.pca.options.seed);
    let fit = fit::fit(
        ctx,
        &first_look::subject(look.data.input(), read, &look.pca),
    )?;
    show(console, &fit, &next(console, look, &fit))
}

fn show(console: &Console, fit: &Fit, next: &[String]) -> Result<(), JobError> {
    if console.json {
        let mut object = json::fit(&*fit.fitted, &fit.notes, console.seconds(), &[]);
        object["notes"] = console.texts(&fit.notes);
        return console.object(&object);
    }
    console.verbose_table(&fit.rows.table);
    let heading = Heading::from_table(&fit.rows.table);
    console.result(&text::fit_summary(
        &heading,
        &*fit.fitted,
        &fit.summary,
        next,
    ))?;
    console.notes(&fit.notes);
    Ok(())
}

/// The commands to type next, with the options of this look, so that they run the same analysis.
fn next(console: &Console, look: &FirstLook, fit: &Fit) -> Vec<String> {
    let (data, explicit) = (&look.data, look.pca.explicit);
    let common = fit.fitted.common();
    let kept = common.n_components;
    let k = match common.asked {
        Keep::Auto => kept,
        _ => fit.summary.for_ninety.unwrap_or(kept),
    };
    // `fit` refuses missing cells unless an option says otherwise; a look drops their rows by itself.
    let missing = common.missing == Missing::Drop;
    let says = explicit.missing || explicit.like.is_some();
    let drop = |command: String| match missing && !says {
        true => format!("{command} --missing drop"),
        false => command,
    };
    let fit = fit_command(console, data, k).map(drop);
    report_command(console, data)
        .into_iter()
        .chain(fit)
        .collect()
}

/// The options of a look or a choice as they were typed, with a space before each word, without those that the suggested commands set
/// themselves: the number of components, the options of its rules, and the output format.
fn options_as_typed(console: &Console) -> String {
    let rules = ChooseOptions::augment_args(clap::Command::new("rules"));
    let rules = rules.get_arguments().map(|arg| arg.get_id().to_string());
    let others = ["n_components", "json", "quiet", "verbose"];
    let ids: Vec<String> = others.map(str::to_owned).into_iter().chain(rules).collect();
    console.typed.options(&ids)
}

/// The report command for the same analysis; `None` if the data cannot be typed again.
fn report_command(console: &Console, data: &Data) -> Option<String> {
    let options = options_as_typed(console);
    Some(format!("eigenspan report {}{options}", typed_again(data)?))
}

/// The fit command for the same analysis with k components; `None` if the data cannot be typed again.
pub(super) fn fit_command(console: &Console, data: &Data, k: usize) -> Option<String> {
    let name = typed_again(data)?;
    let stem = data
        .first()
        .file_stem()
        .map(|s| s.to_string_lossy().replace(['*', '?'], ""))
        .unwrap_or_default();
    let stem = stem.trim_end_matches(['-', '_', '.']);
    let options = options_as_typed(console);
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
    // A pipe cannot be read again, and a long list of names is too much to type.
    let again = names.len() <= 3 && names.iter().all(|name| name != "-");
    again.then(|| names.join(" "))
}
