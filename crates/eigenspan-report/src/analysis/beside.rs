//! Supplementary columns: names, groups and numbers that were not used to compute the components.

use std::collections::BTreeMap;

use eigenspan::interpret::{CategoryColumn, Columns, NumericColumn, Supplementary};
use eigenspan::linalg::sort_largest_first;
use eigenspan::source::{Pick, RowSet, Source, Subset};
use eigenspan::{Context, Mat, Real, parallel};
use eigenspan_io::{Numbers, ReadError, Table};

use super::{Color, Values};
use crate::JobError;
use crate::describe::{ColumnKind, Description};
use crate::subject::OpenRows;
use crate::words::natural;

/// A column with more groups than this is neither used for colors nor compared.
const MOST_LEVELS: usize = 24;
/// At most this many text columns are compared.
const MOST_GROUPINGS: usize = 8;
/// At most this many numeric columns color the points: those with the highest cos² on the first two components.
const MOST_COLORING: usize = 12;

/// Text columns with few distinct values, the label first, and then the columns that were requested by name.
pub(super) fn columns(
    table: &Table,
    description: &Description,
    requested: &[String],
) -> Result<Supplementary, JobError> {
    let mut beside = Supplementary::default();
    for name in groupings(table, description) {
        let texts = table.texts(&name)?;
        beside.categories.push(category(&name, &texts));
    }
    add_requested(table, requested, &mut beside)?;
    Ok(beside)
}

/// Adds columns that were requested by name: numeric columns as numbers, text columns as groups.
pub(crate) fn add_requested(
    table: &Table,
    requested: &[String],
    beside: &mut Supplementary,
) -> Result<(), JobError> {
    for column in requested {
        let place = table.column_index(column)?;
        let name = table.all_columns()[place].clone();
        let texts = table.texts(&name)?;
        match numbers(&texts) {
            Some(values) => beside.numeric.push(NumericColumn { name, values }),
            None => beside.categories.push(category(&name, &texts)),
        }
    }
    Ok(())
}

/// Columns that sort rows into groups: the label, and text columns with few distinct values.
fn groupings(table: &Table, description: &Description) -> Vec<String> {
    let id = table.id().map(|id| id.name.as_str());
    let few = |distinct: Option<usize>| distinct.is_some_and(|n| (2..=MOST_LEVELS).contains(&n));
    let groups = |column: &&crate::describe::Column| {
        let texts = column.texts.as_ref();
        Some(column.name.as_str()) != id
            && Some(column.name.as_str()) != table.weight()
            && matches!(column.kind, ColumnKind::Text | ColumnKind::Integer)
            && texts.is_some_and(|texts| few(texts.distinct))
    };
    let mut names: Vec<String> = description
        .columns
        .iter()
        .filter(groups)
        .map(|column| column.name.clone())
        .collect();
    names.sort_by_key(|name| table.label() != Some(name.as_str()));
    names.truncate(MOST_GROUPINGS);
    names
}

fn category(name: &str, texts: &[String]) -> CategoryColumn {
    let labels = texts.iter().map(|text| text.trim());
    CategoryColumn::new(
        name,
        labels.map(|label| (!label.is_empty()).then_some(label)),
    )
}

/// Texts parsed as numbers; `None` if a text that is not empty is not a number.
fn numbers(texts: &[String]) -> Option<Vec<f64>> {
    let number = |text: &String| match text.trim() {
        "" | "NA" | "NaN" | "null" | "." => Some(f64::NAN),
        text => text.parse().ok(),
    };
    texts.iter().map(number).collect()
}

/// The cells of a column in the given rows, in the given order.
pub(super) fn texts_at(
    table: &Table,
    column: &str,
    rows: &[usize],
) -> Result<Vec<String>, ReadError> {
    let col = table.column_index(column)?;
    let mut wanted: Vec<usize> = rows.to_vec();
    wanted.sort_unstable();
    let part = |part: usize| -> Result<Vec<(usize, String)>, ReadError> {
        let texts = table.part_texts(part, &[col])?;
        let Some(column) = texts.columns.first() else {
            return Ok(Vec::new());
        };
        let end = texts.first + column.len();
        let from = wanted.partition_point(|row| *row < texts.first);
        let here = wanted.iter().skip(from).take_while(|row| **row < end);
        Ok(here
            .map(|&row| (row, column.get(row - texts.first).to_owned()))
            .collect())
    };
    let parts = parallel::try_collect(table.n_parts(), part)?;
    let found: BTreeMap<usize, String> = parts.into_iter().flatten().collect();
    Ok(rows
        .iter()
        .map(|row| found.get(row).cloned().unwrap_or_default())
        .collect())
}

