//! Genotypes of PLINK 1 (`.bed`, `.bim`, `.fam`): people are rows, SNPs are columns, cells count copies of allele A1.
//!
//! The file is mapped and decoded a run of people or of SNPs at a time, never as a whole. A missing call is NaN. Which of the
//! two alleles is counted affects only the sign of a column: no eigenvalue and no score changes.

mod bed;
mod files;

pub(crate) use files::Files;

use std::ops::Range;
use std::sync::OnceLock;

use eigenspan::error::counted;
use eigenspan::note::Clause;
use eigenspan::source::{Block, ByColumn, Rows, Sink, Source};
use eigenspan::{Error, MatView, Note};

use crate::error::{PlinkFault, ReadError};
use crate::input::Input;
use crate::options::{Format, ReadOptions, refuse_transpose};
use crate::select::Names;
use crate::sparse::{Side, names_with, unique_names};
use crate::table::{Cells, IdColumn, Numbers, PartTexts, Table, TextColumn};
use bed::Bed;
use files::{PEOPLE, Snps};

/// Cells of one part, about: as in other files ([`crate::table::part_rows`]).
const PART_CELLS: usize = 1 << 18;

/// Open genotypes.
#[derive(Debug)]
struct PlinkTable {
    bed: Bed,
    /// Names of the SNPs, then of the columns of the `.fam` file.
    names: Vec<String>,
    n_snps: usize,
    used: Vec<usize>,
    used_names: Vec<String>,
    people: Side,
    weights: Option<Vec<f64>>,
    /// The rows in use.
    rows: Range<usize>,
}

/// Opens the three files.
pub(crate) fn open(name: String, files: &Files, options: &ReadOptions) -> Result<Table, ReadError> {
    if options.transpose {
        refuse_transpose(Format::Plink)?;
    }
    for path in [&files.bed, &files.bim, &files.fam] {
        if !path.is_file() {
            return Err(ReadError::Plink {
                file: name,
                fault: PlinkFault::NotWhole {
                    missing: path.display().to_string(),
                },
            });
        }
    }
    let mut snps = files::snps(&files.bim)?;
    let mut people = Side {
        names: PEOPLE.map(str::to_owned).to_vec(),
        columns: files::people(&files.fam)?,
    };
    let (n_snps, n_people) = (snps.names.len(), people.columns[0].len());
    let bytes = Input::Path(files.bed.clone()).bytes()?;
    let bed = Bed::new(bytes, n_people, n_snps).map_err(|fault| ReadError::Plink {
        file: files.bed.display().to_string(),
        fault,
    })?;
    let mut notes = name_notes(&mut snps);
    let names = names_with(&snps.names, &mut people);
    let chosen = Names::new(&name, &names).choose(options)?;
    let set_aside = match options.columns.is_empty() {
        true => not_autosomal(&snps),
        false => Vec::new(),
    };
    notes.extend(aside_note(set_aside.len()));
    let used: Vec<usize> = (0..n_snps)
        .filter(|col| chosen.columns.get(*col) == Some(&true))
        .filter(|col| set_aside.binary_search(col).is_err())
        .collect();
    if used.is_empty() {
        return Err(ReadError::NoNumericColumns {
            file: name,
            set_aside: Vec::new(),
        });
    }
    let rows = options.row_range()?.unwrap_or(0..n_people);
    let rows = rows.start..rows.end.min(n_people);
    if rows.is_empty() {
        return Err(ReadError::NoSuchRow {
            file: name,
            first: rows.start + 1,
            n_rows: n_people,
        });
    }
    let named = |col: usize| names.get(col).cloned().unwrap_or_default();
    let mut table = PlinkTable {
        used_names: used.iter().map(|&col| named(col)).collect(),
        bed,
        n_snps,
        used,
        people,
        weights: None,
        rows: rows.clone(),
        names: names.clone(),
    };
    if let Some(col) = chosen.weight {
        table.weights = Some(table.weights_of(&name, col)?);
    }
    Ok(Table {
        name,
        format: Format::Plink,
        n_rows: rows.len(),
        has_header: true,
        id: Some(IdColumn {
            name: named(chosen.id.unwrap_or(n_snps + 1)),
            guessed: chosen.id.is_none(),
        }),
        label: chosen.label.map(named),
        weight: chosen.weight.map(named),
        set_aside: Vec::new(),
        missing: None,
        notes,
        cells: Box::new(table),
        array: OnceLock::new(),
    })
}

/// Makes the names unique, and returns notes on what was changed.
fn name_notes(snps: &mut Snps) -> Vec<Note> {
    let mut notes = Vec::new();
    if snps.n_nameless > 0 {
        notes.push(Note::reading(format!(
            "{} without a name: named by chromosome, position and alleles",
            counted(snps.n_nameless, "SNP")
        )));
    }
    let renamed = unique_names(&mut snps.names);
    if renamed > 0 {
        notes.push(Note::reading(format!(
            "{} with a name that came before: -1, -2, … is put at its end",
            counted(renamed, "SNP")
        )));
    }
    notes
}

