//! Inner products and norms whose error does not grow with the length.
//!
//! Eight lanes add up short blocks, which the compiler turns into vector instructions; the blocks' sums are added with
//! compensation (Neumaier 1974, doi:10.1002/zamm.19740540106).

const LANES: usize = 8;
const BLOCK: usize = 8 * LANES;

/// aᵀb.
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    debug_assert_eq!(a.len(), b.len());
    let (mut sum, mut lost) = (0.0f64, 0.0f64);
    for (a, b) in a.chunks(BLOCK).zip(b.chunks(BLOCK)) {
        add(&mut sum, &mut lost, block_dot(a, b));
    }
    sum + lost
}

/// The sum of all numbers.
pub fn sum(a: &[f64]) -> f64 {
    const ONES: [f64; BLOCK] = [1.0; BLOCK];
    let (mut total, mut lost) = (0.0f64, 0.0f64);
    for a in a.chunks(BLOCK) {
        add(&mut total, &mut lost, block_dot(a, &ONES[..a.len()]));
    }
    total + lost
}

/// Adds x to a sum, and the rounding error of that addition to the errors so far.
#[inline(always)]
fn add(sum: &mut f64, lost: &mut f64, x: f64) {
    let next = *sum + x;
    *lost += if sum.abs() >= x.abs() {
        (*sum - next) + x
    } else {
        (x - next) + *sum
    };
    *sum = next;
}

fn block_dot(a: &[f64], b: &[f64]) -> f64 {
    let mut lanes = [0.0f64; LANES];
    let (heads, tail) = (a.chunks_exact(LANES), a.len() / LANES * LANES);
    for (a, b) in heads.zip(b.chunks_exact(LANES)) {
        for l in 0..LANES {
            lanes[l] += a[l] * b[l];
        }
    }
    for (l, (a, b)) in a[tail..].iter().zip(&b[tail..]).enumerate() {
        lanes[l] += a * b;
    }
    ((lanes[0] + lanes[4]) + (lanes[1] + lanes[5]))
        + ((lanes[2] + lanes[6]) + (lanes[3] + lanes[7]))
}

/// ‖v‖, safe from overflow and underflow of the squares.
pub fn norm(v: &[f64]) -> f64 {
    let squares = dot(v, v);
    if (1e-280..1e280).contains(&squares) {
        return squares.sqrt();
    }
    if squares.is_nan() && v.iter().any(|x| x.is_nan()) {
        return f64::NAN;
    }
    let largest = v.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    if largest == 0.0 || !largest.is_finite() {
        return largest;
    }
    // Scaling by a power of two does not round.
    let scale = power_of_two_near(largest);
    let scaled: Vec<f64> = v.iter().map(|x| x / scale).collect();
    dot(&scaled, &scaled).sqrt() * scale
}

/// The power of two at or below a positive normal number.
pub(crate) fn power_of_two_near(x: f64) -> f64 {
    f64::from_bits(x.to_bits() & 0x7ff0_0000_0000_0000).max(f64::MIN_POSITIVE)
}
