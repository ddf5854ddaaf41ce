//! Work shared among the threads of the pool that runs it.
//!
//! Everything goes through [`each`], which is compiled once: a parallel iterator of its own for every closure made a fifth of this
//! crate's code. Results come back in the order of their numbers, so that they do not depend on the number of threads.

mod team;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rayon::prelude::*;

pub(crate) use self::team::{Team, with_team};

/// Calls `work` with every number below `n`.
pub fn each(n: usize, work: &(dyn Fn(usize) + Sync)) {
    (0..n).into_par_iter().for_each(work);
}

/// The same for work of very different lengths: a thread that is free takes the next number, so that nobody waits long if the
/// longest come first.
pub(crate) fn each_in_turn(n: usize, work: &(dyn Fn(usize) + Sync)) {
    let next = AtomicUsize::new(0);
    each(rayon::current_num_threads().min(n), &|_| {
        loop {
            let i = next.fetch_add(1, Ordering::Relaxed);
            if i >= n {
                return;
            }
            work(i);
        }
    });
}

/// What `work` gives for every number below `n`, in their order.
pub fn collect<R: Send>(n: usize, work: impl Fn(usize) -> R + Sync) -> Vec<R> {
    let results: Vec<Mutex<Option<R>>> = (0..n).map(|_| Mutex::new(None)).collect();
    each(n, &|i| *lock(&results[i]) = Some(work(i)));
    in_order(results).collect()
}

/// The same for work that may fail: the error of the smallest number that failed is returned, for any number of threads, and
/// numbers above one that failed are not begun.
pub fn try_collect<R: Send, E: Send>(
    n: usize,
    work: impl Fn(usize) -> Result<R, E> + Sync,
) -> Result<Vec<R>, E> {
    let failed = AtomicUsize::new(usize::MAX);
    let results = collect(n, |i| {
        if failed.load(Ordering::Relaxed) < i {
            return None;
        }
        let result = work(i);
        if result.is_err() {
            failed.fetch_min(i, Ordering::Relaxed);
        }
        Some(result)
    });
    results.into_iter().flatten().collect()
}

/// Calls `work` with every item, a free thread taking the next ([`each_in_turn`]), and gives the results in the order of the items.
pub(crate) fn collect_of<I: Send, R: Send>(
    items: impl Iterator<Item = I>,
    work: impl Fn(I) -> R + Sync,
) -> Vec<R> {
    let items: Vec<Mutex<(Option<I>, Option<R>)>> =
        items.map(|item| Mutex::new((Some(item), None))).collect();
    each_in_turn(items.len(), &|i| {
        let mut place = lock(&items[i]);
        if let Some(item) = place.0.take() {
            place.1 = Some(work(item));
        }
    });
    let result =
        |place: Mutex<(_, Option<R>)>| place.into_inner().unwrap_or_else(PoisonError::into_inner).1;
    items.into_iter().filter_map(result).collect()
}

/// Memory that one piece of work hands on to the next, so that each thread needs it once.
#[derive(Debug, Default)]
pub(crate) struct Spare(Mutex<Vec<Vec<f64>>>);

impl Spare {
    /// Memory that nobody uses now, with whatever it held.
    pub(crate) fn take(&self) -> Vec<f64> {
        lock(&self.0).pop().unwrap_or_default()
    }

    /// Keeps memory for the next piece of work.
    pub(crate) fn put_back(&self, memory: Vec<f64>) {
        lock(&self.0).push(memory);
    }
}

/// Cuts a slice into pieces of `len` cells (the last may be shorter) and calls `work` with the number of each and its cells.
pub fn each_chunk<T: Send>(cells: &mut [T], len: usize, work: impl Fn(usize, &mut [T]) + Sync) {
    let chunks: Vec<Mutex<&mut [T]>> = cells.chunks_mut(len.max(1)).map(Mutex::new).collect();
    each(chunks.len(), &|i| work(i, &mut lock(&chunks[i])));
}

/// The same, beginning with the last piece ([`each_in_turn`]): for rows of a lower triangle, which get longer.
pub(crate) fn each_chunk_from_the_last<T: Send>(
    cells: &mut [T],
    len: usize,
    work: impl Fn(usize, &mut [T]) + Sync,
) {
    let chunks: Vec<Mutex<&mut [T]>> = cells.chunks_mut(len.max(1)).map(Mutex::new).collect();
    let last = chunks.len().saturating_sub(1);
    each_in_turn(chunks.len(), &|i| {
        work(last - i, &mut lock(&chunks[last - i]))
    });
}

/// The same for work that gives something.
pub fn collect_chunks<T: Send, R: Send>(
    cells: &mut [T],
    len: usize,
    work: impl Fn(usize, &mut [T]) -> R + Sync,
) -> Vec<R> {
    let chunks: Vec<Mutex<&mut [T]>> = cells.chunks_mut(len.max(1)).map(Mutex::new).collect();
    collect(chunks.len(), |i| work(i, &mut lock(&chunks[i])))
}

/// What a lock holds; who panicked while holding it ends the whole work anyway.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The results that are there.
fn in_order<R>(results: Vec<Mutex<Option<R>>>) -> impl Iterator<Item = R> {
    let inner =
        |result: Mutex<Option<R>>| result.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.into_iter().filter_map(inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order_and_the_first_failure_counts() {
        let squares: Vec<usize> = (0..1000).map(|i| i * i).collect();
        assert_eq!(collect(1000, |i| i * i), squares);
        assert_eq!(try_collect(5, Ok::<_, usize>), Ok(vec![0, 1, 2, 3, 4]));
        for _ in 0..20 {
            let odd = |i| if i % 97 == 96 { Err(i) } else { Ok(i) };
            assert_eq!(try_collect(1000, odd), Err(96));
        }
    }

    #[test]
    fn items_are_met_once_and_their_results_come_in_order() {
        let lengths = collect_of((0..100).map(|i| vec![0u8; i]), |item| item.len());
        assert_eq!(lengths, (0..100).collect::<Vec<usize>>());
        assert!(collect_of(std::iter::empty::<u8>(), |_| ()).is_empty());
    }

    #[test]
    fn chunks_are_met_once_each() {
        let mut cells = vec![0; 10];
        let lengths = collect_chunks(&mut cells, 4, |i, chunk| {
            chunk.fill(i + 1);
            chunk.len()
        });
        assert_eq!(lengths, [4, 4, 2]);
        each_chunk(&mut cells, 3, |_, chunk| chunk[0] += 10);
        assert_eq!(cells, [11, 1, 1, 11, 2, 2, 12, 2, 3, 13]);
        each_chunk_from_the_last(&mut cells, 4, |i, chunk| chunk[0] += 100 * i);
        assert_eq!(cells, [11, 1, 1, 11, 102, 2, 12, 2, 203, 13]);
        each_chunk_from_the_last(&mut cells[..0], 4, |_, _| unreachable!());
    }
}
