//! Things that have one door: the backend, the storage of rows, the world outside the core.

use super::Finding;
use super::code::{line_of, names_below, words};
use super::tree::{CORE, Tree};

/// The backend can change without breaking anyone, because only one folder knows its name.
pub(super) fn only_linalg_names_the_backend(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, file) in tree.crate_sources() {
        if path
            .strip_prefix(CORE)
            .is_some_and(|inner| inner.starts_with("linalg"))
        {
            continue;
        }
        for place in words(&file.shipped, "faer") {
            let what = "only linalg/ names faer: ask linalg for what is needed, or add it there";
            findings.push(Finding::new(path, line_of(&file.shipped, place), what));
        }
    }
    findings
}

/// Anyone may hand over a block; only its own file may ask how it is stored.
pub(super) fn only_block_matches_on_storage(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, file) in tree.crate_sources() {
        if path.strip_prefix(CORE) == Some("source/block.rs") {
            continue;
        }
        for variant in ["Block::Dense", "Block::Sparse"] {
            for place in words(&file.shipped, variant) {
                if is_pattern(&file.shipped, place, variant.len()) {
                    let what = format!(
                        "only source/block.rs matches on {variant}: give Block a method that does this"
                    );
                    findings.push(Finding::new(path, line_of(&file.shipped, place), what));
                }
            }
        }
    }
    findings
}

/// Files, terminal, environment and time belong to the fronts.
pub(super) fn the_core_touches_nothing_outside_itself(tree: &Tree) -> Vec<Finding> {
    const MODULES: [&str; 5] = ["fs", "env", "time", "net", "process"];
    const NAMES: [&str; 9] = [
        "Instant",
        "SystemTime",
        "stdin",
        "stdout",
        "println!",
        "print!",
        "eprintln!",
        "eprint!",
        "dbg!",
    ];
    const DO: &str =
        "the core touches nothing outside itself: leave it to a front, or go through Context";
    let mut findings = Vec::new();
    for (path, file) in tree.core_sources() {
        for (line, name) in names_below(&file.shipped, "std") {
            if MODULES.contains(&name) {
                findings.push(Finding::new(path, line, format!("std::{name}: {DO}")));
            }
        }
        for name in NAMES {
            for place in words(&file.shipped, name) {
                let line = line_of(&file.shipped, place);
                findings.push(Finding::new(path, line, format!("{name}: {DO}")));
            }
        }
    }
    findings
}

/// Errors and notes of the core and of readers name settings, which each front spells in its own words: only what is typed in a
/// terminal, and the help of the command line, may hold an option as text.
pub(super) fn only_fronts_spell_options(tree: &Tree) -> Vec<Finding> {
    const WHAT: &str = "an option in a text: name the setting (note::Setting), and each front spells it; what only a \
                        terminal takes is Part::Typed";
    let mut findings = Vec::new();
    for (path, file) in tree.crate_sources() {
        if ![CORE, "crates/eigenspan-io/src/"]
            .iter()
            .any(|room| path.starts_with(room))
        {
            continue;
        }
        let shipped = file
            .text
            .lines()
            .take_while(|line| line.trim() != "#[cfg(test)]");
        let mut before = "";
        for (number, line) in (1..).zip(shipped) {
            let is_terminal = line.contains("typed(") || before.trim_end().ends_with("typed(");
            let is_help = line.contains("_HELP: &str") || line.contains("  eigenspan ");
            let is_comment = line.trim_start().starts_with("//");
            if names_option(line) && !(is_terminal || is_help || is_comment) {
                findings.push(Finding::new(path, number, WHAT));
            }
            before = line;
        }
    }
    findings
}

/// Whether a line holds a word such as `--missing`.
fn names_option(line: &str) -> bool {
    let is_option = |(at, _): (usize, &str)| {
        let after = line[at + 2..].chars().next();
        let before = line[..at].chars().next_back();
        after.is_some_and(|c| c.is_ascii_lowercase())
            && before.is_none_or(|c| !c.is_alphanumeric() && c != '-')
    };
    line.match_indices("--").any(is_option)
}

/// Whether the variant at `place` is matched against, and not made.
///
/// A pattern, or something around it up to a few brackets out, is followed by `=>`, `=`, or, inside round brackets at
/// most, by `|` or a guard; or it is what `matches!` is asked about.
fn is_pattern(code: &str, place: usize, length: usize) -> bool {
    let statement = code[..place]
        .rfind([';', '{', '}'])
        .map_or(0, |end| end + 1);
    if code[statement..place].contains("matches!") {
        return true;
    }
    let mut at = place + length;
    if code[at..].starts_with('(') {
        at = closing(code, at + 1).map_or(code.len(), |(end, _)| end);
    }
    let mut in_braces = false;
    loop {
        let rest = code[at..].trim_start();
        let assigned = rest.starts_with('=') && !rest.starts_with("==");
        let guarded = rest.starts_with("if ") || (rest.starts_with('|') && !rest.starts_with("||"));
        if assigned || (guarded && !in_braces) {
            return true;
        }
        match closing(code, at) {
            Some((end, bracket)) => {
                in_braces |= bracket == '}';
                at = end;
            }
            None => return false,
        }
    }
}

