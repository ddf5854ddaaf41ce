//! The Python package: its wheel is built and installed into an environment of its own under `target/`, and tried there.
//!
//! Needs python3 and an index that pip can reach. A machine that lacks them skips the step and says so, except one that
//! checks changes (the variable `CI` is set there): it fails, since nobody would read it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::{Outcome, Step};
use crate::shell::{self, Shell};

pub(super) const STEP: Step = Step {
    name: "python",
    what: "the Python package, as a wheel",
    run,
};

/// What is installed beside the wheel.
const NEEDED: &str = "python/requirements-test.txt";

fn run(shell: &Shell) -> Result<Outcome, String> {
    let room = shell.target().join("python-venv");
    let python = room.join("bin/python");
    if let Err(lacking) = install(shell, &room, &python) {
        return match std::env::var_os("CI") {
            Some(_) => Err(lacking),
            None => Ok(Outcome::Skipped(lacking)),
        };
    }
    let wheels = shell.target().join("wheels");
    if wheels.exists() {
        std::fs::remove_dir_all(&wheels).map_err(|e| format!("{}: {e}", wheels.display()))?;
    }
    let place = text(&wheels)?;
    let build = [
        "-m",
        "maturin",
        "build",
        "--profile",
        "dev",
        // With it everything but the module itself is there since the tests of the workspace.
        "--features",
        "xlsx,h5ad,as-tested",
        "--out",
        &place,
    ];
    in_room(shell, &python, &build)?;
    let wheel = text(&built(&wheels)?)?;
    let force = ["--force-reinstall", "--no-deps", "--quiet", &wheel];
    in_room(
        shell,
        &python,
        &[&["-m", "pip", "install"], &force[..]].concat(),
    )?;
    // The program, whose results must be the package's; it is built for its tests.
    shell.run_cargo(&[
        "test",
        "--workspace",
        "--all-features",
        "--tests",
        "--no-run",
        "--quiet",
    ])?;
    in_room(shell, &python, &["-m", "mypy"])?;
    // What was installed is tried: pytest does not put the package's source on Python's path.
    in_room(
        shell,
        &python,
        &["-m", "pytest", "-q", "-p", "no:cacheprovider"],
    )?;
    Ok(Outcome::Passed)
}

/// Makes the environment; an error names what is lacking.
fn install(shell: &Shell, room: &Path, python: &Path) -> Result<(), String> {
    let minutes = |n: u64| Duration::from_secs(60 * n);
    let place = text(room)?;
    let venv = &mut shell.command("python3", &["-m", "venv", &place]);
    if !python.is_file() && !shell::succeeds(venv, minutes(2)) {
        return Err("`python3` with its module venv is not installed".to_owned());
    }
    let asked =
        std::fs::read_to_string(shell.root.join(NEEDED)).map_err(|e| format!("{NEEDED}: {e}"))?;
    let done = room.join("installed.txt");
    if std::fs::read_to_string(&done).is_ok_and(|there| there == asked) {
        return Ok(());
    }
    let pip = [
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "-r",
        NEEDED,
    ];
    match shell::succeeds(&mut shell.command(python, &pip), minutes(10)) {
        true => std::fs::write(&done, asked).map_err(|e| format!("{}: {e}", done.display())),
        false => Err(format!(
            "pip cannot install {NEEDED}: is the index out of reach?"
        )),
    }
}

/// Runs the environment's Python for all to see.
fn in_room(shell: &Shell, python: &Path, args: &[&str]) -> Result<(), String> {
    let mut command = shell.command(python, args);
    command
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("EIGENSPAN", shell.target().join("debug/eigenspan"));
    shell::run(&mut command, &format!("python {}", args.join(" ")))
}

/// The one wheel in a folder.
fn built(folder: &Path) -> Result<PathBuf, String> {
    let failed = |e: std::io::Error| format!("{}: {e}", folder.display());
    let mut entries = std::fs::read_dir(folder).map_err(failed)?.flatten();
    let wheel = entries.find(|entry| entry.path().extension().is_some_and(|end| end == "whl"));
    match wheel {
        Some(entry) => Ok(entry.path()),
        None => Err(format!("no wheel in {}", folder.display())),
    }
}

fn text(path: &Path) -> Result<String, String> {
    let text = path.to_str().map(str::to_owned);
    text.ok_or_else(|| "the target folder's name is not UTF-8".to_owned())
}
