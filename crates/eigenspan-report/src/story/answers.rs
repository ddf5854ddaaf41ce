//! The report in plain words: an answer to each question that people bring to a PCA.

use std::collections::BTreeSet;

use eigenspan::error::{counted, grouped};
use eigenspan::note::listed;

use super::{Story, largest_residual};
use crate::analysis::Reason;
use crate::page::{Answer, Prose};
use crate::text;
use crate::words::{self, percent, score, short, shown};

/// Components explained in words, at most.
const EXPLAINED: usize = 3;
/// Columns named for one side of a component, at most.
const NAMED: usize = 4;
/// Rows named, at most.
const ROWS: usize = 5;

/// What happened, in one sentence.
pub(super) fn headline(story: &Story) -> Prose {
    if !story.varies() {
        return Prose::from("All rows are the same: there is no variance to explain.");
    }
    let k = story.analysis.k;
    let (verb, share) = (if k == 1 { "keeps" } else { "keep" }, story.kept_share());
    let mut said = Prose::new()
        .strong(counted(k, "component"))
        .words(format!(" {verb} "))
        .strong(percent(share))
        .words(" of the variance");
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
        answer("What is the data?", data(story)),
        answer("How many components matter?", how_many(story)),
    ];
    if story.varies() {
        answers.push(answer("What do they mean?", meaning(story)));
        answers.push(answer("Which rows stand out?", outstanding(story)));
    }
    answers.extend(groups(story).map(|text| answer("Do groups differ?", text)));
    answers
        .extend(aside(story).map(|text| answer("What was set aside, or is worth knowing?", text)));
    answers.push(answer("Can the numbers be trusted?", trust(story)));
    answers
}

/// The same answers as lines of text: question and answer.
pub fn sentences(story: &Story) -> Vec<(String, String)> {
    let plain = |answer: Answer| (answer.question, answer.text.plain());
    answers(story).into_iter().map(plain).collect()
}

fn data(story: &Story) -> Prose {
    let table = &story.fit.table;
    let mut said = Prose::new().name(story.data_name()).words(format!(
        " has {} and {}",
        counted(table.n_rows(), "row"),
        counted(table.columns().len(), "numeric column")
    ));
    if let Some(id) = table.id() {
        said = said.words("; rows are named by ").name(&id.name);
    }
    if let Some(label) = table.label() {
        said = said.words("; ").name(label).words(" labels them");
    }
    let options = &story.pca().parts().options;
    let how = text::how(options);
    said.words(format!(
        ". It was analyzed as it is: {}.",
        how.trim_start_matches("PCA, ")
    ))
}

fn how_many(story: &Story) -> Prose {
    let analysis = story.analysis;
    if !story.varies() {
        return Prose::from("None: nothing varies.");
    }
    let said = Prose::new().strong(analysis.k.to_string()).words(format!(
        " of {}, with {} of the variance. ",
        story.pca().spectrum().rank,
        percent(story.kept_share())
    ));
    let advice = analysis.choices.as_ref().map(|choices| &choices.consensus);
    match (advice, analysis.reason) {
        (Some(_), Reason::Given) => said.words(format!(
            "That many were asked for; the rules would take {}.",
            verdict(story)
        )),
        (_, Reason::FewRows) => said.words(
            "So many hold 90 % of it; there are too few rows to tell what is noise, so other rules are not followed.",
        ),
        (Some(_), Reason::NothingFound) => said.words(format!(
            "So many hold 90 % of it, though nothing stands out from noise ({}).",
            verdict(story)
        )),
        (Some(_), Reason::Advised) => {
            let verdict = verdict(story);
            let why = verdict.split_once(": ").map_or("", |(_, why)| why);
            said.words(format!("Why: {why}."))
        }
        (None, _) => said.words("The rules could not be asked."),
    }
}

