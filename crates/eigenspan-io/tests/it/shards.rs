//! Several files as one table: the same cells as one file with all their lines.

use std::path::PathBuf;

use eigenspan::{Context, PcaOptions};
use eigenspan_io::{Input, Numbers, ReadError, ReadOptions, Table, Why, open};

use super::{Folder, names, notes, numbers, options, said};

fn open_all(paths: &[PathBuf], options: &ReadOptions) -> Result<Table, ReadError> {
    open(&Input::from_paths(paths), options, &Context::new())
}

fn npy(descr: &str, cols: usize, rows: usize, data: &[u8]) -> Vec<u8> {
    let mut head =
        format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({rows}, {cols}), }}");
    head += &" ".repeat((64 - (10 + head.len() + 1) % 64) % 64);
    head.push('\n');
    let length = (head.len() as u16).to_le_bytes();
    [b"\x93NUMPY\x01\x00", &length[..], head.as_bytes(), data].concat()
}

#[test]
fn shards_are_the_table_that_their_lines_make_together() {
    let line = |i: usize| format!("r{i},{},{}.5,{}\n", i % 7, i * i % 11, i % 3);
    let folder = Folder::new();
    let head = "name,a,b,w\n";
    let all: String = (0..50).map(line).collect();
    let whole = folder.file("all.csv", format!("{head}{all}"));
    let part = |name: &str, rows: std::ops::Range<usize>| {
        let lines: String = rows.map(line).collect();
        folder.file(name, format!("{head}{lines}"))
    };
    let parts = [
        part("p1.csv", 0..1),
        part("p2.csv", 1..30),
        part("p3.csv", 30..50),
    ];
    let given = options(|o| o.weight_column = Some("w".to_owned()));
    let one = open(&Input::new(&whole), &given, &Context::new()).unwrap();
    let several = open_all(&parts, &given).unwrap();
    assert_eq!(several.n_rows(), 50);
    assert_eq!(numbers(&several), numbers(&one));
    assert_eq!(several.columns(), one.columns());
    assert_eq!(several.id(), one.id());
    assert_eq!(several.texts("name").unwrap(), one.texts("name").unwrap());
    assert!(several.name().ends_with("p1.csv and 2 more"));
    let (Numbers::F64(a), Numbers::F64(b)) = (several.numbers(), one.numbers()) else {
        panic!("text is f64");
    };
    let fit = |source| PcaOptions::default().fit(&Context::new(), source).unwrap();
    let (a, b) = (fit(a), fit(b));
    assert_eq!(a.parts().columns, b.parts().columns);
    for (x, y) in a.explained_variance().iter().zip(b.explained_variance()) {
        assert!((x - y).abs() <= 1e-12 * y, "{x} and {y}");
    }
    // Rows count through all files.
    let some = options(|o| o.rows = Some((30, 32)));
    let some = open_all(&parts, &some).unwrap();
    assert_eq!(some.texts("name").unwrap(), ["r29", "r30", "r31"]);
    assert_eq!(numbers(&some).0[..3], [1.0, 5.5, 2.0]);
}

