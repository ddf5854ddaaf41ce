//! Mean and scatter Σ w (x − m)(x − m)ᵀ in one reading; the mean is subtracted before anything is squared.
//!
//! Rows are squared about the mean m of the rows before them, which have weight a (the first chunk about its own mean). If
//! further rows of weight b lie δ away from m on average, adding −b²/(a+b)·δδᵀ moves the scatter to the mean of all rows
//! (Chan, Golub & LeVeque 1983, doi:10.1080/00031305.1983.10483115). This is done before b exceeds a by more than a chunk
//! (not more often, because each time reads and writes the whole scatter), so it subtracts no more than about as much as δ
//! truly adds: no digits are lost, however the rows drift. Everything is relative to the first row, so that a large common
//! offset costs no digits either. Sparse rows are squared about zero, except in columns that most rows have, which are squared
//! about their mean ([`crate::source`]). Cost: n·d² for the squares.

use super::accuracy::Accuracy;
use super::{Summary, absolute, check_rows, near_row, summarize, vanishes};
use crate::context::Context;
use crate::error::{Error, ShapeFault};
use crate::linalg::{CHUNK, Centered, Gram, mirror_lower};
use crate::mat::{Mat, MatView, Real};
use crate::parallel;
use crate::source::{Block, Rows, Source, SparseSums};

/// Count, weight, mean and scatter of the rows seen so far.
#[derive(Debug, Clone)]
pub struct Scatter {
    n_rows: usize,
    weight: f64,
    /// A row near the data; the fields below are relative to it.
    shift: Vec<f64>,
    /// Mean minus shift.
    mean: Vec<f64>,
    /// Weight of the rows that were squared about this mean but are not included in it, and the sum of their distances to it.
    ahead: f64,
    drift: Vec<f64>,
    /// Lower triangle of the scatter about the mean.
    scatter: Mat<f64>,
    gram: Gram,
    /// Whether the threads of the pool in which rows are added work on it together.
    on_all_threads: bool,
    /// Whether products of f32 cells are taken in f32 within a chunk; chunks are always added in f64.
    single: bool,
    /// A copy of a chunk whose cells are not adjacent in memory.
    gathered: Vec<f64>,
    accuracy: Accuracy,
}

impl Scatter {
    /// A summary of no rows.
    pub fn new(n_cols: usize) -> Self {
        Scatter {
            n_rows: 0,
            weight: 0.0,
            shift: Vec::new(),
            mean: vec![0.0; n_cols],
            ahead: 0.0,
            drift: vec![0.0; n_cols],
            scatter: Mat::zeros(n_cols, n_cols),
            gram: Gram::default(),
            on_all_threads: false,
            single: false,
            gathered: Vec::new(),
            accuracy: Accuracy::default(),
        }
    }

    /// Computes products of f32 cells in f32 within a chunk of 256 rows: twice as fast, with a rounding error of about 1e-7
    /// per chunk. Over many chunks the errors average out, unless rows repeat; the caller must measure on the rows how
    /// accurate the result is.
    pub fn with_single_products(mut self, single: bool) -> Self {
        self.single = single;
        self
    }

    /// Reads a source once. A wide table in memory has one scatter, on which all threads work together; otherwise every thread
    /// has its own for some of the rows.
    pub fn read<T: Real>(
        ctx: &Context,
        source: &dyn Source<T>,
        single: bool,
    ) -> Result<Self, Error> {
        /// From this width on, scatters of two threads do not fit into most caches.
        const WIDE: usize = 1024;
        let d = source.n_cols();
        let new = || Scatter::new(d).with_single_products(single);
        let dense = |rows: &Rows<'_, T>| rows.block.rows_in_place().is_some();
        let Some(rows) = source.in_memory().filter(|rows| d >= WIDE && dense(rows)) else {
            return summarize(ctx, source, new);
        };
        let n = rows.block.n_rows();
        ctx.install_here(|| {
            let mut scatter = Scatter {
                gram: Gram::on_all_threads(),
                on_all_threads: true,
                ..new()
            };
            for start in (0..n).step_by(4 * CHUNK) {
                ctx.check()?;
                let end = (start + 4 * CHUNK).min(n);
                scatter.add(&Rows {
                    first: start,
                    block: rows.block.slice_rows(start, end),
                    weights: rows.weights.map(|w| &w[start..end]),
                })?;
                ctx.advance((end - start) as u64);
            }
            Ok(scatter)
        })
    }

