//! What the readers and writers promise, on small files made here and on the collection of tricky ones.

mod anndata;
mod columnar;
mod columns;
mod damage;
mod idx;
mod laws;
mod manifest;
mod memory;
mod model_files;
mod npy;
mod npz;
mod packed;
mod pictures;
mod plink;
mod regressions;
mod shapes;
mod shards;
#[cfg(feature = "xlsx")]
mod sheets;
mod sparse;
mod tenx;
mod text;
mod writing;
mod written;

use std::path::{Path, PathBuf};

use eigenspan::note::{Advice, Part};
use eigenspan::source::Source;
use eigenspan::{Context, Note};
use eigenspan_io::{Input, Numbers, ReadError, ReadOptions, Table, open};

/// A place in the repository.
fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(path)
}

/// Data that may not be passed on, where they lie beside the repository.
fn beside(path: &str) -> Option<PathBuf> {
    let found = repository("../shared").join(path);
    if found.exists() {
        return Some(found);
    }
    println!("skipped: {path} is not beside the repository");
    None
}

/// A folder that goes away with the test.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Folder(tempfile::tempdir().expect("a temporary folder"))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, content).expect("a file in the temporary folder");
        path
    }
}

fn read_with(content: impl AsRef<[u8]>, options: &ReadOptions) -> Result<Table, ReadError> {
    let folder = Folder::new();
    let path = folder.file("t.csv", content);
    open(&Input::new(path), options, &Context::new())
}

fn read(content: impl AsRef<[u8]>) -> Result<Table, ReadError> {
    read_with(content, &ReadOptions::default())
}

fn options(change: impl FnOnce(&mut ReadOptions)) -> ReadOptions {
    let mut options = ReadOptions::default();
    change(&mut options);
    options
}

fn names(items: &[&str]) -> Vec<String> {
    items.iter().map(|item| (*item).to_owned()).collect()
}

/// All numbers, row after row, and the weights.
fn numbers(table: &Table) -> (Vec<f64>, Vec<f64>) {
    match table.numbers() {
        Numbers::F32(source) => all(source),
        Numbers::F64(source) => all(source),
    }
}

fn all<T: eigenspan::Real>(source: &dyn Source<T>) -> (Vec<f64>, Vec<f64>) {
    let (mut cells, mut weights) = (Vec::new(), Vec::new());
    let mut next = 0;
    for part in 0..source.n_parts() {
        source
            .read_part(part, &mut |rows| {
                assert_eq!(rows.first, next, "rows come in order");
                next += rows.block.n_rows();
                let mut block = vec![0.0; rows.block.n_rows() * rows.block.n_cols()];
                rows.block.copy_to_f64(&mut block);
                cells.append(&mut block);
                weights.extend_from_slice(rows.weights.unwrap_or_default());
                Ok(())
            })
            .expect("a readable part");
    }
    assert_eq!(source.n_rows(), Some(next));
    (cells, weights)
}

/// Reads every part, whatever comes of it.
fn try_all<T: eigenspan::Real>(source: &dyn Source<T>) -> Result<(), eigenspan::Error> {
    (0..source.n_parts()).try_for_each(|part| {
        source.read_part(part, &mut |rows| {
            let mut block = vec![0.0; rows.block.n_rows() * rows.block.n_cols()];
            rows.block.copy_to_f64(&mut block);
            Ok(())
        })
    })
}

/// Everything an error says, line by line.
fn said(error: &ReadError) -> String {
    let mut lines = vec![format!("error: {error}")];
    lines.extend(error.detail());
    lines.extend(typed(&error.advice()).map(|tip| format!("tip: {tip}")));
    lines.join("\n")
}

fn notes(table: &Table) -> String {
    let lines: Vec<String> = table.notes().iter().map(noted).collect();
    lines.join("\n")
}

/// A note with its advice, as in a terminal.
fn noted(note: &Note) -> String {
    match note {
        Note::Reading { text, advice } => match typed(advice) {
            Some(tip) => format!("{text} ({tip})"),
            None => text.clone(),
        },
        note => note.to_string(),
    }
}

/// Advice roughly as it is typed in a terminal; the command line spells it exactly.
fn typed(advice: &Advice) -> Option<String> {
    let quoted = |value: &String| match value.contains(' ') {
        true => format!("'{value}'"),
        false => value.clone(),
    };
    advice.text(&|part| {
        let setting = match part {
            Part::Words(text) | Part::Typed(text) => return Some(text.clone()),
            Part::Setting(setting) => setting,
        };
        let option = setting.option.replace('_', "-");
        let values: Vec<String> = setting.values.iter().map(quoted).collect();
        Some(match values.join(",").as_str() {
            "" | "true" => format!("--{option}"),
            "false" => format!("--no-{option}"),
            value => format!("--{option} {value}"),
        })
    })
}
