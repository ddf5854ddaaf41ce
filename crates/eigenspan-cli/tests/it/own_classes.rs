//! A method with directions, labels and a predictor (`crates/eigenspan/tests/toy/classes.rs`) goes through the library and the whole
//! program: its columns are drawn, its labels survive refits, and its classes are predicted.

use eigenspan::evaluate::{HalvesOptions, HeldOutOptions};
use eigenspan::method::{Method, Training};
use eigenspan::source::{Dense, Numbers};
use eigenspan::{Context, Error, Mat};

use crate::own_method::{done, refused};
use crate::support::Sandbox;
use classes::ClassesOptions;

#[path = "../../../eigenspan/tests/toy/classes.rs"]
mod classes;

/// Rows of two classes that take turns, far from each other, and their labels.
fn turns() -> (Mat<f64>, Vec<String>) {
    let near = |i: usize, j: usize| (1.7 * (i * (j + 2)) as f64).sin();
    let table = Mat::from_fn(60, 2, |i, j| 20.0 * (i % 2) as f64 + near(i, j));
    let labels = (0..60).map(|i| ["even", "odd"][i % 2].to_owned());
    (table, labels.collect())
}

#[test]
fn labels_follow_their_rows_into_halves_and_held_out_rows() {
    let (table, labels) = turns();
    let (ctx, method) = (Context::new(), ClassesOptions::default());
    let rows = Dense::new(table.view());
    let training = Training {
        rows: Numbers::F64(&rows),
        labels: Some(&labels),
    };
    let whole = Method::fit(&method, &ctx, &training).expect("a fit");
    let halves = HalvesOptions::default().run(&ctx, &method, &*whole, &training);
    let halves = halves.expect("fits of halves").expect("halves");
    // With the labels of other rows, both means would be those of all rows, and the direction between them noise.
    assert!(halves.similarity.low > 0.999, "{:?}", halves.similarity);
    // Distances in the space of a spectrum are not known, so that nothing is compared; but the fit has its labels.
    let held_out = HeldOutOptions::default().run(&ctx, &method, &training, 1);
    assert_eq!(held_out.expect("a fit with its labels"), None);
}

#[test]
fn rows_without_labels_or_with_too_few_are_refused() {
    let (table, labels) = turns();
    let (ctx, method) = (Context::new(), ClassesOptions::default());
    let rows = Dense::new(table.view());
    let fit = |labels| {
        let rows = Numbers::F64(&rows);
        let fitted = Method::fit(&method, &ctx, &Training { rows, labels });
        fitted.expect_err("refused").to_string()
    };
    assert_eq!(
        fit(None),
        "the toy of classes learns from classes, and these rows have no labels"
    );
    assert_eq!(fit(Some(&labels[1..])), "59 labels given for 60 rows");
    let sandbox = Sandbox::with_tables();
    let said = refused(&sandbox, "fit toy-classes iris.csv");
    for words in [
        "the toy of classes learns from classes, and these rows have no labels",
        "--label-column COLUMN names the column with the class of every row",
    ] {
        assert!(said.contains(words), "{said}");
    }
}

#[test]
fn a_transform_writes_the_predicted_class_of_every_row() {
    let sandbox = Sandbox::with_tables();
    let fit = "fit toy-classes iris.csv --label-column species -m m.safetensors -o s.csv -q";
    done(&sandbox, fit);
    let said = done(&sandbox, "fit toy-classes iris.csv --label-column species");
    assert!(said.contains(" C1  more petal_length"), "{said}");
    assert!(
        said.contains("classes   setosa, versicolor, virginica"),
        "{said}"
    );
    let scores = sandbox.table("s.csv");
    assert_eq!(scores.names, ["species", "predicted", "C1", "C2"]);
    let (species, predicted) = (scores.column("species"), scores.column("predicted"));
    let right = species.iter().zip(&predicted).filter(|(a, b)| a == b);
    // The nearest of three means is the right one for 139 of the 150 flowers.
    assert_eq!(right.count(), 139);
    let again = done(
        &sandbox,
        "transform m.safetensors iris.csv --label-column species",
    );
    assert_eq!(again, sandbox.text("s.csv"));
    // New rows have no label, the columns in another order, and a name that is taken.
    sandbox.write(
        "new.csv",
        "predicted,petal_width,petal_length,sepal_width,sepal_length\nmine,0.2,1.4,3.5,5.1\nmine,2.3,6,3,7\n",
    );
    let said = done(&sandbox, "transform m.safetensors new.csv --keep predicted");
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines[0], "predicted,predicted',C1,C2");
    assert!(lines[1].starts_with("mine,setosa,"), "{said}");
    assert!(lines[2].starts_with("mine,virginica,"), "{said}");
    // A model of a method that learned no classes predicts none.
    done(&sandbox, "fit pca iris.csv -k 1 -m p.safetensors -q");
    let said = done(&sandbox, "transform p.safetensors iris.csv");
    assert!(said.starts_with("PC1\n"), "{said}");
}

