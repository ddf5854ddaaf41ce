//! Tables as people have them: in several files, too large, transposed, with text columns, from another program.

use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::support::{EIGENSPAN, Sandbox, assert_close, numbers, skip, workspace};

/// Iris in three parts and a folder of the same parts.
fn shards() -> Sandbox {
    let sandbox = Sandbox::with_tables();
    let iris = sandbox.text("iris.csv");
    let lines: Vec<&str> = iris.lines().collect();
    std::fs::create_dir(sandbox.path("parts")).expect("a folder");
    for (name, rows) in [("2", 60..100), ("10", 100..151), ("1", 1..60)] {
        let text = format!("{}\n{}\n", lines[0], lines[rows].join("\n"));
        sandbox.write(&format!("part-{name}.csv"), &text);
        sandbox.write(&format!("parts/part-{name}.csv"), &text);
    }
    sandbox
}

#[test]
fn shards_a_pattern_and_a_folder_are_the_one_table_they_were_cut_from() {
    let sandbox = shards();
    let whole = sandbox.json(&["fit", "pca", "iris.csv", "-k", "all", "-o", "w.csv"]);
    for data in [
        &["part-1.csv", "part-2.csv", "part-10.csv"][..],
        &["part-*.csv"],
        &["parts"],
        &["parts/part-1.csv", "part-2.csv", "parts/*10.csv"],
    ] {
        let words = [&["fit", "pca"], data, &["-k", "all", "-o", "s.csv"]].concat();
        let object = sandbox.json(&words);
        assert_eq!(object["n_rows"], whole["n_rows"]);
        let (a, b) = (
            numbers(&object, "explained_variance"),
            numbers(&whole, "explained_variance"),
        );
        assert_close(&a, &b, 1e-12);
        let (s, w) = (sandbox.table("s.csv"), sandbox.table("w.csv"));
        assert_close(&s.numbers("PC1"), &w.numbers("PC1"), 1e-12);
        for command in [&["plan", "pca"][..], &["describe"], &[]] {
            let words = [command, data].concat();
            assert_eq!(sandbox.json(&words)["n_rows"], 150, "{words:?}");
        }
    }
    sandbox.done(&["fit", "pca", "parts", "-m", "m", "-k", "2"]);
    sandbox.done(&["transform", "m", "part-1.csv", "part-2.csv", "-o", "t.csv"]);
    assert_eq!(sandbox.table("t.csv").rows.len(), 99);
}

#[test]
fn a_report_on_a_folder_stands_beside_it() {
    let sandbox = shards();
    sandbox.done(&["report", "parts/"]);
    assert!(sandbox.path("parts.report.html").is_file());
    sandbox
        .refused(&["report", "part-*.csv"])
        .says(&["needs a name", "-o NAME.html"]);
    sandbox
        .refused(&["fit", "pca", "parts", "-o", "parts/part-1.csv"])
        .says(&["is the input"]);
}

#[test]
fn a_sample_is_the_same_for_the_same_seed_on_any_number_of_threads() {
    let sandbox = Sandbox::with_tables();
    let fit = |seed: &str, threads: &str| {
        let words = [
            "fit",
            "pca",
            "iris.csv",
            "--sample",
            "40",
            "--seed",
            seed,
            "--threads",
            threads,
        ];
        let mut object = sandbox.json(&words);
        object["seconds"] = Value::Null;
        object
    };
    assert_eq!(fit("7", "1"), fit("7", "3"));
    assert_eq!(fit("7", "1")["n_rows"], 40);
    assert_ne!(fit("7", "1"), fit("8", "1"));
    let run = sandbox.done(&["iris.csv", "--sample", "40"]);
    run.says(&["a random sample of 40 of 150 rows (seed 0)"]);
    sandbox.done(&["fit", "pca", "iris.csv", "-m", "m"]);
    let words = ["transform", "m", "iris.csv", "--sample", "5", "--seed", "2"];
    assert_eq!(sandbox.done(&words).out.lines().count(), 6);
    sandbox
        .refused(&["iris.csv", "--sample", "0"])
        .says(&["at least 1"]);
}

#[test]
fn foods_by_country_are_turned_around() {
    let sandbox = Sandbox::with_tables();
    let foods = sandbox.table("foods.csv");
    let mut text = format!("food,{}\n", foods.column("country").join(","));
    for food in &foods.names[1..] {
        text += &format!("{food},{}\n", foods.column(food).join(","));
    }
    sandbox.write("t.csv", text);
    let fit = |words: &[&str]| sandbox.json(&[&["fit", "pca", "-k", "all"], words].concat());
    let (a, b) = (
        fit(&["t.csv", "--transpose", "-o", "a.csv"]),
        fit(&["foods.csv", "-o", "b.csv"]),
    );
    for key in ["columns", "explained_variance", "residuals"] {
        assert_eq!(a[key], b[key], "{key}");
    }
    let (a, b) = (sandbox.table("a.csv"), sandbox.table("b.csv"));
    assert_eq!(a.column("id"), b.column("country"));
    assert_eq!(a.column("PC1"), b.column("PC1"));
    sandbox
        .refused(&["t.csv", "--transpose", "--memory", "100"])
        .says(&["needs 544 B, but only 100 B may be used"]);
}

