//! F statistics of the columns: how far the means of the classes lie from each other, relative to the variance within classes.
//!
//! F = (Σ n_c (m_c − m)² ÷ (C − 1)) ÷ (Σ (x − m_c)² ÷ (n − C)). Means and squares of every class are updated row by row (Welford 1962,
//! doi:10.1080/00401706.1962.10490022) and merged (Chan, Golub & LeVeque 1983, doi:10.1080/00031305.1983.10483115), so that a large
//! common offset costs no digits.

use crate::context::Context;
use crate::error::Error;
use crate::mat::{Mat, Real};
use crate::source::{Source, fold};

/// Counts, means and squares about the mean of every class.
#[derive(Debug, Clone)]
pub(super) struct ClassMoments {
    pub(super) counts: Vec<usize>,
    /// classes × d
    means: Mat<f64>,
    squares: Mat<f64>,
    row: Vec<f64>,
}

impl ClassMoments {
    fn new(n_classes: usize, d: usize) -> Self {
        ClassMoments {
            counts: vec![0; n_classes],
            means: Mat::zeros(n_classes, d),
            squares: Mat::zeros(n_classes, d),
            row: vec![0.0; d],
        }
    }

    /// Reads rows of which each has the number of its class.
    pub(super) fn read<T: Real>(
        ctx: &Context,
        source: &dyn Source<T>,
        (codes, n_classes): (&[u32], usize),
    ) -> Result<Self, Error> {
        let d = source.n_cols();
        fold(
            ctx,
            source,
            16 * d * n_classes,
            || ClassMoments::new(n_classes, d),
            |moments, rows| {
                let mut row = std::mem::take(&mut moments.row);
                for i in 0..rows.block.n_rows() {
                    rows.block.row_to_f64(i, &mut row);
                    moments.add(codes[rows.first + i] as usize, &row);
                }
                moments.row = row;
                Ok(())
            },
            |moments, more| moments.merge(&more),
        )
    }

    fn add(&mut self, class: usize, row: &[f64]) {
        self.counts[class] += 1;
        let share = 1.0 / self.counts[class] as f64;
        let means = self.means.row_mut(class).iter_mut();
        let squares = self.squares.row_mut(class).iter_mut();
        for ((mean, square), x) in means.zip(squares).zip(row) {
            let away = x - *mean;
            *mean += away * share;
            *square += away * (x - *mean);
        }
    }

    fn merge(&mut self, other: &ClassMoments) {
        for class in 0..self.counts.len() {
            let (a, b) = (self.counts[class] as f64, other.counts[class] as f64);
            if b == 0.0 {
                continue;
            }
            let means = self
                .means
                .row_mut(class)
                .iter_mut()
                .zip(other.means.row(class));
            let squares = self
                .squares
                .row_mut(class)
                .iter_mut()
                .zip(other.squares.row(class));
            for ((mean, more_mean), (square, more_square)) in means.zip(squares) {
                let away = more_mean - *mean;
                *mean += away * (b / (a + b));
                *square += more_square + away * away * (a / (a + b) * b);
            }
            self.counts[class] += other.counts[class];
        }
    }

    /// F of every column: infinite for one that is constant within every class and not over all, NaN for one that is constant.
    pub(super) fn f_statistics(&self) -> Vec<f64> {
        let n: usize = self.counts.iter().sum();
        let between = (self.counts.len() - 1) as f64;
        let within = (n - self.counts.len()) as f64;
        let of_column = |j: usize| {
            let counts = || self.counts.iter().map(|n| *n as f64).enumerate();
            // Relative to the mean of the first class.
            let first = self.means[(0, j)];
            let away = |c: usize| self.means[(c, j)] - first;
            let mean = counts().map(|(c, count)| count * away(c)).sum::<f64>() / n as f64;
            let squares: f64 = counts()
                .map(|(c, count)| count * (away(c) - mean).powi(2))
                .sum();
            let rest: f64 = self.squares.rows().map(|row| row[j]).sum();
            (squares / between) / (rest / within)
        };
        (0..self.means.n_cols()).map(of_column).collect()
    }
}
