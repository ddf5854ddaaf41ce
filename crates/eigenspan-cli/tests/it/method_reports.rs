//! `eigenspan report kpca DATA`, `report MODEL` and `report MODEL DATA`: sentences are true, and every number of a page is in the JSON.

use serde_json::Value;

use crate::page_numbers::{cut, plain, readable, tokens, without};
use crate::page_pool::{float, leaves, texts};
use crate::support::{Sandbox, noise};

/// What a terminal or a page says, on one line.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The text of a part of a page, without its drawings.
fn part(page: &str, id: &str) -> Option<String> {
    let (_, section, _) = cut(page, &format!("<section id=\"{id}\""), "</section>")?;
    Some(readable(&without(section, "<svg", "</svg>")))
}

fn last(value: &Value) -> f64 {
    let all = leaves(value);
    *all.last().unwrap_or_else(|| panic!("numbers: {value}"))
}

#[test]
fn a_kernel_pca_has_a_report_with_its_kernel_its_map_and_what_new_rows_keep() {
    let sandbox = Sandbox::with_tables();
    let words = [
        "report",
        "kpca",
        "rings.csv",
        "--label-column",
        "ring",
        "-k",
        "3",
    ];
    let run = sandbox.done(&words);
    let page = sandbox.text("rings.report.html");
    let object = sandbox.json(&words);
    let overview = &object["overview"];
    let said = flat(&run.out);
    let percent = |x: f64| format!("{:.1} %", 100.0 * x);
    let (kept, new) = (
        leaves(&object["explained_variance_ratio"])
            .iter()
            .sum::<f64>(),
        last(&overview["held_out"]["new"]),
    );
    let headline = format!(
        "3 components keep {} of the variance in feature space; of rows held out, such components keep {}.",
        percent(kept),
        percent(new)
    );
    // Emphasis on the page stands between blanks.
    let close = |text: &str| text.replace(' ', "");
    for text in [&said, &readable(&page)] {
        assert!(
            close(text).contains(&close(&headline)),
            "{headline}\n{text}"
        );
    }
    for question in [
        "Which kernel, and why?",
        "How many components?",
        "How do new rows fare?",
        "Can the numbers be trusted?",
    ] {
        assert!(
            said.contains(question) && page.contains(question),
            "{question}"
        );
    }
    assert!(said.contains("was found from the rows (median): two rows that lie the median distance apart have k = e^(−1/2)"), "{said}");
    for id in [
        "part-kernel",
        "part-how-many",
        "part-scores",
        "part-stability",
        "part-new-rows",
        "part-columns",
        "part-computed",
    ] {
        assert!(part(&page, id).is_some(), "{id}");
    }
    // γ of the median heuristic: k(median distance) = e^(−1/2).
    let gamma = object["kernel"].as_str().expect("a kernel");
    let gamma: f64 = gamma["rbf(gamma=".len()..gamma.len() - 1]
        .parse()
        .expect("a number");
    let table = sandbox.table("rings.csv");
    let (x, y) = (table.numbers("x"), table.numbers("y"));
    let mut squares: Vec<f64> = (0..x.len())
        .flat_map(|i| (0..i).map(move |j| (i, j)))
        .map(|(i, j)| (x[i] - x[j]).powi(2) + (y[i] - y[j]).powi(2))
        .collect();
    squares.sort_by(f64::total_cmp);
    let median = squares[squares.len() / 2];
    assert!((gamma * median - 0.5).abs() < 0.01, "{gamma} {median}");
}

#[test]
fn report_pca_is_report_and_a_file_called_as_a_method_is_reached_by_its_path() {
    let sandbox = Sandbox::with_tables();
    let plain = sandbox.done(&["report", "foods.csv", "-o", "a.html"]);
    let named = sandbox.done(&["report", "pca", "foods.csv", "-o", "b.html"]);
    assert_eq!(plain.out, named.out);
    let page = |name: &str| without(&sandbox.text(name), "<code>eigenspan report", "</code>");
    assert_eq!(page("a.html"), page("b.html"));
    std::fs::copy(sandbox.path("foods.csv"), sandbox.path("kpca")).expect("a copy");
    let file = sandbox.done(&["report", "./kpca", "-o", "c.html"]);
    assert!(file.out.contains("N Ireland stands apart"), "{file:#?}");
}

#[test]
fn words_that_are_nearly_a_method_are_told_which() {
    let sandbox = Sandbox::with_tables();
    for word in ["kpac", "KPCA", "kernel-pca"] {
        let run = sandbox.refused(&["report", word, "rings.csv"]);
        run.says(&["did you mean: eigenspan report kpca rings.csv"]);
    }
}

