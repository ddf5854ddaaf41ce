//! What kind of file it is: by its first bytes, then by its name.

use crate::error::ReadError;
use crate::image;
use crate::input::Input;
use crate::libsvm;
use crate::options::Format;

/// What is read, as messages list it.
pub(crate) const READ: &str = "CSV, TSV, text, NPY, NPZ, Parquet, Arrow, Matrix Market, 10x folders, libsvm, PLINK, IDX, PNG and JPEG";

const TO_CSV: &str = "save it as CSV, Parquet or NPY first";
const AS_PNG: &str = "save it as PNG or JPEG first";
const FROM_SHEET: &str = "in the spreadsheet: save as CSV";
const FROM_FEATHER: &str =
    "pyarrow.feather.write_feather(table, file) writes the version that is read";
const UNPACK: &str = "unpack it first, or pipe the unpacked text in: … | eigenspan … -";

/// First bytes, the kind they tell, and what to do.
const MAGIC: [(&[u8], &str, &str); 19] = [
    (b"FEA1", "a Feather file of version 1", FROM_FEATHER),
    (b"%PDF", "a PDF document", TO_CSV),
    (b"GIF8", "a GIF image", AS_PNG),
    (b"II*\0", "a TIFF image", AS_PNG),
    (b"MM\0*", "a TIFF image", AS_PNG),
    (b"\x1f\x8b", "packed twice", UNPACK),
    (b"\x28\xb5\x2f\xfd", "packed twice", UNPACK),
    (b"\xfd7zXZ\0", "an xz archive", UNPACK),
    (b"7z\xbc\xaf", "a 7z archive", UNPACK),
    (b"SQLite format 3\0", "an SQLite database", TO_CSV),
    (
        b"\xd0\xcf\x11\xe0",
        "an old Excel workbook (xls)",
        FROM_SHEET,
    ),
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
    if bytes.starts_with(b"PAR1") || bytes.starts_with(b"PARE") {
        return Ok(Format::Parquet);
    }
    if bytes.starts_with(b"ARROW1") || bytes.starts_with(&[0xff; 4]) {
        return Ok(Format::Arrow);
    }
    if bytes.starts_with(b"\x89HDF") {
        return Ok(Format::H5ad);
    }
    if image::is_picture(bytes) {
        return Ok(Format::Image);
    }
    if image::is_idx(bytes) {
        return Ok(Format::Idx);
    }
    if bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"PK\x05\x06") {
        return match zip_kind(bytes) {
            Zip::Sheet => Ok(Format::Xlsx),
            Zip::Arrays => Ok(Format::Npz),
            Zip::Other if input.extension(packed) == "npz" => Ok(Format::Npz),
            Zip::Other => Err(unsupported("a zip archive", UNPACK)),
        };
    }
    if starts_with_banner(bytes) {
        return Ok(Format::Mtx);
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
    if libsvm::looks_like(head) {
        return Ok(Format::Libsvm);
    }
    Ok(match extension.as_str() {
        "tsv" | "tab" => Format::Tsv,
        _ => Format::Csv,
    })
}

/// The first word of a Matrix Market file, in any case.
fn starts_with_banner(bytes: &[u8]) -> bool {
    const BANNER: &[u8] = b"%%matrixmarket";
    let first = bytes.get(..BANNER.len());
    first.is_some_and(|first| first.eq_ignore_ascii_case(BANNER))
}

/// What a zip file is the coat of.
enum Zip {
    Sheet,
    Arrays,
    Other,
}

fn zip_kind(bytes: &[u8]) -> Zip {
    let head = bytes.get(..bytes.len().min(1 << 12)).unwrap_or_default();
    let holds = |needle: &[u8]| memchr::memmem::find(head, needle).is_some();
    if holds(b"[Content_Types].xml") || holds(b"xl/") {
        Zip::Sheet
    } else if holds(b".npy") {
        Zip::Arrays
    } else {
        Zip::Other
    }
}
