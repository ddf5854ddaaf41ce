//! Figures of the tables in `data/`: every kind is readable, and its numbers equal published ones.

use std::path::{Path, PathBuf};

use eigenspan::prepare::Scale;
use eigenspan::solve::Keep;
use eigenspan::{Context, PcaOptions};
use eigenspan_io::{Input, ReadOptions};
use eigenspan_report::Explicit;
use eigenspan_report::job::{PlotJob, Plotted, plot};
use eigenspan_report::plot::{FigureKind, FigureOptions, Medium, Paper};
use eigenspan_report::subject::{Fitting, ModelFrom, Rows, Subject};
use eigenspan_report::words::tip;

use crate::support::{assert_sound, without_colors};

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../data")
        .join(name)
}

fn job(kind: FigureKind, file: &str, scale: Scale, columns: &[&str]) -> PlotJob {
    let read = ReadOptions {
        columns: columns.iter().map(|c| (*c).to_owned()).collect(),
        ..ReadOptions::default()
    };
    let options = PcaOptions {
        n_components: Keep::All,
        scale,
        ..PcaOptions::default()
    };
    let fitting = Fitting::new(Box::new(options), Explicit::default());
    let rows = Rows::file(Input::new(data(file)), read);
    PlotJob {
        subject: Subject::to_fit(rows, fitting),
        options: FigureOptions::new(kind, Paper::new(Medium::Terminal { columns: 100 })),
        output: None,
    }
}

/// Changes what a job fits.
fn change(job: &mut PlotJob, change: impl FnOnce(&mut PcaOptions, &mut Explicit)) {
    let ModelFrom::Fit(fitting) = &mut job.subject.model else {
        panic!("a model that is there already");
    };
    let options = fitting.method.as_any().downcast_ref::<PcaOptions>();
    let mut options = options.expect("a PCA").clone();
    change(&mut options, &mut fitting.explicit);
    fitting.method = Box::new(options);
}

fn drawn(job: &PlotJob) -> Plotted {
    plot(&Context::new(), job).expect("drawn")
}

const EVENTS: [&str; 10] = [
    "100m",
    "Long.jump",
    "Shot.put",
    "High.jump",
    "400m",
    "110m.hurdle",
    "Discus",
    "Pole.vault",
    "Javeline",
    "1500m",
];

#[test]
fn every_figure_of_every_table_is_readable() {
    let tables: [(&str, Scale, &[&str]); 4] = [
        ("iris/iris.csv", Scale::None, &[]),
        ("decathlon/decathlon.csv", Scale::Std, &EVENTS),
        ("digits/digits.csv", Scale::None, &[]),
        ("uk-foods/uk-foods.csv", Scale::None, &[]),
    ];
    for (file, scale, columns) in tables {
        for (kind, name, _) in FigureKind::ALL {
            let job = job(kind, file, scale, columns);
            if kind == FigureKind::Pictures {
                continue;
            }
            let plotted = drawn(&job);
            assert_sound(&plotted.figure);
            let text = without_colors(&plotted.text.unwrap_or_default());
            let longest = text.lines().map(|l| l.chars().count()).max().unwrap_or(0);
            assert!(longest <= 130, "{file} {name}: {longest}\n{text}");
        }
    }
}

/// FactoMineR 2.7, `PCA(decathlon[, 1:10])`: 100m contributes 18.344 % to the first dimension with a cos² of 0.6002.
#[test]
fn contributions_and_cos2_are_those_of_factominer() {
    let value = |kind: FigureKind| -> f64 {
        let job = job(kind, "decathlon/decathlon.csv", Scale::Std, &EVENTS);
        let csv = drawn(&job).figure.csv;
        let line = csv
            .lines()
            .find(|line| line.starts_with("100m,"))
            .expect("100m");
        line.trim_start_matches("100m,").parse().expect("a number")
    };
    assert!((value(FigureKind::Contributions) - 0.18344).abs() < 5e-6);
    assert!((value(FigureKind::Cos2) - 0.6002).abs() < 5e-5);
}

#[test]
fn the_scores_of_uk_foods_name_northern_ireland() {
    let plotted = drawn(&job(
        FigureKind::Scores,
        "uk-foods/uk-foods.csv",
        Scale::None,
        &[],
    ));
    assert_eq!(
        plotted.figure.title,
        "N Ireland stands apart from the rest on PC1"
    );
    let text = plotted.text.expect("for the terminal");
    for country in ["England", "N Ireland", "Scotland", "Wales"] {
        assert!(text.contains(country), "{text}");
    }
}

