//! A model of any method as a report: the sections that its capabilities and the available rows allow, and a section of the method's own
//! if it has one ([`kernel`]).

mod answers;
mod drawn;
mod kernel;
mod sections;

use eigenspan::Note;
use eigenspan::error::counted;
use eigenspan::method::Fitted;
use eigenspan_io::Table;
use eigenspan_io::model::Origin;

use super::{SmallMap, without_folders};
use crate::analysis::{Overview, PlacedRows, WhichRows};
use crate::figure;
use crate::front::Front;
use crate::page::{Axis, Fact, Page, Points, Prose};
use crate::summary::Summary;
use crate::words::{brief, percent, thousandths};

/// The content of a report.
#[derive(Clone, Copy)]
pub struct OverviewStory<'a> {
    /// The model.
    pub fitted: &'a dyn Fitted,
    /// The names of its columns.
    pub columns: &'a [String],
    /// The summary of the model.
    pub summary: &'a Summary,
    /// The overview: everything beyond the summary.
    pub overview: &'a Overview,
    /// The rows of the report, if there are any.
    pub table: Option<&'a Table>,
    /// The model file and how it was made, if the model comes from a file.
    pub model: Option<(&'a str, &'a Origin)>,
    /// Notes from reading and from fitting.
    pub notes: &'a [Note],
    /// Who the page is made for.
    pub front: &'a Front,
}

impl OverviewStory<'_> {
    /// The title of the page: the name of the data or of the model, without its folder.
    pub fn title(&self) -> String {
        let data = self.table.map(|table| without_folders(table.name()));
        match (self.model, data) {
            (None, data) => data.unwrap_or_default().to_owned(),
            (Some((model, _)), None) => without_folders(model).to_owned(),
            (Some((model, _)), Some(data)) => title_of_both(data, model),
        }
    }

    fn k(&self) -> usize {
        self.fitted.common().n_components
    }

    /// The share of the variance that all components keep; `None` if the method has no shares.
    fn kept_share(&self) -> Option<f64> {
        self.summary.axes.last().map(|axis| axis.cumulative)
    }

    /// Whether any component has variance.
    fn varies(&self) -> bool {
        let spectrum = self.fitted.spectrum();
        spectrum.is_none_or(|spectrum| spectrum.total_variance() > 0.0)
    }

    /// The number of components with variance, if the method knows it; else the number of components.
    fn rank(&self) -> usize {
        self.fitted
            .spectrum()
            .map_or(self.k(), |s| s.rank)
            .min(self.k())
    }

    /// What shares are shares of: `variance in feature space` or, without centering, sums of squares about zero.
    fn variance(&self) -> String {
        let shown = self.fitted.shown();
        match shown.is_centered {
            true => format!("variance{}", shown.place),
            false => "sum of squares".to_owned(),
        }
    }

    /// The largest residual of a component; `None` if the method has no residuals.
    fn largest_residual(&self) -> Option<f64> {
        let residuals = self.fitted.spectrum()?.residuals.iter().copied();
        Some(residuals.fold(0.0, f64::max))
    }

    fn all_notes(&self) -> impl Iterator<Item = &Note> {
        self.notes.iter().chain(&self.overview.notes)
    }
}

/// The title of a page about new rows and an existing model.
pub(crate) fn title_of_both(data: &str, model: &str) -> String {
    format!("{} under {}", without_folders(data), without_folders(model))
}

/// The report as a page.
pub fn page(story: &OverviewStory) -> Page {
    let common = story.fitted.common();
    let shape = format!(
        "{} × {}, {}",
        counted(common.n_rows, "row"),
        counted(common.n_cols, "numeric column"),
        story.fitted.headline()
    );
    let fitted = match story.model {
        Some(_) => format!("A model of {shape}"),
        None => shape,
    };
    Page {
        title: story.title(),
        subtitle: Prose::from(fitted),
        headline: answers::headline(story),
        facts: facts(story),
        answers: answers::answers(story),
        sections: sections::sections(story),
        points: story.overview.rows.as_ref().map(|rows| points(story, rows)),
        figure_style: figure::svg::style(),
        footer: footer(story),
    }
}

/// The map of the first two components for a terminal; `None` if there are no rows, or if no component has variance.
pub fn small_map(story: &OverviewStory) -> Option<SmallMap> {
    let rows = story.overview.rows.as_ref()?;
    story.varies().then(|| drawn::small_map(story, rows))
}

/// The numbers to remember.
fn facts(story: &OverviewStory) -> Vec<Fact> {
    let fact = |value: String, label: String| Fact {
        value,
        label: Prose::from(label),
    };
    let k = story.k();
    let noun = if k == 1 { "component" } else { "components" };
    let mut facts = vec![fact(k.to_string(), format!("{noun} kept"))];
    facts.extend(story.kept_share().map(|share| {
        let them = if k == 1 { "it" } else { "them" };
        fact(
            percent(share),
            format!("of the {} is in {them}", story.variance()),
        )
    }));
    let overview = story.overview;
    facts.extend(overview.held_out.as_ref().and_then(|held_out| {
        let kept = held_out.new.last()?;
        let rows = counted(held_out.n_new, "row");
        Some(fact(percent(*kept), format!("of {rows} held out is kept")))
    }));
    facts.extend(overview.halves.as_ref().map(|halves| {
        let label = "similarity to models of half of the rows (1 is best)";
        fact(thousandths(halves.similarity.median), label.to_owned())
    }));
    if facts.len() < 4 {
        let residual = story.largest_residual();
        facts
            .extend(residual.map(|r| fact(brief(r), "largest residual of a component".to_owned())));
    }
    facts
}

/// The rows behind the map.
fn points(story: &OverviewStory, rows: &PlacedRows) -> Points {
    let axes = (0..rows.scores.n_cols()).map(|c| {
        let axis = story.summary.axes.get(c);
        Axis {
            name: story.fitted.axis_name(c),
            share: axis.map(|axis| axis.share),
            words: axis.map(|axis| axis.words.clone()).unwrap_or_default(),
            scores: rows.scores.col(c),
        }
    });
    let all = rows.shown.len() == rows.n_rows;
    let numbers = || rows.shown.iter().map(|i| *i as u32 + 1).collect();
    Points {
        axes: axes.collect(),
        names: rows.names.clone(),
        numbers: (!all).then(numbers),
        colors: rows.colors.clone(),
        t2: None,
        q: None,
        n_total: rows.n_rows,
        sampling: (!all).then(|| format!("random, seed {}", story.overview.seed)),
    }
}

fn footer(story: &OverviewStory) -> Prose {
    let version = env!("CARGO_PKG_VERSION");
    Prose::new()
        .words(format!("Made by eigenspan {version} from "))
        .name(story.title())
        .words(". This file holds everything it shows; nothing is fetched.")
}

/// What a sentence calls the rows of the map.
fn rows_words(which: WhichRows) -> &'static str {
    match which {
        WhichRows::Fitted => "the rows",
        WhichRows::InModel => "the training rows, which the model file holds",
        WhichRows::New => "the rows brought to the model",
    }
}
