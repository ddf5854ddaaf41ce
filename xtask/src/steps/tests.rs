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
    if shell::succeeds(&mut version, Duration::from_secs(60)) {
        let args = ["nextest", "run", "--workspace", "--all-features"];
        return shell.run_cargo(&args).map(|()| Outcome::Passed);
    }
    // A test runs the example `own_method`, which `--tests` does not build. Not `--lib` instead: asked for by name, cargo would
    // link the Python module as a program, which cannot be.
    for (task, targets) in [("build", "--examples"), ("test", "--tests")] {
        shell.run_cargo(&[task, "--workspace", "--all-features", targets])?;
    }
    Ok(Outcome::Passed)
}
