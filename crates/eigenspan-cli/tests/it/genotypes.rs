//! PLINK's files as input and output: the numbers equal those of PLINK 2 and NumPy, and new people are matched by the names of their SNPs.

use std::path::PathBuf;

use serde_json::Value;

use crate::support::{Sandbox, beside};

/// Genotypes of real people and a peer's numbers for them. They may not be passed on, so both are read beside the
/// repository, where they lie there.
fn people(reference: &str) -> Option<(PathBuf, Value)> {
    let folder = beside("data")?;
    let file = beside(&format!("data/reference/{reference}"))?;
    let text = std::fs::read_to_string(file).expect("a file");
    let reference: Value = serde_json::from_str(&text).expect("JSON");
    Some((folder, reference["results"].clone()))
}

fn floats(value: &Value) -> Vec<f64> {
    let list = value.as_array().expect("a list");
    list.iter().filter_map(Value::as_f64).collect()
}

fn assert_close(got: &[f64], want: &[f64], relative: f64, what: &str) {
    for (i, (got, want)) in got.iter().zip(want).enumerate() {
        assert!(
            (got - want).abs() <= relative * want.abs(),
            "{what} {i}: {got}, not {want}"
        );
    }
    assert!(!got.is_empty());
}

/// What names a person, and the numbers behind it.
type Person = (Vec<String>, Vec<f64>);

/// The header and the people of a file with tabs.
fn rows(text: &str) -> (Vec<String>, Vec<Person>) {
    let mut lines = text.lines().map(|line| line.split('\t').map(str::to_owned));
    let header: Vec<String> = lines.next().expect("a header").collect();
    let first = header.iter().position(|name| name == "PC1").expect("PC1");
    let row = |cells: Vec<String>| {
        let numbers = cells[first..].iter().map(|x| x.parse().expect("a number"));
        (cells[..first].to_vec(), numbers.collect())
    };
    let rows = lines.map(|cells| row(cells.collect())).collect();
    (header, rows)
}

/// Fits a set of files, writes what PLINK would, and compares it with PLINK 2 and NumPy.
fn check(sandbox: &Sandbox, files: &str, reference: &Value, eigenvalue: f64, eigenvector: f64) {
    sandbox.done(&[
        "fit",
        "pca",
        files,
        "-k",
        "10",
        "-m",
        "m.safetensors",
        "-o",
        "x.eigenvec",
        "-q",
    ]);
    let values: Vec<f64> = sandbox
        .text("x.eigenval")
        .lines()
        .map(|line| line.parse().expect("a number"))
        .collect();
    assert_eq!(values.len(), 10);
    let numpy = floats(&reference["numpy_mean_imputed_centred"]["eigenvalues"]);
    assert_close(&values, &numpy, 1e-10, "eigenvalue of NumPy");
    let plink = &reference["plink2"];
    assert_close(
        &values,
        &floats(&plink["eigenvalues"]),
        eigenvalue,
        "eigenvalue of PLINK",
    );
    let (header, people) = rows(&sandbox.text("x.eigenvec"));
    assert_eq!(header[header.len() - 10..][..2], ["PC1", "PC2"]);
    let first = plink["eigenvectors_first5_samples_pc1_4"]
        .as_array()
        .expect("rows");
    for component in 0..4 {
        let got: Vec<f64> = people[..5].iter().map(|(_, x)| x[component]).collect();
        let want: Vec<f64> = first.iter().map(|row| floats(row)[component]).collect();
        let sign = (got[0] * want[0]).signum();
        for (got, want) in got.iter().zip(&want) {
            assert!((sign * got - want).abs() < eigenvector, "{got} {want}");
        }
    }
    for component in 0..10 {
        let squares: f64 = people.iter().map(|(_, x)| x[component].powi(2)).sum();
        assert!((squares - 1.0).abs() < 1e-10, "{squares}");
    }
    let sums = floats(&plink["sum_abs_eigvec"]);
    let sum = |component: usize| people.iter().map(|(_, x)| x[component].abs()).sum::<f64>();
    assert_close(
        &[sum(0), sum(1)],
        &sums[..2],
        eigenvector,
        "sum over people",
    );
}

