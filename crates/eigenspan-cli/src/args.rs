//! The whole command tree. Options of a method and of reading come from their own structs, so no option is defined twice.

pub(crate) mod denoise;
pub(crate) mod evaluate;
pub(crate) mod examples;
pub(crate) mod method;
pub(crate) mod neighbors;
pub(crate) mod plot;
pub(crate) mod report;
pub(crate) mod tune;
mod words;

use std::path::{Path, PathBuf};

use clap::{Args, Parser, Subcommand};
use eigenspan::choose::ChooseOptions;
use eigenspan::method::{MethodOptions, PreImageOptions, SelectOptions};
use eigenspan_io::{Input, Output, ReadOptions};
pub(crate) use method::{ByMethod, MethodArgs, Pca};
pub(crate) use words::{Unclear, command};

use crate::advice::Options;
use crate::size::Size;
use crate::typed::Typed;

const USAGE: &str = "eigenspan DATA [OPTIONS]\n       eigenspan COMMAND …";

/// High-dimensional data in few dimensions: exact, fast, explained
#[derive(Debug, Parser)]
#[command(name = "eigenspan", version, after_help = examples::ALL, max_term_width = 100)]
#[command(disable_help_subcommand = true, override_usage = USAGE)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,

    #[command(flatten)]
    pub(crate) global: Global,

    /// The options of the command that was typed.
    #[arg(skip)]
    pub(crate) options: Options,

    /// The words as they were typed.
    #[arg(skip)]
    pub(crate) typed: Typed,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// A first look: PCA with defaults, nothing written; `look` itself need not be typed
    Look(FirstLook),
    /// Fit a method to data: a model, its scores, or both
    Fit(Fit),
    /// Some of the columns as they are: which are kept, which dropped and why, and what that costs
    Select(Select),
    /// The readable report of data or of a model: one page, and its answers in the terminal
    Report(report::Report),
    /// Scores of new rows under a fitted model
    Transform(Project),
    /// Rows rebuilt from scores
    Inverse(Inverse),
    /// Noise taken out of rows or pictures by a model of clean ones
    Denoise(denoise::Denoise),
    /// What is in a model, and the command that made it; or what the columns of a table hold
    Describe(Describe),
    /// How many components to keep, by eleven rules, and which to believe
    Choose(Choose),
    /// What would run: solver, passes, memory, and why; runs nothing
    Plan(Plan),
    /// One figure: drawn in the terminal, or written as SVG or PNG
    Plot(plot::Plot),
    /// Parameters of a method by cross-validation: which do best on rows held out
    Tune(tune::Tune),
    /// The nearest rows of every row, as a graph: a sparse matrix for SciPy
    Neighbors(neighbors::NeighborsArgs),
    /// Where a reduction helps: how well classifiers predict labels after it, on rows held out
    Evaluate(evaluate::Evaluate),
    /// Completions for a shell, to be sourced or put where it looks for them
    Completions(Completions),
    /// The manual page of the program or of one of its commands
    Man(Man),
}

#[derive(Debug, Args)]
#[command(after_help = examples::COMPLETIONS)]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_name = "SHELL")]
    pub(crate) shell: clap_complete::Shell,
}

#[derive(Debug, Args)]
#[command(after_help = examples::MAN)]
pub(crate) struct Man {
    /// The command, such as `fit pca` [default: the program]
    #[arg(value_name = "COMMAND", conflicts_with = "all")]
    pub(crate) command: Vec<String>,

    /// Write the pages of all commands into this folder
    #[arg(long, value_name = "FOLDER")]
    pub(crate) all: Option<PathBuf>,
}

/// Options of every command.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Everywhere")]
pub(crate) struct Global {
    /// Print one JSON object instead of text
    #[arg(long, global = true)]
    pub(crate) json: bool,

    /// Print no notes and no progress
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,

    /// Also print how the file was understood
    #[arg(long, global = true)]
    pub(crate) verbose: bool,

    /// Threads to use; results are the same for any number [default: all cores]
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,

    /// Memory that may be used, such as 4GB; plans that need more are refused
    #[arg(long, global = true, value_name = "SIZE")]
    pub(crate) memory: Option<Size>,
}

/// Data and how to read it.
#[derive(Debug, Clone, Args)]
pub(crate) struct Data {
    /// The data: CSV, TSV, text, NPY, NPZ, Parquet, Arrow, Matrix Market, 10x folder, libsvm, PLINK, IDX, PNG or JPEG;
    /// several files, a folder or a pattern ('part-*.csv') are one table; - reads standard input
    #[arg(value_name = "DATA", required = true, num_args = 1..)]
    pub(crate) data: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) reading: Reading,
}

impl Data {
    /// What to read.
    pub(crate) fn input(&self) -> Input {
        Input::from_paths(&self.data)
    }

    /// The first input, after which results are named.
    pub(crate) fn first(&self) -> &Path {
        self.data.first().map_or(Path::new("-"), PathBuf::as_path)
    }
}

/// The seed, for commands that have no seed option of their own.
#[derive(Debug, Clone, Args)]
pub(crate) struct Seed {
    /// Seed of the sample; the same seed gives the same rows
    #[arg(
        long,
        value_name = "SEED",
        default_value_t = 0,
        help_heading = "Reading"
    )]
    pub(crate) seed: u64,
}

/// How to read a table.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Reading")]
pub(crate) struct Reading {
    #[command(flatten)]
    options: ReadOptions,

    /// The first line holds names
    #[arg(long, conflicts_with = "no_header")]
    header: bool,

    /// The first line holds data
    #[arg(long)]
    no_header: bool,
}

