//! The program `eigenspan`.

use std::process::ExitCode;

use eigenspan_cli::Watched;

#[global_allocator]
static ALLOCATOR: Watched = Watched;

fn main() -> ExitCode {
    ExitCode::from(eigenspan_cli::run(std::env::args_os().collect()))
}
