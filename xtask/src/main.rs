//! The project's own chores, so that nobody has to remember them: `cargo xtask help`.
//!
//! Only the standard library: what starts every check must build in seconds, and must not ask for other features of a
//! shared dependency than the checks themselves do, which would build it twice.

mod bench;
mod shell;
mod steps;
mod test;
mod tidy;

use std::process::ExitCode;

const HELP: &str = "\
cargo xtask test [STEP...]            every check, or only those named; stops at the first failure
cargo xtask tidy                      the house rules alone
cargo xtask bench                     the benchmarks there are
cargo xtask bench [--date D] NAME...  runs them and writes benches/results/NAME.json
cargo xtask bench instructions --check  fails where an innermost loop takes 5 % more instructions than recorded
cargo xtask help                      this page
";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (command, rest) = match args.split_first() {
        Some((command, rest)) => (command.as_str(), rest),
        None => ("help", &[][..]),
    };
    let done = shell::Shell::at_root().and_then(|shell| match command {
        "test" => test::run(&shell, rest),
        "tidy" => tidy::run(&shell),
        "bench" => bench::run(&shell, rest),
        "help" | "--help" | "-h" => {
            print!("{HELP}");
            for step in steps::ALL {
                println!("    {:<8} {}", step.name, step.what);
            }
            Ok(())
        }
        unknown => Err(format!(
            "there is no chore `{unknown}`; `cargo xtask help` lists them"
        )),
    });
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("error: {why}");
            ExitCode::FAILURE
        }
    }
}
