//! The options of `eigenspan denoise`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use eigenspan::method::PreImageOptions;

use super::kernel::KernelArgs;
use super::{Data, Pca};

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
    pub(crate) method: DenoiseMethod,
}

#[derive(Debug, Subcommand)]
pub(crate) enum DenoiseMethod {
    /// By the components of a PCA
    Pca(DenoisePca),
    /// By the components of a kernel PCA, and the way back from its feature space
    Kpca(DenoiseKpca),
}

/// What is denoised, by what, and where it goes.
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
}

#[derive(Debug, Clone, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct DenoisePca {
    #[command(flatten)]
    pub(crate) noisy: Noisy,

    #[command(flatten)]
    pub(crate) pca: Pca,
}

#[derive(Debug, Clone, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct DenoiseKpca {
    #[command(flatten)]
    pub(crate) noisy: Noisy,

    #[command(flatten)]
    pub(crate) kernel: KernelArgs,

    #[command(flatten, next_help_heading = "The way back")]
    pub(crate) pre_image: PreImageOptions,
}
