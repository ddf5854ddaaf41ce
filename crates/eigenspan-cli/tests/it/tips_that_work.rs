//! Tips and notes can be followed: the options they name belong to the command that was typed and do what the tip says.

use crate::support::Sandbox;

#[test]
fn no_command_advises_an_option_that_it_does_not_have() {
    let sandbox = Sandbox::with_model("iris.csv");
    sandbox.write(
        "holes.csv",
        sandbox.text("iris.csv").replacen("5.1,", ",", 1),
    );
    sandbox.write(
        "odd.csv",
        sandbox.text("iris.csv").replacen("4.9,", "oops,", 1),
    );
    let commands: [&[&str]; 10] = [
        &["look", "wine.csv"],
        &["choose", "wine.csv"],
        &["plan", "pca", "wine.csv"],
        &["plot", "scores", "wine.csv"],
        &["describe", "wine.csv"],
        &["describe", "odd.csv"],
        &["transform", "m", "holes.csv"],
        &["transform", "m", "odd.csv"],
        &["inverse", "m", "odd.csv"],
        &["fit", "pca", "holes.csv", "-o", "o.csv"],
    ];
    for words in commands {
        let run = sandbox.run(words);
        let named = words
            .iter()
            .take(2)
            .filter(|word| !word.contains('.') && **word != "m");
        let help: Vec<&str> = named
            .copied()
            .filter(|word| *word != "scores")
            .chain(["--help"])
            .collect();
        let help = sandbox.done(&help).out;
        for option in run.err.split([' ', '(', ')', ',', ';', '\n', '=']) {
            let is_option = option
                .strip_prefix("--")
                .is_some_and(|name| !name.is_empty());
            // A description speaks of the fit that may follow it.
            let of_a_fit = words[0] == "describe"
                && ["--scale", "--missing"].contains(&option)
                && run.code == Some(0);
            assert!(
                !is_option || of_a_fit || help.contains(option),
                "{option}: {run:#?}"
            );
        }
    }
    sandbox
        .done(&["fit", "pca", "wine.csv", "-k", "1", "-o", "o.csv"])
        .says(&["--keep target"]);
    let refused = sandbox.refused(&["fit", "pca", "holes.csv", "-o", "p.csv"]);
    refused.says(&["--missing mean", "--missing drop"]);
}

#[test]
fn codes_for_missing_cells_may_begin_with_a_hyphen() {
    let sandbox = Sandbox::new();
    sandbox.write("codes.csv", "a,b\n1,2\n-999,3\n4,7\n--,8\n9,9\n3,1\n");
    for (words, left) in [("-999,--", 4), ("--", 5)] {
        let words = ["codes.csv", "--missing-values", words];
        let run = sandbox.done(&words);
        let dropped = 6 - left;
        run.says(&[&format!("{dropped} of 6 rows ha")]);
    }
}

#[test]
fn leaving_rows_out_is_not_advised_where_none_would_be_left() {
    let sandbox = Sandbox::new();
    sandbox.write("all.csv", "a,b\n1,\n,3\n4,\n,5\n");
    for words in [&["all.csv"][..], &["fit", "pca", "all.csv", "-o", "o.csv"]] {
        let run = sandbox.refused(words);
        run.says(&["--missing mean"]);
        assert!(!run.err.contains("--missing drop"), "{run:#?}");
    }
}

#[test]
fn a_line_of_units_or_of_remarks_can_be_left_out() {
    let sandbox = Sandbox::new();
    let rows = "1,2\n3,4\n5,9\n7,1\n";
    for (name, text, tip) in [
        ("units.csv", format!("a,b\ncm,3\n{rows}"), "--rows 2:5"),
        ("footer.csv", format!("a,b\n{rows}total,3\n"), "--rows 1:4"),
    ] {
        sandbox.write(name, text);
        sandbox.refused(&[name]).says(&[tip, "is no number"]);
        let words: Vec<&str> = [name].into_iter().chain(tip.split(' ')).collect();
        assert!(
            sandbox
                .done(&words)
                .out
                .contains("4 rows × 2 numeric columns")
        );
    }
}

