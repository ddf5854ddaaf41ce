//! How far computed values of a kernel may lie from the true ones, for all pairs of some points at once.
//!
//! Bounds have the form |error of k(x, y)| ≤ √(e(x)·e(y)), beside sizes |k(x, y)| ≤ √(s(x)·s(y)): one number per row, so that
//! the error matrix E of a kernel matrix satisfies ‖E‖ ≤ Σ e(x). Two facts keep the form through every operation:
//!
//! - √(ab) + √(cd) ≤ √((a + c)(b + d)) (Cauchy & Schwarz), so that bounds of terms add up row by row;
//! - p(x) + p(y) ≤ √((p(x)²/t + t)·(p(y)²/t + t)) for every t > 0; t is the root mean square of p.
//!
//! Constants are those of the standard model of rounding (Higham 2002, Accuracy and Stability of Numerical Algorithms, §3.1):
//! a sum of d products is off by d·ε/2 of the sum of magnitudes, in any order. Terms in ε² are left out. A kernel relative to
//! its origin has bounds of its own ([`super::rounding_relative`]). Cost n·d for any kernel.

use super::expression::Node;
use super::tile::FAR;
use super::{Base, Points, ResolvedKernel};
use crate::linalg::dot;

pub(super) const EPS: f64 = f64::EPSILON;
/// The largest error of e^x from a polynomial, of tanh, powers and roots, in units of ε.
const FUNCTION: f64 = 4.0;

/// s(x) and e(x) of some points.
#[derive(Debug, Clone)]
pub(crate) struct Rounding {
    pub(crate) size: Vec<f64>,
    pub(crate) error: Vec<f64>,
}

/// The largest size of a kernel's values, and the largest error relative to its size.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Largest {
    pub(crate) size: f64,
    pub(crate) rate: f64,
}

impl Largest {
    pub(crate) fn and(self, other: Largest) -> Largest {
        Largest {
            size: self.size.max(other.size),
            rate: self.rate.max(other.rate),
        }
    }
}

impl ResolvedKernel {
    /// Sizes and rounding errors of its values at these points, as tiles compute them. A precomputed kernel counts as exact.
    pub(crate) fn rounding(&self, points: &Points) -> Rounding {
        match self.is_relative() {
            true => {
                let relative = self.kernel().0.relative_rounding(points);
                let error = relative.size.iter().map(|s| relative.rate * s).collect();
                Rounding {
                    size: relative.size,
                    error,
                }
            }
            false => self.kernel().0.rounding(points),
        }
    }
}

impl Node {
    /// Sizes and errors of k itself.
    pub(super) fn rounding(&self, points: &Points) -> Rounding {
        match self {
            Node::Base(base) => base.rounding(points),
            Node::Multiple(factor, of) => of.rounding(points).map(|_, s, e| {
                let size = factor * s;
                (size, factor * e + EPS * size)
            }),
            Node::Sum(parts) => joined(parts, points, |(s, e), (t, f)| {
                (s + t, e + f + EPS * (s + t))
            }),
            Node::Product(parts) => joined(parts, points, |(s, e), (t, f)| {
                (s * t, s * f + e * t + e * f + EPS * s * t)
            }),
            // e^(k + δ) − e^k ≤ e^k·|δ|·e^|δ|, and e^√(ab) ≤ √(e^a·e^b).
            Node::Exp(of) => of.rounding(points).map(|_, s, e| {
                let size = s.exp();
                (size, size * (e * e.exp() + FUNCTION * EPS))
            }),
            Node::Normalize(of) => {
                let own = of.diagonal(points, 0..points.len());
                of.rounding(points).normalized(&own)
            }
            Node::Weighted(g, of) => of.rounding(points).map(|i, s, e| {
                let square = (g.function)(points.rows.row(i)).powi(2);
                (square * s, square * (e + 2.0 * EPS * s))
            }),
        }
    }
}

fn joined(
    parts: &[Node],
    points: &Points,
    join: impl Fn((f64, f64), (f64, f64)) -> (f64, f64),
) -> Rounding {
    let mut parts = parts.iter().map(|part| part.rounding(points));
    let first = parts.next().unwrap_or(Rounding {
        size: vec![0.0; points.len()],
        error: vec![0.0; points.len()],
    });
    parts.fold(first, |all, part| {
        all.map(|i, s, e| join((s, e), (part.size[i], part.error[i])))
    })
}

/// p(x)²/t + t for every p(x), which brings a sum p(x) + p(y) into the form of a product.
pub(super) fn spread_out(of: &[f64]) -> Vec<f64> {
    let t = (dot(of, of) / of.len().max(1) as f64).sqrt();
    of.iter()
        .map(|p| if t > 0.0 { p * p / t + t } else { 0.0 })
        .collect()
}

impl Rounding {
    fn map(mut self, of: impl Fn(usize, f64, f64) -> (f64, f64)) -> Rounding {
        let cells = self.size.iter_mut().zip(&mut self.error).enumerate();
        cells.for_each(|(i, (s, e))| (*s, *e) = of(i, *s, *e));
        self
    }

