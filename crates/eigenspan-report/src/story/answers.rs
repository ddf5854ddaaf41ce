//! The report in plain words: an answer to each question that people have about a PCA.

use eigenspan::Note;
use eigenspan::error::{counted, grouped};
use eigenspan::interpret::{AxisColumn, AxisFacts, Unknown};
use eigenspan::solve::Keep;

use super::{Story, data, groups, largest_residual, rules, scales};
use crate::analysis::{FEW_ROWS, Reason};
use crate::front::Front;
use crate::page::{Answer, Prose};
use crate::words::{all_of, brief, hundredths, percent, score, shown};

/// At most this many components are explained in words.
const EXPLAINED: usize = 3;
/// The page has words for at most this many components.
pub(super) const WORDED: usize = 8;
/// At most this many columns are named for one side of a component.
const NAMED: usize = 4;
/// At most this many rows are named.
const ROWS: usize = 5;

/// The main result, in one sentence.
pub(super) fn headline(story: &Story) -> Prose {
    if !story.varies() {
        return Prose::from(story.no_variance());
    }
    let k = story.analysis.k;
    let (verb, share) = (if k == 1 { "keeps" } else { "keep" }, story.kept_share());
    let mut said = scales::first_sentence(story)
        .strong(counted(k, "component"))
        .words(format!(" {verb} "))
        .strong(percent(share))
        .words(format!(" of the {}", story.variance()));
    if let Some(apart) = &story.summary().apart {
        said = said
            .words("; ")
            .name(&apart.row)
            .words(" stands apart on ")
            .words(story.axis_name(0));
    }
    said.words(".")
}

/// Every question and its answer.
pub(super) fn answers(story: &Story) -> Vec<Answer> {
    let answer = |question: &str, text: Prose| Answer {
        question: question.to_owned(),
        text,
    };
    let mut answers = vec![
        answer("What is the data?", data::answer(story)),
        answer("How many components matter?", how_many(story)),
    ];
    if story.varies() {
        answers.push(answer("What do they mean?", meaning(story)));
        answers.push(answer("Which rows stand out?", outstanding(story)));
    }
    answers.extend(groups::answer(story).map(|text| answer("Do groups differ?", text)));
    answers
        .extend(aside(story).map(|text| answer("What was set aside, or is worth knowing?", text)));
    answers.push(answer("Can the numbers be trusted?", trust(story)));
    answers
}

fn how_many(story: &Story) -> Prose {
    let analysis = story.analysis;
    if !story.varies() {
        return Prose::from("None: nothing varies.");
    }
    let said = Prose::new().strong(analysis.k.to_string()).words(format!(
        " of {}, with {} of the {}",
        grouped(story.n_possible() as u64),
        percent(story.kept_share()),
        story.variance()
    ));
    const FEW: &str = "There are too few rows to tell what is noise.";
    let fewest = match analysis.k {
        1 => "one holds 90 %",
        _ => "fewer do not hold 90 %",
    };
    match (&analysis.choices, analysis.reason) {
        (_, Reason::FewRows) => said.words(format!(": {fewest}. {FEW}")),
        (None, _) => said.words(". The rules could not be computed."),
        (Some(_), Reason::Kept) if story.has_few_rows() => {
            said.words(format!(". {}. {FEW}", rules::kept(story)))
        }
        (Some(choices), Reason::Kept) => said.words(format!(
            ". {}; {}.",
            rules::kept(story),
            rules::advice(choices)
        )),
        (Some(choices), Reason::Given) => {
            let asked = match (story.pca().parts().options.n_components, analysis.k) {
                (Keep::Share(share), _) => {
                    format!("{} of it was asked for", whole_percent(share))
                }
                (_, 1) => "One was asked for".to_owned(),
                _ => "That many were asked for".to_owned(),
            };
            said.words(format!(". {asked}; {}.", rules::advice(choices)))
        }
        (Some(choices), Reason::NothingFound) => said.words(format!(
            ": {fewest}, though nothing stands out from noise ({}).",
            rules::advice(choices)
        )),
        (Some(choices), Reason::Advised) => {
            said.words(format!(". Why: {}.", rules::advice(choices)))
        }
    }
}

