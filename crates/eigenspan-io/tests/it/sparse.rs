//! Sparse files that other programs wrote give the matrix they were given, and the bits of a PCA of that matrix.

use std::path::PathBuf;

use eigenspan::solve::{Keep, Solver};
use eigenspan::source::{Csr, Sparse};
use eigenspan::{Context, Pca, PcaOptions};
use eigenspan_io::{Format, Input, Numbers, ReadError, ReadOptions, Table, open};

use super::{names, notes, numbers, options, said};

/// A file that `tests/fixtures/make.py` wrote with NumPy, SciPy and scikit-learn.
pub(super) fn fixture(name: &str) -> PathBuf {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures");
    PathBuf::from(folder).join(name)
}

pub(super) fn read_with(name: &str, options: &ReadOptions) -> Result<Table, ReadError> {
    open(&Input::new(fixture(name)), options, &Context::new())
}

pub(super) fn read(name: &str) -> Table {
    read_with(name, &ReadOptions::default()).unwrap_or_else(|e| panic!("{name}: {}", said(&e)))
}

/// The matrix that all fixtures hold, as NumPy wrote it.
pub(super) fn dense() -> Vec<f64> {
    numbers(&read("dense.npy")).0
}

pub(super) fn csr_of(cells: &[f64], n_cols: usize) -> Csr<f64> {
    let (mut indptr, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for row in cells.chunks(n_cols) {
        for (j, x) in row.iter().enumerate().filter(|(_, x)| **x != 0.0) {
            indices.push(j as u32);
            values.push(*x);
        }
        indptr.push(indices.len());
    }
    Csr::from_rows(n_cols, indptr, indices, values).expect("a matrix")
}

fn fit(table: &Table, options: &PcaOptions) -> Pca {
    let ctx = Context::new();
    match table.numbers() {
        Numbers::F32(source) => options.fit(&ctx, source),
        Numbers::F64(source) => options.fit(&ctx, source),
    }
    .expect("a fit")
}

fn bits(pca: &Pca) -> Vec<u64> {
    let spectrum = pca.spectrum();
    let values = spectrum.singular_values.iter();
    let numbers = values.chain(spectrum.vectors.as_slice()).chain(pca.mean());
    numbers.map(|x| x.to_bits()).collect()
}

const OF_ONE_MATRIX: [&str; 7] = [
    "csr.npz",
    "csc.npz",
    "coo.npz",
    "unsorted.npz",
    "general.mtx",
    "one_based.svm",
    "zero_based.svm",
];

#[test]
fn every_sparse_format_gives_the_bits_of_the_same_matrix_in_memory() {
    let cells = dense();
    let memory = csr_of(&cells, 7);
    let file = read("dense.npy");
    for solver in [Solver::Covariance, Solver::Lanczos, Solver::Full] {
        let options = PcaOptions {
            n_components: Keep::Count(4),
            solver,
            ..Default::default()
        };
        let in_memory = Sparse::new(memory.view());
        let want = options.fit(&Context::new(), &in_memory).expect("a fit");
        let beside = fit(&file, &options);
        for name in OF_ONE_MATRIX {
            let table = read(name);
            assert_eq!(numbers(&table).0, cells, "{name}");
            assert!(
                table.columns().len() == 7 && table.n_rows() == 300,
                "{name}"
            );
            let got = fit(&table, &options);
            assert_eq!(bits(&got), bits(&want), "{name}, {solver}");
            for (a, b) in got
                .explained_variance()
                .iter()
                .zip(beside.explained_variance())
            {
                assert!(
                    (a - b).abs() <= 1e-12 * b.abs(),
                    "{name}, {solver}: {a} {b}"
                );
            }
        }
    }
}

#[test]
fn a_sparse_file_stays_sparse() {
    for name in OF_ONE_MATRIX {
        let table = read(name);
        let Numbers::F64(source) = table.numbers() else {
            panic!("{name} is not f64");
        };
        assert_eq!(source.nnz(), Some(638), "{name}");
    }
}

#[test]
fn element_types_are_kept_or_widened() {
    let cells = dense();
    let single = read("csr_f32.npz");
    assert!(matches!(single.numbers(), Numbers::F32(_)));
    assert_eq!(numbers(&single).0, cells, "eighths are exact in f32");
    let eightfold: Vec<f64> = cells.iter().map(|x| 8.0 * x).collect();
    for name in ["csr_i16.npz", "integer.mtx"] {
        let table = read(name);
        assert_eq!(numbers(&table).0, eightfold, "{name}");
        assert_eq!(table.texts("1").unwrap()[0], "-11", "{name}");
    }
    let pattern: Vec<f64> = cells
        .iter()
        .map(|x| f64::from(u8::from(*x != 0.0)))
        .collect();
    assert_eq!(numbers(&read("pattern.mtx")).0, pattern);
}

#[test]
fn symmetric_and_skew_matrices_are_written_out() {
    let gram = numbers(&read("gram.npy")).0;
    assert_eq!(numbers(&read("symmetric.mtx")).0, gram);
    assert_eq!(numbers(&read("symmetric_array.mtx")).0, gram);
    let skew = numbers(&read("skew.npy")).0;
    assert_eq!(numbers(&read("skew.mtx")).0, skew);
    let turned = options(|o| o.transpose = true);
    let negative: Vec<f64> = skew.iter().map(|x| 0.0 - x).collect();
    assert_eq!(
        numbers(&read_with("skew.mtx", &turned).unwrap()).0,
        negative
    );
}

#[test]
fn a_dense_matrix_market_file_is_read_column_after_column() {
    let table = read("array.mtx");
    assert_eq!(numbers(&table).0, &dense()[..140]);
    assert_eq!(table.format(), Format::Mtx);
}

#[test]
fn transposed_files_have_their_lines_as_columns() {
    let cells = dense();
    let transposed: Vec<f64> = (0..7 * 300)
        .map(|k| cells[(k % 300) * 7 + k / 300])
        .collect();
    let turned = options(|o| o.transpose = true);
    for name in ["csr.npz", "csc.npz", "coo.npz", "general.mtx", "dense.npy"] {
        let table = read_with(name, &turned).unwrap();
        assert_eq!((table.n_rows(), table.columns().len()), (7, 300), "{name}");
        assert_eq!(numbers(&table).0, transposed, "{name}");
    }
    let turned_member = options(|o| {
        o.transpose = true;
        o.member = Some("X".to_owned());
    });
    let packed = read_with("packed.npz", &turned_member).unwrap();
    assert_eq!(numbers(&packed).0, transposed);
}

#[test]
fn rows_columns_and_weights_are_chosen_as_in_any_table() {
    let cells = dense();
    let asked = options(|o| {
        o.rows = Some((11, 20));
        o.columns = names(&["2-3", "5"]);
        o.weight_column = Some("3".to_owned());
    });
    let want: Vec<f64> = (10..20)
        .flat_map(|i| [cells[i * 7 + 1], cells[i * 7 + 4]])
        .collect();
    let weights: Vec<f64> = (10..20).map(|i| cells[i * 7 + 2]).collect();
    for name in ["csr.npz", "general.mtx", "one_based.svm"] {
        let table = read_with(name, &asked).unwrap();
        assert_eq!(numbers(&table), (want.clone(), weights.clone()), "{name}");
        let texts = table.texts("7").unwrap();
        assert_eq!(
            texts[0].parse::<f64>().unwrap(),
            cells[10 * 7 + 6],
            "{name}"
        );
        assert_eq!(texts.len(), 10);
    }
    let beyond = options(|o| o.rows = Some((301, 400)));
    let error = said(&read_with("csr.npz", &beyond).unwrap_err());
    assert!(error.contains("300 rows, so it has no row 301"), "{error}");
}

#[test]
fn libsvm_has_labels_and_counts_from_the_first_index_it_uses() {
    let table = read("one_based.svm");
    assert_eq!(table.label(), Some("label"));
    assert_eq!(table.texts("label").unwrap()[..4], ["0", "1", "2", "0"]);
    assert!(!table.has_header());
    let table = read("zero_based.svm");
    assert_eq!(table.columns(), names(&["0", "1", "2", "3", "4", "5", "6"]));
    let notes = notes(&table);
    assert!(notes.contains("counted from 0"), "{notes}");
    assert!(notes.contains("qid is left out, on 300 lines"), "{notes}");
}

#[test]
fn libsvm_is_told_from_tables_by_its_content() {
    for (content, format) in [
        ("1 1:2 3:4\n-1 2:1\n", Format::Libsvm),
        (
            "+1 1:2.5\n-1,3 2:1e3 # a comment\n# another\n",
            Format::Libsvm,
        ),
        ("1 2 3\n4 5 6\n", Format::Text),
        ("a b:1\n1 2:3\n", Format::Text),
        ("1 3:4 1:2\n2 1:1 2:2\n", Format::Text),
        ("time value\n1 12:30\n", Format::Text),
    ] {
        let table = super::read(content);
        let read = table.as_ref().map(Table::format).ok();
        assert!(
            read == Some(format) || (read.is_none() && format == Format::Text),
            "{content:?}: {read:?}"
        );
    }
    let asked = options(|o| o.format = Some(Format::Libsvm));
    let unordered = super::read_with("1 3:4 1:2\n2 1:1 2:2\n", &asked).unwrap();
    assert_eq!(numbers(&unordered).0, [2.0, 0.0, 4.0, 1.0, 2.0, 0.0]);
    for (content, what) in [
        ("1 3:4 3:2\n", "line 1: index 3 stands there twice"),
        ("1 1:1\nx 1:2\n", "line 2: the label \"x\" is not a number"),
        ("1 1:1\n1 1:a\n", "line 2: \"1:a\" is not index:value"),
        ("1 1:1\n1 -1:2\n", "line 2: \"-1:2\" is not index:value"),
        ("1 1:1e999\n", "line 1: \"1:1e999\" is not finite"),
        ("1 4294967294:1\n", "needs"),
        ("# nothing\n", "no rows"),
        ("1\n2\n", "no numeric columns"),
    ] {
        let error = said(&super::read_with(content, &asked).unwrap_err());
        assert!(error.contains(what), "{content:?}: {error}");
    }
    let missing = super::read_with("1 1:1\n2 2:nan\n", &asked).unwrap();
    let error = said(&missing.missing().expect("a missing cell").error());
    assert!(
        error.contains("line 2, column 2: \"2:nan\" reads as missing"),
        "{error}"
    );
}

#[test]
fn cells_given_twice_are_added_up_with_a_note() {
    let banner = "%%MatrixMarket matrix coordinate real general\n";
    let table = super::read(format!("{banner}2 2 4\n2 1 1\n1 2 5\n2 1 2.5\n1 1 1\n")).unwrap();
    assert_eq!(numbers(&table).0, [1.0, 5.0, 3.5, 0.0]);
    assert!(notes(&table).contains("1 cell is given more than once"));
}

#[test]
fn matrix_market_files_that_lie_are_refused() {
    for (content, what) in [
        (
            "%%MatrixMarket matrix coordinate real general\n",
            "line 2: the line of sizes",
        ),
        (
            "%%MatrixMarket matrix coordinate real general\n2 2\n",
            "line 2: the line of sizes",
        ),
        (
            "%%MatrixMarket vector coordinate real general\n",
            "\"vector\"",
        ),
        (
            "%%MatrixMarket matrix array pattern general\n2 2\n",
            "\"pattern\"",
        ),
        (
            "%%MatrixMarket matrix coordinate real symmetric\n2 3 1\n1 1 1\n",
            "square",
        ),
        (
            "%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n1 1 1\n",
            "diagonal",
        ),
        (
            "%%MatrixMarket matrix coordinate real general\n2 2 9\n1 1 1\n",
            "after 1 of 9 entries",
        ),
        (
            "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1\n",
            "line 3: \"\" is not a number",
        ),
        (
            "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 1 1\n",
            "line 3: a row, a column and a value expected",
        ),
        (
            "%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 1 1.5\n",
            "\"1.5\" is not an integer",
        ),
        (
            "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 inf\n",
            "not finite",
        ),
        (
            "%%MatrixMarket matrix coordinate real general\n99999999999 2 1\n1 1 1\n",
            "may be used",
        ),
        (
            "%%MatrixMarket matrix array real general\n99999999999 99999999999\n1\n",
            "truncated",
        ),
    ] {
        let error = said(&super::read(content).unwrap_err());
        assert!(error.contains(what), "{content:?}: {error}");
    }
}
