//! Which cells are not finite: asked only after sums came out wrong, so that good data pays nothing for the check.

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
        return Error::Mismatch {
            what: "some cells are NaN or infinite, or too large to square".to_owned(),
        };
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
