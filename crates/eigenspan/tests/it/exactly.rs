//! True residuals on the data, computed with twice the digits: claims are compared with them.

use std::ops::{Add, Mul, Neg, Sub};

use eigenspan::prepare::Scale;
use eigenspan::{Mat, Pca};

/// A number of about 32 digits: the sum of two that do not overlap (Dekker 1971, doi:10.1007/BF01397083).
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Double {
    hi: f64,
    lo: f64,
}

impl Double {
    pub(crate) fn new(hi: f64) -> Self {
        Double { hi, lo: 0.0 }
    }

    pub(crate) fn to_f64(self) -> f64 {
        self.hi + self.lo
    }

    fn sum(a: f64, b: f64) -> Self {
        let hi = a + b;
        let part = hi - a;
        let lo = (a - (hi - part)) + (b - part);
        Double { hi, lo }
    }

    fn product(a: f64, b: f64) -> Self {
        let split = |x: f64| {
            let large = x * 134_217_729.0;
            let high = large - (large - x);
            (high, x - high)
        };
        let ((a1, a2), (b1, b2)) = (split(a), split(b));
        let hi = a * b;
        let lo = ((a1 * b1 - hi) + a1 * b2 + a2 * b1) + a2 * b2;
        Double { hi, lo }
    }

    fn renewed(self) -> Self {
        let hi = self.hi + self.lo;
        Double {
            hi,
            lo: self.lo - (hi - self.hi),
        }
    }

    pub(crate) fn over(self, other: Double) -> Double {
        let first = self.hi / other.hi;
        let rest = self - other * Double::new(first);
        Double::new(first) + Double::new(rest.to_f64() / other.hi)
    }

    pub(crate) fn root(self) -> Double {
        if self.hi <= 0.0 {
            return Double::default();
        }
        let first = self.hi.sqrt();
        let rest = self - Double::product(first, first);
        Double::new(first) + Double::new(rest.to_f64() / (2.0 * first))
    }
}

impl Add for Double {
    type Output = Double;
    fn add(self, other: Double) -> Double {
        let high = Double::sum(self.hi, other.hi);
        let low = Double::sum(self.lo, other.lo);
        let all = Double {
            hi: high.hi,
            lo: high.lo + low.hi,
        };
        let all = all.renewed();
        Double {
            hi: all.hi,
            lo: all.lo + low.lo,
        }
        .renewed()
    }
}

impl Neg for Double {
    type Output = Double;
    fn neg(self) -> Double {
        Double {
            hi: -self.hi,
            lo: -self.lo,
        }
    }
}

impl Sub for Double {
    type Output = Double;
    fn sub(self, other: Double) -> Double {
        self + -other
    }
}

impl Mul for Double {
    type Output = Double;
    fn mul(self, other: Double) -> Double {
        let all = Double::product(self.hi, other.hi);
        Double {
            hi: all.hi,
            lo: all.lo + (self.hi * other.lo + self.lo * other.hi),
        }
        .renewed()
    }
}

/// The prepared rows of a table, to 32 digits: centered, scaled, not yet weighted.
pub(crate) struct Exact {
    rows: Vec<Vec<Double>>,
    weights: Vec<f64>,
}

impl Exact {
    /// As these options prepare rows of these weights.
    pub(crate) fn new(x: &Mat<f64>, weights: Option<&[f64]>, center: bool, scale: Scale) -> Self {
        let (n, d) = (x.n_rows(), x.n_cols());
        let weights = weights.map_or(vec![1.0; n], <[f64]>::to_vec);
        let add = |sum: Double, x: Double| sum + x;
        let total = weights
            .iter()
            .map(|w| Double::new(*w))
            .fold(Double::default(), add);
        let counts = |i: &usize| weights[*i] > 0.0;
        let weighted = |i: usize, x: Double| Double::new(weights[i]) * x;
        let mut rows: Vec<Vec<Double>> = (0..n)
            .map(|i| x.row(i).iter().map(|x| Double::new(*x)).collect())
            .collect();
        (0..d).for_each(|j| {
            let cells = (0..n).filter(counts).map(|i| weighted(i, rows[i][j]));
            let mean = cells.fold(Double::default(), add).over(total);
            let mean = if center { mean } else { Double::default() };
            (0..n).for_each(|i| rows[i][j] = rows[i][j] - mean);
            if scale == Scale::Std {
                let squares = (0..n).filter(counts);
                let squares = squares.map(|i| weighted(i, rows[i][j] * rows[i][j]));
                let variance = squares
                    .fold(Double::default(), add)
                    .over(total - Double::new(1.0));
                let deviation = variance.root();
                if deviation.to_f64() > 0.0 {
                    (0..n).for_each(|i| rows[i][j] = rows[i][j].over(deviation));
                }
            }
        });
        Exact { rows, weights }
    }

    /// The prepared rows, weighted by roots and rounded once: a table whose scatter about zero is that of the data.
    pub(crate) fn rounded(&self) -> Mat<f64> {
        let d = self.rows[0].len();
        Mat::from_fn(self.rows.len(), d, |i, j| match self.weights[i] {
            0.0 => 0.0,
            weight => (self.rows[i][j] * Double::new(weight).root()).to_f64(),
        })
    }

    /// ‖Sv − σ²v‖ of every component, relative to what the model says it is relative to.
    pub(crate) fn residuals(&self, pca: &Pca) -> Vec<f64> {
        let spectrum = pca.spectrum();
        let residual = |i: usize| {
            let v: Vec<Double> = spectrum
                .vectors
                .row(i)
                .iter()
                .map(|x| Double::new(*x))
                .collect();
            let sigma = Double::new(spectrum.singular_values[i]);
            let mut image: Vec<Double> = v.iter().map(|v| -(sigma * sigma * *v)).collect();
            for (row, weight) in self.rows.iter().zip(&self.weights) {
                if *weight == 0.0 {
                    continue;
                }
                let products = row.iter().zip(&v).map(|(x, v)| *x * *v);
                let score = products.fold(Double::default(), |a, b| a + b) * Double::new(*weight);
                let to = image.iter_mut().zip(row);
                to.for_each(|(to, x)| *to = *to + score * *x);
            }
            let squares = image.iter().map(|x| x.to_f64().powi(2)).sum::<f64>();
            match spectrum.residual_unit(i) {
                unit if unit > 0.0 => squares.sqrt() / unit,
                _ => 0.0,
            }
        };
        (0..spectrum.len()).map(residual).collect()
    }
}
