//! The banner and the sizes of a Matrix Market file.

use crate::error::MtxFault;
use crate::sparse::{fields, text_lines};

/// Whether all cells are written, or only some, each with its position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout {
    Coordinate,
    Array,
}

/// What the values are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Field {
    Real,
    Integer,
    /// No values: every entry is 1.
    Pattern,
}

/// Which cells are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Symmetry {
    General,
    /// The lower triangle; cells above the diagonal are the same.
    Symmetric,
    /// The lower triangle; cells above the diagonal have the opposite sign.
    Skew,
}

/// The header of a file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Header {
    pub(super) layout: Layout,
    pub(super) field: Field,
    pub(super) symmetry: Symmetry,
    pub(super) n_rows: usize,
    pub(super) n_cols: usize,
    /// Entries that the file promises.
    pub(super) entries: u64,
    /// Where the entries begin.
    pub(super) body: usize,
}

/// A result, or a fault with the start of its line.
pub(super) type At<T> = Result<T, (usize, MtxFault)>;

/// Reads the banner and the sizes: <https://math.nist.gov/MatrixMarket/formats.html>.
pub(super) fn read(bytes: &[u8]) -> At<Header> {
    let mut lines = text_lines(bytes, 0..bytes.len());
    let (_, banner) = lines.next().unwrap_or_default();
    let (layout, field, symmetry) = banner_words(banner).map_err(|fault| (0, fault))?;
    let blank = |line: &[u8]| line.starts_with(b"%") || fields(line).next().is_none();
    let sizes = lines.find(|(_, line)| !blank(line));
    let entries = layout == Layout::Coordinate;
    let (at, line) = sizes.ok_or((bytes.len(), MtxFault::Sizes { entries }))?;
    let header = sizes_of(line, entries).and_then(|[n_rows, n_cols, promised]| {
        let (rows, cols) = (size(n_rows), size(n_cols));
        if rows == 0 || cols == 0 {
            return Err(MtxFault::Empty { rows, cols });
        }
        if symmetry != Symmetry::General && rows != cols {
            return Err(MtxFault::NotSquare { rows, cols });
        }
        Ok(Header {
            layout,
            field,
            symmetry,
            n_rows: rows,
            n_cols: cols,
            entries: match layout {
                Layout::Coordinate => promised,
                Layout::Array => array_entries(n_rows, n_cols, symmetry),
            },
            body: lines.next().map_or(bytes.len(), |(at, _)| at),
        })
    });
    header.map_err(|fault| (at, fault))
}

fn banner_words(line: &[u8]) -> Result<(Layout, Field, Symmetry), MtxFault> {
    let text = String::from_utf8_lossy(line).to_lowercase();
    let mut words = text.split_whitespace();
    if words.next() != Some("%%matrixmarket") {
        return Err(MtxFault::Banner);
    }
    let mut word = |allowed: &'static str| {
        let word = words.next().unwrap_or_default().to_owned();
        (word.clone(), MtxFault::Word { word, allowed })
    };
    let (object, unknown) = word("matrix");
    if object != "matrix" {
        return Err(unknown);
    }
    let (layout, unknown) = word("coordinate and array");
    let layout = match layout.as_str() {
        "coordinate" => Layout::Coordinate,
        "array" => Layout::Array,
        _ => return Err(unknown),
    };
    let (field, unknown) = word("real, integer and pattern");
    let field = match field.as_str() {
        "real" | "double" => Field::Real,
        "integer" | "unsigned-integer" => Field::Integer,
        "pattern" if layout == Layout::Coordinate => Field::Pattern,
        _ => return Err(unknown),
    };
    let (symmetry, unknown) = word("general, symmetric and skew-symmetric");
    let symmetry = match symmetry.as_str() {
        "general" => Symmetry::General,
        // For real numbers, the two are the same.
        "symmetric" | "hermitian" => Symmetry::Symmetric,
        "skew-symmetric" => Symmetry::Skew,
        _ => return Err(unknown),
    };
    Ok((layout, field, symmetry))
}

/// Two or three whole numbers; the third is 0 if it is not expected.
fn sizes_of(line: &[u8], entries: bool) -> Result<[u64; 3], MtxFault> {
    let damaged = MtxFault::Sizes { entries };
    let text = std::str::from_utf8(line).unwrap_or_default();
    let numbers: Result<Vec<u64>, _> = text.split_whitespace().map(str::parse).collect();
    match (numbers.unwrap_or_default().as_slice(), entries) {
        (&[n_rows, n_cols, promised], true) => Ok([n_rows, n_cols, promised]),
        (&[n_rows, n_cols], false) => Ok([n_rows, n_cols, 0]),
        _ => Err(damaged),
    }
}

fn size(n: u64) -> usize {
    usize::try_from(n).unwrap_or(usize::MAX)
}

/// The number of cells that an array writes; `u64::MAX` if it overflows.
fn array_entries(n_rows: u64, n_cols: u64, symmetry: Symmetry) -> u64 {
    let half = |n: u64| n_rows.checked_mul(n).map(|twice| twice / 2);
    let entries = match symmetry {
        Symmetry::General => n_rows.checked_mul(n_cols),
        Symmetry::Symmetric => n_rows.checked_add(1).and_then(half),
        Symmetry::Skew => half(n_rows - 1),
    };
    entries.unwrap_or(u64::MAX)
}
