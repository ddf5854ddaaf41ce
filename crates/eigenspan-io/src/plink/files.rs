//! The three files of PLINK 1: found by any of them or by their common prefix; the two text files are read here.

use std::io::Read;
use std::path::{Path, PathBuf};

use crate::error::{PlinkFault, ReadError};
use crate::input::{Bytes, Input};
use crate::options::Format;
use crate::sparse::{fields, line_number, text_lines};
use crate::table::TextColumn;

/// The first bytes of a `.bed` file, whatever its order.
pub(super) const MAGIC: [u8; 2] = [0x6c, 0x1b];

/// Where the three files are.
#[derive(Debug, Clone)]
pub(crate) struct Files {
    pub(super) bed: PathBuf,
    pub(super) bim: PathBuf,
    pub(super) fam: PathBuf,
}

impl Files {
    /// The PLINK files that a path stands for, if any.
    pub(crate) fn from_path(path: &Path, format: Option<Format>) -> Option<Files> {
        let is_plink = format == Some(Format::Plink);
        if !is_plink && format.is_some() {
            return None;
        }
        let extension = path.extension().unwrap_or_default().to_string_lossy();
        let files = match extension.to_lowercase().as_str() {
            "bed" | "bim" | "fam" => Files::with_prefix(&path.with_extension("")),
            _ => Files::with_prefix(path),
        };
        // Genome browsers also name a text file .bed: the first bytes decide.
        let names_a_set = match path.is_file() {
            true => {
                files.bed.is_file()
                    && [&files.bed, &files.bim, &files.fam]
                        .iter()
                        .any(|f| *f == path)
            }
            false => !path.exists() && files.bed.is_file(),
        };
        (is_plink || (names_a_set && has_magic(&files.bed))).then_some(files)
    }

    fn with_prefix(prefix: &Path) -> Files {
        let with = |end: &str| {
            let mut name = prefix.as_os_str().to_owned();
            name.push(end);
            PathBuf::from(name)
        };
        Files {
            bed: with(".bed"),
            bim: with(".bim"),
            fam: with(".fam"),
        }
    }
}

fn has_magic(path: &Path) -> bool {
    let mut first = [0; 2];
    let file = std::fs::File::open(path);
    let read = file.and_then(|mut file| file.read_exact(&mut first));
    read.is_ok() && first == MAGIC
}

/// The SNPs: name and chromosome.
#[derive(Debug, Default)]
pub(super) struct Snps {
    pub(super) names: Vec<String>,
    pub(super) chromosomes: TextColumn,
    /// SNPs without a name; they are named by their position.
    pub(super) n_nameless: usize,
}

/// Reads the `.bim` file: chromosome, name, centimorgans, position, the two alleles.
pub(super) fn snps(path: &Path) -> Result<Snps, ReadError> {
    let mut snps = Snps::default();
    for_each_line(path, |[chromosome, name, _, position, a1, a2]| {
        snps.chromosomes.push(chromosome);
        match name {
            "." => {
                snps.n_nameless += 1;
                snps.names
                    .push(format!("{chromosome}:{position}:{a1}:{a2}"));
            }
            name => snps.names.push(name.to_owned()),
        }
    })?;
    Ok(snps)
}

/// The columns of the `.fam` file.
pub(super) const PEOPLE: [&str; 6] = ["FID", "IID", "father", "mother", "sex", "phenotype"];

/// Reads the `.fam` file: one column per name in [`PEOPLE`].
pub(super) fn people(path: &Path) -> Result<Vec<TextColumn>, ReadError> {
    let mut columns = vec![TextColumn::default(); PEOPLE.len()];
    for_each_line(path, |cells: [&str; 6]| {
        for (column, cell) in columns.iter_mut().zip(cells) {
            column.push(cell);
        }
    })?;
    Ok(columns)
}

/// Calls a function with the first cells of every line.
fn for_each_line<const N: usize>(
    path: &Path,
    mut take: impl FnMut([&str; N]),
) -> Result<(), ReadError> {
    let file = path.display().to_string();
    let bytes: Bytes = Input::Path(path.to_owned()).bytes()?;
    for (at, line) in text_lines(&bytes, 0..bytes.len()) {
        let text = std::str::from_utf8(line).map_err(|error| ReadError::Encoding {
            file: file.clone(),
            line: line_number(&bytes, at),
            byte: line.get(error.valid_up_to()).copied().unwrap_or_default(),
        })?;
        let mut cells = [""; N];
        let mut found = 0;
        for (cell, word) in cells.iter_mut().zip(text.split_ascii_whitespace()) {
            *cell = word;
            found += 1;
        }
        match found {
            0 => {}
            _ if found == N => take(cells),
            _ => {
                return Err(ReadError::Plink {
                    file,
                    fault: PlinkFault::Columns {
                        line: line_number(&bytes, at),
                        found: fields(line).count(),
                        expected: N,
                    },
                });
            }
        }
    }
    Ok(())
}
