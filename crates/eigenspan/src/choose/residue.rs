//! A table split into the structure of k components and the rest, and whether the rest looks like noise.
//!
//! Where noise differs from column to column, the components of the original table take part of the noisiest columns for
//! structure. So columns are first divided by the deviation of their noise. That deviation is found by iteration: k components
//! of the divided columns, then the noise they leave, three times (Owen & Wang 2016, doi:10.1214/15-STS539, also stop that
//! early).
//!
//! k components fitted to noise absorb some of it: a column loses the share h = Σ vⱼ², its leverage, and a row g = Σ uᵢ². The
//! rest is divided by √(1 − h) and √(1 − g), so that it is as large as the noise it stands for.

use super::small::right_pairs;
use crate::error::Error;
use crate::linalg::{product, times_transposed};
use crate::mat::Mat;

/// How often noise and structure are recomputed from each other.
const ROUNDS: usize = 3;
/// The smallest value used for 1 − leverage.
const LEAST_LEFT: f64 = 0.2;
/// The smallest share of a column's variance that counts as noise.
const LEAST_NOISE: f64 = 0.02;

/// Structure and rest.
#[derive(Debug)]
pub(super) struct Residue {
    /// The number of components removed.
    k: usize,
    /// The part of the table that the components make up; `None` if no component was removed.
    pub(super) structure: Option<Mat<f64>>,
    /// The rest.
    pub(super) rest: Mat<f64>,
    /// Its mean square in every column.
    noise: Vec<f64>,
    /// Sum of the squared correlations between columns of the rest that removing components causes.
    correlations: f64,
}

impl Residue {
    /// Removes k components from a table, given row by row.
    pub(super) fn after_components(table: &Mat<f64>, k: usize) -> Result<Self, Error> {
        let (n, d) = (table.n_rows(), table.n_cols());
        let own = mean_squares(table);
        if k == 0 {
            return Ok(Residue {
                k,
                structure: None,
                rest: table.clone(),
                noise: own,
                correlations: 0.0,
            });
        }
        let mut noise = own.clone();
        let mut correlations = 0.0;
        let mut split = (Mat::zeros(0, 0), Mat::zeros(0, 0), Vec::new());
        for _ in 0..ROUNDS {
            let units: Vec<f64> = noise
                .iter()
                .map(|x| if *x > 0.0 { x.sqrt() } else { 1.0 })
                .collect();
            let (structure, of_cols, of_rows) = leading(table, &units, k)?;
            let rest = Mat::from_fn(n, d, |i, j| table[(i, j)] - structure[(i, j)]);
            let free = (1.0 - k as f64 / n as f64).max(LEAST_LEFT);
            for (j, square) in mean_squares(&rest).iter().enumerate() {
                let left = (1.0 - of_cols[j]).max(LEAST_LEFT) * free;
                noise[j] = (square / left).max(LEAST_NOISE * own[j]);
            }
            // A projection P = I − VVᵀ with diagonal 1 − h has Σᵢⱼ Pᵢⱼ² = Σⱼ Pⱼⱼ, so the squares off its diagonal sum to Σⱼ
            // h(1 − h).
            let shares = of_cols.iter().map(|h| h / (1.0 - h).max(LEAST_LEFT));
            correlations = shares.sum();
            split = (structure, rest, of_rows);
        }
        let (structure, mut rest, of_rows) = split;
        for (i, leverage) in of_rows.iter().enumerate() {
            let left = (1.0 - leverage).max(LEAST_LEFT).sqrt();
            rest.row_mut(i).iter_mut().for_each(|x| *x /= left);
        }
        let factors: Vec<f64> = mean_squares(&rest)
            .iter()
            .zip(&noise)
            .map(|(is, wanted)| if *is > 0.0 { (wanted / is).sqrt() } else { 0.0 })
            .collect();
        for i in 0..n {
            let cells = rest.row_mut(i).iter_mut().zip(&factors);
            cells.for_each(|(x, factor)| *x *= factor);
        }
        Ok(Residue {
            k,
            structure: Some(structure),
            rest,
            noise,
            correlations,
        })
    }

    /// Whether the noise is larger in some rows than in others.
    ///
    /// With columns of mean square 1, a row's sum of squares has the variance Σⱼ Var(z²ⱼ) where cells are independent, and 2 Σ r²
    /// more where they correlate by r, as they do after components were taken out; any further variance means that the cells
    /// of a row share a size.
    pub(super) fn rows_differ(&self, roots: Option<&[f64]>) -> bool {
        const SIGMAS: f64 = 4.0;
        const SHARED: f64 = 0.03;
        let cells = self.cells(roots);
        let (n, d) = (cells.n_rows(), self.n_varying());
        if n < 2 || d < 2 {
            return false;
        }
        let square = |row: &[f64]| row.iter().map(|x| x * x).sum::<f64>();
        let sums: Vec<f64> = cells.rows().map(square).collect();
        let squares_of = |j: usize| cells.col(j).iter().map(|x| x * x).collect::<Vec<f64>>();
        let own: f64 = (0..cells.n_cols()).map(|j| variance(&squares_of(j))).sum();
        if own <= 0.0 {
            return false;
        }
        let beyond = variance(&sums) / (own + 2.0 * self.correlations) - 1.0;
        beyond > SIGMAS * (2.0 / n as f64).sqrt() && beyond / (d - 1) as f64 > SHARED
    }

