//! How figures look: text of one size, nothing cut off on narrow paper, classes told apart, one component on a line.

use std::path::{Path, PathBuf};

use eigenspan::prepare::Scale as Prepare;
use eigenspan::solve::Keep;
use eigenspan::{Context, PcaOptions};
use eigenspan_io::{Input, ReadOptions};
use eigenspan_report::Asked;
use eigenspan_report::analysis::AnalysisOptions;
use eigenspan_report::figure::biplot::Biplot;
use eigenspan_report::figure::circle::Column;
use eigenspan_report::figure::coloring::Coloring;
use eigenspan_report::figure::outliers::Outliers;
use eigenspan_report::figure::rows::Rows;
use eigenspan_report::figure::scene::{Item, Shape};
use eigenspan_report::figure::scores::Scores;
use eigenspan_report::figure::{Component, Figure, Size, palette};
use eigenspan_report::job::FitJob;
use eigenspan_report::plot::{Kind, Paper, PlotJob, Plotted, plot};
use eigenspan_report::report::{ReportJob, report};
use regex::Regex;

use crate::support::{assert_inside, assert_sound, noise, without_colors};

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../data")
        .join(name)
}

/// A table of noise whose classes lie apart, written for this test run.
fn table(name: &str, n: usize, n_classes: usize, class: impl Fn(usize) -> String) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let cells: Vec<Vec<f64>> = (0..4).map(|c| noise(70 + c, n)).collect();
    let mut text = String::from("height,width,depth,weight,kind\n");
    for i in 0..n {
        let shift = (i % n_classes) as f64;
        let x: Vec<String> = (0..4)
            .map(|c| format!("{:.4}", cells[c][i] + shift * f64::from(u8::from(c < 2))))
            .collect();
        text += &format!("{},{}\n", x.join(","), class(i % n_classes));
    }
    std::fs::write(&path, text).expect("written");
    path
}

fn fit(file: &Path, k: Option<usize>, scale: Prepare) -> FitJob {
    FitJob {
        input: Input::new(file),
        read: ReadOptions::default(),
        options: PcaOptions {
            n_components: k.map_or(Keep::All, Keep::Count),
            scale,
            ..PcaOptions::default()
        },
        asked: Asked {
            n_components: k.is_some(),
            ..Asked::default()
        },
        model: None,
        scores: None,
        keep: Vec::new(),
        command: None,
    }
}

fn job(kind: Kind, file: &Path, k: Option<usize>) -> PlotJob {
    PlotJob {
        kind,
        model: None,
        data: Some(fit(file, k, Prepare::Std)),
        axes: [None, None],
        supplementary: Vec::new(),
        color: None,
        paper: Paper {
            output: None,
            width: None,
            height: None,
            dark: false,
            columns: 80,
        },
    }
}

fn drawn(job: &PlotJob) -> Plotted {
    plot(&Context::new(), job).expect("drawn")
}

/// The report of a table, as its page's text.
fn page(name: &str, fit: FitJob) -> String {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let job = ReportJob {
        fit,
        analysis: AnalysisOptions::default(),
        page: path.clone(),
        tables: None,
        force: true,
        command: None,
    };
    report(&Context::new(), &job).expect("written");
    std::fs::read_to_string(path).expect("a page")
}

