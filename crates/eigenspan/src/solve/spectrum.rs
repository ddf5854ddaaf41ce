//! Eigenpairs with their residuals, and the only place that turns a singular value into a variance.
//!
//! Kept as singular values σ of the prepared matrix, since σ² = (n − 1)λ may leave the range of f64 where σ does not.
//! Every pair carries its residual ‖Sv − σ²v‖ / σ², where S is the scatter matrix: relative to the pair's own
//! eigenvalue, so that a small component cannot hide behind a large first one.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::keep::count_for_share;
use super::{Keep, Problem};
use crate::linalg::norm;
use crate::mat::Mat;
use crate::note::Note;
use crate::parallel;

/// The divisor that turns a sum of squares into a variance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Convention {
    /// n − 1: unbiased, as scikit-learn, R and MATLAB do
    #[default]
    #[serde(rename = "n-1")]
    #[cfg_attr(feature = "clap", value(name = "n-1"))]
    Unbiased,
    /// n: as FactoMineR does
    #[serde(rename = "n")]
    #[cfg_attr(feature = "clap", value(name = "n"))]
    Population,
}

impl Convention {
    /// The divisor for rows of this total weight.
    pub fn divisor(self, weight: f64) -> f64 {
        match self {
            Convention::Unbiased => weight - 1.0,
            Convention::Population => weight,
        }
    }
}

/// Which of the two directions along an axis counts as positive; the data do not determine it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
pub enum Sign {
    /// The entry of largest magnitude is positive, as in scikit-learn and MATLAB
    #[default]
    Largest,
    /// The sum of the entries is positive, as in FactoMineR; where it is zero, the entry of largest magnitude
    Sum,
}

/// Numbers closer than this, relative to their size, count as equal when the sign depends on them.
const TIE: f64 = 1e-9;

impl Sign {
    /// Whether the rule changes the sign of a vector. Among entries that are equal up to rounding, the first decides.
    pub(crate) fn flips(self, vector: &[f64]) -> bool {
        if self == Sign::Sum {
            let sum: f64 = vector.iter().sum();
            let size: f64 = vector.iter().map(|x| x.abs()).sum();
            if sum.abs() > TIE * size {
                return sum < 0.0;
            }
        }
        let largest = vector.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        let leader = vector.iter().find(|x| x.abs() >= largest * (1.0 - TIE));
        leader.is_some_and(|x| *x < 0.0)
    }

    /// Applies the sign rule to each row of a matrix.
    pub(crate) fn apply_to(self, vectors: &mut Mat<f64>) {
        let d = vectors.n_cols().max(1);
        parallel::each_chunk(vectors.as_mut_slice(), d, |_, row| {
            if self.flips(row) {
                row.iter_mut().for_each(|x| *x = -*x);
            }
        });
    }
}

/// Eigenpairs, largest first.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Spectrum {
    /// Singular values of the prepared matrix.
    pub singular_values: Vec<f64>,
    /// Unit eigenvectors as rows, signs by a [`Sign`] rule.
    pub vectors: Mat<f64>,
    /// ‖Sv − σ²v‖ / σ² of each pair; ‖Sv − σ²v‖ / σ₁² of pairs after `rank`, whose σ² is within rounding of zero.
    pub residuals: Vec<f64>,
    /// Frobenius norm of the prepared matrix: the root of the trace.
    pub norm: f64,
    /// The divisor that turns a sum of squares into a variance.
    pub divisor: f64,
    /// Bound on the angle, in radians, between the span of the kept vectors and the true one (Davis & Kahan 1970,
    /// doi:10.1137/0707001): residual ÷ gap to the first eigenvalue left out; `None` if that gap is not known.
    pub angle: Option<f64>,
    /// Number of pairs above rounding; the variance of those after them is zero within rounding.
    pub rank: usize,
    /// The pairs that were computed but not kept; `None` if the solver did not compute all pairs.
    pub left_out: Option<LeftOut>,
}

/// The pairs that were computed but not kept, known only if all pairs were computed. Their variance is a sum of small numbers,
/// more accurate than the trace minus the kept variance, which is a small difference of large numbers.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct LeftOut {
    /// Root of the sum of their squared singular values above rounding.
    pub norm: f64,
    /// Number of their singular values above rounding.
    pub rank: usize,
}

