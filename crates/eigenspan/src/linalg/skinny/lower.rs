//! Products of a symmetric matrix that is given by the tiles of its lower half; each tile is read once and used twice.
//!
//! A tile T of rows a and columns b ≤ a contributes Y_a += T·V_b and, off the diagonal, Y_b += Tᵀ·V_a. Tiles
//! with the same a + b (mod the number of runs) share no run of rows: they are computed in parallel and write
//! to their own places in Y. Such rounds follow one after the other, so that every run is summed in the same
//! order on any number of threads, and no partial sums are kept.

use super::{Columns, add_times};
use crate::error::Error;
use crate::linalg::simd::{InstructionSet, Isa, LINE, Vector, Work, next_registers, prefetch};
use crate::parallel::{self, Spare};

/// Rows and columns of a tile: the tile and its inputs stay in a core's own cache. It is a multiple of three registers of any
/// processor, and not a power of two: columns of a tile then map to different places of the first-level cache.
pub(crate) const SIDE: usize = 240;

/// Columns of a tile that are processed together: their vectors and sums stay in the first-level cache while the rows are
/// multiplied.
const STRIP: usize = 120;

/// A symmetric matrix that is given by the tiles of its lower half.
pub(crate) trait LowerTiles: Sync {
    /// Rows and columns.
    fn len(&self) -> usize;
    /// The tile of rows from `SIDE`·a on and columns from `SIDE`·b ≤ `SIDE`·a on, row after row; written to `scratch` if it
    /// is not stored already.
    fn tile<'a>(
        &'a self,
        at: (usize, usize),
        scratch: &'a mut Vec<f64>,
    ) -> Result<&'a [f64], Error>;
}

/// Sums of a run of rows.
type Half<'a> = Option<&'a mut [f64]>;

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
    let spare = Spare::default();
    for round in 0..runs {
        let mut free: Vec<_> = out.cells.chunks_mut(SIDE * width).map(Some).collect();
        let meeting = |row: usize| {
            let col = (round + runs - row) % runs;
            (col <= row).then(|| (row, col, free[row].take(), free[col].take()))
        };
        let use_tile = |(row, col, below, above): (usize, usize, Half<'_>, Half<'_>)| {
            let mut scratch = spare.take();
            let cells = a.tile((row, col), &mut scratch)?;
            let (down, across) = (run_of(row), run_of(col));
            let (n_rows, n_cols) = (down.len() / width, across.len() / width);
            match (below, above) {
                (Some(below), Some(above)) => InstructionSet::best().run(Both {
                    tile: cells,
                    shape: (n_rows, n_cols),
                    down,
                    across,
                    below,
                    above,
                    width,
                }),
                // On the diagonal.
                (Some(below), None) => {
                    add_times((cells, n_cols, 1), (n_rows, n_cols), across, below, width);
                }
                (None, _) => {}
            }
            spare.put_back(scratch);
            Ok::<(), Error>(())
        };
        let tiles = (0..runs).filter_map(meeting);
        parallel::collect_of(tiles, use_tile)
            .into_iter()
            .collect::<Result<(), Error>>()?;
    }
    Ok(out)
}

/// Both products with a tile T that is read from slow memory, in one sweep: below += T·across and above += Tᵀ·down.
struct Both<'a> {
    tile: &'a [f64],
    /// Rows and columns of the tile.
    shape: (usize, usize),
    /// The vectors for its rows, and for its columns.
    down: &'a [f64],
    across: &'a [f64],
    below: &'a mut [f64],
    above: &'a mut [f64],
    width: usize,
}

impl Work for Both<'_> {
    type Output = ();

    #[inline(always)]
    unsafe fn run<I: Isa, const ROWS: usize>(mut self) {
        let ((n_rows, n_cols), width) = (self.shape, self.width);
        assert!(self.tile.len() >= n_rows * n_cols);
        assert!(self.down.len() >= n_rows * width && self.below.len() >= n_rows * width);
        assert!(self.across.len() >= n_cols * width && self.above.len() >= n_cols * width);
        let mut left = 0;
        while left < width {
            // A third register would need more than 16 registers in all.
            let (live, cells) = next_registers::<I>(width - left, 2);
            for from in (0..n_cols).step_by(STRIP) {
                let depth = STRIP.min(n_cols - from);
                // SAFETY: rows, columns and vectors stay inside what was asserted above; `I` as promised by the caller.
                unsafe {
                    match live {
                        0 => self.sweep::<I::Wider, 1, 4>((from, depth), left),
                        1 => self.sweep::<I::F64, 1, 4>((from, depth), left),
                        _ => self.sweep::<I::F64, 2, 3>((from, depth), left),
                    }
                }
            }
            left += cells;
        }
    }
}

impl Both<'_> {
    /// All rows of a strip of columns.
    #[inline(always)]
    unsafe fn sweep<V: Vector<Cell = f64>, const N: usize, const ROWS: usize>(
        &mut self,
        strip: (usize, usize),
        left: usize,
    ) {
        let n_rows = self.shape.0;
        let whole = n_rows / ROWS * ROWS;
        // SAFETY: as promised by the caller.
        unsafe {
            for row in (0..whole).step_by(ROWS) {
                self.add_rows::<V, N, ROWS>(row, strip, left);
            }
            for row in whole..n_rows {
                self.add_rows::<V, N, 1>(row, strip, left);
            }
        }
    }

    /// `ROWS` rows of a strip, and `N` registers of vectors.
    #[inline(always)]
    unsafe fn add_rows<V: Vector<Cell = f64>, const N: usize, const ROWS: usize>(
        &mut self,
        row: usize,
        (from, depth): (usize, usize),
        left: usize,
    ) {
        const CELLS: usize = LINE / size_of::<f64>();
        let (n_cols, width) = (self.shape.1, self.width);
        // SAFETY: the caller vouches for all places these pointers walk through, and for the instructions; prefetched memory
        // is not accessed.
        unsafe {
            let down = self.down.as_ptr().add(row * width + left);
            let down: [[V; N]; ROWS] = std::array::from_fn(|r| {
                std::array::from_fn(|v| V::load(down.add(r * width + v * V::LANES)))
            });
            let mut sums = [[V::zero(); N]; ROWS];
            let mut number = self.tile.as_ptr().add(row * n_cols + from);
            let mut across = self.across.as_ptr().add(from * width + left);
            let mut above = self.above.as_mut_ptr().add(from * width + left);
            for c in 0..depth {
                if c % CELLS == 0 {
                    // The rows after these.
                    (ROWS..2 * ROWS).for_each(|r| prefetch(number.wrapping_add(r * n_cols)));
                }
                let columns: [V; N] = std::array::from_fn(|v| V::load(across.add(v * V::LANES)));
                let mut own: [V; N] = std::array::from_fn(|v| V::load(above.add(v * V::LANES)));
                for r in 0..ROWS {
                    let x = V::splat(*number.add(r * n_cols));
                    for v in 0..N {
                        sums[r][v] = columns[v].mul_add(x, sums[r][v]);
                        own[v] = down[r][v].mul_add(x, own[v]);
                    }
                }
                (0..N).for_each(|v| own[v].store(above.add(v * V::LANES)));
                number = number.wrapping_add(1);
                across = across.wrapping_add(width);
                above = above.wrapping_add(width);
            }
            let below = self.below.as_mut_ptr().add(row * width + left);
            for (r, sums) in sums.into_iter().enumerate() {
                for (v, sum) in sums.into_iter().enumerate() {
                    sum.add_to(below.add(r * width + v * V::LANES));
                }
            }
        }
    }
}