    /// A summary of rows from their mean, and their scatter about it (only the lower triangle is read).
    pub fn from_parts(n_rows: usize, weight: f64, mean: Vec<f64>, scatter: Mat<f64>) -> Self {
        let zeros = vec![0.0; mean.len()];
        Scatter {
            n_rows,
            weight,
            shift: mean,
            mean: zeros.clone(),
            ahead: 0.0,
            drift: zeros,
            scatter,
            gram: Gram::default(),
            on_all_threads: false,
            single: false,
            gathered: Vec::new(),
            // The rows may have been added one by one.
            accuracy: Accuracy {
                depth: n_rows as f64,
                blur: 0.0,
            },
        }
    }

    /// Sets how far it may be from the scatter of the rows.
    pub(crate) fn with_accuracy(mut self, accuracy: Accuracy) -> Self {
        self.accuracy = accuracy;
        self
    }

    /// How far it may be from the scatter of the rows.
    pub(crate) fn accuracy(&self) -> Accuracy {
        self.accuracy
    }

    /// The whole state as a list of numbers, to be stored between two runs: rows, weight, a row near the data, the mean
    /// relative to it, the lower triangle, and two numbers that bound its rounding error. [`Scatter::from_numbers`] restores
    /// it bit for bit.
    ///
    /// ```
    /// use eigenspan::source::{Block, Rows};
    /// use eigenspan::summary::{Scatter, Summary};
    /// use eigenspan::{Error, MatView};
    ///
    /// let cells = [3.0, 3.0, 4.0, 7.0, 5.0, 8.0];
    /// let block = Block::Dense(MatView::from_rows(&cells, 3, 2)?);
    /// let mut seen = Scatter::new(2);
    /// seen.add(&Rows { first: 0, block, weights: None })?;
    /// let again = Scatter::from_numbers(2, &seen.to_numbers())?;
    /// assert_eq!(again.to_numbers(), seen.to_numbers());
    /// assert_eq!(again.into_matrix(true).as_slice(), [2.0, 5.0, 5.0, 14.0]);
    ///
    /// let wrong = Scatter::from_numbers(3, &seen.to_numbers()).unwrap_err();
    /// assert_eq!(wrong.to_string(), "11 numbers do not make a scatter of 3 columns");
    /// # Ok::<(), Error>(())
    /// ```
    pub fn to_numbers(&self) -> Vec<f64> {
        if self.ahead > 0.0 {
            let mut complete = self.clone();
            complete.catch_up();
            return complete.to_numbers();
        }
        let d = self.mean.len();
        let mut out = vec![self.n_rows as f64, self.weight];
        match self.shift.is_empty() {
            true => out.resize(2 + d, f64::NAN),
            false => out.extend(&self.shift),
        }
        out.extend(&self.mean);
        (0..d).for_each(|i| out.extend(&self.scatter.row(i)[..=i]));
        out.extend([self.accuracy.depth, self.accuracy.blur]);
        out
    }

    /// Restores what [`Scatter::to_numbers`] gave for so many columns, also from versions without the two numbers on
    /// rounding; refuses any other length.
    pub fn from_numbers(n_cols: usize, numbers: &[f64]) -> Result<Self, Error> {
        let cells = 2 + 2 * n_cols + n_cols * (n_cols + 1) / 2;
        let fits = [cells, cells + 2].contains(&numbers.len());
        let ([n_rows, weight, rest @ ..], true) = (numbers, fits) else {
            let given = numbers.len();
            return Err(Error::Shape(ShapeFault::Scatter { given, n_cols }));
        };
        let (shift, rest) = rest.split_at(n_cols);
        let (mean, mut rest) = rest.split_at(n_cols);
        let mut scatter = Scatter::new(n_cols);
        scatter.n_rows = *n_rows as usize;
        scatter.weight = *weight;
        scatter.mean = mean.to_vec();
        if !shift.iter().all(|x| x.is_nan()) {
            scatter.shift = shift.to_vec();
        }
        for i in 0..n_cols {
            let (row, after) = rest.split_at(i + 1);
            scatter.scatter.row_mut(i)[..=i].copy_from_slice(row);
            rest = after;
        }
        scatter.accuracy = match rest {
            [depth, blur] => Accuracy {
                depth: *depth,
                blur: *blur,
            },
            _ => Accuracy {
                depth: *n_rows,
                blur: 0.0,
            },
        };
        Ok(scatter)
    }

