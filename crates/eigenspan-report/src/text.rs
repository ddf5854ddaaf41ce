//! Results as lines for a terminal: plain Unicode, aligned, readable without color.

pub mod denoise;
pub mod overview;
pub mod select;

use eigenspan::error::{bytes_words, counted, grouped};
use eigenspan::method::Fitted;
use eigenspan::method::contract::Shown;
use eigenspan::note::at_most;
use eigenspan::solve::{Keep, Plan, Spectrum};
use eigenspan::{Mat, Note};
use eigenspan_io::model::Origin;

use crate::describe::ModelDescription;
use crate::heading::Heading;
use crate::page::Page;
use crate::project::Residuals;
use crate::report::Report;
use crate::story::SmallMap;
use crate::summary::{RULE, Summary, map_words};
use crate::words::{self, Has, bar, flops_words, noted, percent, score, short, shown, wrapped};

/// At most this many components are listed; the rest are only counted.
const LISTED: usize = 8;
/// Length of the longest bar.
const BAR: f64 = 18.0;

/// The first look: heading, components as bars with words or as numbers, a sentence, and what to type next. A model without directions
/// in column space, or without a spectrum, also shows its facts.
pub fn fit_summary(
    heading: &Heading,
    fitted: &dyn Fitted,
    summary: &Summary,
    next: &[String],
) -> String {
    let mut out = heading.line(&fitted.headline());
    out += "\n\n";
    let in_words = fitted.directions().is_some();
    if let (Some(directions), None) = (fitted.directions(), fitted.spectrum()) {
        out += &directions_in_words(fitted, directions);
    }
    if let Some(spectrum) = fitted.spectrum() {
        out += &match in_words {
            true => components(summary),
            false => spectrum_table(fitted, summary, n_listed(summary)),
        };
        out += &format!("\n{}\n", sentence(fitted, spectrum, summary));
    }
    if let Some(told_apart) = summary.told_apart {
        out += &format!(" {}\n", told_apart.sentence());
    }
    if !in_words || fitted.spectrum().is_none() {
        out += &format!("\n{}", facts(fitted));
    }
    if !next.is_empty() {
        out += &format!("\nnext:  {}\n", next.join("      "));
    }
    out
}

/// The columns that the first components are made of, for a model without shares.
fn directions_in_words(fitted: &dyn Fitted, directions: &Mat<f64>) -> String {
    let columns = fitted.column_names();
    let names = fitted.axis_names();
    let width = names.iter().map(String::len).max().unwrap_or(0);
    let rows = (0..directions.n_rows()).filter_map(|i| fitted.weights_in_words(i));
    let axes = names.iter().zip(rows).take(LISTED);
    let line = |(name, row): (&String, Vec<f64>)| {
        format!(" {name:width$}  {}\n", words::axis(&row, &columns))
    };
    axes.map(line).collect()
}

/// The report in a terminal: the components, a small map of the rows, and the page's answer to each question.
pub fn report(report: &Report, width: usize) -> String {
    let fit = &report.fit;
    let mut out = Heading::from_table(&fit.rows.table).line(&fit.fitted.headline());
    out += "\n\n";
    // Components without variance are left out.
    if fit.fitted.spectrum().rank > 0 {
        out += &components(&fit.summary);
    }
    out + &page_words(&report.page, report.map.as_ref(), width)
}

/// The content of a page in lines of this width: its first sentence, the map, and the answer to each question.
fn page_words(page: &Page, map: Option<&SmallMap>, width: usize) -> String {
    let mut out = String::from("\n");
    for line in wrapped(&page.headline.plain(), width.saturating_sub(1)) {
        out += &format!(" {line}\n");
    }
    if let Some(map) = map {
        out += &format!("\n{}", map.text(width));
    }
    for answer in &page.answers {
        out += &format!("\n {}\n", answer.question);
        for line in wrapped(&answer.text.plain(), width.saturating_sub(3)) {
            out += &format!("   {line}\n");
        }
    }
    out
}

/// The components that a first look lists: those that the rule of thumb keeps, and the next one.
fn n_listed(summary: &Summary) -> usize {
    match summary.for_ninety {
        Some(k) => (k + 1).clamp(3, LISTED),
        None => LISTED,
    }
}

