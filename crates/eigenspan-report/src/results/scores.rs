//! Writes rows part by part: several parts are computed at a time, and written in order.

use eigenspan::method::Fitted;
use eigenspan::{Context, Mat};
use eigenspan_io::{Format, Formatted, Layout, Output, Sealed, Table, TableWriter, TextColumn};

use crate::project::ComputedRows;
use crate::subject::{Embedded, parts_in_order, scores_of_part};
use crate::{JobError, genotypes};

/// Writes the scores of a table after its id, label and copied columns and, if the model predicts classes, the class of every row; the
/// file still has to be moved into place.
pub(crate) fn write_scores(
    ctx: &Context,
    table: &Table,
    fitted: &dyn Fitted,
    keep: &[String],
    output: &Output,
) -> Result<Sealed, JobError> {
    ctx.begin("projecting", Some(table.n_rows() as u64));
    let part = |part| scores_of_part(ctx, table, None, fitted, part);
    let rows = ComputedRows::scores(ctx, (table, None), fitted, &part)?;
    write_rows(ctx, &rows, keep, output)
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
    ctx.begin("projecting", Some(table.n_rows() as u64));
    let part = |part| embedded.part(part);
    let rows = ComputedRows::new(table, fitted.axis_names(), &part);
    write_rows(ctx, &rows, keep, output)
}

/// Writes computed rows beside columns of their table; the file still has to be moved into place.
pub(crate) fn write_rows(
    ctx: &Context,
    rows: &ComputedRows<'_>,
    keep: &[String],
    output: &Output,
) -> Result<Sealed, JobError> {
    let format = format_for(output, keep)?;
    let Form {
        carried,
        layout,
        order,
    } = match rows.replaces {
        true => Form::in_place(rows)?,
        false => Form::beside(rows, keep)?,
    };
    let mut writer = match rows.is_single {
        true => TableWriter::create::<f32>(output, format, layout)?,
        false => TableWriter::create::<f64>(output, format, layout)?,
    };
    let work = |mut part: Part<'_>| -> Result<Formatted, JobError> {
        let cells = rows.part(part.index)?;
        if let Some(predicted) = &rows.predicted {
            let first = rows.table.part_texts(part.index, &[])?.first;
            part.texts.push(predicted.texts(first, cells.n_rows()));
        }
        let cells = match &order {
            Some(order) => Mat::from_fn(cells.n_rows(), order.len(), |i, j| cells[(i, order[j])]),
            None => cells,
        };
        Ok(match rows.is_single {
            true => {
                let single =
                    Mat::from_fn(cells.n_rows(), cells.n_cols(), |i, j| cells[(i, j)] as f32);
                part.writer.format(&part.texts, single.view())?
            }
            false => part.writer.format(&part.texts, cells.view())?,
        })
    };
    write_parts(ctx, rows.table, &carried, &mut writer, work)?;
    Ok(writer.seal()?)
}

/// How computed rows and columns of their table share a file.
struct Form {
    carried: Carried,
    layout: Layout,
    /// The order of the computed columns; `None` if it stays as it is.
    order: Option<Vec<usize>>,
}

impl Form {
    /// The id, the label and the columns to keep, the predicted classes, then the computed columns.
    fn beside(rows: &ComputedRows<'_>, keep: &[String]) -> Result<Form, JobError> {
        let carried = carried(rows.table, keep)?;
        let mut texts = carried.names.clone();
        texts.extend(rows.predicted.as_ref().map(|_| unused(PREDICTED, &texts)));
        let layout = Layout {
            texts,
            numbers: rows.names.clone(),
            ..Layout::default()
        };
        Ok(Form {
            carried,
            layout,
            order: None,
        })
    }

    /// The computed columns in the places of the table's columns of these names, among all its other columns.
    fn in_place(rows: &ComputedRows<'_>) -> Result<Form, JobError> {
        let (table, names) = (rows.table, &rows.names);
        let all = table.all_columns();
        let place = |name: &String| all.iter().position(|column| column == name);
        let of_file: Option<Vec<usize>> = names.iter().map(place).collect();
        let flat = matches!(
            table.format(),
            Format::Csv
                | Format::Tsv
                | Format::Text
                | Format::Parquet
                | Format::Arrow
                | Format::Xlsx
        );
        let Some(of_file) = of_file.filter(|_| flat) else {
            // Columns that the file does not have, such as 0/1 columns made from text columns: id and label come first.
            return Form::beside(rows, &[]);
        };
        let mut order: Vec<usize> = (0..names.len()).collect();
        order.sort_by_key(|&j| of_file[j]);
        let places: Vec<usize> = (0..all.len()).filter(|c| !of_file.contains(c)).collect();
        let carried = Carried {
            names: places.iter().map(|&c| all[c].clone()).collect(),
            places: places.clone(),
        };
        let layout = Layout {
            texts: carried.names.clone(),
            numbers: order.iter().map(|&j| names[j].clone()).collect(),
            places,
        };
        Ok(Form {
            carried,
            layout,
            order: Some(order),
        })
    }
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
    let compute = |writer: &TableWriter, index| {
        let texts = table.part_texts(index, &carried.places)?.columns;
        work(Part {
            index,
            texts,
            writer,
        })
    };
    parts_in_order(ctx, table, writer, compute, |writer, rows| {
        Ok(writer.append(&rows)?)
    })
}