/// Columns on one side of a component, the strongest first.
fn side(facts: &AxisFacts, positive: bool) -> Vec<&AxisColumn> {
    let columns = facts.columns.iter();
    columns
        .filter(|f| (f.component > 0.0) == positive)
        .take(NAMED)
        .collect()
}

/// The first components, described by the columns that make them up.
fn meaning(story: &Story) -> Prose {
    let mut said = Prose::new();
    // The correlation of each column with the component is in parentheses.
    let listed = |mut said: Prose, columns: &[&AxisColumn]| {
        for (i, f) in columns.iter().enumerate() {
            let before = match i {
                0 => "",
                _ if i + 1 == columns.len() => " and ",
                _ => ", ",
            };
            let name = shown(&story.analysis.names[f.column]);
            said = said.words(before).name(name);
            said = said.words(format!(" ({})", hundredths(f.correlation)));
        }
        said
    };
    for c in 0..story.analysis.k.min(EXPLAINED) {
        let Ok(facts) = story.analysis.columns.axis_facts(c) else {
            continue;
        };
        let (more, less) = (side(&facts, true), side(&facts, false));
        said = said.strong(story.axis_name(c)).words(format!(
            " (share {}) {} ",
            percent(facts.share),
            if more.is_empty() {
                "falls with"
            } else {
                "grows with"
            }
        ));
        said = listed(said, if more.is_empty() { &less } else { &more });
        if !more.is_empty() && !less.is_empty() {
            said = listed(said.words(" and falls with "), &less);
        }
        said = said.words(". ");
    }
    let rest = match story.analysis.k.min(WORDED).saturating_sub(EXPLAINED) {
        0 => String::new(),
        rest => format!(
            " {} on the page.",
            match rest {
                1 => "1 more is".to_owned(),
                n => format!("{} more are", grouped(n as u64)),
            }
        ),
    };
    let what = match story.is_centered() {
        true => "correlations",
        false => "cosines about zero, because columns were not centered",
    };
    said.words(format!("The numbers in brackets are {what}.{rest}"))
}

/// The row that stands apart and the columns that make it so; then the rows beyond the limits.
fn outstanding(story: &Story) -> Prose {
    let (analysis, summary) = (story.analysis, story.summary());
    let mut said = Prose::new();
    if let Some(apart) = &summary.apart {
        said = said.strong(apart.row.clone()).words(format!(
            " stands apart on {} (at {}; the nearest other row is at {}). ",
            story.axis_name(0),
            score(apart.score),
            score(apart.next)
        ));
        let [most, least] = [0, 1].map(|end: usize| -> Vec<String> {
            let columns = analysis.extremes[end].iter().take(NAMED);
            columns.map(|&j| shown(&analysis.names[j])).collect()
        });
        said = match (most.is_empty(), least.is_empty()) {
            (false, false) => said
                .words("Of all rows it has the most ")
                .names(&most)
                .words(" and the least ")
                .names(&least)
                .words(". "),
            (false, true) => said
                .words("Of all rows it has the most ")
                .names(&most)
                .words(". "),
            (true, false) => said
                .words("Of all rows it has the least ")
                .names(&least)
                .words(". "),
            (true, true) => said,
        };
    }
    beyond(story, said)
}

fn beyond(story: &Story, said: Prose) -> Prose {
    let outliers = &story.analysis.outliers;
    let limits = &outliers.limits;
    let level = whole_percent(limits.level);
    if story.has_few_rows() || (limits.t2.is_none() && limits.q.is_none()) {
        return said.words("There are too few rows to say how far out an ordinary row may lie.");
    }
    if outliers.n_beyond == 0 {
        return said.words(format!(
            "No row lies beyond the limits that {level} of ordinary rows keep."
        ));
    }
    let expected = (1.0 - limits.level) * outliers.n_rows as f64;
    let named: Vec<String> = (0..outliers.farthest.len().min(ROWS))
        .map(|i| outlier_name(story, i))
        .collect();
    said.words(format!(
        "Of {}{}, {} farther out along the components (T²) and {} farther away from them (Q) than {level} of ordinary rows \
         do, {} in all; chance alone would give about {} each. The farthest: ",
        counted(outliers.n_rows, "row"),
        story.looked_at(),
        lies(outliers.n_beyond_t2),
        lies(outliers.n_beyond_q),
        grouped(outliers.n_beyond as u64),
        few_words(expected),
    ))
    .names(&named)
    .words(".")
}

