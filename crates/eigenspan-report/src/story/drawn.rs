//! The pictures of the report, from the numbers of an analysis.

use super::Story;
use crate::figure::biplot::Biplot;
use crate::figure::circle::{self, Circle};
use crate::figure::coloring::Coloring;
use crate::figure::contributions::{Contributions, Kind};
use crate::figure::heatmap::{Heatmap, Measure};
use crate::figure::loadings::{Loadings, PANELS};
use crate::figure::pairs::Pairs;
use crate::figure::scores::Scores;
use crate::figure::{Component, Figure, Size};
use crate::page::{Color, Values};
use crate::plot::numbers::{self, LossNumbers, ScreeNumbers};

/// The numbers of a story in the shape that figures take.
pub(super) struct Drawn<'a> {
    story: &'a Story<'a>,
    components: Vec<Component<'a>>,
    /// Scores of the rows shown, by component.
    scores: Vec<Vec<f64>>,
    /// Correlations of the columns, by component.
    correlations: Vec<Vec<f64>>,
    /// The entries of the components.
    weights: Vec<&'a [f64]>,
    classes: Option<(&'a str, Vec<String>)>,
}

/// Components that figures draw, at most.
const MOST: usize = 12;
const WIDE: f64 = 900.0;

impl<'a> Drawn<'a> {
    pub(super) fn new(story: &'a Story<'a>) -> Self {
        let (analysis, axes) = (story.analysis, &story.summary().axes);
        let components = story.pca().components();
        Drawn {
            story,
            components: axes.iter().map(Component::from).take(MOST).collect(),
            scores: (0..analysis.n_axes())
                .map(|c| analysis.shown_scores(c))
                .collect(),
            correlations: numbers::by_component(&analysis.columns.correlations, MOST),
            weights: components.rows().take(MOST).collect(),
            classes: classes(&analysis.colors),
        }
    }

    /// Whether there are two components to draw against each other.
    pub(super) fn is_plane(&self) -> bool {
        self.scores.len() > 1 && self.components.len() > 1
    }

    pub(super) fn scree(&self) -> Figure {
        let (analysis, pca) = (self.story.analysis, self.story.pca());
        let numbers = ScreeNumbers::of(pca, analysis.choices.as_ref(), analysis.k);
        numbers.scree().figure(size(520.0))
    }

    fn coloring(&self) -> Coloring<'_> {
        match &self.classes {
            Some((name, classes)) => Coloring::Classes { name, classes },
            None => Coloring::None,
        }
    }

    fn plane(&self) -> Scores<'_> {
        Scores {
            x: &self.scores[0],
            y: &self.scores[1],
            x_axis: self.components[0],
            y_axis: self.components[1],
            names: self.story.analysis.row_names.as_deref(),
            coloring: self.coloring(),
            ellipses: self.classes.is_some(),
        }
    }

    pub(super) fn scores(&self) -> Figure {
        self.plane().figure(size(600.0))
    }

    /// The map for a terminal.
    pub(super) fn small_map(&self, width: usize) -> String {
        self.plane().terminal(width)
    }

    pub(super) fn pairs(&self) -> Option<Figure> {
        let scores: Vec<&[f64]> = self.scores.iter().map(Vec::as_slice).collect();
        let k = self.story.analysis.k.max(3).min(scores.len());
        (k >= 3).then(|| {
            Pairs {
                components: &self.components,
                scores: &scores[..k],
                coloring: self.coloring(),
            }
            .figure(size(720.0))
        })
    }

    fn columns(&self) -> Vec<circle::Column<'_>> {
        let analysis = self.story.analysis;
        numbers::arrows(&analysis.names, &analysis.columns, (0, 1))
    }

    pub(super) fn circle(&self) -> Figure {
        let beside = &self.story.analysis.supplementary;
        Circle {
            columns: &self.columns(),
            supplementary: &numbers::arrows_beside(beside, (0, 1)),
            x_axis: self.components[0],
            y_axis: self.components[1],
        }
        .figure(size(640.0))
    }

    pub(super) fn biplot(&self) -> Figure {
        Biplot {
            scores: Scores {
                ellipses: false,
                ..self.plane()
            },
            columns: &self.columns(),
        }
        .figure(size(660.0))
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
        Loadings {
            components: &self.components[..k],
            loadings: &self.weights[..k],
            names: &self.story.analysis.names,
            intervals: intervals.as_deref(),
        }
        .figure(size(600.0))
    }

    pub(super) fn heatmap(&self) -> Figure {
        let k = self.story.analysis.k.max(5).min(self.correlations.len());
        let loadings: Vec<&[f64]> = self
            .correlations
            .iter()
            .take(k)
            .map(Vec::as_slice)
            .collect();
        Heatmap {
            measure: Measure::Correlations,
            components: &self.components[..k.min(self.components.len())],
            loadings: &loadings,
            names: &self.story.analysis.names,
        }
        .figure(size(760.0))
    }

    /// Which columns make up a component, from 0.
    pub(super) fn contributions(&self, component: usize) -> Figure {
        let shares = self.story.analysis.columns.contributions.col(component);
        let shares: Vec<f64> = shares.iter().map(|percent| percent / 100.0).collect();
        self.bars(
            Kind::Contribution,
            &self.story.axis_name(component),
            &shares,
        )
    }

    /// How much of each column the components spoken of tell.
    pub(super) fn communalities(&self) -> Figure {
        let k = self.story.analysis.k;
        let told = self
            .story
            .analysis
            .columns
            .cumulative_communalities
            .col(k - 1);
        let of = match k {
            1 => self.story.axis_name(0),
            k => format!("the first {k} components"),
        };
        self.bars(Kind::Cos2, &of, &told)
    }

    fn bars(&self, kind: Kind, of: &str, shares: &[f64]) -> Figure {
        Contributions {
            kind,
            of,
            noun: "column",
            shares,
            names: &self.story.analysis.names,
        }
        .figure(Size {
            width: 560.0,
            height: 520.0,
        })
    }

    pub(super) fn reconstruction(&self) -> Figure {
        let (analysis, pca) = (self.story.analysis, self.story.pca());
        let numbers = LossNumbers::of(pca, analysis.choices.as_ref(), analysis.k);
        numbers.reconstruction().figure(size(460.0))
    }

    /// The components as pictures, where rows are pictures or patches of them.
    pub(super) fn pictures(&self) -> Option<Figure> {
        let picture = self.story.fit.table.picture()?;
        let pictures = numbers::pictures(picture, &self.components, &self.weights);
        Some(pictures.figure(size(640.0)))
    }

    pub(super) fn outliers(&self) -> Figure {
        let analysis = self.story.analysis;
        numbers::outliers(
            &analysis.of_shown(&analysis.rows.t2),
            &analysis.of_shown(&analysis.rows.q),
            &analysis.outliers.limits,
            analysis.row_names.as_deref(),
        )
        .figure(size(560.0))
    }
}

fn size(height: f64) -> Size {
    Size {
        width: WIDE,
        height,
    }
}

/// The first column of groups, as a class per row.
fn classes(colors: &[Color]) -> Option<(&str, Vec<String>)> {
    colors.iter().find_map(|color| match &color.values {
        Values::Levels { levels, codes } => {
            let class = |code: &Option<usize>| code.and_then(|code| levels.get(code)).cloned();
            let classes = codes.iter().map(|code| class(code).unwrap_or_default());
            Some((color.name.as_str(), classes.collect()))
        }
        Values::Numbers(_) => None,
    })
}
