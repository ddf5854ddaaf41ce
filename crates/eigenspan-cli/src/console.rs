//! What the program prints: results on standard output, everything else on standard error; and the exit code.

use std::io::{IsTerminal, Write};
use std::sync::Arc;
use std::time::Instant;

use anstream::{eprintln, stdout};
use eigenspan::note::Setting;
use eigenspan::{Context, Note};
use eigenspan_io::{Output, Table, WriteError};
use eigenspan_report::{JobError, text, words};
use serde_json::Value;

use crate::advice::Options;
use crate::args::Global;
use crate::interrupt;
use crate::progress::Bar;
use crate::typed::Typed;

/// The exit code of success.
const DONE: u8 = 0;
/// The exit code of wrong usage and bad input.
pub(crate) const REFUSED: u8 = 2;

const BOLD_RED: &str = "\x1b[1;31m";
const BOLD: &str = "\x1b[1m";
const RESET: &str = "\x1b[0m";

/// Where and how the program prints.
pub(crate) struct Console {
    pub(crate) json: bool,
    verbose: bool,
    quiet: bool,
    bar: Option<Arc<Bar>>,
    started: Instant,
    /// The options of the running command.
    options: Options,
    /// The words as they were typed.
    pub(crate) typed: Typed,
}

impl Console {
    pub(crate) fn new(global: &Global, options: Options, typed: Typed) -> Self {
        let bar = (!global.quiet && std::io::stderr().is_terminal()).then(|| Arc::new(Bar::new()));
        Console {
            json: global.json,
            verbose: global.verbose,
            quiet: global.quiet,
            bar,
            started: Instant::now(),
            options,
            typed,
        }
    }

    /// The context of a run: threads, memory, progress, interrupt.
    pub(crate) fn context(&self, global: &Global) -> Result<Context, JobError> {
        start_threads()?;
        let mut ctx = Context::new()
            .with_stop(interrupt::flag())
            .with_free_memory(eigenspan_io::free_memory);
        if let Some(threads) = global.threads {
            ctx = ctx
                .with_threads(usize::from(threads))
                .map_err(|e| JobError::core("threads", e))?;
        }
        if let Some(memory) = global.memory {
            ctx = ctx.with_memory(memory.0);
        }
        if let Some(bar) = &self.bar {
            ctx = ctx.with_progress(bar.clone());
        }
        Ok(ctx)
    }

    /// The width of the terminal in columns, but not more than the width that lines aim for.
    pub(crate) fn width() -> usize {
        const WIDEST: usize = 100;
        const NARROWEST: usize = 60;
        let columns = terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
        columns.unwrap_or(WIDEST).clamp(NARROWEST, WIDEST)
    }

    /// Seconds since the program started.
    pub(crate) fn seconds(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }

    /// Prints a result.
    pub(crate) fn result(&self, text: &str) -> Result<(), JobError> {
        self.clear();
        print(text)
    }

    /// Prints a result as JSON.
    pub(crate) fn object(&self, object: &Value) -> Result<(), JobError> {
        self.result(&format!("{object:#}\n"))
    }

    /// Notes for a JSON object, with the same texts as on a terminal.
    pub(crate) fn texts(&self, notes: &[Note]) -> Value {
        let has = |setting: &Setting| self.options.has(setting);
        notes.iter().map(|note| words::noted(note, &has)).collect()
    }

    /// Prints a line to standard error, unless `--quiet`.
    pub(crate) fn talk(&self, line: &str) {
        if !self.quiet {
            self.clear();
            eprintln!("{line}");
        }
    }

    /// Prints notes; in JSON they are part of the object.
    pub(crate) fn notes(&self, notes: &[Note]) {
        if !self.json {
            let has = |setting: &Setting| self.options.has(setting);
            let heard = |note| self.talk(&text::note(note, &has));
            notes.iter().for_each(heard);
        }
    }

    /// Prints how the file was read, with `--verbose`.
    pub(crate) fn verbose_table(&self, table: &Table) {
        if self.verbose {
            let header = if table.has_header() {
                "with"
            } else {
                "without"
            };
            self.talk(&format!(
                "read as {} {header} a header",
                table.format().name()
            ));
        }
    }

    /// Prints the error, if there is one, and chooses the exit code.
    pub(crate) fn finish(&self, result: Result<(), JobError>) -> u8 {
        self.clear();
        match result {
            Ok(()) => DONE,
            Err(error) if error.is_broken_pipe() => DONE,
            Err(error) if error.is_cancelled() => {
                let kept = error.kept().unwrap_or("nothing was written");
                eprintln!("interrupted: {kept}");
                interrupt::INTERRUPTED
            }
            Err(error) => print_error(&error, Some(&self.options)),
        }
    }

    fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.clear();
        }
    }
}

/// Starts the threads that all work shares: as many as there are cores, or one where the system allows no more.
fn start_threads() -> Result<(), JobError> {
    let start = |n| {
        rayon::ThreadPoolBuilder::new()
            .num_threads(n)
            .build_global()
    };
    start(0).or_else(|_| start(1)).map_err(|_| JobError::Usage {
        what: "not enough memory: the system gives no memory for threads".to_owned(),
        advice: "allow more (ulimit -v, ulimit -u)".into(),
    })
}

/// Prints an error: what was refused, details, and what to do.
pub(crate) fn print_error(error: &JobError, options: Option<&Options>) -> u8 {
    eprintln!("{BOLD_RED}error:{RESET} {error}");
    if let Some(detail) = error.detail() {
        eprintln!("  {detail}");
    }
    let has = |setting: &Setting| options.is_none_or(|known| known.has(setting));
    if let Some(tip) = words::tip(&error.advice(), &has) {
        eprintln!("  {BOLD}tip:{RESET} {tip}");
    }
    REFUSED
}

/// Prints to standard output; a closed pipe is not an error.
pub(crate) fn print(text: &str) -> Result<(), JobError> {
    let mut out = stdout();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(source) if source.kind() != std::io::ErrorKind::BrokenPipe => {
            let file = Output::Stdout.name();
            Err(WriteError::Io { file, source }.into())
        }
        _ => Ok(()),
    }
}

/// Characters in a line of the terminal; 100 where that is not known.
pub(crate) fn width() -> usize {
    let size = terminal_size::terminal_size_of(std::io::stdout());
    size.map_or(100, |(width, _)| usize::from(width.0))
        .clamp(40, 100)
}

/// Prints clap's output: help and version are results, the rest is wrong usage.
pub(crate) fn print_usage_error(error: &clap::Error) -> u8 {
    let _ = error.print();
    if error.use_stderr() { REFUSED } else { DONE }
}
