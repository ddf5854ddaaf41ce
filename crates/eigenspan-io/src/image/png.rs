//! Reads and writes PNG files. Palettes and fewer than 8 bits are converted to 8 bits; 16 bits stay 16.

use std::io::{self, Cursor};

use png::{BitDepth, ColorType, Decoder, Limits, Reader, Transformations};

use super::decode::{Head, Samples};
use crate::error::PictureFault;
use crate::picture::Picture;

const FORMAT: &str = "PNG";

/// Bytes that the decoder may take besides the pixels: a line or two, the palette, profiles.
const BESIDES: u64 = 16 << 20;

/// A PNG file that is being read.
type PngReader<'a> = Reader<Cursor<&'a [u8]>>;

pub(super) fn head(bytes: &[u8], allowed: u64) -> Result<Head, PictureFault> {
    open(bytes, allowed).map(|(_, head)| head)
}

pub(super) fn decode(bytes: &[u8], allowed: u64) -> Result<Samples, PictureFault> {
    let (mut reader, head) = open(bytes, allowed)?;
    let size = reader.output_buffer_size();
    let size = size.filter(|size| *size as u64 <= allowed);
    let too_large = || damaged("its size is beyond all bounds");
    let mut buffer = vec![0; size.ok_or_else(too_large)?];
    reader.next_frame(&mut buffer).map_err(damaged)?;
    if head.frames <= 1 {
        // What follows the pixels is read too: a file that was cut off there is refused.
        reader.finish().map_err(damaged)?;
    }
    let samples = match head.depth {
        16 => {
            let pairs = buffer.as_chunks::<2>().0;
            let numbers = pairs.iter().map(|pair| u16::from_be_bytes(*pair)).collect();
            Samples::U16(without_alpha(numbers, &head))
        }
        _ => Samples::U8(without_alpha(buffer, &head)),
    };
    Ok(samples)
}

fn open(bytes: &[u8], allowed: u64) -> Result<(PngReader<'_>, Head), PictureFault> {
    let limit = usize::try_from(allowed.saturating_add(BESIDES)).unwrap_or(usize::MAX);
    let mut decoder = Decoder::new_with_limits(Cursor::new(bytes), Limits { bytes: limit });
    decoder.set_ignore_text_chunk(true);
    decoder.set_ignore_iccp_chunk(true);
    decoder.set_transformations(Transformations::EXPAND);
    let mut head = {
        let info = decoder.read_header_info().map_err(damaged)?;
        let color = info.color_type;
        Head {
            width: info.width as usize,
            height: info.height as usize,
            colored: !matches!(color, ColorType::Grayscale | ColorType::GrayscaleAlpha),
            depth: if info.bit_depth == BitDepth::Sixteen {
                16
            } else {
                8
            },
            alpha: matches!(color, ColorType::GrayscaleAlpha | ColorType::Rgba),
            frames: 1,
        }
    };
    // Checks the size before anything of that size is allocated.
    head.check(FORMAT, allowed)?;
    let reader = decoder.read_info().map_err(damaged)?;
    let (color, _) = reader.output_color_type();
    head.alpha = matches!(color, ColorType::GrayscaleAlpha | ColorType::Rgba);
    let animation = reader.info().animation_control();
    head.frames = animation.map_or(1, |control| control.num_frames);
    head.check(FORMAT, allowed)?;
    Ok((reader, head))
}

/// Removes the last of each pixel's numbers, if it is alpha.
fn without_alpha<T: Copy>(mut numbers: Vec<T>, head: &Head) -> Vec<T> {
    if !head.alpha {
        return numbers;
    }
    let channels = if head.colored { 4 } else { 2 };
    let mut place = 0;
    numbers.retain(|_| {
        place += 1;
        place % channels != 0
    });
    numbers
}

fn damaged(what: impl ToString) -> PictureFault {
    let what = what.to_string();
    let what = what.trim_end_matches('.').to_owned();
    PictureFault::Damaged {
        format: FORMAT,
        what,
    }
}

/// The bytes of a PNG file; numbers of 16 bits come as two bytes, the larger first.
pub(super) fn encode(
    picture: &Picture,
    size: (usize, usize),
    pixels: &[u8],
) -> io::Result<Vec<u8>> {
    let side = |n: usize| u32::try_from(n).map_err(io::Error::other);
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, side(size.0)?, side(size.1)?);
    encoder.set_color(match picture.channels {
        3 => ColorType::Rgb,
        _ => ColorType::Grayscale,
    });
    encoder.set_depth(match picture.depth {
        16 => BitDepth::Sixteen,
        _ => BitDepth::Eight,
    });
    let mut writer = encoder.write_header().map_err(io::Error::other)?;
    writer.write_image_data(pixels).map_err(io::Error::other)?;
    writer.finish().map_err(io::Error::other)?;
    Ok(file)
}
