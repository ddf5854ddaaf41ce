//! What every reader says about columns in the same words: names that are unique, and why some are set aside.

use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::Hasher;

use eigenspan::Context;
use eigenspan::note::listed;
use rayon::prelude::*;

use crate::error::{ReadError, quoted_word};
use crate::table::{IdColumn, SetAside, Why};

/// Rows up to which it is checked whether a column of texts tells them apart.
pub(crate) const MOST_IDS: usize = 4 << 20;

/// What stands for a text where only sameness matters.
pub(crate) fn hash(text: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(text);
    hasher.finish()
}

/// Whether no two texts are alike, by their hashes in all parts.
pub(crate) fn all_differ(
    n_parts: usize,
    hashes: impl Fn(usize) -> Result<Vec<u64>, ReadError> + Send + Sync,
    ctx: &Context,
) -> Result<bool, ReadError> {
    let parts: Result<Vec<Vec<u64>>, ReadError> =
        ctx.install(|| (0..n_parts).into_par_iter().map(hashes).collect());
    let mut all = parts?.concat();
    ctx.install(|| all.par_sort_unstable());
    Ok(all.windows(2).all(|pair| pair[0] != pair[1]))
}

/// The note about an id column that was found rather than given.
pub(crate) fn id_note(id: &IdColumn) -> Option<String> {
    id.guessed.then(|| {
        format!(
            "id: {} (its texts are all different; --id-column takes another)",
            id.name
        )
    })
}

/// The note about columns that were set aside for what they hold: dates, nothing, or values within values.
pub(crate) fn aside_note(names: &[String], why: Why) -> Option<String> {
    let (one, many) = match why {
        Why::Dates => ("holds dates", "hold dates"),
        Why::Empty => ("is empty", "are empty"),
        Why::Nested => ("holds no single values", "hold no single values"),
        Why::Text | Why::RowNumbers => return None,
    };
    match names {
        [] => None,
        [name] => Some(format!("column {name:?} {one}: set aside")),
        names => Some(format!("columns {} {many}: set aside", listed(names))),
    }
}

/// The note about columns of text that nobody asked for.
pub(crate) fn text_note(set_aside: &[SetAside]) -> Option<String> {
    let names: Vec<String> = set_aside
        .iter()
        .filter(|column| column.why == Why::Text)
        .map(|column| column.name.clone())
        .collect();
    let verb = match names.len() {
        0 => return None,
        1 => "is",
        _ => "are",
    };
    let keep = if names.len() <= 6 {
        names
            .iter()
            .map(|name| quoted_word(name))
            .collect::<Vec<_>>()
            .join(",")
    } else {
        "NAME".to_owned()
    };
    let it = if names.len() == 1 { "it" } else { "them" };
    Some(format!(
        "{} {verb} text: set aside (to keep {it} in the scores file: --keep {keep})",
        listed(&names)
    ))
}

/// Names as they are used: a column without one gets its number, a second `a` becomes `a_2`.
pub(crate) fn unique_names(given: &[String], notes: &mut Vec<String>) -> (Vec<String>, Vec<bool>) {
    let unnamed: Vec<bool> = given.iter().map(String::is_empty).collect();
    let mut taken: HashMap<String, usize> = HashMap::with_capacity(given.len());
    for name in given {
        *taken.entry(name.clone()).or_default() += 1;
    }
    let mut renamed: Vec<String> = Vec::new();
    let mut seen: HashMap<&str, usize> = HashMap::with_capacity(given.len());
    let mut names = Vec::with_capacity(given.len());
    for (col, name) in given.iter().enumerate() {
        let times = seen.entry(name).or_default();
        *times += 1;
        let mut number = *times;
        let mut unique = match name.is_empty() {
            true => (col + 1).to_string(),
            false if number == 1 => name.clone(),
            false => format!("{name}_{number}"),
        };
        while (name.is_empty() || number > 1) && taken.contains_key(&unique) {
            number += 1;
            unique = format!("{name}_{number}");
        }
        if !name.is_empty() && unique != *name {
            renamed.push(format!("{name} → {unique}"));
        }
        *taken.entry(unique.clone()).or_default() += 1;
        names.push(unique);
    }
    if !renamed.is_empty() {
        notes.push(format!(
            "duplicate column names were renamed: {}",
            listed(&renamed)
        ));
    }
    (names, unnamed)
}
