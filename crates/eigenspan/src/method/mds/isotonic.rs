//! Isotonic regression: the numbers nearest to some distances that are in the same order as the distances given (Kruskal 1964,
//! doi:10.1007/BF02289694), by pooling adjacent violators.
//!
//! Pairs at the same given distance get the same number: the mean of theirs takes part in their place (Kruskal's secondary approach to
//! ties). Distances are brought into their order by all threads, pooled by one, and taken back by all.

use crate::parallel;

/// The order of the pairs by the distances given, and which of them are equal.
pub(super) struct Order {
    /// Numbers of pairs, by rising distance.
    pairs: Vec<u32>,
    /// The place of every pair in that order.
    places: Vec<u32>,
    /// Where each group of equal distances ends in `pairs`; nothing where no two are equal.
    ends: Option<Vec<u32>>,
}

/// Pairs that one thread takes at a time.
const PART: usize = 1 << 15;

impl Order {
    /// Of the distances of all pairs.
    pub(super) fn new(given: &[f64]) -> Self {
        let mut keyed: Vec<(f64, u32)> = given.iter().copied().zip(0u32..).collect();
        keyed.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let n = keyed.len();
        let ends = (1..=n).filter(|&end| end == n || keyed[end].0 > keyed[end - 1].0);
        let ends: Vec<u32> = ends.map(|end| end as u32).collect();
        let pairs: Vec<u32> = keyed.into_iter().map(|(_, pair)| pair).collect();
        let mut places = vec![0; n];
        for (place, &pair) in (0u32..).zip(&pairs) {
            places[pair as usize] = place;
        }
        Order {
            ends: (ends.len() < n).then_some(ends),
            pairs,
            places,
        }
    }

    /// The numbers in this order that are nearest to distances; `sorted` is memory for as many numbers.
    pub(super) fn regress(&self, distances: &[f64], nearest: &mut [f64], sorted: &mut [f64]) {
        let take = |out: &mut [f64], from: &[f64], places: &[u32]| {
            parallel::each_chunk(out, PART, |at, out| {
                let places = &places[at * PART..];
                for (out, place) in out.iter_mut().zip(places) {
                    *out = from[*place as usize];
                }
            });
        };
        take(sorted, distances, &self.pairs);
        match &self.ends {
            None => pool(sorted, (1..=sorted.len()).map(|end| end as u32)),
            Some(ends) => pool(sorted, ends.iter().copied()),
        }
        take(nearest, sorted, &self.places);
    }
}

/// Replaces numbers by the nearest ones that rise from group to group, and are equal within each; groups are given by their ends.
fn pool(numbers: &mut [f64], ends: impl Iterator<Item = u32>) {
    // Each block is its sum, its number of pairs, and where it ends; means of blocks rise.
    let mut blocks: Vec<(f64, f64, u32)> = Vec::new();
    let mut begin = 0usize;
    for end in ends {
        let group = &numbers[begin..end as usize];
        let mut block = (group.iter().sum::<f64>(), group.len() as f64, end);
        begin = end as usize;
        while let Some(&(sum, count, _)) = blocks.last() {
            if sum * block.1 < block.0 * count {
                break;
            }
            blocks.pop();
            block = (sum + block.0, count + block.1, block.2);
        }
        blocks.push(block);
    }
    let mut begin = 0usize;
    for (sum, count, end) in blocks {
        numbers[begin..end as usize].fill(sum / count);
        begin = end as usize;
    }
}
