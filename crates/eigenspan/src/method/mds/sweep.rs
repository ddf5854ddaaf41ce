//! One sweep over all pairs: the stress of places, and the places to which the Guttman transform moves them.
//!
//! Every pair is met once. Rows are cut into strips with about as many pairs each, which depend on the number of rows alone; each strip
//! sums what its pairs add to all rows after its first, and the sums of the strips are added in their order. So the bits do not depend on
//! the number of threads. Cost (6 + 3k) operations, a root and a division for each pair, and 8·k·n bytes for each strip.

use crate::linalg::{dot, sum};
use crate::mat::Mat;
use crate::parallel;

/// What one sweep finds.
pub(super) struct Sweep {
    /// Σ (d − δ)² and Σ d² over all pairs.
    pub(super) stress: f64,
    pub(super) squares: f64,
    /// The Guttman transform of the places (k × n).
    pub(super) next: Mat<f64>,
}

/// Strips into which rows are cut.
const STRIPS: usize = 32;
/// Rows that a row is compared with at a time: what is known of them stays in the fastest memory.
const CHUNK: usize = 512;

/// Where strips of rows begin and end, so that each has about as many pairs of a row with later ones.
pub(super) fn bounds(n: usize) -> Vec<usize> {
    let begin = |strip: usize| {
        let left = 1.0 - strip as f64 / STRIPS as f64;
        n - (n as f64 * left.sqrt()) as usize
    };
    let mut bounds: Vec<usize> = (0..STRIPS).map(begin).collect();
    bounds[0] = 0;
    bounds.push(n);
    bounds
}

/// The sums of a strip: what its pairs add to rows from `first` on (k × rows), and to the stress.
struct Strip {
    first: usize,
    moves: Mat<f64>,
    stress: f64,
    squares: f64,
}

/// The stress of places (k × n) against targets, of which each row has those with all rows after it, and their Guttman transform.
pub(super) fn sweep<'a>(places: &Mat<f64>, targets: &(dyn Fn(usize) -> &'a [f64] + Sync)) -> Sweep {
    let (k, n) = (places.n_rows(), places.n_cols());
    let bounds = bounds(n);
    let strips = parallel::collect(STRIPS, |at| {
        let (first, end) = (bounds[at], bounds[at + 1]);
        let mut strip = Strip {
            first,
            moves: Mat::zeros(k, n - first),
            stress: 0.0,
            squares: 0.0,
        };
        (first..end).for_each(|i| strip.add(places, i, targets(i)));
        strip
    });
    let (mut next, mut stress, mut squares) = (Mat::zeros(k, n), 0.0, 0.0);
    for strip in &strips {
        stress += strip.stress;
        squares += strip.squares;
        for c in 0..k {
            let sums = next.row_mut(c)[strip.first..].iter_mut();
            sums.zip(strip.moves.row(c)).for_each(|(sum, x)| *sum += x);
        }
    }
    let n = n as f64;
    next.as_mut_slice().iter_mut().for_each(|x| *x /= n);
    Sweep {
        stress,
        squares,
        next,
    }
}

impl Strip {
    /// Adds the pairs of row i with the rows after it: each pair adds (δ ÷ d)(x_i − x_j) to row i and takes it from row j.
    fn add(&mut self, places: &Mat<f64>, i: usize, targets: &[f64]) {
        let (mut ratios, mut rest) = ([0.0; CHUNK], [0.0; CHUNK]);
        for (at, targets) in targets.chunks(CHUNK).enumerate() {
            let (from, count) = (i + 1 + at * CHUNK, targets.len());
            let (ratios, rest) = (&mut ratios[..count], &mut rest[..count]);
            squares_from(places, i, from, ratios);
            self.squares += sum(ratios);
            // The squares become ratios δ ÷ d; where two places coincide, they do not push each other apart.
            for ((square, rest), target) in ratios.iter_mut().zip(rest.iter_mut()).zip(targets) {
                let d = square.sqrt();
                *rest = d - target;
                *square = if d > 0.0 { target / d } else { 0.0 };
            }
            self.stress += dot(rest, rest);
            for (c, place) in places.rows().enumerate() {
                let own = place[i];
                let others = &place[from..from + count];
                for ((rest, ratio), x) in rest.iter_mut().zip(ratios.iter()).zip(others) {
                    *rest = ratio * (own - x);
                }
                let moves = self.moves.row_mut(c);
                moves[i - self.first] += sum(rest);
                let moved = moves[from - self.first..].iter_mut().zip(rest.iter());
                moved.for_each(|(sum, x)| *sum -= x);
            }
        }
    }
}

/// Squared distances of one place from those from `from` on.
pub(super) fn squares_from(places: &Mat<f64>, i: usize, from: usize, out: &mut [f64]) {
    out.fill(0.0);
    for place in places.rows() {
        let own = place[i];
        let others = &place[from..from + out.len()];
        let sums = out.iter_mut().zip(others);
        sums.for_each(|(sum, x)| *sum += (own - x) * (own - x));
    }
}
