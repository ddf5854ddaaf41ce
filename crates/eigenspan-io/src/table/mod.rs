//! An open table: its columns by name, its numbers as a source, its texts, and notes from reading it.

mod in_memory;
mod keep;
pub(crate) mod notes;
mod texts;

use std::fmt::Debug;
use std::sync::OnceLock;

pub use eigenspan::source::Numbers;
use eigenspan::source::{Source, Widened};
use eigenspan::{Context, Note, Real, on_numbers};

use crate::error::{Place, ReadError, Unit};
use crate::options::Format;
use crate::parallel::each;
use crate::picture::Picture;
use crate::select::Names;
pub use in_memory::{Cut, InMemory};
use in_memory::{NumbersInMemory, small_bytes};
pub(crate) use keep::Keep;
pub use texts::TextColumn;

/// Rows of one part, for formats in which rows are found without parsing. It is the same for every such format, so that the
/// same numbers give the same bits.
pub fn part_rows(n_cols: usize) -> usize {
    const PART_CELLS: usize = 1 << 18;
    (PART_CELLS / n_cols.max(1)).max(1)
}

/// A table that has been opened.
#[derive(Debug)]
pub struct Table {
    pub(crate) name: String,
    pub(crate) format: Format,
    pub(crate) n_rows: usize,
    pub(crate) has_header: bool,
    pub(crate) id: Option<IdColumn>,
    pub(crate) label: Option<String>,
    pub(crate) weight: Option<String>,
    pub(crate) set_aside: Vec<SetAside>,
    pub(crate) missing: Option<MissingCells>,
    pub(crate) notes: Vec<Note>,
    pub(crate) cells: Box<dyn Cells>,
    /// The numbers of a small table, once they have been fetched.
    pub(crate) array: OnceLock<NumbersInMemory>,
}

/// The cells of an open file, whatever its format: what every reader implements.
pub(crate) trait Cells: Debug + Send + Sync {
    /// Names of all columns of the file.
    fn names(&self) -> &[String];

    /// Names of the numeric columns in use, in the order of the file.
    fn used_names(&self) -> &[String];

    /// The numbers of the columns in use.
    fn numbers(&self) -> Numbers<'_>;

    /// The cells of some columns (by their position in [`Cells::names`]) in one part of the numbers, as they are written.
    fn part_texts(&self, part: usize, columns: &[usize]) -> Result<PartTexts, ReadError>;

    /// How the numbers of a column are written, for formats in which that can differ.
    fn convention(&self, _column: &str) -> Option<Convention> {
        None
    }

    /// The cells that these are made of, where what is kept of them is kept there.
    fn inner(&self) -> Option<&dyn Cells> {
        None
    }

    /// Reads into memory what may stay there, before several readings. For a small table, [`Table::fetch`] then copies the
    /// numbers into an array, and drops what this kept.
    fn fetch(&self, ctx: &Context) -> Result<(), ReadError> {
        self.inner().map_or(Ok(()), |cells| cells.fetch(ctx))
    }

    /// Bytes of numbers that are kept only to save another reading.
    fn kept_bytes(&self) -> u64 {
        self.inner().map_or(0, |cells| cells.kept_bytes())
    }

    /// Drops the kept numbers for good.
    fn forget(&self) {
        if let Some(cells) = self.inner() {
            cells.forget();
        }
    }

    /// Bytes that so many threads unpack at once while they read.
    fn reading_bytes(&self, threads: usize) -> u64 {
        self.inner().map_or(0, |cells| cells.reading_bytes(threads))
    }

    /// The shape of the pictures that are the rows, or whose patches are the rows.
    fn picture(&self) -> Option<Picture> {
        None
    }
}

/// How the numbers of a column are written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Convention {
    /// The decimal mark, where the file shows one.
    pub(crate) decimal: Option<u8>,
    /// The affix of every number, in words: `with %`, `in €`.
    pub(crate) affix: Option<String>,
}

