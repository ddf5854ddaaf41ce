//! Covariances drawn towards a multiple of the identity, which makes them regular: (1 − s)·C + s·μ·I with μ = tr C ÷ d.
//!
//! The share s is given, or the one that Ledoit and Wolf estimate (2004, doi:10.1016/S0047-259X(03)00096-4): with z the rows
//! centered, their columns divided by their standard deviation, and R = 1/n Σ z zᵀ,
//! s = min(b, δ) ÷ δ, where b = (Σ ‖z‖⁴ ÷ n − ‖R‖²) ÷ (d·n) and δ = ‖R − μI‖² ÷ d. The fourth powers take a second reading.

use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::context::Context;
use crate::error::Error;
use crate::mat::{Mat, Real};
use crate::source::{Passes, Source, fold};
use crate::summary::{ClassSums, UNLABELED};

/// How far covariances are drawn towards a multiple of the identity.
///
/// ```
/// use eigenspan::method::Shrinkage;
///
/// assert_eq!("auto".parse::<Shrinkage>()?, Shrinkage::Auto);
/// assert_eq!("0.2".parse::<Shrinkage>()?, Shrinkage::Fixed(0.2));
/// assert!("2".parse::<Shrinkage>().is_err());
/// # Ok::<(), eigenspan::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Shrinkage {
    /// Not at all.
    #[default]
    None,
    /// As far as Ledoit and Wolf estimate, each covariance on its own.
    Auto,
    /// By this share, from 0 to 1.
    Fixed(f64),
}

impl Shrinkage {
    /// A share that is allowed.
    fn fixed(share: f64) -> Result<Self, Error> {
        match (0.0..=1.0).contains(&share) {
            true => Ok(Shrinkage::Fixed(share)),
            false => Err(unknown(share.to_string())),
        }
    }

    /// The covariance, drawn towards a multiple of the identity as far as asked for. `fourth` is Σ w‖z‖⁴ of its rows, which
    /// have this weight.
    pub(in crate::method) fn shrink(
        self,
        mut covariance: Mat<f64>,
        weight: f64,
        fourth: f64,
    ) -> Mat<f64> {
        let d = covariance.n_rows();
        match self {
            Shrinkage::None => covariance,
            Shrinkage::Fixed(share) => {
                let trace: f64 = (0..d).map(|j| covariance[(j, j)]).sum();
                blend(&mut covariance, share, |_| trace / d as f64);
                covariance
            }
            // One variance is its own multiple of the identity.
            Shrinkage::Auto if d == 1 => covariance,
            Shrinkage::Auto => {
                let scale = scales(&covariance);
                let mut squares = 0.0;
                let mut trace = 0.0;
                for i in 0..d {
                    for j in 0..d {
                        squares += (covariance[(i, j)] / scale[i] / scale[j]).powi(2);
                    }
                    trace += covariance[(i, i)] / scale[i] / scale[i];
                }
                let size = d as f64;
                let mean = trace / size;
                let b = (fourth / weight - squares) / (size * weight);
                let delta = (squares - 2.0 * mean * trace + size * mean * mean) / size;
                let share = match b.min(delta) {
                    b if b == 0.0 || delta <= 0.0 => 0.0,
                    b => b / delta,
                };
                blend(&mut covariance, share, |j| mean * scale[j] * scale[j]);
                covariance
            }
        }
    }
}

/// (1 − share)·C + share·diagonal.
fn blend(covariance: &mut Mat<f64>, share: f64, diagonal: impl Fn(usize) -> f64) {
    let cells = covariance.as_mut_slice().iter_mut();
    cells.for_each(|x| *x *= 1.0 - share);
    for j in 0..covariance.n_rows() {
        covariance[(j, j)] += share * diagonal(j);
    }
}

/// The standard deviation of every column; 1 for constant columns.
fn scales(covariance: &Mat<f64>) -> Vec<f64> {
    let scale = |j: usize| match covariance[(j, j)] {
        variance if variance > 0.0 => variance.sqrt(),
        _ => 1.0,
    };
    (0..covariance.n_rows()).map(scale).collect()
}

