//! Opens a columnar file: turns its fields into columns, and decides what each is used for.

use std::ops::Range;
use std::sync::OnceLock;

use eigenspan::note::Clause;
use eigenspan::{Context, Note, Real};

use super::scan::{self, Odd};
use super::source::{Column, ColumnarTable, Layout, Reader};
use super::store::{ColumnKind, Store};
use crate::columns::{MOST_IDS, all_differ, hash, unique_names};
use crate::error::{ColumnarFault, Place, ReadError, Unit};
use crate::options::{Format, ReadOptions};
use crate::select::{Chosen, Names};
use crate::table::notes;
use crate::table::{Cells, IdColumn, MissingCells, SetAside, Table, TextColumn, Why, part_rows};
use crate::text::CellRules;

/// The most bytes of numbers that are kept in memory between readings; also at most a quarter of the budget.
const CACHE_BYTES: u64 = 256 << 20;

/// The most elements that a vector may have.
const MOST_ELEMENTS: usize = 1 << 20;

/// The name that pandas gives an index without a name.
const PANDAS_INDEX: &str = "__index_level_";

/// Decides what each column is used for.
pub(super) fn open(
    name: String,
    store: Box<dyn Store>,
    format: Format,
    options: &ReadOptions,
    ctx: &Context,
) -> Result<Table, ReadError> {
    let reader = Reader::new(name, store, ctx.threads().max(1));
    let rows = rows_in_use(&reader, options)?;
    let mut said = Vec::new();
    let (columns, names) = flat_columns(&reader, &rows, &mut said)?;
    let expanded = with_vectors(options, &reader, &columns, &names);
    let chosen = Names::new(&reader.name, &names).choose(&expanded)?;
    let rules = CellRules::new(b'.', &options.missing_values);
    let role_rules = RoleRules {
        reader: &reader,
        columns: &columns,
        names: &names,
        explicit: !options.columns.is_empty(),
        takes_text: options.takes_text(),
    };
    if let Some(weight) = chosen.weight {
        role_rules.refuse_non_numbers(weight)?;
    }
    let (numeric, mut aside) = role_rules.sort(&chosen)?;
    let wanted: Vec<Column> = numeric
        .iter()
        .filter_map(|&c| columns.get(c))
        .copied()
        .collect();
    role_rules.refuse_large(&numeric, ctx)?;
    let odd = scan::scan(&reader, &wanted, &rows, &rules, ctx)?;
    let (mut used, mut used_odd) = (Vec::new(), Vec::new());
    for (&col, odd) in numeric.iter().zip(odd) {
        if odd.missing == rows.len() as u64 {
            aside.push((col, Why::Empty));
        } else {
            used.push(col);
            used_odd.push(odd);
        }
    }
    aside.sort_by_key(|(col, _)| *col);
    // Weights without a column of numbers would weigh nothing.
    if used.is_empty() && (!role_rules.takes_text || chosen.weight.is_some()) {
        if !aside.is_empty() && aside.iter().all(|(_, why)| *why == Why::Empty) {
            return Err(ReadError::NoValues { file: reader.name });
        }
        return Err(ReadError::NoNumericColumns {
            set_aside: aside.iter().map(|(col, _)| role_rules.name(*col)).collect(),
            file: reader.name,
        });
    }
    let missing = role_rules.missing(&used, &used_odd, &rows);
    said.extend(role_rules.large_note(&used, &used_odd));
    let id = match chosen.id {
        Some(col) => Some(IdColumn {
            name: role_rules.name(col),
            guessed: false,
        }),
        None => role_rules.guess_id(&aside, &rows, ctx)?,
    };
    said.extend(role_rules.index_notes(&aside));
    let guessed = id.as_ref().filter(|id| id.guessed);
    said.extend(guessed.map(notes::guessed_id));
    let set_aside: Vec<SetAside> = aside
        .iter()
        .map(|&(col, why)| SetAside {
            name: role_rules.name(col),
            why,
        })
        .filter(|column| id.as_ref().is_none_or(|id| id.name != column.name))
        .collect();
    said.extend(notes::set_aside(&set_aside));
    let (label, weight) = (
        chosen.label.map(|col| role_rules.name(col)),
        chosen.weight.map(|col| role_rules.name(col)),
    );
    let is_single = |&col: &usize| role_rules.kind(col) == ColumnKind::Number { single: true };
    let single = !used.is_empty() && used.iter().all(is_single);
    let layout = Layout {
        names: names.clone(),
        columns: columns.clone(),
        used,
        weight: chosen.weight,
        rows: rows.clone(),
        rules,
    };
    let file = reader.name.clone();
    let budget = ctx.memory().map_or(CACHE_BYTES, |m| CACHE_BYTES.min(m / 4));
    let cells: Box<dyn Cells> = if single {
        Box::new(table::<f32>(reader, layout, budget))
    } else {
        Box::new(table::<f64>(reader, layout, budget))
    };
    Ok(Table {
        name: file,
        format,
        n_rows: rows.len(),
        has_header: true,
        id,
        label,
        weight,
        set_aside,
        missing,
        notes: said,
        cells,
        array: OnceLock::new(),
    })
}

