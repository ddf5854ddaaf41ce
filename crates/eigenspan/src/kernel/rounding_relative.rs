//! Rounding errors of a kernel relative to its origin, k(x, y) = c + a(x) + a(y) + k̃(x, y) as [`super::relative`] defines it.
//!
//! One rate ρ and one size s(x) per row bound all parts: |k̃(x, y)| ≤ √(s(x)s(y)) and |a(x)| ≤ √(c·s(x)), where c is the
//! magnitude of the constant; k̃, a and c are off by at most ρ times these. For a positive semi-definite kernel s(x) = k̃(x,
//! x) satisfies this (Cauchy & Schwarz), and k has the size w(x) = (√c + √s(x))². Where a formula needs more, s is enlarged.

use super::Base;
use super::expression::{Node, RowFunction};
use super::points::{Points, Shifted};
use super::relative::Cells;
use super::rounding::EPS;
use super::tile::FAR;
use crate::linalg::dot;

/// c, s(x) and ρ.
pub(super) struct Relative {
    constant: f64,
    pub(super) size: Vec<f64>,
    pub(super) rate: f64,
}

impl Node {
    /// Sizes and errors of k̃.
    pub(super) fn relative_rounding(&self, points: &Points) -> Relative {
        let Some(shifted) = &points.shifted else {
            return Relative::unknown(points);
        };
        match self {
            Node::Base(base) => base.relative_rounding(points, shifted),
            Node::Multiple(factor, of) => {
                let of = of.relative_rounding(points);
                Relative {
                    constant: factor * of.constant,
                    rate: of.rate + EPS,
                    size: of.size.iter().map(|s| factor * s).collect(),
                }
            }
            Node::Sum(parts) => joined(parts, points, Relative::plus),
            Node::Product(parts) => joined(parts, points, |a, b| a.product_with(&b)),
            Node::Exp(of) => of.relative_rounding(points).exp(),
            Node::Normalize(of) => {
                let range = 0..points.len();
                let own = of.diagonal(points, range.clone());
                let mut inside = vec![0.0; points.len()];
                let about = of.relative(&Cells::Own(points, range), &mut inside);
                let plain = of.rounding(points);
                let lengths = plain.error.iter().zip(&own);
                let lengths = lengths.map(|(e, own)| if *own > 0.0 { e / own } else { 0.0 });
                let rate = lengths.fold(0.0, f64::max);
                let of = of.relative_rounding(points);
                // Where parts of the constant cancel, the divisors are lengths of nearly zero.
                if of.constant > 1.01 * about.constant() {
                    return Relative::unknown(points);
                }
                of.normalized(&own, about.sides(), rate)
            }
            Node::Weighted(g, of) => of.relative_rounding(points).weighted(g, points, shifted),
        }
    }
}

fn joined(
    parts: &[Node],
    points: &Points,
    join: impl Fn(Relative, Relative) -> Relative,
) -> Relative {
    let parts = parts.iter().map(|part| part.relative_rounding(points));
    parts
        .reduce(join)
        .unwrap_or_else(|| Relative::unknown(points))
}

impl Base {
    fn relative_rounding(&self, points: &Points, shifted: &Shifted) -> Relative {
        let d = points.rows.n_cols() as f64;
        let gamma = self.gamma_value();
        let products = |gamma: f64, coef0: f64| Relative {
            constant: gamma * dot(&shifted.origin, &shifted.origin) + coef0.abs(),
            size: shifted.squares.iter().map(|s| gamma * s).collect(),
            rate: (d + 6.0) * EPS,
        };
        match *self {
            Base::Linear => products(1.0, 0.0),
            Base::Poly { degree, coef0, .. } => products(gamma, coef0).power(degree),
            Base::Tanh { coef0, .. } => products(gamma, coef0).tanh(),
            Base::Cosine => {
                let rows = points.rows.rows();
                let own: Vec<f64> = rows.map(|x| dot(x, x)).collect();
                let sides = shifted.rows.rows().map(|u| dot(&shifted.origin, u));
                let sides: Vec<f64> = sides.collect();
                products(1.0, 0.0).normalized(&own, &sides, (d + 2.0) * EPS)
            }
            // k̃(x, x) = 2 − 2e^(−γ‖u‖²).
            Base::Rbf { .. } => {
                let most = shifted.squares.iter().fold(0.0f64, |m, s| m.max(gamma * s));
                Relative {
                    constant: 1.0,
                    size: shifted
                        .squares
                        .iter()
                        .map(|s| -2.0 * (-gamma * s).exp_m1())
                        .collect(),
                    rate: EPS * ((d + 8.0) * (4.0 + (2.0 * most).min(FAR)) + 16.0),
                }
            }
            Base::Precomputed => Relative::unknown(points),
            // k − 1 minus the same for both rows with the origin: 1 − k(x, y) ≤ 2·max k̃(x, x) = 4·max(1 − k(x, o)).
            _ => {
                let mut out = vec![0.0; points.len()];
                let all = Cells::Own(points, 0..points.len());
                let about = Node::Base(*self).relative(&all, &mut out);
                let most = about.sides().iter().fold(0.0f64, |m, a| m.max(a.abs()));
                let squares = match self {
                    // Distances from products have 16 times the error of those from differences.
                    Base::RationalQuadratic { .. } => 16.0 * (d + 6.0),
                    Base::Matern { nu, .. } if nu.is_finite() => 32.0 * (nu + 1.0),
                    _ => 0.0,
                };
                Relative {
                    constant: 1.0,
                    size: vec![6.0 * most; points.len()],
                    rate: EPS * (squares + self.of_differences(d)),
                }
            }
        }
    }
}

