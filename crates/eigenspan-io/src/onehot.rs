//! Columns of text as columns of 0 and 1, one per text: `species=Adelie`. They come after the columns of numbers.
//!
//! A missing text is 0 in all these columns; so is a text of new data that the model has not seen.

use std::collections::BTreeMap;

use eigenspan::error::counted;
use eigenspan::note::listed;
use eigenspan::source::{Block, Rows, Sink, Source};
use eigenspan::{Context, Error, MatView, Note};

use crate::error::{ReadError, into_core};
use crate::options::ReadOptions;
use crate::parallel::try_each;
use crate::sample::given_names;
use crate::table::notes;
use crate::table::{Cells, Element, Numbers, PartTexts, Table, TextColumn, Why};
use crate::text::MissingWords;

/// The most distinct texts that a column may have.
const MOST_LEVELS: usize = 100;

/// A column of text, and its texts in the order of their columns.
#[derive(Debug)]
struct Encoded {
    name: String,
    col: usize,
    levels: Vec<String>,
}

/// How often each text occurs in a column; beyond a limit, further texts are only counted.
#[derive(Debug, Clone, Default)]
struct Tally {
    counts: BTreeMap<String, u64>,
    beyond: u64,
    missing: u64,
}

/// Turns columns of text into numbers, if the options ask for it.
pub(crate) fn encode(
    table: Table,
    options: &ReadOptions,
    ctx: &Context,
) -> Result<Table, ReadError> {
    let mut columns = match (options.one_hot_columns.as_slice(), options.one_hot) {
        ([], false) => return not_encoded(table, options),
        ([], true) => texts_of(&table)?,
        (model, _) => known_to_model(&table, model)?,
    };
    let missing = MissingWords::new(&options.missing_values);
    let tallies = tally(&table, &columns, &missing, ctx)?;
    let mut notes = Vec::new();
    let fresh = options.one_hot_columns.is_empty();
    for (column, tally) in columns.iter_mut().zip(&tallies) {
        if fresh {
            column.levels = tally.levels(&column.name, &mut notes);
        } else {
            notes.extend(tally.unknown(column));
        }
        if tally.missing > 0 && !column.levels.is_empty() {
            notes.push(Note::reading(format!(
                "{}: {} missing, 0 in all its columns",
                column.name,
                counted(tally.missing as usize, "text")
            )));
        }
    }
    columns.retain(|column| !column.levels.is_empty());
    if columns.is_empty() {
        let mut table = not_encoded(table, options)?;
        table.notes.extend(notes);
        return Ok(table);
    }
    Ok(with_columns(table, columns, notes))
}

/// A table that is not encoded; one without numbers is refused unless the options allow it.
fn not_encoded(table: Table, options: &ReadOptions) -> Result<Table, ReadError> {
    if table.columns().is_empty() && !options.without_numbers {
        return Err(ReadError::NoNumericColumns {
            set_aside: table.set_aside.iter().map(|c| c.name.clone()).collect(),
            file: table.name,
        });
    }
    Ok(table)
}

fn with_columns(mut table: Table, columns: Vec<Encoded>, notes: Vec<Note>) -> Table {
    let encoded = |name: &String| columns.iter().any(|column| column.name == *name);
    let mut all_notes = notes::others(&table);
    all_notes.extend(notes);
    table.set_aside.retain(|column| !encoded(&column.name));
    table.id = table.id.filter(|id| !encoded(&id.name));
    all_notes.extend(
        table
            .id
            .iter()
            .filter(|id| id.guessed)
            .map(notes::guessed_id),
    );
    all_notes.extend(notes::set_aside(&table.set_aside));
    table.notes = all_notes;
    let mut used_names = table.columns().to_vec();
    for column in &columns {
        let name = |level: &String| format!("{}={level}", column.name);
        used_names.extend(column.levels.iter().map(name));
    }
    table.cells = Box::new(OneHot {
        inner: table.cells,
        named: table.has_header,
        used_names,
        columns,
    });
    table
}

