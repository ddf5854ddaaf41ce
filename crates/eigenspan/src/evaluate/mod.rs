//! How good a model is: how sure the numbers of a fitted model are, which parameters do best on rows held out, how well labels are predicted
//! after a reduction, and how much of its table a map keeps.

/// A list that is written as text, in options files and in JSON: read by `FromStr`, written with commas between its parts.
macro_rules! list_as_text {
    ($list:ident, $description:literal) => {
        impl std::fmt::Display for $list {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                let texts: Vec<String> = self.0.iter().map(ToString::to_string).collect();
                f.write_str(&texts.join(","))
            }
        }

        impl serde::Serialize for $list {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> serde::Deserialize<'de> for $list {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = String::deserialize(deserializer)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }

        impl schemars::JsonSchema for $list {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($list).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({ "description": $description, "type": "string" })
            }
        }
    };
}

mod accuracy;
mod align;
mod apart;
mod bootstrap;
mod classify;
mod draw;
mod halves;
mod held_out;
mod interval;
mod quality;
mod replicate;
mod result;
mod some_rows;
mod standing;
mod tune;

pub use accuracy::{
    Accuracy, AccuracyOptions, AccuracyStudy, Comparison, Curve, Estimate, Nested, Point, Reduced,
    Reduction, Reductions, Verdict,
};
pub use bootstrap::BootstrapOptions;
pub use classify::{Classes, Classifier, Training};
pub use halves::{Halves, HalvesOptions, Spread};
pub use held_out::{HeldOut, HeldOutOptions};
pub use interval::Interval;
pub use quality::{
    Association, Judged, MapEstimate, MapOptions, MapQuality, PairOptions, label_accuracy,
    measure_map, measures_of, torn,
};
pub use result::{Angle, Bootstrap};
pub use standing::Standing;
pub use tune::{Cell, Counts, Criterion, Edge, Folds, Outcome, TuneOptions, Tuner, Tuning};
