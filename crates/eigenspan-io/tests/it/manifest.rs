//! Every CSV, TSV, NPY, NPZ, MTX, Parquet and Arrow file of the collection of tricky inputs ends in one of the outcomes its
//! manifest allows.
//!
//! The collection is `tests/badinput`. Its few large files (archives that unpack to a gigabyte, a million commas) are made
//! here.

use std::path::Path;

use eigenspan::Context;
use eigenspan_io::{Input, ReadOptions, open};
use regex::Regex;
use serde_json::Value;

use super::{Folder, notes, repository, said};

#[path = "../../../../tests/badinput/large.rs"]
mod large;

/// Formats whose files are read.
const FORMATS: [&str; 7] = ["csv", "tsv", "npy", "npz", "mtx", "parquet", "arrow"];

/// Files whose refusal is the core's: variance needs two rows, NaN and overflow are found by the summary.
const LEFT_TO_THE_CORE: [&str; 7] = [
    "csv/one_row_no_header.csv",
    "csv/overflow_squares.csv",
    "npy/one_row.npy",
    "npy/nan.npy",
    "npy/inf.npy",
    "parquet/nan.parquet",
    "parquet/ragged_list.parquet",
];

#[test]
fn every_tricky_file_ends_as_the_manifest_allows() {
    let collection = repository("tests/badinput");
    let manifest = std::fs::read_to_string(collection.join("manifest.json")).expect("a manifest");
    let manifest: Vec<Value> = serde_json::from_str(&manifest).expect("a manifest in JSON");
    let made = Folder::new();
    let (mut seen, mut failures) = (0, Vec::new());
    for entry in &manifest {
        let file = entry["file"].as_str().unwrap_or_default();
        let format = entry["format"].as_str().unwrap_or_default();
        if !FORMATS.contains(&format) || LEFT_TO_THE_CORE.contains(&file) {
            continue;
        }
        let path = if large::NAMES.contains(&file) {
            large::write(file, &made.path(""));
            made.path(file)
        } else {
            collection.join("files").join(file)
        };
        if let Err(found) = check(&path, &entry["outcomes"]) {
            failures.push(format!("{file}: {found}"));
        }
        seen += 1;
    }
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
    assert!(seen >= 144, "only {seen} files");
}

fn check(path: &Path, outcomes: &Value) -> Result<(), String> {
    let context = Context::new().with_memory(600 << 20);
    let result = open(&Input::new(path), &ReadOptions::default(), &context);
    let outcomes = outcomes.as_array().expect("a list of outcomes");
    let fits = |pattern: &Value, text: &str| {
        let pattern = pattern.as_str().unwrap_or_default();
        Regex::new(pattern).expect("a pattern").is_match(text)
    };
    match result {
        Err(error) => {
            let text = said(&error);
            let allowed = outcomes.iter().any(|outcome| {
                let patterns = outcome["stderr"].as_array();
                patterns.is_some_and(|all| all.iter().all(|pattern| fits(pattern, &text)))
            });
            allowed.then_some(()).ok_or(text)
        }
        Ok(table) => {
            // Missing cells are the method's to deal with: the refusal is ready, should it not.
            let missing = table.missing().map(|missing| said(&missing.error()));
            let notes = notes(&table);
            let allowed = outcomes.iter().any(|outcome| {
                if let Some(patterns) = outcome["stderr"].as_array() {
                    let text = missing.as_deref().unwrap_or_default();
                    return patterns.iter().all(|pattern| fits(pattern, text));
                }
                let same = |key: &str, count: usize| {
                    outcome[key].is_null() || outcome[key].as_u64() == Some(count as u64)
                };
                let named = match outcome["names"].as_array() {
                    Some(names) => table
                        .columns()
                        .iter()
                        .eq(names.iter().filter_map(Value::as_str)),
                    None => true,
                };
                let warned = outcome["warn"].is_null() || fits(&outcome["warn"], &notes);
                same("n", table.n_rows())
                    && same("d", table.columns().len())
                    && named
                    && warned
                    && missing.is_none()
            });
            allowed.then_some(()).ok_or_else(|| {
                format!(
                    "read as {} × {} {:?}, notes: {notes}",
                    table.n_rows(),
                    table.columns().len(),
                    table.columns()
                )
            })
        }
    }
}
