//! The subject of a job: rows (in a file, in an open table or in memory) and a model that exists or has to be fitted.
//!
//! Fits, figures and reports take a [`Subject`] and return values. Nothing here writes a file.

mod columns;
mod embedded;
mod missing;
mod opened;

use std::path::PathBuf;
use std::sync::Arc;

use eigenspan::Context;
use eigenspan::method::{Fitted, Method};
use eigenspan::note::Advice;
use eigenspan_io::model::{Model, Origin};
use eigenspan_io::{Input, Picture, ReadOptions, Table, open};

pub(crate) use embedded::Embedded;
pub(crate) use missing::note_missing;
pub use opened::OpenRows;
pub(crate) use opened::{
    cells_of, count_missing, is_small, on_columns, parts_in_order, scores_of_part,
};

use crate::JobError;
use crate::explicit::Explicit;

/// Rows and the model to use with them.
#[derive(Debug, Clone)]
pub struct Subject {
    /// The rows; `None` if the job is about a model alone.
    pub rows: Option<Rows>,
    /// The model.
    pub model: ModelFrom,
}

/// Where rows come from.
#[derive(Debug, Clone)]
pub enum Rows {
    /// A file, or several files that form one table.
    File {
        /// The file.
        input: Input,
        /// How to read it.
        read: ReadOptions,
    },
    /// An open table, or an array in memory as a table.
    Table {
        /// The table.
        table: Arc<Table>,
        /// How the table was read.
        read: ReadOptions,
    },
}

/// Where a model comes from.
#[derive(Debug, Clone)]
pub enum ModelFrom {
    /// The model is fitted to the rows.
    Fit(Fitting),
    /// The model is in a file.
    File(PathBuf),
    /// The model is in memory.
    Memory {
        /// The name that messages use for it.
        name: String,
        /// The model.
        fitted: Arc<dyn Fitted>,
        /// The names under which its columns are shown and looked for in rows; `None` if the model's own names serve.
        columns: Option<Vec<String>>,
        /// The shape of the pictures it was fitted to, if the rows were pictures.
        picture: Option<Picture>,
    },
}

/// A method to fit, and which of its options may be guessed from the data.
#[derive(Debug, Clone)]
pub struct Fitting {
    /// The method with its options.
    pub method: Box<dyn Method>,
    /// Which options of a PCA were given and must not be guessed from the data.
    pub explicit: Explicit,
    /// Whether this is a first look, which drops rows with missing cells unless the options say otherwise.
    pub first_look: bool,
}

/// A model that exists already.
#[derive(Debug, Clone)]
pub(crate) struct ExistingModel {
    /// The name that messages use for it.
    pub(crate) name: String,
    pub(crate) fitted: Arc<dyn Fitted>,
    /// Names that replace those of the model's columns.
    columns: Option<Vec<String>>,
    pub(crate) picture: Option<Picture>,
    /// How the model was made, if its file says so.
    pub(crate) origin: Option<Origin>,
}

impl ExistingModel {
    /// A model that was just fitted.
    pub(crate) fn new(name: String, fitted: Arc<dyn Fitted>, picture: Option<Picture>) -> Self {
        ExistingModel {
            name,
            fitted,
            columns: None,
            picture,
            origin: None,
        }
    }

    /// The model with the names of its columns as they are shown.
    pub(crate) fn renamed(&self) -> Result<Arc<dyn Fitted>, JobError> {
        match &self.columns {
            None => Ok(Arc::clone(&self.fitted)),
            Some(columns) => {
                let renamed = self.fitted.renamed(columns.clone());
                Ok(Arc::from(
                    renamed.map_err(|e| JobError::core(&self.name, e))?,
                ))
            }
        }
    }

    /// The names of its columns, if they have names.
    fn named_columns(&self) -> Option<&[String]> {
        let columns = self.columns.as_deref();
        columns.or(self.fitted.common().columns)
    }

    /// The names under which its columns are shown.
    pub(crate) fn column_names(&self) -> Vec<String> {
        let columns = self.columns.clone();
        columns.unwrap_or_else(|| self.fitted.column_names())
    }

    /// Opens new rows and finds the columns that the model needs.
    pub(crate) fn open(&self, ctx: &Context, rows: &Rows) -> Result<OpenRows, JobError> {
        let model = (&*self.fitted, self.named_columns(), &*self.name);
        columns::open_columns(ctx, model, self.picture, rows)
    }
}

