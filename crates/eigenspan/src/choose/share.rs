//! Rules that compare eigenvalues with their total: a share of the variance, Kaiser's mean, the broken stick.
//!
//! Kaiser 1960 (doi:10.1177/001316446002000116) keeps eigenvalues above their mean, which is 1 for a correlation matrix.
//! A stick of length 1 broken at random into p pieces has a k-th longest piece of (1/p) Σ_{i ≥ k} 1/i on average; shares
//! above that are kept up to the first that is not (Frontier 1976, Journal of Experimental Marine
//! Biology and Ecology 25:67–75).

use super::advice::{count_and_verb, rounded};
use super::{Advice, Detail, Rule, Scree};
use crate::error::counted;
use crate::solve::count_for_share;

/// As many components as a share of the total variance needs.
pub fn share(scree: &Scree, share: f64) -> Advice {
    if scree.total() <= 0.0 {
        return Advice::none(Rule::Share, "nothing varies");
    }
    let percent = 100.0 * share;
    match count_for_share(scree.values().iter().copied(), scree.total(), share) {
        Some(k) => {
            let sentence = format!(
                "{} at least {percent} % of the variance",
                count_and_verb(k, "component", "hold")
            );
            Advice::new(Rule::Share, k, sentence, Detail::None)
        }
        None => {
            let why = format!("the eigenvalues given hold less than {percent} % of the variance");
            Advice::none(Rule::Share, &why)
        }
    }
}

/// Eigenvalues above their mean.
pub fn kaiser(scree: &Scree) -> Advice {
    if scree.total() <= 0.0 || scree.n_cols() == 0 {
        return Advice::none(Rule::Kaiser, "nothing varies");
    }
    let mean = scree.total() / scree.n_cols() as f64;
    // Equal eigenvalues equal their mean; rounding must not put one above it.
    let bar = mean * (1.0 + 1e-12);
    let k = scree.values().iter().take_while(|x| **x > bar).count();
    if k == scree.values().len() && k < scree.possible() {
        return Advice::none(Rule::Kaiser, "all eigenvalues given lie above the mean");
    }
    let mean_words = match scree.is_scaled() {
        true => "1, the variance of one column".to_owned(),
        false => format!("their mean {}", rounded(mean)),
    };
    let sentence = format!("{} above {mean_words}", counted(k, "eigenvalue"));
    Advice::new(Rule::Kaiser, k, sentence, Detail::Thresholds(vec![mean]))
}

/// Shares above those of a stick broken at random.
pub fn broken_stick(scree: &Scree) -> Advice {
    let pieces = scree.possible();
    if scree.total() <= 0.0 || pieces == 0 {
        return Advice::none(Rule::BrokenStick, "nothing varies");
    }
    // From the shortest piece to the longest.
    let mut sum = 0.0;
    let mut bars: Vec<f64> = (1..=pieces)
        .rev()
        .map(|i| {
            sum += 1.0 / i as f64;
            sum / pieces as f64 * scree.total()
        })
        .collect();
    bars.reverse();
    let above = scree.values().iter().zip(&bars);
    let k = above.take_while(|(x, bar)| x > bar).count();
    if k == scree.values().len() && k < pieces {
        return Advice::none(
            Rule::BrokenStick,
            "all eigenvalues given lie above their piece",
        );
    }
    let sentence = format!(
        "{} more than the pieces of a stick broken at random into {pieces}",
        count_and_verb(k, "component", "hold")
    );
    Advice::new(Rule::BrokenStick, k, sentence, Detail::Thresholds(bars))
}
