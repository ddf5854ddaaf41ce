//! The few facts the rules want from a `Cargo.toml`: which dependencies are named, and where.

/// The dependencies named in a table whose header ends in `table`, with their lines. A dependency that is a path into
/// this repository is `own`.
pub(super) fn dependencies<'m>(manifest: &'m str, table: &str) -> Vec<Dependency<'m>> {
    let mut found = Vec::new();
    let mut inside = false;
    for (line, text) in (1..).zip(manifest.lines()) {
        if let Some(header) = text
            .trim()
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'))
        {
            inside = is_table(header, table);
            // `[dependencies.name]` opens a table for one dependency.
            if let Some((before, name)) = header.rsplit_once('.')
                && is_table(before, table)
            {
                found.push(Dependency {
                    name,
                    line,
                    own: false,
                });
            }
            continue;
        }
        // A name stands at the start of its line; what is indented continues the line before.
        if inside && text.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_') {
            let (key, value) = text.split_once('=').unwrap_or((text, ""));
            let name = key.split('.').next().unwrap_or(key).trim();
            found.push(Dependency {
                name,
                line,
                own: value.contains("path ="),
            });
        }
    }
    found
}

/// A dependency as a manifest names it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Dependency<'m> {
    pub(super) name: &'m str,
    /// From 1.
    pub(super) line: usize,
    /// A part of this repository.
    pub(super) own: bool,
}

/// `[dependencies]`, and the same for some targets only: `[target.'cfg(unix)'.dependencies]`.
fn is_table(header: &str, table: &str) -> bool {
    header == table || (header.starts_with("target.") && header.ends_with(&format!(".{table}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(manifest: &str, table: &str) -> Vec<(String, usize, bool)> {
        let found = dependencies(manifest, table).into_iter();
        found.map(|d| (d.name.to_owned(), d.line, d.own)).collect()
    }

    #[test]
    fn every_way_to_name_a_dependency_is_found() {
        let manifest = "[package]\nname = \"x\"\n[dependencies]\na = \"1\"\nb.workspace = true\n# c = \"1\"\nd = { path = \"d\" }\n\
                        [dependencies.e]\nversion = \"1\"\n[target.'cfg(unix)'.dependencies]\nf = \"1\"\n[dev-dependencies]\ng = \"1\"";
        let found = [
            ("a", 4, false),
            ("b", 5, false),
            ("d", 7, true),
            ("e", 8, false),
            ("f", 11, false),
        ];
        assert_eq!(
            names(manifest, "dependencies"),
            found.map(|(n, l, o)| (n.to_owned(), l, o))
        );
    }

    #[test]
    fn a_list_of_features_over_several_lines_names_nothing() {
        let manifest = "[workspace.dependencies]\na = { version = \"1\", features = [\n    \"b\",\n] }\nc = \"1\"";
        let found = names(manifest, "workspace.dependencies");
        assert_eq!(
            found
                .iter()
                .map(|(name, ..)| name.as_str())
                .collect::<Vec<_>>(),
            ["a", "c"]
        );
    }
}
