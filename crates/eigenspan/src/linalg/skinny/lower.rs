//! Products of a symmetric matrix that is known by the tiles of its lower half, each of which is met once and used twice.
//!
//! Tile T of rows a and columns b ≤ a gives Y_a += T·V_b and, off the diagonal, Y_b += Tᵀ·V_a. Tiles with the same
//! a + b (mod the number of runs) share no run of rows: they are worked on at the same time and write to their places in Y.
//! One such round follows the other, so that every run is summed up in the same order on any number of threads, and there
//! are no partial sums to keep.

use std::sync::Mutex;

use rayon::prelude::*;

use super::{Columns, add_times};
use crate::error::Error;
use crate::linalg::simd::prefetch_all;

/// Rows and columns of a tile: it and what it is made from stay in a core's own cache. A whole number of any processor's
/// registers, three at a time, and no power of two: columns of a tile then lie in different places of the first-level cache.
pub(crate) const SIDE: usize = 240;

/// Rows of a tile that are asked for at once.
const SLAB: usize = 8;

/// A symmetric matrix known by the tiles of its lower half.
pub(crate) trait LowerTiles: Sync {
    /// Rows and columns.
    fn len(&self) -> usize;
    /// Rows from `SIDE`·a and columns from `SIDE`·b ≤ `SIDE`·a on, row after row; written to `scratch` where it does not
    /// lie ready.
    fn tile<'a>(
        &'a self,
        at: (usize, usize),
        scratch: &'a mut Vec<f64>,
    ) -> Result<&'a [f64], Error>;
}

/// A·V.
pub(crate) fn symmetric_times(a: &dyn LowerTiles, v: &Columns) -> Result<Columns, Error> {
    let (n, width) = (a.len(), v.width);
    assert_eq!(n, v.len());
    let mut out = Columns::zeros(n, v.n_cols);
    if n == 0 || width == 0 {
        return Ok(out);
    }
    let runs = n.div_ceil(SIDE);
    let run_of = |at: usize| &v.cells[at * SIDE * width..((at + 1) * SIDE).min(n) * width];
    let spare = Mutex::new(Vec::new());
    let lock = || {
        spare
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    };
    for round in 0..runs {
        let mut free: Vec<_> = out.cells.chunks_mut(SIDE * width).map(Some).collect();
        let meeting = |row: usize| {
            let col = (round + runs - row) % runs;
            (col <= row).then(|| (row, col, free[row].take(), free[col].take()))
        };
        let tiles: Vec<_> = (0..runs).filter_map(meeting).collect();
        let use_tile = |(row, col, below, above): (usize, usize, Option<&mut [f64]>, _)| {
            let mut scratch = lock().pop().unwrap_or_default();
            let cells = a.tile((row, col), &mut scratch)?;
            let (down, across) = (run_of(row), run_of(col));
            let (n_rows, n_cols) = (down.len() / width, across.len() / width);
            if let Some(out) = below {
                // It comes from far away: a few rows are asked for while those before them are multiplied.
                let slabs = cells
                    .chunks(SLAB * n_cols)
                    .zip(out.chunks_mut(SLAB * width));
                for (at, (slab, out)) in slabs.enumerate() {
                    let next = cells.chunks(SLAB * n_cols).nth(at + 1);
                    prefetch_all(next.unwrap_or_default());
                    let count = slab.len() / n_cols;
                    add_times((slab, n_cols, 1), (count, n_cols), across, out, width);
                }
            }
            if let Some(out) = above {
                add_times((cells, 1, n_cols), (n_cols, n_rows), down, out, width);
            }
            lock().push(scratch);
            Ok::<(), Error>(())
        };
        tiles
            .into_par_iter()
            .with_max_len(1)
            .try_for_each(use_tile)?;
    }
    Ok(out)
}
