//! Reads JPEG files: gray or YCbCr, baseline or progressive. The orientation that a camera noted (EXIF) is not applied.

use jpeg_decoder::{Decoder, PixelFormat};

use super::decode::{Head, Samples};
use crate::error::PictureFault;

const FORMAT: &str = "JPEG";

pub(super) fn head(bytes: &[u8], allowed: u64) -> Result<Head, PictureFault> {
    open(bytes, allowed).map(|(_, head)| head)
}

pub(super) fn decode(bytes: &[u8], allowed: u64) -> Result<Samples, PictureFault> {
    let (mut decoder, head) = open(bytes, allowed)?;
    let numbers = decoder.decode().map_err(damaged)?;
    let channels = if head.colored { 3 } else { 1 };
    let expected = head.width * head.height * channels * usize::from(head.depth / 8);
    if numbers.len() != expected {
        return Err(damaged("it holds fewer pixels than it says"));
    }
    Ok(match head.depth {
        16 => {
            let pairs = numbers.as_chunks::<2>().0;
            Samples::U16(pairs.iter().map(|pair| u16::from_ne_bytes(*pair)).collect())
        }
        _ => Samples::U8(numbers),
    })
}

fn open(bytes: &[u8], allowed: u64) -> Result<(Decoder<&[u8]>, Head), PictureFault> {
    let mut decoder = Decoder::new(bytes);
    decoder.set_max_decoding_buffer_size(usize::try_from(allowed).unwrap_or(usize::MAX));
    decoder.read_info().map_err(damaged)?;
    let info = decoder.info();
    let info = info.ok_or_else(|| damaged("it ends before its picture"))?;
    let (colored, depth) = match info.pixel_format {
        PixelFormat::L8 => (false, 8),
        PixelFormat::L16 => (false, 16),
        PixelFormat::RGB24 => (true, 8),
        PixelFormat::CMYK32 => {
            let what = "a JPEG picture in CMYK, the colors of printing";
            return Err(PictureFault::Kind { what });
        }
    };
    let head = Head {
        width: usize::from(info.width),
        height: usize::from(info.height),
        colored,
        depth,
        alpha: false,
        frames: 1,
    };
    head.check(FORMAT, allowed)?;
    Ok((decoder, head))
}

fn damaged(what: impl ToString) -> PictureFault {
    let what = match what.to_string().as_str() {
        "failed to fill whole buffer" => "truncated, it ends too early".to_owned(),
        what => what.to_owned(),
    };
    PictureFault::Damaged {
        format: FORMAT,
        what,
    }
}
