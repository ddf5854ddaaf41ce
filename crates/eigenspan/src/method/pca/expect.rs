//! EM for the normal model of an incomplete table.
//!
//! With F the rows minus their mean, missing cells at their expected values, and Kᵢ the conditional covariance of the missing
//! cells of row i given its observed cells ([`super::imputer`]), one step of EM (Tipping & Bishop 1999,
//! doi:10.1111/1467-9868.00196) is
//!
//! 1. Expect: fill F; S = (FᵀF + Σᵢ Kᵢ)/n. Without K the filled cells would overfit.
//! 2. Shrink: S' = (S + κ diag S)/(1 + κ). Correlations that few rows support grow weaker (a ridge; κ is chosen on cells held out,
//!    see `em.rs`).
//! 3. Maximize: V, λ are the leading eigenpairs of S', σ² the mean of the eigenvalues left out.
//!
//! S enters only by products S'V, one per step. With as many directions as columns, VᵀS'V has the eigenpairs themselves;
//! with fewer, the product is one step of orthogonal iteration, which converges together with EM.
//!
//! Cost of a step, b directions: n·d·b for products with F; b³ and h·b² for each set of h missing columns.

use super::imputer::{columns_of, precision, rows_times, side_by_side, solved, transposed_times};
use crate::context::Context;
use crate::error::Error;
use crate::linalg::{
    add_product, dot, orthonormalize_rows, product, symmetric_eigen, times_transposed,
};
use crate::mat::Mat;
use crate::parallel;
use crate::rng::Rng;

/// With up to this many columns, the model has a direction for each; with more columns, it has this many directions.
pub(super) const COMPLETE: usize = 60;
pub(super) const DIRECTIONS: usize = 40;
/// σ² is at least this share of the mean variance.
const LEAST_NOISE: f64 = 1e-10;
/// The number of rows that are processed at a time.
const PANEL: usize = 128;
/// The number of panels that are computed before their sums are added up.
const WAVE: usize = 16;

/// Rows in units in which all columns have the same scale, with missing cells filled.
pub(super) struct Cells {
    pub(super) cells: Mat<f64>,
    pub(super) weights: Option<Vec<f64>>,
    /// Rows that share their missing columns.
    panels: Vec<Vec<Group>>,
    n_missing: usize,
}

/// Rows with the same missing columns.
#[derive(Clone)]
struct Group {
    missing: Vec<usize>,
    rows: Vec<usize>,
}

impl Cells {
    /// Groups rows by their missing columns; `missing` lists the missing columns of every row, in rising order.
    pub(super) fn new(cells: Mat<f64>, weights: Option<Vec<f64>>, missing: &[Vec<usize>]) -> Self {
        let counts = |i: &usize| weights.as_ref().is_none_or(|w| w[*i] > 0.0);
        let mut order: Vec<usize> = (0..cells.n_rows()).filter(counts).collect();
        order.sort_by(|a, b| missing[*a].cmp(&missing[*b]));
        let n_missing = order.iter().map(|&i| missing[i].len()).sum();
        let mut panels: Vec<Vec<Group>> = Vec::new();
        for rows in order.chunks(PANEL) {
            let mut panel: Vec<Group> = Vec::new();
            for &i in rows {
                match panel.last_mut().filter(|g| g.missing == missing[i]) {
                    Some(group) => group.rows.push(i),
                    None => panel.push(Group {
                        missing: missing[i].clone(),
                        rows: vec![i],
                    }),
                }
            }
            panels.push(panel);
        }
        Cells {
            cells,
            weights,
            panels,
            n_missing,
        }
    }

    fn weight(&self, i: usize) -> f64 {
        self.weights.as_ref().map_or(1.0, |w| w[i])
    }

    fn total_weight(&self) -> f64 {
        let rows = self.panels.iter().flatten().flat_map(|g| &g.rows);
        rows.map(|&i| self.weight(i)).sum()
    }

