//! Rows drawn with replacement, and the PCA of each draw.
//!
//! A draw is a count for every row. Its PCA is that of the drawn rows with their counts as weights, centered (and scaled, if
//! the model scales) by the draw's own means and deviations. Only the leading pairs are computed.
//!
//! Where there are fewer rows than columns, every draw lies in the span of the rows (Fisher, Caffo, Schwartz & Zipunnikov
//! 2016, doi:10.1080/01621459.2015.1062383): with X = ZB, the rows of B orthonormal, the components of a draw from the n × n
//! coordinates Z, times B, are exactly those of the draw from X. Columns that are rescaled in every draw leave that span; such
//! draws are decomposed directly.

use crate::choose::Sample;
use crate::context::Context;
use crate::error::Error;
use crate::linalg::{gram_of_rows, polish_rows, product, symmetric_eigen, times_transposed};
use crate::mat::Mat;
use crate::method::Pca;
use crate::prepare::Scale;
use crate::rng::{Rng, stream};
use crate::solve::{self, Keep, Plan, Problem, Shape, plan_one_of_many};
use crate::source::{Dense, Passes};

/// Residual, relative to the largest eigenvalue, at which iterations stop.
const TOLERANCE: f64 = 1e-10;
/// The expected share of different rows in a draw: 1 − 1/e.
const DIFFERENT: f64 = 0.632;
/// The most rows or columns for which all eigenvalues of the sample are computed, once.
const WHOLE: usize = 1000;

/// The rows to draw from.
pub(super) struct Urn {
    /// Prepared rows, or their coordinates in the basis.
    rows: Mat<f64>,
    /// Orthonormal rows that span the prepared rows, and the prepared rows, where coordinates are drawn.
    span: Option<(Mat<f64>, Mat<f64>)>,
    /// Cumulative weights of the rows, if they have weights: a weight of 2 counts as the row twice.
    ends: Option<Vec<f64>>,
    /// Rows of a draw.
    n_drawn: usize,
    n_pairs: usize,
    problem: Problem,
}

/// The PCA of one draw.
pub(super) struct Drawn {
    /// Variances along the components, largest first, in prepared units; only those larger than rounding.
    pub(super) variances: Vec<f64>,
    /// Sum of all variances.
    pub(super) total: f64,
    /// The components as rows, in the coordinates of the urn.
    pub(super) vectors: Mat<f64>,
    /// Standard deviation of every column, in prepared units.
    pub(super) deviations: Vec<f64>,
}

impl Urn {
    /// An urn with all rows of a sample, from which to draw for the leading pairs of a model.
    pub(super) fn new(sample: &Sample, pca: &Pca, n_pairs: usize) -> Result<Self, Error> {
        let options = &pca.parts().options;
        let (mut rows, mut ends) = (sample.matrix.clone(), None);
        let mut n_drawn = rows.n_rows();
        if let Some(weights) = &sample.weights {
            n_drawn = take_weights_out(&mut rows, weights)?;
            let mut sum = 0.0;
            let add = |w: &f64| {
                sum += w;
                sum
            };
            ends = Some(weights.iter().map(add).collect());
        }
        let problem = Problem {
            keep: Keep::All,
            center: options.center,
            // Scales of genotypes come from the model and stay; standard deviations are recomputed in every draw.
            scale: match options.scale {
                Scale::Std => Scale::Std,
                Scale::None | Scale::Genotype => Scale::None,
            },
            convention: options.convention,
            tolerance: TOLERANCE,
            seed: options.seed,
            sign: options.sign,
            patience: None,
        };
        let span = match rows.n_rows() < rows.n_cols() && problem.scale == Scale::None {
            true => Some((basis(&rows)?, rows.clone())),
            false => None,
        };
        if let Some((basis, prepared)) = &span {
            rows = times_transposed(prepared.view(), basis.view());
        }
        Ok(Urn {
            rows,
            span,
            ends,
            n_drawn,
            n_pairs,
            problem,
        })
    }

    /// Rows of a draw.
    pub(super) fn n_drawn(&self) -> usize {
        self.n_drawn
    }

    /// Components in the urn's coordinates: full-length components, projected onto the span of the rows.
    pub(super) fn coordinates(&self, components: &Mat<f64>) -> Mat<f64> {
        match &self.span {
            Some((basis, _)) => times_transposed(components.view(), basis.view()),
            None => components.clone(),
        }
    }

