//! IDX files, as MNIST has them, become rows, with the labels beside them.

use std::path::Path;

use eigenspan::{Context, PcaOptions};
use eigenspan_io::{Input, Numbers, ReadOptions, Table, open};
use serde_json::Value;

use super::pictures::{at, idx, texts};
use super::{Folder, beside, notes, numbers, options, repository, said};

#[test]
fn idx_files_of_every_type_are_read_as_stored() {
    let folder = Folder::new();
    let cases: [(u8, Vec<u8>, [f64; 4]); 6] = [
        (0x08, vec![0, 1, 128, 255], [0., 1., 128., 255.]),
        (0x09, vec![0, 1, 0x80, 0xff], [0., 1., -128., -1.]),
        (
            0x0b,
            vec![0, 1, 0x80, 0, 1, 0, 0xff, 0xff],
            [1., -32768., 256., -1.],
        ),
        (
            0x0c,
            [1i32, -2, i32::MAX, 7]
                .iter()
                .flat_map(|x| x.to_be_bytes())
                .collect(),
            [1., -2., 2147483647., 7.],
        ),
        (
            0x0d,
            [0.5f32, -2., 1e10, 0.1]
                .iter()
                .flat_map(|x| x.to_be_bytes())
                .collect(),
            [0.5, -2., 1e10, f64::from(0.1f32)],
        ),
        (
            0x0e,
            [0.5f64, -2., 1e300, 0.1]
                .iter()
                .flat_map(|x| x.to_be_bytes())
                .collect(),
            [0.5, -2., 1e300, 0.1],
        ),
    ];
    for (kind, data, expected) in cases {
        for (dims, names) in [
            (vec![4], vec!["value"]),
            (vec![2, 2], vec!["p1", "p2"]),
            (vec![1, 2, 2], vec!["r1c1", "r1c2", "r2c1", "r2c2"]),
            (vec![2, 1, 1, 2], vec!["p1", "p2"]),
        ] {
            let path = folder.file("x-idx", idx(kind, &dims, &data));
            let table = at(path, &ReadOptions::default()).expect("an IDX file");
            assert_eq!(numbers(&table).0, expected, "{kind:#x} {dims:?}");
            assert_eq!(table.columns(), names);
            assert_eq!(table.n_rows(), dims[0] as usize);
            let is_picture = kind == 0x08 && dims.len() == 3;
            assert_eq!(table.picture().is_some(), is_picture);
        }
    }
}

#[test]
fn labels_beside_an_idx_file_are_taken_along_when_asked_for() {
    let folder = Folder::new();
    let images: Vec<u8> = (0..32).collect();
    let path = folder.file("t-images-idx3-ubyte", idx(8, &[2, 4, 4], &images));
    folder.file("t-labels-idx1-ubyte", idx(8, &[2], &[7, 3]));
    let table = at(&path, &ReadOptions::default()).expect("pictures");
    assert!(
        notes(&table).contains("--label-column label"),
        "{}",
        notes(&table)
    );
    assert_eq!(table.columns().len(), 16);
    let asked = options(|o| o.label_column = Some("label".to_owned()));
    let table = at(&path, &asked).expect("pictures");
    assert_eq!(table.label(), Some("label"));
    assert_eq!(table.columns().len(), 16);
    assert_eq!(texts(&table, "label"), ["7", "3"]);
    // The label of a patch is that of its picture.
    let table = at(
        &path,
        &ReadOptions {
            patch: Some(2),
            ..asked.clone()
        },
    )
    .expect("patches");
    assert_eq!(
        texts(&table, "label"),
        ["7", "7", "7", "7", "3", "3", "3", "3"]
    );
    assert_eq!(texts(&table, "patch")[5], "2 r1c2");
    assert_eq!(numbers(&table).0[..8], [0., 1., 4., 5., 2., 3., 6., 7.]);
    folder.file("t-labels-idx1-ubyte", idx(8, &[3], &[7, 3, 1]));
    let error = said(&at(&path, &asked).unwrap_err());
    assert!(error.contains("3 labels for 2 pictures"), "{error}");
}

