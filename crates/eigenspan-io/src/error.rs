//! Why a file could not be read, as data: the first line says what, [`ReadError::detail`] how much, [`ReadError::tip`] what to do.

use std::io;

use eigenspan::error::{bytes_words, counted, grouped};
use eigenspan::note::listed;

use crate::columnar::ColumnarFault;
use crate::image::PictureFault;
use crate::kind::READ;
use crate::libsvm::SvmFault;
use crate::mtx::{MtxFault, TenxFault};
use crate::npy::NpyFault;
use crate::npz::NpzFault;
use crate::plink::PlinkFault;
use crate::text::{Looks, Place};

/// Why a file could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// There is no such file.
    #[error("no file {file}")]
    NotFound {
        /// The file as given.
        file: String,
        /// Files beside it with a similar name.
        near: Vec<String>,
    },
    /// A folder was given.
    #[error("{file} is a folder, not a file")]
    Folder {
        /// The folder as given.
        file: String,
    },
    /// A folder without a file that could be data.
    #[error("{folder} is a folder without files")]
    EmptyFolder {
        /// The folder as given.
        folder: String,
        /// Folders in it.
        folders: usize,
    },
    /// A folder with files of several formats.
    #[error("{folder} is a folder with files of several kinds: {}", kinds_words(.kinds))]
    MixedFolder {
        /// The folder as given.
        folder: String,
        /// Ends of their names, and how many end so.
        kinds: Vec<(String, usize)>,
    },
    /// A pattern that no file's name fits.
    #[error("no file matches {pattern}")]
    NoMatch {
        /// The pattern as given.
        pattern: String,
    },
    /// Two files of one table with unlike columns.
    #[error("{file} does not have the columns of {first}")]
    OtherColumns {
        /// The file.
        file: String,
        /// The first file.
        first: String,
        /// Columns of the first file that this one lacks.
        missing: Vec<String>,
        /// Columns of this file that the first lacks.
        extra: Vec<String>,
    },
    /// Two files of one table, without names, with unlike numbers of columns.
    #[error("{file} has {}, but {first} has {}", counted(*.found, "column"), grouped(*.expected as u64))]
    OtherWidth {
        /// The file.
        file: String,
        /// The first file.
        first: String,
        /// Columns of the first file.
        expected: usize,
        /// Columns of this one.
        found: usize,
    },
    /// Two files of one table, of which one has names of columns and the other has none.
    #[error("{with} has names of columns, but {without} has none")]
    OtherHeader {
        /// The file with names.
        with: String,
        /// The file without.
        without: String,
    },
    /// A column that is text in one file and numbers in another.
    #[error("{file} {place}: {} is not a number, but the column holds numbers in {numbers}", shown(.token))]
    MixedColumn {
        /// The file with the text.
        file: String,
        /// Where its first text is.
        place: Place,
        /// That text.
        token: String,
        /// The file with the numbers.
        numbers: String,
    },
    /// The operating system refused.
    #[error("cannot read {file}: {}", io_words(.source))]
    Io {
        /// The file as given.
        file: String,
        /// What the operating system said.
        source: io::Error,
    },
    /// Nothing in it.
    #[error("{file} is empty")]
    Empty {
        /// The file.
        file: String,
    },
    /// A header and nothing below.
    #[error("{file} has no rows below its header")]
    NoRows {
        /// The file.
        file: String,
    },
    /// Fewer rows than the first one asked for.
    #[error("{file} has {}, so it has no row {first}", counted(*.n_rows, "row"))]
    NoSuchRow {
        /// The file.
        file: String,
        /// The first row asked for, from 1.
        first: usize,
        /// Rows of the file.
        n_rows: usize,
    },
    /// A kind of file that is recognized and not read.
    #[error("{file} is {what}, which eigenspan does not read")]
    Unsupported {
        /// The file.
        file: String,
        /// Its kind, with an article: `a PDF document`.
        what: &'static str,
        /// How to turn it into one that is read.
        tip: &'static str,
    },
    /// The name promises a format that the content is not.
    #[error("{file} is named like {named}, but its content is not one")]
    WrongName {
        /// The file.
        file: String,
        /// What the name promises, with an article.
        named: &'static str,
    },
    /// Bytes that are no text in UTF-8.
    #[error("{file} line {line} is not UTF-8 text (byte 0x{byte:02x})")]
    Encoding {
        /// The file.
        file: String,
        /// Line, from 1.
        line: u64,
        /// The first byte that does not fit.
        byte: u8,
    },
    /// A line with more or fewer cells than the first.
    #[error("{file} line {line}: expected {}, found {}", counted(*.expected, "field"), grouped(*.found as u64))]
    Ragged {
        /// The file.
        file: String,
        /// Line, from 1.
        line: u64,
        /// Fields of the first line.
        expected: usize,
        /// Fields of this one.
        found: usize,
        /// The character between two fields, in words.
        delimiter: &'static str,
    },
    /// Lines above the header.
    #[error(
        "{file} line {line} has {}, but the lines below have {}: it is no header",
        counted(*.found, "field"), counted(*.expected, "field")
    )]
    Preamble {
        /// The file.
        file: String,
        /// Line, from 1.
        line: u64,
        /// Fields of that line.
        found: usize,
        /// Fields of the lines below.
        expected: usize,
    },
    /// A quote that is opened and never closed.
    #[error("{file} line {line}: a quote is opened here and never closed")]
    OpenQuote {
        /// The file.
        file: String,
        /// Line, from 1.
        line: u64,
    },
    /// Text in a column of numbers.
    #[error("{file} {place}: {} is not a number", shown(.token))]
    NotANumber {
        /// The file.
        file: String,
        /// Where.
        place: Place,
        /// The cell.
        token: String,
        /// What it looks like.
        looks: Looks,
        /// Cells of this column that are no numbers either.
        like_it: u64,
        /// Cells of this column.
        cells: u64,
    },
    /// `inf`, or a number beyond the range of f64.
    #[error("{file} {place}: {} is not finite{}", shown(.token), beyond(.token))]
    Infinite {
        /// The file.
        file: String,
        /// Where.
        place: Place,
        /// The cell.
        token: String,
        /// Infinite cells of this column.
        like_it: u64,
        /// Cells of this column.
        cells: u64,
    },
    /// A missing cell, where none can be dealt with.
    #[error("{file} {place}: {} missing", missing_words(.token))]
    Missing {
        /// The file.
        file: String,
        /// Where the first is.
        place: Place,
        /// How it is written.
        token: String,
        /// Missing cells in the columns in use.
        count: u64,
        /// Cells in the columns in use.
        cells: u64,
    },
    /// A column that is not there.
    #[error("no column {asked:?} in {file}")]
    NoColumn {
        /// The file.
        file: String,
        /// What was asked for.
        asked: String,
        /// Columns with a similar name.
        near: Vec<String>,
        /// All columns.
        columns: Vec<String>,
    },
    /// A column of text where numbers are needed.
    #[error("{file} column {column:?} is text (line {line}: {}), but numbers are needed", shown(.token))]
    TextColumn {
        /// The file.
        file: String,
        /// The column.
        column: String,
        /// Line of its first text, from 1.
        line: u64,
        /// That text.
        token: String,
    },
    /// No column of numbers is left.
    #[error("{file} has no numeric columns to work on")]
    NoNumericColumns {
        /// The file.
        file: String,
        /// Columns that were set aside.
        set_aside: Vec<String>,
    },
    /// An option whose value cannot be.
    #[error("{option} = {given:?} cannot be; it takes {allowed}")]
    BadOption {
        /// The option's name.
        option: &'static str,
        /// What was given.
        given: String,
        /// What it takes.
        allowed: &'static str,
    },
    /// A fault in a NumPy file.
    #[error("{file}: {fault}")]
    Npy {
        /// The file.
        file: String,
        /// What is wrong.
        fault: NpyFault,
    },
    /// A fault in an archive of NumPy arrays.
    #[error("{file}: {fault}")]
    Npz {
        /// The file.
        file: String,
        /// What is wrong.
        fault: NpzFault,
    },
    /// A fault in a Matrix Market file.
    #[error("{file} line {line}: {fault}")]
    Mtx {
        /// The file.
        file: String,
        /// Line, from 1.
        line: u64,
        /// What is wrong.
        fault: MtxFault,
    },
    /// A fault in a folder of 10x Genomics.
    #[error("{file}: {fault}")]
    Tenx {
        /// The folder, or its matrix, as given.
        file: String,
        /// What is wrong.
        fault: TenxFault,
    },
    /// A fault in libsvm's text.
    #[error("{file} line {line}: {fault}")]
    Svm {
        /// The file.
        file: String,
        /// Line, from 1.
        line: u64,
        /// What is wrong.
        fault: SvmFault,
    },
    /// A fault in a set of PLINK files.
    #[error("{file}: {fault}")]
    Plink {
        /// The file of the set.
        file: String,
        /// What is wrong.
        fault: PlinkFault,
    },
    /// A matrix that takes more memory than it may.
    #[error("{file}: {what} needs {}, but only {} may be used", bytes_words(*.needed), bytes_words(*.allowed))]
    Memory {
        /// The file.
        file: String,
        /// What needs it.
        what: &'static str,
        /// Bytes needed.
        needed: u64,
        /// Bytes allowed.
        allowed: u64,
    },
    /// A fault in a Parquet or Arrow file.
    #[error("{file}: {fault}")]
    Columnar {
        /// The file.
        file: String,
        /// What is wrong.
        fault: ColumnarFault,
    },
    /// A column whose type is not that of numbers, where numbers are needed.
    #[error("{file} column {column:?} holds {holds}, but numbers are needed")]
    WrongType {
        /// The file.
        file: String,
        /// The column.
        column: String,
        /// What it holds.
        holds: &'static str,
    },
    /// A fault in a picture, or in a file of pictures.
    #[error("{file}: {fault}")]
    Picture {
        /// The file.
        file: String,
        /// What is wrong.
        fault: PictureFault,
    },
    /// An Excel workbook that cannot be read.
    #[error("{file}: damaged Excel workbook: {what}")]
    Workbook {
        /// The file.
        file: String,
        /// What is wrong.
        what: String,
    },
    /// A packed file that cannot be unpacked.
    #[error("{file} is packed with {packing} and damaged: {what}")]
    Packed {
        /// The file.
        file: String,
        /// How it is packed.
        packing: &'static str,
        /// What the unpacking said.
        what: String,
    },
    /// A packed file that unpacks to far too much.
    #[error(
        "{file} unpacks to more than {} times its size of {}: a {packing} bomb, or almost nothing but zeros",
        grouped(*.times), bytes_words(*.packed)
    )]
    Bomb {
        /// The file.
        file: String,
        /// How it is packed.
        packing: &'static str,
        /// Its size.
        packed: u64,
        /// The ratio that is too much.
        times: u64,
    },
    /// The file is not what it was a moment ago.
    #[error("{file} was changed while it was being read")]
    Changed {
        /// The file.
        file: String,
    },
    /// What the core said: the user wants to stop.
    #[error(transparent)]
    Core(#[from] eigenspan::Error),
}

