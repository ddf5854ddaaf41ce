//! The figures of a report on a model of any method.

use super::super::SmallMap;
use super::super::drawn::{
    COUNTED, MOST, ONE_BY_ONE, by_class, classes, drawn_of, picked, sample, size,
};
use super::{OverviewStory, answers};
use crate::analysis::PlacedRows;
use crate::figure::alike::Alike;
use crate::figure::circle::Circle;
use crate::figure::coloring::Coloring;
use crate::figure::loadings::{Loadings, PANELS};
use crate::figure::numbers::{self, ScreeNumbers};
use crate::figure::pairs::Pairs;
use crate::figure::reconstruction::{HeldOutKind, Reconstruction};
use crate::figure::rows::Rows;
use crate::figure::scores::Scores;
use crate::figure::{Component, Figure, for_page};

/// A figure of pairs shows at most this many components.
const PAIRED: usize = 5;

/// The rows of a map in the form that figures take.
struct DrawnRows<'a> {
    components: Vec<Component<'a>>,
    names: Option<Vec<String>>,
    numbers: Vec<usize>,
    scores: Vec<Vec<f64>>,
    classes: Option<(&'a str, Vec<String>)>,
}

impl<'a> DrawnRows<'a> {
    /// The rows at the given positions among those shown, or all of them.
    fn new(rows: &'a PlacedRows, components: Vec<Component<'a>>, some: Option<&[usize]>) -> Self {
        let numbers: Vec<usize> = rows.shown.iter().map(|i| i + 1).collect();
        let scores = (0..rows.scores.n_cols()).map(|c| picked(&rows.scores.col(c), some));
        let classes = classes(&rows.colors);
        DrawnRows {
            components,
            names: rows.names.as_ref().map(|names| picked(names, some)),
            numbers: picked(&numbers, some),
            scores: scores.collect(),
            classes: classes.map(|(name, all)| (name, picked(&all, some))),
        }
    }

    fn coloring(&self) -> Coloring<'_> {
        by_class(self.classes.as_ref())
    }

    fn rows(&self) -> Rows<'_> {
        Rows {
            names: self.names.as_deref(),
            numbers: Some(&self.numbers),
        }
    }

    /// The first two components; if there is only one, it appears twice and is drawn as a number line.
    fn plane(&self, story: &OverviewStory) -> Scores<'_> {
        let second = usize::from(is_plane(story));
        Scores {
            x: &self.scores[0],
            y: &self.scores[second],
            x_axis: self.components[0],
            y_axis: self.components[second],
            rows: self.rows(),
            coloring: self.coloring(),
            // Kernel PCA finds rings and other shapes for which ellipses make no sense.
            ellipses: self.classes.is_some() && story.fitted.directions().is_some(),
        }
    }
}

/// The components with their shares and meanings, as far as the method has them.
fn components<'a>(story: &'a OverviewStory, names: &'a [String]) -> Vec<Component<'a>> {
    let component = |(c, name): (usize, &'a String)| {
        let axis = story.summary.axes.get(c);
        Component {
            name,
            share: axis.map(|axis| axis.share),
            words: axis.map_or("", |axis| &axis.words),
        }
    };
    names.iter().enumerate().map(component).collect()
}

/// Whether there are two components to draw against each other.
pub(super) fn is_plane(story: &OverviewStory) -> bool {
    story.rank() > 1
}

