//! `eigenspan tune kpca`: what it prints, draws and stores, and how it continues after it was stopped.

use serde_json::Value;

use crate::support::{Sandbox, noise, numbers};

/// A small search by labels.
const LABELLED: [&str; 10] = [
    "tune",
    "kpca",
    "iris.csv",
    "--label-column",
    "species",
    "--kernel",
    "rbf(gamma=0.01..1:3)",
    "-k",
    "1,2,4",
    "--quiet",
];

fn with<'a>(words: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    words.iter().chain(more).copied().collect()
}

#[test]
fn the_best_and_the_simplest_are_in_the_table_and_in_json() {
    let sandbox = Sandbox::with_tables();
    let run = sandbox.done(&LABELLED);
    let object = sandbox.json(&LABELLED);
    assert_eq!(object["criterion"], "accuracy");
    let results = object["results"].as_array().expect("results");
    assert_eq!(results.len(), 9);
    let mean = |cell: &Value| cell["mean"].as_f64().expect("a mean");
    let best = mean(&object["best"]);
    assert!(best > 0.95 && results.iter().all(|cell| mean(cell) <= best + 1e-12));
    for cell in results {
        let values = numbers(cell, "values");
        assert_eq!(values.len(), 5);
        let of_values = values.iter().sum::<f64>() / 5.0;
        assert!((mean(cell) - of_values).abs() < 1e-12);
    }
    let bar = best - object["best"]["standard_error"].as_f64().expect("an error");
    assert!(mean(&object["simplest"]) >= bar - 1e-12);
    let line = format!(
        "* Best: gamma={} with ",
        object["best"]["parameters"]["gamma"]
            .as_str()
            .expect("a value")
    );
    assert!(run.out.contains(&line), "{line}: {}", run.out);
    let starred = run
        .out
        .lines()
        .filter(|line| line.contains(&format!("{best:.3} ± ")) && line.contains('*'));
    assert!(starred.count() >= 1, "{}", run.out);
    let next = "next:  eigenspan fit kpca iris.csv --label-column species --kernel 'rbf(gamma=";
    assert!(run.out.contains(next), "{}", run.out);
}

#[test]
fn a_best_at_the_end_of_what_was_tried_is_told() {
    let sandbox = Sandbox::with_tables();
    let tune = [
        "tune",
        "kpca",
        "rings.csv",
        "--label-column",
        "ring",
        "--quiet",
    ];
    let edges = |more: &[&str]| {
        let run = sandbox.done(&with(&tune, more));
        let object = sandbox.json(&with(&tune, more));
        (run.out, object["edges"].clone())
    };
    // The rings want a γ far above these, in whichever order they are given.
    for kernel in ["rbf(gamma=0.005..0.5:3)", "rbf(gamma=[0.5, 0.01])"] {
        let (out, edges) = edges(&["--kernel", kernel, "-k", "1"]);
        let said =
            "The best has the largest gamma that was tried (0.5): a larger one may do better.";
        assert!(out.contains(said), "{out}");
        assert_eq!(
            edges,
            serde_json::json!([{ "parameter": "gamma", "value": "0.5", "largest": true }])
        );
    }
    let (out, _) = edges(&["--kernel", "rbf(gamma=[50, 100000])", "-k", "2"]);
    assert!(
        out.contains("the smallest gamma that was tried (50): a smaller one may do better"),
        "{out}"
    );
    // One component of a square is not enough, and the most that was tried is.
    let (out, _) = edges(&["--kernel", "poly(degree=2, gamma=1, coef0=0)", "-k", "1,2"]);
    assert!(
        out.contains("the largest number of components that was tried (2): a larger one"),
        "{out}"
    );
    // In the middle there is nothing to say.
    let (out, edges) = edges(&["--kernel", "rbf(gamma=[0.0001, 0.5, 100000])", "-k", "1"]);
    assert!(!out.contains("may do better"), "{out}");
    assert_eq!(edges, serde_json::json!([]));
}

#[test]
fn every_criterion_and_classifier_has_its_say() {
    let sandbox = Sandbox::with_tables();
    let few = ["--kernel", "rbf(gamma=[0.1, 1])", "-k", "1,2", "--quiet"];
    for (words, says) in [
        (
            vec!["--label-column", "species"],
            "accuracy of 5 nearest neighbors on rows held out",
        ),
        (
            vec!["--label-column", "species", "--classifier", "lda"],
            "accuracy of linear discriminants",
        ),
        (
            vec!["--label-column", "species", "--classifier", "naive-bayes"],
            "accuracy of naive Bayes",
        ),
        (
            vec!["--label-column", "species", "--criterion", "reconstruction"],
            "distance of rows held out to their pre-images",
        ),
        (vec![], "distance of rows held out to their pre-images"),
        (
            vec!["--criterion", "parallel", "--n-draws", "5"],
            "eigenvalues above those of 5 tables",
        ),
    ] {
        let words = with(&with(&["tune", "kpca", "iris.csv"], &few), &words);
        let run = sandbox.done(&words);
        assert!(run.out.contains(says), "{says}: {}", run.out);
        assert!(run.out.contains("* Best: gamma="), "{}", run.out);
    }
}

