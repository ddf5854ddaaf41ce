//! `eigenspan._core`: the engine as Python sees it. It is private; users import `python/eigenspan`.
//!
//! Rows are read in place (`rows`, `array`; `arrow` for tables of other libraries). Work runs without Python's lock and can
//! be interrupted (`run`). Results are handed over without a copy (`array`), and errors keep the engine's words (`error`).
//! Methods come from the engine's list, by name, and their options arrive as the JSON of the one options struct (`method`). A
//! fitted model has the same class whatever the method (`model`), with what only PCA has beside it (`pca`, `facts`), and it
//! is described as on the command line (`describe`). `tune` searches for parameters, `evaluate` compares accuracies. The description of an estimator goes
//! into its model file (`estimator`). `program` is the command line.

mod advice;
mod array;
mod arrow;
mod describe;
mod error;
mod estimator;
mod evaluate;
mod facts;
mod growing;
mod kernel;
mod look;
mod method;
mod model;
mod neighbors;
mod pca;
mod program;
mod rows;
mod run;
#[cfg(feature = "as-tested")]
mod toys;
mod tune;
#[cfg(feature = "as-tested")]
mod write_table;

use pyo3::prelude::*;

#[pymodule]
mod _core {
    #[pymodule_export]
    use super::arrow::arrow_table;
    #[pymodule_export]
    use super::describe::{describe_model, describe_rows, is_model};
    #[pymodule_export]
    use super::evaluate::evaluate;
    #[pymodule_export]
    use super::facts::{
        pca_adequacy, pca_bootstrap, pca_choose, pca_residual_rows, pca_rotate, pca_row_facts,
        pca_supplementary,
    };
    #[pymodule_export]
    use super::growing::Growing;
    #[pymodule_export]
    use super::kernel::{Kernel, kernel_of};
    #[pymodule_export]
    use super::look::{method_report, model_report, plot, report};
    #[pymodule_export]
    use super::method::{methods, schema};
    #[pymodule_export]
    use super::model::{Model, load};
    #[pymodule_export]
    use super::neighbors::{NeighborSearch, map_pairs, map_quality};
    #[pymodule_export]
    use super::pca::{
        pca_choices, pca_column_table, pca_covariance, pca_fit, pca_precision, pca_preset,
        pca_preset_count, pca_sample, pca_score, pca_score_samples,
    };
    #[pymodule_export]
    use super::program::program;
    #[pymodule_export]
    use super::rows::Rows;
    #[pymodule_export]
    use super::run::cores;
    #[cfg(feature = "as-tested")]
    #[pymodule_export]
    use super::toys::register_toys;
    #[pymodule_export]
    use super::tune::tune;
    #[cfg(feature = "as-tested")]
    #[pymodule_export]
    use super::write_table::write_table;

    use super::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        // The module has a Rust runtime of its own, so no panics of others are affected.
        eigenspan_io::silence_decoder_panics();
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
