//! What the columns of a table hold, before anything is fitted; and what a model holds. The terminal, the JSON and the page show the same facts.

mod column_words;
mod model;
mod rows;
mod scan;
mod suspect;
mod text;
mod warn;

pub use model::{ModelDescription, model};
pub(crate) use suspect::{Suspects, suspects};
pub use text::describe as text;

use std::collections::HashMap;

use eigenspan::note::{Advice, listed};
use eigenspan::summary::{ColumnProfile, Profile, summarize};
use eigenspan::{Context, Note};
use eigenspan_io::{MissingWords, Numbers, Table, Why};
use serde::{Serialize, Serializer};

use crate::JobError;
use crate::subject::{OpenRows, Rows};
use crate::words;
use rows::{RowScan, Texts};

/// The number of bins of a histogram.
pub const BINS: usize = 8;
/// Up to this many distinct whole numbers, each has its own bin.
const WHOLE: usize = 16;

/// What a table holds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Description {
    /// The name of the data.
    pub data: String,
    /// The format of the file.
    pub format: &'static str,
    /// The number of rows.
    pub n_rows: usize,
    /// Every column, in the order of the file.
    pub columns: Vec<Column>,
    /// How many rows repeat an earlier row in all columns but the id; `None` if there are too many rows to compare.
    pub duplicate_rows: Option<usize>,
    /// The largest error in the rank of a quartile, as a share of the values; 0 if the quartiles are exact.
    pub rank_error: f64,
    /// What to check before fitting anything.
    pub warnings: Vec<Warning>,
    /// Notes on how the file was read.
    #[serde(serialize_with = "texts")]
    pub notes: Vec<Note>,
}

/// What to check before fitting anything. As JSON, it is its sentence.
#[derive(Debug, Clone, PartialEq)]
pub struct Warning {
    /// What was found.
    pub text: String,
    /// What to do about it.
    pub advice: Advice,
}

impl Warning {
    /// What was found, and what to do about it in the words of the command line.
    pub fn sentence(&self) -> String {
        match words::tip(&self.advice, &|_| true) {
            Some(tip) => format!("{}; {tip}", self.text),
            None => self.text.clone(),
        }
    }
}

impl From<String> for Warning {
    fn from(text: String) -> Self {
        Warning {
            text,
            advice: Advice::default(),
        }
    }
}

impl Serialize for Warning {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&self.sentence())
    }
}

/// Notes as their texts.
fn texts<S: Serializer>(notes: &[Note], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(notes.iter().map(Note::to_string))
}

/// What a column holds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Column {
    /// The name of the column, or its number from 1.
    pub name: String,
    /// The type of its cells.
    #[serde(rename = "type")]
    pub kind: ColumnKind,
    /// The role of a column that is not analyzed: `id`, `label` or `weight`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<&'static str>,
    /// The number of cells with a value.
    pub count: u64,
    /// The number of missing cells.
    pub missing: u64,
    /// Statistics of a numeric column.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub numbers: Option<NumberColumn>,
    /// Statistics of a text column.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub texts: Option<TextColumn>,
}

/// The type of a column's cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ColumnKind {
    /// Whole numbers.
    Integer,
    /// Numbers.
    Number,
    /// Texts.
    Text,
    /// Dates.
    Date,
    /// Every cell is missing.
    Empty,
}

/// Statistics of a numeric column.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NumberColumn {
    /// The mean.
    pub mean: Option<f64>,
    /// The standard deviation, with divisor n − 1.
    pub sd: Option<f64>,
    /// The minimum.
    pub min: Option<f64>,
    /// The first quartile.
    pub q1: Option<f64>,
    /// The median.
    pub median: Option<f64>,
    /// The third quartile.
    pub q3: Option<f64>,
    /// The maximum.
    pub max: Option<f64>,
    /// How many values fall into each bin of a histogram. All bins have the same width; for whole numbers, each holds equally many of them.
    pub histogram: Vec<u64>,
    /// The left edge of each bin, and the right edge of the last bin.
    pub histogram_edges: Vec<f64>,
    /// The number of infinite cells, which no other statistic counts.
    pub infinite: u64,
    /// Whether the column has whole numbers beyond 2⁵³, where a 64-bit float cannot hold each of them exactly.
    #[serde(skip)]
    pub beyond_exact: bool,
    /// A hash of the cells: two columns with the same cells have the same hash.
    #[serde(skip)]
    pub fingerprint: u64,
}

