//! Genotypes of PLINK: people are rows, cells count allele A1, and any of the three files means all.

use std::path::Path;

use eigenspan::prepare::{Missing, Scale};
use eigenspan::solve::Keep;
use eigenspan::{Context, PcaOptions};
use eigenspan_io::{Format, Input, Numbers, ReadOptions, Table, open};

use super::{Folder, names, notes, numbers, options, said};

/// Copies of A1, or nothing where the call is missing.
type Copies = Option<u8>;

/// The bytes of a `.bed` file: SNP after SNP, four people to a byte.
fn bed(snps: &[Vec<Copies>]) -> Vec<u8> {
    let mut out = vec![0x6c, 0x1b, 0x01];
    for people in snps {
        for four in people.chunks(4) {
            let code = |copies: &Copies| match copies {
                Some(2) => 0b00,
                None => 0b01,
                Some(1) => 0b10,
                _ => 0b11u8,
            };
            let byte = four.iter().enumerate().map(|(i, c)| code(c) << (2 * i));
            out.push(byte.sum());
        }
    }
    out
}

/// 11 people and 6 SNPs, of which one never varies and one lies on X.
fn snps() -> Vec<Vec<Copies>> {
    let copies = |snp: usize, person: usize| match (snp, person) {
        (3, _) => Some(2),
        (1, 4) | (2, 0) => None,
        _ => Some(((snp * 7 + person * person + person * snp) % 3) as u8),
    };
    (0..6)
        .map(|snp| (0..11).map(|person| copies(snp, person)).collect())
        .collect()
}

pub(super) fn write(folder: &Folder) {
    let chromosomes = ["1", "1", "2", "22", "X", "25"];
    let snp = |(i, c): (usize, &&str)| {
        let name = if i == 2 {
            ".".to_owned()
        } else {
            format!("rs{}", i.min(4))
        };
        format!("{c}\t{name}\t0\t{}\tA\tG\n", 100 + i)
    };
    folder.file("x.bed", bed(&snps()));
    folder.file(
        "x.bim",
        chromosomes.iter().enumerate().map(snp).collect::<String>(),
    );
    let person = |i: usize| format!("F{} P{i} 0 0 {} {}\n", i / 2, 1 + i % 2, i as f64 / 2.0);
    folder.file("x.fam", (0..11).map(person).collect::<String>());
}

fn read(path: impl AsRef<Path>, options: &ReadOptions) -> Result<Table, String> {
    open(&Input::new(path), options, &Context::new()).map_err(|error| said(&error))
}

#[test]
fn any_of_the_three_files_or_their_common_name_is_read() {
    let folder = Folder::new();
    write(&folder);
    for given in ["x.bed", "x.bim", "x.fam", "x"] {
        let table = read(folder.path(given), &ReadOptions::default()).unwrap();
        assert_eq!(
            (table.format(), table.n_rows()),
            (Format::Plink, 11),
            "{given}"
        );
        // rs4 is on X; the second rs4, on the part of X and Y that everybody has twice, gets another name.
        assert_eq!(
            table.columns(),
            names(&["rs0", "rs1", "2:102:A:G", "rs3", "rs4-1"])
        );
        let cells = numbers(&table).0;
        for (i, row) in cells.chunks(5).enumerate() {
            for (x, snp) in row.iter().zip([0, 1, 2, 3, 5]) {
                match snps()[snp][i] {
                    Some(copies) => assert_eq!(*x, f64::from(copies)),
                    None => assert!(x.is_nan()),
                }
            }
        }
        assert_eq!(table.id().map(|id| id.name.as_str()), Some("IID"));
        assert_eq!(table.texts("IID").unwrap()[..2], ["P0", "P1"]);
        assert_eq!(table.texts("rs1").unwrap()[4], "NA");
        let notes = notes(&table);
        assert!(
            notes.contains("1 SNP on X, Y and MT is set aside"),
            "{notes}"
        );
    }
}

#[test]
fn people_snps_labels_and_weights_are_chosen() {
    let folder = Folder::new();
    write(&folder);
    let asked = options(|o| {
        o.rows = Some((3, 9));
        o.columns = names(&["rs4", "rs0"]);
        o.label_column = Some("FID".to_owned());
        o.weight_column = Some("phenotype".to_owned());
    });
    let table = read(folder.path("x.bed"), &asked).unwrap();
    let want: Vec<f64> = (2..9)
        .flat_map(|i| [0, 4].map(|snp: usize| f64::from(snps()[snp][i].unwrap())))
        .collect();
    let weights: Vec<f64> = (2..9).map(|i| f64::from(i) / 2.0).collect();
    assert_eq!(numbers(&table), (want, weights));
    assert_eq!(table.texts("FID").unwrap()[0], "F1");
    assert_eq!(table.label(), Some("FID"));
    let sexes = options(|o| o.weight_column = Some("IID".to_owned()));
    let error = read(folder.path("x"), &sexes).unwrap_err();
    assert!(
        error.contains("column \"IID\" is text (line 1: \"P0\")"),
        "{error}"
    );
}