#[test]
fn the_numbers_of_plink_and_numpy_come_out_and_new_people_are_projected() {
    let Some((folder, reference)) = people("genotype_pca.json") else {
        return;
    };
    let sandbox = Sandbox::new();
    let path = |name: &str| folder.join(name).to_str().expect("UTF-8").to_owned();
    // Nobody misses a call in the 1000 Genomes: PLINK's numbers, to the digits it prints.
    let new = path("1000g_phase1/kg1");
    check(&sandbox, &new, &reference["kg1"], 5e-6, 2e-6);
    let (header, _) = rows(&sandbox.text("x.eigenvec"));
    assert!(header[0] == "#FID" || header[0] == "#IID");
    // In HapMap some do, and PLINK divides by what each pair of people has: near, not the same.
    check(
        &sandbox,
        &path("hapmap3/hm3.bed"),
        &reference["hapmap3"],
        4e-3,
        2e-4,
    );
    let (header, people) = rows(&sandbox.text("x.eigenvec"));
    assert_eq!(header[..3], ["#FID", "IID", "PC1"]);
    assert_eq!(people[0].0, ["2431", "NA19916"]);
    // 190 SNPs of the other file stand in another order.
    sandbox.done(&["transform", "m.safetensors", &new, "-o", "new.tsv"]);
    let (_, people) = rows(&sandbox.text("new.tsv"));
    let projection = &reference["projection_hapmap3_to_1000g"];
    let want = projection["projected_scores_first5"]
        .as_array()
        .expect("rows");
    for ((_, got), want) in people.iter().zip(want) {
        assert_close(&got[..4], &floats(want), 1e-8, "projected score");
    }
}

#[test]
fn allele_counts_in_an_archive_with_a_code_for_missing_give_numpys_numbers() {
    let Some((folder, reference)) = people("ehgdp_pca.json") else {
        return;
    };
    let sandbox = Sandbox::new();
    let file = folder.join("ehgdp/ehgdp_allele_counts.npz");
    let file = file.to_str().expect("UTF-8");
    let words = [
        "fit",
        "pca",
        file,
        "-k",
        "5",
        "--missing-values=-1",
        "--missing",
        "mean",
    ];
    let found = sandbox.json(&words);
    // The reference takes frequencies, half of the counts here.
    let want: Vec<f64> = floats(&reference["eigenvalues"])[..5]
        .iter()
        .map(|x| 4.0 * x)
        .collect();
    assert_close(
        &floats(&found["explained_variance"]),
        &want,
        1e-9,
        "eigenvalue",
    );
}

/// A set of files: people by SNPs, as text of digits.
fn write_set(sandbox: &Sandbox, name: &str, snps: &[(&str, &str)], family: bool) {
    let mut bed = vec![0x6c, 0x1b, 0x01];
    for (_, copies) in snps {
        for four in copies.as_bytes().chunks(4) {
            let code = |copies: &u8| match copies {
                b'2' => 0b00,
                b'1' => 0b10,
                b'0' => 0b11u8,
                _ => 0b01,
            };
            let byte = four.iter().enumerate().map(|(i, c)| code(c) << (2 * i));
            bed.push(byte.sum());
        }
    }
    sandbox.write(&format!("{name}.bed"), bed);
    let bim = snps
        .iter()
        .enumerate()
        .map(|(i, (snp, _))| format!("1 {snp} 0 {i} A C\n"));
    sandbox.write(&format!("{name}.bim"), bim.collect::<String>());
    let n_people = snps[0].1.len();
    let person = |i: usize| {
        let fid = if family {
            format!("F{i}")
        } else {
            "0".to_owned()
        };
        format!("{fid} P{i} 0 0 1 -9\n")
    };
    sandbox.write(
        &format!("{name}.fam"),
        (0..n_people).map(person).collect::<String>(),
    );
}

const SNPS: [(&str, &str); 4] = [
    ("rs1", "0120210"),
    ("rs2", "2101102"),
    ("rs3", "11?0220"),
    ("rs4", "0002001"),
];

#[test]
fn genotypes_have_their_own_defaults_which_are_told_and_can_be_set() {
    let sandbox = Sandbox::new();
    write_set(&sandbox, "x", &SNPS, false);
    let run = sandbox.done(&["x.bim"]);
    run.says(&[
        "note: genotypes: scaled by allele frequency",
        "missing calls become",
        "--missing",
    ]);
    assert!(run.out.contains("id: IID"), "{}", run.out);
    assert!(
        run.out.contains("scaled by allele frequency"),
        "{}",
        run.out
    );
    let run = sandbox.done(&["x.bed", "--scale=none", "--missing", "drop"]);
    assert!(!run.err.contains("genotypes:"), "{}", run.err);
    run.says(&["1 row with missing cells left out"]);
    let refused = sandbox.refused(&["x", "--missing", "error"]);
    refused.says(&["1 cell is not a finite number", "column \"rs3\""]);
    sandbox.write("t.csv", "a,b\n1,2\n3,9\n4,1\n");
    sandbox
        .refused(&["t.csv", "--scale=genotype"])
        .says(&["these are not genotypes", "--scale"]);
    sandbox
        .done(&["plan", "pca", "x"])
        .says(&["note: genotypes: scaled by allele frequency"]);
    let planned = sandbox.json(&["plan", "pca", "x"]);
    let notes = planned["notes"].to_string();
    assert!(
        notes.contains("genotypes: scaled by allele frequency"),
        "{notes}"
    );
    // A scale stands behind an equals sign, because there need not be one.
    sandbox
        .refused(&["fit", "pca", "x", "--scale", "genotype"])
        .says(&["--scale=genotype"]);
    sandbox.done(&["x", "--scale", "--quiet"]);
}

