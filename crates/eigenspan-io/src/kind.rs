//! Recognizes the format of a file: by its first bytes, then by its name.

use eigenspan::Note;

use crate::error::ReadError;
use crate::options::Format;

const TO_CSV: &str = "save it as CSV, Parquet or NPY first";
const AS_PNG: &str = "save it as PNG or JPEG first";
const FROM_SHEET: &str = "in the spreadsheet: save as CSV";
const FROM_FEATHER: &str =
    "pyarrow.feather.write_feather(table, file) writes the version that is read";
const UNPACK: &str = "unpack it first, or pipe the unpacked text in: … | eigenspan … -";

const FROM_PICKLE: &str = "save it with numpy.save or to_csv; pickles are never opened";
const FROM_LINES: &str = "in Python: import pandas; pandas.read_json('IN.jsonl', lines=True).to_csv('OUT.csv', index=False)";
const FROM_JSON: &str =
    "in Python: import pandas; pandas.read_json('IN.json').to_csv('OUT.csv', index=False)";

/// First bytes of kinds of files that are not read: the bytes, the kind, and what to do.
const MAGIC: [(&[u8], &str, &str); 24] = [
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
    (b"\x80\x04\x95", "a Python pickle", FROM_PICKLE),
    (b"\x80\x05\x95", "a Python pickle", FROM_PICKLE),
    (b"\x80\x02", "a Python pickle", FROM_PICKLE),
    (b"\x80\x03", "a Python pickle", FROM_PICKLE),
    (b"MATLAB 5.0 MAT", "a MATLAB file", TO_CSV),
    (b"Obj\x01", "an Avro file", TO_CSV),
    (b"$FL2", "an SPSS file", TO_CSV),
    (b"@relation", "an ARFF file (Weka)", TO_CSV),
    (
        b"RDX3",
        "an R data file",
        "write.csv(x, \"x.csv\", row.names = FALSE) in R writes it as CSV",
    ),
];

/// Ends of names that promise a kind of file, though the first bytes are not of that kind.
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

/// The format to read a file as, by its first bytes and the end of its name; text that is in no other format is CSV or TSV.
pub(crate) fn format_of(name: &str, extension: &str, bytes: &[u8]) -> Result<Format, ReadError> {
    let file = || name.to_owned();
    let unsupported = |what, advice: &str| ReadError::Unsupported {
        file: file(),
        what,
        advice: advice.into(),
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
    if is_picture(bytes) {
        return Ok(Format::Image);
    }
    if is_idx(bytes) {
        return Ok(Format::Idx);
    }
    if bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"PK\x05\x06") {
        return match zip_kind(bytes) {
            Zip::Sheet => Ok(Format::Xlsx),
            Zip::Arrays => Ok(Format::Npz),
            Zip::Other if extension == "npz" => Ok(Format::Npz),
            Zip::Other => Err(unsupported("a zip archive", UNPACK)),
        };
    }
    if starts_with_banner(bytes) {
        return Ok(Format::Mtx);
    }
    if is_model(bytes) {
        return Err(ReadError::Model { file: file() });
    }
    for (magic, what, tip) in MAGIC {
        if bytes.starts_with(magic) {
            return Err(unsupported(what, tip));
        }
    }
    if let Some((_, named)) = NAMED.iter().find(|(ends, _)| *ends == extension) {
        return Err(ReadError::WrongName {
            file: file(),
            named,
        });
    }
    let head = bytes.get(..bytes.len().min(1 << 16)).unwrap_or_default();
    if is_binary(head) {
        return Err(unsupported("a binary file of an unknown kind", TO_CSV));
    }
    match json_kind(head) {
        Some(Json::Lines) => return Err(unsupported("a file of JSON lines", FROM_LINES)),
        Some(Json::Document) => return Err(unsupported("a JSON file", FROM_JSON)),
        None => {}
    }
    Ok(match extension {
        "tsv" | "tab" => Format::Tsv,
        _ => Format::Csv,
    })
}

/// Refuses a stream whose first bytes are neither text nor of a known format: it may never end.
pub(crate) fn refuse_unknown(name: &str, extension: &str, head: &[u8]) -> Result<(), ReadError> {
    let known = |(magic, _, _): &(&[u8], &str, &str)| head.starts_with(magic);
    let packed = [
        &b"\x1f\x8b"[..],
        b"\x28\xb5\x2f\xfd",
        b"BZh",
        b"\xff\xfe",
        b"\xfe\xff",
    ];
    if MAGIC.iter().any(known) || packed.iter().any(|magic| head.starts_with(magic)) {
        return Ok(());
    }
    match format_of(name, extension, head) {
        Err(error @ ReadError::Unsupported { .. }) if is_binary(head) => Err(error),
        _ => Ok(()),
    }
}

