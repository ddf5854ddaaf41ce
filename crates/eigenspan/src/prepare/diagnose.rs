//! Finds faults in data that was read without an error: cells that are not finite, columns whose scale dwarfs the others.
//!
//! Cells are checked only after sums turned out not to be finite, so that the check costs nothing for good data.

use crate::context::Context;
use crate::error::Error;
use crate::linalg::sort_largest_first;
use crate::mat::Real;
use crate::source::{Passes, Source, fold};

/// The error that says how many cells are NaN or infinite and where the first is; overflow if all are finite.
pub fn find_not_finite<T: Real>(ctx: &Context, source: &dyn Source<T>) -> Error {
    #[derive(Default)]
    struct BadCells {
        nan: usize,
        infinite: usize,
        first: Option<(usize, usize)>,
    }
    if source.passes() == Passes::Once {
        return Error::NotFiniteSomewhere;
    }
    let found = fold(
        ctx,
        source,
        64,
        BadCells::default,
        |found, rows| {
            let d = rows.block.n_cols();
            let mut row = vec![0.0; d];
            for i in 0..rows.block.n_rows() {
                rows.block.row_to_f64(i, &mut row);
                for (j, x) in row.iter().enumerate().filter(|(_, x)| !x.is_finite()) {
                    found.nan += usize::from(x.is_nan());
                    found.infinite += usize::from(x.is_infinite());
                    found.first.get_or_insert((rows.first + i, j));
                }
            }
            Ok(())
        },
        |a, b| {
            a.nan += b.nan;
            a.infinite += b.infinite;
            a.first = a.first.or(b.first);
        },
    );
    match found {
        Ok(BadCells {
            nan,
            infinite,
            first: Some((row, col)),
        }) => {
            let name = source.col_names().and_then(|names| names.get(col).cloned());
            Error::NotFinite {
                nan,
                infinite,
                row,
                col,
                name,
            }
        }
        Ok(_) => Error::Overflow,
        Err(error) => error,
    }
}

/// Columns whose variances are so large that the first component consists mostly of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Dominating {
    /// These columns, from 0, the heaviest first.
    pub columns: Vec<usize>,
    /// Their share of the weights.
    pub weight: f64,
    /// The column among them with the largest variance.
    pub largest: usize,
    /// The column with the smallest nonzero variance.
    pub smallest: usize,
    /// Ratio of the variances of these two.
    pub ratio: f64,
}

/// Share of the weights from which on few columns dominate.
const ALONE: f64 = 0.9;
/// Columns are few if there are at most this many, and at most a quarter of the columns that are not constant.
const FEW: usize = 3;
/// Few columns dominate only if the variance of the largest is this many times that of a small column (one that three quarters of
/// the others exceed).
const UNLIKE: f64 = 50.0;
/// Many columns dominate only if the variance of the smallest of them is this many times that of the next column.
const GAP: f64 = 100.0;

/// Finds columns that dwarf the others. `weights` sum to 1: the squared entries of the first component, or, before a fit, each
/// column's share of the total variance.
///
/// Either one to three columns have nine tenths of the weight, and the largest varies far more than most others (arrests per
/// 100,000 beside percentages); or up to half of the columns lie above a gap in the sorted variances (milligrams beside grams).
/// Columns of one unit, such as pixels, have variances of every size without a gap, and a first component that is spread out.
pub fn dominating(variances: &[f64], weights: &[f64]) -> Option<Dominating> {
    let mut varying: Vec<usize> = (0..variances.len().min(weights.len()))
        .filter(|&j| variances[j] > 0.0)
        .collect();
    sort_largest_first(&mut varying, &|j| variances[j]);
    let (&smallest, half) = (varying.last()?, varying.len() / 2);
    if half == 0 {
        return None;
    }
    let weight = |columns: &[usize]| columns.iter().map(|&j| weights[j]).sum::<f64>();
    let mut heaviest = varying.clone();
    sort_largest_first(&mut heaviest, &|j| weights[j]);
    let few = (1..=FEW.min(varying.len().div_ceil(4))).find(|&m| weight(&heaviest[..m]) >= ALONE);
    let columns = match few {
        Some(m) => {
            let (large, others) = heaviest.split_at(m);
            let most = large.iter().map(|&j| variances[j]).fold(0.0, f64::max);
            let mut others: Vec<f64> = others.iter().map(|&j| variances[j]).collect();
            others.sort_unstable_by(f64::total_cmp);
            let small = others.get(others.len() / 4)?;
            (most >= UNLIKE * small).then(|| large.to_vec())
        }
        None => None,
    };
    let columns = columns.or_else(|| {
        let gap = |&m: &usize| variances[varying[m - 1]] >= GAP * variances[varying[m]];
        let m = (1..=half).find(gap)?;
        let mut large = varying[..m].to_vec();
        sort_largest_first(&mut large, &|j| weights[j]);
        (weight(&large) >= ALONE).then_some(large)
    })?;
    let largest = columns.iter().copied();
    let largest = largest.max_by(|&a, &b| variances[a].total_cmp(&variances[b]))?;
    Some(Dominating {
        weight: weight(&columns),
        ratio: variances[largest] / variances[smallest],
        columns,
        largest,
        smallest,
    })
}
