//! Figures with little room: 400 pixels, a terminal, one component, six distinct numbers.

use std::path::Path;

use eigenspan::Context;
use eigenspan::prepare::Scale as Prepare;
use eigenspan_io::{Input, ReadOptions};
use eigenspan_report::figure::coloring::Coloring;
use eigenspan_report::figure::rows::Rows;
use eigenspan_report::figure::scores::Scores;
use eigenspan_report::figure::{Component, Size};
use eigenspan_report::job::PlotJob;
use eigenspan_report::plot::{FigureKind, Medium};
use eigenspan_report::subject;

use crate::support::{assert_inside, assert_sound, noise, without_colors};
use crate::tables::{data, drawn, figure_options, fit, fitted, job, page, table};

fn component(name: &'static str) -> Component<'static> {
    Component {
        name,
        share: Some(0.4),
        words: "",
    }
}

/// Every kind of figure of every table at 400 pixels and smaller: nothing on another, nothing beyond the edge.
#[test]
fn figures_at_four_hundred_pixels_are_whole() {
    let long = table("looks-long.csv", 120, 12, |c| {
        format!("a kind with a rather long name number {c}")
    });
    let files = [
        data("iris/iris.csv"),
        data("wine/wine.csv"),
        data("uk-foods/uk-foods.csv"),
        data("decathlon/decathlon.csv"),
        long,
    ];
    for file in files {
        for k in [None, Some(1)] {
            for (kind, ..) in FigureKind::ALL {
                if kind == FigureKind::Pictures {
                    continue;
                }
                for (width, height) in [(400, None), (400, Some(400)), (320, Some(500))] {
                    let mut job = job(kind, &file, k);
                    job.options.paper.medium = Medium::Svg;
                    (job.options.paper.width, job.options.paper.height) = (Some(width), height);
                    let figure = drawn(&job).figure;
                    assert_sound(&figure);
                    assert_inside(&figure.scene, &figure.id);
                    let title: String = figure.headed().texts().map(|t| t.text.clone()).collect();
                    let cut = title.contains('…') && !figure.title.contains('…');
                    let head: String = figure
                        .title
                        .split(' ')
                        .next_back()
                        .unwrap_or_default()
                        .chars()
                        .take(12)
                        .collect();
                    assert!(!cut || title.contains(&head), "{}: {title}", figure.title);
                }
            }
        }
    }
}

/// Names above a line: each is there, and no component stands on two axes.
#[test]
fn one_component_is_drawn_as_a_number_line() {
    let foods = data("uk-foods/uk-foods.csv");
    for kind in [FigureKind::Scores, FigureKind::Biplot, FigureKind::Pairs] {
        let job = job(kind, &foods, Some(1));
        let plotted = drawn(&job);
        let texts: Vec<_> = plotted.figure.scene.texts().cloned().collect();
        let text = without_colors(&plotted.text.expect("for the terminal"));
        for country in ["England", "N Ireland", "Scotland", "Wales"] {
            let found = texts.iter().find(|t| t.text == country);
            let found = found.unwrap_or_else(|| panic!("{kind:?}: no {country}"));
            let frame = plotted.figure.scene.frames[0];
            assert!(
                found.y < frame.area.bottom() - 8.0,
                "{country} stands above the line"
            );
            assert!(text.contains(country), "{kind:?}: {text}");
        }
        let titles = texts.iter().filter(|t| t.text.contains("PC1 ("));
        assert_eq!(titles.count(), 1, "{kind:?}: one axis");
        assert!(
            texts.iter().all(|t| !t.upward),
            "nothing stands at an axis upward"
        );
        let header = plotted.figure.csv.lines().next().unwrap_or_default();
        assert_eq!(header.matches("PC1").count(), 1, "{header}");
        assert_sound(&plotted.figure);
    }
    let circle = drawn(&job(FigureKind::Circle, &foods, Some(1))).figure;
    assert_eq!(circle.id, "circle-pc1");
    assert_sound(&circle);
    let page = page(&fit(&foods, Some(1), Prepare::None));
    assert!(page.contains("id=\"scores-pc1\"") && page.contains("rows lie on a number line"));
    // The same component asked for twice is one component.
    let mut twice = job(FigureKind::Scores, &data("iris/iris.csv"), None);
    twice.options.axes = [Some("2".to_owned()), Some("PC2".to_owned())];
    assert_eq!(drawn(&twice).figure.id, "scores-pc2");
}

#[test]
fn a_number_line_of_many_rows_piles_them_up_by_class() {
    let n = 900;
    let x = noise(9, n);
    let classes: Vec<String> = (0..n).map(|i| format!("class {}", i % 3)).collect();
    let scores = |coloring| Scores {
        x: &x,
        y: &x,
        x_axis: component("PC1"),
        y_axis: component("PC1"),
        rows: Rows::default(),
        coloring,
        ellipses: true,
    };
    let plain = scores(Coloring::None);
    let colored = scores(Coloring::Classes {
        name: "kind",
        classes: &classes,
    });
    for scores in [plain, colored] {
        for (width, height) in [(900.0, 600.0), (400.0, 300.0)] {
            let figure = scores.figure(Size { width, height });
            assert_sound(&figure);
            assert_inside(&figure.scene, "line");
        }
        let text = without_colors(&scores.terminal(70));
        assert!(
            text.lines().all(|line| line.chars().count() <= 70),
            "{text}"
        );
    }
    let names: Vec<String> = colored
        .figure(Size::default())
        .scene
        .texts()
        .map(|t| t.text.clone())
        .collect();
    for class in ["class 0 (300)", "class 1 (300)", "class 2 (300)"] {
        assert!(names.iter().any(|name| name == class), "{names:?}");
    }
}

/// Whole numbers have steps of their own: a die falls into six, not into eight with two of them empty.
#[test]
fn whole_numbers_have_whole_bins() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("looks-whole.csv");
    let mut text = String::from("die,grade,age,share,constant,signed\n");
    for i in 0..600 {
        let signed = i64::from(i % 5) - 2;
        text += &format!(
            "{},{},{},{},4,{signed}\n",
            i % 6 + 1,
            i % 16,
            i % 101,
            f64::from(i) / 7.0
        );
    }
    std::fs::write(&path, text).expect("written");
    let ctx = Context::new();
    let rows = subject::Rows::file(Input::new(&path), ReadOptions::default());
    let described = eigenspan_report::describe::describe(&ctx, &rows);
    let (_, description) = described.expect("described");
    let column = |name: &str| {
        let found = description.columns.iter().find(|c| c.name == name);
        found.and_then(|c| c.numbers.clone()).expect("numbers")
    };
    assert_eq!(column("die").histogram, [100; 6]);
    assert_eq!(
        column("die").histogram_edges,
        [0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5]
    );
    assert_eq!(column("signed").histogram, [120; 5]);
    assert_eq!(column("constant").histogram, [600]);
    assert_eq!(column("grade").histogram.len(), 16);
    // 101 ages in steps of 13.
    let age = column("age");
    assert_eq!((age.histogram.len(), age.histogram_edges[1]), (8, 12.5));
    assert_eq!(age.histogram[0], 6 * 13 - 13 + 13);
    let share = column("share");
    assert_eq!((share.histogram.len(), share.histogram_edges[0]), (8, 0.0));
    for name in ["die", "grade", "age", "share", "constant", "signed"] {
        let column = column(name);
        assert_eq!(column.histogram.iter().sum::<u64>(), 600, "{name}");
        assert_eq!(column.histogram_edges.len(), column.histogram.len() + 1);
    }
    let text = eigenspan_report::describe::text(&description, "--json");
    assert!(text.contains("██████\n"), "{text}");
}