/// Numbers that a page may print: those of the object, their sums, and what they leave of 1.
fn allowed(object: &Value) -> Vec<f64> {
    let mut all = leaves(object);
    let shares = leaves(&object["explained_variance_ratio"]);
    let mut sum = 0.0;
    for share in &shares {
        sum += share;
        all.push(sum);
    }
    let held_out = &object["overview"]["held_out"];
    let lost = |v: &Value| leaves(v).into_iter().map(|x| 1.0 - x).collect::<Vec<_>>();
    all.extend(lost(&held_out["fitted"]));
    all.extend(lost(&held_out["new"]));
    all.extend(leaves(&object["residuals"]));
    let n = float(&object["n_rows"]);
    all.extend([n - 1.0, 2.0 * n]);
    // Counts of the columns' groups are in the legend; the constants of what is printed are 90 %, nine of ten, and k at the median.
    // Bytes and operations are printed in thousands, millions and so on.
    let cost = leaves(&object["overview"]["cost"]);
    all.extend(
        [1e3, 1e6, 1e9]
            .iter()
            .flat_map(|unit| cost.iter().map(move |x| x / unit)),
    );
    // The kernel is a text in the object.
    let kernel = object["kernel"].as_str().unwrap_or_default();
    all.extend(tokens(kernel).iter().map(|token| token.value));
    all.extend([0.9, 0.61, 0.37, 0.0, 1.0, 2.0, 10.0, 100.0]);
    all
}

#[test]
fn every_number_of_a_page_on_a_kernel_pca_or_a_model_is_in_its_json() {
    let sandbox = Sandbox::with_tables();
    sandbox.done(&[
        "fit",
        "pca",
        "wine.csv",
        "--scale",
        "-m",
        "wine.safetensors",
        "--quiet",
    ]);
    sandbox.done(&[
        "fit",
        "kpca",
        "rings.csv",
        "-k",
        "3",
        "-m",
        "rings.safetensors",
        "--quiet",
    ]);
    for words in [
        &[
            "report",
            "kpca",
            "rings.csv",
            "--label-column",
            "ring",
            "-k",
            "4",
        ][..],
        &[
            "report",
            "kpca",
            "iris.csv",
            "--scale",
            "--label-column",
            "species",
            "--kernel",
            "poly(degree=2)",
        ],
        &["report", "kpca", "wine.csv", "--gamma", "50", "-k", "5"],
        &["report", "wine.safetensors"],
        &["report", "rings.safetensors"],
        &[
            "report",
            "rings.safetensors",
            "rings.csv",
            "--label-column",
            "ring",
        ],
    ] {
        let words = [words, &["-o", "page.html"]].concat();
        let object = sandbox.json(&words);
        let page = sandbox.text("page.html");
        let allowed = allowed(&object);
        let mut known: Vec<String> = texts(&object);
        known.push(env!("CARGO_PKG_VERSION").to_owned());
        known.retain(|t| t.len() > 2 && t.contains(|c: char| c.is_ascii_digit()));
        known.sort_by_key(|text| std::cmp::Reverse(text.len()));
        let (_, main, _) = cut(&page, "<main>", "</main>").expect("a main part");
        let mut text = readable(&plain(main));
        known
            .iter()
            .for_each(|said| text = text.replace(said.as_str(), " "));
        let found = tokens(&text);
        let wrong: Vec<&str> = found
            .iter()
            .filter(|token| {
                let near = |unit: f64| {
                    let slack = |x: &f64| (token.half * (1.0 + 1e-6)).max(1e-9 * (unit * x).abs());
                    allowed
                        .iter()
                        .any(|x| (unit * x - token.value).abs() <= slack(x))
                };
                !near(1.0) && !near(100.0)
            })
            .map(|token| token.text.as_str())
            .collect();
        assert!(found.len() > 60, "{words:?}: {}", found.len());
        assert!(wrong.is_empty(), "{words:?}: {wrong:#?}");
    }
}

#[test]
fn a_kernel_far_too_narrow_is_seen_to_fail_on_new_rows() {
    let sandbox = Sandbox::with_tables();
    let words = ["report", "kpca", "rings.csv", "--kernel", "rbf(gamma=1e6)"];
    let run = sandbox.done(&words);
    let said = flat(&run.out);
    assert!(
        said.contains("New rows lose most of what the fitted rows keep"),
        "{said}"
    );
    assert!(
        said.contains("the kernel matrix is nearly the identity"),
        "{said}"
    );
    let object = sandbox.json(&words);
    let held_out = &object["overview"]["held_out"];
    assert!(last(&held_out["fitted"]) > 0.8 && last(&held_out["new"]) < 0.05);
    // Far too wide, a Gaussian kernel keeps what PCA keeps.
    let wide = [
        "report",
        "kpca",
        "rings.csv",
        "--kernel",
        "rbf(gamma=1e-8)",
        "-k",
        "1",
    ];
    let object = sandbox.json(&wide);
    let (own, pca) = (
        &object["overview"]["held_out"],
        &object["overview"]["pca"]["held_out"],
    );
    assert!(
        (last(&own["new"]) - last(&pca["new"])).abs() < 1e-3,
        "{own} {pca}"
    );
}

