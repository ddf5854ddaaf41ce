//! Writes rows part by part: several parts are computed at a time, and written in order.

use eigenspan::method::Fitted;
use eigenspan::{Context, Mat};
use eigenspan_io::{
    Format, Formatted, Layout, Numbers, Output, Sealed, Table, TableWriter, TextColumn,
};
use rayon::prelude::*;

use crate::subject::scores_of_part;
use crate::{JobError, genotypes};

/// Writes the scores of a table after its id, label and copied columns; the file still has to be moved into place.
pub(crate) fn write_scores(
    ctx: &Context,
    table: &Table,
    pick: Option<Vec<usize>>,
    fitted: &dyn Fitted,
    keep: &[String],
    output: &Output,
) -> Result<Sealed, JobError> {
    let format = format_for(output, keep)?;
    let carried = carried(table, keep)?;
    let layout = Layout {
        texts: carried.names.clone(),
        numbers: fitted.axis_names(),
        ..Layout::default()
    };
    let mut writer = created(table, output, format, layout)?;
    ctx.begin("projecting", Some(table.n_rows() as u64));
    let pick = pick.as_deref();
    let project = |part: Part<'_>| -> Result<Formatted, JobError> {
        let scores = scores_of_part(ctx, table, pick, fitted, part.index)?;
        formatted(table, &part, &scores)
    };
    write_parts(ctx, table, &carried, &mut writer, project)?;
    Ok(writer.seal()?)
}

/// The format of the output; an error if it cannot hold the copied columns.
pub(crate) fn format_for(output: &Output, keep: &[String]) -> Result<Format, JobError> {
    let format = output.format()?;
    if format == Format::Npy && !keep.is_empty() {
        return Err(JobError::Usage {
            what: format!(
                "an NPY file holds scores only, so {} cannot keep columns",
                output.name()
            ),
            advice: "a name that ends in .csv or .tsv keeps them".into(),
        });
    }
    if genotypes::eigenval_of(output).is_some() && !keep.is_empty() {
        return Err(JobError::Usage {
            what: format!(
                "an .eigenvec file holds people and eigenvectors only, so {} cannot keep columns",
                output.name()
            ),
            advice: "a name that ends in .csv or .tsv keeps them".into(),
        });
    }
    Ok(format)
}

/// Columns that are copied as text: id, label, and the requested columns, each once.
pub(crate) struct Carried {
    pub(crate) names: Vec<String>,
    pub(crate) places: Vec<usize>,
}

pub(crate) fn carried(table: &Table, keep: &[String]) -> Result<Carried, JobError> {
    let id = table.id().map(|id| id.name.as_str());
    let mut places = Vec::new();
    for column in id
        .into_iter()
        .chain(table.label())
        .chain(keep.iter().map(String::as_str))
    {
        let place = table.column_index(column)?;
        if !places.contains(&place) {
            places.push(place);
        }
    }
    let names = places
        .iter()
        .map(|&place| table.all_columns()[place].clone())
        .collect();
    Ok(Carried { names, places })
}

/// One part of a table for a writer.
pub(crate) struct Part<'w> {
    pub(crate) index: usize,
    pub(crate) texts: Vec<TextColumn>,
    pub(crate) writer: &'w TableWriter,
}

/// Turns parts into rows of the output, several at a time, and writes them in order.
pub(crate) fn write_parts(
    ctx: &Context,
    table: &Table,
    carried: &Carried,
    writer: &mut TableWriter,
    work: impl Fn(Part<'_>) -> Result<Formatted, JobError> + Sync,
) -> Result<(), JobError> {
    let n_parts = table.n_parts();
    let wave = 2 * ctx.threads();
    for start in (0..n_parts).step_by(wave) {
        ctx.check().map_err(|e| JobError::core(table.name(), e))?;
        let shared: &TableWriter = writer;
        let formatted: Result<Vec<Formatted>, JobError> = ctx.install(|| {
            (start..(start + wave).min(n_parts))
                .into_par_iter()
                .map(|index| {
                    let texts = table.part_texts(index, &carried.places)?.columns;
                    work(Part {
                        index,
                        texts,
                        writer: shared,
                    })
                })
                .collect()
        });
        for rows in &formatted? {
            writer.append(rows)?;
        }
    }
    Ok(())
}

/// Formats rows in the number type of a table.
pub(crate) fn formatted(
    table: &Table,
    part: &Part<'_>,
    rows: &Mat<f64>,
) -> Result<Formatted, JobError> {
    Ok(match table.numbers() {
        Numbers::F64(_) => part.writer.format(&part.texts, rows.view())?,
        Numbers::F32(_) => {
            let single = Mat::from_fn(rows.n_rows(), rows.n_cols(), |i, j| rows[(i, j)] as f32);
            part.writer.format(&part.texts, single.view())?
        }
    })
}

/// Begins a table with the number type of another table.
pub(crate) fn created(
    table: &Table,
    output: &Output,
    format: Format,
    layout: Layout,
) -> Result<TableWriter, JobError> {
    Ok(match table.numbers() {
        Numbers::F32(_) => TableWriter::create::<f32>(output, format, layout)?,
        Numbers::F64(_) => TableWriter::create::<f64>(output, format, layout)?,
    })
}
