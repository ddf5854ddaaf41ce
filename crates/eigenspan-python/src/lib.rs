//! `eigenspan._core`: the engine as Python sees it. Private; `python/eigenspan` is what people import.
//!
//! Rows come in where they lie (`rows`, `array`; `arrow` for tables of other libraries), work runs without Python's lock and can
//! be interrupted (`run`), results are handed over without a copy (`array`), and what goes wrong keeps the engine's words
//! (`error`). Options arrive as the JSON of the one options struct; what an estimator says about itself goes into its model file
//! (`estimator`).

mod array;
mod arrow;
mod error;
mod estimator;
mod growing;
mod kernel;
mod kernel_model;
mod look;
mod model;
mod rows;
mod run;
mod schema;

use pyo3::prelude::*;

#[pymodule]
mod _core {
    #[pymodule_export]
    use super::arrow::arrow_table;
    #[pymodule_export]
    use super::growing::Growing;
    #[pymodule_export]
    use super::kernel::Kernel;
    #[pymodule_export]
    use super::kernel_model::KernelModel;
    #[pymodule_export]
    use super::look::{plot, report, write_table};
    #[pymodule_export]
    use super::model::{Model, load};
    #[pymodule_export]
    use super::rows::Rows;
    #[pymodule_export]
    use super::run::cores;
    #[pymodule_export]
    use super::schema::schema;

    use super::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        // The module has a Rust runtime of its own: nobody else's panics are touched.
        eigenspan_io::silence_decoder_panics();
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
