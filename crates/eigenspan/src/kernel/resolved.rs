//! A kernel whose parameters are all numbers; open ones are found on training rows.

use super::distance::{chi2, square, taxicab};
use super::expression::Node;
use super::points::{check_precomputed, rounding_of};
use super::{Base, Gamma, Kernel, Points};
use crate::error::Error;
use crate::mat::{Mat, Real};
use crate::rng::Rng;

/// The number of rows among which the median distance is taken: more rows would change it by less than a percent.
const MEDIAN_ROWS: usize = 1000;
/// The seed of the draw of those rows, the same for every fit.
const MEDIAN_SEED: u64 = 0;
/// The number of rows that decide whether a kernel is taken relative to its origin.
const SAMPLED_ROWS: usize = 1000;
/// How many times larger than its centered values a kernel may be: at this ratio two digits of sixteen are lost.
const LARGER: f64 = 100.0;

/// A kernel whose parameters are all numbers, ready to compare rows of the training rows' width.
#[derive(Debug, Clone, PartialEq)]
pub struct ResolvedKernel {
    kernel: Kernel,
    n_cols: usize,
    origin: Option<Vec<f64>>,
    /// Whether values are k̃, relative to the image of the origin.
    relative: bool,
}

impl ResolvedKernel {
    /// Finds γ where it is `auto`, `scale` or `median`.
    pub fn new(kernel: &Kernel, rows: &Mat<f64>) -> Result<ResolvedKernel, Error> {
        ResolvedKernel::from_cells::<f64>(kernel, rows)
    }

    /// The same for rows whose cells were of type T: a precomputed kernel matrix need only be symmetric to the precision of
    /// that type.
    pub(crate) fn from_cells<T: Real>(
        kernel: &Kernel,
        rows: &Mat<f64>,
    ) -> Result<ResolvedKernel, Error> {
        if !kernel.is_precomputed() && kernel.any_base(|base| *base == Base::Precomputed) {
            return Err(Error::KernelParameter {
                kernel: "precomputed",
                parameter: "kernel",
                given: kernel.to_string().into(),
                allowed: "no other kernel beside it, because its rows are rows of the kernel matrix",
            });
        }
        if kernel.is_precomputed() {
            check_precomputed(rows, rounding_of::<T>())?;
        }
        let kernel = kernel.map_bases(&mut |base| resolve_base(base, rows))?;
        Ok(ResolvedKernel::at(kernel, rows))
    }

    /// A kernel from a model, with the origin that [`ResolvedKernel::origin`] gave; refused where a parameter is not a number.
    pub fn from_parts(
        kernel: Kernel,
        n_cols: usize,
        origin: Option<Vec<f64>>,
    ) -> Result<Self, Error> {
        let open =
            |base: &Base| !matches!(base.gamma(), None | Some(Gamma::Value(_) | Gamma::Sigma(_)));
        if kernel.any_base(open) {
            return Err(Error::Damaged {
                what: format!("the kernel {kernel} has parameters without a value"),
            });
        }
        if let Some(given) = origin.as_ref().map(Vec::len).filter(|n| *n != n_cols) {
            return Err(Error::WrongWidth {
                given,
                expected: n_cols,
            });
        }
        let origin = origin.filter(|_| kernel.any_base(takes_distances));
        Ok(ResolvedKernel {
            kernel,
            n_cols,
            origin,
            relative: false,
        })
    }

    /// The same kernel relative to the image of this origin, as [`ResolvedKernel::for_centering`] made it.
    pub fn relative_to(self, origin: Vec<f64>) -> Result<ResolvedKernel, Error> {
        if self.kernel.is_precomputed() || origin.len() != self.n_cols {
            return Err(Error::WrongWidth {
                given: origin.len(),
                expected: self.n_cols,
            });
        }
        Ok(ResolvedKernel {
            origin: Some(origin),
            relative: true,
            ..self
        })
    }

