//! Noise taken out: a model of clean rows says what noisy ones would be if they were like those.
//!
//! Noisy rows are projected onto the components of the clean ones and brought back. What the components do not hold is
//! lost, noise and detail alike; how much, is measured: the root of the mean squared change of a cell.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use eigenspan::method::{Fitted, Method, PreImageOptions};
use eigenspan::{Context, Mat, Note};
use eigenspan_io::{Format, Formatted, Input, Layout, Output, ReadOptions, Table, probe};

use super::{Back, Residuals, no_way_back};
use crate::results::picture::{self, Place};
use crate::results::{
    Carried, Files, Part, carried, created, format_for, formatted, refuse_inputs, write_parts,
};
use crate::subject::{Fitting, OpenRows, Rows, Subject, cells_of, open_for, scores_of_part};
use crate::{Explicit, JobError, fit, genotypes};

/// Noise to be taken out.
#[derive(Debug, Clone)]
pub struct DenoiseJob {
    /// The noisy rows.
    pub noisy: Input,
    /// Rows like those that are wanted.
    pub train: Input,
    /// How to read both.
    pub read: ReadOptions,
    /// The method that learns what clean rows are like.
    pub method: Box<dyn Method>,
    /// Which options of a PCA were given.
    pub explicit: Explicit,
    /// How rows are found from scores, for methods that search for them.
    pub pre_image: PreImageOptions,
    /// Where the rows go.
    pub output: Output,
}

/// Rows without noise.
#[derive(Debug)]
pub struct Denoised {
    /// The noisy rows.
    pub table: Arc<Table>,
    /// The model of the clean ones.
    pub fitted: Box<dyn Fitted>,
    /// Name of the clean rows.
    pub train: String,
    /// Columns of numbers written.
    pub n_cols: usize,
    /// What was taken out.
    pub change: Change,
    /// How far rows lie from their projections, where the way back is not exact.
    pub residuals: Option<Residuals>,
    /// What a person should know.
    pub notes: Vec<Note>,
}

/// How much rows were changed.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Change {
    /// Root of the mean squared change of a cell.
    pub rms: f64,
    /// The same for the row that changed most.
    pub largest: f64,
    /// That row, from 0.
    pub row: usize,
}

/// Takes noise out; nothing is written unless everything before went well.
pub fn denoise(ctx: &Context, job: &DenoiseJob) -> Result<Denoised, JobError> {
    let pictures = Place::of(&job.output);
    if let Output::Path(path) = &job.output {
        refuse_inputs(&[job.noisy.clone(), job.train.clone()], path)?;
        if pictures.is_none() {
            probe(path)?;
        }
    }
    if pictures.is_none() {
        format_for(&job.output, &[])?;
    }
    genotypes::refuse_eigenvec(&job.output)?;
    let (train, read) = (job.train.clone(), job.read.clone());
    let fitting = Fitting::new(job.method.clone(), job.explicit);
    let clean = fit::fit(ctx, &Subject::to_fit(Rows::file(train, read), fitting))?;
    let fitted = &*clean.fitted;
    let train = job.train.name();
    let back = Back::new(ctx, fitted, job.pre_image).map_err(|e| no_way_back(&train, e))?;
    let noisy = Rows::file(job.noisy.clone(), job.read.clone());
    let picture = clean.rows.table.picture();
    let OpenRows { table, pick, .. } = open_for(ctx, fitted, picture, &noisy, &train)?;
    let changes = Changes::default();
    ctx.begin("denoising", Some(table.n_rows() as u64));
    let rows = |part: usize| -> Result<Mat<f64>, JobError> {
        let noisy = cells_of(&table, pick.as_deref(), part)?;
        let scores = scores_of_part(ctx, &table, pick.as_deref(), fitted, part)?;
        // Missing cells are no place to begin at.
        let whole = noisy.as_slice().iter().all(|x| x.is_finite());
        let rows = back.rows(part, scores.view(), whole.then(|| noisy.view()));
        let rows = rows.map_err(|e| JobError::core(table.name(), e))?;
        changes.add(part, &noisy, &rows);
        Ok(rows)
    };
    let mut notes = clean.notes;
    notes.extend(table.notes().iter().cloned());
    match pictures.filter(|place| place.is_meant(table.picture())) {
        Some(place) => {
            let shape = picture::shape(Path::new(table.name()), table.picture(), None, &place)?;
            notes.extend(picture::rebuild(ctx, &table, shape, &place, &rows)?);
        }
        None => write_table(ctx, job, &table, pick.as_deref(), fitted, &rows)?,
    }
    let (residuals, found) = back.finish();
    notes.extend(found);
    notes.dedup();
    Ok(Denoised {
        n_cols: fitted.common().n_cols,
        change: changes.finish(fitted.common().n_cols),
        table,
        fitted: clean.fitted,
        train,
        residuals,
        notes,
    })
}

