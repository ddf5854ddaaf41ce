//! Figures of data that break careless drawing: no rows, one row, equal rows, wild names, very many of everything.

use eigenspan::method::KeptByDirections;
use eigenspan_report::figure::accuracy::{Line, Panel, Panels};
use eigenspan_report::figure::alike::Alike;
use eigenspan_report::figure::biplot::Biplot;
use eigenspan_report::figure::circle::{Circle, Column};
use eigenspan_report::figure::coloring::Coloring;
use eigenspan_report::figure::contributions::{Contributions, ShareKind};
use eigenspan_report::figure::directions::Directions;
use eigenspan_report::figure::heatmap::{Heatmap, Measure};
use eigenspan_report::figure::loadings::Loadings;
use eigenspan_report::figure::outliers::Outliers;
use eigenspan_report::figure::pairs::Pairs;
use eigenspan_report::figure::pictures::Pictures;
use eigenspan_report::figure::reconstruction::{HeldOutKind, Reconstruction};
use eigenspan_report::figure::rows::Rows;
use eigenspan_report::figure::scores::Scores;
use eigenspan_report::figure::scree::Scree;
use eigenspan_report::figure::search::{Parameter, Search};
use eigenspan_report::figure::{Component, Draw, Figure, Size, Theme, png, svg};

use crate::support::{assert_sound, noise};

/// Numbers for every figure.
struct Case {
    names: Vec<String>,
    rows: Vec<String>,
    scores: Vec<Vec<f64>>,
    loadings: Vec<Vec<f64>>,
    shares: Vec<f64>,
    axes: Vec<String>,
    classes: Vec<String>,
    words: String,
}

impl Case {
    fn new(n: usize, d: usize, k: usize, n_classes: usize, seed: u64) -> Self {
        let loadings = (0..k).map(|c| noise(seed + 100 + c as u64, d)).collect();
        Case {
            names: (0..d).map(|j| format!("column {j}")).collect(),
            rows: (0..n).map(|i| format!("row {i}")).collect(),
            scores: (0..k).map(|c| noise(seed + c as u64, n)).collect(),
            loadings,
            shares: (0..k).map(|c| 0.5f64.powi(c as i32 + 1)).collect(),
            axes: (1..=k).map(|c| format!("Component {c}")).collect(),
            classes: (0..n)
                .map(|i| format!("class {}", i % n_classes.max(1)))
                .collect(),
            words: "more of this, that and the other · less of something else altogether"
                .to_owned(),
        }
    }

    /// Every figure there is.
    fn figures(&self, size: Size) -> Vec<Figure> {
        self.drawings(|all| all.iter().map(|drawing| drawing.figure(size)).collect())
    }

