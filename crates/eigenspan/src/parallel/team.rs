//! Threads that wait for the next piece of work instead of going to sleep: for thousands of short pieces of work, one after the other.
//!
//! A thread of the pool that finds nothing to do goes to sleep after a few microseconds, and takes as long as a short piece of work
//! to wake up. The threads of a [`Team`] look for the next piece until the team is dissolved; where there are more threads than
//! processors, they let others run after a while.

use std::cell::UnsafeCell;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use super::lock;

/// How often a thread looks for work before it lets others run.
const LOOKS: usize = 2000;
/// The most items of one piece of work: a claim counts items in 16 bits, and the rest of its bits count pieces of work.
const MOST_ITEMS: usize = (1 << 16) - 1;
/// The claim that dissolves a team.
const DISSOLVED: u64 = u64::MAX;

/// The function of a piece of work, called with the number of each item.
type Work<'a> = &'a (dyn Fn(usize) + Sync);

/// Threads that share one piece of work after the other.
pub(crate) struct Team {
    /// Which item is claimed next: (number of the piece of work, number of its items, next item), 32, 16 and 16 bits.
    claim: AtomicU64,
    /// Items of the present piece of work that are done.
    done: AtomicUsize,
    /// The present piece of work. Written only while no item is claimed, read only between a claim and its end.
    work: UnsafeCell<Option<Work<'static>>>,
}

// SAFETY: `work` is the only field that is not shared safely by itself. The thread that owns the team writes it while all items of
// the piece before are done, and so while nobody reads it; the claim that makes it known is stored after it with `Release`.
unsafe impl Sync for Team {}

/// Runs `lead` on the calling thread, with a team of at most `most` threads of the pool that runs it.
pub(crate) fn with_team<R: Send>(most: usize, lead: impl FnOnce(&Team) -> R + Send) -> R {
    let team = Team {
        claim: AtomicU64::new(0),
        done: AtomicUsize::new(0),
        work: UnsafeCell::new(None),
    };
    let helpers = rayon::current_num_threads().min(most).saturating_sub(1);
    rayon::scope(|scope| {
        for _ in 0..helpers {
            scope.spawn(|_| team.help());
        }
        // Dissolved also where `lead` panics: the scope waits for all helpers.
        let _end = Dissolve(&team);
        lead(&team)
    })
}

struct Dissolve<'a>(&'a Team);

impl Drop for Dissolve<'_> {
    fn drop(&mut self) {
        self.0.claim.store(DISSOLVED, Ordering::Release);
    }
}

/// Counts an item as done, also where its work panicked: whoever waits for it must not wait forever.
struct Done<'a>(&'a AtomicUsize);

impl Drop for Done<'_> {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Release);
    }
}

/// Ends a piece of work with this many items: waits until all are done. Where one panicked on this thread, items that nobody has
/// begun are left out.
struct Finish<'a>(&'a Team, usize);

impl Drop for Finish<'_> {
    fn drop(&mut self) {
        let Finish(team, n) = self;
        while team.claim_one().is_some() {
            drop(Done(&team.done));
        }
        let mut looks = 0;
        while team.done.load(Ordering::Acquire) < *n {
            wait(&mut looks);
        }
    }
}

impl Team {
    /// Calls `work` with every number below `n`, a free thread taking the next, and returns when all are done. Only the thread that
    /// leads the team may call it, and not from within `work`.
    pub(crate) fn each(&self, n: usize, work: Work<'_>) {
        assert!(n <= MOST_ITEMS, "a team takes at most {MOST_ITEMS} items");
        if n == 0 {
            return;
        }
        self.done.store(0, Ordering::Relaxed);
        // SAFETY: no thread uses `work` after this call: an item is claimed before it is worked on, and `Finish` waits until all items
        // are done and none is left to claim. Nobody reads the cell now, because all items of the piece before are done.
        unsafe {
            *self.work.get() = Some(std::mem::transmute::<Work<'_>, Work<'static>>(work));
        }
        let piece = (self.claim.load(Ordering::Relaxed) >> 32).wrapping_add(1) & 0x7fff_ffff;
        let claim = (piece << 32) | ((n as u64) << 16);
        self.claim.store(claim, Ordering::Release);
        let _end = Finish(self, n);
        while self.take_one() {}
    }

    /// Cuts a slice into pieces of `len` cells (the last may be shorter) and calls `work` with the number of each and its cells.
    pub(crate) fn each_chunk<T: Send>(
        &self,
        cells: &mut [T],
        len: usize,
        work: impl Fn(usize, &mut [T]) + Sync,
    ) {
        let chunks: Vec<Mutex<&mut [T]>> = cells.chunks_mut(len.max(1)).map(Mutex::new).collect();
        self.each(chunks.len(), &|i| work(i, &mut lock(&chunks[i])));
    }

    /// Claims an item and works on it; false where no item is left.
    fn take_one(&self) -> bool {
        let Some(item) = self.claim_one() else {
            return false;
        };
        let _end = Done(&self.done);
        // SAFETY: this item is claimed and not done, so that the cell holds its piece of work and nobody writes it.
        if let Some(work) = unsafe { *self.work.get() } {
            work(item);
        }
        true
    }

    /// The number of an item that nobody else works on; `None` where no item is left.
    fn claim_one(&self) -> Option<usize> {
        loop {
            let claim = self.claim.load(Ordering::Acquire);
            let (item, n) = (claim & 0xffff, (claim >> 16) & 0xffff);
            if claim == DISSOLVED || item >= n {
                return None;
            }
            let next = claim + 1;
            let order = (Ordering::AcqRel, Ordering::Relaxed);
            let claimed = self.claim.compare_exchange(claim, next, order.0, order.1);
            if claimed.is_ok() {
                return Some(item as usize);
            }
        }
    }

    /// Takes items until the team is dissolved.
    fn help(&self) {
        let mut looks = 0;
        while self.claim.load(Ordering::Acquire) != DISSOLVED {
            match self.take_one() {
                true => looks = 0,
                false => wait(&mut looks),
            }
        }
    }
}

/// Waits a moment; after many moments, lets another thread run.
fn wait(looks: &mut usize) {
    *looks += 1;
    match *looks < LOOKS {
        true => std::hint::spin_loop(),
        false => std::thread::yield_now(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_of_every_piece_is_met_once() {
        for threads in [1, 2, 5] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
            let pool = pool.build().expect("a pool");
            let total = pool.install(|| {
                with_team(8, |team| {
                    let mut total = 0;
                    for piece in 0..3000usize {
                        let n = piece % 9;
                        let met: Vec<AtomicUsize> = (0..n).map(|_| AtomicUsize::new(0)).collect();
                        team.each(n, &|i| {
                            met[i].fetch_add(piece + i, Ordering::Relaxed);
                        });
                        for (i, met) in met.iter().enumerate() {
                            assert_eq!(met.load(Ordering::Relaxed), piece + i);
                        }
                        total += n;
                    }
                    total
                })
            });
            assert_eq!(total, (0..3000).map(|piece| piece % 9).sum::<usize>());
        }
    }

    #[test]
    fn a_panic_in_an_item_ends_the_team() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2);
        let pool = pool.build().expect("a pool");
        for _ in 0..50 {
            let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                pool.install(|| {
                    with_team(2, |team| {
                        team.each(4, &|i| assert!(i != 2, "the third item"))
                    })
                })
            }));
            assert!(result.is_err());
        }
    }
}