/// `1 lies`, `3 lie`, `none lies`.
pub(super) fn lies(n: usize) -> String {
    match n {
        0 => "none lies".to_owned(),
        1 => "1 lies".to_owned(),
        n => format!("{} lie", grouped(n as u64)),
    }
}

/// `99 %`, `99.9 %`.
pub(super) fn whole_percent(share: f64) -> String {
    format!("{} %", (1000.0 * share).round() / 10.0)
}

/// An expected count: `0.4`, `2`, `35`.
fn few_words(expected: f64) -> String {
    match expected {
        e if e < 0.95 => format!("{:.1}", e.max(0.1)),
        e => grouped(e.round() as u64),
    }
}

/// The name of the i-th outlier, or its row number.
pub(super) fn outlier_name(story: &Story, i: usize) -> String {
    let names = story.analysis.outlier_names.as_ref();
    let name = names
        .and_then(|names| names.get(i))
        .filter(|name| !name.is_empty());
    let row = story
        .analysis
        .outliers
        .farthest
        .get(i)
        .map_or(0, |outlier| outlier.row);
    name.map_or_else(
        || format!("row {}", grouped(row as u64 + 1)),
        |name| shown(name),
    )
}

/// Every note, with a command that acts on it if there is one.
fn aside(story: &Story) -> Option<Prose> {
    // A note that repeats the first answer is left out.
    let id = story
        .fit
        .rows
        .table
        .id()
        .map(|id| format!("id: {}", id.name));
    let is_known = |text: &str| id.as_deref() == Some(text);
    let is_already_said =
        |note: &Note| scales::is_already_said(story, note) || is_known(&note.to_string());
    noted(
        story.notes().filter(|note| !is_already_said(note)),
        story.front,
    )
}

/// The given notes, each with a command that acts on it if there is one.
pub(super) fn noted<'a>(notes: impl Iterator<Item = &'a Note>, front: &Front) -> Option<Prose> {
    let mut said = Prose::new();
    for note in notes {
        let text = front.noted(note);
        said = said.words(text.trim_end_matches('.'));
        said = match (note.hint(), front.command()) {
            (Some(hint), Some(command)) => said
                .words(". ")
                .code(scales::with_option(command, &hint))
                .words(format!(" {}. ", hint.does)),
            (Some(hint), None) => match front.hint(hint) {
                Some(hint) => said.words(format!("; {hint}. ")),
                None => said.words(". "),
            },
            (None, _) => said.words(". "),
        };
    }
    (!said.is_empty()).then_some(said)
}