impl Relative {
    /// No bound is known.
    fn unknown(points: &Points) -> Relative {
        Relative {
            constant: f64::INFINITY,
            size: vec![f64::INFINITY; points.len()],
            rate: 1.0,
        }
    }

    fn largest(&self) -> f64 {
        self.size.iter().fold(0.0, |m, s| f64::max(m, *s))
    }

    fn plus(self, other: Relative) -> Relative {
        let both = self.size.iter().zip(&other.size);
        Relative {
            constant: self.constant + other.constant,
            size: both.map(|(s, t)| s + t).collect(),
            rate: self.rate.max(other.rate) + EPS,
        }
    }

    /// k·k': √(cc')·(τ·s + s'/τ) + s·w' + s'·w, with the τ that balances both terms.
    fn product_with(self, other: &Relative) -> Relative {
        let (c, e) = (self.constant, other.constant);
        let balance = match (self.largest(), other.largest()) {
            (a, b) if a > 0.0 && b > 0.0 => (b / a).sqrt(),
            _ => 1.0,
        };
        let size = |s: f64, t: f64| {
            let (w, v) = ((c.sqrt() + s.sqrt()).powi(2), (e.sqrt() + t.sqrt()).powi(2));
            (c * e).sqrt() * (balance * s + t / balance) + s * v + t * w
        };
        let both = self.size.iter().zip(&other.size);
        Relative {
            constant: c * e,
            size: both.map(|(s, t)| size(*s, *t)).collect(),
            rate: (1.0 + self.rate) * (1.0 + other.rate) - 1.0 + 8.0 * EPS,
        }
    }

    fn power(self, degree: u32) -> Relative {
        let mut power = Relative {
            size: self.size.clone(),
            ..self
        };
        for _ in 1..degree {
            power = power.product_with(&self);
        }
        power
    }

    /// Upper bounds on a(x) and on 2a + k̃.
    fn reach(&self) -> (f64, f64) {
        let most = self.largest();
        let about = (self.constant * most).sqrt();
        (about, 2.0 * about + most)
    }

    /// e^k: expm1(a) ≤ |a|e^|a|, and the error of the exponent is the sum of the errors of c, a and k̃.
    fn exp(self) -> Relative {
        let (_, reach) = self.reach();
        let (c, whole) = (self.constant, self.constant.exp());
        let grown = whole * reach.exp() * (1.0 + c);
        Relative {
            constant: whole,
            size: self.size.iter().map(|s| grown * s).collect(),
            rate: 4.0 * (self.rate + 8.0 * EPS) * (1.0 + c + reach),
        }
    }

    /// tanh(k): every step is at most as long as its argument; the error of its factors is the sum of the errors of c, a and
    /// k̃.
    fn tanh(self) -> Relative {
        let (about, reach) = self.reach();
        let c = self.constant;
        let grown = 2.0 + 2.0 * c + about;
        Relative {
            constant: c,
            size: self.size.iter().map(|s| grown * s).collect(),
            rate: 4.0 * (self.rate + 8.0 * EPS) * (4.0 + c + reach),
        }
    }

    /// k(x, y) ÷ √(k(x, x)k(y, y)), with k(x, x) and a(x) of each row given; lengths k(x, x) have errors of this rate.
    fn normalized(self, own: &[f64], sides: &[f64], lengths: f64) -> Relative {
        let (c, root) = (self.constant, self.constant.sqrt());
        let size = |(i, s): (usize, &f64)| {
            let r = own[i].max(0.0).sqrt();
            if r == 0.0 {
                return 1.0;
            }
            // (√s + √c·b)/r, with b bounded by its terms.
            let b = (2.0 * (c * s).sqrt() + s) / (root * (root + r));
            let along = (s.sqrt() + root * b) / r;
            // k(x, o)/(r√c) − 1, whose numerator and last factor may cancel.
            let last = (c + sides[i] + r * root).abs();
            let blur = (c + (c * s).sqrt() + r * root) / last;
            let about = 2.0 * c * s * (1.0 + blur) / (r * root * last);
            along.max(about).powi(2)
        };
        Relative {
            constant: 1.0,
            size: self.size.iter().enumerate().map(size).collect(),
            rate: 6.0 * self.rate + 2.0 * lengths + 40.0 * EPS,
        }
    }

    /// g(x)k(x, y)g(y): (|g(x)|·√s + |g(x) − g(o)|·√c)².
    fn weighted(self, g: &RowFunction, points: &Points, shifted: &Shifted) -> Relative {
        let at = (g.function)(&shifted.origin);
        let root = self.constant.sqrt();
        let size = |(row, s): (&[f64], &f64)| {
            let f = (g.function)(row);
            (f.abs() * s.sqrt() + (f - at).abs() * root).powi(2)
        };
        Relative {
            constant: at * at * self.constant,
            size: points.rows.rows().zip(&self.size).map(size).collect(),
            rate: self.rate + 8.0 * EPS,
        }
    }
}
