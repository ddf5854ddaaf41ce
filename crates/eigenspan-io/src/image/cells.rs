//! The rows of pictures: whole pictures, or their patches from left to right and from top to bottom.

use std::ops::Range;

use eigenspan::source::{Block, Rows, Sink, Source};
use eigenspan::{Error, MatView};

use super::store::{Pixels, Store};
use crate::error::{ReadError, into_core};
use crate::picture::{Grid, Picture};
use crate::table::{Cells, Numbers, PartTexts, TextColumn};

/// Cells of one part, and of one block.
const PART_CELLS: usize = 1 << 18;

/// A function that takes rows and the number of the first of them.
type TakeRows<'t> = dyn FnMut(usize, &[f64]) -> Result<(), Error> + 't;

/// Pictures as the cells of a table.
#[derive(Debug)]
pub(super) struct Pictures {
    pub(super) store: Store,
    pub(super) grid: Grid,
    /// The shape, if rows can be turned back into pictures.
    pub(super) picture: Option<Picture>,
    pub(super) n_pictures: usize,
    /// Names of all columns: the id if there is one, the pixels, the labels if they were requested.
    pub(super) names: Vec<String>,
    /// Pixels in use.
    pub(super) used: Vec<usize>,
    pub(super) used_names: Vec<String>,
    pub(super) ids: Ids,
    /// One per picture.
    pub(super) labels: Option<Vec<String>>,
}

/// How rows are named.
#[derive(Debug)]
pub(super) enum Ids {
    /// By its number.
    None,
    /// By its picture's file.
    Titles(Vec<String>),
    /// By the patch's place in the one picture.
    Places,
    /// By its picture's file and its place.
    TitlesAndPlaces(Vec<String>),
    /// By its picture's number and its place.
    NumbersAndPlaces,
}

impl Ids {
    /// The name of the column.
    pub(super) fn column(&self) -> Option<&'static str> {
        match self {
            Ids::None => None,
            Ids::Titles(_) => Some("picture"),
            _ => Some("patch"),
        }
    }

    fn row_name(&self, grid: &Grid, picture: usize, tile: usize) -> String {
        let title = |titles: &[String]| titles.get(picture).cloned().unwrap_or_default();
        match self {
            Ids::None => String::new(),
            Ids::Titles(titles) => title(titles),
            Ids::Places => grid.tile_name(tile),
            Ids::TitlesAndPlaces(titles) => format!("{} {}", title(titles), grid.tile_name(tile)),
            Ids::NumbersAndPlaces => format!("{} {}", picture + 1, grid.tile_name(tile)),
        }
    }
}

impl Pictures {
    pub(super) fn n_rows(&self) -> usize {
        self.n_pictures * self.grid.across() * self.grid.down()
    }

    /// Bands, as high as a tile, of one part. A picture in a file of its own is not split between parts: each part would have
    /// to decode it again.
    fn part_bands(&self) -> usize {
        let cells = self.grid.across() * self.grid.n_cols();
        let bands = (PART_CELLS / cells.max(1)).max(1);
        let down = self.grid.down().max(1);
        match &self.store {
            Store::Files { files, .. } if files.len() > 1 => (bands / down).max(1) * down,
            _ => bands,
        }
    }

    fn parts(&self) -> usize {
        (self.n_pictures * self.grid.down()).div_ceil(self.part_bands())
    }

    fn bands_of(&self, part: usize) -> Range<usize> {
        let all = self.n_pictures * self.grid.down();
        let start = part.saturating_mul(self.part_bands()).min(all);
        start..(start + self.part_bands()).min(all)
    }

