//! Several files as one table: their columns are matched by name, and their types are decided over all of them.
//!
//! The result has the rows of the concatenated files in the order given. A fit of it agrees with a fit of the one large
//! file to rounding (1e-12), not to the bit, because sums are cut where files end.

mod chain;
mod columns;

use std::sync::OnceLock;

use eigenspan::error::counted;
use eigenspan::{Context, Note};

use crate::columns::{MOST_IDS, all_differ, hash};
use crate::error::ReadError;
use crate::file::open_file;
use crate::input::Input;
use crate::libsvm::{self, Indices};
use crate::options::ReadOptions;
use crate::table::notes;
use crate::table::{IdColumn, MissingCells, SetAside, Table, Why};
use crate::transpose;
use columns::Columns;

/// The most bytes of numbers kept between readings, for all files together; also at most a quarter of the budget.
const KEPT_BYTES: u64 = 256 << 20;

/// Opens every file, and joins them.
pub(crate) fn open(
    name: &str,
    inputs: &[Input],
    options: &ReadOptions,
    ctx: &Context,
) -> Result<Table, ReadError> {
    let each = match options.transpose {
        true => options.cell_options(),
        false => ReadOptions {
            rows: None,
            ..options.clone()
        },
    };
    if options.transpose {
        transpose::refuse_folders(inputs)?;
    }
    let budget = ctx.memory().map_or(KEPT_BYTES, |m| KEPT_BYTES.min(m / 4));
    let mut kept = 0;
    let mut tables = Vec::with_capacity(inputs.len());
    for input in inputs {
        let table = open_file(input, &each, ctx)?;
        kept += table.cells.kept_bytes();
        if kept > budget {
            kept -= table.cells.kept_bytes();
            table.cells.forget();
        }
        tables.push(table);
    }
    let note = widen(inputs, &mut tables, &each, ctx)?;
    let mut table = join(name, inputs, tables, &each, ctx)?;
    table.notes.extend(note);
    Ok(table)
}

/// libsvm files mention only the columns they use: the widest file tells how many columns there are, and if one file counts
/// from 0, all do. Files that were read with fewer columns are read again.
fn widen(
    inputs: &[Input],
    tables: &mut [Table],
    options: &ReadOptions,
    ctx: &Context,
) -> Result<Option<Note>, ReadError> {
    let own: Option<Vec<Indices>> = tables.iter().map(Indices::from_table).collect();
    let Some(own) = own else {
        return Ok(None);
    };
    let Some(all) = own.iter().copied().reduce(Indices::union) else {
        return Ok(None);
    };
    let mut n_widened = 0;
    for ((table, input), own) in tables.iter_mut().zip(inputs).zip(&own) {
        // A pipe cannot be read again.
        if *own != all && *input != Input::Stdin {
            *table = libsvm::open_again(input, all, options, ctx)?;
            n_widened += 1;
        }
    }
    Ok((n_widened > 0).then(|| {
        let (files, n_cols) = (counted(n_widened, "file"), all.n_cols());
        Note::reading(format!(
            "{files} of libsvm with fewer than all {n_cols} columns: 0 in the others"
        ))
    }))
}