    fn drawings<R>(&self, each: impl Fn(&[&dyn Draw]) -> R) -> R {
        let components: Vec<Component<'_>> = self
            .shares
            .iter()
            .enumerate()
            .map(|(c, share)| Component {
                name: &self.axes[c],
                share: Some(*share),
                words: &self.words,
            })
            .collect();
        let last = components.len() - 1;
        let scores: Vec<&[f64]> = self.scores.iter().map(Vec::as_slice).collect();
        let loadings: Vec<&[f64]> = self.loadings.iter().map(Vec::as_slice).collect();
        let columns: Vec<Column<'_>> = (0..self.names.len())
            .map(|j| Column {
                name: &self.names[j],
                x: 0.7 * loadings[0][j],
                y: 0.7 * loadings[last.min(1)][j],
            })
            .collect();
        let kept = KeptByDirections {
            principal: self.shares.clone(),
            random: self.shares.clone(),
            low: self.shares.clone(),
            high: self.shares.clone(),
            n_draws: 99,
        };
        let classes = Coloring::Classes {
            name: "the class of a row",
            classes: &self.classes,
        };
        let plain = Scores {
            x: scores[0],
            y: scores[last.min(1)],
            x_axis: components[0],
            y_axis: components[last.min(1)],
            rows: Rows::all(Some(&self.rows)),
            coloring: Coloring::None,
            ellipses: true,
        };
        let colored = Scores {
            coloring: classes,
            ..plain
        };
        let valued = Scores {
            coloring: Coloring::Values {
                name: "a number",
                values: scores[last],
            },
            rows: Rows::default(),
            ..plain
        };
        let squares: Vec<f64> = loadings[0].iter().map(|x| x * x).collect();
        let distances: Vec<f64> = scores[0].iter().map(|x| x * x).collect();
        let ends: Vec<(f64, f64)> = self.shares.iter().map(|x| (0.5 * x, 1.0)).collect();
        let rules = [
            ("first rule", 1),
            ("second rule", self.shares.len()),
            ("third rule", 1),
        ];
        let shares = |kind| Contributions {
            kind,
            of: "PC1",
            several: false,
            noun: "column",
            shares: &squares,
            names: &self.names,
        };
        each(&[
            &Scree {
                names: &self.axes,
                shares: &self.shares,
                n_possible: self.shares.len() + 3,
                null: Some(&self.shares),
                rules: &rules,
                chosen: Some(1),
            },
            &plain,
            &colored,
            &valued,
            &Biplot {
                scores: colored,
                columns: &columns,
            },
            &Circle {
                columns: &columns,
                supplementary: &columns[..1],
                x_axis: components[0],
                y_axis: components[last.min(1)],
            },
            &Loadings {
                components: &components,
                loadings: &loadings,
                names: &self.names,
                intervals: None,
            },
            &Heatmap {
                measure: Measure::Correlations,
                components: &components,
                loadings: &loadings,
                names: &self.names,
            },
            &shares(ShareKind::Contribution),
            &shares(ShareKind::Cos2),
            &Reconstruction {
                kind: HeldOutKind::Blocks,
                errors: &self.shares,
                held_out: Some(&self.shares),
                chosen: Some(1),
            },
            &Reconstruction {
                kind: HeldOutKind::Rows,
                errors: &self.shares,
                held_out: Some(&self.shares),
                chosen: None,
            },
            &Directions {
                x: scores[0],
                y: scores[last.min(1)],
                x_axis: components[0],
                y_axis: components[last.min(1)],
                angle: 2.0,
                kept: &kept,
                n_cols: self.names.len(),
            },
            &Alike {
                names: &self.axes,
                medians: &self.shares,
                ends: &ends,
                n_draws: 20,
            },
            &Outliers {
                t2: &distances,
                q: &distances,
                t2_limit: 0.9,
                q_limit: 0.8,
                level: 0.95,
                rows: Rows::all(Some(&self.rows)),
                n_components: 1,
            },
            &Pairs {
                components: &components,
                scores: &scores,
                rows: Rows::default(),
                coloring: classes,
            },
            &Pictures {
                components: &components,
                loadings: &loadings,
                width: self.names.len(),
                height: 1,
                channels: 1,
            },
            &self.search(false),
            &self.search(true),
            &self.panels(1),
            &self.panels(3),
        ])
    }

    /// Loadings as if they were means: of one component, or of all.
    fn search(&self, map: bool) -> Search {
        let parameter = |name: &str, values: &[String]| Parameter {
            name: name.to_owned(),
            values: values.to_vec(),
        };
        let k = if map { self.loadings.len() } else { 1 };
        let means: Vec<f64> = self.loadings[..k].concat();
        Search {
            measure: self.words.clone(),
            more_is_better: map,
            across: parameter(&self.words, &self.names),
            down: map.then(|| parameter("component", &self.axes)),
            best: means.len() - 1,
            simplest: 0,
            errors: means.iter().map(|x| x.abs()).collect(),
            means,
            how: self.words.clone(),
        }
    }

    /// Loadings as if they were accuracies, after as many reductions as there are names.
    fn panels(&self, n: usize) -> Panels {
        let line = |values: &Vec<f64>| Line {
            points: values
                .iter()
                .enumerate()
                .map(|(i, x)| (i + 1, *x, x.abs()))
                .collect(),
        };
        let panel = |number: usize| Panel {
            title: self.words.clone(),
            lines: self
                .names
                .iter()
                .zip(self.loadings.iter().cycle())
                .map(|(_, l)| line(l))
                .collect(),
            whole: self.loadings[0]
                .get(number)
                .copied()
                .filter(|x| x.is_finite()),
        };
        Panels {
            finding: self.words.clone(),
            names: self.names.clone(),
            whole: Some(self.words.clone()),
            guess: 0.4,
            panels: (0..n).map(panel).collect(),
            how: self.words.clone(),
        }
    }

    fn assert_sound(&self) {
        for size in [(900.0, 600.0), (420.0, 380.0), (1600.0, 1000.0)] {
            let (width, height) = size;
            self.figures(Size { width, height })
                .iter()
                .for_each(assert_sound);
        }
        self.drawings(|all| {
            for text in all.iter().map(|drawing| drawing.terminal(80)) {
                assert!(!text.contains("NaN"), "{text}");
            }
        });
    }
}

#[test]
fn figures_of_ordinary_data_are_readable() {
    Case::new(150, 6, 4, 3, 1).assert_sound();
}

