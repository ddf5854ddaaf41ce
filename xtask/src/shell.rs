//! Running other programs from the root of the repository, without a terminal and without what cargo adds for us.

use std::ffi::OsString;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Where programs run.
pub(crate) struct Shell {
    /// The root of the repository.
    pub(crate) root: PathBuf,
    colored: bool,
}

impl Shell {
    /// A shell at the root of the repository that holds this crate.
    pub(crate) fn at_root() -> Result<Self, String> {
        // Asked at run time: the path compiled in would be wrong where clones share a target folder.
        let here = match std::env::var_os("CARGO_MANIFEST_DIR") {
            Some(folder) => PathBuf::from(folder),
            None => std::env::current_dir().map_err(|e| format!("no current folder: {e}"))?,
        };
        let root = here
            .ancestors()
            .find(|folder| folder.join("xtask/Cargo.toml").is_file())
            .ok_or("not inside the repository: no folder above holds xtask/Cargo.toml")?;
        Ok(Shell {
            root: root.to_owned(),
            colored: std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none(),
        })
    }

    /// Announces what comes next.
    pub(crate) fn heading(&self, text: &str) {
        if self.colored {
            println!("\n\x1b[1m== {text} ==\x1b[0m");
        } else {
            println!("\n== {text} ==");
        }
    }

    /// The folder cargo builds into.
    pub(crate) fn target(&self) -> PathBuf {
        let folder =
            std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| OsString::from("target"));
        self.root.join(folder)
    }

    /// A program to be run at the root, with nothing to read.
    pub(crate) fn command(&self, program: impl AsRef<Path>, args: &[&str]) -> Command {
        let mut command = Command::new(program.as_ref());
        command
            .args(args)
            .current_dir(&self.root)
            .stdin(Stdio::null());
        // `cargo run` describes this crate to us in variables. Build scripts that watch them would run again each time
        // a build is started from here instead of by hand.
        for (name, _) in std::env::vars_os() {
            if name.to_str().is_some_and(describes_this_crate) {
                command.env_remove(&name);
            }
        }
        if !self.colored {
            command.env("CARGO_TERM_COLOR", "never");
        }
        command
    }

    /// A cargo command.
    pub(crate) fn cargo(&self, args: &[&str]) -> Command {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
        self.command(Path::new(&cargo), args)
    }

    /// Runs a cargo command for all to see; an error if it fails.
    pub(crate) fn run_cargo(&self, args: &[&str]) -> Result<(), String> {
        run(&mut self.cargo(args), &format!("cargo {}", args.join(" ")))
    }
}

/// Runs a command for all to see; `said` is how a person would type it.
pub(crate) fn run(command: &mut Command, said: &str) -> Result<(), String> {
    println!("$ {said}");
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("`{said}` failed ({status})")),
        Err(e) => Err(format!("`{said}` could not be started: {e}")),
    }
}

/// Whether a command can be started and succeeds within the time given. Its output is not shown.
pub(crate) fn succeeds(command: &mut Command, within: Duration) -> bool {
    let quiet = command.stdout(Stdio::null()).stderr(Stdio::null());
    let Ok(mut child) = quiet.spawn() else {
        return false;
    };
    let start = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return status.success(),
            Ok(None) if start.elapsed() < within => sleep(Duration::from_millis(20)),
            // Too late, or lost: ended here, so that it does not go on behind the next step.
            _ => {
                let _ = child.kill();
                let _ = child.wait();
                return false;
            }
        }
    }
}

fn describes_this_crate(variable: &str) -> bool {
    variable.starts_with("CARGO_PKG_")
        || [
            "CARGO_MANIFEST_DIR",
            "CARGO_MANIFEST_PATH",
            "CARGO_BIN_NAME",
            "CARGO_CRATE_NAME",
            "OUT_DIR",
        ]
        .contains(&variable)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_describes_this_crate_is_kept_from_children() {
        assert!(describes_this_crate("CARGO_PKG_VERSION"));
        assert!(describes_this_crate("CARGO_MANIFEST_DIR"));
        assert!(!describes_this_crate("CARGO_TARGET_DIR"));
        assert!(!describes_this_crate("CARGO_HOME"));
    }

    #[test]
    fn a_program_that_is_not_there_does_not_succeed() {
        let mut command = Command::new("no-such-program-anywhere");
        assert!(!succeeds(&mut command, Duration::from_secs(1)));
    }
}