/// Writes rows as a table of the same columns in the same order.
fn write_table(
    ctx: &Context,
    job: &DenoiseJob,
    table: &Table,
    pick: Option<&[usize]>,
    fitted: &dyn Fitted,
    rows: picture::RowsOf<'_>,
) -> Result<(), JobError> {
    let format = format_for(&job.output, &[])?;
    let names = match pick {
        None => table.columns().to_vec(),
        Some(_) => fitted.column_names(),
    };
    let (carried, layout, order) = form(table, names)?;
    let mut writer = created(table, &job.output, format, layout)?;
    let work = |part: Part<'_>| -> Result<Formatted, JobError> {
        let rows = rows(part.index)?;
        let ordered = Mat::from_fn(rows.n_rows(), order.len(), |i, j| rows[(i, order[j])]);
        formatted(table, &part, &ordered)
    };
    write_parts(ctx, table, &carried, &mut writer, work)?;
    let mut files = Files::default();
    files.add(job.output.name(), Some(writer.seal()?));
    files.place()?;
    Ok(())
}

/// The form of a table: what of it is carried along, all columns in their order, and which of the numbers come when.
fn form(table: &Table, names: Vec<String>) -> Result<(Carried, Layout, Vec<usize>), JobError> {
    let all = table.all_columns();
    let place = |name: &String| all.iter().position(|column| column == name);
    let of_file: Option<Vec<usize>> = names.iter().map(place).collect();
    let flat = matches!(
        table.format(),
        Format::Csv | Format::Tsv | Format::Text | Format::Parquet | Format::Arrow | Format::Xlsx
    );
    let Some(of_file) = of_file.filter(|_| flat) else {
        // Columns that the file does not have, such as those of texts made numbers: id and label first.
        let carried = carried(table, &[])?;
        let layout = Layout {
            texts: carried.names.clone(),
            numbers: names.clone(),
            ..Layout::default()
        };
        return Ok((carried, layout, (0..names.len()).collect()));
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
    Ok((carried, layout, order))
}

/// Squared changes, gathered by part so that their order does not hang on threads.
#[derive(Default)]
struct Changes(Mutex<BTreeMap<usize, Vec<f64>>>);

impl Changes {
    fn add(&self, part: usize, noisy: &Mat<f64>, clean: &Mat<f64>) {
        let squares = noisy.rows().zip(clean.rows()).map(|(noisy, clean)| {
            let cells = noisy.iter().zip(clean).map(|(a, b)| (a - b) * (a - b));
            // A missing cell has not changed.
            cells.filter(|x| x.is_finite()).sum()
        });
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.insert(part, squares.collect());
    }

    fn finish(self, n_cols: usize) -> Change {
        let parts = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        let rows: Vec<f64> = parts.into_values().flatten().collect();
        let per_cell = |sum: f64, n: usize| (sum / (n * n_cols).max(1) as f64).sqrt();
        let largest = rows.iter().copied().enumerate();
        let largest = largest.max_by(|(_, a), (_, b)| a.total_cmp(b));
        let (row, largest) = largest.unwrap_or_default();
        Change {
            rms: per_cell(rows.iter().sum(), rows.len()),
            largest: per_cell(largest, 1),
            row,
        }
    }
}