fn components(summary: &Summary) -> String {
    let shown = n_listed(summary);
    let largest = summary.axes.first().map_or(0.0, |axis| axis.share);
    let width = summary
        .axes
        .iter()
        .take(shown)
        .map(|axis| axis.name.len())
        .max()
        .unwrap_or(3);
    let mut out = format!(" {:width$}    share    total\n", "");
    for axis in summary.axes.iter().take(shown) {
        let line = format!(
            " {:width$}  {:>7}  {:>7}  {:<18}  {}",
            axis.name,
            percent(axis.share),
            percent(axis.cumulative),
            share_bar(axis.share, largest),
            axis.words
        );
        out += line.trim_end();
        out.push('\n');
    }
    out + &more(summary, shown)
}

/// How many components are not shown, without those that have no variance.
fn more(summary: &Summary, shown: usize) -> String {
    let varying = summary.axes.iter().filter(|axis| axis.share > 0.0).count();
    match varying > shown {
        true => format!(" … {} more\n", grouped((varying - shown) as u64)),
        false => String::new(),
    }
}

/// The bar of a share; the largest share fills the available width.
fn share_bar(share: f64, largest: f64) -> String {
    bar(if largest > 0.0 {
        share / largest * BAR
    } else {
        0.0
    })
}

fn sentence(fitted: &dyn Fitted, spectrum: &Spectrum, summary: &Summary) -> String {
    let Shown {
        place, is_centered, ..
    } = fitted.shown();
    if spectrum.total_variance() == 0.0 {
        return match is_centered {
            true => format!(" All rows are the same{place}: there is no variance to explain."),
            false => " All cells are zero: there is nothing to explain.".to_owned(),
        };
    }
    let of = match place {
        "" => String::new(),
        place => format!(" of the variance{place}"),
    };
    // A user who gave a number or a share of components reads about those; other users read about the rule of thumb.
    let asked = fitted.common().asked;
    let for_ninety = summary.for_ninety.filter(|_| asked == Keep::All);
    let mut out = match for_ninety {
        Some(k) => {
            let verb = if k == 1 { "keeps" } else { "keep" };
            let kept = summary.axes[k - 1].cumulative;
            format!(
                " {} {verb} {}{of} ({:.0} % rule).",
                counted(k, "component"),
                percent(kept),
                100.0 * RULE
            )
        }
        None => {
            let k = summary.axes.len();
            let verb = if k == 1 { "keeps" } else { "keep" };
            let kept = summary.axes.last().map_or(0.0, |axis| axis.cumulative);
            let asked = match asked {
                Keep::Share(RULE) => format!(" ({:.0} % rule)", 100.0 * RULE),
                Keep::Share(share) => format!(" ({} asked for)", percent(share)),
                _ => String::new(),
            };
            format!(
                " {} {verb} {}{of}{asked}.",
                counted(k, "component"),
                percent(kept)
            )
        }
    };
    if let Some(apart) = &summary.apart {
        out += &format!(
            " Farthest from the rest on {}: {} ({}, next is {}).",
            fitted.axis_name(0),
            apart.row,
            score(apart.score),
            score(apart.next)
        );
    }
    out
}

/// The plan of a fit, line by line.
///
/// `data` is the size of the table in memory; it is listed apart from the memory of the fit if it is large enough to matter.
pub fn plan(heading: &Heading, plan: &Plan, data: u64) -> String {
    const WORTH_SAYING: u64 = 1_000_000;
    let data = match data {
        0..WORTH_SAYING => String::new(),
        data => format!(", and {} for the data", bytes_words(data)),
    };
    let columns = counted(heading.n_cols, "numeric column");
    format!(
        "{}   {} × {columns}\n\n solver   {}\n reason   {}\n passes   {}\n memory   {}{data}\n flops    {}\n",
        heading.name,
        counted(heading.n_rows, "row"),
        plan.solver,
        plan.reason,
        plan.passes,
        bytes_words(plan.bytes),
        flops_words(plan.flops),
    )
}

/// The contents of a model: spectrum, loadings, facts, and how it was made.
pub fn describe(model: &ModelDescription) -> String {
    let (fitted, summary) = (&*model.fitted, &model.summary);
    let mut out = model.heading().line(&fitted.headline());
    out += "\n\n";
    if let Some(spectrum) = fitted.spectrum() {
        let shown = fitted.shown();
        let all = short(spectrum.total_variance() * shown.factor);
        let width = name_width(summary, DESCRIBED);
        out += &spectrum_table(fitted, summary, DESCRIBED);
        let wide = value_width(shown.heading);
        out += &format!(" {:<width$} {all:>wide$}\n\n", "all");
    }
    if let Some(directions) = fitted.directions() {
        out += &loadings(fitted, directions);
        out += "\n";
    }
    out += &facts(fitted);
    out + &origin_text(&model.origin)
}