/// Columns of text that have no other role.
fn texts_of(table: &Table) -> Result<Vec<Encoded>, ReadError> {
    let texts = table.set_aside.iter().filter(|c| c.why == Why::Text);
    texts
        .map(|column| encoded(table, &column.name, Vec::new()))
        .collect()
}

/// The columns of text that a model has encoded: `species=Adelie` is the text Adelie of the column species.
fn known_to_model(table: &Table, model: &[String]) -> Result<Vec<Encoded>, ReadError> {
    let guessed = table.id.as_ref().filter(|id| id.guessed);
    let candidates: Vec<&str> = table
        .set_aside
        .iter()
        .filter(|column| matches!(column.why, Why::Text | Why::Empty | Why::Dates))
        .map(|column| column.name.as_str())
        .chain(guessed.map(|id| id.name.as_str()))
        .collect();
    let mut found: Vec<Encoded> = Vec::new();
    for name in model {
        if table.all_columns().contains(name) {
            continue;
        }
        let cuts = name.match_indices('=').map(|(at, _)| name.split_at(at));
        let fits = cuts
            .filter_map(|(column, level)| Some((column, level.strip_prefix('=')?)))
            .find(|(column, _)| candidates.contains(column));
        let Some((column, level)) = fits else {
            continue;
        };
        match found.iter_mut().find(|known| known.name == column) {
            Some(known) => known.levels.push(level.to_owned()),
            None => found.push(encoded(table, column, vec![level.to_owned()])?),
        }
    }
    Ok(found)
}

fn encoded(table: &Table, name: &str, levels: Vec<String>) -> Result<Encoded, ReadError> {
    Ok(Encoded {
        name: name.to_owned(),
        col: table.column_index(name)?,
        levels,
    })
}

/// Counts the texts of all columns in one reading; parts are merged in their order.
fn tally(
    table: &Table,
    columns: &[Encoded],
    missing: &MissingWords,
    ctx: &Context,
) -> Result<Vec<Tally>, ReadError> {
    let places: Vec<usize> = columns.iter().map(|column| column.col).collect();
    // Texts that the model knows are entered first, so that the limit never hides them.
    let known = |column: &Encoded| Tally {
        counts: column.levels.iter().map(|l| (l.clone(), 0)).collect(),
        ..Tally::default()
    };
    let start: Vec<Tally> = columns.iter().map(known).collect();
    if places.is_empty() {
        return Ok(start);
    }
    let one = |part: usize| -> Result<Vec<Tally>, ReadError> {
        let mut tallies = start.clone();
        let texts = table.part_texts(part, &places)?;
        for (tally, column) in tallies.iter_mut().zip(&texts.columns) {
            for text in column.iter() {
                match missing.contains(text) {
                    true => tally.missing += 1,
                    false => tally.add(text.trim(), 1),
                }
            }
        }
        Ok(tallies)
    };
    let parts = try_each(ctx, table.n_parts(), one);
    let mut all = start.clone();
    for part in parts? {
        for (tally, more) in all.iter_mut().zip(part) {
            more.counts.iter().for_each(|(text, n)| tally.add(text, *n));
            tally.beyond += more.beyond;
            tally.missing += more.missing;
        }
    }
    Ok(all)
}

impl Tally {
    fn add(&mut self, text: &str, count: u64) {
        if let Some(known) = self.counts.get_mut(text) {
            *known += count;
        } else if self.counts.len() <= 2 * MOST_LEVELS {
            self.counts.insert(text.to_owned(), count);
        } else {
            self.beyond += count;
        }
    }

    /// The texts, sorted, if there are not too many.
    fn levels(&self, column: &str, notes: &mut Vec<Note>) -> Vec<String> {
        if self.counts.len() > MOST_LEVELS {
            notes.push(Note::reading(format!(
                "{column} has more than {MOST_LEVELS} different texts: too many for columns of 0 and 1"
            )));
            return Vec::new();
        }
        self.counts.keys().cloned().collect()
    }

