//! Unit and integration tests: by nextest where it is installed, by cargo where it is not.

use std::time::Duration;

use super::{Outcome, Step};
use crate::shell::{self, Shell};

pub(super) const STEP: Step = Step {
    name: "tests",
    what: "unit and integration tests",
    run,
};

fn run(shell: &Shell) -> Result<Outcome, String> {
    let mut version = shell.cargo(&["nextest", "--version"]);
    let args: &[&str] = if shell::succeeds(&mut version, Duration::from_secs(60)) {
        &["nextest", "run", "--workspace", "--all-features"]
    } else {
        // Not `--lib`: asked for by name, cargo would link the Python module as a program, which cannot be.
        &["test", "--workspace", "--all-features", "--tests"]
    };
    shell.run_cargo(args).map(|()| Outcome::Passed)
}
