//! Keeps track of unfinished files, so that a program that must end at once leaves none behind.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

static LIVE: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// An unfinished file or folder, registered as long as this value exists.
#[derive(Debug)]
pub(super) struct Live(PathBuf);

impl Live {
    pub(super) fn new(path: &Path) -> Self {
        let path = path.to_owned();
        LIVE.lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(path.clone());
        Live(path)
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        let mut live = LIVE.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = live.iter().position(|path| *path == self.0) {
            live.swap_remove(at);
        }
    }
}

/// Removes unfinished files, for a program that ends without unwinding. It never waits.
pub fn remove_unfinished() {
    let Ok(live) = LIVE.try_lock() else { return };
    for path in live.iter() {
        // The program ends in any case: files that cannot be removed stay.
        let _ = match path.is_dir() {
            true => std::fs::remove_dir_all(path),
            false => std::fs::remove_file(path),
        };
    }
}
