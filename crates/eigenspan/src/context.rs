//! Threads, memory budget, progress and cancellation of a computation.
//!
//! The core has no clock, no terminal and no signal handler; a front puts those behind this type.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::error::Error;

/// Receives the progress of a computation. Called from several threads.
pub trait Progress: Send + Sync {
    /// A stage begins; `total` is in the same unit as the steps, where it is known.
    fn begin(&self, stage: &str, total: Option<u64>);
    /// This many more steps are done.
    fn advance(&self, steps: u64);
}

/// Threads, memory budget, progress and cancellation for one computation. Cheap to clone.
#[derive(Clone, Default)]
pub struct Context {
    pool: Option<Arc<rayon::ThreadPool>>,
    memory: Option<u64>,
    /// Asks the system how much memory is free.
    free: Option<fn() -> Option<u64>>,
    progress: Option<Arc<dyn Progress>>,
    stop: Arc<AtomicBool>,
    /// Work that was done under this context and its clones.
    work: Arc<AtomicU64>,
}

impl std::fmt::Debug for Context {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Context")
            .field("threads", &self.threads())
            .field("memory", &self.memory)
            .finish()
    }
}

impl Context {
    /// All cores, no memory limit, no listener.
    pub fn new() -> Self {
        Self::default()
    }

    /// Uses its own pool of this many threads. The number changes only the speed, never a result.
    pub fn with_threads(mut self, threads: usize) -> Result<Self, Error> {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .map_err(|e| Error::Source(Box::new(e)))?;
        self.pool = Some(Arc::new(pool));
        Ok(self)
    }

    /// Refuses plans that need more bytes than this.
    pub fn with_memory(mut self, bytes: u64) -> Self {
        self.memory = Some(bytes);
        self
    }

    /// Reports progress to this listener.
    pub fn with_progress(mut self, progress: Arc<dyn Progress>) -> Self {
        self.progress = Some(progress);
        self
    }

    /// Stops soon after this flag becomes true.
    pub fn with_stop(mut self, stop: Arc<AtomicBool>) -> Self {
        self.stop = stop;
        self
    }

    /// The same context without progress, for one of many fits of a larger piece of work.
    pub fn without_progress(&self) -> Self {
        Context {
            progress: None,
            ..self.clone()
        }
    }

    /// The memory budget, if there is one.
    pub fn memory(&self) -> Option<u64> {
        self.memory
    }

    /// Without a budget, allows as much memory as this function says is free, instead of 8 GB.
    pub fn with_free_memory(mut self, free: fn() -> Option<u64>) -> Self {
        self.free = Some(free);
        self
    }

    /// Bytes that a computation may take: the budget, or the free memory.
    pub fn allowed(&self) -> u64 {
        const UNKNOWN: u64 = 8_000_000_000;
        let free = || self.free.and_then(|free| free());
        self.memory.or_else(free).unwrap_or(UNKNOWN)
    }

    /// Whether a computation may take this many bytes.
    pub fn affords(&self, bytes: u64) -> bool {
        /// An amount that every machine has; asking the system would take longer than a small fit.
        const LITTLE: u64 = 100_000_000;
        (self.memory.is_none() && bytes <= LITTLE) || bytes <= self.allowed()
    }

    /// The number of threads.
    pub fn threads(&self) -> usize {
        self.pool
            .as_ref()
            .map_or_else(rayon::current_num_threads, |pool| {
                pool.current_num_threads()
            })
    }

    /// An error once the user wants to stop. Loops call this once per block of work.
    pub fn check(&self) -> Result<(), Error> {
        if self.stop.load(Ordering::Relaxed) {
            Err(Error::Cancelled)
        } else {
            Ok(())
        }
    }

    /// Work that the solvers of a PCA did under this context and its clones so far: operations, each kind weighted by how long it
    /// takes beside an operation of a plain matrix product. It is counted, not timed: the same for any number of threads.
    pub fn work(&self) -> u64 {
        self.work.load(Ordering::Relaxed)
    }

    /// Adds work that was done. Whole numbers: their sum is the same in any order.
    pub(crate) fn count_work(&self, operations: u64) {
        self.work.fetch_add(operations, Ordering::Relaxed);
    }

    /// Announces a stage.
    pub fn begin(&self, stage: &str, total: Option<u64>) {
        if let Some(progress) = &self.progress {
            progress.begin(stage, total);
        }
    }

    /// Reports steps done.
    pub fn advance(&self, steps: u64) {
        if let Some(progress) = &self.progress {
            progress.advance(steps);
        }
    }

    /// Runs `work` on the current pool of threads if the caller is inside one, else on this context's threads.
    pub(crate) fn install_here<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        if rayon::current_thread_index().is_some() {
            work()
        } else {
            self.install(work)
        }
    }

    /// Runs `work` inside this context's threads.
    pub fn install<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        let (mut work, mut result) = (Some(work), None);
        // The pool is entered through one function for all kinds of work, so that its code is compiled once.
        self.enter(&mut || result = work.take().map(|work| work()));
        match result {
            Some(result) => result,
            None => unreachable!("the pool runs what it is given, or passes its panic on"),
        }
    }

    fn enter(&self, work: &mut (dyn FnMut() + Send)) {
        match &self.pool {
            Some(pool) => pool.install(work),
            None => work(),
        }
    }

    /// Runs `worker` on this many of the context's threads at the same time, or on all if there are fewer.
    pub(crate) fn on_threads(&self, most: usize, worker: &(dyn Fn() + Sync)) {
        self.enter(&mut || {
            rayon::scope(|scope| {
                for _ in 0..rayon::current_num_threads().min(most) {
                    scope.spawn(|_| worker());
                }
            });
        });
    }
}
