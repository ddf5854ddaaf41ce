//! Minka's evidence for the number of components (Minka 2000, Automatic choice of dimensionality for PCA, NIPS 13).
//!
//! log p(D | k) ≈ log p(U) − N/2 Σ_{i ≤ k} log λᵢ − N(d − k)/2 log v + (m + k)/2 log 2π − ½ log |A| − k/2 log N, with
//! v = Σ_{i > k} λᵢ/(d − k), m = dk − k(k + 1)/2, log p(U) = −k log 2 + Σ_{i ≤ k} [log Γ((d − i + 1)/2) − (d − i + 1)/2 log π],
//! log |A| = Σ_{i ≤ k} Σ_{j > i} [log((1/λ̂ⱼ − 1/λ̂ᵢ)(λᵢ − λⱼ)) + log N], λ̂ᵢ = λᵢ up to k and v after it.
//!
//! All d eigenvalues are used, also the zeros of a table with fewer rows than columns. Everything is a logarithm of λ ÷ mean,
//! so nothing overflows. Equal eigenvalues do not determine a direction: such a pair is left out of |A| and m, and k never
//! separates the two. Sums over pairs are carried from k to k + 1: O(d²) in all.

use std::f64::consts::{LN_2, PI, TAU};

use super::advice::best;
use super::{Advice, Detail, Rule, Scree};
use crate::distribution::ln_gamma;

/// Eigenvalues whose relative difference is below this count as equal.
const TIE: f64 = 1e-12;

/// The number of components with the most evidence, at least 1 unless all eigenvalues are equal.
pub fn minka(scree: &Scree) -> Advice {
    let rule = Rule::Minka;
    let values = match scree.complete(rule, 1) {
        Ok(values) => values,
        Err(advice) => return *advice,
    };
    let d = scree.n_cols();
    if d < 2 {
        return Advice::none(rule, "there is only one column");
    }
    let total: f64 = values.iter().sum();
    let mut spectrum: Vec<f64> = values.iter().map(|x| x * d as f64 / total).collect();
    spectrum.resize(d, 0.0);
    let scores = evidence(&spectrum, scree.n_rows() as f64);
    let k = best(scores.iter().copied()).map_or(0, |i| i + 1);
    if k == 0 && spectrum.windows(2).any(|pair| !tied(pair[0], pair[1])) {
        return Advice::none(rule, "no noise is left for any number of components");
    }
    let sentence = match k {
        0 => "all eigenvalues are equal: no component stands out".to_owned(),
        1 => "1 component has the most evidence under probabilistic PCA".to_owned(),
        k => format!("{k} components have the most evidence under probabilistic PCA"),
    };
    let detail = Detail::Scores {
        first: 1,
        values: scores,
    };
    let most = (d - 1).min(scree.possible());
    let why = "that is the largest number this rule can give";
    Advice::new(rule, k, sentence, detail).abstaining(k > 0 && k >= most, why)
}

fn tied(a: f64, b: f64) -> bool {
    (a - b).abs() <= TIE * a.max(b)
}

/// log(λᵢ − λⱼ), where they differ.
fn log_gap(a: f64, b: f64) -> Option<f64> {
    (!tied(a, b)).then(|| (a - b).abs().ln())
}

/// Sums over pairs (i, j), i < j: of logarithms, and how many pairs there are.
#[derive(Default)]
struct Pairs {
    sum: f64,
    count: f64,
}

impl Pairs {
    fn add(&mut self, term: Option<f64>, sign: f64) {
        if let Some(term) = term {
            self.sum += sign * term;
            self.count += sign;
        }
    }
}

/// log p(D | k) for k = 1 … d − 1; −∞ where k cuts between equal eigenvalues or leaves no noise.
fn evidence(spectrum: &[f64], n: f64) -> Vec<f64> {
    let d = spectrum.len();
    let mut scores = Vec::with_capacity(d - 1);
    let (mut inner, mut across) = (Pairs::default(), Pairs::default());
    let (mut log_prior, mut log_kept) = (0.0, 0.0);
    // Σ_{i > k} λᵢ, summed from the small end.
    let mut rest = vec![0.0; d + 1];
    for i in (0..d).rev() {
        rest[i] = rest[i + 1] + spectrum[i];
    }
    for k in 1..d {
        let new = spectrum[k - 1];
        if new <= 0.0 || rest[k] <= 0.0 {
            scores.resize(d - 1, f64::NEG_INFINITY);
            break;
        }
        // 1. The k-th joins the kept: its pairs with those before become inner ones, those after it are across.
        for kept in &spectrum[..k - 1] {
            let gap = log_gap(*kept, new);
            across.add(gap, -1.0);
            // (1/λⱼ − 1/λᵢ)(λᵢ − λⱼ) = (λᵢ − λⱼ)² / (λᵢλⱼ).
            inner.add(gap.map(|gap| 2.0 * gap - kept.ln() - new.ln()), 1.0);
        }
        for later in &spectrum[k..] {
            across.add(log_gap(new, *later), 1.0);
        }
        let half = (d - k + 1) as f64 / 2.0;
        log_prior += ln_gamma(half) - half * PI.ln() - LN_2;
        log_kept += new.ln();
        // 2. No k may separate equal eigenvalues.
        if tied(new, spectrum[k]) {
            scores.push(f64::NEG_INFINITY);
            continue;
        }
        // 3. 1/v − 1/λᵢ, once for each of the d − k directions of noise.
        let left = (d - k) as f64;
        let v = rest[k] / left;
        let to_noise: f64 = spectrum[..k].iter().map(|x| (1.0 / v - 1.0 / x).ln()).sum();
        let pairs = inner.count + across.count;
        let log_det = inner.sum + across.sum + left * to_noise + pairs * n.ln();
        let count = k as f64;
        scores.push(
            log_prior - 0.5 * n * (log_kept + left * v.ln()) + 0.5 * (pairs + count) * TAU.ln()
                - 0.5 * log_det
                - 0.5 * count * n.ln(),
        );
    }
    scores
}
