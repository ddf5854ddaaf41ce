//! How good a model is: how sure the numbers of a fitted model are, which parameters do best on unseen rows, and how much of its
//! table a map keeps.

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

pub use bootstrap::BootstrapOptions;
pub use classify::{Classes, Classifier, Training};
pub use halves::{Halves, HalvesOptions, Spread};
pub use held_out::{HeldOut, HeldOutOptions};
pub use interval::Interval;
pub use quality::{
    Association, Estimate, Judged, MapOptions, MapQuality, PairOptions, label_accuracy,
};
pub use result::{Angle, Bootstrap};
pub use standing::Standing;
pub use tune::{Cell, Counts, Criterion, Edge, Folds, Outcome, TuneOptions, Tuner, Tuning};
