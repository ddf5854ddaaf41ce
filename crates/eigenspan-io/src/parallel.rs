//! Work on many things at once, by the threads of a context.

use eigenspan::Context;
pub(crate) use eigenspan::parallel::collect as each;
use eigenspan::parallel::{collect, try_collect};

/// What `work` gives for 0, 1, …, n − 1, in this order.
pub(crate) fn each_in<R: Send>(
    ctx: &Context,
    n: usize,
    work: impl Fn(usize) -> R + Sync,
) -> Vec<R> {
    ctx.install(|| collect(n, &work))
}

/// The same for work that may fail: the first failure in order counts, and what comes after one is not begun.
pub(crate) fn try_each<R: Send, E: Send>(
    ctx: &Context,
    n: usize,
    work: impl Fn(usize) -> Result<R, E> + Sync,
) -> Result<Vec<R>, E> {
    ctx.install(|| try_collect(n, &work))
}
