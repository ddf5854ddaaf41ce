//! The appearance of figures: text of one size, distinguishable classes, named rows, and outliers that do not squeeze the other points.

use eigenspan::prepare::Scale as Prepare;
use eigenspan_report::figure::biplot::Biplot;
use eigenspan_report::figure::circle::Column;
use eigenspan_report::figure::coloring::Coloring;
use eigenspan_report::figure::outliers::Outliers;
use eigenspan_report::figure::rows::Rows;
use eigenspan_report::figure::scene::{Item, Shape};
use eigenspan_report::figure::scores::Scores;
use eigenspan_report::figure::{Component, Figure, Size, palette};
use eigenspan_report::plot::{FigureKind, Medium};
use regex::Regex;

use crate::support::{assert_inside, assert_sound, noise};
use crate::tables::{data, drawn, fit, job, page, table};

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
        let page = page(&fit(&file, k, Prepare::Std));
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
    let page = page(&fit(&data("wine/wine.csv"), None, Prepare::Std));
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

fn component(name: &'static str) -> Component<'static> {
    Component {
        name,
        share: Some(0.4),
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
                    assert!(far > 40 * 40, "{a} and {b}, dark: {dark}");
                }
            }
        }
    }
}

#[test]
fn the_same_class_has_the_same_color_in_the_map_and_in_figures() {
    // By their letters alone, class 10 would come before class 2.
    let file = table("looks-order.csv", 240, 12, |c| format!("class {}", c + 1));
    let page = page(&fit(&file, None, Prepare::Std));
    let levels = Regex::new(r#""levels":\[([^\]]*)\]"#).unwrap();
    let levels = &levels.captures(&page).expect("levels")[1];
    let expected: Vec<String> = (1..=12).map(|i| format!("\"class {i}\"")).collect();
    assert_eq!(levels, expected.join(","));
}

#[test]
fn the_biplot_of_a_report_has_ellipses_and_says_what_they_are() {
    let page = page(&fit(&data("iris/iris.csv"), None, Prepare::Std));
    let figure = Regex::new(r#"(?s)<figure id="figure-biplot-pc1-pc2".*?</figure>"#).unwrap();
    let figure = figure.find(&page).expect("a biplot").as_str();
    let curves = Regex::new(r#"class="s-c[0-2]" fill="none"[^>]*d="M[^"]*C"#).unwrap();
    assert_eq!(curves.find_iter(figure).count(), 2 * 3, "wide and narrow");
    assert!(
        figure
            .contains("The ellipse around a class holds 95 % of it if it is normally distributed."),
        "{figure}"
    );
    let mut job = job(FigureKind::Biplot, &data("iris/iris.csv"), None);
    job.options.paper.medium = Medium::Svg;
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
