//! Laws: what is written reads back as the same bits, and no bytes make a reader panic.

use eigenspan::{Context, Mat};
use eigenspan_io::{Format, Input, Layout, Output, ReadOptions, TableWriter, TextColumn, open};
use proptest::prelude::*;

use super::{Folder, numbers, options, read_with};

fn finite() -> impl Strategy<Value = f64> {
    prop_oneof![
        any::<f64>().prop_filter("finite", |x| x.is_finite()),
        any::<u64>()
            .prop_map(f64::from_bits)
            .prop_filter("finite", |x| x.is_finite()),
        (-1000i32..1000).prop_map(f64::from),
    ]
}

/// Pieces of which tricky tables are made.
const PIECES: [&[u8]; 21] = [
    b",",
    b";",
    b"\t",
    b"|",
    b"\n",
    b"\r\n",
    b"\r",
    b"\"",
    b"\"\"",
    b" ",
    b"1.5",
    b"-2",
    b"1,5",
    b"9007199254740993",
    b"NA",
    b"inf",
    b"2024-01-01",
    b"text",
    b"a",
    b"\xef\xbb\xbf",
    b"\xff",
];

fn pieces() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop::sample::select(&PIECES[..]);
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn what_is_written_reads_back_as_the_same_bits(
        rows in prop::collection::vec((prop::collection::vec(finite(), 3), "\\PC{0,6}"), 2..20),
        kind in 0usize..3,
    ) {
        let (format, name) = [(Format::Csv, "t.csv"), (Format::Tsv, "t.tsv"), (Format::Npy, "t.npy")][kind];
        let folder = Folder::new();
        let values = Mat::from_fn(rows.len(), 3, |i, j| rows[i].0[j]);
        let texts: TextColumn = rows.iter().map(|(_, text)| text.as_str()).collect();
        let texts = if format == Format::Npy { vec![] } else { vec![texts] };
        let layout = Layout {
            texts: texts.iter().map(|_| "t".to_owned()).collect(),
            numbers: vec!["x".to_owned(), "y".to_owned(), "z".to_owned()],
            ..Layout::default()
        };
        let path = folder.path(name);
        let mut writer = TableWriter::create::<f64>(&Output::new(&path), format, layout).unwrap();
        writer.write(&texts, values.view()).unwrap();
        writer.finish().unwrap();
        let given = options(|o| {
            o.label_column = (format != Format::Npy).then(|| "t".to_owned());
            o.delimiter = match format {
                Format::Csv => Some(','),
                Format::Tsv => Some('\t'),
                _ => None,
            };
            o.decimal = Some('.');
            o.header = Some(true);
        });
        let table = open(&Input::new(&path), &given, &Context::new()).unwrap();
        let bits = |x: &[f64]| x.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        prop_assert_eq!(bits(&numbers(&table).0), bits(values.as_slice()));
        if let Some(column) = texts.first() {
            let back = table.texts("t").unwrap();
            prop_assert_eq!(back, column.clone().into_strings());
        }
    }

    #[test]
    fn no_bytes_make_a_reader_panic(bytes in prop_oneof![
        prop::collection::vec(any::<u8>(), 0..200),
        pieces(),
        pieces().prop_map(|tail| [b"\x93NUMPY".to_vec(), tail].concat()),
        pieces().prop_map(|tail| [b"\x93NUMPY\x01\x00\x20\x00{'descr': '<f8'".to_vec(), tail].concat()),
    ], header in any::<Option<bool>>(), blanks in any::<bool>()) {
        let given = ReadOptions {
            header,
            format: blanks.then_some(Format::Text),
            ..ReadOptions::default()
        };
        if let Ok(table) = read_with(&bytes, &given) {
            prop_assert_eq!(numbers(&table).0.len(), table.n_rows() * table.columns().len());
            for column in table.all_columns() {
                prop_assert_eq!(table.texts(column).unwrap().len(), table.n_rows());
            }
        }
    }
}