#[test]
fn words_become_columns_in_the_fit_and_in_new_rows() {
    let sandbox = Sandbox::with_tables();
    let words = [
        "fit",
        "pca",
        "penguins.csv",
        "--one-hot",
        "--scale",
        "--missing",
        "mean",
        "-k",
        "3",
        "-m",
        "m",
        "-o",
        "s.csv",
    ];
    let object = sandbox.json(&words);
    let columns = object["columns"].as_array().expect("columns");
    assert_eq!(columns.len(), 13);
    assert!(columns.contains(&json!("species=Adelie")));
    assert!(columns.contains(&json!("sex=female")));
    // New rows need no option, know fewer texts, and one that is new.
    let penguins = sandbox.text("penguins.csv");
    let mut rows: Vec<&str> = penguins.lines().take(4).collect();
    let changed = rows[3].replace("Torgersen", "Mars");
    rows[3] = &changed;
    sandbox.write("new.csv", rows.join("\n"));
    let run = sandbox.done(&["transform", "m", "new.csv", "-o", "t.csv"]);
    run.says(&["island: 1 text the model has not seen (Mars)"]);
    assert!(!run.err.contains("not known to the model"), "{run:#?}");
    let (s, t) = (sandbox.table("s.csv"), sandbox.table("t.csv"));
    for pc in ["PC1", "PC2", "PC3"] {
        assert_close(&s.numbers(pc)[..2], &t.numbers(pc)[..2], 1e-12);
        assert!((s.numbers(pc)[2] - t.numbers(pc)[2]).abs() > 1e-3);
    }
    let run = sandbox.done(&["penguins.csv", "--missing", "mean"]);
    run.says(&["species, island, sex are text: set aside", "--one-hot"]);
}

#[test]
fn a_description_has_the_numbers_that_others_find() {
    let sandbox = Sandbox::with_tables();
    let object = sandbox.json(&["describe", "penguins.csv"]);
    let column = |name: &str| {
        let columns = object["columns"].as_array().expect("columns");
        let found = columns.iter().find(|column| column["name"] == name);
        found.unwrap_or_else(|| panic!("no {name}")).clone()
    };
    // NumPy 2.4.6: mean, std(ddof=1) and quantile of the 342 cells that are there.
    let bill = column("bill_length_mm");
    assert_eq!((&bill["count"], &bill["missing"]), (&json!(342), &json!(2)));
    for (key, value) in [
        ("mean", 43.921_929_824_561_4),
        ("sd", 5.459_583_713_926_532),
        ("min", 32.1),
        ("q1", 39.225),
        ("median", 44.45),
        ("q3", 48.5),
        ("max", 59.6),
    ] {
        let found = bill[key].as_f64().expect("a number");
        assert!((found - value).abs() < 1e-12 * value, "{key}: {found}");
    }
    let bins = bill["histogram"].as_array().expect("a histogram");
    assert_eq!(bins.iter().filter_map(Value::as_u64).sum::<u64>(), 342);
    let species = column("species");
    assert_eq!(species["type"], "text");
    assert_eq!(species["distinct"], 3);
    assert_eq!(species["most_frequent"], "Adelie");
    assert_eq!(species["most_frequent_count"], 152);
    assert_eq!(column("sex")["missing"], 11);
    assert_eq!(column("year")["type"], "integer");
    assert_eq!(object["duplicate_rows"], 0);
    assert_eq!(object["rank_error"], 0.0);
}

#[test]
fn a_description_warns_of_what_spoils_a_fit() {
    let sandbox = Sandbox::new();
    let mut text = String::from("id,one,same,alike,big,huge,gaps,when\n");
    for i in 0..20 {
        let (x, gap) = (i * i % 7, if i % 2 == 0 { "" } else { "5.5" });
        let row = i.min(18);
        let big = 1_000_000 * (row * row % 5 + 1);
        let x = if i == 19 { 18 * 18 % 7 } else { x };
        text += &format!(
            "r{i},1,{x},{x},{big},9007199254740993,{gap},2024-01-{:02}\n",
            row + 1
        );
    }
    let text = text.replace(
        "r18,1,2,2,5000000,9007199254740993,,",
        "r18,1,2,2,5000000,9007199254740993,5.5,",
    );
    sandbox.write("t.csv", text);
    let run = sandbox.done(&["describe", "t.csv"]);
    run.says(&[
        "note: one, gaps are constant and say nothing",
        "--scale",
        "gaps (45.0 %) lacks many cells",
        "columns that hold the same: alike = same",
        "2^53",
        "row 20 repeats an earlier one",
    ]);
    assert!(
        run.out
            .contains("20 rows × 8 columns: 6 numeric, 1 text, 1 date"),
        "{run:#?}"
    );
    // A table of many columns is shortened; JSON has all.
    let names: Vec<String> = (0..60).map(|i| format!("c{i}")).collect();
    let row = |by: usize| {
        (0..60)
            .map(|i| (i * by % 9).to_string())
            .collect::<Vec<_>>()
            .join(",")
    };
    let wide = format!("{}\n{}\n{}\n{}\n", names.join(","), row(1), row(2), row(4));
    sandbox.write("wide.csv", wide);
    let run = sandbox.done(&["describe", "wide.csv"]);
    assert!(
        run.out.contains(" … 20 more columns (--json has all)"),
        "{run:#?}"
    );
    assert!(
        run.out.lines().all(|line| line.chars().count() <= 110),
        "{run:#?}"
    );
    let all = sandbox.json(&["describe", "wide.csv"]);
    assert_eq!(all["columns"].as_array().map(Vec::len), Some(60));
    // Nothing but text is described as well, and is no data for a fit.
    sandbox.write("words.csv", "a,b\nx,y\nz,y\n");
    let object = sandbox.json(&["describe", "words.csv"]);
    assert_eq!(object["columns"][1]["distinct"], 1);
    sandbox
        .refused(&["words.csv"])
        .says(&["no numeric columns"]);
}

