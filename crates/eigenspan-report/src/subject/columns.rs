//! Finds the columns of new rows that a model needs.

use std::collections::{HashMap, HashSet};

use eigenspan::Context;
use eigenspan::method::Fitted;
use eigenspan::note::Advice;
use eigenspan_io::{Picture, ReadError, ReadOptions, Table};

use super::{OpenRows, Rows};
use crate::JobError;

/// Opens new rows and finds these columns, which a model with this name needs; without names, only their number counts.
pub(super) fn open_columns(
    ctx: &Context,
    (fitted, columns, model): (&dyn Fitted, Option<&[String]>, &str),
    picture: Option<Picture>,
    rows: &Rows,
) -> Result<OpenRows, JobError> {
    let Some(columns) = columns else {
        let rows = rows.open(ctx)?;
        check_width(&rows.table, fitted, model)?;
        return Ok(rows);
    };
    let rows = open_with(ctx, columns, picture, rows)?;
    if !rows.table.has_header() {
        check_width(&rows.table, fitted, model)?;
        return Ok(rows);
    }
    let names = rows.table.columns().iter().enumerate();
    let places: HashMap<&str, usize> = names.map(|(i, name)| (name.as_str(), i)).collect();
    let pick: Option<Vec<usize>> = columns
        .iter()
        .map(|name| places.get(name.as_str()).copied())
        .collect();
    match pick {
        Some(pick) if pick.iter().copied().eq(0..rows.table.columns().len()) => Ok(rows),
        Some(pick) => Ok(OpenRows::new(rows.table, rows.read, Some(pick))),
        None => Err(columns_error(&rows.table, columns, model)),
    }
}

/// Opens a file that has these columns among others; a table is already open.
fn open_with(
    ctx: &Context,
    columns: &[String],
    picture: Option<Picture>,
    rows: &Rows,
) -> Result<OpenRows, JobError> {
    let Rows::File { input, read } = rows else {
        return rows.open(ctx);
    };
    // The column `species=Adelie` was made from the text Adelie of the column species, if species is a text column.
    let texts = |name: &&String| name.contains('=');
    let read = ReadOptions {
        one_hot_columns: columns.iter().filter(texts).cloned().collect(),
        picture,
        ..read.clone()
    };
    // Reads all columns first, so that the id column is found. If a column that the model does not need causes an error, reads
    // again with only the model's columns.
    let file = |read: ReadOptions| Rows::file(input.clone(), read);
    match file(read.clone()).open(ctx) {
        Err(JobError::Read(
            ReadError::NotANumber { .. }
            | ReadError::Infinite { .. }
            | ReadError::MixedColumn { .. },
        )) => {
            let of_file = |name: &String| text_column(name).unwrap_or_else(|| name.clone());
            let mut columns: Vec<String> = columns.iter().map(of_file).collect();
            columns.dedup();
            file(ReadOptions { columns, ..read }).open(ctx)
        }
        rows => rows,
    }
}

/// The text column from which a 0/1 column was made.
fn text_column(name: &str) -> Option<String> {
    name.split_once('=').map(|(column, _)| column.to_owned())
}

fn check_width(table: &Table, fitted: &dyn Fitted, model: &str) -> Result<(), JobError> {
    let (given, expected) = (table.columns().len(), fitted.common().n_cols);
    if given == expected {
        return Ok(());
    }
    let error = eigenspan::Error::WrongWidth { given, expected };
    Err(JobError::Usage {
        what: format!("{} does not fit the model {model}: {error}", table.name()),
        advice: Advice::default(),
    })
}

fn columns_error(table: &Table, columns: &[String], model: &str) -> JobError {
    let there: HashSet<&String> = table.all_columns().iter().collect();
    let numeric: HashSet<&String> = table.columns().iter().collect();
    let known: HashSet<&String> = columns.iter().collect();
    let id = table.id().map(|id| id.name.as_str());
    JobError::Columns {
        data: table.name().into(),
        model: model.into(),
        missing: columns
            .iter()
            .filter(|c| !there.contains(c))
            .cloned()
            .collect(),
        without_numbers: columns
            .iter()
            .filter(|c| there.contains(c) && !numeric.contains(c))
            .cloned()
            .collect(),
        unknown: table
            .columns()
            .iter()
            .filter(|c| !known.contains(c) && Some(c.as_str()) != id)
            .cloned()
            .collect(),
    }
}
