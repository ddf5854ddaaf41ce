//! Sparse files from the command line: real counts give SciPy's numbers, cells of a 10x folder become rows.

use std::path::Path;

use serde_json::Value;

use crate::support::{Sandbox, beside, numbers, reference, workspace};

/// Holds the first five eigenvalues of a sparse matrix against a peer's.
fn check(path: &Path, option: &str, want: &Value) {
    let path = path.to_str().expect("UTF-8");
    let found = Sandbox::new().json(&["fit", "pca", path, "-k", "5", option]);
    let got = numbers(&found, "explained_variance");
    let want = want.as_array().expect("eigenvalues");
    assert!(got.len() == 5 && want.len() >= 5, "{path}");
    for (got, want) in got.iter().zip(want.iter().filter_map(Value::as_f64)) {
        assert!(
            (got - want).abs() <= 1e-8 * want,
            "{path}: {got}, not {want}"
        );
    }
}

#[test]
fn cells_and_baskets_give_the_eigenvalues_of_scipy_and_scikit_learn() {
    let cells = workspace().join("data/pbmc68k/pbmc68k.mtx.gz");
    let scipy = &reference("sparse_and_counts.json")["results"]["pbmc68k_raw_lognorm"];
    check(&cells, "--quiet", &scipy["eigenvalues"]);
    let baskets = workspace().join("data/baskets/baskets.mtx.gz");
    let scikit_learn = &reference("stand_ins.json")["results"]["baskets"];
    check(
        &baskets,
        "--transpose",
        &scikit_learn["centred_eigenvalues"],
    );
}

#[test]
fn baskets_of_a_real_grocer_give_scipys_eigenvalues_too() {
    if let Some(baskets) = beside("data/groceries/groceries_items_by_transactions.mtx.gz") {
        let scipy = &reference("sparse_and_counts.json")["results"]["groceries"];
        check(&baskets, "--transpose", &scipy["centred_eigenvalues"]);
    }
}

#[test]
fn cells_of_a_10x_folder_keep_their_barcodes_and_meet_a_model_by_gene() {
    let sandbox = Sandbox::new();
    for (folder, genes, matrix) in [
        ("a", "g1\tA\ng2\tB\n", "2 3 4\n1 1 5\n2 2 1\n1 3 2\n2 3 7\n"),
        ("b", "g2\tB\ng1\tA\n", "2 3 4\n2 1 5\n1 2 1\n2 3 2\n1 3 7\n"),
    ] {
        std::fs::create_dir(sandbox.path(folder)).expect("a folder");
        let banner = "%%MatrixMarket matrix coordinate integer general\n";
        sandbox.write(&format!("{folder}/matrix.mtx"), format!("{banner}{matrix}"));
        sandbox.write(&format!("{folder}/genes.tsv"), genes);
        sandbox.write(&format!("{folder}/barcodes.tsv"), "c1\nc2\nc3\n");
    }
    let run = sandbox.done(&["fit", "pca", "a", "-k", "2", "-m", "m", "-o", "a.csv"]);
    run.says(&["its 3 cells are the rows"]);
    sandbox.done(&["transform", "m", "b/matrix.mtx", "-o", "b.csv"]);
    let scores = |name: &str| -> Vec<f64> {
        let text = sandbox.text(name);
        let cells = text.split([',', '\n']);
        cells.filter_map(|cell| cell.parse().ok()).collect()
    };
    let (a, b) = (scores("a.csv"), scores("b.csv"));
    assert_eq!((a.len(), b.len()), (6, 6));
    assert!(
        a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-12),
        "{a:?} {b:?}"
    );
    assert!(sandbox.text("a.csv").starts_with("barcode,PC1,PC2\nc1,"));
}

#[test]
fn sparse_files_are_described_sampled_and_joined_like_any_table() {
    let sandbox = Sandbox::new();
    let banner = "%%MatrixMarket matrix coordinate real general\n";
    let first = "4 3 5\n1 1 2\n2 2 1\n3 3 4.5\n4 1 1\n4 3 1\n";
    let second = "2 3 3\n1 1 3\n1 2 8\n2 2 1\n";
    sandbox.write("a.mtx", format!("{banner}{first}"));
    sandbox.write("b.mtx", format!("{banner}{second}"));
    sandbox.write("all.csv", "2,0,0\n0,1,0\n0,0,4.5\n1,0,1\n3,8,0\n0,1,0\n");
    let found = sandbox.json(&["describe", "a.mtx", "b.mtx"]);
    let wanted = sandbox.json(&["describe", "all.csv", "--no-header"]);
    for column in 0..3 {
        for field in ["name", "type", "count", "q1", "q3", "histogram"] {
            let of = |found: &Value| found["columns"][column][field].clone();
            assert_eq!(of(&found), of(&wanted), "column {column}, {field}");
        }
    }
    assert_eq!(found["duplicate_rows"], 1);
    let fit = |words: &[&str]| {
        let words = [&["fit", "pca"], words, &["-k", "2"]].concat();
        numbers(&sandbox.json(&words), "explained_variance")
    };
    let close = |got: &[f64], want: &[f64]| {
        assert_eq!(got.len(), want.len());
        let near = |(a, b): (&f64, &f64)| (a - b).abs() < 1e-12 * b.abs();
        assert!(got.iter().zip(want).all(near), "{got:?}, not {want:?}");
    };
    close(&fit(&["a.mtx", "b.mtx"]), &fit(&["all.csv", "--no-header"]));
    // Joined as they lie, and turned around together, as texts are.
    close(
        &fit(&["a.mtx", "b.mtx", "--transpose"]),
        &fit(&["all.csv", "--no-header", "--transpose"]),
    );
    close(
        &fit(&["a.mtx", "b.mtx", "--rows", "2:5"]),
        &fit(&["all.csv", "--no-header", "--rows", "2:5"]),
    );
    close(
        &fit(&["a.mtx", "b.mtx", "--sample", "4", "--seed", "3"]),
        &fit(&["all.csv", "--no-header", "--sample", "4", "--seed", "3"]),
    );
    sandbox.write("s.svm", "1 1:2 3:4\n0 2:1\n1 1:1 2:5 3:2\n");
    let found = sandbox.json(&["describe", "s.svm"]);
    assert_eq!(
        (&found["format"], &found["n_rows"]),
        (&"libsvm".into(), &3.into())
    );
    sandbox
        .refused(&["s.svm", "s.svm", "--transpose"])
        .says(&["a line of libsvm is a row"]);
}

#[test]
fn missing_cells_outside_the_columns_and_rows_in_use_do_not_matter() {
    let sandbox = Sandbox::new();
    let head = "%%MatrixMarket matrix";
    let cells = "4 3 5\n1 1 2\n2 2 nan\n3 3 4.5\n4 1 1\n4 3 1\n";
    sandbox.write("s.mtx", format!("{head} coordinate real general\n{cells}"));
    let cells = "4 3\n2\n0\n0\n1\n0\nnan\n0\n0\n0\n0\n4.5\n1\n";
    sandbox.write("d.mtx", format!("{head} array real general\n{cells}"));
    for file in ["s.mtx", "d.mtx"] {
        sandbox.refused(&["fit", "pca", file]).says(&["line"]);
        sandbox.done(&[file, "--exclude", "2"]);
        sandbox.done(&[file, "--rows", "3:4"]);
    }
}
