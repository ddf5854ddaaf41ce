//! Suggestions for words that name no command: `reprot x.csv`, `pca x.csv`, `fit x.csv`, `help`.
//!
//! An existing file is always data. Otherwise a word that is nearly a command is answered with the command line that was
//! probably intended, ready to be typed.

use std::ffi::OsString;
use std::path::Path;

use eigenspan::error::nearest;
use eigenspan::method::registry;
use eigenspan_report::JobError;

use crate::typed::quoted;

/// The method with this common name.
fn called(word: &str) -> Option<&'static str> {
    let is_called = |entry: &&registry::Entry| {
        let mut names = entry.aliases.iter().chain([&entry.name]);
        names.any(|name| word.eq_ignore_ascii_case(name))
    };
    let entry = registry::all().into_iter().find(is_called);
    entry.map(|entry| entry.name)
}

/// The names in the command tree.
pub(crate) struct Commands<'a> {
    /// Commands, with the methods that they require.
    names: Vec<(&'a str, Vec<&'a str>)>,
    /// Commands, with the methods that they accept but do not require.
    optional: Vec<(&'a str, Vec<&'a str>)>,
}

impl<'a> Commands<'a> {
    pub(crate) fn new(command: &'a clap::Command) -> Self {
        let methods = |required: bool, c: &'a clap::Command| {
            let all = c.get_subcommands().map(clap::Command::get_name);
            let matches = c.is_subcommand_required_set() == required;
            (c.get_name(), all.filter(|_| matches).collect())
        };
        let all = || command.get_subcommands();
        Commands {
            names: all().map(|c| methods(true, c)).collect(),
            optional: all().map(|c| methods(false, c)).collect(),
        }
    }

    pub(crate) fn contains(&self, word: &OsString) -> bool {
        self.names.iter().any(|(name, _)| word == name)
    }

    /// The methods of a command that takes methods.
    fn methods(&self, command: &str) -> Option<&[&'a str]> {
        let found = self.names.iter().find(|(name, _)| *name == command);
        found.map(|(_, methods)| methods.as_slice())
    }

    /// Turns `help fit pca` into `fit pca --help`; other words stay as they are.
    pub(crate) fn without_help(&self, words: Vec<OsString>) -> Vec<OsString> {
        if words.get(1).is_none_or(|word| word != "help") || Path::new("help").exists() {
            return words;
        }
        let mut suggested: Vec<OsString> = words.iter().take(1).cloned().collect();
        suggested.extend(words.into_iter().skip(2));
        suggested.push("--help".into());
        suggested
    }

    /// Refuses words that name no command, with a suggestion.
    pub(crate) fn refuse_unclear(&self, words: &[OsString]) -> Result<(), JobError> {
        let typed: Vec<String> = words
            .iter()
            .skip(1)
            .map(|word| word.to_string_lossy().into_owned())
            .collect();
        // Options before the command are global; options with a value are rare there.
        let Some(at) = typed.iter().position(|word| !word.starts_with('-')) else {
            return Ok(());
        };
        let first = &typed[at];
        match self.methods(first) {
            Some([]) => self.refuse_optional(&typed, at),
            Some(methods) => self.refuse_method(&typed, at, methods),
            None => self.refuse_command(&typed, at),
        }
    }

    /// Suggestions for `report kpac x.csv`, `report KPCA x.csv`, unless a file has that name.
    fn refuse_optional(&self, typed: &[String], at: usize) -> Result<(), JobError> {
        let found = self.optional.iter().find(|(name, _)| *name == typed[at]);
        let methods = found.map_or(&[][..], |(_, methods)| methods);
        let Some(word) = typed.get(at + 1).filter(|word| !word.starts_with('-')) else {
            return Ok(());
        };
        let is_path = is_there(word) || word.contains(['.', '/', '*', '?']);
        match method_like(word, methods).filter(|method| !is_path && method != word) {
            Some(method) => Err(no_method(typed, (at, at + 1), method, methods)),
            None => Ok(()),
        }
    }

    /// Suggestions for `fit x.csv`, `fit pac x.csv`, `fit PCA x.csv`.
    fn refuse_method(&self, typed: &[String], at: usize, methods: &[&str]) -> Result<(), JobError> {
        let command = &typed[at];
        let behind = typed.iter().enumerate().skip(at + 1);
        let mut words = behind.filter(|(_, word)| !word.starts_with('-'));
        let Some((place, word)) = words.next() else {
            return Ok(());
        };
        if methods.contains(&word.as_str()) {
            return Ok(());
        }
        let known = methods.join(" or ");
        if let Some(method) = method_like(word, methods).filter(|_| !is_there(word)) {
            return Err(no_method(typed, (at, place), method, methods));
        }
        let method = methods.first().copied().unwrap_or_default();
        Err(JobError::Usage {
            what: format!("{command} takes a method before the data: {known}"),
            advice: did_you_mean(&replaced(typed, place, &[method, word])).into(),
        })
    }

    /// Suggestions for `reprot x.csv`, `pca x.csv`, `x.csv report`.
    fn refuse_command(&self, typed: &[String], at: usize) -> Result<(), JobError> {
        let first = &typed[at];
        let later = typed
            .iter()
            .enumerate()
            .skip(at + 1)
            .find(|(before, word)| {
                let value_of = typed.get(before - 1).is_some_and(|w| w.starts_with('-'));
                !value_of && self.methods(word).is_some()
            });
        if let Some((place, command)) = later.filter(|_| is_there(first)) {
            let mut words = typed.to_vec();
            words.remove(place);
            let method = self.methods(command).and_then(|methods| methods.first());
            let said = typed.get(place + 1).map(String::as_str);
            let method = method.copied().filter(|method| said != Some(method));
            let mut suggested = vec![command.clone()];
            suggested.extend(method.map(str::to_owned));
            suggested.extend(words);
            return Err(JobError::Usage {
                what: format!("the command comes first: {command}, then the data"),
                advice: did_you_mean(&suggested).into(),
            });
        }
        if is_there(first) || first == "-" || first.contains(['.', '/', '*', '?']) {
            return Ok(());
        }
        if let Some(method) = called(first) {
            return Err(JobError::Usage {
                what: format!("{first} is a method, and a method is fitted"),
                advice: did_you_mean(&replaced(typed, at, &["fit", method])).into(),
            });
        }
        let names = self.names.iter().map(|(name, _)| *name);
        match nearest(first, names).first() {
            Some(command) => {
                let method = self.methods(command).and_then(|methods| methods.first());
                let said = typed.get(at + 1).map(String::as_str);
                let named = method.is_none_or(|_| {
                    said.is_some_and(|said| {
                        self.methods(command).is_some_and(|m| m.contains(&said))
                    })
                });
                let suggested = match method.filter(|_| !named) {
                    Some(method) => replaced(typed, at, &[command, method]),
                    None => replaced(typed, at, &[command]),
                };
                Err(JobError::Usage {
                    what: format!("no command and no file {first}"),
                    advice: did_you_mean(&suggested).into(),
                })
            }
            None => Ok(()),
        }
    }
}

