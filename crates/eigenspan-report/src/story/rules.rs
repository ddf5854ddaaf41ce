//! The advice of the rules for the number of components in a few words; a table has the number of each rule.

use eigenspan::choose::{Choices, Consensus};
use eigenspan::solve::Keep;

use super::Story;
use crate::analysis::Reason;

/// The recommendation and how other rules differ: `parallel analysis and bi-cross-validation, which make the fewest assumptions, agree on 2; …`.
pub(super) fn advice(choices: &Choices) -> String {
    let consensus = &choices.consensus;
    match consensus.k {
        None => consensus.why.clone(),
        Some(k) => format!("{} ({k}){}", consensus.why, others(consensus)),
    }
}

/// Why the fit kept this many: `One was kept, the least that a model has`.
pub(super) fn kept(story: &Story) -> &'static str {
    let auto = story.pca().parts().options.n_components == Keep::Auto;
    match (auto, story.analysis.k) {
        (true, 1) => "One was kept, the least that a model has",
        (_, 1) => "One was kept",
        _ => "That many were kept",
    }
}

/// The sentence above the scree plot: the number, and how far the rules agree.
pub(super) fn answer(story: &Story) -> String {
    let Some(choices) = &story.analysis.choices else {
        return "The rules could not be computed.".to_owned();
    };
    let (k, consensus) = (story.analysis.k, &choices.consensus);
    let said = match consensus.k {
        None => "No rule can tell noise here".to_owned(),
        Some(0) => format!("No component stands above noise{}", others(consensus)),
        Some(advised) => format!("{advised}{}", others(consensus)),
    };
    let variance = story.variance();
    match story.analysis.reason {
        Reason::Kept if story.has_few_rows() => {
            format!("There are too few rows to tell noise. {}.", kept(story))
        }
        Reason::Kept => format!("The rules say: {}. {}.", lower(&said), kept(story)),
        Reason::Advised if consensus.range.is_none() => {
            format!("{k}: no rule that counts here says otherwise.")
        }
        Reason::Advised => format!("{said}."),
        Reason::Given => {
            let was = if k == 1 { "was" } else { "were" };
            format!("The rules say: {}; {k} {was} asked for.", lower(&said))
        }
        Reason::FewRows => format!(
            "There are too few rows to tell noise; {} 90 % of the {variance}.",
            match k {
                1 => "1 component holds".to_owned(),
                k => format!("{k} components hold"),
            }
        ),
        Reason::NothingFound => format!("{said}; 90 % of the {variance} takes {k}."),
    }
}

/// `; other rules say 2 to 8`, if other rules differ.
fn others(consensus: &Consensus) -> String {
    let range = consensus.range.map(|range| format!("; {}", range.words()));
    range.unwrap_or_default()
}

/// The text with a lower-case first letter.
fn lower(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|c| c.to_lowercase().to_string());
    first.unwrap_or_default() + letters.as_str()
}
