//! Links in the pages of the repository: those that lead to a file here must find it.

use super::Finding;
use super::tree::Tree;

/// A moved file takes its links with it.
pub(super) fn every_relative_link_leads_somewhere(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, page) in tree.all(".md") {
        for (line, target) in targets(&page.text) {
            let found =
                resolve(path, target).is_some_and(|place| place.is_empty() || tree.holds(&place));
            if !found {
                let what = format!("`{target}` is not there: correct the link or delete it");
                findings.push(Finding::new(path, line, what));
            }
        }
    }
    findings
}

/// The relative targets of a page's links, with their lines, outside of code.
fn targets(page: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut fenced = false;
    for (line, text) in (1..).zip(page.lines()) {
        if text.trim_start().starts_with("```") {
            fenced = !fenced;
        }
        if fenced {
            continue;
        }
        // Every second piece between backticks is code.
        let prose = text.split('`').step_by(2);
        let inline = prose
            .flat_map(|piece| piece.split("](").skip(1))
            .map(|rest| until(rest, &[')', ' ']));
        let html = ["href=\"", "src=\""];
        let tags = html
            .into_iter()
            .flat_map(|tag| text.split(tag).skip(1))
            .map(|rest| until(rest, &['"']));
        // `[name]: target` at the start of a line.
        let named = text
            .strip_prefix('[')
            .and_then(|rest| rest.split_once("]: "));
        let named = named.map(|(_, rest)| until(rest, &[' ']));
        let all = inline.chain(tags).chain(named).filter_map(relative);
        found.extend(all.map(|target| (line, target)));
    }
    found
}

fn until<'t>(text: &'t str, ends: &[char]) -> &'t str {
    &text[..text.find(ends).unwrap_or(text.len())]
}

/// The part of a target that names a file here, if it does.
fn relative(target: &str) -> Option<&str> {
    let target = target.trim_matches(['<', '>']);
    let file = target.split('#').next().unwrap_or(target);
    (!file.is_empty() && !file.contains(':')).then_some(file)
}

/// The path of `target` as seen from `page`; nothing when it leads out of the repository.
fn resolve(page: &str, target: &str) -> Option<String> {
    let mut parts: Vec<&str> = page.split('/').collect();
    parts.pop();
    if target.starts_with('/') {
        parts.clear();
    }
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn broken(page: &str) -> Vec<usize> {
        let tree = Tree::of(&[
            ("docs/guide.md", page),
            ("README.md", ""),
            ("docs/img/a.svg", ""),
        ]);
        every_relative_link_leads_somewhere(&tree)
            .iter()
            .map(|finding| finding.line)
            .collect()
    }

    #[test]
    fn links_to_files_and_folders_that_exist_pass() {
        assert_eq!(
            broken(
                "[a](../README.md#top) ![b](img/a.svg \"title\")\n[c](img) [d](/README.md) [e](..)\n[f]: guide.md"
            ),
            []
        );
    }

    #[test]
    fn links_to_nothing_are_found_in_every_form() {
        assert_eq!(
            broken(
                "[a](gone.md)\n![b](img/b.svg)\n<img src=\"c.png\">\n[d]: gone.md\n[e](../../out.md)"
            ),
            [1, 2, 3, 4, 5]
        );
    }

    #[test]
    fn other_places_and_code_are_not_followed() {
        assert_eq!(
            broken(
                "[a](https://example.org/x) [b](#part) <mailto:x@example.org>\n`[c](gone.md)`\n```\n[d](gone.md)\n```"
            ),
            []
        );
    }
}
