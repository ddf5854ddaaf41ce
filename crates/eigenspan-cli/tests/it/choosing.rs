//! The number of components: what `choose` prints, and how `-k auto` uses it.

use serde_json::Value;

use crate::support::{Sandbox, assert_close, numbers};

const DECATHLON: [&str; 6] = [
    "choose",
    "decathlon.csv",
    "--columns",
    "100m,Long.jump,Shot.put,High.jump,400m,110m.hurdle,Discus,Pole.vault,Javeline,1500m",
    "--scale",
    "--quiet",
];

fn said(object: &Value, rule: &str) -> Value {
    let rules = object["rules"].as_array().expect("rules");
    let rule = rules.iter().find(|r| r["rule"] == rule).expect("the rule");
    rule["k"].clone()
}

#[test]
fn rules_give_the_numbers_of_the_books() {
    let sandbox = Sandbox::with_tables();
    let decathlon = sandbox.json(&DECATHLON);
    assert_eq!(said(&decathlon, "kaiser"), 4);
    assert_eq!(said(&decathlon, "broken_stick"), 1);
    assert_eq!(said(&decathlon, "share"), 7);
    let iris = sandbox.json(&["choose", "iris.csv"]);
    assert_eq!(said(&iris, "minka"), 3);
    for (share, k) in [("90%", 21), ("0.95", 29), ("99 %", 41)] {
        let words = [
            "choose",
            "digits.csv",
            "--label-column",
            "digit",
            "--share",
            share,
            "--n-draws",
            "20",
        ];
        assert_eq!(said(&sandbox.json(&words), "share"), k, "{share}");
    }
}

#[test]
fn json_has_the_numbers_behind_the_rules() {
    let sandbox = Sandbox::with_tables();
    let object = sandbox.json(&["choose", "iris.csv", "--scale", "--n-draws", "30"]);
    let rules = object["rules"].as_array().expect("rules");
    assert_eq!(rules.len(), 11);
    let of = |name: &str| {
        let rule = rules.iter().find(|r| r["rule"] == name).expect("the rule");
        rule["detail"].clone()
    };
    let band = of("parallel_analysis");
    assert_eq!(band["kind"], "band");
    // What was observed are the eigenvalues themselves, and permuting keeps their sum.
    let observed = numbers(&band["numbers"], "observed");
    assert_close(&observed, &numbers(&object, "eigenvalues"), 1e-12);
    let sum = |key: &str| numbers(&band["numbers"], key).iter().sum::<f64>();
    assert!((sum("mean") - object["total_variance"].as_f64().expect("a number")).abs() < 1e-9);
    let errors = of("bi_cross_validation");
    assert_eq!(errors["kind"], "errors");
    let errors = errors["numbers"].as_array().expect("errors").clone();
    assert_eq!(errors[0], 1.0, "relative to no component");
    assert_eq!(object["options"]["n_draws"], 30);
    let text = object["sentence"].as_str().expect("a sentence");
    let range = &object["range"];
    let words = format!(
        "{}; other rules say {} to {}. ",
        object["k"], range["low"], range["high"]
    );
    assert!(text.starts_with(&words), "{text}");
}

#[test]
fn a_rule_that_abstains_stands_in_parentheses_and_out_of_the_range() {
    let sandbox = Sandbox::with_tables();
    let object = sandbox.json(&["choose", "wine.csv", "--scale"]);
    assert_eq!(object["k"], 3);
    let rules = object["rules"].as_array().expect("rules");
    let counting = rules.iter().filter(|r| r["abstains"].is_null());
    let others: Vec<u64> = counting
        .filter(|r| r["rule"] != "parallel_analysis")
        .filter_map(|r| r["k"].as_u64())
        .collect();
    assert_eq!(
        object["range"]["low"].as_u64(),
        others.iter().min().copied()
    );
    assert_eq!(
        object["range"]["high"].as_u64(),
        others.iter().max().copied()
    );
    let run = sandbox.done(&["choose", "wine.csv", "--scale"]);
    let silent = rules.iter().filter(|r| !r["abstains"].is_null());
    let mut some = 0;
    for rule in silent {
        let words = format!("({})", rule["k"]);
        let line = run.out.lines().find(|line| {
            line.trim_start()
                .starts_with(rule["name"].as_str().expect("a name"))
        });
        assert!(line.is_some_and(|line| line.contains(&words)), "{line:?}");
        some += 1;
    }
    assert!(some > 0);
}

#[test]
fn the_same_is_printed_and_fits_the_width() {
    let sandbox = Sandbox::with_tables();
    let object = sandbox.json(&DECATHLON);
    let run = sandbox.done(&DECATHLON);
    for line in run.out.lines().filter(|line| !line.starts_with("next:")) {
        assert!(line.chars().count() <= 100, "{line}");
    }
    let one_line = run.out.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut sentences = object["rules"].as_array().expect("rules").iter();
    let sentence = |r: &Value| r["sentence"].as_str().expect("a sentence").to_owned();
    assert!(
        sentences.all(|r| one_line.contains(&sentence(r))),
        "{one_line}"
    );
    assert!(one_line.contains(&format!("Keep {}.", sentence(&object))));
    let next = run.out.lines().last().expect("a line");
    let words = format!("--scale --quiet -k {} -o decathlon-pc.csv", object["k"]);
    assert!(
        next.starts_with("next: eigenspan fit pca decathlon.csv --columns")
            || next.starts_with("next:  eigenspan"),
        "{next}"
    );
    assert!(
        next.ends_with(&words) || next.ends_with(&words.replace(" --quiet", "")),
        "{next}"
    );
}

