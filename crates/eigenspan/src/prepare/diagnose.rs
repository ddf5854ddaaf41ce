//! What is wrong with data that was read all the same: cells that are not finite, columns whose scales drown the others.
//!
//! Cells are looked at only after sums came out wrong, so that good data pays nothing for the check.

use crate::context::Context;
use crate::error::Error;
use crate::mat::Real;
use crate::source::{Passes, Source, fold};

/// The error that says how many cells are NaN or infinite and where the first is; overflow if all are finite.
pub fn find_not_finite<T: Real>(ctx: &Context, source: &dyn Source<T>) -> Error {
    #[derive(Default)]
    struct Found {
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
        Found::default,
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
        Ok(Found {
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

/// Columns whose variances are so large that a first component is little else.
#[derive(Debug, Clone, PartialEq)]
pub struct Dominating {
    /// These columns, from 0, the heaviest first.
    pub columns: Vec<usize>,
    /// Their share of the weights.
    pub weight: f64,
    /// The one of them that varies most.
    pub largest: usize,
    /// The column that varies least of all that vary.
    pub smallest: usize,
    /// Ratio of the variances of those two.
    pub ratio: f64,
}

/// Weight of few columns from which there is little else.
const ALONE: f64 = 0.9;
/// Columns that are few: at most so many, and at most a quarter of those that vary.
const FEW: usize = 3;
/// Ratio of variances between the largest column and a small one (three quarters of the others vary more) that few columns need.
const UNLIKE: f64 = 50.0;
/// Ratio of variances between the least of many large columns and the next one.
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
    varying.sort_by(|&a, &b| variances[b].total_cmp(&variances[a]));
    let (&smallest, half) = (varying.last()?, varying.len() / 2);
    if half == 0 {
        return None;
    }
    let weight = |columns: &[usize]| columns.iter().map(|&j| weights[j]).sum::<f64>();
    let mut heaviest = varying.clone();
    heaviest.sort_by(|&a, &b| weights[b].total_cmp(&weights[a]));
    let few = (1..=FEW.min(varying.len().div_ceil(4))).find(|&m| weight(&heaviest[..m]) >= ALONE);
    let columns = match few {
        Some(m) => {
            let (large, others) = heaviest.split_at(m);
            let most = large.iter().map(|&j| variances[j]).fold(0.0, f64::max);
            let mut others: Vec<f64> = others.iter().map(|&j| variances[j]).collect();
            others.sort_by(f64::total_cmp);
            let small = others.get(others.len() / 4)?;
            (most >= UNLIKE * small).then(|| large.to_vec())
        }
        None => None,
    };
    let columns = columns.or_else(|| {
        let gap = |&m: &usize| variances[varying[m - 1]] >= GAP * variances[varying[m]];
        let m = (1..=half).find(gap)?;
        let mut large = varying[..m].to_vec();
        large.sort_by(|&a, &b| weights[b].total_cmp(&weights[a]));
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
