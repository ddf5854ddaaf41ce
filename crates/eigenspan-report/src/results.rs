//! Where the results of a fit go: looked at before anything is read, written together or not at all.

use std::path::Path;

use eigenspan::method::Fitted;
use eigenspan::{Context, Pca};
use eigenspan_io::model::{self, Element, Model, Origin};
use eigenspan_io::{Input, Output, Sealed, Table, probe};

use crate::{JobError, genotypes, project};

/// What is to be written about a fit, and what must not be replaced by it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Results<'a> {
    /// The data.
    pub(crate) input: &'a Input,
    /// Where the model goes.
    pub(crate) model: Option<&'a Path>,
    /// Where the scores go.
    pub(crate) scores: Option<&'a Output>,
    /// Further columns to carry into the scores file.
    pub(crate) keep: &'a [String],
    /// The command that repeats the fit.
    pub(crate) command: Option<&'a str>,
}

impl Results<'_> {
    /// Refuses places that cannot be written to, before anything is read.
    pub(crate) fn check(&self) -> Result<(), JobError> {
        self.refuse_one_name()?;
        if self.model == Some(Path::new("-")) {
            return Err(JobError::Usage {
                what: "a model is not written to standard output".to_owned(),
                tip: Some("-m NAME.safetensors".to_owned()),
            });
        }
        let eigenval = self.scores.and_then(genotypes::eigenval_of);
        let scores = self.scores.and_then(path_of);
        for path in self
            .model
            .into_iter()
            .chain(scores)
            .chain(eigenval.as_deref())
        {
            refuse_input(self.input, path)?;
            probe(path)?;
        }
        if let Some(model) = self.model {
            Model::check_name(model)?;
        }
        if let Some(scores) = self.scores {
            project::format_for(scores, self.keep)?;
        }
        Ok(())
    }

    /// Writes model and scores, yet to be placed: both or none. Gives their names.
    pub(crate) fn write(
        &self,
        ctx: &Context,
        table: &Table,
        fitted: &dyn Fitted,
    ) -> Result<(Vec<String>, Vec<Sealed>), JobError> {
        let (mut outputs, mut files) = (Vec::new(), Vec::new());
        if let Some(path) = self.model {
            files.push(self.seal(table, fitted, path)?);
            outputs.push(path.display().to_string());
        }
        let eigen = self.scores.and_then(genotypes::eigenval_of);
        let pca = fitted.downcast::<Pca>();
        if let (Some(scores), Some(values), Some(pca)) = (self.scores, eigen, pca) {
            files.extend(genotypes::write_eigen(ctx, table, pca, scores, &values)?);
            outputs.extend([scores.name(), values.display().to_string()]);
        } else if let Some(scores) = self.scores {
            match project::write_scores(ctx, table, None, fitted, self.keep, scores) {
                // The reader of the scores left early; the model was asked for all the same.
                Err(error) if error.is_broken_pipe() => {}
                sealed => files.push(sealed?),
            }
            outputs.push(scores.name());
        }
        Ok((outputs, files))
    }

    /// Writes the model with the story of how it came to be; it is yet to be placed.
    fn seal(&self, table: &Table, fitted: &dyn Fitted, path: &Path) -> Result<Sealed, JobError> {
        let origin = Origin {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            command: self.command.map(str::to_owned),
            data: Some(self.input.name()),
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
        let scores = self.scores.and_then(path_of);
        let Some((model, scores)) = self.model.zip(scores) else {
            return Ok(());
        };
        let place = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        if place(model) != place(scores) || (model.exists() && !model.is_file()) {
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

fn path_of(output: &Output) -> Option<&Path> {
    match output {
        Output::Path(path) => Some(path),
        Output::Stdout => None,
    }
}
