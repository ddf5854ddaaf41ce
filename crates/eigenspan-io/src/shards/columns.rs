//! Matches the columns of several files, and decides what each column is used for in all of them.

use std::collections::{HashMap, HashSet};

use eigenspan::note::listed;
use eigenspan::{Context, Note};

use crate::error::{Place, ReadError};
use crate::file::open_file;
use crate::input::Input;
use crate::options::ReadOptions;
use crate::table::{Convention, SetAside, Table, Why};
use crate::text::MissingWords;

/// The columns of a table that is made of several files.
#[derive(Debug, Default)]
pub(super) struct Columns {
    /// All columns, in the order of the first file.
    pub(super) names: Vec<String>,
    /// Columns of numbers in use.
    pub(super) used: Vec<String>,
    pub(super) set_aside: Vec<SetAside>,
    /// Their positions in each file.
    pub(super) files: Vec<Matched>,
    pub(super) notes: Vec<Note>,
}

/// The positions of the columns in one file.
#[derive(Debug)]
pub(super) struct Matched {
    /// For every column, its position among the file's columns.
    pub(super) names: Vec<usize>,
    /// For every column in use, its position among the file's columns in use; `None` if the file has no cells of it.
    pub(super) used: Vec<Option<usize>>,
}

impl Columns {
    /// Matches the columns; with `some`, files may have other columns besides those in use.
    pub(super) fn matched(tables: &[Table], some: bool) -> Result<Self, ReadError> {
        let Some((first, others)) = tables.split_first() else {
            return Ok(Columns::default());
        };
        for table in others {
            refuse_different_columns(first, table, some)?;
        }
        let mut columns = Columns::default();
        let in_all = |name: &&String| tables.iter().all(|t| t.all_columns().contains(name));
        columns.names = match some {
            true => first.all_columns().iter().filter(in_all).cloned().collect(),
            false => first.all_columns().to_vec(),
        };
        columns.sort_out(tables);
        let (mut reordered, mut files) = (Vec::new(), Vec::new());
        for table in tables {
            let matched = columns.in_file(table);
            if matched.names.windows(2).any(|pair| pair[0] > pair[1]) {
                reordered.push(table.name.clone());
            }
            files.push(matched);
        }
        columns.files = files;
        if !reordered.is_empty() {
            columns.notes.push(Note::reading(format!(
                "the columns of {} come in another order than those of {}: matched by name",
                listed(&reordered),
                first.name
            )));
        }
        Ok(columns)
    }

    /// A column that holds numbers in one file is a column of numbers, unless it counts the rows of another file.
    fn sort_out(&mut self, tables: &[Table]) {
        let used: HashSet<&str> = tables
            .iter()
            .flat_map(|table| table.columns().iter().map(String::as_str))
            .collect();
        let mut aside: HashMap<&str, Why> = HashMap::new();
        for table in tables {
            let guessed = table.id.as_ref().filter(|id| id.guessed);
            let id = guessed.map(|id| (id.name.as_str(), Why::Text));
            let here = table.set_aside.iter().map(|c| (c.name.as_str(), c.why));
            for (name, why) in here.chain(id) {
                let known = aside.entry(name).or_insert(why);
                if weight(why) > weight(*known) {
                    *known = why;
                }
            }
        }
        for name in &self.names {
            let why = aside.get(name.as_str()).copied();
            if why == Some(Why::RowNumbers) || !used.contains(name.as_str()) {
                self.set_aside.extend(why.map(|why| SetAside {
                    name: name.clone(),
                    why,
                }));
            } else {
                self.used.push(name.clone());
            }
        }
    }

    fn in_file(&self, table: &Table) -> Matched {
        let places = |names: &[String]| -> HashMap<String, usize> {
            names.iter().cloned().zip(0..).collect()
        };
        let (all, used) = (places(table.all_columns()), places(table.columns()));
        Matched {
            names: self
                .names
                .iter()
                .map(|name| all.get(name).copied().unwrap_or_default())
                .collect(),
            used: self
                .used
                .iter()
                .map(|name| used.get(name).copied())
                .collect(),
        }
    }