    /// Calls `take` with the pixels of a part's rows, block by block, and with the number of each block's first row.
    fn blocks(&self, part: usize, take: &mut TakeRows<'_>) -> Result<(), Error> {
        let (down, height) = (self.grid.down().max(1), self.grid.tile.1);
        let bands = self.bands_of(part);
        let mut open: Option<(usize, Pixels<'_>)> = None;
        let (mut band, mut cells, mut first) = (Vec::new(), Vec::new(), bands.start);
        for index in bands.clone() {
            let (picture, line) = (index / down, index % down * height);
            let pixels = match open.take() {
                Some((number, pixels)) if number == picture => pixels,
                _ => self.store.picture(picture).map_err(into_core)?,
            };
            band.clear();
            pixels.band(&self.grid, line, line + height, &mut band);
            self.grid.cut(&band, &mut cells);
            open = Some((picture, pixels));
            if cells.len() >= PART_CELLS || index + 1 == bands.end {
                take(first * self.grid.across(), &cells)?;
                cells.clear();
                first = index + 1;
            }
        }
        self.store.release(bands.start / down, bands.end / down);
        Ok(())
    }

    /// Some pixels of each row.
    fn pick(&self, cells: &[f64], pixels: &[usize], out: &mut Vec<f64>) {
        for row in cells.chunks_exact(self.grid.n_cols()) {
            out.extend(pixels.iter().filter_map(|&pixel| row.get(pixel)));
        }
    }

    fn pixel_texts(&self, part: usize, pixel: usize) -> Result<TextColumn, ReadError> {
        let mut numbers = Vec::new();
        self.blocks(part, &mut |_, cells| {
            self.pick(cells, &[pixel], &mut numbers);
            Ok(())
        })?;
        let mut digits = zmij::Buffer::new();
        let written = |number: &f64| match &self.store {
            Store::Idx { header, .. } => header.written(*number),
            Store::Files { .. } if number.fract() == 0.0 => format!("{number:.0}"),
            Store::Files { .. } => digits.format(*number).to_owned(),
        };
        Ok(numbers.iter().map(written).collect())
    }
}

impl Cells for Pictures {
    fn names(&self) -> &[String] {
        &self.names
    }

    fn used_names(&self) -> &[String] {
        &self.used_names
    }

    fn numbers(&self) -> Numbers<'_> {
        Numbers::F64(self)
    }

    fn part_texts(&self, part: usize, columns: &[usize]) -> Result<PartTexts, ReadError> {
        let per = self.grid.across() * self.grid.down();
        let bands = self.bands_of(part);
        let rows = bands.start * self.grid.across()..bands.end * self.grid.across();
        let n_ids = usize::from(self.ids.column().is_some());
        let column = |&col: &usize| -> Result<TextColumn, ReadError> {
            if col < n_ids {
                let id = |row: usize| self.ids.row_name(&self.grid, row / per, row % per);
                return Ok(rows.clone().map(id).collect());
            }
            if col - n_ids < self.grid.n_cols() {
                return self.pixel_texts(part, col - n_ids);
            }
            let labels = self.labels.as_deref().unwrap_or_default();
            let label = |row: usize| labels.get(row / per).map_or("", String::as_str);
            Ok(rows.clone().map(label).collect())
        };
        Ok(PartTexts {
            first: rows.start,
            columns: columns.iter().map(column).collect::<Result<_, _>>()?,
        })
    }

    fn picture(&self) -> Option<Picture> {
        self.picture
    }
}

impl Source<f64> for Pictures {
    fn n_cols(&self) -> usize {
        self.used.len()
    }

    fn read_part(&self, part: usize, sink: &mut Sink<'_, f64>) -> Result<(), Error> {
        let all = self.used.len() == self.grid.n_cols();
        let mut picked = Vec::new();
        self.blocks(part, &mut |first, cells| {
            let cells = if all {
                cells
            } else {
                picked.clear();
                self.pick(cells, &self.used, &mut picked);
                &picked
            };
            let n_cols = self.used.len();
            let view = MatView::from_rows(cells, cells.len() / n_cols.max(1), n_cols)?;
            sink(Rows {
                first,
                block: Block::Dense(view),
                weights: None,
            })
        })
    }

    fn n_parts(&self) -> usize {
        self.parts()
    }

    fn n_rows(&self) -> Option<usize> {
        Some(Pictures::n_rows(self))
    }

    fn col_names(&self) -> Option<&[String]> {
        Some(&self.used_names)
    }
}
