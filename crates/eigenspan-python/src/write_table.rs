//! Writes a table for the tests of the package, which read it as a file.

use std::path::PathBuf;

use eigenspan_io::{Format, Layout, Output, TableWriter, TextColumn};
use pyo3::prelude::*;

use crate::array::Borrowed;
use crate::error::{raised, unwritten};

/// Writes an array of 64-bit floats and columns of text to a file of Arrow.
#[pyfunction]
pub(crate) fn write_table(
    py: Python<'_>,
    path: PathBuf,
    array: &Bound<'_, PyAny>,
    names: Vec<String>,
    texts: Vec<(String, Vec<String>)>,
) -> PyResult<()> {
    let array = Borrowed::from_python(array)?;
    let (text_names, texts): (Vec<String>, Vec<TextColumn>) = texts
        .into_iter()
        .map(|(name, cells)| (name, cells.into_iter().collect()))
        .unzip();
    let layout = Layout {
        texts: text_names,
        numbers: names,
        ..Layout::default()
    };
    let cells = array.matrix::<f64>().map_err(raised)?;
    let written = py.detach(|| {
        let output = Output::Path(path);
        let mut writer = TableWriter::create::<f64>(&output, Format::Arrow, layout)?;
        writer.write(&texts, cells)?;
        writer.finish()
    });
    written.map_err(|error| unwritten(&error))
}
