//! A collection of bad and tricky files, each with the outcomes that are acceptable.
//!
//! The collection is `tests/badinput`. Its few large files (archives that unpack to a gigabyte, a million commas) are made
//! here.

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use regex::Regex;
use serde_json::Value;

use crate::support::{Run, Sandbox, data, listing, workspace};

#[path = "../../../../tests/badinput/large.rs"]
mod large;

/// The files of some formats, and what may come of each. Large ones are written below the folder.
fn collection(formats: &[&str], made: &Path) -> Vec<(PathBuf, Value)> {
    let folder = workspace().join("tests/badinput");
    let manifest = std::fs::read_to_string(folder.join("manifest.json")).expect("a manifest");
    let mut entries: Vec<Value> = serde_json::from_str(&manifest).expect("a list of entries");
    entries.retain(|entry| formats.contains(&text(entry, "format")));
    let place = |entry: Value| {
        let file = text(&entry, "file");
        let path = if large::NAMES.contains(&file) {
            large::write(file, made);
            made.join(file)
        } else {
            folder.join("files").join(file)
        };
        (path, entry)
    };
    entries.into_iter().map(place).collect()
}

/// Runs the entries of some formats, two at a time, and reports all that fail at once.
fn check(formats: &[&str], test: impl Fn(&Path, &Value) -> Result<(), String> + Sync) {
    let made = Sandbox::new();
    let entries = collection(formats, &made.path(""));
    assert!(entries.len() > 10, "few files");
    let queue = Mutex::new(entries.iter());
    let faults = Mutex::new(Vec::new());
    let work = || {
        loop {
            let Some((path, entry)) = queue.lock().expect("no panic").next() else {
                return;
            };
            let file = text(entry, "file");
            if let Err(fault) = test(path, entry) {
                let line = format!("{file} ({}): {fault}", text(entry, "why"));
                faults.lock().expect("no panic").push(line);
            }
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(work);
        scope.spawn(work);
    });
    let mut faults = faults.into_inner().expect("no panic");
    faults.sort();
    assert!(
        faults.is_empty(),
        "{} entries fail:\n{}",
        faults.len(),
        faults.join("\n")
    );
    assert!(
        !Path::new("/tmp/eigenspan_pwned").exists(),
        "code from a file was run"
    );
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

/// Whether one of the outcomes listed came true.
fn judge(entry: &Value, run: &Run, files_left: usize) -> Result<(), String> {
    if run.err.contains("panicked") || run.err.contains("backtrace") {
        return Err(format!("it crashed: {}", run.err));
    }
    let outcomes = entry["outcomes"].as_array().expect("outcomes");
    let mut reasons = Vec::new();
    for outcome in outcomes {
        let fault = match text(outcome, "kind") {
            "error" => refused(outcome, run, files_left),
            _ => accepted(outcome, run),
        };
        match fault {
            None => return Ok(()),
            Some(reason) => reasons.push(reason),
        }
    }
    Err(format!(
        "{}; exit {:?}; {}",
        reasons.join(" | "),
        run.code,
        run.err.trim()
    ))
}

fn refused(outcome: &Value, run: &Run, files_left: usize) -> Option<String> {
    if run.code != Some(2) {
        return Some("not refused".to_owned());
    }
    if files_left > 0 {
        return Some("a file was left behind".to_owned());
    }
    if run.err.lines().filter(|l| l.starts_with("error: ")).count() != 1 {
        return Some("not one error".to_owned());
    }
    let patterns = outcome["stderr"].as_array().expect("patterns");
    let unmatched = patterns
        .iter()
        .filter_map(Value::as_str)
        .find(|pattern| !matches(pattern, &run.err));
    unmatched.map(|pattern| format!("the error does not match {pattern}"))
}

fn accepted(outcome: &Value, run: &Run) -> Option<String> {
    if run.code != Some(0) {
        return Some("not accepted".to_owned());
    }
    let found = run.json();
    for (wanted, key) in [("n", "n_rows"), ("d", "n_cols"), ("names", "columns")] {
        if !outcome[wanted].is_null() && outcome[wanted] != found[key] {
            return Some(format!("{key} is {}, not {}", found[key], outcome[wanted]));
        }
    }
    if let Some(wanted) = outcome["eigenvalues"].as_array() {
        let rtol = outcome["rtol"].as_f64().expect("a tolerance");
        let first = wanted.first().and_then(Value::as_f64).unwrap_or_default();
        for (i, wanted) in wanted.iter().filter_map(Value::as_f64).enumerate() {
            // A component that was not kept has no variance; zero is meant relative to the first.
            let got = found["explained_variance"][i].as_f64().unwrap_or_default();
            let size = if wanted == 0.0 { first } else { wanted };
            if (got - wanted).abs() > rtol * size.abs() {
                return Some(format!("eigenvalue {} is {got}, not {wanted}", i + 1));
            }
        }
    }
    let notes = format!("{}\n{}", found["notes"], run.err);
    match outcome["warn"].as_str() {
        Some(pattern) if !matches(pattern, &notes) => Some(format!("no note matches {pattern}")),
        _ => None,
    }
}

fn matches(pattern: &str, text: &str) -> bool {
    Regex::new(pattern).expect("a pattern").is_match(text)
}

fn fit(file: &Path) -> (Run, usize) {
    fit_with(file, &[])
}

fn fit_with(file: &Path, further: &[&str]) -> (Run, usize) {
    let sandbox = Sandbox::new();
    let file = file.to_str().expect("a name in UTF-8");
    let mut words = vec![
        "fit",
        "pca",
        file,
        "-k",
        "all",
        "--json",
        "-o",
        "scores.csv",
    ];
    words.extend(further);
    let run = sandbox.run(&words);
    (run, sandbox.listing().len())
}

#[test]
fn files_of_every_kind_are_read_rightly_or_refused_with_the_reason() {
    let formats = ["csv", "tsv", "npy", "npz", "mtx", "parquet", "arrow"];
    check(&formats, |file, entry| {
        let (run, files_left) = fit(file);
        judge(entry, &run, files_left)
    });
}

#[test]
fn pictures_of_every_kind_are_cut_into_patches_or_refused_with_the_reason() {
    check(&["png"], |file, entry| {
        let (run, files_left) = fit_with(file, &["--patch", "12"]);
        judge(entry, &run, files_left)
    });
}

#[test]
fn rubbish_is_never_taken_for_a_model() {
    check(&["model"], |file, entry| {
        let sandbox = Sandbox::new();
        let (file, rows) = (file.to_str().expect("UTF-8"), data("iris"));
        let rows = rows.to_str().expect("UTF-8");
        // What is no model could be data; a name says which is meant.
        let name = std::path::Path::new(file).file_name().expect("a name");
        let named = &format!("{}.safetensors", name.to_string_lossy());
        sandbox.write(named, std::fs::read(file).expect("a file"));
        let files_before = sandbox.listing().len();
        for words in [
            vec!["describe", named],
            vec!["describe", named, "--json"],
            vec!["transform", file, rows, "-o", "scores.csv"],
            vec!["inverse", file, rows, "-o", "rows.csv"],
        ] {
            let run = sandbox.run(&words);
            judge(entry, &run, sandbox.listing().len() - files_before)
                .map_err(|fault| format!("{}: {fault}", words[0]))?;
        }
        Ok(())
    });
}

#[test]
fn a_name_that_begins_with_a_dash_is_read_from_its_folder() {
    let folder = workspace().join("tests/badinput/files/csv");
    let sandbox = Sandbox::new();
    let words = ["fit", "pca", "--json", "--", "-dash.csv"];
    let run = Run::command(sandbox.command(&words).current_dir(folder), &words);
    assert_eq!(run.code, Some(0), "{run:#?}");
    assert_eq!(run.json()["n_rows"], 6);
    assert!(listing(sandbox.path("").as_path()).is_empty());
}
