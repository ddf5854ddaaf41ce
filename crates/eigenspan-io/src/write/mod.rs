//! Writes tables: CSV, TSV, NPY, Parquet and Arrow, to a file or to standard output.
//!
//! Cells are turned into bytes by many threads ([`TableWriter::format`] takes `&self`) and written in order by one.

mod arrow;
mod atomic;
mod columns;
mod error;
mod folder;
mod graph;
mod live;
mod npy;
mod parquet;
mod rows;

use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use eigenspan::{MatView, Real};

use atomic::AtomicFile;
pub use atomic::{Sealed, probe, write_atomically, write_sealed};
use columns::{Columns, Gathered};
pub use error::WriteError;
pub use folder::FolderWriter;
pub use graph::{SparseFormat, SparseMatrix};
pub use live::remove_unfinished;

use crate::options::Format;
use crate::parallel::each;
use crate::table::TextColumn;

/// Where to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Output {
    /// A file.
    Path(PathBuf),
    /// Standard output.
    Stdout,
}

impl Output {
    /// `-` is standard output, anything else a file.
    pub fn new(given: impl AsRef<Path>) -> Self {
        let given = given.as_ref();
        if given == Path::new("-") {
            Output::Stdout
        } else {
            Output::Path(given.to_owned())
        }
    }

    /// The name that messages use.
    pub fn name(&self) -> String {
        match self {
            Output::Path(path) => path.display().to_string(),
            Output::Stdout => "standard output".to_owned(),
        }
    }

    /// The format that the name asks for: `.tsv`, `.eigenvec`, `.npy`, `.parquet`, `.arrow` and the like, else CSV; an error
    /// for names of other formats.
    pub fn format(&self) -> Result<Format, WriteError> {
        let Output::Path(path) = self else {
            return Ok(Format::Csv);
        };
        let extension = path.extension().unwrap_or_default().to_string_lossy();
        match extension.to_lowercase().as_str() {
            "tsv" | "tab" | "eigenvec" => Ok(Format::Tsv),
            "npy" => Ok(Format::Npy),
            "parquet" | "pq" => Ok(Format::Parquet),
            "arrow" | "feather" | "ipc" => Ok(Format::Arrow),
            "" | "csv" | "txt" | "dat" => Ok(Format::Csv),
            other => Err(WriteError::UnknownFormat {
                file: self.name(),
                extension: other.to_owned(),
            }),
        }
    }
}

/// The columns of a table that is to be written: texts first, then numbers, unless `places` says otherwise.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Layout {
    /// Names of the text columns. An NPY file has none: they are left out.
    pub texts: Vec<String>,
    /// Names of the columns of numbers.
    pub numbers: Vec<String>,
    /// Where the texts stand among all columns, in rising order; empty if they come first.
    pub places: Vec<usize>,
}

/// A column of a table that is to be written, by its number among those of its kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Slot {
    Text(usize),
    Number(usize),
}

impl Layout {
    /// The columns as they stand in the file.
    fn slots(&self) -> Vec<Slot> {
        let (mut texts, mut numbers) = (0..self.texts.len(), 0..self.numbers.len());
        let is_text = |at: usize| self.places.is_empty() || self.places.contains(&at);
        (0..texts.len() + numbers.len())
            .filter_map(|at| {
                let text = if is_text(at) { texts.next() } else { None };
                let number = || numbers.next().map(Slot::Number);
                text.map(Slot::Text).or_else(number)
            })
            .collect()
    }

    fn name(&self, slot: Slot) -> &str {
        match slot {
            Slot::Text(i) => &self.texts[i],
            Slot::Number(j) => &self.numbers[j],
        }
    }
}

/// Rows of a table in the form in which the file will hold them.
#[derive(Debug)]
pub struct Formatted {
    bytes: Vec<u8>,
    /// The rows of a columnar format, which become bytes when there are enough of them.
    columns: Option<Columns>,
    n_rows: u64,
}

/// Writes a table row by row. The file appears under its name only when [`TableWriter::finish`] has succeeded.
#[derive(Debug)]
pub struct TableWriter {
    target: Target,
    name: String,
    format: Format,
    layout: Layout,
    slots: Vec<Slot>,
    element: npy::Element,
    n_rows: u64,
    gathered: Option<Gathered>,
}

#[derive(Debug)]
enum Target {
    File(AtomicFile),
    Stdout(io::BufWriter<io::Stdout>),
    /// An array on its way to standard output: its header is known only at the end.
    Spooled(io::BufWriter<std::fs::File>),
}

/// Rows that one thread formats at a time.
const CHUNK_ROWS: usize = 4096;

impl TableWriter {
    /// Begins a table with numbers of type `T` in a format.
    pub fn create<T: Real>(
        output: &Output,
        format: Format,
        layout: Layout,
    ) -> Result<Self, WriteError> {
        let name = output.name();
        let failed = |source| WriteError::io(&name, source);
        let target = match output {
            Output::Path(path) => Target::File(AtomicFile::create(path)?),
            Output::Stdout if format == Format::Npy => {
                Target::Spooled(io::BufWriter::new(tempfile::tempfile().map_err(failed)?))
            }
            Output::Stdout => Target::Stdout(io::BufWriter::with_capacity(1 << 16, io::stdout())),
        };
        let mut writer = TableWriter {
            target,
            name,
            format,
            slots: layout.slots(),
            layout,
            element: npy::Element::for_type::<T>(),
            n_rows: 0,
            gathered: None,
        };
        let single = writer.element == npy::Element::F32;
        let columnar = Gathered::new(&writer.name, format, &writer.layout, single)?;
        if let Some((gathered, head)) = columnar {
            writer.gathered = Some(gathered);
            writer.put(&head)?;
            return Ok(writer);
        }
        let head = match format {
            Format::Npy => npy::header(writer.element, 0, writer.layout.numbers.len()),
            _ => rows::header(&writer.layout, writer.delimiter()),
        };
        writer.put(&head)?;
        Ok(writer)
    }

