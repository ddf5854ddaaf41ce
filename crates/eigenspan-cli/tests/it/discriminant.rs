//! Discriminant analyses from the command line: what they print, draw, write and refuse.

use crate::support::Sandbox;

const FIT: [&str; 5] = ["fit", "lda", "iris.csv", "--label-column", "species"];

fn with<'a>(words: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    [words, more].concat()
}

#[test]
fn a_fit_says_how_far_classes_lie_apart_and_how_many_rows_get_their_own() {
    let sandbox = Sandbox::with_tables();
    let said = sandbox.done(&with(&FIT, &["-m", "m.safetensors", "-o", "s.csv"]));
    for words in [
        "LDA, 3 classes",
        " LD1   99.1 %   99.1 %  ██████████████████  more petal_length, petal_width · less sepal_width",
        " 1 component keeps 99.1 % of the variance between classes (90 % rule).",
        " 147 of 150 rows that were fitted get their own class (98.0 %).",
    ] {
        assert!(said.out.contains(words), "{}", said.out);
    }
    let scores = sandbox.table("s.csv");
    assert_eq!(scores.names, ["species", "predicted", "LD1", "LD2"]);
    let pairs = scores
        .column("species")
        .into_iter()
        .zip(scores.column("predicted"));
    assert_eq!(pairs.filter(|(a, b)| a == b).count(), 147);
    // Its other names lead to it, and the model gives new rows the same scores.
    let other = ["fit", "discriminant", "iris.csv"];
    let said = sandbox.refused(&other);
    said.says(&["did you mean: eigenspan fit lda iris.csv"]);
    let again = [
        "transform",
        "m.safetensors",
        "iris.csv",
        "--label-column",
        "species",
    ];
    let again = sandbox.done(&again);
    assert_eq!(again.out, sandbox.text("s.csv"));
    let described = sandbox.done(&["describe", "m.safetensors"]).out;
    for words in [
        "       between ÷ within     share     total   residual\n LD1              32.19    99.1 %    99.1 %",
        "setosa (50 rows), versicolor (50 rows), virginica (50 rows)",
        "every residual ‖S_b v − λ S_w v‖ ÷ ‖λ S_w v‖ is at most",
    ] {
        assert!(described.contains(words), "{described}");
    }
    let drawn = sandbox.done(&["plot", "scree", "m.safetensors"]).out;
    let title = "1 of 2 components keeps 99.1 % of the variance between classes";
    assert!(drawn.contains(title), "{drawn}");
    let said = sandbox.done(&[
        "report",
        "lda",
        "iris.csv",
        "--label-column",
        "species",
        "-o",
        "r.html",
    ]);
    for words in [
        "Are the classes told apart?",
        "147 of 150 rows that were fitted get their own class (98.0 %). Of new rows, a smaller share may.",
    ] {
        let one_line = said.out.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(one_line.contains(words), "{}", said.out);
    }
    let page = sandbox.text("r.html");
    let (page, _) = page.split_once("<script").expect("a script");
    // Every share is one of the variance between classes.
    for (at, words) in page.match_indices("of the variance") {
        let after = &page[at + words.len()..];
        assert!(after.starts_with(" between classes"), "{}", &after[..60]);
    }
}

#[test]
fn quadratic_analysis_writes_probabilities_and_draws_no_columns() {
    let sandbox = Sandbox::with_tables();
    let fit = [
        "fit",
        "qda",
        "iris.csv",
        "--label-column",
        "species",
        "-m",
        "q.safetensors",
    ];
    let said = sandbox.done(&with(&fit, &["-o", "p.csv"]));
    assert!(
        said.out
            .contains("147 of 150 rows that were fitted get their own class")
    );
    let rows = sandbox.table("p.csv");
    let names = [
        "species",
        "predicted",
        "p(setosa)",
        "p(versicolor)",
        "p(virginica)",
    ];
    assert_eq!(rows.names, names);
    let each = names[2..].iter().map(|name| rows.numbers(name));
    let sums = each.reduce(|a, b| a.iter().zip(&b).map(|(a, b)| a + b).collect());
    assert!(
        sums.expect("columns")
            .iter()
            .all(|sum| (sum - 1.0).abs() < 1e-12)
    );
    let refused = sandbox.refused(&["plot", "loadings", "q.safetensors"]);
    refused.says(&["directions in the columns, and QDA has none"]);
    let refused = sandbox.refused(&["inverse", "q.safetensors", "p.csv", "-o", "back.csv"]);
    refused.says(&["QDA has no way from coordinates back to rows"]);
}

#[test]
fn what_cannot_be_fitted_is_refused_and_nothing_is_written() {
    let sandbox = Sandbox::with_tables();
    sandbox.write(
        "holes.csv",
        "x,y,class\n1,2,a\n2,1,NA\n3,4,b\n4,4,b\n1,1,a\n5,4,b\n",
    );
    sandbox.write("one.csv", "x,y,class\n1,2,a\n2,1,a\n3,4,a\n");
    sandbox.write("single.csv", "x,y,class\n1,2,a\n2,1,a\n3,4,b\n2,2,a\n");
    let output = ["-m", "m.safetensors", "-o", "s.csv"];
    for (words, says) in [
        (
            &["fit", "lda", "iris.csv"][..],
            "LDA learns from classes, and these rows have no labels",
        ),
        (
            &["fit", "lda", "iris.csv", "--label-column", "petal_length"],
            "that looks like a measurement, not like classes",
        ),
        (
            &with(&FIT, &["-k", "3"]),
            "3 components asked for, but 3 classes and 4 columns allow at most 2",
        ),
        (
            &with(&FIT, &["--priors", "0.5,0.6"]),
            "2 priors given for 3 classes (setosa, versicolor, virginica)",
        ),
        (
            &with(&FIT, &["--priors", "0.5,0.6,0.7"]),
            "these sum to 1.8",
        ),
        (
            &with(&FIT, &["--solver", "svd", "--shrinkage", "0.1"]),
            "solver = `svd` has no covariance that shrinkage could change",
        ),
        (
            &with(&FIT, &["--shrinkage", "2"]),
            "it takes none, auto, or a share from 0 to 1",
        ),
        (
            &["fit", "lda", "holes.csv", "--label-column", "class"],
            "1 row has no label, but every row needs its class; the first is row 2",
        ),
        (
            &["fit", "lda", "one.csv", "--label-column", "class"],
            "all rows have one class (a)",
        ),
        (
            &["fit", "qda", "single.csv", "--label-column", "class"],
            "class b has 1 row, but a covariance of its own needs at least 2",
        ),
        (
            &["fit", "qda", "digits.csv", "--label-column", "digit"],
            "--reg-param 0.1",
        ),
    ] {
        sandbox.refused(&with(words, &output)).says(&[says]);
    }
}

#[test]
fn rows_without_a_class_are_left_out_where_that_is_asked_for() {
    let sandbox = Sandbox::with_tables();
    sandbox.write(
        "holes.csv",
        "x,y,class\n1,2,a\n2,1,NA\n3,4,b\n4,4,b\n1,1,a\n5,4,b\n,4,b\n",
    );
    let said = sandbox.done(&[
        "fit",
        "lda",
        "holes.csv",
        "--label-column",
        "class",
        "--missing",
        "drop",
    ]);
    said.says(&["2 rows with missing cells left out"]);
    let right = "5 of 5 rows that were fitted get their own class";
    assert!(said.out.contains(right), "{}", said.out);
}
