//! The way back: rows rebuilt from scores, by whichever road the model has.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use eigenspan::method::contract::WayBack;
use eigenspan::method::{Fitted, PreImageOptions};
use eigenspan::{Context, Error, Mat, MatView, Note};

/// A model made ready to rebuild rows; what it has to say is gathered on the way.
pub(crate) struct Back<'a> {
    way: Box<dyn WayBack + 'a>,
    /// What its work may use.
    ctx: Context,
    found: Mutex<BTreeMap<usize, Found>>,
}

/// What one part of the rows had to say.
struct Found {
    residuals: Vec<f64>,
    notes: Vec<Note>,
}

/// How far rows lie from what was asked for in feature space, ‖Φ(z) − P‖: 0 where a row has exactly these scores.
#[derive(Debug, Clone, PartialEq)]
pub struct Residuals {
    /// Of each row.
    pub all: Vec<f64>,
    /// Half of the rows lie nearer.
    pub median: f64,
    /// The farthest.
    pub largest: f64,
    /// Its row, from 0.
    pub row: usize,
}

impl<'a> Back<'a> {
    /// What all rows need is computed here, once.
    pub(crate) fn new(
        ctx: &Context,
        fitted: &'a dyn Fitted,
        options: PreImageOptions,
    ) -> Result<Self, Error> {
        Ok(Back {
            way: fitted.way_back(ctx, options)?,
            ctx: ctx.unheard(),
            found: Mutex::default(),
        })
    }

    /// Rows for the scores of one part; pre-images that are iterated begin at `start`, where it is given.
    pub(crate) fn rows(
        &self,
        part: usize,
        scores: MatView<'_, f64>,
        start: Option<MatView<'_, f64>>,
    ) -> Result<Mat<f64>, Error> {
        let inverted = self.way.rows(&self.ctx, scores, start)?;
        let found = Found {
            residuals: inverted.residuals,
            notes: inverted.notes,
        };
        let mut all = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        all.insert(part, found);
        Ok(inverted.rows)
    }

    /// The residuals of all rows in one, where the road has any, and what is worth knowing, each once.
    pub(crate) fn finish(self) -> (Option<Residuals>, Vec<Note>) {
        let found = self
            .found
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        let (mut residuals, mut notes) = (Vec::new(), Vec::new());
        for part in found.into_values() {
            residuals.extend(part.residuals);
            notes.extend(part.notes);
        }
        (Residuals::of(residuals), worst(notes))
    }
}

impl Residuals {
    /// None where the kernel has no lengths, or there are no rows.
    fn of(all: Vec<f64>) -> Option<Self> {
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

/// Of notes that several parts left about the same iteration, the one with the most to tell.
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
