//! Filters advice for the running command: clauses that name options of another command are left out.
//!
//! Readers and the core do not know which command runs them. `--missing mean` helps a fit and not `transform`; `--keep` is for
//! commands that write scores. Single clauses, which end at a semicolon, are removed, and so are brackets that become empty.

use clap::ArgMatches;

use crate::typed::innermost;

/// The long options of the command that runs.
#[derive(Debug, Clone, Default)]
pub(crate) struct Options(Vec<String>);

impl Options {
    /// The options of the typed command, as its help shows them.
    pub(crate) fn from_matches(tree: &clap::Command, matches: &ArgMatches) -> Self {
        let (command, ..) = innermost(tree, matches);
        let shown = command.get_arguments().filter(|arg| !arg.is_hide_set());
        let names = shown.flat_map(|arg| arg.get_long_and_visible_aliases().unwrap_or_default());
        Options(names.map(str::to_owned).collect())
    }

    /// A note without the clauses that this command cannot follow; its main sentence stays.
    pub(crate) fn note(&self, text: &str) -> String {
        let mut lines = text.lines();
        let first = lines.next().unwrap_or_default();
        let mut out = self.clauses(&self.brackets(first));
        if out.is_empty() {
            out = first.to_owned();
        }
        for line in lines.filter(|line| self.can(line)) {
            out += &format!("\n{line}");
        }
        out
    }

    /// A tip without the clauses that this command cannot follow; None where no clause is left.
    pub(crate) fn tip(&self, text: &str) -> Option<String> {
        let text = self.clauses(&self.brackets(text));
        (!text.is_empty()).then_some(text)
    }

    /// Removes such clauses from every pair of brackets.
    fn brackets(&self, text: &str) -> String {
        let mut out = String::new();
        let mut rest = text;
        while let Some(open) = rest.find('(') {
            let Some(close) = rest[open..].find(')').map(|at| open + at) else {
                break;
            };
            let inside = &rest[open + 1..close];
            let kept = self.clauses(inside);
            match kept.is_empty() && !inside.is_empty() {
                true => out += rest[..open].trim_end(),
                false => out += &format!("{}({kept})", &rest[..open]),
            }
            rest = &rest[close + 1..];
        }
        out + rest
    }

    fn clauses(&self, text: &str) -> String {
        let kept: Vec<&str> = text.split("; ").filter(|clause| self.can(clause)).collect();
        kept.join("; ")
    }

    /// Whether every option that a clause names belongs to this command; a clause with a whole command line always passes.
    fn can(&self, clause: &str) -> bool {
        clause.contains("eigenspan ") || options_in(clause).all(|option| self.0.contains(&option))
    }
}

/// The long options that a text names.
fn options_in(text: &str) -> impl Iterator<Item = String> {
    text.split([' ', '(', ')', ',', ':']).filter_map(|word| {
        let name = word.strip_prefix("--")?;
        let name: String = name
            .chars()
            .take_while(|c| c.is_ascii_alphanumeric() || *c == '-')
            .collect();
        name.starts_with(|c: char| c.is_ascii_alphabetic())
            .then_some(name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_another_command_could_do_is_not_advised() {
        let options = Options(vec!["one-hot".to_owned(), "exclude".to_owned()]);
        let note = "a is text: set aside (to keep it in the scores file: --keep a; to analyze it: --one-hot)";
        assert_eq!(
            options.note(note),
            "a is text: set aside (to analyze it: --one-hot)"
        );
        assert_eq!(options.note("x (see --keep a)\n      --scale helps"), "x");
        assert_eq!(options.note("left --keep"), "left --keep");
        assert_eq!(
            options.tip("--missing mean fills them; --missing drop leaves them"),
            None
        );
        let tip = "--exclude a leaves it out; --missing mean then fills it";
        assert_eq!(
            options.tip(tip).as_deref(),
            Some("--exclude a leaves it out")
        );
        assert!(options.tip("eigenspan fit pca x.csv --keep a").is_some());
    }
}
