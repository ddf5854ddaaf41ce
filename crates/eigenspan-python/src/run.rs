//! Work without Python's lock, on threads that survive a fork, and stopped by Ctrl-C at the engine's next step.
//!
//! The engine looks at a flag once per block of work; a decomposition of a dense matrix is one such block. Python knows of a signal only when it is asked on its main thread, so
//! that one asks now and then while the work runs on another.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use eigenspan::Context;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::error::raised;

/// What a computation may use.
#[derive(Debug, Clone, Copy, Default, FromPyObject)]
pub(crate) struct Means {
    /// Threads; none for all cores. More than there are cores would only wait for each other.
    #[pyo3(item)]
    threads: Option<usize>,
    /// Bytes; none for no limit.
    #[pyo3(item)]
    memory: Option<u64>,
}

/// Contexts with their pools of threads, the last used last: the process and the number of threads they were made for.
static POOLS: Mutex<Vec<(u32, usize, Context)>> = Mutex::new(Vec::new());

/// Pools that are kept; what is asked for after that takes the place of the one that was not used for longest.
const MOST_POOLS: usize = 4;

/// Cores that this process may use.
#[pyfunction]
pub(crate) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// How often Python is asked for signals.
const PATIENCE: Duration = Duration::from_millis(50);

impl Means {
    /// Threads are made once per process: those of a parent are not there after a fork, and waiting for them would never end.
    fn context(self) -> PyResult<Context> {
        let process = std::process::id();
        let threads = self
            .threads
            .map_or_else(cores, |asked| asked.clamp(1, cores()));
        let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
        if pools.iter().any(|(maker, ..)| *maker != process) {
            // A parent's: its threads cannot even be ended from here.
            std::mem::forget(std::mem::take(&mut *pools));
        }
        let known = pools.iter().position(|(_, count, _)| *count == threads);
        let context = match known {
            Some(at) => pools.remove(at).2,
            None => Context::new()
                .with_free_memory(eigenspan_io::free_memory)
                .with_threads(threads)
                .map_err(raised)?,
        };
        pools.push((process, threads, context.clone()));
        if pools.len() > MOST_POOLS {
            // Its threads end when the last computation that runs on them does.
            pools.remove(0);
        }
        Ok(match self.memory {
            Some(bytes) => context.with_memory(bytes),
            None => context,
        })
    }
}

/// Runs `work` without the lock; small work here, larger work where Ctrl-C can stop it.
pub(crate) fn run<R: Send>(
    py: Python<'_>,
    means: Means,
    is_small: bool,
    work: impl FnOnce(&Context) -> R + Send,
) -> PyResult<R> {
    let stop = Arc::new(AtomicBool::new(false));
    let context = means.context()?.with_stop(Arc::clone(&stop));
    if is_small {
        return Ok(py.detach(|| context.install(|| work(&context))));
    }
    let lost = || PyRuntimeError::new_err("the computation ended without a result");
    py.detach(|| {
        std::thread::scope(|scope| {
            let (send, receive) = channel();
            let context = &context;
            scope.spawn(move || {
                // The receiver waits below until something is sent.
                let _ = send.send(context.install(|| work(context)));
            });
            let mut signal = None;
            loop {
                match receive.recv_timeout(PATIENCE) {
                    Ok(result) => return signal.map_or(Ok(result), Err),
                    Err(RecvTimeoutError::Disconnected) => return Err(signal.unwrap_or_else(lost)),
                    Err(RecvTimeoutError::Timeout) if signal.is_none() => {
                        signal = Python::attach(|py| py.check_signals()).err();
                        stop.store(signal.is_some(), Ordering::Relaxed);
                    }
                    Err(RecvTimeoutError::Timeout) => {}
                }
            }
        })
    })
}