    /// The note about texts that the model has not seen.
    fn unknown(&self, column: &Encoded) -> Option<Note> {
        let unknown = self
            .counts
            .iter()
            .filter(|(text, _)| !column.levels.contains(text));
        let texts: Vec<String> = unknown.clone().map(|(text, _)| text.clone()).collect();
        let count = self.beyond + unknown.map(|(_, count)| count).sum::<u64>();
        (count > 0).then(|| {
            Note::reading(format!(
                "{}: {} the model has not seen ({}), 0 in all its columns",
                column.name,
                counted(count as usize, "text"),
                listed(&texts)
            ))
        })
    }
}

#[derive(Debug)]
struct OneHot {
    inner: Box<dyn Cells>,
    named: bool,
    used_names: Vec<String>,
    columns: Vec<Encoded>,
}

impl Cells for OneHot {
    fn names(&self) -> &[String] {
        self.inner.names()
    }

    fn used_names(&self) -> &[String] {
        &self.used_names
    }

    fn numbers(&self) -> Numbers<'_> {
        match self.inner.numbers() {
            Numbers::F32(_) => Numbers::F32(self),
            Numbers::F64(_) => Numbers::F64(self),
        }
    }

    fn part_texts(&self, part: usize, columns: &[usize]) -> Result<PartTexts, ReadError> {
        self.inner.part_texts(part, columns)
    }

    fn inner(&self) -> Option<&dyn Cells> {
        Some(&*self.inner)
    }
}

impl OneHot {
    fn with<T: Element, R>(&self, take: impl FnOnce(&dyn Source<T>) -> R) -> Option<R> {
        T::with_source(self.inner.numbers(), take)
    }

    /// Appends the columns of 0 and 1 of a row.
    fn push<T: Element>(&self, texts: &[TextColumn], row: usize, out: &mut Vec<T>) {
        for (column, texts) in self.columns.iter().zip(texts) {
            let text = texts.get(row).trim();
            let cell = |level: &String| T::from_f64(f64::from(u8::from(level == text)));
            out.extend(column.levels.iter().map(cell));
        }
    }
}

impl<T: Element> Source<T> for OneHot {
    fn n_cols(&self) -> usize {
        self.used_names.len()
    }

    fn read_part(&self, part: usize, sink: &mut Sink<'_, T>) -> Result<(), Error> {
        let places: Vec<usize> = self.columns.iter().map(|column| column.col).collect();
        let texts = self.inner.part_texts(part, &places).map_err(into_core)?;
        let width = self.used_names.len();
        let mut cells: Vec<T> = Vec::new();
        if self.inner.used_names().is_empty() {
            let n = texts.columns.first().map_or(0, TextColumn::len);
            (0..n).for_each(|row| self.push(&texts.columns, row, &mut cells));
            return sink(Rows {
                first: texts.first,
                block: Block::from(MatView::from_rows(&cells, n, width)?),
                weights: None,
            });
        }
        let read = |source: &dyn Source<T>| {
            source.read_part(part, &mut |rows| {
                let block = rows.block.to_mat();
                cells.clear();
                for (i, row) in block.rows().enumerate() {
                    cells.extend_from_slice(row);
                    let at = (rows.first + i).saturating_sub(texts.first);
                    self.push(&texts.columns, at, &mut cells);
                }
                sink(Rows {
                    first: rows.first,
                    block: Block::from(MatView::from_rows(&cells, block.n_rows(), width)?),
                    weights: rows.weights,
                })
            })
        };
        self.with(read).unwrap_or(Ok(()))
    }

    fn n_parts(&self) -> usize {
        self.with::<T, _>(|source| source.n_parts())
            .unwrap_or_default()
    }

    fn n_rows(&self) -> Option<usize> {
        self.with::<T, _>(|source| source.n_rows()).flatten()
    }

    fn col_names(&self) -> Option<&[String]> {
        let names = given_names(self.inner.as_ref()).is_some() || self.named;
        names.then_some(self.used_names.as_slice())
    }

    fn is_weighted(&self) -> bool {
        self.with::<T, _>(|source| source.is_weighted()) == Some(true)
    }
}
