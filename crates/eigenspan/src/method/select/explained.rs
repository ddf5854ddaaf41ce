//! How much of the columns' variance some of them explain: the scatter, from which one kept column after the other is taken out.
//!
//! E ← E − E_p E_pᵀ ÷ E_pp takes out what column p explains by linear regression; what is left on the diagonal is what it does not
//! explain. A column of which next to nothing is left takes out nothing. The sum of squares of row j of E, divided by E_jj, is what
//! column j would explain next. Cost 4·d² per column.

use crate::linalg::dot;
use crate::mat::Mat;
use crate::parallel;

/// Less than this share of a column's own variance is rounding.
const ROUNDING: f64 = 1e-11;

/// What is left of the scatter.
pub(super) struct Unexplained {
    left: Mat<f64>,
    /// The diagonal before anything was taken out.
    own: Vec<f64>,
    /// The sum of squares of every row of what is left.
    squares: Vec<f64>,
}

/// Rows of the matrix that one thread takes at a time.
const RUN: usize = 32;

impl Unexplained {
    /// From a scatter, or from correlations.
    pub(super) fn new(scatter: Mat<f64>) -> Self {
        let d = scatter.n_rows();
        Unexplained {
            own: (0..d).map(|j| scatter[(j, j)]).collect(),
            squares: parallel::collect(d, |j| dot(scatter.row(j), scatter.row(j))),
            left: scatter,
        }
    }

    /// The variance of all columns, as the scatter has it.
    pub(super) fn total(&self) -> f64 {
        self.own.iter().sum()
    }

    /// What is left of a column, as a share of its own variance; zero for rounding and for columns without variance.
    pub(super) fn share_left(&self, j: usize) -> f64 {
        let left = self.left[(j, j)];
        match left > ROUNDING * self.own[j] {
            true => left / self.own[j],
            false => 0.0,
        }
    }

    /// What is left of a column, in the units of the scatter.
    pub(super) fn left(&self, j: usize) -> f64 {
        self.share_left(j) * self.own[j]
    }

    /// The share of the total that is explained.
    pub(super) fn explained(&self) -> f64 {
        let left: f64 = (0..self.own.len()).map(|j| self.left(j)).sum();
        1.0 - left / self.total()
    }

    /// The column that would explain most next, the first of several; `None` if nothing is left.
    pub(super) fn best(&self) -> Option<usize> {
        let gain = |j: usize| match self.share_left(j) > 0.0 {
            true => self.squares[j] / self.left[(j, j)],
            false => 0.0,
        };
        let gains = (0..self.own.len()).map(|j| (j, gain(j)));
        let best = gains.reduce(|best, next| if next.1 > best.1 { next } else { best });
        best.filter(|(_, gain)| *gain > 0.0).map(|(j, _)| j)
    }

    /// Takes out what a column explains.
    pub(super) fn take_out(&mut self, p: usize) {
        let d = self.own.len();
        if self.share_left(p) > 0.0 {
            let root = self.left[(p, p)].sqrt();
            let along: Vec<f64> = self.left.row(p).iter().map(|x| x / root).collect();
            let squares =
                parallel::collect_chunks(self.left.as_mut_slice(), RUN * d, |chunk, rows| {
                    let rows = rows.chunks_exact_mut(d).enumerate();
                    let squares = rows.map(|(i, row)| {
                        let own = along[chunk * RUN + i];
                        row.iter_mut().zip(&along).for_each(|(x, a)| *x -= own * a);
                        dot(row, row)
                    });
                    squares.collect::<Vec<f64>>()
                });
            self.squares = squares.concat();
        }
        // What rounding leaves of the column itself, or of one that others explain, is nothing.
        for j in 0..d {
            self.left[(p, j)] = 0.0;
            self.left[(j, p)] = 0.0;
        }
        self.squares[p] = 0.0;
    }
}