#[test]
fn one_parameter_is_a_curve_and_two_are_a_heat_map() {
    let sandbox = Sandbox::with_tables();
    let one = [
        "tune",
        "kpca",
        "iris.csv",
        "--label-column",
        "species",
        "--kernel",
        "rbf(gamma=0.01..1:3)",
        "-k",
        "2",
        "--quiet",
    ];
    let curve = sandbox.done(&one).out;
    assert!(curve.contains("◂ best"), "{curve}");
    let map = sandbox.done(&LABELLED).out;
    assert!(map.contains("● best"), "{map}");
    for (words, name) in [(&one, "curve"), (&LABELLED, "map")] {
        let (svg, png) = (format!("{name}.svg"), format!("{name}.png"));
        sandbox.done(&with(words, &["-o", &svg]));
        sandbox.done(&with(words, &["-o", &png]));
        assert!(sandbox.text(&svg).contains("<svg"), "{name}");
        assert!(sandbox.bytes(&png).starts_with(b"\x89PNG"), "{name}");
    }
    let stdout = sandbox.done(&with(&LABELLED, &["-o", "-"])).out;
    assert!(stdout.contains("<svg") && stdout.trim_end().ends_with("</svg>"));
}

#[test]
fn a_search_goes_on_from_its_results_file() {
    let sandbox = Sandbox::with_tables();
    let words = with(&LABELLED, &["--results", "r.jsonl"]);
    let whole = sandbox.json(&words);
    let text = sandbox.text("r.jsonl");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 1 + 15);
    // As if it had been stopped in the middle of the seventh fit.
    let half = &lines[7][..lines[7].len() / 2];
    sandbox.write("r.jsonl", format!("{}\n{half}", lines[..7].join("\n")));
    assert_eq!(sandbox.json(&words), whole);
    let again = sandbox.text("r.jsonl");
    let mut sorted: Vec<&str> = again.lines().collect();
    let mut first = lines.clone();
    sorted[1..].sort_unstable();
    first[1..].sort_unstable();
    assert_eq!(sorted, first);
    // Nothing is left to do, and nothing is done.
    let run = sandbox.done(&with(&words[..words.len() - 3], &["--results", "r.jsonl"]));
    run.says(&["15 of 15 fits were known from the results file"]);
    assert_eq!(sandbox.text("r.jsonl"), again);
    // Threads change nothing.
    assert_eq!(
        sandbox.json(&with(
            &LABELLED,
            &["--threads", "1", "--results", "one.jsonl"]
        ))["results"],
        whole["results"]
    );
}

#[test]
fn results_of_another_search_are_refused_with_what_differs() {
    let sandbox = Sandbox::with_tables();
    sandbox.done(&with(&LABELLED, &["--results", "r.jsonl"]));
    for (option, value, says) in [
        ("--n-folds", "4", "n_folds 5 there, 4 here"),
        ("--seed", "1", "seed 0 there, 1 here"),
        ("--classifier", "lda", "classifier knn there, lda here"),
        ("--rows", "1:149", "different: the data"),
    ] {
        let words = with(&LABELLED, &["--results", "r.jsonl", option, value]);
        sandbox
            .refused(&words)
            .says(&["r.jsonl has the results of another search", says]);
    }
    let other = [
        "tune",
        "kpca",
        "iris.csv",
        "--kernel",
        "rbf(gamma=0.01..1:4)",
        "-k",
        "2",
        "--label-column",
        "species",
        "--results",
        "r.jsonl",
    ];
    let says = [
        "kernel rbf(gamma=0.01..1:3) there, rbf(gamma=0.01..1:4) here",
        "n_components 1,2,4 there, 2 here",
    ];
    sandbox.refused(&other).says(&says);
    // How much may be done is no difference.
    sandbox.done(&with(
        &LABELLED,
        &["--results", "r.jsonl", "--max-fits", "50"],
    ));
    sandbox.write("notes.txt", "milk\nbread\n");
    let words = with(&LABELLED, &["--results", "notes.txt"]);
    sandbox
        .refused(&words)
        .says(&["notes.txt is there already, and has no results of a search"]);
    let mut damaged = sandbox.text("r.jsonl");
    damaged.insert_str(damaged.find('\n').expect("a line") + 1, "{\"kernel\":}\n");
    sandbox.write("r.jsonl", damaged);
    let words = with(&LABELLED, &["--results", "r.jsonl"]);
    sandbox
        .refused(&words)
        .says(&["r.jsonl, line 2: not the outcome of a fit"]);
}