    /// k(x, y) ÷ √(k(x, x)·k(y, y)), where k(x, x) is `own`: the errors of k, plus half of the relative errors of both lengths.
    fn normalized(self, own: &[f64]) -> Rounding {
        let per_length = |x: &f64, own: &f64| if *own > 0.0 { x / own } else { 0.0 };
        let size: Vec<f64> = self
            .size
            .iter()
            .zip(own)
            .map(|(s, o)| per_length(s, o))
            .collect();
        let error: Vec<f64> = self
            .error
            .iter()
            .zip(own)
            .map(|(e, o)| per_length(e, o))
            .collect();
        let lengths: Vec<f64> = error.iter().map(|e| 0.5 * e + 2.0 * EPS).collect();
        let lengths = spread_out(&lengths);
        let error = (0..size.len()).map(|i| error[i] + size[i] * lengths[i]);
        Rounding {
            error: error.collect(),
            size,
        }
    }

    /// The largest size, and the largest error relative to its size. For points in different tiles no error is larger than the
    /// product of the two.
    pub(crate) fn largest(&self) -> Largest {
        let rates = self.size.iter().zip(&self.error);
        let rates = rates.filter(|(s, _)| **s > 0.0).map(|(s, e)| e / s);
        Largest {
            size: self.size.iter().copied().fold(0.0, f64::max),
            rate: rates.fold(0.0, f64::max),
        }
    }

    /// An upper bound on ‖E‖ for the matrix of all points with each other.
    pub(crate) fn norm(&self) -> f64 {
        self.error.iter().sum()
    }

    /// An upper bound on the norm of the matrix of magnitudes.
    pub(crate) fn norm_bound(&self) -> f64 {
        self.size.iter().sum()
    }
}

impl Base {
    fn rounding(&self, points: &Points) -> Rounding {
        let (n, d) = (points.len(), points.rows.n_cols() as f64);
        let gamma = self.gamma_value();
        let of_rows = |of: &dyn Fn(f64) -> (f64, f64)| {
            let all = points.rows.rows().map(|x| of(dot(x, x)));
            let (size, error) = all.unzip();
            Rounding { size, error }
        };
        let constant = |error: f64| Rounding {
            size: vec![1.0; n],
            error: vec![error * EPS; n],
        };
        match *self {
            Base::Linear => of_rows(&|square| (square, (d + 2.0) * EPS * square)),
            Base::Poly { degree, coef0, .. } => of_rows(&|square| {
                let size = (gamma * square + coef0.abs()).powi(degree as i32);
                (size, size * EPS * f64::from(degree) * (d + 6.0))
            }),
            Base::Tanh { coef0, .. } => of_rows(&|square| {
                let inside = gamma * square + coef0.abs();
                (1.0, EPS * ((d + 4.0) * inside + FUNCTION))
            }),
            Base::Cosine => constant(2.0 * d + 8.0),
            // The derivative by ‖x − y‖² is at most γ, and 1/‖x − y‖² beyond that.
            Base::Rbf { .. } => constant(self.of_differences(d)).plus(points.blur(gamma)),
            Base::RationalQuadratic { length, .. } => {
                constant(self.of_differences(d)).plus(points.blur(0.5 / (length * length)))
            }
            Base::Matern { .. } | Base::Laplacian { .. } | Base::Chi2 { .. } => {
                constant(self.of_differences(d))
            }
            Base::Precomputed => Rounding {
                size: (0..n)
                    .map(|i| {
                        points
                            .rows
                            .row(i)
                            .iter()
                            .fold(0.0, |m, x| f64::max(m, x.abs()))
                    })
                    .collect(),
                error: vec![0.0; n],
            },
        }
    }

    /// The error, in units of ε, of a kernel computed from differences of rows of d cells: the differences have relative
    /// errors, and s·|k'(s)| is at most 1.
    pub(super) fn of_differences(&self, d: f64) -> f64 {
        let function = match *self {
            Base::Matern { nu, .. } if nu.is_finite() => 12.0 + 4.0 * nu,
            _ => 12.0,
        };
        d / 16.0 + function
    }
}

impl Rounding {
    /// With more error.
    fn plus(self, error: Vec<f64>) -> Rounding {
        self.map(|i, s, e| (s, e + error[i]))
    }
}

impl Points {
    /// The error of e^(−γ‖x − y‖²) that comes from computing ‖x − y‖² by products: (d + 6)·ε·γ(‖x‖² + ‖y‖²), where γ(‖x‖² +
    /// ‖y‖²) counts as at most [`FAR`] (`Tile::blurred`).
    pub(super) fn blur(&self, gamma: f64) -> Vec<f64> {
        let Some(shifted) = &self.shifted else {
            return vec![0.0; self.len()];
        };
        let factor = (self.rows.n_cols() as f64 + 6.0) * EPS;
        let off = shifted
            .squares
            .iter()
            .map(|square| factor * (gamma * square).min(FAR));
        spread_out(&off.collect::<Vec<f64>>())
    }
}
