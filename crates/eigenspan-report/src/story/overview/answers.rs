//! The report on a model of any method in plain words: questions with answers.

use eigenspan::error::{counted, grouped};
use eigenspan::evaluate::{Halves, HeldOut};
use eigenspan::solve::Keep;

use super::super::answers::{noted, whole_percent};
use super::super::data;
use super::{OverviewStory, kernel};
use crate::page::{Answer, Prose};
use crate::summary::RULE;
use crate::words::{brief, percent, score, thousandths};

/// The main result, in one sentence.
pub(super) fn headline(story: &OverviewStory) -> Prose {
    if !story.varies() {
        return Prose::from(no_variance(story));
    }
    let k = story.k();
    let verb = |one, many| if k == 1 { one } else { many };
    let mut said = Prose::new().strong(counted(k, "component"));
    said = match story.kept_share() {
        Some(share) => said
            .words(format!(" {} ", verb("keeps", "keep")))
            .strong(percent(share))
            .words(format!(" of the {}", story.variance())),
        None => said.words(format!(" {} found", verb("was", "were"))),
    };
    if let Some(kept) = story.overview.held_out.as_ref().and_then(|h| h.new.last()) {
        said = said
            .words("; of rows held out, such components keep ")
            .strong(percent(*kept));
    }
    said.words(".")
}

/// The sentence for a model in which no component has variance.
fn no_variance(story: &OverviewStory) -> String {
    let shown = story.fitted.shown();
    match shown.is_centered {
        true => format!(
            "All rows are the same{}: there is no variance to explain.",
            shown.place
        ),
        false => "All cells are zero: there is nothing to explain.".to_owned(),
    }
}

/// Every question and its answer.
pub(super) fn answers(story: &OverviewStory) -> Vec<Answer> {
    let answer = |question: &str, text: Prose| Answer {
        question: question.to_owned(),
        text,
    };
    let mut answers = vec![answer("What is it about?", about(story))];
    answers.extend(kernel::answer(story).map(|text| answer("Which kernel, and why?", text)));
    answers.extend(how_many(story).map(|text| answer("How many components?", text)));
    answers.extend(classes(story).map(|text| answer("Are the classes told apart?", text)));
    answers.extend(map(story).map(|text| answer("How good is the map?", text)));
    answers.extend(meaning(story).map(|text| answer("What do they mean?", text)));
    answers.extend(apart(story).map(|text| answer("Which row stands out?", text)));
    answers.extend(new_rows(story).map(|text| answer("How do new rows fare?", text)));
    let aside = noted(story.all_notes(), story.front);
    answers.extend(aside.map(|text| answer("What was set aside, or is worth knowing?", text)));
    let trust = trust(story);
    if !trust.is_empty() {
        answers.push(answer("Can the numbers be trusted?", trust));
    }
    answers
}

/// The rows, the model, and how the columns were prepared.
fn about(story: &OverviewStory) -> Prose {
    let common = story.fitted.common();
    let prepared = match common.preparation {
        Some(preparation)
            if preparation.scale.is_some() && preparation.center.iter().all(|x| *x == 0.0) =>
        {
            "Columns were scaled, each relative to zero."
        }
        Some(preparation) if preparation.scale.is_some() => "Columns were centered and scaled.",
        Some(preparation) if preparation.center.iter().all(|c| *c == 0.0) => {
            "Columns keep their own scales."
        }
        Some(_) => "Columns were centered and keep their own scales.",
        None => "Rows were taken as they are: columns were neither centered nor scaled.",
    };
    let data = story.table.map(|table| {
        let name = super::without_folders(table.name());
        data::described(table, &story.overview.read, name, story.front)
    });
    let Some((name, origin)) = story.model else {
        let data = data.unwrap_or_default();
        return data.words(format!(". {prepared}"));
    };
    let mut said = Prose::new()
        .name(super::without_folders(name))
        .words(format!(
            " is a model of {}, fitted to {} and {}",
            story.fitted.short_name(),
            counted(common.n_rows, "row"),
            counted(common.n_cols, "numeric column")
        ));
    if let Some(of) = &origin.data {
        said = said.words(" of ").name(of);
    }
    said = said.words(format!(". {prepared}"));
    match data {
        Some(data) => said.words(" ").joined(data).words("."),
        None => said,
    }
}

/// The number of components, their share, and how many 90 % needs.
pub(super) fn how_many(story: &OverviewStory) -> Option<Prose> {
    let spectrum = story.fitted.spectrum()?;
    if !story.varies() {
        return Some(Prose::from("None: nothing varies."));
    }
    let k = story.k();
    let why = match story.fitted.common().asked {
        Keep::Count(1) => "One was asked for.".to_owned(),
        Keep::Count(_) => "That many were asked for.".to_owned(),
        Keep::Share(share) => format!("{} of it was asked for.", whole_percent(share)),
        Keep::Auto => "The rules for the number of components agree on that.".to_owned(),
        Keep::All => "All were asked for.".to_owned(),
    };
    let ninety = match spectrum.count_for_share(RULE) {
        Some(n) if n == k => String::new(),
        Some(n) => format!(" The first {} hold 90 %.", grouped(n as u64))
            .replace("first 1 hold", "first holds"),
        None => " 90 % takes more than these.".to_owned(),
    };
    let verb = if k == 1 { "keeps" } else { "keep" };
    let kept = percent(story.kept_share().unwrap_or_default());
    Some(Prose::new().strong(grouped(k as u64)).words(format!(
        " {verb} {kept} of the {}. {why}{ninety}",
        story.variance()
    )))
}

