//! Options for reading a table; each test shows what the option changes in the result.

use crate::support::{Cells, Sandbox, assert_close, numbers};

const SQUARE: &str = "name,group,a,b,c,d,w\n\
    p,u,1,2,0,4,1\nq,v,2,1,5,3,2\nr,u,4,4,1,1,1\ns,v,3,7,2,2,3\n";

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("t.csv", SQUARE);
    sandbox
}

fn fit<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&["fit", "pca", "t.csv", "-k", "all"], more].concat()
}

#[test]
fn kept_columns_stand_in_front_of_the_scores() {
    let sandbox = sandbox();
    sandbox.done(&[
        "fit", "pca", "t.csv", "-k", "2", "-o", "s.csv", "--keep", "group,a",
    ]);
    let scores = sandbox.table("s.csv");
    assert_eq!(scores.names, ["name", "group", "a", "PC1", "PC2"]);
    assert_eq!(scores.column("group"), ["u", "v", "u", "v"]);
    assert_eq!(scores.column("a"), ["1", "2", "4", "3"]);
    let run = sandbox.refused(&["fit", "pca", "t.csv", "-o", "s.csv", "--keep", "grop"]);
    run.says(&["no column \"grop\" in t.csv", "columns like it: group"]);
}

#[test]
fn columns_that_an_array_cannot_hold_are_refused() {
    let sandbox = sandbox();
    let fit = ["fit", "pca", "t.csv", "-o", "s.npy", "--keep", "group"];
    sandbox
        .refused(&fit)
        .says(&["s.npy cannot keep columns", ".csv or .tsv"]);
    sandbox.done(&["fit", "pca", "t.csv", "-m", "m", "-o", "s.csv"]);
    let transform = ["transform", "m", "t.csv", "-o", "s.npy", "--keep", "group"];
    sandbox
        .refused(&transform)
        .says(&["s.npy cannot keep columns"]);
    let inverse = ["inverse", "m", "s.csv", "-o", "r.npy", "--keep", "name"];
    sandbox
        .refused(&inverse)
        .says(&["r.npy cannot keep columns"]);
}

#[test]
fn cells_with_delimiters_quotes_and_line_ends_survive_being_kept() {
    let sandbox = Sandbox::new();
    let text = "name,a,b\n\"x, y\",1,2\n\"say \"\"hi\"\"\",2,1\n\"two\nlines\",4,4\n";
    sandbox.write("t.csv", text);
    sandbox.done(&["fit", "pca", "t.csv", "-k", "1", "-o", "s.csv"]);
    let scores = sandbox.text("s.csv");
    for cell in ["\"x, y\",", "\"say \"\"hi\"\"\",", "\"two\nlines\","] {
        assert!(scores.contains(cell), "{cell} in {scores}");
    }
    // And it is a table that can be read again.
    sandbox.done(&["s.csv"]);
}

#[test]
fn the_id_column_names_the_rows_and_the_label_column_their_classes() {
    let sandbox = sandbox();
    let words = fit(&["--id-column", "w", "--label-column", "group", "-o", "s.csv"]);
    let object = sandbox.json(&words);
    assert_eq!(object["columns"], serde_json::json!(["a", "b", "c", "d"]));
    let scores = sandbox.table("s.csv");
    assert_eq!(scores.names[..2], ["w", "group"]);
    assert_eq!(scores.column("w"), ["1", "2", "1", "3"]);
    for option in ["--id-column", "--label-column", "--weight-column"] {
        let run = sandbox.refused(&fit(&[option, "grp"]));
        run.says(&["no column \"grp\" in t.csv", "group"]);
    }
}

#[test]
fn weights_that_sum_to_one_are_refused_or_divided_by_their_sum() {
    let sandbox = Sandbox::new();
    let rows = (0..20).map(|i| format!("{},{},0.05\n", i % 7, i * i % 5));
    sandbox.write("w.csv", format!("a,b,w\n{}", rows.collect::<String>()));
    let weighted = ["fit", "pca", "w.csv", "--weight-column", "w"];
    sandbox.refused(&weighted).says(&[
        "the row weights sum to 1, but under the n − 1 convention a weight counts rows",
        "--convention n",
    ]);
    sandbox.done(&[&weighted[..], &["--convention", "n"]].concat());
}

#[test]
fn a_weight_of_two_is_the_row_twice() {
    let sandbox = sandbox();
    let rows = Cells::parse(SQUARE, ',');
    let mut often = String::from("a,b,c,d\n");
    for (row, weight) in rows.rows.iter().zip(rows.column("w")) {
        let count: usize = weight.parse().expect("a count");
        often += &(row[2..6].join(",") + "\n").repeat(count);
    }
    sandbox.write("often.csv", often);
    let repeated = sandbox.json(&["fit", "pca", "often.csv", "-k", "all"]);
    for option in ["--weight-column", "--weights"] {
        let weighted = sandbox.json(&fit(&[option, "w"]));
        assert_eq!(weighted["columns"], serde_json::json!(["a", "b", "c", "d"]));
        let (x, y) = (
            numbers(&weighted, "explained_variance"),
            numbers(&repeated, "explained_variance"),
        );
        assert_close(&x, &y, 1e-12);
    }
    let text = sandbox.refused(&fit(&["--weight-column", "group"]));
    text.says(&["\"group\"", "number"]);
    sandbox.write("t.csv", SQUARE.replace(",4,1\n", ",4,-1\n"));
    sandbox
        .refused(&fit(&["--weight-column", "w"]))
        .says(&["weight"]);
}

