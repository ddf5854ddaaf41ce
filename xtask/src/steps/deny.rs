//! Dependencies: their licences and origin, and no known fault in them, by cargo-deny as `deny.toml` says.
//!
//! Never a reason to fail on a machine without cargo-deny or without a way to the advisory database: neither belongs
//! to this project, and a stranger's clone must pass.

use std::time::Duration;

use super::{Outcome, Step};
use crate::shell::{self, Shell};

pub(super) const STEP: Step = Step {
    name: "deny",
    what: "licences and known faults of dependencies",
    run,
};

fn run(shell: &Shell) -> Result<Outcome, String> {
    let mut version = shell.cargo(&["deny", "--version"]);
    if !shell::succeeds(&mut version, Duration::from_secs(60)) {
        return Ok(Outcome::Skipped("cargo-deny is not installed".to_owned()));
    }
    // Warnings are left out: two versions of a crate deep in the tree are nothing to act on here.
    let check = ["deny", "--all-features", "--log-level", "error", "check"];
    shell.run_cargo(&[&check[..], &["licenses", "bans", "sources"]].concat())?;
    let mut fetch = shell.cargo(&["deny", "fetch", "db"]);
    if !shell::succeeds(&mut fetch, Duration::from_secs(60)) {
        return Ok(Outcome::Skipped(
            "licences are fine, but the advisory database cannot be reached".to_owned(),
        ));
    }
    shell
        .run_cargo(&[&check[..], &["advisories"]].concat())
        .map(|()| Outcome::Passed)
}
