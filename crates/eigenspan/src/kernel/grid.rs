//! Several kernels in one text: wherever a number stands, a list or a range of numbers may stand.

use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::Kernel;
use super::parse::{Place, read_picked};
use crate::error::Error;

/// Kernels to choose from: a text such as `rbf(gamma=0.01..1:5)`, in which values may be lists or ranges.
///
/// `[0.1, 1, scale]` is a list; `0.01..1:5` are five numbers with equal ratios; `1..4` are the whole numbers from 1 to 4.
///
/// ```
/// use eigenspan::kernel::KernelGrid;
///
/// let grid: KernelGrid = "rbf(gamma=0.01..1:3) + [0.5, 2]*poly(degree=1..2)".parse()?;
/// assert_eq!(grid.len(), 12);
/// assert_eq!(grid.axes()[0].values, ["0.01", "0.1", "1"]);
/// assert_eq!(grid.kernel(1)?.to_string(), "rbf(gamma=0.01) + 0.5*poly(degree=2, coef0=1)");
///
/// let error = "rbf(gamma=5..1)".parse::<KernelGrid>().unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "kernel `rbf(gamma=5..1)`, column 11: the range 5..1 is empty: it goes from a number to a larger one"
/// );
/// # Ok::<(), eigenspan::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct KernelGrid {
    text: String,
    axes: Vec<GridAxis>,
}

/// One parameter that varies in a text, and its values.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GridAxis {
    /// The parameter: `gamma`, or `rbf.gamma` where several kernels have one; `factor` for a number in front.
    pub name: String,
    /// Its values, as text.
    pub values: Vec<String>,
}

impl KernelGrid {
    /// What varies, in the order of the text.
    pub fn axes(&self) -> &[GridAxis] {
        &self.axes
    }

    /// The number of kernels.
    pub fn len(&self) -> usize {
        let lengths = self.axes.iter().map(|axis| axis.values.len());
        lengths.fold(1, usize::saturating_mul)
    }

    /// Always false: a grid has at least one kernel.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The place of a kernel on every axis; the last one varies fastest.
    pub fn places(&self, number: usize) -> Vec<usize> {
        let mut rest = number;
        let mut places: Vec<usize> = (self.axes.iter().rev())
            .map(|axis| {
                let place = rest % axis.values.len();
                rest /= axis.values.len();
                place
            })
            .collect();
        places.reverse();
        places
    }

    /// One of the kernels; a Gaussian without a γ takes it from the median distance of rows.
    pub fn kernel(&self, number: usize) -> Result<Kernel, Error> {
        let (kernel, _) = read_picked(&self.text, &self.places(number))?;
        Ok(kernel.with_median_gaussian())
    }

    /// The values of one of the kernels, as text: `gamma=0.1`, `gamma=0.1, degree=2`; its text where nothing varies.
    pub fn label(&self, number: usize) -> String {
        if self.axes.is_empty() {
            return self.text.clone();
        }
        let places = self.places(number);
        let values = self.axes.iter().zip(places);
        let values = values.map(|(axis, place)| format!("{}={}", axis.name, axis.values[place]));
        values.collect::<Vec<_>>().join(", ")
    }
}

impl FromStr for KernelGrid {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let (_, places) = read_picked(text, &[])?;
        Ok(KernelGrid {
            text: text.trim().to_owned(),
            axes: named(places),
        })
    }
}

/// Unique names for the places: with the kernel's name where a parameter's name comes twice, and with a number where that
/// comes twice.
fn named(places: Vec<Place>) -> Vec<GridAxis> {
    let full = |place: &Place| match place.kernel {
        "" => place.name.to_owned(),
        kernel => format!("{kernel}.{}", place.name),
    };
    let name = |i: usize| {
        let place = &places[i];
        let alike = |same: &dyn Fn(&Place) -> bool| places.iter().filter(|p| same(p)).count();
        if alike(&|other| other.name == place.name) == 1 {
            return place.name.to_owned();
        }
        let whole = full(place);
        if alike(&|other| full(other) == whole) == 1 {
            return whole;
        }
        let before = places[..i].iter().filter(|p| full(p) == whole).count();
        format!("{whole}{}", before + 1)
    };
    let names: Vec<String> = (0..places.len()).map(name).collect();
    let values = places.into_iter().map(|place| place.values);
    (names.into_iter().zip(values))
        .map(|(name, values)| GridAxis { name, values })
        .collect()
}

impl fmt::Display for KernelGrid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Serialize for KernelGrid {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

impl<'de> Deserialize<'de> for KernelGrid {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for KernelGrid {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "KernelGrid".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A kernel whose values may be lists or ranges, such as \"rbf(gamma=0.01..1:5)\"",
            "type": "string"
        })
    }
}
