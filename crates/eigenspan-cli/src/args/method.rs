//! Commands with a subcommand for each method of the registry: `fit`, `plan`, `denoise`.
//!
//! The options of a method come from its own struct, the other arguments from the command. A method in the registry becomes a
//! subcommand without a change here.

use clap::parser::ValueSource;
use clap::{ArgMatches, Args, FromArgMatches, Subcommand};
use eigenspan::PcaOptions;
use eigenspan::method::registry::{self, Entry};
use eigenspan::method::{Like, Method, MethodOptions};
use eigenspan_report::Explicit;

/// The arguments of a command besides the options of a method.
pub(crate) trait MethodArgs: Args {
    /// The examples below the help; `None` shows the method's own examples.
    const EXAMPLES: Option<&'static str> = None;

    /// Whether the command accepts this method.
    fn takes(_method: &Entry) -> bool {
        true
    }

    /// Adds arguments that only some methods need.
    fn with_extras(_method: &Entry, command: clap::Command) -> clap::Command {
        command
    }
}

/// One method, its options, and the other arguments of the command.
#[derive(Debug, Clone)]
pub(crate) struct ByMethod<A> {
    /// The other arguments of the command.
    pub(crate) around: A,
    /// The method's name as it is typed.
    pub(crate) name: &'static str,
    /// The method with its options.
    pub(crate) method: Box<dyn Method>,
    /// Which options of a PCA were typed.
    pub(crate) explicit: Explicit,
}

impl<A: MethodArgs> ByMethod<A> {
    fn methods() -> impl Iterator<Item = &'static Entry> {
        registry::all().into_iter().filter(|entry| A::takes(entry))
    }

    fn command(entry: &'static Entry) -> clap::Command {
        let command = A::augment_args(clap::Command::new(entry.name));
        let command = command.next_help_heading(entry.heading);
        let mut command = entry.with_arguments(command);
        if is_pca(entry) {
            command = with_pca_alone(command);
        }
        // Set last, because the doc comments of the structs above would otherwise replace it.
        A::with_extras(entry, command)
            .about(entry.title)
            .long_about(None)
            .after_help(A::EXAMPLES.unwrap_or(entry.examples))
    }
}

impl<A: MethodArgs> FromArgMatches for ByMethod<A> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let found = matches.subcommand().and_then(|(name, inner)| {
            let entry = Self::methods().find(|entry| entry.name == name)?;
            Some((entry, inner))
        });
        let Some((entry, inner)) = found else {
            return Err(clap::Error::new(clap::error::ErrorKind::MissingSubcommand));
        };
        Ok(ByMethod {
            around: A::from_arg_matches(inner)?,
            name: entry.name,
            method: entry.from_matches(inner)?,
            explicit: match is_pca(entry) {
                true => typed(inner),
                false => Explicit::default(),
            },
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl<A: MethodArgs> Subcommand for ByMethod<A> {
    fn augment_subcommands(command: clap::Command) -> clap::Command {
        let command = command.subcommand_required(true);
        command
            .arg_required_else_help(true)
            .subcommands(Self::methods().map(Self::command))
    }

    fn augment_subcommands_for_update(command: clap::Command) -> clap::Command {
        Self::augment_subcommands(command)
    }

    fn has_subcommand(name: &str) -> bool {
        Self::methods().any(|entry| entry.name == name)
    }
}

fn is_pca(entry: &Entry) -> bool {
    entry.name == PcaOptions::NAME
}

/// Arguments that only PCA has: presets.
#[derive(Debug, Clone, Args)]
struct PcaAlone {
    /// Take the conventions of another program where nothing else is given: divisor, scaling, signs, names, missing
    /// cells and how many components
    #[arg(long, value_name = "PROGRAM", ignore_case = true)]
    like: Option<Like>,
}

/// Only a PCA has eigenvectors that can be written in PLINK's format.
const SCORES_HELP: &str = "Write the scores to this file (CSV, TSV, NPY, Parquet, Arrow, or .eigenvec as PLINK does, by its name); - writes standard output";

fn with_pca_alone(command: clap::Command) -> clap::Command {
    let command = PcaAlone::augment_args(command);
    // Commands with `--keep` write scores to a file.
    let writes_scores = command.get_arguments().any(|arg| arg.get_id() == "keep");
    match writes_scores {
        true => command.mut_arg("output", |arg| arg.help(SCORES_HELP)),
        false => command,
    }
}

/// Which options of a PCA were typed.
fn typed(matches: &ArgMatches) -> Explicit {
    let typed = |id: &str| matches.value_source(id) == Some(ValueSource::CommandLine);
    Explicit {
        like: matches.get_one::<Like>("like").copied(),
        n_components: typed("n_components"),
        scale: typed("scale"),
        whiten: typed("whiten"),
        convention: typed("convention"),
        sign: typed("sign"),
        names: typed("names"),
        missing: typed("missing"),
    }
}

/// PCA options together with which of them were typed, for commands that are only about PCA.
#[derive(Debug, Clone)]
pub(crate) struct Pca {
    pub(crate) options: PcaOptions,
    pub(crate) explicit: Explicit,
}

impl FromArgMatches for Pca {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Ok(Pca {
            options: PcaOptions::from_arg_matches(matches)?,
            explicit: typed(matches),
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Pca::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Args for Pca {
    fn augment_args(command: clap::Command) -> clap::Command {
        let command = command.next_help_heading(PcaOptions::HEADING);
        PcaAlone::augment_args(PcaOptions::augment_args(command))
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        Pca::augment_args(command)
    }
}
