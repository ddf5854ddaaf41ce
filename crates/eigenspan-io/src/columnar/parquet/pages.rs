//! The pages of a column: found by the `parquet` crate, unpacked here, in Rust and never beyond a limit.

use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use parquet::basic::Compression;
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::errors::ParquetError;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::reader::{ChunkReader, Length, SerializedPageReader};

use super::Inner;
use crate::columnar::codec::Codec;
use crate::error::ColumnarFault;
use crate::input::Bytes;

/// Turns an error of the `parquet` crate into a fault in our words.
pub(super) fn fault(error: ParquetError) -> ColumnarFault {
    match error {
        // Our own faults that passed through the crate.
        ParquetError::External(inner) => match inner.downcast::<ColumnarFault>() {
            Ok(fault) => *fault,
            Err(other) => ColumnarFault::damaged(other),
        },
        ParquetError::General(what) | ParquetError::EOF(what) => ColumnarFault::damaged(what),
        other => ColumnarFault::damaged(other),
    }
}

fn wrapped(fault: ColumnarFault) -> ParquetError {
    ParquetError::External(Box::new(fault))
}

/// The pages of one column in one row group.
pub(super) fn pages(
    file: &Inner,
    group: usize,
    column: usize,
    list: bool,
) -> Result<Box<dyn PageReader>, ColumnarFault> {
    let missing = || ColumnarFault::damaged("a column of a row group is not there");
    let group = file.meta.row_groups().get(group).ok_or_else(missing)?;
    let meta = group.columns().get(column).ok_or_else(missing)?;
    let (start, length) = byte_range(meta, file.bytes.len()).ok_or_else(missing)?;
    let codec = match meta.compression() {
        Compression::UNCOMPRESSED => Codec::Plain,
        Compression::SNAPPY => Codec::Snappy,
        Compression::GZIP(_) => Codec::Gzip,
        Compression::ZSTD(_) => Codec::Zstd,
        Compression::LZ4_RAW => Codec::Lz4Block,
        Compression::BROTLI(_) => return Err(unread("Brotli")),
        Compression::LZO => return Err(unread("LZO")),
        Compression::LZ4 => return Err(unread("the old framing of LZ4")),
    };
    // The crate is told that the pages are not packed, so that it hands them over unchanged.
    let plain = meta.clone().into_builder();
    let plain = plain.set_compression(Compression::UNCOMPRESSED).build();
    let chunk = Chunk {
        bytes: Arc::clone(&file.bytes),
        done: AtomicUsize::new(start),
        end: start + length,
    };
    let rows = usize::try_from(group.num_rows()).unwrap_or_default();
    let inner = SerializedPageReader::new(Arc::new(chunk), &plain.map_err(fault)?, rows, None);
    Ok(Box::new(Unpacked {
        inner: inner.map_err(fault)?,
        codec,
        limit: file.limit,
        list,
    }))
}

/// Bytes that the first page of a column unpacks to, estimated by its share of the rows, and those of its dictionary.
pub(super) fn page_bytes(file: &Inner, group: usize, column: usize, list: bool) -> Option<u64> {
    const DICTIONARY: u64 = 1 << 20;
    let about = file.meta.row_groups().get(group)?;
    let unpacked = u64::try_from(about.columns().get(column)?.uncompressed_size()).ok()?;
    let n_rows = u64::try_from(about.num_rows()).ok()?;
    let mut pages = pages(file, group, column, list).ok()?;
    let mut dictionary = 0;
    let mut page = pages.peek_next_page().ok()??;
    if page.is_dict {
        dictionary = unpacked.min(DICTIONARY);
        pages.skip_next_page().ok()?;
        page = pages.peek_next_page().ok()??;
    }
    let rows = page
        .num_rows
        .or(page.num_levels)
        .map_or(n_rows, |rows| rows as u64);
    let share = u128::from(unpacked) * u128::from(rows.min(n_rows)) / u128::from(n_rows.max(1));
    Some(u64::try_from(share).ok()? + dictionary)
}

fn unread(codec: &str) -> ColumnarFault {
    ColumnarFault::Codec {
        codec: codec.to_owned(),
    }
}

/// The byte range of a column, if the file is long enough for it.
fn byte_range(meta: &ColumnChunkMetaData, file: usize) -> Option<(usize, usize)> {
    let start = meta
        .dictionary_page_offset()
        .unwrap_or(meta.data_page_offset());
    let start = usize::try_from(start).ok()?;
    let length = usize::try_from(meta.compressed_size()).ok()?;
    (start.checked_add(length)? <= file).then_some((start, length))
}

/// The bytes of a file, or of one column of it; memory pages that have been read are released.
pub(super) struct Chunk {
    bytes: Arc<Bytes>,
    /// Memory pages before this offset are no longer needed.
    done: AtomicUsize,
    end: usize,
}

