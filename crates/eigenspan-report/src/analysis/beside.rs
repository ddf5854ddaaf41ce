//! What stands beside the rows: names, groups and numbers that had no part in the components.

use std::collections::BTreeMap;

use eigenspan::interpret::{CategoryColumn, Columns, NumericColumn, Supplementary};
use eigenspan::source::{Pick, RowSet, Source, Subset};
use eigenspan::{Context, Mat, Real};
use eigenspan_io::{Numbers, ReadError, Table};
use rayon::prelude::*;

use super::{Color, Values};
use crate::JobError;
use crate::describe::{ColumnKind, Description};
use crate::subject::OpenRows;
use crate::words::natural;

/// Groups that a column may have to be shown as colors and compared.
const MOST_LEVELS: usize = 24;
/// Columns of texts that are compared, at most.
const MOST_GROUPINGS: usize = 8;
/// Numeric columns that color, at most: those that the first components show best.
const MOST_COLORING: usize = 12;

/// Columns of texts with few different ones, the label first; and the columns that were asked for.
pub(super) fn columns(
    table: &Table,
    description: &Description,
    asked: &[String],
) -> Result<Supplementary, JobError> {
    let mut beside = Supplementary::default();
    for name in groupings(table, description) {
        let texts = table.texts(&name)?;
        beside.categories.push(category(&name, &texts));
    }
    add_asked(table, asked, &mut beside)?;
    Ok(beside)
}

/// Adds columns that were asked for by name: numbers as numbers, texts as groups.
pub(crate) fn add_asked(
    table: &Table,
    asked: &[String],
    beside: &mut Supplementary,
) -> Result<(), JobError> {
    for column in asked {
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

/// Columns that sort rows into groups: the label, and texts of which there are few.
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

/// Texts as numbers, if all that are not empty are numbers.
fn numbers(texts: &[String]) -> Option<Vec<f64>> {
    let number = |text: &String| match text.trim() {
        "" | "NA" | "NaN" | "null" | "." => Some(f64::NAN),
        text => text.parse().ok(),
    };
    texts.iter().map(number).collect()
}

/// The cells of a column in some rows, in their order.
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
    let parts: Result<Vec<Vec<(usize, String)>>, ReadError> =
        (0..table.n_parts()).into_par_iter().map(part).collect();
    let found: BTreeMap<usize, String> = parts?.into_iter().flatten().collect();
    Ok(rows
        .iter()
        .map(|row| found.get(row).cloned().unwrap_or_default())
        .collect())
}

/// Columns that color the rows at some places: groups, then the numeric columns that the first components show best.
pub(super) fn colors(
    ctx: &Context,
    rows: &OpenRows,
    description: &Description,
    columns: &Columns,
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
    let told = |j: usize| columns.cos2.row(j).iter().take(2).sum::<f64>();
    let mut order: Vec<usize> = (0..columns.cos2.n_rows()).collect();
    order.sort_by(|&a, &b| told(b).total_cmp(&told(a)));
    order.truncate(MOST_COLORING);
    let cells = match rows.numbers(ctx) {
        Numbers::F32(source) => cells_at(table, source, &order, places)?,
        Numbers::F64(source) => cells_at(table, source, &order, places)?,
    };
    for (at, &j) in order.iter().enumerate() {
        colors.push(Color {
            name: table.columns().get(j).cloned().unwrap_or_default(),
            values: Values::Numbers(cells.col(at)),
        });
    }
    Ok(colors)
}

/// Groups in the order of the alphabet and of their numbers.
fn levels(texts: &[String]) -> Values {
    let mut levels: Vec<String> = texts.iter().map(|text| text.trim().to_owned()).collect();
    // As in figures, so that a class has one look on the whole page.
    levels.sort_by_cached_key(|level| natural(level));
    levels.dedup();
    levels.retain(|level| !level.is_empty());
    let code = |text: &String| levels.iter().position(|level| level == text.trim());
    Values::Levels {
        codes: texts.iter().map(code).collect(),
        levels,
    }
}

/// Of some columns, those in which one row has more than every other row, and those in which it has less. A cell that is missing
/// is not what the row has, whatever fills it.
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

/// Cells of some columns in some rows, which rise.
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