/// The SNPs of the sex chromosomes and of mitochondria, of which not everyone has two copies.
fn not_autosomal(snps: &Snps) -> Vec<usize> {
    let not = |chromosome: &str| {
        let code = chromosome.strip_prefix("chr").unwrap_or(chromosome);
        matches!(code, "X" | "Y" | "M" | "MT" | "23" | "24" | "26")
    };
    let chromosomes = snps.chromosomes.iter().enumerate();
    chromosomes
        .filter(|(_, c)| not(c))
        .map(|(i, _)| i)
        .collect()
}

fn aside_note(count: usize) -> Option<Note> {
    let are = if count == 1 { "is" } else { "are" };
    (count > 0).then(|| {
        Note::advised(
            format!(
                "{} on X, Y and MT {are} set aside, as PLINK does",
                counted(count, "SNP")
            ),
            Clause::name("columns").then(" takes what it names"),
        )
    })
}

impl PlinkTable {
    fn part_rows(&self) -> usize {
        const FEWEST: usize = 16;
        let rows = PART_CELLS / self.used.len().max(1);
        rows.max(FEWEST).next_multiple_of(4)
    }

    /// The people of a part, counted from the first person in use.
    fn part_range(&self, part: usize) -> Range<usize> {
        let start = part.saturating_mul(self.part_rows()).min(self.rows.len());
        start..(start + self.part_rows()).min(self.rows.len())
    }

    fn in_file(&self, rows: &Range<usize>) -> Range<usize> {
        self.rows.start + rows.start..self.rows.start + rows.end
    }

    /// The numbers of the column of weights.
    fn weights_of(&self, file: &str, col: usize) -> Result<Vec<f64>, ReadError> {
        if col < self.n_snps {
            return Ok(self.bed.decode(self.rows.clone(), &[col]));
        }
        let all = self.people.numbers(file, col - self.n_snps)?;
        Ok(all.get(self.rows.clone()).unwrap_or_default().to_vec())
    }

    fn texts(&self, rows: Range<usize>, col: usize) -> TextColumn {
        let written = |copies: f64| match copies.is_nan() {
            true => "NA".to_owned(),
            false => format!("{copies:.0}"),
        };
        match col.checked_sub(self.n_snps) {
            Some(beside) => self.people.texts(beside, rows),
            None => self
                .bed
                .decode(rows, &[col])
                .into_iter()
                .map(written)
                .collect(),
        }
    }
}

impl Cells for PlinkTable {
    fn names(&self) -> &[String] {
        &self.names
    }

    fn used_names(&self) -> &[String] {
        &self.used_names
    }

    fn numbers(&self) -> Numbers<'_> {
        Numbers::F64(self)
    }

    fn part_texts(&self, part: usize, columns: &[usize]) -> Result<PartTexts, ReadError> {
        let range = self.part_range(part);
        let texts = |&col: &usize| self.texts(self.in_file(&range), col);
        Ok(PartTexts {
            first: range.start,
            columns: columns.iter().map(texts).collect(),
        })
    }
}

impl Source<f64> for PlinkTable {
    fn n_cols(&self) -> usize {
        self.used.len()
    }

    fn read_part(&self, part: usize, sink: &mut Sink<'_, f64>) -> Result<(), Error> {
        let range = self.part_range(part);
        let cells = self.bed.decode(self.in_file(&range), &self.used);
        let weights = self.weights.as_deref();
        sink(Rows {
            first: range.start,
            block: Block::Dense(MatView::from_rows(&cells, range.len(), self.used.len())?),
            weights: weights.and_then(|weights| weights.get(range.clone())),
        })
    }

    fn n_parts(&self) -> usize {
        self.rows.len().div_ceil(self.part_rows())
    }

    fn n_rows(&self) -> Option<usize> {
        Some(self.rows.len())
    }

    fn by_column(&self) -> Option<&dyn ByColumn> {
        Some(self)
    }

    fn col_names(&self) -> Option<&[String]> {
        Some(&self.used_names)
    }

    fn is_weighted(&self) -> bool {
        self.weights.is_some()
    }
}

impl ByColumn for PlinkTable {
    fn shape(&self) -> (usize, usize) {
        (self.rows.len(), self.used.len())
    }

    fn read_columns(&self, columns: Range<usize>, out: &mut [f64]) -> Result<(), Error> {
        let snps = self.used.get(columns).unwrap_or_default();
        for (snp, out) in snps.iter().zip(out.chunks_exact_mut(self.rows.len())) {
            self.bed.decode_snp(self.rows.clone(), *snp, out);
        }
        Ok(())
    }

    fn row_weights(&self) -> Option<&[f64]> {
        self.weights.as_deref()
    }
}
