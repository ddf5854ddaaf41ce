//! A fitted model and new rows: scores out, or rows rebuilt from scores, part by part and in order.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use eigenspan::method::Names;
use eigenspan::prepare::Missing;
use eigenspan::source::{Pick, Source};
use eigenspan::{Context, Mat, Note, Pca, Real};
use eigenspan_io::model::{Fitted, Model};
use eigenspan_io::{
    Format, Formatted, Input, Layout, Numbers, Output, Picture, ReadError, ReadOptions, Sealed,
    Table, TableWriter, TextColumn, open,
};
use rayon::prelude::*;

use crate::JobError;
use crate::genotypes;
use crate::job::refuse_input;
use crate::picture::{self, Place};
use crate::summary::column_names;

/// New rows, or scores, for a model.
#[derive(Debug, Clone)]
pub struct ProjectJob<'a> {
    /// The model file.
    pub model: &'a Path,
    /// The rows or scores.
    pub input: Input,
    /// How to read them.
    pub read: ReadOptions,
    /// Further columns to carry along.
    pub keep: Vec<String>,
    /// Where the result goes.
    pub output: Output,
    /// Width and height of the picture whose patches these are, where it is not of the model's size.
    pub size: Option<(usize, usize)>,
}

/// What came of it.
#[derive(Debug)]
pub struct Projected {
    /// Rows written.
    pub n_rows: usize,
    /// Columns of numbers written.
    pub n_cols: usize,
    /// What a person should know.
    pub notes: Vec<Note>,
}

/// Scores of new rows.
pub fn transform(ctx: &Context, job: &ProjectJob<'_>) -> Result<Projected, JobError> {
    let (pca, picture) = load_for(job)?;
    format_for(&job.output, &job.keep)?;
    genotypes::refuse_eigenvec(&job.output)?;
    let (table, pick) = open_for(ctx, &pca, picture, job)?;
    let mut notes = table.notes().to_vec();
    notes.extend(note_ignored(&table, &pca));
    write_scores(ctx, &table, pick, &pca, &job.keep, &job.output)?.place()?;
    Ok(Projected {
        n_rows: table.n_rows(),
        n_cols: pca.n_components(),
        notes,
    })
}

/// Rows rebuilt from scores.
pub fn inverse(ctx: &Context, job: &ProjectJob<'_>) -> Result<Projected, JobError> {
    let (pca, picture) = load_for(job)?;
    let place = Place::of(&job.output).filter(|place| place.is_meant(picture));
    let shape = place
        .as_ref()
        .map(|place| picture::shape(job.model, picture, job.size, place))
        .transpose()?;
    let format = match place {
        Some(_) => Format::Image,
        None => format_for(&job.output, &job.keep)?,
    };
    genotypes::refuse_eigenvec(&job.output)?;
    let table = open(&job.input, &job.read, ctx)?;
    let pick = scores_columns(&table, &pca, job)?;
    if let Some(missing) = table.missing() {
        return Err(missing.error().into());
    }
    if let Some((place, shape)) = place.zip(shape) {
        return picture::rebuild(ctx, &table, &pick, &pca, shape, &place);
    }
    let names = column_names(&pca);
    let carried = carried(&table, &job.keep)?;
    let layout = Layout {
        texts: carried.names.clone(),
        numbers: names,
    };
    let mut writer = TableWriter::create::<f64>(&job.output, format, layout)?;
    let rebuild = |part: Part<'_>| -> Result<Formatted, JobError> {
        let rows = rebuilt_part(&pca, &table, &pick, part.index)?;
        Ok(part.writer.format(&part.texts, rows.view())?)
    };
    write_parts(ctx, &table, &carried, &mut writer, rebuild)?;
    writer.finish()?;
    Ok(Projected {
        n_rows: table.n_rows(),
        n_cols: pca.n_cols(),
        notes: table.notes().to_vec(),
    })
}

/// The rows of one part of a table of scores.
pub(crate) fn rebuilt_part(
    pca: &Pca,
    table: &Table,
    pick: &[usize],
    part: usize,
) -> Result<Mat<f64>, JobError> {
    let scores: Mat<f64> = match table.numbers() {
        Numbers::F64(source) => read_part(source, Some(pick), part)?,
        Numbers::F32(source) => {
            let scores = read_part(source, Some(pick), part)?;
            Mat::from_fn(scores.n_rows(), scores.n_cols(), |i, j| {
                f64::from(scores[(i, j)])
            })
        }
    };
    pca.inverse(scores.view())
        .map_err(|e| JobError::core(table.name(), e))
}