/// The numeric columns with the highest cos² on the first two components.
pub(super) fn best_shown(columns: &Columns) -> Vec<usize> {
    let cos2 = |j: usize| columns.cos2.row(j).iter().take(2).sum::<f64>();
    let mut order: Vec<usize> = (0..columns.cos2.n_rows()).collect();
    sort_largest_first(&mut order, &|j| cos2(j));
    order.truncate(MOST_COLORING);
    order
}

/// Columns that color the given rows: groups first, then the given numeric columns.
pub(super) fn colors(
    ctx: &Context,
    rows: &OpenRows,
    description: &Description,
    numeric: &[usize],
    places: &[usize],
) -> Result<Vec<Color>, JobError> {
    let table = &*rows.table;
    let mut colors = Vec::new();
    for name in groupings(table, description) {
        let texts = texts_at(table, &name, places)?;
        colors.push(Color {
            values: levels(&texts),
            name,
        });
    }
    let cells = match rows.numbers(ctx) {
        Numbers::F32(source) => cells_at(table, source, numeric, places)?,
        Numbers::F64(source) => cells_at(table, source, numeric, places)?,
    };
    for (at, &j) in numeric.iter().enumerate() {
        colors.push(Color {
            name: table.columns().get(j).cloned().unwrap_or_default(),
            values: Values::Numbers(cells.col(at)),
        });
    }
    Ok(colors)
}

/// Sorts groups alphabetically, and by number where their names end in numbers.
fn levels(texts: &[String]) -> Values {
    let mut levels: Vec<String> = texts.iter().map(|text| text.trim().to_owned()).collect();
    // The same order as in figures, so that a class has the same color on the whole page.
    levels.sort_by_cached_key(|level| natural(level));
    levels.dedup();
    levels.retain(|level| !level.is_empty());
    let code = |text: &String| levels.iter().position(|level| level == text.trim());
    Values::Levels {
        codes: texts.iter().map(code).collect(),
        levels,
    }
}

/// Among the given columns, those in which one row has the largest value of all rows, and those in which it has the smallest. A missing
/// cell does not count, even if it was filled.
pub(super) fn extremes(
    ctx: &Context,
    rows: &OpenRows,
    columns: &[usize],
    row: usize,
) -> Result<[Vec<usize>; 2], JobError> {
    let table = &*rows.table;
    let places: Vec<usize> = (0..table.n_rows()).collect();
    let cells = match rows.numbers(ctx) {
        Numbers::F32(source) => cells_at(table, source, columns, &places)?,
        Numbers::F64(source) => cells_at(table, source, columns, &places)?,
    };
    let alone = |at: usize, beats: fn(&f64, &f64) -> bool| {
        let own = cells[(row, at)];
        let others = (0..cells.n_rows()).filter(|i| *i != row);
        let mut others = others.map(|i| cells[(i, at)]).filter(|x| !x.is_nan());
        own.is_finite() && others.all(|other| beats(&own, &other))
    };
    let which = |beats: fn(&f64, &f64) -> bool| {
        let all = columns.iter().enumerate();
        let some = all.filter(|(at, _)| alone(*at, beats));
        some.map(|(_, &column)| column).collect::<Vec<usize>>()
    };
    Ok([which(f64::gt), which(f64::lt)])
}

/// The cells of the given columns in the given rows; row numbers must be ascending.
fn cells_at<T: Real>(
    table: &Table,
    source: &dyn Source<T>,
    columns: &[usize],
    places: &[usize],
) -> Result<Mat<f64>, JobError> {
    let named = |e| JobError::core(table.name(), e);
    let rows = RowSet::Listed(places.to_vec());
    let some = Subset::new(source, &rows);
    let pick = Pick::new(&some, columns.to_vec()).map_err(named)?;
    let mut cells = vec![0.0; places.len() * columns.len()];
    let d = columns.len();
    for part in 0..pick.n_parts() {
        pick.read_part(part, &mut |rows| {
            let (start, end) = (rows.first * d, (rows.first + rows.block.n_rows()) * d);
            if let Some(out) = cells.get_mut(start..end) {
                rows.block.copy_to_f64(out);
            }
            Ok(())
        })
        .map_err(named)?;
    }
    Mat::from_vec(places.len(), d, cells).map_err(named)
}