/// Whether bytes are not text: they hold more control characters than a few stray ones. A stray NUL is refused later, with
/// its line.
pub(crate) fn is_binary(head: &[u8]) -> bool {
    const STRAY: usize = 1000;
    let control = |byte: &&u8| **byte < 0x20 && !byte.is_ascii_whitespace() && **byte != 0x1b;
    let found = head.iter().filter(control).count();
    let nul = memchr::memchr(0, head).is_some();
    nul && found > 1 + head.len() / STRAY || found > head.len() / 10
}

/// How a JSON text is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Json {
    /// One value on each line.
    Lines,
    /// One value in the whole text.
    Document,
}

/// The layout, if a text begins like JSON: with an object or a list that is complete, or that continues beyond these bytes.
fn json_kind(head: &[u8]) -> Option<Json> {
    let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    let text = text.trim_ascii_start();
    if !text.starts_with(b"{") && !text.starts_with(b"[") {
        return None;
    }
    let values = serde_json::Deserializer::from_slice(text);
    let mut values = values.into_iter::<serde::de::IgnoredAny>();
    match values.next()? {
        Err(error) => error.is_eof().then_some(Json::Document),
        Ok(_) => match values.next() {
            None => Some(Json::Document),
            Some(Ok(_)) => Some(Json::Lines),
            Some(Err(error)) => error.is_eof().then_some(Json::Lines),
        },
    }
}

/// A note where the name promises a format that the content does not have.
pub(crate) fn misnamed(name: &str, extension: &str, format: Format) -> Option<Note> {
    let what = match format {
        Format::Npy => "a NumPy array",
        Format::Npz => "a NumPy archive",
        Format::Parquet => "a Parquet file",
        Format::Arrow => "an Arrow file",
        Format::Xlsx => "an Excel workbook",
        Format::H5ad => "an HDF5 file",
        Format::Image => "a picture",
        Format::Idx => "an IDX file",
        Format::Mtx => "a Matrix Market file",
        _ => return None,
    };
    let of_text = ["csv", "tsv", "tab", "txt", "dat", "data"].contains(&extension);
    let named = NAMED.iter().find(|(ends, _)| *ends == extension);
    let otherwise = named.is_some_and(|(_, named)| !is_format(named, format));
    (of_text || otherwise).then(|| Note::reading(format!("{name} is {what} in spite of its name")))
}

/// Whether a name promises this format.
fn is_format(named: &str, format: Format) -> bool {
    let kind = match format {
        Format::Npy => "NumPy array",
        Format::Npz => "NumPy archive",
        Format::Parquet => "Parquet",
        Format::Arrow => "Arrow",
        Format::Xlsx => "Excel",
        Format::H5ad => "HDF5",
        Format::Image => "image",
        Format::Mtx => "Matrix Market",
        _ => return false,
    };
    named.contains(kind) || named.contains("archive")
}

/// First bytes of the pictures that are read.
pub(crate) const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";
pub(crate) const JPEG: &[u8] = b"\xff\xd8\xff";

/// Whether bytes begin like a picture of a format that is read.
pub(crate) fn is_picture(bytes: &[u8]) -> bool {
    bytes.starts_with(PNG) || bytes.starts_with(JPEG)
}

/// Whether bytes begin like an IDX file: two zeros, a type of numbers, and the number of dimensions.
pub(crate) fn is_idx(bytes: &[u8]) -> bool {
    matches!(bytes, [0, 0, 0x08 | 0x09 | 0x0b..=0x0e, dims, ..] if *dims > 0)
}

/// Whether bytes begin like a model file: the length of a JSON object, and that object.
pub(crate) fn is_model(bytes: &[u8]) -> bool {
    bytes.get(4..9) == Some(b"\0\0\0\0{")
}

/// Whether bytes begin with the banner of a Matrix Market file, in upper or lower case.
fn starts_with_banner(bytes: &[u8]) -> bool {
    const BANNER: &[u8] = b"%%matrixmarket";
    let first = bytes.get(..BANNER.len());
    first.is_some_and(|first| first.eq_ignore_ascii_case(BANNER))
}

/// What a zip file contains.
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