/// Statistics of a text column.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TextColumn {
    /// The number of distinct texts; `None` if there are too many to count.
    pub distinct: Option<usize>,
    /// The most frequent text; among equally frequent ones, the first in alphabetical order.
    pub most_frequent: Option<String>,
    /// How often that text occurs.
    pub most_frequent_count: u64,
}

/// Opens rows and describes them. Missing cells are counted and are not an error.
pub fn describe(ctx: &Context, rows: &Rows) -> Result<(OpenRows, Description), JobError> {
    let mut rows = rows.clone();
    if let Rows::File { read, .. } = &mut rows {
        read.without_numbers = true;
    }
    let rows = rows.open(ctx)?;
    rows.table.fetch(ctx)?;
    let mut description = describe_rows(ctx, &rows)?;
    // A fit writes these notes itself, with its options in mind.
    let before_fit = warn::before_fit(&description, &suspects(ctx, &rows)?.notes);
    description.warnings.extend(before_fit);
    Ok((rows, description))
}

/// Describes rows that are already open.
pub(crate) fn describe_rows(ctx: &Context, rows: &OpenRows) -> Result<Description, JobError> {
    let (table, read) = (&*rows.table, &rows.read);
    let named = |e| JobError::core(table.name(), e);
    let n_cols = table.columns().len();
    // Several scans are in memory at once: those being filled, and those waiting to be merged. Their number must not depend on the
    // number of threads, because that must not change a result.
    let share = ctx.memory().unwrap_or(u64::MAX) / 8;
    let new = || Profile::within(n_cols, usize::try_from(share).unwrap_or(usize::MAX));
    ctx.begin("describing", Some(table.n_rows() as u64));
    let profile = match rows.numbers(ctx) {
        _ if n_cols == 0 => Profile::new(0),
        Numbers::F32(source) => summarize(ctx, source, new).map_err(named)?,
        Numbers::F64(source) => summarize(ctx, source, new).map_err(named)?,
    };
    let others = other_columns(table);
    let missing = MissingWords::new(&read.missing_values);
    let scan = rows::scan(ctx, table, &others, &missing)?;
    let columns = columns(table, &profile, &others, &scan);
    let error = |column: &ColumnProfile| column.quantiles.rank_error();
    let mut description = Description {
        data: table.name().to_owned(),
        format: table.format().name(),
        n_rows: table.n_rows(),
        columns,
        duplicate_rows: scan.duplicates.map(|(count, _)| count),
        rank_error: profile.columns().iter().map(error).fold(0.0, f64::max),
        warnings: Vec::new(),
        notes: table.notes_on_cells(),
    };
    description.notes.extend(not_described(table));
    description.warnings = warn::warnings(&description, scan.duplicates);
    Ok(description)
}

/// The note about columns whose cells are lists or structures.
fn not_described(table: &Table) -> Option<Note> {
    let nested = table.set_aside().iter().filter(|c| c.why == Why::Nested);
    let names: Vec<String> = nested.map(|column| column.name.clone()).collect();
    (!names.is_empty()).then(|| {
        Note::reading(format!(
            "not described, holding no single values: {}",
            listed(&names)
        ))
    })
}

/// A column that is not analyzed: its position in the file, its cell type, and its role.
struct Other {
    place: usize,
    kind: ColumnKind,
    role: Option<&'static str>,
}

fn other_columns(table: &Table) -> Vec<Other> {
    let id = table.id().map(|id| id.name.as_str());
    let role = |name: &str| match name {
        name if id == Some(name) => Some("id"),
        name if table.label() == Some(name) => Some("label"),
        name if table.weight() == Some(name) => Some("weight"),
        _ => None,
    };
    let why = |name: &str| table.set_aside().iter().find(|c| c.name == name);
    let other = |(place, name): (usize, &String)| {
        let (role, why) = (role(name), why(name).map(|column| column.why));
        let kind = match why {
            Some(Why::Dates) => ColumnKind::Date,
            Some(Why::Empty) => ColumnKind::Empty,
            Some(Why::RowNumbers) => ColumnKind::Integer,
            _ => ColumnKind::Text,
        };
        // A column of lists or structures has no texts to count.
        let is_listed = why != Some(Why::Nested) && (why.is_some() || role.is_some());
        is_listed.then_some(Other { place, kind, role })
    };
    let names = table.all_columns().iter().enumerate();
    names.filter_map(other).collect()
}

