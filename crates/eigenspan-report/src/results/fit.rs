//! The model and the scores of a fit.

use std::path::{Path, PathBuf};

use eigenspan::method::{Fitted, Method};
use eigenspan::{Context, Pca};
use eigenspan_io::model::{self, Element, Model, Origin};
use eigenspan_io::{Input, Output, Sealed, Table, probe};

use super::{Files, eigenvec, format_for, is_same_place, refuse_inputs, write_scores};
use crate::{JobError, genotypes, pca};

/// Where the results of a fit go.
#[derive(Debug, Clone, Default)]
pub struct FitFiles {
    /// Where the model goes.
    pub model: Option<PathBuf>,
    /// Where the scores go.
    pub scores: Option<Output>,
    /// Further columns to carry into the scores file.
    pub keep: Vec<String>,
    /// The command that repeats the fit.
    pub command: Option<String>,
}

impl FitFiles {
    /// Refuses places that cannot be written to, before anything is read.
    pub(crate) fn check(&self, inputs: &[Input]) -> Result<(), JobError> {
        self.refuse_one_name()?;
        let model = self.model.as_deref();
        if model == Some(Path::new("-")) {
            return Err(JobError::Usage {
                what: "a model is not written to standard output".to_owned(),
                tip: Some("-m NAME.safetensors".to_owned()),
            });
        }
        let eigenval = self.scores.as_ref().and_then(genotypes::eigenval_of);
        let scores = self.scores.as_ref().and_then(path_of);
        for path in model.into_iter().chain(scores).chain(eigenval.as_deref()) {
            refuse_inputs(inputs, path)?;
            probe(path)?;
        }
        if let Some(model) = model {
            Model::check_name(model)?;
        }
        if let Some(scores) = &self.scores {
            format_for(scores, &self.keep)?;
        }
        Ok(())
    }

    /// Refuses eigenvectors as PLINK writes them, unless they are those of a PCA.
    pub(crate) fn check_method(&self, method: &dyn Method) -> Result<(), JobError> {
        match &self.scores {
            Some(scores) if genotypes::eigenval_of(scores).is_some() && !pca::is_pca(method) => {
                Err(JobError::Usage {
                    what: format!(
                        "{} would hold eigenvectors of genotypes, which only a PCA has",
                        scores.name()
                    ),
                    tip: Some("a name that ends in .tsv or .csv holds its scores".to_owned()),
                })
            }
            _ => Ok(()),
        }
    }

    /// Refuses to keep columns that a table does not have.
    pub(crate) fn check_columns(&self, table: &Table) -> Result<(), JobError> {
        for column in &self.keep {
            table.column_index(column)?;
        }
        Ok(())
    }

    /// Writes model and scores of data of this name, yet to be placed: both or none.
    pub(crate) fn write(
        &self,
        ctx: &Context,
        (data, table): (&str, &Table),
        fitted: &dyn Fitted,
        files: &mut Files,
    ) -> Result<(), JobError> {
        if let Some(path) = &self.model {
            let sealed = self.seal(data, table, fitted, path)?;
            files.add(path.display().to_string(), Some(sealed));
        }
        let Some(scores) = &self.scores else {
            return Ok(());
        };
        let pca = fitted.downcast::<Pca>();
        if let (Some(values), Some(pca)) = (genotypes::eigenval_of(scores), pca) {
            let [vectors, eigenvalues] = eigenvec::write(ctx, table, pca, scores, &values)?;
            files.add(scores.name(), Some(vectors));
            files.add(values.display().to_string(), Some(eigenvalues));
            return Ok(());
        }
        let sealed = match write_scores(ctx, table, None, fitted, &self.keep, scores) {
            // The reader of the scores left early; the model was asked for all the same.
            Err(error) if error.is_broken_pipe() => None,
            sealed => Some(sealed?),
        };
        files.add(scores.name(), sealed);
        Ok(())
    }

    /// Writes the model with the story of how it came to be; it is yet to be placed.
    fn seal(
        &self,
        data: &str,
        table: &Table,
        fitted: &dyn Fitted,
        path: &Path,
    ) -> Result<Sealed, JobError> {
        let origin = Origin {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            command: self.command.clone(),
            data: Some(data.to_owned()),
            element: Some(match table.numbers().is_single() {
                true => Element::F32,
                false => Element::F64,
            }),
            estimator: None,
        };
        Ok(model::seal(fitted, &origin, table.picture(), path)?)
    }

    /// One file cannot be both the model and the scores; a device can, for those who want neither.
    fn refuse_one_name(&self) -> Result<(), JobError> {
        let scores = self.scores.as_ref().and_then(path_of);
        let Some((model, scores)) = self.model.as_deref().zip(scores) else {
            return Ok(());
        };
        if !is_same_place(model, scores) || (model.exists() && !model.is_file()) {
            return Ok(());
        }
        Err(JobError::Usage {
            what: format!(
                "{} cannot be both the model and the scores",
                model.display()
            ),
            tip: Some("give -m and -o two names".to_owned()),
        })
    }
}

fn path_of(output: &Output) -> Option<&Path> {
    match output {
        Output::Path(path) => Some(path),
        Output::Stdout => None,
    }
}
