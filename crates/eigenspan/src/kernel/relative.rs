//! A kernel relative to the image of an origin o: k̃(x, y) = ⟨Φ(x) − Φ(o), Φ(y) − Φ(o)⟩ = k(x, y) − k(x, o) − k(o, y) + k(o, o).
//!
//! Centering subtracts the mean from Φ(x) as from Φ(x) − Φ(o), so that both have the same centered kernel matrix. Where rows
//! lie far from zero compared with their spread, or a Gaussian is so wide that all its values are nearly 1, centering k itself
//! would cancel most digits; k̃ cancels nothing, because it is computed from differences u = x − o:
//!
//! - every kernel is written as k(x, y) = c + a(x) + a(y) + k̃(x, y) with c = k(o, o) and a(x) = k(x, o) − k(o, o);
//! - xᵀy has c = ‖o‖², a(x) = oᵀu, k̃ = uᵀv; functions of distances have a(x) = k(x, o) − 1 by `expm1`;
//! - products, powers, exp and normalize are computed from these parts, each by a formula below that subtracts nothing large.

use std::ops::Range;

use super::Base;
use super::distance::{chi2, square, taxicab};
use super::expression::{Node, RowFunction};
use super::points::{Points, Shifted};
use super::tile::Tile;
use crate::linalg::{dot, gaussian_row_relative};

/// The pairs of rows that a list of cells belongs to.
pub(super) enum Cells<'a> {
    /// Rows against others, row after row.
    Tile(&'a Tile<'a>),
    /// Every row with itself.
    Own(&'a Points, Range<usize>),
}

/// c and a(x), a(y) of some cells.
pub(super) struct RelativeParts {
    constant: f64,
    rows: Vec<f64>,
    cols: Vec<f64>,
}

/// k and k̃ of each row with itself.
type Own = Vec<(f64, f64)>;

impl<'a> Cells<'a> {
    fn rows(&self) -> (&'a Points, Range<usize>) {
        match self {
            Cells::Tile(tile) => (tile.a, tile.rows.clone()),
            Cells::Own(points, range) => (*points, range.clone()),
        }
    }

    fn cols(&self) -> (&'a Points, Range<usize>) {
        match self {
            Cells::Tile(tile) => (tile.b, tile.cols.clone()),
            Cells::Own(points, range) => (*points, range.clone()),
        }
    }

    /// Replaces every cell by `of` applied to it and to the numbers of its row and column.
    fn each(&self, out: &mut [f64], of: impl Fn(f64, usize, usize) -> f64) {
        match self {
            Cells::Tile(tile) => {
                let lines = out.chunks_exact_mut(tile.cols.len().max(1)).enumerate();
                for (i, line) in lines {
                    let cells = line.iter_mut().enumerate();
                    cells.for_each(|(j, x)| *x = of(*x, i, j));
                }
            }
            Cells::Own(..) => {
                let cells = out.iter_mut().enumerate();
                cells.for_each(|(i, x)| *x = of(*x, i, i));
            }
        }
    }

    /// `of` applied to each row and each column.
    fn of_sides<V>(&self, of: impl Fn(&Shifted, &Points, usize) -> V) -> (Vec<V>, Vec<V>) {
        let side = |(points, range): (&Points, Range<usize>)| match &points.shifted {
            Some(shifted) => range.map(|i| of(shifted, points, i)).collect(),
            None => Vec::new(),
        };
        (side(self.rows()), side(self.cols()))
    }

    /// uᵀv.
    fn inner(&self, out: &mut [f64]) {
        match self {
            Cells::Tile(tile) => tile.shifted_products(out, 0.0, |_, _, _, _| {}),
            Cells::Own(points, range) => match &points.shifted {
                Some(shifted) => out.copy_from_slice(&shifted.squares[range.clone()]),
                None => out.fill(f64::NAN),
            },
        }
    }

    /// The sum over columns of a function of two cells; 0 for a row and itself.
    fn distances(&self, base: &Base, out: &mut [f64]) {
        let Cells::Tile(tile) = self else {
            return out.fill(0.0);
        };
        match base {
            Base::Laplacian { .. } => tile.each(out, taxicab),
            Base::Chi2 { .. } => tile.each(out, chi2),
            Base::Matern { .. } => tile.each(out, square),
            _ => tile.squares(out, f64::INFINITY),
        }
    }
}

