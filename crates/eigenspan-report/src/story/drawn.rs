//! The figures of the report, from the numbers of an analysis.

use std::collections::BTreeSet;

use eigenspan::error::{counted, grouped};
use eigenspan::linalg::sort_largest_first;
use eigenspan::source::RowSet;

use super::{SmallMap, Story};
use crate::analysis::{Color, Values};
use crate::figure::biplot::Biplot;
use crate::figure::circle::{self, Circle};
use crate::figure::coloring::Coloring;
use crate::figure::contributions::{Contributions, ShareKind};
use crate::figure::heatmap::{Heatmap, Measure};
use crate::figure::loadings::{Loadings, PANELS};
use crate::figure::numbers::{self, LossNumbers, ScreeNumbers};
use crate::figure::pairs::Pairs;
use crate::figure::rows::Rows;
use crate::figure::scores::Scores;
use crate::figure::{Component, Figure, Size, for_page};

/// The numbers of a story in the form that figures take.
pub(super) struct Drawn<'a> {
    story: &'a Story<'a>,
    components: Vec<Component<'a>>,
    /// The rows that figures draw, as positions among the rows shown; `None` for all of them.
    some: Option<Vec<usize>>,
    names: Option<Vec<String>>,
    /// Row numbers in the data (from 1) of the rows drawn.
    numbers: Vec<usize>,
    /// Scores of the rows drawn, by component.
    scores: Vec<Vec<f64>>,
    /// Correlations of the columns, by component.
    correlations: Vec<Vec<f64>>,
    /// The loadings of the components.
    weights: Vec<&'a [f64]>,
    classes: Option<(&'a str, Vec<String>)>,
}

/// Figures draw at most this many components.
pub(super) const MOST: usize = 12;
/// The width of a figure, and of one of two figures side by side: the width on the page, so that text has the same size in all figures.
const WIDE: f64 = 960.0;
const HALF: f64 = 464.0;
/// Up to this many rows are drawn one by one. Above `COUNTED`, figures count rows in hexagons; in between, a sample is drawn.
pub(super) const ONE_BY_ONE: usize = 800;
pub(super) const COUNTED: usize = 5000;
/// The same limit for small figures, which are many.
const SMALL: (usize, usize) = (200, 1500);
/// A heat map shows at most this many columns, to limit the size of the page.
const HEATED: usize = 300;

impl<'a> Drawn<'a> {
    /// The numbers for the page, which limits the rows drawn.
    pub(super) fn new(story: &'a Story<'a>) -> Self {
        let n = story.analysis.shown.len();
        let some = (n > ONE_BY_ONE && n <= COUNTED).then(|| fewer(story, n));
        Drawn::with_rows(story, some)
    }

    /// The numbers with every row, for a terminal.
    pub(super) fn whole(story: &'a Story<'a>) -> Self {
        Drawn::with_rows(story, None)
    }

    fn with_rows(story: &'a Story<'a>, some: Option<Vec<usize>>) -> Self {
        let (analysis, axes) = (story.analysis, &story.summary().axes);
        let scores = (0..analysis.n_axes()).map(|c| analysis.shown_scores(c));
        let scores = scores.map(|scores| picked(&scores, some.as_deref()));
        let names = analysis.row_names.as_ref();
        let classes = classes(&analysis.colors);
        let number = |&i: &usize| analysis.rows.rows.get(i).unwrap_or(i) + 1;
        let numbers: Vec<usize> = analysis.shown.iter().map(number).collect();
        Drawn {
            story,
            numbers: picked(&numbers, some.as_deref()),
            names: names.map(|names| picked(names, some.as_deref())),
            scores: scores.collect(),
            classes: classes.map(|(name, all)| (name, picked(&all, some.as_deref()))),
            some,
            components: axes.iter().map(Component::from).take(MOST).collect(),
            correlations: numbers::by_component(&analysis.columns.correlations, MOST),
            weights: story.pca().components().rows().take(MOST).collect(),
        }
    }

    /// Whether there are two components to draw against each other.
    pub(super) fn is_plane(&self) -> bool {
        self.scores.len() > 1 && self.story.pca().spectrum().rank > 1
    }

    pub(super) fn scree(&self) -> Figure {
        let (analysis, pca) = (self.story.analysis, self.story.pca());
        let numbers = ScreeNumbers::from_pca(pca, analysis.choices.as_ref(), analysis.k);
        for_page(&numbers.scree(), size(520.0), 520.0)
    }

