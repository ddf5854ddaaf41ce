//! Sentences that were once wrong, each compared with the numbers it is about: the reason for the number of components, words for columns
//! that were not centered, rows that stand apart, limits, whitened scores, weights, and how much of the data was read.

use serde_json::Value;

use crate::support::{Run, Sandbox, assert_close, noise, numbers};

/// What a report says in the terminal, as one line.
fn said(run: &Run) -> String {
    run.out.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn report(sandbox: &Sandbox, words: &[&str]) -> String {
    let words: Vec<&str> = ["report"].iter().chain(words).copied().collect();
    said(&sandbox.done(&[&words[..], &["-o", "page.html"]].concat()))
}

fn analysis(sandbox: &Sandbox, words: &[&str]) -> Value {
    let words: Vec<&str> = ["report"].iter().chain(words).copied().collect();
    let words = [&words[..], &["-o", "page.html"]].concat();
    sandbox.json(&words)["analysis"].clone()
}

/// A table of noise with so many rows and columns; to every row, something may be added.
fn table(n: usize, d: usize, add: impl Fn(usize, usize) -> f64) -> String {
    let mut next = noise();
    let names: Vec<String> = (0..d).map(|j| format!("c{j}")).collect();
    let mut out = names.join(",") + "\n";
    for i in 0..n {
        let cells: Vec<String> = (0..d).map(|j| (next() + add(i, j)).to_string()).collect();
        out += &(cells.join(",") + "\n");
    }
    out
}

#[test]
fn ninety_percent_is_said_only_of_components_that_hold_it() {
    let sandbox = Sandbox::with_tables();
    sandbox.write("noise.csv", table(60, 12, |_, _| 0.0));
    let mut seen = Vec::new();
    for options in [
        &["-k", "auto"][..],
        &["--like", "spss"],
        &["--like", "factominer"],
        &[],
    ] {
        for name in ["noise.csv", "wine.csv", "foods.csv", "iris.csv"] {
            let words = [&[name][..], options].concat();
            let (text, found) = (report(&sandbox, &words), analysis(&sandbox, &words));
            let k = found["k"].as_u64().expect("k") as usize;
            let because = found["k_because"].as_str().expect("a reason").to_owned();
            let object = sandbox.json(&[&["report"], &words[..], &["-o", "page.html"]].concat());
            let shares = numbers(&object, "explained_variance_ratio");
            let (held, fewer): (f64, f64) =
                (shares[..k].iter().sum(), shares[..k - 1].iter().sum());
            let claimed = ["one holds 90 %", "fewer do not hold 90 %"]
                .iter()
                .any(|claim| text.contains(claim));
            assert!(
                !claimed || (held >= 0.9 && fewer < 0.9),
                "{words:?}: {text}"
            );
            assert_eq!(
                claimed,
                ["few_rows", "nothing_found"].contains(&&*because),
                "{text}"
            );
            seen.push(because);
        }
    }
    for reason in ["kept", "nothing_found", "few_rows", "advised"] {
        assert!(
            seen.iter().any(|s| s == reason),
            "{reason} is not among {seen:?}"
        );
    }
}

#[test]
fn without_centering_nothing_is_called_a_variance_or_a_correlation() {
    let sandbox = Sandbox::with_tables();
    let text = report(&sandbox, &["wine.csv", "--no-center"]);
    for claim in ["% of the variance", "are correlations", "the variance of"] {
        assert!(!text.contains(claim), "{claim}: {text}");
    }
    assert!(text.contains("99.8 % of the sum of squares"), "{text}");
    assert!(text.contains("cosines about zero"), "{text}");
    let page = sandbox.text("page.html");
    assert!(!page.contains("PC1 correlation") && page.contains("PC1 cosine about zero"));
    assert_eq!(
        analysis(&sandbox, &["wine.csv", "--no-center"])["about"],
        "zero"
    );
    assert_eq!(analysis(&sandbox, &["wine.csv"])["about"], "mean");
    let run = sandbox.done(&["wine.csv", "--no-center"]);
    run.says(&["the mean square of proline"]);
    sandbox
        .done(&["plot", "circle", "wine.csv", "--no-center"])
        .says(&["correlations are cosines about zero"]);
}

#[test]
fn columns_that_nearly_sum_to_a_constant_have_their_measure() {
    let sandbox = Sandbox::new();
    // Parts of a hundred with a little noise: 0 is exact, 2 is not.
    for (name, noisy) in [("exact.csv", 0.0), ("nearly.csv", 2.0)] {
        let mut next = noise();
        let mut out = String::from("a,b,c,d\n");
        for _ in 0..60 {
            let parts: Vec<f64> = (0..4).map(|_| next() + 0.6).collect();
            let whole: f64 = parts.iter().sum();
            let cells = parts.iter().map(|x| 100.0 * x / whole);
            let cells: Vec<String> = cells.map(|x| (x + noisy * next()).to_string()).collect();
            out += &(cells.join(",") + "\n");
        }
        sandbox.write(name, out);
    }
    let exact = report(&sandbox, &["exact.csv"]);
    assert!(exact.contains("the columns sum to a constant"), "{exact}");
    let nearly = report(&sandbox, &["nearly.csv"]);
    assert!(
        !nearly.contains("the columns sum to a constant"),
        "{nearly}"
    );
    assert!(nearly.contains("nearly sum to a constant"), "{nearly}");
    assert!(nearly.contains("Kaiser–Meyer–Olkin 0."), "{nearly}");
}

#[test]
fn a_row_apart_has_the_most_of_what_is_named() {
    let sandbox = Sandbox::new();
    // Row 1 is far out by c0; others have more c1.
    let far = |i: usize, j: usize| match (i, j) {
        (0, 0) => 9.0,
        (0, 1) => 3.0,
        (5, 1) => 3.9,
        _ => 0.0,
    };
    sandbox.write("far.csv", table(30, 3, far));
    let text = report(&sandbox, &["far.csv"]);
    assert!(text.contains("row 1 stands apart on PC1"), "{text}");
    assert!(text.contains("Of all rows it has the most c0."), "{text}");
    let apart = &analysis(&sandbox, &["far.csv"])["apart"];
    assert_eq!(apart["has_the_most"][0], "c0");
    assert_eq!(
        (
            &apart["number"],
            apart["has_the_most"].as_array().map(Vec::len)
        ),
        (&Value::from(1), Some(1))
    );
    // What fills a cell is not what the row has.
    let holes = table(30, 3, far).replacen(',', "\u{1}", 2);
    let first = holes.lines().nth(1).expect("a row").to_owned();
    let rest = first
        .split_once(',')
        .map(|(_, rest)| rest)
        .unwrap_or_default();
    let empty = table(30, 3, |i, j| far(i, j) + if i == 0 { 9.0 } else { 0.0 });
    let line = empty.lines().nth(1).expect("a row");
    let hole = format!(",{}", line.split_once(',').expect("cells").1);
    sandbox.write("hole.csv", empty.replacen(line, &hole, 1));
    let text = report(&sandbox, &["hole.csv", "--missing", "em"]);
    assert!(text.contains("row 1 stands apart"), "{text}");
    assert!(!text.contains("the most c0"), "{rest} {text}");
}

#[test]
fn no_row_stands_apart_where_another_lies_as_far_on_the_other_side() {
    let sandbox = Sandbox::new();
    for (i, cells) in [
        "-1,0\n0,.1\n1,0\n",
        "1,1\n4,2\n4,1\n7,2\n",
        "1,9\n4,9\n4,8\n4,8\n7,9\n",
        "-3,0\n0,1\n0,2\n0,3\n3,0\n",
    ]
    .iter()
    .enumerate()
    {
        let name = format!("even{i}.csv");
        sandbox.write(&name, format!("a,b\n{cells}"));
        let run = sandbox.done(&[&name]);
        assert!(!run.out.contains("Farthest from the rest"), "{}", run.out);
        let text = report(&sandbox, &[&name]);
        assert!(!text.contains("stands apart"), "{text}");
        assert!(!sandbox.text("page.html").contains("stands apart"));
    }
    // Of three rows, one always lies farther from the other two.
    sandbox.write("three.csv", table(3, 200, |_, _| 0.0));
    assert!(!report(&sandbox, &["three.csv"]).contains("stands apart"));
}

#[test]
fn outliers_do_not_depend_on_how_many_components_were_computed() {
    let sandbox = Sandbox::with_tables();
    let limits = |options: &[&str]| {
        let found = analysis(&sandbox, &[&["wine.csv", "--scale"], options].concat());
        assert_eq!(found["k"], 3, "{options:?}");
        found["outliers"].clone()
    };
    let all = limits(&[]);
    assert_eq!(all["limits"]["q_from"], "eigenvalues");
    for options in [&["-k", "3"][..], &["-k", "auto"]] {
        let some = limits(options);
        let q = |found: &Value| found["limits"]["q"].as_f64().expect("a limit");
        assert_close(&[q(&all)], &[q(&some)], 1e-9);
        assert_eq!(some["n_beyond"], all["n_beyond"], "{options:?}");
    }
    // Rows are counted from 1 in the whole object.
    let found = analysis(&sandbox, &["wine.csv", "--scale"]);
    let far = &found["outliers"]["farthest"][0];
    let row = far["row"].as_u64().expect("a row") as usize;
    let t2 = numbers(&found["rows_shown"], "t2")[row - 1];
    assert_close(&[far["t2"].as_f64().expect("T²")], &[t2], 1e-12);
}

#[test]
fn whitened_scores_are_whitened_everywhere() {
    let sandbox = Sandbox::with_tables();
    let words = [
        "wine.csv", "--scale", "--whiten", "-k", "2", "--tables", "tables",
    ];
    let found = analysis(&sandbox, &words);
    let shown = found["rows_shown"]["scores"][0].as_array().expect("scores");
    let shown: Vec<f64> = shown.iter().map(|x| x.as_f64().expect("a score")).collect();
    let variance = shown.iter().map(|x| x * x).sum::<f64>() / 177.0;
    assert_close(&[1.0], &[variance], 1e-9);
    assert_close(
        &sandbox.table("tables/rows.csv").numbers("PC1"),
        &shown,
        1e-9,
    );
    let fit = [
        "fit", "pca", "wine.csv", "--scale", "--whiten", "-k", "2", "-o", "s.csv",
    ];
    sandbox.done(&fit);
    let scores = sandbox.table("s.csv").numbers("PC1");
    assert_close(&scores, &shown, 1e-9);
    let group = &found["supplementary"]["categories"][0]["levels"][0];
    let members = group["n_rows"].as_u64().expect("rows") as usize;
    // The first class has the first rows.
    let mean = scores[..members].iter().sum::<f64>() / members as f64;
    assert_close(
        &[mean],
        &[group["centroid"][0].as_f64().expect("a mean")],
        1e-9,
    );
}

#[test]
fn a_report_says_what_was_taken_and_what_weighs_the_rows() {
    let sandbox = Sandbox::with_tables();
    let whole = report(&sandbox, &["wine.csv"]);
    assert!(
        whole.contains("wine.csv: 178 rows and 13 numeric columns"),
        "{whole}"
    );
    for options in [
        &["--rows", "1:90"][..],
        &["--sample", "90"],
        &["--columns", "1-4"],
        &["--exclude", "ash"],
        &["--one-hot"],
    ] {
        let text = report(&sandbox, &[&["wine.csv"], options].concat());
        assert!(text.contains("From wine.csv, "), "{options:?}: {text}");
        assert!(!text.contains("wine.csv: "), "{options:?}: {text}");
    }
    sandbox
        .done(&["wine.csv", "--rows", "170:999"])
        .says(&["rows 170 to 178 are used: there is no row 999"]);
    let turned = report(&sandbox, &["foods.csv", "--transpose"]);
    assert!(!turned.contains("rows are named by"), "{turned}");
    let two = report(&sandbox, &["wine.csv", "wine.csv"]);
    assert!(two.contains("wine.csv and 1 more: 356 rows"), "{two}");
    sandbox.write("unnamed.csv", ",a,b\nx,1,2\ny,2,5\nz,4,1\nw,3,3\n");
    let unnamed = report(&sandbox, &["unnamed.csv"]);
    assert!(unnamed.contains("rows are named by column 1"), "{unnamed}");
    let mut weighted = String::from("a,b,c,w\n");
    for (i, line) in table(40, 3, |_, _| 0.0).lines().skip(1).enumerate() {
        weighted += &format!("{line},{}\n", 1 + i % 3);
    }
    sandbox.write("weighted.csv", weighted);
    let text = report(&sandbox, &["weighted.csv", "--weight-column", "w"]);
    assert!(text.contains("w weighs them"), "{text}");
    assert!(!text.contains("Do groups differ?"), "{text}");
    assert!(sandbox.text("page.html").contains("counts every row once"));
}

#[test]
fn components_that_do_not_vary_have_no_meaning() {
    let sandbox = Sandbox::new();
    sandbox.write("two.csv", "a,b,c\n1,2,3\n2,1,9\n");
    sandbox.write("constant.csv", "a,b,k\n1,2,7\n2,1,7\n3,5,7\n4,1,7\n");
    for (name, axis) in [("two.csv", "PC2"), ("constant.csv", "PC3")] {
        let out = sandbox.done(&[name]).out;
        let line = out.lines().find(|line| line.contains(axis));
        assert!(
            line.is_none_or(|line| !line.contains("more") && !line.contains("less")),
            "{out}"
        );
    }
}

#[test]
fn what_the_terminal_and_the_page_say_of_directions_agrees() {
    let sandbox = Sandbox::new();
    // Three variances that are nearly alike, and one that is not.
    let mut next = noise();
    let mut out = String::from("a,b,c,d\n");
    for _ in 0..60 {
        let cells: Vec<String> = [3.0, 2.7, 2.4, 0.1]
            .iter()
            .map(|s| (s * next()).to_string())
            .collect();
        out += &(cells.join(",") + "\n");
    }
    sandbox.write("alike.csv", out);
    let text = report(&sandbox, &["alike.csv", "-k", "3"]);
    let page = sandbox.text("page.html");
    for axis in ["PC1", "PC2", "PC3"] {
        let kept = text.contains(&format!("{axis} kept its direction"));
        assert!(
            !(kept && page.contains("cannot be told apart")),
            "{axis}: {text}"
        );
    }
}

#[test]
fn the_row_that_stands_apart_has_its_own_name_where_rows_were_left_out() {
    let sandbox = Sandbox::new();
    let row = |i: usize| match i {
        3 => format!("n{i},,1\n"),
        7 => format!("n{i},90,91\n"),
        _ => format!("n{i},{},{}\n", 0.1 * i as f64, 0.2 * i as f64),
    };
    let rows: String = (0..12).map(row).collect();
    sandbox.write("holed.csv", format!("name,a,b\n{rows}"));
    // The Gaussian kernel, which is the default, makes such a row similar to no other, and so leaves it near the mean.
    for (method, kernel) in [("pca", &[][..]), ("kpca", &["--kernel", "linear"])] {
        let words = ["fit", method, "holed.csv", "-k", "1", "--missing", "drop"];
        let run = sandbox.done(&[&words[..], &["--id-column", "name"], kernel].concat());
        assert!(
            said(&run).contains("Farthest from the rest on PC1: n7"),
            "{run:#?}"
        );
    }
}
