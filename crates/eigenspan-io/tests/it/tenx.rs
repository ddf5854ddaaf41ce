//! Folders of 10x Genomics: cells are rows, genes are columns, names come from the files beside the matrix.

use std::io::Write;

use eigenspan::Context;
use eigenspan_io::{Input, ReadOptions, Table, open};

use super::{Folder, names, notes, numbers, options, said};

pub(super) const MATRIX: &str = "%%MatrixMarket matrix coordinate integer general\n%\n4 3 5\n1 1 7\n3 1 1\n2 2 4\n4 3 9\n1 3 2\n";
pub(super) const FEATURES: &str = "ENSG1\tTP53\tGene Expression\nENSG2\tMATR3\tGene Expression\nENSG3\tMATR3\tGene Expression\nAB1\tCD3\tAntibody Capture\n";
pub(super) const BARCODES: &str = "AAAC-1\nAAAG-1\nAAAT-1\n";

fn gzip(text: &str) -> Vec<u8> {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packed.write_all(text.as_bytes()).expect("memory");
    packed.finish().expect("memory")
}

fn read(path: impl AsRef<std::path::Path>) -> Result<Table, String> {
    let table = open(&Input::new(path), &ReadOptions::default(), &Context::new());
    table.map_err(|error| said(&error))
}

#[test]
fn a_folder_or_its_matrix_is_read_as_scanpy_reads_it() {
    let new = Folder::new();
    new.file("matrix.mtx.gz", gzip(MATRIX));
    new.file("features.tsv.gz", gzip(FEATURES));
    new.file("barcodes.tsv.gz", gzip(BARCODES));
    let old = Folder::new();
    old.file("s1_matrix.mtx", MATRIX);
    old.file("s1_genes.tsv", FEATURES);
    old.file("s1_barcodes.tsv", BARCODES);
    for given in [
        new.path(""),
        new.path("matrix.mtx.gz"),
        old.path("s1_matrix.mtx"),
    ] {
        let table = read(&given).unwrap();
        assert_eq!(table.n_rows(), 3);
        // MATR3 occurs twice; antibodies are no gene expression.
        assert_eq!(table.columns(), names(&["TP53", "MATR3", "MATR3-1"]));
        assert_eq!(
            numbers(&table).0,
            [7.0, 0.0, 1.0, 0.0, 4.0, 0.0, 2.0, 0.0, 0.0]
        );
        assert_eq!(table.id().map(|id| id.name.as_str()), Some("barcode"));
        assert_eq!(
            table.texts("barcode").unwrap(),
            ["AAAC-1", "AAAG-1", "AAAT-1"]
        );
        assert_eq!(table.texts("CD3").unwrap(), ["0", "0", "9"]);
        let notes = notes(&table);
        for what in [
            "its 3 cells are the rows",
            "1 gene's name occurs more than once",
            "1 feature is set aside",
        ] {
            assert!(notes.contains(what), "{notes}");
        }
    }
    let asked = options(|o| o.columns = names(&["CD3", "TP53"]));
    let table = open(&Input::new(new.path("")), &asked, &Context::new()).unwrap();
    assert_eq!(numbers(&table).0, [7.0, 0.0, 0.0, 0.0, 2.0, 9.0]);
}

#[test]
fn a_folder_that_is_not_whole_is_refused() {
    let folder = Folder::new();
    let error = read(folder.path("")).unwrap_err();
    assert!(error.contains("is a folder without files"), "{error}");
    folder.file("matrix.mtx", MATRIX);
    let error = read(folder.path("")).unwrap_err();
    assert!(
        error.contains("no features.tsv or genes.tsv beside it"),
        "{error}"
    );
    // On its own, the matrix is a matrix like any other.
    assert_eq!(read(folder.path("matrix.mtx")).unwrap().n_rows(), 4);
    folder.file("genes.tsv", "A\nB\nC\n");
    folder.file("barcodes.tsv", BARCODES);
    let error = read(folder.path("")).unwrap_err();
    assert!(
        error.contains("3 lines in genes.tsv, but the matrix has 4"),
        "{error}"
    );
    folder.file("genes.tsv", b"A\nB\n\xff\nD\n");
    let error = read(folder.path("")).unwrap_err();
    assert!(error.contains("genes.tsv line 3 is not UTF-8"), "{error}");
}
