//! Bad input and wrong usage: exit code 2, one error that names the place and says what to do, and no file written.

use crate::support::{Run, Sandbox, npy_f64};

/// Refuses a table on every road that reads one, with outputs asked for where there are any.
fn refused_everywhere(sandbox: &Sandbox, table: &str, words: &[&str]) {
    for command in [
        vec![table],
        vec!["look", table, "--json"],
        vec!["report", table],
        vec!["fit", "pca", table, "-m", "m.safetensors", "-o", "s.csv"],
        vec!["fit", "pca", table, "-k", "1", "-o", "-"],
    ] {
        let run = sandbox.refused(&command);
        run.says(words);
        assert_eq!(run.out, "", "{run:#?}");
    }
}

#[test]
fn files_that_hold_no_table_are_refused() {
    let sandbox = Sandbox::new();
    std::fs::create_dir(sandbox.path("folder")).expect("a folder");
    sandbox.write("empty.csv", "");
    sandbox.write("header.csv", "a,b\n");
    sandbox.write("ragged.csv", "a,b\n1,2\n3,4\n5\n6,7\n");
    sandbox.write("cell.csv", "a,price\n1,2\n3,cheap\n5,6\n");
    sandbox.write("one.csv", "a,b\n1,2\n");
    sandbox.write("texts.csv", "a,b\nx,y\nz,w\n");
    sandbox.write("nan.npy", npy_f64(2, &[1., 2., 3., f64::NAN, 5., 7.]));
    sandbox.write("inf.npy", npy_f64(2, &[1., 2., 3., 4., f64::INFINITY, 7.]));
    for (table, words) in [
        ("gone.csv", &["no file gone.csv"][..]),
        ("folder", &["folder is a folder"]),
        ("empty.csv", &["empty.csv is empty"]),
        ("header.csv", &["header.csv has no rows"]),
        (
            "ragged.csv",
            &["ragged.csv line 4: expected 2 fields, found 1"],
        ),
        (
            "cell.csv",
            &[
                "cell.csv line 3, column \"price\": \"cheap\" is not a number",
                "1 of 3 cells",
                "--missing-values cheap",
            ],
        ),
        ("one.csv", &["one.csv: 1 row is too few", "at least 2 rows"]),
        ("texts.csv", &["texts.csv has no numeric columns"]),
        ("inf.npy", &["inf.npy: 1 cell", "row 3, column 1"]),
    ] {
        refused_everywhere(&sandbox, table, words);
    }
    sandbox
        .refused(&["fit", "pca", "nan.npy", "-o", "s.csv"])
        .says(&["nan.npy: 1 cell", "row 2, column 2", "--missing mean"]);
}

#[test]
fn a_misspelled_file_is_answered_with_names_like_it() {
    let sandbox = Sandbox::with_tables();
    sandbox
        .refused(&["food.csv"])
        .says(&["no file food.csv", "files like it: foods.csv"]);
}

/// Linux lets a name be any bytes; other systems do not.
#[cfg(target_os = "linux")]
#[test]
fn a_name_that_is_not_utf8_is_a_name() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    let sandbox = Sandbox::with_tables();
    let name = OsStr::from_bytes(b"caf\xe9.csv");
    std::fs::copy(sandbox.path("foods.csv"), sandbox.path("").join(name)).expect("a copy");
    for words in [
        &[][..],
        &["report"],
        &["fit", "pca", "-m", "m"],
        &["plan", "pca"],
    ] {
        let run = Run::command(sandbox.command(words).arg(name), words);
        assert_eq!(run.code, Some(0), "{run:#?}");
        assert!(run.out.contains("4 rows × 17 numeric columns"), "{run:#?}");
    }
}

