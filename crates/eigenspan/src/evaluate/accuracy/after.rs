//! Which reductions to compare, as text: `none,pca,kpca(kernel=poly(degree=2), scale=std)`.

use std::fmt;
use std::str::FromStr;

use serde_json::{Map, Value};

use crate::error::{Error, TuningFault, nearest};
use crate::method::Method;
use crate::method::registry::{self, Entry};

/// The columns themselves, without a reduction.
const NONE: &str = "none";

/// One reduction: the name of a method with options that differ from the command line's defaults, or `none`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reduction {
    name: String,
    options: Vec<(String, String)>,
}

/// Reductions to compare, each different; at least one.
///
/// ```
/// use eigenspan::evaluate::Reductions;
///
/// let several: Reductions = "none, pca,kpca(kernel=poly(degree=2,coef0=1))".parse()?;
/// assert_eq!(several.all().len(), 3);
/// assert_eq!(several.to_string(), "none,pca,kpca(kernel=poly(degree=2,coef0=1))");
/// assert!("pcaa".parse::<Reductions>().is_err());
/// # Ok::<(), eigenspan::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reductions(Vec<Reduction>);

impl Reduction {
    /// Whether it is `none`: the columns themselves.
    pub fn is_none(&self) -> bool {
        self.name == NONE
    }

    /// The method, with its options; `None` for `none`.
    pub fn method(&self) -> Result<Option<Box<dyn Method>>, Error> {
        if self.is_none() {
            return Ok(None);
        }
        let entry = entry(&self.name).ok_or_else(|| unknown(&self.name))?;
        let value = |text: &String| match serde_json::from_str::<Value>(text) {
            Ok(value @ (Value::Number(_) | Value::Bool(_))) => value,
            _ => Value::String(text.clone()),
        };
        let pairs = self
            .options
            .iter()
            .map(|(key, text)| (key.clone(), value(text)));
        let object = Value::Object(pairs.collect::<Map<String, Value>>());
        let method = entry.completed(&object.to_string()).map_err(|error| {
            Error::Tuning(TuningFault::ReductionOptions {
                reduction: self.to_string(),
                what: without_place(&error.to_string()),
            })
        })?;
        match method.fits_some_rows() {
            true => Ok(Some(method)),
            false => Err(Error::Tuning(TuningFault::ReductionNeedsAllRows {
                reduction: self.to_string(),
            })),
        }
    }
}

impl Reductions {
    /// The default: the columns themselves, PCA, and LDA where the registry has it.
    pub fn usual() -> Self {
        let names = [NONE, "pca", "lda"].into_iter();
        let known = names.filter(|name| *name == NONE || registry::find(name).is_some());
        let plain = |name: &str| Reduction {
            name: name.to_owned(),
            options: Vec::new(),
        };
        Reductions(known.map(plain).collect())
    }

    /// All of them, in their order.
    pub fn all(&self) -> &[Reduction] {
        &self.0
    }
}

/// The method of this name or alias.
fn entry(name: &str) -> Option<&'static Entry> {
    let named = registry::find(name);
    let alias = |entry: &&'static Entry| entry.aliases.contains(&name);
    named.or_else(|| registry::all().into_iter().find(alias))
}

fn unknown(name: &str) -> Error {
    let names = registry::all().into_iter().map(|entry| entry.name);
    let known: Vec<&str> = [NONE].into_iter().chain(names).collect();
    Error::Tuning(TuningFault::UnknownReduction {
        given: name.to_owned(),
        like: nearest(name, known.iter().copied()),
        allowed: known.into_iter().map(str::to_owned).collect(),
    })
}

/// What a JSON reader says, without the line and column of a text that nobody typed.
fn without_place(text: &str) -> String {
    let place = text.rfind(" at line ");
    text[..place.unwrap_or(text.len())].to_owned()
}

/// Cuts a text at commas outside of parentheses and brackets; `None` where those do not match.
fn cut(text: &str) -> Option<Vec<&str>> {
    let (mut depth, mut from, mut parts) = (0i32, 0, Vec::new());
    for (place, letter) in text.char_indices() {
        match letter {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(text[from..place].trim());
                from = place + 1;
            }
            _ => {}
        }
        if depth < 0 {
            return None;
        }
    }
    parts.push(text[from..].trim());
    (depth == 0).then_some(parts)
}

impl FromStr for Reductions {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let refuse = || Error::UnknownValue {
            option: "after",
            given: text.to_owned(),
            allowed: "names of methods, such as none,pca,kpca(kernel=poly(degree=2))",
        };
        let mut all: Vec<Reduction> = Vec::new();
        for part in cut(text).ok_or_else(refuse)? {
            let (name, options) = match part.split_once('(') {
                None => (part, ""),
                Some((name, rest)) => (name, rest.strip_suffix(')').ok_or_else(refuse)?),
            };
            let name = name.trim().to_lowercase();
            if name.is_empty() || (name == NONE && !options.is_empty()) {
                return Err(refuse());
            }
            if name != NONE && entry(&name).is_none() {
                return Err(unknown(&name));
            }
            let options = match options.trim().is_empty() {
                true => Vec::new(),
                false => cut(options).ok_or_else(refuse)?,
            };
            let pair = |option: &str| {
                let (key, value) = option.split_once('=').ok_or_else(refuse)?;
                Ok((key.trim().replace('-', "_"), value.trim().to_owned()))
            };
            let reduction = Reduction {
                name: entry(&name).map_or(name, |entry| entry.name.to_owned()),
                options: options
                    .into_iter()
                    .map(pair)
                    .collect::<Result<_, Error>>()?,
            };
            if !all.contains(&reduction) {
                all.push(reduction);
            }
        }
        Ok(Reductions(all))
    }
}

impl fmt::Display for Reduction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        if self.options.is_empty() {
            return Ok(());
        }
        let pair = |(key, value): &(String, String)| format!("{key}={value}");
        let pairs: Vec<String> = self.options.iter().map(pair).collect();
        write!(f, "({})", pairs.join(","))
    }
}

list_as_text!(
    Reductions,
    "Names of methods such as \"none,pca,kpca(kernel=poly(degree=2))\""
);
