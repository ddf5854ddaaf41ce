//! A cache for numbers that a reader keeps between readings, until they are dropped.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A cache for one value.
#[derive(Debug)]
pub(crate) struct Keep<K>(Mutex<Slot<K>>);

#[derive(Debug)]
enum Slot<K> {
    /// Nothing may be kept.
    Closed,
    /// Nothing has been kept yet.
    Empty,
    Full(Arc<K>),
}

impl<K> Keep<K> {
    /// An empty cache; a closed one if there is no room.
    pub(crate) fn room(room: bool) -> Self {
        let slot = if room { Slot::Empty } else { Slot::Closed };
        Keep(Mutex::new(slot))
    }

    /// A cache that holds a value already; a closed one if there is none.
    pub(crate) fn full(kept: Option<K>) -> Self {
        let full = |kept| Slot::Full(Arc::new(kept));
        Keep(Mutex::new(kept.map_or(Slot::Closed, full)))
    }

    /// The value that is kept.
    pub(crate) fn get(&self) -> Option<Arc<K>> {
        match &*self.lock() {
            Slot::Full(kept) => Some(kept.clone()),
            Slot::Closed | Slot::Empty => None,
        }
    }

    /// Whether a value is kept or may be kept.
    pub(crate) fn is_open(&self) -> bool {
        !matches!(&*self.lock(), Slot::Closed)
    }

    /// Whether a value may be kept but none is there yet.
    pub(crate) fn is_waiting(&self) -> bool {
        matches!(&*self.lock(), Slot::Empty)
    }

    /// Keeps a value, unless the cache is closed.
    pub(crate) fn set(&self, kept: K) {
        let mut slot = self.lock();
        if matches!(&*slot, Slot::Empty) {
            *slot = Slot::Full(Arc::new(kept));
        }
    }

    /// Drops the value; nothing is kept afterwards.
    pub(crate) fn close(&self) {
        *self.lock() = Slot::Closed;
    }

    fn lock(&self) -> MutexGuard<'_, Slot<K>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::Keep;

    #[test]
    fn what_is_dropped_does_not_come_back() {
        let keep = Keep::room(true);
        assert!(keep.is_waiting() && keep.get().is_none());
        keep.set(1);
        keep.set(2);
        assert_eq!(keep.get().as_deref(), Some(&1));
        keep.close();
        keep.set(3);
        assert!(keep.get().is_none() && !keep.is_open());
    }
}
