//! Turns rows of numbers back into pictures: puts tiles in their places, and rounds numbers to what a PNG file can hold.

use std::io;

use super::png;
use crate::error::PictureFault;
use crate::picture::Picture;

/// Takes rows one by one, and gives a PNG file whenever a picture is complete.
#[derive(Debug)]
pub struct Assembler {
    picture: Picture,
    pixels: Vec<u8>,
    n_rows: usize,
}

impl Assembler {
    /// Begins with pictures of this shape, which may take at most `allowed` bytes.
    pub fn new(picture: Picture, allowed: u64) -> Result<Self, PictureFault> {
        let (width, height) = picture.covered();
        let bytes = (width as u64)
            .saturating_mul(height as u64)
            .saturating_mul(picture.channels as u64 * u64::from(picture.depth / 8));
        if bytes > allowed {
            return Err(PictureFault::TooLarge {
                width: width as u64,
                height: height as u64,
                bytes,
                allowed,
            });
        }
        Ok(Assembler {
            picture,
            pixels: vec![0; bytes as usize],
            n_rows: 0,
        })
    }

    /// Puts a row in its place: a tile, or the whole picture. The row that completes a picture returns the PNG file.
    ///
    /// Numbers are rounded, halves to even, and those outside the range of the picture become black or white.
    pub fn push(&mut self, row: &[f64]) -> Option<io::Result<Vec<u8>>> {
        let grid = self.picture.grid();
        let (across, (wide, high)) = (grid.across().max(1), grid.tile);
        let (left, top) = (self.n_rows % across * wide, self.n_rows / across * high);
        let size = usize::from(self.picture.depth / 8);
        let line = across * wide * grid.channels * size;
        let run = wide * grid.channels;
        for (y, numbers) in row.chunks(run.max(1)).enumerate() {
            let start = (top + y) * line + left * grid.channels * size;
            let place = self.pixels.get_mut(start..start + run * size);
            let samples = place.unwrap_or_default().chunks_exact_mut(size);
            for (sample, number) in samples.zip(numbers) {
                match sample {
                    [byte] => *byte = number.round_ties_even() as u8,
                    pair => pair.copy_from_slice(&(number.round_ties_even() as u16).to_be_bytes()),
                }
            }
        }
        self.n_rows += 1;
        if self.n_rows < self.picture.n_rows() {
            return None;
        }
        self.n_rows = 0;
        let size = self.picture.covered();
        Some(png::encode(&self.picture, size, &self.pixels))
    }
}
