//! Where pictures are stored: in an IDX file, or each in a file of its own, decoded once or at every reading.

use std::borrow::Cow;

use super::decode::{self, Head, Samples};
use super::idx::IdxHeader;
use crate::error::ReadError;
use crate::input::{Bytes, Input};
use crate::picture::Grid;
use crate::unpack::unpacked;

/// All pictures of a table.
#[derive(Debug)]
pub(super) enum Store {
    Idx {
        bytes: Bytes,
        header: IdxHeader,
    },
    Files {
        files: Vec<PictureFile>,
        allowed: u64,
    },
}

/// A picture in a file of its own.
#[derive(Debug)]
pub(super) struct PictureFile {
    pub(super) input: Input,
    pub(super) head: Head,
    /// Its numbers, where they are kept between readings.
    pub(super) kept: Option<Samples>,
}

/// One picture whose pixels can be read.
pub(super) enum Pixels<'a> {
    Stored(&'a IdxHeader, &'a [u8]),
    Decoded {
        samples: Cow<'a, Samples>,
        colored: bool,
    },
}

impl Store {
    /// One picture; decoded now if it is not kept in memory.
    pub(super) fn picture(&self, index: usize) -> Result<Pixels<'_>, ReadError> {
        match self {
            Store::Idx { bytes, header } => {
                let (start, end) = span(header, index);
                let stored = bytes.get(start..end).unwrap_or_default();
                Ok(Pixels::Stored(header, stored))
            }
            Store::Files { files, allowed } => {
                let none = || ReadError::Changed {
                    file: String::new(),
                };
                let file = files.get(index).ok_or_else(none)?;
                Ok(Pixels::Decoded {
                    samples: match &file.kept {
                        Some(samples) => Cow::Borrowed(samples),
                        None => Cow::Owned(file.decode(*allowed)?),
                    },
                    colored: file.head.colored,
                })
            }
        }
    }

    /// Releases the memory pages of some pictures.
    pub(super) fn release(&self, first: usize, end: usize) {
        if let Store::Idx { bytes, header } = self {
            bytes.release(span(header, first).0, span(header, end).0);
        }
    }
}

/// Where a picture of an IDX file begins and ends.
fn span(header: &IdxHeader, index: usize) -> (usize, usize) {
    let size = header.n_cols() * header.element.bytes();
    let start = header.offset + index * size;
    (start, start + size)
}

impl PictureFile {
    /// Reads the head of a picture's file.
    pub(super) fn read_head(input: &Input, allowed: u64) -> Result<Self, ReadError> {
        let (bytes, _) = unpacked(&input.name(), input.bytes()?)?;
        Self::from_bytes(input, &bytes, allowed)
    }

    pub(super) fn from_bytes(input: &Input, bytes: &[u8], allowed: u64) -> Result<Self, ReadError> {
        let head = decode::head(bytes, allowed).map_err(|fault| fault.in_file(&input.name()))?;
        Ok(PictureFile {
            input: input.clone(),
            head,
            kept: None,
        })
    }

    /// Its numbers, read from the file.
    pub(super) fn decode(&self, allowed: u64) -> Result<Samples, ReadError> {
        let (bytes, _) = unpacked(&self.input.name(), self.input.bytes()?)?;
        self.decode_bytes(&bytes, allowed)
    }

    pub(super) fn decode_bytes(&self, bytes: &[u8], allowed: u64) -> Result<Samples, ReadError> {
        let name = self.input.name();
        let head = decode::head(bytes, allowed).map_err(|fault| fault.in_file(&name))?;
        if head != self.head {
            return Err(ReadError::Changed { file: name });
        }
        decode::decode(bytes, allowed).map_err(|fault| fault.in_file(&name))
    }
}

impl Pixels<'_> {
    /// The numbers of the lines `from..to`, as many per pixel as the grid has channels, appended to `out`.
    pub(super) fn band(&self, grid: &Grid, from: usize, to: usize, out: &mut Vec<f64>) {
        match self {
            Pixels::Stored(header, bytes) => {
                let line = grid.width * grid.channels * header.element.bytes();
                let band = bytes.get(from * line..to * line).unwrap_or_default();
                header.element.convert(true, band, out);
            }
            Pixels::Decoded { samples, colored } => {
                let line = grid.width * if *colored { 3 } else { 1 };
                let (from, to) = (from * line, to * line);
                match samples.as_ref() {
                    Samples::U8(all) => convert(all.get(from..to), *colored, grid.channels, out),
                    Samples::U16(all) => convert(all.get(from..to), *colored, grid.channels, out),
                }
            }
        }
    }
}

fn convert<T: Copy + Into<u32>>(
    samples: Option<&[T]>,
    colored: bool,
    channels: usize,
    out: &mut Vec<f64>,
) {
    let samples = samples.unwrap_or_default();
    let number = |sample: &T| f64::from((*sample).into());
    match (colored, channels) {
        (true, 1) => {
            let pixels = samples.as_chunks::<3>().0.iter();
            out.extend(pixels.map(|pixel| gray(pixel.map(Into::into))));
        }
        (false, 3) => out.extend(samples.iter().flat_map(|sample| [number(sample); 3])),
        _ => out.extend(samples.iter().map(number)),
    }
}

/// The luma of Rec. 601, 0.299 r + 0.587 g + 0.114 b, not rounded: computed in integers, so that a gray stays exactly what it
/// is.
fn gray([r, g, b]: [u32; 3]) -> f64 {
    f64::from(299 * r + 587 * g + 114 * b) / 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gray_stays_what_it_is_and_colors_weigh_as_rec_601_says() {
        for value in [0, 1, 77, 255, 65535] {
            assert_eq!(gray([value; 3]), f64::from(value));
        }
        assert_eq!(gray([255, 0, 0]), 76.245);
        assert_eq!(gray([0, 255, 0]), 149.685);
        assert_eq!(gray([0, 0, 255]), 29.07);
    }
}