    /// The same kernel for matrices that are centered: relative to the image of the rows' mean where centering k itself would
    /// cancel more than two digits, else unchanged. Both have the same centered matrix.
    pub fn for_centering(self, rows: &Mat<f64>) -> Result<ResolvedKernel, Error> {
        let n = rows.n_rows();
        if n == 0 || self.kernel.is_precomputed() {
            return Ok(self);
        }
        let step = n.div_ceil(SAMPLED_ROWS);
        let seen = Mat::from_fn(n.div_ceil(step), rows.n_cols(), |i, j| rows[(i * step, j)]);
        let relative = self.clone().relative_to(column_means(rows))?;
        // Rows that the kernel refuses are refused later, with their own row numbers.
        let Ok(points) = relative.points(seen, 0) else {
            return Ok(self);
        };
        let largest = |values: Vec<f64>| {
            let finite = values.iter().all(|x| x.is_finite());
            let largest = values.iter().fold(0.0f64, |m, x| m.max(x.abs()));
            if finite { largest } else { f64::NAN }
        };
        // The largest k̃(x, x) is at most about λ₁, and errors are relative to λ₁.
        let left = largest(relative.diagonal(&points));
        let whole = largest(relative.plain().diagonal(&points));
        match left > 0.0 && whole.is_finite() && whole > LARGER * left {
            true => Ok(relative),
            false => Ok(self),
        }
    }

    /// The kernel k itself, not relative to an origin, for the same points.
    pub fn plain(&self) -> ResolvedKernel {
        ResolvedKernel {
            relative: false,
            ..self.clone()
        }
    }

    /// Whether values are k̃(x, y) = k(x, y) − k(x, o) − k(o, y) + k(o, o), with o the origin.
    pub fn is_relative(&self) -> bool {
        self.relative
    }

    /// A kernel whose parameters are numbers already, with its origin computed from these rows.
    fn at(kernel: Kernel, rows: &Mat<f64>) -> Self {
        let origin =
            (rows.n_rows() > 0 && kernel.any_base(takes_distances)).then(|| column_means(rows));
        ResolvedKernel {
            kernel,
            n_cols: rows.n_cols(),
            origin,
            relative: false,
        }
    }

    /// The origin that is subtracted from rows: the mean of the training rows, where the kernel needs distances or is itself
    /// relative.
    pub fn origin(&self) -> Option<&[f64]> {
        self.origin.as_deref()
    }

    /// The kernel, whose parameters are all numbers.
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// Columns that rows must have.
    pub fn n_cols(&self) -> usize {
        self.n_cols
    }

    /// The same kernel, with the same parameters, for rows of another width, such as scores.
    pub(crate) fn for_rows(&self, rows: &Mat<f64>) -> ResolvedKernel {
        ResolvedKernel::at(self.kernel.clone(), rows)
    }

    /// Prepares rows; `first` is the number of the first row, for errors.
    pub fn points(&self, rows: Mat<f64>, first: usize) -> Result<Points, Error> {
        if rows.n_cols() != self.n_cols {
            return Err(Error::WrongWidth {
                given: rows.n_cols(),
                expected: self.n_cols,
            });
        }
        let points = Points::new(rows, self.origin.as_deref());
        if self
            .kernel
            .any_base(|base| matches!(base, Base::Chi2 { .. }))
        {
            points.check_counts(first)?;
        }
        self.check_lengths(&points, first)?;
        Ok(points)
    }

    /// Refuses rows with negative k(x, x) where the kernel divides by lengths, and functions whose value is not finite.
    fn check_lengths(&self, points: &Points, first: usize) -> Result<(), Error> {
        let mut fault = None;
        let all = 0..points.len();
        self.kernel.0.visit(&mut |node| match node {
            Node::Normalize(of) => {
                let lengths = of.diagonal(points, all.clone());
                if let Some(row) = lengths.iter().position(|x| *x < 0.0) {
                    let what = format!(
                        "k(x, x) = {} is negative for {of}, so it cannot be normalized",
                        lengths[row]
                    );
                    fault.get_or_insert((row, what));
                }
            }
            Node::Weighted(g, _) => {
                let value = |row: &[f64]| (g.function)(row);
                if let Some(row) = points.rows.rows().position(|row| !value(row).is_finite()) {
                    let what = format!(
                        "{} gives {}, which is not a finite number",
                        g.name,
                        value(points.rows.row(row))
                    );
                    fault.get_or_insert((row, what));
                }
            }
            _ => {}
        });
        match fault {
            Some((row, what)) => Err(Error::KernelUndefined {
                row: first + row,
                col: None,
                what,
            }),
            None => Ok(()),
        }
    }
}

