//! What a user may say about a file that is to be read. Everything has a good guess; nothing is required.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::ReadError;

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
    /// A Parquet file.
    Parquet,
    /// An Arrow file or stream (IPC), also called Feather.
    Arrow,
}

impl Format {
    /// The word that names it on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Format::Csv => "csv",
            Format::Tsv => "tsv",
            Format::Text => "text",
            Format::Npy => "npy",
            Format::Parquet => "parquet",
            Format::Arrow => "arrow",
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
        arg(long, value_name = "TEXTS", value_delimiter = ',')
    )]
    pub missing_values: Vec<String>,
}

impl ReadOptions {
    /// The rows asked for as a range from 0, or an error if they are none.
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