impl Node {
    /// k̃ of some cells, and the other parts of k.
    pub(super) fn relative(&self, cells: &Cells<'_>, out: &mut [f64]) -> RelativeParts {
        match self {
            Node::Base(base) => base.relative(cells, out),
            Node::Multiple(factor, of) => {
                let mut about = of.relative(cells, out);
                about.times(*factor);
                out.iter_mut().for_each(|x| *x *= factor);
                about
            }
            Node::Sum(parts) => joined(parts, cells, out, RelativeParts::plus),
            Node::Product(parts) => joined(parts, cells, out, RelativeParts::product_with),
            Node::Exp(of) => of.relative(cells, out).exp(cells, out),
            Node::Normalize(of) => {
                let lengths = |points: &Points, range: Range<usize>| -> Vec<(f64, f64)> {
                    let mut own = vec![0.0; range.len()];
                    of.relative(&Cells::Own(points, range.clone()), &mut own);
                    of.diagonal(points, range).into_iter().zip(own).collect()
                };
                let (rows, cols) = (cells.rows(), cells.cols());
                let own = (lengths(rows.0, rows.1), lengths(cols.0, cols.1));
                of.relative(cells, out).normalized(&own, cells, out)
            }
            Node::Weighted(g, of) => of.relative(cells, out).weighted(g, cells, out),
        }
    }
}

