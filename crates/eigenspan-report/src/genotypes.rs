//! What only genotypes need: their own defaults, and results in PLINK's format.
//!
//! Counts of an allele are scaled by its frequency, (x − 2p) ÷ √(2p(1 − p)), and missing calls become their SNP's mean,
//! unless the options say otherwise. `-o NAME.eigenvec` writes unit eigenvectors of K = ZZᵀ/M, person after person, and
//! `NAME.eigenval` its eigenvalues σ²/M, with Z the prepared rows and M the number of columns that vary (Patterson, Price &
//! Reich 2006, doi:10.1371/journal.pgen.0020190; PLINK 2, `--pca`). Where calls are missing, PLINK divides each cell of K
//! by the number of SNPs that both people have, which is no longer a PCA of Z; its eigenvalues then differ a little.

use std::path::{Path, PathBuf};

use eigenspan::note::Clause;
use eigenspan::prepare::{Missing, Scale};
use eigenspan::{Note, PcaOptions};
use eigenspan_io::{Format, Output, Table};

use crate::JobError;
use crate::explicit::Explicit;

/// Fills in options that were not given if the table holds genotypes, and notes that.
pub(crate) fn fill_in(table: &Table, options: &mut PcaOptions, explicit: Explicit) -> Option<Note> {
    if table.format() != Format::Plink {
        return None;
    }
    let (mut words, mut advice) = (Vec::new(), Vec::new());
    if !explicit.scale && options.center {
        options.scale = Scale::Genotype;
        words.push("scaled by allele frequency");
        advice.push(Clause::set("scale", "none").then(" leaves the counts as they are"));
    }
    if !explicit.missing {
        options.missing = Missing::Mean;
        words.push("missing calls become their SNP's mean");
        advice.push(Clause::name("missing").then(" says otherwise"));
    }
    (!words.is_empty()).then(|| {
        let text = format!("genotypes: {}", words.join("; "));
        Note::advised(text, advice)
    })
}

/// The file of eigenvalues that belongs to an output named `.eigenvec`.
pub(crate) fn eigenval_of(output: &Output) -> Option<PathBuf> {
    match output {
        Output::Path(path) if is_eigenvec(path) => Some(path.with_extension("eigenval")),
        _ => None,
    }
}

fn is_eigenvec(path: &Path) -> bool {
    let extension = path.extension().unwrap_or_default();
    extension.eq_ignore_ascii_case("eigenvec")
}

/// Refuses eigenvectors of new rows: only the fitted rows have eigenvectors.
pub(crate) fn refuse_eigenvec(output: &Output) -> Result<(), JobError> {
    match eigenval_of(output) {
        None => Ok(()),
        Some(_) => Err(JobError::Usage {
            what: format!(
                "{} holds the eigenvectors of a fit, but these are scores of new rows",
                output.name()
            ),
            advice: "a name that ends in .tsv or .csv holds them".into(),
        }),
    }
}

/// The columns that name a person, with PLINK's names for them; the family column only if a family is given.
pub(crate) fn person_columns(table: &Table) -> Result<Vec<(String, usize)>, JobError> {
    let id = match table.id() {
        Some(id) => table.column_index(&id.name)?,
        None => return Ok(Vec::new()),
    };
    let family = match table.format() == Format::Plink {
        true => table.column_index("FID").ok(),
        false => None,
    };
    let given = |family: &usize| {
        let name = table
            .all_columns()
            .get(*family)
            .cloned()
            .unwrap_or_default();
        table
            .texts(&name)
            .is_ok_and(|texts| texts.iter().any(|fid| fid != "0"))
    };
    Ok(match family.filter(given) {
        Some(family) => vec![("#FID".to_owned(), family), ("IID".to_owned(), id)],
        None => vec![("#IID".to_owned(), id)],
    })
}
