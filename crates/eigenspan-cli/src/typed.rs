//! What was typed, as the command tree understood it: commands, and arguments with their values. Commands that print a command line to
//! repeat or to continue the analysis need it.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command};

/// What was typed after the program's name.
#[derive(Debug, Clone, Default)]
pub(crate) struct Typed {
    /// File names need not be UTF-8; invalid characters are shown as a mark, which is better than failing.
    words: Vec<String>,
    /// The commands: none, `fit pca`.
    commands: Vec<String>,
    /// The arguments of the last command, in the order in which they were typed.
    arguments: Vec<Argument>,
}

/// An argument with the values of one occurrence.
#[derive(Debug, Clone)]
struct Argument {
    id: String,
    /// Its name: `-k`, `--scale`; none for data.
    name: Option<String>,
    /// The words that say it again.
    words: Vec<String>,
    /// Its place among everything that was typed.
    place: usize,
}

/// The innermost command that was typed, its arguments, and the names of the commands on the way to it.
pub(crate) fn innermost<'a>(
    tree: &'a Command,
    matches: &'a ArgMatches,
) -> (&'a Command, &'a ArgMatches, Vec<&'a str>) {
    let (mut command, mut matches, mut names) = (tree, matches, Vec::new());
    while let Some((name, inner)) = matches.subcommand() {
        let Some(found) = command.find_subcommand(name) else {
            break;
        };
        names.push(name);
        (command, matches) = (found, inner);
    }
    (command, matches, names)
}

impl Typed {
    /// The words, and what the command tree understood.
    pub(crate) fn new(words: &[OsString], tree: &Command, matches: &ArgMatches) -> Self {
        let words = words.iter().skip(1).map(|word| text(word));
        let words: Vec<String> = words.collect();
        let (command, matches, names) = innermost(tree, matches);
        // `look` need not be typed.
        let is_typed = |name: &&str| *name != "look" || words.iter().any(|word| word == name);
        let commands = names.into_iter().filter(is_typed).map(str::to_owned);
        let is_typed = |arg: &&Arg| {
            let id = arg.get_id().as_str();
            matches.value_source(id) == Some(ValueSource::CommandLine)
        };
        let arguments = command.get_arguments().filter(is_typed);
        let mut arguments: Vec<Argument> = arguments
            .flat_map(|arg| occurrences(arg, matches))
            .collect();
        arguments.sort_by_key(|argument| argument.place);
        Typed {
            commands: commands.collect(),
            words,
            arguments,
        }
    }

    /// The command line as it was typed.
    pub(crate) fn command_line(&self) -> String {
        line(self.words.iter())
    }

    /// The command without the given arguments.
    pub(crate) fn without(&self, ids: &[&str]) -> eigenspan_report::Command {
        let kept = |argument: &&Argument| !ids.contains(&argument.id.as_str());
        // Data whose name looks like an option comes last, behind `--`.
        let (last, others): (Vec<&Argument>, Vec<&Argument>) =
            self.arguments.iter().filter(kept).partition(|argument| {
                let first = argument.words.first();
                argument.name.is_none() && first.is_some_and(|w| w.starts_with('-') && w != "-")
            });
        let dash = (!last.is_empty()).then(|| "--".to_owned());
        let words = others.into_iter().flat_map(|argument| &argument.words);
        let behind = last.into_iter().flat_map(|argument| &argument.words);
        let words = self.commands.iter().chain(words).chain(&dash);
        let named = self.arguments.iter().filter(|arg| arg.name.is_some());
        eigenspan_report::Command {
            line: line(words.chain(behind)),
            options: named.filter(kept).map(|arg| arg.id.clone()).collect(),
        }
    }

    /// The name of the first of the given arguments that was typed.
    pub(crate) fn first_of(&self, ids: &[String]) -> Option<&str> {
        let found = self.arguments.iter().find(|arg| ids.contains(&arg.id))?;
        found.name.as_deref()
    }

    /// Only the options, with a space before each word: without the command, the data, and the given arguments.
    pub(crate) fn options(&self, ids: &[String]) -> String {
        let all = self.arguments.iter();
        let kept = all.filter(|argument| argument.name.is_some() && !ids.contains(&argument.id));
        spaced(kept.flat_map(|argument| &argument.words))
    }

    /// The words with two of them exchanged.
    pub(crate) fn swapped(&self, one: &Path, other: &Path) -> Vec<String> {
        let (one, other) = (one.to_string_lossy(), other.to_string_lossy());
        let swap = |word: &String| match word {
            word if *word == one => other.to_string(),
            word if *word == other => one.to_string(),
            word => word.clone(),
        };
        self.words.iter().map(swap).collect()
    }
}

/// A command line of these words.
fn line<'a>(words: impl Iterator<Item = &'a String>) -> String {
    format!("eigenspan{}", spaced(words))
}

fn spaced<'a>(words: impl Iterator<Item = &'a String>) -> String {
    words.map(|word| format!(" {}", quoted(word))).collect()
}

fn text(word: &OsStr) -> String {
    word.to_string_lossy().into_owned()
}

/// Every occurrence of an argument that was typed. Values of data are one occurrence each, because options may stand between them.
fn occurrences(arg: &Arg, matches: &ArgMatches) -> Vec<Argument> {
    let id = arg.get_id().as_str();
    let name = option_name(arg);
    let argument = |words: Vec<String>, place: usize| Argument {
        id: id.to_owned(),
        name: name.clone(),
        words,
        place,
    };
    let mut places = matches.indices_of(id).into_iter().flatten();
    let values = matches.get_raw_occurrences(id).into_iter().flatten();
    match &name {
        None => {
            let each = values.flatten().zip(places);
            each.map(|(value, place)| argument(vec![text(value)], place))
                .collect()
        }
        Some(name) => values
            .filter_map(|values| {
                let values: Vec<String> = values.map(text).collect();
                // As many places as values; the first one is that of the option.
                let place = places.next().filter(|_| !values.is_empty())?;
                places.by_ref().take(values.len() - 1).for_each(|_| {});
                Some(argument(spelled(arg, name, values), place))
            })
            .collect(),
    }
}

/// How an option is named: by its letter where it has one.
fn option_name(arg: &Arg) -> Option<String> {
    let short = arg.get_short().map(|letter| format!("-{letter}"));
    short.or_else(|| arg.get_long().map(|long| format!("--{long}")))
}

/// The words of an option with its values.
fn spelled(arg: &Arg, name: &str, values: Vec<String>) -> Vec<String> {
    let name = name.to_owned();
    if !arg.get_action().takes_values() {
        return vec![name];
    }
    let values = match arg.get_value_delimiter() {
        Some(between) => vec![values.join(&between.to_string())],
        None => values,
    };
    match values.as_slice() {
        // What `--scale` alone means.
        [value] if arg.get_id() == "scale" && value == "std" => vec![name],
        [value] if arg.is_require_equals_set() || value.starts_with('-') => {
            let long = arg.get_long().map_or(name, |long| format!("--{long}"));
            vec![format!("{long}={value}")]
        }
        _ => std::iter::once(name).chain(values).collect(),
    }
}

/// A word quoted for a shell, if necessary.
pub(crate) fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "_./+:%@,=-".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}
