//! The best neighbors so far of every row, which many threads improve at the same time.
//!
//! A list holds the `k` least of all pairs (relation, row) it was offered, a row by the least relation offered for it. That set
//! does not depend on the order of the offers, so neither do the bits on the number of threads.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::parallel::lock;

pub(super) struct Lists {
    k: usize,
    /// Rising by relation, then by row.
    rows: Vec<Mutex<Vec<(f32, u32)>>>,
    /// The bits of the relation that an offer must not exceed.
    worst: Vec<AtomicU32>,
}

impl Lists {
    pub(super) fn new(n: usize, k: usize) -> Self {
        Lists {
            k,
            rows: (0..n)
                .map(|_| Mutex::new(Vec::with_capacity(k + 1)))
                .collect(),
            worst: (0..n)
                .map(|_| AtomicU32::new(f32::INFINITY.to_bits()))
                .collect(),
        }
    }

    pub(super) fn n_rows(&self) -> usize {
        self.rows.len()
    }

    pub(super) fn k(&self) -> usize {
        self.k
    }

    /// Makes room for more neighbors of each row.
    pub(super) fn widen(&mut self, k: usize) {
        self.k = k;
        let open = f32::INFINITY.to_bits();
        self.worst
            .iter_mut()
            .for_each(|worst| *worst.get_mut() = open);
    }

    /// An offer above this changes nothing, now or later.
    pub(super) fn worst(&self, row: usize) -> f32 {
        f32::from_bits(self.worst[row].load(Ordering::Relaxed))
    }

    pub(super) fn offer(&self, row: usize, relation: f32, other: u32) {
        if relation > self.worst(row) {
            return;
        }
        let mut list = lock(&self.rows[row]);
        if let Some(at) = list.iter().position(|(_, own)| *own == other) {
            if list[at].0 <= relation {
                return;
            }
            list.remove(at);
        }
        let at = list.partition_point(|near| *near < (relation, other));
        if at >= self.k {
            return;
        }
        list.insert(at, (relation, other));
        list.truncate(self.k);
        if list.len() == self.k {
            let worst = list[self.k - 1].0;
            self.worst[row].store(worst.to_bits(), Ordering::Relaxed);
        }
    }

    /// The neighbors of a row so far.
    pub(super) fn of(&self, row: usize) -> Vec<u32> {
        lock(&self.rows[row])
            .iter()
            .map(|(_, other)| *other)
            .collect()
    }

    /// Writes the neighbors of a row so far, rising by number, and a number above all for places that are not filled.
    pub(super) fn copy_to(&self, row: usize, to: &mut [u32]) {
        to.fill(u32::MAX);
        let list = lock(&self.rows[row]);
        to.iter_mut()
            .zip(&*list)
            .for_each(|(to, (_, other))| *to = *other);
        to.sort_unstable();
    }
}
