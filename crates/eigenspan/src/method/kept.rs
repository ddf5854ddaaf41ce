//! Which of some rows have the coordinates that a model keeps of its training rows.

use std::sync::{Mutex, PoisonError};

use super::contract::Fitted;
use crate::context::Context;
use crate::error::Error;
use crate::mat::Mat;
use crate::on_numbers;
use crate::source::{Numbers, for_each_block};

/// The coordinates that a model keeps of the rows it was fitted to, one for each of these rows: NaN for a row that the fit left out.
///
/// A fit leaves out only rows with missing cells. So the rows, or those of them that are complete, have to be as many as the
/// coordinates; an error where they are not, and where the model keeps no coordinates.
pub(super) fn embedded(
    ctx: &Context,
    fitted: &dyn Fitted,
    rows: Numbers<'_>,
) -> Result<Mat<f64>, Error> {
    let method = fitted.short_name();
    let kept = fitted.embedding().ok_or(Error::NoNewRows { method })?;
    if rows.n_rows() == Some(kept.n_rows()) {
        return Ok(kept.clone());
    }
    let incomplete = incomplete_rows(ctx, rows)?;
    let given = rows.n_rows().unwrap_or(0);
    if kept.n_rows() + incomplete.len() != given {
        return Err(Error::OtherRows {
            method,
            given,
            fitted: kept.n_rows(),
        });
    }
    let mut cells = Vec::with_capacity(given * kept.n_cols());
    let (mut next, mut left_out) = (kept.rows(), incomplete.into_iter().peekable());
    for row in 0..given {
        match left_out.next_if_eq(&row) {
            Some(_) => cells.resize(cells.len() + kept.n_cols(), f64::NAN),
            None => cells.extend(next.next().into_iter().flatten()),
        }
    }
    Mat::from_vec(given, kept.n_cols(), cells)
}

/// The numbers of the rows with missing cells, rising.
pub(super) fn incomplete_rows(ctx: &Context, rows: Numbers<'_>) -> Result<Vec<usize>, Error> {
    let incomplete: Mutex<Vec<usize>> = Mutex::default();
    on_numbers!(rows, source => for_each_block(ctx, source, |rows| {
        let cells = rows.block.to_mat();
        let missing = cells.rows().enumerate();
        let missing = missing.filter(|(_, row)| row.iter().any(|x| x.is_nan()));
        let found = missing.map(|(i, _)| rows.first + i);
        let mut all = incomplete.lock().unwrap_or_else(PoisonError::into_inner);
        all.extend(found);
        Ok(())
    }))?;
    let mut all = incomplete
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner);
    all.sort_unstable();
    Ok(all)
}
