//! Who may know whom: crates and, inside some of them, modules depend one way only.

use std::collections::BTreeMap;

use super::Finding;
use super::code::names_below;
use super::manifest::dependencies;
use super::tree::{CORE, Tree};

/// The crates from the ground up; crates of one floor do not know each other.
const FLOORS: [&[&str]; 5] = [
    &["eigenspan"],
    &["eigenspan-io"],
    &["eigenspan-report"],
    &["eigenspan-cli"],
    // Its command is the command line's own program.
    &["eigenspan-python"],
];

/// The modules of a crate in reading order; a module uses only those above it.
struct Order {
    /// The folder of its sources, with `/` at its end.
    src: &'static str,
    /// Its modules from the ground up.
    modules: &'static [&'static str],
    /// Pairs (upper, lower) that are allowed all the same: the upper one may use the lower one.
    exceptions: &'static [(&'static str, &'static str)],
}

/// The crates whose modules have an order.
const ORDERS: &[Order] = &[CORE_ORDER, IO_ORDER, REPORT_ORDER];

const CORE_ORDER: Order = Order {
    src: CORE,
    modules: &[
        "error",
        "note",
        "context",
        "parallel",
        "rng",
        "distribution",
        "mat",
        "linalg",
        "source",
        "summary",
        "prepare",
        "solve",
        "choose",
        "kernel",
        "graph",
        "method",
        "interpret",
        "evaluate",
    ],
    // An error may hint at an option and a note may count things, so these two know each other.
    exceptions: &[("error", "note")],
};

/// Words and bytes, tables, readers, one file, several files, and what is written.
const IO_ORDER: Order = Order {
    src: "crates/eigenspan-io/src/",
    modules: &[
        // What can go wrong, what may be asked for, and bytes.
        "error",
        "picture",
        "options",
        "kind",
        "input",
        "unpack",
        "guard",
        "free",
        "parallel",
        // A table, whatever it is read from.
        "columns",
        "select",
        "table",
        "sample",
        // Readers.
        "sparse",
        "memory",
        "text",
        "npy",
        "npz",
        "mtx",
        "libsvm",
        "plink",
        "columnar",
        "image",
        "h5ad",
        "sheet",
        // One file, several files, and what is made of them.
        "file",
        "files",
        "transpose",
        "shards",
        "onehot",
        "open",
        // The way out.
        "write",
        "model",
    ],
    exceptions: &[],
};

/// Words, then facts, then figures, the page and what is told on it, then what is done with subjects and files.
const REPORT_ORDER: Order = Order {
    src: "crates/eigenspan-report/src/",
    modules: &[
        "words",
        "front",
        "error",
        "explicit",
        "heading",
        "summary",
        "subject",
        "describe",
        "genotypes",
        "pca",
        "fit",
        "choose",
        "analysis",
        "figure",
        "page",
        "story",
        "plot",
        "report",
        "method_report",
        "project",
        "results",
        "tune",
        "neighbors",
        "accuracy",
        "text",
        "json",
        "job",
    ],
    exceptions: &[],
};

/// python → cli → report → io → eigenspan.
pub(super) fn crates_depend_one_way(tree: &Tree) -> Vec<Finding> {
    let floor = |name: &str| FLOORS.iter().position(|names| names.contains(&name));
    let mut findings = Vec::new();
    for (path, manifest) in tree.all("/Cargo.toml") {
        let Some(name) = path
            .strip_prefix("crates/")
            .and_then(|rest| rest.split('/').next())
        else {
            continue;
        };
        let Some(own) = floor(name) else {
            let what = format!("`{name}` has no floor yet: give it one in {}", file!());
            findings.push(Finding::new(path, 0, what));
            continue;
        };
        for dependency in dependencies(&manifest.text, "dependencies") {
            if floor(dependency.name).is_some_and(|other| other >= own) {
                let what = format!(
                    "`{name}` may not depend on `{}`, which is not below it: move what both need down",
                    dependency.name
                );
                findings.push(Finding::new(path, dependency.line, what));
            }
        }
    }
    findings
}

/// The order of the modules is the order in which a crate is read and understood.
pub(super) fn modules_use_only_those_above_them(tree: &Tree) -> Vec<Finding> {
    let findings = ORDERS.iter().flat_map(|order| order.findings(tree));
    findings.collect()
}

impl Order {
    fn findings(&self, tree: &Tree) -> Vec<Finding> {
        let at_root = self.names_at_root(tree);
        let mut findings = Vec::new();
        for (path, file) in tree.all(".rs") {
            let Some(inner) = path.strip_prefix(self.src) else {
                continue;
            };
            let inner = inner.trim_end_matches(".rs");
            let module = inner.split('/').next().unwrap_or(inner);
            if module == "lib" {
                continue;
            }
            let Some(own) = self.place(module) else {
                let what = format!(
                    "module `{module}` has no place in the order yet: give it one in {}",
                    file!()
                );
                findings.push(Finding::new(path, 0, what));
                continue;
            };
            for (line, name) in names_from_root(&file.shipped, inner) {
                let used = at_root.get(name).map_or(name, String::as_str);
                let is_below = self.place(used).is_some_and(|other| other > own);
                if is_below && !self.exceptions.contains(&(module, used)) {
                    let what = format!(
                        "`{module}` may not use `{used}`, which comes after it: move what both need up"
                    );
                    findings.push(Finding::new(path, line, what));
                }
            }
        }
        findings
    }

    fn place(&self, module: &str) -> Option<usize> {
        self.modules.iter().position(|&name| name == module)
    }

