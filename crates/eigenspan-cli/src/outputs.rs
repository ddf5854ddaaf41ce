//! Messages about files that were written: their names, and which of them replaced an older file.
//!
//! One rule for all commands: a file whose name was typed is replaced, and a message says so. Files that the program names
//! itself (the page beside the data, tables in a folder) replace only an earlier result of the same kind.

use std::path::{Path, PathBuf};

use eigenspan_io::Output;
use serde_json::{Value, json};

/// The output files, and whether each existed before.
pub(crate) struct Outputs {
    there: Vec<String>,
}

impl Outputs {
    /// Checks which files exist before anything is written.
    pub(crate) fn before<'a>(places: impl IntoIterator<Item = &'a PathBuf>) -> Self {
        // PLINK's eigenvalues are written beside its eigenvectors.
        let beside = |path: &PathBuf| {
            let values = path.extension().is_some_and(|end| end == "eigenvec");
            values.then(|| path.with_extension("eigenval"))
        };
        let places = places.into_iter();
        let all = places.flat_map(|path| [Some(path.clone()), beside(path)]);
        let there = all.flatten().filter(|path| is_kept(path));
        Outputs {
            there: there.map(|path| path.display().to_string()).collect(),
        }
    }

    /// `written: scores.csv (replaced), model.safetensors`.
    pub(crate) fn written(&self, outputs: &[String]) -> String {
        let one = |name: &String| match self.there.contains(name) {
            true if Path::new(name).is_dir() => format!("{name} (tables replaced)"),
            true => format!("{name} (replaced)"),
            false => name.clone(),
        };
        let names: Vec<String> = outputs.iter().map(one).collect();
        format!("written: {}", names.join(", "))
    }

    /// Adds a message about replaced files to the notes of a JSON object.
    pub(crate) fn note_in(&self, object: &mut Value) {
        if let Some(notes) = object.get_mut("notes").and_then(Value::as_array_mut) {
            let note = |name: &String| json!(format!("{name} was there already: replaced"));
            notes.extend(self.there.iter().map(note));
        }
    }
}

/// Whether something would be replaced: a device has no content to lose, and a folder only tables of an earlier report.
fn is_kept(path: &Path) -> bool {
    path.is_file() || path.join(eigenspan_report::analysis::FIRST_TABLE).is_file()
}

/// The path of an output, if it is a file.
pub(crate) fn path_of(output: &Output) -> Option<&PathBuf> {
    match output {
        Output::Path(path) => Some(path),
        Output::Stdout => None,
    }
}
