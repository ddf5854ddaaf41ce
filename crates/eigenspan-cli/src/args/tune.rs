//! The options of `eigenspan tune`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use eigenspan::evaluate::TuneOptions;

use super::Data;

/// The help as the command line spells it, where a value needs an equals sign.
const SCALE_HELP: &str = "Center every column and divide it by its standard deviation (--scale) or that of an allele count (--scale=genotype), on the training rows of every fold";

const EXAMPLES: &str = "\
Examples:
  eigenspan tune kpca iris.csv --label-column species
                       by the accuracy of 5 nearest neighbors on rows held out
  eigenspan tune kpca iris.csv
                       by the distance of rows held out to their pre-images
  eigenspan tune kpca iris.csv --kernel 'rbf(gamma=0.001..10:5)' -k 1..4
  eigenspan tune kpca iris.csv --kernel 'poly(degree=1..4, coef0=[0, 1])'
  eigenspan tune kpca iris.csv --criterion parallel
                       by parallel analysis
  eigenspan tune kpca iris.csv --results iris.jsonl -m iris.safetensors
                       goes on where it was stopped, writes the best model";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Tune {
    #[command(subcommand)]
    pub(crate) method: TuneMethod,
}

#[derive(Debug, Subcommand)]
pub(crate) enum TuneMethod {
    /// Kernel PCA: its kernel's parameters and the number of components
    Kpca(TuneKpca),
}

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
#[command(mut_arg("scale", |arg| arg.help(SCALE_HELP)))]
pub(crate) struct TuneKpca {
    #[command(flatten)]
    pub(crate) data: Data,

    #[command(flatten, next_help_heading = "Search")]
    pub(crate) search: TuneOptions,

    /// Fit the best choice to all rows and write the model to this file
    #[arg(short, long, value_name = "FILE", help_heading = "Results")]
    pub(crate) model: Option<PathBuf>,

    /// Keep the outcome of every fit in this file (JSON lines); the same command goes on with what is there
    #[arg(long, value_name = "FILE", help_heading = "Results")]
    pub(crate) results: Option<PathBuf>,

    /// Write the figure to this file, SVG or PNG by its name; - writes SVG to standard output
    #[arg(short, long, value_name = "FILE", help_heading = "Results")]
    pub(crate) output: Option<PathBuf>,

    /// Width of the figure in pixels [default: 900, PNG 1800]
    #[arg(long, value_name = "PIXELS", help_heading = "Results")]
    pub(crate) width: Option<u32>,

    /// Height of the figure in pixels [default: as it needs, at most 640, PNG 1280]
    #[arg(long, value_name = "PIXELS", help_heading = "Results")]
    pub(crate) height: Option<u32>,

    /// Draw on dark paper
    #[arg(long, help_heading = "Results")]
    pub(crate) dark: bool,
}
