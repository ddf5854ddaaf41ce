//! What `cargo xtask test` does, one step a file. A new step is a new file and its line in [`ALL`].
//!
//! Every cargo step asks for `--workspace --all-features` on the dev profile: the same features and the same profile
//! mean the same compiled dependencies, so nothing heavy is built twice. (Clippy alone checks them without compiling.)

mod browser;
mod clippy;
mod deny;
mod docs;
mod fmt;
mod python;
mod shared;
mod tests;
mod tidy;

use std::time::Duration;

use crate::shell::{self, Shell};

/// The steps in their order: quick to fail first.
pub(crate) const ALL: &[Step] = &[
    fmt::STEP,
    clippy::STEP,
    tests::STEP,
    docs::STEP,
    browser::STEP,
    python::STEP,
    tidy::STEP,
    shared::STEP,
    deny::STEP,
];

/// One thing that must hold.
pub(crate) struct Step {
    /// What a person types to run it alone.
    pub(crate) name: &'static str,
    /// What it sees to, in a few words.
    pub(crate) what: &'static str,
    /// Does it; an error says what failed.
    pub(crate) run: fn(&Shell) -> Result<Outcome, String>,
}

/// How a step that did not fail ended.
pub(crate) enum Outcome {
    /// All is well.
    Passed,
    /// It could not be done here, for this reason.
    Skipped(String),
}

/// Whether a component of the toolchain is here, after asking rustup for it if it was not.
fn has_component(shell: &Shell, subcommand: &str, component: &str) -> bool {
    let there = || {
        shell::succeeds(
            &mut shell.cargo(&[subcommand, "--version"]),
            Duration::from_secs(60),
        )
    };
    if there() {
        return true;
    }
    println!("{component} is missing: asking rustup for it");
    let mut add = shell.command("rustup", &["component", "add", component]);
    shell::succeeds(&mut add, Duration::from_secs(300)) && there()
}
