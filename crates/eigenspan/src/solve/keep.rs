//! How many components to keep: a count, a share of the variance, as many as the rules agree on, or all.

use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::error::Error;

/// How many components to keep.
///
/// ```
/// use eigenspan::solve::Keep;
///
/// assert_eq!("5".parse::<Keep>()?, Keep::Count(5));
/// assert_eq!("90%".parse::<Keep>()?, Keep::Share(0.9));
/// assert_eq!("0.9".parse::<Keep>()?, Keep::Share(0.9));
/// assert_eq!("auto".parse::<Keep>()?, Keep::Auto);
/// assert_eq!(Keep::Share(0.9).to_string(), "90%");
/// assert!("0".parse::<Keep>().is_err());
/// # Ok::<(), eigenspan::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Keep {
    /// As many as there are: min(rows, columns).
    #[default]
    All,
    /// This number.
    Count(usize),
    /// As many as this share of the total variance needs, in (0, 1].
    Share(f64),
    /// As many as the rules of [`crate::choose`] agree on. A fit resolves this to a number first; solvers treat it as `All`.
    Auto,
}

impl Keep {
    /// Refuses a request that no data can satisfy.
    pub fn check(&self) -> Result<(), Error> {
        match *self {
            Keep::Count(0) => Err(Error::NoComponents),
            Keep::Share(share) if !(share > 0.0 && share <= 1.0) => {
                Err(Error::ShareOutOfRange { share })
            }
            _ => Ok(()),
        }
    }

    /// Refuses more components than rows or columns allow.
    pub fn check_shape(&self, rows: usize, cols: usize) -> Result<(), Error> {
        match *self {
            Keep::Count(asked) if asked > rows.min(cols) => {
                Err(Error::TooManyComponents { asked, rows, cols })
            }
            _ => Ok(()),
        }
    }
}

/// A sum of shares that misses the goal by less than this has reached it: sums are rounded.
const ROUNDING: f64 = 1e-12;

/// The number of leading squares whose sum reaches a share of the total; `None` if all given squares together do not reach it.
///
/// The leading squares suffice, because the total is the trace, which is known without a decomposition.
pub(crate) fn count_for_share(
    squares: impl Iterator<Item = f64>,
    total: f64,
    share: f64,
) -> Option<usize> {
    if total <= 0.0 {
        return Some(1);
    }
    let mut sum = 0.0;
    for (i, square) in squares.enumerate() {
        sum += square;
        if sum / total >= share - ROUNDING {
            return Some(i + 1);
        }
    }
    None
}

impl fmt::Display for Keep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Keep::All => f.write_str("all"),
            Keep::Auto => f.write_str("auto"),
            Keep::Count(count) => write!(f, "{count}"),
            Keep::Share(share) => write!(f, "{}%", (share * 1e14).round() / 1e12),
        }
    }
}

impl FromStr for Keep {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let text = text.trim();
        let unknown = || Error::UnknownValue {
            option: "n_components",
            given: text.to_owned(),
            allowed: "a count such as 5, a share such as 90% or 0.9, auto, or all",
        };
        let keep = if text == "all" {
            Keep::All
        } else if text == "auto" {
            Keep::Auto
        } else if let Some(percent) = text.strip_suffix('%') {
            Keep::Share(percent.trim().parse::<f64>().map_err(|_| unknown())? / 100.0)
        } else if let Ok(count) = text.parse::<usize>() {
            Keep::Count(count)
        } else {
            Keep::Share(text.parse::<f64>().map_err(|_| unknown())?)
        };
        keep.check()?;
        Ok(keep)
    }
}

impl Serialize for Keep {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Keep::All => serializer.serialize_str("all"),
            Keep::Auto => serializer.serialize_str("auto"),
            Keep::Count(count) => serializer.serialize_u64(*count as u64),
            Keep::Share(share) => serializer.serialize_f64(*share),
        }
    }
}

impl<'de> Deserialize<'de> for Keep {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Given {
            Count(usize),
            Share(f64),
            Text(String),
        }
        let keep = match Given::deserialize(deserializer)? {
            Given::Count(count) => Keep::Count(count),
            Given::Share(share) => Keep::Share(share),
            Given::Text(text) => text.parse().map_err(serde::de::Error::custom)?,
        };
        keep.check().map_err(serde::de::Error::custom)?;
        Ok(keep)
    }
}

impl JsonSchema for Keep {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Keep".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A count, a share of the variance such as 0.9 or \"90%\", \"auto\" for as many as the rules agree on, or \"all\"",
            "oneOf": [
                { "type": "integer", "minimum": 1 },
                { "type": "number", "exclusiveMinimum": 0, "maximum": 1 },
                { "type": "string", "pattern": "^(all|auto|[0-9.]+ *%?)$" }
            ]
        })
    }
}