    /// Rows seen.
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// Sum of their weights.
    pub fn weight(&self) -> f64 {
        self.weight + self.ahead
    }

    /// Weighted mean of every column.
    pub fn mean(&self) -> Vec<f64> {
        let mean: Vec<f64> = (0..self.mean.len()).map(|j| self.mean_of(j)).collect();
        absolute(&self.shift, &mean)
    }

    /// Mean of column j minus its shift, with the rows that the field does not include.
    fn mean_of(&self, j: usize) -> f64 {
        match self.ahead {
            0.0 => self.mean[j],
            _ => self.mean[j] + self.drift[j] / self.weight(),
        }
    }

    /// The row to which the mean is relative (empty before the first row that has a weight), and the mean relative to it.
    pub(super) fn shift_and_mean(&self) -> (Vec<f64>, Vec<f64>) {
        let mean = (0..self.mean.len()).map(|j| self.mean_of(j)).collect();
        (self.shift.clone(), mean)
    }

    /// Scatter of column j with itself: its variance times the divisor.
    pub fn diagonal(&self, j: usize) -> f64 {
        match self.ahead {
            0.0 => self.scatter[(j, j)],
            _ => self.scatter[(j, j)] - self.drift[j] / self.weight() * self.drift[j],
        }
    }

    /// Whether every mean and every column's scatter is a finite number.
    pub fn is_finite(&self) -> bool {
        (0..self.mean.len()).all(|j| self.mean_of(j).is_finite() && self.diagonal(j).is_finite())
    }

    /// Whether a column varies, but its squares are too small to differ from zero.
    pub fn is_underflowed(&self) -> bool {
        (0..self.mean.len()).any(|j| vanishes(self.diagonal(j), self.mean_of(j)))
    }

    /// The whole scatter matrix about the mean, or about zero.
    pub fn into_matrix(mut self, center: bool) -> Mat<f64> {
        self.catch_up();
        if !center {
            let mean = self.mean();
            add_outer(&mut self.scatter, &mean, self.weight);
        }
        mirror_lower(&mut self.scatter);
        self.scatter
    }

    /// Squares a sparse block about zero, where most of its cells are, and then moves it to its mean. Columns that most rows
    /// have are squared about their mean directly.
    fn add_sparse<T: Real>(&mut self, rows: &Rows<'_, T>, sums: &SparseSums) {
        self.catch_up();
        rows.block
            .add_sparse_gram(rows.weights, &sums.shifts, &mut self.scatter);
        add_outer(&mut self.scatter, &sums.mean_of_products(), -sums.weight);
        let total = self.weight + sums.weight;
        let delta: Vec<f64> = (0..self.mean.len())
            .map(|j| (sums.shift[j] - self.shift[j]) + (sums.mean[j] - self.mean[j]))
            .collect();
        add_outer(&mut self.scatter, &delta, self.weight / total * sums.weight);
        self.mean
            .iter_mut()
            .zip(&delta)
            .for_each(|(m, delta)| *m += delta * (sums.weight / total));
        self.weight = total;
        self.accuracy.depth += rows.block.n_rows() as f64 + 2.0;
    }

    /// Adds a chunk; `next` is the chunk after it.
    fn add_chunk<T: Real>(
        &mut self,
        block: &Block<'_, T>,
        next: &Block<'_, T>,
        weights: Option<&[f64]>,
    ) {
        let in_f32 = self.single && T::BYTES == f32::BYTES;
        let shift = std::mem::take(&mut self.shift);
        if let Some(rows) = block.rows_in_place() {
            let next = next.rows_in_place().and_then(|rows| rows.contiguous());
            let chunk = Centered {
                rows,
                shift: &shift,
                mean: &[],
                weights,
                ahead: next.unwrap_or_default(),
            };
            self.add_rows(chunk, in_f32);
        } else {
            // Cells that are not adjacent are first copied, relative to the shift.
            let (n, d) = (block.n_rows(), block.n_cols());
            let mut cells = std::mem::take(&mut self.gathered);
            cells.resize(n * d, 0.0);
            block.copy_shifted(&shift, &mut cells);
            if let Ok(rows) = MatView::from_rows(&cells, n, d) {
                let chunk = Centered {
                    rows,
                    shift: &vec![0.0; d],
                    mean: &[],
                    weights,
                    ahead: &[],
                };
                self.add_rows(chunk, in_f32);
            }
            self.gathered = cells;
        }
        self.shift = shift;
    }

