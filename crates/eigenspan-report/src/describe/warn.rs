//! Warnings to read before fitting anything.

use std::collections::HashMap;

use eigenspan::Note;
use eigenspan::error::{counted, grouped};
use eigenspan::note::{Advice, Clause, listed, rounded};
use eigenspan::prepare::dominating;

use super::{Column, ColumnKind, Description, NumberColumn, Warning};
use crate::words::{percent, shown};

/// From this share of missing cells on, a column gets a warning.
const HEAVY: f64 = 0.3;

pub(super) fn warnings(
    description: &Description,
    duplicates: Option<(usize, Option<usize>)>,
) -> Vec<Warning> {
    let numeric: Vec<(&Column, &NumberColumn)> = description
        .columns
        .iter()
        .filter_map(|column| Some((column, column.numbers.as_ref()?)))
        .collect();
    let mut out = Vec::new();
    out.extend(constant(&numeric));
    out.extend(missing(description));
    out.extend(repeated_rows(duplicates));
    out.extend(same_columns(&numeric));
    out.extend(infinite(&numeric));
    let mut notes = description.notes.iter();
    let said = notes.any(|note| matches!(note, Note::BeyondExact { .. }));
    out.extend(beyond_exact(&numeric).filter(|_| !said));
    out.into_iter().map(Warning::from).collect()
}

/// Warnings that a fit would also give: columns on unlike scales, and columns that are not measurements.
pub(super) fn before_fit(description: &Description, suspects: &[Note]) -> Vec<Warning> {
    let advised = |note: &Note| Warning {
        text: note.to_string(),
        advice: note.hint().map(Advice::from).unwrap_or_default(),
    };
    let no_measurements: Vec<&String> = suspects
        .iter()
        .filter_map(|note| match note {
            Note::NotMeasured { columns, .. } => Some(columns),
            _ => None,
        })
        .flatten()
        .collect();
    let scales = unlike_scales(description, &no_measurements).into_iter();
    scales.chain(suspects.iter().map(advised)).collect()
}

fn verb<'a>(names: &[String], one: &'a str, many: &'a str) -> &'a str {
    if names.len() == 1 { one } else { many }
}

fn names<'a>(columns: impl Iterator<Item = &'a Column>) -> Vec<String> {
    columns.map(|column| shown(&column.name)).collect()
}

fn constant(numeric: &[(&Column, &NumberColumn)]) -> Option<String> {
    let constant = |(column, numbers): &&(&Column, &NumberColumn)| {
        // Large integers that seem equal may differ in digits that a 64-bit float loses.
        let same = numbers.min == numbers.max && !numbers.beyond_exact;
        column.count > 1 && same && numbers.infinite == 0
    };
    let names = names(numeric.iter().filter(constant).map(|(column, _)| *column));
    let (is, say) = (verb(&names, "is", "are"), verb(&names, "says", "say"));
    (!names.is_empty()).then(|| format!("{} {is} constant and {say} nothing", listed(&names)))
}

/// Before a fit, a column's weight is its share of the total variance.
fn unlike_scales(description: &Description, no_measurements: &[&String]) -> Option<Warning> {
    let spread = |column: &Column| Some(column.numbers.as_ref()?.sd?.powi(2));
    let measured = |column: &&Column| !no_measurements.contains(&&shown(&column.name));
    let columns = description.columns.iter().filter(measured);
    let (names, variances): (Vec<&str>, Vec<f64>) = columns
        .filter_map(|column| Some((column.name.as_str(), spread(column)?)))
        .unzip();
    let total: f64 = variances.iter().sum();
    let shares: Vec<f64> = variances.iter().map(|variance| variance / total).collect();
    let found = dominating(&variances, &shares)?;
    let large: Vec<String> = found.columns.iter().map(|&j| shown(names[j])).collect();
    let text = format!(
        "the variance of {} is {} times that of {}, and {} {} of the variance of all columns: a PCA will see little else",
        shown(names[found.largest]),
        rounded(found.ratio),
        shown(names[found.smallest]),
        match large.as_slice() {
            [one] => format!("{one} has"),
            many => format!("{} have", listed(many)),
        },
        percent(found.weight),
    );
    let scale = Clause::set("scale", "std").then(" brings every column to variance 1");
    Some(Warning {
        text,
        advice: scale.into(),
    })
}

fn missing(description: &Description) -> Option<String> {
    let n = description.n_rows.max(1) as f64;
    let share = |column: &Column| column.missing as f64 / n;
    let heavy = |column: &&Column| share(column) > HEAVY && column.kind != ColumnKind::Empty;
    let all: Vec<&Column> = description.columns.iter().filter(heavy).collect();
    let words: Vec<String> = all
        .iter()
        .map(|column| format!("{} ({})", shown(&column.name), percent(share(column))))
        .collect();
    let lack = verb(&words, "lacks", "lack");
    (!words.is_empty()).then(|| format!("{} {lack} many cells", listed(&words)))
}

fn repeated_rows(duplicates: Option<(usize, Option<usize>)>) -> Option<String> {
    let Some((count, first)) = duplicates else {
        return Some("too many rows to look for repeated ones".to_owned());
    };
    let repeat = if count == 1 { "repeats" } else { "repeat" };
    first.map(|first| match count {
        1 => format!("row {} {repeat} an earlier one", grouped(first as u64 + 1)),
        _ => format!(
            "{} {repeat} earlier ones (the first is row {})",
            counted(count, "row"),
            grouped(first as u64 + 1)
        ),
    })
}

fn same_columns(numeric: &[(&Column, &NumberColumn)]) -> Option<String> {
    let mut first: HashMap<u64, &Column> = HashMap::new();
    let mut pairs = Vec::new();
    for (column, numbers) in numeric.iter().filter(|(column, _)| column.count > 0) {
        match first.get(&numbers.fingerprint) {
            Some(known) => {
                pairs.push(format!("{} = {}", shown(&column.name), shown(&known.name)));
            }
            None => {
                first.insert(numbers.fingerprint, column);
            }
        }
    }
    (!pairs.is_empty()).then(|| format!("columns that hold the same: {}", listed(&pairs)))
}

fn infinite(numeric: &[(&Column, &NumberColumn)]) -> Option<String> {
    let infinite = |(_, numbers): &&(&Column, &NumberColumn)| numbers.infinite > 0;
    let names = names(numeric.iter().filter(infinite).map(|(column, _)| *column));
    let count: u64 = numeric.iter().map(|(_, numbers)| numbers.infinite).sum();
    (count > 0).then(|| {
        let cells = counted(count as usize, "infinite cell");
        format!("{cells} in {}", listed(&names))
    })
}

fn beyond_exact(numeric: &[(&Column, &NumberColumn)]) -> Option<String> {
    let beyond = |(column, numbers): &&(&Column, &NumberColumn)| {
        numbers.beyond_exact && column.kind == ColumnKind::Integer
    };
    let names = names(numeric.iter().filter(beyond).map(|(column, _)| *column));
    let hold = verb(&names, "holds", "hold");
    (!names.is_empty()).then(|| {
        format!(
            "{} {hold} integers beyond 2^53, where not every integer is exact",
            listed(&names)
        )
    })
}