    /// What the root of the crate hands on under its own name, and the module it comes from.
    fn names_at_root(&self, tree: &Tree) -> BTreeMap<String, String> {
        let root = tree
            .texts
            .get(&format!("{}lib.rs", self.src))
            .map_or("", |file| file.shipped.as_str());
        let mut names = BTreeMap::new();
        for module in self.modules {
            for (_, name) in names_below(root, module) {
                names.insert(name.to_owned(), (*module).to_owned());
            }
        }
        names
    }
}

/// The names a file takes from the root of its crate, by `crate::` or by as many `super::` as it lies deep.
fn names_from_root<'c>(code: &'c str, inner: &str) -> Vec<(usize, &'c str)> {
    let depth = inner.trim_end_matches("/mod").split('/').count();
    let climb = vec!["super"; depth].join("::");
    let mut names = names_below(code, "crate");
    names.extend(names_below(code, &climb));
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(findings: &[Finding]) -> Vec<usize> {
        findings.iter().map(|finding| finding.line).collect()
    }

    #[test]
    fn a_crate_may_know_those_below_it() {
        let manifest = "[dependencies]\neigenspan.workspace = true\neigenspan-io.workspace = true\nserde.workspace = true";
        let tree = Tree::of(&[("crates/eigenspan-report/Cargo.toml", manifest)]);
        assert_eq!(crates_depend_one_way(&tree), []);
    }

    #[test]
    fn a_crate_may_know_none_above_it() {
        let up = "[dependencies]\neigenspan-report.workspace = true";
        let far = "[dependencies]\n\neigenspan-python.workspace = true";
        let tree = Tree::of(&[
            ("crates/eigenspan-cli/Cargo.toml", far),
            ("crates/eigenspan-io/Cargo.toml", up),
        ]);
        assert_eq!(lines(&crates_depend_one_way(&tree)), [3, 2]);
    }

    #[test]
    fn tests_of_a_crate_may_know_any() {
        let tree = Tree::of(&[(
            "crates/eigenspan/Cargo.toml",
            "[dev-dependencies]\neigenspan-io.workspace = true",
        )]);
        assert_eq!(crates_depend_one_way(&tree), []);
    }

    #[test]
    fn a_new_crate_or_module_needs_a_place() {
        let tree = Tree::of(&[
            ("crates/eigenspan-wasm/Cargo.toml", ""),
            ("crates/eigenspan/src/utils.rs", ""),
        ]);
        assert_eq!(crates_depend_one_way(&tree).len(), 1);
        assert_eq!(modules_use_only_those_above_them(&tree).len(), 1);
    }

    #[test]
    fn a_module_may_use_those_above_it_and_itself() {
        let tree = Tree::of(&[(
            "crates/eigenspan/src/solve/plan.rs",
            "use crate::{error::Error, mat::Mat};\nuse crate::solve::x;",
        )]);
        assert_eq!(modules_use_only_those_above_them(&tree), []);
    }

    #[test]
    fn a_module_may_not_use_those_below_it_however_it_names_them() {
        let code = "use crate::method::Pca;\nuse crate::{\n    error::Error,\n    solve,\n};\nfn f() { super::super::kernel::k() }\nuse crate::Plan;";
        let tree = Tree::of(&[
            (
                "crates/eigenspan/src/lib.rs",
                "pub use solve::{Plan, Solver};",
            ),
            ("crates/eigenspan/src/summary/scatter.rs", code),
        ]);
        assert_eq!(
            lines(&modules_use_only_those_above_them(&tree)),
            [1, 4, 7, 6]
        );
    }

    #[test]
    fn one_super_leads_out_of_a_folder_only_from_its_own_file() {
        let tree = Tree::of(&[
            ("crates/eigenspan/src/source/dense.rs", "use super::method;"),
            ("crates/eigenspan/src/source/mod.rs", "use super::method;"),
        ]);
        let findings = modules_use_only_those_above_them(&tree);
        assert_eq!(
            findings.iter().map(|f| f.path.as_str()).collect::<Vec<_>>(),
            ["crates/eigenspan/src/source/mod.rs"]
        );
    }

    #[test]
    fn errors_and_notes_may_know_each_other() {
        let tree = Tree::of(&[
            ("crates/eigenspan/src/error.rs", "use crate::note::Hint;"),
            ("crates/eigenspan/src/note.rs", "use crate::error::counted;"),
        ]);
        assert_eq!(modules_use_only_those_above_them(&tree), []);
    }

    #[test]
    fn every_crate_has_its_own_order() {
        let order = Order {
            src: "crates/eigenspan-cli/src/",
            modules: &["words", "page"],
            exceptions: &[],
        };
        let code = "use crate::page;\nuse crate::Page;";
        let tree = Tree::of(&[
            ("crates/eigenspan-cli/src/lib.rs", "pub use page::Page;"),
            ("crates/eigenspan-cli/src/words.rs", code),
            ("crates/eigenspan-python/src/words.rs", code),
        ]);
        let findings = order.findings(&tree);
        assert_eq!(lines(&findings), [1, 2]);
        assert!(findings.iter().all(|f| f.path.contains("-cli/")));
        assert_eq!(modules_use_only_those_above_them(&tree), []);
    }

    #[test]
    fn tests_inside_a_module_may_use_any() {
        let tree = Tree::of(&[(
            "crates/eigenspan/src/mat.rs",
            "#[cfg(test)]\nmod tests { use crate::method::Pca; }",
        )]);
        assert_eq!(modules_use_only_those_above_them(&tree), []);
    }
}