#[test]
fn columns_are_chosen_by_name_range_pattern_and_number() {
    let sandbox = sandbox();
    for (chosen, columns) in [
        ("a,b,c-d", &["a", "b", "c", "d"][..]),
        ("b-d", &["b", "c", "d"]),
        ("3,5-6", &["a", "c", "d"]),
        ("d,a", &["a", "d"]),
        ("?", &["a", "b", "c", "d", "w"]),
    ] {
        let object = sandbox.json(&fit(&["--columns", chosen]));
        assert_eq!(object["columns"], serde_json::json!(columns), "{chosen}");
    }
    let object = sandbox.json(&fit(&["--exclude", "w,a-b"]));
    assert_eq!(object["columns"], serde_json::json!(["c", "d"]));
    sandbox
        .refused(&fit(&["--columns", "a,e"]))
        .says(&["no column \"e\" in t.csv"]);
    sandbox
        .refused(&fit(&["--columns", "a,group"]))
        .says(&["\"group\"", "--exclude group"]);
    sandbox
        .refused(&fit(&["--exclude", "a-w"]))
        .says(&["t.csv has no numeric columns"]);
}

#[test]
fn delimiter_and_header_can_be_told() {
    let sandbox = Sandbox::new();
    let plain = "a,b\n1,2\n2,1\n4,4\n";
    sandbox.write("t.csv", plain);
    let wanted = numbers(
        &sandbox.json(&["fit", "pca", "t.csv", "-k", "all"]),
        "explained_variance",
    );
    for delimiter in [";", "|", "\t", ":", "~"] {
        sandbox.write("u.txt", plain.replace(',', delimiter));
        let object = sandbox.json(&["fit", "pca", "u.txt", "-k", "all", "--delimiter", delimiter]);
        assert_eq!(
            numbers(&object, "explained_variance"),
            wanted,
            "{delimiter:?}"
        );
        assert_eq!(object["columns"], serde_json::json!(["a", "b"]));
    }
    sandbox.write("n.csv", "2020,2021\n1,2\n2,1\n4,4\n");
    let without = sandbox.json(&["fit", "pca", "n.csv", "--no-header"]);
    assert_eq!(
        (&without["n_rows"], &without["columns"][0]),
        (&4.into(), &"1".into())
    );
    let with = sandbox.json(&["fit", "pca", "n.csv", "--header", "-k", "all"]);
    assert_eq!(
        (&with["n_rows"], &with["columns"][0]),
        (&3.into(), &"2020".into())
    );
    assert_eq!(numbers(&with, "explained_variance"), wanted);
    sandbox
        .refused(&["n.csv", "--header", "--no-header"])
        .says(&["cannot be used with"]);
}

#[test]
fn the_decimal_mark_can_be_told() {
    let sandbox = Sandbox::new();
    sandbox.write("dot.csv", "a;b\n1.5;2\n2;1\n4;4.25\n");
    sandbox.write("comma.csv", "a;b\n1,5;2\n2;1\n4;4,25\n");
    let fit = |name| {
        let decimal = if name == "dot.csv" { "." } else { "," };
        let object = sandbox.json(&["fit", "pca", name, "-k", "all", "--decimal", decimal]);
        numbers(&object, "explained_variance")
    };
    assert_eq!(fit("dot.csv"), fit("comma.csv"));
    sandbox
        .refused(&["dot.csv", "--decimal", "x"])
        .says(&["decimal", "`.` or `,`"]);
}

#[test]
fn missing_cells_are_filled_or_their_rows_left_out_and_either_is_said() {
    let sandbox = Sandbox::new();
    sandbox.write("t.csv", "a,b\n1,2\n2,NA\n2,1\n4,4\n");
    sandbox.write("filled.csv", "a,b\n1,2\n2,2.3333333333333335\n2,1\n4,4\n");
    sandbox.write("dropped.csv", "a,b\n1,2\n2,1\n4,4\n");
    let variances = |words: &[&str]| {
        let object = sandbox.json(&[&["fit", "pca"], words, &["-k", "all"]].concat());
        (
            numbers(&object, "explained_variance"),
            object["notes"].to_string(),
        )
    };
    let refusal = sandbox.refused(&["fit", "pca", "t.csv"]);
    refusal.says(&[
        "t.csv line 3, column \"b\": \"NA\"",
        "--missing mean",
        "--missing drop",
    ]);

    let (mean, note) = variances(&["t.csv", "--missing", "mean"]);
    assert_close(&mean, &variances(&["filled.csv"]).0, 1e-14);
    assert!(note.contains("1 cell missing: filled"), "{note}");

    let (drop, note) = variances(&["t.csv", "--missing", "drop"]);
    assert_close(&drop, &variances(&["dropped.csv"]).0, 1e-14);
    assert!(note.contains("1 row with missing cells left out"), "{note}");

    sandbox.write("odd.csv", "a,b\n1,2\n2,none yet\n2,1\n4,4\n");
    let (told, _) = variances(&[
        "odd.csv",
        "--missing-values",
        "none yet",
        "--missing",
        "drop",
    ]);
    assert_eq!(told, drop);
}

#[test]
fn a_row_that_was_left_out_keeps_its_place_and_stands_apart_from_nothing() {
    let sandbox = Sandbox::with_tables();
    let iris = sandbox.text("iris.csv").replacen("5.1", "", 1);
    sandbox.write("iris.csv", iris);
    let words = [
        "fit",
        "pca",
        "iris.csv",
        "-k",
        "2",
        "--missing",
        "drop",
        "-o",
        "s.csv",
    ];
    let run = sandbox.done(&words);
    assert!(!run.out.contains("NaN"), "{run:#?}");
    let scores = sandbox.table("s.csv");
    assert_eq!(scores.rows.len(), 150);
    assert!(scores.numbers("PC1")[0].is_nan());
    assert!(scores.numbers("PC1")[1..].iter().all(|x| x.is_finite()));
}
