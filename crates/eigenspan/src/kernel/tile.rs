//! Tiles of a kernel matrix: every kernel is evaluated on a whole tile at a time, with products from the linear-algebra
//! backend.

use std::ops::Range;

use super::distance::{chi2, square, taxicab};
use super::expression::Node;
use super::relative::Cells;
use super::{Base, Points, ResolvedKernel};
use crate::linalg::{SIDE, dot, exp_all, gaussian_row, write_inner};
use crate::mat::Mat;

/// Up to this γ(‖x‖² + ‖y‖²), products of rows give ‖x − y‖² accurately enough for a kernel of γ‖x − y‖².
pub(super) const FAR: f64 = 16.0;
/// Beyond it, they do where ‖x − y‖² is at least this share of ‖x‖² + ‖y‖².
pub(super) const NEAR: f64 = 1.0 / 16.0;

/// The places of a tile: some rows against some others.
pub(super) struct Tile<'a> {
    pub(super) a: &'a Points,
    pub(super) rows: Range<usize>,
    pub(super) b: &'a Points,
    pub(super) cols: Range<usize>,
}

impl ResolvedKernel {
    /// k(xᵢ, yⱼ) for the tile's rows and columns, row after row; k̃ where the kernel is relative to its origin.
    pub(super) fn fill(&self, tile: &Tile<'_>, out: &mut [f64]) {
        debug_assert_eq!(out.len(), tile.rows.len() * tile.cols.len());
        match self.is_relative() {
            true => {
                self.kernel().0.relative(&Cells::Tile(tile), out);
            }
            false => self.kernel().0.fill(tile, out),
        }
    }

    /// k(x, x) of every point; k̃(x, x) where the kernel is relative to its origin.
    pub fn diagonal(&self, points: &Points) -> Vec<f64> {
        let all = 0..points.len();
        if !self.is_relative() {
            return self.kernel().0.diagonal(points, all);
        }
        let mut own = vec![0.0; points.len()];
        self.kernel().0.relative(&Cells::Own(points, all), &mut own);
        own
    }

    /// k(xᵢ, yⱼ) of all points with all others.
    pub fn between(&self, a: &Points, b: &Points) -> Mat<f64> {
        let mut out = Mat::zeros(a.len(), b.len());
        for start in (0..a.len()).step_by(SIDE) {
            let rows = start..(start + SIDE).min(a.len());
            for left in (0..b.len()).step_by(SIDE) {
                let cols = left..(left + SIDE).min(b.len());
                let mut cells = vec![0.0; rows.len() * cols.len()];
                let tile = Tile {
                    a,
                    rows: rows.clone(),
                    b,
                    cols: cols.clone(),
                };
                self.fill(&tile, &mut cells);
                for (i, row) in rows.clone().zip(cells.chunks_exact(cols.len())) {
                    out.row_mut(i)[cols.clone()].copy_from_slice(row);
                }
            }
        }
        out
    }
}

impl Node {
    fn fill(&self, tile: &Tile<'_>, out: &mut [f64]) {
        match self {
            Node::Base(base) => base.fill(tile, out),
            Node::Multiple(factor, of) => {
                of.fill(tile, out);
                out.iter_mut().for_each(|x| *x *= factor);
            }
            Node::Sum(parts) => fill_all(parts, tile, out, |x, y| x + y),
            Node::Product(parts) => fill_all(parts, tile, out, |x, y| x * y),
            Node::Exp(of) => {
                of.fill(tile, out);
                exp_all(out);
            }
            Node::Normalize(of) => {
                of.fill(tile, out);
                let scale = |points: &Points, range: &Range<usize>| {
                    let lengths = of.diagonal(points, range.clone()).into_iter();
                    lengths.map(inverse_root).collect::<Vec<f64>>()
                };
                scale_both(out, &scale(tile.a, &tile.rows), &scale(tile.b, &tile.cols));
            }
            Node::Weighted(g, of) => {
                of.fill(tile, out);
                let values = |points: &Points, range: &Range<usize>| {
                    let rows = range.clone().map(|i| (g.function)(points.rows.row(i)));
                    rows.collect::<Vec<f64>>()
                };
                scale_both(
                    out,
                    &values(tile.a, &tile.rows),
                    &values(tile.b, &tile.cols),
                );
            }
        }
    }

