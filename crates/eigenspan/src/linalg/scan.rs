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

/// Calls `hit` with the place of every number from `from` on to `to`, in rising order, and returns how many lie below `from`.
pub(crate) fn each_between(
    cells: &[f32],
    (from, to): (f32, f32),
    hit: &mut dyn FnMut(usize),
) -> usize {
    InstructionSet::best().run(Between {
        cells,
        from,
        to,
        hit,
    })
}

/// One row, compared with others by its products with them: its squared length, and what it is compared against.
pub(crate) struct Compared<'a> {
    pub(crate) products: &'a [f32],
    /// The squared length of this row, and of the others.
    pub(crate) length: f32,
    pub(crate) lengths: &'a [f32],
    /// Squared distances are of interest up to the larger of this row's limit and the other's.
    pub(crate) limit: f32,
    pub(crate) limits: &'a [f32],
}

impl Compared<'_> {
    /// Calls `hit` with the place of every row that is near enough, and with the squared distance.
    pub(crate) fn each_near(&self, hit: &mut dyn FnMut(usize, f32)) {
        InstructionSet::best().run(NearEnough { row: self, hit });
    }
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

struct Between<'a> {
    cells: &'a [f32],
    from: f32,
    to: f32,
    hit: &'a mut dyn FnMut(usize),
}

impl Work for Between<'_> {
    type Output = usize;

    #[inline(always)]
    unsafe fn run<I: Isa, const ROWS: usize>(self) -> usize {
        /// Numbers whose places are looked at once more where one of them is between.
        const RUN: usize = 512;
        let (from, to) = (self.from, self.to);
        let mut total = 0;
        for (c, chunk) in self.cells.chunks(RUN).enumerate() {
            let (mut below, mut reached) = (0u32, 0u32);
            for x in chunk {
                below += u32::from(*x < from);
                reached += u32::from(*x <= to);
            }
            total += below as usize;
            if reached > below {
                let between = |x: f32| x >= from && x <= to;
                let places = (0..).zip(chunk).filter(|(_, x)| between(**x));
                places.for_each(|(l, _)| (self.hit)(c * RUN + l));
            }
        }
        total
    }
}

struct NearEnough<'a, 'b> {
    row: &'a Compared<'b>,
    hit: &'a mut dyn FnMut(usize, f32),
}

impl Work for NearEnough<'_, '_> {
    type Output = ();

    #[inline(always)]
    unsafe fn run<I: Isa, const ROWS: usize>(self) {
        let row = self.row;
        let square = |product: f32, other: f32| {
            let square = row.length + other - 2.0 * product;
            if square > 0.0 { square } else { 0.0 }
        };
        let larger = |limit: f32| if limit > row.limit { limit } else { row.limit };
        let all = row.products.chunks(CHUNK).zip(row.lengths.chunks(CHUNK));
        for (c, ((products, lengths), limits)) in all.zip(row.limits.chunks(CHUNK)).enumerate() {
            let cells = products.iter().zip(lengths).zip(limits);
            let near = cells.clone().map(|((product, other), limit)| {
                u32::from(square(*product, *other) <= larger(*limit))
            });
            if near.sum::<u32>() == 0 {
                continue;
            }
            for (l, ((product, other), limit)) in cells.enumerate() {
                let square = square(*product, *other);
                if square <= larger(*limit) {
                    (self.hit)(c * CHUNK + l, square);
                }
            }
        }
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
        let mut between = Vec::new();
        let below = each_between(&cells, (50.0, 53.0), &mut |j| between.push(cells[j]));
        between.sort_by(f32::total_cmp);
        assert_eq!((below, between), (50, vec![50.0, 51.0, 52.0, 53.0]));
        let row = Compared {
            products: &[1.0, 0.0, 2.0],
            length: 2.0,
            lengths: &[2.0, 2.0, 2.0],
            limit: 1.0,
            limits: &[1.0, 5.0, 0.0],
        };
        let mut near = Vec::new();
        row.each_near(&mut |j, square| near.push((j, square)));
        assert_eq!(near, [(1, 4.0), (2, 0.0)]);
        let mut products = vec![1.0, 2.0];
        subtract_twice(&mut products, &[3.0, 3.0]);
        assert_eq!(products, [1.0, -1.0]);
    }
}
