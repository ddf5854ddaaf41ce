//! Packed files: read as if they were not, damaged ones refused, bombs stopped.

use std::io::Write;

use eigenspan::Context;
use eigenspan_io::{Input, ReadError, ReadOptions, Table, open};

use super::{Folder, names, numbers, said};

const TEXT: &str = "a,b\n1,2.5\n3,4\n";

pub(super) fn gzipped(bytes: &[u8]) -> Vec<u8> {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    packer.write_all(bytes).unwrap();
    packer.finish().unwrap()
}

fn open_as(name: &str, bytes: &[u8]) -> Result<Table, ReadError> {
    let folder = Folder::new();
    let input = Input::new(folder.file(name, bytes));
    open(&input, &ReadOptions::default(), &Context::new())
}

fn zstd(plain: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(zstd_safe::compress_bound(plain.len()));
    zstd_safe::compress(&mut out, plain, 1).expect("there is room");
    out
}

#[test]
fn packed_tables_are_read_as_if_they_were_not() {
    let mut bz = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::best());
    bz.write_all(TEXT.as_bytes()).unwrap();
    let zst = zstd(TEXT.as_bytes());
    let two_members = [
        gzipped(&TEXT.as_bytes()[..6]),
        gzipped(&TEXT.as_bytes()[6..]),
    ]
    .concat();
    let tail = zstd(b"5,6\n");
    for (name, bytes) in [
        ("t.csv.gz", gzipped(TEXT.as_bytes())),
        ("t.gz", two_members),
        ("t.csv.bz2", bz.finish().unwrap()),
        ("t.csv.zst", zst.clone()),
    ] {
        let table = open_as(name, &bytes).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(table.columns(), names(&["a", "b"]));
        assert_eq!(numbers(&table).0, [1.0, 2.5, 3.0, 4.0], "{name}");
    }
    let frames = open_as("t.csv.zst", &[zst, tail].concat()).unwrap();
    assert_eq!(numbers(&frames).0, [1.0, 2.5, 3.0, 4.0, 5.0, 6.0]);
}

#[test]
fn a_damaged_packed_file_is_refused() {
    let whole = gzipped(TEXT.as_bytes());
    for length in 2..whole.len() {
        assert!(open_as("t.csv.gz", &whole[..length]).is_err(), "{length}");
    }
    let said = said(&open_as("t.csv.gz", &whole[..whole.len() - 4]).unwrap_err());
    assert!(said.contains("is packed with gzip and damaged"), "{said}");
}

#[test]
fn a_bomb_is_stopped() {
    let bomb = gzipped(&b"0,0\n".repeat(80 << 20));
    let said = said(&open_as("t.csv.gz", &bomb).unwrap_err());
    assert!(said.contains("500 times its size"), "{said}");
}
