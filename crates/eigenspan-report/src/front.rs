//! Who a page is made for: a person at a terminal or a program, each with its own words for settings.

use eigenspan::note::{Advice, Part, Setting};
use eigenspan::{Hint, Note};

use crate::words;

/// Who a page is made for.
#[derive(Debug, Clone)]
pub enum Front {
    /// A person at a terminal.
    Terminal {
        /// The command that repeats the report, where it is known.
        command: Option<Command>,
    },
    /// A program in another language.
    Program {
        /// Spells a setting; `None` for one that the language does not have.
        spell: fn(&Setting) -> Option<String>,
    },
}

/// A command that can be typed again.
#[derive(Debug, Clone)]
pub struct Command {
    /// The line to type.
    pub line: String,
    /// The options in it, each as its struct calls it: `missing`, `label_column`.
    pub options: Vec<String>,
}

impl Command {
    /// Whether an option is in the line.
    pub(crate) fn names(&self, option: &str) -> bool {
        self.options.iter().any(|name| name == option)
    }
}

impl Front {
    /// A terminal whose command is not known.
    pub const UNKNOWN: &'static Front = &Front::Terminal { command: None };

    /// The command that repeats the report.
    pub(crate) fn command(&self) -> Option<&Command> {
        match self {
            Front::Terminal { command } => command.as_ref(),
            Front::Program { .. } => None,
        }
    }

    /// Which of two words is right: one for a terminal, one for a program.
    pub(crate) fn either<'a>(&self, terminal: &'a str, program: &'a str) -> &'a str {
        match self {
            Front::Terminal { .. } => terminal,
            Front::Program { .. } => program,
        }
    }

    /// Advice in the words of this front. A page is no scores file, so nothing is kept in one.
    pub(crate) fn advice(&self, advice: &Advice) -> Option<String> {
        match self {
            Front::Terminal { .. } => words::tip(advice, &|setting| setting.option != "keep"),
            Front::Program { spell } => advice.text(&|part| match part {
                Part::Words(text) => Some(text.clone()),
                Part::Setting(setting) => spell(setting),
                Part::Typed(_) => None,
            }),
        }
    }

    /// The option that acts on a note, with what it does.
    pub(crate) fn hint(&self, hint: Hint) -> Option<String> {
        self.advice(&hint.into())
    }

    /// A note with its advice behind it; without the option that acts on it.
    pub(crate) fn noted(&self, note: &Note) -> String {
        words::with_advice(note, |advice| self.advice(advice))
    }
}
