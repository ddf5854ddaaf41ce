//! Thresholds for eigenvalues of pure noise: the edge of Marchenko & Pastur, and the optimal hard threshold of Gavish & Donoho.
//!
//! With N free rows, d columns, p = min(N, d), q = max(N, d), β = p/q and noise of variance s² in every cell, the p
//! eigenvalues λ of pure noise, as y = λN/(q s²), fill [(1 − √β)², (1 + √β)²] with the Marchenko–Pastur density
//! (doi:10.1070/SM1967v001n04ABEH001994).
//!
//! - The noise is estimated: s² is the median eigenvalue over the median of that density, recomputed without the eigenvalues
//!   above the edge until their number no longer changes.
//! - Edge: λN/s² > (√N + √d)² + 0.9793 (√N + √d)(1/√N + 1/√d)^⅓, the 95 % point of the largest eigenvalue of noise
//!   (Johnstone 2001, doi:10.1214/aos/1009210544).
//! - Hard threshold (Gavish & Donoho 2014, doi:10.1109/TIT.2014.2323359): singular values above λ(β)√q s for known noise,
//!   λ(β) = √(2(β + 1) + 8β/(β + 1 + √(β² + 14β + 1))); above ω(β) × their median for unknown noise,
//!   ω(β) = λ(β)/√(median of Marchenko–Pastur).

use std::f64::consts::PI;

use super::advice::rounded;
use super::{Advice, Detail, Rule, Scree};
use crate::error::counted;

/// 95 % quantile of the Tracy–Widom law of real matrices.
const TRACY_WIDOM_95: f64 = 0.9793;

/// Smallest number of eigenvalues for which the law of large tables is used: Johnstone found it accurate from 5 × 5 on.
const FEWEST: usize = 5;

/// Why a rule that estimates the noise by the median eigenvalue abstains.
const HALF: &str =
    "half of the eigenvalues would count as signal, so their median does not estimate noise";

/// The number of eigenvalues above the largest that noise of the bulk's variance would have.
pub fn marchenko_pastur(scree: &Scree) -> Advice {
    let rule = Rule::MarchenkoPastur;
    let values = match scree.complete(rule, FEWEST) {
        Ok(values) => values,
        Err(advice) => return *advice,
    };
    let (n, d) = (scree.freedom() as f64, scree.n_cols() as f64);
    let (p, q) = (values.len() as f64, n.max(d));
    let (root_n, root_d) = (n.sqrt(), d.sqrt());
    let edge = (root_n + root_d).powi(2)
        + TRACY_WIDOM_95 * (root_n + root_d) * (1.0 / root_n + 1.0 / root_d).cbrt();
    // The noise is estimated from all eigenvalues first, then from those that are not signal, until nothing changes.
    let (mut k, mut noise) = (0, 0.0);
    for _ in 0..values.len() {
        let bulk = &values[k..];
        if bulk.is_empty() {
            break;
        }
        noise = median(bulk) * n / (q * quantile(p / q, 0.5));
        let above = values.iter().take_while(|x| **x * n > edge * noise).count();
        if above <= k {
            break;
        }
        k = above;
    }
    if noise <= 0.0 {
        let why = "most eigenvalues below the large ones are zero: there is no noise";
        return Advice::none(rule, why);
    }
    let sentence = format!(
        "{} above {}, the largest that noise would give; its variance, {}, is estimated from the median eigenvalue",
        counted(k, "eigenvalue"),
        rounded(edge * noise / n),
        rounded(noise),
    );
    let detail = Detail::Threshold {
        eigenvalue: edge * noise / n,
        noise,
    };
    Advice::new(rule, k, sentence, detail).abstaining(2 * k >= values.len(), HALF)
}

/// Singular values above ω(β) times their median.
pub fn hard_threshold(scree: &Scree) -> Advice {
    let rule = Rule::HardThreshold;
    let values = match scree.complete(rule, FEWEST) {
        Ok(values) => values,
        Err(advice) => return *advice,
    };
    let (beta, q) = ratio(scree);
    let middle = median(values);
    if middle <= 0.0 {
        return Advice::none(rule, "half of the eigenvalues are zero: there is no noise");
    }
    // Eigenvalues are squares of singular values, so the threshold is squared; the median eigenvalue is the square of the
    // median singular value.
    let bar = unknown_noise_factor(beta).powi(2) * middle;
    let noise = middle * scree.freedom() as f64 / (q * marchenko_pastur_median(beta));
    let advice = by_threshold(values, bar, noise, "times the median singular value");
    let at_most = advice.k.is_some_and(|k| 2 * k + 1 >= values.len());
    advice.abstaining(at_most, HALF)
}

