//! Every file looks as rustfmt leaves it.

use super::{Outcome, Step, has_component};
use crate::shell::Shell;

pub(super) const STEP: Step = Step {
    name: "fmt",
    what: "every file as rustfmt leaves it",
    run,
};

fn run(shell: &Shell) -> Result<Outcome, String> {
    if !has_component(shell, "fmt", "rustfmt") {
        return Ok(Outcome::Skipped(
            "rustfmt is not installed and rustup cannot add it".to_owned(),
        ));
    }
    match shell.run_cargo(&["fmt", "--all", "--check"]) {
        Ok(()) => Ok(Outcome::Passed),
        Err(why) => Err(format!("{why}; `cargo fmt --all` puts it right")),
    }
}
