//! The shape of a picture, and how it becomes rows: whole, or patch by patch.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The shape of pictures that are rows of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Picture {
    /// Pixels from left to right.
    pub width: usize,
    /// Pixels from top to bottom.
    pub height: usize,
    /// Numbers per pixel: 1 (gray) or 3 (red, green, blue).
    pub channels: usize,
    /// Bits of a number as it was stored, 8 or 16.
    pub depth: u8,
    /// Pixels on a side of the patches that are rows; none where a row is a whole picture.
    pub patch: Option<usize>,
}

impl Picture {
    /// The shape, if it is valid: not empty, not too large, and with patches that fit.
    pub fn checked(self) -> Option<Self> {
        let cells = self.width.checked_mul(self.height)?.checked_mul(6)?;
        let fits = |patch| (1..=self.width.min(self.height)).contains(&patch);
        let whole = cells > 0
            && isize::try_from(cells).is_ok()
            && matches!(self.channels, 1 | 3)
            && matches!(self.depth, 8 | 16)
            && self.patch.is_none_or(fits);
        whole.then_some(self)
    }

    /// Rows that one picture gives.
    pub fn n_rows(&self) -> usize {
        self.grid().across() * self.grid().down()
    }

    /// Columns of a row.
    pub fn n_cols(&self) -> usize {
        self.grid().n_cols()
    }

    /// Width and height without the margin that patches do not cover.
    pub fn covered(&self) -> (usize, usize) {
        let grid = self.grid();
        (grid.across() * grid.tile.0, grid.down() * grid.tile.1)
    }

    pub(crate) fn grid(&self) -> Grid {
        Grid {
            width: self.width,
            height: self.height,
            channels: self.channels,
            tile: match self.patch {
                Some(side) => (side, side),
                None => (self.width, self.height),
            },
        }
    }
}

/// A picture, and the tiles it is cut into from left to right and from top to bottom: each is a row.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Grid {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) channels: usize,
    /// Width and height of a tile.
    pub(crate) tile: (usize, usize),
}

impl Grid {
    pub(crate) fn across(&self) -> usize {
        self.width / self.tile.0.max(1)
    }

    pub(crate) fn down(&self) -> usize {
        self.height / self.tile.1.max(1)
    }

    pub(crate) fn n_cols(&self) -> usize {
        self.tile.0 * self.tile.1 * self.channels
    }

    /// Pixels at the right and at the bottom that no tile covers.
    pub(crate) fn left_over(&self) -> (usize, usize) {
        let (across, down) = (self.across() * self.tile.0, self.down() * self.tile.1);
        (self.width - across, self.height - down)
    }

    /// `r05c12`: row and column of the pixel in its tile, from 1; `r05c12.g` where there are colors.
    pub(crate) fn names(&self) -> Vec<String> {
        let (width, height) = self.tile;
        let mut names = Vec::with_capacity(self.n_cols());
        for row in 1..=height {
            for col in 1..=width {
                let pixel = place(row, height, col, width);
                match self.channels {
                    3 => names.extend(["r", "g", "b"].map(|color| format!("{pixel}.{color}"))),
                    _ => names.push(pixel),
                }
            }
        }
        names
    }

    /// The place of a tile in its picture, such as `r02c07`.
    pub(crate) fn tile_name(&self, tile: usize) -> String {
        let (across, down) = (self.across().max(1), self.down());
        place(tile / across + 1, down, tile % across + 1, across)
    }

    /// Cuts a band, which is as high as a tile, into its tiles: one row of numbers for each.
    pub(crate) fn cut(&self, band: &[f64], out: &mut Vec<f64>) {
        let (line, run) = (self.width * self.channels, self.tile.0 * self.channels);
        for tile in 0..self.across() {
            for y in 0..self.tile.1 {
                let start = y * line + tile * run;
                out.extend_from_slice(band.get(start..start + run).unwrap_or_default());
            }
        }
    }
}

/// Row and column from 1, each with as many digits as the last one has.
fn place(row: usize, rows: usize, col: usize, cols: usize) -> String {
    let digits = |n: usize| n.max(1).ilog10() as usize + 1;
    let (high, wide) = (digits(rows), digits(cols));
    format!("r{row:0high$}c{col:0wide$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_are_cut_row_by_row_and_named_from_one() {
        let picture = Picture {
            width: 5,
            height: 4,
            channels: 1,
            depth: 8,
            patch: Some(2),
        };
        let grid = picture.grid();
        assert_eq!(
            (grid.across(), grid.down(), grid.left_over()),
            (2, 2, (1, 0))
        );
        let band: Vec<f64> = (0..10).map(f64::from).collect();
        let mut rows = Vec::new();
        grid.cut(&band, &mut rows);
        assert_eq!(rows, [0., 1., 5., 6., 2., 3., 7., 8.]);
        assert_eq!(grid.names(), ["r1c1", "r1c2", "r2c1", "r2c2"]);
        assert_eq!(grid.tile_name(3), "r2c2");
        assert_eq!(place(5, 28, 12, 28), "r05c12");
    }

    #[test]
    fn a_shape_that_cannot_be_is_told() {
        let picture = Picture {
            width: 10,
            height: 6,
            channels: 3,
            depth: 8,
            patch: Some(6),
        };
        assert!(picture.checked().is_some());
        let wrong = |change: fn(&mut Picture)| {
            let mut picture = picture;
            change(&mut picture);
            picture.checked().is_none()
        };
        assert!(wrong(|p| p.width = 0));
        assert!(wrong(|p| p.channels = 2));
        assert!(wrong(|p| p.depth = 12));
        assert!(wrong(|p| p.patch = Some(7)));
        assert!(wrong(|p| p.patch = Some(0)));
        assert!(wrong(|p| p.width = usize::MAX));
    }
}
