//! What every reader of named columns does in the same way: makes names unique, and checks whether a column of texts can name
//! the rows.

use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::Hasher;

use eigenspan::note::listed;
use eigenspan::{Context, Note};
use rayon::prelude::*;

use crate::error::ReadError;
use crate::parallel::try_each;

/// The most rows for which we check whether every row has a different text.
pub(crate) const MOST_IDS: usize = 4 << 20;

/// A hash of a text, to compare texts for equality.
pub(crate) fn hash(text: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(text);
    hasher.finish()
}

/// Whether all texts differ, judged by their hashes in all parts.
pub(crate) fn all_differ(
    n_parts: usize,
    hashes: impl Fn(usize) -> Result<Vec<u64>, ReadError> + Send + Sync,
    ctx: &Context,
) -> Result<bool, ReadError> {
    let mut all = try_each(ctx, n_parts, hashes)?.concat();
    ctx.install(|| all.par_sort_unstable());
    Ok(all.windows(2).all(|pair| pair[0] != pair[1]))
}

/// Makes column names unique: a column without a name gets its number, a second `a` becomes `a_2`.
pub(crate) fn unique_names(given: &[String], notes: &mut Vec<Note>) -> (Vec<String>, Vec<bool>) {
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
        notes.push(Note::reading(format!(
            "duplicate column names were renamed: {}",
            listed(&renamed)
        )));
    }
    (names, unnamed)
}
