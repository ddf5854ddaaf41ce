//! Results as lines for a terminal: plain Unicode, aligned, readable without color.

pub mod denoise;
pub mod kernel;

use eigenspan::error::{bytes_words, counted, grouped};
use eigenspan::note::at_most;
use eigenspan::prepare::Scale;
use eigenspan::solve::{Keep, Plan};
use eigenspan::{Note, Pca, PcaOptions};
use eigenspan_io::model::Origin;

use crate::job::heading;
use crate::report::Report;
use crate::summary::{RULE, Summary, column_names};
use crate::words::{percent, score, short, shown, wrapped};

/// Width that lines aim for.
const WIDTH: usize = 100;
/// Components listed before the rest are only counted.
const LISTED: usize = 8;
/// Length of the longest bar.
const BAR: f64 = 18.0;

/// What a heading says about the data.
#[derive(Debug, Clone, Default)]
pub struct Heading {
    /// Name of the data or of the model file.
    pub name: String,
    /// Rows.
    pub n_rows: usize,
    /// Numeric columns in use.
    pub n_cols: usize,
    /// The column that names the rows.
    pub id: Option<String>,
}

/// The first look: heading, components as bars and words, a sentence, what to type next.
pub fn look(heading: &Heading, pca: &Pca, summary: &Summary, next: &[String]) -> String {
    let mut out = heading_line(heading, &how(&pca.parts().options));
    out += "\n\n";
    out += &components(summary);
    out += "\n";
    out += &sentence(pca, summary);
    if !next.is_empty() {
        out += &format!("\n\nnext:  {}\n", next.join("      "));
    } else {
        out.push('\n');
    }
    out
}

/// The report in a terminal: the components, a small map of the rows, and the page's answer to each question.
pub fn report(report: &Report, width: usize) -> String {
    let (fit, page) = (&report.fit, &report.page);
    let mut out = heading_line(&heading(&fit.table), &how(&fit.pca.parts().options));
    out += "\n\n";
    // Components without variance are no news.
    if fit.pca.spectrum().rank > 0 {
        out += &components(&fit.summary);
    }
    out.push('\n');
    for line in wrapped(&page.headline.plain(), width.saturating_sub(1)) {
        out += &format!(" {line}\n");
    }
    if let Some(map) = report.small_map(width) {
        out += &format!("\n{map}");
    }
    for answer in &page.answers {
        out += &format!("\n {}\n", answer.question);
        for line in wrapped(&answer.text.plain(), width.saturating_sub(3)) {
            out += &format!("   {line}\n");
        }
    }
    out
}

/// The data on the left, what was done with it on the right.
pub(crate) fn heading_line(heading: &Heading, right: &str) -> String {
    let columns = counted(heading.n_cols, "numeric column");
    let mut left = format!(
        "{}   {} × {columns}",
        heading.name,
        counted(heading.n_rows, "row")
    );
    if let Some(id) = &heading.id {
        left += &format!("   id: {}", shown(id));
    }
    let gap = WIDTH
        .saturating_sub(left.chars().count() + right.chars().count())
        .max(3);
    format!("{left}{}{right}", " ".repeat(gap))
}

/// `PCA, centered, not scaled`.
pub(crate) fn how(options: &PcaOptions) -> String {
    let center = if options.center {
        "centered"
    } else {
        "not centered"
    };
    let scale = match options.scale {
        Scale::None => "not scaled",
        Scale::Std => "scaled",
        Scale::Genotype => "scaled by allele frequency",
    };
    let whiten = if options.whiten { ", whitened" } else { "" };
    format!("PCA, {center}, {scale}{whiten}")
}

fn components(summary: &Summary) -> String {
    let shown = match summary.for_ninety {
        Some(k) => (k + 1).clamp(3, LISTED),
        None => LISTED,
    };
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

/// How many components are not shown; those without variance are no news.
fn more(summary: &Summary, shown: usize) -> String {
    let varying = summary.axes.iter().filter(|axis| axis.share > 0.0).count();
    match varying > shown {
        true => format!(" … {} more\n", grouped((varying - shown) as u64)),
        false => String::new(),
    }
}

/// The bar of a share, as long as there is room for the largest.
fn share_bar(share: f64, largest: f64) -> String {
    bar(if largest > 0.0 {
        share / largest * BAR
    } else {
        0.0
    })
}

/// A bar of so many characters, to an eighth.
pub(crate) fn bar(length: f64) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let eighths = (length * 8.0).round() as usize;
    "█".repeat(eighths / 8) + EIGHTHS[eighths % 8]
}

fn sentence(pca: &Pca, summary: &Summary) -> String {
    if pca.spectrum().total_variance() == 0.0 {
        return match pca.parts().options.center {
            true => " All rows are the same: there is no variance to explain.".to_owned(),
            false => " All cells are zero: there is nothing to explain.".to_owned(),
        };
    }
    // Who gave a number or a share of components hears of those; the rule of thumb is for who gave none.
    let asked = pca.parts().options.n_components;
    let for_ninety = summary.for_ninety.filter(|_| asked == Keep::All);
    let mut out = match for_ninety {
        Some(k) => {
            let verb = if k == 1 { "keeps" } else { "keep" };
            let kept = summary.axes[k - 1].cumulative;
            format!(
                " {} {verb} {} ({:.0} % rule).",
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
                " {} {verb} {}{asked}.",
                counted(k, "component"),
                percent(kept)
            )
        }
    };
    if let Some(apart) = &summary.apart {
        out += &format!(
            " Farthest from the rest on {}: {} ({}, next is {}).",
            pca.component_name(0),
            apart.row,
            score(apart.score),
            score(apart.next)
        );
    }
    out
}

