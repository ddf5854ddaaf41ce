//! Packed files (gzip, zstd, bzip2): unpacked into a file without a name, and then read like any other.
//!
//! Unpacking takes disk, not memory. A file of a megabyte that unpacks to a terabyte is stopped by the ratio of the two:
//! tables of numbers rarely shrink to a fiftieth, bombs to a thousandth and less.

use std::io::{self, Read};

use crate::error::ReadError;
use crate::input::{Bytes, spool};

/// Unpacked bytes beyond which the ratio is looked at, and the ratio that is too much.
const HARMLESS: u64 = 256 << 20;
pub(crate) const MOST_TIMES: u64 = 500;

/// Bytes that so many packed ones may unpack to.
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
    fn of(bytes: &[u8]) -> Option<Packing> {
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

/// The bytes themselves, or what was packed in them; whether they were packed.
pub(crate) fn unpacked(file: &str, bytes: Bytes) -> Result<(Bytes, bool), ReadError> {
    let Some(packing) = Packing::of(&bytes) else {
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
    // One byte more than allowed tells a file that is too large from one that just fits.
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

/// A zstd file is one frame or several; the decoder reads one.
pub(crate) struct ZstdFrames<'a> {
    rest: &'a [u8],
    frame: Option<Frame<'a>>,
}

impl<'a> ZstdFrames<'a> {
    pub(crate) fn new(rest: &'a [u8]) -> Self {
        ZstdFrames { rest, frame: None }
    }
}

type Frame<'a> = ruzstd::decoding::StreamingDecoder<&'a [u8], ruzstd::decoding::FrameDecoder>;

impl Read for ZstdFrames<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        loop {
            if let Some(frame) = &mut self.frame {
                let count = frame.read(out)?;
                if count > 0 {
                    return Ok(count);
                }
            }
            if let Some(frame) = self.frame.take() {
                self.rest = frame.into_inner();
            }
            if self.rest.is_empty() {
                return Ok(0);
            }
            let frame = Frame::new(self.rest).map_err(io::Error::other)?;
            self.frame = Some(frame);
        }
    }
}
