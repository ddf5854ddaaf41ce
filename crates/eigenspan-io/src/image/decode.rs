//! Decodes PNG and JPEG files, which are distinguished by their first bytes: first the head of a picture, then its numbers.

use super::{jpeg, png};
use crate::error::PictureFault;
use crate::kind::{JPEG, PNG};

/// What the head of a picture says before it is decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) width: usize,
    pub(super) height: usize,
    /// Whether it has colors.
    pub(super) colored: bool,
    /// Bits per number, 8 or 16; fewer are brought to 8.
    pub(super) depth: u8,
    /// Whether it has an alpha channel, which is left out.
    pub(super) alpha: bool,
    /// Pictures in the file; only the first is read.
    pub(super) frames: u32,
}

impl Head {
    pub(super) fn size(&self) -> (usize, usize) {
        (self.width, self.height)
    }

    /// Bytes of the decoded picture.
    pub(super) fn bytes(&self) -> u64 {
        // The alpha channel takes memory while decoding.
        let channels = if self.colored { 3 } else { 1 } + u64::from(self.alpha);
        let pixels = (self.width as u64).saturating_mul(self.height as u64);
        pixels.saturating_mul(channels * u64::from(self.depth / 8))
    }

    /// Refuses a picture that takes more bytes than allowed, or has no pixels.
    pub(super) fn check(&self, format: &'static str, allowed: u64) -> Result<(), PictureFault> {
        if self.width == 0 || self.height == 0 {
            let what = "it has no pixels".to_owned();
            return Err(PictureFault::Damaged { format, what });
        }
        if self.bytes() > allowed {
            return Err(PictureFault::TooLarge {
                width: self.width as u64,
                height: self.height as u64,
                bytes: self.bytes(),
                allowed,
            });
        }
        Ok(())
    }
}

/// The numbers of a picture, row by row, 1 or 3 per pixel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Samples {
    U8(Vec<u8>),
    U16(Vec<u16>),
}

/// Reads the head of a picture; refuses one that would take more bytes than allowed.
pub(super) fn head(bytes: &[u8], allowed: u64) -> Result<Head, PictureFault> {
    if bytes.starts_with(PNG) {
        png::head(bytes, allowed)
    } else if bytes.starts_with(JPEG) {
        jpeg::head(bytes, allowed)
    } else {
        Err(PictureFault::NotAPicture)
    }
}

/// The numbers of a picture without its alpha.
pub(super) fn decode(bytes: &[u8], allowed: u64) -> Result<Samples, PictureFault> {
    if bytes.starts_with(PNG) {
        png::decode(bytes, allowed)
    } else if bytes.starts_with(JPEG) {
        jpeg::decode(bytes, allowed)
    } else {
        Err(PictureFault::NotAPicture)
    }
}