#[test]
fn components_that_cannot_be_are_refused_with_what_can() {
    let sandbox = Sandbox::with_tables();
    for (k, words) in [
        (
            "5",
            &[
                "5 components asked for, but 4 rows allow at most 4",
                "-k 90%",
            ][..],
        ),
        ("0", &["0 components", "at least 1"]),
        ("-1", &["share of -1 "]),
        ("0.0", &["share of 0 ", "above 0 and at most at 1"]),
        ("0%", &["share of 0 "]),
        ("1.5", &["share of 1.5 "]),
        ("150%", &["share of 1.5 "]),
        ("nan", &["share of NaN "]),
        (
            "many",
            &[
                "`many`",
                "a count such as 5, a share such as 90% or 0.9, auto, or all",
            ],
        ),
        ("99999999999999999999", &["99999999999999999999"]),
    ] {
        sandbox
            .refused(&["fit", "pca", "foods.csv", "-m", "m", "-k", k])
            .says(words);
        sandbox.refused(&["foods.csv", "-k", k]).says(words);
        sandbox
            .refused(&["plan", "pca", "foods.csv", "-k", k])
            .says(&words[..1]);
    }
}

#[test]
fn an_unknown_value_is_answered_with_those_allowed() {
    let sandbox = Sandbox::with_tables();
    for (option, value, words) in [
        (
            "--solver",
            "magic",
            &["auto", "covariance", "dual", "full", "power"][..],
        ),
        ("--missing", "zero", &["error", "drop", "mean"]),
        ("--convention", "n+1", &["n-1", "n]"]),
        ("--format", "xls", &["csv", "tsv", "text", "npy"]),
        ("--delimiter", "ab", &["ab"]),
        ("--decimal", ":", &["`.` or `,`"]),
        ("--threads", "0", &["1..=1024"]),
        ("--threads", "many", &["many"]),
        ("--memory", "lots", &["300MB"]),
        ("--seed", "x", &["x"]),
    ] {
        let run = sandbox.refused(&["fit", "pca", "foods.csv", "-o", "s.csv", option, value]);
        run.says(words).says(&[option.trim_start_matches('-')]);
    }
    sandbox
        .refused(&["foods.csv", "--scale=log"])
        .says(&["none", "std"]);
    sandbox
        .refused(&["foods.csv", "--sclae"])
        .says(&["--sclae"]);
    sandbox
        .refused(&["fit", "pcas", "foods.csv"])
        .says(&["\"pcas\"", "did you mean: eigenspan fit pca foods.csv"]);
    sandbox.refused(&["fit", "pca"]).says(&["<DATA>"]);
    sandbox.refused(&["transform", "m"]).says(&["<DATA>"]);
}

#[test]
fn a_plan_that_needs_more_memory_than_allowed_is_refused() {
    let sandbox = Sandbox::with_tables();
    for command in [["plan", "pca"], ["fit", "pca"]] {
        let run = sandbox.refused(&[&command[..], &["wine.csv", "--memory", "1kB"]].concat());
        run.says(&["wine.csv", "only 1.0 kB may be used"]);
    }
}

#[test]
fn a_constant_column_is_noted_and_never_divided_by() {
    let sandbox = Sandbox::new();
    sandbox.write("t.csv", "a,b\n1,7\n2,7\n4,7\n");
    sandbox
        .done(&["fit", "pca", "t.csv", "-k", "all"])
        .says(&["note: b is constant"]);
    for more in [vec!["--scale"], vec!["--scale", "--whiten"]] {
        let fit = [
            &["fit", "pca", "t.csv", "-k", "all", "-m", "m", "-o", "s.csv"],
            &more[..],
        ]
        .concat();
        sandbox
            .done(&fit)
            .says(&["note: b is constant", "left unscaled"]);
        assert!(
            sandbox
                .table("s.csv")
                .numbers("PC1")
                .iter()
                .all(|x| x.is_finite())
        );
        assert!(
            sandbox
                .table("s.csv")
                .numbers("PC2")
                .iter()
                .all(|x| *x == 0.0)
        );
    }
}

#[test]
fn rows_that_are_all_the_same_have_nothing_to_explain() {
    let sandbox = Sandbox::new();
    sandbox.write("t.csv", "a,b\n1,7\n1,7\n1,7\n");
    for words in [
        &["t.csv"][..],
        &["fit", "pca", "t.csv", "-k", "1"],
        &["t.csv", "--scale"],
    ] {
        let run = sandbox.done(words);
        assert!(run.out.contains("All rows are the same"), "{run:#?}");
        assert!(!run.out.contains("NaN"), "{run:#?}");
    }
}