fn trust(story: &Story) -> Prose {
    let (pca, analysis) = (story.pca(), story.analysis);
    if !story.varies() {
        return Prose::from("There is nothing to trust: no component has a direction.");
    }
    let mut said = Prose::from(format!(
        "The arithmetic: each component solves its equation to {} of its eigenvalue or better.",
        brief(largest_residual(pca)),
    ));
    if pca.parts().n_rows < FEW_ROWS {
        return said.words(" Other rows: there are too few to say what others would change.");
    }
    if let Some(bootstrap) = &analysis.bootstrap {
        let stability = bootstrap.stability.iter().take(analysis.k).enumerate();
        let stable = stability.filter(|(_, stability)| **stability >= 0.9);
        let stable: Vec<usize> = stable.map(|(c, _)| c).collect();
        // A component that changes places with its neighbors in resampled rows has no direction of its own, even if this sample shows one.
        let alone = |c: &&usize| {
            let standing = bootstrap.standings.get(**c);
            standing.is_none_or(|standing| standing.first == standing.last)
        };
        let mixed = !stable.is_empty();
        let stable = stable.iter().filter(alone);
        let stable: Vec<String> = stable.map(|&c| story.axis_name(c)).collect();
        let kept = match (stable.len(), analysis.k) {
            (0, 1) if mixed => format!(
                "{} cannot be told apart from the components after it",
                story.axis_name(0)
            ),
            (0, _) if mixed => {
                "no component can be told apart from its neighbors: read them together, not one by one"
                    .to_owned()
            }
            (0, 1) => format!("{} did not keep its direction", story.axis_name(0)),
            (0, _) => {
                "no component kept its direction: read them together, not one by one".to_owned()
            }
            (1, _) => format!("{} kept its direction", stable.concat()),
            _ => format!("{} kept their directions", all_of(&stable)),
        };
        said = said.words(format!(" Other rows: in {}, {kept}.", bootstrap.sentence));
    }
    let kmo = analysis.adequacy.as_ref().and_then(|a| a.kmo.as_ref());
    match kmo {
        Some(kmo) => said.words(format!(
            " The columns share {} (Kaiser–Meyer–Olkin {}){}.",
            adequacy_words(kmo.overall),
            hundredths(kmo.overall),
            nearly_closed(story)
        )),
        None => match no_kmo(story) {
            Some(why) => said.words(format!(
                " There is no Kaiser–Meyer–Olkin measure here: {why}."
            )),
            None => said,
        },
    }
}

/// `; a, b and c nearly sum to a constant`: this explains a small KMO.
pub(super) fn nearly_closed(story: &Story) -> String {
    let adequacy = story.analysis.adequacy.as_ref();
    let columns = adequacy.map_or(&[][..], |a| &a.nearly_constant_sum);
    let names = columns.iter().map(|&j| shown(&story.analysis.names[j]));
    match columns.len() {
        0 => String::new(),
        n if n == story.pca().n_cols() => "; the columns nearly sum to a constant".to_owned(),
        _ => format!(
            "; {} nearly sum to a constant",
            all_of(&names.collect::<Vec<_>>())
        ),
    }
}

/// Why the KMO is missing, if the reader would expect one.
pub(super) fn no_kmo(story: &Story) -> Option<String> {
    let adequacy = story.analysis.adequacy.as_ref()?;
    let n_rows = story.pca().parts().n_rows;
    match (
        adequacy.kmo.is_none().then_some(adequacy.unknown)??,
        adequacy.constant_sum.len(),
    ) {
        (Unknown::TwoColumns, _) => Some("it says nothing about two columns".to_owned()),
        (Unknown::SumToConstant, n) if n == story.pca().n_cols() => {
            Some("the columns sum to a constant (to within 0.3 % of their spread), so that each is all but known from the others".to_owned())
        }
        (Unknown::SumToConstant, _) => {
            let names = adequacy.constant_sum.iter();
            let names: Vec<String> = names.map(|&j| shown(&story.analysis.names[j])).collect();
            Some(format!(
                "{} sum to a constant (to within 0.3 % of their spread), so that each is all but known from the others",
                all_of(&names)
            ))
        }
        (Unknown::Singular, _) if adequacy.bartlett.is_some() => {
            Some("no two columns are correlated".to_owned())
        }
        (Unknown::Singular, _) if n_rows <= story.pca().n_cols() => {
            Some("there are no more rows than columns".to_owned())
        }
        (Unknown::Singular, _) => Some("some columns are known from others".to_owned()),
        _ => None,
    }
}

/// Kaiser's words for values of the KMO (Kaiser 1974), in plain English.
fn adequacy_words(kmo: f64) -> &'static str {
    match kmo {
        k if k >= 0.9 => "very much",
        k if k >= 0.8 => "much",
        k if k >= 0.7 => "a fair amount",
        k if k >= 0.6 => "some",
        k if k >= 0.5 => "little",
        _ => "too little for common components to be expected",
    }
}