#[test]
fn allele_frequencies_scale_as_the_formula_says() {
    let folder = Folder::new();
    write(&folder);
    let table = read(folder.path("x"), &ReadOptions::default()).unwrap();
    let Numbers::F64(source) = table.numbers() else {
        panic!("genotypes are f64");
    };
    let fit = PcaOptions {
        scale: Scale::Genotype,
        missing: Missing::Mean,
        n_components: Keep::All,
        ..Default::default()
    };
    let pca = fit.fit(&Context::new(), source).expect("a fit");
    // z = (x − 2p)/√(2p(1 − p)), p over the calls that are there; missing calls are 0. The trace of ZᵀZ/(n − 1).
    let mut trace = 0.0;
    for snp in [0, 1, 2, 5] {
        let calls: Vec<f64> = snps()[snp]
            .iter()
            .flatten()
            .map(|c| f64::from(*c))
            .collect();
        let p = calls.iter().sum::<f64>() / (2.0 * calls.len() as f64);
        let squares = calls
            .iter()
            .map(|x| (x - 2.0 * p).powi(2) / (2.0 * p * (1.0 - p)));
        trace += squares.sum::<f64>() / 10.0;
    }
    let total = pca.spectrum().total_variance();
    assert!((total - trace).abs() < 1e-12 * trace, "{total} {trace}");
    let notes: String = pca.notes().iter().map(ToString::to_string).collect();
    assert!(notes.contains("rs3 is constant"), "{notes}");
}

#[test]
fn sets_that_do_not_belong_together_are_refused() {
    let folder = Folder::new();
    write(&folder);
    let whole = std::fs::read(folder.path("x.bed")).expect("a file");
    let other = |third: u8| {
        let mut bytes = whole.clone();
        bytes[2] = third;
        bytes
    };
    for (bytes, what) in [
        (other(0), "individual-major"),
        (other(0x10), ".pgen file of PLINK 2"),
        (
            whole[..whole.len() - 1].to_vec(),
            "20 bytes are in it, but 11 people and 6 SNPs need 21",
        ),
    ] {
        folder.file("x.bed", bytes);
        let error = read(folder.path("x.bim"), &ReadOptions::default()).unwrap_err();
        assert!(error.contains(what), "{error}");
    }
    folder.file("x.bed", &whole);
    folder.file("x.fam", "F P 0 0 1\n");
    let error = read(folder.path("x"), &ReadOptions::default()).unwrap_err();
    assert!(
        error.contains("x.fam: line 1: 6 columns expected, found 5"),
        "{error}"
    );
    std::fs::remove_file(folder.path("x.fam")).expect("a file");
    let error = read(folder.path("x.bed"), &ReadOptions::default()).unwrap_err();
    assert!(
        error.contains("there is no") && error.contains("x.fam beside it"),
        "{error}"
    );
    // A genome browser's .bed is text.
    let text = folder.file("y.bed", "1 100 200\n1 300 400\n2 1 2\n");
    assert_eq!(
        read(text, &ReadOptions::default()).unwrap().format(),
        Format::Text
    );
}

#[test]
fn damaged_genotypes_never_bring_the_program_down() {
    let folder = Folder::new();
    write(&folder);
    for name in ["x.bed", "x.bim", "x.fam"] {
        let whole = std::fs::read(folder.path(name)).expect("a file");
        let mut copies: Vec<Vec<u8>> = (0..whole.len()).map(|n| whole[..n].to_vec()).collect();
        for at in 0..whole.len() {
            for mask in [0x01, 0x80, 0xff] {
                let mut copy = whole.clone();
                copy[at] ^= mask;
                copies.push(copy);
            }
        }
        for copy in copies {
            folder.file(name, copy);
            if let Ok(table) = read(folder.path("x"), &ReadOptions::default()) {
                let Numbers::F64(source) = table.numbers() else {
                    panic!("genotypes are f64");
                };
                let _ = super::try_all(source);
            }
        }
        folder.file(name, whole);
    }
}

#[test]
fn a_folder_with_one_set_is_that_set() {
    let folder = Folder::new();
    write(&folder);
    let bed = read(folder.path("x.bed"), &ReadOptions::default()).unwrap();
    folder.file("x.log", "PLINK v1.90\n");
    folder.file("x.nosex", "f1 p1\n");
    let table = read(folder.0.path(), &ReadOptions::default()).unwrap();
    assert_eq!(numbers(&table).0.len(), numbers(&bed).0.len());
    assert_eq!(table.columns(), bed.columns());
    assert!(notes(&table).contains("read as the genotypes x.bed, .bim, .fam"));
    // Two sets are two tables, and something else beside them makes a heap.
    folder.file("notes.csv", "a,b\n1,2\n");
    let refused = read(folder.0.path(), &ReadOptions::default()).unwrap_err();
    assert!(refused.contains("files of several kinds"), "{refused}");
}