    /// Names of the rows drawn.
    fn rows(&self) -> Rows<'_> {
        Rows {
            names: self.names.as_deref(),
            numbers: Some(&self.numbers),
        }
    }

    fn coloring(&self) -> Coloring<'_> {
        by_class(self.classes.as_ref())
    }

    /// The first two components; if there is only one, it appears twice and is drawn as a number line.
    fn plane(&self) -> Scores<'_> {
        let second = usize::from(self.is_plane());
        Scores {
            x: &self.scores[0],
            y: &self.scores[second],
            x_axis: self.components[0],
            y_axis: self.components[second],
            rows: self.rows(),
            coloring: self.coloring(),
            ellipses: self.classes.is_some(),
        }
    }

    pub(super) fn scores(&self) -> Figure {
        self.sampled(for_page(&self.plane(), size(600.0), 460.0))
    }

    /// A figure of rows, with a note on how many rows it draws.
    fn sampled(&self, figure: Figure) -> Figure {
        let shown = self.story.analysis.shown.len();
        let n_drawn = self.some.as_ref().map_or(shown, Vec::len);
        self.with_sample(figure, n_drawn)
    }

    /// Adds to the caption how many rows are drawn, if that is not all: counts in the figure are counts of the rows drawn.
    fn with_sample(&self, mut figure: Figure, n_drawn: usize) -> Figure {
        let all = self.story.analysis.n_rows();
        if n_drawn < all {
            figure.caption += &drawn_of(n_drawn, all);
        }
        figure
    }

    /// The map for a terminal.
    pub(super) fn small_map(&self, sampled: Option<String>) -> SmallMap {
        SmallMap::new(&self.plane(), sampled)
    }

    pub(super) fn pairs(&self) -> Option<Figure> {
        let k = self.story.analysis.k.max(3).min(self.scores.len());
        let n = self.scores.first().map_or(0, Vec::len);
        let some = (n > SMALL.0 && n <= SMALL.1).then(|| sample(n, SMALL.0, self.story.seed));
        let scores = self.scores.iter().take(k);
        let scores: Vec<Vec<f64>> = scores.map(|s| picked(s, some.as_deref())).collect();
        let classes = self.classes.as_ref();
        let classes = classes.map(|(name, all)| (*name, picked(all, some.as_deref())));
        (k >= 3).then(|| {
            let numbers = picked(&self.numbers, some.as_deref());
            let names = self.names.as_ref();
            let names = names.map(|names| picked(names, some.as_deref()));
            let pairs = Pairs {
                components: &self.components,
                scores: &scores.iter().map(Vec::as_slice).collect::<Vec<_>>(),
                rows: Rows {
                    names: names.as_deref(),
                    numbers: Some(&numbers),
                },
                coloring: by_class(classes.as_ref()),
            };
            let figure = for_page(&pairs, size(720.0), 440.0);
            match &some {
                Some(some) => self.with_sample(figure, some.len()),
                None => self.sampled(figure),
            }
        })
    }

    fn columns(&self) -> Vec<circle::Column<'_>> {
        let analysis = self.story.analysis;
        numbers::arrows(&analysis.names, &analysis.columns, (0, 1))
    }

    pub(super) fn circle(&self) -> Figure {
        let beside = &self.story.analysis.supplementary;
        let circle = Circle {
            columns: &self.columns(),
            supplementary: &numbers::arrows_beside(beside, (0, 1)),
            x_axis: self.components[0],
            y_axis: self.components[1],
        };
        for_page(&circle, size(640.0), 430.0)
    }

    pub(super) fn biplot(&self) -> Figure {
        let biplot = Biplot {
            scores: self.plane(),
            columns: &self.columns(),
        };
        let mut figure = for_page(&biplot, size(660.0), 480.0);
        // The page already shows the rows; if there are many, this figure shows only the arrows.
        if self.scores.first().map_or(0, Vec::len) > SMALL.0 {
            let (head, rest) = figure.csv.split_once('\n').unwrap_or_default();
            let arrows = rest.find("\ncolumn,").map_or("", |start| &rest[start..]);
            figure.csv = format!("{head}{arrows}");
        }
        self.sampled(figure)
    }

    pub(super) fn loadings(&self) -> Figure {
        let k = self
            .story
            .analysis
            .k
            .clamp(1, PANELS)
            .min(self.weights.len());
        let which: Vec<usize> = (0..k).collect();
        let intervals = numbers::intervals(self.story.analysis.bootstrap.as_ref(), &which);
        let loadings = Loadings {
            components: &self.components[..k],
            loadings: &self.weights[..k],
            names: &self.story.analysis.names,
            intervals: intervals.as_deref(),
        };
        for_page(&loadings, size(600.0), 300.0 * k as f64)
    }

    pub(super) fn heatmap(&self) -> Figure {
        let k = self.story.analysis.k.max(5).min(self.correlations.len());
        let all = &self.story.analysis.names;
        let communality =
            |j: usize| -> f64 { self.correlations[..k].iter().map(|r| r[j] * r[j]).sum() };
        let some = (all.len() > HEATED).then(|| {
            let mut best: Vec<usize> = (0..all.len()).collect();
            sort_largest_first(&mut best, &|j| communality(j));
            best.truncate(HEATED);
            best.sort_unstable();
            best
        });
        let correlations = self.correlations.iter().take(k);
        let correlations: Vec<Vec<f64>> =
            correlations.map(|r| picked(r, some.as_deref())).collect();
        let heatmap = Heatmap {
            measure: Measure::Correlations,
            components: &self.components[..k.min(self.components.len())],
            loadings: &correlations.iter().map(Vec::as_slice).collect::<Vec<_>>(),
            names: &picked(all, some.as_deref()),
        };
        let mut figure = for_page(&heatmap, size(760.0), 620.0);
        if some.is_some() {
            figure.caption += &format!(
                " It shows the {HEATED} of {} columns that these components explain best.",
                grouped(all.len() as u64)
            );
        }
        figure
    }

    /// Contributions of the columns to component `c` (from 0).
    pub(super) fn contributions(&self, component: usize) -> Figure {
        let shares = self.story.analysis.columns.contributions.col(component);
        let shares: Vec<f64> = shares.iter().map(|percent| percent / 100.0).collect();
        let name = self.story.axis_name(component);
        self.bars(ShareKind::Contribution, (&name, 1), &shares, HALF)
    }

    /// The communality of each column: how much of it the first k components explain.
    pub(super) fn communalities(&self) -> Figure {
        let k = self.story.analysis.k;
        let communality = self
            .story
            .analysis
            .columns
            .cumulative_communalities
            .col(k - 1);
        let of = match k {
            1 => self.story.axis_name(0),
            k => format!("the first {k} components"),
        };
        self.bars(ShareKind::Cos2, (&of, k), &communality, WIDE)
    }

    /// The shares of the columns in components of this name and number.
    fn bars(&self, kind: ShareKind, (of, k): (&str, usize), shares: &[f64], width: f64) -> Figure {
        let bars = Contributions {
            kind,
            of,
            several: k > 1,
            noun: "column",
            shares,
            names: &self.story.analysis.names,
        };
        let height = 520.0;
        for_page(&bars, Size { width, height }, height)
    }

    pub(super) fn reconstruction(&self) -> Figure {
        let (analysis, pca) = (self.story.analysis, self.story.pca());
        let numbers = LossNumbers::from_pca(pca, analysis.choices.as_ref(), analysis.k);
        for_page(&numbers.reconstruction(), size(460.0), 360.0)
    }

    /// The components as pictures, if the rows are pictures or patches of pictures.
    pub(super) fn pictures(&self) -> Option<Figure> {
        let picture = self.story.fit.rows.table.picture()?;
        let pictures = numbers::pictures(picture, &self.components, &self.weights);
        Some(for_page(&pictures, size(640.0), 600.0))
    }

    pub(super) fn outliers(&self) -> Figure {
        let analysis = self.story.analysis;
        let drawn = |all: &[f64]| picked(&analysis.for_shown_rows(all), self.some.as_deref());
        let (t2, q) = (drawn(&analysis.rows.t2), drawn(&analysis.rows.q));
        let outliers = numbers::outliers(&t2, &q, &analysis.outliers.limits, self.rows());
        self.sampled(for_page(&outliers, size(560.0), 440.0))
    }
}

