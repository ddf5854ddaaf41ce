//! The examples in the documentation run. Apart from the other tests, because nextest leaves them out.

use super::{Outcome, Step};
use crate::shell::Shell;

pub(super) const STEP: Step = Step {
    name: "docs",
    what: "examples in the documentation",
    run,
};

fn run(shell: &Shell) -> Result<Outcome, String> {
    let args = ["test", "--workspace", "--all-features", "--doc"];
    shell.run_cargo(&args).map(|()| Outcome::Passed)
}