/// A type that numbers are stored in, or can be turned into.
pub(crate) trait Element: Real {
    /// Calls `take` with the numbers in this type; returns `None` where that would lose digits.
    fn with_source<R>(numbers: Numbers<'_>, take: impl FnOnce(&dyn Source<Self>) -> R)
    -> Option<R>;
}

impl Element for f32 {
    fn with_source<R>(numbers: Numbers<'_>, take: impl FnOnce(&dyn Source<f32>) -> R) -> Option<R> {
        match numbers {
            Numbers::F32(source) => Some(take(source)),
            Numbers::F64(_) => None,
        }
    }
}

impl Element for f64 {
    fn with_source<R>(numbers: Numbers<'_>, take: impl FnOnce(&dyn Source<f64>) -> R) -> Option<R> {
        match numbers {
            Numbers::F32(source) => Some(take(&Widened(source))),
            Numbers::F64(source) => Some(take(source)),
        }
    }
}

/// The column that names the rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdColumn {
    /// Its name.
    pub name: String,
    /// Whether it was guessed rather than given.
    pub guessed: bool,
}

/// A column that is not analyzed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetAside {
    /// Its name.
    pub name: String,
    /// Why.
    pub why: Why,
}

/// Why a column is not analyzed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Why {
    /// It holds text.
    Text,
    /// It holds dates.
    Dates,
    /// It holds nothing.
    Empty,
    /// It has no name and counts the rows, or another program wrote it as an index.
    RowNumbers,
    /// Its cells are not single values: lists of texts, structures, bytes.
    Nested,
}

/// The missing cells of the columns in use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingCells {
    /// The file.
    pub file: String,
    /// How many there are.
    pub count: u64,
    /// All cells of the columns in use.
    pub cells: u64,
    /// Where the first is.
    pub place: Place,
    /// How the first is written.
    pub token: String,
}

impl MissingCells {
    /// The error for work that cannot handle missing cells.
    pub fn error(&self) -> ReadError {
        ReadError::Missing {
            file: self.file.clone(),
            place: self.place.clone(),
            token: self.token.clone(),
            count: self.count,
            cells: self.cells,
            complete: None,
        }
    }
}

/// The texts of some columns in one part of a table.
#[derive(Debug, Clone, Default)]
pub struct PartTexts {
    /// Number of the part's first row within the table, from 0.
    pub first: usize,
    /// One per column asked for, in the order asked.
    pub columns: Vec<TextColumn>,
}

impl Table {
    /// The name that messages use: the path as given, or `standard input`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The format it was read as.
    pub fn format(&self) -> Format {
        self.format
    }

    /// Rows.
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// Names of the numeric columns in use, in the order of the file; numbers from 1 where there are no names.
    pub fn columns(&self) -> &[String] {
        self.cells.used_names()
    }

    /// Names of all columns of the file.
    pub fn all_columns(&self) -> &[String] {
        self.cells.names()
    }

    /// Whether the columns have names.
    pub fn has_header(&self) -> bool {
        self.has_header
    }

    /// The column that names the rows, if there is one.
    pub fn id(&self) -> Option<&IdColumn> {
        self.id.as_ref()
    }

    /// The column of classes, if one was given.
    pub fn label(&self) -> Option<&str> {
        self.label.as_deref()
    }

    /// The column of weights, if one was given.
    pub fn weight(&self) -> Option<&str> {
        self.weight.as_deref()
    }

    /// Columns that are not analyzed and were not named in the options.
    pub fn set_aside(&self) -> &[SetAside] {
        &self.set_aside
    }

    /// What a person should know about how the file was read.
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// The notes apart from those about which columns are set aside, and which one is the id.
    pub fn notes_on_cells(&self) -> Vec<Note> {
        notes::others(self)
    }

    /// The missing cells of the columns in use. They come out as NaN.
    ///
    /// `None` for NPY files and arrays, whose cells are not looked at before they are used.
    pub fn missing(&self) -> Option<&MissingCells> {
        self.missing.as_ref()
    }

    /// The place of a row (from 0) of a column: a line, in a text file without line ends inside cells; otherwise a row.
    pub(crate) fn place(&self, row: usize, column: &str) -> Place {
        let is_text = matches!(self.format, Format::Csv | Format::Tsv | Format::Text);
        let (unit, before) = match is_text {
            true => (Unit::Line, u64::from(self.has_header)),
            false => (Unit::Row, 0),
        };
        Place {
            line: row as u64 + 1 + before,
            column: column.to_owned(),
            named: self.has_header,
            unit,
        }
    }