/// How many rows get their own class.
fn classes(story: &OverviewStory) -> Option<Prose> {
    let told_apart = story.summary.told_apart?;
    let said = Prose::from(told_apart.sentence());
    Some(said.words(" Of new rows, a smaller share may."))
}

/// How much of its rows' neighborhoods and distances the map keeps.
pub(super) fn map(story: &OverviewStory) -> Option<Prose> {
    let measures = story.overview.map.as_ref().filter(|_| story.varies())?;
    let map = match story.k() {
        1 => "The first component alone",
        2 => "The map",
        _ => "The map of the first two components",
    };
    Some(Prose::from(format!("{}.", measures.sentence(map))))
}

/// The first components described by their columns, if components are directions in column space.
fn meaning(story: &OverviewStory) -> Option<Prose> {
    const EXPLAINED: usize = 3;
    let directions = story.fitted.directions().filter(|_| story.varies())?;
    let mut said = Prose::new();
    if story.summary.axes.is_empty() {
        // Without a spectrum there are no shares.
        for i in 0..directions.n_rows().min(EXPLAINED) {
            let weights = story.fitted.weights_in_words(i).unwrap_or_default();
            let text = format!(": {}. ", crate::words::axis(&weights, story.columns));
            said = said.strong(story.fitted.axis_name(i)).words(text);
        }
    }
    let axes = story.summary.axes.iter().take(EXPLAINED.min(story.rank()));
    for axis in axes.filter(|axis| !axis.words.is_empty()) {
        let text = format!(" ({}): {}. ", percent(axis.share), axis.words);
        said = said.strong(axis.name.clone()).words(text);
    }
    (!said.is_empty()).then_some(said)
}

fn apart(story: &OverviewStory) -> Option<Prose> {
    let apart = story.summary.apart.as_ref()?;
    Some(Prose::new().strong(apart.row.clone()).words(format!(
        " stands apart on {} (at {}; the nearest other row is at {}).",
        story.fitted.axis_name(0),
        score(apart.score),
        score(apart.next)
    )))
}

/// The share of held-out rows that the components keep.
pub(super) fn new_rows(story: &OverviewStory) -> Option<Prose> {
    let Some(held_out) = &story.overview.held_out else {
        let unknown = || kernel::no_distances(story);
        let why = story.overview.not_refitted.or_else(unknown)?;
        return Some(Prose::from(format!("That is not known: {why}.")));
    };
    let (fitted, new) = (*held_out.fitted.last()?, *held_out.new.last()?);
    let n = grouped(held_out.n_fitted as u64);
    let said = Prose::from(format!(
        "Fitted to {n} {}, {} {} {} of those rows and ",
        sampled(story, held_out.n_fitted + held_out.n_new, "of the rows"),
        counted(held_out.n_components, "component"),
        if held_out.n_components == 1 {
            "keeps"
        } else {
            "keep"
        },
        percent(fitted),
    ));
    let said = said
        .strong(percent(new))
        .words(format!(" of {} held out. ", counted(held_out.n_new, "row")));
    Some(said.words(judged(held_out)))
}

/// `of the rows`, or `of a sample of n rows`.
fn sampled(story: &OverviewStory, looked_at: usize, all: &str) -> String {
    match looked_at < story.fitted.common().n_rows {
        true => format!("of a sample of {}", counted(looked_at, "row")),
        false => all.to_owned(),
    }
}

/// What the shares of fitted and held-out rows say about new rows.
fn judged(held_out: &HeldOut) -> &'static str {
    let last = |shares: &[f64]| shares.last().copied().unwrap_or(0.0);
    match last(&held_out.new) / last(&held_out.fitted) {
        r if r >= 0.9 => "New rows fare about as well as those that were fitted.",
        r if r >= 0.5 => "New rows lose clearly more than those that were fitted.",
        _ => {
            "New rows lose most of what the fitted rows keep: the components describe the fitted rows more than rows like them."
        }
    }
}

/// Residuals, and how much other rows would change the components.
fn trust(story: &OverviewStory) -> Prose {
    if !story.varies() {
        return Prose::from("There is nothing to trust: no component has a direction.");
    }
    let said = match story.largest_residual() {
        Some(residual) => Prose::from(format!(
            "The arithmetic: each component solves its equation to {} of its eigenvalue or better. ",
            brief(residual)
        )),
        None => Prose::new(),
    };
    match (&story.overview.halves, story.overview.not_refitted) {
        (Some(halves), _) => said.words("Other rows: ").joined(stability(story, halves)),
        (None, Some(why)) => {
            said.words(format!("What other rows would change is not known: {why}."))
        }
        (None, None) => said,
    }
}

/// How similar models of halves of the rows are to the model of all rows.
pub(super) fn stability(story: &OverviewStory, halves: &Halves) -> Prose {
    let similarity = &halves.similarity;
    let what = match halves.n_components {
        1 => format!("{} has", story.fitted.axis_name(0)),
        k => format!("the first {} have", counted(k, "component")),
    };
    let rows = sampled(story, 2 * halves.n_fitted, "of the rows");
    let rows = match rows.as_str() {
        "of the rows" => rows,
        sample => format!("of the rows ({})", sample.trim_start_matches("of ")),
    };
    Prose::from(format!(
        "in {} models of half {rows}, {what} a similarity of ",
        halves.n_draws
    ))
    .strong(thousandths(similarity.median))
    .words(format!(
        " to the whole model, in nine of ten between {} and {} (1: they place the rows alike).",
        thousandths(similarity.low),
        thousandths(similarity.high)
    ))
}