    /// k(x, x) of some points.
    pub(super) fn diagonal(&self, points: &Points, range: Range<usize>) -> Vec<f64> {
        let all = |parts: &[Node], join: fn(f64, f64) -> f64| {
            let mut parts = parts
                .iter()
                .map(|part| part.diagonal(points, range.clone()));
            let mut first = parts.next().unwrap_or_default();
            for other in parts {
                first
                    .iter_mut()
                    .zip(other)
                    .for_each(|(x, y)| *x = join(*x, y));
            }
            first
        };
        match self {
            Node::Base(base) => range.map(|i| base.own(points.rows.row(i), i)).collect(),
            Node::Multiple(factor, of) => {
                let mut values = of.diagonal(points, range);
                values.iter_mut().for_each(|x| *x *= factor);
                values
            }
            Node::Sum(parts) => all(parts, |x, y| x + y),
            Node::Product(parts) => all(parts, |x, y| x * y),
            Node::Exp(of) => {
                let mut values = of.diagonal(points, range);
                exp_all(&mut values);
                values
            }
            Node::Normalize(of) => {
                let values = of.diagonal(points, range).into_iter();
                values.map(|x| f64::from(x > 0.0)).collect()
            }
            Node::Weighted(g, of) => {
                let values = of.diagonal(points, range.clone());
                let weights = range.map(|i| (g.function)(points.rows.row(i)));
                values.iter().zip(weights).map(|(x, g)| g * x * g).collect()
            }
        }
    }
}

/// 1/√x; 0 where x is 0.
fn inverse_root(x: f64) -> f64 {
    if x > 0.0 { 1.0 / x.sqrt() } else { 0.0 }
}

/// Multiplies row i of the tile by rows[i] and column j by cols[j].
fn scale_both(out: &mut [f64], rows: &[f64], cols: &[f64]) {
    for (row, factor) in out.chunks_exact_mut(cols.len().max(1)).zip(rows) {
        row.iter_mut().zip(cols).for_each(|(x, c)| *x *= factor * c);
    }
}

fn fill_all(parts: &[Node], tile: &Tile<'_>, out: &mut [f64], join: fn(f64, f64) -> f64) {
    let mut parts = parts.iter();
    if let Some(first) = parts.next() {
        first.fill(tile, out);
    }
    let mut other = vec![0.0; out.len()];
    for part in parts {
        part.fill(tile, &mut other);
        out.iter_mut()
            .zip(&other)
            .for_each(|(x, y)| *x = join(*x, *y));
    }
}

impl Base {
    fn fill(&self, tile: &Tile<'_>, out: &mut [f64]) {
        let gamma = self.gamma_value();
        if self.relation().is_some_and(|of| tile.look_up(of, out)) {
            return self.of_relation(out);
        }
        match *self {
            Base::Linear | Base::Poly { .. } | Base::Tanh { .. } => {
                tile.products(out);
                self.of_relation(out);
            }
            Base::Cosine => {
                tile.products(out);
                let scale = |points: &Points, range: &Range<usize>| {
                    let rows = range.clone().map(|i| points.rows.row(i));
                    rows.map(|x| inverse_root(dot(x, x))).collect::<Vec<f64>>()
                };
                scale_both(out, &scale(tile.a, &tile.rows), &scale(tile.b, &tile.cols));
            }
            Base::Rbf { .. } => {
                tile.shifted_products(out, gamma, |row, own, others, blurred| {
                    gaussian_row(row, own, others, gamma);
                    blurred
                        .iter()
                        .for_each(|(j, square)| row[*j] = (-gamma * square).exp());
                });
                tile.set_diagonal(out, 1.0);
            }
            Base::RationalQuadratic { length, .. } => {
                tile.squares(out, 0.5 / (length * length));
                self.of_relation(out);
            }
            // The root of a small difference of squares would be noise, so such distances are computed term by term.
            Base::Matern { .. } => {
                tile.each(out, square);
                self.of_relation(out);
            }
            Base::Laplacian { .. } => {
                tile.each(out, taxicab);
                self.of_relation(out);
            }
            Base::Chi2 { .. } => {
                tile.each(out, chi2);
                self.of_relation(out);
            }
            Base::Precomputed => {
                let width = tile.cols.len().max(1);
                for (i, row) in tile.rows.clone().zip(out.chunks_exact_mut(width)) {
                    row.copy_from_slice(&tile.a.rows.row(i)[tile.cols.clone()]);
                }
            }
        }
    }

