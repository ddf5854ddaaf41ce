//! No warning, neither of the compiler nor of clippy, in any target.

use super::{Outcome, Step, has_component};
use crate::shell::Shell;

pub(super) const STEP: Step = Step {
    name: "clippy",
    what: "no warning in any target",
    run,
};

fn run(shell: &Shell) -> Result<Outcome, String> {
    if !has_component(shell, "clippy", "clippy") {
        return Ok(Outcome::Skipped(
            "clippy is not installed and rustup cannot add it".to_owned(),
        ));
    }
    // `-D warnings` goes to clippy and not into RUSTFLAGS, which would rebuild every dependency.
    let args = [
        "clippy",
        "--workspace",
        "--all-targets",
        "--all-features",
        "--",
        "-D",
        "warnings",
    ];
    shell.run_cargo(&args).map(|()| Outcome::Passed)
}
