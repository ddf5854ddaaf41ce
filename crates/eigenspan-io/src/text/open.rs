//! Opens a text file: reads it once, decides what its columns are, and makes a table.

use std::sync::{Mutex, OnceLock, PoisonError};

use eigenspan::{Context, Note};

use super::records::Want;
use super::roles::{self, Plan, Roles};
use super::source::{Numbers, TextTable};
use super::{TextFile, encoding, scan, written};
use crate::columns::{MOST_IDS, all_differ, hash};
use crate::error::{Edge, ReadError};
use crate::input::Bytes;
use crate::options::ReadOptions;
use crate::parallel::each_in;
use crate::table::Keep;
use crate::table::notes::{self, guessed_id};
use crate::table::{IdColumn, SetAside, Table, Why};

/// The most bytes of numbers that are kept in memory between readings; also at most a quarter of the budget.
const CACHE_BYTES: u64 = 256 << 20;

/// Reads the file and decides what its columns are. A file that is not UTF-8 is read as Windows-1252, with a note.
pub(crate) fn open(
    name: String,
    bytes: Bytes,
    options: &ReadOptions,
    ctx: &Context,
) -> Result<Table, ReadError> {
    let read = |bytes: Bytes| open_utf8(TextFile::new(name.clone(), bytes, options)?, options, ctx);
    match read(bytes.clone()) {
        Err(ReadError::Encoding { file, line, byte }) => {
            let Some(text) = encoding::from_windows_1252(&name, &bytes)? else {
                return Err(ReadError::Encoding { file, line, byte });
            };
            let mut table = read(text)?;
            let note = format!(
                "line {line} is not UTF-8: the file is read as Windows-1252 (Latin-1), so names in another encoding look wrong"
            );
            table.notes.splice(0..0, [Note::reading(note)]);
            Ok(table)
        }
        read => read,
    }
}

fn open_utf8(mut file: TextFile, options: &ReadOptions, ctx: &Context) -> Result<Table, ReadError> {
    let plan = roles::plan(&file, options)?;
    let budget = ctx.memory().map_or(CACHE_BYTES, |m| CACHE_BYTES.min(m / 4));
    let mut scan = scan::scan(&file, &plan.wants, budget, ctx)?;
    if scan.n_rows == 0 {
        return Err(ReadError::NoRows {
            file: file.name.clone(),
        });
    }
    let mut notes = [&file.dialect.notes[..], &plan.notes].concat();
    let given = options.decimal.and_then(|mark| u8::try_from(mark).ok());
    if let Some(written) = written::find(&file, &plan, &scan, given, ctx)? {
        file.writings = written.columns;
        notes.extend(written.notes);
        scan = scan::scan(&file, &plan.wants, budget, ctx)?;
    } else {
        notes.extend(written::doubtful_points(&file, &plan, &scan, given, ctx)?);
    }
    let all_rows = options.rows.is_none();
    let roles = roles::decide(&file, &plan, &scan);
    let roles = roles.map_err(|error| match all_rows {
        true => with_other_rows(error, &file, &scan),
        false => error,
    })?;
    notes.extend_from_slice(&roles.notes);
    let has_header = file.dialect.header.is_some();
    let wants = wanted(&plan, &roles);
    let weight_slot = plan
        .weight
        .map(|weight| wants.iter().take(weight).filter(|w| w.number).count());
    let kept = scan
        .numbers
        .take()
        .map(|numbers| compact(numbers, &plan.wants, &wants, weight_slot, ctx));
    let table = TextTable {
        used_names: roles.used.iter().map(|&col| plan.name(col)).collect(),
        ranges: scan.ranges,
        names: plan.names.clone(),
        file,
        wants,
        weight_slot,
        kept: Keep::full(kept),
    };
    let id = match plan.id {
        Some(col) => Some(IdColumn {
            name: plan.name(col),
            guessed: false,
        }),
        None => guess_id(&table, &plan, &roles, scan.n_rows, ctx)?,
    };
    if let Some(id) = id.as_ref().filter(|id| id.guessed) {
        notes.push(guessed_id(id));
    }
    let aside = |&(col, why): &(usize, Why)| SetAside {
        name: plan.name(col),
        why,
    };
    let set_aside: Vec<SetAside> = roles
        .set_aside
        .iter()
        .map(aside)
        .filter(|column| id.as_ref().is_none_or(|id| id.name != column.name))
        .collect();
    notes.extend(notes::set_aside(&set_aside));
    Ok(Table {
        name: table.file.name.clone(),
        format: table.file.format(),
        n_rows: scan.n_rows,
        has_header,
        id,
        label: plan.label.map(|col| plan.name(col)),
        weight: plan.weight.map(|col| plan.name(col)),
        set_aside,
        missing: roles.missing,
        notes,
        cells: Box::new(table),
        array: OnceLock::new(),
    })
}