    /// The numbers of the columns in use; from memory once they were fetched.
    pub fn numbers(&self) -> Numbers<'_> {
        match self.array.get() {
            Some(array) => array.numbers(),
            None => self.cells.numbers(),
        }
    }

    /// The shape of the pictures that are the rows, or whose patches are the rows; `None` if columns are left out.
    pub fn picture(&self) -> Option<Picture> {
        self.cells.picture()
    }

    /// The place of a column in the file, from 0, by its name or its number from 1.
    pub fn column_index(&self, column: &str) -> Result<usize, ReadError> {
        Names::new(&self.name, self.all_columns()).one(column)
    }

    /// All cells of any one column of the file, as they are written.
    pub fn texts(&self, column: &str) -> Result<Vec<String>, ReadError> {
        let col = self.column_index(column)?;
        // Texts are read by the parts of the file, which may differ from the parts of numbers in memory.
        let part = |part| self.cells.part_texts(part, &[col]);
        let n_parts = on_numbers!(self.cells.numbers(), source => source.n_parts());
        let parts: Result<Vec<PartTexts>, ReadError> = each(n_parts, part).into_iter().collect();
        let columns = parts?.into_iter().flat_map(|part| part.columns);
        Ok(columns.flat_map(|c| c.into_strings()).collect())
    }

    /// Parts of the table: the same as those of [`Table::numbers`].
    pub fn n_parts(&self) -> usize {
        on_numbers!(self.numbers(), source => source.n_parts())
    }

    /// The cells of some columns (by [`Table::column_index`]) in one part, as they are written.
    ///
    /// They stand beside the rows that `numbers().read_part(part, …)` hands over: row `rows.first + i` of a block has
    /// the texts at `rows.first - first + i`.
    pub fn part_texts(&self, part: usize, columns: &[usize]) -> Result<PartTexts, ReadError> {
        match self.array.get() {
            Some(array) => array.part_texts(&*self.cells, part, columns),
            None => self.cells.part_texts(part, columns),
        }
    }

    /// The numbers as a fit reads them: in memory, if the table is small. If they cannot be read, the fit reports the error.
    pub fn in_memory(&self, ctx: &Context) -> InMemory {
        let _ = self.fetch_small(ctx);
        InMemory(())
    }

    /// Bytes of memory that the table takes during a fit, in addition to the fit itself: for a small table the array; for any
    /// other, the numbers kept between readings and what is unpacked at once.
    pub fn memory(&self, ctx: &Context) -> u64 {
        let cells = &self.cells;
        let array = match self.array.get() {
            // The file is not read any more.
            Some(array) => return array.bytes(),
            None => small_bytes(ctx, cells.numbers()),
        };
        array.unwrap_or_else(|| cells.kept_bytes()) + cells.reading_bytes(ctx.threads())
    }

    /// Reads the numbers into memory, if they may stay there: worth it before several readings.
    ///
    /// The numbers of a small table become one array, cut into the same parts as all files, which [`Table::numbers`] returns
    /// from then on; so every reading, whatever the format, gives the same bits.
    pub fn fetch(&self, ctx: &Context) -> Result<(), ReadError> {
        self.fetch_small(ctx)?;
        match self.array.get() {
            Some(_) => Ok(()),
            None => self.cells.fetch(ctx),
        }
    }

    /// Like [`Table::fetch`], but reads nothing of a table that is not small.
    pub fn fetch_small(&self, ctx: &Context) -> Result<(), ReadError> {
        let small = || small_bytes(ctx, self.cells.numbers()).is_some();
        if self.array.get().is_some() || !small() {
            return Ok(());
        }
        self.cells.fetch(ctx)?;
        let array = NumbersInMemory::read(ctx, &*self.cells)?;
        // Another thread may have set the array first; both read the same numbers.
        let _ = self.array.set(array);
        self.cells.forget();
        Ok(())
    }
}
