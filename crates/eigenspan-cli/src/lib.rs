//! The program `eigenspan`: typed words → a job → run → print. It is a library, so that other programs can run it: Python's command
//! does, and a program with its own methods adds them to the registry first.

mod advice;
mod args;
mod command;
mod console;
mod interrupt;
mod memory;
mod outputs;
mod progress;
mod size;
mod suggest;
mod typed;

use std::ffi::OsString;

use crate::args::{Cli, Command, Unclear};
use crate::console::Console;

pub use crate::memory::Watched;

/// Runs the command that the words name (the first word is the program's name), and returns the exit code.
pub fn run(words: Vec<OsString>) -> u8 {
    memory::set_aside();
    eigenspan_io::silence_decoder_panics();
    let cli = match Cli::from_words(words) {
        Ok(cli) => cli,
        Err(Unclear::Usage(error)) => return console::print_usage_error(&error),
        Err(Unclear::Suggestion(error)) => return console::print_error(&error, None),
    };
    let console = Console::new(&cli.global, cli.options.clone(), cli.typed.clone());
    let result = console
        .context(&cli.global)
        .and_then(|ctx| match cli.command {
            None => command::welcome(),
            Some(Command::Look(look)) => command::look::run(&ctx, &console, &look),
            Some(Command::Fit(fit)) => command::fit::run(&ctx, &console, &fit),
            Some(Command::Select(select)) => command::select::run(&ctx, &console, &select),
            Some(Command::Report(report)) => command::report::run(&ctx, &console, &report),
            Some(Command::Transform(project)) => {
                command::project::transform(&ctx, &console, &project)
            }
            Some(Command::Inverse(project)) => command::project::inverse(&ctx, &console, &project),
            Some(Command::Denoise(denoise)) => command::denoise::run(&ctx, &console, &denoise),
            Some(Command::Describe(describe)) => command::describe::run(&ctx, &console, &describe),
            Some(Command::Choose(choose)) => command::choose::run(&ctx, &console, &choose),
            Some(Command::Plan(plan)) => command::plan::run(&ctx, &console, &plan),
            Some(Command::Plot(plot)) => command::plot::run(&ctx, &console, &plot),
            Some(Command::Tune(tune)) => command::tune::run(&ctx, &console, &tune),
            Some(Command::Neighbors(args)) => command::neighbors::run(&ctx, &console, &args),
            Some(Command::Evaluate(evaluate)) => command::evaluate::run(&ctx, &console, &evaluate),
            Some(Command::Completions(args)) => command::manual::completions(&args),
            Some(Command::Man(args)) => command::manual::man(&console, &args),
        });
    console.finish(result)
}
