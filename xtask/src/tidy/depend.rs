//! Every dependency is argued for: DESIGN.md has a line that names it.

use std::collections::BTreeSet;

use super::Finding;
use super::manifest::dependencies;
use super::tree::Tree;

const DESIGN: &str = "DESIGN.md";

/// Whoever adds a dependency says in a line what it saves us.
pub(super) fn every_dependency_is_argued_for(tree: &Tree) -> Vec<Finding> {
    let Some(design) = tree.texts.get(DESIGN) else {
        let what =
            "is missing: it argues for every dependency in a line with its name in backticks";
        return vec![Finding::new(DESIGN, 0, what)];
    };
    const TABLES: [&str; 4] = [
        "workspace.dependencies",
        "dependencies",
        "dev-dependencies",
        "build-dependencies",
    ];
    let mut seen = BTreeSet::new();
    let mut findings = Vec::new();
    let manifests = tree
        .texts
        .iter()
        .filter(|(path, _)| path.rsplit('/').next() == Some("Cargo.toml"));
    for (path, manifest) in manifests {
        for dependency in TABLES
            .iter()
            .flat_map(|table| dependencies(&manifest.text, table))
        {
            let ours = dependency.own || tree.holds(&format!("crates/{}", dependency.name));
            if ours || !seen.insert(dependency.name) {
                continue;
            }
            if !design.text.contains(&format!("`{}`", dependency.name)) {
                let what = format!(
                    "`{}` has no line in {DESIGN}: say why it is needed",
                    dependency.name
                );
                findings.push(Finding::new(path, dependency.line, what));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOT: &str = "[workspace.dependencies]\neigenspan = { path = \"crates/eigenspan\" }\nrayon = \"1\"\nfaer = \"0.24\"";

    #[test]
    fn a_dependency_without_a_line_is_found_once() {
        let tree = Tree::of(&[
            ("DESIGN.md", "| `rayon` | threads |"),
            ("Cargo.toml", ROOT),
            (
                "crates/eigenspan/Cargo.toml",
                "[dependencies]\nfaer.workspace = true",
            ),
        ]);
        let findings = every_dependency_is_argued_for(&tree);
        assert_eq!(findings.len(), 1);
        assert_eq!(
            (findings[0].path.as_str(), findings[0].line),
            ("Cargo.toml", 4)
        );
    }

    #[test]
    fn a_dependency_of_one_crate_alone_needs_a_line_too() {
        let tree = Tree::of(&[
            ("DESIGN.md", ""),
            ("xtask/Cargo.toml", "[build-dependencies]\ncc = \"1\""),
        ]);
        assert_eq!(every_dependency_is_argued_for(&tree).len(), 1);
    }

    #[test]
    fn the_page_itself_must_be_there() {
        let findings = every_dependency_is_argued_for(&Tree::of(&[("Cargo.toml", ROOT)]));
        assert_eq!(
            findings.iter().map(|f| f.path.as_str()).collect::<Vec<_>>(),
            ["DESIGN.md"]
        );
    }
}
