//! Tables stored column by column: Parquet and Arrow IPC (also called Feather, version 2).
//!
//! A format offers a [`store::Store`]: its fields, and a cursor on each. [`open`] decides what each field is used for,
//! [`source`] hands rows over, cut as an NPY file with the same numbers would be cut, so that the same numbers give the
//! same bits. Only fields in use are decoded; a few pages or one batch of each are in memory at a time.

mod codec;
mod ipc;
mod kept;
mod open;
mod parquet;
mod scan;
mod source;
mod store;
mod value;

use eigenspan::Context;

use crate::error::{ColumnarFault, ReadError};
use crate::guard::guarded;
use crate::input::Bytes;
use crate::options::{Format, ReadOptions};
use crate::table::Table;
use store::Store;

/// Opens a Parquet or an Arrow file.
pub(crate) fn open(
    name: String,
    bytes: Bytes,
    format: Format,
    options: &ReadOptions,
    ctx: &Context,
) -> Result<Table, ReadError> {
    let limit = unpacked_limit(ctx);
    let store = guarded(
        ColumnarFault::damaged,
        || -> Result<Box<dyn Store>, ColumnarFault> {
            Ok(match format {
                Format::Parquet => Box::new(parquet::ParquetFile::open(bytes, limit)?),
                _ => Box::new(ipc::IpcFile::open(bytes, limit)?),
            })
        },
    );
    match store {
        Ok(store) => open::open(name, store, format, options, ctx),
        Err(fault) => Err(fault.in_file(&name)),
    }
}

/// The most bytes that one page, or one column of a batch, may unpack to.
fn unpacked_limit(ctx: &Context) -> usize {
    const MOST: u64 = 1 << 30;
    let limit = ctx.memory().map_or(MOST, |memory| MOST.min(memory / 2));
    usize::try_from(limit).unwrap_or(usize::MAX)
}