#[test]
fn genotypes_are_described_sampled_and_joined_like_any_table() {
    let sandbox = Sandbox::new();
    write_set(&sandbox, "x", &SNPS, false);
    let found = sandbox.json(&["describe", "x"]);
    let columns = found["columns"].as_array().expect("columns");
    let named = |name: &str| {
        columns
            .iter()
            .find(|c| c["name"] == name)
            .expect("a column")
    };
    assert_eq!(
        (&found["format"], &found["n_rows"]),
        (&"plink".into(), &7.into())
    );
    assert_eq!(named("rs3")["missing"], 1);
    assert_eq!(named("rs1")["median"].as_f64(), Some(1.0));
    assert_eq!(named("IID")["role"], "id");
    sandbox
        .done(&["x", "--sample", "5"])
        .says(&["a random sample of 5 of 7 rows", "genotypes: scaled"]);
    let run = sandbox.done(&["fit", "pca", "x", "x.bed", "-k", "2", "-o", "xx.csv"]);
    assert_eq!(sandbox.text("xx.csv").lines().count(), 15);
    run.says(&["genotypes: scaled"]);
    sandbox
        .refused(&["x", "x.bed", "--transpose"])
        .says(&["people are always the rows"]);
}

#[test]
fn new_people_meet_a_model_by_the_names_of_their_snps() {
    let sandbox = Sandbox::new();
    write_set(&sandbox, "x", &SNPS, true);
    let turned: Vec<(&str, &str)> = SNPS.into_iter().rev().collect();
    write_set(&sandbox, "y", &turned, true);
    sandbox.done(&["fit", "pca", "x", "-k", "2", "-m", "m", "-o", "x.tsv"]);
    let run = sandbox.done(&["transform", "m", "y", "-o", "y.tsv"]);
    assert!(!run.err.contains("ignored"), "{}", run.err);
    assert_eq!(sandbox.text("x.tsv"), sandbox.text("y.tsv"));
    write_set(&sandbox, "z", &SNPS[..3], true);
    sandbox
        .refused(&["transform", "m", "z"])
        .says(&["missing: rs4"]);
}

#[test]
fn eigenvectors_and_eigenvalues_are_written_together_or_not_at_all() {
    let sandbox = Sandbox::new();
    write_set(&sandbox, "x", &SNPS, false);
    let run = sandbox.done(&["fit", "pca", "x.fam", "-k", "2", "-o", "r.eigenvec"]);
    run.says(&["written: r.eigenvec, r.eigenval"]);
    let (header, people) = rows(&sandbox.text("r.eigenvec"));
    assert_eq!(header, ["#IID", "PC1", "PC2"], "no family is given");
    assert_eq!(
        (people.len(), &people[6].0[..]),
        (7, &["P6".to_owned()][..])
    );
    // A file that is no set of genotypes: people are counted.
    sandbox.write("t.csv", "a,b\n1,2\n3,9\n4,1\n");
    sandbox.done(&["fit", "pca", "t.csv", "-k", "1", "-o", "t.eigenvec"]);
    assert_eq!(rows(&sandbox.text("t.eigenvec")).1[2].0, ["3"]);
    sandbox.done(&["fit", "pca", "x", "-k", "2", "-m", "m"]);
    sandbox
        .refused(&["transform", "m", "x", "-o", "new.eigenvec"])
        .says(&["eigenvectors of a fit"]);
    sandbox
        .refused(&["fit", "pca", "x", "-o", "new.eigenvec", "--keep", "sex"])
        .says(&["cannot keep columns"]);
    std::fs::create_dir(sandbox.path("s.eigenval")).expect("a folder");
    sandbox
        .refused(&["fit", "pca", "x", "-o", "s.eigenvec"])
        .says(&["cannot write s.eigenval: it is a folder"]);
}
