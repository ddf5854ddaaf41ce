//! Which rule to believe here, and why, in one sentence.
//!
//! Rules that look for noise answer the question of how many; the others answer how much. Parallel analysis and
//! bi-cross-validation assume least, so they are believed where they agree; where they do not, the one nearer to the median
//! of all rules that look for noise is. Without rows that median itself is taken (the lower of two); without any of them, the
//! share of variance.

use serde::Serialize;

use super::{Advice, Rule};

/// What is said where nothing can be.
const NONE: &str = "no rule has an answer here";

/// The number to take, and why.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Consensus {
    /// How many components; none where no rule had an answer.
    pub k: Option<usize>,
    /// Why.
    pub why: String,
    /// The number, why, and who says otherwise.
    pub sentence: String,
    /// The rules this rests on.
    pub believed: Vec<Rule>,
    /// Rules that look for noise and say something else.
    pub disagreeing: Vec<Rule>,
}

/// Weighs what the rules said.
pub fn consensus(advices: &[Advice]) -> Consensus {
    let noise: Vec<(Rule, usize)> = advices
        .iter()
        .filter(|advice| advice.rule.looks_for_noise())
        .filter_map(|advice| Some((advice.rule, advice.k?)))
        .collect();
    let Some((k, believed, why)) = decide(advices, &noise) else {
        return Consensus {
            k: None,
            why: NONE.to_owned(),
            sentence: NONE.to_owned(),
            believed: Vec::new(),
            disagreeing: Vec::new(),
        };
    };
    let others: Vec<(Rule, usize)> = noise.into_iter().filter(|(_, said)| *said != k).collect();
    let mut sentence = format!("{k}: {why}");
    if !others.is_empty() {
        sentence.push_str(&format!("; other rules: {}", otherwise(&others)));
    }
    Consensus {
        k: Some(k),
        why,
        sentence,
        believed,
        disagreeing: others.into_iter().map(|(rule, _)| rule).collect(),
    }
}

/// What other rules say, those with one number and one assumption together.
fn otherwise(others: &[(Rule, usize)]) -> String {
    let mut groups: Vec<(usize, &str, Vec<&str>)> = Vec::new();
    for (rule, k) in others {
        let assumes = rule.assumes();
        match groups.iter_mut().find(|g| (g.0, g.1) == (*k, assumes)) {
            Some(group) => group.2.push(rule.name()),
            None => groups.push((*k, assumes, vec![rule.name()])),
        }
    }
    let words = |(k, assumes, names): &(usize, &str, Vec<&str>)| {
        let assumes = match names.len() {
            1 => (*assumes).to_owned(),
            _ => assumes.replacen("takes", "take", 1),
        };
        format!("{k} by {} ({assumes})", names.join(" and "))
    };
    groups.iter().map(words).collect::<Vec<_>>().join(", ")
}

/// The number, the rules it rests on, and why those.
fn decide(advices: &[Advice], noise: &[(Rule, usize)]) -> Option<(usize, Vec<Rule>, String)> {
    let of = |rule: Rule| noise.iter().find(|(r, _)| *r == rule).map(|(_, k)| *k);
    let (permuted, blocks) = (Rule::ParallelAnalysis, Rule::BiCrossValidation);
    let alone = |rule: Rule, k: usize| {
        let why = format!(
            "{} assumes least of the rules that could be asked",
            rule.name()
        );
        (k, vec![rule], why)
    };
    match (of(permuted), of(blocks), median(noise)) {
        (Some(a), Some(b), _) if a == b => {
            let why = format!(
                "{} and {}, which assume least, agree",
                permuted.name(),
                blocks.name()
            );
            Some((a, vec![permuted, blocks], why))
        }
        (Some(a), Some(b), Some(middle)) => {
            let (rule, k) = match a.abs_diff(middle) <= b.abs_diff(middle) {
                true => (permuted, a),
                false => (blocks, b),
            };
            let why = format!(
                "{} lies nearest to {middle}, the median of the rules that look for noise",
                rule.name()
            );
            Some((k, vec![rule], why))
        }
        (Some(a), None, _) => Some(alone(permuted, a)),
        (None, Some(b), _) => Some(alone(blocks, b)),
        (_, _, Some(middle)) => {
            let with = noise.iter().filter(|(_, k)| *k == middle);
            let why = "the median of the rules that look for noise in the eigenvalues".to_owned();
            Some((middle, with.map(|(rule, _)| *rule).collect(), why))
        }
        (_, _, None) => {
            let share = advices.iter().find(|advice| advice.rule == Rule::Share)?;
            let why = format!("no rule can tell noise here, and {}", share.sentence);
            Some((share.k?, vec![Rule::Share], why))
        }
    }
}

/// The median; the lower of two.
fn median(noise: &[(Rule, usize)]) -> Option<usize> {
    let mut counts: Vec<usize> = noise.iter().map(|(_, k)| *k).collect();
    counts.sort_unstable();
    counts.get(counts.len().saturating_sub(1) / 2).copied()
}
