//! Work on many things at once, by all threads.
//!
//! Whatever the work, it goes through one function that takes it as `dyn Fn`, so that the machinery of threads is compiled once
//! and not for every kind of work.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use eigenspan::Context;
use rayon::prelude::*;

/// What `work` gives for 0, 1, …, n − 1, in this order, by the threads of the caller.
pub(crate) fn each<R: Send>(n: usize, work: impl Fn(usize) -> R + Sync) -> Vec<R> {
    collected(n, work, |n, work| run(n, work))
}

/// The same, by the threads of a context.
pub(crate) fn each_in<R: Send>(
    ctx: &Context,
    n: usize,
    work: impl Fn(usize) -> R + Sync,
) -> Vec<R> {
    collected(n, work, |n, work| run_in(ctx, n, work))
}

/// The same for work that may fail: the first failure in order counts, and what comes after one is not begun.
pub(crate) fn try_each<R: Send, E: Send>(
    ctx: &Context,
    n: usize,
    work: impl Fn(usize) -> Result<R, E> + Sync,
) -> Result<Vec<R>, E> {
    let failed = AtomicUsize::new(usize::MAX);
    let done = each_in(ctx, n, |i| {
        if failed.load(Ordering::Relaxed) < i {
            return None;
        }
        let result = work(i);
        if result.is_err() {
            failed.fetch_min(i, Ordering::Relaxed);
        }
        Some(result)
    });
    done.into_iter().flatten().collect()
}

type Work<'w> = &'w (dyn Fn(usize) + Sync);

fn collected<R: Send>(
    n: usize,
    work: impl Fn(usize) -> R + Sync,
    run: impl Fn(usize, Work<'_>),
) -> Vec<R> {
    let places: Vec<Mutex<Option<R>>> = (0..n).map(|_| Mutex::new(None)).collect();
    run(n, &|i| {
        let result = work(i);
        if let Some(place) = places.get(i) {
            *place.lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
        }
    });
    let result =
        |place: Mutex<Option<R>>| place.into_inner().unwrap_or_else(PoisonError::into_inner);
    places.into_iter().filter_map(result).collect()
}

fn run(n: usize, work: Work<'_>) {
    (0..n).into_par_iter().for_each(work);
}

fn run_in(ctx: &Context, n: usize, work: Work<'_>) {
    ctx.install(|| run(n, work));
}

#[cfg(test)]
mod tests {
    use super::{Context, each, try_each};

    #[test]
    fn results_come_in_order_and_the_first_failure_counts() {
        let ctx = Context::new();
        assert_eq!(
            each(1000, |i| i * i),
            (0..1000).map(|i| i * i).collect::<Vec<_>>()
        );
        let all: Result<Vec<usize>, usize> = try_each(&ctx, 5, Ok);
        assert_eq!(all, Ok(vec![0, 1, 2, 3, 4]));
        for _ in 0..20 {
            let odd = |i| if i % 97 == 96 { Err(i) } else { Ok(i) };
            assert_eq!(try_each(&ctx, 1000, odd), Err(96));
        }
    }
}