    /// Turns the numbers that the kernel is a function of ([`Base::relation`]) into its values.
    fn of_relation(&self, cells: &mut [f64]) {
        let gamma = self.gamma_value();
        match *self {
            Base::Linear | Base::Cosine | Base::Precomputed => {}
            Base::Poly { degree, coef0, .. } => cells
                .iter_mut()
                .for_each(|x| *x = (gamma * *x + coef0).powi(degree as i32)),
            Base::Tanh { coef0, .. } => cells
                .iter_mut()
                .for_each(|x| *x = (gamma * *x + coef0).tanh()),
            Base::Rbf { .. } | Base::Laplacian { .. } | Base::Chi2 { .. } => {
                cells.iter_mut().for_each(|x| *x *= -gamma);
                exp_all(cells);
            }
            Base::RationalQuadratic { alpha, length } => {
                let scale = 0.5 / (alpha * length * length);
                cells
                    .iter_mut()
                    .for_each(|x| *x = -alpha * (scale * *x).ln_1p());
                exp_all(cells);
            }
            Base::Matern { nu, length } => matern(cells, nu, length),
        }
    }

    /// k(x, x) of a row, which is number i of its points.
    fn own(&self, x: &[f64], i: usize) -> f64 {
        let gamma = self.gamma_value();
        match *self {
            Base::Linear => dot(x, x),
            Base::Poly { degree, coef0, .. } => (gamma * dot(x, x) + coef0).powi(degree as i32),
            Base::Tanh { coef0, .. } => (gamma * dot(x, x) + coef0).tanh(),
            Base::Cosine => f64::from(dot(x, x) > 0.0),
            Base::Precomputed => x.get(i).copied().unwrap_or(0.0),
            Base::Rbf { .. }
            | Base::RationalQuadratic { .. }
            | Base::Matern { .. }
            | Base::Laplacian { .. }
            | Base::Chi2 { .. } => 1.0,
        }
    }
}