/// The model of a job whose result replaces neither its data nor its model, and the shape of its pictures.
fn load_for(job: &ProjectJob<'_>) -> Result<(Pca, Option<Picture>), JobError> {
    if let Output::Path(path) = &job.output {
        refuse_input(&job.input, path)?;
        refuse_input(&Input::new(job.model), path)?;
    }
    load(job.model)
}

/// Reads the model file of a PCA, and the shape of the pictures it was fitted to.
pub fn load(path: &Path) -> Result<(Pca, Option<Picture>), JobError> {
    let model = Model::load(path)?;
    match model.fitted {
        Fitted::Pca(pca) => Ok((*pca, model.picture)),
        _ => Err(JobError::Usage {
            what: format!("{} is not a PCA", path.display()),
            tip: None,
        }),
    }
}

/// Scores on the first component.
pub(crate) fn first_scores(ctx: &Context, table: &Table, pca: &Pca) -> Result<Vec<f64>, JobError> {
    let named = |e| JobError::core(table.name(), e);
    // Missing cells are filled by all components; complete rows need no others.
    let first = (pca.parts().options.missing != Missing::Em).then(|| pca.clone().truncated(1));
    let pca = first.as_ref().unwrap_or(pca);
    Ok(match table.numbers() {
        Numbers::F32(source) => pca
            .transform(ctx, source)
            .map_err(named)?
            .col(0)
            .into_iter()
            .map(f64::from)
            .collect(),
        Numbers::F64(source) => pca.transform(ctx, source).map_err(named)?.col(0),
    })
}

/// Writes the scores of a table, with its id, label and kept columns in front; they are yet to be placed.
pub(crate) fn write_scores(
    ctx: &Context,
    table: &Table,
    pick: Option<Vec<usize>>,
    pca: &Pca,
    keep: &[String],
    output: &Output,
) -> Result<Sealed, JobError> {
    let format = format_for(output, keep)?;
    let carried = carried(table, keep)?;
    let layout = Layout {
        texts: carried.names.clone(),
        numbers: pca.component_names(),
    };
    let mut writer = match table.numbers() {
        Numbers::F32(_) => TableWriter::create::<f32>(output, format, layout)?,
        Numbers::F64(_) => TableWriter::create::<f64>(output, format, layout)?,
    };
    ctx.begin("projecting", Some(table.n_rows() as u64));
    let pick = pick.as_deref();
    let project = |part: Part<'_>| -> Result<Formatted, JobError> {
        match table.numbers() {
            Numbers::F32(source) => {
                let scores = scores_of_part(ctx, table, source, pick, pca, part.index)?;
                Ok(part.writer.format(&part.texts, scores.view())?)
            }
            Numbers::F64(source) => {
                let scores = scores_of_part(ctx, table, source, pick, pca, part.index)?;
                Ok(part.writer.format(&part.texts, scores.view())?)
            }
        }
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
    };
    let mut writer = TableWriter::create::<f64>(output, Format::Tsv, layout)?;
    let carried = Carried { names, places };
    let unit = |part: Part<'_>| -> Result<Formatted, JobError> {
        let scores: Mat<f64> = match table.numbers() {
            Numbers::F64(source) => scores_of_part(ctx, table, source, None, pca, part.index)?,
            Numbers::F32(source) => {
                let scores = scores_of_part(ctx, table, source, None, pca, part.index)?;
                Mat::from_fn(scores.n_rows(), scores.n_cols(), |i, j| {
                    f64::from(scores[(i, j)])
                })
            }
        };
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
struct Carried {
    names: Vec<String>,
    places: Vec<usize>,
}

fn carried(table: &Table, keep: &[String]) -> Result<Carried, JobError> {
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
struct Part<'w> {
    index: usize,
    texts: Vec<TextColumn>,
    writer: &'w TableWriter,
}

