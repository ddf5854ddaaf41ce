//! Writes rows part by part: several parts are computed at a time, and written in order.

use eigenspan::method::Fitted;
use eigenspan::method::contract::Predict;
use eigenspan::source::Pick;
use eigenspan::{Context, Mat, on_numbers};
use eigenspan_io::{
    Format, Formatted, Layout, Numbers, Output, Sealed, Table, TableWriter, TextColumn,
};
use rayon::prelude::*;

use crate::subject::{Embedded, scores_of_part};
use crate::{JobError, genotypes};

/// Writes the scores of a table after its id, label and copied columns and, if the model predicts classes, the class of every row; the
/// file still has to be moved into place.
pub(crate) fn write_scores(
    ctx: &Context,
    table: &Table,
    pick: Option<Vec<usize>>,
    fitted: &dyn Fitted,
    keep: &[String],
    output: &Output,
) -> Result<Sealed, JobError> {
    let pick = pick.as_deref();
    let predicted = fitted
        .predictor()
        .map(|by| Predicted::new(ctx, table, pick, by))
        .transpose()?;
    let scores = |part: usize| scores_of_part(ctx, table, pick, fitted, part);
    let columns = (fitted.axis_names(), predicted);
    write_columns(ctx, table, columns, keep, output, &scores)
}

/// Writes the coordinates that a model keeps of the rows it was just fitted to, as [`write_scores`] does.
pub(super) fn write_embedding(
    ctx: &Context,
    table: &Table,
    fitted: &dyn Fitted,
    keep: &[String],
    output: &Output,
) -> Result<Sealed, JobError> {
    let embedded = Embedded::of_table(ctx, table, fitted)?;
    let scores = |part: usize| embedded.part(part);
    let columns = (fitted.axis_names(), None);
    write_columns(ctx, table, columns, keep, output, &scores)
}

/// Writes the scores of each part of a table below these names, after the columns that are copied.
fn write_columns(
    ctx: &Context,
    table: &Table,
    (names, predicted): (Vec<String>, Option<Predicted>),
    keep: &[String],
    output: &Output,
    scores: &(dyn Fn(usize) -> Result<Mat<f64>, JobError> + Sync),
) -> Result<Sealed, JobError> {
    let format = format_for(output, keep)?;
    let carried = carried(table, keep)?;
    let mut texts = carried.names.clone();
    texts.extend(predicted.as_ref().map(|_| unused(PREDICTED, &texts)));
    let layout = Layout {
        texts,
        numbers: names,
        ..Layout::default()
    };
    let mut writer = created(table, output, format, layout)?;
    ctx.begin("projecting", Some(table.n_rows() as u64));
    let project = |mut part: Part<'_>| -> Result<Formatted, JobError> {
        let scores = scores(part.index)?;
        if let Some(predicted) = &predicted {
            let first = table.part_texts(part.index, &[])?.first;
            part.texts.push(predicted.texts(first, scores.n_rows()));
        }
        formatted(table, &part, &scores)
    };
    write_parts(ctx, table, &carried, &mut writer, project)?;
    Ok(writer.seal()?)
}

/// The name of the column of predicted classes.
const PREDICTED: &str = "predicted";

/// A name that no other column has.
fn unused(name: &str, others: &[String]) -> String {
    let mut name = name.to_owned();
    while others.contains(&name) {
        name.push('\'');
    }
    name
}

/// The class of every row of a table, as a model predicts it.
struct Predicted {
    classes: Vec<String>,
    rows: Vec<Option<usize>>,
}

impl Predicted {
    fn new(
        ctx: &Context,
        table: &Table,
        pick: Option<&[usize]>,
        by: &dyn Predict,
    ) -> Result<Self, JobError> {
        let rows = on_numbers!(table.numbers(), source => match pick {
            None => by.predict(ctx, Numbers::from_source(source)),
            Some(pick) => Pick::new(source, pick.to_vec())
                .and_then(|picked| by.predict(ctx, Numbers::from_source(&picked))),
        });
        Ok(Predicted {
            classes: by.classes().to_vec(),
            rows: rows.map_err(|e| JobError::core(table.name(), e))?,
        })
    }

    /// The classes of some rows; empty for a row without one.
    fn texts(&self, first: usize, count: usize) -> TextColumn {
        let name = |class: &Option<usize>| class.map_or("", |class| &self.classes[class]);
        let rows = self.rows[first..first + count].iter();
        rows.map(|class| name(class).to_owned()).collect()
    }
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