    /// Some columns of the basis; None where coordinates are the columns themselves.
    pub(super) fn columns(&self, from: usize, to: usize) -> Columns {
        let part =
            |basis: &Mat<f64>| Mat::from_fn(basis.n_rows(), to - from, |i, j| basis[(i, from + j)]);
        Columns {
            basis: self.span.as_ref().map(|(basis, _)| part(basis)),
            from,
            to,
        }
    }

    /// Every row once, or as often as its weight says.
    fn all(&self) -> Vec<f64> {
        match &self.ends {
            None => vec![1.0; self.rows.n_rows()],
            Some(ends) => {
                let mut before = 0.0;
                let weight = |end: &f64| end - std::mem::replace(&mut before, *end);
                ends.iter().map(weight).collect()
            }
        }
    }

    /// How often each row is drawn in draw number `number`.
    pub(super) fn counts(&self, seed: u64, number: usize) -> Vec<f64> {
        let mut rng = Rng::new(stream(seed, number));
        let mut counts = vec![0.0; self.rows.n_rows()];
        let last = counts.len() - 1;
        let total = match &self.ends {
            Some(ends) => ends[last],
            None => counts.len() as f64,
        };
        for _ in 0..self.n_drawn {
            let place = rng.uniform() * total;
            let row = match &self.ends {
                Some(ends) => ends.partition_point(|end| *end <= place),
                None => place as usize,
            };
            counts[row.min(last)] += 1.0;
        }
        counts
    }

    /// The PCA of the whole sample, with all of its eigenvalues where there are not too many.
    pub(super) fn fit_all(&self, ctx: &Context) -> Result<Drawn, Error> {
        let all = self.rows.n_rows().min(self.rows.n_cols());
        let n_pairs = match all <= WHOLE {
            true => all.max(self.n_pairs),
            false => self.n_pairs,
        };
        let mut drawn = self.fit_pairs(ctx, &self.all(), n_pairs)?;
        drawn.vectors = drawn.vectors.top(self.n_pairs);
        Ok(drawn)
    }

    /// The PCA of a draw. A draw of one single row has no components.
    pub(super) fn fit(&self, ctx: &Context, counts: &[f64]) -> Result<Drawn, Error> {
        self.fit_pairs(ctx, counts, self.n_pairs)
    }

    /// The number of rows that count.
    pub(super) fn n_held(&self) -> usize {
        self.all().iter().filter(|weight| **weight > 0.0).count()
    }

    /// Whether columns are rescaled in every draw.
    pub(super) fn is_scaled(&self) -> bool {
        self.problem.scale == Scale::Std
    }

    /// Whether draws are centered.
    pub(super) fn is_centered(&self) -> bool {
        self.problem.center
    }

    fn fit_pairs(&self, ctx: &Context, counts: &[f64], n_pairs: usize) -> Result<Drawn, Error> {
        let held: Vec<usize> = (0..counts.len()).filter(|&i| counts[i] > 0.0).collect();
        let n_cols = self.rows.n_cols();
        if held.len() < 2 {
            let deviations = self.deviations(counts, &vec![0.0; n_cols]);
            return Ok(Drawn {
                variances: Vec::new(),
                total: 0.0,
                vectors: Mat::zeros(0, n_cols),
                deviations,
            });
        }
        let mut cells = Vec::with_capacity(held.len() * n_cols);
        held.iter()
            .for_each(|&i| cells.extend_from_slice(self.rows.row(i)));
        let rows = Mat::from_vec(held.len(), n_cols, cells)?;
        let weights: Vec<f64> = held.iter().map(|&i| counts[i]).collect();
        let k = n_pairs.min(held.len()).min(n_cols);
        let problem = Problem {
            keep: Keep::Count(k),
            ..self.problem.clone()
        };
        let plan = plan_of(held.len(), n_cols, k);
        let source = Dense::new(rows.view()).with_weights(&weights)?;
        let solution = solve::run(ctx, &plan, &source, &problem)?;
        let spectrum = &solution.spectrum;
        let rank = spectrum.rank;
        Ok(Drawn {
            variances: (0..rank).map(|i| spectrum.variance(i)).collect(),
            total: spectrum.total_variance(),
            deviations: self.deviations(counts, &solution.spread),
            vectors: solution.spectrum.vectors.top(rank),
        })
    }

