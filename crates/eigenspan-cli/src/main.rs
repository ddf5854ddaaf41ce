//! The program `eigenspan`: what was typed → a job → run → print.

mod args;
mod command;
mod console;
mod interrupt;
mod progress;
mod size;

use std::process::ExitCode;

use crate::args::{Cli, Command};
use crate::console::Console;

fn main() -> ExitCode {
    let cli = match Cli::from_words(std::env::args_os().collect()) {
        Ok(cli) => cli,
        Err(error) => return console::print_usage_error(&error),
    };
    let console = Console::new(&cli.global);
    let result = console
        .context(&cli.global)
        .and_then(|ctx| match cli.command {
            None => command::welcome(),
            Some(Command::Look(look)) => command::look::run(&ctx, &console, &look),
            Some(Command::Fit(fit)) => command::fit::run(&ctx, &console, &fit),
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
        });
    console.finish(result)
}