/// A word that is nearly the name of a method that the command takes.
fn no_method(
    typed: &[String],
    (command, place): (usize, usize),
    method: &str,
    methods: &[&str],
) -> JobError {
    let (command, word, known) = (&typed[command], &typed[place], methods.join(" or "));
    JobError::Usage {
        what: format!("{command} knows no method {word:?}, only {known}"),
        advice: did_you_mean(&replaced(typed, place, &[method])).into(),
    }
}

/// The method whose name is nearly this word.
fn method_like<'a>(word: &str, methods: &[&'a str]) -> Option<&'a str> {
    let near = nearest(called(word).unwrap_or(word), methods.iter().copied());
    methods
        .iter()
        .copied()
        .find(|method| near.first().is_some_and(|near| near == method))
}

fn is_there(word: &str) -> bool {
    Path::new(word).symlink_metadata().is_ok()
}

/// The words with one of them replaced by others.
fn replaced(typed: &[String], at: usize, by: &[&str]) -> Vec<String> {
    let (before, after) = (typed.iter().take(at), typed.iter().skip(at + 1));
    let by = by.iter().map(|word| (*word).to_owned());
    before.cloned().chain(by).chain(after.cloned()).collect()
}

/// A suggested command line.
pub(crate) fn did_you_mean(words: &[String]) -> String {
    let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
    format!("did you mean: eigenspan {}", words.join(" "))
}
