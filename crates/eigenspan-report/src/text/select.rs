//! A selection of columns as a table for a terminal: every column, what became of it and why, and what that costs.

use eigenspan::error::counted;
use eigenspan::method::{ColumnFate, Fate, Fitted, Rule, Selection};

use crate::heading::Heading;
use crate::words::{percent, short, shown};

/// At most this many columns are listed.
const LISTED: usize = 60;

/// The heading, the table of columns, and what the kept ones explain.
pub fn selection(heading: &Heading, model: &Selection) -> String {
    let columns = model.columns();
    let names: Vec<String> = columns.iter().map(|column| shown(&column.name)).collect();
    let listed = || names.iter().take(LISTED);
    let width = listed()
        .map(|name| name.chars().count())
        .max()
        .unwrap_or(0)
        .max(6);
    let score = model.options().by.score_name();
    let mut out = heading.line(&model.headline());
    out += &format!(
        "\n\n {:width$}  {score:>11}           {:>8} {:>8}\n",
        "column", "R²", "costs"
    );
    for (name, column) in listed().zip(&columns) {
        let gap = " ".repeat(width - name.chars().count());
        let line = match column.fate {
            Fate::Kept => format!(" {name}{gap}  {:>11}  kept", scored(model, column)),
            _ => format!(
                " {name}{gap}  {:>11}  dropped  {:>8} {:>8}  {}",
                scored(model, column),
                percent(column.determined),
                percent(column.share_lost),
                why(model, column)
            ),
        };
        out += line.trim_end();
        out.push('\n');
    }
    if columns.len() > LISTED {
        out += &format!(" … {}\n", counted(columns.len() - LISTED, "more column"));
    }
    let kept = model.kept().len();
    let verb = if kept == 1 { "explains" } else { "explain" };
    out + &format!(
        "\n {} of {} {verb} {} of the {}.\n R²: how much of a dropped column linear regression on the kept ones predicts; costs: the rest, as a share of the total.\n",
        kept,
        counted(columns.len(), "column"),
        percent(model.explained()),
        model.variance_words()
    )
}

/// The score of a column: what it added to the share explained, or the number that the rule compares.
fn scored(model: &Selection, column: &ColumnFate) -> String {
    match (model.options().by, column.fate, column.score) {
        (Rule::PrincipalFeatures, Fate::Kept, x) => percent(x),
        (Rule::PrincipalFeatures, _, _) => String::new(),
        (_, _, x) if x.is_nan() => "none".to_owned(),
        (_, _, x) if x.is_infinite() => "infinite".to_owned(),
        (_, _, x) => short(x),
    }
}

/// Why a column was dropped.
fn why(model: &Selection, column: &ColumnFate) -> String {
    match (column.fate, &column.with) {
        (Fate::Kept, _) => String::new(),
        (Fate::Constant, _) => "it is constant".to_owned(),
        (Fate::BelowThreshold, _) => {
            let limit = model.options().threshold.unwrap_or_default();
            format!("{} is not above {limit}", model.options().by.score_name())
        }
        (Fate::Correlated { correlation, .. }, with) => format!(
            "r = {} with {}",
            format!("{correlation:.3}").replace('-', "−"),
            shown(with.as_deref().unwrap_or_default())
        ),
        (Fate::NotNeeded, _) => "others come first".to_owned(),
    }
}
