//! A profile of every column in one reading: count, missing cells, mean, spread, quantiles. Missing cells are counted, not
//! refused.

use super::{Quantiles, Summary};
use crate::error::Error;
use crate::mat::Real;
use crate::source::Rows;

/// Every integer below this is exact as an f64; some larger ones are not.
const EXACT_INTEGERS: f64 = 9_007_199_254_740_992.0;
/// The most numbers of a column that are all kept, so that its quantiles are exact; fewer if there are many columns.
const EXACT: usize = 1_000_000;
/// Numbers per level of a sketch.
const WIDTH: (usize, usize) = (256, 1 << 14);
/// The most bytes for the quantiles of all columns together, unless the smallest width needs more.
const BYTES: usize = 256 << 20;
/// Cells that are expanded at a time.
const CELLS: usize = 1 << 16;

/// Statistics of each column from one reading; weights are ignored.
#[derive(Debug, Clone)]
pub struct Profile {
    n_rows: usize,
    bytes: usize,
    columns: Vec<ColumnProfile>,
    panel: Vec<f64>,
}

/// Statistics of one column.
#[derive(Debug, Clone)]
pub struct ColumnProfile {
    /// Finite numbers.
    pub count: u64,
    /// Missing cells (NaN).
    pub missing: u64,
    /// Infinite cells.
    pub infinite: u64,
    /// The least finite number.
    pub min: f64,
    /// The largest finite number.
    pub max: f64,
    /// Whether every finite number is whole.
    pub whole: bool,
    /// Whether a whole number lies beyond 2⁵³, where some integers are not exact.
    pub beyond_exact: bool,
    /// Quantiles of the finite numbers.
    pub quantiles: Quantiles,
    /// A hash of the cells: equal for two columns whose cells are equal, row by row.
    pub fingerprint: u64,
    shift: f64,
    mean: f64,
    squares: f64,
}

impl Profile {
    /// A profile of no rows.
    pub fn new(n_cols: usize) -> Self {
        Self::within(n_cols, BYTES)
    }

    /// A profile of no rows, with this many bytes for the quantiles, if possible.
    pub fn within(n_cols: usize, bytes: usize) -> Self {
        let (exact, width) = sizes(n_cols, bytes);
        let column = ColumnProfile {
            count: 0,
            missing: 0,
            infinite: 0,
            min: f64::INFINITY,
            max: f64::NEG_INFINITY,
            whole: true,
            beyond_exact: false,
            quantiles: Quantiles::new(exact, width),
            fingerprint: 0,
            shift: 0.0,
            mean: 0.0,
            squares: 0.0,
        };
        Profile {
            n_rows: 0,
            bytes,
            columns: vec![column; n_cols],
            panel: Vec::new(),
        }
    }

    /// Rows seen.
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// The columns in order.
    pub fn columns(&self) -> &[ColumnProfile] {
        &self.columns
    }
}

impl ColumnProfile {
    /// Mean of the finite numbers; NaN if there are none.
    pub fn mean(&self) -> f64 {
        if self.count == 0 {
            f64::NAN
        } else {
            self.shift + self.mean
        }
    }

    /// Standard deviation with divisor n − 1; NaN for fewer than two numbers.
    pub fn deviation(&self) -> f64 {
        if self.count < 2 {
            f64::NAN
        } else {
            (self.squares / (self.count - 1) as f64).sqrt()
        }
    }

    /// Adds a cell of row `row`.
    fn push(&mut self, row: usize, x: f64) {
        self.fingerprint = self.fingerprint.wrapping_add(mixed(x, row));
        if !x.is_finite() {
            self.missing += u64::from(x.is_nan());
            self.infinite += u64::from(x.is_infinite());
            return;
        }
        if self.count == 0 {
            self.shift = x;
        }
        self.count += 1;
        // Welford's update, relative to the first number.
        let from_mean = x - self.shift - self.mean;
        self.mean += from_mean / self.count as f64;
        self.squares += from_mean * (x - self.shift - self.mean);
        self.min = self.min.min(x);
        self.max = self.max.max(x);
        if x.fract() == 0.0 {
            self.beyond_exact |= x.abs() >= EXACT_INTEGERS;
        } else {
            self.whole = false;
        }
        self.quantiles.push(x);
    }

    fn merge(&mut self, other: ColumnProfile) {
        self.fingerprint = self.fingerprint.wrapping_add(other.fingerprint);
        self.missing += other.missing;
        self.infinite += other.infinite;
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
        self.whole &= other.whole;
        self.beyond_exact |= other.beyond_exact;
        self.quantiles.merge(other.quantiles);
        if self.count == 0 {
            (self.shift, self.mean, self.squares) = (other.shift, other.mean, other.squares);
        } else if other.count > 0 {
            let (a, b) = (self.count as f64, other.count as f64);
            let delta = (other.shift - self.shift) + other.mean - self.mean;
            self.mean += delta * (b / (a + b));
            self.squares += other.squares + delta * delta * (a / (a + b) * b);
        }
        self.count += other.count;
    }
}

impl<T: Real> Summary<T> for Profile {
    fn add(&mut self, rows: &Rows<'_, T>) -> Result<(), Error> {
        let (given, expected) = (rows.block.n_cols(), self.columns.len());
        if given != expected {
            return Err(Error::WrongWidth { given, expected });
        }
        if given == 0 {
            return Ok(());
        }
        let n = rows.block.n_rows();
        let step = (CELLS / given).max(1);
        for start in (0..n).step_by(step) {
            let end = (start + step).min(n);
            self.panel.resize((end - start) * given, 0.0);
            let block = rows.block.slice_rows(start, end);
            block.copy_to_f64(&mut self.panel);
            for (j, column) in self.columns.iter_mut().enumerate() {
                let cells = self.panel.iter().skip(j).step_by(given);
                for (i, x) in cells.enumerate() {
                    column.push(rows.first + start + i, *x);
                }
            }
        }
        self.n_rows += n;
        Ok(())
    }

    fn merge(&mut self, other: Self) {
        self.n_rows += other.n_rows;
        for (column, more) in self.columns.iter_mut().zip(other.columns) {
            column.merge(more);
        }
    }

    fn bytes(&self) -> usize {
        let (exact, width) = sizes(self.columns.len(), self.bytes);
        let column = Quantiles::bytes(exact, width) + std::mem::size_of::<ColumnProfile>();
        column.saturating_mul(self.columns.len())
    }
}

/// Numbers kept per column, exactly and in a level of a sketch, so that all columns together stay within `bytes`.
fn sizes(n_cols: usize, bytes: usize) -> (usize, usize) {
    let numbers = bytes.min(BYTES) / 8 / n_cols.max(1);
    let width = (numbers / 24).clamp(WIDTH.0, WIDTH.1);
    (numbers.clamp(width, EXACT), width)
}

/// A hash of a number and its row (the finalizer of MurmurHash3). All NaNs are equal, and so are the two zeros.
fn mixed(x: f64, row: usize) -> u64 {
    let bits = match x {
        x if x.is_nan() => f64::NAN.to_bits(),
        x => (x + 0.0).to_bits(),
    };
    let mut h = bits ^ (row as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    h = (h ^ (h >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    h = (h ^ (h >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    h ^ (h >> 33)
}
