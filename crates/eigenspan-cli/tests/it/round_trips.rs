//! A model and its data, forward and back: the same scores and the same table by every way.

use crate::support::{Sandbox, assert_close, noise, npy, npy_f64, npy_values};

const FOODS: &[&str] = &["fit", "pca", "foods.csv", "-k", "2", "-m", "m.safetensors"];

#[test]
fn transforming_the_training_file_gives_the_same_bytes_as_fitting_did() {
    for (table, more) in [
        ("foods.csv", vec![]),
        ("wine.csv", vec!["--scale", "--label-column", "target"]),
        ("iris.csv", vec!["--whiten", "--label-column", "species"]),
    ] {
        for output in ["scores.csv", "scores.tsv", "scores.npy"] {
            let sandbox = Sandbox::with_tables();
            let again = format!("again-{output}");
            let mut fit = vec!["fit", "pca", table, "-k", "2", "-m", "m", "-o", output];
            fit.extend(&more);
            sandbox.done(&fit);
            let mut transform = vec!["transform", "m", table, "-o", &again];
            // The label goes into the scores; scaling and whitening are the model's business.
            transform.extend(more.iter().skip_while(|word| **word != "--label-column"));
            sandbox.done(&transform);
            assert_eq!(
                sandbox.bytes(output),
                sandbox.bytes(&again),
                "{table} {output}"
            );
        }
    }
}

#[test]
fn all_components_rebuild_the_table() {
    for (table, column, more) in [
        ("foods.csv", "Fresh fruit", vec![]),
        ("wine.csv", "proline", vec!["--scale"]),
        ("iris.csv", "petal_width", vec!["--scale", "--whiten"]),
    ] {
        let sandbox = Sandbox::with_tables();
        // A direction without variance cannot be whitened back, so what cannot be kept is not asked for.
        let mut fit = vec![
            "fit",
            "pca",
            table,
            "-k",
            "all",
            "-m",
            "m",
            "-o",
            "scores.csv",
        ];
        fit.extend(more);
        sandbox.done(&fit);
        sandbox.done(&["inverse", "m", "scores.csv", "-o", "rebuilt.csv"]);
        let (given, rebuilt) = (sandbox.table(table), sandbox.table("rebuilt.csv"));
        assert_close(&given.numbers(column), &rebuilt.numbers(column), 1e-9);
        for name in rebuilt.names.iter().filter(|name| *name != "country") {
            assert_close(&given.numbers(name), &rebuilt.numbers(name), 1e-9);
        }
    }
}

#[test]
fn scores_of_the_foods_are_those_of_the_lectures() {
    let sandbox = Sandbox::with_tables();
    sandbox.done(&["fit", "pca", "foods.csv", "-k", "2", "-o", "scores.csv"]);
    let scores = sandbox.table("scores.csv");
    assert_eq!(scores.names, ["country", "PC1", "PC2"]);
    assert_eq!(
        scores.column("country"),
        ["England", "N Ireland", "Scotland", "Wales"]
    );
    let known = [145.1751, -477.5801, 91.1631, 241.2419];
    assert_close(&known, &scores.numbers("PC1"), 1e-7);
}

#[test]
fn columns_in_another_order_give_the_same_scores() {
    let sandbox = Sandbox::with_model("iris.csv");
    let iris = sandbox.table("iris.csv");
    let order = [
        "petal_width",
        "sepal_width",
        "species",
        "petal_length",
        "sepal_length",
    ];
    sandbox.write("shuffled.csv", iris.to_csv(&order));
    sandbox.done(&["transform", "m", "shuffled.csv", "-o", "again.csv"]);
    assert_eq!(sandbox.text("scores.csv"), sandbox.text("again.csv"));
}

#[test]
fn columns_the_model_does_not_know_are_ignored_with_a_note() {
    let sandbox = Sandbox::with_tables();
    let columns = "sepal_length,petal_width";
    sandbox.done(&[
        "fit",
        "pca",
        "iris.csv",
        "--columns",
        columns,
        "-m",
        "m",
        "-o",
        "s.csv",
        "-k",
        "1",
    ]);
    let run = sandbox.done(&["transform", "m", "iris.csv", "-o", "again.csv"]);
    run.says(&[
        "note: not known to the model, ignored: ",
        "sepal_width",
        "petal_length",
    ]);
    assert_eq!(sandbox.text("s.csv"), sandbox.text("again.csv"));

    let object = sandbox.json(&["transform", "m", "iris.csv", "-o", "again.csv"]);
    let notes = object["notes"].to_string();
    assert!(notes.contains("sepal_width"), "{notes}");
}

