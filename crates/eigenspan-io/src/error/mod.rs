//! Why a file could not be read, as data: the first line says what is wrong, [`ReadError::detail`] how much,
//! [`ReadError::advice`] what to do.

mod advice;
mod columnar;
mod libsvm;
mod looks;
mod mtx;
mod npy;
mod npz;
mod picture;
mod place;
mod plink;
mod through_core;
mod words;

use std::io;

use eigenspan::error::{bytes_words, counted, grouped};
use eigenspan::note::{Advice, listed};

pub use columnar::ColumnarFault;
pub use libsvm::SvmFault;
pub use looks::Looks;
pub use mtx::{MtxFault, TenxFault};
pub use npy::NpyFault;
pub use npz::NpzFault;
pub use picture::PictureFault;
pub use place::{Place, Unit};
pub use plink::PlinkFault;
pub(crate) use through_core::{from_core, into_core};
use words::{beyond, kinds_words, missing_words};
pub(crate) use words::{io_words, quoted_word, shown};

/// The first or the last row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edge {
    /// The first.
    First,
    /// The last.
    Last,
}

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
    /// A link to a file that is not there.
    #[error("{file} is a link to {target}, which does not exist")]
    DanglingLink {
        /// The link as given.
        file: String,
        /// What it leads to.
        target: String,
    },
    /// A device that never stops giving bytes.
    #[error("{file} gave {} and no end: it is a device, not a file", bytes_words(*.read))]
    Endless {
        /// The device as given.
        file: String,
        /// Bytes read before it was given up.
        read: u64,
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
        /// Ends of the files' names, and how many files have each.
        kinds: Vec<(String, usize)>,
    },
    /// A pattern that matches no file.
    #[error("no file matches {pattern}")]
    NoMatch {
        /// The pattern as given.
        pattern: String,
    },
    /// Two files of one table with different columns.
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
    /// Two files of one table, without names, with different numbers of columns.
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
    /// Two files of one table, one with names of columns and one without.
    #[error("{with} has names of columns, but {without} has none")]
    OtherHeader {
        /// The file with names.
        with: String,
        /// The file without.
        without: String,
    },
    /// A column whose numbers are written in two ways.
    #[error(
        "{file} writes the numbers of column {column:?} otherwise than {first}: another decimal mark, or another sign beside them"
    )]
    OtherWriting {
        /// The file.
        file: String,
        /// The first file.
        first: String,
        /// The column.
        column: String,
    },
    /// A column of text beside an array in memory with more or fewer texts than the array has rows.
    #[error("{file}: column {column:?} has {} for {}", counted(*.found, "text"), counted(*.expected, "row"))]
    OtherLength {
        /// The array's name.
        file: String,
        /// The column.
        column: String,
        /// Its texts.
        found: usize,
        /// Rows of the array.
        expected: usize,
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
    /// The file is empty.
    #[error("{file} is empty")]
    Empty {
        /// The file.
        file: String,
    },
    /// All cells are empty or missing.
    #[error("{file} has no values: all its cells are empty or missing")]
    NoValues {
        /// The file.
        file: String,
    },
    /// A header without rows below it.
    #[error("{file} has no rows below its header")]
    NoRows {
        /// The file.
        file: String,
    },
    /// Fewer rows than the number of the first requested row.
    #[error("{file} has {}, so it has no row {first}", counted(*.n_rows, "row"))]
    NoSuchRow {
        /// The file.
        file: String,
        /// The first requested row, from 1.
        first: usize,
        /// Rows of the file.
        n_rows: usize,
    },
    /// A kind of file that is recognized but not read.
    #[error("{file} is {what}, which eigenspan does not read")]
    Unsupported {
        /// The file.
        file: String,
        /// Its kind, with an article: `a PDF document`.
        what: &'static str,
        /// How to convert it to a file that is read.
        advice: Advice,
    },
    /// A model where data is needed.
    #[error("{file} is a model, and data is needed here")]
    Model {
        /// The model file.
        file: String,
    },
    /// The name promises a format that the content does not have.
    #[error("{file} is named like {named}, but its content is not one")]
    WrongName {
        /// The file.
        file: String,
        /// What the name promises, with an article.
        named: &'static str,
    },
    /// Bytes that are not UTF-8 text.
    #[error("{file} line {line} is not UTF-8 text (byte 0x{byte:02x})")]
    Encoding {
        /// The file.
        file: String,
        /// Line, from 1.
        line: u64,
        /// The first byte that does not fit.
        byte: u8,
    },
    /// A NUL byte, which cannot occur in text.
    #[error("{file} line {line} holds a NUL byte, which no text does")]
    Nul {
        /// The file.
        file: String,
        /// Line, from 1.
        line: u64,
    },
    /// UTF-16 with half a surrogate pair.
    #[error("{file} line {line} is not UTF-16 text, though the file begins as one")]
    HalfLetter {
        /// The file.
        file: String,
        /// Line, from 1.
        line: u64,
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
        /// Cells of this column that are not numbers, including this one.
        like_it: u64,
        /// Cells of this column.
        cells: u64,
        /// Whether it stands in the first or the last row, which may not be a row of data.
        edge: Option<Edge>,
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
    /// A missing cell, for work that cannot handle missing cells.
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
        /// Rows without a missing cell, if they were counted.
        complete: Option<usize>,
    },
    /// A column that does not exist.
    #[error("no column {name:?} in {file}")]
    NoColumn {
        /// The file.
        file: String,
        /// The column that was requested.
        name: String,
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
    /// No column is left, because of the excluded ones.
    #[error("no numeric column of {file} is left to work on: exclude = {:?} leaves them out", .excluded.join(","))]
    NothingLeft {
        /// The file.
        file: String,
        /// The values of `exclude`.
        excluded: Vec<String>,
    },
    /// An option with a value that it does not take.
    #[error("{option} = {given:?} cannot be; it takes {allowed}")]
    BadOption {
        /// The option's name.
        option: &'static str,
        /// What was given.
        given: String,
        /// The values that it takes.
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
    /// A matrix that takes more memory than allowed.
    #[error("{file}: {what} needs {}, but only {} may be used", bytes_words(*.needed), bytes_words(*.allowed))]
    Memory {
        /// The file.
        file: String,
        /// What needs the memory.
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
    /// A column that does not hold numbers, where numbers are needed.
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
    /// An HDF5 file that holds no matrix as AnnData writes it, or a damaged one.
    #[error("{file}: not an AnnData file that can be read: {what}")]
    Anndata {
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
    /// The file changed while it was being read.
    #[error("{file} was changed while it was being read")]
    Changed {
        /// The file.
        file: String,
    },
    /// An error of the core: the work was interrupted.
    #[error(transparent)]
    Core(#[from] eigenspan::Error),
}