/// Turns parts into rows of the output, several at a time, and writes them in order.
fn write_parts(
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

/// The numbers of one part.
fn read_part<T: Real>(
    source: &dyn Source<T>,
    pick: Option<&[usize]>,
    part: usize,
) -> Result<Mat<T>, JobError> {
    let mut cells = Vec::new();
    let cols = pick.map_or(source.n_cols(), <[usize]>::len);
    let mut take = |source: &dyn Source<T>| {
        source.read_part(part, &mut |rows| {
            cells.extend_from_slice(rows.block.to_mat().as_slice());
            Ok(())
        })
    };
    let read = match pick {
        None => take(source),
        Some(pick) => Pick::new(source, pick.to_vec()).and_then(|picked| take(&picked)),
    };
    read.map_err(|e| JobError::core("scores", e))?;
    Mat::from_vec(cells.len() / cols.max(1), cols, cells).map_err(|e| JobError::core("scores", e))
}

fn scores_of_part<T: Real>(
    ctx: &Context,
    table: &Table,
    source: &dyn Source<T>,
    pick: Option<&[usize]>,
    pca: &Pca,
    part: usize,
) -> Result<Mat<T>, JobError> {
    let named = |e| JobError::core(table.name(), e);
    let mut cells: Vec<T> = Vec::new();
    let mut take = |source: &dyn Source<T>| {
        source.read_part(part, &mut |rows| {
            let scores = pca.transform_rows(ctx, source, &rows)?;
            cells.extend(scores.as_slice().iter().map(|x| T::from_f64(*x)));
            ctx.advance(rows.block.n_rows() as u64);
            Ok(())
        })
    };
    match pick {
        None => take(source).map_err(named)?,
        Some(pick) => take(&Pick::new(source, pick.to_vec()).map_err(named)?).map_err(named)?,
    }
    let k = pca.n_components();
    Mat::from_vec(cells.len() / k, k, cells).map_err(named)
}

/// Opens new data with the model's columns, and says where each of them is.
pub(crate) fn open_for(
    ctx: &Context,
    pca: &Pca,
    picture: Option<Picture>,
    job: &ProjectJob<'_>,
) -> Result<(Table, Option<Vec<usize>>), JobError> {
    let Some(columns) = &pca.parts().columns else {
        let table = open(&job.input, &job.read, ctx)?;
        return check_width(table, pca, job).map(|table| (table, None));
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
        return check_width(table, pca, job).map(|table| (table, None));
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

fn check_width(table: Table, pca: &Pca, job: &ProjectJob<'_>) -> Result<Table, JobError> {
    let (given, expected) = (table.columns().len(), pca.n_cols());
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
    let known: HashSet<&String> = columns.iter().collect();
    let id = table.id().map(|id| id.name.as_str());
    JobError::Columns {
        data: table.name().to_owned(),
        model: job.model.display().to_string(),
        missing: columns
            .iter()
            .filter(|c| !there.contains(c))
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

/// Columns of the data that the model does not use, apart from those with a role.
fn note_ignored(table: &Table, pca: &Pca) -> Option<Note> {
    let known: HashSet<&String> = pca.parts().columns.as_ref()?.iter().collect();
    let role = [
        table.id().map(|id| id.name.as_str()),
        table.label(),
        table.weight(),
    ];
    // What PLINK says about each person is no column of the data.
    let columns = match table.format() {
        Format::Plink => table.columns(),
        _ => table.all_columns(),
    };
    let ignored: Vec<String> = columns
        .iter()
        .filter(|c| !known.contains(c) && !role.contains(&Some(c.as_str())))
        .filter(|c| {
            let prefix = format!("{c}=");
            !table.columns().iter().any(|name| name.starts_with(&prefix))
        })
        .cloned()
        .collect();
    (!ignored.is_empty()).then_some(Note::IgnoredColumns { columns: ignored })
}

/// Where the scores are: columns by the names of the components, or all columns of numbers where there are k of them.
fn scores_columns(table: &Table, pca: &Pca, job: &ProjectJob<'_>) -> Result<Vec<usize>, JobError> {
    let k = pca.n_components();
    let names = pca.component_names();
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
            pca.component_name(0),
            pca.component_name(k - 1),
            eigenspan::error::counted(table.columns().len(), "numeric column"),
        ),
        tip: Some("--columns picks them".to_owned()),
    })
}