fn table<T: Real>(reader: Reader, layout: Layout, budget: u64) -> ColumnarTable<T> {
    ColumnarTable::new(reader, layout, budget)
}

/// The requested rows that the file has.
fn rows_in_use(reader: &Reader, options: &ReadOptions) -> Result<Range<usize>, ReadError> {
    let n_rows = reader.store.n_rows();
    if n_rows == 0 {
        let file = reader.name.clone();
        return Err(ReadError::NoRows { file });
    }
    let rows = options.row_range()?.unwrap_or(0..n_rows);
    let rows = rows.start..rows.end.min(n_rows);
    if rows.is_empty() {
        return Err(ReadError::NoSuchRow {
            file: reader.name.clone(),
            first: rows.start + 1,
            n_rows,
        });
    }
    Ok(rows)
}

/// A column for each field, and for each element of a field of vectors: `emb_1`, `emb_2`, …
fn flat_columns(
    reader: &Reader,
    rows: &Range<usize>,
    notes: &mut Vec<Note>,
) -> Result<(Vec<Column>, Vec<String>), ReadError> {
    let (mut columns, mut names) = (Vec::new(), Vec::new());
    for (field, about) in reader.store.fields().iter().enumerate() {
        let width = match about.list {
            true => vector_width(reader, field, rows)?,
            false => None,
        };
        let one = |element, width| Column {
            field,
            element,
            width,
        };
        match width {
            Some(width) if width > 0 => {
                columns.extend((0..width).map(|element| one(element, width)));
                names.extend((1..=width).map(|i| format!("{}_{i}", about.name)));
            }
            _ => {
                columns.push(one(0, 1));
                names.push(about.name.clone());
            }
        }
    }
    let (names, _) = unique_names(&names, notes);
    Ok((columns, names))
}

/// The length of the first vector that is not missing.
fn vector_width(
    reader: &Reader,
    field: usize,
    rows: &Range<usize>,
) -> Result<Option<usize>, ReadError> {
    for row in rows.clone() {
        let found = reader.read(&[field], row..row + 1, |cursors| {
            cursors
                .first_mut()
                .map_or(Ok(None), |cursor| cursor.length())
        })?;
        match found {
            Some(width) if width > MOST_ELEMENTS => {
                let what = "a vector has millions of elements";
                return Err(ColumnarFault::damaged(what).in_file(&reader.name));
            }
            Some(_) => return Ok(found),
            None => {}
        }
    }
    Ok(None)
}

/// The options with every name of a field of vectors replaced by the names of its elements.
fn with_vectors(
    options: &ReadOptions,
    reader: &Reader,
    columns: &[Column],
    names: &[String],
) -> ReadOptions {
    let mut options = options.clone();
    for items in [&mut options.columns, &mut options.exclude] {
        let expand = |item: &String| -> Vec<String> {
            let belongs = |column: &Column| {
                let field = reader.store.fields().get(column.field);
                column.width > 1 && field.is_some_and(|field| field.name == *item)
            };
            let elements = columns
                .iter()
                .zip(names)
                .filter(|(column, _)| belongs(column));
            let elements: Vec<String> = elements.map(|(_, name)| name.clone()).collect();
            if elements.is_empty() || names.contains(item) {
                vec![item.clone()]
            } else {
                elements
            }
        };
        *items = items.iter().flat_map(expand).collect();
    }
    options
}

/// Columns that are not used, and why.
type Aside = Vec<(usize, Why)>;

/// Everything that decides the role of a column.
struct RoleRules<'a> {
    reader: &'a Reader,
    columns: &'a [Column],
    names: &'a [String],
    /// Whether the user listed the columns to use.
    explicit: bool,
    /// Whether columns of text are used.
    takes_text: bool,
}

