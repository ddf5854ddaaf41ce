//! Sentences that were once wrong: each must agree with the numbers.

use serde_json::Value;

use crate::support::{Sandbox, noise, numbers};

fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn the_number_of_components_that_was_asked_for_is_the_one_spoken_of() {
    let sandbox = Sandbox::with_tables();
    let said = |words: &[&str]| flat(&sandbox.done(words).out);
    let two = said(&["fit", "pca", "wine.csv", "-k", "2"]);
    assert!(
        two.contains("2 components keep 100.0 %.") && !two.contains("rule"),
        "{two}"
    );
    let share = said(&["fit", "pca", "wine.csv", "--scale", "-k", "95%"]);
    assert!(
        share.contains("10 components keep 96.2 % (95.0 % asked for)."),
        "{share}"
    );
    let look = said(&["wine.csv", "--scale"]);
    assert!(
        look.contains("8 components keep 92.0 % (90 % rule)."),
        "{look}"
    );
    let look = said(&["wine.csv", "--scale", "-k", "2"]);
    assert!(look.contains("2 components keep 55.4 %."), "{look}");
}

#[test]
fn a_report_on_a_share_keeps_as_many_components_as_it_takes() {
    let sandbox = Sandbox::with_tables();
    for (share, k) in [("90%", 8), ("80%", 5), ("0.9", 8)] {
        let words = ["report", "wine.csv", "--scale", "-k", share];
        assert_eq!(sandbox.json(&words)["analysis"]["k"], k, "{share}");
        let said = flat(&sandbox.done(&words).out);
        assert!(
            said.contains(&format!("{k} components keep")),
            "{share}: {said}"
        );
        assert!(said.contains(" % of it was asked for"), "{share}: {said}");
    }
    // The rules' own number is not one that was asked for.
    let object = sandbox.json(&["report", "wine.csv", "--scale", "-k", "auto"]);
    assert_eq!(object["analysis"]["k_because"], "advised");
}

#[test]
fn as_many_rows_stand_out_as_the_table_lists() {
    let sandbox = Sandbox::with_tables();
    for words in [
        &["report", "wine.csv", "--scale"][..],
        &["report", "iris.csv"],
        &["report", "penguins.csv", "--missing", "mean", "--scale"],
        &[
            "report",
            "digits.csv",
            "--label-column",
            "digit",
            "--rows",
            "1:700",
        ],
    ] {
        let words = [words, &["-o", "page.html", "--force"]].concat();
        let outliers = sandbox.json(&words)["analysis"]["outliers"].clone();
        let beyond = outliers["n_beyond"].as_u64().expect("a count");
        let listed = outliers["farthest"].as_array().expect("a list").len() as u64;
        let [t2, q] =
            ["n_beyond_t2", "n_beyond_q"].map(|key| outliers[key].as_u64().expect("a count"));
        assert!(beyond >= t2.max(q) && beyond <= t2 + q, "{words:?}");
        assert_eq!(listed, beyond.min(20), "{words:?}");
        let page = sandbox.text("page.html");
        let stands = if beyond == 1 { "stands" } else { "stand" };
        let rows = outliers["n_rows"].as_u64().expect("a count");
        let fact = format!("<dt>of {rows} rows {stands} out</dt><dd>{beyond}</dd>");
        assert!(page.contains(&fact), "{fact}");
        if beyond > listed {
            assert!(page.contains(&format!(
                "The farthest {listed} of {beyond} rows beyond a limit"
            )));
        }
    }
}

#[test]
fn angles_are_told_in_degrees() {
    let sandbox = Sandbox::with_tables();
    let object = sandbox.json(&["report", "wine.csv", "--scale", "-o", "page.html"]);
    let angles = object["analysis"]["bootstrap"]["angles"]
        .as_array()
        .expect("angles");
    let page = sandbox.text("page.html");
    for angle in angles.iter().take(3) {
        let degrees = angle["median"].as_f64().expect("radians").to_degrees();
        assert!(degrees > 1.0);
        let cell = match degrees < 10.0 {
            true => format!(">{degrees:.1}°<"),
            false => format!(">{degrees:.0}°<"),
        };
        assert!(page.contains(&cell), "{cell}");
    }
}

/// A table of more rows than a map has room for, the last of which lie far out; its rows have no names.
fn many(n: usize) -> String {
    let mut next = noise();
    let mut text = "cut,a,b,c\n".to_owned();
    for i in 0..n {
        let far = if i + 3 >= n { 40.0 } else { 1.0 };
        let cut = if i % 3 == 0 { "Ideal" } else { "Good" };
        text += &format!(
            "{cut},{:.4},{:.4},{:.4}\n",
            far * next(),
            2.0 * next(),
            next()
        );
    }
    text
}