impl ReadError {
    /// How much of the file is like this, or what there is instead.
    pub fn detail(&self) -> Option<String> {
        match self {
            ReadError::NotFound { near, .. } if !near.is_empty() => {
                Some(format!("files like it: {}", listed(near)))
            }
            ReadError::NotANumber { like_it, cells, .. }
            | ReadError::Infinite { like_it, cells, .. } => Some(format!(
                "{} of {} in this column {} like it",
                grouped(*like_it),
                counted(*cells as usize, "cell"),
                if *like_it == 1 { "is" } else { "are" }
            )),
            ReadError::Missing { count, cells, .. } => Some(format!(
                "{} of {} {} missing",
                grouped(*count),
                counted(*cells as usize, "cell"),
                if *count == 1 { "is" } else { "are" }
            )),
            ReadError::NoColumn { near, .. } if !near.is_empty() => {
                Some(format!("columns like it: {}", listed(near)))
            }
            ReadError::NoColumn { columns, .. } => Some(format!("columns: {}", listed(columns))),
            ReadError::OtherColumns {
                first,
                missing,
                extra,
                ..
            } => {
                let missing =
                    (!missing.is_empty()).then(|| format!("missing: {}", listed(missing)));
                let extra =
                    (!extra.is_empty()).then(|| format!("not in {first}: {}", listed(extra)));
                let parts: Vec<String> = missing.into_iter().chain(extra).collect();
                Some(parts.join("          "))
            }
            ReadError::NoNumericColumns { set_aside, .. } if !set_aside.is_empty() => {
                Some(format!("set aside: {}", listed(set_aside)))
            }
            ReadError::Npz { fault, .. } => fault.detail(),
            ReadError::Unsupported { .. } => Some(format!("formats that are read: {READ}")),
            _ => None,
        }
    }

