//! `cargo xtask bench`: runs a comparison with peers and keeps what came out, with all that is needed to run it again.
//!
//! A benchmark is a script, `benches/NAME.py` or `benches/NAME/run.py`, that prints its measurements as JSON. It runs in
//! a Python environment with the pinned peers of `benches/requirements.txt`, beside our release build.
//! `--check` compares with what was recorded instead; only `instructions`, which counts and has no peers, can do that.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::shell::{self, Shell};

const REQUIREMENTS: &str = "benches/requirements.txt";
const RECORD: &str = "xtask/src/bench/record.py";
/// The benchmark that can be checked: a clock tells nothing from one day to the next, counts do.
const CHECKED: &str = "instructions";

/// Lists the benchmarks, or runs those named.
pub(crate) fn run(shell: &Shell, args: &[String]) -> Result<(), String> {
    let asked = Asked::from(args)?;
    let scripts = scripts(&shell.root.join("benches"));
    if asked.names.is_empty() {
        match scripts.len() {
            0 => println!("no benchmarks yet; benches/README.md says how to add one"),
            _ => scripts.keys().for_each(|name| println!("{name}")),
        }
        return Ok(());
    }
    if let Some(name) = asked.names.iter().find(|&name| !scripts.contains_key(name)) {
        let known: Vec<_> = scripts.keys().map(String::as_str).collect();
        let known = if known.is_empty() {
            "none yet".to_owned()
        } else {
            known.join(", ")
        };
        return Err(format!(
            "there is no benchmark `{name}`; there are: {known}"
        ));
    }
    if asked.check {
        return check(shell, &asked.names, &scripts);
    }
    shell.heading("release build");
    // The program as a user builds it; more packages at once could give its dependencies other features.
    shell.run_cargo(&["build", "--release"])?;
    if has_examples(&shell.root.join("crates")) {
        shell.run_cargo(&[
            "build",
            "--release",
            "--workspace",
            "--exclude",
            "xtask",
            "--exclude",
            "eigenspan-python",
            "--examples",
        ])?;
    }
    let python = environment(shell)?;
    for name in &asked.names {
        shell.heading(name);
        let mut command = shell.command(&python, &[RECORD, name]);
        command.arg(&scripts[name]).args(asked.date.iter());
        command.env("EIGENSPAN_RELEASE", shell.target().join("release"));
        shell::run(&mut command, &format!("python {RECORD} {name}"))?;
    }
    Ok(())
}

/// Holds what a benchmark counts against what was recorded.
fn check(
    shell: &Shell,
    names: &[String],
    scripts: &BTreeMap<String, PathBuf>,
) -> Result<(), String> {
    if names != [CHECKED] {
        return Err(format!(
            "--check goes with the benchmark `{CHECKED}` alone: times of another day cannot be compared"
        ));
    }
    shell.heading("release build");
    shell.run_cargo(&[
        "build",
        "--release",
        "--package",
        "eigenspan",
        "--example",
        "hot_kernels",
    ])?;
    shell.heading(CHECKED);
    let mut command = shell.command("python3", &[]);
    command.arg(&scripts[CHECKED]);
    command.env("EIGENSPAN_RELEASE", shell.target().join("release"));
    let recorded = format!("benches/results/{CHECKED}.json");
    command.env("EIGENSPAN_BENCH_CHECK", recorded);
    shell::run(&mut command, &format!("python3 benches/{CHECKED}.py"))
}

/// What was asked for.
#[derive(Debug, PartialEq, Eq, Default)]
struct Asked {
    names: Vec<String>,
    /// To be written into the results; today's without it.
    date: Option<String>,
    /// Whether to compare with what was recorded, instead of recording.
    check: bool,
}

impl Asked {
    fn from(args: &[String]) -> Result<Self, String> {
        let mut asked = Asked::default();
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            match arg.as_str() {
                "--date" => {
                    let date = args
                        .next()
                        .ok_or("--date needs a date such as 2026-01-31")?;
                    asked.date = Some(date.clone());
                }
                "--check" => asked.check = true,
                option if option.starts_with('-') => {
                    return Err(format!(
                        "there is no option `{option}`; --date and --check are all"
                    ));
                }
                name => asked.names.push(name.to_owned()),
            }
        }
        Ok(asked)
    }
}

/// The scripts below `benches/`, by the name of their benchmark.
fn scripts(folder: &Path) -> BTreeMap<String, PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let named = entries.filter_map(|entry| {
        let path = entry.path();
        let name = path.file_stem()?.to_str()?.to_owned();
        if path.extension().is_some_and(|ending| ending == "py") {
            return Some((name, path));
        }
        let script = path.join("run.py");
        script.is_file().then_some((name, script))
    });
    named.collect()
}

/// Whether a crate has examples, which a benchmark may run to measure the library without files.
fn has_examples(crates: &Path) -> bool {
    let entries = std::fs::read_dir(crates).into_iter().flatten().flatten();
    entries
        .into_iter()
        .any(|entry| entry.path().join("examples").is_dir())
}

/// The Python of the environment with the peers, made or brought up to date if it is not what is asked for.
fn environment(shell: &Shell) -> Result<PathBuf, String> {
    let wanted = std::fs::read_to_string(shell.root.join(REQUIREMENTS))
        .map_err(|e| format!("{REQUIREMENTS} cannot be read: {e}"))?;
    let folder = shell.target().join("bench-venv");
    let python = folder.join(if cfg!(windows) {
        "Scripts/python.exe"
    } else {
        "bin/python"
    });
    // Written last, so that an installation that was cut short is done again.
    let stamp = folder.join("installed.txt");
    if python.is_file() && std::fs::read_to_string(&stamp).is_ok_and(|there| there == wanted) {
        return Ok(python);
    }
    shell.heading("peers");
    let mut create = shell.command("python3", &["-m", "venv", "--clear"]);
    shell::run(create.arg(&folder), "python3 -m venv target/bench-venv")?;
    let install = [
        "-m",
        "pip",
        "install",
        "--quiet",
        "--requirement",
        REQUIREMENTS,
    ];
    shell::run(
        &mut shell.command(&python, &install),
        &format!("pip install --requirement {REQUIREMENTS}"),
    )?;
    std::fs::write(&stamp, wanted)
        .map_err(|e| format!("{} cannot be written: {e}", stamp.display()))?;
    Ok(python)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(args: &[&str]) -> Result<Asked, String> {
        Asked::from(&args.iter().map(|&arg| arg.to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn names_and_a_date_are_taken_in_any_order() {
        let both = Asked {
            names: vec!["pca".to_owned()],
            date: Some("2026-01-31".to_owned()),
            check: false,
        };
        assert_eq!(asked(&["pca", "--date", "2026-01-31"]), Ok(both));
        assert_eq!(
            asked(&["--date", "2026-01-31", "pca"]),
            asked(&["pca", "--date", "2026-01-31"])
        );
    }

    #[test]
    fn an_unknown_option_or_a_missing_date_is_refused() {
        assert!(asked(&["--dates"]).is_err());
        assert!(asked(&["pca", "--date"]).is_err());
    }

    #[test]
    fn a_check_names_what_is_checked() {
        let check = Asked {
            names: vec![CHECKED.to_owned()],
            check: true,
            ..Default::default()
        };
        assert_eq!(asked(&[CHECKED, "--check"]), Ok(check));
    }

    #[test]
    fn a_folder_that_is_not_there_holds_no_benchmarks() {
        assert!(scripts(Path::new("no/such/folder")).is_empty());
    }
}
