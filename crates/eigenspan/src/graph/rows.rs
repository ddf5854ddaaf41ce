//! Rows in memory, prepared for a metric: of length 1 for cosine, centered and of length 1 for correlation, divided by a power of two
//! where squares would leave the range of f64.

use std::sync::Mutex;

use super::Metric;
use super::bounds::Bounds;
use crate::context::Context;
use crate::error::{Error, NeighborFault};
use crate::linalg::{norm, power_of_two_near, sum};
use crate::mat::{Mat, Real};
use crate::on_numbers;
use crate::parallel::{self, lock};
use crate::prepare::{find_not_finite, read_all};
use crate::source::{Csr, Numbers, Source, for_each_block};

/// Rows that can be compared with others of the same metric.
#[derive(Clone)]
pub(crate) struct MetricRows {
    pub(super) metric: Metric,
    pub(super) cells: Cells,
    /// Distances of the rows as given are this many times those of the cells.
    unit: f64,
    /// What rules pairs out by products; none for other metrics, and for rows too unlike for f32.
    pub(super) bounds: Option<Bounds>,
}

/// The cells of rows, stored whole or only where they are not zero.
#[derive(Clone)]
pub(super) enum Cells {
    Dense(Mat<f64>),
    Sparse(Csr<f64>),
}

/// Sparse rows with more than this share of cells that are not zero are compared faster when stored whole.
const SPARSE: f64 = 0.05;

impl MetricRows {
    /// Reads rows. `like` are rows that these will be compared with.
    pub(crate) fn read(
        ctx: &Context,
        numbers: Numbers<'_>,
        metric: Metric,
        like: Option<&MetricRows>,
    ) -> Result<Self, Error> {
        let d = numbers.n_cols();
        if d == 0 {
            return Err(Error::NoColumns);
        }
        if let Some(like) = like.filter(|like| like.n_cols() != d) {
            return Err(Error::WrongWidth {
                given: d,
                expected: like.n_cols(),
            });
        }
        let cells = on_numbers!(numbers, source => {
            let cells = read_cells(ctx, source, metric, like)?;
            match cells.all_finite(ctx) {
                true => cells,
                false => return Err(find_not_finite(ctx, source)),
            }
        });
        Self::new(ctx, cells, metric, like)
    }

    fn new(
        ctx: &Context,
        mut cells: Cells,
        metric: Metric,
        like: Option<&MetricRows>,
    ) -> Result<Self, Error> {
        if cells.n_rows() == 0 {
            return Err(Error::Neighbors(NeighborFault::NoRows));
        }
        let mut unit = 1.0;
        ctx.install_here(|| match metric {
            Metric::Cosine | Metric::Correlation => cells.make_unit(metric),
            Metric::Euclidean | Metric::Manhattan => {
                unit = like.map_or_else(|| safe_unit(&cells), |like| like.unit);
                if unit != 1.0 {
                    cells.each_value(&|x| x / unit);
                }
                Ok(())
            }
            Metric::Hamming => Ok(()),
        })?;
        let mut rows = MetricRows {
            metric,
            cells,
            unit,
            bounds: None,
        };
        if metric.is_of_squares() {
            let like = like.map(|like| like.bounds.as_ref());
            rows.bounds = match like {
                None => ctx.install_here(|| Bounds::new(&rows.cells)),
                Some(like) => ctx.install_here(|| like.and_then(|b| b.like(&rows.cells))),
            };
        }
        Ok(rows)
    }

    /// Rows that are prepared for the metric already.
    pub(super) fn from_cells(ctx: &Context, metric: Metric, cells: Cells, unit: f64) -> Self {
        let bounds = metric
            .is_of_squares()
            .then(|| ctx.install_here(|| Bounds::new(&cells)));
        MetricRows {
            metric,
            cells,
            unit,
            bounds: bounds.flatten(),
        }
    }

    /// Some of the rows, as rows of their own.
    pub(crate) fn some(&self, places: &[usize]) -> MetricRows {
        let cells = match &self.cells {
            Cells::Dense(all) => Cells::Dense(Mat::from_fn(places.len(), all.n_cols(), |i, j| {
                all[(places[i], j)]
            })),
            Cells::Sparse(all) => Cells::Sparse(all.some(places)),
        };
        MetricRows {
            metric: self.metric,
            cells,
            unit: self.unit,
            bounds: self.bounds.as_ref().map(|bounds| bounds.some(places)),
        }
    }

    pub(crate) fn n_rows(&self) -> usize {
        self.cells.n_rows()
    }

