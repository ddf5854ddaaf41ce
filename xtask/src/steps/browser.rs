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

/// Pages made by the program: the page's name, the method, the data below `data/`, and what else the program is told.
const REPORTS: [(&str, &str, &str, &[&str]); 6] = [
    ("iris", "pca", "data/iris/iris.csv", &[]),
    ("foods", "pca", "data/uk-foods/uk-foods.csv", &[]),
    (
        "kernel-pca",
        "kpca",
        "data/rings/rings.csv",
        &["--label-column", "ring", "-k", "5"],
    ),
    (
        "digits",
        "pca",
        "data/digits/digits.csv",
        &["--label-column", "digit"],
    ),
    (
        "decathlon",
        "pca",
        "data/decathlon/decathlon.csv",
        &[
            "--scale",
            "--supplementary",
            "Points,Rank",
            "--rotate",
            "varimax",
        ],
    ),
    ("wide", "pca", WIDE, &[]),
];

/// The model whose page is made too, and its data.
const MODEL: (&str, &str) = ("wine.safetensors", "data/wine/wine.csv");

/// A table of 300 columns, which is made here.
const WIDE: &str = "wide.csv";

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
    let wide = pages.with_file_name(WIDE);
    std::fs::write(&wide, wide_table()).map_err(|e| format!("{}: {e}", wide.display()))?;
    let text = |path: &Path| -> Result<String, String> {
        let text = path.to_str().map(str::to_owned);
        text.ok_or_else(|| "the target folder's name is not UTF-8".to_owned())
    };
    // Built for the tests above; `cargo run` and `cargo build` would take other features of what it stands on, and build that anew.
    let program = shell.target().join("debug/eigenspan");
    let run = |words: &[&str]| {
        let mut command = shell.command(&program, words);
        shell::run(&mut command, &format!("eigenspan {}", words.join(" ")))
    };
    for (name, method, data, told) in REPORTS {
        let data = match data == WIDE {
            true => text(&wide)?,
            false => data.to_owned(),
        };
        let place = text(&pages.join(format!("{name}.html")))?;
        let report = ["report", method, &data, "--quiet", "-o", &place];
        run(&[&report[..], told].concat())?;
    }
    let (model, data) = (text(&pages.with_file_name(MODEL.0))?, MODEL.1);
    run(&["fit", "pca", data, "--scale", "--quiet", "-m", &model])?;
    let place = text(&pages.join("model.html"))?;
    run(&["report", &model, "--quiet", "-o", &place])?;
    Ok(pages)
}

/// 120 rows of 300 columns that follow three directions, with noise (Knuth's MMIX constants).
fn wide_table() -> String {
    const COLUMNS: usize = 300;
    let mut state = 1u64;
    let mut noise = move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 53) as f64 - 0.5
    };
    let names: Vec<String> = (0..COLUMNS).map(|j| format!("gene {j:03}")).collect();
    let mut table = names.join(",") + "\n";
    let directions: Vec<[f64; 3]> = (0..COLUMNS).map(|_| [noise(), noise(), noise()]).collect();
    for _ in 0..120 {
        let at = [9.0 * noise(), 6.0 * noise(), 3.0 * noise()];
        let mut cell = |d: &[f64; 3]| {
            let along: f64 = d.iter().zip(at).map(|(d, at)| d * at).sum();
            format!("{:.3}", along + noise())
        };
        let cells: Vec<String> = directions.iter().map(&mut cell).collect();
        table += &(cells.join(",") + "\n");
    }
    table
}
