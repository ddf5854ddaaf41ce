//! The pictures of the report, from the numbers of an analysis.

use super::Story;
use crate::figure::biplot::Biplot;
use crate::figure::circle::{self, Circle};
use crate::figure::coloring::Coloring;
use crate::figure::contributions::{Contributions, Kind};
use crate::figure::heatmap::Heatmap;
use crate::figure::loadings::Loadings;
use crate::figure::outliers::Outliers;
use crate::figure::pairs::Pairs;
use crate::figure::pictures::Pictures;
use crate::figure::reconstruction::Reconstruction;
use crate::figure::scores::Scores;
use crate::figure::scree::Scree;
use crate::figure::{Component, Figure, Size};
use crate::page::{Color, Values};

/// The numbers of a story in the shape that figures take.
pub(super) struct Drawn<'a> {
    story: &'a Story<'a>,
    components: Vec<Component<'a>>,
    /// Scores of the rows shown, by component.
    scores: Vec<Vec<f64>>,
    /// Columns against components.
    correlations: Vec<Vec<f64>>,
    loadings: Vec<Vec<f64>>,
    classes: Option<(&'a str, Vec<String>)>,
}

/// Components that figures draw, at most.
const MOST: usize = 12;
const WIDE: f64 = 900.0;

impl<'a> Drawn<'a> {
    pub(super) fn new(story: &'a Story<'a>) -> Self {
        let (analysis, axes) = (story.analysis, &story.summary().axes);
        let component = |(i, axis): (usize, &'a crate::summary::Axis)| Component {
            number: i + 1,
            share: axis.share,
            words: &axis.words,
        };
        let k = analysis.columns.correlations.n_cols().min(MOST);
        Drawn {
            story,
            components: axes.iter().enumerate().map(component).take(MOST).collect(),
            scores: (0..analysis.n_axes())
                .map(|c| analysis.shown_scores(c))
                .collect(),
            correlations: (0..k)
                .map(|c| analysis.columns.correlations.col(c))
                .collect(),
            loadings: (0..k).map(|c| analysis.columns.components.col(c)).collect(),
            classes: classes(&analysis.colors),
        }
    }

    /// Whether there are two components to draw against each other.
    pub(super) fn is_plane(&self) -> bool {
        self.scores.len() > 1 && self.components.len() > 1
    }

    pub(super) fn scree(&self) -> Figure {
        let analysis = self.story.analysis;
        let rank = self.story.pca().spectrum().rank;
        let axes = self.story.summary().axes.iter().take(rank);
        let shares: Vec<f64> = axes.map(|axis| axis.share).collect();
        let null = analysis.null_shares(self.story.pca().spectrum().total_variance());
        let advices = analysis.choices.iter().flat_map(|choices| &choices.advices);
        let rules: Vec<(&str, usize)> = advices
            .filter_map(|a| Some((a.rule.name(), a.k?)))
            .collect();
        let n_rows = self.story.pca().parts().n_rows;
        Scree {
            shares: &shares,
            n_possible: self
                .story
                .pca()
                .n_cols()
                .min(n_rows.saturating_sub(1))
                .max(shares.len()),
            null: null.as_deref(),
            rules: &rules,
            chosen: Some(analysis.k),
        }
        .figure(size(520.0))
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
        let names = &self.story.analysis.names;
        let column = |(j, name): (usize, &'a String)| circle::Column {
            name,
            x: self.correlations[0][j],
            y: self.correlations[1][j],
        };
        names.iter().enumerate().map(column).collect()
    }

    pub(super) fn circle(&self) -> Figure {
        let numeric = &self.story.analysis.supplementary.numeric;
        let beside = numeric.iter().map(|column| circle::Column {
            name: &column.name,
            x: column.correlations.first().copied().unwrap_or(f64::NAN),
            y: column.correlations.get(1).copied().unwrap_or(f64::NAN),
        });
        Circle {
            columns: &self.columns(),
            supplementary: &beside.collect::<Vec<_>>(),
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
        let k = self.story.analysis.k.clamp(1, 3).min(self.loadings.len());
        let loadings: Vec<&[f64]> = self.loadings.iter().take(k).map(Vec::as_slice).collect();
        let bootstrap = self.story.analysis.bootstrap.as_ref();
        let intervals: Option<Vec<Vec<(f64, f64)>>> =
            bootstrap.filter(|b| b.loadings.len() >= k).map(|b| {
                b.loadings
                    .iter()
                    .take(k)
                    .map(|c| c.iter().map(between).collect())
                    .collect()
            });
        Loadings {
            components: &self.components[..k.min(self.components.len())],
            loadings: &loadings,
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
        let axes = &self.story.summary().axes;
        let lost = axes.iter().map(|axis| (1.0 - axis.cumulative).max(0.0));
        let errors: Vec<f64> = std::iter::once(1.0).chain(lost).collect();
        let held_out = self.story.analysis.held_out();
        Reconstruction {
            errors: &errors,
            held_out: held_out.as_deref(),
            chosen: Some(self.story.analysis.k),
        }
        .figure(size(460.0))
    }

    /// The components as pictures, where rows are pictures or patches of them.
    pub(super) fn pictures(&self) -> Option<Figure> {
        let picture = self.story.fit.table.picture()?;
        let side = |whole: usize| picture.patch.unwrap_or(whole);
        let loadings: Vec<&[f64]> = self.loadings.iter().map(Vec::as_slice).collect();
        let figure = Pictures {
            components: &self.components,
            loadings: &loadings,
            width: side(picture.width),
            height: side(picture.height),
            channels: picture.channels,
        }
        .figure(size(640.0));
        Some(figure)
    }

    pub(super) fn outliers(&self) -> Figure {
        let analysis = self.story.analysis;
        let limits = &analysis.outliers.limits;
        Outliers {
            t2: &analysis.of_shown(&analysis.rows.t2),
            q: &analysis.of_shown(&analysis.rows.q),
            t2_limit: limits.t2.unwrap_or(f64::NAN),
            q_limit: limits.q.unwrap_or(f64::NAN),
            level: limits.level,
            names: analysis.row_names.as_deref(),
            n_components: analysis.k,
        }
        .figure(size(560.0))
    }
}

fn size(height: f64) -> Size {
    Size {
        width: WIDE,
        height,
    }
}

fn between(interval: &eigenspan::evaluate::Interval) -> (f64, f64) {
    (interval.percentile[0], interval.percentile[1])
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