    pub(crate) fn n_cols(&self) -> usize {
        self.cells.n_cols()
    }

    /// Whether products rule pairs out.
    pub(super) fn has_products(&self) -> bool {
        self.bounds.is_some()
    }

    /// Cells stored per row.
    pub(super) fn cells_per_row(&self) -> f64 {
        self.cells.values().len() as f64 / self.n_rows().max(1) as f64
    }

    pub(super) fn unit(&self) -> f64 {
        self.unit
    }

    /// The columns and values of a row of which only cells that are not zero are stored.
    pub(super) fn sparse_row(&self, i: usize) -> (&[u32], &[f64]) {
        match &self.cells {
            Cells::Sparse(all) => all.view().row(i),
            Cells::Dense(_) => (&[], &[]),
        }
    }
}

impl Cells {
    pub(super) fn n_rows(&self) -> usize {
        match self {
            Cells::Dense(rows) => rows.n_rows(),
            Cells::Sparse(rows) => rows.view().n_rows(),
        }
    }

    pub(super) fn n_cols(&self) -> usize {
        match self {
            Cells::Dense(rows) => rows.n_cols(),
            Cells::Sparse(rows) => rows.n_cols(),
        }
    }

    pub(super) fn values(&self) -> &[f64] {
        match self {
            Cells::Dense(rows) => rows.as_slice(),
            Cells::Sparse(rows) => rows.values(),
        }
    }

    fn values_mut(&mut self) -> &mut [f64] {
        match self {
            Cells::Dense(rows) => rows.as_mut_slice(),
            Cells::Sparse(rows) => rows.values_mut(),
        }
    }

    fn each_value(&mut self, work: &(dyn Fn(f64) -> f64 + Sync)) {
        parallel::each_chunk(self.values_mut(), 1 << 16, |_, cells| {
            cells.iter_mut().for_each(|x| *x = work(*x));
        });
    }

    fn all_finite(&self, ctx: &Context) -> bool {
        let values = self.values();
        let n = values.len().div_ceil(CHUNK);
        let finite = ctx.install_here(|| {
            parallel::collect(n, |i| {
                let chunk = &values[i * CHUNK..((i + 1) * CHUNK).min(values.len())];
                chunk.iter().fold(0.0, |sum, x| sum + x * 0.0) == 0.0
            })
        });
        finite.into_iter().all(|finite| finite)
    }

    /// Makes every row a vector of length 1, for correlation relative to its own mean.
    fn make_unit(&mut self, metric: Metric) -> Result<(), Error> {
        let fault = |row: usize| {
            Error::Neighbors(NeighborFault::NoDirection {
                row,
                metric: metric.name(),
                constant: metric == Metric::Correlation,
            })
        };
        let d = self.n_cols();
        let bad = match self {
            Cells::Dense(rows) => {
                let step = (CHUNK / d).max(1);
                let bad = parallel::collect_chunks(rows.as_mut_slice(), step * d, |i, rows| {
                    let bad = rows.chunks_exact_mut(d).position(|row| {
                        if metric == Metric::Correlation {
                            center(row);
                        }
                        !scale_to_one(row)
                    });
                    bad.map(|at| i * step + at)
                });
                bad.into_iter().flatten().next()
            }
            Cells::Sparse(rows) => rows.first_not_one(d),
        };
        bad.map_or(Ok(()), |row| Err(fault(row)))
    }
}

/// Cells that one thread changes at a time.
const CHUNK: usize = 1 << 16;

/// Subtracts the mean. It is taken relative to the first cell, so that a constant row becomes exactly zero.
fn center(row: &mut [f64]) {
    let Some(&first) = row.first() else {
        return;
    };
    row.iter_mut().for_each(|x| *x -= first);
    let mean = sum(row) / row.len() as f64;
    row.iter_mut().for_each(|x| *x -= mean);
}

/// Divides by the length; false for a row of zeros.
fn scale_to_one(row: &mut [f64]) -> bool {
    let largest = row.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    if largest == 0.0 {
        return false;
    }
    let unit = power_of_two_near(largest);
    row.iter_mut().for_each(|x| *x /= unit);
    let length = norm(row);
    row.iter_mut().for_each(|x| *x /= length);
    true
}

/// A power of two by which cells are divided so that squares stay in the range of f64; 1 where they do anyway. Large cells are brought
/// to 2⁴⁰⁰ and not to 1: beside them, small ones keep squares that do not vanish.
fn safe_unit(cells: &Cells) -> f64 {
    const LARGE: f64 = 2.582_249_878_086_909e120;
    let values = cells.values();
    let largest = values.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    match largest {
        _ if largest == 0.0 || (1e-100..1e100).contains(&largest) => 1.0,
        _ if largest < 1.0 => power_of_two_near(largest),
        _ => power_of_two_near(largest / LARGE),
    }
}

