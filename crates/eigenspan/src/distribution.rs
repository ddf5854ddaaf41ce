//! Tails and quantiles of the normal, χ², beta and F distributions.
//!
//! All come from two functions (DLMF, <https://dlmf.nist.gov>, 8.2 and 8.17): the regularized incomplete gamma function by its
//! series (8.7.1) or its continued fraction (8.9.2), and the regularized incomplete beta function by its continued fraction
//! (8.17.22). Quantiles are found by bisection, down to the last bit that the functions resolve: about 1e-12. A probability
//! or parameter outside its range gives NaN.

use std::f64::consts::TAU;

/// The most terms of a series or a fraction; both need about the square root of their parameters.
const TERMS: usize = 100_000;
/// Replaces zero in a denominator of a continued fraction (Lentz 1976, Applied Optics 15:668).
const TINY: f64 = 1e-300;

/// log Γ(x) for x > 0: Stirling's series after a shift above 10.
pub fn ln_gamma(x: f64) -> f64 {
    let (mut x, mut shift) = (x, 0.0);
    while x < 10.0 {
        shift += x.ln();
        x += 1.0;
    }
    let r = 1.0 / (x * x);
    let series = (1.0 / 12.0 - r * (1.0 / 360.0 - r * (1.0 / 1260.0 - r / 1680.0))) / x;
    (x - 0.5) * x.ln() - x + 0.5 * TAU.ln() + series - shift
}

/// Probability that a standard normal lies at least as far from zero as z, on either side.
pub fn normal_two_sided(z: f64) -> f64 {
    chi2_tail(z * z, 1.0)
}

/// The z below which a standard normal lies with probability p.
pub fn normal_quantile(p: f64) -> f64 {
    // z² is χ² with one degree of freedom.
    let root = chi2_quantile((2.0 * p - 1.0).abs(), 1.0).sqrt();
    if p < 0.5 { -root } else { root }
}

/// Probability that χ² with `df` degrees of freedom exceeds x.
pub fn chi2_tail(x: f64, df: f64) -> f64 {
    gamma_tails(df / 2.0, x / 2.0).1
}

/// The x below which χ² with `df` degrees of freedom lies with probability p.
pub fn chi2_quantile(p: f64, df: f64) -> f64 {
    if !(0.0..1.0).contains(&p) || !is_positive(df) {
        return f64::NAN;
    }
    let mut high = df.max(1.0);
    while gamma_tails(df / 2.0, high / 2.0).1 > 1.0 - p {
        high *= 2.0;
    }
    bisect(high, |x| {
        let (lower, upper) = gamma_tails(df / 2.0, x / 2.0);
        is_below(lower, upper, p)
    })
}

/// The x in [0, 1] below which a beta variable lies with probability p.
pub fn beta_quantile(p: f64, a: f64, b: f64) -> f64 {
    if !(0.0..=1.0).contains(&p) || !is_positive(a) || !is_positive(b) {
        return f64::NAN;
    }
    bisect(1.0, |x| {
        let (lower, upper) = beta_tails(x, a, b);
        is_below(lower, upper, p)
    })
}

/// The x below which F with (d₁, d₂) degrees of freedom lies with probability p.
pub fn f_quantile(p: f64, d1: f64, d2: f64) -> f64 {
    // d₁F/(d₁F + d₂) is beta(d₁/2, d₂/2); the tail in which it is small keeps its digits.
    let x = beta_quantile(p, d1 / 2.0, d2 / 2.0);
    if x < 0.5 {
        return d2 * x / (d1 * (1.0 - x));
    }
    let rest = beta_quantile(1.0 - p, d2 / 2.0, d1 / 2.0);
    d2 * (1.0 - rest) / (d1 * rest)
}

