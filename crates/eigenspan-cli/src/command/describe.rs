//! `eigenspan describe MODEL`: what is in it, and the command that made it.

use eigenspan_io::model::{Fitted, Model};
use eigenspan_report::summary::Summary;
use eigenspan_report::text::{self, Heading};
use eigenspan_report::{JobError, json};

use crate::args::Describe;
use crate::console::Console;

pub(crate) fn run(console: &Console, args: &Describe) -> Result<(), JobError> {
    let Model { fitted, origin } = Model::load(&args.model)?;
    let Fitted::Pca(pca) = fitted else {
        return Err(JobError::Usage {
            what: format!("{} is not a PCA", args.model.display()),
            tip: None,
        });
    };
    let summary = Summary::new(&pca, None);
    if console.json {
        return console.object(&json::describe(&pca, &summary, &origin));
    }
    let heading = Heading {
        name: args.model.display().to_string(),
        n_rows: pca.parts().n_rows,
        n_cols: pca.n_cols(),
        id: None,
    };
    console.result(&text::describe(&heading, &pca, &summary, &origin))?;
    console.notes(pca.notes());
    Ok(())
}
