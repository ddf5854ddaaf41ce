//! Rows in memory, prepared a few columns at a time: as accurately as by [`super::gather`], but never copied as a whole. For few
//! long rows.
//!
//! In the first reading a panel holds some columns as its rows. Each column is contiguous, so that its mean, the rounding error of
//! the mean, and its length are computed while it is in the cache. Later panels hold a piece of each row, in row order.

use std::ops::Range;

use super::{ColumnStatistics, Preparation, Scale, add_to, side_by_side, sum_of};
use crate::context::Context;
use crate::error::Error;
use crate::linalg::{
    ColumnsMut, Gram, Loops, add_product, dot, norm, prefetch_all, product, sum,
    with_wide_registers,
};
use crate::mat::{Mat, MatView, Real};
use crate::parallel;

/// Number of columns in a panel.
const PANEL: usize = 256;
/// Number of runs of panels that may be processed in parallel; each has sums of its own.
const RUNS: usize = 8;

/// Preparation of one column: (((x − shift) − mean) − rest) ÷ factor.
#[derive(Debug, Clone, Copy)]
struct Column {
    shift: f64,
    mean: f64,
    rest: f64,
    factor: f64,
    /// ‖column‖ before and after the division.
    spread: f64,
    norm: f64,
}

/// Rows in memory, and how their columns are prepared.
pub(crate) struct Panels<'a, T> {
    rows: MatView<'a, T>,
    weights: Option<&'a [f64]>,
    columns: Vec<Column>,
}

/// Result of a run of panels: a matrix for each panel, and sums over them.
type Run<S> = (Vec<Mat<f64>>, S);

/// How columns are to be prepared.
pub(crate) struct ColumnOptions {
    pub(crate) center: bool,
    pub(crate) scale: Scale,
    /// Divisor of a variance.
    pub(crate) divisor: f64,
}

impl<'a, T: Real> Panels<'a, T> {
    /// Computes how columns are prepared and, in the same reading, the lower triangle of XXᵀ of the prepared rows.
    pub(crate) fn with_gram(
        ctx: &Context,
        rows: MatView<'a, T>,
        weights: Option<&'a [f64]>,
        options: &ColumnOptions,
    ) -> Result<(Self, Mat<f64>), Error> {
        let (n, d) = (rows.n_rows(), rows.n_cols());
        let unprepared = Panels {
            rows,
            weights,
            columns: Vec::new(),
        };
        let prepared = in_runs(d, |run| {
            let (mut gram, mut columns) = (Mat::zeros(n, n), Vec::new());
            let (mut panel, mut squares) = (Mat::default(), Gram::default());
            for range in panels_of(run) {
                ctx.check()?;
                unprepared.read(range.clone(), &mut panel);
                columns.extend(unprepared.prepare_columns(&mut panel, range.start, options)?);
                squares.add_as_it_is(&mut gram, panel.view());
            }
            Ok((gram, columns))
        })?;
        let mut total: Option<Mat<f64>> = None;
        let mut columns = Vec::with_capacity(d);
        for (gram, some) in prepared {
            columns.extend(some);
            match &mut total {
                Some(total) => add_to(total, &gram),
                None => total = Some(gram),
            }
        }
        let prepared = Panels {
            columns,
            ..unprepared
        };
        Ok((prepared, total.unwrap_or_default()))
    }

    /// Whether all cells are finite, and no square leaves the range of f64.
    pub(crate) fn is_safe(&self) -> bool {
        let safe = |x: f64| x == 0.0 || (1e-100..1e100).contains(&x);
        self.columns.iter().all(|c| safe(c.spread) && safe(c.norm))
    }

    /// Numbers of rows and columns.
    pub(crate) fn shape(&self) -> (usize, usize) {
        (self.rows.n_rows(), self.rows.n_cols())
    }

    /// The means that were subtracted, and the divisors.
    pub(crate) fn preparation(&self, scale: Scale) -> Preparation {
        let scaled = scale != Scale::None;
        Preparation {
            center: self.all(|c| c.shift + (c.mean + c.rest)),
            scale: scaled.then(|| self.all(|c| c.factor)),
        }
    }

