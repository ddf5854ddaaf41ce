//! eˣ of many numbers at once, by a polynomial that the compiler turns into vector instructions.
//!
//! x = n·ln 2 + r with |r| ≤ ln 2 / 2, eˣ = 2ⁿ·eʳ; eʳ by a polynomial of degree 11, which is off by less than
//! 2e-17: within two units of the last place. Below −708 it is 0, above 709 infinite; NaN stays NaN.

use super::simd::{InstructionSet, Isa, Work};

/// Every cell x becomes eˣ.
pub fn exp_all(cells: &mut [f64]) {
    InstructionSet::best().run(Exp(cells));
}

/// Replaces every cell of a row of inner products xᵀy by exp(−γ‖x − y‖²), where ‖x‖² is `own` and ‖y‖² are `others`.
pub(crate) fn gaussian_row(products: &mut [f64], own: f64, others: &[f64], gamma: f64) {
    InstructionSet::best().run(Gaussian {
        products,
        own,
        others,
        gamma,
    });
}

/// Replaces every cell of a row of inner products uᵀv by exp(−γ‖u − v‖²) − gᵤ − gᵥ + 1, without cancellation if that is
/// small. The caller gives ‖u‖² and ‖v‖², and gᵤ − 1 = expm1(−γ‖u‖²) and gᵥ − 1.
pub(crate) fn gaussian_row_relative(
    products: &mut [f64],
    (own, others): (f64, &[f64]),
    (own_less, others_less): (f64, &[f64]),
    gamma: f64,
) {
    InstructionSet::best().run(RelativeGaussian {
        products,
        own,
        others,
        own_less,
        others_less,
        gamma,
    });
}

struct Exp<'a>(&'a mut [f64]);

impl Work for Exp<'_> {
    type Output = ();

    #[inline(always)]
    unsafe fn run<I: Isa, const ROWS: usize>(self) {
        match I::FUSED {
            true => self.0.iter_mut().for_each(|x| *x = exp::<true>(*x)),
            false => self.0.iter_mut().for_each(|x| *x = exp::<false>(*x)),
        }
    }
}

/// ‖u − v‖² from ‖u‖², ‖v‖² and uᵀv. If rounding makes it negative, it counts as zero; NaN stays NaN.
#[inline(always)]
fn squared_distance(own: f64, other: f64, product: f64) -> f64 {
    let square = (own + other) - 2.0 * product;
    if square < 0.0 { 0.0 } else { square }
}

struct Gaussian<'a> {
    products: &'a mut [f64],
    own: f64,
    others: &'a [f64],
    gamma: f64,
}

impl Gaussian<'_> {
    #[inline(always)]
    fn go<const FUSED: bool>(self) {
        for (x, other) in self.products.iter_mut().zip(self.others) {
            let square = squared_distance(self.own, *other, *x);
            *x = exp_below::<FUSED>(-self.gamma * square);
        }
    }
}

impl Work for Gaussian<'_> {
    type Output = ();

    #[inline(always)]
    unsafe fn run<I: Isa, const ROWS: usize>(self) {
        match I::FUSED {
            true => self.go::<true>(),
            false => self.go::<false>(),
        }
    }
}

struct RelativeGaussian<'a> {
    products: &'a mut [f64],
    own: f64,
    others: &'a [f64],
    own_less: f64,
    others_less: &'a [f64],
    gamma: f64,
}

impl RelativeGaussian<'_> {
    #[inline(always)]
    fn go<const FUSED: bool>(self) {
        let sides = self.others.iter().zip(self.others_less);
        for (x, (other, other_less)) in self.products.iter_mut().zip(sides) {
            let square = squared_distance(self.own, *other, *x);
            let value = exp_below::<FUSED>(-self.gamma * square);
            // (gᵤ − 1)(gᵥ − 1) + gᵤ·gᵥ·expm1(2γuᵀv), where the last two factors are exp(−γ‖u − v‖²) − gᵤ·gᵥ.
            let both = (1.0 + self.own_less) * (1.0 + other_less);
            let along = 2.0 * self.gamma * *x;
            let grown = match along.abs() < NEAR {
                true => both * exp_less_one::<FUSED>(along),
                false => value - both,
            };
            *x = self.own_less * other_less + grown;
        }
    }
}