/// Figures of a page: the width they are drawn for, the sizes of their texts, and whether they are for narrow screens.
fn figures(page: &str) -> Vec<(String, f64, Vec<f64>, bool)> {
    let svg = Regex::new(
        r#"(?s)<svg[^>]*class="eigenspan-figure([^"]*)" id="([^"]*)" width="([0-9.]+)".*?</svg>"#,
    )
    .unwrap();
    let size = Regex::new(r#"font-size="([0-9.]+)""#).unwrap();
    svg.captures_iter(page)
        .map(|found| {
            let sizes = size.captures_iter(&found[0]);
            let sizes = sizes.map(|size| size[1].parse().unwrap()).collect();
            let narrow = found[1].contains("narrow");
            (
                found[2].to_owned(),
                found[3].parse().unwrap(),
                sizes,
                narrow,
            )
        })
        .collect()
}

/// A column of the page is 960 pixels wide, half of a pair 464, a narrow screen 400 less its margins.
#[test]
fn text_has_one_size_in_all_figures_of_a_page() {
    for (name, k) in [("wine", Some(3)), ("iris", None), ("decathlon", Some(1))] {
        let file = data(&format!("{name}/{name}.csv"));
        let page = page(&format!("looks-{name}.html"), fit(&file, k, Prepare::Std));
        assert!(
            page.contains(
                ".drawing > svg { display: block; width: auto; max-width: 100%; height: auto; }"
            ),
            "figures are never drawn larger than they are"
        );
        let figures = figures(&page);
        assert!(figures.len() >= 16, "{} figures", figures.len());
        for (id, width, sizes, narrow) in figures {
            let column = match (narrow, id.starts_with("contributions-")) {
                (true, _) => 368.0,
                (false, true) => 464.0,
                (false, false) => 960.0,
            };
            let scale = (column / width).min(1.0);
            assert!(scale >= 0.9, "{name} {id}: drawn {width} wide for {column}");
            let seen = sizes.iter().map(|size| size * scale);
            let (low, high) = seen.fold((f64::MAX, 0.0f64), |(a, b), x| (a.min(x), b.max(x)));
            assert!(
                low >= 8.5 && high <= 15.5,
                "{name} {id}: texts from {low} to {high}"
            );
        }
    }
}

#[test]
fn every_figure_of_a_page_has_a_drawing_for_narrow_screens() {
    let page = page(
        "looks-narrow.html",
        fit(&data("wine/wine.csv"), None, Prepare::Std),
    );
    let figures = figures(&page);
    let (narrow, wide): (Vec<_>, Vec<_>) = figures.into_iter().partition(|figure| figure.3);
    let names = |figures: &[(String, f64, Vec<f64>, bool)]| -> Vec<String> {
        let name = |id: &str| id.trim_end_matches("-narrow").to_owned();
        figures.iter().map(|(id, ..)| name(id)).collect()
    };
    assert_eq!(names(&narrow), names(&wide));
    assert!(narrow.iter().all(|(_, width, ..)| *width <= 400.0));
    assert!(page.contains("@media screen and (max-width: 760px)"));
    assert!(
        !page.contains("min-width: 560px"),
        "nothing has to be scrolled"
    );
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
            for (kind, ..) in Kind::ALL {
                if kind == Kind::Pictures {
                    continue;
                }
                for (width, height) in [(400, None), (400, Some(400)), (320, Some(500))] {
                    let mut job = job(kind, &file, k);
                    job.paper.output = Some(eigenspan_io::Output::Stdout);
                    (job.paper.width, job.paper.height) = (Some(width), height);
                    let figure = drawn(&job).figure;
                    assert_sound(&figure);
                    assert_inside(&figure.scene, &figure.id);
                    let title: String = figure.headed().texts().map(|t| t.text.clone()).collect();
                    let cut = title.contains('…') && !figure.title.contains('…');
                    let head = figure.title.split(' ').next_back().unwrap_or_default();
                    assert!(!cut || title.contains(head), "{}: {title}", figure.title);
                }
            }
        }
    }
}