    /// Adds rows that are to be centered about the mean so far.
    fn add_rows<T: Real>(&mut self, chunk: Centered<'_, T>, in_f32: bool) {
        let count = chunk.rows.n_rows() as f64;
        let weight = chunk.weights.map_or(count, |w| w.iter().sum());
        if weight == 0.0 {
            return;
        }
        if self.weight == 0.0 && self.ahead == 0.0 {
            // These are the first rows: use their own mean.
            self.mean.fill(0.0);
            self.gram.add_sums(&chunk, &mut self.mean);
            self.mean.iter_mut().for_each(|m| *m /= weight);
        }
        let chunk = Centered {
            mean: &self.mean,
            ..chunk
        };
        if in_f32 {
            self.gram
                .add_in_f32(&mut self.scatter, &chunk, &mut self.drift);
        } else {
            self.gram.add(&mut self.scatter, &chunk, &mut self.drift);
        }
        self.accuracy.depth = self.accuracy.depth.max(count) + 1.0;
        self.ahead += weight;
        if self.ahead >= self.weight {
            self.catch_up();
        }
    }

    /// Moves mean and scatter to the mean of all rows.
    fn catch_up(&mut self) {
        if self.ahead == 0.0 {
            return;
        }
        let total = self.weight + self.ahead;
        let delta: Vec<f64> = self.drift.iter().map(|sum| sum / self.ahead).collect();
        let factor = -(self.ahead / total * self.ahead);
        if self.on_all_threads {
            /// Rows that one thread takes at a time.
            const ROWS: usize = 128;
            let cells = self.scatter.as_mut_slice();
            parallel::each_chunk_from_the_last(cells, ROWS * delta.len(), |i, rows| {
                add_outer_rows(rows, i * ROWS, &delta, factor);
            });
        } else {
            add_outer(&mut self.scatter, &delta, factor);
        }
        for (m, delta) in self.mean.iter_mut().zip(&delta) {
            *m += delta * (self.ahead / total);
        }
        self.weight = total;
        self.ahead = 0.0;
        self.drift.fill(0.0);
        self.accuracy.depth += 1.0;
    }
}

impl<T: Real> Summary<T> for Scatter {
    fn add(&mut self, rows: &Rows<'_, T>) -> Result<(), Error> {
        let (n, d) = (rows.block.n_rows(), self.mean.len());
        check_rows(rows, d)?;
        if n == 0 {
            return Ok(());
        }
        let sparse = rows.block.sparse_sums(rows.weights);
        if self.shift.is_empty() {
            let near = match &sparse {
                Some(sums) => (sums.weight > 0.0).then(|| sums.shift.clone()),
                None => near_row(rows),
            };
            let Some(near) = near else {
                self.n_rows += n;
                return Ok(());
            };
            self.shift = near;
        }
        // If most columns would have a cell in every row, rows are made dense, a chunk at a time.
        if let Some(sums) = sparse.filter(|sums| 2 * sums.shifts.len() <= d) {
            if sums.weight > 0.0 {
                self.add_sparse(rows, &sums);
            }
            self.n_rows += n;
            return Ok(());
        }
        // Chunks of nearly equal length: every chunk reads and writes the whole scatter, however few rows it has.
        let n_chunks = n.div_ceil(CHUNK);
        let begin = |chunk: usize| (chunk * n / n_chunks).min(n);
        for chunk in 0..n_chunks {
            let (start, end) = (begin(chunk), begin(chunk + 1));
            let block = rows.block.slice_rows(start, end);
            let next = rows.block.slice_rows(end, begin(chunk + 2));
            self.add_chunk(&block, &next, rows.weights.map(|w| &w[start..end]));
        }
        self.n_rows += n;
        Ok(())
    }

