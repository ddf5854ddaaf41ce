//! `eigenspan select DATA`: a fit of a selection of columns, shown as a table of all columns.

use eigenspan::Context;
use eigenspan::method::Selection;
use eigenspan_report::subject::Fitting;
use eigenspan_report::{Explicit, JobError, text};

use super::fit::show;
use crate::args::Select;
use crate::console::Console;

pub(crate) fn run(ctx: &Context, console: &Console, args: &Select) -> Result<(), JobError> {
    let fitting = Fitting::new(Box::new(args.options.clone()), Explicit::default());
    show(
        ctx,
        console,
        (&args.fit, fitting),
        |heading, fit| match fit.fitted.downcast::<Selection>() {
            Some(model) => text::select::selection(heading, model),
            None => text::fit_summary(heading, &*fit.fitted, &fit.summary, &[]),
        },
    )
}