    /// What to do about it.
    pub fn tip(&self) -> Option<String> {
        match self {
            ReadError::Folder { .. } => Some("give one file".to_owned()),
            ReadError::EmptyFolder { folders: 0, .. } => {
                Some("hidden files and those that begin with _ are not looked at".to_owned())
            }
            ReadError::EmptyFolder { folder, .. } => Some(format!(
                "files in folders inside: {}",
                quoted_word(&format!("{}/*/*", folder.trim_end_matches('/')))
            )),
            ReadError::MixedFolder { folder, kinds } => {
                let most = kinds.iter().max_by_key(|(_, count)| *count);
                let end = most.map(|(kind, _)| kind.as_str()).unwrap_or_default();
                let pattern = format!("{}/*.{end}*", folder.trim_end_matches('/'));
                Some(format!("say which: {}", quoted_word(&pattern)))
            }
            ReadError::OtherColumns { .. } => Some(
                "files that are read as one table have the same columns; --columns takes those that all have"
                    .to_owned(),
            ),
            ReadError::OtherHeader { .. } => Some(
                "put the names above every file; --header or --no-header if the guess is wrong".to_owned(),
            ),
            ReadError::MixedColumn { place, token, .. } => {
                let column = &place.column;
                Some(Looks::of(token).tip(token, column, true))
            }
            ReadError::Unsupported { tip, .. } => Some((*tip).to_owned()),
            ReadError::Encoding { .. } => Some(
                "save it as UTF-8; from Latin-1: iconv -f latin1 -t utf-8 IN > OUT".to_owned(),
            ),
            ReadError::Ragged {
                expected,
                found,
                delimiter,
                ..
            } => Some(ragged_tip(*expected, *found, delimiter)),
            ReadError::Preamble { .. } => {
                Some("remove the lines above the header; --no-header if there is none".to_owned())
            }
            ReadError::OpenQuote { .. } => {
                Some("close it, or double it (\"\") where it is part of the text".to_owned())
            }
            ReadError::NotANumber {
                place,
                token,
                looks,
                like_it,
                cells,
                ..
            } => Some(looks.tip(token, &place.column, *like_it * 2 > *cells)),
            ReadError::Infinite { token, .. } => Some(format!(
                "--missing-values {} reads it as missing",
                quoted_word(token)
            )),
            ReadError::Missing { .. } => Some(
                "--missing mean fills them with their column's mean; --missing drop leaves those rows out"
                    .to_owned(),
            ),
            ReadError::TextColumn { column, .. } | ReadError::WrongType { column, .. } => {
                Some(format!("--exclude {} leaves it out", quoted_word(column)))
            }
            ReadError::Workbook { .. } => Some("in the spreadsheet: save as CSV".to_owned()),
            ReadError::Npy { fault, .. } => fault.tip(),
            ReadError::Npz { fault, .. } => fault.tip(),
            ReadError::Plink { fault, .. } => fault.tip(),
            ReadError::Svm { .. } => {
                Some("a line is a label and index:value, …; --format text reads it as a table".to_owned())
            }
            ReadError::Memory { needed, .. } => Some(format!(
                "--memory {}GB allows it, if the machine has it",
                needed.div_ceil(1_000_000_000)
            )),
            ReadError::Columnar { fault, .. } => fault.tip(),
            ReadError::Picture { fault, .. } => fault.tip(),
            ReadError::Packed { .. } => {
                Some("download or copy it again; unpacking it by hand shows where it breaks".to_owned())
            }
            ReadError::Bomb { .. } => Some("if it is meant so, unpack it by hand first".to_owned()),
            _ => None,
        }
    }
}

