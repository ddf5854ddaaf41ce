//! The prepared matrix √W (X − 1mᵀ) S⁻¹ as a linear map: the source is read for every product, and the matrix is never stored.

use std::ops::Range;
use std::sync::{Arc, Mutex};

use super::{Preparation, add_to};
use crate::context::Context;
use crate::error::Error;
use crate::linalg::{
    BandedRows, Columns, LinearMap, Scratch, add_product, panel_rows, pays_to_band,
};
use crate::mat::{Mat, MatView, Real};
use crate::parallel;
use crate::source::{GramSums, GramTimes, Rows, Shifts, Source, fold, for_each_block};

/// A source with its preparation, as a linear map.
#[derive(Clone)]
pub struct Prepared<'a, T> {
    ctx: &'a Context,
    source: &'a dyn Source<T>,
    preparation: &'a Preparation,
    n_rows: usize,
    near: bool,
    /// Columns of sparse rows whose mean is larger than their spread.
    shifts: Shifts,
    /// The rows' mean minus the center, and the total weight.
    beyond: Option<(Vec<f64>, f64)>,
    /// A copy of sparse rows, laid out for products.
    bands: Option<Arc<Vec<BandedRows>>>,
}

/// Number of sums computed in parallel over rows in bands.
const GROUPS: usize = 8;

impl<'a, T: Real> Prepared<'a, T> {
    /// `n_rows` is the number of rows that a first reading found.
    pub fn new(
        ctx: &'a Context,
        source: &'a dyn Source<T>,
        preparation: &'a Preparation,
        n_rows: usize,
    ) -> Self {
        Prepared {
            ctx,
            source,
            preparation,
            n_rows,
            near: false,
            shifts: Shifts::default(),
            beyond: None,
            bands: None,
        }
    }

    /// Sets the difference between the rows' mean and the center, for rows of this total weight: a mean of 1e12 is rounded by
    /// 1e-4, which matters in columns whose spread is at most 1e3.
    pub fn with_mean_beyond(mut self, beyond: Vec<f64>, weight: f64) -> Self {
        self.beyond = beyond.iter().any(|x| *x != 0.0).then_some((beyond, weight));
        self
    }

    /// Sets the spread of the columns: roots of their sums of squares, for rows of this total weight. Columns of sparse rows whose
    /// mean is larger than their spread are centered before the product. Without this, all columns are centered afterwards, which
    /// costs digits.
    pub fn with_spread(mut self, spread: &[f64], weight: f64) -> Self {
        let center = &self.preparation.center;
        let root = weight.sqrt();
        self.shifts = Shifts::to_center(center, |j| center[j].abs() * root > spread[j]);
        self
    }

    /// Copies sparse rows into bands of columns, if that makes products faster, no column lies far from zero, and the memory
    /// suffices: at most 10 bytes for each nonzero cell, and 4 for each row in each of its bands.
    pub fn with_bands(mut self) -> Result<Self, Error> {
        let d = self.source.n_cols();
        let Some(cells) = self.source.nnz().filter(|_| self.shifts.is_empty()) else {
            return Ok(self);
        };
        if !pays_to_band(self.n_rows, d, cells) || !self.ctx.affords(12 * cells) {
            return Ok(self);
        }
        let parts = fold(
            self.ctx,
            self.source,
            1,
            || Some(Vec::new()),
            |parts, rows| {
                let part = rows.block.banded(rows.weights);
                *parts = parts.take().zip(part).map(|(mut parts, part)| {
                    parts.push(part);
                    parts
                });
                Ok(())
            },
            |a, b| {
                *a = a.take().zip(b).map(|(mut a, b)| {
                    a.extend(b);
                    a
                });
            },
        )?;
        self.bands = parts.map(Arc::new);
        Ok(self)
    }

