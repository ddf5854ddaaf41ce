//! One rule for every output file: a file whose name was typed is replaced, and a message says so. If nothing was written, it says that.

use crate::support::Sandbox;

#[test]
fn a_file_that_was_there_is_replaced_and_that_is_said_by_every_command() {
    let sandbox = Sandbox::with_model("foods.csv");
    let commands: &[(&str, &str)] = &[
        ("fit pca foods.csv -o x.csv", "x.csv"),
        ("fit pca foods.csv -m x.safetensors", "x.safetensors"),
        ("fit kpca rings.csv -k 2 -o x.csv -m x.safetensors", "x.csv"),
        ("transform m foods.csv -o x.csv", "x.csv"),
        ("inverse m scores.csv -o x.csv", "x.csv"),
        (
            "denoise pca iris.csv --train iris.csv -k 2 -o x.csv",
            "x.csv",
        ),
        ("plot scree foods.csv -o x.svg", "x.svg"),
        ("report foods.csv -o x.html", "x.html"),
        ("report foods.csv -m x.safetensors", "x.safetensors"),
        (
            "tune kpca iris.csv --label-column species --kernel rbf(gamma=[0.1,1]) -k 1..2 -o x.svg",
            "x.svg",
        ),
    ];
    for (typed, file) in commands {
        let words: Vec<&str> = typed.split(' ').collect();
        for name in ["x.csv", "x.safetensors", "x.svg", "x.html"] {
            let _ = std::fs::remove_file(sandbox.path(name));
        }
        let fresh = sandbox.done(&words);
        fresh.says(&["written: ", file]);
        assert!(
            !fresh.err.contains(&format!("{file} (replaced)")),
            "{fresh:#?}"
        );
        sandbox.write(file, "somebody else's");
        sandbox.done(&words).says(&[&format!("{file} (replaced)")]);
        let object = sandbox.json(&words);
        let notes = object["notes"].to_string();
        assert!(
            notes.contains(&format!("{file} was there already: replaced")),
            "{notes}"
        );
    }
}

#[test]
fn names_that_nobody_typed_replace_only_earlier_reports() {
    let sandbox = Sandbox::with_tables();
    sandbox.write("foods.report.html", "<title>mine</title>");
    sandbox
        .refused(&["report", "foods.csv"])
        .says(&["foods.report.html is there already", "--force"]);
    sandbox.done(&["report", "foods.csv", "--force"]);
    sandbox.done(&["report", "foods.csv"]).says(&["(replaced)"]);
}

#[test]
fn a_fit_that_writes_nothing_says_so() {
    let sandbox = Sandbox::with_tables();
    for words in [
        &["fit", "pca", "foods.csv"][..],
        &["fit", "kpca", "rings.csv", "-k", "2"],
    ] {
        sandbox
            .done(words)
            .says(&["nothing was written: -m FILE keeps the model, -o FILE the scores"]);
    }
}

#[test]
fn a_name_that_promises_another_format_is_refused() {
    let sandbox = Sandbox::with_tables();
    for name in [
        "x.onnx", "x.pkl", "x.json", "x.npz", "x.JOBLIB", "x.csv", "x.h5",
    ] {
        for words in [
            &["fit", "pca", "foods.csv", "-m", name][..],
            &["fit", "kpca", "rings.csv", "-k", "2", "-m", name],
            &["report", "foods.csv", "-m", name],
            &["tune", "kpca", "iris.csv", "-m", name],
        ] {
            sandbox.refused(words).says(&[
                &format!("cannot write {name}: a model is written as safetensors"),
                "tip: -m x.safetensors",
            ]);
        }
    }
    for name in ["x", "x.safetensors", "x.model", "x.v2"] {
        sandbox.done(&["fit", "pca", "foods.csv", "-m", name]);
    }
    sandbox
        .refused(&["report", "foods.csv", "-o", "x.pdf"])
        .says(&["written as HTML", "-o x.html", "a browser prints it"]);
}
