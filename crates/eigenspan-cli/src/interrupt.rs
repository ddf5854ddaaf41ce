//! Ctrl-C: once, the work stops at the next block; twice, the program ends at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Exit code of an interrupted program.
pub(crate) const INTERRUPTED: u8 = 130;

/// A flag that becomes true with the first Ctrl-C.
pub(crate) fn flag() -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&flag);
    // Without a handler Ctrl-C still ends the program, so a failure here changes nothing that matters.
    let _ = ctrlc::set_handler(move || {
        if seen.swap(true, Ordering::Relaxed) {
            std::process::exit(i32::from(INTERRUPTED));
        }
    });
    flag
}
