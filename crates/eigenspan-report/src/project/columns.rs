//! Which columns of a table a model means: those of new rows, and those that hold scores.

use std::collections::{HashMap, HashSet};

use eigenspan::method::Fitted;
use eigenspan::{Context, Note};
use eigenspan_io::{Format, Picture, ReadError, ReadOptions, Table, open};

use super::ProjectJob;
use crate::JobError;

/// Opens new data with the model's columns, and says where each of them is.
pub(crate) fn open_for(
    ctx: &Context,
    fitted: &dyn Fitted,
    picture: Option<Picture>,
    job: &ProjectJob<'_>,
) -> Result<(Table, Option<Vec<usize>>), JobError> {
    let Some(columns) = fitted.common().columns else {
        let table = open(&job.input, &job.read, ctx)?;
        return check_width(table, fitted, job).map(|table| (table, None));
    };
    // A column such as `species=Adelie` is the text Adelie of the column species, where that is text.
    let texts = |name: &&String| name.contains('=');
    let read = &ReadOptions {
        one_hot_columns: columns.iter().filter(texts).cloned().collect(),
        picture,
        ..job.read.clone()
    };
    // Read as it is, so that its id column is found; where a column that does not matter here stands in the way, read
    // again with the model's columns only.
    let table = match open(&job.input, read, ctx) {
        Err(
            ReadError::NotANumber { .. }
            | ReadError::Infinite { .. }
            | ReadError::MixedColumn { .. },
        ) => {
            let of_file = |name: &String| text_column(name).unwrap_or_else(|| name.clone());
            let mut named: Vec<String> = columns.iter().map(of_file).collect();
            named.dedup();
            let read = ReadOptions {
                columns: named,
                ..read.clone()
            };
            open(&job.input, &read, ctx)?
        }
        table => table?,
    };
    if !table.has_header() {
        return check_width(table, fitted, job).map(|table| (table, None));
    }
    let names = table.columns().iter().enumerate();
    let places: HashMap<&str, usize> = names.map(|(i, name)| (name.as_str(), i)).collect();
    let pick: Option<Vec<usize>> = columns
        .iter()
        .map(|name| places.get(name.as_str()).copied())
        .collect();
    match pick {
        Some(pick) if pick.iter().copied().eq(0..table.columns().len()) => Ok((table, None)),
        Some(pick) => Ok((table, Some(pick))),
        None => Err(columns_error(&table, columns, job)),
    }
}

/// The column of text that a column of 0 and 1 comes from.
fn text_column(name: &str) -> Option<String> {
    name.split_once('=').map(|(column, _)| column.to_owned())
}

fn check_width(table: Table, fitted: &dyn Fitted, job: &ProjectJob<'_>) -> Result<Table, JobError> {
    let (given, expected) = (table.columns().len(), fitted.common().n_cols);
    if given == expected {
        return Ok(table);
    }
    let error = eigenspan::Error::WrongWidth { given, expected };
    Err(JobError::Usage {
        what: format!(
            "{} does not fit the model {}: {error}",
            table.name(),
            job.model.display()
        ),
        tip: None,
    })
}

fn columns_error(table: &Table, columns: &[String], job: &ProjectJob<'_>) -> JobError {
    let there: HashSet<&String> = table.all_columns().iter().collect();
    let numeric: HashSet<&String> = table.columns().iter().collect();
    let known: HashSet<&String> = columns.iter().collect();
    let id = table.id().map(|id| id.name.as_str());
    JobError::Columns {
        data: table.name().into(),
        model: job.model.display().to_string().into(),
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

/// Columns of the data that the model does not use, apart from those with a role and those that are kept.
pub(crate) fn note_ignored(table: &Table, fitted: &dyn Fitted, keep: &[String]) -> Option<Note> {
    let known: HashSet<&String> = fitted.common().columns?.iter().collect();
    let role = [
        table.id().map(|id| id.name.as_str()),
        table.label(),
        table.weight(),
    ];
    let place = |column: &String| table.column_index(column).ok();
    let kept: HashSet<&String> = keep
        .iter()
        .filter_map(|column| table.all_columns().get(place(column)?))
        .collect();
    // What PLINK says about each person is no column of the data.
    let columns = match table.format() {
        Format::Plink => table.columns(),
        _ => table.all_columns(),
    };
    let ignored: Vec<String> = columns
        .iter()
        .filter(|c| !known.contains(c) && !role.contains(&Some(c.as_str())) && !kept.contains(c))
        .filter(|c| {
            let prefix = format!("{c}=");
            !table.columns().iter().any(|name| name.starts_with(&prefix))
        })
        .cloned()
        .collect();
    (!ignored.is_empty()).then_some(Note::IgnoredColumns { columns: ignored })
}

/// Where the scores are: columns by the names of the components, or all columns of numbers where there are k of them.
pub(super) fn scores_columns(
    table: &Table,
    fitted: &dyn Fitted,
    job: &ProjectJob<'_>,
) -> Result<Vec<usize>, JobError> {
    let k = fitted.common().n_components;
    let names = fitted.axis_names();
    let place = |name: &String| table.columns().iter().position(|column| column == name);
    let by_name: Option<Vec<usize>> = names.iter().map(place).collect();
    if let Some(places) = by_name {
        return Ok(places);
    }
    if table.columns().len() == k {
        return Ok((0..k).collect());
    }
    Err(JobError::Usage {
        what: format!(
            "{} does not fit the model {}: {k} scores ({} to {}) are needed, but {} are there",
            table.name(),
            job.model.display(),
            fitted.axis_name(0),
            fitted.axis_name(k - 1),
            eigenspan::error::counted(table.columns().len(), "numeric column"),
        ),
        tip: Some("--columns picks them".to_owned()),
    })
}
