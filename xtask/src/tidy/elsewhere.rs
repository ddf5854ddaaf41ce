//! Tests of data that may not be passed on: each is listed, beside a test of the same claim that every clone can run.
//!
//! Such data lie beside the repository, and only the functions named [`DOOR`] look there.

use std::collections::{BTreeMap, BTreeSet};

use super::Finding;
use super::code::{is_word, line_of, words};
use super::tree::{Text, Tree};

/// Where the list is.
const LIST: &str = "tests/reference/README.md";

/// The function of a test crate that finds data outside the repository.
const DOOR: &str = "beside";

/// Where it looks.
const PLACE: &str = "../shared";

/// What cannot run everywhere proves nothing in the clones where it does not.
pub(super) fn every_test_of_data_elsewhere_has_one_that_runs_everywhere(
    tree: &Tree,
) -> Vec<Finding> {
    let Some(list) = tree.texts.get(LIST) else {
        let what = format!("is missing: it lists the tests that read {PLACE}");
        return vec![Finding::new(LIST, 0, what)];
    };
    let files: BTreeMap<&str, Functions> = tree
        .all(".rs")
        .filter(|(path, _)| path.starts_with("crates/") && path.contains("/tests/"))
        .map(|(path, file)| (path, Functions::in_file(file)))
        .collect();
    let mut findings: Vec<Finding> = files.iter().flat_map(other_doors).collect();
    let mut listed = BTreeSet::new();
    for (line, text) in (1..).zip(list.text.lines()) {
        let Some(entry) = Entry::read(text) else {
            continue;
        };
        let functions = files.get(entry.path.as_str());
        if let Some(what) = entry.fault(functions) {
            findings.push(Finding::new(LIST, line, what));
        }
        listed.insert((entry.path, entry.test));
    }
    for (path, functions) in &files {
        for test in functions.tests.intersection(&functions.readers) {
            if !listed.contains(&((*path).to_owned(), (*test).to_owned())) {
                let what = format!(
                    "`{test}` reads {PLACE}: list it in {LIST}, beside a test of the same claim that does not"
                );
                findings.push(Finding::new(path, functions.line(test), what));
            }
        }
    }
    findings
}

/// Places that name the folder outside the repository without being the function for it.
fn other_doors((path, functions): (&&str, &Functions)) -> Vec<Finding> {
    let door = functions.bodies.iter().find(|(name, _)| *name == DOOR);
    let lines =
        door.map(|(_, (from, to))| line_of(functions.code, *from)..=line_of(functions.code, *to));
    let others = (1..).zip(functions.text.lines()).filter(|(line, text)| {
        text.contains(PLACE) && !lines.as_ref().is_some_and(|lines| lines.contains(line))
    });
    others
        .map(|(line, _)| {
            let what = format!("only `{DOOR}` looks into {PLACE}: call it");
            Finding::new(path, line, what)
        })
        .collect()
}

/// A line of the list.
struct Entry {
    path: String,
    test: String,
    counterparts: Vec<String>,
}

impl Entry {
    /// Reads `` | `crate`: `file.rs` | `test` | data | `test`, `test` | ``; no other line is an entry.
    fn read(line: &str) -> Option<Entry> {
        let cells: Vec<&str> = line.trim_matches('|').split('|').collect();
        let [place, test, _, counterparts] = cells.as_slice() else {
            return None;
        };
        let [krate, file] = quoted(place)[..] else {
            return None;
        };
        Some(Entry {
            path: format!("crates/{krate}/tests/it/{file}"),
            test: (*quoted(test).first()?).to_owned(),
            counterparts: quoted(counterparts)
                .into_iter()
                .map(str::to_owned)
                .collect(),
        })
    }

    /// What is wrong with it, if anything.
    fn fault(&self, functions: Option<&Functions>) -> Option<String> {
        let Some(functions) = functions else {
            return Some(format!("there is no {}", self.path));
        };
        let (test, path) = (self.test.as_str(), &self.path);
        if !functions.tests.contains(test) || !functions.readers.contains(test) {
            return Some(format!(
                "no test `{test}` in {path} reads {PLACE}: delete the line"
            ));
        }
        if self.counterparts.is_empty() {
            return Some(format!("`{test}` has no test that runs everywhere"));
        }
        let mut counterparts = self.counterparts.iter().map(String::as_str);
        if let Some(gone) = counterparts.find(|name| !functions.tests.contains(name)) {
            return Some(format!("there is no test `{gone}` in {path}"));
        }
        let mut counterparts = self.counterparts.iter().map(String::as_str);
        let other = counterparts.find(|name| functions.readers.contains(name))?;
        Some(format!("`{other}` reads {PLACE} itself"))
    }
}

