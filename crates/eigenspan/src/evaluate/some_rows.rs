//! A method fitted to some of the rows.

use crate::context::Context;
use crate::error::Error;
use crate::method::{Fitted, Method, Training};
use crate::on_numbers;
use crate::source::{RowSet, Subset};

/// Fits a method to some of the rows and to their labels, without progress of its own.
pub(super) fn fit_some(
    ctx: &Context,
    method: &dyn Method,
    training: &Training<'_>,
    some: &RowSet,
) -> Result<Box<dyn Fitted>, Error> {
    let quiet = ctx.without_progress();
    let labels = training.labels.map(|all| -> Vec<String> {
        let numbers = (0..some.len()).filter_map(|i| some.get(i));
        numbers.filter_map(|row| all.get(row).cloned()).collect()
    });
    on_numbers!(training.rows, source => {
        let some = Subset::new(source, some);
        let training = Training {
            rows: (&some).into(),
            labels: labels.as_deref(),
        };
        method.fit(&quiet, &training)
    })
}
