//! An analysis as a report: sentences with answers, figures and tables, in the order of a reader's
//! questions. The numbers come from [`crate::analysis`]; the look of a page is defined in [`crate::page`].

mod answers;
mod data;
mod drawn;
mod groups;
pub mod overview;
mod parts;
mod rules;
mod scales;
mod small_map;
mod tables;

use eigenspan::error::{counted, grouped};
use eigenspan::{Note, Pca};

use crate::analysis::{Analysis, FEW_ROWS, Reason};
use crate::figure;
use crate::fit::Fit;
use crate::front::Front;
use crate::page::{self, Axis, Fact, MAX_AXES, Page, Points, Prose};
use crate::summary::Summary;
use crate::words::{self, percent};
pub use small_map::SmallMap;

/// The content of a report.
#[derive(Clone, Copy)]
pub struct Story<'a> {
    /// The data and its PCA.
    pub fit: &'a Fit<Pca>,
    /// The analysis.
    pub analysis: &'a Analysis,
    /// Who the page is made for.
    pub front: &'a Front,
    /// The seed of samples.
    pub seed: u64,
}

impl Story<'_> {
    fn pca(&self) -> &Pca {
        &self.fit.fitted
    }

    fn summary(&self) -> &Summary {
        &self.fit.summary
    }

    /// The name of component i, from 0.
    fn axis_name(&self, i: usize) -> String {
        self.pca().parts().options.names.component(i)
    }

    /// The name of the data without its folder.
    fn data_name(&self) -> &str {
        without_folders(self.fit.rows.table.name())
    }

    /// The number of possible components: those with variance, if all are known.
    fn n_possible(&self) -> usize {
        let pca = self.pca();
        let possible = pca.n_cols().min(pca.parts().n_rows.saturating_sub(1));
        // Components too small to be distinguished from rounding may still have variance.
        let is_blurred = |note: &&Note| matches!(note, Note::BelowResolution { .. });
        let blurred = self.fit.notes.iter().find(is_blurred).is_some();
        match pca.n_components() < possible || blurred {
            true => possible,
            false => pca.spectrum().rank,
        }
    }

    /// The share of the variance that the first k components keep.
    fn kept_share(&self) -> f64 {
        let axes = &self.summary().axes;
        axes.get(self.analysis.k - 1)
            .map_or(0.0, |axis| axis.cumulative)
    }

    fn is_centered(&self) -> bool {
        self.pca().parts().options.center
    }

    /// What shares are shares of: the variance or, without centering, the sums of squares about zero.
    fn variance(&self) -> &'static str {
        match self.is_centered() {
            true => "variance",
            false => "sum of squares",
        }
    }

    /// The sentence for data in which no component has variance.
    fn no_variance(&self) -> &'static str {
        match self.is_centered() {
            true => "All rows are the same: there is no variance to explain.",
            false => "All cells are zero: there is nothing to explain.",
        }
    }

    /// Whether there are too few rows to tell signal from noise.
    fn has_few_rows(&self) -> bool {
        self.pca().parts().n_rows < FEW_ROWS
    }

    /// All notes, from reading, fitting and the analysis.
    fn notes(&self) -> impl Iterator<Item = &Note> {
        self.fit.notes.iter().chain(&self.analysis.notes)
    }

    /// A suffix for a number of rows if only a sample was analyzed.
    fn looked_at(&self) -> &'static str {
        match self.analysis.rows.t2.len() < self.analysis.n_rows() {
            true => " looked at, a sample",
            false => "",
        }
    }

    /// Whether any component has variance.
    fn varies(&self) -> bool {
        self.pca().spectrum().total_variance() > 0.0
    }
}

/// A name without its folder.
pub(crate) fn without_folders(name: &str) -> &str {
    let last = name.trim_end_matches('/').rsplit('/').next();
    last.unwrap_or(name)
}

/// The report as a page.
pub fn page(story: &Story) -> Page {
    let table = &story.fit.rows.table;
    let shape = format!(
        "{} × {}, {}",
        counted(table.n_rows(), "row"),
        counted(table.columns().len(), "numeric column"),
        story.pca().parts().options.headline()
    );
    Page {
        title: story.data_name().to_owned(),
        subtitle: Prose::from(shape),
        headline: answers::headline(story),
        facts: facts(story),
        answers: answers::answers(story),
        sections: parts::sections(story),
        points: Some(points(story)),
        figure_style: figure::svg::style(),
        footer: footer(story),
    }
}

/// The map of the first two components for a terminal; `None` if no component has variance.
pub fn small_map(story: &Story) -> Option<SmallMap> {
    let (drawn_rows, all) = (story.analysis.shown.len(), story.analysis.n_rows());
    let sampled = (drawn_rows < all).then(|| drawn::drawn_of(drawn_rows, all));
    let map = || drawn::Drawn::whole(story).small_map(sampled);
    story.varies().then(map)
}

