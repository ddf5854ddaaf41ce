//! What a user may say about a file to be read. Everything has a good guess; nothing is required.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::ReadError;
use crate::picture::Picture;

/// How the cells of a table are written down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Format {
    /// Text with a character between the cells: comma, semicolon, bar or tab.
    Csv,
    /// Text with a tab between the cells.
    Tsv,
    /// Text with any run of blanks between the cells.
    Text,
    /// A NumPy array in a file.
    Npy,
    /// NumPy arrays in a zip file, or a sparse matrix that SciPy saved.
    Npz,
    /// Matrix Market: sparse or dense; also a folder of 10x Genomics.
    Mtx,
    /// Text with `index:value` for every cell that is not zero (libsvm, svmlight).
    Libsvm,
    /// Genotypes of PLINK 1: `.bed`, `.bim` and `.fam`.
    Plink,
    /// A Parquet file.
    Parquet,
    /// An Arrow file or stream (IPC), also called Feather.
    Arrow,
    /// Numbers in the format of MNIST.
    Idx,
    /// Pictures in PNG or JPEG.
    Image,
    /// The first sheet of an Excel workbook, where that is built in.
    Xlsx,
    /// The matrix of an AnnData file (HDF5), where that is built in.
    H5ad,
    /// Arrays in memory: the format of no file.
    #[cfg_attr(feature = "clap", value(skip))]
    #[serde(skip)]
    Array,
}

impl Format {
    /// The word that names it on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Format::Csv => "csv",
            Format::Tsv => "tsv",
            Format::Text => "text",
            Format::Npy => "npy",
            Format::Npz => "npz",
            Format::Mtx => "mtx",
            Format::Libsvm => "libsvm",
            Format::Plink => "plink",
            Format::Parquet => "parquet",
            Format::Arrow => "arrow",
            Format::Idx => "idx",
            Format::Image => "image",
            Format::Xlsx => "xlsx",
            Format::H5ad => "h5ad",
            Format::Array => "array",
        }
    }
}

/// How to read a table. The default guesses everything from the file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default, deny_unknown_fields)]
pub struct ReadOptions {
    /// Format of the file, where the guess from its content and name is wrong.
    #[cfg_attr(feature = "clap", arg(long, value_name = "FORMAT"))]
    pub format: Option<Format>,
    /// Array to read from an archive of several (NPZ).
    #[cfg_attr(feature = "clap", arg(long, value_name = "NAME"))]
    pub member: Option<String>,
    /// Character between two cells, where the guess is wrong.
    #[cfg_attr(feature = "clap", arg(long, value_name = "CHAR"))]
    pub delimiter: Option<char>,
    /// Decimal mark of the numbers: `.` or `,`.
    #[cfg_attr(feature = "clap", arg(long, value_name = "CHAR"))]
    pub decimal: Option<char>,
    /// Whether the first line holds the names of the columns.
    #[cfg_attr(feature = "clap", arg(skip))]
    pub header: Option<bool>,
    /// Columns to use: names, ranges (`c-f`, `3-5`), patterns (`pix*`), numbers from 1. Default: all numeric ones.
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "COLUMNS", value_delimiter = ',')
    )]
    pub columns: Vec<String>,
    /// Columns to leave out, written like `columns`.
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "COLUMNS", value_delimiter = ',')
    )]
    pub exclude: Vec<String>,
    /// Column that holds each row's class; it is not analyzed.
    #[cfg_attr(feature = "clap", arg(long, value_name = "COLUMN"))]
    pub label_column: Option<String>,
    /// Column that names each row; it is not analyzed. Default: a first column of distinct texts.
    #[cfg_attr(feature = "clap", arg(long, value_name = "COLUMN"))]
    pub id_column: Option<String>,
    /// Column that holds each row's weight; a weight of 2 counts as the row twice.
    #[cfg_attr(
        feature = "clap",
        arg(long, visible_alias = "weights", value_name = "COLUMN")
    )]
    pub weight_column: Option<String>,
    /// Rows to use, the first and the last of them, counted from 1; rows outside are not looked at.
    #[cfg_attr(feature = "clap", arg(long, value_name = "FIRST:LAST", value_parser = parse_rows))]
    pub rows: Option<(usize, usize)>,
    /// Texts to read as missing, besides `NA`, `NaN`, `null`, `.`, `?`, `-`, `n/a` and empty cells.
    #[cfg_attr(
        feature = "clap",
        arg(
            long,
            value_name = "TEXTS",
            value_delimiter = ',',
            allow_hyphen_values = true
        )
    )]
    pub missing_values: Vec<String>,
    /// Use so many rows, drawn at random (by `--seed`) and kept in their order.
    #[cfg_attr(feature = "clap", arg(long, value_name = "ROWS"))]
    pub sample: Option<usize>,
    /// The lines of the file are features, its columns the rows (genes × cells).
    #[cfg_attr(feature = "clap", arg(long))]
    pub transpose: bool,
    /// Turn every column of text into columns of 0 and 1, one per text (`species=Adelie`), up to 100 of them.
    #[cfg_attr(feature = "clap", arg(long))]
    pub one_hot: bool,
    /// Cut pictures into patches of so many pixels on a side; each patch is a row.
    #[cfg_attr(feature = "clap", arg(long, value_name = "PIXELS"))]
    pub patch: Option<usize>,
    /// Keep the colors of pictures: three columns per pixel. Without it they are read as grays.
    #[cfg_attr(feature = "clap", arg(long))]
    pub color: bool,
    /// Seed of the sample.
    #[cfg_attr(feature = "clap", arg(skip))]
    pub seed: u64,
    /// Columns of a model, such as `species=Adelie`: columns of text give those of 0 and 1 that are among them.
    #[cfg_attr(feature = "clap", arg(skip))]
    pub one_hot_columns: Vec<String>,
    /// Pictures of a model: patches are cut and colors kept as it needs them.
    #[cfg_attr(feature = "clap", arg(skip))]
    pub picture: Option<Picture>,
    /// Whether a table without any column of numbers will do.
    #[cfg_attr(feature = "clap", arg(skip))]
    pub without_numbers: bool,
}

