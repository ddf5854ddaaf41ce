//! Work without Python's lock, on threads that survive a fork, and stopped by Ctrl-C at the engine's next step.
//!
//! Light work stays on the thread that asks for it: to wake another one takes longer than the fit of a small table.
//!
//! The engine looks at a flag once per block of work; a decomposition of a dense matrix is one such block. Python knows of a signal only when it is asked on its main thread, so
//! that one asks now and then while the work runs on another. The same thread tells whoever watches how far the work has come: a
//! function of Python is called with the stage, the steps done and their total, and stops the work by raising.

use std::cell::OnceCell;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use eigenspan::{Context, Progress};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::error::raised;

/// What a computation may use, and whom it tells how far it has come.
#[derive(Debug, Default, FromPyObject)]
pub(crate) struct Means {
    /// Threads; none for all cores. More than there are cores would only wait for each other.
    #[pyo3(item)]
    threads: Option<usize>,
    /// Bytes; none for no limit.
    #[pyo3(item)]
    memory: Option<u64>,
    /// A function of Python that is called with a stage, the steps done and their total, where that is known.
    #[pyo3(item, default)]
    watch: Option<Py<PyAny>>,
}

/// A stage of the work and how far it has come.
#[derive(Debug)]
struct Stage {
    name: String,
    done: u64,
    total: Option<u64>,
    /// The steps that were told last.
    told: Option<u64>,
}

/// The stages that the engine announced, kept until the thread that waits for the work tells them.
#[derive(Debug, Default)]
struct Stages(Mutex<Vec<Stage>>);

impl Progress for Stages {
    fn begin(&self, stage: &str, total: Option<u64>) {
        let mut stages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        stages.push(Stage {
            name: stage.to_owned(),
            done: 0,
            total,
            told: None,
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
    /// What was not told yet; only the last stage is kept, since those before it are over.
    fn take_news(&self) -> Vec<(String, u64, Option<u64>)> {
        let mut stages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut news = Vec::new();
        for stage in stages.iter_mut().filter(|s| s.told != Some(s.done)) {
            stage.told = Some(stage.done);
            // Iterations read the rows again and again: then nobody knows how often.
            let total = stage.total.filter(|total| stage.done <= *total);
            news.push((stage.name.clone(), stage.done, total));
        }
        let over = stages.len().saturating_sub(1);
        stages.drain(..over);
        news
    }

    /// Calls the function of Python that watches, once for every stage with news; an error is its wish to stop.
    fn tell(&self, py: Python<'_>, watch: &Py<PyAny>) -> PyResult<()> {
        for news in self.take_news() {
            watch.call1(py, news)?;
        }
        Ok(())
    }
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
    /// Whether somebody is told how far the work has come, and may stop it.
    pub(crate) fn is_watched(&self) -> bool {
        self.watch.is_some()
    }

    /// Threads are made once per process: those of a parent are not there after a fork, and waiting for them would never end.
    fn context(&self) -> PyResult<Context> {
        let process = std::process::id();
        let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
        if pools.iter().any(|(maker, ..)| *maker != process) {
            // A parent's: its threads cannot even be ended from here.
            std::mem::forget(std::mem::take(&mut *pools));
        }
        let known = |pools: &[(u32, usize, Context)], threads| {
            pools.iter().position(|(_, count, _)| *count == threads)
        };
        // Cores are counted only where no pool answers: the system takes longer to say than a small fit does.
        let at_once = self.threads.filter(|n| known(&pools, *n).is_some());
        let most = |asked: usize| asked.clamp(1, cores());
        let threads = at_once.unwrap_or_else(|| self.threads.map_or_else(cores, most));
        let context = match known(&pools, threads) {
            Some(at) => pools.remove(at).2,
            None => here().with_threads(threads).map_err(raised)?,
        };
        pools.push((process, threads, context.clone()));
        if pools.len() > MOST_POOLS {
            // Its threads end when the last computation that runs on them does.
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

/// A context without a pool of its own.
fn here() -> Context {
    Context::new().with_free_memory(eigenspan_io::free_memory)
}

/// Operations that are done in about a millisecond, before anyone could want to interrupt them or a second thread could help.
const LIGHT: u64 = 1 << 22;

/// Operations of work that has no cheap estimate.
pub(crate) const UNKNOWN: u64 = u64::MAX;

/// Threads of Python that may do light work themselves. Each keeps a few kilobytes for good, so their number has a limit.
const MOST_ALONE: usize = 256;

/// Threads of Python that tried to become a pool of one.
static ALONE: AtomicUsize = AtomicUsize::new(0);

/// Whether the calling thread is a pool of its own, in which parallel loops run on it alone. Without one they would start
/// threads for the whole process, which are not there after a fork.
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

/// Runs `work` of about so many operations without the lock; light work that nobody watches here, other work where Ctrl-C can stop
/// it.
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
    // Signals first: what watches is code of Python, which a signal would interrupt.
    let ask = || {
        Python::attach(|py| {
            py.check_signals()?;
            match &means.watch {
                Some(watch) => stages.tell(py, watch),
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
