//! The text of every note, and when it is given.

use eigenspan::note::{Advice, Clause, Part};
use eigenspan::prepare::{Scale, dominating};
use eigenspan::rng::Rng;
use eigenspan::solve::{Keep, Solver};
use eigenspan::source::Dense;
use eigenspan::{ColumnRole, Context, Mat, Note, Pca, PcaOptions};

use crate::support::{SOLVERS, columns_without, fit, mixed, scores, table_without, with_solver};

/// Texts and hints of all notes.
fn said(pca: &Pca) -> Vec<String> {
    pca.notes().iter().map(said_by).collect()
}

fn said_by(note: &Note) -> String {
    match note.hint() {
        Some(h) => format!("{note} ({} = {}: {})", h.option, h.value, h.does),
        None => note.to_string(),
    }
}

fn named(x: &Mat<f64>, names: Vec<String>, options: &PcaOptions) -> Pca {
    let source = Dense::new(x.view()).with_names(names).expect("names");
    options.fit(&Context::new(), &source).expect("a fit")
}

#[test]
fn ordinary_tables_need_no_notes() {
    for (n, d) in [(40, 4), (5, 9), (4, 4), (2, 3)] {
        for solver in SOLVERS {
            let pca = fit(&with_solver(solver), &mixed(n, d, 3));
            assert_eq!(said(&pca), Vec::<String>::new(), "{n} × {d}, {solver}");
        }
    }
}

#[test]
fn constant_columns_are_named() {
    let x = Mat::from_fn(30, 9, |i, j| if j == 0 { i as f64 } else { 0.1 * j as f64 });
    let one = Mat::from_fn(30, 2, |i, j| x[(i, j)]);
    for solver in SOLVERS {
        let constant = |x: &Mat<f64>, scale| {
            let options = PcaOptions {
                n_components: Keep::Count(1),
                scale,
                ..with_solver(solver)
            };
            said(&fit(&options, x))
        };
        assert_eq!(
            constant(&one, Scale::None),
            ["2 is constant and adds nothing"]
        );
        assert_eq!(
            constant(&x, Scale::Std),
            ["2, 3, 4, 5, 6, 7 and 2 more are constant and add nothing (left unscaled)"]
        );
        let names = vec!["age".to_owned(), "year".to_owned()];
        let options = PcaOptions {
            n_components: Keep::Count(1),
            ..with_solver(solver)
        };
        assert_eq!(
            said(&named(&one, names, &options)),
            ["year is constant and adds nothing"]
        );
    }
}

#[test]
fn constant_digits_are_left_unscaled_and_divide_nothing_by_zero() {
    let x = table_without("digits/digits.csv", &["digit"]);
    let names = columns_without("digits/digits.csv", &["digit"]);
    let options = PcaOptions {
        n_components: Keep::Count(64),
        scale: Scale::Std,
        ..Default::default()
    };
    let pca = named(&x, names, &options);
    assert_eq!(
        said(&pca),
        [
            "p00, p40, p47 are constant and add nothing (left unscaled)",
            "only 61 directions vary by more than rounding, so the last 3 of 64 components mean nothing",
        ]
    );
    assert!((pca.spectrum().total_variance() - 61.0).abs() < 1e-10);
    assert!(scores(&pca, &x).as_slice().iter().all(|s| s.is_finite()));
}

#[test]
fn unlike_scales_are_noted_on_wine() {
    let x = table_without("wine/wine.csv", &["target"]);
    let names = columns_without("wine/wine.csv", &["target"]);
    for solver in SOLVERS {
        let options = PcaOptions {
            n_components: Keep::Count(2),
            ..with_solver(solver)
        };
        assert_eq!(
            said(&named(&x, names.clone(), &options)),
            [
                "the variance of proline is 6,400,000 times that of nonflavanoid_phenols, so PC1 is only proline \
                 (scale = std: brings every column to variance 1)"
            ]
        );
        let scaled = PcaOptions {
            scale: Scale::Std,
            ..options
        };
        assert!(named(&x, names.clone(), &scaled).notes().is_empty());
    }
    let note = Note::UnlikeScales {
        component: "PC1".to_owned(),
        columns: vec!["a".to_owned(), "c".to_owned()],
        largest: "a".to_owned(),
        smallest: "b".to_owned(),
        ratio: 1234.0,
        weight: 0.95,
        scaled_components: Some(8),
    };
    assert_eq!(
        note.to_string(),
        "the variance of a is 1,200 times that of b, so PC1 is mostly a, c; scaled, 8 components reach 90 %"
    );
}