/// The facts of a model, one per line: a word and a sentence.
fn facts(fitted: &dyn Fitted) -> String {
    let line = |(word, sentence)| format!(" {word:<9} {sentence}\n");
    let k = fitted.common().n_components;
    let map = fitted.map_measures();
    let map = map.map(|map| ("quality", format!("the {}", map.sentence(&map_words(k)))));
    fitted.facts().into_iter().chain(map).map(line).collect()
}

/// How a model was made.
fn origin_text(origin: &Origin) -> String {
    let mut out = String::new();
    if let Some(data) = &origin.data {
        out += &format!(" data      {data}\n");
    }
    if let Some(command) = &origin.command {
        out += &format!(" command   {command}\n");
    }
    out + &format!(" written   by eigenspan {}\n", origin.version)
}

/// `describe` lists at most this many components in full.
const DESCRIBED: usize = 20;

/// The width of the names of the components that are shown.
fn name_width(summary: &Summary, shown: usize) -> usize {
    let axes = summary.axes.iter().take(shown);
    axes.map(|axis| axis.name.len()).max().unwrap_or(0).max(5)
}

/// The width of the column of eigenvalues under this heading.
fn value_width(heading: &str) -> usize {
    heading.chars().count().max(12)
}

/// The first components with their eigenvalues; with bars if there are no words for their columns.
fn spectrum_table(fitted: &dyn Fitted, summary: &Summary, shown: usize) -> String {
    let Shown {
        heading, factor, ..
    } = fitted.shown();
    let width = name_width(summary, shown);
    let wide = value_width(heading);
    let mut out = format!(
        " {:<width$} {heading:>wide$} {:>9} {:>9} {:>10}\n",
        "", "share", "total", "residual"
    );
    let largest = summary.axes.first().map_or(0.0, |axis| axis.share);
    for axis in summary.axes.iter().take(shown) {
        let bar = match fitted.directions() {
            Some(_) => String::new(),
            None => share_bar(axis.share, largest),
        };
        let line = format!(
            " {:<width$} {:>wide$} {:>9} {:>9} {:>10}  {bar}",
            axis.name,
            short(axis.variance * factor),
            percent(axis.share),
            percent(axis.cumulative),
            at_most(axis.residual)
        );
        out += line.trim_end();
        out.push('\n');
    }
    out + &more(summary, shown)
}

/// The table of loadings has at most this many columns and components.
const LOADING_ROWS: usize = 30;
const LOADING_COLS: usize = 6;

fn loadings(fitted: &dyn Fitted, directions: &Mat<f64>) -> String {
    let names = fitted.column_names();
    let names: Vec<String> = names.iter().map(|name| shown(name)).collect();
    let (k, d) = (directions.n_rows().min(LOADING_COLS), directions.n_cols());
    let width = names
        .iter()
        .take(LOADING_ROWS)
        .map(|n| n.chars().count())
        .max()
        .unwrap_or(0)
        .max(8);
    let mut out = format!(" {:<width$}", "loadings");
    let axes: Vec<String> = (0..k).map(|i| fitted.axis_name(i)).collect();
    let wide = axes.iter().map(String::len).max().unwrap_or(0).max(8);
    for name in axes {
        out += &format!(" {name:>wide$}");
    }
    out.push('\n');
    for (j, name) in names.iter().enumerate().take(LOADING_ROWS) {
        out += &format!(" {name:<width$}");
        for i in 0..k {
            out += &format!(
                " {:>wide$}",
                format!("{:.4}", directions[(i, j)]).replace('-', "−")
            );
        }
        out.push('\n');
    }
    if d > LOADING_ROWS {
        out += &format!(" … {}\n", counted(d - LOADING_ROWS, "more column"));
    }
    out
}

/// A note with what acts on it, as far as the command has that option: `note: …`.
pub fn note(note: &Note, has: Has<'_>) -> String {
    let mut out = format!("note: {}", noted(note, has));
    if let Some(hint) = note.hint().filter(|hint| hint.settings().iter().all(has)) {
        out += &format!("\n      {} {}", crate::flag(&hint), hint.does);
    }
    out
}

/// How far rebuilt rows are from the points that their scores describe.
pub fn residuals(residuals: &Residuals) -> String {
    format!(
        "distance in feature space from the points that the scores describe: median {}, at most {} (row {})",
        short(residuals.median),
        short(residuals.largest),
        grouped(residuals.row as u64 + 1)
    )
}
