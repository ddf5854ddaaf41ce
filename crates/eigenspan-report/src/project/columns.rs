//! Columns of a table that a model does not use, and columns that hold scores.

use std::collections::HashSet;

use eigenspan::Note;
use eigenspan::method::Fitted;
use eigenspan::note::Clause;
use eigenspan_io::{Format, Table};

use crate::JobError;

/// Columns of the data that the model does not use, without columns that have a role or are kept.
pub(super) fn note_ignored(table: &Table, fitted: &dyn Fitted, keep: &[String]) -> Option<Note> {
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
    // The columns that PLINK adds about each person are not columns of the data.
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

/// The columns with the scores: those with the names of the components, or all numeric columns if there are exactly k.
pub(super) fn scores_columns(
    table: &Table,
    fitted: &dyn Fitted,
    model: &str,
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
            "{} does not fit the model {model}: {k} scores ({} to {}) are needed, but {} are there",
            table.name(),
            fitted.axis_name(0),
            fitted.axis_name(k - 1),
            eigenspan::error::counted(table.columns().len(), "numeric column"),
        ),
        advice: Clause::name("columns").then(" picks them").into(),
    })
}