impl RoleRules<'_> {
    fn name(&self, col: usize) -> String {
        self.names.get(col).cloned().unwrap_or_default()
    }

    fn kind(&self, col: usize) -> ColumnKind {
        let field = self.columns.get(col).map(|column| column.field);
        let field = field.and_then(|field| self.reader.store.fields().get(field));
        match field {
            // A field of vectors in which every vector is missing, so that their length is unknown.
            Some(field) if field.list && self.columns.get(col).is_some_and(|c| c.width == 1) => {
                match self.name(col) == field.name {
                    true => ColumnKind::Empty,
                    false => field.kind,
                }
            }
            Some(field) => field.kind,
            None => ColumnKind::Empty,
        }
    }

    /// Columns of numbers, and the other columns with the reason why they are not used.
    fn sort(&self, chosen: &Chosen) -> Result<(Vec<usize>, Aside), ReadError> {
        let (mut numeric, mut aside) = (Vec::new(), Vec::new());
        for (col, _) in chosen
            .columns
            .iter()
            .enumerate()
            .filter(|(_, chosen)| **chosen)
        {
            let why = match self.kind(col) {
                ColumnKind::Number { .. } if self.is_index(col) => Why::RowNumbers,
                ColumnKind::Number { .. } => {
                    numeric.push(col);
                    continue;
                }
                ColumnKind::Text => Why::Text,
                ColumnKind::Dates => Why::Dates,
                ColumnKind::Empty => Why::Empty,
                ColumnKind::Other(_) => Why::Nested,
            };
            if self.explicit && !self.takes_text {
                self.refuse_non_numbers(col)?;
            }
            aside.push((col, why));
        }
        Ok((numeric, aside))
    }

    fn is_index(&self, col: usize) -> bool {
        !self.explicit && self.name(col).starts_with(PANDAS_INDEX)
    }

    /// An error if a column that must hold numbers holds something else.
    fn refuse_non_numbers(&self, col: usize) -> Result<(), ReadError> {
        let holds = match self.kind(col) {
            ColumnKind::Number { .. } | ColumnKind::Empty => return Ok(()),
            ColumnKind::Text => "text",
            ColumnKind::Dates => "dates",
            ColumnKind::Other(what) => what,
        };
        Err(ReadError::WrongType {
            file: self.reader.name.clone(),
            column: self.name(col),
            holds,
        })
    }

    /// An error if the cursors on these columns would take more memory than the budget.
    fn refuse_large(&self, columns: &[usize], ctx: &Context) -> Result<(), ReadError> {
        let Some(budget) = ctx.memory() else {
            return Ok(());
        };
        let mut fields: Vec<usize> = columns
            .iter()
            .filter_map(|&col| Some(self.columns.get(col)?.field))
            .collect();
        fields.dedup();
        let store = &self.reader.store;
        let one: u64 = fields.iter().map(|&field| store.cursor_bytes(field)).sum();
        // Each thread reads with one set of cursors, and another set waits.
        let needed = one.saturating_mul(2 * ctx.threads() as u64);
        if needed <= budget {
            return Ok(());
        }
        Err(ColumnarFault::Batches { needed, budget }.in_file(&self.reader.name))
    }

    fn missing(&self, used: &[usize], odd: &[Odd], rows: &Range<usize>) -> Option<MissingCells> {
        let found = used.iter().zip(odd).filter_map(|(&col, odd)| {
            let (row, token) = odd.first.as_ref()?;
            Some((*row, col, token))
        });
        let (row, col, token) = found.min_by_key(|(row, col, _)| (*row, *col))?;
        Some(MissingCells {
            file: self.reader.name.clone(),
            count: odd.iter().map(|odd| odd.missing).sum(),
            cells: (rows.len() as u64).saturating_mul(used.len() as u64),
            place: Place {
                line: row as u64 + 1,
                column: self.name(col),
                named: true,
                unit: Unit::Row,
            },
            token: token.clone(),
        })
    }

    fn large_note(&self, used: &[usize], odd: &[Odd]) -> Option<Note> {
        let large = |(&col, odd): (&usize, &Odd)| Some((col, odd.large?));
        let (col, large) = used.iter().zip(odd).find_map(large)?;
        Some(Note::BeyondExact {
            holder: "column".to_owned(),
            column: Some(self.name(col)),
            example: Some(large.to_string()),
        })
    }

    fn index_notes(&self, aside: &[(usize, Why)]) -> Vec<Note> {
        let indices = aside.iter().filter(|(_, why)| *why == Why::RowNumbers);
        let note = |&(col, _): &(usize, Why)| {
            Note::advised(
                format!(
                    "column {:?} is an index that pandas wrote: set aside",
                    self.name(col)
                ),
                Clause::name("columns").then(" uses it"),
            )
        };
        indices.map(note).collect()
    }

    /// The first column of texts, if all its texts differ.
    fn guess_id(
        &self,
        aside: &[(usize, Why)],
        rows: &Range<usize>,
        ctx: &Context,
    ) -> Result<Option<IdColumn>, ReadError> {
        let first = aside.iter().find(|(_, why)| *why == Why::Text);
        let Some(&(col, _)) = first else {
            return Ok(None);
        };
        let field = self.columns.get(col).map_or(0, |column| column.field);
        if !(2..=MOST_IDS).contains(&rows.len()) {
            return Ok(None);
        }
        let step = part_rows(16);
        let hashes = |part: usize| -> Result<Vec<u64>, ReadError> {
            let start = rows.start + part * step;
            let part = start..(start + step).min(rows.end);
            let texts = self.reader.read(&[field], part.clone(), |cursors| {
                let mut texts = TextColumn::default();
                for cursor in cursors {
                    cursor.texts(part.len(), &mut texts)?;
                }
                Ok(texts)
            })?;
            Ok(texts.iter().map(|text| hash(text.as_bytes())).collect())
        };
        let distinct = all_differ(rows.len().div_ceil(step), hashes, ctx)?;
        Ok(distinct.then(|| IdColumn {
            name: self.name(col),
            guessed: true,
        }))
    }
}
