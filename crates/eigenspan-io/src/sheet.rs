//! The first sheet of an Excel workbook (xlsx), converted to text and read like any other text.
//!
//! Lines of the text are rows of the sheet, so that errors name the row by its number. Built in with the feature `xlsx`.

use std::io::{Cursor, Write};

use calamine::{DataRef, ExcelDateTime, Reader, Xlsx, XlsxError};
use eigenspan::error::grouped;
use eigenspan::{Context, Note};

use crate::error::ReadError;
use crate::input::Bytes;
use crate::options::{Format, ReadOptions};
use crate::table::Table;
use crate::text;

/// Empty cells that are always allowed, and how many are allowed for each filled cell.
const EMPTY_CELLS: u64 = 1 << 20;
const EMPTY_PER_CELL: u64 = 1000;

type Workbook<'a> = Xlsx<Cursor<&'a [u8]>>;

/// Opens the first sheet.
pub(crate) fn open(
    name: String,
    bytes: &[u8],
    options: &ReadOptions,
    ctx: &Context,
) -> Result<Table, ReadError> {
    let damaged = |error: XlsxError| ReadError::Workbook {
        file: name.clone(),
        what: error.to_string(),
    };
    let mut workbook: Workbook<'_> = Xlsx::new(Cursor::new(bytes)).map_err(damaged)?;
    let sheets = workbook.sheet_names();
    let Some(sheet) = sheets.first() else {
        return Err(ReadError::Empty { file: name });
    };
    let text = text_of(&name, &mut workbook, sheet)?;
    let written = ReadOptions {
        delimiter: Some(','),
        decimal: Some('.'),
        ..options.clone()
    };
    let mut table = text::open(name, text, &written, ctx)?;
    table.format = Format::Xlsx;
    if sheets.len() > 1 {
        let count = grouped(sheets.len() as u64);
        let note = format!("the first of {count} sheets is read: {sheet}");
        table.notes.push(Note::reading(note));
    }
    Ok(table)
}

/// The sheet as lines of text in an unnamed temporary file.
fn text_of(name: &str, workbook: &mut Workbook<'_>, sheet: &str) -> Result<Bytes, ReadError> {
    let damaged = |error: XlsxError| ReadError::Workbook {
        file: name.to_owned(),
        what: error.to_string(),
    };
    let failed = |source| ReadError::Io {
        file: name.to_owned(),
        source,
    };
    let (first, last) = extent(name, workbook, sheet)?;
    let mut cells = workbook.worksheet_cells_reader(sheet).map_err(damaged)?;
    let file = tempfile::tempfile().map_err(failed)?;
    let mut out = std::io::BufWriter::new(file);
    let (mut row, mut col) = (0, first);
    let mut begun = false;
    while let Some(cell) = cells.next_cell().map_err(damaged)? {
        let (at_row, at_col) = cell.get_position();
        let token = written(cell.get_value());
        if token.is_empty() {
            continue;
        }
        if (at_row, at_col) < (row, col) {
            return Err(ReadError::Workbook {
                file: name.to_owned(),
                what: "its cells are not in order".to_owned(),
            });
        }
        while row < at_row {
            // A row without a cell is an empty line, as it is in text.
            if begun {
                pad(&mut out, last - col).map_err(failed)?;
            }
            out.write_all(b"\n").map_err(failed)?;
            (row, col, begun) = (row + 1, first, false);
        }
        pad(&mut out, at_col - col).map_err(failed)?;
        out.write_all(token.as_bytes()).map_err(failed)?;
        (col, begun) = (at_col, true);
    }
    if begun {
        pad(&mut out, last - col).map_err(failed)?;
    }
    out.write_all(b"\n").map_err(failed)?;
    let file = out
        .into_inner()
        .map_err(|error| failed(error.into_error()))?;
    Bytes::map(&file).map_err(failed)
}

fn pad(out: &mut impl Write, commas: u32) -> std::io::Result<()> {
    (0..commas).try_for_each(|_| out.write_all(b","))
}

/// The first and the last column in use. Refuses a sheet whose few cells lie far apart: its text would have billions of
/// commas.
fn extent(name: &str, workbook: &mut Workbook<'_>, sheet: &str) -> Result<(u32, u32), ReadError> {
    let damaged = |error: XlsxError| ReadError::Workbook {
        file: name.to_owned(),
        what: error.to_string(),
    };
    let mut cells = workbook.worksheet_cells_reader(sheet).map_err(damaged)?;
    let (mut first, mut last, mut count) = (u32::MAX, 0, 0u64);
    let (mut row, mut rows) = (u32::MAX, 0u64);
    while let Some(cell) = cells.next_cell().map_err(damaged)? {
        let (at_row, at_col) = cell.get_position();
        if written(cell.get_value()).is_empty() {
            continue;
        }
        (first, last, count) = (first.min(at_col), last.max(at_col), count + 1);
        if at_row != row {
            (row, rows) = (at_row, rows + 1);
        }
    }
    if count == 0 {
        return Err(ReadError::Empty {
            file: name.to_owned(),
        });
    }
    let all = rows.saturating_mul(u64::from(last - first) + 1);
    if all > EMPTY_CELLS.max(count.saturating_mul(EMPTY_PER_CELL)) {
        return Err(ReadError::Workbook {
            file: name.to_owned(),
            what: "a few cells stand far apart from each other".to_owned(),
        });
    }
    Ok((first, last))
}

/// A cell as text: numbers with all digits, dates as 2024-01-31, in quotes where it needs them.
fn written(cell: &DataRef<'_>) -> String {
    match cell {
        DataRef::Empty => String::new(),
        DataRef::Int(number) => number.to_string(),
        DataRef::Float(number) => zmij::Buffer::new().format(*number).to_owned(),
        DataRef::Bool(truth) => if *truth { "TRUE" } else { "FALSE" }.to_owned(),
        DataRef::String(text) => quoted(text),
        DataRef::SharedString(text) => quoted(text),
        DataRef::DateTimeIso(text) | DataRef::DurationIso(text) => quoted(text),
        DataRef::DateTime(date) => date_words(date),
        // Excel shows #N/A for a missing value; other errors become texts, which are refused among numbers.
        DataRef::Error(error) if error.to_string() == "#N/A" => "NA".to_owned(),
        DataRef::Error(error) => quoted(&error.to_string()),
    }
}

fn date_words(date: &ExcelDateTime) -> String {
    if date.is_duration() {
        return zmij::Buffer::new().format(date.as_f64()).to_owned();
    }
    let (year, month, day, hour, minute, second, _) = date.to_ymd_hms_milli();
    let day = format!("{year:04}-{month:02}-{day:02}");
    match (hour, minute, second) {
        (0, 0, 0) => day,
        _ => format!("{day} {hour:02}:{minute:02}:{second:02}"),
    }
}

/// A text in quotes where it needs them, on one line, so that lines stay rows.
fn quoted(text: &str) -> String {
    let line = text.replace(['\r', '\n'], " ");
    let line = line.trim();
    if line.contains([',', '"']) {
        format!("\"{}\"", line.replace('"', "\"\""))
    } else {
        line.to_owned()
    }
}
