//! Opens one file: the one place that knows every reader.

#[cfg(any(not(feature = "xlsx"), not(feature = "h5ad")))]
use eigenspan::note::Clause;
use eigenspan::{Context, Note};

use crate::error::ReadError;
#[cfg(feature = "h5ad")]
use crate::h5ad::open as anndata;
use crate::input::{Bytes, Input};
use crate::npy::NpyTable;
use crate::options::{Format, ReadOptions};
#[cfg(feature = "xlsx")]
use crate::sheet::open as workbook;
use crate::table::Table;
use crate::unpack::unpacked;
use crate::{columnar, image, kind, libsvm, mtx, npz, plink, text};

/// Opens one file: guesses what the options leave open, and reads text once to learn what its columns hold.
pub(crate) fn open_file(
    input: &Input,
    options: &ReadOptions,
    ctx: &Context,
) -> Result<Table, ReadError> {
    let name = input.name();
    if let Input::Path(path) = input {
        if let Some(files) = plink::Files::from_path(path, options.format) {
            return plink::open(name, &files, options);
        }
        let may_be_tenx = options.format.is_none_or(|format| format == Format::Mtx);
        if let Some(files) = mtx::Tenx::find(path).filter(|_| may_be_tenx) {
            return mtx::open_tenx(name, &files, options, ctx);
        }
    }
    let (mut bytes, packed) = unpacked(&name, input.bytes_or_interrupt(Some(ctx))?)?;
    let mut notes = Vec::new();
    if let Some(text) = text::from_utf16(&name, &bytes)? {
        notes.push(Note::reading("the text is UTF-16"));
        bytes = text;
    }
    let extension = input.extension(packed);
    let format = match options.format {
        Some(format) => format,
        None => match kind::format_of(&name, &extension, &bytes)? {
            Format::Csv | Format::Tsv if libsvm::looks_like(&bytes) => Format::Libsvm,
            format => format,
        },
    };
    notes.extend(kind::misnamed(&name, &extension, format));
    let mut table = open_bytes(input, bytes, format, options, ctx)?;
    table.notes.splice(0..0, notes);
    Ok(table)
}

/// Opens bytes whose format is known.
fn open_bytes(
    input: &Input,
    bytes: Bytes,
    format: Format,
    options: &ReadOptions,
    ctx: &Context,
) -> Result<Table, ReadError> {
    let name = input.name();
    // A table that is transposed later is read in the orientation of the file.
    let cell_options = options.cell_options();
    let options = if options.transpose && transposed_after_reading(format) {
        &cell_options
    } else {
        options
    };
    if !matches!(format, Format::Idx | Format::Image) {
        options.refuse_pictures()?;
    }
    match format {
        Format::Npy => NpyTable::open(name, bytes, options, ctx),
        Format::Idx => image::open_idx(input, bytes, options),
        Format::Image => image::open_one(input, &bytes, options, ctx),
        Format::Xlsx => workbook(name, &bytes, options, ctx),
        Format::H5ad => anndata(name, bytes, options, ctx),
        Format::Npz => npz::open(name, &bytes, options, ctx),
        Format::Parquet | Format::Arrow => columnar::open(name, bytes, format, options, ctx),
        Format::Mtx => mtx::open(name, &bytes, options, ctx),
        Format::Libsvm => libsvm::open(name, &bytes, options, ctx),
        Format::Array => Err(ReadError::BadOption {
            option: "format",
            given: "array".to_owned(),
            allowed: "the format of a file: an array is in memory already",
        }),
        // PLINK genotypes are three files that are found by name, so bytes alone cannot be read.
        Format::Plink => Err(ReadError::BadOption {
            option: "format",
            given: "plink".to_owned(),
            allowed: "another word here: the three files of PLINK are not read from standard input",
        }),
        Format::Csv | Format::Tsv | Format::Text => text::open(name, bytes, options, ctx),
    }
}

/// Without the feature `xlsx`: an error whose advice says how to read the workbook.
#[cfg(not(feature = "xlsx"))]
fn workbook(
    file: String,
    _bytes: &[u8],
    _options: &ReadOptions,
    _ctx: &Context,
) -> Result<Table, ReadError> {
    Err(ReadError::Unsupported {
        file,
        what: "an Excel workbook (xlsx)",
        advice: [
            Clause::say("in the spreadsheet: save as CSV"),
            Clause::say("or build eigenspan with ").and_typed("--features xlsx"),
        ]
        .into(),
    })
}

/// Without the feature `h5ad`: an error whose advice says how to read the file.
#[cfg(not(feature = "h5ad"))]
fn anndata(
    file: String,
    _bytes: Bytes,
    _options: &ReadOptions,
    _ctx: &Context,
) -> Result<Table, ReadError> {
    Err(ReadError::Unsupported {
        file,
        what: "an HDF5 file",
        advice: [
                Clause::say("in Python: import scanpy; scanpy.read_h5ad('IN.h5ad').to_df().to_csv('OUT.csv') writes the cells of an h5ad file as CSV"),
                Clause::say("or build eigenspan with ").and_typed("--features h5ad"),
            ]
        .into(),
    })
}

/// Whether a format is transposed after it was read. Readers of arrays and sparse matrices transpose by themselves.
pub(crate) fn transposed_after_reading(format: Format) -> bool {
    matches!(
        format,
        Format::Csv
            | Format::Tsv
            | Format::Text
            | Format::Parquet
            | Format::Arrow
            | Format::Idx
            | Format::Image
            | Format::Xlsx
    )
}
