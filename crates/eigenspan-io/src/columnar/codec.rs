//! Packed pages and buffers: unpacked in memory, never beyond a limit.

use std::io::Read;

use crate::error::ColumnarFault;
use crate::unpack::ZstdFrames;

/// How bytes are packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Codec {
    Plain,
    Snappy,
    Gzip,
    Zstd,
    Lz4Block,
    Lz4Frame,
}

impl Codec {
    /// The bytes that were packed, at most `limit`.
    pub(super) fn unpack(self, packed: &[u8], limit: usize) -> Result<Vec<u8>, ColumnarFault> {
        match self {
            Codec::Plain => Ok(packed.to_vec()),
            Codec::Snappy => {
                let length = snap::raw::decompress_len(packed).map_err(ColumnarFault::damaged)?;
                // One byte of Snappy unpacks to fewer than 64 bytes.
                if length > limit.min(packed.len().saturating_mul(64)) {
                    return Err(ColumnarFault::TooLarge { limit });
                }
                let unpacked = snap::raw::Decoder::new().decompress_vec(packed);
                unpacked.map_err(ColumnarFault::damaged)
            }
            Codec::Gzip => read_all(flate2::read::MultiGzDecoder::new(packed), 0, limit),
            Codec::Zstd => read_all(
                ZstdFrames::new(packed),
                ZstdFrames::declared_size(packed),
                limit,
            ),
            Codec::Lz4Frame => read_all(lz4_flex::frame::FrameDecoder::new(packed), 0, limit),
            Codec::Lz4Block => unpack_lz4_block(packed, limit),
        }
    }
}

/// Reads to the end. `declared` is the unpacked size that the bytes declare; it is trusted only as far as it is plausible.
fn read_all(mut from: impl Read, declared: u64, limit: usize) -> Result<Vec<u8>, ColumnarFault> {
    const LIKELY: u64 = 16 << 20;
    let mut out = Vec::with_capacity(declared.min(LIKELY).min(limit as u64) as usize);
    let mut limited = from.by_ref().take((limit as u64).saturating_add(1));
    limited
        .read_to_end(&mut out)
        .map_err(ColumnarFault::damaged)?;
    if out.len() > limit {
        return Err(ColumnarFault::TooLarge { limit });
    }
    Ok(out)
}

/// Unpacks an LZ4 block. A block does not declare its unpacked size, so the buffer is doubled until it is large enough.
fn unpack_lz4_block(packed: &[u8], limit: usize) -> Result<Vec<u8>, ColumnarFault> {
    // One byte of LZ4 unpacks to at most 255 bytes.
    let most = packed.len().saturating_mul(256).min(limit);
    let mut room = packed
        .len()
        .saturating_mul(4)
        .clamp(1 << 10, most.max(1 << 10));
    loop {
        let mut out = vec![0; room];
        match lz4_flex::block::decompress_into(packed, &mut out) {
            Ok(length) => {
                out.truncate(length);
                return Ok(out);
            }
            Err(lz4_flex::block::DecompressError::OutputTooSmall { .. }) if room < most => {
                room = room.saturating_mul(2).min(most);
            }
            Err(lz4_flex::block::DecompressError::OutputTooSmall { .. }) if most == limit => {
                return Err(ColumnarFault::TooLarge { limit });
            }
            Err(error) => return Err(ColumnarFault::damaged(error)),
        }
    }
}