/// Whether a kernel is computed from squared lengths, which lose digits far from the origin.
fn takes_distances(base: &Base) -> bool {
    matches!(base, Base::Rbf { .. } | Base::RationalQuadratic { .. })
}

/// A base kernel with its γ as a number.
fn resolve_base(base: Base, rows: &Mat<f64>) -> Result<Base, Error> {
    let d = rows.n_cols().max(1) as f64;
    let undefined = |given: &str| {
        Err(Error::KernelParameter {
            kernel: base.name(),
            parameter: "gamma",
            given: given.into(),
            allowed: "a number above 0, because all rows are equal",
        })
    };
    let gamma = match base.gamma() {
        Some(Gamma::Unset | Gamma::Auto) => match base {
            Base::Chi2 { .. } => 1.0,
            _ => 1.0 / d,
        },
        Some(Gamma::Scale) => match variance(rows) {
            variance if variance > 0.0 => 1.0 / (d * variance),
            _ => return undefined("scale"),
        },
        Some(Gamma::Median) => match median_distance(base, rows) {
            Some(median) if median > 0.0 => match base {
                // σ is the median distance, γ = 1/2σ².
                Base::Rbf { .. } => 0.5 / median,
                _ => 1.0 / median,
            },
            _ => return undefined("median"),
        },
        _ => return Ok(base),
    };
    Ok(base.with_gamma(Gamma::Value(gamma)))
}

/// Variance of all cells as one list, with divisor n: what scikit-learn's `scale` divides by.
fn variance(rows: &Mat<f64>) -> f64 {
    let cells = rows.as_slice();
    let n = cells.len().max(1) as f64;
    let mean = cells.iter().sum::<f64>() / n;
    cells.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / n
}

pub(super) fn column_means(rows: &Mat<f64>) -> Vec<f64> {
    let mut means = vec![0.0; rows.n_cols()];
    for row in rows.rows() {
        means.iter_mut().zip(row).for_each(|(m, x)| *m += x);
    }
    let n = rows.n_rows().max(1) as f64;
    means.iter_mut().for_each(|m| *m /= n);
    means
}

/// The median over pairs of rows of the distance that a kernel decays with; squared for the Gaussian. Where most pairs of rows
/// are equal, the median over the other pairs.
fn median_distance(base: Base, rows: &Mat<f64>) -> Option<f64> {
    let n = rows.n_rows();
    let mut chosen: Vec<usize> = (0..n).collect();
    if n > MEDIAN_ROWS {
        // The first few of a shuffled list.
        let mut rng = Rng::new(MEDIAN_SEED);
        for i in 0..MEDIAN_ROWS {
            chosen.swap(i, i + rng.below(n - i));
        }
        chosen.truncate(MEDIAN_ROWS);
    }
    let mut distances = Vec::with_capacity(chosen.len() * chosen.len() / 2);
    for (at, &i) in chosen.iter().enumerate() {
        for &j in &chosen[..at] {
            let (a, b) = (rows.row(i), rows.row(j));
            distances.push(match base {
                Base::Rbf { .. } => square(a, b),
                Base::Chi2 { .. } => chi2(a, b),
                _ => taxicab(a, b),
            });
        }
    }
    let median = |distances: &mut [f64]| {
        let middle = distances.len() / 2;
        let (_, median, _) = distances.select_nth_unstable_by(middle, f64::total_cmp);
        *median
    };
    if distances.is_empty() {
        return None;
    }
    let all = median(&mut distances);
    if all > 0.0 {
        return Some(all);
    }
    // Most pairs are equal: the median is taken over the others.
    distances.retain(|x| *x > 0.0);
    (!distances.is_empty()).then(|| median(&mut distances))
}