#[test]
fn rows_of_a_sample_keep_their_numbers_and_its_counts_say_so() {
    let sandbox = Sandbox::new();
    for (n, shown) in [(3_000, 800), (11_000, 10_000)] {
        sandbox.write("t.csv", many(n));
        let run = sandbox.done(&["report", "t.csv", "--force", "-o", "page.html"]);
        let analysis =
            &sandbox.json(&["report", "t.csv", "--force", "-o", "page.html"])["analysis"];
        let farthest = analysis["outliers"]["farthest"].as_array().expect("a list");
        let rows: Vec<usize> = farthest
            .iter()
            .map(|o| o["row"].as_u64().expect("a row") as usize + 1)
            .collect();
        let page = sandbox.text("page.html");
        // Every row that a figure of rows names is one of the data, and an outlier is named by its own number.
        let named = svg_texts(&page, "figure-outliers");
        let named: Vec<usize> = named
            .iter()
            .filter_map(|text| text.strip_prefix("row ")?.replace(',', "").parse().ok())
            .collect();
        assert!(!named.is_empty(), "{n}");
        for row in &named {
            assert!(rows.contains(row) || *row <= n, "{row}");
        }
        // Of more rows than are shown, the sample may miss an outlier; one that is there has its own number.
        assert!(
            named.iter().any(|row| rows.contains(row)),
            "{named:?} {rows:?}"
        );
        // The legend counts the rows drawn, and the caption says how many those are.
        let counts: usize = svg_texts(&page, "figure-scores-pc1-pc2")
            .iter()
            .filter_map(|text| {
                text.strip_suffix(')')?
                    .rsplit_once('(')?
                    .1
                    .replace(',', "")
                    .parse::<usize>()
                    .ok()
            })
            .sum();
        let of = if n == 3_000 { "3,000" } else { "11,000" };
        if counts < n {
            let shown = if shown == 800 {
                counts.to_string()
            } else {
                "10,000".to_owned()
            };
            let said = format!("Drawn and counted: {shown} of {of} rows");
            assert!(page.contains(&said), "{said}");
        }
        if shown == 10_000 {
            assert!(
                run.out.contains("Drawn and counted: 10,000 of 11,000 rows"),
                "{}",
                run.out
            );
        }
    }
}

/// The texts in the drawing of a figure.
fn svg_texts(page: &str, id: &str) -> Vec<String> {
    let start = page
        .find(&format!("id=\"{id}\""))
        .unwrap_or_else(|| panic!("{id}"));
    let svg = &page[start..];
    let svg = &svg[..svg.find("</svg>").expect("a drawing")];
    let texts = svg.split("<text").skip(1);
    texts
        .filter_map(|text| {
            let inner = text.split_once('>')?.1;
            Some(inner.split_once("</text>")?.0.to_owned())
        })
        .collect()
}

#[test]
fn a_column_that_is_kept_is_not_called_ignored() {
    let sandbox = Sandbox::with_tables();
    sandbox.done(&["fit", "pca", "wine.csv", "-k", "2", "-m", "m"]);
    let kept = sandbox.done(&[
        "transform",
        "m",
        "wine.csv",
        "-o",
        "s.csv",
        "--keep",
        "target",
    ]);
    assert!(!kept.err.contains("ignored"), "{kept:?}");
    assert_eq!(sandbox.table("s.csv").names[0], "target");
    let dropped = sandbox.done(&["transform", "m", "wine.csv", "-o", "t.csv"]);
    assert!(dropped.err.contains("ignored: target"), "{dropped:?}");
    let by_number = sandbox.done(&["transform", "m", "wine.csv", "-o", "u.csv", "--keep", "14"]);
    assert!(!by_number.err.contains("ignored"), "{by_number:?}");
}

#[test]
fn an_incomplete_new_row_is_refused_with_a_reason() {
    let sandbox = Sandbox::with_tables();
    sandbox.done(&["fit", "pca", "iris.csv", "-k", "2", "-m", "m"]);
    for (rows, said) in [
        ("5.1,,1.4,0.2\n", "without a number: sepal_width"),
        (
            "5.1,NA,1.4,\n",
            "without a number: sepal_width, petal_width",
        ),
        ("5.1,wide,1.4,0.2\n", "without a number: sepal_width"),
        ("5.1,3.5,1.4,0.2\n5.1,,1.4,0.2\n", "sepal_width"),
    ] {
        sandbox.write(
            "new.csv",
            format!("sepal_length,sepal_width,petal_length,petal_width\n{rows}"),
        );
        sandbox
            .refused(&["transform", "m", "new.csv", "-o", "s.csv"])
            .says(&[said]);
    }
}

#[test]
fn the_terminal_tells_the_numbers_of_the_page_whatever_the_seed() {
    let sandbox = Sandbox::with_tables();
    for seed in ["0", "7"] {
        let words = [
            "report",
            "wine.csv",
            "--scale",
            "--seed",
            seed,
            "-o",
            "page.html",
            "--force",
        ];
        let told = flat(&sandbox.done(&words).out);
        let page = sandbox.text("page.html");
        let answers = page
            .split("<dl class=\"answers\">")
            .nth(1)
            .expect("answers");
        let answers = answers.split("</dl>").next().expect("their end");
        for answer in answers.split("<dd>").skip(1) {
            let answer = answer.split("</dd>").next().expect("its end");
            let plain: String = answer
                .split('<')
                .map(|part| part.split_once('>').map_or(part, |(_, text)| text))
                .collect();
            let plain = flat(
                &plain
                    .replace("&#39;", "'")
                    .replace("&amp;", "&")
                    .replace("&quot;", "\""),
            );
            assert!(told.contains(&plain), "{seed}: {plain}\n{told}");
        }
    }
}

#[test]
fn numbers_of_the_json_add_up_to_those_of_the_terminal() {
    let sandbox = Sandbox::with_tables();
    let object: Value = sandbox.json(&["report", "iris.csv"]);
    let shares = numbers(&object, "explained_variance_ratio");
    let k = object["analysis"]["k"].as_u64().expect("k") as usize;
    let kept: f64 = shares.iter().take(k).sum();
    let said = sandbox.done(&["report", "iris.csv"]).out;
    assert!(
        said.contains(&format!("{:.1} % of the variance", 100.0 * kept)),
        "{said}"
    );
}