#[test]
fn a_file_is_told_to_be_a_model_by_its_content() {
    let sandbox = Sandbox::with_tables();
    sandbox.done(&["fit", "pca", "iris.csv", "-k", "2", "-m", "model"]);
    sandbox.write("model.csv", sandbox.bytes("model"));
    let object = sandbox.json(&["describe", "model.csv"]);
    assert_eq!(object["method"], "pca");
    let object = sandbox.json(&["describe", "iris.csv"]);
    assert_eq!(object["format"], "csv");
}

#[test]
fn what_another_program_prints_is_read_from_a_pipe() {
    let sandbox = Sandbox::with_tables();
    let whole = sandbox.json(&["fit", "pca", "wine.csv"]);
    let piped = |program: &str, words: &[&str]| -> Option<Value> {
        let mut writer = Command::new(program)
            .args(words)
            .current_dir(sandbox.path(""))
            .stdout(Stdio::piped())
            .spawn()
            .ok()?;
        let pipe = writer.stdout.take().expect("a pipe");
        let mut command = Command::new(EIGENSPAN);
        command.args(["fit", "pca", "-", "--json"]).stdin(pipe);
        let output = command.output().expect("the program runs");
        assert!(writer.wait().expect("an end").success(), "{program}");
        assert!(output.status.success(), "{output:?}");
        Some(serde_json::from_slice(&output.stdout).expect("JSON"))
    };
    let query = ["-csv", "-c", "from 'wine.csv'"];
    for (program, words) in [("cat", &["wine.csv"][..]), ("duckdb", &query)] {
        match piped(program, words) {
            Some(object) => {
                assert_eq!(object["explained_variance"], whole["explained_variance"]);
            }
            None => skip(program, "it is not installed"),
        }
    }
}

#[test]
fn columnar_files_are_described_with_every_type() {
    let sandbox = Sandbox::new();
    for name in ["types.parquet", "types.feather"] {
        let file = workspace()
            .join("crates/eigenspan-io/tests/data")
            .join(name);
        let file = file.to_str().expect("UTF-8");
        let found = sandbox.json(&["describe", file]);
        let columns = found["columns"].as_array().expect("columns");
        let named = |name: &str| {
            columns
                .iter()
                .find(|c| c["name"] == name)
                .expect("a column")
        };
        assert_eq!(named("name")["role"], "id");
        assert_eq!(
            (&named("color")["distinct"], &named("color")["missing"]),
            (&3.into(), &1.into())
        );
        assert_eq!(
            (&named("gap")["missing"], &named("gap")["median"]),
            (&1.into(), &3.5.into())
        );
        assert_eq!(
            (&named("day")["type"], &named("none")["type"]),
            (&"date".into(), &"empty".into())
        );
        assert_eq!(named("emb_2")["type"], "integer");
        let notes = found["notes"].to_string();
        assert!(notes.contains("no single values: struct"), "{notes}");
        sandbox
            .refused(&[
                "fit",
                "pca",
                file,
                "--missing",
                "mean",
                "--keep",
                "struct",
                "-o",
                "s.csv",
            ])
            .says(&["column \"struct\" holds", "cannot be carried along"]);
    }
}

#[test]
fn a_format_that_is_not_read_is_refused_with_those_that_are() {
    let sandbox = Sandbox::new();
    sandbox.write("t.pdf", "%PDF-1.7\n");
    sandbox.refused(&["t.pdf"]).says(&[
        "t.pdf is a PDF document, which eigenspan does not read",
        "formats that are read: CSV, TSV, text, NPY, NPZ, Parquet, Arrow, Matrix Market, 10x folders, libsvm, PLINK, IDX, PNG and JPEG",
        "save it as CSV, Parquet or NPY first",
    ]);
}
