//! The house rules, which no compiler knows: see [`crate::tidy`].

use super::{Outcome, Step};
use crate::shell::Shell;
use crate::tidy;

pub(super) const STEP: Step = Step {
    name: "tidy",
    what: "the house rules",
    run,
};

fn run(shell: &Shell) -> Result<Outcome, String> {
    tidy::run(shell).map(|()| Outcome::Passed)
}