    /// ‖column‖ of each column, centered but not divided.
    pub(crate) fn spread(&self) -> Vec<f64> {
        self.all(|c| c.spread)
    }

    /// ‖column‖ of each prepared column.
    pub(crate) fn norms(&self) -> Vec<f64> {
        self.all(|c| c.norm)
    }

    fn all(&self, value: impl Fn(&Column) -> f64) -> Vec<f64> {
        self.columns.iter().map(value).collect()
    }

    /// U·X for vectors U as rows, panel by panel, and the sum of `more` over these panels, such as U·X·Xᵀ.
    fn right_parts<S: Send>(
        &self,
        left: &Mat<f64>,
        start: impl Fn() -> S + Sync,
        more: impl Fn(&mut S, &Mat<f64>, &Mat<f64>, usize) + Sync,
    ) -> Result<Vec<Run<S>>, Error> {
        in_runs(self.rows.n_cols(), |run| {
            let (mut parts, mut sums) = (Vec::new(), start());
            let mut panel = Mat::default();
            for range in panels_of(run) {
                self.prepare(range.clone(), &mut panel);
                let part = product(left.view(), panel.view());
                more(&mut sums, &part, &panel, range.start);
                parts.push(part);
            }
            Ok((parts, sums))
        })
    }

    /// U·X for vectors U as rows.
    pub(crate) fn right(&self, left: &Mat<f64>) -> Result<Mat<f64>, Error> {
        // Written directly to the result: for all components, copies of panels would be as large as the rows.
        let d = self.rows.n_cols();
        let mut out = Mat::zeros(left.n_rows(), d);
        let cuts: Vec<usize> = (1..RUNS).map(|run| run_of(run, d).start).collect();
        let parts = ColumnsMut::cut(&mut out, &cuts);
        let mut parts: Vec<ColumnsMut<'_>> = parts;
        parallel::each_chunk(&mut parts, 1, |run, part| {
            let (run, to) = (run_of(run, d), &mut part[0]);
            let mut panel = Mat::default();
            for range in panels_of(run.clone()) {
                self.prepare(range.clone(), &mut panel);
                to.write_product(range.start - run.start, left.view(), panel.view());
            }
        });
        Ok(out)
    }

    /// U·X and U·X·Xᵀ for vectors U as rows.
    pub(crate) fn right_and_back(&self, left: &Mat<f64>) -> Result<(Mat<f64>, Mat<f64>), Error> {
        let (k, n) = (left.n_rows(), self.rows.n_rows());
        let back = |sums: &mut Mat<f64>, part: &Mat<f64>, panel: &Mat<f64>, _: usize| {
            add_product(sums, part.view(), panel.view().transposed());
        };
        let runs = self.right_parts(left, || Mat::zeros(k, n), back)?;
        let mut total = Mat::zeros(k, n);
        runs.iter().for_each(|(_, sums)| add_to(&mut total, sums));
        let parts = runs.into_iter().flat_map(|(parts, _)| parts);
        Ok((side_by_side(k, self.rows.n_cols(), parts), total))
    }

    /// V·Xᵀ for vectors V as rows.
    pub(crate) fn left(&self, right: &Mat<f64>) -> Result<Mat<f64>, Error> {
        let (k, n) = (right.n_rows(), self.rows.n_rows());
        let runs = in_runs(self.rows.n_cols(), |run| {
            let mut sums = Mat::zeros(k, n);
            let mut panel = Mat::default();
            for range in panels_of(run) {
                self.prepare(range.clone(), &mut panel);
                let part = right.view().transposed().slice_rows(range.start, range.end);
                add_product(&mut sums, part.transposed(), panel.view().transposed());
            }
            Ok(sums)
        })?;
        Ok(sum_of(&runs, k, n))
    }

