//! What the program and the Python package have in common is compiled once: after `cargo build --release`, `pip install .`
//! compiles PyO3, what reads workbooks and AnnData files, and what stands on those.
//!
//! Cargo compiles a crate again if it is asked for other features, and with it all that depends on it. Nothing is compiled here.

use std::collections::BTreeSet;

use super::{Outcome, Step};
use crate::shell::Shell;

pub(super) const STEP: Step = Step {
    name: "shared",
    what: "the wheel takes the crates of the program as they are",
    run,
};

const PROGRAM: &[&str] = &["-p", "eigenspan-cli"];

/// The features are those in `pyproject.toml`.
const WHEEL: &[&str] = &["-p", "eigenspan-python", "--features", "xlsx,h5ad"];

/// Crates that the wheel's features change: they read workbooks, whose zip files ask `flate2` for another backend.
const OWN: [&str; 3] = ["eigenspan-cli", "eigenspan-io", "flate2"];

fn run(shell: &Shell) -> Result<Outcome, String> {
    let (program, wheel) = (crates(shell, PROGRAM)?, crates(shell, WHEEL)?);
    let again = compiled_again(&program, &wheel);
    match again.is_empty() {
        true => {
            println!(
                "{} crates have the same features in both",
                program.len() - OWN.len()
            );
            Ok(Outcome::Passed)
        }
        false => Err(format!(
            "the wheel asks for other features than the program, so these are compiled twice: {}; name its features in \
             crates/eigenspan-cli/Cargo.toml too",
            again.join("; ")
        )),
    }
}

/// The crates of a build, each as `name version features`.
fn crates(shell: &Shell, package: &[&str]) -> Result<BTreeSet<String>, String> {
    let args = [
        "tree",
        "--color",
        "never",
        "--edges",
        "features,no-dev",
        "--prefix",
        "none",
        "--format",
        "{p} {f}",
    ];
    let done = shell.cargo(&[&args[..], package].concat()).output();
    let done = done.map_err(|e| format!("cargo tree could not be started: {e}"))?;
    match done.status.success() {
        true => Ok(parsed(&String::from_utf8_lossy(&done.stdout))),
        false => Err(format!(
            "cargo tree: {}",
            String::from_utf8_lossy(&done.stderr).trim()
        )),
    }
}

/// Lines of crates; lines of single features and marks of repeated crates are left out.
fn parsed(tree: &str) -> BTreeSet<String> {
    let lines = tree.lines().filter(|line| !line.contains(" feature \""));
    lines
        .map(|line| line.trim_end_matches(" (*)").trim().to_owned())
        .filter(|line| !line.is_empty())
        .collect()
}

/// Crates of the program that the wheel does not have in the same way.
fn compiled_again(program: &BTreeSet<String>, wheel: &BTreeSet<String>) -> Vec<String> {
    let name = |line: &String| line.split(' ').next().unwrap_or_default().to_owned();
    let lost = program.difference(wheel);
    lost.filter(|line| !OWN.contains(&name(line).as_str()))
        .cloned()
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crate_with_other_features_is_found() {
        let program = parsed(
            "faer v0.24.4 std (*)\nsyn v2.0.1 full\nsyn feature \"full\"\nflate2 v1.1.0 any\n\n",
        );
        let wheel = parsed(
            "faer v0.24.4 std\nsyn v2.0.1 extra-traits,full\nflate2 v1.1.0 zlib\npyo3 v0.29.3 abi3\n",
        );
        assert_eq!(compiled_again(&program, &wheel), ["syn v2.0.1 full"]);
        assert!(compiled_again(&program, &program).is_empty());
    }
}