    fn merge(&mut self, mut other: Self) {
        self.catch_up();
        other.catch_up();
        self.n_rows += other.n_rows;
        if other.weight == 0.0 {
            return;
        }
        if self.weight == 0.0 {
            *self = Scatter {
                n_rows: self.n_rows,
                ..other
            };
            return;
        }
        let total = self.weight + other.weight;
        self.accuracy = self.accuracy.joined(other.accuracy);
        let mut delta = vec![0.0; self.mean.len()];
        for (j, delta) in delta.iter_mut().enumerate() {
            *delta = (other.shift[j] - self.shift[j]) + (other.mean[j] - self.mean[j]);
            self.mean[j] += *delta * (other.weight / total);
        }
        for i in 0..self.mean.len() {
            self.scatter.row_mut(i)[..=i]
                .iter_mut()
                .zip(other.scatter.row(i))
                .for_each(|(a, b)| *a += b);
        }
        add_outer(
            &mut self.scatter,
            &delta,
            self.weight / total * other.weight,
        );
        self.weight = total;
    }

    fn bytes(&self) -> usize {
        8 * self.mean.len() * (self.mean.len() + CHUNK)
    }
}

/// A symmetric matrix from its lower triangle.
pub(super) fn mirrored(mut lower: Mat<f64>) -> Mat<f64> {
    mirror_lower(&mut lower);
    lower
}

/// Adds factor·v·vᵀ to the lower triangle.
pub(super) fn add_outer(c: &mut Mat<f64>, v: &[f64], factor: f64) {
    add_outer_rows(c.as_mut_slice(), 0, v, factor);
}

/// The same to some rows of it, of which `first` is the first.
fn add_outer_rows(rows: &mut [f64], first: usize, v: &[f64], factor: f64) {
    for (i, row) in (first..).zip(rows.chunks_exact_mut(v.len().max(1))) {
        let left = factor * v[i];
        row[..=i]
            .iter_mut()
            .zip(v)
            .for_each(|(c, right)| *c += left * right);
    }
}

/// Refuses weights that are negative or not finite.
pub(crate) fn check_weights<T: Real>(rows: &Rows<'_, T>) -> Result<(), Error> {
    let Some(weights) = rows.weights else {
        return Ok(());
    };
    match weights.iter().position(|w| !(w.is_finite() && *w >= 0.0)) {
        Some(i) => Err(Error::BadWeights {
            what: format!("row {} has {}", rows.first + i + 1, weights[i]),
        }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    fn scatter<T: Real>(view: MatView<'_, T>, weights: Option<&[f64]>) -> Mat<f64> {
        let mut scatter = Scatter::new(view.n_cols()).with_single_products(true);
        let rows = Rows {
            first: 0,
            block: view.into(),
            weights,
        };
        scatter.add(&rows).expect("rows that fit");
        scatter.into_matrix(true)
    }

    #[test]
    fn rows_columns_and_gaps_give_the_same_bits() {
        let mut rng = Rng::new(3);
        for (n, d) in [(1, 1), (5, 3), (300, 7), (700, 33)] {
            let x = Mat::from_fn(n, d, |_, _| 5.0 + rng.normal());
            let single = Mat::from_fn(n, d, |i, j| x[(i, j)] as f32);
            let gaps = Mat::from_fn(n, 2 * d, |i, j| x[(i, j / 2)]);
            let gaps = MatView::from_strides(gaps.as_slice(), 0, (n, d), (2 * d as isize, 2));
            let gaps = gaps.expect("a view");
            let weights: Vec<f64> = (0..n).map(|i| (i % 3) as f64 + 0.5).collect();
            for weights in [None, Some(&weights[..])] {
                let want = scatter(x.view(), weights);
                assert_eq!(scatter(x.transposed().view().transposed(), weights), want);
                assert_eq!(scatter(gaps, weights), want);
                let want = scatter(single.view(), weights);
                let columns = single.transposed();
                assert_eq!(scatter(columns.view().transposed(), weights), want);
            }
        }
    }

    #[test]
    fn f32_rows_lose_about_their_own_rounding() {
        let mut rng = Rng::new(5);
        let single = Mat::from_fn(2000, 30, |_, j| {
            (100.0 + rng.normal() * (1 + j) as f64) as f32
        });
        let double = Mat::from_fn(2000, 30, |i, j| f64::from(single[(i, j)]));
        let (got, want) = (scatter(single.view(), None), scatter(double.view(), None));
        let mut worst = 0.0f64;
        for i in 0..30 {
            for j in 0..30 {
                let size = (want[(i, i)] * want[(j, j)]).sqrt();
                worst = worst.max((got[(i, j)] - want[(i, j)]).abs() / size);
            }
        }
        // 1.7e-7 with AVX2; other instruction sets sum in a different order.
        assert!(worst > 0.0 && worst < 1e-6, "{worst:e}");
    }
}