fn component(name: &'static str) -> Component<'static> {
    Component {
        name,
        share: 0.4,
        words: "",
    }
}

/// The look of every class: from the marks of a legend.
fn looks(figure: &Figure) -> Vec<(String, Shape)> {
    let marks = figure.scene.items.iter().filter_map(|item| match item {
        Item::Marks(marks) if marks.points.len() == 1 => {
            Some((format!("{:?}", marks.style.fill), marks.shape))
        }
        _ => None,
    });
    marks.collect()
}

#[test]
fn classes_have_looks_of_their_own_and_repeated_colors_are_said() {
    for n_classes in [3, 9, 12, 16, 20, 24, 25, 40] {
        let n = 8 * n_classes;
        let classes: Vec<String> = (0..n).map(|i| format!("class {}", i % n_classes)).collect();
        let (x, y) = (noise(1, n), noise(2, n));
        let scores = Scores {
            x: &x,
            y: &y,
            x_axis: component("PC1"),
            y_axis: component("PC2"),
            rows: Rows::default(),
            coloring: Coloring::Classes {
                name: "class",
                classes: &classes,
            },
            ellipses: true,
        };
        let figure = scores.figure(Size::default());
        let looks = looks(&figure);
        assert_eq!(looks.len(), n_classes.min(24), "{looks:?}");
        for (i, look) in looks.iter().enumerate() {
            assert!(!looks[..i].contains(look), "{n_classes} classes: {look:?}");
        }
        let colors: std::collections::BTreeSet<&String> = looks.iter().map(|l| &l.0).collect();
        let said = figure.caption.contains("Colors repeat after 16 classes");
        assert_eq!(said, colors.len() < looks.len(), "{}", figure.caption);
        let other = figure.scene.texts().any(|t| t.text.starts_with("other ("));
        assert_eq!(other, n_classes > 24);
        // No two colors are so near that they could be taken for one another.
        for dark in [false, true] {
            for a in 0..palette::N_COLORS {
                for b in 0..a {
                    let [p, q] = [a, b].map(|i| palette::rgb(palette::class_ink(i), dark));
                    let far: i32 = (0..3)
                        .map(|c| (i32::from(p[c]) - i32::from(q[c])).pow(2))
                        .sum();
                    assert!(far > 45 * 45, "{a} and {b}, dark: {dark}");
                }
            }
        }
    }
}

#[test]
fn the_same_class_has_the_same_color_in_the_map_and_in_figures() {
    // By their letters alone, class 10 would come before class 2.
    let file = table("looks-order.csv", 240, 12, |c| format!("class {}", c + 1));
    let page = page("looks-order.html", fit(&file, None, Prepare::Std));
    let levels = Regex::new(r#""levels":\[([^\]]*)\]"#).unwrap();
    let levels = &levels.captures(&page).expect("levels")[1];
    let expected: Vec<String> = (1..=12).map(|i| format!("\"class {i}\"")).collect();
    assert_eq!(levels, expected.join(","));
}

#[test]
fn the_biplot_of_a_report_has_ellipses_and_says_what_they_are() {
    let page = page(
        "looks-ellipses.html",
        fit(&data("iris/iris.csv"), None, Prepare::Std),
    );
    let figure = Regex::new(r#"(?s)<figure id="figure-biplot-pc1-pc2".*?</figure>"#).unwrap();
    let figure = figure.find(&page).expect("a biplot").as_str();
    let curves = Regex::new(r#"class="s-c[0-2]" fill="none"[^>]*d="M[^"]*C"#).unwrap();
    assert_eq!(curves.find_iter(figure).count(), 2 * 3, "wide and narrow");
    assert!(
        figure
            .contains("The ellipse around a class holds 95 % of it if it is normally distributed."),
        "{figure}"
    );
    let mut job = job(Kind::Biplot, &data("iris/iris.csv"), None);
    job.paper.output = Some(eigenspan_io::Output::Stdout);
    assert!(drawn(&job).figure.subtitle.contains("ellipses hold 95 %"));
}

/// Rows are named where there is room, and those without are counted.
#[test]
fn the_biplot_names_rows_where_they_fit() {
    for (n, least) in [(4, 4), (25, 20), (41, 24), (60, 24), (200, 5)] {
        let names: Vec<String> = (0..n).map(|i| format!("row-{i}")).collect();
        let (x, y) = (noise(3, n), noise(4, n));
        let columns = ["height", "width"].map(|name| Column {
            name,
            x: 0.6,
            y: if name == "width" { -0.7 } else { 0.7 },
        });
        let biplot = Biplot {
            scores: Scores {
                x: &x,
                y: &y,
                x_axis: component("PC1"),
                y_axis: component("PC2"),
                rows: Rows::all(Some(&names)),
                coloring: Coloring::None,
                ellipses: true,
            },
            columns: &columns,
        };
        let figure = biplot.figure(Size::default());
        let named = figure.scene.texts().filter(|t| t.text.starts_with("row-"));
        let named = named.count();
        assert!(named >= least, "{named} of {n}");
        if n <= 60 && named < n {
            let words = format!("{} name", n - named);
            assert!(figure.subtitle.contains(&words), "{}", figure.subtitle);
        }
        assert!(n <= 60 || figure.subtitle.contains("the farthest rows are named"));
    }
}

fn distances(t2: &[f64], q: &[f64], limits: (f64, f64), numbers: Option<&[usize]>) -> Figure {
    Outliers {
        t2,
        q,
        t2_limit: limits.0,
        q_limit: limits.1,
        level: 0.99,
        rows: Rows {
            names: None,
            numbers,
        },
        n_components: 2,
    }
    .figure(Size::default())
}

/// Where the marks of a figure lie, as shares of its frame.
fn spread(figure: &Figure) -> (f64, f64) {
    let area = figure.scene.frames[0].area;
    let mut points: Vec<(f64, f64)> = Vec::new();
    for item in &figure.scene.items {
        if let Item::Marks(marks) = item {
            points.extend(&marks.points);
        }
    }
    let middle = |of: &dyn Fn(&(f64, f64)) -> f64| {
        let mut all: Vec<f64> = points.iter().map(of).collect();
        all.sort_by(f64::total_cmp);
        all[all.len() / 2]
    };
    (
        (middle(&|p| p.0) - area.left) / area.width,
        (area.bottom() - middle(&|p| p.1)) / area.height,
    )
}

#[test]
fn a_few_far_rows_do_not_squash_the_others() {
    let square = |seed| noise(seed, 300).iter().map(|x| 5.0 * x * x).collect();
    let (mut t2, mut q): (Vec<f64>, Vec<f64>) = (square(5), square(6));
    let even = distances(&t2, &q, (4.5, 4.8), None);
    let said = |figure: &Figure| {
        let texts = figure.scene.texts();
        texts.filter(|t| t.text.contains("(log scale)")).count()
    };
    assert_eq!(said(&even), 0);
    assert!(!even.caption.contains("log scale"));
    (t2[17], q[17], q[40]) = (4e4, 900.0, 0.0);
    let far = distances(&t2, &q, (4.5, 4.8), None);
    assert_eq!(said(&far), 2, "both axes say so");
    assert!(far.caption.contains("log scale"));
    let (x, y) = spread(&far);
    assert!(x > 0.25 && y > 0.25, "the middle row lies at {x}, {y}");
    assert_sound(&far);
    assert_inside(&far.scene, "outliers");
    // One axis alone, and without limits.
    q[17] = 1.0;
    assert_eq!(said(&distances(&t2, &q, (4.5, 4.8), None)), 1);
    assert_eq!(said(&distances(&t2, &q, (f64::NAN, f64::NAN), None)), 1);
    let zeros = vec![0.0; 300];
    assert_sound(&distances(&t2, &zeros, (4.5, f64::NAN), None));
}

#[test]
fn outliers_of_a_sample_are_named_by_their_rows_in_the_data() {
    let mut t2: Vec<f64> = noise(8, 50).iter().map(|x| x.abs()).collect();
    t2[20] = 90.0;
    let numbers: Vec<usize> = (0..50).map(|i| 1000 * i + 7).collect();
    let figure = distances(&t2, &t2, (5.0, 5.0), Some(&numbers));
    assert_eq!(figure.title, "row 20007 is farthest from ordinary rows");
    assert!(figure.scene.texts().any(|t| t.text == "row 20007"));
    assert!(figure.csv.contains("\n20007,90,90,yes\n"), "{}", figure.csv);
}

/// Names above a line: each is there, and no component stands on two axes.
#[test]
fn one_component_is_drawn_as_a_number_line() {
    let foods = data("uk-foods/uk-foods.csv");
    for kind in [Kind::Scores, Kind::Biplot, Kind::Pairs] {
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
    let circle = drawn(&job(Kind::Circle, &foods, Some(1))).figure;
    assert_eq!(circle.id, "circle-pc1");
    assert_sound(&circle);
    let page = page("looks-one.html", fit(&foods, Some(1), Prepare::None));
    assert!(page.contains("id=\"scores-pc1\"") && page.contains("rows lie on a number line"));
    // The same component asked for twice is one component.
    let mut twice = job(Kind::Scores, &data("iris/iris.csv"), None);
    twice.axes = [Some("2".to_owned()), Some("PC2".to_owned())];
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
    let described =
        eigenspan_report::describe::describe(&ctx, &Input::new(&path), &ReadOptions::default());
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
    let text = eigenspan_report::describe::text(&description);
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
            for (kind, name, _) in Kind::ALL {
                if kind == Kind::Pictures {
                    continue;
                }
                for columns in [50, 80, 100] {
                    let mut job = job(kind, &file, k);
                    if file.ends_with("digits.csv") {
                        job.data = Some(fit(&file, k.or(Some(5)), Prepare::None));
                    }
                    job.paper.columns = columns;
                    let text = without_colors(&drawn(&job).text.unwrap_or_default());
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
