//! The lower half of a kernel matrix, tile by tile: stored in f64 or f32, or computed again whenever it is needed.
//!
//! f32 rounds every entry by at most 6e-8 of itself. That moves eigenvalues by at most 6e-8·‖K‖, and by about √n less where
//! the roundings behave like random numbers; sums are nevertheless taken in f64, and sums of whole rows before anything is
//! rounded.

use super::tile::Tile;
use super::{Points, ResolvedKernel};
use crate::context::Context;
use crate::error::Error;
use crate::linalg::{LowerTiles, SIDE, add_sums};
use crate::mat::Real;
use crate::parallel::{self, Spare};

/// The stored tiles of the lower half: 4n² bytes in f64, 2n² in f32.
#[derive(Debug)]
pub struct Lower<T> {
    n: usize,
    tiles: Vec<Vec<T>>,
    row_means: Vec<f64>,
}

/// A stored tile, and the sums of its rows and of its columns.
type Summed<T> = (Vec<T>, Vec<f64>, Vec<f64>);

impl<T: Real> Lower<T> {
    /// Every tile by one thread.
    pub(super) fn new(
        ctx: &Context,
        kernel: &ResolvedKernel,
        points: &Points,
    ) -> Result<Self, Error> {
        let n = points.len();
        let recomputed = RecomputedTiles {
            ctx,
            kernel,
            points,
        };
        let runs = n.div_ceil(SIDE);
        let places: Vec<_> = (0..runs)
            .flat_map(|row| (0..=row).map(move |col| (row, col)))
            .collect();
        ctx.begin("kernel matrix", Some(places.len() as u64));
        let spare = Spare::default();
        let tile = |i: usize| {
            let place = recomputed.place(places[i]);
            let (n_rows, n_cols) = (place.rows.len(), place.cols.len());
            let mut kept = vec![T::from_f64(0.0); n_rows * n_cols];
            let (mut of_rows, mut of_cols) = (vec![0.0; n_rows], vec![0.0; n_cols]);
            ctx.check()?;
            match T::as_f64s_mut(&mut kept) {
                // Where it stays.
                Some(cells) => {
                    kernel.fill(&place, cells);
                    add_sums(cells, &mut of_rows, &mut of_cols);
                }
                None => {
                    let mut scratch = spare.take();
                    scratch.resize(n_rows * n_cols, 0.0);
                    kernel.fill(&place, &mut scratch);
                    add_sums(&scratch, &mut of_rows, &mut of_cols);
                    let cells = kept.iter_mut().zip(&scratch);
                    cells.for_each(|(to, x)| *to = T::from_f64(*x));
                    spare.put_back(scratch);
                }
            }
            ctx.advance(1);
            Ok((kept, of_rows, of_cols))
        };
        let tiles = ctx.install_here(|| parallel::try_collect(places.len(), tile));
        // Sums of whole rows, in the order of the tiles; a tile above the diagonal is the transpose of one below.
        let mut sums = vec![0.0; n];
        let mut add = |run: usize, part: &[f64]| {
            let cells = sums[run * SIDE..].iter_mut().zip(part);
            cells.for_each(|(sum, x)| *sum += x);
        };
        let keep = |((row, col), (kept, of_rows, of_cols)): (&(usize, usize), Summed<T>)| {
            add(*row, &of_rows);
            if row != col {
                add(*col, &of_cols);
            }
            kept
        };
        Ok(Lower {
            n,
            tiles: places.iter().zip(tiles?).map(keep).collect(),
            row_means: sums.iter().map(|sum| sum / n as f64).collect(),
        })
    }

    /// The mean of every row, from its cells before they were rounded to T.
    pub(super) fn row_means(&self) -> &[f64] {
        &self.row_means
    }
}

impl<T: Real> LowerTiles for Lower<T> {
    fn len(&self) -> usize {
        self.n
    }

    fn tile<'a>(
        &'a self,
        (row, col): (usize, usize),
        scratch: &'a mut Vec<f64>,
    ) -> Result<&'a [f64], Error> {
        let cells = &self.tiles[row * (row + 1) / 2 + col];
        if let Some(cells) = T::as_f64s(cells) {
            return Ok(cells);
        }
        scratch.clear();
        scratch.extend(cells.iter().map(|x| x.to_f64()));
        Ok(scratch)
    }
}

/// The same tiles, computed again whenever they are needed.
pub(super) struct RecomputedTiles<'a> {
    pub(super) ctx: &'a Context,
    pub(super) kernel: &'a ResolvedKernel,
    pub(super) points: &'a Points,
}

impl RecomputedTiles<'_> {
    /// The rows and columns of a tile.
    fn place(&self, (row, col): (usize, usize)) -> Tile<'_> {
        let run = |at: usize| at * SIDE..((at + 1) * SIDE).min(self.points.len());
        Tile {
            a: self.points,
            rows: run(row),
            b: self.points,
            cols: run(col),
        }
    }
}

impl LowerTiles for RecomputedTiles<'_> {
    fn len(&self) -> usize {
        self.points.len()
    }

    fn tile<'a>(
        &'a self,
        at: (usize, usize),
        scratch: &'a mut Vec<f64>,
    ) -> Result<&'a [f64], Error> {
        self.ctx.check()?;
        let tile = self.place(at);
        scratch.resize(tile.rows.len() * tile.cols.len(), 0.0);
        self.kernel.fill(&tile, scratch);
        Ok(scratch)
    }
}