/// What the operating system said, without its number.
pub(crate) fn io_words(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        io::ErrorKind::StorageFull => "no space left on the disk".to_owned(),
        io::ErrorKind::ReadOnlyFilesystem => "the disk is read-only".to_owned(),
        _ => {
            let text = error.to_string();
            match text.find(" (os error") {
                Some(end) => text[..end].to_lowercase(),
                None => text,
            }
        }
    }
}

/// A cell as a message shows it: quoted, with odd characters escaped, and not too long.
pub(crate) fn shown(token: &str) -> String {
    const LONGEST: usize = 40;
    if token.chars().count() <= LONGEST {
        return format!("{token:?}");
    }
    let cut: String = token.chars().take(LONGEST).collect();
    format!("{cut:?}…")
}

/// A word as it is typed on a command line.
pub(crate) fn quoted_word(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "_./+:%@,=-".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

fn kinds_words(kinds: &[(String, usize)]) -> String {
    let words = |(kind, count): &(String, usize)| match kind.as_str() {
        "" => format!("{} without an ending", grouped(*count as u64)),
        kind => format!("{} .{kind}", grouped(*count as u64)),
    };
    listed(&kinds.iter().map(words).collect::<Vec<_>>())
}

fn missing_words(token: &str) -> String {
    if token.is_empty() {
        "the cell is empty:".to_owned()
    } else {
        format!("{} reads as", shown(token))
    }
}

fn beyond(token: &str) -> &'static str {
    if token.bytes().any(|b| b.is_ascii_digit()) {
        " (beyond the range of a 64-bit float)"
    } else {
        ""
    }
}

fn ragged_tip(expected: usize, found: usize, delimiter: &str) -> String {
    if delimiter == "comma" && found == 2 * expected {
        return "if these are decimal commas, the file needs another delimiter, such as ;"
            .to_owned();
    }
    format!(
        "the delimiter was taken to be a {delimiter}; --delimiter sets another, and a {delimiter} inside a cell needs quotes around it"
    )
}