#[test]
fn columns_in_another_order_are_matched_by_name() {
    let folder = Folder::new();
    let a = folder.file("a.csv", "k,x,y\nu,1,2\nv,3,4\n");
    let b = folder.file("b.csv", "y,k,x\n6,w,5\n");
    let table = open_all(&[a, b], &ReadOptions::default()).unwrap();
    assert_eq!(numbers(&table).0, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    assert_eq!(table.texts("k").unwrap(), ["u", "v", "w"]);
    let notes = notes(&table);
    assert!(notes.contains("in another order"), "{notes}");
    assert!(notes.contains("id: k"), "{notes}");
}

#[test]
fn files_with_other_columns_are_refused_with_what_is_missing() {
    let folder = Folder::new();
    let a = folder.file("a.csv", "x,y\n1,2\n");
    let b = folder.file("b.csv", "x,z,u\n1,2,3\n");
    let plain = ReadOptions::default();
    let error = said(&open_all(&[a.clone(), b.clone()], &plain).unwrap_err());
    assert!(
        error.contains("b.csv does not have the columns of "),
        "{error}"
    );
    assert!(error.contains("missing: y          not in "), "{error}");
    assert!(error.contains("z, u\ntip: "), "{error}");
    // What all of them have can be taken.
    let x = options(|o| o.columns = names(&["x"]));
    let table = open_all(&[a.clone(), b], &x).unwrap();
    assert_eq!(numbers(&table).0, [1.0, 1.0]);
    let headless = folder.file("c.csv", "1,2\n3,4\n");
    let error = said(&open_all(&[a, headless.clone()], &plain).unwrap_err());
    assert!(error.contains("c.csv has none"), "{error}");
    let wide = folder.file("d.csv", "1,2,3\n3,4,5\n");
    let error = said(&open_all(&[headless, wide], &plain).unwrap_err());
    assert!(error.contains("d.csv has 3 columns, but "), "{error}");
}

#[test]
fn a_column_that_is_text_in_one_file_and_numbers_in_another_is_refused_with_its_place() {
    let folder = Folder::new();
    let a = folder.file("a.csv", "x,y\n1,2\n3,4\n");
    let b = folder.file("b.csv", "x,y\n5,NA\n6,high\n");
    for order in [[a.clone(), b.clone()], [b, a]] {
        let error = said(&open_all(&order, &ReadOptions::default()).unwrap_err());
        assert!(
            error.contains("b.csv line 3, column \"y\": \"high\" is not a number"),
            "{error}"
        );
        assert!(error.contains("holds numbers in ") && error.contains("a.csv"));
    }
}

#[test]
fn a_column_that_is_empty_in_one_file_is_missing_there() {
    let folder = Folder::new();
    let a = folder.file("a.csv", "x,y,t\n1,2,red\n3,NA,red\n");
    let b = folder.file("b.csv", "x,y,t\n5,,red\n6,,blue\n");
    let table = open_all(&[a, b], &ReadOptions::default()).unwrap();
    assert_eq!(table.columns(), names(&["x", "y"]));
    let missing = table.missing().unwrap();
    assert_eq!((missing.count, missing.cells), (3, 8));
    assert!(said(&missing.error()).contains("a.csv line 3, column \"y\": \"NA\""));
    let cells = numbers(&table).0;
    assert!(cells[3].is_nan() && cells[5].is_nan() && cells[7].is_nan());
    assert_eq!(cells[6], 6.0);
    // Texts that are all different in each file alone do not name the rows of both.
    assert!(table.id().is_none());
    assert_eq!(table.set_aside()[0].why, Why::Text);
    assert!(!notes(&table).contains("is empty"), "{}", notes(&table));
}

#[test]
fn arrays_of_both_widths_become_the_wider() {
    let folder = Folder::new();
    let bytes = |x: &[f32]| -> Vec<u8> { x.iter().flat_map(|x| x.to_le_bytes()).collect() };
    let wide: Vec<u8> = [5.0f64, 6.5].iter().flat_map(|x| x.to_le_bytes()).collect();
    let a = folder.file("a.npy", npy("<f4", 2, 2, &bytes(&[1.0, 2.5, 3.0, 4.0])));
    let b = folder.file("b.npy", npy("<f8", 2, 1, &wide));
    let table = open_all(&[a.clone(), b], &ReadOptions::default()).unwrap();
    assert!(matches!(table.numbers(), Numbers::F64(_)));
    assert_eq!(numbers(&table).0, [1.0, 2.5, 3.0, 4.0, 5.0, 6.5]);
    let table = open_all(&[a.clone(), a], &ReadOptions::default()).unwrap();
    assert!(matches!(table.numbers(), Numbers::F32(_)));
    assert_eq!(table.n_rows(), 4);
}

#[test]
fn folders_and_patterns_stand_for_their_files_in_the_order_in_which_people_count() {
    let folder = Folder::new();
    for (name, x) in [("part-10", 10), ("part-9", 9), ("part-1", 1), (".part", 0)] {
        folder.file(&format!("{name}.csv"), format!("x,y\n{x},0\n"));
    }
    folder.file("_SUCCESS", "");
    let first = |input: &Input| {
        let table = open(input, &ReadOptions::default(), &Context::new()).unwrap();
        assert!(notes(&table).contains("3 files read as one table: part-1.csv to part-10.csv"));
        numbers(&table).0.into_iter().step_by(2).collect::<Vec<_>>()
    };
    assert_eq!(first(&Input::new(folder.path(""))), [1.0, 9.0, 10.0]);
    assert_eq!(
        first(&Input::new(folder.path("part-*.csv"))),
        [1.0, 9.0, 10.0]
    );
    let input = Input::new(folder.path("p?rt-?.csv"));
    assert_eq!(input.files().unwrap().len(), 2);
    let refused =
        |input: Input| said(&open(&input, &ReadOptions::default(), &Context::new()).unwrap_err());
    let error = refused(Input::new(folder.path("q*.csv")));
    assert!(error.starts_with("error: no file matches "), "{error}");
    folder.file("notes.txt", "hello");
    let error = refused(Input::new(folder.path("")));
    assert!(error.contains("several kinds: 3 .csv, 1 .txt"), "{error}");
    assert!(error.contains("*.csv*"), "{error}");
    std::fs::create_dir(folder.path("empty")).unwrap();
    let error = refused(Input::new(folder.path("empty")));
    assert!(error.contains("is a folder without files"), "{error}");
    let twice = Input::Several(vec![Input::Stdin, Input::Stdin]);
    assert!(refused(twice).contains("standard input once"));
}

#[test]
fn files_of_libsvm_have_the_columns_of_the_widest() {
    let folder = Folder::new();
    let wide = folder.file("wide.svm", "1 1:2 5:4\n-1 2:1\n");
    let narrow = folder.file("narrow.svm", "1 1:7 3:8\n");
    for paths in [[&wide, &narrow], [&narrow, &wide]] {
        let table = open_all(&paths.map(Clone::clone), &ReadOptions::default()).unwrap();
        assert_eq!(table.columns(), names(&["1", "2", "3", "4", "5"]));
        let (wide, narrow) = (
            [2., 0., 0., 0., 4., 0., 1., 0., 0., 0.],
            [7., 0., 8., 0., 0.],
        );
        let mut cells = numbers(&table).0;
        if paths[0].ends_with("narrow.svm") {
            cells.rotate_left(5);
        }
        assert_eq!(cells, [&wide[..], &narrow[..]].concat());
        assert!(notes(&table).contains("1 file of libsvm with fewer than all 5 columns: 0 in"));
    }
    // One file that uses index 0 tells how all of them count.
    let zero = folder.file("zero.svm", "1 0:3 1:9\n");
    let table = open_all(&[narrow, zero], &ReadOptions::default()).unwrap();
    assert_eq!(table.columns(), names(&["0", "1", "2", "3"]));
    assert_eq!(numbers(&table).0, [0., 7., 0., 8., 3., 9., 0., 0.]);
    let labels = table.texts("label").unwrap();
    assert_eq!(labels, ["1", "1"]);
}
