//! The one place that writes files: where results may go is looked at before anything is read, and they are placed together. Only
//! a search for parameters keeps a log of its own, line by line as outcomes come (`tune/results.rs`).

mod eigenvec;
mod fit;
mod page;
pub(crate) mod picture;
mod scores;

use std::path::Path;

use eigenspan_io::{Input, Output, Sealed, write_sealed};

pub use fit::FitFiles;
pub use page::PageFiles;
pub(crate) use scores::{
    Carried, Part, carried, created, format_for, formatted, write_parts, write_scores,
};

use crate::JobError;
use crate::plot::Drawing;

/// Files that are written whole and wait to be placed, each with its name.
#[derive(Debug, Default)]
pub(crate) struct Files {
    names: Vec<String>,
    sealed: Vec<Sealed>,
}

impl Files {
    /// Adds a file; none where it is gone already, to a pipe whose reader left.
    pub(crate) fn add(&mut self, name: String, sealed: Option<Sealed>) {
        self.names.push(name);
        self.sealed.extend(sealed);
    }

    /// Adds several files that go by one name.
    fn add_all(&mut self, name: String, sealed: Vec<Sealed>) {
        self.names.push(name);
        self.sealed.extend(sealed);
    }

    /// Writes a drawing; gives it back where it goes to the terminal or to standard output.
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

    /// Puts all files in their places, and gives their names.
    pub(crate) fn place(self) -> Result<Vec<String>, JobError> {
        for file in self.sealed {
            file.place()?;
        }
        Ok(self.names)
    }
}

/// Whether two names are of the same place.
fn is_same_place(one: &Path, other: &Path) -> bool {
    let place = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    place(one) == place(other)
}

/// Refuses a result that would replace one of the files it comes from.
pub(crate) fn refuse_inputs(inputs: &[Input], output: &Path) -> Result<(), JobError> {
    let mut inputs = inputs.iter();
    inputs.try_for_each(|input| refuse_input(input, output))
}

/// Results do not replace the data they come from.
pub(crate) fn refuse_input(input: &Input, output: &Path) -> Result<(), JobError> {
    let place = |path: &Path| path.canonicalize().ok();
    let same = |input: &Input| match input {
        Input::Path(input) => place(input).is_some() && place(input) == place(output),
        _ => false,
    };
    // What cannot be found is refused when it is opened, and has no file to replace.
    let files = input.files().unwrap_or_default();
    if output.is_file() && files.iter().any(same) {
        return Err(JobError::Usage {
            what: format!(
                "{} is the input: the result would replace it",
                output.display()
            ),
            tip: Some("give the result another name".to_owned()),
        });
    }
    Ok(())
}