/// The four numbers to remember.
fn facts(story: &Story) -> Vec<Fact> {
    let analysis = story.analysis;
    let fact = |value: String, label: &str| Fact {
        value,
        label: Prose::from(label),
    };
    let possible = story.n_possible();
    let bootstrap = analysis.bootstrap.as_ref();
    let bootstrap = bootstrap.filter(|_| !story.has_few_rows());
    let stable = bootstrap.and_then(|b| b.stability.first());
    vec![
        fact(
            analysis.k.to_string(),
            &format!(
                "of {} {}",
                counted(possible, "component"),
                match (analysis.reason, analysis.k) {
                    (Reason::Given, _) => "kept, as asked",
                    (Reason::Kept, _) => "kept",
                    (Reason::Advised, 1) => "matters",
                    (Reason::Advised, _) => "matter",
                    // Not the components that matter, but those shown when nothing stands out from noise.
                    (_, 1) => "holds 90 %",
                    _ => "hold 90 %",
                }
            ),
        ),
        fact(
            percent(story.kept_share()),
            &format!(
                "of the {} is in {}",
                story.variance(),
                if analysis.k == 1 { "it" } else { "them" }
            ),
        ),
        standing_out(story),
        match stable {
            Some(stability) => fact(
                words::hundredths(*stability),
                "stability of the first component (1 is best)",
            ),
            None => fact(
                words::brief(largest_residual(story.pca())),
                "largest residual of a component",
            ),
        },
    ]
}

/// How many rows lie beyond a limit; with too few rows for limits, whether one row stands apart.
fn standing_out(story: &Story) -> Fact {
    let outliers = &story.analysis.outliers;
    let (n, how) = match story.has_few_rows() {
        true => (usize::from(story.summary().apart.is_some()), "apart"),
        false => (outliers.n_beyond, "out"),
    };
    let verb = if n == 1 { "stands" } else { "stand" };
    let rows = counted(outliers.n_rows, "row");
    Fact {
        value: grouped(n as u64),
        label: Prose::from(format!("of {rows}{} {verb} {how}", story.looked_at())),
    }
}

/// The largest residual ‖Cv − λv‖ ÷ λ of the components.
fn largest_residual(pca: &Pca) -> f64 {
    pca.spectrum().residuals.iter().copied().fold(0.0, f64::max)
}

/// The rows behind the map.
fn points(story: &Story) -> Points {
    let (analysis, summary) = (story.analysis, story.summary());
    let looked_at = &analysis.rows;
    let axes = (0..analysis.n_axes().min(MAX_AXES)).map(|c| Axis {
        name: story.axis_name(c),
        share: summary.axes.get(c).map(|axis| axis.share),
        words: summary
            .axes
            .get(c)
            .map(|axis| axis.words.clone())
            .unwrap_or_default(),
        scores: analysis.shown_scores(c),
    });
    let number = |&i: &usize| looked_at.rows.get(i).unwrap_or(i) as u32 + 1;
    let all = analysis.shown.len() == analysis.n_rows();
    Points {
        axes: axes.collect(),
        names: analysis.row_names.clone(),
        numbers: (!all).then(|| analysis.shown.iter().map(number).collect()),
        colors: analysis.colors.clone(),
        t2: Some(analysis.for_shown_rows(&looked_at.t2)),
        q: Some(analysis.for_shown_rows(&looked_at.q)),
        n_total: analysis.n_rows(),
        sampling: (!all).then(|| format!("random, seed {}", story.seed)),
    }
}

fn footer(story: &Story) -> Prose {
    let version = env!("CARGO_PKG_VERSION");
    Prose::new()
        .words(format!("Made by eigenspan {version} from "))
        .name(story.data_name())
        .words(". This file holds everything it shows; nothing is fetched.")
}

/// The data behind one figure has at most this many bytes.
const MOST_DATA: usize = 40_000;

/// A figure on the page.
fn on_page(story: &Story, figure: figure::Figure) -> page::Figure {
    let figure = match story.is_centered() {
        true => figure,
        false => figure.about_zero(),
    };
    set_figure(
        figure,
        story.front.either("; --tables writes every number", ""),
    )
}

/// A figure as a page shows it; `elsewhere` says where to find all of its numbers if the page holds only some.
fn set_figure(figure: figure::Figure, elsewhere: &str) -> page::Figure {
    let (csv, kept) = shortened(&figure.csv);
    let left = match kept {
        Some((kept, all)) => format!(
            " Its CSV has the first {} of {} lines{elsewhere}.",
            grouped(kept as u64),
            grouped(all as u64)
        ),
        None => String::new(),
    };
    page::Figure {
        svg: figure::svg::inline(&figure),
        caption: Prose::from(format!(
            "{}. {}{left}",
            figure.title.trim_end_matches('.'),
            figure.caption
        )),
        data: page::Data::Csv(csv.to_owned()),
        id: figure.id,
    }
}

/// As many whole lines below the header as fit, and a sentence with their number and the total if some are left out.
fn shortened(csv: &str) -> (&str, Option<(usize, usize)>) {
    if csv.len() <= MOST_DATA {
        return (csv, None);
    }
    let (mut quoted, mut lines, mut end, mut kept) = (false, 0, 0, 0);
    for (i, byte) in csv.bytes().enumerate() {
        match byte {
            b'"' => quoted = !quoted,
            b'\n' if !quoted => {
                if i < MOST_DATA {
                    (end, kept) = (i + 1, lines);
                }
                lines += 1;
            }
            _ => {}
        }
    }
    (&csv[..end], Some((kept, lines.saturating_sub(1))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_data_is_cut_between_lines_and_says_so() {
        assert_eq!(shortened("a\n1\n"), ("a\n1\n", None));
        let line = format!("\"{}\n\",1\n", "x".repeat(994));
        let csv = format!("a,b\n{}", line.repeat(100));
        let (cut, kept) = shortened(&csv);
        assert_eq!(kept, Some((39, 100)));
        assert!(cut.len() <= MOST_DATA && cut.ends_with("\n\",1\n"));
    }
}
