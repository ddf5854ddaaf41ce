//! The options of `eigenspan denoise`.

use std::path::PathBuf;

use clap::{ArgMatches, Args, FromArgMatches};
use eigenspan::method::registry::Entry;
use eigenspan::method::{PreImageOptions, Rebuilds};

use super::{ByMethod, Data, MethodArgs};

const EXAMPLES: &str = "\
Examples:
  eigenspan denoise pca noisy.csv --train clean.csv -k 10 -o cleaned.csv
  eigenspan denoise kpca noisy.csv --train clean.csv -k 64 --gamma median
  eigenspan denoise kpca noisy/ --train clean/ -k 64 -o cleaned/
                                 folders of pictures; a new folder of PNG files
  eigenspan denoise pca noisy.png --train clean.png --patch 8 -k 12 -o x.png
                                 one picture, patch by patch";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Denoise {
    #[command(subcommand)]
    pub(crate) by: ByMethod<Noisy>,
}

/// Methods that can rebuild rows can denoise; methods with pre-images have further options.
impl MethodArgs for Noisy {
    const EXAMPLES: Option<&'static str> = Some(EXAMPLES);

    fn takes(method: &Entry) -> bool {
        method.rebuilds != Rebuilds::Nothing
    }

    fn with_extras(method: &Entry, command: clap::Command) -> clap::Command {
        match method.rebuilds {
            Rebuilds::BySearch => {
                PreImageOptions::augment_args(command.next_help_heading("The way back"))
            }
            _ => command,
        }
    }
}

/// Options of pre-images, if the method has pre-images.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct PreImage(pub(crate) PreImageOptions);

impl FromArgMatches for PreImage {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        // clap fills in defaults, so an argument of the command always has a value.
        match matches.ids().any(|id| id == "max_iterations") {
            true => PreImageOptions::from_arg_matches(matches).map(PreImage),
            false => Ok(PreImage::default()),
        }
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = PreImage::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Args for PreImage {
    /// [`MethodArgs::with_extras`] adds these after the options of the method.
    fn augment_args(command: clap::Command) -> clap::Command {
        command
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        command
    }
}

/// The noisy data, the clean data, and the output.
#[derive(Debug, Clone, Args)]
pub(crate) struct Noisy {
    #[command(flatten)]
    pub(crate) data: Data,

    /// Rows like those that are wanted: a file, a folder or a pattern, read as the noisy ones are
    #[arg(long, value_name = "CLEAN", help_heading = "Learning")]
    pub(crate) train: PathBuf,

    /// Write the rows to this file (CSV, TSV, NPY, Parquet or Arrow by its name), with the columns of the input; - writes
    /// standard output; pictures also go to NAME.png, or to a new folder NAME/
    #[arg(
        short,
        long,
        value_name = "FILE",
        default_value = "-",
        help_heading = "Results"
    )]
    pub(crate) output: PathBuf,

    #[command(flatten)]
    pub(crate) pre_image: PreImage,
}
