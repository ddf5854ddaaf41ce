//! A method fitted to some of the rows.

use crate::context::Context;
use crate::error::Error;
use crate::method::{Fitted, Method, Training};
use crate::on_numbers;
use crate::source::{Numbers, RowSet, Subset};

/// Fits a method to some of the rows, without progress of its own.
pub(super) fn fit_some(
    ctx: &Context,
    method: &dyn Method,
    rows: Numbers<'_>,
    some: &RowSet,
) -> Result<Box<dyn Fitted>, Error> {
    let quiet = ctx.without_progress();
    on_numbers!(rows, source => {
        let some = Subset::new(source, some);
        method.fit(&quiet, &Training::new((&some).into()))
    })
}