#[test]
fn unlike_scales_are_noted_where_few_columns_or_a_gap_decide_the_first_component() {
    for (file, class, columns) in [
        ("usarrests/usarrests.csv", "state", Some(vec!["Assault"])),
        (
            "breast-cancer/breast-cancer.csv",
            "diagnosis",
            Some(vec!["worst_area", "mean_area"]),
        ),
        ("iris/iris.csv", "species", None),
        ("digits/digits.csv", "digit", None),
        ("uk-foods/uk-foods.csv", "country", None),
        ("hald/hald.csv", "", None),
    ] {
        let names = columns_without(file, &[class]);
        let pca = named(
            &table_without(file, &[class]),
            names,
            &PcaOptions::default(),
        );
        let found = pca.notes().iter().find_map(|note| match note {
            Note::UnlikeScales { columns, .. } => Some(columns.clone()),
            _ => None,
        });
        let columns = columns.map(|all| all.iter().map(|&c| c.to_owned()).collect::<Vec<_>>());
        assert_eq!(found, columns, "{file}");
    }
    // Squares about zero are no variances: a large mean is not a large spread.
    let x = table_without("usarrests/usarrests.csv", &["state"]);
    let options = PcaOptions {
        center: false,
        ..Default::default()
    };
    assert!(fit(&options, &x).notes().is_empty());
    // Half of the columns have another unit; pixels of every variance have no gap.
    let even = vec![1.0 / 8.0; 8];
    let units = [1e6, 1.0, 9e5, 1.2, 2e6, 0.8, 1e6, 1.0];
    let weights = units.map(|v| if v > 1.0 + 1.0 { 0.25 } else { 0.0 });
    let found = dominating(&units, &weights).map(|found| found.columns);
    assert_eq!(found, Some(vec![4, 0, 6, 2]));
    let pixels: Vec<f64> = (0..8).map(|j| 10f64.powi(-j)).collect();
    assert_eq!(dominating(&pixels, &even), None);
    // A column that never changes is no small column, and one column dwarfs nothing.
    assert_eq!(dominating(&[5.0, 0.0], &[1.0, 0.0]), None);
    assert_eq!(dominating(&[5.0, 1.0], &[1.0, 0.0]), None);
    assert!(dominating(&[500.0, 1.0], &[1.0, 0.0]).is_some());
    assert_eq!(dominating(&[], &[]), None);
}

#[test]
fn columns_that_are_no_measurements_are_named_with_what_to_do() {
    let note = |role, taken| Note::NotMeasured {
        columns: vec!["n".to_owned()],
        role,
        why: "it counts the rows, 1 to 9".to_owned(),
        spelled: "n".to_owned(),
        taken,
    };
    assert_eq!(
        said_by(&note(ColumnRole::Id, false)),
        "n looks like numbers that name the rows, not like a measurement: it counts the rows, 1 to 9 (id_column = n: takes it for the rows' names)"
    );
    for (role, taken, option) in [
        (ColumnRole::Id, true, "exclude"),
        (ColumnRole::Time, true, "exclude"),
        (ColumnRole::Class, false, "label_column"),
        (ColumnRole::Class, true, "exclude"),
    ] {
        assert_eq!(
            note(role, taken).hint().map(|hint| hint.option),
            Some(option)
        );
    }
    let code = Note::MissingCode {
        columns: vec!["a".to_owned(), "b".to_owned()],
        code: "-999".to_owned(),
        cells: 12,
        why: "all other cells lie far from it".to_owned(),
    };
    assert_eq!(
        said_by(&code),
        "-999 in 12 cells of a, b looks like a code for missing cells: all other cells lie far from it \
         (missing_values = -999: reads such cells as missing and fills them)"
    );
}

#[test]
fn a_rank_below_k_is_noted() {
    let mut rng = Rng::new(5);
    let one = Mat::from_fn(20, 1, |_, _| rng.normal());
    let x = Mat::from_fn(20, 3, |i, j| one[(i, 0)] * [1.0, 2.0, -0.5][j]);
    for solver in SOLVERS {
        let all = PcaOptions {
            n_components: Keep::Count(3),
            ..with_solver(solver)
        };
        // Roads that square the data cannot tell what is small from nothing; `auto` then takes one that can.
        let exact = [Solver::Full, Solver::Qr, Solver::Auto].contains(&solver);
        match exact {
            true => assert_eq!(
                said(&fit(&all, &x)),
                [
                    "only 1 direction varies by more than rounding, so the last 2 of 3 components mean nothing"
                ],
                "{solver}"
            ),
            false => {
                let blurred = |n: &Note| matches!(n, Note::BelowResolution { first: 2, .. });
                assert!(fit(&all, &x).notes().iter().all(blurred), "{solver}");
            }
        }
        // Whoever asks for all there is asks for no number.
        let notes = fit(&with_solver(solver), &x).notes().to_vec();
        assert_eq!(notes.is_empty(), exact, "{solver}: {notes:?}");
    }
    let equal = Mat::from_fn(20, 2, |_, j| j as f64);
    assert_eq!(
        said(&fit(&PcaOptions::default(), &equal)),
        ["1, 2 are constant and add nothing"]
    );
}

