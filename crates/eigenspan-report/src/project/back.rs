//! Rebuilds rows from scores, by the inverse that the model has.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use eigenspan::method::contract::WayBack;
use eigenspan::method::{Fitted, PreImageOptions};
use eigenspan::{Context, Error, Mat, MatView, Note};

/// A model prepared for rebuilding rows; it collects residuals and notes part by part.
pub(crate) struct RowRebuilder<'a> {
    way: Box<dyn WayBack + 'a>,
    /// The context without progress.
    ctx: Context,
    parts: Mutex<BTreeMap<usize, PartResult>>,
}

/// The residuals and notes of one part of the rows.
struct PartResult {
    residuals: Vec<f64>,
    notes: Vec<Note>,
}

/// Residuals in feature space, ‖Φ(z) − P‖, of rebuilt rows: 0 if a row has exactly the given scores.
#[derive(Debug, Clone, PartialEq)]
pub struct Residuals {
    /// The residual of each row.
    pub all: Vec<f64>,
    /// The median residual.
    pub median: f64,
    /// The largest residual.
    pub largest: f64,
    /// The row with the largest residual, from 0.
    pub row: usize,
}

impl<'a> RowRebuilder<'a> {
    /// Prepares the model; computations that all rows share run here, once.
    pub(crate) fn new(
        ctx: &Context,
        fitted: &'a dyn Fitted,
        options: PreImageOptions,
    ) -> Result<Self, Error> {
        Ok(RowRebuilder {
            way: fitted.way_back(ctx, options)?,
            ctx: ctx.without_progress(),
            parts: Mutex::default(),
        })
    }

    /// Rebuilds the rows of one part; iterative pre-images start at `start`, if it is given.
    pub(crate) fn rows(
        &self,
        part: usize,
        scores: MatView<'_, f64>,
        start: Option<MatView<'_, f64>>,
    ) -> Result<Mat<f64>, Error> {
        let inverted = self.way.rows(&self.ctx, scores, start)?;
        let result = PartResult {
            residuals: inverted.residuals,
            notes: inverted.notes,
        };
        let mut all = self.parts.lock().unwrap_or_else(PoisonError::into_inner);
        all.insert(part, result);
        Ok(inverted.rows)
    }

    /// The residuals of all rows, if the method has residuals, and the notes without repetitions.
    pub(crate) fn finish(self) -> (Option<Residuals>, Vec<Note>) {
        let parts = self
            .parts
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        let (mut residuals, mut notes) = (Vec::new(), Vec::new());
        for part in parts.into_values() {
            residuals.extend(part.residuals);
            notes.extend(part.notes);
        }
        (Residuals::from_rows(residuals), worst(notes))
    }
}

impl Residuals {
    /// `None` if the kernel gives no distances, or if there are no rows.
    fn from_rows(all: Vec<f64>) -> Option<Self> {
        let (row, largest) = all
            .iter()
            .copied()
            .enumerate()
            .max_by(|(_, a), (_, b)| a.total_cmp(b))?;
        if !largest.is_finite() {
            return None;
        }
        let middle = (all.len() - 1) / 2;
        let mut sorted = all.clone();
        let (_, median, _) = sorted.select_nth_unstable_by(middle, f64::total_cmp);
        Some(Residuals {
            median: *median,
            all,
            largest,
            row,
        })
    }
}

/// Among notes from several parts about the same iteration, keeps the one with the largest residual.
fn worst(notes: Vec<Note>) -> Vec<Note> {
    let size = |note: &Note| match note {
        Note::NotConverged { residual, .. } => *residual,
        _ => 0.0,
    };
    let mut kept: Vec<Note> = Vec::new();
    for note in notes {
        let alike =
            |known: &&mut Note| std::mem::discriminant(*known) == std::mem::discriminant(&note);
        match kept.iter_mut().find(alike) {
            Some(known) if size(&note) > size(known) => *known = note,
            Some(_) => {}
            None => kept.push(note),
        }
    }
    kept
}
