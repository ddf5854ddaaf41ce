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

    struct Merged<A> {
        total: Option<A>,
        next: usize,
        waiting: Vec<Option<A>>,
        error: Option<(usize, Error)>,
    }
    let merged = Mutex::new(Merged {
        total: None,
        next: 0,
        waiting: (0..n_groups).map(|_| None).collect(),
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
            let result = run_group(group);
            let mut merged = merged
                .lock()
                .unwrap_or_else(std::sync::PoisonError::into_inner);
            match result {
                Ok(state) => {
                    merged.waiting[group] = Some(state);
                    loop {
                        let next = merged.next;
                        let Some(state) = merged.waiting.get_mut(next).and_then(Option::take)
                        else {
                            break;
                        };
                        match &mut merged.total {
                            Some(total) => merge(total, state),
                            total => *total = Some(state),
                        }
                        merged.next += 1;
                    }
                }
                Err(error) => {
                    failed.store(true, Ordering::Relaxed);
                    // The error of the earliest group is reported, whichever happened first.
                    if merged
                        .error
                        .as_ref()
                        .is_none_or(|(first, _)| group < *first)
                    {
                        merged.error = Some((group, error));
                    }
                }
            }
        }
    };
    ctx.on_threads(n_groups, &worker);
    let merged = merged
        .into_inner()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    match (merged.error, merged.total) {
        (Some((_, error)), _) => Err(error),
        (None, Some(total)) => Ok(total),
        (None, None) => Err(Error::TooFewRows { rows: 0, needed: 1 }),
    }
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
