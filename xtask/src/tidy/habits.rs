//! How files are written: a head, one page of thought, no way to panic, nothing invisible.

use super::Finding;
use super::code::{line_of, words};
use super::tree::Tree;

/// Lines after which a file is more than one page of thought, whatever is in it.
const LONGEST: usize = 600;

/// The head says what the module is, so that a reader can stop there.
pub(super) fn every_module_has_a_head(tree: &Tree) -> Vec<Finding> {
    let chores = tree
        .all(".rs")
        .filter(|(path, _)| path.starts_with("xtask/src/"));
    let headless = tree
        .crate_sources()
        .chain(chores)
        .filter(|(_, file)| !file.text.starts_with("//!"));
    headless
        .map(|(path, _)| {
            Finding::new(
                path,
                1,
                "begin the file with `//!` and a sentence that says what it is",
            )
        })
        .collect()
}

/// Long files are several ideas in one place.
pub(super) fn no_file_is_longer_than_a_long_page(tree: &Tree) -> Vec<Finding> {
    let long = tree
        .crate_sources()
        .map(|(path, file)| (path, file.text.lines().count()));
    long.filter(|&(_, lines)| lines > LONGEST)
        .map(|(path, lines)| {
            let what = format!(
                "{lines} lines, but at most {LONGEST} are allowed: give each idea its own file"
            );
            Finding::new(path, 0, what)
        })
        .collect()
}

/// A test that does not run says nothing.
pub(super) fn no_test_is_ignored(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, file) in tree.all(".rs") {
        for (place, _) in file.code.match_indices("#[ignore") {
            let what = "let the test run, make it quick enough to run, or delete it";
            findings.push(Finding::new(path, line_of(&file.code, place), what));
        }
    }
    findings
}

/// Input is refused with an error; what cannot happen says why in an `expect`.
pub(super) fn nothing_panics_on_purpose(tree: &Tree) -> Vec<Finding> {
    const WAYS: [(&str, &str); 4] = [
        ("todo!", "do it, or leave it out"),
        ("unimplemented!", "do it, or refuse it with an error"),
        ("panic!", "give an error"),
        (
            ".unwrap()",
            "give an error, or `expect` with the reason why it cannot fail",
        ),
    ];
    let mut findings = Vec::new();
    for (path, file) in tree.crate_sources() {
        for (way, instead) in WAYS {
            for place in words(&file.shipped, way) {
                let line = line_of(&file.shipped, place);
                findings.push(Finding::new(
                    path,
                    line,
                    format!("no {way} here: {instead}"),
                ));
            }
        }
    }
    findings
}

/// What cannot be seen should not be there.
pub(super) fn no_tabs_and_no_trailing_blanks(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, file) in tree.all(".rs").chain(tree.all(".md")) {
        for (line, text) in (1..).zip(file.text.split('\n')) {
            if text.contains('\t') {
                findings.push(Finding::new(path, line, "a tab: use blanks"));
            }
            if text.ends_with(char::is_whitespace) {
                findings.push(Finding::new(
                    path,
                    line,
                    "blanks at the end of the line: delete them",
                ));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATH: &str = "crates/eigenspan-io/src/csv.rs";

    fn lines(check: fn(&Tree) -> Vec<Finding>, text: &str) -> Vec<usize> {
        check(&Tree::of(&[(PATH, text)]))
            .iter()
            .map(|finding| finding.line)
            .collect()
    }

    #[test]
    fn a_file_begins_with_its_head() {
        assert_eq!(lines(every_module_has_a_head, "//! Rows.\nfn f() {}"), []);
        assert_eq!(lines(every_module_has_a_head, "// Rows.\n//! Rows."), [1]);
    }

    #[test]
    fn only_modules_need_a_head() {
        let tree = Tree::of(&[
            ("crates/eigenspan/tests/it/laws.rs", "fn f() {}"),
            ("xtask/src/x.rs", ""),
        ]);
        let paths: Vec<_> = every_module_has_a_head(&tree)
            .into_iter()
            .map(|f| f.path)
            .collect();
        assert_eq!(paths, ["xtask/src/x.rs"]);
    }

    #[test]
    fn a_file_of_six_hundred_lines_passes_and_one_more_does_not() {
        assert_eq!(
            lines(no_file_is_longer_than_a_long_page, &"x\n".repeat(600)),
            []
        );
        assert_eq!(
            lines(no_file_is_longer_than_a_long_page, &"x\n".repeat(601)),
            [0]
        );
    }

    #[test]
    fn ignored_tests_are_found_wherever_they_are() {
        assert_eq!(
            lines(
                no_test_is_ignored,
                "// #[ignore]\n#[test]\n#[ignore = \"slow\"]\nfn f() {}"
            ),
            [3]
        );
    }

    #[test]
    fn shipped_code_does_not_panic_on_purpose() {
        let code = "fn f() {\n    a.unwrap();\n    std::panic!();\n    todo!()\n}";
        assert_eq!(lines(nothing_panics_on_purpose, code), [4, 3, 2]);
    }

    #[test]
    fn what_only_looks_like_a_panic_passes() {
        let code = "/// x.unwrap()\nfn f() { a.unwrap_or(0); b.expect(\"never empty\"); std::panic::catch_unwind(g); dont_panic!() }\n\
                    #[cfg(test)]\nmod tests { fn g() { a.unwrap(); } }";
        assert_eq!(lines(nothing_panics_on_purpose, code), []);
    }

    #[test]
    fn tabs_and_trailing_blanks_are_found() {
        assert_eq!(
            lines(no_tabs_and_no_trailing_blanks, "a\n\tb\nc \nd\r\n\n"),
            [2, 3, 4]
        );
    }
}
