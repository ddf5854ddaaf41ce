//! The options of the running command, by which advice is filtered: a clause that names an option of another command is left out.
//!
//! Readers and the core do not know which command runs them. `--missing mean` helps a fit and not `transform`; `--keep` is for
//! commands that write scores.

use clap::ArgMatches;
use eigenspan::note::Setting;
use eigenspan_report::words::long_option;

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

    /// Whether this command has the option of a setting. A number of components is advised wherever it comes up.
    pub(crate) fn has(&self, setting: &Setting) -> bool {
        setting.option == "n_components" || self.0.contains(&long_option(setting))
    }
}

#[cfg(test)]
mod tests {
    use eigenspan::Note;
    use eigenspan::note::{Advice, Clause};
    use eigenspan_report::{text, words};

    use super::*;

    #[test]
    fn what_another_command_could_do_is_not_advised() {
        let options = Options(vec!["one-hot".to_owned(), "exclude".to_owned()]);
        let has = |setting: &Setting| options.has(setting);
        let advice: Advice = [
            Clause::say("to keep it: ").and(Setting::list("keep", ["a"])),
            Clause::say("to analyze it: ").and(Setting::new("one_hot", "true")),
        ]
        .into();
        let note = Note::advised("a is text: set aside", advice);
        assert_eq!(
            text::note(&note, &has),
            "note: a is text: set aside (to analyze it: --one-hot)"
        );
        let keep = Note::advised("x", Clause::say("see ").and(Setting::named("keep")));
        assert_eq!(text::note(&keep, &has), "note: x");
        let fill = Clause::set("missing", "mean").then(" then fills it");
        assert_eq!(words::tip(&fill.clone().into(), &has), None);
        let leave = Clause::list("exclude", ["a"]).then(" leaves it out");
        assert_eq!(
            words::tip(&[leave, fill].into(), &has).as_deref(),
            Some("--exclude a leaves it out")
        );
        let command = Clause::typed("eigenspan fit pca x.csv --keep a");
        assert!(words::tip(&command.into(), &has).is_some());
    }
}
