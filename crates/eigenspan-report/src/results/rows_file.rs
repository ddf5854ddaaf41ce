//! Computed rows go into a file: a table beside columns of theirs, or pictures.

use eigenspan::{Context, Note};
use eigenspan_io::{Format, Input, Output, Picture, probe};

use super::picture::{self, Place};
use super::{Files, format_for, refuse_inputs, write_rows};
use crate::project::{ComputedRows, RowSink};
use crate::{JobError, genotypes};

/// The output file of computed rows.
#[derive(Debug, Clone)]
pub struct RowsFile {
    /// The file, or a folder for pictures.
    pub output: Output,
    /// Further columns to copy into the file.
    pub keep: Vec<String>,
    /// Width and height of the picture whose patches the rows are, if they differ from the model's.
    pub size: Option<(usize, usize)>,
}

impl RowsFile {
    /// A file without further columns.
    pub fn new(output: Output) -> Self {
        RowsFile {
            output,
            keep: Vec::new(),
            size: None,
        }
    }

    /// Refuses to replace the data or the model.
    pub(crate) fn refuse_inputs(&self, inputs: &[Input]) -> Result<(), JobError> {
        match &self.output {
            Output::Path(path) => refuse_inputs(inputs, path),
            Output::Stdout => Ok(()),
        }
    }

    /// Refuses an output that cannot be written, before anything is read.
    pub(crate) fn check(&self) -> Result<(), JobError> {
        if Place::from_output(&self.output).is_none() {
            if let Output::Path(path) = &self.output {
                probe(path)?;
            }
            format_for(&self.output, &self.keep)?;
        }
        genotypes::refuse_eigenvec(&self.output)
    }

    /// Writes rows as a table.
    pub(crate) fn table(&self) -> RowsWriter<'_> {
        RowsWriter {
            file: self,
            takes_pictures: false,
            form: None,
            files: Files::default(),
        }
    }

    /// Writes rows as pictures where the name of the output asks for them, and as a table elsewhere.
    pub(crate) fn table_or_pictures(&self) -> RowsWriter<'_> {
        RowsWriter {
            takes_pictures: true,
            ..self.table()
        }
    }
}

/// Writes computed rows. A table still has to be moved into place.
pub(crate) struct RowsWriter<'a> {
    file: &'a RowsFile,
    takes_pictures: bool,
    form: Option<Form>,
    files: Files,
}

/// What rows are written as.
enum Form {
    Table,
    Pictures(Place, Picture),
}

impl RowsWriter<'_> {
    /// Moves the file into place, and returns its name.
    pub(crate) fn place(self) -> Result<Vec<String>, JobError> {
        self.files.place()
    }

    fn form(&self, name: &str, picture: Option<Picture>) -> Result<Form, JobError> {
        let RowsFile { output, size, keep } = self.file;
        let place = Place::from_output(output).filter(|_| self.takes_pictures);
        match place.filter(|place| place.wants_pictures(picture)) {
            Some(place) => {
                let shape = picture::shape(name, picture, *size, &place)?;
                Ok(Form::Pictures(place, shape))
            }
            None => format_for(output, keep).map(|_: Format| Form::Table),
        }
    }
}

impl RowSink for RowsWriter<'_> {
    fn begin(&mut self, name: &str, picture: Option<Picture>) -> Result<(), JobError> {
        self.form = Some(self.form(name, picture)?);
        genotypes::refuse_eigenvec(&self.file.output)
    }

    fn take(&mut self, ctx: &Context, rows: &ComputedRows<'_>) -> Result<Vec<Note>, JobError> {
        let RowsFile { output, keep, .. } = self.file;
        let (sealed, note) = match &self.form {
            Some(Form::Pictures(place, shape)) => {
                (None, picture::rebuild(ctx, rows, *shape, place)?)
            }
            _ => (Some(write_rows(ctx, rows, keep, output)?), None),
        };
        self.files.add(output.name(), sealed);
        Ok(note.into_iter().collect())
    }
}