impl Chunk {
    pub(super) fn new(bytes: Arc<Bytes>, end: usize) -> Self {
        Chunk {
            bytes,
            done: AtomicUsize::new(0),
            end,
        }
    }

    fn from(&self, start: u64) -> Result<&[u8], ParquetError> {
        let start = usize::try_from(start).unwrap_or(usize::MAX);
        let found = self.bytes.get(start..self.end);
        found.ok_or_else(|| ParquetError::EOF("a page is not inside its column".to_owned()))
    }
}

impl Drop for Chunk {
    fn drop(&mut self) {
        let done = *self.done.get_mut();
        self.bytes.drop_pages(done, self.end);
    }
}

impl Length for Chunk {
    fn len(&self) -> u64 {
        self.bytes.len() as u64
    }
}

impl ChunkReader for Chunk {
    type T = PageStart;

    /// The first bytes, which hold the header of a page.
    fn get_read(&self, start: u64) -> Result<PageStart, ParquetError> {
        Ok(PageStart {
            bytes: Arc::clone(&self.bytes),
            end: self.end,
            at: self.end - self.from(start)?.len(),
        })
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<bytes::Bytes, ParquetError> {
        let short = || ParquetError::EOF("a page is cut off".to_owned());
        let found = self.from(start)?.get(..length).ok_or_else(short)?;
        let copy = bytes::Bytes::copy_from_slice(found);
        let end = self.end - self.from(start)?.len() + length;
        const PAGE: usize = 1 << 16;
        let done = self.done.swap(end / PAGE * PAGE, Ordering::Relaxed);
        if done < end {
            self.bytes.drop_pages(done, end);
        }
        Ok(copy)
    }
}

/// Reads from a place of the file on.
pub(super) struct PageStart {
    bytes: Arc<Bytes>,
    at: usize,
    end: usize,
}

impl Read for PageStart {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        let mut rest = self.bytes.get(self.at..self.end).unwrap_or_default();
        let count = rest.read(out)?;
        self.at += count;
        Ok(count)
    }
}

/// Unpacks the pages that the crate finds.
struct Unpacked {
    inner: SerializedPageReader<Chunk>,
    codec: Codec,
    limit: usize,
    list: bool,
}

impl Unpacked {
    fn unpack(&self, page: Page) -> Result<Page, ParquetError> {
        let mut page = page;
        let (buf, levels) = match &mut page {
            Page::DataPage { buf, .. } | Page::DictionaryPage { buf, .. } => (buf, Some(0)),
            Page::DataPageV2 {
                buf,
                def_levels_byte_len: def,
                rep_levels_byte_len: rep,
                is_compressed,
                ..
            } => {
                let levels = (*def as usize).saturating_add(*rep as usize);
                (buf, is_compressed.then_some(levels))
            }
        };
        if let (Some(levels), true) = (levels, self.codec != Codec::Plain) {
            // The levels of a page of version 2 are never packed.
            let short = || ParquetError::EOF("a page is shorter than its levels".to_owned());
            let (plain, packed) = buf.split_at_checked(levels).ok_or_else(short)?;
            let mut out = plain.to_vec();
            if !packed.is_empty() {
                out.extend(self.codec.unpack(packed, self.limit).map_err(wrapped)?);
            }
            *buf = out.into();
        }
        self.check(&page)?;
        Ok(page)
    }

    /// Refuses counts that would take far more memory than the page has bytes.
    fn check(&self, page: &Page) -> Result<(), ParquetError> {
        const MOST_LEVELS: u32 = 1 << 26;
        let too_many = match page {
            Page::DictionaryPage {
                buf, num_values, ..
            } => *num_values as usize > buf.len(),
            Page::DataPage { num_values, .. } | Page::DataPageV2 { num_values, .. } => {
                self.list && *num_values > MOST_LEVELS
            }
        };
        if too_many {
            let what = "a page claims more values than it can hold";
            return Err(wrapped(ColumnarFault::damaged(what)));
        }
        Ok(())
    }
}

impl Iterator for Unpacked {
    type Item = Result<Page, ParquetError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

impl PageReader for Unpacked {
    fn get_next_page(&mut self) -> Result<Option<Page>, ParquetError> {
        let page = self.inner.get_next_page()?;
        page.map(|page| self.unpack(page)).transpose()
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>, ParquetError> {
        self.inner.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<(), ParquetError> {
        self.inner.skip_next_page()
    }

    fn supports_deferred_dictionary(&self) -> bool {
        self.inner.supports_deferred_dictionary()
    }

    fn take_deferred_dictionary(&mut self) -> Result<Option<Page>, ParquetError> {
        let page = self.inner.take_deferred_dictionary()?;
        page.map(|page| self.unpack(page)).transpose()
    }

    fn at_record_boundary(&mut self) -> Result<bool, ParquetError> {
        self.inner.at_record_boundary()
    }
}
