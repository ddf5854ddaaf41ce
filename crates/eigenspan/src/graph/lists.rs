//! The best neighbors so far of every row, which many threads improve at the same time.
//!
//! A list holds the `k` least of all pairs (relation, row) it was offered, a row by the least relation offered for it. That set
//! does not depend on the order of the offers, so neither do the bits on the number of threads.
//!
//! A pair is one number: the bits of the relation, which is not negative, above those of the row. Numbers of that kind are in the
//! order of the pairs. A list is changed by who holds its lock, so that its numbers are read and written without further order.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

pub(super) struct Lists {
    k: usize,
    /// k pairs of every row, rising; [`EMPTY`] where no neighbor was found yet.
    pairs: Vec<AtomicU64>,
    /// The bits of the last relation of every row, which an offer must not exceed.
    worst: Vec<AtomicU32>,
    locks: Vec<AtomicBool>,
}

/// Above every pair.
const EMPTY: u64 = u64::MAX;

fn pair(relation: f32, row: u32) -> u64 {
    u64::from(relation.to_bits()) << 32 | u64::from(row)
}

fn row_of(pair: u64) -> u32 {
    pair as u32
}

impl Lists {
    pub(super) fn new(n: usize, k: usize) -> Self {
        let open = f32::INFINITY.to_bits();
        Lists {
            k,
            pairs: (0..n * k).map(|_| AtomicU64::new(EMPTY)).collect(),
            worst: (0..n).map(|_| AtomicU32::new(open)).collect(),
            locks: (0..n).map(|_| AtomicBool::new(false)).collect(),
        }
    }

    pub(super) fn n_rows(&self) -> usize {
        self.worst.len()
    }

    pub(super) fn k(&self) -> usize {
        self.k
    }

    /// The same neighbors, with room for more of each row.
    pub(super) fn widened(&self, k: usize) -> Self {
        let wide = Lists::new(self.n_rows(), k);
        for (to, from) in wide.pairs.chunks(k).zip(self.pairs.chunks(self.k)) {
            for (to, from) in to.iter().zip(from) {
                to.store(from.load(Ordering::Relaxed), Ordering::Relaxed);
            }
        }
        wide
    }

    /// An offer above this changes nothing, now or later.
    pub(super) fn worst(&self, row: usize) -> f32 {
        f32::from_bits(self.worst[row].load(Ordering::Relaxed))
    }

    pub(super) fn offer(&self, row: usize, relation: f32, other: u32) {
        if relation > self.worst(row) {
            return;
        }
        let lock = &self.locks[row];
        let mut tries = 0;
        while lock.swap(true, Ordering::Acquire) {
            tries += 1;
            match tries < 64 {
                true => std::hint::spin_loop(),
                false => std::thread::yield_now(),
            }
        }
        self.insert(row, pair(relation, other));
        lock.store(false, Ordering::Release);
    }

    /// Puts a pair in its place. The caller holds the lock.
    fn insert(&self, row: usize, new: u64) {
        let list = self.list(row);
        let get = |at: usize| list[at].load(Ordering::Relaxed);
        // The places from that of the new pair to that of the same row, or to the end, move by one.
        let last = self.k - 1;
        let (mut from, mut to) = (self.k, last);
        for at in 0..self.k {
            let old = get(at);
            if from > at && old >= new {
                from = at;
            }
            if row_of(old) == row_of(new) && old != EMPTY {
                to = at;
                break;
            }
        }
        if from > to {
            return;
        }
        for at in (from..to).rev() {
            list[at + 1].store(get(at), Ordering::Relaxed);
        }
        list[from].store(new, Ordering::Relaxed);
        let end = get(last);
        if end != EMPTY {
            self.worst[row].store((end >> 32) as u32, Ordering::Relaxed);
        }
    }

    fn list(&self, row: usize) -> &[AtomicU64] {
        &self.pairs[row * self.k..(row + 1) * self.k]
    }

    /// The neighbors of a row so far.
    pub(super) fn neighbors_of(&self, row: usize) -> impl Iterator<Item = u32> {
        let pairs = self.list(row).iter();
        let pairs = pairs.map(|pair| pair.load(Ordering::Relaxed));
        pairs.take_while(|pair| *pair != EMPTY).map(row_of)
    }

    /// Writes the neighbors of a row so far, rising by number, and a number above all for places that are not filled.
    pub(super) fn copy_to(&self, row: usize, to: &mut [u32]) {
        to.fill(u32::MAX);
        to.iter_mut()
            .zip(self.neighbors_of(row))
            .for_each(|(to, other)| *to = other);
        to.sort_unstable();
    }
}
