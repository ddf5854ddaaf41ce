//! Scans of a row of f32 numbers: which of them are at most a limit, and how many lie below one.

use super::simd::{InstructionSet, Isa, Work};

/// Turns products xᵀy into s − 2xᵀy, for one s per product.
pub(crate) fn subtract_twice(products: &mut [f32], from: &[f32]) {
    InstructionSet::best().run(Subtract { products, from });
}

/// Calls `hit` with the place of every number that is at most `limit`, in rising order; `hit` gives the limit for those that
/// follow. Returns the last limit.
pub(crate) fn each_at_most(cells: &[f32], limit: f32, hit: &mut dyn FnMut(usize) -> f32) -> f32 {
    InstructionSet::best().run(AtMost { cells, limit, hit })
}

/// How many numbers lie below `limit`.
pub(crate) fn count_below(cells: &[f32], limit: f32) -> usize {
    InstructionSet::best().run(Below { cells, limit })
}

struct Subtract<'a> {
    products: &'a mut [f32],
    from: &'a [f32],
}

impl Work for Subtract<'_> {
    type Output = ();

    #[inline(always)]
    unsafe fn run<I: Isa, const ROWS: usize>(self) {
        for (x, from) in self.products.iter_mut().zip(self.from) {
            *x = from - 2.0 * *x;
        }
    }
}

struct AtMost<'a> {
    cells: &'a [f32],
    limit: f32,
    hit: &'a mut dyn FnMut(usize) -> f32,
}

/// Numbers that are compared at once.
const CHUNK: usize = 32;

impl Work for AtMost<'_> {
    type Output = f32;

    #[inline(always)]
    unsafe fn run<I: Isa, const ROWS: usize>(self) -> f32 {
        let mut limit = self.limit;
        let chunks = self.cells.chunks_exact(CHUNK);
        let rest = self.cells.len() - chunks.remainder().len();
        for (c, chunk) in chunks.enumerate() {
            let least = chunk
                .iter()
                .fold(f32::INFINITY, |m, x| if *x < m { *x } else { m });
            if least <= limit {
                for (l, x) in chunk.iter().enumerate() {
                    if *x <= limit {
                        limit = (self.hit)(c * CHUNK + l);
                    }
                }
            }
        }
        for (l, x) in self.cells[rest..].iter().enumerate() {
            if *x <= limit {
                limit = (self.hit)(rest + l);
            }
        }
        limit
    }
}

struct Below<'a> {
    cells: &'a [f32],
    limit: f32,
}

impl Work for Below<'_> {
    type Output = usize;

    #[inline(always)]
    unsafe fn run<I: Isa, const ROWS: usize>(self) -> usize {
        let counts = self.cells.chunks(1 << 20).map(|chunk| {
            let below = chunk.iter().map(|x| u32::from(*x < self.limit));
            below.sum::<u32>() as usize
        });
        counts.sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hits_come_in_order_and_obey_the_newest_limit() {
        let cells: Vec<f32> = (0..101).map(|i| ((i * 37) % 101) as f32).collect();
        let mut hits = Vec::new();
        let last = each_at_most(&cells, 1000.0, &mut |j| {
            hits.push(j);
            cells[j]
        });
        // Every hit is a new minimum.
        let mut least = f32::INFINITY;
        let minima = (0..101).filter(|&j| {
            let is = cells[j] <= least;
            least = least.min(cells[j]);
            is
        });
        assert_eq!(hits, minima.collect::<Vec<usize>>());
        assert_eq!(last, 0.0);
        assert_eq!(count_below(&cells, 50.0), 50);
        let mut products = vec![1.0, 2.0];
        subtract_twice(&mut products, &[3.0, 3.0]);
        assert_eq!(products, [1.0, -1.0]);
    }
}
