//! How well a model represents new rows: a method is fitted to some rows, and the share that its components keep of the other rows is
//! compared with the share they keep of the fitted rows.
//!
//! The share that is kept is Σ‖scores‖² ÷ Σ‖row − mean‖² over the rows, in the space whose variance the spectrum divides and about the mean of the
//! rows that were fitted: for the fitted rows, the share of the variance; for others 1 − their mean squared reconstruction error in that
//! space. A kernel that is far too narrow keeps the requested share of the fitted rows and almost nothing of others.

use serde::Serialize;

use super::some_rows::fit_some;
use crate::context::Context;
use crate::error::Error;
use crate::method::{Method, Training};
use crate::on_numbers;
use crate::rng::stream;
use crate::source::{RowSet, Subset};

/// How rows are held out.
#[derive(Debug, Clone, PartialEq)]
pub struct HeldOutOptions {
    /// The share of the rows that is held out.
    pub share: f64,
    /// Largest number of rows to use; of more rows a sample is taken.
    pub most_rows: usize,
    /// The seed of the draws.
    pub seed: u64,
}

impl Default for HeldOutOptions {
    fn default() -> Self {
        HeldOutOptions {
            share: 0.2,
            most_rows: 2000,
            seed: 0,
        }
    }
}

/// The shares that components keep of the rows they were fitted to, and of other rows.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HeldOut {
    /// Number of rows that were fitted.
    pub n_fitted: usize,
    /// Number of rows that were held out.
    pub n_new: usize,
    /// Number of components: as requested, or as many as the fitted rows can have.
    pub n_components: usize,
    /// Share that the first 1, 2, … components keep of the fitted rows.
    pub fitted: Vec<f64>,
    /// Share that they keep of the rows held out.
    pub new: Vec<f64>,
    /// Which rows were held out.
    #[serde(skip)]
    pub new_rows: RowSet,
    /// Which rows were fitted.
    #[serde(skip)]
    pub fitted_rows: RowSet,
}

/// Rows below which none are held out.
const FEWEST: usize = 10;

impl HeldOutOptions {
    /// Fits the method with `k` components to all but some rows. `None` if there are too few rows, if some rows cannot be
    /// fitted without the others, if distances are not known, or if all rows are equal.
    pub fn run(
        &self,
        ctx: &Context,
        method: &dyn Method,
        training: &Training<'_>,
        k: usize,
    ) -> Result<Option<HeldOut>, Error> {
        let rows = training.rows;
        let n = rows.n_rows().unwrap_or(0).min(self.most_rows);
        if n < FEWEST || k == 0 || !method.fits_some_rows() {
            return Ok(None);
        }
        let (fitted_rows, new_rows) = self.split(rows.n_rows().unwrap_or(0));
        let k = k.min(fitted_rows.len() - 1);
        on_numbers!(rows, source => {
            let model = fit_some(ctx, &*method.with_n_components(k), training, &fitted_rows)?;
            let (fitted, new) = (Subset::new(source, &fitted_rows), Subset::new(source, &new_rows));
            let of_fitted = model.measure_rows(ctx, (&fitted).into())?;
            let of_new = model.measure_rows(ctx, (&new).into())?;
            let (Some(of_fitted), Some(of_new)) = (of_fitted, of_new) else {
                return Ok(None);
            };
            let shares = of_fitted.kept_shares().zip(of_new.kept_shares());
            Ok(shares.map(|(fitted, new)| HeldOut {
                n_fitted: of_fitted.squares.len(),
                n_new: of_new.squares.len(),
                n_components: fitted.len(),
                fitted,
                new,
                new_rows: new_rows.clone(),
                fitted_rows: fitted_rows.clone(),
            }))
        })
    }

    /// The rows to fit and those held out.
    fn split(&self, n_rows: usize) -> (RowSet, RowSet) {
        let some = RowSet::sample(n_rows, self.most_rows, self.seed);
        let n = some.len();
        let n_new = ((self.share * n as f64).round() as usize).clamp(1, n - 2);
        let places = RowSet::sample(n, n_new, stream(self.seed, 0));
        let is_new = |i: &usize| places.before(*i) < places.before(*i + 1);
        let (new, fitted): (Vec<usize>, Vec<usize>) = (0..n).partition(is_new);
        let rows = |places: Vec<usize>| {
            let rows = places.into_iter().filter_map(|i| some.get(i));
            RowSet::Listed(rows.collect())
        };
        (rows(fitted), rows(new))
    }
}