#[test]
fn classes_are_found_and_counted() {
    let figure = drawn(&job(FigureKind::Scores, "iris/iris.csv", Scale::None, &[])).figure;
    let texts: Vec<&str> = figure.scene.texts().map(|t| t.text.as_str()).collect();
    for entry in [
        "species",
        "setosa (50)",
        "versicolor (50)",
        "virginica (50)",
    ] {
        assert!(texts.contains(&entry), "{texts:?}");
    }
    assert_eq!(figure.csv.lines().next(), Some("row,PC1,PC2,species"));
}

/// T² sums to (n − 1) k over the rows of a fit, and Q to (n − 1) times the variance left out.
#[test]
fn distances_of_rows_sum_to_what_algebra_says() {
    let mut job = job(FigureKind::Outliers, "wine/wine.csv", Scale::Std, &[]);
    change(&mut job, |options, _| options.n_components = Keep::Count(3));
    let figure = drawn(&job).figure;
    let column = |at: usize| -> f64 {
        let cells = figure
            .csv
            .lines()
            .skip(1)
            .map(|line| line.split(',').nth(at).expect("a cell"));
        cells
            .map(|cell| cell.parse::<f64>().expect("a number"))
            .sum()
    };
    assert!((column(1) - 177.0 * 3.0).abs() < 1e-8);
    // The first three of thirteen standardized columns' variances, by scikit-learn 1.7: 66.53 % of 13.
    assert!(
        (column(2) - 177.0 * 13.0 * (1.0 - 0.665_299_688_9)).abs() < 1e-4,
        "{}",
        column(2)
    );
}

/// The first cells of a CSV's lines that say something in a column.
fn saying<'a>(csv: &'a str, at: usize, what: &str) -> Vec<&'a str> {
    let cells = csv.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let said = cells.filter(|cells| cells.get(at) == Some(&what));
    said.map(|cells| cells[0]).collect()
}

/// With scipy 1.16: T² over 3 components against 177²/178 · beta(1.5, 87) = 11.0790 at 0.99, Q against Jackson and Mudholkar's
/// 11.9312, from the ten eigenvalues left out: those that the rules look at, though three components were fitted.
#[test]
fn rows_of_wine_beyond_a_limit_are_those_of_scipy() {
    let mut job = job(FigureKind::Outliers, "wine/wine.csv", Scale::Std, &[]);
    change(&mut job, |options, explicit| {
        options.n_components = Keep::Count(3);
        explicit.n_components = true;
    });
    let figure = drawn(&job).figure;
    let beyond = saying(&figure.csv, 3, "yes");
    let want = [60, 61, 70, 79, 96, 97, 111, 122, 124, 125, 159].map(|row: usize| row.to_string());
    assert_eq!(beyond, want);
    let texts: Vec<&str> = figure.scene.texts().map(|t| t.text.as_str()).collect();
    assert!(texts.contains(&"99 % of T²"), "{texts:?}");
}

/// FactoMineR 2.7, `PCA(decathlon, quanti.sup = 11:12)`: Points 0.9562 and Rank −0.6705 on the first dimension.
#[test]
fn supplementary_columns_of_the_decathlon_are_those_of_factominer() {
    let mut job = job(
        FigureKind::Circle,
        "decathlon/decathlon.csv",
        Scale::Std,
        &EVENTS,
    );
    job.options.supplementary = vec!["Points".to_owned(), "Rank".to_owned()];
    change(&mut job, |_, explicit| {
        explicit.like = Some(eigenspan::method::Like::FactoMineR);
    });
    let figure = drawn(&job).figure;
    assert_eq!(saying(&figure.csv, 3, "yes"), ["Points", "Rank"]);
    assert_eq!(saying(&figure.csv, 3, "no"), EVENTS);
    let cells = figure.csv.lines().map(|line| line.split(',').collect());
    for cells in cells.filter(|cells: &Vec<&str>| cells[3] == "yes") {
        let published = if cells[0] == "Points" {
            0.9562
        } else {
            -0.6705
        };
        let r: f64 = cells[1].parse().expect("a number");
        assert!((r - published).abs() < 5e-5, "{cells:?}");
    }
    assert!(figure.subtitle.contains("dashed: supplementary columns"));
    job.options.kind = FigureKind::Scores;
    let error = plot(&Context::new(), &job).expect_err("refused");
    assert_eq!(error.to_string(), "scores has no supplementary columns");
}