    /// Turns rows into bytes; may be called by many threads at once.
    pub fn format<T: Real>(
        &self,
        texts: &[TextColumn],
        numbers: MatView<'_, T>,
    ) -> Result<Formatted, WriteError> {
        self.check(texts, &numbers)?;
        Ok(self.format_rows(texts, &numbers, 0..numbers.n_rows()))
    }

    /// Appends rows that have been formatted.
    pub fn append(&mut self, rows: &Formatted) -> Result<(), WriteError> {
        self.put(&rows.bytes)?;
        if let (Some(gathered), Some(columns)) = (&mut self.gathered, &rows.columns) {
            let bytes = gathered.append(&self.name, columns)?;
            self.put(&bytes)?;
        }
        self.n_rows += rows.n_rows;
        Ok(())
    }

    /// Appends rows: formatted by all threads, written in order.
    pub fn write<T: Real>(
        &mut self,
        texts: &[TextColumn],
        numbers: MatView<'_, T>,
    ) -> Result<(), WriteError> {
        self.check(texts, &numbers)?;
        let n_rows = numbers.n_rows();
        // Enough rows at a time that every thread has several chunks, but no more, so that few bytes wait.
        let wave = CHUNK_ROWS * 4 * rayon::current_num_threads();
        for start in (0..n_rows).step_by(wave) {
            let end = (start + wave).min(n_rows);
            let chunks = each((end - start).div_ceil(CHUNK_ROWS), |i| {
                let from = start + i * CHUNK_ROWS;
                let to = (from + CHUNK_ROWS).min(end);
                self.format_rows(texts, &numbers, from..to)
            });
            for chunk in &chunks {
                self.append(chunk)?;
            }
        }
        Ok(())
    }

    /// Puts the file in its place. Without this call, nothing is left behind.
    pub fn finish(self) -> Result<(), WriteError> {
        self.seal()?.place()
    }

    /// Completes the file, and leaves it to the caller to put it in its place.
    pub fn seal(mut self) -> Result<Sealed, WriteError> {
        if let Some(mut gathered) = self.gathered.take() {
            let bytes = gathered.finish(&self.name)?;
            self.put(&bytes)?;
        }
        let failed = |source| WriteError::io(&self.name, source);
        let n_cols = self.layout.numbers.len();
        let head =
            (self.format == Format::Npy).then(|| npy::header(self.element, self.n_rows, n_cols));
        match &mut self.target {
            Target::File(file) => {
                if let Some(head) = head {
                    file.overwrite_start(&head)?;
                }
            }
            Target::Stdout(out) => out.flush().map_err(failed)?,
            Target::Spooled(spool) => {
                let head = head.unwrap_or_default();
                copy_to_stdout(spool, &head).map_err(failed)?;
            }
        }
        match self.target {
            Target::File(file) => file.seal(),
            Target::Stdout(_) | Target::Spooled(_) => Ok(Sealed::nothing(self.name)),
        }
    }

    fn delimiter(&self) -> u8 {
        if self.format == Format::Tsv {
            b'\t'
        } else {
            b','
        }
    }

    fn check<T: Real>(
        &self,
        texts: &[TextColumn],
        numbers: &MatView<'_, T>,
    ) -> Result<(), WriteError> {
        let as_promised = texts.len() == self.layout.texts.len()
            && numbers.n_cols() == self.layout.numbers.len()
            && texts.iter().all(|column| column.len() == numbers.n_rows());
        if as_promised && self.element == npy::Element::for_type::<T>() {
            return Ok(());
        }
        Err(WriteError::Layout {
            file: self.name.clone(),
        })
    }

    fn format_rows<T: Real>(
        &self,
        texts: &[TextColumn],
        numbers: &MatView<'_, T>,
        range: std::ops::Range<usize>,
    ) -> Formatted {
        let n_rows = range.len() as u64;
        let (mut bytes, mut columns) = (Vec::new(), None);
        match self.format {
            Format::Npy => npy::append_rows(numbers, range, &mut bytes),
            Format::Parquet | Format::Arrow => columns = Some(Columns::new(texts, numbers, range)),
            _ => {
                let order = (self.slots.as_slice(), self.delimiter());
                rows::append_rows(texts, numbers, range, order, &mut bytes);
            }
        }
        Formatted {
            bytes,
            columns,
            n_rows,
        }
    }

    fn put(&mut self, bytes: &[u8]) -> Result<(), WriteError> {
        match &mut self.target {
            Target::File(file) => file.write_all(bytes),
            Target::Stdout(out) => out.write_all(bytes),
            Target::Spooled(out) => out.write_all(bytes),
        }
        .map_err(|source| WriteError::io(&self.name, source))
    }
}

fn copy_to_stdout(spool: &mut io::BufWriter<std::fs::File>, head: &[u8]) -> io::Result<()> {
    spool.flush()?;
    let file = spool.get_mut();
    file.seek(SeekFrom::Start(0))?;
    file.write_all(head)?;
    file.seek(SeekFrom::Start(0))?;
    let mut out = io::stdout().lock();
    io::copy(file, &mut out)?;
    out.flush()
}