/// The number that the rules together advise, why, and what others say: `2: …; other rules that look for noise say 1 or 3`.
pub(super) fn verdict(story: &Story) -> String {
    let Some(choices) = &story.analysis.choices else {
        return String::new();
    };
    let consensus = &choices.consensus;
    let others = consensus
        .disagreeing
        .iter()
        .filter_map(|rule| choices.of(*rule)?.k);
    let others: BTreeSet<usize> = others.collect();
    let others: Vec<String> = others.iter().map(ToString::to_string).collect();
    let said = consensus.sentence.split(';').next().unwrap_or_default();
    match others.split_last() {
        None => said.to_owned(),
        Some((only, [])) => format!("{said}; other rules that look for noise say {only}"),
        Some((last, rest)) => format!(
            "{said}; other rules that look for noise say {} or {last}",
            rest.join(", ")
        ),
    }
}

/// The first components by the columns that make them up.
fn meaning(story: &Story) -> Prose {
    let mut said = Prose::new();
    for c in 0..story.analysis.k.min(EXPLAINED) {
        let Ok(facts) = story.analysis.columns.axis_facts(c) else {
            continue;
        };
        let side = |positive: bool| -> Vec<String> {
            let columns = facts
                .columns
                .iter()
                .filter(|f| (f.component > 0.0) == positive);
            columns
                .take(NAMED)
                .map(|f| shown(&story.analysis.names[f.column]))
                .collect()
        };
        let strongest = facts.columns.first().map_or(0.0, |f| f.correlation.abs());
        let (more, less) = (side(true), side(false));
        said = said
            .strong(story.axis_name(c))
            .words(format!(" ({}) ", percent(facts.share)));
        said = match (more.is_empty(), less.is_empty()) {
            (false, false) => said
                .words("grows with ")
                .names(&more)
                .words(" and falls with ")
                .names(&less),
            (false, true) => said.words("grows with ").names(&more),
            _ => said.words("falls with ").names(&less),
        };
        let bond = match strongest {
            r if r >= 0.9 => "very closely",
            r if r >= 0.7 => "closely",
            r if r >= 0.5 => "moderately",
            _ => "loosely",
        };
        said = said.words(format!(
            " ({bond}: the first correlates by {} with it). ",
            short(strongest)
        ));
    }
    let rest = story.analysis.k.saturating_sub(EXPLAINED);
    match rest {
        0 => said,
        rest => said.words(format!("{} more below.", grouped(rest as u64))),
    }
}

/// The row that stands apart and what makes it so; then those beyond the limits.
fn outstanding(story: &Story) -> Prose {
    let (analysis, summary) = (story.analysis, story.summary());
    let mut said = Prose::new();
    if let (Some(apart), Ok(facts)) = (&summary.apart, analysis.columns.axis_facts(0)) {
        let upward = apart.score > 0.0;
        let side = |more: bool| -> Vec<String> {
            let columns = facts
                .columns
                .iter()
                .filter(|f| ((f.component > 0.0) == upward) == more);
            columns
                .take(NAMED)
                .map(|f| shown(&analysis.names[f.column]))
                .collect()
        };
        said = said.strong(apart.row.clone()).words(format!(
            " stands apart on {}: {}, the next is {}. It has ",
            story.axis_name(0),
            score(apart.score),
            score(apart.next)
        ));
        let (more, less) = (side(true), side(false));
        said = match (more.is_empty(), less.is_empty()) {
            (false, false) => said
                .words("more ")
                .names(&more)
                .words(" and less ")
                .names(&less),
            (false, true) => said.words("more ").names(&more),
            _ => said.words("less ").names(&less),
        };
        said = said.words(" than the rest. ");
    }
    beyond(story, said)
}