    /// The sums of all rows' products.
    fn products(&self, by: &GramTimes<'_>) -> Result<GramSums, Error> {
        let Some(parts) = &self.bands else {
            return fold(
                self.ctx,
                self.source,
                8 * by.q.len() * by.q.width(),
                || GramSums::new(by.q),
                |sums, rows| {
                    rows.block.add_gram_times(by, rows.weights, sums);
                    Ok(())
                },
                |a, b| a.merge(&b),
            );
        };
        let group = |parts: &[BandedRows]| {
            self.ctx.check()?;
            let mut sums = GramSums::new(by.q);
            parts.iter().for_each(|part| sums.add_banded(part, by));
            Ok(sums)
        };
        let groups: Result<Vec<GramSums>, Error> = self.ctx.install(|| {
            let groups: Vec<_> = parts.chunks(parts.len().div_ceil(GROUPS).max(1)).collect();
            parallel::try_collect(groups.len(), |i| group(groups[i]))
        });
        self.ctx.advance(self.n_rows as u64);
        let mut total = GramSums::new(by.q);
        groups?.iter().for_each(|group| total.merge(group));
        Ok(total)
    }

    /// Whether the rows lie so near zero that subtracting the center after the product, which is faster, is accurate enough.
    pub fn near_center(mut self, near: bool) -> Self {
        self.near = near;
        self
    }

    /// Divides by the scale, so that preparing X becomes centering X.
    fn unscale(&self, q: &mut Columns) {
        if let Some(scale) = &self.preparation.scale {
            q.divide(scale);
        }
    }
}

/// Prepared rows in memory, used a few columns at a time: for a matrix of few long rows.
pub(crate) struct InMemory<'a, T> {
    ctx: &'a Context,
    rows: Rows<'a, T>,
    preparation: &'a Preparation,
}

/// Number of runs of columns that may be processed in parallel.
const RUNS: usize = 32;

impl<'a, T: Real> Prepared<'a, T> {
    /// The same rows, if they are in memory.
    pub(crate) fn in_memory(&self) -> Option<InMemory<'a, T>> {
        Some(InMemory {
            ctx: self.ctx,
            rows: self.source.in_memory()?,
            preparation: self.preparation,
        })
    }
}

impl<T: Real> InMemory<'_, T> {
    /// AAᵀ·U, in one reading.
    pub(crate) fn outer_times(&self, u: &Columns) -> Columns {
        let d = self.rows.block.n_cols();
        let run = |run: usize| {
            let mut z = Columns::zeros(u.len(), u.n_cols());
            let mut scratch = Scratch::default();
            let columns = run * d / RUNS..(run + 1) * d / RUNS;
            self.for_each_panel(columns, &mut scratch, |scratch, _| {
                scratch.add_outer_times(&mut z, u);
            });
            z
        };
        let runs: Vec<Columns> = self.ctx.install(|| parallel::collect(RUNS, run));
        let mut total = Columns::zeros(u.len(), u.n_cols());
        runs.iter().for_each(|run| total.add(run));
        total
    }

    /// Aᵀ·U.
    pub(crate) fn transpose_times(&self, u: &Columns) -> Columns {
        let d = self.rows.block.n_cols();
        let mut out = Columns::zeros(d, u.n_cols());
        let len = d.div_ceil(RUNS);
        let run = |run: usize, out: &mut [f64]| {
            let first = run * len;
            let columns = first..(first + len).min(d);
            self.for_each_panel(columns, &mut Scratch::default(), |scratch, columns| {
                let width = u.width();
                let (start, end) = (columns.start - first, columns.end - first);
                scratch.transposed_times(&mut out[start * width..end * width], u);
            });
        };
        self.ctx.install(|| out.each_run(len, run));
        out
    }

    /// Some columns, a panel of all rows at a time.
    fn for_each_panel(
        &self,
        columns: Range<usize>,
        scratch: &mut Scratch,
        mut take: impl FnMut(&mut Scratch, Range<usize>),
    ) {
        /// Columns of a panel at least. Pieces of rows that follow each other lie far apart, on pages of their own: with 32 columns, an
        /// iteration on 1000 × 50k took 0.46 s where it takes 0.32 s with 128.
        const WIDE: usize = 128;
        let n = self.rows.block.n_rows();
        let step = panel_rows(n).max(WIDE);
        let Preparation { center, scale } = self.preparation;
        for start in columns.clone().step_by(step) {
            let panel = start..(start + step).min(columns.end);
            scratch.panel.resize(n * panel.len(), 0.0);
            self.rows.block.copy_prepared_columns(
                panel.clone(),
                (center, scale.as_deref()),
                self.rows.weights,
                &mut scratch.panel,
            );
            take(scratch, panel);
        }
    }
}

