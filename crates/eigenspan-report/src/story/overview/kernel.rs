//! The section on the kernel of a kernel PCA: which kernel, how its parameters were chosen, and a comparison with PCA. It is the only
//! section that belongs to one method.

use eigenspan::KernelPca;
use eigenspan::Note;
use eigenspan::error::{counted, grouped};
use eigenspan::kernel::{Base, Gamma, Kernel, Verdict};
use eigenspan::solve::Strategy;

use super::super::tables::{NUMBER, TEXT, table};
use super::OverviewStory;
use crate::page::{Block, Prose, Section, Topic};
use crate::words::{brief, percent, short};

/// The answer in plain words.
pub(super) fn answer(story: &OverviewStory) -> Option<Prose> {
    let model = story.fitted.downcast::<KernelPca>()?;
    let kernel = model.kernel().kernel();
    let said = Prose::new().strong(shown(kernel));
    Some(said.words(format!(": {} It is {}.", chosen(model), kernel.verdict())))
}

/// The section of the page.
pub(super) fn section(story: &OverviewStory) -> Option<Section> {
    let model = story.fitted.downcast::<KernelPca>()?;
    let mut blocks: Vec<Block> = story
        .all_notes()
        .filter(|note| matches!(note, Note::UnsuitedWidth { .. }))
        .map(|note| Block::Note(Prose::from(format!("{note}."))))
        .collect();
    let kernel = model.kernel().kernel();
    blocks.push(Block::List(vec![
        ("kernel".to_owned(), Prose::from(kernel.to_string())),
        ("its parameters".to_owned(), Prose::from(chosen(model))),
        (
            "positive semi-definite?".to_owned(),
            Prose::from(format!("{}.", kernel.verdict())),
        ),
        ("eigenvalues of".to_owned(), Prose::from(strategy(model))),
    ]));
    blocks.extend(beside(story));
    Some(Section {
        topic: Topic::Kernel,
        answer: Prose::from(format!("Rows are compared by {}. ", shown(kernel)))
            .words(linear_words(story).unwrap_or_default()),
        blocks,
        how_to_read: Some(Prose::from(
            "A kernel says how alike two rows are; kernel PCA finds the directions in which rows vary most in the space where that \
             likeness is an inner product. A share of kernel PCA and one of PCA are shares of variance in different spaces: a larger one \
             is not a better map. How a share holds for rows that were not fitted can be compared.",
        )),
    })
}

/// Why there is no share for held-out rows, although models were fitted to parts of the rows.
pub(super) fn no_distances(story: &OverviewStory) -> Option<&'static str> {
    let model = story.fitted.downcast::<KernelPca>()?;
    let is_not = model.kernel().kernel().verdict() == Verdict::Not;
    (is_not && story.overview.halves.is_some()).then_some(
        "under a kernel that is not positive semi-definite by construction, squared distances can be negative",
    )
}

/// A kernel with its parameters, shortened to be readable.
fn shown(kernel: &Kernel) -> String {
    let text = kernel.to_string();
    let long = |c: char| c.is_ascii_digit() || ".e-".contains(c);
    let mut out = String::new();
    let mut rest = text.as_str();
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        let (before, after) = rest.split_at(start);
        let end = after.find(|c| !long(c)).unwrap_or(after.len());
        let number = after[..end].parse::<f64>().ok().filter(|_| end > 6);
        out += before;
        out += &number.map_or_else(|| after[..end].to_owned(), short);
        rest = &after[end..];
    }
    out + rest
}

/// How the parameters of the kernel were chosen.
fn chosen(model: &KernelPca) -> String {
    let options = &model.parts().options;
    let requested = match options.gamma {
        Some(gamma) => options.kernel.with_gamma(gamma).ok(),
        None => Some(options.kernel.clone()),
    };
    let requested = requested.unwrap_or_else(|| options.kernel.clone());
    let resolved = model.kernel().kernel();
    match (requested.as_base(), resolved.as_base()) {
        (Some(requested), Some(resolved)) => base_kernel_words(requested, resolved, model),
        _ if requested == *resolved => "its parameters were given.".to_owned(),
        _ => "parameters that were not given were computed from the rows.".to_owned(),
    }
}