fn beyond(story: &Story, said: Prose) -> Prose {
    let outliers = &story.analysis.outliers;
    let limits = &outliers.limits;
    let level = whole_percent(limits.level);
    if limits.t2.is_none() && limits.q.is_none() {
        return said.words("There are too few rows to say how far out an ordinary row may lie.");
    }
    let found = outliers.n_beyond_t2.max(outliers.n_beyond_q);
    if found == 0 {
        return said.words(format!(
            "No row lies beyond the limits that {level} of ordinary rows keep."
        ));
    }
    let expected = (1.0 - limits.level) * outliers.n_rows as f64;
    let named: Vec<String> = (0..outliers.farthest.len().min(ROWS))
        .map(|i| outlier_name(story, i))
        .collect();
    said.words(format!(
        "Beyond the limits that {level} of ordinary rows keep lie {} of {} within the components (T²) and {} away from \
         them (Q), where about {} each would by chance. The farthest: ",
        grouped(outliers.n_beyond_t2 as u64),
        counted(outliers.n_rows, "row"),
        grouped(outliers.n_beyond_q as u64),
        few(expected),
    ))
    .names(&named)
    .words(".")
}

/// `99 %`, `99.9 %`.
pub(super) fn whole_percent(share: f64) -> String {
    format!("{} %", (1000.0 * share).round() / 10.0)
}

/// A number that is expected: `0.4`, `2`, `35`.
fn few(expected: f64) -> String {
    match expected {
        e if e < 0.95 => format!("{:.1}", e.max(0.1)),
        e => grouped(e.round() as u64),
    }
}

/// The name of the i-th outlier listed, or its number.
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

/// Groups that explain much of a component.
fn groups(story: &Story) -> Option<Prose> {
    let categories = &story.analysis.supplementary.categories;
    let mut said = Prose::new();
    for facts in categories {
        let shown_axes = facts.eta2.iter().take(story.analysis.k.max(2)).enumerate();
        let best = shown_axes.max_by(|a, b| a.1.total_cmp(b.1));
        let (c, eta2) = best?;
        said = said.name(&facts.name).words(match *eta2 {
            e if e >= 0.5 => format!(
                " goes with {}: it explains {} of it. ",
                story.axis_name(c),
                percent(e)
            ),
            e if e >= 0.1 => format!(" explains {} of {}. ", percent(e), story.axis_name(c)),
            e => format!(
                " has little to do with the components (at most {} of one). ",
                percent(e)
            ),
        });
    }
    (!said.is_empty()).then_some(said)
}

fn aside(story: &Story) -> Option<Prose> {
    let mut said = Prose::new();
    for note in story.notes() {
        let note = note.to_string();
        let end = if note.ends_with(['.', '!', '?']) {
            " "
        } else {
            ". "
        };
        said = said.words(note + end);
    }
    (!said.is_empty()).then_some(said)
}

fn trust(story: &Story) -> Prose {
    let (pca, analysis) = (story.pca(), story.analysis);
    let residual = largest_residual(pca);
    let mut said = Prose::from(format!(
        "The components solve their equations to {} of the largest eigenvalue (solver {}).",
        short(residual),
        pca.parts().plan.solver
    ));
    if let Some(bootstrap) = &analysis.bootstrap {
        let stable: Vec<String> = bootstrap
            .stability
            .iter()
            .take(analysis.k)
            .enumerate()
            .filter(|(_, stability)| **stability >= 0.9)
            .map(|(c, _)| story.axis_name(c))
            .collect();
        let drawn = &bootstrap.sentence;
        said = match stable.len() {
            0 => said.words(format!(
                " In {drawn}, none of them kept its direction: read them together, not one by one."
            )),
            _ => said.words(format!(
                " In {drawn}, {} kept their direction.",
                listed(&stable)
            )),
        };
    }
    let kmo = analysis.adequacy.as_ref().and_then(|a| a.kmo.as_ref());
    match kmo {
        Some(kmo) => said.words(format!(
            " The columns share {} (Kaiser–Meyer–Olkin {}).",
            adequacy_words(kmo.overall),
            words::short(kmo.overall)
        )),
        None => said,
    }
}

/// Kaiser's words for his measure (Kaiser 1974), made plain.
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
