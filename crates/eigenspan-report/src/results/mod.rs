//! The only module that writes files: outputs are checked before anything is read, and all files are moved into place together. Only
//! a search for parameters keeps a log of its own, line by line as outcomes come (`tune/results.rs`).

mod eigenvec;
mod fit;
mod graph;
mod page;
mod picture;
mod rows_file;
mod scores;

use std::path::Path;

use eigenspan_io::{Input, Output, Sealed, write_sealed};

pub use fit::FitFiles;
pub use graph::GraphFile;
pub use page::PageFiles;
pub use rows_file::RowsFile;
use scores::{format_for, write_embedding, write_rows, write_scores};

use crate::JobError;
use crate::plot::Drawing;

/// Files that are written completely and wait to be moved into place, each with its name.
#[derive(Debug, Default)]
pub(crate) struct Files {
    names: Vec<String>,
    sealed: Vec<Sealed>,
}

impl Files {
    /// Adds a file; `sealed` is `None` if the file was a pipe that its reader has closed.
    pub(crate) fn add(&mut self, name: String, sealed: Option<Sealed>) {
        self.names.push(name);
        self.sealed.extend(sealed);
    }

    /// Adds several files under one name.
    fn add_all(&mut self, name: String, sealed: Vec<Sealed>) {
        self.names.push(name);
        self.sealed.extend(sealed);
    }

    /// Writes a drawing; returns it if it goes to the terminal or to standard output.
    pub(crate) fn add_drawing(
        &mut self,
        drawing: Drawing,
        output: Option<&Output>,
    ) -> Result<Option<String>, JobError> {
        let bytes = match drawing {
            Drawing::Text(text) => return Ok(Some(text)),
            Drawing::Svg(svg) => svg.into_bytes(),
            Drawing::Png(bytes) => bytes,
        };
        let Some(Output::Path(path)) = output else {
            return Ok(Some(String::from_utf8_lossy(&bytes).into_owned()));
        };
        let sealed = write_sealed(path, |file| file.write_all(&bytes))?;
        self.add(path.display().to_string(), Some(sealed));
        Ok(None)
    }

    /// Moves all files into place, and returns their names.
    pub(crate) fn place(self) -> Result<Vec<String>, JobError> {
        for file in self.sealed {
            file.place()?;
        }
        Ok(self.names)
    }
}

/// Whether two names mean the same file.
fn is_same_place(one: &Path, other: &Path) -> bool {
    let place = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    place(one) == place(other)
}

/// Refuses a result that would replace one of the files it is computed from.
pub(crate) fn refuse_inputs(inputs: &[Input], output: &Path) -> Result<(), JobError> {
    let mut inputs = inputs.iter();
    inputs.try_for_each(|input| refuse_input(input, output))
}

/// Refuses an output that would replace the data it is computed from.
pub(crate) fn refuse_input(input: &Input, output: &Path) -> Result<(), JobError> {
    let place = |path: &Path| path.canonicalize().ok();
    let same = |input: &Input| match input {
        Input::Path(input) => place(input).is_some() && place(input) == place(output),
        _ => false,
    };
    // A file that does not exist is refused when it is opened; there is nothing to replace.
    let files = input.files().unwrap_or_default();
    if output.is_file() && files.iter().any(same) {
        return Err(JobError::Usage {
            what: format!(
                "{} is the input: the result would replace it",
                output.display()
            ),
            advice: "give the result another name".into(),
        });
    }
    Ok(())
}
