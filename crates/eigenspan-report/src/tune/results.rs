//! The results file of a search: the first line describes the search, and each further line is one finished fit, so that a
//! stopped search can continue.
//!
//! Lines are JSON objects. Each is written in one piece; a last line without a line end is left over from a crash and is cut
//! off.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use eigenspan::Error;
use eigenspan::evaluate::{Outcome, Tuner};
use eigenspan::note::{Clause, Setting};
use eigenspan_io::{ReadError, WriteError, write_atomically};
use serde_json::{Value, json};

use crate::JobError;

/// The version of the file's format.
const FORMAT: u64 = 2;

/// A results file that is open for writing.
#[derive(Debug)]
pub(super) struct Results {
    path: PathBuf,
    file: Mutex<File>,
}

impl Results {
    /// Opens or creates the file, and returns the results that it already has.
    pub(super) fn open(path: &Path, tuner: &Tuner) -> Result<(Self, Vec<Outcome>), JobError> {
        let name = path.display().to_string();
        let expected = head(tuner);
        let there = match fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(error) if error.kind() == std::io::ErrorKind::InvalidData => {
                return Err(foreign(&name));
            }
            Err(source) => return Err(WriteError::Io { file: name, source }.into()),
        };
        let known = match there.split_once('\n') {
            None if there.is_empty() => {
                write_atomically(path, |file| writeln!(file, "{expected}"))?;
                Vec::new()
            }
            None => return Err(foreign(&name)),
            Some((first, rest)) => {
                compare(&name, first, &expected)?;
                read_outcomes(&name, rest)?
            }
        };
        let failed = |source| WriteError::Io {
            file: name.clone(),
            source,
        };
        let file = OpenOptions::new().append(true).open(path).map_err(failed)?;
        // A line without an end was being written when the program stopped.
        let whole = there.rfind('\n').map_or(0, |end| end + 1);
        if whole < there.len() {
            file.set_len(whole as u64).map_err(failed)?;
        }
        let results = Results {
            path: path.to_owned(),
            file: Mutex::new(file),
        };
        Ok((results, known))
    }

    /// Adds one line.
    pub(super) fn add(&self, outcome: &Outcome) -> Result<(), Error> {
        let failed = |source| {
            let file = self.path.display().to_string();
            Error::Source(Box::new(WriteError::Io { file, source }))
        };
        let line = serde_json::to_string(outcome).map_err(|error| failed(error.into()))? + "\n";
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.write_all(line.as_bytes()).map_err(failed)
    }
}

/// The first line: two searches must agree on it to share results.
fn head(tuner: &Tuner) -> Value {
    let mut options = json!(tuner.resolved_options());
    if let Some(options) = options.as_object_mut() {
        // `max_fits` limits how many fits are allowed and does not change their results.
        options.remove("max_fits");
    }
    json!({
        "eigenspan": "tune kpca",
        "format": FORMAT,
        "version": env!("CARGO_PKG_VERSION"),
        "data": format!("{:016x}", tuner.fingerprint()),
        "options": options,
    })
}

/// Refuses results of another search, and says what differs.
fn compare(name: &str, first: &str, expected: &Value) -> Result<(), JobError> {
    let there: Value = serde_json::from_str(first).map_err(|_| foreign(name))?;
    if there["eigenspan"] != expected["eigenspan"] {
        return Err(foreign(name));
    }
    let mut differing = Vec::new();
    for (key, what) in [("format", "format"), ("version", "version")] {
        if there[key] != expected[key] {
            differing.push(format!(
                "{what} {} there, {} here",
                there[key], expected[key]
            ));
        }
    }
    if let Some(options) = expected["options"].as_object() {
        for (option, here) in options {
            let there = &there["options"][option];
            if there != here {
                differing.push(format!(
                    "{option} {} there, {} here",
                    plain(there),
                    plain(here)
                ));
            }
        }
    }
    if there["data"] != expected["data"] {
        let seed = there["options"]["seed"] != expected["options"]["seed"];
        let what = match seed || !differing.is_empty() {
            true => "the data or its folds",
            false => "the data",
        };
        differing.push(what.to_owned());
    }
    match differing.is_empty() {
        true => Ok(()),
        false => Err(JobError::Usage {
            what: format!(
                "{name} has the results of another search; different: {}",
                differing.join("; ")
            ),
            advice: Clause::say("give the same data and options to go on, or ")
                .and(Setting::named("results"))
                .then(" another name")
                .into(),
        }),
    }
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => "none".to_owned(),
        other => other.to_string(),
    }
}

fn read_outcomes(name: &str, lines: &str) -> Result<Vec<Outcome>, JobError> {
    let whole = &lines[..lines.rfind('\n').map_or(0, |end| end + 1)];
    let read = |(i, line): (usize, &str)| {
        serde_json::from_str::<Outcome>(line).map_err(|error| JobError::Usage {
            what: format!("{name}, line {}: not the outcome of a fit ({error})", i + 2),
            advice: "delete that line, and its fit is done again".into(),
        })
    };
    whole.lines().enumerate().map(read).collect()
}

fn foreign(name: &str) -> JobError {
    JobError::Usage {
        what: format!("{name} is there already, and has no results of a search"),
        advice: Clause::name("results")
            .then(" takes a new name, or that of a search to go on with")
            .into(),
    }
}

/// Turns the core's write error back into an I/O error.
pub(super) fn into_io_error(name: &str, error: Error) -> JobError {
    match error {
        Error::Source(inner) => match inner.downcast::<WriteError>() {
            Ok(write) => JobError::Write(*write),
            Err(inner) => match inner.downcast::<ReadError>() {
                Ok(read) => JobError::Read(*read),
                Err(other) => JobError::core(name, Error::Source(other)),
            },
        },
        error => JobError::core(name, error),
    }
}
