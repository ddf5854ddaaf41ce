//! Denoising: a model of clean rows says what noisy rows would look like without noise.
//!
//! Noisy rows are projected onto the components of the clean rows and rebuilt. What the components do not contain is
//! lost, both noise and detail. The root mean squared change of a cell measures how much.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use eigenspan::method::{Fitted, PreImageOptions};
use eigenspan::{Context, Mat, Note};
use eigenspan_io::Table;

use super::{ComputedRows, Residuals, RowRebuilder, RowSink, no_way_back};
use crate::subject::{ExistingModel, OpenRows, Rows, Subject, cells_of, scores_of_part};
use crate::{JobError, fit};

/// The result of denoising.
#[derive(Debug)]
pub struct Denoised {
    /// The noisy rows.
    pub table: Arc<Table>,
    /// The model of the clean rows.
    pub fitted: Arc<dyn Fitted>,
    /// The name of the clean rows, or of the model.
    pub train: String,
    /// The number of numeric columns.
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

/// Denoises rows by the model of `clean`: a method that is fitted to clean rows, or a model that was fitted to such rows before.
pub fn denoise(
    ctx: &Context,
    clean: &Subject,
    noisy: &Rows,
    pre_image: PreImageOptions,
    sink: &mut dyn RowSink,
) -> Result<Denoised, JobError> {
    let (model, mut notes) = match clean.existing_model()? {
        Some(model) => {
            let notes = model.fitted.common().notes.to_vec();
            (model, notes)
        }
        None => {
            let fit = fit::fit(ctx, clean)?;
            let picture = fit.rows.table.picture();
            let fitted = Arc::from(fit.fitted);
            (ExistingModel::new(clean.name(), fitted, picture), fit.notes)
        }
    };
    let (fitted, train) = (&*model.fitted, model.name.clone());
    let back = RowRebuilder::new(ctx, fitted, pre_image).map_err(|e| no_way_back(&train, e))?;
    let OpenRows { table, pick, .. } = model.open(ctx, noisy)?;
    let pick = pick.as_deref();
    sink.begin(table.name(), table.picture())?;
    let changes = Changes::default();
    ctx.begin("denoising", Some(table.n_rows() as u64));
    let part = |part: usize| -> Result<Mat<f64>, JobError> {
        let noisy = cells_of(&table, pick, part)?;
        let scores = scores_of_part(ctx, &table, pick, fitted, part)?;
        // A row with missing cells cannot be a starting point.
        let whole = noisy.as_slice().iter().all(|x| x.is_finite());
        let rows = back.rows(part, scores.view(), whole.then(|| noisy.view()));
        let rows = rows.map_err(|e| JobError::core(table.name(), e))?;
        changes.add(part, &noisy, &rows);
        Ok(rows)
    };
    let names = match pick {
        None => table.columns().to_vec(),
        Some(_) => model.column_names(),
    };
    let denoised = ComputedRows {
        replaces: true,
        ..ComputedRows::new(&table, names, &part)
    };
    notes.extend(table.notes().iter().cloned());
    notes.extend(sink.take(ctx, &denoised)?);
    let (residuals, found) = back.finish();
    notes.extend(found);
    notes.dedup();
    let n_cols = model.fitted.common().n_cols;
    Ok(Denoised {
        n_cols,
        change: changes.finish(n_cols),
        table,
        fitted: model.fitted,
        train,
        residuals,
        notes,
    })
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
