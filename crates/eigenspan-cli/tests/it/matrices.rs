//! Sparse files from the command line: real counts give SciPy's numbers, cells of a 10x folder become rows.

use serde_json::Value;

use crate::support::{Sandbox, numbers, skip, workspace};

#[test]
fn real_matrices_give_scipys_eigenvalues() {
    let folder = workspace().join("../shared/data");
    let file = folder.join("reference/sparse_and_counts.json");
    let Ok(text) = std::fs::read_to_string(file) else {
        skip("real sparse data", "they are not beside the repository");
        return;
    };
    let reference: Value = serde_json::from_str(&text).expect("JSON");
    for (file, more, key, list) in [
        (
            "groceries/groceries_items_by_transactions.mtx.gz",
            "--transpose",
            "groceries",
            "centred_eigenvalues",
        ),
        (
            "pbmc68k_reduced/raw_lognorm.mtx.gz",
            "--quiet",
            "pbmc68k_raw_lognorm",
            "eigenvalues",
        ),
    ] {
        let path = folder.join(file);
        let path = path.to_str().expect("UTF-8");
        let found = Sandbox::new().json(&["fit", "pca", path, "-k", "5", more]);
        let wanted = numbers(&reference["results"][key], list);
        for (got, want) in numbers(&found, "explained_variance").iter().zip(&wanted) {
            assert!(
                (got - want).abs() <= 1e-8 * want,
                "{file}: {got}, not {want}"
            );
        }
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
