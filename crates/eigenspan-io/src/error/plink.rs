//! What can be wrong with a set of PLINK files.

use eigenspan::error::{counted, grouped};
use eigenspan::note::{Advice, Clause};

/// What is wrong with a set of PLINK files.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PlinkFault {
    /// One of the three files is missing.
    #[error("there is no {missing} beside it")]
    NotWhole {
        /// The file.
        missing: String,
    },
    /// The first bytes are not those of a `.bed` file.
    #[error("not a .bed file of PLINK: its first bytes are not 6c 1b 01")]
    Magic,
    /// The genotypes are stored person after person.
    #[error("an individual-major .bed file (person after person), but a SNP-major one is needed")]
    IndividualMajor,
    /// The format of PLINK 2.
    #[error("a .pgen file of PLINK 2, which is not read; .bed is")]
    Pgen,
    /// A size that does not match the numbers of people and SNPs.
    #[error(
        "{} are in it, but {people} people and {} need {}",
        counted(*.found as usize, "byte"), counted(*.snps, "SNP"), grouped(*.expected)
    )]
    Size {
        /// Bytes found.
        found: u64,
        /// Bytes needed.
        expected: u64,
        /// Lines of the .fam file.
        people: usize,
        /// Lines of the .bim file.
        snps: usize,
    },
    /// A line of the .bim or the .fam file with too few columns.
    #[error("line {line}: {expected} columns expected, found {found}")]
    Columns {
        /// Line, from 1.
        line: u64,
        /// Columns found.
        found: usize,
        /// Columns needed.
        expected: usize,
    },
}

impl PlinkFault {
    /// What to do about it.
    pub(crate) fn advice(&self) -> Advice {
        match self {
            PlinkFault::IndividualMajor => Clause::typed("plink --bfile NAME --make-bed --out NEW")
                .then(" turns it")
                .into(),
            PlinkFault::Pgen => Clause::typed("plink2 --pfile NAME --make-bed --out NEW")
                .then(" writes one")
                .into(),
            PlinkFault::NotWhole { .. } => {
                "the three files NAME.bed, NAME.bim and NAME.fam belong together".into()
            }
            PlinkFault::Size { .. } => {
                "the .bim or the .fam is that of another file, or the .bed is damaged".into()
            }
            _ => Advice::default(),
        }
    }
}