fn base_kernel_words(requested: Base, resolved: Base, model: &KernelPca) -> String {
    let Some(gamma) = requested.gamma() else {
        return match resolved {
            Base::Precomputed => "the table is the kernel matrix itself.".to_owned(),
            Base::Linear | Base::Cosine => "it has no parameters.".to_owned(),
            _ => "its parameters were given, or are its defaults.".to_owned(),
        };
    };
    let value = match resolved.gamma() {
        Some(Gamma::Value(value)) => short(value),
        Some(Gamma::Sigma(sigma)) => short(0.5 / (sigma * sigma)),
        _ => return "its parameters were given.".to_owned(),
    };
    let rows = match model.parts().preparation {
        Some(_) => "the centered and scaled rows",
        None => "the rows",
    };
    match gamma {
        Gamma::Value(_) => format!("γ = {value} was given."),
        Gamma::Sigma(sigma) => format!(
            "σ = {} was given, so that γ = 1 ÷ 2σ² = {value}.",
            short(sigma)
        ),
        Gamma::Unset | Gamma::Auto => match resolved {
            Base::Chi2 { .. } => format!("γ = {value} is its default."),
            _ => format!(
                "γ = {value} is 1 ÷ {}, by default or as asked (auto).",
                counted(model.n_cols(), "column")
            ),
        },
        Gamma::Scale => format!(
            "γ = {value} is 1 ÷ (columns × variance of all cells of {rows}), as asked (scale)."
        ),
        Gamma::Median => {
            let at_median = match resolved {
                Base::Rbf { .. } => "e^(−1/2), about 0.61",
                _ => "e^(−1), about 0.37",
            };
            format!(
                "γ = {value} was found from {rows} (median): two rows that lie the median distance apart have k = {at_median}."
            )
        }
    }
}

/// Which matrix the eigenvalues belong to, and what shares are shares of.
fn strategy(model: &KernelPca) -> String {
    let parts = model.parts();
    match parts.strategy {
        Strategy::Exact { .. } => format!(
            "the centered kernel matrix of all {}; shares are of its trace, which is known exactly.",
            counted(parts.n_rows, "row")
        ),
        Strategy::Nystrom { landmarks } => format!(
            "what {} landmarks make of the kernel matrix; {}. The total that shares are of includes what the landmarks miss, so that no share is \
             said to be larger than it is.",
            grouped(landmarks as u64),
            off_by(model)
        ),
        Strategy::Fourier { features } => format!(
            "the centered features of {} random numbers that stand for the kernel, an estimate; {}.",
            grouped(features as u64),
            off_by(model)
        ),
    }
}

/// The error bound of the eigenvalues.
fn off_by(model: &KernelPca) -> String {
    let errors = model.eigenvalue_errors().unwrap_or_default();
    let largest = errors.into_iter().fold(0.0f64, f64::max);
    match model.eigenvalues().first().filter(|first| **first > 0.0) {
        Some(first) => format!(
            "an exact eigenvalue may lie {} of the first one away",
            brief(largest / first)
        ),
        None => "no eigenvalue is above zero".to_owned(),
    }
}

/// The share that PCA keeps of the same rows.
fn linear_words(story: &OverviewStory) -> Option<String> {
    let linear = story.overview.linear.as_ref()?;
    let verb = if linear.n_components == 1 {
        "keeps"
    } else {
        "keep"
    };
    Some(format!(
        "PCA of the same rows: {} {verb} {} of the variance of the columns.",
        counted(linear.n_components, "component"),
        percent(linear.share)
    ))
}

/// A table of kernel PCA and PCA, for fitted and for held-out rows.
fn beside(story: &OverviewStory) -> Option<Block> {
    let linear = story.overview.linear.as_ref()?;
    let last = |shares: Option<&Vec<f64>>| {
        let share = shares.and_then(|shares| shares.last());
        share.map_or_else(|| "not known".to_owned(), |share| percent(*share))
    };
    let own = story.overview.held_out.as_ref();
    let of_pca = linear.held_out.as_ref();
    let row = |name: &str,
               k: usize,
               share: Option<f64>,
               held_out: Option<&eigenspan::evaluate::HeldOut>| {
        vec![
            name.to_owned(),
            grouped(k as u64),
            share.map_or_else(|| "not known".to_owned(), percent),
            last(held_out.map(|h| &h.fitted)),
            last(held_out.map(|h| &h.new)),
        ]
    };
    let rows = vec![
        row("kernel PCA", story.k(), story.kept_share(), own),
        row("PCA", linear.n_components, Some(linear.share), of_pca),
    ];
    let heads = [
        ("method", TEXT),
        ("components", NUMBER),
        ("kept of all", NUMBER),
        ("of fitted", NUMBER),
        ("of held out", NUMBER),
    ];
    let caption =
        "Share kept of all rows; of a part of them, fitted alone; and of the rest, held out";
    Some(Block::Table(table(caption, &heads, rows, 2)))
}
