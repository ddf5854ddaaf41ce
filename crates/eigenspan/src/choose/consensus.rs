//! Which rule to follow for this data, why, and how far the other rules are from it.
//!
//! Rules that look for noise say how many components are real; the other rules say how many hold a share of the variance.
//! Among the rules that look for noise, parallel analysis makes the fewest assumptions and is followed. A rule that abstains (because it
//! reached its ceiling, or because it assumes equal noise and the noise is not equal) does not count at all. Where parallel
//! analysis has no answer, bi-cross-validation is followed; where that has none, the median of the remaining rules that look
//! for noise and count (the lower of two medians); where no such rule counts, the share of variance.
//!
//! The range of the other rules that count is part of the answer: any number in it can be defended.

use serde::Serialize;

use super::{Advice, Rule};

/// The sentence if no rule has an answer.
const NONE: &str = "no rule has an answer here";
/// The sentence if the answer is 0.
const NOTHING: &str = "no component stands above noise";

/// The number to take, and why.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Consensus {
    /// The number of components; None where no rule had an answer.
    pub k: Option<usize>,
    /// Why.
    pub why: String,
    /// A sentence: the number, what the other rules say, and the reason.
    pub sentence: String,
    /// The rules that gave the number.
    pub believed: Vec<Rule>,
    /// Rules that look for noise, count, and give another number.
    pub disagreeing: Vec<Rule>,
    /// The smallest and the largest number of the other rules that count; None where all agree.
    pub range: Option<Range>,
}

/// The numbers that other rules give.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Range {
    /// The smallest.
    pub low: usize,
    /// The largest.
    pub high: usize,
}

impl Range {
    /// `other rules say 2 to 8`.
    pub fn words(self) -> String {
        match self.low == self.high {
            true => format!("other rules say {}", self.low),
            false => format!("other rules say {} to {}", self.low, self.high),
        }
    }
}

impl Consensus {
    /// An earlier answer, restored from its number and its reason.
    pub fn from_answer(k: Option<usize>, why: String) -> Self {
        Consensus {
            k,
            sentence: match k {
                Some(k) => format!("{k}: {why}"),
                None => why.clone(),
            },
            why,
            believed: Vec::new(),
            disagreeing: Vec::new(),
            range: None,
        }
    }

    /// The reason, with the numbers of other rules.
    pub fn reason(&self) -> String {
        match self.range {
            Some(range) => format!("{}; {}", self.because(), range.words()),
            None => self.because(),
        }
    }

    /// The reason, with the meaning of 0.
    fn because(&self) -> String {
        match self.k {
            Some(0) => format!("{NOTHING}: {}", self.why),
            _ => self.why.clone(),
        }
    }
}

/// Combines the advice of the rules.
pub fn consensus(advices: &[Advice]) -> Consensus {
    let counting: Vec<(Rule, usize)> = advices
        .iter()
        .filter_map(|advice| Some((advice.rule, advice.counted()?)))
        .collect();
    let noise: Vec<(Rule, usize)> = counting
        .iter()
        .filter(|(rule, _)| rule.looks_for_noise())
        .copied()
        .collect();
    let Some((k, believed, why)) = decide(advices, &noise) else {
        return Consensus {
            k: None,
            why: NONE.to_owned(),
            sentence: NONE.to_owned(),
            believed: Vec::new(),
            disagreeing: Vec::new(),
            range: None,
        };
    };
    let others = counting
        .iter()
        .filter(|(rule, _)| !believed.contains(rule))
        .map(|(_, said)| *said);
    let range = range(others, k);
    let differs = |(rule, said): &(Rule, usize)| (*said != k).then_some(*rule);
    let mut consensus = Consensus {
        k: Some(k),
        why,
        sentence: String::new(),
        believed,
        disagreeing: noise.iter().filter_map(differs).collect(),
        range,
    };
    let because = consensus.because();
    consensus.sentence = match range {
        Some(range) => format!("{k}; {}. {}", range.words(), capitalized(&because)),
        None => format!("{k}: {because}"),
    };
    consensus
}

/// The range of the numbers that other rules give; None where all of them give k.
fn range(others: impl Iterator<Item = usize> + Clone, k: usize) -> Option<Range> {
    let (low, high) = (others.clone().min()?, others.max()?);
    ((low, high) != (k, k)).then_some(Range { low, high })
}

/// The text with a capital first letter.
fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|c| c.to_uppercase().to_string());
    first.unwrap_or_default() + letters.as_str()
}

/// The number, the rules that gave it, and why those rules are followed.
fn decide(advices: &[Advice], noise: &[(Rule, usize)]) -> Option<(usize, Vec<Rule>, String)> {
    let number = |rule: Rule| noise.iter().find(|(r, _)| *r == rule).map(|(_, k)| *k);
    let with = |k: usize| -> Vec<Rule> {
        let same = noise.iter().filter(|(_, said)| *said == k);
        same.map(|(rule, _)| *rule).collect()
    };
    for rule in [Rule::ParallelAnalysis, Rule::BiCrossValidation] {
        if let Some(k) = number(rule) {
            let believed = with(k);
            let why = reason_to_follow(rule, &believed);
            return Some((k, believed, why));
        }
    }
    if let Some(middle) = median(noise) {
        let why = "the median of the rules that look for noise in the eigenvalues".to_owned();
        return Some((middle, with(middle), why));
    }
    let share = advices.iter().find(|advice| advice.rule == Rule::Share)?;
    let why = format!(
        "no rule can tell noise from signal here, and {}",
        share.sentence
    );
    Some((share.k?, vec![Rule::Share], why))
}

/// Why a rule is followed, and which rules agree with it.
fn reason_to_follow(rule: Rule, believed: &[Rule]) -> String {
    let names: Vec<&str> = believed
        .iter()
        .filter(|other| **other != rule)
        .map(|other| other.name())
        .collect();
    let name = rule.name();
    match names.as_slice() {
        [] => format!("{name} makes the fewest assumptions of the rules that gave a number"),
        [one] if *one == Rule::BiCrossValidation.name() => {
            format!("{name} and {one}, which make the fewest assumptions, agree")
        }
        [one] => format!("{name}, which makes the fewest assumptions, and {one} agree"),
        [rest @ .., last] => format!(
            "{name}, which makes the fewest assumptions, {} and {last} agree",
            rest.join(", ")
        ),
    }
}

/// The median; the lower of two.
fn median(noise: &[(Rule, usize)]) -> Option<usize> {
    let mut counts: Vec<usize> = noise.iter().map(|(_, k)| *k).collect();
    counts.sort_unstable();
    counts.get(counts.len().saturating_sub(1) / 2).copied()
}
