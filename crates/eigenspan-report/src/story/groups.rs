//! Sentences on which groups differ and on which components, from the groups' mean scores.

use eigenspan::interpret::{Category, CategoryFacts};
use eigenspan::linalg::sort_largest_first;

use super::Story;
use crate::page::Prose;
use crate::words::{percent, score, shown};

/// At most this many components are mentioned for one grouping column.
const COMPONENTS: usize = 2;
/// At most this many groups are named at one end of a component.
const NAMED: usize = 3;
/// Shares of a component's variance between groups from which groups "go with" the component, and from which it is mentioned at all.
const GOES_WITH: f64 = 0.5;
const EXPLAINS: f64 = 0.1;
/// A share with a larger p-value than this (after Bonferroni's correction) is not mentioned.
const CHANCE: f64 = 0.01;
/// A group lies low or high if its mean is at least this many standard deviations away from the mean of all rows …
const FAR: f64 = 0.3;
/// … and at least this many standard errors.
const SURE: f64 = 3.0;

/// Which groups lie where, for every grouping column; empty without grouping columns.
pub(super) fn answer(story: &Story) -> Option<Prose> {
    let categories = &story.analysis.supplementary.categories;
    let mut said = Prose::new();
    for facts in categories {
        said = column(story, said, facts);
    }
    (!said.is_empty()).then_some(said)
}

fn column(story: &Story, said: Prose, facts: &CategoryFacts) -> Prose {
    let n = story.analysis.k.max(2).min(facts.eta2.len());
    let n_tests = (n * story.analysis.supplementary.categories.len().max(1)) as f64;
    let by_chance = |c: usize| facts.p_values[c].is_none_or(|p| p * n_tests > CHANCE);
    let mut order: Vec<usize> = (0..n).collect();
    sort_largest_first(&mut order, &|j| facts.eta2[j]);
    let mentioned: Vec<usize> = order
        .iter()
        .copied()
        .filter(|&c| facts.eta2[c] >= EXPLAINS && !by_chance(c))
        .take(COMPONENTS)
        .collect();
    let mut said = said.name(shown(&facts.name));
    let Some((&first, rest)) = mentioned.split_first() else {
        let most = order.first().map_or(0.0, |&c| facts.eta2[c]);
        return said.words(match most >= EXPLAINS {
            true => format!(
                " explains at most {} of a component, which may be chance with so many groups and so few rows. ",
                percent(most)
            ),
            false => format!(
                " has little to do with the components (at most {} of one). ",
                percent(most)
            ),
        });
    };
    let share = percent(facts.eta2[first]);
    said = said.words(match facts.eta2[first] >= GOES_WITH {
        true => format!(
            " goes with {}: it explains {share} of it",
            story.axis_name(first)
        ),
        false => format!(" explains {share} of {}", story.axis_name(first)),
    });
    said = where_groups_lie(story, said, facts, first, "; ").words(". ");
    for &c in rest {
        said = said.words(format!(
            "Of {}, it explains {}",
            story.axis_name(c),
            percent(facts.eta2[c])
        ));
        said = where_groups_lie(story, said, facts, c, ": ").words(". ");
    }
    said
}

/// `; setosa lies low on PC1 (mean −2.6), virginica high (2.5)`.
fn where_groups_lie(
    story: &Story,
    mut said: Prose,
    facts: &CategoryFacts,
    c: usize,
    before: &str,
) -> Prose {
    let deviation = story.pca().spectrum().variance(c).sqrt();
    let whitening = story.analysis.whitening.as_ref();
    let deviation = whitening.map_or(deviation, |factors| deviation * factors[c]);
    let rows: f64 = facts.levels.iter().map(|level| level.weight).sum();
    let mean = facts.levels.iter();
    let mean: f64 = mean.map(|l| l.weight * l.centroid[c]).sum::<f64>() / rows;
    let far = |level: &&Category| {
        let away = (level.centroid[c] - mean).abs();
        level.n_rows > 1 && away >= FAR * deviation && level.v_tests[c].abs() >= SURE
    };
    let mut levels: Vec<&Category> = facts.levels.iter().filter(far).collect();
    levels.sort_by(|a, b| a.centroid[c].total_cmp(&b.centroid[c]));
    let is_low = |level: &Category| level.centroid[c] < mean;
    let (low, high): (Vec<&Category>, Vec<&Category>) =
        levels.into_iter().partition(|level| is_low(level));
    let ends = [
        (low.iter().copied().take(NAMED).collect::<Vec<_>>(), "low"),
        (high.iter().rev().copied().take(NAMED).collect(), "high"),
    ];
    let mut first = true;
    for (levels, end) in ends.iter().filter(|(levels, _)| !levels.is_empty()) {
        said = said.words(if first { before } else { ", " });
        let lie = if levels.len() == 1 { "lies" } else { "lie" };
        for (i, level) in levels.iter().enumerate() {
            let between = match i {
                0 => "",
                _ if i + 1 == levels.len() => " and ",
                _ => ", ",
            };
            said = said
                .words(between)
                .name(shown(&level.level))
                .words(format!(" ({})", score(level.centroid[c])));
        }
        said = said.words(match first {
            true => format!(" {lie} {end} on {}", story.axis_name(c)),
            false => format!(" {end}"),
        });
        first = false;
    }
    said
}