#[test]
fn notes_about_new_rows_are_said_even_when_json_goes_to_standard_error() {
    let sandbox = Sandbox::with_tables();
    sandbox.done(&["fit", "pca", "iris.csv", "--columns", "1-2", "-m", "m"]);
    let run = sandbox.done(&["transform", "m", "iris.csv", "--json"]);
    assert!(run.out.starts_with("PC1"), "{run:#?}");
    run.says(&["\"notes\"", "petal_length"]);
}

#[test]
fn a_missing_column_is_named() {
    let sandbox = Sandbox::with_tables();
    sandbox.done(&["fit", "pca", "iris.csv", "-k", "2", "-m", "m"]);
    let iris = sandbox.table("iris.csv");
    let most = ["sepal_length", "petal_width", "sepal_width"];
    sandbox.write("short.csv", iris.to_csv(&most));
    let run = sandbox.refused(&["transform", "m", "short.csv", "-o", "s.csv"]);
    run.says(&[
        "short.csv does not fit the model m",
        "missing: petal_length",
    ]);
}

#[test]
fn text_in_a_column_the_model_needs_is_refused_and_elsewhere_it_is_not() {
    let sandbox = Sandbox::new();
    sandbox.write("a.csv", "x,y\n1,2\n2,1\n4,4\n");
    sandbox.done(&["fit", "pca", "a.csv", "-k", "1", "-m", "m", "-o", "s.csv"]);
    sandbox.write("b.csv", "x,y,z\n1,2,5\n2,1,bad\n4,4,6\n");
    sandbox.done(&["transform", "m", "b.csv", "-o", "t.csv"]);
    assert_eq!(sandbox.text("s.csv"), sandbox.text("t.csv"));
    sandbox.write("c.csv", "x,y\n1,2\n2,bad\n4,4\n");
    sandbox
        .refused(&["transform", "m", "c.csv"])
        .says(&["c.csv line 3", "\"y\"", "\"bad\""]);
}

#[test]
fn arrays_go_in_and_come_out() {
    let sandbox = Sandbox::new();
    let mut next = noise();
    let values: Vec<f64> = (0..200 * 5).map(|i| next() * (1 + i % 5) as f64).collect();
    sandbox.write("x.npy", npy_f64(5, &values));
    let object = sandbox.json(&[
        "fit",
        "pca",
        "x.npy",
        "-k",
        "all",
        "-m",
        "m",
        "-o",
        "scores.npy",
    ]);
    assert_eq!(
        (&object["n_rows"], &object["n_cols"]),
        (&200.into(), &5.into())
    );
    assert_eq!(object["outputs"], serde_json::json!(["m", "scores.npy"]));
    sandbox.done(&["transform", "m", "x.npy", "-o", "again.npy"]);
    assert_eq!(sandbox.bytes("scores.npy"), sandbox.bytes("again.npy"));
    sandbox.done(&["inverse", "m", "scores.npy", "-o", "rebuilt.npy"]);
    assert_close(&values, &npy_values(&sandbox.bytes("rebuilt.npy")), 1e-12);

    // The same numbers as text, without names, mean the same to the model.
    let lines: Vec<String> = values
        .chunks(5)
        .map(|row| row.iter().map(f64::to_string).collect::<Vec<_>>().join(","))
        .collect();
    sandbox.write("x.csv", lines.join("\n") + "\n");
    sandbox.done(&["transform", "m", "x.csv", "--no-header", "-o", "text.npy"]);
    assert_eq!(sandbox.bytes("scores.npy"), sandbox.bytes("text.npy"));
}

#[test]
fn arrays_of_small_floats_keep_their_type() {
    let sandbox = Sandbox::new();
    let mut next = noise();
    let values: Vec<f32> = (0..90).map(|_| next() as f32).collect();
    let data: Vec<u8> = values.iter().flat_map(|x| x.to_le_bytes()).collect();
    sandbox.write("x.npy", npy("<f4", (30, 3), &data));
    sandbox.done(&["fit", "pca", "x.npy", "-k", "2", "-o", "scores.npy"]);
    let scores = sandbox.bytes("scores.npy");
    let head = String::from_utf8_lossy(&scores[..100]).into_owned();
    assert!(head.contains("'<f4'") && head.contains("(30, 2)"), "{head}");
}