/// The map of the rows and, if there are at least three components, a figure of their pairs.
pub(super) fn maps(story: &OverviewStory, rows: &PlacedRows) -> (Figure, Option<Figure>) {
    let names = story.fitted.axis_names();
    let n = rows.shown.len();
    let some = (n > ONE_BY_ONE && n <= COUNTED).then(|| sample(n, ONE_BY_ONE, story.overview.seed));
    let drawn = DrawnRows::new(rows, components(story, &names), some.as_deref());
    let n_drawn = some.as_ref().map_or(n, Vec::len);
    let sampled = |mut figure: Figure| {
        if n_drawn < rows.n_rows {
            figure.caption += &drawn_of(n_drawn, rows.n_rows);
        }
        figure
    };
    let mut map = sampled(for_page(&drawn.plane(story), size(600.0), 460.0));
    if let Some(said) = answers::map(story) {
        map.caption += &format!(" {}", said.plain());
    }
    let k = story.rank().min(PAIRED).min(drawn.scores.len());
    let pairs = (k >= 3).then(|| {
        let scores: Vec<&[f64]> = drawn.scores.iter().take(k).map(Vec::as_slice).collect();
        let pairs = Pairs {
            components: &drawn.components[..k],
            scores: &scores,
            rows: drawn.rows(),
            coloring: drawn.coloring(),
        };
        sampled(for_page(&pairs, size(720.0), 440.0))
    });
    (map, pairs)
}

/// The map for a terminal.
pub(super) fn small_map(story: &OverviewStory, rows: &PlacedRows) -> SmallMap {
    let names = story.fitted.axis_names();
    let drawn = DrawnRows::new(rows, components(story, &names), None);
    let some = rows.shown.len();
    let sampled = (some < rows.n_rows).then(|| drawn_of(some, rows.n_rows));
    SmallMap::new(&drawn.plane(story), sampled)
}

/// The scree plot.
pub(super) fn scree(story: &OverviewStory) -> Option<Figure> {
    let numbers = ScreeNumbers::plain(story.fitted)?;
    Some(for_page(&numbers.scree(), size(440.0), 460.0))
}

/// The loadings, if components are directions in column space.
pub(super) fn loadings(story: &OverviewStory) -> Option<Figure> {
    let directions = story.fitted.directions()?;
    let axes = story.fitted.axis_names();
    let k = story.rank().clamp(1, PANELS).min(directions.n_rows());
    let weights: Vec<&[f64]> = directions.rows().take(MOST).collect();
    let loadings = Loadings {
        components: &components(story, &axes)[..k],
        loadings: &weights[..k],
        names: story.columns,
        intervals: None,
    };
    Some(for_page(&loadings, size(600.0), 300.0 * k as f64))
}

/// The correlation circle of the first two components, if correlations are known.
pub(super) fn circle(story: &OverviewStory) -> Option<Figure> {
    let columns = story
        .overview
        .columns
        .as_ref()
        .filter(|_| is_plane(story))?;
    let axes = story.fitted.axis_names();
    let components = components(story, &axes);
    let circle = Circle {
        columns: &numbers::arrows(story.columns, columns, (0, 1)),
        supplementary: &[],
        x_axis: components[0],
        y_axis: components[1],
    };
    Some(for_page(&circle, size(640.0), 430.0))
}

/// How similar components are in halves of the rows.
pub(super) fn alike(story: &OverviewStory) -> Option<Figure> {
    let halves = story.overview.halves.as_ref()?;
    let spreads = &halves.components;
    let names = (0..spreads.len()).map(|c| story.fitted.axis_name(c));
    let alike = Alike {
        names: &names.collect::<Vec<_>>(),
        medians: &spreads.iter().map(|s| s.median).collect::<Vec<_>>(),
        ends: &spreads.iter().map(|s| (s.low, s.high)).collect::<Vec<_>>(),
        n_draws: halves.n_draws,
    };
    Some(for_page(&alike, size(400.0), 400.0))
}

/// The reconstruction error of fitted and of held-out rows.
pub(super) fn held_out(story: &OverviewStory) -> Option<Figure> {
    let held_out = story.overview.held_out.as_ref()?;
    let lost = |kept: &[f64]| -> Vec<f64> {
        let lost = kept.iter().map(|kept| (1.0 - kept).max(0.0));
        std::iter::once(1.0).chain(lost).collect()
    };
    let curves = Reconstruction {
        errors: &lost(&held_out.fitted),
        held_out: Some(&lost(&held_out.new)),
        kind: HeldOutKind::Rows,
        chosen: None,
    };
    let mut figure = for_page(&curves, size(420.0), 360.0);
    figure.id = "new-rows".to_owned();
    Some(figure)
}