impl Subject {
    /// Rows and the method to fit to them.
    pub fn to_fit(rows: Rows, fitting: Fitting) -> Self {
        Subject {
            rows: Some(rows),
            model: ModelFrom::Fit(fitting),
        }
    }

    /// The method to fit; `None` if the model exists already.
    pub fn fitting(&self) -> Option<&Fitting> {
        match &self.model {
            ModelFrom::Fit(fitting) => Some(fitting),
            _ => None,
        }
    }

    /// The rows and the method to fit; an error if there are no rows, or if the model exists already.
    pub(crate) fn rows_to_fit(&self) -> Result<(&Rows, &Fitting), JobError> {
        let found = self.rows.as_ref().zip(self.fitting());
        found.ok_or_else(|| JobError::Usage {
            what: "a fit takes rows, and no model that was fitted before".to_owned(),
            advice: Advice::default(),
        })
    }

    /// The existing model, loaded if it is in a file; an error if it has to be fitted.
    pub(crate) fn known_model(&self) -> Result<ExistingModel, JobError> {
        self.existing_model()?.ok_or_else(|| JobError::Usage {
            what: "this takes a model that was fitted before".to_owned(),
            advice: Advice::default(),
        })
    }

    /// The existing model, loaded if it is in a file, and the rows; an error if either is not there.
    pub(crate) fn model_and_rows(&self) -> Result<(ExistingModel, &Rows), JobError> {
        let model = self.known_model()?;
        let rows = self.rows.as_ref().ok_or_else(|| JobError::Usage {
            what: format!("{}: this takes rows, and none were given", model.name),
            advice: Advice::default(),
        })?;
        Ok((model, rows))
    }

    /// The name of the rows, or of the model where there are no rows.
    pub(crate) fn name(&self) -> String {
        let rows = self.rows.as_ref().map(Rows::name);
        rows.or_else(|| self.model_name()).unwrap_or_default()
    }

    /// The existing model, loaded if it is in a file; `None` if the model has to be fitted.
    pub(crate) fn existing_model(&self) -> Result<Option<ExistingModel>, JobError> {
        Ok(match &self.model {
            ModelFrom::Fit(_) => None,
            ModelFrom::File(path) => {
                let model = Model::load(path)?;
                Some(ExistingModel {
                    name: path.display().to_string(),
                    fitted: Arc::from(model.fitted),
                    columns: None,
                    picture: model.picture,
                    origin: Some(model.origin),
                })
            }
            ModelFrom::Memory {
                name,
                fitted,
                columns,
                picture,
            } => Some(ExistingModel {
                name: name.clone(),
                fitted: Arc::clone(fitted),
                columns: columns.clone(),
                picture: *picture,
                origin: None,
            }),
        })
    }

    /// The name of the existing model; `None` if the model has to be fitted.
    pub(crate) fn model_name(&self) -> Option<String> {
        match &self.model {
            ModelFrom::Fit(_) => None,
            ModelFrom::File(path) => Some(path.display().to_string()),
            ModelFrom::Memory { name, .. } => Some(name.clone()),
        }
    }

    /// The input files, none of which may be replaced by a result.
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

    /// The rows of an open table, or of an array in memory.
    pub fn table(table: Arc<Table>) -> Self {
        Rows::Table {
            table,
            read: ReadOptions::default(),
        }
    }

    /// The name of the data.
    pub fn name(&self) -> String {
        match self {
            Rows::File { input, .. } => input.name(),
            Rows::Table { table, .. } => table.name().to_owned(),
        }
    }

    /// The file, if the rows are in a file that is not open yet.
    pub(crate) fn input(&self) -> Option<&Input> {
        match self {
            Rows::File { input, .. } => Some(input),
            Rows::Table { .. } => None,
        }
    }

    /// How the rows are read.
    pub(crate) fn read(&self) -> &ReadOptions {
        match self {
            Rows::File { read, .. } | Rows::Table { read, .. } => read,
        }
    }

    /// Opens the file; a table is already open.
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
    /// A fit that is not a first look.
    pub fn new(method: Box<dyn Method>, explicit: Explicit) -> Self {
        Fitting {
            method,
            explicit,
            first_look: false,
        }
    }
}
