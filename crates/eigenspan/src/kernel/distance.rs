//! Distances between two rows, term by term, for rows so near each other that inner products would lose their difference.

/// Σ|aⱼ − bⱼ|.
pub(super) fn taxicab(a: &[f64], b: &[f64]) -> f64 {
    summed(a, b, |a, b| (a - b).abs())
}

/// Σ(aⱼ − bⱼ)².
pub(super) fn square(a: &[f64], b: &[f64]) -> f64 {
    summed(a, b, |a, b| (a - b) * (a - b))
}

/// Σ(aⱼ − bⱼ)²/(aⱼ + bⱼ), where 0/0 counts as 0.
pub(super) fn chi2(a: &[f64], b: &[f64]) -> f64 {
    summed(a, b, |a, b| {
        let (difference, sum) = (a - b, a + b);
        if sum > 0.0 {
            difference * difference / sum
        } else {
            0.0
        }
    })
}

/// Σ term(aⱼ, bⱼ), in eight lanes that the compiler turns into vector instructions.
#[inline(always)]
fn summed(a: &[f64], b: &[f64], term: impl Fn(f64, f64) -> f64) -> f64 {
    const LANES: usize = 8;
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
    ((lanes[0] + lanes[4]) + (lanes[1] + lanes[5]))
        + ((lanes[2] + lanes[6]) + (lanes[3] + lanes[7]))
}
