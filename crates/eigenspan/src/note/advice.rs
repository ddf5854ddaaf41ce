//! Advice beside an error or a note: clauses that name settings, which each front spells in its own words.
//!
//! A setting is `--missing mean` in a terminal and `missing="mean"` in Python. A front leaves out a clause that names
//! something it does not have: a command without `--keep` says nothing about it, and Python says nothing about programs
//! that are typed in a terminal.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Hint;

/// An option with the value that would help, as data.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Setting {
    /// The option's name as the options struct spells it, such as `label_column`.
    pub option: String,
    /// What to give it: one value, or several for an option that takes a list; none where the option alone is named.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<String>,
}

impl Setting {
    /// An option that is named without a value.
    pub fn named(option: &str) -> Self {
        Setting::list(option, [""; 0])
    }

    /// An option with one value; a switch takes `true` or `false`.
    pub fn new(option: &str, value: impl Into<String>) -> Self {
        Setting::list(option, [value])
    }

    /// An option with a list of values.
    pub fn list<V: Into<String>>(option: &str, values: impl IntoIterator<Item = V>) -> Self {
        Setting {
            option: option.to_owned(),
            values: values.into_iter().map(Into::into).collect(),
        }
    }
}

/// A part of a clause.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// Words that every front says as they stand.
    Words(String),
    /// A setting, which each front spells in its own way.
    Setting(Setting),
    /// What is typed in a terminal and nowhere else: a program with its arguments, or an argument that stands for no
    /// option of the library.
    Typed(String),
}

/// One piece of advice: parts that are said one after another.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Clause(Vec<Part>);

impl Clause {
    /// A clause that begins with words.
    pub fn say(words: impl Into<String>) -> Self {
        Clause::default().then(words)
    }

    /// A clause that begins with an option and its value.
    pub fn set(option: &str, value: impl Into<String>) -> Self {
        Clause::default().and(Setting::new(option, value))
    }

    /// A clause that begins with an option and a list of values.
    pub fn list<V: Into<String>>(option: &str, values: impl IntoIterator<Item = V>) -> Self {
        Clause::default().and(Setting::list(option, values))
    }

    /// A clause that begins with the name of an option.
    pub fn name(option: &str) -> Self {
        Clause::default().and(Setting::named(option))
    }

    /// A clause that begins with what is typed in a terminal.
    pub fn typed(text: impl Into<String>) -> Self {
        Clause(vec![Part::Typed(text.into())])
    }

    /// Goes on with words.
    pub fn then(mut self, words: impl Into<String>) -> Self {
        self.0.push(Part::Words(words.into()));
        self
    }

    /// Goes on with a setting.
    pub fn and(mut self, setting: Setting) -> Self {
        self.0.push(Part::Setting(setting));
        self
    }

    /// Goes on with what is typed in a terminal.
    pub fn and_typed(mut self, text: impl Into<String>) -> Self {
        self.0.push(Part::Typed(text.into()));
        self
    }

    /// The parts, in their order.
    pub fn parts(&self) -> &[Part] {
        &self.0
    }

    /// The clause as text; `None` if a part has no words on this front.
    pub fn text(&self, spell: &dyn Fn(&Part) -> Option<String>) -> Option<String> {
        self.0.iter().map(spell).collect()
    }
}

impl From<Hint> for Clause {
    fn from(hint: Hint) -> Self {
        let mut clause = Clause::default();
        for setting in hint.settings() {
            if !clause.0.is_empty() {
                clause = clause.then(" ");
            }
            clause = clause.and(setting);
        }
        clause.then(format!(" {}", hint.does))
    }
}

/// What a person can do: clauses, of which each front says those that can be followed there.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Advice(Vec<Clause>);

impl Advice {
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The clauses, in their order.
    pub fn clauses(&self) -> &[Clause] {
        &self.0
    }

    /// This advice with a clause before it.
    pub fn after(mut self, clause: Clause) -> Self {
        self.0.insert(0, clause);
        self
    }

    /// This advice with words before its first clause.
    pub fn beginning(mut self, words: &str) -> Self {
        if let Some(first) = self.0.first_mut() {
            first.0.insert(0, Part::Words(words.to_owned()));
        }
        self
    }

    /// The clauses that this front has words for, separated by semicolons; `None` where there are none.
    pub fn text(&self, spell: &dyn Fn(&Part) -> Option<String>) -> Option<String> {
        let said: Vec<String> = self.0.iter().filter_map(|c| c.text(spell)).collect();
        (!said.is_empty()).then(|| said.join("; "))
    }
}

impl From<&str> for Advice {
    fn from(words: &str) -> Self {
        Clause::say(words).into()
    }
}

impl From<String> for Advice {
    fn from(words: String) -> Self {
        Clause::say(words).into()
    }
}

impl From<Clause> for Advice {
    fn from(clause: Clause) -> Self {
        Advice(vec![clause])
    }
}

impl<const N: usize> From<[Clause; N]> for Advice {
    fn from(clauses: [Clause; N]) -> Self {
        Advice(clauses.into())
    }
}

impl From<Vec<Clause>> for Advice {
    fn from(clauses: Vec<Clause>) -> Self {
        Advice(clauses)
    }
}

impl From<Hint> for Advice {
    fn from(hint: Hint) -> Self {
        Clause::from(hint).into()
    }
}
