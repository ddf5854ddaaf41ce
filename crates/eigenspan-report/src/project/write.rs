//! Rows on their way out: part by part, several at a time, written in order.

use eigenspan::method::contract::{ProjectRows, project_rows};
use eigenspan::method::{Fitted, Names};
use eigenspan::source::{Pick, Source};
use eigenspan::{Context, Error, Mat, Pca, Real, on_numbers};
use eigenspan_io::{
    Format, Formatted, Layout, Numbers, Output, Sealed, Table, TableWriter, TextColumn,
};
use rayon::prelude::*;

use crate::JobError;
use crate::genotypes;

/// Writes the scores of a table, with its id, label and kept columns in front; they are yet to be placed.
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

/// Writes each component's scores divided by its length, with the people in front; they are yet to be placed.
pub(crate) fn write_unit_scores(
    ctx: &Context,
    table: &Table,
    pca: &Pca,
    lengths: &[f64],
    output: &Output,
) -> Result<Sealed, JobError> {
    let people = genotypes::person_columns(table)?;
    let numbered = people.is_empty();
    let (mut names, places): (Vec<String>, Vec<usize>) = people.into_iter().unzip();
    if numbered {
        names.push("#IID".to_owned());
    }
    let layout = Layout {
        texts: names.clone(),
        // As PLINK calls them, whatever the model does.
        numbers: Names::Pc.first(pca.n_components()),
        ..Layout::default()
    };
    let mut writer = TableWriter::create::<f64>(output, Format::Tsv, layout)?;
    let carried = Carried { names, places };
    let unit = |part: Part<'_>| -> Result<Formatted, JobError> {
        let scores = scores_of_part(ctx, table, None, pca, part.index)?;
        let unit = Mat::from_fn(scores.n_rows(), scores.n_cols(), |i, j| match lengths[j] {
            0.0 => 0.0,
            length => scores[(i, j)] / length,
        });
        let mut texts = part.texts;
        if numbered {
            let first = table.part_texts(part.index, &[])?.first;
            let numbers = first + 1..=first + unit.n_rows();
            texts.push(numbers.map(|row| row.to_string()).collect());
        }
        Ok(part.writer.format(&texts, unit.view())?)
    };
    write_parts(ctx, table, &carried, &mut writer, unit)?;
    Ok(writer.seal()?)
}

/// The format of the output, where it can hold the columns that are to be kept.
pub(crate) fn format_for(output: &Output, keep: &[String]) -> Result<Format, JobError> {
    let format = output.format()?;
    if format == Format::Npy && !keep.is_empty() {
        return Err(JobError::Usage {
            what: format!(
                "an NPY file holds scores only, so {} cannot keep columns",
                output.name()
            ),
            tip: Some("a name that ends in .csv or .tsv keeps them".to_owned()),
        });
    }
    if genotypes::eigenval_of(output).is_some() && !keep.is_empty() {
        return Err(JobError::Usage {
            what: format!(
                "an .eigenvec file holds people and eigenvectors only, so {} cannot keep columns",
                output.name()
            ),
            tip: Some("a name that ends in .csv or .tsv keeps them".to_owned()),
        });
    }
    Ok(format)
}

/// Columns carried along as text: id, label, and what was asked to be kept, each once.
pub(super) struct Carried {
    pub(super) names: Vec<String>,
    pub(super) places: Vec<usize>,
}

pub(super) fn carried(table: &Table, keep: &[String]) -> Result<Carried, JobError> {
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

/// One part of a table on its way into a writer.
pub(super) struct Part<'w> {
    pub(super) index: usize,
    pub(super) texts: Vec<TextColumn>,
    pub(super) writer: &'w TableWriter,
}

/// Turns parts into rows of the output, several at a time, and writes them in order.
pub(super) fn write_parts(
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

/// Scores of one part of a table.
pub(crate) fn scores_of_part(
    ctx: &Context,
    table: &Table,
    pick: Option<&[usize]>,
    fitted: &dyn Fitted,
    part: usize,
) -> Result<Mat<f64>, JobError> {
    let scores = fitted.must_project().and_then(
        |by| on_numbers!(table.numbers(), source => scores_from(ctx, source, pick, (by, fitted), part)),
    );
    scores.map_err(|e| JobError::core(table.name(), e))
}

fn scores_from<T: Real>(
    ctx: &Context,
    source: &dyn Source<T>,
    pick: Option<&[usize]>,
    (by, fitted): (&dyn ProjectRows<T>, &dyn Fitted),
    part: usize,
) -> Result<Mat<f64>, Error> {
    let common = fitted.common();
    let mut cells: Vec<f64> = Vec::new();
    let mut take = |source: &dyn Source<T>| {
        source.read_part(part, &mut |rows| {
            let scores = project_rows(ctx, by, common.missing, source, &rows)?;
            cells.extend(scores.into_vec());
            ctx.advance(rows.block.n_rows() as u64);
            Ok(())
        })
    };
    match pick {
        None => take(source)?,
        Some(pick) => take(&Pick::new(source, pick.to_vec())?)?,
    }
    let k = common.n_components;
    Mat::from_vec(cells.len() / k, k, cells)
}

/// Scores of all rows of a table.
pub(crate) fn table_scores(
    ctx: &Context,
    table: &Table,
    pick: Option<&[usize]>,
    fitted: &dyn Fitted,
) -> Result<Mat<f64>, JobError> {
    let mut cells = Vec::new();
    for part in 0..table.n_parts() {
        ctx.check().map_err(|e| JobError::core(table.name(), e))?;
        let scores = ctx.install(|| scores_of_part(ctx, table, pick, fitted, part))?;
        cells.extend(scores.into_vec());
    }
    let k = fitted.common().n_components;
    Mat::from_vec(cells.len() / k, k, cells).map_err(|e| JobError::core(table.name(), e))
}

/// Rows in the type that the numbers of a table are stored in, formatted.
pub(super) fn formatted(
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

/// Begins a table whose numbers have the type of those of another.
pub(super) fn created(
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