/// All columns, in the order of the file; 0/1 columns made from text columns come last.
fn columns(table: &Table, profile: &Profile, others: &[Other], scan: &RowScan) -> Vec<Column> {
    let all = table.all_columns().iter().enumerate();
    let places: HashMap<&String, usize> = all.map(|(place, name)| (name, place)).collect();
    let place = |name: &String| places.get(name).copied();
    let last = table.all_columns().len();
    let numeric = table.columns().iter().zip(profile.columns());
    let mut placed: Vec<(usize, Column)> = numeric
        .map(|(name, column)| (place(name).unwrap_or(last), numbers(name, column)))
        .collect();
    for (other, texts) in others.iter().zip(&scan.texts) {
        let name = table.all_columns().get(other.place).cloned();
        let column = text_column(name.unwrap_or_default(), other, texts);
        placed.push((other.place, column));
    }
    placed.sort_by_key(|(place, _)| *place);
    placed.into_iter().map(|(_, column)| column).collect()
}

fn numbers(name: &str, column: &ColumnProfile) -> Column {
    let finite = |x: f64| x.is_finite().then_some(x);
    let quartiles = column.quantiles.at(&[0.25, 0.5, 0.75]);
    let quartile = |i: usize| quartiles.get(i).copied().and_then(finite);
    let steps = match column.count {
        0 => None,
        _ => Some(Steps::for_column(column)),
    };
    let histogram = steps.as_ref().map_or_else(Vec::new, |steps| {
        let (low, high) = (steps.low, steps.high);
        column.quantiles.histogram(low, high, steps.count)
    });
    Column {
        name: name.to_owned(),
        kind: match (column.count, column.whole) {
            (0, _) => ColumnKind::Empty,
            (_, true) => ColumnKind::Integer,
            (_, false) => ColumnKind::Number,
        },
        role: None,
        count: column.count,
        missing: column.missing,
        numbers: Some(NumberColumn {
            mean: finite(column.mean()),
            sd: finite(column.deviation()),
            min: finite(column.min),
            q1: quartile(0),
            median: quartile(1),
            q3: quartile(2),
            max: finite(column.max),
            histogram,
            histogram_edges: steps.map_or_else(Vec::new, |steps| steps.edges()),
            infinite: column.infinite,
            beyond_exact: column.beyond_exact,
            fingerprint: column.fingerprint,
        }),
        texts: None,
    }
}

/// The bins of a histogram.
struct Steps {
    low: f64,
    high: f64,
    count: usize,
}

impl Steps {
    /// Bins from the minimum to the maximum; whole numbers lie in the middle of their bins, with one bin per number if there are few.
    fn for_column(column: &ColumnProfile) -> Self {
        let (low, high) = (column.min, column.max);
        let n_whole = high - low + 1.0;
        // Beyond 2⁵¹, the halves between whole numbers are not exact in a 64-bit float.
        let large = low.abs().max(high.abs()) > 2f64.powi(51);
        if !column.whole || large || !n_whole.is_finite() {
            return Steps {
                low,
                high,
                count: BINS,
            };
        }
        let width = match n_whole <= WHOLE as f64 {
            true => 1.0,
            false => (n_whole / BINS as f64).ceil(),
        };
        let count = (n_whole / width).ceil();
        Steps {
            low: low - 0.5,
            high: low - 0.5 + count * width,
            count: count as usize,
        }
    }

    fn edges(&self) -> Vec<f64> {
        let width = (self.high - self.low) / self.count as f64;
        let edge = |i: usize| match i == self.count {
            true => self.high,
            false => self.low + i as f64 * width,
        };
        (0..=self.count).map(edge).collect()
    }
}

fn text_column(name: String, other: &Other, texts: &Texts) -> Column {
    let most = texts.most_frequent();
    Column {
        name,
        kind: other.kind,
        role: other.role,
        count: texts.count,
        missing: texts.missing,
        numbers: None,
        texts: Some(TextColumn {
            distinct: texts.distinct(),
            most_frequent: most.map(|(text, _)| text.to_owned()),
            most_frequent_count: most.map_or(0, |(_, count)| count),
        }),
    }
}
