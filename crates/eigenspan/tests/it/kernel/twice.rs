//! Numbers with twice the digits of an f64, as a sum of two that do not overlap (Dekker 1971, doi:10.1007/BF01397083): what
//! tests compare with where f64 itself would round.

use std::ops::{Add, Div, Mul, Neg, Sub};

/// The sum of two numbers, of which the second is at most half a last place of the first.
#[derive(Debug, Clone, Copy)]
pub(super) struct Twice(f64, f64);

impl Twice {
    pub(super) fn high(self) -> f64 {
        self.0
    }

    fn sum(a: f64, b: f64) -> Twice {
        let sum = a + b;
        let from_b = sum - a;
        Twice(sum, (a - (sum - from_b)) + (b - from_b))
    }

    fn product(a: f64, b: f64) -> Twice {
        let product = a * b;
        Twice(product, a.mul_add(b, -product))
    }

    /// Newton's step from the root of the first half.
    pub(super) fn sqrt(self) -> Twice {
        if self.0 <= 0.0 {
            return Twice(0.0, 0.0);
        }
        let root = self.0.sqrt();
        let rest = self - Twice::product(root, root);
        Twice::sum(root, rest.0 / (2.0 * root))
    }

    /// 2ⁿ·(e^(r/256))^256 with r below ln 2 / 2, by 12 terms of the series.
    pub(super) fn exp(self) -> Twice {
        const LN_2: Twice = Twice(std::f64::consts::LN_2, 2.319_046_813_846_299_6e-17);
        if self.0 < -690.0 {
            return Twice(0.0, 0.0);
        }
        let n = (self.0 / LN_2.0).round();
        let r = self - LN_2 * Twice::from(n);
        let small = Twice(r.0 / 256.0, r.1 / 256.0);
        let mut sum = Twice::from(1.0);
        for term in (1..=12).rev() {
            sum = Twice::from(1.0) + sum * small / Twice::from(f64::from(term));
        }
        for _ in 0..8 {
            sum = sum * sum;
        }
        let power = 2f64.powi(n as i32);
        Twice(sum.0 * power, sum.1 * power)
    }
}

impl From<f64> for Twice {
    fn from(x: f64) -> Twice {
        Twice(x, 0.0)
    }
}

impl Neg for Twice {
    type Output = Twice;
    fn neg(self) -> Twice {
        Twice(-self.0, -self.1)
    }
}

impl Add for Twice {
    type Output = Twice;
    fn add(self, other: Twice) -> Twice {
        let (high, low) = (Twice::sum(self.0, other.0), Twice::sum(self.1, other.1));
        let first = Twice::sum(high.0, high.1 + low.0);
        Twice::sum(first.0, first.1 + low.1)
    }
}

impl Sub for Twice {
    type Output = Twice;
    fn sub(self, other: Twice) -> Twice {
        self + -other
    }
}

impl Mul for Twice {
    type Output = Twice;
    fn mul(self, other: Twice) -> Twice {
        let product = Twice::product(self.0, other.0);
        Twice::sum(product.0, product.1 + (self.0 * other.1 + self.1 * other.0))
    }
}

impl Div for Twice {
    type Output = Twice;
    fn div(self, other: Twice) -> Twice {
        let quotient = self.0 / other.0;
        let rest = self - other * Twice::from(quotient);
        let next = rest.0 / other.0;
        let rest = rest - other * Twice::from(next);
        Twice::sum(quotient, next) + Twice::from(rest.0 / other.0)
    }
}

#[test]
fn twice_the_digits_are_right() {
    // e = 2.71828182845904523536028747135266249775724709369995…
    let e = Twice::from(1.0).exp();
    let off = (e - Twice(std::f64::consts::E, 1.445_646_891_729_250_2e-16)).high();
    assert!(off.abs() < 1e-30, "{off:e}");
    let third = Twice::from(1.0) / Twice::from(3.0);
    let off = (third * Twice::from(3.0) - Twice::from(1.0)).high();
    assert!(off.abs() < 1e-31, "{off:e}");
    let root = Twice::from(2.0).sqrt();
    assert!((root * root - Twice::from(2.0)).high().abs() < 1e-30);
    let one = Twice::from(-700.0).exp().high()
        + (Twice::from(-3.0).exp() * Twice::from(3.0).exp()).high();
    assert_eq!(one, 1.0);
}
