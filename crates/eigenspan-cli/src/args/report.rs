//! The arguments of `eigenspan report`: data or a model; or a method of the registry, then data.

use std::path::PathBuf;

use clap::{ArgMatches, Args, FromArgMatches, Subcommand};
use eigenspan::PcaOptions;
use eigenspan::interpret::Rotation;
use eigenspan::method::MethodOptions;
use eigenspan::method::registry::Entry;

use super::{ByMethod, Data, MethodArgs, Pca, examples};

/// What the report is about. `report pca DATA` is `report DATA`.
#[derive(Debug, Clone)]
pub(crate) enum Report {
    /// A PCA, or a model file of any method.
    Pca(Box<PcaReport>),
    /// Another method.
    Method(Box<ByMethod<DataReport>>),
}

/// A report on a PCA of data, or on a model.
#[derive(Debug, Clone, Args)]
pub(crate) struct PcaReport {
    #[command(flatten)]
    pub(crate) data: Data,

    #[command(flatten)]
    pub(crate) results: Results,

    /// Write loadings, correlations, cos², contributions and rows as CSV files into this folder
    #[arg(long, value_name = "FOLDER", help_heading = "Results")]
    pub(crate) tables: Option<PathBuf>,

    /// Columns to compare with the components without using them to compute the components (names, separated by commas)
    #[arg(
        long,
        value_name = "COLUMNS",
        value_delimiter = ',',
        help_heading = "Looking"
    )]
    pub(crate) supplementary: Vec<String>,

    /// Rotate the components that are kept: varimax, promax or oblimin
    #[arg(long, value_name = "ROTATION", help_heading = "Looking")]
    pub(crate) rotate: Option<Rotation>,

    #[command(flatten)]
    pub(crate) pca: Pca,
}

/// Where the results of a report go.
#[derive(Debug, Clone, Args)]
pub(crate) struct Results {
    /// Write the page to this file [default: beside the data, as NAME.report.html]
    #[arg(short, long, value_name = "FILE", help_heading = "Results")]
    pub(crate) output: Option<PathBuf>,

    /// Replace the page beside the data, and tables, even if they are not of an earlier report of the same data
    #[arg(long, help_heading = "Results")]
    pub(crate) force: bool,

    /// Write the model to this file
    #[arg(short, long, value_name = "FILE", help_heading = "Results")]
    pub(crate) model: Option<PathBuf>,
}

/// A report on what a method makes of data.
#[derive(Debug, Clone, Args)]
pub(crate) struct DataReport {
    #[command(flatten)]
    pub(crate) data: Data,

    #[command(flatten)]
    pub(crate) results: Results,
}

impl MethodArgs for DataReport {
    const EXAMPLES: Option<&'static str> = Some(examples::REPORT);

    /// PCA has a report of its own.
    fn takes(method: &Entry) -> bool {
        method.name != PcaOptions::NAME
    }
}

impl FromArgMatches for Report {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let pca =
            |matches| PcaReport::from_arg_matches(matches).map(|pca| Report::Pca(Box::new(pca)));
        match matches.subcommand() {
            None => pca(matches),
            Some((name, inner)) if name == PcaOptions::NAME => pca(inner),
            Some(_) => ByMethod::from_arg_matches(matches).map(|by| Report::Method(Box::new(by))),
        }
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Report::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Args for Report {
    fn augment_args(command: clap::Command) -> clap::Command {
        let about = command.get_about().cloned();
        let pca = PcaReport::augment_args(clap::Command::new(PcaOptions::NAME))
            .about(PcaOptions::TITLE)
            .long_about(None)
            .after_help(examples::REPORT);
        let command = PcaReport::augment_args(command).subcommand(pca);
        ByMethod::<DataReport>::augment_subcommands(command)
            .about(about.unwrap_or_default())
            .long_about(None)
            .after_help(examples::REPORT)
            // The method may be left out: the data then comes first.
            .subcommand_required(false)
            .subcommand_help_heading("Methods")
            .subcommand_value_name("METHOD")
            .args_conflicts_with_subcommands(true)
            .subcommand_negates_reqs(true)
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        Report::augment_args(command)
    }
}
