//! One reading of a source by many threads, with a result that does not depend on how many there were.
//!
//! Parts are dealt into a fixed number of groups of neighbors. Workers take groups from the front; the result of a group is
//! merged as soon as all groups before it are merged. At most one unmerged result per worker is alive.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::{Passes, Rows, Source};
use crate::context::Context;
use crate::error::Error;
use crate::mat::Real;
use crate::parallel::lock;

/// The most bytes that the running results of one reading may take together; four results are always allowed.
const STATE_BYTES: usize = 256 << 20;

/// Reads every row once. Each group of parts starts from `new()`, takes its blocks with `add`, and is merged in order.
///
/// `state_bytes` is the size of one running result: large ones are kept in fewer copies.
pub fn fold<T: Real, A: Send>(
    ctx: &Context,
    source: &dyn Source<T>,
    state_bytes: usize,
    new: impl Fn() -> A + Sync,
    add: impl Fn(&mut A, &Rows<'_, T>) -> Result<(), Error> + Sync,
    merge: impl Fn(&mut A, A) + Sync,
) -> Result<A, Error> {
    let n_parts = source.n_parts();
    let n_groups = n_parts.min(most_groups(source, state_bytes)).max(1);
    let run_group = |group: usize| -> Result<A, Error> {
        let mut state = new();
        for part in group * n_parts / n_groups..(group + 1) * n_parts / n_groups {
            source.read_part(part, &mut |rows| {
                ctx.check()?;
                add(&mut state, &rows)?;
                ctx.advance(rows.block.n_rows() as u64);
                Ok(())
            })?;
        }
        Ok(state)
    };
    if n_groups == 1 || source.passes() == Passes::Once {
        return ctx.install_here(|| run_group(0));
    }

    let states: Vec<Mutex<Option<A>>> = (0..n_groups).map(|_| Mutex::new(None)).collect();
    let total: Mutex<Option<A>> = Mutex::new(None);
    let run = |group: usize| {
        let state = run_group(group)?;
        *lock(&states[group]) = Some(state);
        Ok(())
    };
    let merge_group = |group: usize| {
        if let Some(state) = lock(&states[group]).take() {
            match &mut *lock(&total) {
                Some(total) => merge(total, state),
                none => *none = Some(state),
            }
        }
    };
    run_in_order(ctx, n_groups, &run, &merge_group)?;
    let total = lock(&total).take();
    total.ok_or(Error::TooFewRows { rows: 0, needed: 1 })
}

/// Runs groups on all threads, and `merge` for each as soon as all groups before it are merged. It is compiled once for all kinds
/// of running results.
fn run_in_order(
    ctx: &Context,
    n_groups: usize,
    run: &(dyn Fn(usize) -> Result<(), Error> + Sync),
    merge: &(dyn Fn(usize) + Sync),
) -> Result<(), Error> {
    struct Progress {
        /// Groups that are run and not merged.
        waiting: Vec<bool>,
        /// The group that is merged next.
        next: usize,
        error: Option<(usize, Error)>,
    }
    let progress = Mutex::new(Progress {
        waiting: vec![false; n_groups],
        next: 0,
        error: None,
    });
    let next_group = AtomicUsize::new(0);
    let failed = AtomicBool::new(false);
    let worker = || {
        loop {
            let group = next_group.fetch_add(1, Ordering::Relaxed);
            if group >= n_groups || failed.load(Ordering::Relaxed) {
                return;
            }
            let result = run(group);
            let mut progress = lock(&progress);
            match result {
                Ok(()) => {
                    progress.waiting[group] = true;
                    while progress.waiting.get(progress.next) == Some(&true) {
                        merge(progress.next);
                        progress.next += 1;
                    }
                }
                Err(error) => {
                    failed.store(true, Ordering::Relaxed);
                    // The error of the earliest group is reported, whichever happened first.
                    let earlier = |(first, _): &(usize, Error)| group < *first;
                    if progress.error.as_ref().is_none_or(earlier) {
                        progress.error = Some((group, error));
                    }
                }
            }
        }
    };
    ctx.on_threads(n_groups, &worker);
    let error = lock(&progress).error.take();
    error.map_or(Ok(()), |(_, error)| Err(error))
}

/// Groups that a reading may have: many share the work well, but each has a running result to clear and to merge.
fn most_groups<T: Real>(source: &dyn Source<T>, state_bytes: usize) -> usize {
    let state_bytes = state_bytes.max(1);
    let in_memory = (STATE_BYTES / state_bytes).clamp(4, 64);
    let cells = match (source.nnz(), source.n_rows()) {
        (Some(nnz), _) => nnz as usize,
        (None, Some(n)) => n.saturating_mul(source.n_cols()),
        (None, None) => return in_memory,
    };
    // Running results that together are an eighth of the data cost next to nothing beside it.
    let cheap = cells.saturating_mul(T::BYTES) / 8 / state_bytes;
    in_memory.min(cheap.max(8))
}

/// Reads every row once, several parts at the same time, for work that merges nothing (each block writes its own rows).
pub fn for_each_block<T: Real>(
    ctx: &Context,
    source: &dyn Source<T>,
    work: impl Fn(&Rows<'_, T>) -> Result<(), Error> + Sync,
) -> Result<(), Error> {
    fold(ctx, source, 1, || (), |(), rows| work(rows), |(), ()| ())
}
