//! Packed files (gzip, zstd, bzip2): unpacked into an unnamed temporary file, and then read like any other.
//!
//! Unpacking takes disk, not memory. A file of a megabyte that unpacks to a terabyte is stopped by the ratio of the two
//! sizes: tables of numbers rarely shrink to a fiftieth, decompression bombs to a thousandth and less.

use std::io::{self, Read};

use zstd_safe::{DCtx, InBuffer, OutBuffer};

use crate::error::ReadError;
use crate::input::{Bytes, spool};

/// Unpacked bytes beyond which the ratio is checked, and the largest ratio that is allowed.
const HARMLESS: u64 = 256 << 20;
pub(crate) const MOST_TIMES: u64 = 500;

/// The most bytes that so many packed bytes may unpack to.
pub(crate) fn most_bytes(packed: u64) -> u64 {
    HARMLESS.max(packed.saturating_mul(MOST_TIMES))
}

/// How a file is packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Packing {
    Gzip,
    Zstd,
    Bzip2,
}

impl Packing {
    fn from_magic(bytes: &[u8]) -> Option<Packing> {
        if bytes.starts_with(b"\x1f\x8b") {
            Some(Packing::Gzip)
        } else if bytes.starts_with(b"\x28\xb5\x2f\xfd") {
            Some(Packing::Zstd)
        } else if bytes.starts_with(b"BZh") && bytes.get(4..7) == Some(b"1AY") {
            Some(Packing::Bzip2)
        } else {
            None
        }
    }

    fn name(self) -> &'static str {
        match self {
            Packing::Gzip => "gzip",
            Packing::Zstd => "zstd",
            Packing::Bzip2 => "bzip2",
        }
    }
}

/// The bytes, unpacked if they were packed, and whether they were packed.
pub(crate) fn unpacked(file: &str, bytes: Bytes) -> Result<(Bytes, bool), ReadError> {
    let Some(packing) = Packing::from_magic(&bytes) else {
        return Ok((bytes, false));
    };
    let packed = bytes.len() as u64;
    let limit = most_bytes(packed);
    let damaged = |source: io::Error| ReadError::Packed {
        file: file.to_owned(),
        packing: packing.name(),
        what: crate::error::io_words(&source),
    };
    let mut plain: Box<dyn Read + '_> = match packing {
        Packing::Gzip => Box::new(flate2::read::MultiGzDecoder::new(&*bytes)),
        Packing::Bzip2 => Box::new(bzip2::read::MultiBzDecoder::new(&*bytes)),
        Packing::Zstd => Box::new(ZstdFrames::new(&bytes)),
    };
    // Reads one byte more than allowed, to distinguish a file that is too large from one that just fits.
    let spooled = spool(&mut plain.by_ref().take(limit + 1)).map_err(damaged)?;
    let plain = Bytes::map(&spooled).map_err(damaged)?;
    if plain.len() as u64 > limit {
        return Err(ReadError::Bomb {
            file: file.to_owned(),
            packing: packing.name(),
            packed,
            times: MOST_TIMES,
        });
    }
    if plain.is_empty() {
        return Err(ReadError::Empty {
            file: file.to_owned(),
        });
    }
    Ok((plain, true))
}

/// Unpacks one or several zstd frames.
pub(crate) struct ZstdFrames<'a> {
    rest: &'a [u8],
    decoder: Option<DCtx<'static>>,
    /// Whether the last frame has not reached its end.
    open: bool,
}

impl<'a> ZstdFrames<'a> {
    pub(crate) fn new(rest: &'a [u8]) -> Self {
        ZstdFrames {
            rest,
            decoder: DCtx::try_create(),
            open: false,
        }
    }

    /// The unpacked size that the first frame declares; 0 if it declares none.
    pub(crate) fn declared_size(packed: &[u8]) -> u64 {
        let size = zstd_safe::get_frame_content_size(packed);
        size.ok().flatten().unwrap_or(0)
    }
}

impl Read for ZstdFrames<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let decoder = self.decoder.as_mut().ok_or(io::ErrorKind::OutOfMemory)?;
        let mut written = OutBuffer::around(out);
        // A step may consume bytes and output none, and may output buffered bytes without consuming any.
        while written.pos() == 0 && (self.open || !self.rest.is_empty()) && written.capacity() > 0 {
            let mut taken = InBuffer::around(self.rest);
            let left = decoder.decompress_stream(&mut written, &mut taken);
            let left = left.map_err(|code| io::Error::other(zstd_safe::get_error_name(code)))?;
            let pos = taken.pos();
            self.rest = self.rest.get(pos..).unwrap_or_default();
            self.open = left > 0;
            if self.open && pos == 0 && written.pos() == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        Ok(written.pos())
    }
}
