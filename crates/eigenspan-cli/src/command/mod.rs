//! One file per command: arguments → job → run → print.

pub(crate) mod choose;
pub(crate) mod denoise;
pub(crate) mod describe;
pub(crate) mod fit;
pub(crate) mod look;
pub(crate) mod manual;
pub(crate) mod plan;
pub(crate) mod plot;
pub(crate) mod project;
pub(crate) mod report;
pub(crate) mod tune;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use eigenspan_report::JobError;

use crate::args::examples;
use crate::console;

/// What the program prints when nothing is asked of it, around the examples.
const TITLE: &str = "eigenspan: high-dimensional data in few dimensions";
const MORE: &str =
    "All options: eigenspan --help, eigenspan fit pca --help, eigenspan fit kpca --help";

/// What the program prints when nothing is asked of it.
pub(crate) fn welcome() -> Result<(), JobError> {
    let examples = examples::ALL.trim_start_matches("Examples:\n");
    let examples = examples.split("\n\n").next().unwrap_or_default();
    console::print(&format!("{TITLE}\n\n{examples}\n\n{MORE}\n"))
}

/// The command line as it could be typed again.
pub(crate) fn command_line() -> String {
    // Names need not be UTF-8; what is not shows as a mark, which is better than no analysis.
    let words = std::env::args_os().skip(1);
    let words = words.map(|word| quoted(&word.to_string_lossy()));
    std::iter::once("eigenspan".to_owned())
        .chain(words)
        .collect::<Vec<_>>()
        .join(" ")
}

/// The words as typed, with two of them in each other's place.
pub(crate) fn swapped(one: &Path, other: &Path) -> Vec<String> {
    let swap = |word: OsString| match word {
        word if word == one.as_os_str() => other.display().to_string(),
        word if word == other.as_os_str() => one.display().to_string(),
        word => word.to_string_lossy().into_owned(),
    };
    std::env::args_os().skip(1).map(swap).collect()
}

/// The options of a look or a choice as they were typed, a blank before each word, apart from those that other commands get anew:
/// the data, the number of components, and how to print.
pub(crate) fn options_as_typed(data: &[PathBuf]) -> String {
    let mut options = String::new();
    let mut words = std::env::args_os().skip(1);
    let mut named = vec![OsString::from("look"), OsString::from("choose")];
    named.extend(data.iter().map(|path| path.as_os_str().to_owned()));
    while let Some(word) = words.next() {
        if let Some(place) = named.iter().position(|name| *name == word) {
            named.remove(place);
            continue;
        }
        match &*word.to_string_lossy() {
            "-k" | "--n-components" => drop(words.next()),
            word if is_for_rules(word) => {
                if !word.contains('=') {
                    words.next();
                }
            }
            "--json" | "-q" | "--quiet" | "--verbose" | "--" => {}
            word if word.starts_with("-k") || word.starts_with("--n-components=") => {}
            word => options += &format!(" {}", quoted(word)),
        }
    }
    options
}

/// Whether an option speaks to the rules for the number of components, whom other commands do not ask.
fn is_for_rules(word: &str) -> bool {
    const OPTIONS: [&str; 6] = [
        "--share",
        "--n-draws",
        "--quantile",
        "--n-folds",
        "--n-splits",
        "--max-rows",
    ];
    OPTIONS.contains(&word.split('=').next().unwrap_or(word))
}

/// A word as a shell needs it.
pub(crate) fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "_./+:%@,=-".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}