/// Probability that F with (d₁, d₂) degrees of freedom exceeds x.
pub fn f_tail(x: f64, d1: f64, d2: f64) -> f64 {
    if !is_positive(d1) || !is_positive(d2) || x.is_nan() {
        return f64::NAN;
    }
    if x <= 0.0 {
        return 1.0;
    }
    if x.is_infinite() {
        return 0.0;
    }
    beta_tails(d2 / (d2 + d1 * x), d2 / 2.0, d1 / 2.0).0
}

fn is_positive(x: f64) -> bool {
    x > 0.0 && x.is_finite()
}

/// Whether a point with these tails lies below the quantile of p, decided by the smaller tail.
fn is_below(lower: f64, upper: f64, p: f64) -> bool {
    if p < 0.5 { lower < p } else { upper > 1.0 - p }
}

/// The place in [0, high] where `is_below` turns false.
fn bisect(high: f64, is_below: impl Fn(f64) -> bool) -> f64 {
    let (mut low, mut high) = (0.0, high);
    loop {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            return middle;
        }
        if is_below(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
}

/// P(a, x) and Q(a, x) = 1 − P(a, x).
fn gamma_tails(a: f64, x: f64) -> (f64, f64) {
    if !is_positive(a) || x.is_nan() {
        return (f64::NAN, f64::NAN);
    }
    if x <= 0.0 {
        return (0.0, 1.0);
    }
    if x.is_infinite() {
        return (1.0, 0.0);
    }
    let front = (a * x.ln() - x - ln_gamma(a)).exp();
    if x < a + 1.0 {
        // P = xᵃe⁻ˣ/Γ(a) Σ xⁿ / (a (a+1) … (a+n)).
        let (mut term, mut sum) = (1.0 / a, 1.0 / a);
        for n in 1..TERMS {
            term *= x / (a + n as f64);
            sum += term;
            if term < sum * f64::EPSILON {
                break;
            }
        }
        let lower = (front * sum).min(1.0);
        return (lower, 1.0 - lower);
    }
    // Q = xᵃe⁻ˣ/Γ(a) · 1/(x+1−a− 1(1−a)/(x+3−a− 2(2−a)/(x+5−a− …))).
    let terms = (1..TERMS).map(|n| {
        let n = n as f64;
        (-n * (n - a), x + 2.0 * n + 1.0 - a)
    });
    let upper = (front / fraction(x + 1.0 - a, terms)).min(1.0);
    (1.0 - upper, upper)
}

/// I_x(a, b) and 1 − I_x(a, b).
fn beta_tails(x: f64, a: f64, b: f64) -> (f64, f64) {
    if x <= 0.0 {
        return (0.0, 1.0);
    }
    if x >= 1.0 {
        return (1.0, 0.0);
    }
    // The fraction converges quickly on the side below the mean.
    if x > (a + 1.0) / (a + b + 2.0) {
        let (lower, upper) = beta_tails(1.0 - x, b, a);
        return (upper, lower);
    }
    let log_beta = ln_gamma(a) + ln_gamma(b) - ln_gamma(a + b);
    let front = (a * x.ln() + b * (-x).ln_1p() - log_beta).exp() / a;
    let terms = (1..TERMS).map(|n| {
        let m = (n / 2) as f64;
        let d = if n % 2 == 0 {
            m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m))
        } else {
            -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0))
        };
        (d, 1.0)
    });
    let lower = (front / fraction(1.0, terms)).min(1.0);
    (lower, 1.0 - lower)
}

/// b₀ + a₁/(b₁ + a₂/(b₂ + …)) by Lentz's method.
fn fraction(first: f64, terms: impl Iterator<Item = (f64, f64)>) -> f64 {
    let nonzero = |x: f64| if x.abs() < TINY { TINY } else { x };
    let mut value = nonzero(first);
    let (mut c, mut d) = (value, 0.0);
    for (a, b) in terms {
        d = nonzero(b + a * d).recip();
        c = nonzero(b + a / c);
        value *= c * d;
        if (c * d - 1.0).abs() < f64::EPSILON {
            break;
        }
    }
    value
}