impl LeftOut {
    /// From singular values above rounding, largest first.
    fn from_singular_values(singular_values: &[f64]) -> Self {
        let smallest_first: Vec<f64> = singular_values.iter().rev().copied().collect();
        LeftOut {
            norm: norm(&smallest_first),
            rank: singular_values.len(),
        }
    }
}

impl Spectrum {
    /// Number of components kept.
    pub fn len(&self) -> usize {
        self.singular_values.len()
    }

    /// Whether no component was kept.
    pub fn is_empty(&self) -> bool {
        self.singular_values.is_empty()
    }

    /// Variance along component i: its eigenvalue.
    pub fn variance(&self, i: usize) -> f64 {
        (self.singular_values[i] / self.divisor.sqrt()).powi(2)
    }

    /// Variance in all directions, kept or not: the trace of the covariance.
    pub fn total_variance(&self) -> f64 {
        (self.norm / self.divisor.sqrt()).powi(2)
    }

    /// Variance along all components that were computed but not kept; `None` if the solver did not compute all.
    pub fn left_out_variance(&self) -> Option<f64> {
        let left_out = self.left_out?;
        Some((left_out.norm / self.divisor.sqrt()).powi(2))
    }

    /// Share of the total variance along component i.
    pub fn share(&self, i: usize) -> f64 {
        if self.norm > 0.0 {
            (self.singular_values[i] / self.norm).powi(2)
        } else {
            0.0
        }
    }

    /// Share of the total variance along all kept components.
    pub fn total_share(&self) -> f64 {
        (0..self.len()).map(|i| self.share(i)).sum()
    }

    /// The number of leading components that reach a share of the total variance; `None` if all kept ones together do not.
    pub fn count_for_share(&self, share: f64) -> Option<usize> {
        count_for_share(
            (0..self.len()).map(|i| self.share(i)),
            f64::from(self.norm > 0.0),
            share,
        )
    }

    /// The requested number of leading pairs, with signs by the rule; residuals are still to be filled in.
    pub(crate) fn leading(pairs: Pairs, problem: &Problem, divisor: f64) -> Self {
        let Pairs {
            mut singular_values,
            vectors,
            norm,
            floors,
            n_rows,
        } = pairs;
        // Centered rows sum to zero, so n rows span at most n − 1 directions: the n-th singular value is rounding.
        if problem.center && singular_values.len() == n_rows {
            singular_values[n_rows - 1] = 0.0;
        }
        let rank = singular_values
            .iter()
            .zip(&floors)
            .take_while(|(s, floor)| s > floor)
            .count();
        let k = match problem.keep {
            Keep::All | Keep::Auto => singular_values.len(),
            Keep::Count(k) => k.min(singular_values.len()),
            Keep::Share(share) => {
                let squares = singular_values.iter().map(|s| (s / norm).powi(2));
                count_for_share(squares, f64::from(norm > 0.0), share)
                    .unwrap_or(singular_values.len())
            }
        };
        let is_complete = singular_values.len() == n_rows.min(vectors.n_cols());
        let left_out =
            is_complete.then(|| LeftOut::from_singular_values(&singular_values[k.min(rank)..rank]));
        singular_values.truncate(k);
        let mut vectors = vectors.top(k);
        problem.sign.apply_to(&mut vectors);
        Spectrum {
            singular_values,
            vectors,
            residuals: vec![0.0; k],
            norm,
            divisor,
            angle: None,
            rank: rank.min(k),
            left_out,
        }
    }

    /// The unit of the residual of pair i: σᵢ², or σ₁² after the rank.
    pub fn residual_unit(&self, i: usize) -> f64 {
        let unit = if i < self.rank { i } else { 0 };
        self.singular_values.get(unit).map_or(0.0, |s| s * s)
    }

    /// The residuals relative to the first eigenvalue: ‖Sv − σ²v‖ / σ₁².
    pub fn residuals_of_first(&self) -> Vec<f64> {
        let first = self.singular_values.first().copied().unwrap_or(0.0);
        let share = |i: usize| match i < self.rank {
            true => (self.singular_values[i] / first).powi(2),
            false => 1.0,
        };
        let residuals = self.residuals.iter().enumerate();
        residuals.map(|(i, r)| r * share(i)).collect()
    }

    /// Converts residuals relative to the first eigenvalue, as in older model files, to residuals relative to each pair's own
    /// eigenvalue.
    pub fn relate_residuals(&mut self) {
        let first = self.singular_values.first().copied().unwrap_or(0.0);
        let values = self.singular_values.iter().take(self.rank);
        for (r, s) in self.residuals.iter_mut().zip(values) {
            *r *= (first / s).powi(2);
        }
    }

