//! One file per command: arguments → job → run → print.

pub(crate) mod choose;
pub(crate) mod denoise;
pub(crate) mod describe;
pub(crate) mod evaluate;
mod first_look;
pub(crate) mod fit;
pub(crate) mod look;
pub(crate) mod manual;
pub(crate) mod neighbors;
pub(crate) mod plan;
pub(crate) mod plot;
pub(crate) mod project;
pub(crate) mod report;
pub(crate) mod select;
pub(crate) mod tune;

use eigenspan::method::registry;
use eigenspan_report::JobError;

use crate::args::examples;
use crate::console;

/// The first line that the program prints without arguments.
const TITLE: &str = "eigenspan: high-dimensional data in few dimensions";
/// Prints what the program says without arguments: examples, and where all options are.
pub(crate) fn welcome() -> Result<(), JobError> {
    let examples = examples::ALL.trim_start_matches("Examples:\n");
    let examples = examples.split("\n\n").next().unwrap_or_default();
    let methods: Vec<&str> = registry::all().iter().map(|entry| entry.name).collect();
    let methods = methods.join(", ");
    console::print(&format!(
        "{TITLE}\n\n{examples}\n\nAll options: eigenspan --help, eigenspan fit METHOD --help\nMethods: {methods}\n"
    ))
}
