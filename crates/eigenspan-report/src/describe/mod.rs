//! What the columns of a table hold, before anything is fitted: the same facts for the terminal, JSON and, later, the page.

mod column_words;
mod rows;
mod scan;
mod suspect;
mod text;
mod warn;

pub(crate) use suspect::{Suspects, suspects};
pub use text::describe as text;

use std::collections::HashMap;

use eigenspan::Context;
use eigenspan::note::listed;
use eigenspan::summary::{ColumnProfile, Profile, summarize};
use eigenspan_io::{MissingWords, Numbers, Table, Why};
use serde::Serialize;

use crate::JobError;
use crate::subject::{OpenRows, Rows};
use rows::{RowScan, Texts};

/// Steps of a histogram.
pub const BINS: usize = 8;
/// Whole numbers of which each has a step of its own, at most.
const WHOLE: usize = 16;

/// What a table holds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Description {
    /// Name of the data.
    pub data: String,
    /// The format it was read as.
    pub format: &'static str,
    /// Rows.
    pub n_rows: usize,
    /// Every column, in the order of the file.
    pub columns: Vec<Column>,
    /// Rows that repeat an earlier one in all columns but the id; `None` where there are too many rows to look.
    pub duplicate_rows: Option<usize>,
    /// Share of the values by which the rank of a quartile can be off, at most; 0 where they are exact.
    pub rank_error: f64,
    /// What a person should look at before fitting anything.
    pub warnings: Vec<String>,
    /// How the file was read.
    pub notes: Vec<String>,
}

/// What a column holds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Column {
    /// Its name, or its number from 1.
    pub name: String,
    /// What its cells are.
    #[serde(rename = "type")]
    pub kind: ColumnKind,
    /// What it is for, where it is not analyzed: `id`, `label` or `weight`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<&'static str>,
    /// Cells with a value.
    pub count: u64,
    /// Cells without one.
    pub missing: u64,
    /// The numbers, in a column of numbers.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub numbers: Option<NumberColumn>,
    /// The texts, in a column of texts.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub texts: Option<TextColumn>,
}

/// What the cells of a column are.
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
    /// Nothing.
    Empty,
}

/// The numbers of a column.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NumberColumn {
    /// Mean.
    pub mean: Option<f64>,
    /// Standard deviation, with divisor n − 1.
    pub sd: Option<f64>,
    /// The least.
    pub min: Option<f64>,
    /// A quarter of the numbers is at most this.
    pub q1: Option<f64>,
    /// Half of them is.
    pub median: Option<f64>,
    /// Three quarters are.
    pub q3: Option<f64>,
    /// The largest.
    pub max: Option<f64>,
    /// How many lie in each of equal steps; whole numbers have steps that hold equally many of them.
    pub histogram: Vec<u64>,
    /// Where the steps begin, and where the last one ends.
    pub histogram_edges: Vec<f64>,
    /// Infinite cells, which count nowhere else.
    pub infinite: u64,
    /// Whether whole numbers lie beyond 2⁵³, where not every one is exact.
    #[serde(skip)]
    pub beyond_exact: bool,
    /// The same for two columns that hold the same.
    #[serde(skip)]
    pub fingerprint: u64,
}

/// The texts of a column.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TextColumn {
    /// Different ones; `None` where they are too many to count.
    pub distinct: Option<usize>,
    /// The one that occurs most often, the first of the alphabet where several do.
    pub most_frequent: Option<String>,
    /// How often it occurs.
    pub most_frequent_count: u64,
}

/// Opens rows and describes them. Missing cells are counted and stop nothing.
pub fn describe(ctx: &Context, rows: &Rows) -> Result<(OpenRows, Description), JobError> {
    let mut rows = rows.clone();
    if let Rows::File { read, .. } = &mut rows {
        read.without_numbers = true;
    }
    let rows = rows.open(ctx)?;
    rows.table.fetch(ctx)?;
    let mut description = of_rows(ctx, &rows)?;
    // A fit says these by itself, in the light of its options.
    let before_fit = warn::before_fit(&description, &suspects(ctx, &rows)?.notes);
    description.warnings.extend(before_fit);
    Ok((rows, description))
}

/// What open rows hold.
pub(crate) fn of_rows(ctx: &Context, rows: &OpenRows) -> Result<Description, JobError> {
    let (table, read) = (&*rows.table, &rows.read);
    let named = |e| JobError::core(table.name(), e);
    let n_cols = table.columns().len();
    // Several are alive at once: those being filled, and those that wait to be merged. Not by the number of threads, which
    // must not change a result.
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

/// The note about columns that hold no single values.
fn not_described(table: &Table) -> Option<String> {
    let nested = table.set_aside().iter().filter(|c| c.why == Why::Nested);
    let names: Vec<String> = nested.map(|column| column.name.clone()).collect();
    (!names.is_empty()).then(|| {
        format!(
            "not described, holding no single values: {}",
            listed(&names)
        )
    })
}

/// A column that is not analyzed: its place in the file, what it holds, and what it is for.
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
        // What holds no single values has no texts to count.
        let told = why != Some(Why::Nested) && (why.is_some() || role.is_some());
        told.then_some(Other { place, kind, role })
    };
    let names = table.all_columns().iter().enumerate();
    names.filter_map(other).collect()
}

/// All columns, in the order of the file; those made from texts stand at the end.
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
        _ => Some(Steps::of(column)),
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

/// The steps of a histogram.
struct Steps {
    low: f64,
    high: f64,
    count: usize,
}

impl Steps {
    /// From the least to the largest; whole numbers stand in the middle of their steps, one in each where they are few.
    fn of(column: &ColumnProfile) -> Self {
        let (low, high) = (column.min, column.max);
        let n_whole = high - low + 1.0;
        // Beyond 2⁵¹ whole numbers have no halves between them that can be trusted.
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