impl ReadOptions {
    /// Whether columns of text are used for more than being carried along.
    pub(crate) fn takes_text(&self) -> bool {
        self.one_hot || !self.one_hot_columns.is_empty() || self.without_numbers
    }

    /// Only the options on how cells are written, without those that select rows and columns or transpose.
    pub(crate) fn cell_options(&self) -> ReadOptions {
        ReadOptions {
            format: self.format,
            member: self.member.clone(),
            delimiter: self.delimiter,
            decimal: self.decimal,
            header: self.header,
            missing_values: self.missing_values.clone(),
            patch: self.patch,
            color: self.color,
            picture: self.picture,
            ..ReadOptions::default()
        }
    }

    /// Refuses options of pictures for a file of another kind.
    pub(crate) fn refuse_pictures(&self) -> Result<(), ReadError> {
        let allowed = "pictures only: PNG, JPEG or IDX";
        let refused = |option, given| ReadError::BadOption {
            option,
            given,
            allowed,
        };
        match self.patch {
            Some(patch) => Err(refused("patch", patch.to_string())),
            None if self.color => Err(refused("color", "true".to_owned())),
            None => Ok(()),
        }
    }

    /// The selected rows as a range from 0; an error if the selection is invalid.
    pub(crate) fn row_range(&self) -> Result<Option<std::ops::Range<usize>>, ReadError> {
        match self.rows {
            None => Ok(None),
            Some((first, last)) if first >= 1 && first <= last => Ok(Some(first - 1..last)),
            Some((first, last)) => Err(ReadError::BadOption {
                option: "rows",
                given: format!("{first}:{last}"),
                allowed: "the first and the last row, counted from 1, such as 1:1000",
            }),
        }
    }
}

/// Refuses `transpose` for formats that define themselves what a row is.
pub(crate) fn refuse_transpose(format: Format) -> Result<(), ReadError> {
    match format {
        Format::Libsvm => Err(transpose_refused(
            "other formats: a line of libsvm is a row",
        )),
        Format::Plink => Err(transpose_refused(
            "other formats: people are always the rows of genotypes",
        )),
        Format::H5ad => Err(transpose_refused(
            "other formats: observations are always the rows of an h5ad file",
        )),
        _ => Ok(()),
    }
}

/// The error for a table that cannot be transposed.
pub(crate) fn transpose_refused(allowed: &'static str) -> ReadError {
    ReadError::BadOption {
        option: "transpose",
        given: "true".to_owned(),
        allowed,
    }
}

/// Rows as they are typed: `1:1000`.
#[cfg(feature = "clap")]
fn parse_rows(text: &str) -> Result<(usize, usize), String> {
    let rows = text
        .split_once(':')
        .and_then(|(first, last)| Some((first.trim().parse().ok()?, last.trim().parse().ok()?)));
    match rows {
        Some((first, last)) if first >= 1 && last >= first => Ok((first, last)),
        _ => Err("rows are given as FIRST:LAST, counted from 1, such as 1:1000".to_owned()),
    }
}