fn join(
    name: &str,
    inputs: &[Input],
    tables: Vec<Table>,
    options: &ReadOptions,
    ctx: &Context,
) -> Result<Table, ReadError> {
    let columns = Columns::matched(&tables, !options.columns.is_empty())?;
    columns.refuse_mixed(inputs, &tables, options, ctx)?;
    columns.refuse_mixed_writing(&tables)?;
    let first = tables.first().ok_or_else(|| ReadError::Empty {
        file: name.to_owned(),
    })?;
    let mut all_notes = columns.notes.clone();
    all_notes.extend(merged_notes(&tables));
    let (format, has_header) = (first.format, first.has_header);
    let (label, weight) = (first.label.clone(), first.weight.clone());
    let given_id = first.id.clone().filter(|id| !id.guessed);
    let n_rows = tables.iter().map(|table| table.n_rows).sum();
    let missing = missing(&columns, &tables);
    let mut set_aside = columns.set_aside.clone();
    let cells = chain::chain(&columns, tables, has_header)?;
    let mut table = Table {
        name: name.to_owned(),
        format,
        n_rows,
        has_header,
        id: given_id,
        label,
        weight,
        set_aside: Vec::new(),
        missing,
        notes: Vec::new(),
        cells,
        array: OnceLock::new(),
    };
    if table.id.is_none() {
        table.id = guess_id(&table, &set_aside, ctx)?;
        all_notes.extend(table.id.as_ref().map(notes::guessed_id));
    }
    set_aside.retain(|column| table.id.as_ref().is_none_or(|id| id.name != column.name));
    all_notes.extend(notes::set_aside(&set_aside));
    table.set_aside = set_aside;
    table.notes = all_notes;
    Ok(table)
}

/// The first column of texts, if all its texts differ in all files together.
fn guess_id(
    table: &Table,
    set_aside: &[SetAside],
    ctx: &Context,
) -> Result<Option<IdColumn>, ReadError> {
    let Some(column) = set_aside.iter().find(|column| column.why == Why::Text) else {
        return Ok(None);
    };
    if !(2..=MOST_IDS).contains(&table.n_rows) {
        return Ok(None);
    }
    let col = table.column_index(&column.name)?;
    let hashes = |part: usize| -> Result<Vec<u64>, ReadError> {
        let texts = table.part_texts(part, &[col])?;
        let texts = texts.columns.iter().flat_map(|column| column.iter());
        Ok(texts.map(|text| hash(text.as_bytes())).collect())
    };
    let distinct = all_differ(table.n_parts(), hashes, ctx)?;
    Ok(distinct.then(|| IdColumn {
        name: column.name.clone(),
        guessed: true,
    }))
}

/// Missing cells of all files: the sum of their counts, and the place of the first.
fn missing(columns: &Columns, tables: &[Table]) -> Option<MissingCells> {
    let n_rows: usize = tables.iter().map(|table| table.n_rows).sum();
    let mut found: Option<MissingCells> = None;
    for (table, matched) in tables.iter().zip(&columns.files) {
        let empty = columns.used.iter().zip(&matched.used);
        let empty: Vec<&String> = empty
            .filter(|(_, at)| at.is_none())
            .map(|(n, _)| n)
            .collect();
        let here = table.missing.clone().or_else(|| {
            let column = (*empty.first()?).clone();
            Some(MissingCells {
                file: table.name.clone(),
                count: 0,
                cells: 0,
                place: table.place(0, &column),
                token: String::new(),
            })
        });
        if let Some(here) = here {
            let count = here.count + (empty.len() * table.n_rows) as u64;
            found.get_or_insert(MissingCells { count: 0, ..here }).count += count;
        }
    }
    found.map(|found| MissingCells {
        cells: (n_rows * columns.used.len()) as u64,
        ..found
    })
}

/// Notes of the files: a note of several files is given once, and a note of one file names the file.
fn merged_notes(tables: &[Table]) -> Vec<Note> {
    const NAMED: usize = 6;
    let mut given: Vec<(Note, &str, usize)> = Vec::new();
    for table in tables {
        for note in notes::others(table) {
            match given.iter_mut().find(|(known, _, _)| *known == note) {
                Some((_, _, times)) => *times += 1,
                None => given.push((note, &table.name, 1)),
            }
        }
    }
    let more = given.len().saturating_sub(NAMED);
    let named = |(note, file, times): (Note, &str, usize)| match note {
        Note::Reading { text, advice } if times == 1 => {
            Note::advised(format!("{file}: {text}"), advice)
        }
        note => note,
    };
    let mut notes: Vec<Note> = given.into_iter().take(NAMED).map(named).collect();
    if more > 0 {
        let what = eigenspan::error::counted(more, "more note");
        notes.push(Note::reading(format!("{what} on single files")));
    }
    notes
}
