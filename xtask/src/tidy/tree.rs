//! The repository as the rules see it: the files git knows or would take, and the text of those that are read.

use std::collections::BTreeMap;

use super::code;
use crate::shell::Shell;

/// Paths are relative to the root, with `/` on every system.
#[derive(Default)]
pub(super) struct Tree {
    /// Every file and its size in bytes.
    pub(super) sizes: BTreeMap<String, u64>,
    /// The files with text that a rule may want to read.
    pub(super) texts: BTreeMap<String, Text>,
}

/// A file's text and, if it is Rust, its code.
pub(super) struct Text {
    pub(super) text: String,
    /// The same lines without comments and without what stands in quotes. Empty if it is not Rust.
    pub(super) code: String,
    /// `code` without what is compiled for tests only.
    pub(super) shipped: String,
}

impl Tree {
    /// Reads the files below the root that are committed, or that would be.
    pub(super) fn read(shell: &Shell) -> Result<Self, String> {
        let args = [
            "ls-files",
            "-z",
            "--cached",
            "--others",
            "--exclude-standard",
        ];
        let output = shell.command("git", &args).output();
        let output = output.map_err(|e| format!("git could not be started: {e}"))?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            return Err(format!(
                "git cannot list the files of the repository: {}",
                said.trim()
            ));
        }
        let mut tree = Tree::default();
        for path in String::from_utf8_lossy(&output.stdout).split_terminator('\0') {
            let place = shell.root.join(path);
            // Deleted, but not yet from git's list.
            let Ok(about) = place.metadata() else {
                continue;
            };
            tree.sizes.insert(path.to_owned(), about.len());
            if [".rs", ".md", ".toml"]
                .iter()
                .any(|ending| path.ends_with(ending))
            {
                let text = std::fs::read_to_string(&place);
                tree.add(
                    path,
                    text.map_err(|e| format!("{path} cannot be read as text: {e}"))?,
                );
            }
        }
        Ok(tree)
    }

    fn add(&mut self, path: &str, text: String) {
        let code = if path.ends_with(".rs") {
            code::bare(&text)
        } else {
            String::new()
        };
        let shipped = if is_for_tests(path) {
            String::new()
        } else {
            code::without_tests(&code)
        };
        self.texts.insert(
            path.to_owned(),
            Text {
                text,
                code,
                shipped,
            },
        );
    }

    /// The Rust files below `crates/*/src`, with their paths.
    pub(super) fn crate_sources(&self) -> impl Iterator<Item = (&str, &Text)> {
        self.all(".rs").filter(|(path, _)| in_crate_src(path))
    }

    /// The Rust files of the core.
    pub(super) fn core_sources(&self) -> impl Iterator<Item = (&str, &Text)> {
        self.all(".rs").filter(|(path, _)| path.starts_with(CORE))
    }

    /// The files with this ending.
    pub(super) fn all(&self, ending: &str) -> impl Iterator<Item = (&str, &Text)> {
        let texts = self.texts.iter().map(|(path, text)| (path.as_str(), text));
        texts.filter(move |(path, _)| path.ends_with(ending))
    }

    /// Whether a file or a folder of that path is there.
    pub(super) fn holds(&self, path: &str) -> bool {
        let folder = format!("{path}/");
        self.sizes.contains_key(path) || self.sizes.keys().any(|other| other.starts_with(&folder))
    }
}

/// Where the mathematics lives.
pub(super) const CORE: &str = "crates/eigenspan/src/";

fn in_crate_src(path: &str) -> bool {
    let mut parts = path.split('/');
    parts.next() == Some("crates") && parts.next().is_some() && parts.next() == Some("src")
}

/// A module in a file of its own that is declared under `#[cfg(test)]`, by the name such a module has.
fn is_for_tests(path: &str) -> bool {
    path.ends_with("/tests.rs") || (in_crate_src(path) && path.contains("/tests/"))
}

#[cfg(test)]
impl Tree {
    /// A tree of a few small files.
    pub(super) fn of(files: &[(&str, &str)]) -> Self {
        let mut tree = Tree::default();
        for (path, text) in files {
            tree.sizes.insert((*path).to_owned(), text.len() as u64);
            tree.add(path, (*text).to_owned());
        }
        tree
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_there_when_a_file_in_it_is() {
        let tree = Tree::of(&[("docs/guide.md", "")]);
        assert!(tree.holds("docs") && tree.holds("docs/guide.md"));
        assert!(!tree.holds("doc") && !tree.holds("docs/guide"));
    }

    #[test]
    fn test_modules_in_files_of_their_own_ship_nothing() {
        let tree = Tree::of(&[
            ("crates/a/src/x/tests.rs", "fn f() {}"),
            ("crates/a/src/x.rs", "fn f() {}"),
        ]);
        let shipped: Vec<_> = tree
            .crate_sources()
            .map(|(_, text)| text.shipped.is_empty())
            .collect();
        assert_eq!(shipped, [false, true]);
    }
}