/// What a plan would do, line by line.
///
/// `data` is what the table takes by itself; it is told from what the fit needs where it matters.
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

pub(crate) fn flops_words(flops: f64) -> String {
    const UNITS: [&str; 6] = [
        "",
        " thousand",
        " million",
        " billion",
        " trillion",
        " quadrillion",
    ];
    let step = if flops >= 1000.0 {
        (flops.log10() / 3.0).floor().min(5.0)
    } else {
        0.0
    };
    let value = flops / 1000f64.powf(step);
    let number = if value >= 10.0 || step == 0.0 {
        format!("{value:.0}")
    } else {
        format!("{value:.1}")
    };
    number + UNITS[step as usize]
}

/// What is in a model: spectrum, loadings, and how it came to be.
pub fn describe(heading: &Heading, pca: &Pca, summary: &Summary, origin: &Origin) -> String {
    let parts = pca.parts();
    let mut out = heading_line(heading, &how(&parts.options));
    out += "\n\n";
    out += &spectrum(pca, summary);
    out += "\n";
    out += &loadings(pca, summary);
    out += &format!(
        "\n solver    {}: {}\n",
        parts.plan.solver, parts.plan.reason
    );
    out += &format!(" proof     {}\n", certificate(pca));
    out + &told_origin(origin)
}

/// Where a model comes from.
fn told_origin(origin: &Origin) -> String {
    let mut out = String::new();
    if let Some(data) = &origin.data {
        out += &format!(" data      {data}\n");
    }
    if let Some(command) = &origin.command {
        out += &format!(" command   {command}\n");
    }
    out + &format!(" written   by eigenspan {}\n", origin.version)
}

/// How sure the numbers are: the largest residual and, where it is known, how far the span can be from the true one.
fn certificate(pca: &Pca) -> String {
    let spectrum = pca.spectrum();
    // Those after the rank have no eigenvalue that could be told from zero.
    let proven = spectrum.rank.min(spectrum.len());
    let residuals = spectrum.residuals.iter().take(proven);
    let worst = residuals.fold(0.0f64, |m, r| m.max(*r));
    let of = match proven < spectrum.len() {
        true => format!(" of the first {}", counted(proven, "component")),
        false => String::new(),
    };
    let mut out = format!(
        "every residual ‖Cv − λv‖ ÷ λ{of} is at most {}",
        at_most(worst)
    );
    if let Some(angle) = spectrum.angle.filter(|_| pca.n_components() < pca.n_cols()) {
        out += &format!(
            "; the span is within {}° of the true one",
            at_most(angle.to_degrees())
        );
    }
    out
}

/// Components listed in full by `describe`.
const DESCRIBED: usize = 20;

fn spectrum(pca: &Pca, summary: &Summary) -> String {
    let axes = summary.axes.iter().take(DESCRIBED);
    let width = axes.clone().map(|axis| axis.name.len()).max().unwrap_or(0);
    let width = width.max(5);
    let mut out = format!(
        " {:<width$} {:>12} {:>9} {:>9} {:>10}\n",
        "",
        if pca.parts().options.center {
            "variance"
        } else {
            "mean square"
        },
        "share",
        "total",
        "residual"
    );
    for axis in axes {
        out += &format!(
            " {:<width$} {:>12} {:>9} {:>9} {:>10}\n",
            axis.name,
            short(axis.variance),
            percent(axis.share),
            percent(axis.cumulative),
            at_most(axis.residual)
        );
    }
    if summary.axes.len() > DESCRIBED {
        out += &format!(
            " … {} more\n",
            grouped((summary.axes.len() - DESCRIBED) as u64)
        );
    }
    out + &format!(
        " {:<width$} {:>12}\n",
        "all",
        short(pca.spectrum().total_variance())
    )
}

/// Columns and components of the table of loadings, at most.
const LOADING_ROWS: usize = 30;
const LOADING_COLS: usize = 6;

fn loadings(pca: &Pca, summary: &Summary) -> String {
    let names: Vec<String> = column_names(pca).iter().map(|name| shown(name)).collect();
    let (k, d) = (pca.n_components().min(LOADING_COLS), pca.n_cols());
    let width = names
        .iter()
        .take(LOADING_ROWS)
        .map(|n| n.chars().count())
        .max()
        .unwrap_or(0)
        .max(8);
    let mut out = format!(" {:<width$}", "loadings");
    let axes = summary.axes.iter().take(k);
    let wide = axes.clone().map(|axis| axis.name.len()).max().unwrap_or(0);
    let wide = wide.max(8);
    for axis in axes {
        out += &format!(" {:>wide$}", axis.name);
    }
    out.push('\n');
    for (j, name) in names.iter().enumerate().take(LOADING_ROWS) {
        out += &format!(" {name:<width$}");
        for i in 0..k {
            out += &format!(
                " {:>wide$}",
                format!("{:.4}", pca.components()[(i, j)]).replace('-', "−")
            );
        }
        out.push('\n');
    }
    if d > LOADING_ROWS {
        out += &format!(" … {}\n", counted(d - LOADING_ROWS, "more column"));
    }
    out
}

/// A note with the option that acts on it: `note: …`.
pub fn note(note: &Note) -> String {
    let mut out = format!("note: {note}");
    if let Some(hint) = note.hint() {
        out += &format!("\n      {} {}", crate::flag(&hint), hint.does);
    }
    out
}
