//! Fewer rows than columns: the n × n products of the rows' deviations within classes, instead of a d × d covariance.
//!
//! With Z the rows minus the means of their classes, columns divided by their deviation, ZZᵀ = U Λ Uᵀ gives the directions
//! V = Zᵀ U Λ^(−1/2) in which rows vary within classes, without a d × d matrix. Cost n²·d + n³.

use super::solve::{Whitening, column_scales};
use crate::context::Context;
use crate::error::Error;
use crate::linalg::{gram_of_rows, product, symmetric_eigen};
use crate::mat::{Mat, Real};
use crate::source::{Source, fold};
use crate::summary::{Accuracy, ClassSums, UNLABELED};

/// Rows in memory, minus the means of their classes.
#[derive(Debug)]
pub(super) struct Wide {
    pub(super) sums: ClassSums,
    /// Rows times the roots of their weights (n × d).
    rows: Mat<f64>,
}

impl Wide {
    /// Reads the rows once; those with missing cells are left out if `drops` is set.
    pub(super) fn read<T: Real>(
        ctx: &Context,
        source: &dyn Source<T>,
        classes: &[u32],
        n_classes: usize,
        drops: bool,
    ) -> Result<Self, Error> {
        #[derive(Default)]
        struct Seen {
            cells: Vec<f64>,
            weights: Vec<f64>,
            classes: Vec<u32>,
            n_dropped: usize,
        }
        let d = source.n_cols();
        let seen = fold(
            ctx,
            source,
            8 * d,
            Seen::default,
            |seen, rows| {
                crate::summary::check_weights(rows)?;
                let mut row = vec![0.0; d];
                for i in 0..rows.block.n_rows() {
                    let weight = rows.weights.map_or(1.0, |w| w[i]);
                    rows.block.row_to_f64(i, &mut row);
                    let class = classes[rows.first + i];
                    if class == UNLABELED || (drops && row.iter().any(|x| x.is_nan())) {
                        seen.n_dropped += 1;
                        continue;
                    }
                    // A row without weight may hold any cells.
                    if weight > 0.0 {
                        seen.cells.extend_from_slice(&row);
                        seen.weights.push(weight);
                        seen.classes.push(class);
                    }
                }
                Ok(())
            },
            |seen, more| {
                seen.cells.extend(more.cells);
                seen.weights.extend(more.weights);
                seen.classes.extend(more.classes);
                seen.n_dropped += more.n_dropped;
            },
        )?;
        let n = seen.weights.len();
        let mut rows = Mat::from_vec(n, d, seen.cells)?;
        let base = rows
            .rows()
            .next()
            .map_or_else(|| vec![0.0; d], <[f64]>::to_vec);
        let mut weights = vec![0.0; n_classes];
        let mut n_rows = vec![0; n_classes];
        let mut means = Mat::zeros(n_classes, d);
        // 1. Means relative to the first row.
        for i in 0..n {
            let (class, weight) = (seen.classes[i] as usize, seen.weights[i]);
            weights[class] += weight;
            n_rows[class] += 1;
            let cells = rows.row_mut(i).iter_mut().zip(&base);
            cells.for_each(|(x, b)| *x -= b);
            let sums = means.row_mut(class).iter_mut().zip(rows.row(i));
            sums.for_each(|(sum, x)| *sum += weight * x);
        }
        for (class, weight) in weights.iter().enumerate().filter(|(_, w)| **w > 0.0) {
            means.row_mut(class).iter_mut().for_each(|m| *m /= weight);
        }
        // 2. Rows minus those means, and the means once more without their rounding.
        let mut rest: Mat<f64> = Mat::zeros(n_classes, d);
        for i in 0..n {
            let (class, weight) = (seen.classes[i] as usize, seen.weights[i]);
            let cells = rows.row_mut(i).iter_mut().zip(means.row(class));
            cells.for_each(|(x, m)| *x -= m);
            let sums = rest.row_mut(class).iter_mut().zip(rows.row(i));
            sums.for_each(|(sum, x)| *sum += weight / weights[class] * x);
        }
        for i in 0..n {
            let (class, root) = (seen.classes[i] as usize, seen.weights[i].sqrt());
            let cells = rows.row_mut(i).iter_mut().zip(rest.row(class));
            cells.for_each(|(x, r)| *x = (*x - r) * root);
        }
        let cells = means.as_mut_slice().iter_mut().zip(rest.as_slice());
        cells.for_each(|(m, r)| *m += r);
        // The diagonal alone, as a row: what asks for columns that vary needs no more.
        let mut diagonal = Mat::zeros(1, d);
        for row in rows.rows() {
            let squares = diagonal.row_mut(0).iter_mut().zip(row);
            squares.for_each(|(sum, x)| *sum += x * x);
        }
        Ok(Wide {
            sums: ClassSums {
                n_rows,
                weights,
                base,
                means,
                within: diagonal,
                each: None,
                n_dropped: seen.n_dropped,
                accuracy: Accuracy::in_chunks(n),
            },
            rows,
        })
    }

    /// The map that makes the covariance within classes the identity, from directions with a deviation above the limit.
    pub(super) fn whitening(&self, limit: f64) -> Result<Whitening, Error> {
        let (n, d) = (self.rows.n_rows(), self.rows.n_cols());
        let weight = self.sums.weight();
        let scale = column_scales(d, |j| self.sums.variance_within(j));
        let root = weight.sqrt();
        let scaled = Mat::from_fn(n, d, |i, j| self.rows[(i, j)] / (scale[j] * root));
        let (values, vectors) = symmetric_eigen(&gram_of_rows(&scaled))?;
        let rank = values
            .iter()
            .take_while(|x| x.max(0.0).sqrt() > limit)
            .count();
        let mut basis = product(vectors.view().slice_rows(0, rank), scaled.view());
        for (r, value) in values.iter().enumerate().take(rank) {
            let length = value.sqrt();
            basis.row_mut(r).iter_mut().for_each(|x| *x /= length);
        }
        Ok(Whitening {
            rows: Mat::from_fn(rank, d, |r, j| {
                basis[(r, j)] / (scale[j] * values[r].sqrt())
            }),
            scale,
            basis,
            scaled: None,
        })
    }

    /// S_w v for directions as rows.
    pub(super) fn times_within(&self, directions: &Mat<f64>) -> Mat<f64> {
        let along = product(directions.view(), self.rows.view().transposed());
        let mut image = product(along.view(), self.rows.view());
        let weight = self.sums.weight();
        image.as_mut_slice().iter_mut().for_each(|x| *x /= weight);
        image
    }
}