#[test]
fn options_of_the_rules_are_not_typed_again() {
    let sandbox = Sandbox::with_tables();
    let words = [
        "choose",
        "iris.csv",
        "--share=99%",
        "--n-draws",
        "20",
        "--seed",
        "3",
        "--no-center",
    ];
    let run = sandbox.done(&words);
    let next = run.out.lines().last().expect("a line").to_owned();
    assert!(
        next.contains("eigenspan fit pca iris.csv --seed 3 --no-center -k "),
        "{next}"
    );
    let command: Vec<&str> = next.split_whitespace().skip(2).collect();
    sandbox.done(&command);
}

#[test]
fn auto_fits_the_model_of_the_number_it_settles_on() {
    let sandbox = Sandbox::with_tables();
    for data in ["iris.csv", "wine.csv", "foods.csv"] {
        let k = sandbox.json(&["choose", data, "--scale"])["k"].to_string();
        let mut words = vec![
            "fit",
            "pca",
            data,
            "--scale",
            "-k",
            "auto",
            "-m",
            "auto.safetensors",
        ];
        let auto = sandbox.json(&words);
        words[5] = &k;
        words[7] = "count.safetensors";
        let count = sandbox.json(&words);
        assert_eq!(auto["n_components"].to_string(), k, "{data}");
        assert_eq!(auto["singular_values"], count["singular_values"]);
        assert_eq!(auto["solver"], count["solver"]);
        let note = auto["notes"].to_string();
        assert!(
            note.contains(&format!("auto keeps {k} component")),
            "{note}"
        );
        // The model remembers what was asked for, how it was settled, and works like any other.
        let described = sandbox.json(&["describe", "auto.safetensors"]);
        assert_eq!(described["options"]["n_components"], "auto");
        assert!(described["notes"].to_string().contains("auto keeps"));
        let scores = |model: &str| sandbox.done(&["transform", model, data, "--quiet"]).out;
        assert_eq!(scores("auto.safetensors"), scores("count.safetensors"));
    }
}

#[test]
fn auto_works_on_a_first_look_a_report_a_pipe_and_missing_cells() {
    let sandbox = Sandbox::with_tables();
    let look = sandbox.done(&["iris.csv", "-k", "auto"]);
    look.says(&["note: auto keeps "]);
    let report = sandbox.done(&["report", "iris.csv", "-k", "auto"]);
    report.says(&["written: iris.report.html"]);
    assert!(report.out.contains("auto keeps "), "{report:#?}");
    let iris = sandbox.bytes("iris.csv");
    let piped = sandbox.run_with_stdin(&["fit", "pca", "-", "-k", "auto", "--json"], &iris);
    assert_eq!(piped.code, Some(0), "{piped:#?}");
    let named = sandbox.json(&["fit", "pca", "iris.csv", "-k", "auto"]);
    assert_eq!(piped.json()["singular_values"], named["singular_values"]);
    for missing in ["drop", "mean", "em"] {
        let words = [
            "fit",
            "pca",
            "penguins.csv",
            "--scale",
            "-k",
            "auto",
            "--missing",
            missing,
        ];
        sandbox.done(&words).says(&["note: auto keeps "]);
        sandbox.done(&["choose", "penguins.csv", "--scale", "--missing", missing]);
    }
}

#[test]
fn a_plan_says_what_auto_would_do() {
    let sandbox = Sandbox::with_tables();
    let plan = sandbox.json(&["plan", "pca", "iris.csv", "-k", "auto"]);
    let reason = plan["reason"].as_str().expect("a reason");
    assert!(
        reason.starts_with("the rules choose the number of components first, from all eigenvalues"),
        "{reason}"
    );
    assert_eq!(plan["passes"], 3);
}

#[test]
fn what_choose_cannot_use_is_refused() {
    let sandbox = Sandbox::with_tables();
    let run = sandbox.refused(&["choose", "iris.csv", "-k", "2"]);
    run.says(&["-k says how many components to keep, which is what choose is asked"]);
    sandbox
        .refused(&["choose", "iris.csv", "--share", "120%"])
        .says(&["a share lies above 0 and at most at 1"]);
    sandbox
        .refused(&["choose", "iris.csv", "--n-folds", "1"])
        .says(&["n_folds = `1` is not known; it takes a whole number from 2"]);
    sandbox
        .refused(&["choose", "penguins.csv"])
        .says(&["--missing mean"]);
}

#[test]
fn the_same_seed_gives_the_same_answer_for_any_number_of_threads() {
    let sandbox = Sandbox::with_tables();
    let with = |threads: &str| {
        sandbox.json(&[
            "choose",
            "wine.csv",
            "--scale",
            "--threads",
            threads,
            "--seed",
            "5",
        ])
    };
    assert_eq!(with("1"), with("3"));
}
