//! From typed words to a command, and the order in which help shows options.

use std::ffi::OsString;
use std::path::Path;

use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches, ValueEnum};
use eigenspan::PcaOptions;
use eigenspan::method::MethodOptions;
use eigenspan::prepare::Scale;
use eigenspan_report::JobError;

use super::Cli;
use crate::advice::Options;
use crate::suggest::Commands;
use crate::typed::Typed;

/// Why the typed words could not be turned into a command.
pub(crate) enum Unclear {
    /// Clap's output, including help and version.
    Usage(clap::Error),
    /// The words name no command; the error holds a suggestion.
    Suggestion(JobError),
}

impl From<clap::Error> for Unclear {
    fn from(error: clap::Error) -> Self {
        Unclear::Usage(error)
    }
}

impl Cli {
    /// Parses the typed words. Where no command is named, the first word is data to look at.
    pub(crate) fn from_words(words: Vec<OsString>) -> Result<Self, Unclear> {
        let typed = words.clone();
        let tree = command();
        let commands = Commands::new(&tree);
        let mut words = commands.without_help(words);
        let asks_nothing = |word: &OsString| {
            ["-h", "--help", "-V", "--version"]
                .iter()
                .any(|w| word == w)
        };
        let rest = || words.iter().skip(1).take_while(|word| *word != "--");
        if !rest().any(asks_nothing) {
            commands
                .refuse_unclear(&words)
                .map_err(Unclear::Suggestion)?;
        }
        let named = rest().any(|word| commands.contains(word) || asks_nothing(word));
        if words.len() > 1 && !named {
            words.insert(1, "look".into());
        }
        refuse_apart(&words)?;
        let mut tree = command();
        // The tree is built first, so that global options are known to every command.
        tree.build();
        let matches = tree.try_get_matches_from_mut(words)?;
        let mut cli = Cli::from_arg_matches(&matches)?;
        cli.options = Options::from_matches(&tree, &matches);
        cli.typed = Typed::new(&typed, &tree, &matches);
        Ok(cli)
    }
}

/// The command tree, with the options that most people need at the head of each command's help.
pub(crate) fn command() -> clap::Command {
    in_order(Cli::command())
}

/// The options that come first, as far as a command has them; at most five do.
const FIRST: [&str; 10] = [
    "n_components",
    "kernel",
    "scale",
    "output",
    "model",
    "label_column",
    "missing",
    "keep",
    "columns",
    "exclude",
];

/// Commands that use all components by default.
const LOOKING: [&str; 3] = ["look", "report", "plot"];
const LOOK_HELP: &str = "Components to keep: a count (5), a share of the variance (90% or 0.9), as many as the rules of `choose` agree on (auto), or all [default: all]";
const LOOK_MISSING: &str =
    "What to do with missing cells [default: drop, which leaves their rows out, with a note]";

fn in_order(command: clap::Command) -> clap::Command {
    let looks = LOOKING.contains(&command.get_name());
    ordered(command, looks)
}

fn ordered(mut command: clap::Command, looks: bool) -> clap::Command {
    const AT_MOST: usize = 5;
    if looks {
        command = command.mut_arg("n_components", |arg| {
            arg.help(LOOK_HELP).hide_default_value(true)
        });
        command = command.mut_arg("missing", |arg| {
            arg.help(LOOK_MISSING).hide_default_value(true)
        });
    }
    let takes = |id: &&&str| {
        let mut all = command.get_arguments();
        all.any(|arg| arg.get_id() == **id && !arg.is_hide_set() && !arg.is_positional())
    };
    let first: Vec<&str> = FIRST.iter().filter(takes).take(AT_MOST).copied().collect();
    for (place, id) in first.into_iter().enumerate() {
        command = command.mut_arg(id, |arg| {
            arg.help_heading(None::<&'static str>).display_order(place)
        });
    }
    command.mut_subcommands(|inner| {
        // `report pca` is `report`.
        let looks =
            LOOKING.contains(&inner.get_name()) || looks && inner.get_name() == PcaOptions::NAME;
        ordered(inner, looks)
    })
}

/// `--scale` needs no value, so the next word counts as data; a word that is a scale and not a file is refused
/// here.
fn refuse_apart(words: &[OsString]) -> Result<(), clap::Error> {
    let is_scale = |word: &str| Scale::from_str(word, false).is_ok();
    let typed = words.iter().take_while(|word| *word != "--");
    for (option, word) in typed.clone().zip(typed.skip(1)) {
        let scale = word.to_str().filter(|word| is_scale(word));
        if let Some(scale) = scale.filter(|scale| option == "--scale" && !Path::new(scale).exists())
        {
            let text = format!("'--scale {scale}' is written with an equals sign: --scale={scale}");
            return Err(command().error(ErrorKind::NoEquals, text));
        }
    }
    Ok(())
}