#[test]
fn components_that_squaring_blurs_are_noted_or_computed_otherwise() {
    let mut rng = Rng::new(6);
    let x = Mat::from_fn(8_000, 30, |_, j| {
        rng.normal() * if j < 29 { 1.0 } else { 1e-7 }
    });
    let options = |solver, n_components| PcaOptions {
        n_components,
        ..with_solver(solver)
    };
    let blurred = |pca: &Pca| {
        let mut notes = said(pca);
        notes.retain(|n| n.starts_with("from component"));
        notes
    };
    let text = "from component 30 on, shares lie below 4e-13, which squaring the data cannot resolve \
                (solver = qr: squares nothing and blurs less)";
    for solver in [Solver::Covariance, Solver::Auto] {
        let pca = fit(&options(solver, Keep::All), &x);
        assert_eq!(pca.parts().plan.solver, Solver::Covariance);
        assert_eq!(blurred(&pca), [text]);
    }
    // Asked for by number, they are computed by the road that resolves them.
    let pca = fit(&options(Solver::Auto, Keep::Count(30)), &x);
    assert_eq!(pca.parts().plan.solver, Solver::Qr);
    assert_eq!(
        pca.parts().plan.reason,
        "components below what covariance can resolve were asked for"
    );
    assert!(blurred(&pca).is_empty());
    assert!((pca.explained_variance()[29] * 1e14 - 1.0).abs() < 0.1);
    let pca = fit(&options(Solver::Auto, Keep::Count(29)), &x);
    assert_eq!(pca.parts().plan.solver, Solver::Covariance);
}

#[test]
fn power_iteration_says_when_it_gave_up() {
    // Two eigenvalues that differ by one part in a million.
    let near = 1.0 - 5e-7;
    let x = Mat::from_fn(4, 2, |i, j| {
        let sign = if i % 2 == 0 { 1.0 } else { -1.0 };
        match (i / 2 == j, j) {
            (false, _) => 0.0,
            (true, 0) => sign,
            (true, _) => sign * near,
        }
    });
    let pca = fit(&with_solver(Solver::Power), &x);
    let [note] = pca.notes() else {
        panic!("{:?}", pca.notes())
    };
    let Note::NotConverged {
        iterations,
        residual,
        ..
    } = note
    else {
        panic!("{note:?}")
    };
    assert!((20_000..=40_000).contains(iterations), "{iterations}");
    // The residual of a mixture of two such pairs is at most half their difference.
    assert!((1e-13..=5.1e-7).contains(residual), "{residual:e}");
    assert_eq!(
        said_by(note),
        format!(
            "power stopped after {iterations} iterations with residual {residual:.1e} (1.0e-13 was asked for) \
             (solver = covariance: needs no iteration)"
        )
    );
    assert!((pca.explained_variance()[0] - 2.0 / 3.0).abs() < 1e-6);
}

#[test]
fn notes_of_the_fronts_have_their_words_here() {
    let columns = ["a", "b"].map(str::to_owned).to_vec();
    assert_eq!(
        said_by(&Note::IgnoredColumns { columns }),
        "not known to the model, ignored: a, b"
    );
    assert_eq!(
        said_by(&Note::FilledCells { cells: 1 }),
        "1 cell missing: filled with its column's mean"
    );
    let text = "3 columns are text".to_owned();
    assert_eq!(said_by(&Note::reading(text.as_str())), text);
}

#[test]
fn advice_is_data_and_each_front_says_what_it_can() {
    let advice: Advice = [
        Clause::set("missing", "mean").then(" fills them"),
        Clause::say("from Latin-1: ").and_typed("iconv -f latin1"),
    ]
    .into();
    let shout = |part: &Part| match part {
        Part::Words(words) => Some(words.clone()),
        Part::Setting(setting) => Some(format!(
            "{}:{}",
            setting.option.to_uppercase(),
            setting.values.join("/")
        )),
        Part::Typed(_) => None,
    };
    assert_eq!(
        advice.text(&shout).as_deref(),
        Some("MISSING:mean fills them")
    );
    let part = |part: &Part| shout(part).filter(|_| !matches!(part, Part::Setting(_)));
    assert_eq!(advice.text(&part), None);
}

#[test]
fn a_note_keeps_its_advice_in_a_file_and_older_files_have_none() {
    let plain = r#"{"kind":"reading","text":"x (--keep x keeps it)"}"#;
    let note: Note = serde_json::from_str(plain).expect("a note of an older file");
    assert_eq!(note.to_string(), "x (--keep x keeps it)");
    assert_eq!(serde_json::to_string(&note).expect("JSON"), plain);
    let advised = Note::advised("x", Clause::list("exclude", ["a", "b"]).then(" helps"));
    let json = serde_json::to_string(&advised).expect("JSON");
    assert_eq!(
        json,
        r#"{"kind":"reading","text":"x","advice":[[{"setting":{"option":"exclude","values":["a","b"]}},{"words":" helps"}]]}"#
    );
    let again: Note = serde_json::from_str(&json).expect("a note");
    assert_eq!((again, advised.to_string()), (advised, "x".to_owned()));
}