#[test]
fn new_rows_with_missing_cells_are_filled_or_left_without_scores_aloud() {
    let sandbox = Sandbox::with_tables();
    sandbox.write(
        "new.csv",
        sandbox.text("iris.csv").replacen("5.1,3.5,", ",,", 1),
    );
    for (how, says) in [
        ("mean", "2 cells are missing: filled with the means"),
        (
            "em",
            "2 cells are missing: filled with what the model predicts",
        ),
        ("drop", "1 row has missing cells and no scores"),
    ] {
        sandbox.done(&[
            "fit",
            "pca",
            "iris.csv",
            "-k",
            "2",
            "--missing",
            how,
            "-m",
            "m",
            "-q",
        ]);
        sandbox
            .done(&["transform", "m", "new.csv", "-o", "s.csv"])
            .says(&[says]);
        let run = sandbox.done(&["transform", "m", "iris.csv", "-o", "s.csv"]);
        assert!(!run.err.contains("missing"), "{run:#?}");
    }
}

#[test]
fn what_was_read_is_said_as_it_stands_in_the_file() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "euro.csv",
        "name;a;b\nx;1.234,5;5\ny;2.500;7\nz;3.750;8\nw;900;6\n",
    );
    let run = sandbox.done(&["euro.csv"]);
    run.says(&["column \"a\": \"1.234,5\" is read as 1234.5"]);
    assert!(!run.err.contains("missing"), "{run:#?}");
    // Points before three digits in a file with semicolons may separate thousands.
    sandbox.write(
        "points.csv",
        "name;a;b\nx;1.234;5\ny;2.500;7\nz;3.750;8\nw;900;6\n",
    );
    sandbox
        .done(&["points.csv"])
        .says(&["column \"a\": \"1.234\" is read as 1.234 (--decimal , reads it as 1234)"]);
    let run = sandbox.done(&["points.csv", "--decimal", ","]);
    run.says(&["\"1.234\" is read as 1234"]);
    sandbox.write(
        "sure.csv",
        "name;a;b\nx;1.234;5.5\ny;2.500;7\nz;3.750;8\nw;900;6\n",
    );
    assert!(!sandbox.done(&["sure.csv"]).err.contains("--decimal"));
    // We print a typographic minus ourselves; one alone may be a slip, which is said.
    sandbox.write("minus.csv", "a,b\n1,2\n−3,3\n−4,7\n5,1\n");
    let object = sandbox.json(&["describe", "minus.csv"]);
    assert_eq!(object["columns"][0]["min"], -4.0);
    sandbox.write("slip.csv", "a,b\n1,2\n−3,3\n4,7\n5,1\n");
    sandbox.refused(&["slip.csv"]).says(&["write -3"]);
    sandbox.write(
        "large.csv",
        "id,a\n12345678901234567890,1\n12345678901234567891,3\n12345678901234567892,2\n",
    );
    let run = sandbox.done(&["large.csv"]);
    run.says(&["id is constant as read"]);
    assert!(!run.err.contains("is constant and"), "{run:#?}");
}

#[test]
fn refusals_count_and_name_what_there_is() {
    let sandbox = Sandbox::with_tables();
    sandbox
        .refused(&["wine.csv", "--label-column", "nope"])
        .says(&["total_phenols and 8 more"]);
    sandbox.refused(&["wine.csv", "--exclude", "*"]).says(&[
        "no numeric column of wine.csv is left to work on: exclude = \"*\" leaves them out",
    ]);
    sandbox
        .refused(&["report", "nope-*.csv"])
        .says(&["no file matches nope-*.csv"]);
    let words = ["report", "iris.csv", "--tables", "t"];
    let run = sandbox.done(&words);
    assert!(
        run.err.contains("written: iris.report.html, t\n"),
        "{run:#?}"
    );
    sandbox.done(&words).says(&["t (tables replaced)"]);
    sandbox.write("t/rows.csv", "mine\n");
    let run = sandbox.refused(&words);
    run.says(&["--force replaces it; --tables with another folder writes elsewhere"]);
}