    /// Standard deviation of every column of a draw, from the roots of the scatter where the fit has them.
    fn deviations(&self, counts: &[f64], spread: &[f64]) -> Vec<f64> {
        let weight: f64 = counts.iter().sum();
        let root = self.problem.convention.divisor(weight).max(0.0).sqrt();
        let of_spread = |s: &f64| match (*s > 0.0, self.problem.scale) {
            (false, _) => 0.0,
            (true, Scale::Std) => 1.0,
            (true, _) => s / root,
        };
        let Some((_, prepared)) = &self.span else {
            return spread.iter().map(of_spread).collect();
        };
        let d = prepared.n_cols();
        let (mut sums, mut squares) = (vec![0.0; d], vec![0.0; d]);
        for (row, count) in prepared.rows().zip(counts).filter(|(_, c)| **c > 0.0) {
            for ((x, sum), square) in row.iter().zip(&mut sums).zip(&mut squares) {
                *sum += count * x;
                *square += count * x * x;
            }
        }
        // Rows were centered before, so little cancels here.
        let about = |(sum, square): (&f64, &f64)| match self.problem.center {
            true => square - sum * sum / weight,
            false => *square,
        };
        let scatters = sums.iter().zip(&squares).map(about);
        scatters.map(|s| of_spread(&s.max(0.0).sqrt())).collect()
    }
}

/// Some columns of the data, in which to express components given in coordinates.
pub(super) struct Columns {
    basis: Option<Mat<f64>>,
    from: usize,
    to: usize,
}

impl Columns {
    /// These columns of such components.
    pub(super) fn entries(&self, vectors: &Mat<f64>) -> Mat<f64> {
        match &self.basis {
            Some(basis) => product(vectors.view(), basis.view()),
            None => Mat::from_fn(vectors.n_rows(), self.to - self.from, |i, j| {
                vectors[(i, self.from + j)]
            }),
        }
    }
}

/// Operations of the fits of all draws, with the vectors they keep.
pub(super) fn operations(n: usize, d: usize, scaled: bool, n_pairs: usize, draws: usize) -> f64 {
    let held = (n as f64 * DIFFERENT).ceil();
    let wide = n < d && !scaled;
    let cols = if wide { n } else { d };
    let fit = plan_of(held as usize, cols, n_pairs).flops;
    let (n, d) = (n as f64, d as f64);
    // Rows are copied, centered and scaled, and the components are converted back to the columns.
    let columns = match (wide, n < d) {
        (true, _) => 2.0 * n * d * (n_pairs as f64 + 2.0),
        (false, true) => 60.0 * n * d,
        (false, false) => 6.0 * n * d,
    };
    // The basis: a Gram matrix, its eigenvectors, three products to orthonormalize them.
    let once = if wide {
        10.0 * n * n * d + 9.0 * n.powi(3)
    } else {
        0.0
    };
    once + draws as f64 * (fit + columns)
}

fn plan_of(n_rows: usize, n_cols: usize, k: usize) -> Plan {
    let shape = Shape {
        n_rows: Some(n_rows),
        n_cols,
        nnz: None,
        passes: Passes::Many,
        in_memory: true,
        by_column: false,
    };
    plan_one_of_many(shape, k)
}

/// An orthonormal basis of the span of some rows, of which there are fewer than columns: v = Xᵀu/σ for the eigenvectors u of
/// XXᵀ.
fn basis(rows: &Mat<f64>) -> Result<Mat<f64>, Error> {
    let (squares, left) = symmetric_eigen(&gram_of_rows(rows))?;
    // A direction below this, relative to the largest, is rounding of the squares.
    let floor = squares.first().map_or(0.0, |s| s * 1e-13);
    let rank = squares.iter().take_while(|s| **s > floor).count();
    let mut basis = product(left.top(rank).view(), rows.view());
    for (i, square) in squares.iter().enumerate().take(rank) {
        let length = square.sqrt();
        basis.row_mut(i).iter_mut().for_each(|x| *x /= length);
    }
    polish_rows(&mut basis);
    Ok(basis)
}

/// Divides rows by the roots of their weights; gives the sum of the weights as a number of rows.
fn take_weights_out(rows: &mut Mat<f64>, weights: &[f64]) -> Result<usize, Error> {
    for (i, weight) in weights.iter().enumerate().filter(|(_, w)| **w > 0.0) {
        let root = weight.sqrt();
        rows.row_mut(i).iter_mut().for_each(|x| *x /= root);
    }
    let total: f64 = weights.iter().sum();
    if total < 2.0 {
        return Err(Error::BadWeights {
            what: format!(
                "they sum to {total}, but the bootstrap draws as many rows as the weights count, at least 2"
            ),
        });
    }
    Ok(total.round() as usize)
}
