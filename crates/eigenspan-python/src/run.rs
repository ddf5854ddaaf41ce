//! Runs work without Python's lock, on threads that survive a fork, and stops it on Ctrl-C at the engine's next step.
//!
//! Light work stays on the calling thread: waking another one takes longer than the fit of a small table.
//!
//! The engine checks a flag once per block of work; a decomposition of a dense matrix is one such block. Python reports a
//! signal only on its main thread, so that thread checks for signals now and then while the work runs on another. The same
//! thread reports progress: it calls a Python function with the stage, the steps done and their total; the function stops the
//! work by raising.

use std::cell::OnceCell;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use eigenspan::{Context, Progress};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::error::raised;

/// What a computation may use, and the function to which it reports progress.
#[derive(Debug, Default, FromPyObject)]
pub(crate) struct Means {
    /// Threads; `None` for all cores. More threads than cores would only wait for each other.
    #[pyo3(item)]
    threads: Option<usize>,
    /// Bytes; `None` for no limit.
    #[pyo3(item)]
    memory: Option<u64>,
    /// A Python function that is called with a stage, the steps done and their total, if that is known.
    #[pyo3(item, default)]
    watch: Option<Py<PyAny>>,
}

/// A stage of the work and its progress.
#[derive(Debug)]
struct Stage {
    name: String,
    done: u64,
    total: Option<u64>,
    /// The steps that were reported last.
    reported: Option<u64>,
}

/// The stages that the engine announced, kept until the waiting thread reports them.
#[derive(Debug, Default)]
struct Stages(Mutex<Vec<Stage>>);

impl Progress for Stages {
    fn begin(&self, stage: &str, total: Option<u64>) {
        let mut stages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        stages.push(Stage {
            name: stage.to_owned(),
            done: 0,
            total,
            reported: None,
        });
    }

    fn advance(&self, steps: u64) {
        let mut stages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(stage) = stages.last_mut() {
            stage.done += steps;
        }
    }
}

impl Stages {
    /// Progress that was not reported yet; only the last stage is kept, since those before it are over.
    fn take_news(&self) -> Vec<(String, u64, Option<u64>)> {
        let mut stages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut news = Vec::new();
        for stage in stages.iter_mut().filter(|s| s.reported != Some(s.done)) {
            stage.reported = Some(stage.done);
            // Iterations read the rows repeatedly, so the total is unknown.
            let total = stage.total.filter(|total| stage.done <= *total);
            news.push((stage.name.clone(), stage.done, total));
        }
        let over = stages.len().saturating_sub(1);
        stages.drain(..over);
        news
    }

    /// Calls the Python function once for every stage with progress; an error means that the work should stop.
    fn report(&self, py: Python<'_>, watch: &Py<PyAny>) -> PyResult<()> {
        for news in self.take_news() {
            watch.call1(py, news)?;
        }
        Ok(())
    }
}

/// Contexts with their thread pools, the most recently used last: the process and the number of threads they were made for.
static POOLS: Mutex<Vec<(u32, usize, Context)>> = Mutex::new(Vec::new());

/// The most pools that are kept; a further one replaces the one that was not used for longest.
const MOST_POOLS: usize = 4;

/// Cores that this process may use.
#[pyfunction]
pub(crate) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// How often Python is checked for signals.
const PATIENCE: Duration = Duration::from_millis(50);

impl Means {
    /// Whether a function is told about progress and may stop the work.
    pub(crate) fn is_watched(&self) -> bool {
        self.watch.is_some()
    }

    /// Threads are created once per process: the threads of a parent do not exist after a fork, and waiting for them would
    /// never end.
    fn context(&self) -> PyResult<Context> {
        let process = std::process::id();
        let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
        if pools.iter().any(|(maker, ..)| *maker != process) {
            // Pools of the parent process: their threads cannot even be ended from here.
            std::mem::forget(std::mem::take(&mut *pools));
        }
        let known = |pools: &[(u32, usize, Context)], threads| {
            pools.iter().position(|(_, count, _)| *count == threads)
        };
        // Cores are counted only if no pool fits: the system takes longer for it than a small fit does.
        let at_once = self.threads.filter(|n| known(&pools, *n).is_some());
        let most = |wanted: usize| wanted.clamp(1, cores());
        let threads = at_once.unwrap_or_else(|| self.threads.map_or_else(cores, most));
        let context = match known(&pools, threads) {
            Some(at) => pools.remove(at).2,
            None => here().with_threads(threads).map_err(raised)?,
        };
        pools.push((process, threads, context.clone()));
        if pools.len() > MOST_POOLS {
            // Its threads end with the last computation that runs on them.
            pools.remove(0);
        }
        Ok(self.limited(context))
    }