/// What stands in backticks.
fn quoted(cell: &str) -> Vec<&str> {
    cell.split('`').skip(1).step_by(2).collect()
}

/// The functions of a file of tests.
struct Functions<'t> {
    text: &'t str,
    code: &'t str,
    /// Every function, with the part of the code that is its body.
    bodies: Vec<(&'t str, (usize, usize))>,
    tests: BTreeSet<&'t str>,
    /// Those that look outside the repository, themselves or by a function of this file that they call.
    readers: BTreeSet<&'t str>,
}

impl<'t> Functions<'t> {
    fn in_file(file: &'t Text) -> Self {
        let code = file.code.as_str();
        let (mut bodies, mut tests) = (Vec::new(), BTreeSet::new());
        for place in words(code, "fn") {
            let rest = code[place + 2..].trim_start();
            let name = &rest[..rest.find(|c| !is_word(c)).unwrap_or(rest.len())];
            let from = code.len() - rest.len();
            if name.is_empty() {
                continue;
            }
            let Some(end) = body_end(code, from) else {
                continue;
            };
            bodies.push((name, (from + name.len(), end)));
            if code[..place].trim_end().ends_with("#[test]") {
                tests.insert(name);
            }
        }
        let mut functions = Functions {
            text: &file.text,
            code,
            bodies,
            tests,
            readers: BTreeSet::new(),
        };
        functions.find_readers();
        functions
    }

    fn find_readers(&mut self) {
        loop {
            let before = self.readers.len();
            for (name, (from, to)) in &self.bodies {
                let body = &self.code[*from..*to];
                let calls = |called: &str| {
                    words(body, called).any(|at| body[at + called.len()..].starts_with('('))
                };
                if *name != DOOR && (calls(DOOR) || self.readers.iter().any(|r| calls(r))) {
                    self.readers.insert(name);
                }
            }
            if self.readers.len() == before {
                return;
            }
        }
    }

    fn line(&self, name: &str) -> usize {
        let body = self.bodies.iter().find(|(other, _)| *other == name);
        body.map_or(0, |(_, (from, _))| line_of(self.code, *from))
    }
}

/// Where the braces of the function whose name stands at `from` close. `None` if it has no body.
fn body_end(code: &str, from: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (i, c) in code[from..].char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 1 => return Some(from + i + 1),
            '}' => depth = depth.checked_sub(1)?,
            ';' if depth == 0 => return None,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATH: &str = "crates/a/tests/it/golden.rs";
    const CODE: &str = "fn beside() { join(\"../shared\") }\n\
        fn others() { beside(\"x\") }\n\
        #[test]\nfn all() { check(tables()); }\n\
        #[test]\nfn more() { check(others()); }\n";

    fn findings(list: &str, code: &str) -> Vec<(String, String)> {
        let tree = Tree::of(&[(LIST, list), (PATH, code)]);
        every_test_of_data_elsewhere_has_one_that_runs_everywhere(&tree)
            .into_iter()
            .map(|f| (f.path, f.what))
            .collect()
    }

    #[test]
    fn a_listed_test_with_a_counterpart_passes() {
        let list = "| file | test | data | counterpart |\n|---|---|---|---|\n\
            | `a`: `golden.rs` | `more` | rows | `all` |\n| `b.json` | numbers |\n";
        assert_eq!(findings(list, CODE), []);
    }

    #[test]
    fn a_test_that_reads_through_another_function_must_be_listed() {
        let found = findings("", CODE);
        assert_eq!(found.len(), 1);
        assert!(found[0].0 == PATH && found[0].1.starts_with("`more` reads"));
    }

    #[test]
    fn a_counterpart_is_a_test_that_does_not_read_elsewhere() {
        for (counterpart, what) in [
            ("`more`", "`more` reads ../shared itself"),
            ("`gone`", "there is no test `gone`"),
            ("none", "has no test that runs everywhere"),
        ] {
            let list = format!("| `a`: `golden.rs` | `more` | rows | {counterpart} |");
            let found = findings(&list, CODE);
            assert_eq!(found.len(), 1);
            assert!(found[0].1.contains(what), "{found:?}");
        }
    }

    #[test]
    fn a_line_without_its_test_is_found() {
        let list = "| `a`: `golden.rs` | `more` | rows | `all` |\n\
            | `a`: `golden.rs` | `all` | rows | `all` |\n| `a`: `x.rs` | `y` | z | `all` |";
        let found = findings(list, CODE);
        assert_eq!(found.len(), 2, "{found:?}");
    }

    #[test]
    fn the_folder_has_one_door() {
        let code = "#[test]\nfn f() { read(\"../shared/x\") }";
        let found = findings("", code);
        assert_eq!(found[0].1, "only `beside` looks into ../shared: call it");
    }
}
