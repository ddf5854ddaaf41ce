//! NPZ: the array that is meant, mapped or unpacked, and archives that lie.

use eigenspan::Context;
use eigenspan_io::{Format, Input, Numbers, ReadOptions, Table, open};

use super::sparse::{dense, fixture, read, read_with};
use super::{Folder, numbers, options, said};

#[test]
fn the_only_array_is_read_and_one_of_several_is_asked_for() {
    let table = read("stored.npz");
    assert_eq!((table.format(), table.n_rows()), (Format::Npz, 20));
    assert_eq!(numbers(&table).0, &dense()[..140]);
    let error = said(&read_with("packed.npz", &ReadOptions::default()).unwrap_err());
    assert!(error.contains("holds 2 arrays"), "{error}");
    assert!(
        error.contains("arrays: X (300 × 7, <f8), y (300, <i8)"),
        "{error}"
    );
    assert!(error.contains("tip: --member X reads that one"), "{error}");
    let member = |name: &str| options(|o| o.member = Some(name.to_owned()));
    assert_eq!(
        numbers(&read_with("packed.npz", &member("X")).unwrap()).0,
        dense()
    );
    let counted: Vec<f64> = (0..300).map(f64::from).collect();
    assert_eq!(
        numbers(&read_with("packed.npz", &member("y.npy")).unwrap()).0,
        counted
    );
    let error = said(&read_with("packed.npz", &member("Z")).unwrap_err());
    assert!(
        error.contains("no array \"Z\" in the archive\narrays: X (300 × 7, <f8)"),
        "{error}"
    );
}

#[test]
fn a_part_of_a_sparse_matrix_can_be_asked_for() {
    let data = options(|o| o.member = Some("data".to_owned()));
    assert_eq!(read_with("csr.npz", &data).unwrap().n_rows(), 638);
}

#[test]
fn objects_and_other_sparse_formats_are_refused() {
    let error = said(&read_with("object.npz", &ReadOptions::default()).unwrap_err());
    assert!(error.contains("pickle), which are never opened"), "{error}");
    let error = said(&read_with("bsr.npz", &ReadOptions::default()).unwrap_err());
    assert!(
        error.contains("format \"bsr\"") && error.contains("x.tocsr()"),
        "{error}"
    );
}

#[test]
fn numbers_that_stand_for_missing_cells_become_nan() {
    let coded = options(|o| {
        o.member = Some("y".to_owned());
        o.missing_values = vec!["5".to_owned(), "n/a".to_owned()];
    });
    let cells = numbers(&read_with("packed.npz", &coded).unwrap()).0;
    assert!(
        cells[5].is_nan() && cells[4] == 4.0 && cells.iter().filter(|x| x.is_nan()).count() == 1
    );
}

/// Everything that can be asked of a table.
fn use_all(table: &Table) {
    let all = match table.numbers() {
        Numbers::F32(source) => super::try_all(source),
        Numbers::F64(source) => super::try_all(source),
    };
    let _ = all;
    for column in table.all_columns().iter().take(3) {
        let _ = table.texts(column);
    }
}

/// Opens damaged copies of a file: cut short, and with bits turned over.
fn damage(name: &str, whole: &[u8]) {
    let folder = Folder::new();
    let ctx = Context::new().with_memory(32 << 20);
    let step = (whole.len() / 100).max(1);
    let try_one = |bytes: &[u8]| {
        let input = Input::new(folder.file(name, bytes));
        for transpose in [false, true] {
            let asked = options(|o| o.transpose = transpose);
            if let Ok(table) = open(&input, &asked, &ctx) {
                use_all(&table);
            }
        }
    };
    for length in (0..whole.len()).step_by(step) {
        try_one(&whole[..length]);
    }
    let mut copy = whole.to_vec();
    for at in (0..whole.len()).step_by(step) {
        for mask in [0x01, 0x80, 0xff] {
            copy[at] ^= mask;
            try_one(&copy);
            copy[at] ^= mask;
        }
    }
}

#[test]
fn damaged_archives_and_matrices_never_bring_the_program_down() {
    for name in [
        "stored.npz",
        "packed.npz",
        "csr.npz",
        "csc.npz",
        "coo.npz",
        "skew.mtx",
        "array.mtx",
        "symmetric_array.mtx",
        "integer.mtx",
        "one_based.svm",
        "zero_based.svm",
    ] {
        damage(name, &std::fs::read(fixture(name)).expect("a fixture"));
    }
}