impl Reading {
    /// The options as one value; the seed is the seed of the whole command.
    pub(crate) fn options(&self, seed: u64) -> ReadOptions {
        let header = match (self.header, self.no_header) {
            (true, _) => Some(true),
            (_, true) => Some(false),
            _ => None,
        };
        ReadOptions {
            header,
            seed,
            ..self.options.clone()
        }
    }
}

#[derive(Debug, Clone, Args)]
#[command(after_help = examples::LOOK)]
pub(crate) struct FirstLook {
    #[command(flatten)]
    pub(crate) data: Data,
    #[command(flatten)]
    pub(crate) pca: Pca,
}

#[derive(Debug, Args)]
pub(crate) struct Fit {
    #[command(subcommand)]
    pub(crate) by: ByMethod<FitData>,
}

/// What a fit reads and writes.
#[derive(Debug, Clone, Args)]
pub(crate) struct FitData {
    #[command(flatten)]
    pub(crate) data: Data,

    #[command(flatten)]
    pub(crate) results: Results,
}

impl MethodArgs for FitData {}

#[derive(Debug, Args)]
#[command(after_help = <SelectOptions as MethodOptions>::EXAMPLES)]
pub(crate) struct Select {
    #[command(flatten)]
    pub(crate) fit: FitData,

    #[command(flatten, next_help_heading = "Selection")]
    pub(crate) options: SelectOptions,
}

/// What a fit writes.
#[derive(Debug, Clone, Args)]
pub(crate) struct Results {
    /// Write the model to this file
    #[arg(short, long, value_name = "FILE", help_heading = "Results")]
    pub(crate) model: Option<PathBuf>,

    /// Write the scores to this file (CSV, TSV, NPY, Parquet or Arrow by its name); - writes standard output
    #[arg(short, long, value_name = "FILE", help_heading = "Results")]
    pub(crate) output: Option<PathBuf>,

    /// Carry these columns into the scores file
    #[arg(
        long,
        value_name = "COLUMNS",
        value_delimiter = ',',
        help_heading = "Results"
    )]
    pub(crate) keep: Vec<String>,
}

impl Results {
    /// Where the scores go.
    pub(crate) fn scores(&self) -> Option<Output> {
        self.output.as_ref().map(Output::new)
    }
}

#[derive(Debug, Args)]
#[command(after_help = examples::TRANSFORM)]
pub(crate) struct Project {
    /// The model file
    #[arg(value_name = "MODEL")]
    pub(crate) model: PathBuf,

    #[command(flatten)]
    pub(crate) data: Data,

    #[command(flatten)]
    pub(crate) seed: Seed,

    /// Write the result to this file (CSV, TSV, NPY, Parquet or Arrow by its name); - writes standard output; pictures
    /// rebuilt from scores also go to NAME.png, or to a new folder NAME/
    #[arg(
        short,
        long,
        value_name = "FILE",
        default_value = "-",
        help_heading = "Results"
    )]
    pub(crate) output: PathBuf,

    /// Carry these columns into the result
    #[arg(
        long,
        value_name = "COLUMNS",
        value_delimiter = ',',
        help_heading = "Results"
    )]
    pub(crate) keep: Vec<String>,
}

#[derive(Debug, Args)]
#[command(after_help = examples::INVERSE)]
pub(crate) struct Inverse {
    #[command(flatten)]
    pub(crate) project: Project,

    /// Size of the picture whose patches these are, where it is not that of the model's picture
    #[arg(long, value_name = "WIDTHxHEIGHT", value_parser = parse_size, help_heading = "Results")]
    pub(crate) size: Option<(usize, usize)>,

    #[command(flatten, next_help_heading = "The way back from kernel PCA")]
    pub(crate) pre_image: PreImageOptions,
}

/// A size as it is typed: `640x480`.
fn parse_size(text: &str) -> Result<(usize, usize), String> {
    let size = text.split_once(['x', '×']).and_then(|(width, height)| {
        Some((width.trim().parse().ok()?, height.trim().parse().ok()?))
    });
    match size {
        Some((width, height)) if width > 0 && height > 0 => Ok((width, height)),
        _ => Err("a size is given as WIDTHxHEIGHT in pixels, such as 640x480".to_owned()),
    }
}

#[derive(Debug, Args)]
#[command(after_help = examples::DESCRIBE)]
pub(crate) struct Describe {
    /// A model file, or data: files, a folder, a pattern; - reads standard input
    #[arg(value_name = "MODEL|DATA", required = true, num_args = 1..)]
    pub(crate) data: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) reading: Reading,

    #[command(flatten)]
    pub(crate) seed: Seed,
}

#[derive(Debug, Args)]
#[command(after_help = examples::CHOOSE)]
#[command(mut_arg("n_components", |arg| arg.hide(true)), mut_arg("whiten", |arg| arg.hide(true)))]
#[command(mut_arg("solver", |arg| arg.hide(true)), mut_arg("tolerance", |arg| arg.hide(true)))]
pub(crate) struct Choose {
    #[command(flatten)]
    pub(crate) data: Data,

    #[command(flatten, next_help_heading = "Rules")]
    pub(crate) rules: ChooseOptions,

    #[command(flatten)]
    pub(crate) pca: Pca,
}

#[derive(Debug, Args)]
#[command(after_help = examples::PLAN)]
pub(crate) struct Plan {
    #[command(subcommand)]
    pub(crate) by: ByMethod<Data>,
}

impl MethodArgs for Data {
    const EXAMPLES: Option<&'static str> = Some(examples::PLAN);
}