#[test]
fn a_narrower_array_does_not_fit_the_model() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "x.npy",
        npy_f64(3, &[1., 2., 3., 3., 1., 2., 5., 5., 4., 1., 0., 2.]),
    );
    sandbox.write("y.npy", npy_f64(2, &[1., 2., 3., 4., 5., 6.]));
    sandbox.done(&["fit", "pca", "x.npy", "-m", "m"]);
    let run = sandbox.refused(&["transform", "m", "y.npy", "-o", "s.npy"]);
    run.says(&[
        "y.npy does not fit the model m",
        "2 columns given, but 3 expected",
    ]);
}

#[test]
fn tabs_stand_between_the_cells_of_tsv() {
    let sandbox = Sandbox::with_tables();
    sandbox.done(&["fit", "pca", "foods.csv", "-k", "2", "-o", "s.csv"]);
    sandbox.done(&["fit", "pca", "foods.csv", "-k", "2", "-o", "s.tsv"]);
    assert_eq!(
        sandbox.text("s.csv").replace(',', "\t"),
        sandbox.text("s.tsv")
    );
}

#[test]
fn a_dash_reads_standard_input_and_writes_standard_output() {
    let sandbox = Sandbox::with_tables();
    sandbox.done(&[FOODS, &["-o", "s.csv"]].concat());
    let foods = sandbox.bytes("foods.csv");
    let scores = sandbox.text("s.csv");

    let run = sandbox.run_with_stdin(&["fit", "pca", "-", "-k", "2", "-o", "-"], &foods);
    assert_eq!(
        (run.code, run.out.as_str()),
        (Some(0), scores.as_str()),
        "{run:#?}"
    );
    run.says(&[
        "standard input   4 rows × 17 numeric columns",
        "note: id: country",
    ]);

    let run = sandbox.run_with_stdin(&["transform", "m.safetensors", "-"], &foods);
    assert_eq!(
        (run.code, run.out.as_str()),
        (Some(0), scores.as_str()),
        "{run:#?}"
    );

    let run = sandbox.run_with_stdin(
        &["inverse", "m.safetensors", "-", "-o", "-"],
        scores.as_bytes(),
    );
    assert!(run.out.starts_with("country,Alcoholic drinks,"), "{run:#?}");
    assert_eq!(run.out.lines().count(), 5);

    let run = sandbox.run_with_stdin(&["-"], &foods);
    assert!(
        run.out.contains("standard input") && !run.out.contains("next:"),
        "{run:#?}"
    );
}

#[test]
fn an_array_can_come_through_a_pipe() {
    let sandbox = Sandbox::new();
    let array = npy_f64(2, &[1., 2., 3., 5., 4., 4.]);
    let run = sandbox.run_with_stdin(
        &["fit", "pca", "-", "-k", "all", "-o", "-", "--quiet"],
        &array,
    );
    assert_eq!(run.code, Some(0), "{run:#?}");
    assert!(run.out.starts_with("PC1,PC2\n"), "{run:#?}");
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    let mut next = noise();
    let values: Vec<f64> = (0..40_000 * 12)
        .map(|i| next() * f64::from(1 + i % 12))
        .collect();
    let array = npy_f64(12, &values);
    let lines: Vec<String> = values[..12 * 9000]
        .chunks(12)
        .map(|row| row.iter().map(f64::to_string).collect::<Vec<_>>().join(","))
        .collect();
    let text = lines.join("\n") + "\n";
    for (name, bytes) in [("x.npy", array.as_slice()), ("x.csv", text.as_bytes())] {
        for solver in ["auto", "covariance", "full"] {
            let run = |threads: &str| {
                let sandbox = Sandbox::new();
                sandbox.write(name, bytes);
                let fit = [
                    "fit", "pca", name, "-k", "3", "-m", "m", "-o", "s.csv", "--solver", solver,
                ];
                sandbox.done(&[&fit[..], &["--threads", threads]].concat());
                // The command that made a model is part of it.
                let model = sandbox.bytes("m");
                let command = format!("--threads {threads}");
                let place = model
                    .windows(command.len())
                    .position(|w| w == command.as_bytes());
                let mut model = model.clone();
                model[place.expect("the command") + command.len() - 1] = b'?';
                (model, sandbox.bytes("s.csv"))
            };
            assert!(run("1") == run("8"), "{name} {solver}");
        }
    }
}