#[test]
fn its_directions_are_drawn_and_what_needs_a_pca_is_refused() {
    let sandbox = Sandbox::with_tables();
    let fit = "fit toy-classes iris.csv --label-column species -m m.safetensors -q";
    done(&sandbox, fit);
    for figure in ["loadings", "heatmap"] {
        let drawn = done(&sandbox, &format!("plot {figure} m.safetensors -o -"));
        assert!(drawn.contains("C1") && drawn.contains("petal_length"));
        assert!(!drawn.contains("NaN"), "{figure}");
        // The weights of these directions are no unit vectors.
        assert!(!drawn.contains("sum to 1"), "{figure}");
    }
    let drawn = done(&sandbox, "plot loadings m.safetensors --x 2 -o -");
    assert!(drawn.contains("C2") && !drawn.contains("C1"), "{drawn}");
    let drawn = done(&sandbox, "plot scores m.safetensors iris.csv -o -");
    assert!(drawn.contains("C1") && drawn.contains("setosa"));
    for (figure, shows) in [
        ("biplot", "correlations of columns with components"),
        ("circle", "correlations of columns with components"),
        ("cos2", "squared correlations of columns with components"),
        (
            "contributions",
            "shares of columns in the variance of a component",
        ),
        ("outliers", "T² and Q"),
        ("reconstruction", "errors of rows rebuilt from their scores"),
    ] {
        let said = refused(&sandbox, &format!("plot {figure} m.safetensors iris.csv"));
        let words = format!(
            "{figure} shows {shows}, which are computed for PCA, and not for the toy of classes"
        );
        assert!(said.contains(&words), "{said}");
        let tip = "the toy of classes is drawn as scores, pairs, loadings or heatmap";
        assert!(said.contains(tip), "{said}");
    }
    let said = refused(&sandbox, "plot scree m.safetensors");
    assert!(
        said.contains("scree shows a spectrum, and the toy of classes has none"),
        "{said}"
    );
    let said = refused(&sandbox, "plot pictures m.safetensors");
    assert!(
        said.contains("the rows are not known to be pictures"),
        "{said}"
    );
}

#[test]
fn its_report_has_its_directions_and_how_stable_they_are() {
    let sandbox = Sandbox::with_tables();
    let report = "report toy-classes iris.csv --label-column species -o toy.html -m m.safetensors";
    let said = done(&sandbox, report);
    assert!(said.contains("2 components were found."), "{said}");
    assert!(said.contains("What do they mean?"), "{said}");
    assert!(said.contains("C1: more petal_length"), "{said}");
    assert!(said.contains("models of half of the rows"), "{said}");
    let page = sandbox.text("toy.html");
    for id in ["part-scores", "part-loadings", "part-stability"] {
        assert!(page.contains(&format!("<section id=\"{id}\"")), "{id}");
    }
    let (page, _) = page.split_once("<script").expect("a script");
    assert!(!page.contains("NaN") && !page.contains("In the circle"));
    let described = done(&sandbox, "describe m.safetensors");
    assert!(
        described.contains("setosa, versicolor, virginica"),
        "{described}"
    );
    let object = done(&sandbox, "describe m.safetensors --json");
    assert!(object.contains("\"components\""), "{object}");
    let said = done(&sandbox, "report m.safetensors iris.csv -o both.html");
    assert!(said.contains("a model of the toy of classes"), "{said}");
}

#[test]
fn a_model_of_it_is_the_same_after_saving() {
    let (table, labels) = turns();
    let rows = Dense::new(table.view());
    let training = Training {
        rows: Numbers::F64(&rows),
        labels: Some(&labels),
    };
    let ctx = Context::new();
    eigenspan::method::registry::add(eigenspan::method::registry::Entry::for_options::<
        ClassesOptions,
    >());
    let fitted = Method::fit(&ClassesOptions::default(), &ctx, &training).expect("a fit");
    let bytes = eigenspan_io::model::to_bytes(&*fitted, &Default::default(), None);
    let again = eigenspan_io::model::Model::from_bytes(&bytes.expect("bytes")).expect("a model");
    let by = again.fitted.must_predict().expect("a predictor");
    assert_eq!(by.classes(), ["even", "odd"]);
    let predicted = by.predict(&ctx, training.rows).expect("classes");
    assert!((0..60).all(|i| predicted[i] == Some(i % 2)));
    let probabilities = by.probabilities(&ctx, training.rows);
    assert!(
        probabilities
            .expect("probabilities")
            .rows()
            .all(|row| (row[0] + row[1] - 1.0).abs() < 1e-12)
    );
    let pca = Method::fit(&eigenspan::PcaOptions::default(), &ctx, &training).expect("a fit");
    let none = pca.must_predict().err();
    assert!(matches!(none, Some(Error::NoClasses { method: "PCA" })));
}

#[test]
fn its_accuracy_is_compared_up_to_the_directions_that_it_has() {
    let sandbox = Sandbox::with_tables();
    let said = done(
        &sandbox,
        "evaluate iris.csv --label-column species --after none,toy-classes,pca -k 1..4 --json",
    );
    let found: serde_json::Value = serde_json::from_str(&said).expect("an object");
    // Three classes have two directions between their means, whatever is asked for.
    assert_eq!(found["reductions"][1]["most"], 2, "{found}");
    let curves = found["curves"].as_array().expect("curves");
    let of_toy = curves
        .iter()
        .filter(|curve| curve["reduction"] == "toy-classes");
    let of_toy: Vec<_> = of_toy.collect();
    assert_eq!(of_toy.len(), 3);
    for curve in of_toy {
        let points = curve["points"].as_array().expect("points");
        assert_eq!((points.len(), &points[0]["n_components"]), (1, &2.into()));
        assert!(points[0]["accuracy"].as_f64() > Some(0.9), "{curve}");
    }
}
