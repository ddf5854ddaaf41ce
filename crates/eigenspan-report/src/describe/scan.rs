//! One pass over the numbers of each column that finds whole numbers, rising numbers, few distinct numbers, and odd extreme values.

use eigenspan::source::Rows;
use eigenspan::summary::Summary;
use eigenspan::{Error, Real};

/// A column of classes has at most this many distinct numbers.
pub(super) const MOST_CODES: usize = 20;
/// A counter needs at least this many rows: with fewer, numbers may rise by chance.
pub(super) const COUNTED: usize = 5;
/// Whole numbers that rise by other steps than 1 need at least this many rows.
const RISEN: usize = 10;

/// Whether a number is written in nines, like codes for missing cells: −99, −999, 9999, −999.9.
fn is_code(x: f64) -> bool {
    let digits = x.abs().to_string().replace('.', "");
    let nines = x.abs() >= 99.0 && digits.len() <= 8 && digits.bytes().all(|b| b == b'9');
    nines || [-9.0, -999.25, -32_768.0, -2_147_483_648.0, 2_147_483_647.0].contains(&x)
}

/// One extreme of a column (minimum or maximum): its value, how often it occurs, and the next value toward the middle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct End {
    pub(super) value: f64,
    count: usize,
    next: f64,
}

impl End {
    /// Adds a value; `beyond(a, b)` says whether a lies farther out than b.
    fn add(&mut self, value: f64, count: usize, beyond: fn(f64, f64) -> bool) {
        if beyond(value, self.value) {
            self.next = self.value;
            (self.value, self.count) = (value, count);
        } else if value == self.value {
            self.count += count;
        } else if beyond(value, self.next) {
            self.next = value;
        }
    }

    fn merge(&mut self, other: End, beyond: fn(f64, f64) -> bool) {
        if other.count > 0 {
            self.add(other.value, other.count, beyond);
            if other.next.is_finite() {
                self.add(other.next, 0, beyond);
            }
        }
    }
}

fn below(a: f64, b: f64) -> bool {
    a < b
}

fn above(a: f64, b: f64) -> bool {
    a > b
}

/// What the scan found in one column.
#[derive(Debug, Clone)]
pub(super) struct ColumnScan {
    pub(super) n: usize,
    mean: f64,
    /// The sum of squared deviations from the mean.
    pub(super) squares: f64,
    pub(super) whole: bool,
    rising: bool,
    pub(super) by_one: bool,
    first: f64,
    last: f64,
    pub(super) min: End,
    pub(super) max: End,
    /// The distinct values; the list stops one above the limit.
    pub(super) codes: Vec<f64>,
}

impl ColumnScan {
    fn new() -> Self {
        let end = |value: f64| End {
            value,
            count: 0,
            next: value,
        };
        ColumnScan {
            n: 0,
            mean: 0.0,
            squares: 0.0,
            whole: true,
            rising: true,
            by_one: true,
            first: f64::NAN,
            last: f64::NAN,
            min: end(f64::INFINITY),
            max: end(f64::NEG_INFINITY),
            codes: Vec::new(),
        }
    }

    fn push(&mut self, x: f64) {
        if !x.is_finite() {
            (self.rising, self.by_one) = (false, false);
            return;
        }
        if self.n > 0 {
            self.rising &= x > self.last;
            self.by_one &= x == self.last + 1.0;
        } else {
            self.first = x;
        }
        self.last = x;
        self.n += 1;
        let away = x - self.mean;
        self.mean += away / self.n as f64;
        self.squares += away * (x - self.mean);
        self.whole &= x == x.trunc();
        self.min.add(x, 1, below);
        self.max.add(x, 1, above);
        self.note_code(x);
    }

    fn note_code(&mut self, x: f64) {
        if self.codes.len() <= MOST_CODES && !self.codes.contains(&x) {
            self.codes.push(x);
        }
    }

    fn merge(&mut self, other: ColumnScan) {
        if other.n > 0 {
            let (n, more) = (self.n as f64, other.n as f64);
            let away = other.mean - self.mean;
            self.squares += other.squares + away * away * n * more / (n + more);
            self.mean += away * more / (n + more);
        }
        if other.n > 0 && self.n > 0 {
            self.rising &= other.first > self.last;
            self.by_one &= other.first == self.last + 1.0;
        }
        self.rising &= other.rising;
        self.by_one &= other.by_one;
        self.whole &= other.whole;
        if self.n == 0 {
            self.first = other.first;
        }
        if other.n > 0 {
            self.last = other.last;
        }
        self.n += other.n;
        self.min.merge(other.min, below);
        self.max.merge(other.max, above);
        other.codes.iter().for_each(|x| self.note_code(*x));
    }