    /// Deviations of some rows from a mean, with missing cells filled.
    fn deviations(&self, rows: &[usize], mean: &[f64]) -> Mat<f64> {
        Mat::from_fn(rows.len(), mean.len(), |i, j| {
            self.cells[(rows[i], j)] - mean[j]
        })
    }
}

/// The model as it stands after a step.
#[derive(Debug, Clone)]
pub(super) struct State {
    pub(super) mean: Vec<f64>,
    pub(super) directions: Mat<f64>,
    pub(super) variances: Vec<f64>,
    pub(super) noise: f64,
}

/// Options of a step.
#[derive(Debug, Clone, Copy)]
pub(super) struct StepOptions {
    /// κ.
    pub(super) ridge: f64,
    /// Whether the mean is estimated; else it is fixed.
    pub(super) center: bool,
}

/// Sums over rows, from which a step is made.
struct Sums {
    /// VS, b × d.
    along: Mat<f64>,
    /// Σ F.
    drift: Vec<f64>,
    /// Diagonal of S.
    squares: Vec<f64>,
    /// Expected cells: row, column, value.
    filled: Vec<(usize, usize, f64)>,
}

impl State {
    /// The starting model for a table whose missing cells are at their mean: no correlations.
    pub(super) fn start(n_rows: usize, n_cols: usize, seed: u64) -> Self {
        let b = match n_cols <= COMPLETE {
            true => n_cols,
            false => DIRECTIONS.min(n_rows / 2).max(1),
        };
        let mut rng = Rng::new(seed);
        let mut directions = match b == n_cols {
            true => Mat::from_fn(b, n_cols, |i, j| f64::from(u8::from(i == j))),
            false => Mat::from_fn(b, n_cols, |_, _| rng.normal()),
        };
        orthonormalize_rows(&mut directions);
        State {
            mean: vec![0.0; n_cols],
            directions,
            variances: vec![1.0; b],
            noise: 1.0,
        }
    }

    /// Whether there is a direction for every column.
    pub(super) fn is_complete(&self) -> bool {
        self.variances.len() == self.mean.len()
    }

    fn reach(&self) -> Vec<f64> {
        let above = |v: &f64| (v - self.noise).max(0.0).sqrt();
        self.variances.iter().map(above).collect()
    }

    /// One step; gives how far the missing cells moved, as a root mean square.
    pub(super) fn step(
        &mut self,
        ctx: &Context,
        table: &mut Cells,
        ask: StepOptions,
    ) -> Result<f64, Error> {
        let sums = self.expect(ctx, table)?;
        let mut squares = 0.0;
        for (i, j, x) in &sums.filled {
            let cell = &mut table.cells[(*i, *j)];
            squares += (x - *cell).powi(2);
            *cell = *x;
        }
        self.maximize(sums, table.total_weight(), ask)?;
        Ok((squares / table.n_missing.max(1) as f64).sqrt())
    }

    /// Step 1, panel by panel.
    fn expect(&self, ctx: &Context, table: &Cells) -> Result<Sums, Error> {
        let (b, d) = (self.variances.len(), self.mean.len());
        let mut sums = Sums {
            along: Mat::zeros(b, d),
            drift: vec![0.0; d],
            squares: vec![0.0; d],
            filled: Vec::with_capacity(table.n_missing),
        };
        let reach = self.reach();
        for wave in table.panels.chunks(WAVE) {
            ctx.check()?;
            let parts: Vec<Sums> =
                parallel::try_collect(wave.len(), |i| self.expect_panel(table, &wave[i], &reach))?;
            for part in parts {
                add(sums.along.as_mut_slice(), part.along.as_slice());
                add(&mut sums.drift, &part.drift);
                add(&mut sums.squares, &part.squares);
                sums.filled.extend(part.filled);
            }
        }
        Ok(sums)
    }

