//! Columns that are read one after the other and prepared on the way, a panel at a time; the table is written down nowhere.
//!
//! For sources that are stored column by column ([`ByColumn`]) and have few rows. A column lies in one piece, so its mean, what
//! rounding left of it, and its length are found while it is in the cache.

use std::ops::Range;

use super::{ColumnOptions, ColumnStatistics, Preparation, Scale, add_to, side_by_side, sum_of};
use crate::context::Context;
use crate::error::Error;
use crate::linalg::{Gram, add_product, dot, norm, sum, times_transposed};
use crate::mat::{Mat, MatView};
use crate::parallel;
use crate::source::ByColumn;

/// Columns that are squared together.
const PANEL: usize = 512;
/// Columns that one thread reads at a time.
const FEW: usize = 32;
/// Runs of columns that may be multiplied with vectors at the same time; each has sums of its own.
const RUNS: usize = 32;

/// What is done to the cells of one column: ((x − shift) − mean) − rest, divided by `factor`.
#[derive(Debug, Clone, Copy)]
struct Line {
    shift: f64,
    mean: f64,
    rest: f64,
    factor: f64,
    /// ‖column‖ before and after it is divided.
    spread: f64,
    norm: f64,
}

/// A source read by column, and how its columns are prepared.
pub(crate) struct Lines<'a> {
    source: &'a dyn ByColumn,
    weights: Weights,
    lines: Vec<Line>,
}

/// The weights of the rows.
struct Weights {
    each: Vec<f64>,
    /// Their roots, where they are not all 1.
    roots: Option<Vec<f64>>,
    total: f64,
    /// A row that is not much lighter than others.
    heavy: usize,
}

impl Weights {
    fn from_source(source: &dyn ByColumn) -> Self {
        let (n, _) = source.shape();
        let given = source.row_weights();
        let each = given.map_or_else(|| vec![1.0; n], <[f64]>::to_vec);
        let total = sum(&each);
        let least = 0.5 * total / n.max(1) as f64;
        Weights {
            roots: given.map(|weights| weights.iter().map(|w| w.sqrt()).collect()),
            heavy: each.iter().position(|w| *w >= least).unwrap_or(0),
            total,
            each,
        }
    }

    /// Clears the cells of rows without weight, which may hold anything.
    fn clear(&self, cells: &mut [f64]) {
        if self.roots.is_some() {
            let pairs = cells.iter_mut().zip(&self.each);
            pairs
                .filter(|(_, w)| **w == 0.0)
                .for_each(|(x, _)| *x = 0.0);
        }
    }

    /// Multiplies cells with the roots of their rows' weights.
    fn weigh(&self, cells: &mut [f64]) {
        if let Some(roots) = &self.roots {
            cells.iter_mut().zip(roots).for_each(|(x, root)| *x *= root);
        }
    }
}

impl<'a> Lines<'a> {
    /// Learns how columns are prepared, and the lower triangle of XXᵀ of the prepared rows with it, in one reading.
    pub(crate) fn with_gram(
        ctx: &Context,
        source: &'a dyn ByColumn,
        options: &ColumnOptions,
    ) -> Result<(Self, Mat<f64>), Error> {
        let (n, d) = source.shape();
        let mut prepared = Lines {
            source,
            weights: Weights::from_source(source),
            lines: Vec::with_capacity(d),
        };
        let (mut gram, mut squares) = (Mat::zeros(n, n), Gram::on_all_threads());
        let mut panel = vec![0.0; n * PANEL.min(d)];
        for start in (0..d).step_by(PANEL) {
            ctx.check()?;
            let end = (start + PANEL).min(d);
            let cells = &mut panel[..n * (end - start)];
            let some = parallel::collect_chunks(cells, n * FEW, |i, cells| {
                prepared.prepare_columns(start + i * FEW, cells, options)
            });
            for lines in some {
                prepared.lines.extend(lines?);
            }
            squares.add_as_it_is(&mut gram, MatView::from_rows(cells, end - start, n)?);
        }
        ctx.advance(n as u64);
        Ok((prepared, gram))
    }

    /// Reads columns from `from` on, finds out how they are prepared, and prepares them.
    fn prepare_columns(
        &self,
        from: usize,
        cells: &mut [f64],
        options: &ColumnOptions,
    ) -> Result<Vec<Line>, Error> {
        let n = self.weights.each.len();
        self.source
            .read_columns(from..from + cells.len() / n.max(1), cells)?;
        let prepare =
            |(i, cells): (usize, &mut [f64])| self.prepare_column(from + i, cells, options);
        cells.chunks_exact_mut(n).enumerate().map(prepare).collect()
    }

    fn prepare_column(
        &self,
        col: usize,
        cells: &mut [f64],
        options: &ColumnOptions,
    ) -> Result<Line, Error> {
        let Weights { each, total, .. } = &self.weights;
        self.weights.clear(cells);
        let (mut shift, mut mean, mut rest) = (0.0, 0.0, 0.0);
        if options.center {
            shift = cells[self.weights.heavy];
            subtract(cells, shift);
            mean = dot(cells, each) / total;
            subtract(cells, mean);
            rest = dot(cells, each) / total;
            subtract(cells, rest);
        }
        self.weights.weigh(cells);
        let spread = norm(cells);
        let factors = options.scale.factors(&ColumnStatistics {
            spread: &[spread],
            mean: &[shift + (mean + rest)],
            divisor: options.divisor,
            unit: 1.0,
        });
        let factors = factors.map_err(|error| match error {
            Error::NotGenotypes { mean, .. } => Error::NotGenotypes { col, mean },
            other => other,
        })?;
        let factor = factors.map_or(1.0, |factors| factors[0]);
        divide(cells, factor);
        Ok(Line {
            shift,
            mean,
            rest,
            factor,
            spread,
            norm: spread / factor,
        })
    }

