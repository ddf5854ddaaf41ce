//! A progress bar on standard error, on a terminal only, and only for work that takes a while.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use eigenspan::Progress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Work shorter than this shows no bar.
const PATIENCE: Duration = Duration::from_millis(500);

/// Shows how far the work has come.
pub(crate) struct Bar {
    started: Instant,
    bar: Mutex<Option<ProgressBar>>,
}

impl Bar {
    pub(crate) fn new() -> Self {
        Bar {
            started: Instant::now(),
            bar: Mutex::new(None),
        }
    }

    /// Removes the bar before results are printed.
    pub(crate) fn clear(&self) {
        if let Some(bar) = self.lock().take() {
            bar.finish_and_clear();
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<ProgressBar>> {
        self.bar
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

impl Progress for Bar {
    fn begin(&self, stage: &str, total: Option<u64>) {
        let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::hidden());
        let template = match total {
            Some(_) => "{msg} {human_pos}/{human_len} · {eta} left",
            None => "{msg} {human_pos} · {elapsed}",
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.set_message(stage.to_owned());
        if let Some(old) = self.lock().replace(bar) {
            old.finish_and_clear();
        }
    }

    fn advance(&self, steps: u64) {
        if let Some(bar) = self.lock().as_ref() {
            if bar.is_hidden() && self.started.elapsed() > PATIENCE {
                bar.set_draw_target(ProgressDrawTarget::stderr());
            }
            bar.inc(steps);
        }
    }
}
