//! What is looked at: rows in a file, in an open table or in memory, and a model of them that is there already or is to be fitted.
//!
//! Fits, figures and reports take a [`Subject`] and give values. Nothing here writes a file.

mod columns;
mod opened;

use std::path::PathBuf;
use std::sync::Arc;

use eigenspan::Context;
use eigenspan::method::{Fitted, Method};
use eigenspan_io::model::Model;
use eigenspan_io::{Input, Picture, ReadOptions, Table, open};

pub(crate) use columns::open_for;
pub use opened::OpenRows;
pub(crate) use opened::{cells_of, count_missing, is_small, on_columns, scores_of_part};

use crate::JobError;
use crate::explicit::Explicit;

/// Rows and the model they are looked at with.
#[derive(Debug, Clone)]
pub struct Subject {
    /// The rows; none where a model alone is looked at.
    pub rows: Option<Rows>,
    /// The model.
    pub model: ModelFrom,
}

/// Where rows come from.
#[derive(Debug, Clone)]
pub enum Rows {
    /// A file, or several that are one table.
    File {
        /// The file.
        input: Input,
        /// How to read it.
        read: ReadOptions,
    },
    /// A table that is open, or an array in memory as a table.
    Table {
        /// The table.
        table: Arc<Table>,
        /// How it was read.
        read: ReadOptions,
    },
}

/// Where a model comes from.
#[derive(Debug, Clone)]
pub enum ModelFrom {
    /// It is fitted to the rows.
    Fit(Fitting),
    /// It is in a file.
    File(PathBuf),
    /// It is in memory.
    Memory {
        /// What messages call it.
        name: String,
        /// The model.
        fitted: Arc<dyn Fitted>,
        /// The shape of the pictures it was fitted to, if they were pictures.
        picture: Option<Picture>,
    },
}

/// What is fitted to rows, and what is guessed from them.
#[derive(Debug, Clone)]
pub struct Fitting {
    /// What to fit.
    pub method: Box<dyn Method>,
    /// Which options of a PCA were given, and are not to be guessed from the data.
    pub explicit: Explicit,
    /// Whether this is a first look, which leaves rows with missing cells out where nothing was said about them.
    pub first_look: bool,
}

/// A model that is at hand.
#[derive(Debug, Clone)]
pub(crate) struct KnownModel {
    /// What messages call it.
    pub(crate) name: String,
    pub(crate) fitted: Arc<dyn Fitted>,
    pub(crate) picture: Option<Picture>,
}

impl Subject {
    /// Rows that a method is fitted to.
    pub fn to_fit(rows: Rows, fitting: Fitting) -> Self {
        Subject {
            rows: Some(rows),
            model: ModelFrom::Fit(fitting),
        }
    }

    /// What is fitted, where the model is not there already.
    pub fn fitting(&self) -> Option<&Fitting> {
        match &self.model {
            ModelFrom::Fit(fitting) => Some(fitting),
            _ => None,
        }
    }

    /// The rows and what is fitted to them; an error where there are no rows, or the model is there already.
    pub(crate) fn rows_to_fit(&self) -> Result<(&Rows, &Fitting), JobError> {
        let found = self.rows.as_ref().zip(self.fitting());
        found.ok_or_else(|| JobError::Usage {
            what: "a fit takes rows, and no model that was fitted before".to_owned(),
            tip: None,
        })
    }

    /// The model, where it is there already.
    pub(crate) fn known_model(&self) -> Result<Option<KnownModel>, JobError> {
        Ok(match &self.model {
            ModelFrom::Fit(_) => None,
            ModelFrom::File(path) => {
                let model = Model::load(path)?;
                Some(KnownModel {
                    name: path.display().to_string(),
                    fitted: Arc::from(model.fitted),
                    picture: model.picture,
                })
            }
            ModelFrom::Memory {
                name,
                fitted,
                picture,
            } => Some(KnownModel {
                name: name.clone(),
                fitted: Arc::clone(fitted),
                picture: *picture,
            }),
        })
    }

    /// The files that are looked at, none of which may be replaced by a result.
    pub(crate) fn files(&self) -> Vec<Input> {
        let rows = self.rows.as_ref().and_then(Rows::input).cloned();
        let model = match &self.model {
            ModelFrom::File(path) => Some(Input::new(path)),
            _ => None,
        };
        rows.into_iter().chain(model).collect()
    }
}

impl Rows {
    /// The rows of a file.
    pub fn file(input: Input, read: ReadOptions) -> Self {
        Rows::File { input, read }
    }

    /// The rows of an open table, or of an array in memory as one.
    pub fn table(table: Arc<Table>) -> Self {
        Rows::Table {
            table,
            read: ReadOptions::default(),
        }
    }

    /// What the data is called.
    pub fn name(&self) -> String {
        match self {
            Rows::File { input, .. } => input.name(),
            Rows::Table { table, .. } => table.name().to_owned(),
        }
    }

    /// The file, if the rows are in one that is yet to be opened.
    pub(crate) fn input(&self) -> Option<&Input> {
        match self {
            Rows::File { input, .. } => Some(input),
            Rows::Table { .. } => None,
        }
    }

    /// How they are read.
    pub(crate) fn read(&self) -> &ReadOptions {
        match self {
            Rows::File { read, .. } | Rows::Table { read, .. } => read,
        }
    }

    /// Opens the file; a table is open already.
    pub fn open(&self, ctx: &Context) -> Result<OpenRows, JobError> {
        let table = match self {
            Rows::File { input, read } => Arc::new(open(input, read, ctx)?),
            Rows::Table { table, .. } => Arc::clone(table),
        };
        Ok(OpenRows::new(table, self.read().clone(), None))
    }
}

impl From<&OpenRows> for Rows {
    fn from(rows: &OpenRows) -> Self {
        Rows::Table {
            table: Arc::clone(&rows.table),
            read: rows.read.clone(),
        }
    }
}

impl Fitting {
    /// A fit that is no first look.
    pub fn new(method: Box<dyn Method>, explicit: Explicit) -> Self {
        Fitting {
            method,
            explicit,
            first_look: false,
        }
    }
}
