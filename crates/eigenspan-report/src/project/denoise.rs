//! Denoising: a model of clean rows says what noisy rows would look like without noise.
//!
//! Noisy rows are projected onto the components of the clean rows and rebuilt. What the components do not contain is
//! lost, both noise and detail. The root mean squared change of a cell measures how much.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use eigenspan::method::{Fitted, Method, PreImageOptions};
use eigenspan::{Context, Mat, Note};
use eigenspan_io::{Format, Formatted, Input, Layout, Output, ReadOptions, Table, probe};

use super::{Residuals, RowRebuilder, no_way_back};
use crate::results::picture::{self, Place};
use crate::results::{
    Carried, Files, Part, carried, created, format_for, formatted, refuse_inputs, write_parts,
};
use crate::subject::{Fitting, OpenRows, Rows, Subject, cells_of, open_for, scores_of_part};
use crate::{Explicit, JobError, fit, genotypes};

/// A request to denoise rows.
#[derive(Debug, Clone)]
pub struct DenoiseJob {
    /// The noisy rows.
    pub noisy: Input,
    /// The clean rows, which train the model.
    pub train: Input,
    /// How to read both.
    pub read: ReadOptions,
    /// The method that is fitted to the clean rows.
    pub method: Box<dyn Method>,
    /// Which options of a PCA were given.
    pub explicit: Explicit,
    /// How rows are rebuilt from scores, for methods with pre-images.
    pub pre_image: PreImageOptions,
    /// The output.
    pub output: Output,
}

/// The result of denoising.
#[derive(Debug)]
pub struct Denoised {
    /// The noisy rows.
    pub table: Arc<Table>,
    /// The model of the clean rows.
    pub fitted: Box<dyn Fitted>,
    /// The name of the clean rows.
    pub train: String,
    /// The number of numeric columns written.
    pub n_cols: usize,
    /// How much the rows were changed.
    pub change: Change,
    /// How far rows are from their projections, if the inverse is not exact.
    pub residuals: Option<Residuals>,
    /// Notes for the user.
    pub notes: Vec<Note>,
}

/// How much rows were changed.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Change {
    /// The root mean squared change of a cell.
    pub rms: f64,
    /// The root mean squared change of a cell in the row that changed most.
    pub largest: f64,
    /// The row that changed most, from 0.
    pub row: usize,
}

/// Denoises rows; nothing is written until everything else has succeeded.
pub fn denoise(ctx: &Context, job: &DenoiseJob) -> Result<Denoised, JobError> {
    let pictures = Place::from_output(&job.output);
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
    let back = RowRebuilder::new(ctx, fitted, job.pre_image).map_err(|e| no_way_back(&train, e))?;
    let noisy = Rows::file(job.noisy.clone(), job.read.clone());
    let picture = clean.rows.table.picture();
    let OpenRows { table, pick, .. } = open_for(ctx, fitted, picture, &noisy, &train)?;
    let changes = Changes::default();
    ctx.begin("denoising", Some(table.n_rows() as u64));
    let rows = |part: usize| -> Result<Mat<f64>, JobError> {
        let noisy = cells_of(&table, pick.as_deref(), part)?;
        let scores = scores_of_part(ctx, &table, pick.as_deref(), fitted, part)?;
        // A row with missing cells cannot be a starting point.
        let whole = noisy.as_slice().iter().all(|x| x.is_finite());
        let rows = back.rows(part, scores.view(), whole.then(|| noisy.view()));
        let rows = rows.map_err(|e| JobError::core(table.name(), e))?;
        changes.add(part, &noisy, &rows);
        Ok(rows)
    };
    let mut notes = clean.notes;
    notes.extend(table.notes().iter().cloned());
    match pictures.filter(|place| place.wants_pictures(table.picture())) {
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

/// Writes rows as a table with the same columns in the same order.
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

/// The layout of the output: the columns that are copied, all columns in order, and the order of the numeric columns.
fn form(table: &Table, names: Vec<String>) -> Result<(Carried, Layout, Vec<usize>), JobError> {
    let all = table.all_columns();
    let place = |name: &String| all.iter().position(|column| column == name);
    let of_file: Option<Vec<usize>> = names.iter().map(place).collect();
    let flat = matches!(
        table.format(),
        Format::Csv | Format::Tsv | Format::Text | Format::Parquet | Format::Arrow | Format::Xlsx
    );
    let Some(of_file) = of_file.filter(|_| flat) else {
        // Columns that the file does not have, such as 0/1 columns made from text columns: id and label come first.
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

/// Squared changes, collected by part so that their order does not depend on threads.
#[derive(Default)]
struct Changes(Mutex<BTreeMap<usize, Vec<f64>>>);

impl Changes {
    fn add(&self, part: usize, noisy: &Mat<f64>, clean: &Mat<f64>) {
        let squares = noisy.rows().zip(clean.rows()).map(|(noisy, clean)| {
            let cells = noisy.iter().zip(clean).map(|(a, b)| (a - b) * (a - b));
            // A missing cell counts as unchanged.
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