    fn limited(&self, context: Context) -> Context {
        match self.memory {
            Some(bytes) => context.with_memory(bytes),
            None => context,
        }
    }
}

/// A context without a thread pool of its own.
fn here() -> Context {
    Context::new().with_free_memory(eigenspan_io::free_memory)
}

/// Operations that take about a millisecond, too short to interrupt or to share with a second thread.
const LIGHT: u64 = 1 << 22;

/// The number of operations of work without a cheap estimate.
pub(crate) const UNKNOWN: u64 = u64::MAX;

/// The most Python threads that may do light work themselves. Each keeps a few kilobytes for good, so there is a limit.
const MOST_ALONE: usize = 256;

/// Python threads that tried to become a pool of one thread.
static ALONE: AtomicUsize = AtomicUsize::new(0);

/// Whether the calling thread is a pool of its own, in which parallel loops run on it alone. Without one, they would start
/// threads for the whole process, which do not exist after a fork.
fn is_alone() -> bool {
    thread_local! {
        static IS_ALONE: OnceCell<bool> = const { OnceCell::new() };
    }
    IS_ALONE.with(|is_alone| {
        *is_alone.get_or_init(|| {
            if ALONE.fetch_add(1, Ordering::Relaxed) >= MOST_ALONE {
                return false;
            }
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(1)
                .use_current_thread()
                .build();
            // The thread stays in the pool as long as it lives.
            pool.map(std::mem::forget).is_ok()
        })
    })
}

/// Runs `work` of about so many operations without Python's lock. Light work without a progress function runs on this thread,
/// other work on a thread that Ctrl-C can stop.
pub(crate) fn run<R: Send>(
    py: Python<'_>,
    means: Means,
    operations: u64,
    work: impl FnOnce(&Context) -> R + Send,
) -> PyResult<R> {
    if operations <= LIGHT && !means.is_watched() && is_alone() {
        let context = means.limited(here());
        return Ok(py.detach(|| work(&context)));
    }
    let stop = Arc::new(AtomicBool::new(false));
    let stages = Arc::new(Stages::default());
    let mut context = means.context()?.with_stop(Arc::clone(&stop));
    if means.is_watched() {
        context = context.with_progress(Arc::clone(&stages) as Arc<dyn Progress>);
    }
    // Signals first: the progress function is Python code, which a signal would interrupt.
    let ask = || {
        Python::attach(|py| {
            py.check_signals()?;
            match &means.watch {
                Some(watch) => stages.report(py, watch),
                None => Ok(()),
            }
        })
    };
    let lost = || PyRuntimeError::new_err("the computation ended without a result");
    py.detach(|| {
        std::thread::scope(|scope| {
            let (send, receive) = channel();
            let context = &context;
            scope.spawn(move || {
                // The receiver waits below until something is sent.
                let _ = send.send(context.install(|| work(context)));
            });
            let mut stopped = None;
            loop {
                match receive.recv_timeout(PATIENCE) {
                    Ok(result) => {
                        let last = || means.is_watched().then(|| ask().err()).flatten();
                        return stopped.or_else(last).map_or(Ok(result), Err);
                    }
                    Err(RecvTimeoutError::Disconnected) => return Err(stopped.unwrap_or_else(lost)),
                    Err(RecvTimeoutError::Timeout) if stopped.is_none() => {
                        stopped = ask().err();
                        stop.store(stopped.is_some(), Ordering::Relaxed);
                    }
                    Err(RecvTimeoutError::Timeout) => {}
                }
            }
        })
    })
}