#[test]
fn figures_of_one_row_two_rows_and_one_component_are_readable() {
    Case::new(1, 1, 1, 1, 2).assert_sound();
    Case::new(2, 3, 2, 2, 3).assert_sound();
    Case::new(40, 5, 1, 2, 4).assert_sound();
    Case::new(0, 2, 2, 1, 5).assert_sound();
}

#[test]
fn figures_of_three_hundred_columns_and_thirty_classes_are_readable() {
    let mut case = Case::new(200, 300, 60, 30, 6);
    for (j, name) in case.names.iter_mut().enumerate() {
        *name = format!("a rather long name of a measured quantity, number {j} (mg/l)");
    }
    case.assert_sound();
    let figures = case.figures(Size::default());
    let legend: Vec<&str> = figures[2].scene.texts().map(|t| t.text.as_str()).collect();
    assert!(legend.contains(&"other (7 classes) (42)"), "{legend:?}");
    assert!(
        figures[6].subtitle.contains("and 280 more"),
        "{}",
        figures[6].subtitle
    );
    // Names that begin alike are told apart by their end.
    let bars: Vec<&str> = figures[8].scene.texts().map(|t| t.text.as_str()).collect();
    let named = bars.iter().filter(|t| t.contains("(mg/l)")).count();
    assert!(named >= 20, "{bars:?}");
}

#[test]
fn wild_names_are_shown_as_text() {
    let wild = [
        "<script>alert(1)</script>".to_owned(),
        "\"quoted\" 'name' & more ]]>".to_owned(),
        "two\nlines\tand\ra bell\u{7}".to_owned(),
        "x".repeat(300),
        "שלום עולם".to_owned(),
        "مرحبا بالعالم".to_owned(),
        "日本語の列名".to_owned(),
        String::new(),
        "turned \u{202e}around".to_owned(),
        "no character \u{ffff}\u{fffe}\u{0}".to_owned(),
    ];
    let mut case = Case::new(10, 10, 3, 2, 7);
    case.names = wild.to_vec();
    case.rows = wild.to_vec();
    case.classes = wild.to_vec();
    case.words = wild[..3].join(", ");
    case.assert_sound();
    for figure in case.figures(Size::default()) {
        let text = svg::file(&figure, Theme::Light);
        assert!(
            !text.contains("<script") && !text.contains('\u{202e}'),
            "{}",
            figure.id
        );
        assert!(png::draw(&figure.headed(), 1.0, false).is_ok());
    }
    let text = svg::file(&case.figures(Size::default())[6], Theme::Page);
    assert!(text.contains("&lt;script&gt;alert(1)&lt;/script&gt;"));
    assert!(
        text.contains("שלום עולם"),
        "what the font lacks stays text in SVG"
    );
}

#[test]
fn equal_huge_tiny_and_missing_numbers_are_drawn() {
    for value in [0.0, 3.5, -1e300, 1e300, 1e-300, 1e15 + 1.0] {
        let mut case = Case::new(20, 4, 3, 2, 8);
        case.scores = vec![vec![value; 20]; 3];
        case.assert_sound();
    }
    let mut case = Case::new(20, 4, 3, 2, 9);
    case.scores[0][3] = f64::NAN;
    case.scores[1][5] = f64::INFINITY;
    case.loadings[0][1] = f64::NAN;
    case.assert_sound();
    let figures = case.figures(Size::default());
    assert!(
        figures[1]
            .subtitle
            .contains("2 rows without scores are not drawn"),
        "{}",
        figures[1].subtitle
    );
    let none = vec![vec![f64::NAN; 20]; 3];
    case.scores = none;
    case.assert_sound();
}

#[test]
fn a_hundred_thousand_points_are_counted_and_said_to_be() {
    let case = Case::new(100_000, 3, 2, 4, 10);
    let figures = case.figures(Size::default());
    for figure in &figures {
        assert_sound(figure);
        let size = svg::file(figure, Theme::Page).len();
        assert!(size < 300_000, "{}: {size} bytes", figure.id);
    }
    assert!(
        figures[1]
            .subtitle
            .contains("100,000 points, counted in hexagons"),
        "{}",
        figures[1].subtitle
    );
}

#[test]
fn files_of_many_points_stay_small() {
    for n in [5_000, 10_000] {
        for figure in Case::new(n, 3, 5, 3, 11).figures(Size::default()) {
            let size = svg::file(&figure, Theme::Page).len();
            assert!(size < 300_000, "{}: {size} bytes for {n} points", figure.id);
        }
    }
}
