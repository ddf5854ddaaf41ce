//! NPY: every element type, both orders, both byte orders, and files that lie.

use eigenspan::Context;
use eigenspan_io::{Input, Numbers, ReadError, ReadOptions, Table, open};

use super::{Folder, names, numbers, options, said};

fn file(descr: &str, fortran: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let mut dict =
        format!("{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}");
    while (10 + dict.len() + 1) % 64 != 0 {
        dict.push(' ');
    }
    dict.push('\n');
    let mut out = b"\x93NUMPY\x01\x00".to_vec();
    out.extend_from_slice(&(dict.len() as u16).to_le_bytes());
    out.extend_from_slice(dict.as_bytes());
    out.extend_from_slice(data);
    out
}

fn open_bytes(bytes: &[u8], options: &ReadOptions) -> Result<Table, ReadError> {
    let folder = Folder::new();
    open(
        &Input::new(folder.file("x.npy", bytes)),
        options,
        &Context::new(),
    )
}

#[test]
fn every_element_type_of_either_byte_order_is_read() {
    let expected = [1.0, 0.0, 1.0, 1.0, 0.0, 0.0];
    macro_rules! check {
        ($descr:literal, $type:ty, $to:ident) => {
            let data: Vec<u8> = expected.iter().flat_map(|x| (*x as $type).$to()).collect();
            let table = open_bytes(
                &file($descr, "False", "(3, 2)", &data),
                &ReadOptions::default(),
            );
            assert_eq!(numbers(&table.unwrap()).0, expected, $descr);
        };
    }
    check!("<f8", f64, to_le_bytes);
    check!(">f8", f64, to_be_bytes);
    check!("<f4", f32, to_le_bytes);
    check!(">f4", f32, to_be_bytes);
    check!("<i8", i64, to_le_bytes);
    check!(">u8", u64, to_be_bytes);
    check!("<i4", i32, to_le_bytes);
    check!(">u4", u32, to_be_bytes);
    check!("<i2", i16, to_le_bytes);
    check!(">u2", u16, to_be_bytes);
    check!("|i1", i8, to_le_bytes);
    check!("|u1", u8, to_le_bytes);
    check!("|b1", u8, to_le_bytes);
    let half: Vec<u8> = [0x3c00u16, 0, 0x3c00, 0x3c00, 0, 0]
        .iter()
        .flat_map(|x| x.to_le_bytes())
        .collect();
    let table = open_bytes(
        &file("<f2", "False", "(3, 2)", &half),
        &ReadOptions::default(),
    );
    assert_eq!(numbers(&table.unwrap()).0, expected);
}

#[test]
fn columns_are_chosen_in_either_order() {
    for (fortran, at) in [("False", [0, 1, 2, 3, 4, 5]), ("True", [0, 3, 1, 4, 2, 5])] {
        // Cell (i, j) is 10 i + j, 2 rows by 3 columns.
        let cell = |k: usize| ((k / 3) * 10 + k % 3) as f64;
        let data: Vec<u8> = at.iter().flat_map(|&k| cell(k).to_le_bytes()).collect();
        let bytes = file("<f8", fortran, "(2, 3)", &data);
        let whole = open_bytes(&bytes, &ReadOptions::default()).unwrap();
        assert_eq!(numbers(&whole).0, [0.0, 1.0, 2.0, 10.0, 11.0, 12.0]);
        assert!(matches!(whole.numbers(), Numbers::F64(_)));
        let pick = |items: &[&str]| {
            let given = options(|o| o.columns = names(items));
            numbers(&open_bytes(&bytes, &given).unwrap()).0
        };
        assert_eq!(pick(&["2-3"]), [1.0, 2.0, 11.0, 12.0]);
        assert_eq!(pick(&["1", "3"]), [0.0, 2.0, 10.0, 12.0]);
        for columns in [&["2-3"][..], &["2", "3"]] {
            let second = options(|o| {
                o.rows = Some((2, 9));
                o.columns = names(columns);
            });
            let table = open_bytes(&bytes, &second).unwrap();
            assert_eq!(numbers(&table).0, [11.0, 12.0]);
            assert_eq!(table.texts("1").unwrap(), ["10.0"]);
        }
        let weighted = options(|o| o.weight_column = Some("2".to_owned()));
        let table = open_bytes(&bytes, &weighted).unwrap();
        assert_eq!(
            numbers(&table),
            (vec![0.0, 2.0, 10.0, 12.0], vec![1.0, 11.0])
        );
        assert_eq!(table.texts("3").unwrap(), ["2.0", "12.0"]);
    }
}

#[test]
fn one_dimension_is_one_column_and_f4_stays_f4() {
    let data: Vec<u8> = [1.5f32, 2.5].iter().flat_map(|x| x.to_le_bytes()).collect();
    let table = open_bytes(
        &file("<f4", "False", "(2,)", &data),
        &ReadOptions::default(),
    )
    .unwrap();
    assert_eq!((table.n_rows(), table.columns()), (2, &names(&["1"])[..]));
    assert!(matches!(table.numbers(), Numbers::F32(_)));
    assert_eq!(table.texts("1").unwrap(), ["1.5", "2.5"]);
}

#[test]
fn headers_that_lie_are_refused_before_anything_is_reserved() {
    let data = [0u8; 48];
    for (descr, shape, what) in [
        (
            "<f8",
            "(7, 1)",
            "truncated: the data take 48 bytes, but 56 are expected",
        ),
        ("<f8", "(5, 1)", "8 trailing bytes"),
        ("<f8", "(18446744073709551615, 2)", "too large"),
        ("<f8", "(4294967296, 4294967296)", "too large"),
        (
            "<f8",
            "(99999999999999999999, 2)",
            "header cannot be parsed",
        ),
        ("<f8", "(-1, 2)", "header cannot be parsed"),
        ("<f8", "(1, 2, 3)", "2 dimensions"),
        ("<f8", "()", "2 dimensions"),
        ("<f8", "(0, 3)", "has no rows"),
        ("<f8", "(3, 0)", "has no columns"),
        ("|O", "(3, 2)", "never opened"),
        ("<U1", "(3, 2)", "text"),
        ("|V8", "(3, 2)", "void"),
        ("<c16", "(3, 1)", "complex"),
        ("<f3", "(8, 2)", "\"<f3\" is not known"),
    ] {
        let error = open_bytes(&file(descr, "False", shape, &data), &ReadOptions::default());
        let said = said(&error.unwrap_err());
        assert!(said.contains(what), "{descr} {shape}: {said}");
    }
}

#[test]
fn a_header_cut_anywhere_is_refused() {
    let whole = file("<f8", "False", "(3, 2)", &[0u8; 48]);
    for length in 1..whole.len() {
        assert!(
            open_bytes(&whole[..length], &ReadOptions::default()).is_err(),
            "{length}"
        );
    }
}