    /// Sets the bound on the angle from the residuals and the first eigenvalue (of the scatter) left out.
    pub(crate) fn set_angle(&mut self, left_out: Option<f64>) {
        let (Some(first), Some(last)) = (self.singular_values.first(), self.singular_values.last())
        else {
            return;
        };
        let absolute = |i: usize| self.residuals[i] * (self.residual_unit(i) / (first * first));
        let together = norm(&(0..self.len()).map(absolute).collect::<Vec<f64>>());
        let gap = left_out.map(|next| (last * last - next.max(0.0)) / (first * first));
        self.angle = match gap {
            // All eigenvectors of the matrix were kept: their span is the whole space.
            _ if self.vectors.n_rows() == self.vectors.n_cols() => Some(0.0),
            Some(gap) if gap > together && *first > 0.0 => Some((together / gap).min(1.0).asin()),
            _ => None,
        };
    }

    /// The first k pairs (all, if there are no more than k), with the bound on the angle of their span.
    pub(crate) fn truncated(mut self, k: usize) -> Spectrum {
        let Some(next) = self.singular_values.get(k).copied() else {
            return self;
        };
        if let Some(left_out) = &mut self.left_out {
            let more =
                LeftOut::from_singular_values(&self.singular_values[k.min(self.rank)..self.rank]);
            left_out.norm = left_out.norm.hypot(more.norm);
            left_out.rank += more.rank;
        }
        self.singular_values.truncate(k);
        self.residuals.truncate(k);
        self.vectors = self.vectors.top(k);
        self.rank = self.rank.min(k);
        self.set_angle(Some(next * next));
        self
    }

    /// A note if fewer components have variance than were kept.
    pub(crate) fn note_rank(&self, n_rows: usize) -> Option<Note> {
        let (rank, k) = (self.rank, self.len());
        // Centered rows always span one direction fewer than there are rows: not worth a note.
        let trivial = rank + 1 == k && k == n_rows;
        (rank < k && !trivial).then_some(Note::RankBelowK { rank, k })
    }

    /// Multiplies the data by a factor: singular values grow with it, vectors and residuals stay.
    pub(crate) fn scale_by(&mut self, factor: f64) {
        self.singular_values.iter_mut().for_each(|s| *s *= factor);
        self.norm *= factor;
        if let Some(left_out) = &mut self.left_out {
            left_out.norm *= factor;
        }
    }

    /// Fills in the residuals from the products S·V (as rows).
    pub(crate) fn set_residuals(&mut self, products: &Mat<f64>) {
        let length = |i: usize| {
            let square = self.singular_values[i].powi(2);
            let pair = products.row(i).iter().zip(self.vectors.row(i));
            norm(&pair.map(|(p, v)| p - square * v).collect::<Vec<f64>>())
        };
        let lengths: Vec<f64> = (0..self.len()).map(length).collect();
        self.set_absolute_residuals(&lengths);
    }

    /// Fills in the residuals from ‖Sv − σ²v‖, not yet divided by an eigenvalue.
    pub(crate) fn set_absolute_residuals(&mut self, lengths: &[f64]) {
        for (i, length) in lengths.iter().take(self.len()).enumerate() {
            self.residuals[i] = match self.residual_unit(i) {
                unit if unit > 0.0 => length / unit,
                _ => 0.0,
            };
        }
    }

    /// Adds to each residual a bound on its rounding error, in the units of S.
    pub(crate) fn add_rounding(&mut self, bounds: &[f64]) {
        for (i, bound) in bounds.iter().take(self.len()).enumerate() {
            match self.residual_unit(i) {
                unit if unit > 0.0 => self.residuals[i] += bound / unit,
                _ => {}
            }
        }
    }

    /// A note that names the components whose residual is above this limit.
    pub(crate) fn note_unresolved(&self, residual: f64) -> Option<Note> {
        let (components, residual) = self.above(residual)?;
        Some(Note::NotResolved {
            components,
            residual,
        })
    }

    /// A note that names the components of which even the most accurate solver cannot prove one digit.
    pub(crate) fn note_unproven(&self) -> Option<Note> {
        const NO_DIGIT: f64 = 0.1;
        let (components, residual) = self.above(NO_DIGIT)?;
        Some(Note::NotProven {
            components,
            residual,
        })
    }