impl Work for RelativeGaussian<'_> {
    type Output = ();

    #[inline(always)]
    unsafe fn run<I: Isa, const ROWS: usize>(self) {
        match I::FUSED {
            true => self.go::<true>(),
            false => self.go::<false>(),
        }
    }
}

/// For |x| below this, eˣ − 1 is computed by a short series.
const NEAR: f64 = 0.35;

/// eˣ − 1 for |x| below [`NEAR`], from 14 terms of its series: the relative error is less than 2e-17.
#[inline(always)]
fn exp_less_one<const FUSED: bool>(x: f64) -> f64 {
    const TERMS: usize = 14;
    /// 1 ÷ n!, from n = 14 to 1.
    const SERIES: [f64; TERMS] = {
        let mut series = [1.0; TERMS];
        let (mut n, mut factorial) = (2, 1.0);
        while n <= TERMS {
            factorial *= n as f64;
            series[TERMS - n] = 1.0 / factorial;
            n += 1;
        }
        series
    };
    let step = |sum: f64, term: f64| match FUSED {
        true => sum.mul_add(x, term),
        false => sum * x + term,
    };
    let mut sum = SERIES[0];
    for term in &SERIES[1..] {
        sum = step(sum, *term);
    }
    sum * x
}

/// eʳ as a polynomial, from r¹¹ to r⁰: it equals eʳ at the 12 Chebyshev points of |r| ≤ ln 2 / 2.
const POLYNOMIAL: [f64; 12] = [
    2.511_003_760_596_377_7e-8,
    2.763_263_963_904_103e-7,
    2.755_724_091_857_897e-6,
    2.480_148_548_232_849_4e-5,
    1.984_126_989_004_711_3e-4,
    1.388_888_895_231_477_5e-3,
    8.333_333_333_319_601e-3,
    4.166_666_666_648_81e-2,
    1.666_666_666_666_668e-1,
    5.000_000_000_000_019e-1,
    1.0,
    1.0,
];
const LEAST: f64 = -708.0;
const MOST: f64 = 709.0;
/// ln 2 in two parts; products of the first with n are exact.
const LN_2: (f64, f64) = (6.931_471_803_691_238e-1, 1.908_214_929_270_587_7e-10);
/// Added to a number below 2⁵¹, it leaves the nearest integer in the last bits.
const TO_WHOLE: f64 = 6_755_399_441_055_744.0;

#[inline(always)]
fn exp<const FUSED: bool>(x: f64) -> f64 {
    match x > MOST {
        true => f64::INFINITY,
        false => exp_below::<FUSED>(x),
    }
}

/// eˣ for x that are not too large.
#[inline(always)]
fn exp_below<const FUSED: bool>(x: f64) -> f64 {
    // Without a fused instruction, `mul_add` would call the C library.
    let mul_add = |a: f64, b: f64, c: f64| match FUSED {
        true => a.mul_add(b, c),
        false => a * b + c,
    };
    let shifted = mul_add(x, std::f64::consts::LOG2_E, TO_WHOLE);
    let n = shifted - TO_WHOLE;
    let r = mul_add(n, -LN_2.1, mul_add(n, -LN_2.0, x));
    // Pairs of terms, then pairs of pairs: a single chain of operations would make the processor wait.
    let square = r * r;
    let pair = |i: usize| mul_add(POLYNOMIAL[i], r, POLYNOMIAL[i + 1]);
    let four = |i: usize| mul_add(pair(i), square, pair(i + 2));
    let fourth = square * square;
    let sum = mul_add(mul_add(four(0), fourth, four(4)), fourth, four(8));
    // 2ⁿ: n + 1023 is its exponent, and stands in the last bits.
    let power = f64::from_bits(shifted.to_bits().wrapping_add(1023) << 52);
    match x < LEAST {
        true => 0.0,
        false => sum * power,
    }
}