    fn expect_panel(&self, table: &Cells, panel: &[Group], reach: &[f64]) -> Result<Sums, Error> {
        let (b, d) = (self.variances.len(), self.mean.len());
        let mut sums = Sums {
            along: Mat::zeros(b, d),
            drift: vec![0.0; d],
            squares: vec![0.0; d],
            filled: Vec::new(),
        };
        for group in panel {
            let mut f = table.deviations(&group.rows, &self.mean);
            if !group.missing.is_empty() {
                self.fill(table, group, reach, &mut f, &mut sums)?;
            }
            // VFᵀF and the diagonal of FᵀF, rows by their weights.
            let along = times_transposed(self.directions.view(), f.view());
            let mut weighted = f.clone();
            for (i, &row) in group.rows.iter().enumerate() {
                let weight = table.weight(row);
                weighted.row_mut(i).iter_mut().for_each(|x| *x *= weight);
                for (j, x) in f.row(i).iter().enumerate() {
                    sums.drift[j] += weight * x;
                    sums.squares[j] += weight * x * x;
                }
            }
            add_product(&mut sums.along, along.view(), weighted.view());
        }
        Ok(sums)
    }

    /// Fills the missing cells of rows with the same missing columns, and adds their conditional covariance.
    fn fill(
        &self,
        table: &Cells,
        group: &Group,
        reach: &[f64],
        f: &mut Mat<f64>,
        sums: &mut Sums,
    ) -> Result<(), Error> {
        let missing = &group.missing;
        for i in 0..f.n_rows() {
            missing.iter().for_each(|&j| f[(i, j)] = 0.0);
        }
        // 1. Q = M⁻¹ D V_h and x = M⁻¹ D V_o f_o.
        let columns = columns_of(&self.directions, missing);
        let loaded = rows_times(reach, &columns);
        let seen = rows_times(reach, &times_transposed(self.directions.view(), f.view()));
        let m = precision(&columns, reach, self.noise);
        let solution = solved(&m, &side_by_side(&loaded, &seen))?;
        let h = missing.len();
        let q = Mat::from_fn(reach.len(), h, |i, j| solution[(i, j)]);
        let x = Mat::from_fn(reach.len(), f.n_rows(), |i, j| solution[(i, h + j)]);
        // 2. f_h = W_h x.
        let expected = transposed_times(&loaded, &x);
        for (i, &row) in group.rows.iter().enumerate() {
            for (l, &j) in missing.iter().enumerate() {
                f[(i, j)] = expected[(l, i)];
                sums.filled.push((row, j, self.mean[j] + f[(i, j)]));
            }
        }
        // 3. K = σ²(I + W_h M⁻¹ W_hᵀ): V_h K = σ²(V_h + (V_h Qᵀ) D V_h), and its diagonal.
        let weight: f64 = group.rows.iter().map(|&i| table.weight(i)).sum();
        let cross = times_transposed(columns.view(), q.view());
        let more = product(cross.view(), loaded.view());
        for (l, &j) in missing.iter().enumerate() {
            for i in 0..reach.len() {
                sums.along[(i, j)] += weight * self.noise * (columns[(i, l)] + more[(i, l)]);
            }
            let own: f64 = (0..reach.len()).map(|i| q[(i, l)] * loaded[(i, l)]).sum();
            sums.squares[j] += weight * self.noise * (1.0 + own);
        }
        Ok(())
    }

