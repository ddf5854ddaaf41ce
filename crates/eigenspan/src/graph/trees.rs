//! Random trees: the rows are halved by which of two random rows they are closer to, until few are left.
//!
//! For squared distances, the difference of the distances to two rows is a projection onto the line through them, so these are the
//! trees of random projections (Dasgupta & Freund 2008, doi:10.1145/1374376.1374452); for other metrics they need no projection.
//! Cost 2 comparisons per row and level.

use super::descent::Search;
use crate::error::Error;
use crate::rng::{Rng, stream};

/// Cuts all rows into leaves of at most `most` and more than `most`/2 rows (all rows, where they are fewer).
pub(super) fn leaves(search: &Search<'_>, most: usize, seed: u64) -> Result<Vec<Vec<u32>>, Error> {
    let mut waiting: Vec<(u64, Vec<u32>)> = vec![(1, (0..search.n_rows() as u32).collect())];
    let mut done = Vec::new();
    let mut keys: Vec<(f32, u32)> = Vec::new();
    while let Some((node, rows)) = waiting.pop() {
        if rows.len() <= most {
            done.push(rows);
            continue;
        }
        search.ctx.check()?;
        let mut rng = Rng::new(stream(seed, node as usize));
        let first = rng.below(rows.len());
        let second = (first + 1 + rng.below(rows.len() - 1)) % rows.len();
        let (a, b) = (rows[first] as usize, rows[second] as usize);
        search.lean(&rows, (a, b), &mut keys);
        let half = keys.len() / 2;
        keys.select_nth_unstable_by(half, |x, y| x.0.total_cmp(&y.0).then(x.1.cmp(&y.1)));
        let side = |part: &[(f32, u32)]| -> Vec<u32> {
            let mut rows: Vec<u32> = part.iter().map(|(_, row)| *row).collect();
            rows.sort_unstable();
            rows
        };
        // The path from the root, in bits, is the node's number: its random numbers are its own.
        waiting.push((node.wrapping_mul(2), side(&keys[..half])));
        waiting.push((node.wrapping_mul(2) + 1, side(&keys[half..])));
    }
    Ok(done)
}
