//! B = −½ C Δ² C, by the tiles of its lower half: 4·n² bytes.

use crate::error::Error;
use crate::linalg::{Columns, LinearMap, LowerTiles, SIDE, add_sums, norm, sum, symmetric_times};
use crate::mat::{Mat, MatView};
use crate::parallel;

/// Centered squared geodesics.
pub(super) struct CenteredSquares {
    n: usize,
    /// Tile (a, b ≤ a) has the number a(a + 1)/2 + b.
    tiles: Vec<Vec<f64>>,
    /// The mean of every row of Δ².
    pub(super) means: Vec<f64>,
    /// The diagonal of B.
    pub(super) diagonal: Vec<f64>,
    /// The Frobenius norms of ½Δ² and of B.
    pub(super) whole: f64,
    pub(super) norm: f64,
}

/// A tile of squares, the sums of its rows and of its columns, and its norm.
type Summed = (Vec<f64>, Vec<f64>, Vec<f64>, f64);

impl CenteredSquares {
    /// From geodesics, of which the lower triangle is read.
    pub(super) fn new(geodesics: &Mat<f64>) -> Self {
        let n = geodesics.n_rows();
        let places = places(n);
        // 1. Squares, and their sums by row and by column.
        let squared = |t: usize| -> Summed {
            let (rows, cols) = (run(places[t].0, n), run(places[t].1, n));
            let mut tile = Vec::with_capacity(rows.len() * cols.len());
            for i in rows.clone() {
                let line = &geodesics.row(i)[cols.clone()];
                match rows == cols {
                    false => tile.extend(line.iter().map(|x| x * x)),
                    true => tile.extend(cols.clone().map(|j| {
                        let x = geodesics[(i.max(j), i.min(j))];
                        x * x
                    })),
                }
            }
            let (mut of_rows, mut of_cols) = (vec![0.0; rows.len()], vec![0.0; cols.len()]);
            add_sums(&tile, &mut of_rows, &mut of_cols);
            let length = 0.5 * norm(&tile);
            (tile, of_rows, of_cols, length)
        };
        let mut sums = vec![0.0; n];
        let mut add = |at: usize, part: &[f64]| {
            let cells = sums[at * SIDE..].iter_mut().zip(part);
            cells.for_each(|(sum, x)| *sum += x);
        };
        let (mut tiles, mut lengths) = (Vec::with_capacity(places.len()), Vec::new());
        let found = parallel::collect(places.len(), squared);
        for ((a, b), (tile, of_rows, of_cols, length)) in places.iter().zip(found) {
            add(*a, &of_rows);
            lengths.push(length);
            if a != b {
                add(*b, &of_cols);
                lengths.push(length);
            }
            tiles.push(tile);
        }
        // 2. Minus the means of row and column, plus that of all, times −½.
        let means: Vec<f64> = sums.iter().map(|sum| sum / n as f64).collect();
        let mean = sum(&means) / n.max(1) as f64;
        let norms = parallel::collect_of(tiles.iter_mut().zip(&places), |(tile, (a, b))| {
            let (rows, cols) = (run(*a, n), run(*b, n));
            for (row, line) in rows.zip(tile.chunks_exact_mut(cols.len())) {
                let own = means[row] - mean;
                for (x, other) in line.iter_mut().zip(&means[cols.clone()]) {
                    *x = -0.5 * (*x - (own + other));
                }
            }
            norm(tile)
        });
        let twice = places.iter().zip(norms);
        let norms: Vec<f64> = twice
            .flat_map(|((a, b), norm)| std::iter::repeat_n(norm, if a == b { 1 } else { 2 }))
            .collect();
        let mut centered = CenteredSquares {
            n,
            tiles,
            means,
            diagonal: Vec::new(),
            whole: norm(&lengths),
            norm: norm(&norms),
        };
        centered.diagonal = (0..n)
            .map(|i| centered.line((i, i / SIDE))[i % SIDE])
            .collect();
        centered
    }

    /// Runs of columns that make up a row of the lower half: those that have a cell on the diagonal or below it.
    pub(super) fn n_runs(&self) -> usize {
        self.n.div_ceil(SIDE)
    }

    /// The cells of row i in run b of columns, which begins at or before the diagonal.
    pub(super) fn line(&self, (i, b): (usize, usize)) -> &[f64] {
        let (a, cols) = (i / SIDE, run(b, self.n));
        let tile = &self.tiles[a * (a + 1) / 2 + b];
        &tile[(i % SIDE) * cols.len()..][..cols.len()]
    }

    /// The whole matrix.
    pub(super) fn to_mat(&self) -> Mat<f64> {
        Mat::from_fn(self.n, self.n, |i, j| {
            let (row, col) = (i.max(j), i.min(j));
            self.line((row, col / SIDE))[col % SIDE]
        })
    }
}

fn run(at: usize, n: usize) -> std::ops::Range<usize> {
    at * SIDE..((at + 1) * SIDE).min(n)
}

fn places(n: usize) -> Vec<(usize, usize)> {
    (0..n.div_ceil(SIDE))
        .flat_map(|a| (0..=a).map(move |b| (a, b)))
        .collect()
}

impl LowerTiles for CenteredSquares {
    fn len(&self) -> usize {
        self.n
    }

    fn tile<'a>(
        &'a self,
        (a, b): (usize, usize),
        _scratch: &'a mut Vec<f64>,
    ) -> Result<&'a [f64], Error> {
        Ok(&self.tiles[a * (a + 1) / 2 + b])
    }
}

impl LinearMap for CenteredSquares {
    fn shape(&self) -> (usize, usize) {
        (self.n, self.n)
    }

    fn times(&self, b: MatView<'_, f64>) -> Result<Mat<f64>, Error> {
        Ok(symmetric_times(self, &Columns::from_mat(&b.to_mat()))?.to_mat())
    }

    fn transpose_times(&self, c: MatView<'_, f64>) -> Result<Mat<f64>, Error> {
        self.times(c)
    }
}