    /// Steps 2 and 3.
    fn maximize(&mut self, mut sums: Sums, weight: f64, ask: StepOptions) -> Result<(), Error> {
        let (b, d) = (self.variances.len(), self.mean.len());
        let each = |x: &mut f64| *x /= weight;
        sums.along.as_mut_slice().iter_mut().for_each(each);
        sums.drift.iter_mut().for_each(each);
        sums.squares.iter_mut().for_each(each);
        // 1. About the new mean: S − δδᵀ.
        if ask.center {
            let delta = &sums.drift;
            for i in 0..b {
                let along = dot(self.directions.row(i), delta);
                let row = sums.along.row_mut(i).iter_mut();
                row.zip(delta).for_each(|(x, delta)| *x -= along * delta);
            }
            let squares = sums.squares.iter_mut();
            squares
                .zip(delta)
                .for_each(|(x, delta)| *x -= delta * delta);
            add(&mut self.mean, delta);
        }
        // 2. S' = (S + κ diag S)/(1 + κ).
        for i in 0..b {
            let row = sums.along.row_mut(i).iter_mut().zip(&sums.squares);
            let all = row.zip(self.directions.row(i));
            all.for_each(|((x, s), v)| *x = (*x + ask.ridge * s * v) / (1.0 + ask.ridge));
        }
        // 3. Eigenpairs of VS'Vᵀ, and S'V in their order.
        let mut inner = times_transposed(sums.along.view(), self.directions.view());
        for i in 0..b {
            for j in 0..i {
                let even = 0.5 * (inner[(i, j)] + inner[(j, i)]);
                inner[(i, j)] = even;
                inner[(j, i)] = even;
            }
        }
        let (values, turn) = symmetric_eigen(&inner)?;
        self.directions = match b == d {
            true => product(turn.view(), self.directions.view()),
            false => product(turn.view(), sums.along.view()),
        };
        orthonormalize_rows(&mut self.directions);
        let total: f64 = sums.squares.iter().sum();
        let least = LEAST_NOISE * total / d as f64;
        let left_out = match b == d {
            true => values.last().copied().unwrap_or(0.0),
            false => (total - values.iter().sum::<f64>()) / (d - b) as f64,
        };
        self.noise = left_out.max(least).max(f64::MIN_POSITIVE);
        self.variances = values.iter().map(|v| v.max(self.noise)).collect();
        Ok(())
    }

    /// Σ (FᵀF + K), d × d, as the current model expects it, about its mean; the table is filled again.
    pub(super) fn scatter(&self, ctx: &Context, table: &Cells) -> Result<Mat<f64>, Error> {
        let d = self.mean.len();
        let reach = self.reach();
        let mut scatter = Mat::zeros(d, d);
        for wave in table.panels.chunks(WAVE / 4) {
            ctx.check()?;
            let parts: Vec<Mat<f64>> =
                parallel::try_collect(wave.len(), |i| self.scatter_of(table, &wave[i], &reach))?;
            for part in parts {
                add(scatter.as_mut_slice(), part.as_slice());
            }
        }
        Ok(scatter)
    }

    fn scatter_of(&self, table: &Cells, panel: &[Group], reach: &[f64]) -> Result<Mat<f64>, Error> {
        let d = self.mean.len();
        let mut scatter = Mat::zeros(d, d);
        for group in panel {
            let mut f = table.deviations(&group.rows, &self.mean);
            for (i, &row) in group.rows.iter().enumerate() {
                let root = table.weight(row).sqrt();
                f.row_mut(i).iter_mut().for_each(|x| *x *= root);
            }
            add_product(&mut scatter, f.view().transposed(), f.view());
            if group.missing.is_empty() {
                continue;
            }
            let columns = columns_of(&self.directions, &group.missing);
            let loaded = rows_times(reach, &columns);
            let q = solved(&precision(&columns, reach, self.noise), &loaded)?;
            let open = transposed_times(&loaded, &q);
            let weight: f64 = group.rows.iter().map(|&i| table.weight(i)).sum();
            for (a, &i) in group.missing.iter().enumerate() {
                for (b, &j) in group.missing.iter().enumerate() {
                    let own = f64::from(u8::from(i == j));
                    scatter[(i, j)] += weight * self.noise * (own + open[(a, b)]);
                }
            }
        }
        Ok(scatter)
    }
}

fn add(to: &mut [f64], from: &[f64]) {
    to.iter_mut().zip(from).for_each(|(to, from)| *to += from);
}
