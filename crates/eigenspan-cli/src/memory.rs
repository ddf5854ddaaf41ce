//! Running out of memory (`ulimit -v`) ends the program with one line and exit code 2, not with an abort.
//!
//! The standard library offers no other way: its reaction to a failed allocation cannot be changed. So every request goes to
//! the system's allocator unchanged, and only a refusal is handled here. A little memory is reserved for that.

use std::alloc::{GlobalAlloc, Layout, System};
use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};
use std::time::Duration;

use crate::console::REFUSED;

/// The system's allocator; a refusal ends the program.
#[derive(Debug)]
pub struct Watched;

/// Reserved memory, freed when the system has no more.
static RESERVE: AtomicPtr<u8> = AtomicPtr::new(std::ptr::null_mut());
const RESERVED: Layout = Layout::new::<[u64; 1 << 17]>();

/// Reserves memory for the error message.
pub(crate) fn set_aside() {
    // SAFETY: the layout has a size above zero. If this fails, there is simply nothing to free later.
    let memory = unsafe { System.alloc(RESERVED) };
    RESERVE.store(memory, Ordering::Relaxed);
}

// SAFETY: every call is passed on to the system's allocator unchanged; a refusal never returns to the caller.
unsafe impl GlobalAlloc for Watched {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises.
        or_give_up(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises.
        or_give_up(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as the caller promises.
        or_give_up(unsafe { System.realloc(memory, layout, size) }, size)
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[inline]
fn or_give_up(memory: *mut u8, size: usize) -> *mut u8 {
    if memory.is_null() {
        give_up(size);
    }
    memory
}

/// Reports that memory ran out, removes unfinished files, and ends the program. The first thread that gets here does it.
#[cold]
fn give_up(size: usize) -> ! {
    static BEGUN: AtomicBool = AtomicBool::new(false);
    const PATIENCE: Duration = Duration::from_secs(2);
    if BEGUN.swap(true, Ordering::SeqCst) {
        std::thread::sleep(PATIENCE);
        std::process::exit(i32::from(REFUSED));
    }
    let reserve = RESERVE.swap(std::ptr::null_mut(), Ordering::SeqCst);
    if !reserve.is_null() {
        // SAFETY: it came from this allocator with this layout, and the swap made this thread its only owner.
        unsafe { System.dealloc(reserve, RESERVED) };
    }
    eigenspan_io::remove_unfinished();
    let mut line = [0u8; 256];
    let mut rest = &mut line[..];
    let (size, unit) = match size {
        0..1_000_000 => (size.div_ceil(1000), "kB"),
        1_000_000..10_000_000_000 => (size / 1_000_000, "MB"),
        _ => (size / 1_000_000_000, "GB"),
    };
    let _ = writeln!(
        rest,
        "error: not enough memory: {size} {unit} more cannot be had (eigenspan plan says what a fit takes, --memory sets a limit)"
    );
    let left = rest.len();
    let said = line.len() - left;
    let _ = std::io::stderr().write_all(line.get(..said).unwrap_or_default());
    std::process::exit(i32::from(REFUSED))
}