    /// Fills a panel with columns as they are prepared, one per row. The panel's memory is used again: fresh pages for every
    /// panel take longer than its cells.
    fn prepare(&self, range: Range<usize>, panel: &mut Mat<f64>) -> Result<(), Error> {
        panel.reshape(range.len(), self.weights.each.len());
        self.source
            .read_columns(range.clone(), panel.as_mut_slice())?;
        for (i, line) in self.lines[range].iter().enumerate() {
            let cells = panel.row_mut(i);
            self.weights.clear(cells);
            cells
                .iter_mut()
                .for_each(|x| *x = ((*x - line.shift) - line.mean) - line.rest);
            self.weights.weigh(cells);
            divide(cells, line.factor);
        }
        Ok(())
    }

    /// Whether all cells are finite, and no square leaves the range of f64.
    pub(crate) fn is_safe(&self) -> bool {
        let safe = |x: f64| x == 0.0 || (1e-100..1e100).contains(&x);
        self.lines.iter().all(|c| safe(c.spread) && safe(c.norm))
    }

    /// Sum of the rows' weights.
    pub(crate) fn weight(&self) -> f64 {
        self.weights.total
    }

    /// What was subtracted and divided by.
    pub(crate) fn preparation(&self, scale: Scale) -> Preparation {
        let scaled = scale != Scale::None;
        Preparation {
            center: self.all(|c| c.shift + (c.mean + c.rest)),
            scale: scaled.then(|| self.all(|c| c.factor)),
        }
    }

    /// ‖column‖ of each column as it is prepared, but not divided.
    pub(crate) fn spread(&self) -> Vec<f64> {
        self.all(|c| c.spread)
    }

    /// ‖column‖ of each prepared column.
    pub(crate) fn norms(&self) -> Vec<f64> {
        self.all(|c| c.norm)
    }

    fn all(&self, value: impl Fn(&Line) -> f64) -> Vec<f64> {
        self.lines.iter().map(value).collect()
    }

    /// U·X for vectors U as rows.
    pub(crate) fn right(&self, left: &Mat<f64>) -> Result<Mat<f64>, Error> {
        let runs = in_runs(self.lines.len(), |run| {
            let mut panel = Mat::default();
            let parts = panels_of(run).map(|range| {
                self.prepare(range, &mut panel)?;
                Ok(times_transposed(left.view(), panel.view()))
            });
            parts.collect::<Result<Vec<_>, Error>>()
        })?;
        Ok(side_by_side(
            left.n_rows(),
            self.lines.len(),
            runs.into_iter().flatten(),
        ))
    }

    /// U·X and U·X·Xᵀ for vectors U as rows.
    pub(crate) fn right_and_back(&self, left: &Mat<f64>) -> Result<(Mat<f64>, Mat<f64>), Error> {
        let (k, n) = (left.n_rows(), left.n_cols());
        let runs = in_runs(self.lines.len(), |run| {
            let (mut parts, mut sums) = (Vec::new(), Mat::zeros(k, n));
            let mut panel = Mat::default();
            for range in panels_of(run) {
                self.prepare(range, &mut panel)?;
                let part = times_transposed(left.view(), panel.view());
                add_product(&mut sums, part.view(), panel.view());
                parts.push(part);
            }
            Ok((parts, sums))
        })?;
        let mut back = Mat::zeros(k, n);
        runs.iter().for_each(|(_, sums)| add_to(&mut back, sums));
        let parts = runs.into_iter().flat_map(|(parts, _)| parts);
        Ok((side_by_side(k, self.lines.len(), parts), back))
    }

    /// V·Xᵀ for vectors V as rows.
    pub(crate) fn left(&self, right: &Mat<f64>) -> Result<Mat<f64>, Error> {
        let (k, n) = (right.n_rows(), self.weights.each.len());
        let runs = in_runs(self.lines.len(), |run| {
            let (mut sums, mut panel) = (Mat::zeros(k, n), Mat::default());
            for range in panels_of(run) {
                let part = right.view().transposed().slice_rows(range.start, range.end);
                self.prepare(range, &mut panel)?;
                add_product(&mut sums, part.transposed(), panel.view());
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
        let runs = in_runs(self.lines.len(), |run| {
            let (mut sums, mut panel) = (vec![0.0; k], Mat::default());
            for range in panels_of(run) {
                self.prepare(range.clone(), &mut panel)?;
                let part = times_transposed(left.view(), panel.view());
                for (i, sum) in sums.iter_mut().enumerate() {
                    let pair = part.row(i).iter().zip(&right.row(i)[range.clone()]);
                    *sum += pair.map(|(x, v)| (x - factors[i] * v).powi(2)).sum::<f64>();
                }
            }
            Ok(sums)
        })?;
        let total = |i: usize| runs.iter().map(|sums| sums[i]).sum::<f64>();
        Ok((0..k).map(|i| total(i).sqrt()).collect())
    }
}

fn subtract(cells: &mut [f64], y: f64) {
    cells.iter_mut().for_each(|x| *x -= y);
}

fn divide(cells: &mut [f64], factor: f64) {
    if factor != 1.0 {
        cells.iter_mut().for_each(|x| *x /= factor);
    }
}

/// Works on runs of columns at the same time; what they give is in their order, and so is the error that is told.
fn in_runs<R: Send>(
    d: usize,
    work: impl Fn(Range<usize>) -> Result<R, Error> + Sync,
) -> Result<Vec<R>, Error> {
    parallel::try_collect(RUNS, |run| work(run * d / RUNS..(run + 1) * d / RUNS))
}

/// The panels of a run.
fn panels_of(run: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let end = run.end;
    run.step_by(FEW)
        .map(move |from| from..(from + FEW).min(end))
}