#[cfg(test)]
mod tests {
    use super::{Exp, Gaussian, InstructionSet, RelativeGaussian};

    /// The C library's exponential is correct to a unit in the last place.
    #[test]
    fn every_instruction_set_gives_the_exponential() {
        let wide = (-70_800..=70_900).map(|i| f64::from(i) / 100.0);
        // Where the polynomial is least accurate: near half multiples of ln 2, and near zero.
        let halves = (-999..=999).map(|i| (f64::from(i) + 0.499_999) * std::f64::consts::LN_2);
        let tiny = (0..60).flat_map(|i| [0.5f64.powi(i), -0.5f64.powi(i)]);
        let subnormal = [f64::MIN_POSITIVE / 8.0, -f64::MIN_POSITIVE / 8.0, -0.0];
        let numbers: Vec<f64> = wide.chain(halves).chain(tiny).chain(subnormal).collect();
        for set in InstructionSet::available() {
            let mut cells = numbers.clone();
            set.run(Exp(&mut cells));
            for (x, got) in numbers.iter().zip(&cells) {
                assert!(
                    (got / x.exp() - 1.0).abs() <= 2.0 * f64::EPSILON,
                    "{set:?}: exp({x}) = {got}"
                );
            }
            let mut edges = [
                f64::NAN,
                f64::INFINITY,
                f64::NEG_INFINITY,
                0.0,
                -745.2,
                720.0,
            ];
            set.run(Exp(&mut edges));
            assert!(edges[0].is_nan());
            assert_eq!(edges[1..], [f64::INFINITY, 0.0, 1.0, 0.0, f64::INFINITY]);
        }
    }

    /// k − gᵤ − gᵥ + 1 = expm1(−γ‖u − v‖²) − expm1(−γ‖u‖²) − expm1(−γ‖v‖²), which is −2γuᵀv + … where all are small.
    #[test]
    fn a_gaussian_relative_to_the_origin_keeps_its_digits() {
        let rows: Vec<f64> = (-40..40).map(|i| f64::from(i) / 7.0 + 0.01).collect();
        for set in InstructionSet::available() {
            for gamma in [1e-14, 1e-6, 0.003, 0.5, 40.0] {
                let less: Vec<f64> = rows.iter().map(|u| (-gamma * u * u).exp_m1()).collect();
                let squares: Vec<f64> = rows.iter().map(|u| u * u).collect();
                for (i, u) in rows.iter().enumerate() {
                    let mut products: Vec<f64> = rows.iter().map(|v| u * v).collect();
                    set.run(RelativeGaussian {
                        products: &mut products,
                        own: squares[i],
                        others: &squares,
                        own_less: less[i],
                        others_less: &less,
                        gamma,
                    });
                    for (j, v) in rows.iter().enumerate() {
                        let plain = (-gamma * (u - v) * (u - v)).exp_m1() - less[i] - less[j];
                        let size = gamma * (u * u + v * v);
                        let off = (products[j] - plain).abs();
                        assert!(
                            off <= 1e-15 * (1.0 + size).min(8.0 * size),
                            "{set:?} {gamma}: {u}, {v}: {off:e}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn a_distance_below_zero_counts_as_zero_and_nan_stays() {
        for set in InstructionSet::available() {
            let mut products = [1.0 + 1e-15, f64::NAN, 0.0];
            set.run(Gaussian {
                products: &mut products,
                own: 1.0,
                others: &[1.0, 1.0, 1.0],
                gamma: 0.5,
            });
            assert_eq!(products[0], 1.0);
            assert!(products[1].is_nan());
            assert!((products[2] - (-1.0f64).exp()).abs() < 1e-16);
        }
    }
}