#[test]
fn options_of_tables_work_on_idx_files() {
    let folder = Folder::new();
    let data: Vec<u8> = (0..12).collect();
    let path = folder.file("x-idx3", idx(8, &[3, 2, 2], &data));
    let some = options(|o| {
        o.rows = Some((2, 3));
        o.columns = vec!["r2*".to_owned()];
    });
    let table = at(&path, &some).expect("pictures");
    assert_eq!(numbers(&table).0, [6., 7., 10., 11.]);
    assert_eq!(table.picture(), None);
    let turned = at(&path, &options(|o| o.transpose = true)).expect("a table");
    assert_eq!(numbers(&turned).0[..3], [0., 4., 8.]);
    let several = Input::from_paths([&path, &path]);
    let table = open(&several, &ReadOptions::default(), &Context::new()).expect("pictures");
    assert_eq!(
        (table.n_rows(), table.picture().map(|p| p.width)),
        (6, Some(2))
    );
}

/// The test digits of MNIST, or the first of them, with what was written.
fn mnist(path: impl AsRef<Path>, n: usize) -> Table {
    let asked = options(|o| o.label_column = Some("label".to_owned()));
    let table = at(path, &asked).expect("MNIST");
    assert_eq!((table.n_rows(), table.columns().len()), (n, 784));
    assert_eq!(
        (table.columns()[0].as_str(), table.columns()[783].as_str()),
        ("r01c01", "r28c28")
    );
    assert_eq!(texts(&table, "label")[..5], ["7", "2", "1", "0", "4"]);
    table
}

/// The mean of all pixels, as a share of 255.
fn mean(table: &Table) -> f64 {
    let (cells, _) = numbers(table);
    cells.iter().sum::<f64>() / cells.len() as f64 / 255.0
}

#[test]
fn five_hundred_digits_of_mnist_are_read_as_numpy_reads_them() {
    let table = mnist(repository("data/mnist/first500-images-idx3-ubyte.gz"), 500);
    let text = repository("tests/reference/stand_ins.json");
    let text = std::fs::read_to_string(text).expect("the numbers of peers");
    let reference: Value = serde_json::from_str(&text).expect("JSON");
    let expected = &reference["results"]["mnist_first500"];
    let numbers_of = |key: &str| -> Vec<f64> {
        let list = expected[key].as_array().expect("a list").iter();
        list.filter_map(Value::as_f64).collect()
    };
    let wanted = expected["mean_of_255"].as_f64().expect("a number");
    assert!((mean(&table) - wanted).abs() < 1e-12);
    let labels = texts(&table, "label");
    let counts = (0..10).map(|digit| {
        let of_digit = labels.iter().filter(|label| **label == digit.to_string());
        of_digit.count() as f64
    });
    assert_eq!(counts.collect::<Vec<_>>(), numbers_of("labels"));
    // The same pixels in the same places: scikit-learn's eigenvalues.
    let Numbers::F64(source) = table.numbers() else {
        panic!("pictures are f64");
    };
    let pca = PcaOptions::default().fit(&Context::new(), source);
    let pca = pca.expect("components");
    for (got, want) in pca
        .explained_variance()
        .iter()
        .zip(numbers_of("eigenvalues"))
    {
        assert!((got - want).abs() < 1e-9 * want, "{got} is not {want}");
    }
}

#[test]
fn all_of_mnist_and_fashion_mnist_are_read_too() {
    if let Some(path) = beside("data/mnist/t10k-images-idx3-ubyte.gz") {
        // The mean that every course divides by: 0.1325 of the test pictures.
        let mean = mean(&mnist(path, 10_000));
        assert!((mean - 0.1325).abs() < 1e-4, "{mean}");
    }
    if let Some(path) = beside("data/fashion_mnist/t10k-images-idx3-ubyte.gz") {
        let asked = options(|o| o.label_column = Some("label".to_owned()));
        let table = at(path, &asked).expect("Fashion-MNIST");
        assert_eq!((table.n_rows(), table.columns().len()), (10_000, 784));
        let labels = texts(&table, "label");
        assert_eq!(labels.iter().filter(|label| *label == "9").count(), 1000);
    }
}
