//! The only place that turns a panic in a third-party decoder into an error.
//!
//! Files are checked before they are decoded, but third-party decoders expect intact files and may panic on damaged ones. The
//! panic's message is written for the decoder's authors; the user is told that the file is damaged. A library does not change
//! how the process reports panics: a program that does not want to print the panics of decoders calls
//! [`silence_decoder_panics`].

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

thread_local! {
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// Runs a decoder, and turns its panic into an error. The decoder must not call back into the core, whose panics must stay
/// visible.
pub(crate) fn guarded<R, E>(
    damaged: impl FnOnce(&'static str) -> E,
    work: impl FnOnce() -> Result<R, E>,
) -> Result<R, E> {
    let before = QUIET.replace(true);
    let done = catch_unwind(AssertUnwindSafe(work));
    QUIET.set(before);
    done.unwrap_or_else(|_| Err(damaged("its parts contradict each other")))
}

/// Stops the process from printing those panics of decoders that become errors; all others are printed as before. It replaces
/// the panic hook, once, so only a program that owns its process should call it.
pub fn silence_decoder_panics() {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !QUIET.get() {
                usual(info);
            }
        }));
    });
}