    /// ‖U·X − diag(factors)·V‖ row by row, for U and V as rows.
    pub(crate) fn distances(
        &self,
        left: &Mat<f64>,
        factors: &[f64],
        right: &Mat<f64>,
    ) -> Result<Vec<f64>, Error> {
        let k = left.n_rows();
        let squared = |sums: &mut Vec<f64>, part: &Mat<f64>, _: &Mat<f64>, from: usize| {
            for (i, sum) in sums.iter_mut().enumerate() {
                let pair = part.row(i).iter().zip(&right.row(i)[from..]);
                *sum += pair.map(|(x, v)| (x - factors[i] * v).powi(2)).sum::<f64>();
            }
        };
        let runs = self.right_parts(left, || vec![0.0; k], squared)?;
        let sum = |i: usize| runs.iter().map(|(_, sums)| sums[i]).sum::<f64>();
        Ok((0..k).map(|i| sum(i).sqrt()).collect())
    }

    /// Fills a panel with a piece of each prepared row, in row order: only [`Panels::prepare_columns`] needs contiguous columns. The
    /// panel's memory is reused: fresh pages for every panel took a tenth of the time.
    fn prepare(&self, range: Range<usize>, panel: &mut Mat<f64>) {
        /// A piece is requested from memory this many rows before it is used.
        const AHEAD: usize = 3;
        let n = self.rows.n_rows();
        panel.reshape(n, range.len());
        let columns = &self.columns[range.clone()];
        let each = |value: fn(&Column) -> f64| columns.iter().map(value).collect::<Vec<f64>>();
        let (shifts, means) = (each(|c| c.shift), each(|c| c.mean));
        let (rests, factors) = (each(|c| c.rest), each(|c| c.factor));
        let divided = factors.iter().any(|factor| *factor != 1.0);
        for i in 0..n {
            let weight = self.weights.map(|weights| weights[i]);
            // Pieces of neighboring rows lie far apart, so that the processor does not prefetch them.
            if let Some(later) = (i + AHEAD < n).then(|| self.rows.row(i + AHEAD)).flatten() {
                prefetch_all(&later[range.clone()]);
            }
            let cells = panel.row_mut(i);
            if weight == Some(0.0) {
                cells.fill(0.0);
                continue;
            }
            match self.rows.row(i) {
                Some(row) => {
                    let pairs = cells.iter_mut().zip(&row[range.clone()]);
                    pairs.for_each(|(to, x)| *to = x.to_f64());
                }
                None => {
                    let pairs = cells.iter_mut().zip(range.clone());
                    pairs.for_each(|(to, j)| *to = self.rows.at(i, j).to_f64());
                }
            }
            with_wide_registers(Subtract {
                cells,
                from: [&shifts, &means, &rests],
            });
            if let Some(weight) = weight {
                let root = weight.sqrt();
                cells.iter_mut().for_each(|x| *x *= root);
            }
            if divided {
                let pairs = cells.iter_mut().zip(&factors);
                pairs.for_each(|(x, factor)| *x /= factor);
            }
        }
    }

    /// Fills a panel with unprepared columns, in f64. Rows of weight zero, whose cells may be anything, are set to zero.
    fn read(&self, range: Range<usize>, out: &mut Mat<f64>) {
        // A square of cells at a time, in which each column is contiguous in the output.
        const SQUARE: usize = 32;
        let (n, w) = (self.rows.n_rows(), range.len());
        let weightless = |i: usize| self.weights.is_some_and(|weights| weights[i] == 0.0);
        out.reshape(w, n);
        for first in (0..n).step_by(SQUARE) {
            let count = SQUARE.min(n - first);
            let rows: Option<Vec<&[T]>> = (first..first + count)
                .map(|i| self.rows.row(i).map(|row| &row[range.clone()]))
                .collect();
            for j in 0..w {
                let to = &mut out.row_mut(j)[first..first + count];
                match &rows {
                    Some(rows) => {
                        let pairs = to.iter_mut().zip(rows);
                        pairs.for_each(|(to, row)| *to = row[j].to_f64());
                    }
                    None => {
                        let pairs = to.iter_mut().zip(first..);
                        pairs.for_each(|(to, i)| {
                            *to = self.rows.at(i, range.start + j).to_f64();
                        });
                    }
                }
            }
            for i in (first..first + count).filter(|&i| weightless(i)) {
                (0..w).for_each(|j| out[(j, i)] = 0.0);
            }
        }
    }

