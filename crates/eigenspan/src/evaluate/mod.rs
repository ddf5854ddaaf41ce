//! How good a model is: how sure the numbers of a fitted model are, which parameters do best on rows held out, how well labels are predicted
//! after a reduction, and how much of its table a map keeps.

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