    /// Why the rest is not equal noise in all cells; None where it may be.
    pub(super) fn unequal(&self, roots: Option<&[f64]>) -> Option<String> {
        const SPREAD: f64 = 0.25;
        const HEAVY: f64 = 4.5;
        const SIGMAS: f64 = 5.0;
        if self.rows_differ(roots) {
            return Some("noise differs from row to row".to_owned());
        }
        let cells = self.cells(roots);
        let (n, d) = (cells.n_rows().max(1) as f64, self.n_varying().max(1) as f64);
        let fourth: f64 = cells.as_slice().iter().map(|x| x.powi(4)).sum();
        // Cells divided by their own root mean square have lighter tails than the cells before.
        let tails = fourth / (n * d) * (n + 2.0) / n;
        if tails > HEAVY {
            return Some("noise has heavy tails".to_owned());
        }
        let logs: Vec<f64> = self
            .noise
            .iter()
            .filter(|x| **x > 0.0)
            .map(|x| x.ln())
            .collect();
        // The variance of the logarithm of an estimated variance.
        let half = (0.5 * (n - 1.0 - self.k as f64)).max(1.0);
        let chance = 0.5 * (tails - 1.0).max(0.0) * trigamma(half);
        let spread = variance(&logs);
        let beyond_chance = spread > chance * (1.0 + SIGMAS * (2.0 / d).sqrt());
        (beyond_chance && spread - chance > SPREAD * SPREAD)
            .then(|| "noise differs from column to column".to_owned())
    }

    /// The number of components removed.
    pub(super) fn k(&self) -> usize {
        self.k
    }

    /// Columns that vary.
    fn n_varying(&self) -> usize {
        self.noise.iter().filter(|x| **x > 0.0).count()
    }

    /// Cells of the rest with weights divided out, scaled to mean square 1 in every column.
    fn cells(&self, roots: Option<&[f64]>) -> Mat<f64> {
        let root = |i: usize| roots.map_or(1.0, |roots| roots[i]);
        let with: Vec<usize> = (0..self.rest.n_rows()).filter(|&i| root(i) > 0.0).collect();
        let mut cells = Mat::from_fn(with.len(), self.rest.n_cols(), |i, j| {
            self.rest[(with[i], j)] / root(with[i])
        });
        let units: Vec<f64> = mean_squares(&cells).iter().map(|x| x.sqrt()).collect();
        for i in 0..cells.n_rows() {
            let cells = cells.row_mut(i).iter_mut().zip(&units);
            cells.for_each(|(x, unit)| *x = if *unit > 0.0 { *x / unit } else { 0.0 });
        }
        cells
    }
}

/// The variance of the logarithm of a gamma variable of this shape, to three digits from 1 on.
fn trigamma(shape: f64) -> f64 {
    // ψ′(x) = ψ′(x + 1) + 1/x², and its series where x is large.
    let x = shape + 2.0;
    let series = 1.0 / x + 0.5 / (x * x) + 1.0 / (6.0 * x.powi(3));
    series + 1.0 / (shape * shape) + 1.0 / ((shape + 1.0) * (shape + 1.0))
}

/// The part of a table that its leading components make up, and the leverages of columns and rows.
type Leading = (Mat<f64>, Vec<f64>, Vec<f64>);

/// The part of k components of columns divided by their units, in the units of the table, and the leverages of columns and rows.
fn leading(table: &Mat<f64>, units: &[f64], k: usize) -> Result<Leading, Error> {
    let (n, d) = (table.n_rows(), table.n_cols());
    let divided = Mat::from_fn(n, d, |i, j| table[(i, j)] / units[j]);
    let (squares, vectors) = right_pairs(&divided)?;
    let vectors = vectors.top(k);
    let scores = times_transposed(divided.view(), vectors.view());
    let mut structure = product(scores.view(), vectors.view());
    for i in 0..n {
        let cells = structure.row_mut(i).iter_mut().zip(units);
        cells.for_each(|(x, unit)| *x *= unit);
    }
    let of_cols = (0..d)
        .map(|j| vectors.col(j).iter().map(|v| v * v).sum())
        .collect();
    let of_row = |row: &[f64]| -> f64 {
        let shares = row.iter().zip(&squares);
        shares
            .map(|(z, s)| if *s > 0.0 { z * z / s } else { 0.0 })
            .sum()
    };
    let of_rows = scores.rows().map(of_row).collect();
    Ok((structure, of_cols, of_rows))
}

fn mean_squares(table: &Mat<f64>) -> Vec<f64> {
    let mut sums = vec![0.0; table.n_cols()];
    for row in table.rows() {
        sums.iter_mut().zip(row).for_each(|(sum, x)| *sum += x * x);
    }
    let n = table.n_rows().max(1) as f64;
    sums.iter().map(|sum| sum / n).collect()
}

fn variance(values: &[f64]) -> f64 {
    let n = values.len().max(1) as f64;
    let mean = values.iter().sum::<f64>() / n;
    values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n
}
