//! Pre-images for the Gaussian kernel by iteration (Mika, Schölkopf, Smola, Müller, Scholz & Rätsch 1999, Advances in
//! Neural Information Processing Systems 11, 536–542).
//!
//! Where the gradient of ‖Φ(z) − P‖² is zero, z = Σγᵢk(z, xᵢ)xᵢ / Σγᵢk(z, xᵢ); this is iterated until z no longer changes. The
//! weights may be negative, so the divisor can vanish; then the iteration starts again at the training row next nearest to P.

use super::{PreImages, RunResult, Targets};
use crate::context::Context;
use crate::error::Error;
use crate::linalg::product;
use crate::mat::Mat;

/// The iteration ends with a step this small, relative to the spread of the training rows.
pub(super) const CONVERGED: f64 = 1e-10;
/// The largest number of starts: the one that was given, then training rows.
const STARTS: usize = 5;
/// A divisor below this share of the sum of its terms' magnitudes counts as zero.
const VANISHED: f64 = 1e-12;

/// The state of the iteration of one row.
struct Walk {
    /// Training rows to begin at, nearest to P first.
    starts: Vec<usize>,
    begun: usize,
    step: f64,
    done: bool,
}

impl PreImages<'_> {
    pub(super) fn fixed_point(
        &self,
        ctx: &Context,
        targets: &Targets,
        start: Option<Mat<f64>>,
    ) -> Result<RunResult, Error> {
        let (model, training) = (self.model, self.points);
        let b = targets.scores.n_rows();
        let spread = spread(training.rows());
        // The rows nearest to P have the largest ⟨Φ(x), P⟩ − ½‖Φ(x)‖².
        let own = model.kernel().diagonal(training);
        let nearness = |i: usize| -> Vec<f64> {
            let products = targets.products.row(i).iter().zip(&own);
            products.map(|(along, own)| along - 0.5 * own).collect()
        };
        // The weights belong to the kernel itself. Relative to an origin, P also contains the part of the origin's image that
        // the weights leave.
        let plain = model.kernel().plain();
        let origin = match (model.kernel().is_relative(), plain.origin()) {
            (true, Some(origin)) => Some(Mat::from_fn(1, origin.len(), |_, j| origin[j])),
            _ => None,
        };
        let mut walks: Vec<Walk> = (0..b)
            .map(|i| Walk {
                starts: largest(&nearness(i), STARTS),
                begun: 0,
                step: f64::INFINITY,
                done: false,
            })
            .collect();
        let mut rows = start.unwrap_or_else(|| {
            let first = |i: usize| walks[i].starts.first().copied().unwrap_or(0);
            Mat::from_fn(b, model.n_cols(), |i, j| training.rows()[(first(i), j)])
        });
        for _ in 0..self.options.max_iterations {
            ctx.check()?;
            if walks.iter().all(|walk| walk.done) {
                break;
            }
            let points = plain.points(rows.clone(), 0)?;
            let mut weights = plain.between(&points, training);
            let cells = weights.as_mut_slice().iter_mut();
            cells
                .zip(targets.weights.as_slice())
                .for_each(|(k, gamma)| *k *= gamma);
            let mut sums = product(weights.view(), training.rows().view());
            let mut divisors: Vec<f64> = weights.rows().map(|row| row.iter().sum()).collect();
            if let Some(origin) = &origin {
                let along = plain.between(&points, &plain.points(origin.clone(), 0)?);
                for (i, divisor) in divisors.iter_mut().enumerate() {
                    let left = 1.0 - targets.weights.row(i).iter().sum::<f64>();
                    let weight = left * along[(i, 0)];
                    *divisor += weight;
                    let cells = sums.row_mut(i).iter_mut().zip(origin.row(0));
                    cells.for_each(|(sum, x)| *sum += weight * x);
                }
            }
            for (i, walk) in walks.iter_mut().enumerate().filter(|(_, walk)| !walk.done) {
                let divisor = divisors[i];
                let size: f64 = weights.row(i).iter().map(|w| w.abs()).sum();
                if divisor.abs() > VANISHED * size && size > f64::MIN_POSITIVE {
                    walk.go(rows.row_mut(i), sums.row(i), divisor, spread);
                } else {
                    walk.begin_again(rows.row_mut(i), training.rows());
                }
            }
        }
        let not_converged = walks.iter().filter(|walk| !walk.done).map(|walk| walk.step);
        Ok(RunResult {
            not_converged: not_converged.reduce(f64::max),
            rows,
        })
    }
}

impl Walk {
    /// One step.
    fn go(&mut self, z: &mut [f64], sums: &[f64], divisor: f64, spread: f64) {
        let mut square = 0.0;
        for (z, sum) in z.iter_mut().zip(sums) {
            let next = sum / divisor;
            square += (next - *z) * (next - *z);
            *z = next;
        }
        self.step = square.sqrt() / spread;
        self.done = self.step <= CONVERGED;
    }

    /// The next training row to start at; after the last one, the nearest is the answer.
    fn begin_again(&mut self, z: &mut [f64], training: &Mat<f64>) {
        match self.starts.get(self.begun).or(self.starts.first()) {
            Some(&row) => z.copy_from_slice(training.row(row)),
            None => self.done = true,
        }
        self.done |= self.begun >= self.starts.len();
        self.begun += 1;
    }
}

/// Places of the largest numbers, largest first.
pub(super) fn largest(numbers: &[f64], count: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..numbers.len()).collect();
    let count = count.min(order.len());
    if count == 0 {
        return order;
    }
    let by_size = |a: &usize, b: &usize| numbers[*b].total_cmp(&numbers[*a]).then(a.cmp(b));
    order.select_nth_unstable_by(count - 1, by_size);
    order.truncate(count);
    order.sort_by(by_size);
    order
}

/// Root of the mean squared distance of the rows to their mean; 1 where all rows are equal.
fn spread(rows: &Mat<f64>) -> f64 {
    let (n, d) = (rows.n_rows().max(1) as f64, rows.n_cols());
    let mut means = vec![0.0; d];
    for row in rows.rows() {
        means.iter_mut().zip(row).for_each(|(m, x)| *m += x / n);
    }
    let squares = rows.rows().flat_map(|row| row.iter().zip(&means));
    let spread = (squares.map(|(x, m)| (x - m) * (x - m)).sum::<f64>() / n).sqrt();
    if spread > 0.0 { spread } else { 1.0 }
}