#[test]
fn awkward_tables_are_told_truly() {
    let sandbox = Sandbox::new();
    let wide = {
        let names: Vec<String> = (0..30).map(|j| format!("c{j}")).collect();
        let mut next = noise();
        let rows = (0..12).map(|_| {
            let row: Vec<String> = (0..30).map(|_| next().to_string()).collect();
            row.join(",")
        });
        format!(
            "{}\n{}\n",
            names.join(","),
            rows.collect::<Vec<_>>().join("\n")
        )
    };
    let twice: String = (0..24)
        .map(|i| format!("{},{}\n", i % 4, (i % 4) * (i % 4)))
        .collect();
    let line: String = (0..20).map(|i| format!("{i},{},7\n", 2 * i)).collect();
    let labels: String = (0..20)
        .map(|i| {
            format!(
                "{},{},{}\n",
                i % 7,
                i * i % 11,
                ["<b>&", "a,\"b\"", "x"][i % 3].replace('"', "'")
            )
        })
        .map(|line| line.replace("a,'b'", "\"a,'b'\""))
        .collect();
    for (name, table, options, wanted, refused) in [
        (
            "same",
            "a,b\n1,2\n1,2\n1,2\n".to_owned(),
            &["-k", "1", "--gamma", "1"][..],
            "All rows are the same in feature space",
            "",
        ),
        (
            "three",
            "a,b\n1,2\n3,1\n2,7\n".to_owned(),
            &["-k", "1"],
            "there are fewer than 10 rows",
            "similarity of",
        ),
        (
            "twice",
            format!("a,b\n{twice}"),
            &["-k", "2"],
            "models of half of the rows",
            "NaN",
        ),
        (
            "line",
            format!("a,b,c\n{line}"),
            &["--kernel", "linear", "-k", "1"],
            "There is one component only",
            "NaN",
        ),
        (
            "wide",
            wide,
            &["-k", "3"],
            "models of half of the rows",
            "NaN",
        ),
        (
            "odd",
            format!("a,b,l\n{labels}"),
            &["-k", "2", "--label-column", "l"],
            "models of half of the rows",
            "<b>&\"",
        ),
    ] {
        let file = format!("{name}.csv");
        sandbox.write(&file, table);
        let words = [&["report", "kpca", &file][..], options].concat();
        let run = sandbox.done(&words);
        run.assert_no_crash();
        let page = sandbox.text(&format!("{name}.report.html"));
        let text = readable(&without(&page, "<script", "</script>"));
        assert!(
            flat(&run.out).contains(wanted) || text.contains(wanted),
            "{name}: {}",
            run.out
        );
        assert!(
            refused.is_empty() || !flat(&run.out).contains(refused),
            "{name}: {}",
            run.out
        );
        assert!(
            !text.contains("NaN") && !text.contains("inf "),
            "{name}: {text}"
        );
    }
    // A kernel matrix cannot be cut into rows, and that is said.
    sandbox.write("gram.csv", "a,b,c\n2,1,0\n1,2,1\n0,1,2\n");
    let run = sandbox.done(&[
        "report",
        "kpca",
        "gram.csv",
        "--kernel",
        "precomputed",
        "-k",
        "1",
    ]);
    assert!(
        flat(&run.out).contains("a kernel matrix has a column for each of its rows"),
        "{}",
        run.out
    );
}