impl<T: Real> LinearMap for Prepared<'_, T> {
    fn shape(&self) -> (usize, usize) {
        (self.n_rows, self.source.n_cols())
    }

    fn times(&self, b: MatView<'_, f64>) -> Result<Mat<f64>, Error> {
        let b = b.to_mat();
        let k = b.n_cols();
        let out = Mutex::new(Mat::zeros(self.n_rows, k));
        for_each_block(self.ctx, self.source, |rows| {
            let mut product = self.preparation.times(&rows.block, &b);
            for (i, w) in rows.weights.into_iter().flatten().enumerate() {
                product.row_mut(i).iter_mut().for_each(|x| *x *= w.sqrt());
            }
            let mut out = out
                .lock()
                .unwrap_or_else(std::sync::PoisonError::into_inner);
            let from = rows.first * k;
            out.as_mut_slice()[from..from + product.as_slice().len()]
                .copy_from_slice(product.as_slice());
            Ok(())
        })?;
        Ok(out
            .into_inner()
            .unwrap_or_else(std::sync::PoisonError::into_inner))
    }

    fn transpose_times(&self, c: MatView<'_, f64>) -> Result<Mat<f64>, Error> {
        let (d, k) = (self.source.n_cols(), c.n_cols());
        fold(
            self.ctx,
            self.source,
            8 * d * k,
            || Mat::zeros(d, k),
            |z, rows| {
                let panel = self.preparation.apply(&rows.block);
                let mut part = c
                    .slice_rows(rows.first, rows.first + panel.n_rows())
                    .to_mat();
                for (i, w) in rows.weights.into_iter().flatten().enumerate() {
                    part.row_mut(i).iter_mut().for_each(|x| *x *= w.sqrt());
                }
                add_product(z, panel.view().transposed(), part.view());
                Ok(())
            },
            |total, part| add_to(total, &part),
        )
    }

    fn gram_times(&self, q: &Columns) -> Result<Columns, Error> {
        // 1. AᵀA·Q = S⁻¹ XcᵀW Xc S⁻¹Q with Xc = X − 1mᵀ. In shifted columns, m is already subtracted from the cells.
        let mut inner = q.clone();
        self.unscale(&mut inner);
        let center = &self.preparation.center;
        let rest = self.shifts.rest_of(center);
        let by = GramTimes {
            q: &inner,
            center,
            offset: &inner.weighted_sum(center),
            shifts: &self.shifts,
            sparse_offset: &inner.weighted_sum(&rest),
            direct: self.near,
        };
        let mut total = self.products(&by)?;
        // 2. The term that blocks without centering leave out: −m·(1ᵀWXcS⁻¹Q).
        for (center, sums) in [(center, &total.sums), (&rest, &total.sparse_sums)] {
            if sums.iter().any(|s| *s != 0.0) {
                total.z.subtract_outer(center, sums);
            }
        }
        // 3. About their mean, rows have less scatter than about a center that differs from it by r: less by W·r·(rᵀS⁻¹Q).
        if let Some((beyond, weight)) = &self.beyond {
            let sums = inner.weighted_sum(beyond);
            let sums: Vec<f64> = sums.iter().map(|sum| sum * weight).collect();
            total.z.subtract_outer(beyond, &sums);
        }
        self.unscale(&mut total.z);
        Ok(total.z)
    }
}
