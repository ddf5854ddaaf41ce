//! Reports in a real browser: valid HTML, nothing fetched, no error, and all that they offer works.
//!
//! Needs node, Java and Chromium. What can be installed is installed; a machine that lacks the rest skips the step and
//! says so, except one that checks changes (the variable `CI` is set there): it fails, since nobody would read it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::{Outcome, Step};
use crate::shell::{self, Shell};

pub(super) const STEP: Step = Step {
    name: "browser",
    what: "reports in a real browser",
    run,
};

/// Where the tests live.
const ROOM: &str = "tests/browser";

/// Pages made by the program: the file's name and what the program is told, before `-o FILE`.
const REPORTS: &[(&str, &[&str])] = &[];

fn run(shell: &Shell) -> Result<Outcome, String> {
    if let Err(lacking) = install(shell) {
        return match std::env::var_os("CI") {
            Some(_) => Err(lacking),
            None => Ok(Outcome::Skipped(lacking)),
        };
    }
    let pages = write_pages(shell)?;
    let shots = shell.target().join("browser");
    let mut tests = shell.command("node", &["--test", "--test-reporter=spec"]);
    tests
        .current_dir(shell.root.join(ROOM))
        .env("PAGES", &pages)
        .env("SHOTS", &shots);
    shell::run(&mut tests, &format!("node --test   (in {ROOM})"))?;
    println!("screenshots: {}", shots.display());
    Ok(Outcome::Passed)
}

/// Sees to everything the tests need; an error names what is lacking.
fn install(shell: &Shell) -> Result<(), String> {
    for (program, argument) in [
        ("node", "--version"),
        ("npm", "--version"),
        ("java", "-version"),
    ] {
        if !shell::succeeds(
            &mut shell.command(program, &[argument]),
            Duration::from_secs(60),
        ) {
            return Err(format!("`{program}` is not installed"));
        }
    }
    if !has_chromium() {
        println!("Chromium is missing: asking apt for it");
        let within = Duration::from_secs(300);
        let mut update = shell.command("apt-get", &["update"]);
        let mut install = shell.command(
            "apt-get",
            &["install", "-y", "--no-install-recommends", "chromium"],
        );
        install.env("DEBIAN_FRONTEND", "noninteractive");
        shell::succeeds(&mut update, within);
        if !shell::succeeds(&mut install, within) || !has_chromium() {
            return Err("Chromium is not installed and apt-get cannot add it".to_owned());
        }
    }
    if is_current(&shell.root.join(ROOM)) {
        return Ok(());
    }
    let mut fetch = shell.command(
        "npm",
        &["ci", "--ignore-scripts", "--no-audit", "--no-fund"],
    );
    fetch.current_dir(shell.root.join(ROOM));
    match shell::succeeds(&mut fetch, Duration::from_secs(300)) {
        true => Ok(()),
        false => Err(format!(
            "`npm ci` in {ROOM} fails: is the registry out of reach?"
        )),
    }
}

fn has_chromium() -> bool {
    let told = std::env::var_os("CHROMIUM").map(PathBuf::from);
    let usual = [
        "/usr/bin/chromium",
        "/usr/bin/chromium-browser",
        "/usr/bin/google-chrome",
    ];
    told.into_iter()
        .chain(usual.map(PathBuf::from))
        .any(|path| path.is_file())
}

/// Whether what npm installed is what the lock file asks for.
fn is_current(room: &Path) -> bool {
    let changed = |file: &str| {
        room.join(file)
            .metadata()
            .and_then(|about| about.modified())
    };
    match (
        changed("package-lock.json"),
        changed("node_modules/.package-lock.json"),
    ) {
        (Ok(asked), Ok(installed)) => installed >= asked,
        _ => false,
    }
}

/// Writes the pages to be opened into a folder that holds nothing else: those of the tests, then the program's.
fn write_pages(shell: &Shell) -> Result<PathBuf, String> {
    let pages = shell.target().join("tmp/pages");
    if pages.exists() {
        std::fs::remove_dir_all(&pages).map_err(|e| format!("{}: {e}", pages.display()))?;
    }
    let written = "page::pages_for_the_browser_are_written";
    shell.run_cargo(&[
        "test",
        "--workspace",
        "--all-features",
        "--test",
        "it",
        "--quiet",
        written,
    ])?;
    for (name, told) in REPORTS {
        let place = pages.join(name);
        let place = place
            .to_str()
            .ok_or("the target folder's name is not UTF-8")?;
        let run = [
            "run",
            "--workspace",
            "--all-features",
            "--quiet",
            "--bin",
            "eigenspan",
            "--",
        ];
        shell.run_cargo(&[&run[..], told, &["--force", "-o", place]].concat())?;
    }
    Ok(pages)
}
