//! What lies in the repository: where data come from, and how much there is.

use std::collections::BTreeSet;

use super::Finding;
use super::tree::Tree;

/// Bytes a clone may cost.
const LARGEST: u64 = 40_000_000;

/// Numbers without an origin and a licence cannot be passed on.
pub(super) fn every_data_folder_names_its_source(tree: &Tree) -> Vec<Finding> {
    let inside = tree
        .sizes
        .keys()
        .filter_map(|path| path.strip_prefix("data/"));
    let folders: BTreeSet<&str> = inside
        .filter_map(|path| path.split_once('/'))
        .map(|(folder, _)| folder)
        .collect();
    let sourceless = folders
        .into_iter()
        .filter(|folder| !tree.holds(&format!("data/{folder}/SOURCE.md")));
    sourceless
        .map(|folder| {
            let what = "has no SOURCE.md: write down the origin, the licence and the conversion";
            Finding::new(&format!("data/{folder}"), 0, what)
        })
        .collect()
}

/// A clone should take a moment.
pub(super) fn the_repository_stays_small(tree: &Tree) -> Vec<Finding> {
    let total: u64 = tree.sizes.values().sum();
    if total <= LARGEST {
        return Vec::new();
    }
    let mut by_size: Vec<_> = tree.sizes.iter().collect();
    by_size.sort_by_key(|&(_, &size)| std::cmp::Reverse(size));
    let largest = by_size.into_iter().take(5).map(|(path, size)| {
        let what = format!(
            "{} of {} MB, but all files together may take {}: make it smaller or leave it out",
            size / 1_000_000,
            total / 1_000_000,
            LARGEST / 1_000_000
        );
        Finding::new(path, 0, what)
    });
    largest.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_data_folder_without_a_source_is_found() {
        let tree = Tree::of(&[
            ("data/README.md", ""),
            ("data/iris/iris.csv", ""),
            ("data/iris/SOURCE.md", ""),
            ("data/wine/wine.csv", ""),
        ]);
        let paths: Vec<_> = every_data_folder_names_its_source(&tree)
            .into_iter()
            .map(|f| f.path)
            .collect();
        assert_eq!(paths, ["data/wine"]);
    }

    #[test]
    fn a_large_repository_names_its_largest_files() {
        let mut tree = Tree::of(&[("a.md", ""), ("b.md", "")]);
        assert_eq!(the_repository_stays_small(&tree), []);
        tree.sizes.insert("b.md".to_owned(), LARGEST + 1);
        assert_eq!(the_repository_stays_small(&tree)[0].path, "b.md");
    }
}