#[test]
fn nothing_in_the_terminal_is_wider_than_it_is() {
    let many = table("looks-many.csv", 400, 25, |c| {
        format!("a kind of thing number {c}")
    });
    let files = [
        data("iris/iris.csv"),
        data("wine/wine.csv"),
        data("decathlon/decathlon.csv"),
        data("digits/digits.csv"),
        many,
    ];
    for file in files {
        for k in [None, Some(1)] {
            // Figures are drawn from one fit, which is that of all their jobs.
            let subject = match file.ends_with("digits.csv") {
                true => fit(&file, k.or(Some(5)), Prepare::None),
                false => fit(&file, k, Prepare::Std),
            };
            let subject = fitted(&subject);
            for (kind, name, _) in FigureKind::ALL {
                // Principal directions are drawn where all are known.
                let keeps_some = k.is_some() || file.ends_with("digits.csv");
                let lacking = kind == FigureKind::Directions && keeps_some;
                if kind == FigureKind::Pictures || lacking {
                    continue;
                }
                for columns in [50, 80, 100] {
                    let mut options = figure_options(kind);
                    options.paper.medium = Medium::Terminal { columns };
                    let plotted = drawn(&PlotJob {
                        subject: subject.clone(),
                        options,
                        output: None,
                    });
                    let text = without_colors(&plotted.text.unwrap_or_default());
                    let longest = text.lines().max_by_key(|l| l.chars().count());
                    let longest = longest.unwrap_or_default();
                    assert!(
                        longest.chars().count() <= columns,
                        "{} {name}, {columns} columns: {longest:?}",
                        file.display()
                    );
                }
            }
        }
    }
}
