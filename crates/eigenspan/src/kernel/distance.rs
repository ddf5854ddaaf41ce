//! Distances between two rows, term by term, for rows so near each other that inner products would lose their difference.

/// Σ|aⱼ − bⱼ|.
pub(crate) fn taxicab(a: &[f64], b: &[f64]) -> f64 {
    summed(a, b, |a, b| (a - b).abs())
}

/// Σ(aⱼ − bⱼ)².
pub(crate) fn square(a: &[f64], b: &[f64]) -> f64 {
    summed(a, b, |a, b| (a - b) * (a - b))
}

/// Σ(aⱼ − bⱼ)²/(aⱼ + bⱼ), where 0/0 counts as 0.
pub(crate) fn chi2(a: &[f64], b: &[f64]) -> f64 {
    summed(a, b, |a, b| {
        let (difference, sum) = (a - b, a + b);
        if sum > 0.0 {
            difference * difference / sum
        } else {
            0.0
        }
    })
}

/// In how many places two rows differ.
pub(crate) fn differing(a: &[f64], b: &[f64]) -> f64 {
    summed(a, b, |a, b| f64::from(u8::from(a != b)))
}

/// The columns of a row's cells that are not zero, rising, and the cells.
type SparseRow<'a> = (&'a [u32], &'a [f64]);

/// Σ term(aⱼ, bⱼ) of rows of d cells whose nonzero cells are given, with their columns in rising order; term(0, 0) is 0. The same
/// bits as the sum over all cells.
pub(crate) fn summed_sparse(
    (a, b): (SparseRow<'_>, SparseRow<'_>),
    d: usize,
    term: impl Fn(f64, f64) -> f64,
) -> f64 {
    let mut lanes = [0.0f64; LANES];
    let whole = d / LANES * LANES;
    let (mut i, mut j) = (0, 0);
    loop {
        let col = |columns: &[u32], at: usize| columns.get(at).map_or(u32::MAX, |col| *col);
        let (left, right) = (col(a.0, i), col(b.0, j));
        let col = left.min(right);
        if col == u32::MAX {
            break;
        }
        let (mut x, mut y) = (0.0, 0.0);
        if left == col {
            (x, i) = (a.1[i], i + 1);
        }
        if right == col {
            (y, j) = (b.1[j], j + 1);
        }
        let col = col as usize;
        lanes[if col < whole {
            col % LANES
        } else {
            col - whole
        }] += term(x, y);
    }
    total(&lanes)
}

const LANES: usize = 8;

/// Σ term(aⱼ, bⱼ), in eight lanes that the compiler turns into vector instructions.
#[inline(always)]
fn summed(a: &[f64], b: &[f64], term: impl Fn(f64, f64) -> f64) -> f64 {
    let mut lanes = [0.0f64; LANES];
    let whole = a.len().min(b.len()) / LANES * LANES;
    for (a, b) in a.chunks_exact(LANES).zip(b.chunks_exact(LANES)) {
        for l in 0..LANES {
            lanes[l] += term(a[l], b[l]);
        }
    }
    let rest = a[whole..].iter().zip(&b[whole..]);
    for (lane, (a, b)) in lanes.iter_mut().zip(rest) {
        *lane += term(*a, *b);
    }
    total(&lanes)
}

fn total(lanes: &[f64; LANES]) -> f64 {
    ((lanes[0] + lanes[4]) + (lanes[1] + lanes[5]))
        + ((lanes[2] + lanes[6]) + (lanes[3] + lanes[7]))
}
