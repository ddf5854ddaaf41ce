//! Spells settings as Python types them: `missing="mean"`, `exclude=["Region"]`.
//!
//! Which settings a caller has is known in `python/eigenspan/_hints.py`, which puts clauses together.

use eigenspan::note::{Advice, Clause, Part, Setting};
use eigenspan_io::ReadOptions;
use pyo3::IntoPyObject;
use serde_json::json;

/// Parameters that take a list of texts.
const LISTS: [&str; 3] = ["columns", "exclude", "missing_values"];
/// Parameters that take text, even where it reads as a number.
const TEXTS: [&str; 6] = [
    "decimal",
    "delimiter",
    "id_column",
    "label_column",
    "member",
    "weight_column",
];

/// A setting in Python's words: the parameter, its value as text (`None` where the parameter alone is named), and both as they
/// are typed.
#[derive(Debug, Clone, IntoPyObject)]
pub(crate) struct Spelled {
    option: String,
    value: Option<String>,
    spelled: String,
}

/// A part of a clause.
#[derive(Debug, Clone, IntoPyObject)]
pub(crate) enum PythonPart {
    Words(String),
    Setting(Spelled),
}

/// Clauses that can be said in Python, each as its parts.
pub(crate) type PythonAdvice = Vec<Vec<PythonPart>>;

/// Advice without clauses that only a terminal can follow.
pub(crate) fn in_python(advice: &Advice) -> PythonAdvice {
    let parts = |clause: &Clause| clause.parts().iter().map(part).collect();
    advice.clauses().iter().filter_map(parts).collect()
}

fn part(part: &Part) -> Option<PythonPart> {
    match part {
        Part::Words(words) => Some(PythonPart::Words(words.clone())),
        Part::Setting(setting) => Some(PythonPart::Setting(spelled(setting))),
        Part::Typed(_) => None,
    }
}

/// A setting on a page, which may be read far from the call that made it; no function here takes columns to keep beside scores.
pub(crate) fn on_page(setting: &Setting) -> Option<String> {
    let Spelled {
        option, spelled, ..
    } = spelled(setting);
    match json!(ReadOptions::default()).get(&option) {
        Some(_) => Some(format!("eigenspan.read({spelled})")),
        None => (option != "keep").then_some(spelled),
    }
}

fn spelled(setting: &Setting) -> Spelled {
    let option = match setting.option.as_str() {
        "tolerance" => "tol",
        "seed" => "random_state",
        option => option,
    };
    let value = setting
        .values
        .first()
        .map(|value| match (option, value.as_str()) {
            ("n_components", "90%") => "0.9".to_owned(),
            ("memory", value) => value.replace("GB", "_000_000_000"),
            (_, "true") => "True".to_owned(),
            (_, "false") => "False".to_owned(),
            (_, value) => value.to_owned(),
        });
    let typed = match &value {
        None => "…".to_owned(),
        Some(_) if LISTS.contains(&option) => {
            json!(setting.values).to_string().replace("\",\"", "\", \"")
        }
        Some(value) if option == "rows" => format!("({})", value.replace(':', ", ")),
        Some(value) if TEXTS.contains(&option) => json!(value).to_string(),
        Some(value) if is_literal(value) => value.clone(),
        Some(value) => json!(value).to_string(),
    };
    Spelled {
        option: option.to_owned(),
        value,
        spelled: format!("{option}={typed}"),
    }
}

/// Whether a value is typed without quotes.
fn is_literal(value: &str) -> bool {
    let number = value.replace('_', "");
    number.parse::<f64>().is_ok() || ["True", "False"].contains(&value)
}
