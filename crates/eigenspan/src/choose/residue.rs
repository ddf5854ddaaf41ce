//! A table as the structure of k components and what is left of it, and what that noise is like.
//!
//! Where noise differs from column to column, components of the table as it is take part of the noisiest columns for structure.
//! So columns are divided by the deviation of their noise first, which is found by turns: k components of the divided
//! columns, the noise they leave, three times (Owen & Wang 2016, doi:10.1214/15-STS539, who stop as early).
//!
//! k components fitted to noise take some of it along: a column's share is its leverage h = Σ vⱼ², a row's g = Σ uᵢ², and what is
//! left is divided by √(1 − h) and √(1 − g), so that it is as large as the noise it stands for.

use super::small::right_pairs;
use crate::error::Error;
use crate::linalg::{product, times_transposed};
use crate::mat::Mat;

/// Times that noise and structure are found from each other.
const ROUNDS: usize = 3;
/// The least that 1 − leverage counts for.
const LEAST_LEFT: f64 = 0.2;
/// The least share of its variance that a column has as noise.
const LEAST_NOISE: f64 = 0.02;

/// Structure and rest.
#[derive(Debug)]
pub(super) struct Residue {
    /// Components taken out.
    k: usize,
    /// Their part of the table; none where none were taken out.
    pub(super) structure: Option<Mat<f64>>,
    /// The rest.
    pub(super) rest: Mat<f64>,
    /// Its mean square in every column.
    noise: Vec<f64>,
}

impl Residue {
    /// Takes k components out of a table, a row per row.
    pub(super) fn of(table: &Mat<f64>, k: usize) -> Result<Self, Error> {
        let (n, d) = (table.n_rows(), table.n_cols());
        let own = mean_squares(table);
        if k == 0 {
            return Ok(Residue {
                k,
                structure: None,
                rest: table.clone(),
                noise: own,
            });
        }
        let mut noise = own.clone();
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
        })
    }

    /// Whether the noise is larger in some rows than in others.
    ///
    /// With columns of mean square 1, a row's sum of squares has the variance Σⱼ Var(z²ⱼ) where cells are independent; what it has
    /// beyond is shared by the cells of a row.
    pub(super) fn rows_differ(&self, roots: Option<&[f64]>) -> bool {
        const SIGMAS: f64 = 4.0;
        const SHARED: f64 = 0.03;
        let squares = self.squares(roots);
        let (n, d) = (squares.n_rows(), self.n_varying());
        if n < 2 || d < 2 {
            return false;
        }
        let sums: Vec<f64> = squares.rows().map(|row| row.iter().sum()).collect();
        let own: f64 = (0..squares.n_cols())
            .map(|j| variance(&squares.col(j)))
            .sum();
        if own <= 0.0 {
            return false;
        }
        let beyond = variance(&sums) / own - 1.0;
        beyond > SIGMAS * (2.0 / n as f64).sqrt() && beyond / (d - 1) as f64 > SHARED
    }

    /// Why this is not equal noise in all cells; none where it may be.
    pub(super) fn unequal(&self, roots: Option<&[f64]>) -> Option<String> {
        const SPREAD: f64 = 0.25;
        const HEAVY: f64 = 4.5;
        if self.rows_differ(roots) {
            return Some("noise differs from row to row".to_owned());
        }
        let squares = self.squares(roots);
        let n = squares.n_rows().max(1) as f64;
        let fourth: f64 = squares.as_slice().iter().map(|x| x * x).sum();
        let tails = fourth / (n * self.n_varying().max(1) as f64);
        if tails > HEAVY {
            return Some("noise has heavy tails".to_owned());
        }
        let logs: Vec<f64> = self
            .noise
            .iter()
            .filter(|x| **x > 0.0)
            .map(|x| x.ln())
            .collect();
        // An estimated variance varies by (κ − 1)/n itself.
        let spread = (variance(&logs) - (tails - 1.0).max(0.0) / n)
            .max(0.0)
            .sqrt();
        (spread > SPREAD).then(|| "noise differs from column to column".to_owned())
    }

    /// Components taken out.
    pub(super) fn k(&self) -> usize {
        self.k
    }

    /// Columns that vary.
    fn n_varying(&self) -> usize {
        self.noise.iter().filter(|x| **x > 0.0).count()
    }

    /// Squares of the rest without weights, of mean 1 in every column.
    fn squares(&self, roots: Option<&[f64]>) -> Mat<f64> {
        let weight = |i: usize| roots.map_or(1.0, |roots| roots[i] * roots[i]);
        let with: Vec<usize> = (0..self.rest.n_rows())
            .filter(|&i| weight(i) > 0.0)
            .collect();
        let mut squares = Mat::from_fn(with.len(), self.rest.n_cols(), |i, j| {
            self.rest[(with[i], j)].powi(2) / weight(with[i])
        });
        let n = with.len().max(1) as f64;
        let means: Vec<f64> = (0..squares.n_cols())
            .map(|j| squares.col(j).iter().sum::<f64>() / n)
            .collect();
        for i in 0..squares.n_rows() {
            let cells = squares.row_mut(i).iter_mut().zip(&means);
            cells.for_each(|(x, mean)| *x = if *mean > 0.0 { *x / mean } else { 0.0 });
        }
        squares
    }
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