/// A text among numbers in the first or the last line may belong to a line of units or remarks: adds to the error the rows
/// without that line.
fn with_other_rows(mut error: ReadError, file: &TextFile, scan: &scan::Scan) -> ReadError {
    let (n_rows, first) = (scan.n_rows, file.dialect.body_line);
    let last = first + n_rows as u64 - 1;
    // Blank lines, comments and line ends inside cells make rows hard to count.
    let line_by_line = scan.lines == last + 1;
    if let ReadError::NotANumber {
        place,
        like_it: 1,
        edge,
        ..
    } = &mut error
        && line_by_line
        && n_rows > 2
    {
        *edge = match place.line {
            line if line == first => Some(Edge::First),
            line if line == last => Some(Edge::Last),
            _ => None,
        };
    }
    error
}

/// The first column of texts, if all its texts differ.
fn guess_id(
    table: &TextTable,
    plan: &Plan,
    roles: &Roles,
    n_rows: usize,
    ctx: &Context,
) -> Result<Option<IdColumn>, ReadError> {
    let first = roles.set_aside.iter().find(|(_, why)| *why == Why::Text);
    let Some(&(col, _)) = first else {
        return Ok(None);
    };
    if !(2..=MOST_IDS).contains(&n_rows) {
        return Ok(None);
    }
    let mut wants = vec![Want::default(); table.wants.len()];
    wants[col].text = true;
    let hashes = |part: usize| -> Result<Vec<u64>, ReadError> {
        let mut hashes = Vec::new();
        table.for_each_row(part, &wants, |fields, _| {
            for field in fields {
                hashes.push(hash(&table.file.splitter().content(field)));
            }
            Ok(())
        })?;
        Ok(hashes)
    };
    let distinct = all_differ(table.ranges.len(), hashes, ctx)?;
    Ok(distinct.then(|| IdColumn {
        name: plan.name(col),
        guessed: true,
    }))
}

/// What later readings take: the columns in use and the weights.
fn wanted(plan: &Plan, roles: &Roles) -> Vec<Want> {
    let mut wants = vec![Want::default(); plan.wants.len()];
    for &col in roles.used.iter().chain(&plan.weight) {
        wants[col].number = true;
    }
    wants
}

/// Removes the columns that are not used from the numbers that the first reading kept.
fn compact(
    numbers: Vec<Vec<f64>>,
    had: &[Want],
    wants: &[Want],
    weight_slot: Option<usize>,
    ctx: &Context,
) -> Vec<Numbers> {
    let stays: Vec<bool> = had
        .iter()
        .zip(wants)
        .filter(|(had, _)| had.number)
        .map(|(_, want)| want.number)
        .collect();
    if stays.iter().all(|stays| *stays) && weight_slot.is_none() {
        let whole = |cells| Numbers {
            cells,
            weights: Vec::new(),
        };
        return numbers.into_iter().map(whole).collect();
    }
    // Each is let go as soon as it is not needed.
    let numbers: Vec<Mutex<Vec<f64>>> = numbers.into_iter().map(Mutex::new).collect();
    each_in(ctx, numbers.len(), |i| {
        let mut cells = numbers[i].lock().unwrap_or_else(PoisonError::into_inner);
        let cells = std::mem::take(&mut *cells);
        let mut out = Numbers::default();
        let mut row = Vec::with_capacity(stays.len());
        for cells in cells.chunks_exact(stays.len().max(1)) {
            row.clear();
            let kept = cells.iter().zip(&stays).filter(|(_, stays)| **stays);
            row.extend(kept.map(|(cell, _)| *cell));
            out.push(&row, weight_slot);
        }
        out
    })
}
