//! Writes a graph of rows as a sparse matrix.

use eigenspan::graph::Graph;
use eigenspan_io::{Input, Output, SparseFormat, SparseMatrix, WriteError, probe, write_sealed};

use super::{Files, refuse_inputs};
use crate::JobError;

/// The output file of a graph.
#[derive(Debug, Clone)]
pub struct GraphFile {
    /// The file; its name says the format.
    pub output: Output,
}

impl GraphFile {
    /// Refuses an output that cannot be written, before anything is read.
    pub(crate) fn check(&self, inputs: &[Input]) -> Result<(), JobError> {
        SparseFormat::for_output(&self.output)?;
        if let Output::Path(path) = &self.output {
            refuse_inputs(inputs, path)?;
            probe(path)?;
        }
        Ok(())
    }

    /// Writes the graph to a temporary file that still has to be moved into place, or to standard output.
    pub(crate) fn write(&self, graph: &Graph, files: &mut Files) -> Result<(), JobError> {
        let format = SparseFormat::for_output(&self.output)?;
        let matrix = SparseMatrix {
            starts: &graph.starts,
            columns: &graph.columns,
            values: &graph.values,
            n_cols: graph.n_cols,
        };
        let sealed = match &self.output {
            Output::Path(path) => Some(write_sealed(path, |mut file| {
                matrix.write(format, &mut file)
            })?),
            Output::Stdout => {
                let mut out = std::io::BufWriter::new(std::io::stdout().lock());
                let written = matrix
                    .write(format, &mut out)
                    .and_then(|()| std::io::Write::flush(&mut out));
                written.map_err(|source| WriteError::Io {
                    file: self.output.name(),
                    source,
                })?;
                None
            }
        };
        files.add(self.output.name(), sealed);
        Ok(())
    }
}