/// Several kernels as one, two at a time.
fn joined(
    parts: &[Node],
    cells: &Cells<'_>,
    out: &mut [f64],
    join: fn(RelativeParts, &mut [f64], &RelativeParts, &[f64], &Cells<'_>) -> RelativeParts,
) -> RelativeParts {
    let Some((first, others)) = parts.split_first() else {
        return RelativeParts::none(cells);
    };
    let mut about = first.relative(cells, out);
    let mut other = vec![0.0; out.len()];
    for part in others {
        let next = part.relative(cells, &mut other);
        about = join(about, out, &next, &other, cells);
    }
    about
}

impl Base {
    fn relative(&self, cells: &Cells<'_>, out: &mut [f64]) -> RelativeParts {
        let gamma = self.gamma_value();
        match *self {
            Base::Linear => RelativeParts::products(cells, out, 1.0, 0.0),
            Base::Poly { degree, coef0, .. } => {
                RelativeParts::products(cells, out, gamma, coef0).power(degree, cells, out)
            }
            Base::Tanh { coef0, .. } => {
                RelativeParts::products(cells, out, gamma, coef0).tanh(cells, out)
            }
            Base::Cosine => {
                let own = cells.of_sides(|shifted, points, i| {
                    let x = points.rows.row(i);
                    (dot(x, x), shifted.squares[i])
                });
                RelativeParts::products(cells, out, 1.0, 0.0).normalized(&own, cells, out)
            }
            Base::Rbf { .. } => gaussian(cells, out, gamma),
            Base::Precomputed => RelativeParts::none(cells),
            // k(x, y) − 1, minus k(x, o) − 1, minus k(y, o) − 1.
            _ => {
                cells.distances(self, out);
                self.less_one(out);
                let (mut rows, mut cols) = cells.of_sides(|shifted, points, i| match self {
                    Base::Laplacian { .. } => taxicab(points.rows.row(i), &shifted.origin),
                    Base::Chi2 { .. } => chi2(points.rows.row(i), &shifted.origin),
                    _ => shifted.squares[i],
                });
                self.less_one(&mut rows);
                self.less_one(&mut cols);
                cells.each(out, |x, i, j| x - rows[i] - cols[j]);
                RelativeParts {
                    constant: 1.0,
                    rows,
                    cols,
                }
            }
        }
    }

    /// k − 1 of a kernel of distances, from the distances it is a function of.
    fn less_one(&self, distances: &mut [f64]) {
        let gamma = self.gamma_value();
        match *self {
            Base::RationalQuadratic { alpha, length } => {
                let scale = 0.5 / (alpha * length * length);
                let of = |x: f64| (-alpha * (scale * x).ln_1p()).exp_m1();
                distances.iter_mut().for_each(|x| *x = of(*x));
            }
            Base::Matern { nu, length } => matern_less_one(distances, nu, length),
            _ => distances
                .iter_mut()
                .for_each(|x| *x = (-gamma * *x).exp_m1()),
        }
    }
}

/// exp(−γ‖x − y‖²) has c = 1, a(x) = expm1(−γ‖u‖²), and the k̃ of an exponential ([`RelativeParts::exp`]).
fn gaussian(cells: &Cells<'_>, out: &mut [f64], gamma: f64) -> RelativeParts {
    let (rows, cols) = cells.of_sides(|shifted, _, i| (-gamma * shifted.squares[i]).exp_m1());
    match cells {
        Cells::Tile(tile) => {
            let mut line = rows.iter();
            tile.shifted_products(out, gamma, |products, own, others, blurred| {
                let less = line.next().copied().unwrap_or(f64::NAN);
                gaussian_row_relative(products, (own, others), (less, &cols), gamma);
                for (j, square) in blurred {
                    products[*j] = (-gamma * square).exp_m1() - less - cols[*j];
                }
            });
        }
        // 2 − 2k(x, o).
        Cells::Own(..) => cells.each(out, |_, i, _| -2.0 * rows[i]),
    }
    RelativeParts {
        constant: 1.0,
        rows,
        cols,
    }
}

impl RelativeParts {
    /// c.
    pub(super) fn constant(&self) -> f64 {
        self.constant
    }

    /// a(x) of the rows.
    pub(super) fn sides(&self) -> &[f64] {
        &self.rows
    }

    fn none(cells: &Cells<'_>) -> RelativeParts {
        RelativeParts {
            constant: 0.0,
            rows: vec![0.0; cells.rows().1.len()],
            cols: vec![0.0; cells.cols().1.len()],
        }
    }

    /// γxᵀy + coef0.
    fn products(cells: &Cells<'_>, out: &mut [f64], gamma: f64, coef0: f64) -> RelativeParts {
        cells.inner(out);
        let (rows, cols) =
            cells.of_sides(|shifted, _, i| dot(&shifted.origin, shifted.rows.row(i)));
        let shifted = cells.rows().0.shifted.as_ref();
        let mut about = RelativeParts {
            constant: shifted.map_or(f64::NAN, |s| dot(&s.origin, &s.origin)),
            rows,
            cols,
        };
        if gamma != 1.0 {
            about.times(gamma);
            out.iter_mut().for_each(|x| *x *= gamma);
        }
        about.constant += coef0;
        about
    }

    fn times(&mut self, factor: f64) {
        self.constant *= factor;
        let sides = self.rows.iter_mut().chain(&mut self.cols);
        sides.for_each(|x| *x *= factor);
    }

    /// The same constant with other a(x).
    fn with(self, constant: f64, of: impl Fn(f64) -> f64) -> RelativeParts {
        RelativeParts {
            constant,
            rows: self.rows.into_iter().map(&of).collect(),
            cols: self.cols.into_iter().map(&of).collect(),
        }
    }

    /// k + k'.
    fn plus(
        mut self,
        out: &mut [f64],
        other: &RelativeParts,
        more: &[f64],
        _: &Cells<'_>,
    ) -> RelativeParts {
        out.iter_mut().zip(more).for_each(|(x, y)| *x += y);
        self.constant += other.constant;
        let add = |a: &mut [f64], b: &[f64]| a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
        add(&mut self.rows, &other.rows);
        add(&mut self.cols, &other.cols);
        self
    }

    /// k·k': k̃ = a(x)a'(y) + a(y)a'(x) + k̃·k' + k̃'·(k − k̃).
    fn product_with(
        self,
        out: &mut [f64],
        other: &RelativeParts,
        more: &[f64],
        cells: &Cells<'_>,
    ) -> RelativeParts {
        let width = other.cols.len();
        let whole = matches!(cells, Cells::Tile(_));
        cells.each(out, |x, i, j| {
            let y = more[if whole { i * width + j } else { i }];
            let first = self.constant + self.rows[i] + self.cols[j];
            let second = other.constant + other.rows[i] + other.cols[j] + y;
            let mixed = self.rows[i] * other.cols[j] + self.cols[j] * other.rows[i];
            mixed + x * second + y * first
        });
        // k(x, o)k'(x, o) − cc' = a(c' + a') + ca'.
        let side = |a: &[f64], b: &[f64]| -> Vec<f64> {
            let both = a.iter().zip(b);
            both.map(|(a, b)| a * (other.constant + b) + self.constant * b)
                .collect()
        };
        RelativeParts {
            constant: self.constant * other.constant,
            rows: side(&self.rows, &other.rows),
            cols: side(&self.cols, &other.cols),
        }
    }

    /// k^degree, by k^(p+1) = k^p·k with the formula for products.
    fn power(self, degree: u32, cells: &Cells<'_>, out: &mut [f64]) -> RelativeParts {
        let (c, rows, cols) = (self.constant, &self.rows, &self.cols);
        // c^p and (c + a)^p − c^p for p = 1, 2, …
        let side = |a: f64| {
            let mut powers = vec![a];
            let mut constant = c;
            for p in 1..degree as usize {
                powers.push(powers[p - 1] * (c + a) + constant * a);
                constant *= c;
            }
            powers
        };
        let constants: Vec<f64> = (1..=degree as i32).map(|p| c.powi(p)).collect();
        let rows_to: Vec<Vec<f64>> = rows.iter().map(|a| side(*a)).collect();
        let cols_to: Vec<Vec<f64>> = cols.iter().map(|a| side(*a)).collect();
        cells.each(out, |first, i, j| {
            let (a, b) = (rows[i], cols[j]);
            let once = c + a + b + first;
            let mut x = first;
            for p in 0..degree as usize - 1 {
                let (ap, bp) = (rows_to[i][p], cols_to[j][p]);
                x = ap * b + bp * a + x * once + first * (constants[p] + ap + bp);
            }
            x
        });
        let last = |to: Vec<Vec<f64>>| to.iter().filter_map(|p| p.last().copied()).collect();
        RelativeParts {
            constant: c.powi(degree as i32),
            rows: last(rows_to),
            cols: last(cols_to),
        }
    }

    /// exp(k): k̃ = e^c·(expm1(a(x))·expm1(a(y)) + e^(a(x) + a(y))·expm1(k̃)).
    fn exp(self, cells: &Cells<'_>, out: &mut [f64]) -> RelativeParts {
        let whole = self.constant.exp();
        let (a, b) = (&self.rows, &self.cols);
        let less_one = |side: &[f64]| -> Vec<f64> { side.iter().map(|x| x.exp_m1()).collect() };
        let (ea, eb) = (less_one(a), less_one(b));
        cells.each(out, |x, i, j| {
            // Where k̃ is not small nothing cancels, and the separate factors could overflow.
            let grown = match x.abs() < 0.5 {
                true => (a[i] + b[j]).exp() * x.exp_m1(),
                false => (a[i] + b[j] + x).exp() - (a[i] + b[j]).exp(),
            };
            whole * (ea[i] * eb[j] + grown)
        });
        self.with(whole, |a| whole * a.exp_m1())
    }

    /// tanh(k), by tanh(p + h) − tanh(p) = tanh(h)·(1 − tanh(p + h)·tanh(p)), twice.
    fn tanh(self, cells: &Cells<'_>, out: &mut [f64]) -> RelativeParts {
        let step = |p: f64, h: f64| h.tanh() * (1.0 - (p + h).tanh() * p.tanh());
        let c = self.constant;
        let (rows, cols) = (&self.rows, &self.cols);
        cells.each(out, |x, i, j| {
            let (a, b) = (rows[i], cols[j]);
            let (far, near) = ((c + a).tanh(), (c + b).tanh());
            let most = (c + a + b + x).tanh();
            let grown = step(b, x) * (1.0 - most * far);
            grown - b.tanh() * (step(c + b, a + x) * far + near * step(c, a))
        });
        self.with(c.tanh(), |a| step(c, a))
    }

    /// k(x, y) ÷ √(k(x, x)·k(y, y)), given k and k̃ of each row with itself and of each column with itself.
    ///
    /// With r = √k(x, x) and b = (√c − r)/√c, Φ(x)/r − Φ(o)/√c = (Φ(x) − Φ(o) + b·Φ(o))/r. A row of length zero stays zero.
    fn normalized(self, own: &(Own, Own), cells: &Cells<'_>, out: &mut [f64]) -> RelativeParts {
        let c = self.constant;
        let root = c.sqrt();
        // r, b, and k(x, o)/(r√c) − 1 = (a² − c·k̃(x, x)) ÷ (r√c·(c + a + r√c)).
        let side = |a: &[f64], own: &[(f64, f64)]| -> Vec<(f64, f64, f64)> {
            let both = a.iter().zip(own);
            both.map(|(a, (length, own))| {
                let r = length.sqrt();
                let b = -(2.0 * a + own) / (root * (root + r));
                let about = (a * a - c * own) / (r * root * (c + a + r * root));
                match r > 0.0 {
                    true => (r, b, about),
                    false => (0.0, 0.0, -1.0),
                }
            })
            .collect()
        };
        let (rows, cols) = (side(&self.rows, &own.0), side(&self.cols, &own.1));
        cells.each(out, |x, i, j| {
            let ((r, b, about), (s, e, other)) = (rows[i], cols[j]);
            match (r > 0.0, s > 0.0) {
                (true, true) => (x + self.rows[i] * e + self.cols[j] * b + c * b * e) / (r * s),
                (true, false) => -about,
                (false, true) => -other,
                (false, false) => 1.0,
            }
        });
        RelativeParts {
            constant: if c > 0.0 { 1.0 } else { f64::NAN },
            rows: rows.iter().map(|(_, _, about)| *about).collect(),
            cols: cols.iter().map(|(_, _, about)| *about).collect(),
        }
    }

    /// g(x)·k(x, y)·g(y): g(x)Φ(x) − g(o)Φ(o) = g(x)·(Φ(x) − Φ(o)) + (g(x) − g(o))·Φ(o).
    fn weighted(self, g: &RowFunction, cells: &Cells<'_>, out: &mut [f64]) -> RelativeParts {
        let (rows, cols) = cells.of_sides(|_, points, i| (g.function)(points.rows.row(i)));
        let shifted = cells.rows().0.shifted.as_ref();
        let at = shifted.map_or(f64::NAN, |shifted| (g.function)(&shifted.origin));
        let c = self.constant;
        cells.each(out, |x, i, j| {
            let (f, h) = (rows[i], cols[j]);
            let (df, dh) = (f - at, h - at);
            f * h * x + f * dh * self.rows[i] + h * df * self.cols[j] + df * dh * c
        });
        let side = |values: &[f64], a: &[f64]| -> Vec<f64> {
            let both = values.iter().zip(a);
            both.map(|(f, a)| at * (f * a + (f - at) * c)).collect()
        };
        RelativeParts {
            constant: at * c * at,
            rows: side(&rows, &self.rows),
            cols: side(&cols, &self.cols),
        }
    }
}

/// Matérn's kernel of squared distances less 1, for ν = p + ½.
///
/// The series of e^(−s)·P(s) − 1 begins with s² for ν > ½, although those of P and e^(−s) begin with s. Near 0 the
/// coefficients of the product's series are computed first; those of s, s³, …, s^(2p−1) vanish.
fn matern_less_one(squares: &mut [f64], nu: f64, length: f64) {
    if nu == f64::INFINITY {
        let factor = -0.5 / (length * length);
        return squares.iter_mut().for_each(|x| *x = (factor * *x).exp_m1());
    }
    let p = (nu - 0.5).round() as usize;
    let factorial = |n: usize| (1..=n).map(|i| i as f64).product::<f64>();
    // P(s) = Σ qⱼ·sʲ (Rasmussen & Williams 2006, eq. 4.16), q₀ = 1.
    let q: Vec<f64> = (0..=p)
        .map(|j| {
            factorial(p) / factorial(2 * p) * factorial(2 * p - j) * 2f64.powi(j as i32)
                / (factorial(p - j) * factorial(j))
        })
        .collect();
    const TERMS: usize = 24;
    let series: Vec<f64> = (1..=TERMS)
        .map(|j| {
            if j % 2 == 1 && j < 2 * p {
                return 0.0;
            }
            let terms = q.iter().take(j + 1).enumerate().map(|(i, q)| {
                let sign = if (j - i) % 2 == 0 { 1.0 } else { -1.0 };
                sign * q / factorial(j - i)
            });
            terms.sum()
        })
        .collect();
    let scale = (2.0 * nu).sqrt() / length;
    for x in squares {
        let s = scale * x.sqrt();
        *x = match s < 1.0 {
            true => s * series.iter().rev().fold(0.0, |sum, f| sum * s + f),
            false => (-s).exp() * q.iter().rev().fold(0.0, |sum, q| sum * s + q) - 1.0,
        };
    }
}