#[test]
fn what_cannot_be_searched_is_refused() {
    let sandbox = Sandbox::with_tables();
    let iris = ["tune", "kpca", "iris.csv", "--label-column", "species"];
    for (more, says) in [
        (
            vec!["--kernel", "rbf(gama=[1,2])"],
            "column 5: `gama` is not a parameter of rbf (`gamma`?)",
        ),
        (
            vec!["--kernel", "rbf(gamma=2..1:3)"],
            "the range 2..1 is empty",
        ),
        (vec!["--kernel", "rbf(gamma=[])"], "column 12"),
        (vec!["-k", "5..2"], "the range 5..2 is empty"),
        (
            vec!["-k", "120"],
            "5 folds leave as few as 120 of 150 rows to learn from, which have at most 119",
        ),
        (vec!["-k", "0"], "0 components asked for"),
        (vec!["--n-folds", "1"], "n_folds = `1`"),
        (vec!["--n-folds", "151"], "150 rows make 2 to 150 folds"),
        (
            vec!["--kernel", "rbf(gamma=0.1..1:1000)"],
            "1,000 kernels × 5 folds are 5,000 fits, which would take about",
        ),
        (
            vec!["-o", "figure.pdf"],
            "a figure is written as .svg or .png",
        ),
        (
            vec!["-o", "iris.csv"],
            "a figure is written as .svg or .png",
        ),
        (vec!["--results", "iris.csv"], "iris.csv is the input"),
        (
            vec![
                "--kernel",
                "chi2",
                "--columns",
                "petal_length",
                "--criterion",
                "reconstruction",
            ],
            "ridge",
        ),
    ] {
        let words = with(&iris, &more);
        let run = sandbox.run(&words);
        assert_eq!(run.code, Some(2), "{run:#?}");
        run.says(&[says]).assert_no_crash();
    }
    sandbox
        .refused(&["tune", "kpca", "iris.csv", "--criterion", "accuracy"])
        .says(&["--label-column names the column of labels"]);
    sandbox.write(
        "one.csv",
        "a,b,y\n1,2,x\n2,1,x\n3,5,x\n4,4,x\n5,1,x\n6,2,x\n",
    );
    sandbox
        .refused(&[
            "tune",
            "kpca",
            "one.csv",
            "--label-column",
            "y",
            "--n-folds",
            "2",
        ])
        .says(&["one.csv: all rows have one label (x)"]);
    sandbox.write("holes.csv", "a,b\n1,2\n2,\n3,5\n4,4\n");
    sandbox
        .refused(&["tune", "kpca", "holes.csv"])
        .says(&["line 3"]);
    let many = [
        "tune",
        "kpca",
        "iris.csv",
        "--kernel",
        "rbf(gamma=0.1..1:1000)",
    ];
    sandbox
        .refused(&many)
        .says(&["max_fits allows 2,000", "--max-fits"]);
}

#[test]
fn rare_labels_are_noted() {
    let sandbox = Sandbox::new();
    let mut next = noise();
    let mut text = "a,b,y\n".to_owned();
    for i in 0..40 {
        let y = if i < 2 {
            "rare"
        } else if i % 2 == 0 {
            "even"
        } else {
            "odd"
        };
        text += &format!("{},{},{y}\n", next(), next());
    }
    sandbox.write("t.csv", text);
    let words = [
        "tune",
        "kpca",
        "t.csv",
        "--label-column",
        "y",
        "-k",
        "1,2",
        "--kernel",
        "rbf",
    ];
    let run = sandbox.done(&words);
    run.says(&[
        "note: labels with fewer rows than the 5 folds, some of which have none of them: rare (2)",
    ]);
}

#[cfg(target_os = "linux")]
#[test]
fn an_interrupted_search_keeps_what_is_done() {
    use std::process::{Command, Stdio};
    use std::time::Duration;

    use crate::support::{Run, npy_f64};

    let sandbox = Sandbox::new();
    let mut next = noise();
    let values: Vec<f64> = (0..1200 * 8).map(|_| next()).collect();
    sandbox.write("x.npy", npy_f64(8, &values));
    let words = [
        "tune",
        "kpca",
        "x.npy",
        "--kernel",
        "rbf(gamma=0.01..10:200)",
        "-k",
        "1..9",
        "--results",
        "r.jsonl",
    ];
    let mut command = sandbox.command(&words);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().expect("the program starts");
    // Once the first fit is kept there is something to interrupt.
    let kept =
        || std::fs::read_to_string(sandbox.path("r.jsonl")).map_or(0, |text| text.lines().count());
    while kept() < 2 {
        std::thread::sleep(Duration::from_millis(5));
    }
    let sent = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(sent.expect("kill").success());
    let run = Run::from(&words, child.wait_with_output().expect("the program ends"));
    assert_eq!(run.code, Some(130), "{run:#?}");
    let done = kept() - 1;
    assert!(done < 1000);
    run.says(&[&format!(
        "interrupted: {done} of 1000 fits are kept in r.jsonl; the same command goes on from there"
    )]);
    assert_eq!(run.out, "");
}
