//! The options of `eigenspan evaluate`.

use std::path::PathBuf;

use clap::Args;
use eigenspan::evaluate::AccuracyOptions;

use super::Data;

/// The help as the command line spells it, where a value needs an equals sign.
const SCALE_HELP: &str = "Center every column and divide it by its standard deviation (--scale) or that of an allele count (--scale=genotype), on the training rows of every fold";

const EXAMPLES: &str = "\
Examples:
  eigenspan evaluate wine.csv --label-column target --scale
                       naive Bayes, neighbors and discriminants, with and
                       without a reduction
  eigenspan evaluate iris.csv --label-column species --after none,pca,kpca -k 1..4
  eigenspan evaluate iris.csv --label-column species \\
      --after 'pca,kpca(kernel=poly(degree=2))' --classifiers knn --n-neighbors 5
  eigenspan evaluate wine.csv --label-column target --scale -o wine.svg \\
      --table wine-accuracy.csv";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
#[command(mut_arg("scale", |arg| arg.help(SCALE_HELP)))]
pub(crate) struct Evaluate {
    #[command(flatten)]
    pub(crate) data: Data,

    #[command(flatten, next_help_heading = "Comparison")]
    pub(crate) comparison: AccuracyOptions,

    /// Write the figure to this file, SVG or PNG by its name; - writes SVG to standard output
    #[arg(short, long, value_name = "FILE", help_heading = "Results")]
    pub(crate) output: Option<PathBuf>,

    /// Write all numbers to this file (CSV): every fold of every reduction, classifier and number of components
    #[arg(long, value_name = "FILE", help_heading = "Results")]
    pub(crate) table: Option<PathBuf>,

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