    /// Multiplies cells with the roots of their rows' weights.
    fn weigh(&self, cells: &mut [f64]) {
        if let Some(weights) = self.weights {
            let pairs = cells.iter_mut().zip(weights);
            pairs.for_each(|(x, weight)| *x *= weight.sqrt());
        }
    }

    /// Computes how the columns of a panel are prepared, and prepares them.
    fn prepare_columns(
        &self,
        panel: &mut Mat<f64>,
        from: usize,
        options: &ColumnOptions,
    ) -> Result<Vec<Column>, Error> {
        let n = self.rows.n_rows();
        let ones;
        let weights = match self.weights {
            Some(weights) => weights,
            None => {
                ones = vec![1.0; n];
                &ones
            }
        };
        let weight = sum(weights);
        // The first row whose weight is at least half of the mean weight.
        let least = 0.5 * weight / n.max(1) as f64;
        let first = weights.iter().position(|w| *w >= least).unwrap_or(0);
        let mut columns = Vec::with_capacity(panel.n_rows());
        for i in 0..panel.n_rows() {
            let cells = panel.row_mut(i);
            let (mut shift, mut mean, mut rest) = (0.0, 0.0, 0.0);
            if options.center {
                shift = cells[first];
                subtract(cells, shift);
                mean = dot(cells, weights) / weight;
                subtract(cells, mean);
                rest = dot(cells, weights) / weight;
                subtract(cells, rest);
                // Cells of weight zero are multiplied by zero below.
            }
            self.weigh(cells);
            let spread = norm(cells);
            columns.push(Column {
                shift,
                mean,
                rest,
                factor: 1.0,
                spread,
                norm: spread,
            });
        }
        let means: Vec<f64> = columns
            .iter()
            .map(|c| c.shift + (c.mean + c.rest))
            .collect();
        let spreads: Vec<f64> = columns.iter().map(|c| c.spread).collect();
        let factors = options.scale.factors(&ColumnStatistics {
            spread: &spreads,
            mean: &means,
            divisor: options.divisor,
            unit: 1.0,
        });
        let factors = factors.map_err(|e| match e {
            Error::NotGenotypes { col, mean } => Error::NotGenotypes {
                col: from + col,
                mean,
            },
            other => other,
        })?;
        for (i, factor) in factors.into_iter().flatten().enumerate() {
            columns[i].factor = factor;
            columns[i].norm = columns[i].spread / factor;
            panel.row_mut(i).iter_mut().for_each(|x| *x /= factor);
        }
        Ok(columns)
    }
}

/// cells = ((cells − shifts) − means) − rests.
struct Subtract<'a> {
    cells: &'a mut [f64],
    /// Shifts, means and rests.
    from: [&'a [f64]; 3],
}

impl Loops for Subtract<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let [shifts, means, rests] = self.from;
        let from = shifts.iter().zip(means).zip(rests);
        for (x, ((shift, mean), rest)) in self.cells.iter_mut().zip(from) {
            *x = ((*x - shift) - mean) - rest;
        }
    }
}

fn subtract(cells: &mut [f64], y: f64) {
    cells.iter_mut().for_each(|x| *x -= y);
}

/// Processes runs of columns in parallel; results are in the order of the runs.
fn in_runs<R: Send>(
    d: usize,
    work: impl Fn(Range<usize>) -> Result<R, Error> + Sync,
) -> Result<Vec<R>, Error> {
    parallel::try_collect(RUNS, |run| work(run_of(run, d)))
}

/// The columns of a run.
fn run_of(run: usize, d: usize) -> Range<usize> {
    run * d / RUNS..(run + 1) * d / RUNS
}

/// The panels of a run, of nearly equal width.
fn panels_of(run: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let (from, width) = (run.start, run.len());
    let n = width.div_ceil(PANEL);
    (0..n).map(move |i| from + i * width / n..from + (i + 1) * width / n)
}
