//! What kind of file it is: by its first bytes, then by its name.

use crate::error::ReadError;
use crate::image;
use crate::input::Input;
use crate::options::Format;

const TO_CSV: &str = "save it as CSV, TSV or NPY first";
const AS_PNG: &str = "save it as PNG or JPEG first";
const FROM_HDF: &str = "in Python: import scanpy; scanpy.read_h5ad('IN.h5ad').to_df().to_csv('OUT.csv') writes the cells of an h5ad file as CSV";
const FROM_SHEET: &str = "in the spreadsheet: save as CSV";
const FROM_ARROW: &str = "duckdb -c \"copy 'IN' to 'OUT.csv'\" writes it as CSV";
const UNPACK: &str = "unpack it first, or pipe the unpacked text in: … | eigenspan … -";

/// First bytes, the kind they tell, and what to do.
const MAGIC: [(&[u8], &str, &str); 22] = [
    (b"PAR1", "a Parquet file", FROM_ARROW),
    (b"ARROW1", "an Arrow file", FROM_ARROW),
    (b"%PDF", "a PDF document", TO_CSV),
    (b"GIF8", "a GIF image", AS_PNG),
    (b"II*\0", "a TIFF image", AS_PNG),
    (b"MM\0*", "a TIFF image", AS_PNG),
    (b"\x1f\x8b", "packed twice", UNPACK),
    (b"\x28\xb5\x2f\xfd", "packed twice", UNPACK),
    (b"\xfd7zXZ\0", "an xz archive", UNPACK),
    (b"7z\xbc\xaf", "a 7z archive", UNPACK),
    (b"\x89HDF", "an HDF5 file", FROM_HDF),
    (b"SQLite format 3\0", "an SQLite database", TO_CSV),
    (
        b"\xd0\xcf\x11\xe0",
        "an old Excel workbook (xls)",
        FROM_SHEET,
    ),
    (b"%%MatrixMarket", "a Matrix Market file", TO_CSV),
    (
        b"<!DOCTYPE",
        "an HTML page",
        "download the data itself, not the page that shows it",
    ),
    (
        b"<!doctype",
        "an HTML page",
        "download the data itself, not the page that shows it",
    ),
    (
        b"<html",
        "an HTML page",
        "download the data itself, not the page that shows it",
    ),
    (b"<?xml", "an XML file", TO_CSV),
    (b"\xff\xfe", "text in UTF-16", "save it as UTF-8"),
    (b"\xfe\xff", "text in UTF-16", "save it as UTF-8"),
    (
        b"\x80\x04\x95",
        "a Python pickle",
        "save it with numpy.save or to_csv; pickles are never opened",
    ),
    (
        b"RDX3",
        "an R data file",
        "write.csv(x, \"x.csv\", row.names = FALSE) in R writes it as CSV",
    ),
];

/// Names that promise a kind of file which its first bytes would have told.
const NAMED: [(&str, &str); 14] = [
    ("npy", "a NumPy array"),
    ("npz", "a NumPy archive (npz, a zip file)"),
    ("parquet", "a Parquet file"),
    ("arrow", "an Arrow file"),
    ("feather", "an Arrow file"),
    ("xlsx", "an Excel workbook"),
    ("png", "a PNG image"),
    ("jpg", "a JPEG image"),
    ("h5ad", "an HDF5 file"),
    ("h5", "an HDF5 file"),
    ("mtx", "a Matrix Market file"),
    ("gz", "a gzip archive"),
    ("zst", "a zstd archive"),
    ("bz2", "a bzip2 archive"),
];

/// The format to read it as; `packed` where the bytes were unpacked from the input.
pub(crate) fn format_of(input: &Input, packed: bool, bytes: &[u8]) -> Result<Format, ReadError> {
    let file = || input.name();
    let unsupported = |what, tip| ReadError::Unsupported {
        file: file(),
        what,
        tip,
    };
    if bytes.starts_with(b"\x93NUMPY") {
        return Ok(Format::Npy);
    }
    if image::is_picture(bytes) {
        return Ok(Format::Image);
    }
    if image::is_idx(bytes) {
        return Ok(Format::Idx);
    }
    if is_workbook(bytes) {
        return Ok(Format::Xlsx);
    }
    if bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"PK\x05\x06") {
        let (what, tip) = zip_kind(bytes);
        return Err(unsupported(what, tip));
    }
    for (magic, what, tip) in MAGIC {
        if bytes.starts_with(magic) {
            return Err(unsupported(what, tip));
        }
    }
    let extension = input.extension(packed);
    if let Some((_, named)) = NAMED.iter().find(|(name, _)| *name == extension) {
        return Err(ReadError::WrongName {
            file: file(),
            named,
        });
    }
    let head = bytes.get(..bytes.len().min(1 << 16)).unwrap_or_default();
    if memchr::memchr(0, head).is_some() {
        return Err(unsupported("a binary file of an unknown kind", TO_CSV));
    }
    Ok(match extension.as_str() {
        "tsv" | "tab" => Format::Tsv,
        _ => Format::Csv,
    })
}

/// A zip file that begins with the parts of a workbook.
fn is_workbook(bytes: &[u8]) -> bool {
    let head = bytes.get(..bytes.len().min(1 << 12)).unwrap_or_default();
    let holds = |needle: &[u8]| memchr::memmem::find(head, needle).is_some();
    head.starts_with(b"PK\x03\x04") && (holds(b"[Content_Types].xml") || holds(b"xl/"))
}

fn zip_kind(bytes: &[u8]) -> (&'static str, &'static str) {
    let head = bytes.get(..bytes.len().min(1 << 12)).unwrap_or_default();
    let holds = |needle: &[u8]| memchr::memmem::find(head, needle).is_some();
    if holds(b".npy") {
        (
            "a NumPy archive (npz, a zip file)",
            "numpy.save writes one array as NPY",
        )
    } else {
        ("a zip archive", UNPACK)
    }
}
