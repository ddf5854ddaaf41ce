//! Sums of all rows and of all columns of a tile, in one sweep while it is in the cache.

use crate::linalg::simd::{InstructionSet, Isa, Work};

/// Adds Σⱼ tᵢⱼ to cell i of `of_rows` and Σᵢ tᵢⱼ to cell j of `of_cols`, for a tile that lies row after row.
pub(crate) fn add_sums(tile: &[f64], of_rows: &mut [f64], of_cols: &mut [f64]) {
    assert_eq!(tile.len(), of_rows.len() * of_cols.len());
    InstructionSet::best().run(Sums {
        tile,
        of_rows,
        of_cols,
    });
}

/// Cells of a row that are summed in parallel: the same number on every processor, so that the sums are the same.
const LANES: usize = 8;

struct Sums<'a> {
    tile: &'a [f64],
    of_rows: &'a mut [f64],
    of_cols: &'a mut [f64],
}

impl Work for Sums<'_> {
    type Output = ();

    #[inline(always)]
    unsafe fn run<I: Isa, const ROWS: usize>(self) {
        let rows = self.tile.chunks_exact(self.of_cols.len().max(1));
        for (row, sum) in rows.zip(self.of_rows) {
            let (groups, rest) = row.as_chunks::<LANES>();
            let (to_groups, to_rest) = self.of_cols.as_chunks_mut::<LANES>();
            let mut lanes = [0.0; LANES];
            for (cells, to) in groups.iter().zip(to_groups) {
                for l in 0..LANES {
                    lanes[l] += cells[l];
                    to[l] += cells[l];
                }
            }
            for (cell, to) in rest.iter().zip(to_rest) {
                lanes[0] += cell;
                *to += cell;
            }
            *sum += lanes.iter().sum::<f64>();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{InstructionSet, Sums};

    #[test]
    fn every_instruction_set_gives_the_same_sums() {
        for (n_rows, n_cols) in [(1, 1), (3, 7), (5, 8), (4, 29), (240, 240)] {
            let tile: Vec<f64> = (0..n_rows * n_cols)
                .map(|i| (i as f64).sin() + 1e-3 * i as f64)
                .collect();
            let mut seen = Vec::new();
            for set in InstructionSet::available() {
                let (mut of_rows, mut of_cols) = (vec![1.0; n_rows], vec![2.0; n_cols]);
                set.run(Sums {
                    tile: &tile,
                    of_rows: &mut of_rows,
                    of_cols: &mut of_cols,
                });
                for (i, got) in of_rows.iter().enumerate() {
                    let want = 1.0 + tile[i * n_cols..(i + 1) * n_cols].iter().sum::<f64>();
                    assert!(
                        (got - want).abs() <= 1e-12 * want.abs().max(1.0),
                        "{got} {want}"
                    );
                }
                for (j, got) in of_cols.iter().enumerate() {
                    let want = 2.0 + tile.iter().skip(j).step_by(n_cols).sum::<f64>();
                    assert!(
                        (got - want).abs() <= 1e-12 * want.abs().max(1.0),
                        "{got} {want}"
                    );
                }
                seen.push((of_rows, of_cols));
            }
            assert!(seen.windows(2).all(|pair| pair[0] == pair[1]));
        }
    }
}
