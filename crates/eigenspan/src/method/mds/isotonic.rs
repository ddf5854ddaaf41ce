//! Isotonic regression: the numbers nearest to some distances that are in the same order as the distances given (Kruskal 1964,
//! doi:10.1007/BF02289694), by pooling adjacent violators.
//!
//! Pairs at the same given distance get the same number: the mean of theirs takes part in their place (Kruskal's secondary approach to
//! ties).

/// The order of the pairs by the distances given, and which of them are equal.
pub(super) struct Order {
    /// Numbers of pairs, by rising distance.
    pairs: Vec<u32>,
    /// Where each group of equal distances ends in `pairs`.
    ends: Vec<u32>,
}

impl Order {
    /// Of the distances of all pairs.
    pub(super) fn new(given: &[f64]) -> Self {
        let mut pairs: Vec<u32> = (0..given.len() as u32).collect();
        pairs.sort_unstable_by(|&a, &b| {
            let by_distance = given[a as usize].total_cmp(&given[b as usize]);
            by_distance.then(a.cmp(&b))
        });
        let at = |i: usize| given[pairs[i] as usize];
        let ends = (1..=pairs.len()).filter(|&end| end == pairs.len() || at(end) > at(end - 1));
        let ends = ends.map(|end| end as u32).collect();
        Order { pairs, ends }
    }

    /// Replaces distances by the nearest numbers in this order.
    pub(super) fn regress(&self, distances: &mut [f64]) {
        // Each block is its sum, its number of pairs, and where it ends; means of blocks rise.
        let mut blocks: Vec<(f64, f64, u32)> = Vec::with_capacity(self.ends.len());
        let mut begin = 0usize;
        for &end in &self.ends {
            let group = &self.pairs[begin..end as usize];
            let sum: f64 = group.iter().map(|&pair| distances[pair as usize]).sum();
            let mut block = (sum, group.len() as f64, end);
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
            let mean = sum / count;
            for &pair in &self.pairs[begin..end as usize] {
                distances[pair as usize] = mean;
            }
            begin = end as usize;
        }
    }
}