/// Shown where rows are there to be drawn again: every weight lies within its whiskers.
#[test]
fn weights_of_iris_have_whiskers_around_them() {
    let figure = drawn(&job(
        FigureKind::Loadings,
        "iris/iris.csv",
        Scale::None,
        &[],
    ))
    .figure;
    assert!(figure.subtitle.contains("bootstrap"), "{}", figure.subtitle);
    let mut lines = figure.csv.lines();
    let head: Vec<&str> = lines.next().expect("a head").split(',').collect();
    assert_eq!(
        head[..7],
        ["column", "PC1", "PC2", "PC3", "PC4", "PC1 low", "PC1 high"]
    );
    for line in lines {
        let cells: Vec<f64> = line
            .split(',')
            .skip(1)
            .map(|c| c.parse().expect("a number"))
            .collect();
        assert!(
            cells[4] <= cells[0] && cells[0] <= cells[5] && cells[4] < cells[5],
            "{line}"
        );
    }
}

/// What other rows lose falls to the number of components that bi-cross-validation advises, and no further.
#[test]
fn reconstruction_knows_rows_that_were_held_out() {
    let figure = drawn(&job(
        FigureKind::Reconstruction,
        "wine/wine.csv",
        Scale::Std,
        &[],
    ))
    .figure;
    let cells = |at: usize| -> Vec<f64> {
        let lines = figure.csv.lines().skip(1);
        lines
            .filter_map(|line| line.split(',').nth(at)?.parse().ok())
            .collect()
    };
    let (fitted, held) = (cells(1), cells(2));
    assert_eq!((fitted[0], held[0]), (1.0, 1.0));
    // Shares of the first three components by scikit-learn 1.7: 66.53 %.
    assert!((fitted[3] - (1.0 - 0.665_299_688_9)).abs() < 1e-9);
    assert!(
        held.len() > 3 && held[1] < 1.0 && held.iter().zip(&fitted).skip(1).all(|(h, f)| h > f)
    );
}

#[test]
fn components_are_called_as_the_model_calls_them() {
    for (kind, name, _) in FigureKind::ALL {
        if kind == FigureKind::Pictures {
            continue;
        }
        let mut job = job(kind, "iris/iris.csv", Scale::None, &[]);
        job.options.axes[0] = Some("dim.2".to_owned());
        job.options.paper.medium = Medium::Svg;
        change(&mut job, |options, _| {
            options.names = eigenspan::method::Names::Dim;
        });
        let plotted = drawn(&job);
        let figure = plotted.figure;
        let mut said = vec![figure.title, figure.subtitle, figure.caption, figure.csv];
        said.extend(figure.scene.texts().map(|t| t.text.clone()));
        let said = said.join(" | ");
        assert!(!said.contains("PC"), "{name}: {said}");
        // With one component asked for, directions has no plane to name axes in.
        let silent = [
            FigureKind::Reconstruction,
            FigureKind::Outliers,
            FigureKind::Directions,
        ];
        assert!(
            silent.contains(&kind) || said.contains("Dim.2"),
            "{name}: {said}"
        );
    }
}

#[test]
fn refusals_say_what_is_allowed() {
    let refused = |job: &PlotJob| {
        let error = plot(&Context::new(), job).expect_err("refused");
        format!(
            "{error} | {}",
            tip(&error.advice(), &|_| true).unwrap_or_default()
        )
    };
    let mut asked = job(FigureKind::Scores, "iris/iris.csv", Scale::None, &[]);
    asked.options.axes[1] = Some("PC9".to_owned());
    assert_eq!(
        refused(&asked),
        "PC9 asked for, but the model has 4 components | --x and --y take PC1 to PC4, or 1 to 4"
    );
    asked.options.axes[1] = None;
    let pdf = Medium::for_output(Some(&eigenspan_io::Output::new("figure.pdf")), 100);
    let pdf = pdf.expect_err("refused");
    assert_eq!(
        format!(
            "{pdf} | {}",
            tip(&pdf.advice(), &|_| true).unwrap_or_default()
        ),
        "figure.pdf: a figure is written as .svg or .png | -o figure.svg"
    );
    asked.options.paper.width = Some(20);
    assert_eq!(
        refused(&asked),
        "a figure of 20 pixels | --width and --height take 200 to 8000 pixels"
    );
    let pictures = job(FigureKind::Pictures, "iris/iris.csv", Scale::None, &[]);
    assert!(refused(&pictures).starts_with("the rows are not known to be pictures"));
}

/// Forty-one athletes do not tell ten events' components apart: no whisker is drawn, and no end of an interval written.
#[test]
fn weights_of_components_that_cannot_be_told_apart_have_no_whiskers() {
    let job = job(
        FigureKind::Loadings,
        "decathlon/decathlon.csv",
        Scale::Std,
        &EVENTS,
    );
    let figure = drawn(&job).figure;
    let words = "no whiskers where components cannot be told apart";
    assert!(figure.subtitle.contains(words), "{}", figure.subtitle);
    let head = figure.csv.lines().next().expect("a head");
    assert!(
        !head.contains("PC2 low") && !head.contains("PC3 low"),
        "{head}"
    );
}
