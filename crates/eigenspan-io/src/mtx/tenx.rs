//! Folders of 10x Genomics (Cell Ranger): `matrix.mtx`, `genes.tsv` or `features.tsv`, `barcodes.tsv`, each perhaps packed.
//!
//! The matrix is genes × cells and is transposed, so that cells are rows, as `scanpy.read_10x_mtx` does. Columns are named by
//! the genes' symbols, made unique. If there are several kinds of features, only gene expression is used unless the options
//! name others.

use std::path::{Path, PathBuf};

use eigenspan::error::{counted, grouped};
use eigenspan::note::Clause;
use eigenspan::{Context, Note};

use super::header::{self, Layout};
use super::{located, read, sheet};
use crate::error::{ReadError, TenxFault};
use crate::input::{Bytes, Input};
use crate::options::ReadOptions;
use crate::sparse::{Sheet, Side, line_number, text_lines, unique_names};
use crate::table::Table;
use crate::unpack::unpacked;

/// The three files.
#[derive(Debug, Clone)]
pub(crate) struct Tenx {
    matrix: PathBuf,
    genes: Option<PathBuf>,
    barcodes: Option<PathBuf>,
}

const PACKED: [&str; 4] = ["", ".gz", ".bz2", ".zst"];

impl Tenx {
    /// The three files, if the path is a folder with a matrix, or a matrix with the other two files beside it.
    pub(crate) fn find(path: &Path) -> Option<Tenx> {
        let (folder, prefix) = match path.is_dir() {
            true => (path, String::new()),
            false => {
                let name = path.file_name()?.to_str()?;
                let cut = PACKED
                    .iter()
                    .find_map(|packed| name.strip_suffix(packed)?.strip_suffix("matrix.mtx"))?;
                (path.parent()?, cut.to_owned())
            }
        };
        let there = |names: &[&str]| {
            names.iter().find_map(|name| {
                let mut files = PACKED
                    .iter()
                    .map(|packed| folder.join(format!("{prefix}{name}{packed}")));
                files.find(|file| file.is_file())
            })
        };
        let tenx = Tenx {
            matrix: match path.is_dir() {
                true => there(&["matrix.mtx"])?,
                false => path.to_owned(),
            },
            genes: there(&["features.tsv", "genes.tsv"]),
            barcodes: there(&["barcodes.tsv"]),
        };
        // A matrix without the other files is just a matrix; in a folder that was given, the missing files are an error.
        let whole = tenx.genes.is_some() && tenx.barcodes.is_some();
        (whole || path.is_dir()).then_some(tenx)
    }
}

/// Opens the three files as one table.
pub(crate) fn open(
    name: String,
    files: &Tenx,
    options: &ReadOptions,
    ctx: &Context,
) -> Result<Table, ReadError> {
    let fault = |fault| ReadError::Tenx {
        file: name.clone(),
        fault,
    };
    let whole = |file: &Option<PathBuf>, missing| {
        file.clone()
            .ok_or_else(|| fault(TenxFault::NotWhole { missing }))
    };
    let genes = whole(&files.genes, "features.tsv or genes.tsv")?;
    let barcodes = whole(&files.barcodes, "barcodes.tsv")?;
    let (matrix_name, bytes) = contents(&files.matrix)?;
    let header = header::read(&bytes).map_err(located(&matrix_name, &bytes))?;
    if header.layout == Layout::Array {
        return Err(fault(TenxFault::Dense));
    }
    let features = lines(&genes)?;
    let cells = lines(&barcodes)?;
    for (path, found, expected) in [
        (&genes, features.len(), header.n_rows),
        (&barcodes, cells.len(), header.n_cols),
    ] {
        if found != expected {
            let beside = path.file_name().unwrap_or_default().to_string_lossy();
            return Err(fault(TenxFault::Lines {
                beside: beside.into_owned(),
                found,
                expected,
            }));
        }
    }
    let matrix = read(&matrix_name, &bytes, &header, true, ctx)?;
    let mut notes = vec![Note::reading(format!(
        "a folder of 10x Genomics, genes × cells: its {} are the rows",
        counted(cells.len(), "cell")
    ))];
    let column = |line: &String, at: usize| line.split('\t').nth(at).map(str::to_owned);
    let mut names: Vec<String> = features
        .iter()
        .map(|line| {
            column(line, 1)
                .or_else(|| column(line, 0))
                .unwrap_or_default()
        })
        .collect();
    let renamed = unique_names(&mut names);
    if renamed > 0 {
        notes.push(Note::reading(format!(
            "{} more than once: the later ones got -1, -2, … at their ends",
            if renamed == 1 {
                "1 gene's name occurs".to_owned()
            } else {
                format!("the names of {} genes occur", grouped(renamed as u64))
            }
        )));
    }
    let aside = not_expression(&features);
    if !aside.is_empty() && options.columns.is_empty() {
        let features = match aside.len() {
            1 => "1 feature is".to_owned(),
            n => format!("{} are", counted(n, "feature")),
        };
        notes.push(Note::advised(
            format!("{features} set aside, being no gene expression"),
            Clause::name("columns").then(" takes what it names"),
        ));
    }
    notes.extend(matrix.notes.clone());
    let first = |line: &String| column(line, 0).unwrap_or_default();
    let barcodes = cells.iter().map(first).collect();
    Sheet {
        names: Some(names),
        aside,
        side: Side::one("barcode", barcodes),
        id: Some(0),
        notes,
        ..sheet(name, matrix, header.field)
    }
    .table(options)
}

/// The features of other kinds, if some are gene expression.
fn not_expression(features: &[String]) -> Vec<usize> {
    let is_expression = |line: &String| {
        line.split('\t')
            .nth(2)
            .map(|kind| kind == "Gene Expression")
    };
    if !features
        .iter()
        .any(|line| is_expression(line) == Some(true))
    {
        return Vec::new();
    }
    let other = |&i: &usize| features.get(i).and_then(is_expression) == Some(false);
    (0..features.len()).filter(other).collect()
}

/// A file, unpacked, with the name that messages use.
fn contents(path: &Path) -> Result<(String, Bytes), ReadError> {
    let input = Input::Path(path.to_owned());
    let name = input.name();
    let (bytes, _) = unpacked(&name, input.bytes()?)?;
    Ok((name, bytes))
}

/// The lines of a small text file.
fn lines(path: &Path) -> Result<Vec<String>, ReadError> {
    let (name, bytes) = contents(path)?;
    text_lines(&bytes, 0..bytes.len())
        .map(|(at, line)| {
            let text = std::str::from_utf8(line).map_err(|error| ReadError::Encoding {
                file: name.clone(),
                line: line_number(&bytes, at),
                byte: line.get(error.valid_up_to()).copied().unwrap_or_default(),
            });
            text.map(str::to_owned)
        })
        .collect()
}
