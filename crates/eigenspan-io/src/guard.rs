//! The one place where a panic in a decoder that is not ours becomes an error.
//!
//! Files are checked before they are decoded, but decoders of others were written for files that are whole. What one says
//! when it stumbles is for its authors; the user hears that the file is damaged. A library does not change how the process
//! reports panics: a program that wants those of decoders unsaid calls [`silence_decoder_panics`].

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

thread_local! {
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// Runs a decoder. It must not call back into the core, whose panics are to be heard.
pub(crate) fn guarded<R, E>(
    damaged: impl FnOnce(&'static str) -> E,
    work: impl FnOnce() -> Result<R, E>,
) -> Result<R, E> {
    let before = QUIET.replace(true);
    let done = catch_unwind(AssertUnwindSafe(work));
    QUIET.set(before);
    done.unwrap_or_else(|_| Err(damaged("its parts contradict each other")))
}

/// Keeps the process from printing panics of decoders that become errors; all others are printed as before. For programs, which
/// own their process: it replaces the panic hook, once.
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