    /// The components, counted from 1, whose residual is above this, and the largest of these residuals.
    fn above(&self, residual: f64) -> Option<(Vec<usize>, f64)> {
        let above: Vec<usize> = (0..self.rank)
            .filter(|&i| self.residuals[i] > residual)
            .collect();
        let worst = above.iter().map(|&i| self.residuals[i]);
        let worst = worst.fold(0.0, f64::max);
        let components: Vec<usize> = above.iter().map(|i| i + 1).collect();
        (!components.is_empty()).then_some((components, worst))
    }
}

/// All eigenpairs that a decomposition gives, before some are cut off.
pub(crate) struct Pairs {
    pub(crate) singular_values: Vec<f64>,
    pub(crate) vectors: Mat<f64>,
    pub(crate) norm: f64,
    /// Below this, a singular value counts as zero.
    pub(crate) floors: Vec<f64>,
    pub(crate) n_rows: usize,
}

impl Pairs {
    /// From eigenvalues σ² (largest first) and eigenvectors (rows) of a scatter matrix.
    pub(crate) fn from_scatter(
        scatter: &Mat<f64>,
        values: &[f64],
        vectors: Mat<f64>,
        n_rows: usize,
    ) -> Self {
        let d = scatter.n_rows();
        let diagonal: Vec<f64> = (0..d).map(|j| scatter[(j, j)].max(0.0)).collect();
        let first = values.first().copied().unwrap_or(0.0).max(0.0);
        let spread: Vec<f64> = diagonal.iter().map(|x| x.sqrt()).collect();
        let floors = parallel::collect(vectors.n_rows(), |i| {
            // Rounding of each entry of the scatter, and of the decomposition, relative to the largest eigenvalue.
            let squares = 8.0 * f64::EPSILON * reach(&spread, vectors.row(i)).powi(2);
            squares.max(d as f64 * f64::EPSILON * first).sqrt()
        });
        Pairs {
            singular_values: values.iter().map(|x| x.max(0.0).sqrt()).collect(),
            vectors,
            norm: diagonal.iter().sum::<f64>().sqrt(),
            floors,
            n_rows,
        }
    }

    /// From eigenvalues σ² and eigenvectors computed by products, with each column's sum of squares.
    pub(crate) fn from_products(
        values: &[f64],
        vectors: Mat<f64>,
        squares: &[f64],
        n_rows: usize,
    ) -> Self {
        let first = values.first().copied().unwrap_or(0.0).max(0.0);
        let floor = (squares.len() as f64 * f64::EPSILON * first).sqrt();
        Pairs {
            singular_values: values.iter().map(|x| x.max(0.0).sqrt()).collect(),
            floors: vec![floor; values.len()],
            vectors,
            norm: squares.iter().sum::<f64>().sqrt(),
            n_rows,
        }
    }

    /// From singular values and right vectors (rows) of a matrix whose columns have the norms `spread`, made from `n_rows` rows.
    pub(crate) fn from_factor(
        spread: &[f64],
        singular_values: Vec<f64>,
        vectors: Mat<f64>,
        n_rows: usize,
    ) -> Self {
        let size = n_rows.max(spread.len()) as f64;
        let floors = parallel::collect(vectors.n_rows(), |i| {
            4.0 * f64::EPSILON * size.sqrt() * reach(spread, vectors.row(i))
        });
        Pairs {
            singular_values,
            vectors,
            norm: norm(spread),
            floors,
            n_rows,
        }
    }
}

/// Σ ‖column‖·|v|: how far rounding errors of single columns, each relative to its own size, can add up along v.
fn reach(spread: &[f64], v: &[f64]) -> f64 {
    spread.iter().zip(v).map(|(s, v)| s * v.abs()).sum()
}

/// ‖column‖ of every column.
pub(crate) fn column_norms(matrix: &Mat<f64>) -> Vec<f64> {
    (0..matrix.n_cols()).map(|j| norm(&matrix.col(j))).collect()
}

/// r = v √λ ÷ s: the correlation between a column with standard deviation s and the scores on a component, where √λ is `size`;
/// 0 for a constant column. Clamped to ±1 against rounding.
pub(crate) fn correlation(v: f64, size: f64, deviation: f64) -> f64 {
    match deviation > 0.0 {
        true => (v * size / deviation).clamp(-1.0, 1.0),
        false => 0.0,
    }
}