impl Tile<'_> {
    /// xᵀy.
    pub(super) fn products(&self, out: &mut [f64]) {
        self.inner(&self.a.rows, &self.b.rows, out);
    }

    /// The tile of A·Bᵀ.
    fn inner(&self, a: &Mat<f64>, b: &Mat<f64>, out: &mut [f64]) {
        let d = a.n_cols();
        let a = &a.as_slice()[self.rows.start * d..self.rows.end * d];
        let b = &b.as_slice()[self.cols.start * d..self.cols.end * d];
        write_inner(out, a, b, d);
    }

    /// ‖x − y‖² for a kernel that falls off with γ‖x − y‖²: from products, or from differences where products are not accurate
    /// enough.
    pub(super) fn squares(&self, out: &mut [f64], gamma: f64) {
        self.shifted_products(out, gamma, |row, own, others, blurred| {
            for (x, other) in row.iter_mut().zip(others) {
                let square = own + other - 2.0 * *x;
                // NaN stays NaN.
                *x = if square < 0.0 { 0.0 } else { square };
            }
            blurred.iter().for_each(|(j, square)| row[*j] = *square);
        });
        self.set_diagonal(out, 0.0);
    }

    /// The columns of row i in which products xᵀy are too inaccurate for ‖x − y‖², with ‖x − y‖² from differences.
    ///
    /// Products are off by ε·(‖x‖² + ‖y‖²): too much for the kernel where γ times that is large, unless rows are so far apart
    /// that the error is small compared with ‖x − y‖² itself. This is decided cell by cell, so that a pair of rows has the
    /// same value in every tile.
    fn blurred(
        &self,
        i: usize,
        products: &[f64],
        gamma: f64,
        (own, others): (f64, &[f64]),
    ) -> Vec<(usize, f64)> {
        let a = self.a.rows.row(i);
        let cells = products.iter().zip(others).enumerate();
        let near = cells.filter(|(_, (product, other))| {
            let both = own + *other;
            gamma * both > FAR && both - 2.0 * *product < NEAR * both
        });
        near.map(|(j, _)| (j, square(a, self.b.rows.row(self.cols.start + j))))
            .collect()
    }

    /// Computes xᵀy of rows relative to the origin, then applies `finish` to each row with ‖x‖², all ‖y‖², and the cells for
    /// which products are too inaccurate for a kernel of γ‖x − y‖² (none for γ = 0).
    pub(super) fn shifted_products(
        &self,
        out: &mut [f64],
        gamma: f64,
        mut finish: impl FnMut(&mut [f64], f64, &[f64], &[(usize, f64)]),
    ) {
        let (Some(a), Some(b)) = (&self.a.shifted, &self.b.shifted) else {
            return;
        };
        self.inner(&a.rows, &b.rows, out);
        let others = &b.squares[self.cols.clone()];
        let longest = others.iter().fold(0.0f64, |m, x| m.max(*x));
        let rows = out.chunks_exact_mut(others.len().max(1));
        for (i, row) in self.rows.clone().zip(rows) {
            let own = a.squares[i];
            let blurred = match gamma * (own + longest) <= FAR {
                true => Vec::new(),
                false => self.blurred(i, row, gamma, (own, others)),
            };
            finish(row, own, others, &blurred);
        }
    }

    /// Sets the distance of a point to itself to exactly 0.
    pub(super) fn set_diagonal(&self, out: &mut [f64], value: f64) {
        if !std::ptr::eq(self.a, self.b) {
            return;
        }
        let width = self.cols.len();
        for i in self.rows.start.max(self.cols.start)..self.rows.end.min(self.cols.end) {
            out[(i - self.rows.start) * width + i - self.cols.start] = value;
        }
    }

    /// A function of two rows, pair by pair.
    pub(super) fn each(&self, out: &mut [f64], of: impl Fn(&[f64], &[f64]) -> f64) {
        let rows = out.chunks_exact_mut(self.cols.len().max(1));
        for (i, row) in self.rows.clone().zip(rows) {
            let a = self.a.rows.row(i);
            for (j, x) in self.cols.clone().zip(row) {
                *x = of(a, self.b.rows.row(j));
            }
        }
    }
}

/// Matérn's kernel of squared distances, for ν = p + ½:
/// e^(−s)·p!/(2p)!·Σᵢ (p+i)!/(i!(p−i)!)·(2s)^(p−i), with s = √(2ν)·r/length (Rasmussen & Williams 2006, eq. 4.16).
fn matern(squares: &mut [f64], nu: f64, length: f64) {
    if nu == f64::INFINITY {
        let factor = -0.5 / (length * length);
        squares.iter_mut().for_each(|x| *x *= factor);
        return exp_all(squares);
    }
    let p = (nu - 0.5).round() as usize;
    let factorial = |n: usize| (1..=n).map(|i| i as f64).product::<f64>();
    // Coefficients of (2s)^p, (2s)^(p−1), …, 1.
    let coefficients: Vec<f64> = (0..=p)
        .map(|i| {
            factorial(p) / factorial(2 * p) * factorial(p + i) / (factorial(i) * factorial(p - i))
        })
        .collect();
    let scale = (2.0 * nu).sqrt() / length;
    let mut powers = squares.to_vec();
    for (x, polynomial) in squares.iter_mut().zip(&mut powers) {
        let s = scale * x.sqrt();
        *polynomial = coefficients.iter().fold(0.0, |sum, c| sum * (2.0 * s) + c);
        *x = -s;
    }
    exp_all(squares);
    squares.iter_mut().zip(&powers).for_each(|(x, p)| *x *= p);
}