/// Σ w‖z‖⁴ of the rows of every class about its own mean, and of all rows about theirs.
#[derive(Debug, Clone, Default)]
pub(in crate::method) struct Quartics {
    pub(in crate::method) of_classes: Vec<f64>,
    pub(in crate::method) of_all: f64,
}

impl Quartics {
    /// Reads the rows once more. `covariances` are those of the classes, and after them that of all rows.
    pub(in crate::method) fn read<T: Real>(
        ctx: &Context,
        source: &dyn Source<T>,
        classes: &[u32],
        sums: &ClassSums,
        covariances: &[Mat<f64>],
    ) -> Result<Self, Error> {
        if source.passes() == Passes::Once {
            return Err(Error::ReadTwice {
                what: "shrinkage = `auto` takes fourth powers in a second reading",
                instead: None,
            });
        }
        let (n_classes, d) = (sums.weights.len(), sums.base.len());
        let scales: Vec<Vec<f64>> = covariances.iter().map(scales).collect();
        let shares: Vec<f64> = sums.weights.iter().map(|w| w / sums.weight()).collect();
        let center = sums.center(&shares);
        ctx.begin("reading again", source.n_rows().map(|n| n as u64));
        let found = fold(
            ctx,
            source,
            8 * (n_classes + d),
            || vec![0.0; n_classes + 1],
            |found: &mut Vec<f64>, rows| {
                let mut row = vec![0.0; d];
                for i in 0..rows.block.n_rows() {
                    let weight = rows.weights.map_or(1.0, |w| w[i]);
                    rows.block.row_to_f64(i, &mut row);
                    let class = classes[rows.first + i];
                    // Only rows that were left out have missing cells here.
                    if weight == 0.0 || class == UNLABELED || row.iter().any(|x| x.is_nan()) {
                        continue;
                    }
                    let class = class as usize;
                    let (mut own, mut all) = (0.0, 0.0);
                    for (j, x) in row.iter().enumerate() {
                        let x = x - sums.base[j];
                        own += ((x - sums.means[(class, j)]) / scales[class][j]).powi(2);
                        all += ((x - center[j]) / scales[n_classes][j]).powi(2);
                    }
                    found[class] += weight * own * own;
                    found[n_classes] += weight * all * all;
                }
                Ok(())
            },
            |found, more| found.iter_mut().zip(more).for_each(|(a, b)| *a += b),
        )?;
        let (of_all, of_classes) = found.split_last().unwrap_or((&0.0, &[]));
        Ok(Quartics {
            of_classes: of_classes.to_vec(),
            of_all: *of_all,
        })
    }
}

fn unknown(given: String) -> Error {
    Error::UnknownValue {
        option: "shrinkage",
        given,
        allowed: "none, auto, or a share from 0 to 1 such as 0.1",
    }
}

impl fmt::Display for Shrinkage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Shrinkage::None => f.write_str("none"),
            Shrinkage::Auto => f.write_str("auto"),
            Shrinkage::Fixed(share) => write!(f, "{share}"),
        }
    }
}

impl FromStr for Shrinkage {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        match text.trim() {
            "none" => Ok(Shrinkage::None),
            "auto" => Ok(Shrinkage::Auto),
            number => match number.parse() {
                Ok(share) => Shrinkage::fixed(share),
                Err(_) => Err(unknown(number.to_owned())),
            },
        }
    }
}

impl Serialize for Shrinkage {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Shrinkage::Fixed(share) => serializer.serialize_f64(*share),
            words => serializer.serialize_str(&words.to_string()),
        }
    }
}

impl<'de> Deserialize<'de> for Shrinkage {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Given {
            Share(f64),
            Text(String),
        }
        let shrinkage = match Given::deserialize(deserializer)? {
            Given::Share(share) => Shrinkage::fixed(share),
            Given::Text(text) => text.parse(),
        };
        shrinkage.map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for Shrinkage {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Shrinkage".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "\"none\", \"auto\", or a share from 0 to 1",
            "oneOf": [
                { "type": "string", "pattern": "^(none|auto|[0-9.]+)$" },
                { "type": "number", "minimum": 0, "maximum": 1 }
            ]
        })
    }
}