    /// Refuses a column whose numbers are written differently in two files: with other signs or another decimal mark.
    pub(super) fn refuse_mixed_writing(&self, tables: &[Table]) -> Result<(), ReadError> {
        for column in &self.used {
            let used = tables.iter().filter(|t| t.columns().contains(column));
            let known: Vec<(&Table, Convention)> = used
                .filter_map(|table| Some((table, table.cells.convention(column)?)))
                .collect();
            let unlike = |a: &Convention, b: &Convention| {
                let marks = a.decimal.zip(b.decimal);
                a.affix != b.affix || marks.is_some_and(|(a, b)| a != b)
            };
            let with_mark = known.iter().find(|(_, c)| c.decimal.is_some());
            let Some((first, first_here)) = with_mark.or(known.first()) else {
                continue;
            };
            if let Some((table, _)) = known.iter().find(|(_, c)| unlike(c, first_here)) {
                return Err(ReadError::OtherWriting {
                    file: table.name.clone(),
                    first: first.name.clone(),
                    column: column.clone(),
                });
            }
        }
        Ok(())
    }

    /// Refuses a column that is text in one file and numbers in another, with the place of the text.
    pub(super) fn refuse_mixed(
        &self,
        inputs: &[Input],
        tables: &[Table],
        options: &ReadOptions,
        ctx: &Context,
    ) -> Result<(), ReadError> {
        for (table, input) in tables.iter().zip(inputs) {
            let id = table.id.as_ref().map(|id| id.name.as_str());
            let texts = table
                .set_aside
                .iter()
                .filter(|column| matches!(column.why, Why::Text | Why::Dates | Why::Nested))
                .map(|column| column.name.as_str())
                .chain(id);
            for column in texts {
                if !self.used.iter().any(|used| used == column) {
                    continue;
                }
                let with_numbers = tables
                    .iter()
                    .find(|table| table.columns().iter().any(|c| c == column));
                let (place, token) = first_text(table, input, column, options, ctx)?;
                return Err(ReadError::MixedColumn {
                    file: table.name.clone(),
                    place,
                    token,
                    numbers: with_numbers.map(|t| t.name.clone()).unwrap_or_default(),
                });
            }
        }
        Ok(())
    }
}

/// The rank of a reason, if files give several: the highest counts.
fn weight(why: Why) -> u8 {
    match why {
        Why::RowNumbers => 3,
        Why::Text => 2,
        Why::Dates | Why::Nested => 1,
        Why::Empty => 0,
    }
}

/// Refuses a file whose columns are not those of the first.
fn refuse_different_columns(first: &Table, table: &Table, some: bool) -> Result<(), ReadError> {
    let (of_first, of_file) = (first.name.clone(), table.name.clone());
    if first.has_header != table.has_header {
        let (with, without) = match first.has_header {
            true => (of_first, of_file),
            false => (of_file, of_first),
        };
        return Err(ReadError::OtherHeader { with, without });
    }
    let of = |table: &Table| -> Vec<String> {
        match some {
            true => table.columns().to_vec(),
            false => table.all_columns().to_vec(),
        }
    };
    let (expected, found) = (of(first), of(table));
    if !first.has_header && expected.len() != found.len() {
        return Err(ReadError::OtherWidth {
            file: of_file,
            first: of_first,
            expected: expected.len(),
            found: found.len(),
        });
    }
    let there: HashSet<&String> = table.all_columns().iter().collect();
    let known: HashSet<&String> = first.all_columns().iter().collect();
    let missing: Vec<String> = expected
        .into_iter()
        .filter(|n| !there.contains(n))
        .collect();
    let extra: Vec<String> = found.into_iter().filter(|n| !known.contains(n)).collect();
    if missing.is_empty() && extra.is_empty() {
        return Ok(());
    }
    Err(ReadError::OtherColumns {
        file: of_file,
        first: of_first,
        missing,
        extra,
    })
}

/// The first text of a column, with its line if the file can be read again, otherwise with its row.
fn first_text(
    table: &Table,
    input: &Input,
    column: &str,
    options: &ReadOptions,
    ctx: &Context,
) -> Result<(Place, String), ReadError> {
    // A pipe cannot be read again.
    if matches!(input, Input::Path(path) if path.is_file()) {
        let only = ReadOptions {
            columns: vec![column.to_owned()],
            ..options.cell_options()
        };
        if let Err(ReadError::TextColumn { line, token, .. }) = open_file(input, &only, ctx) {
            let place = table.place(0, column);
            return Ok((Place { line, ..place }, token));
        }
    }
    let missing = MissingWords::new(&options.missing_values);
    let col = table.column_index(column)?;
    for part in 0..table.n_parts() {
        let texts = table.part_texts(part, &[col])?;
        let mut cells = texts.columns.iter().flat_map(|column| column.iter());
        if let Some(row) = cells.position(|cell| !missing.contains(cell)) {
            let token = texts.columns.first().map(|c| c.get(row).to_owned());
            let place = table.place(texts.first + row, column);
            return Ok((place, token.unwrap_or_default()));
        }
    }
    Ok((table.place(0, column), String::new()))
}
