//! What the rules for the number of components advise, in few words; what each says stands in their table.

use std::collections::BTreeSet;

use eigenspan::choose::{Choices, Rule};

use super::Story;
use crate::analysis::Reason;
use crate::words::all_of;

/// Who is believed and what others say: `parallel analysis and bi-cross-validation, which assume least, say 2; …`.
pub(super) fn advice(choices: &Choices) -> String {
    let consensus = &choices.consensus;
    let Some(k) = consensus.k else {
        return "no rule has an answer here".to_owned();
    };
    let least = [Rule::ParallelAnalysis, Rule::BiCrossValidation];
    let asked = |rule: &&Rule| choices.of(**rule).is_some_and(|advice| advice.k.is_some());
    let n_asked = least.iter().filter(asked).count();
    let said = match consensus.believed.as_slice() {
        [Rule::Share] => "no rule can tell noise here".to_owned(),
        [a, b] if least.contains(a) && least.contains(b) => {
            format!("{} and {}, which assume least, say {k}", a.name(), b.name())
        }
        [rule] if least.contains(rule) && n_asked == 2 => format!(
            "of the two rules that assume least, {} ({k}) is closer to the rest",
            rule.name()
        ),
        [rule] if least.contains(rule) => {
            format!("{}, which assumes least, says {k}", rule.name())
        }
        _ => format!("the median of the rules that look for noise is {k}"),
    };
    let others = consensus.disagreeing.iter();
    let others: BTreeSet<usize> = others.filter_map(|rule| choices.of(*rule)?.k).collect();
    match others.len() {
        0 => said,
        _ => format!(
            "{said}; other rules that look for noise say {}",
            or(&others)
        ),
    }
}

/// The sentence above the picture: how far the rules agree.
pub(super) fn answer(story: &Story) -> String {
    let Some(choices) = &story.analysis.choices else {
        return "The rules could not be asked.".to_owned();
    };
    let noise = choices.advices.iter().filter(|a| a.rule.looks_for_noise());
    let said: BTreeSet<usize> = noise.filter_map(|advice| advice.k).collect();
    let range = match (said.first(), said.last()) {
        (Some(first), Some(last)) if first == last => {
            format!("All rules that look for noise say {first}")
        }
        (Some(first), Some(last)) => format!("Rules that look for noise say {first} to {last}"),
        _ => "No rule can tell noise here".to_owned(),
    };
    let k = story.analysis.k;
    let taken = match story.analysis.reason {
        Reason::Given => format!("; {k} {} asked for", if k == 1 { "was" } else { "were" }),
        Reason::Advised if said.len() > 1 => format!("; {k} is the one to believe here"),
        Reason::Advised => String::new(),
        Reason::FewRows => {
            return format!(
                "There are too few rows to tell noise; {} 90 % of the variance.",
                match k {
                    1 => "1 component holds".to_owned(),
                    k => format!("{k} components hold"),
                }
            );
        }
        Reason::NothingFound => format!("; 90 % of the variance takes {k}"),
    };
    format!("{range}{taken}.")
}

/// `1`, `1 or 3`, `1, 3 or 5`; many as a range.
fn or(numbers: &BTreeSet<usize>) -> String {
    const MOST: usize = 3;
    let words: Vec<String> = numbers.iter().map(ToString::to_string).collect();
    match words.as_slice() {
        [first, .., last] if words.len() > MOST => format!("{first} to {last}"),
        _ => all_of(&words).replace(" and ", " or "),
    }
}
