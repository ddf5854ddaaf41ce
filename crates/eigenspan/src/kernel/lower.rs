//! The lower half of a kernel matrix, tile by tile: kept, in f64 or f32, or computed anew whenever it is asked for.
//!
//! f32 rounds every entry by at most 6e-8 of itself. That moves eigenvalues by at most 6e-8·‖K‖, and by about √n less where
//! the roundings are as good as random; sums are taken in f64 all the same.

use rayon::prelude::*;

use super::tile::Tile;
use super::{Points, Settled};
use crate::context::Context;
use crate::error::Error;
use crate::linalg::{LowerTiles, SIDE};
use crate::mat::Real;

/// The tiles of the lower half, written out: 4n² bytes in f64, 2n² in f32.
#[derive(Debug)]
pub struct Lower<T> {
    n: usize,
    tiles: Vec<Vec<T>>,
}

impl<T: Real> Lower<T> {
    /// Every tile by one thread.
    pub(super) fn new(ctx: &Context, kernel: &Settled, points: &Points) -> Result<Self, Error> {
        let n = points.len();
        let anew = Anew {
            ctx,
            kernel,
            points,
        };
        let runs = n.div_ceil(SIDE);
        let places: Vec<_> = (0..runs)
            .flat_map(|row| (0..=row).map(move |col| (row, col)))
            .collect();
        ctx.begin("kernel matrix", Some(places.len() as u64));
        let tile = |scratch: &mut Vec<f64>, at: &(usize, usize)| {
            let cells = anew.tile(*at, scratch)?;
            let kept = cells.iter().map(|x| T::from_f64(*x)).collect();
            ctx.advance(1);
            Ok(kept)
        };
        let tiles = || places.par_iter().map_init(Vec::new, tile).collect();
        let tiles: Result<Vec<Vec<T>>, Error> = ctx.install_here(tiles);
        Ok(Lower { n, tiles: tiles? })
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

/// The same, nowhere written out.
pub(super) struct Anew<'a> {
    pub(super) ctx: &'a Context,
    pub(super) kernel: &'a Settled,
    pub(super) points: &'a Points,
}

impl LowerTiles for Anew<'_> {
    fn len(&self) -> usize {
        self.points.len()
    }

    fn tile<'a>(
        &'a self,
        (row, col): (usize, usize),
        scratch: &'a mut Vec<f64>,
    ) -> Result<&'a [f64], Error> {
        self.ctx.check()?;
        let run = |at: usize| at * SIDE..((at + 1) * SIDE).min(self.points.len());
        let tile = Tile {
            a: self.points,
            rows: run(row),
            b: self.points,
            cols: run(col),
        };
        scratch.resize(tile.rows.len() * tile.cols.len(), 0.0);
        self.kernel.fill(&tile, scratch);
        Ok(scratch)
    }
}