fn read_cells<T: Real>(
    ctx: &Context,
    source: &dyn Source<T>,
    metric: Metric,
    like: Option<&MetricRows>,
) -> Result<Cells, Error> {
    let d = source.n_cols();
    if let (Some(nnz), Some(n)) = (source.nnz(), source.n_rows()) {
        let share = nnz as f64 / (n as f64 * d as f64).max(1.0);
        let whole = 12 * (n as u64).saturating_mul(d as u64);
        let sparse = match like {
            Some(like) => matches!(like.cells, Cells::Sparse(_)),
            None => share <= SPARSE || !ctx.affords(whole),
        };
        if sparse && metric != Metric::Correlation {
            return Ok(Cells::Sparse(read_sparse(ctx, source)?));
        }
    }
    if let Some(n) = source.n_rows() {
        let needed = 12 * (n as u64).saturating_mul(d as u64);
        if !ctx.affords(needed) {
            return Err(Error::Memory {
                what: format!("comparing rows by the metric {} in memory", metric.name()),
                needed,
                allowed: ctx.allowed(),
            });
        }
    }
    let (cells, _) = read_all(ctx, source)?;
    if let Some(like) = like
        && matches!(like.cells, Cells::Sparse(_))
    {
        return Ok(Cells::Sparse(sparse_of(&cells)?));
    }
    Ok(Cells::Dense(cells))
}

/// The cells that are not zero.
fn sparse_of(cells: &Mat<f64>) -> Result<Csr<f64>, Error> {
    let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
    for row in cells.rows() {
        for (j, x) in (0u32..).zip(row).filter(|(_, x)| **x != 0.0) {
            columns.push(j);
            values.push(*x);
        }
        starts.push(values.len());
    }
    Csr::from_rows(cells.n_cols(), starts, columns, values)
}

/// The first row of a block, and its cells that are not zero: the number in each row, their columns and their values.
type SparseBlock = (usize, Vec<usize>, Vec<u32>, Vec<f64>);

fn read_sparse<T: Real>(ctx: &Context, source: &dyn Source<T>) -> Result<Csr<f64>, Error> {
    let blocks: Mutex<Vec<SparseBlock>> = Mutex::default();
    for_each_block(ctx, source, |rows| {
        let mut block: SparseBlock = (rows.first, Vec::new(), Vec::new(), Vec::new());
        let mut add = |columns: &[u32], cells: &[T]| {
            let stored = columns.iter().zip(cells);
            let kept = stored.filter(|(_, x)| x.to_f64() != 0.0);
            let before = block.3.len();
            for (column, x) in kept {
                block.2.push(*column);
                block.3.push(x.to_f64());
            }
            block.1.push(block.3.len() - before);
        };
        match rows.block.sparse() {
            Some(view) => (0..view.n_rows()).for_each(|i| {
                let (columns, cells) = view.row(i);
                add(columns, cells);
            }),
            None => {
                let all: Vec<u32> = (0..rows.block.n_cols() as u32).collect();
                let cells = rows.block.to_mat();
                cells.rows().for_each(|row| add(&all, row));
            }
        }
        lock(&blocks).push(block);
        Ok(())
    })?;
    let mut blocks = std::mem::take(&mut *lock(&blocks));
    blocks.sort_unstable_by_key(|block| block.0);
    let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
    for (_, counts, block_columns, block_values) in blocks {
        for count in counts {
            starts.push(starts.last().copied().unwrap_or(0) + count);
        }
        columns.extend(block_columns);
        values.extend(block_values);
    }
    Csr::from_rows(source.n_cols(), starts, columns, values)
}

impl Csr<f64> {
    /// Makes every row a vector of length 1, to the bits of the row written out; the first row of zeros, if there is one.
    fn first_not_one(&mut self, d: usize) -> Option<usize> {
        let mut whole = vec![0.0; d];
        for i in 0..self.view().n_rows() {
            let (columns, values) = self.row_mut(i);
            columns
                .iter()
                .zip(values.iter())
                .for_each(|(j, x)| whole[*j as usize] = *x);
            if !scale_to_one(&mut whole) {
                return Some(i);
            }
            for (j, x) in columns.iter().zip(values) {
                *x = std::mem::take(&mut whole[*j as usize]);
            }
        }
        None
    }
}