/// The end of the brackets that `from` lies in, and what closes them; nothing once a statement ends before that.
fn closing(code: &str, from: usize) -> Option<(usize, char)> {
    let mut depth = 0_usize;
    for (i, c) in code[from..].char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' if depth == 0 => return Some((from + i + 1, c)),
            ')' | ']' | '}' => depth -= 1,
            ';' if depth == 0 => return None,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn storage(code: &str) -> usize {
        only_block_matches_on_storage(&Tree::of(&[("crates/eigenspan/src/solve/x.rs", code)])).len()
    }

    #[test]
    fn linalg_may_name_the_backend_and_nobody_else() {
        let code = "//! faer is meant.\nuse faer::Mat;";
        let tree = Tree::of(&[
            ("crates/eigenspan/src/linalg/mod.rs", code),
            ("crates/eigenspan/src/solve/full.rs", code),
            ("crates/eigenspan-io/src/lib.rs", code),
        ]);
        let findings = only_linalg_names_the_backend(&tree);
        assert_eq!(findings.iter().map(|f| f.line).collect::<Vec<_>>(), [2, 2]);
    }

    #[test]
    fn making_a_block_is_not_matching_on_it() {
        assert_eq!(
            storage(
                "fn f() { sink(Rows { first, block: Block::Dense(view.part(1, 2)), weights }) }"
            ),
            0
        );
        assert_eq!(
            storage(
                "fn f() { let b = Block::Dense(v); if b.n_rows() == 0 { g(Block::Dense(w)) } }"
            ),
            0
        );
        assert_eq!(
            storage(
                "match x { A => sink(Block::Dense(v)), B => Block::Sparse(w), C => { h(Block::Dense(v)) } }"
            ),
            0
        );
    }

    #[test]
    fn every_way_to_match_on_a_block_is_seen() {
        for code in [
            "match b { Block::Dense(v) => f(v), Block::Sparse(_) => g() }",
            "match (b, s) { (Block::Dense(v), None) => f(v), (Block::Sparse(v), Some(s)) if t => g() }",
            "match r { Rows { block: Block::Dense(v), .. } => f(v), Rows { block: Block::Sparse(_), .. } => g() }",
            "if let Block::Dense(v) = b { f(v) } let Block::Sparse(w) = b else { return };",
            "h(matches!(b, Block::Dense(_))); k(matches!(b, Block::Sparse(..)))",
            "match b { Block::Dense(_) | Block::Sparse(_) => f() }",
        ] {
            assert_eq!(storage(code), 2, "{code}");
        }
    }

    #[test]
    fn the_core_may_not_reach_out() {
        let code = "use std::fs::File;\nuse std::{\n    fmt,\n    time::Duration,\n};\nfn f() { println!(); Instant::now(); }";
        let tree = Tree::of(&[("crates/eigenspan/src/rng.rs", code)]);
        let lines: Vec<_> = the_core_touches_nothing_outside_itself(&tree)
            .iter()
            .map(|f| f.line)
            .collect();
        assert_eq!(lines, [1, 4, 6, 6]);
    }

    #[test]
    fn words_about_the_outside_are_free_and_so_are_tests_and_fronts() {
        let code = "/// println!(\"{}\", x);\nfn f() -> &'static str { \"std::fs\" }\n#[cfg(test)]\nmod tests { use std::fs; }";
        let tree = Tree::of(&[
            ("crates/eigenspan/src/rng.rs", code),
            ("crates/eigenspan-io/src/lib.rs", "use std::fs;"),
        ]);
        assert_eq!(the_core_touches_nothing_outside_itself(&tree), []);
    }

    #[test]
    fn readers_name_settings_and_a_terminal_takes_what_is_typed() {
        let lines = |path: &str, code: &str| -> Vec<usize> {
            let found = only_fronts_spell_options(&Tree::of(&[(path, code)]));
            found.iter().map(|finding| finding.line).collect()
        };
        let code = "// --scale\nlet a = \"--scale helps\";\nlet b = \"x (--missing mean)\";\nlet c = \"one - or -- two\";\n\
                    let d = Clause::typed(\"plink --bfile NAME\");\nlet e = x.and_typed(\n    \"--features xlsx\",\n);\n\
                    const SCALE_HELP: &str = \"(--scale)\";\n#[cfg(test)]\nmod tests { const A: &str = \"--scale\"; }";
        assert_eq!(lines("crates/eigenspan-io/src/x.rs", code), [2, 3]);
        assert_eq!(lines("crates/eigenspan/src/x.rs", code), [2, 3]);
        assert_eq!(lines("crates/eigenspan-cli/src/x.rs", code), []);
    }
}