#[test]
fn a_model_file_has_a_report_alone_and_with_rows() {
    let sandbox = Sandbox::with_tables();
    let fit = "fit pca wine.csv --scale --label-column target -m wine.safetensors --quiet";
    sandbox.done(&fit.split(' ').collect::<Vec<_>>());
    let run = sandbox.done(&["report", "wine.safetensors"]);
    let page = sandbox.text("wine.model.report.html");
    for text in [flat(&run.out), readable(&page)] {
        assert!(
            text.contains(
                "wine.safetensors is a model of PCA, fitted to 178 rows and 13 numeric columns of wine.csv"
            ),
            "{text}"
        );
        assert!(text.contains("Columns were centered and scaled."), "{text}");
    }
    assert!(
        page.contains(fit.trim_end_matches(" --quiet")) || page.contains(fit),
        "the command that made it"
    );
    assert!(part(&page, "part-loadings").is_some() && part(&page, "part-scores").is_none());
    let both = sandbox.done(&[
        "report",
        "wine.safetensors",
        "wine.csv",
        "--label-column",
        "target",
        "-o",
        "both.html",
    ]);
    assert!(flat(&both.out).contains("wine.csv"), "{both:#?}");
    let page = sandbox.text("both.html");
    assert!(
        page.contains("wine.csv under wine.safetensors"),
        "its title"
    );
    let scores = part(&page, "part-scores").expect("a map");
    assert!(scores.contains("the rows brought to the model"), "{scores}");
    // The scores on the page are those of `transform`.
    let object = sandbox.json(&["report", "wine.safetensors", "wine.csv", "-o", "both.html"]);
    sandbox.done(&[
        "transform",
        "wine.safetensors",
        "wine.csv",
        "-o",
        "scores.csv",
        "--quiet",
    ]);
    let first = sandbox.table("scores.csv").numbers("PC1");
    let shown = leaves(&object["overview"]["rows_shown"]["scores"][0]);
    assert_eq!(first.len(), shown.len());
    assert!(
        first
            .iter()
            .zip(&shown)
            .all(|(a, b)| (a - b).abs() < 1e-12 * a.abs().max(1.0))
    );
}

#[test]
fn a_kernel_model_shows_the_training_rows_that_it_holds() {
    let sandbox = Sandbox::with_tables();
    let fit = "fit kpca rings.csv -k 2 -m rings.safetensors -o scores.csv --quiet";
    sandbox.done(&fit.split(' ').collect::<Vec<_>>());
    let object = sandbox.json(&["report", "rings.safetensors"]);
    let rows = &object["overview"]["rows_shown"];
    assert_eq!(rows["which"], "in_model");
    let first = sandbox.table("scores.csv").numbers("PC1");
    let shown = leaves(&rows["scores"][0]);
    assert_eq!(first.len(), shown.len());
    assert!(first.iter().zip(&shown).all(|(a, b)| (a - b).abs() < 1e-9));
    // Landmarks are some of the rows; the file holds no others, and no map is drawn.
    let fit =
        "fit kpca rings.csv -k 2 --approximate nystrom --n-landmarks 20 -m few.safetensors --quiet";
    sandbox.done(&fit.split(' ').collect::<Vec<_>>());
    let object = sandbox.json(&["report", "few.safetensors"]);
    assert_eq!(object["overview"]["rows_shown"], Value::Null);
}

#[test]
fn a_report_on_a_model_refuses_options_of_fitting_and_models_that_stand_behind() {
    let sandbox = Sandbox::with_model("iris.csv");
    std::fs::rename(sandbox.path("m"), sandbox.path("m.safetensors")).expect("a name");
    let says = |words: &[&str], said: &[&str]| {
        sandbox.refused(words).says(said);
    };
    says(
        &["report", "m.safetensors", "--scale"],
        &["--scale has no meaning here", "fitted already"],
    );
    says(
        &["report", "m.safetensors", "-k", "2"],
        &["-k has no meaning here"],
    );
    says(
        &["report", "iris.csv", "m.safetensors"],
        &["did you mean: eigenspan report m.safetensors iris.csv"],
    );
    says(
        &["report", "kpca", "m.safetensors"],
        &["m.safetensors is a model", "eigenspan report m.safetensors"],
    );
    says(
        &["report", "m.safetensors", "wine.csv"],
        &["wine.csv does not fit the model m.safetensors"],
    );
    says(
        &["report", "m.safetensors", "-o", "m.safetensors"],
        &["is the input"],
    );
    sandbox.write("m.model.report.html", "<title>notes</title>");
    says(
        &["report", "m.safetensors"],
        &["is there already", "--force"],
    );
    sandbox.done(&["report", "m.safetensors", "--force"]);
    // An earlier report of the same model is replaced.
    sandbox.done(&["report", "m.safetensors"]);
}

#[test]
fn a_report_on_a_kernel_pca_has_the_same_bytes_for_any_number_of_threads() {
    let sandbox = Sandbox::with_tables();
    let page = |threads: &str| {
        let words = [
            "report",
            "kpca",
            "iris.csv",
            "-k",
            "4",
            "-o",
            "page.html",
            "--threads",
            threads,
            "--quiet",
        ];
        sandbox.done(&words);
        sandbox.bytes("page.html")
    };
    assert_eq!(page("1"), page("2"));
}
