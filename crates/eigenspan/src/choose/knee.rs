//! The knee of the scree: where large eigenvalues end and small ones begin.
//!
//! - Kneedle (Satopää et al. 2011, doi:10.1109/ICDCSW.2011.20): both axes scaled to [0, 1], the knee is the first local
//!   maximum of the distance 1 − x − y from the chord after which the distance falls by more than one step of x.
//! - Profile likelihood (Zhu & Ghodsi 2006, doi:10.1016/j.csda.2005.09.010): the first q eigenvalues and the others are two
//!   normal samples with a common variance; the likeliest q wins.

use super::advice::best;
use super::{Advice, Detail, Rule, Scree};
use crate::error::counted;

/// The knee by distance from the chord; the components before it are kept.
pub fn kneedle(scree: &Scree) -> Advice {
    let values = match scree.complete(Rule::Kneedle, 3) {
        Ok(values) => values,
        Err(advice) => return *advice,
    };
    let last = values.len() - 1;
    let (top, low) = (values[0], values[last]);
    if top - low <= 1e-12 * top {
        return Advice::none(Rule::Kneedle, "all eigenvalues are equal");
    }
    let distance: Vec<f64> = values
        .iter()
        .enumerate()
        .map(|(i, x)| 1.0 - i as f64 / last as f64 - (x - low) / (top - low))
        .collect();
    let Some(k) = first_knee(&distance) else {
        return Advice::none(Rule::Kneedle, "the scree does not bend");
    };
    let sentence = format!(
        "the scree bends after {}: there it lies farthest from a straight line",
        counted(k, "component")
    );
    let detail = Detail::Scores {
        first: 0,
        values: distance,
    };
    Advice::new(Rule::Kneedle, k, sentence, detail)
}

/// The first local maximum above 0 after which the distance falls by a step of x before it exceeds that maximum again.
fn first_knee(distance: &[f64]) -> Option<usize> {
    let step = 1.0 / (distance.len() - 1) as f64;
    let top = (1..distance.len() - 1).find(|&i| {
        distance[i] > 0.0
            && distance[i] >= distance[i - 1]
            && distance[i] > distance[i + 1]
            && distance[i + 1..]
                .iter()
                .take_while(|d| **d <= distance[i])
                .any(|d| *d < distance[i] - step)
    });
    top.or_else(|| best(distance.iter().copied()).filter(|&i| distance[i] > 0.0))
}

/// The best split into two groups of eigenvalues.
pub fn profile_likelihood(scree: &Scree) -> Advice {
    let rule = Rule::ProfileLikelihood;
    let values = match scree.complete(rule, 3) {
        Ok(values) => values,
        Err(advice) => return *advice,
    };
    let p = values.len();
    if values[0] - values[p - 1] <= 1e-12 * values[0] {
        return Advice::none(rule, "all eigenvalues are equal");
    }
    // Relative to the largest, so that no square leaves the range of f64.
    let values: Vec<f64> = values.iter().map(|x| x / values[0]).collect();
    // log-likelihood = −p/2 (log 2πs² + 1) + const. with s² the squares about both means, divided by p − 2.
    let likelihood = |q: usize| {
        let within = squares_about_mean(&values[..q]) + squares_about_mean(&values[q..]);
        let variance = within / (p - 2).max(1) as f64;
        let degrees = (p - 2) as f64;
        -0.5 * (p as f64 * (std::f64::consts::TAU * variance.max(1e-30)).ln() + degrees)
    };
    let scores: Vec<f64> = (1..p).map(likelihood).collect();
    let k = best(scores.iter().copied()).map_or(1, |i| i + 1);
    let sentence = format!(
        "{} and the rest make the best split into two groups",
        match k {
            1 => "the first eigenvalue".to_owned(),
            k => format!("the first {}", counted(k, "eigenvalue")),
        }
    );
    let detail = Detail::Scores {
        first: 1,
        values: scores,
    };
    Advice::new(rule, k, sentence, detail)
}

fn squares_about_mean(values: &[f64]) -> f64 {
    let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
    values.iter().map(|x| (x - mean).powi(2)).sum()
}