    /// Whether the column has whole numbers that rise from every row to the next, in enough rows that chance is ruled out.
    pub(super) fn is_rising(&self) -> bool {
        self.whole && self.rising && (self.n >= RISEN || self.by_one && self.n >= COUNTED)
    }

    /// The minimum and the maximum without codes for missing cells.
    pub(super) fn rest(&self) -> (f64, f64) {
        let inner = |end: End| match is_code(end.value) {
            true => end.next,
            false => end.value,
        };
        (inner(self.min), inner(self.max))
    }

    /// Extreme values that are written like codes for missing cells and lie where a measurement is implausible.
    pub(super) fn missing_codes(&self) -> Vec<(f64, usize)> {
        let (low, high) = self.rest();
        if !(low.is_finite() && high.is_finite() && low <= high) {
            return Vec::new();
        }
        let mut found = Vec::new();
        let (min, range) = (self.min, high - low);
        if is_code(min.value) && min.value < 0.0 {
            let far = low - min.value > range && (min.value <= -99.0 || min.count > 1);
            let alone = low >= 0.0 && min.count > 1 && min.value <= -99.0;
            if far || alone {
                found.push((min.value, min.count));
            }
        }
        let max = self.max;
        if is_code(max.value) && max.value > 0.0 && max.count > 1 && max.value - high > 2.0 * range
        {
            found.push((max.value, max.count));
        }
        found
    }
}

/// What the scan found in all columns.
#[derive(Debug, Clone)]
pub(super) struct Scan {
    pub(super) columns: Vec<ColumnScan>,
}

impl Scan {
    pub(super) fn new(n_cols: usize) -> Self {
        Scan {
            columns: vec![ColumnScan::new(); n_cols],
        }
    }
}

impl<T: Real> Summary<T> for Scan {
    fn add(&mut self, rows: &Rows<'_, T>) -> Result<(), Error> {
        let (given, expected) = (rows.block.n_cols(), self.columns.len());
        if given != expected {
            return Err(Error::WrongWidth { given, expected });
        }
        let mut row = vec![0.0; given];
        for i in 0..rows.block.n_rows() {
            rows.block.row_to_f64(i, &mut row);
            let cells = self.columns.iter_mut().zip(&row);
            cells.for_each(|(seen, x)| seen.push(*x));
        }
        Ok(())
    }

    fn merge(&mut self, other: Self) {
        let pairs = self.columns.iter_mut().zip(other.columns);
        pairs.for_each(|(a, b)| a.merge(b));
    }

    fn bytes(&self) -> usize {
        self.columns.len() * (std::mem::size_of::<ColumnScan>() + 8 * MOST_CODES)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in crate::describe) fn seen(cells: &[f64]) -> ColumnScan {
        let mut parts = cells.chunks(7).map(|chunk| {
            let mut seen = ColumnScan::new();
            chunk.iter().for_each(|x| seen.push(*x));
            seen
        });
        let first = parts.next().expect("cells");
        parts.fold(first, |mut all, part| {
            all.merge(part);
            all
        })
    }

    #[test]
    fn codes_for_missing_cells_are_told_from_numbers_that_belong() {
        let with = |codes: &[f64]| {
            let mut cells: Vec<f64> = (0..60).map(|i| f64::from(i * 37 % 71) / 2.0).collect();
            cells.extend(codes);
            let found = seen(&cells).missing_codes();
            found.iter().map(|(code, _)| *code).collect::<Vec<_>>()
        };
        for code in [-999.0, -9999.0, -99.0, -999.9, -999.25, -99999.0, -32768.0] {
            assert_eq!(with(&[code]), [code]);
        }
        assert_eq!(with(&[-999.0, -999.0, 9999.0, 9999.0]), [-999.0, 9999.0]);
        // 99 beside 35, a single 999, and values that are not codes.
        for good in [
            &[99.0, 99.0][..],
            &[999.0],
            &[-9.0, -9.0],
            &[-35.0],
            &[-100.0],
        ] {
            assert!(with(good).is_empty(), "{good:?}");
        }
        let scale: Vec<f64> = (0..50)
            .map(|i| {
                if i % 9 == 0 {
                    -9.0
                } else {
                    f64::from(1 + i % 5)
                }
            })
            .collect();
        assert_eq!(seen(&scale).missing_codes(), [(-9.0, 6)]);
        let found = seen(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]);
        assert!((found.squares - 42.0).abs() < 1e-12 && found.mean == 4.5);
        let cold: Vec<f64> = (0..200).map(|i| f64::from(i) - 99.0).collect();
        assert!(seen(&cold).missing_codes().is_empty());
        let pixels: Vec<f64> = (0..300).map(|i| f64::from(i % 256)).collect();
        assert!(seen(&pixels).missing_codes().is_empty());
    }
}
