//! One file per command: arguments → job → run → print.

pub(crate) mod choose;
pub(crate) mod denoise;
pub(crate) mod describe;
mod first_look;
pub(crate) mod fit;
pub(crate) mod look;
pub(crate) mod manual;
pub(crate) mod plan;
pub(crate) mod plot;
pub(crate) mod project;
pub(crate) mod report;
pub(crate) mod tune;

use eigenspan_report::JobError;

use crate::args::examples;
use crate::console;

/// The text that the program prints without arguments, before and after the examples.
const TITLE: &str = "eigenspan: high-dimensional data in few dimensions";
const MORE: &str =
    "All options: eigenspan --help, eigenspan fit pca --help, eigenspan fit kpca --help";

/// The text that the program prints without arguments.
pub(crate) fn welcome() -> Result<(), JobError> {
    let examples = examples::ALL.trim_start_matches("Examples:\n");
    let examples = examples.split("\n\n").next().unwrap_or_default();
    console::print(&format!("{TITLE}\n\n{examples}\n\n{MORE}\n"))
}