/// Singular values above λ(β)√q s, where the variance s² of the noise in every cell is known.
pub fn hard_threshold_known(scree: &Scree, noise: f64) -> Advice {
    let rule = Rule::HardThreshold;
    let values = match scree.complete(rule, 1) {
        Ok(values) => values,
        Err(advice) => return *advice,
    };
    if !(noise.is_finite() && noise >= 0.0) {
        return Advice::none(rule, "the variance of the noise is not a number from 0");
    }
    let (beta, q) = ratio(scree);
    let bar = known_noise_factor(beta).powi(2) * q * noise / scree.freedom() as f64;
    by_threshold(values, bar, noise, "for the noise given")
}

fn by_threshold(values: &[f64], bar: f64, noise: f64, how: &str) -> Advice {
    let k = values.iter().take_while(|x| **x > bar).count();
    let sentence = format!(
        "{} above {}, the best place to cut {how}",
        counted(k, "eigenvalue"),
        rounded(bar)
    );
    let detail = Detail::Threshold {
        eigenvalue: bar,
        noise,
    };
    Advice::new(Rule::HardThreshold, k, sentence, detail)
}

/// β, and the longer side.
fn ratio(scree: &Scree) -> (f64, f64) {
    let (n, d) = (scree.freedom() as f64, scree.n_cols() as f64);
    (n.min(d) / n.max(d), n.max(d))
}

/// λ(β): the threshold in units of √q s.
pub fn known_noise_factor(beta: f64) -> f64 {
    let root = (beta * beta + 14.0 * beta + 1.0).sqrt();
    (2.0 * (beta + 1.0) + 8.0 * beta / (beta + 1.0 + root)).sqrt()
}

/// ω(β): the threshold in units of the median singular value.
pub fn unknown_noise_factor(beta: f64) -> f64 {
    known_noise_factor(beta) / marchenko_pastur_median(beta).sqrt()
}

/// The median of the Marchenko–Pastur density with 0 < β ≤ 1 and noise of variance 1.
pub fn marchenko_pastur_median(beta: f64) -> f64 {
    quantile(beta, 0.5)
}

/// A quantile of the Marchenko–Pastur density: bisection of its integral.
pub(super) fn quantile(beta: f64, share: f64) -> f64 {
    let (mut low, mut high) = (0.0, PI);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if mass_below(beta, middle) < share {
            low = middle;
        } else {
            high = middle;
        }
    }
    place(beta, 0.5 * (low + high))
}

/// y = 1 + β − 2√β cos θ, written so that nothing cancels.
fn place(beta: f64, angle: f64) -> f64 {
    let root = beta.sqrt();
    (1.0 - root).powi(2) + 4.0 * root * (0.5 * angle).sin().powi(2)
}

/// The mass below θ by Simpson's rule: in θ the density is the smooth 2 sin²θ / (π y).
fn mass_below(beta: f64, angle: f64) -> f64 {
    const STEPS: usize = 400;
    let density = |t: f64| {
        let y = place(beta, t);
        // At β = 1 and θ = 0 numerator and denominator vanish; their ratio is 1.
        let ratio = if y > 0.0 { t.sin().powi(2) / y } else { 1.0 };
        2.0 / PI * ratio
    };
    let step = angle / STEPS as f64;
    let inner: f64 = (1..STEPS)
        .map(|i| density(i as f64 * step) * if i % 2 == 1 { 4.0 } else { 2.0 })
        .sum();
    (density(0.0) + inner + density(angle)) * step / 3.0
}

/// The median of numbers in falling order.
fn median(values: &[f64]) -> f64 {
    let half = values.len() / 2;
    match values.len() {
        0 => 0.0,
        len if len % 2 == 1 => values[half],
        _ => 0.5 * (values[half - 1] + values[half]),
    }
}
