//! Writes the model and the scores of a fit.

use std::path::{Path, PathBuf};

use eigenspan::method::{Fitted, Method};
use eigenspan::note::Clause;
use eigenspan::{Context, Pca};
use eigenspan_io::model::{self, Element, Model, Origin};
use eigenspan_io::{Input, Output, Sealed, Table, probe};

use super::{
    Files, eigenvec, format_for, is_same_place, refuse_inputs, write_embedding, write_scores,
};
use crate::{JobError, genotypes, pca};

/// The output files of a fit.
#[derive(Debug, Clone, Default)]
pub struct FitFiles {
    /// The file for the model.
    pub model: Option<PathBuf>,
    /// The file for the scores.
    pub scores: Option<Output>,
    /// Further columns to copy into the scores file.
    pub keep: Vec<String>,
    /// The command that repeats the fit.
    pub command: Option<String>,
}

impl FitFiles {
    /// Refuses outputs that cannot be written, before anything is read.
    pub(crate) fn check(&self, inputs: &[Input]) -> Result<(), JobError> {
        self.refuse_one_name()?;
        let model = self.model.as_deref();
        if model == Some(Path::new("-")) {
            return Err(JobError::Usage {
                what: "a model is not written to standard output".to_owned(),
                advice: Clause::typed("-m NAME.safetensors").into(),
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

    /// Refuses PLINK's eigenvectors as output, unless the model is a PCA.
    pub(crate) fn check_method(&self, method: &dyn Method) -> Result<(), JobError> {
        match &self.scores {
            Some(scores) if genotypes::eigenval_of(scores).is_some() && !pca::is_pca(method) => {
                Err(JobError::Usage {
                    what: format!(
                        "{} would hold eigenvectors of genotypes, which only a PCA has",
                        scores.name()
                    ),
                    advice: "a name that ends in .tsv or .csv holds its scores".into(),
                })
            }
            _ => Ok(()),
        }
    }

    /// Refuses to copy columns that the table does not have.
    pub(crate) fn check_columns(&self, table: &Table) -> Result<(), JobError> {
        for column in &self.keep {
            table.column_index(column)?;
        }
        Ok(())
    }

    /// Writes the model and the scores to temporary files that still have to be moved into place: both or neither.
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
        let written = match fitted.places_its_rows_otherwise() {
            false => write_scores(ctx, table, fitted, &self.keep, scores),
            true => write_embedding(ctx, table, fitted, &self.keep, scores),
        };
        let sealed = match written {
            // The reader of the scores closed its end early; the model is still written.
            Err(error) if error.is_broken_pipe() => None,
            sealed => Some(sealed?),
        };
        files.add(scores.name(), sealed);
        Ok(())
    }

    /// Writes the model with the command and data that made it; the file still has to be moved into place.
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

    /// Refuses one file for both the model and the scores; a device such as /dev/null is allowed.
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
            advice: Clause::typed("give -m and -o two names").into(),
        })
    }
}

fn path_of(output: &Output) -> Option<&Path> {
    match output {
        Output::Path(path) => Some(path),
        Output::Stdout => None,
    }
}