pub(super) fn size(height: f64) -> Size {
    Size {
        width: WIDE,
        height,
    }
}

/// The entries at the given positions, or all entries.
pub(super) fn picked<T: Clone>(all: &[T], some: Option<&[usize]>) -> Vec<T> {
    match some {
        Some(some) => some.iter().filter_map(|&i| all.get(i).cloned()).collect(),
        None => all.to_vec(),
    }
}

pub(super) fn sample(n: usize, most: usize, seed: u64) -> Vec<usize> {
    let some = RowSet::sample(n, most, seed);
    (0..some.len()).filter_map(|i| some.get(i)).collect()
}

/// A sample of the rows for a figure, with every outlier that is listed.
fn fewer(story: &Story, n: usize) -> Vec<usize> {
    let analysis = story.analysis;
    let far: BTreeSet<usize> = analysis.outliers.farthest.iter().map(|o| o.row).collect();
    let is_far = |i: &usize| {
        let row = analysis
            .shown
            .get(*i)
            .and_then(|&i| analysis.rows.rows.get(i));
        row.is_some_and(|row| far.contains(&row))
    };
    let mut rows: BTreeSet<usize> = sample(n, ONE_BY_ONE, story.seed).into_iter().collect();
    rows.extend((0..n).filter(is_far));
    rows.into_iter().collect()
}

pub(super) fn drawn_of(some: usize, all: usize) -> String {
    let (some, all) = (grouped(some as u64), counted(all, "row"));
    format!(" Drawn and counted: {some} of {all}, chosen at random.")
}

/// Colors by the class of each row, if there are classes.
pub(super) fn by_class<'c>(classes: Option<&'c (&'c str, Vec<String>)>) -> Coloring<'c> {
    match classes {
        Some((name, classes)) => Coloring::Classes { name, classes },
        None => Coloring::None,
    }
}

/// The first grouping column, as a class per row.
pub(super) fn classes(colors: &[Color]) -> Option<(&str, Vec<String>)> {
    colors.iter().find_map(|color| match &color.values {
        Values::Levels { levels, codes } => {
            let class = |code: &Option<usize>| code.and_then(|code| levels.get(code)).cloned();
            let classes = codes.iter().map(|code| class(code).unwrap_or_default());
            Some((color.name.as_str(), classes.collect()))
        }
        Values::Numbers(_) => None,
    })
}
