//! What kernel PCA refuses: exit code 2, an error that says what was given, what is allowed and what to do, and no file written.

use crate::support::Sandbox;

/// Refuses a kernel for a table, and says these words.
fn refused(sandbox: &Sandbox, table: &str, options: &[&str], words: &[&str]) {
    let mut typed = vec!["fit", "kpca", table, "-m", "model", "-o", "scores.csv"];
    typed.extend(options);
    sandbox.refused(&typed).says(words);
    let mut typed = vec!["fit", "kpca", table, "--json"];
    typed.extend(options);
    let run = sandbox.refused(&typed);
    assert!(run.out.is_empty(), "{run:#?}");
}

#[test]
fn a_kernel_that_cannot_be_read_is_marked_where_it_goes_wrong() {
    let sandbox = Sandbox::with_tables();
    let cases: [(&str, &[&str]); 7] = [
        (
            "gaus",
            &["column 1", "rbf", "poly", "laplacian", "precomputed"],
        ),
        ("rbf(gama=1)", &["column 5", "gamma"]),
        ("rbf(gamma=-1)", &["gamma", "above 0"]),
        ("poly(degree=0)", &["degree"]),
        ("poly(degree=1.5)", &["degree"]),
        ("rbf + ", &["column 7"]),
        ("-2*rbf", &["column 1"]),
    ];
    for (kernel, words) in cases {
        let text = format!("--kernel={kernel}");
        refused(&sandbox, "iris.csv", &[&text], words);
    }
    let run = sandbox.refused(&["fit", "kpca", "iris.csv", "--kernel", "rbf(gama=1)"]);
    let lines: Vec<&str> = run.err.lines().collect();
    let at = lines.iter().position(|line| line.trim() == "rbf(gama=1)");
    let at = at.unwrap_or_else(|| panic!("the kernel has no line: {run:#?}"));
    assert_eq!(lines[at + 1].find('^'), lines[at].find("gama"), "{run:#?}");
}

#[test]
fn numbers_that_no_kernel_takes_are_refused() {
    let sandbox = Sandbox::with_tables();
    refused(
        &sandbox,
        "iris.csv",
        &["--gamma", "-1"],
        &["gamma", "above 0"],
    );
    refused(
        &sandbox,
        "iris.csv",
        &["--gamma", "wide"],
        &["scale", "median"],
    );
    refused(&sandbox, "iris.csv", &["-k", "0"], &["at least 1"]);
    refused(
        &sandbox,
        "iris.csv",
        &["-k", "151"],
        &["151 components", "150 rows"],
    );
    refused(
        &sandbox,
        "iris.csv",
        &["--solver", "covariance"],
        &["auto, full, lanczos or randomized"],
    );
    refused(
        &sandbox,
        "iris.csv",
        &["--kernel", "tanh(gamma=0.01)", "--negative", "error"],
        &["negative eigenvalues", "--negative clip"],
    );
}

#[test]
fn rows_for_which_a_kernel_is_not_defined_are_named() {
    let sandbox = Sandbox::with_tables();
    sandbox.write("signs.csv", "a,b\n1,2\n3,-4\n5,6\n7,8\n");
    refused(
        &sandbox,
        "signs.csv",
        &["--kernel", "chi2"],
        &["row 2", "-4", "chi2", "at least 0"],
    );
    sandbox.write("nan.csv", "a,b\n1,2\n3,nan\n5,6\n7,8\n");
    refused(
        &sandbox,
        "nan.csv",
        &[],
        &["nan.csv line 3", "--missing mean"],
    );
    sandbox.write("inf.csv", "a,b\n1,2\n3,inf\n5,6\n7,8\n");
    refused(&sandbox, "inf.csv", &[], &["inf.csv"]);
    sandbox.write("alike.csv", "a,b\n1,2\n1,2\n1,2\n");
    refused(
        &sandbox,
        "alike.csv",
        &["--gamma", "median"],
        &["all rows are equal"],
    );
    sandbox.write("one.csv", "a,b\n1,2\n");
    refused(&sandbox, "one.csv", &[], &["1 row", "too few"]);
}

#[test]
fn a_kernel_matrix_that_is_none_is_refused() {
    let sandbox = Sandbox::with_tables();
    let options = ["--kernel", "precomputed"];
    refused(
        &sandbox,
        "iris.csv",
        &options,
        &["150 × 4", "as many rows as columns"],
    );
    sandbox.write("k.csv", "a,b,c\n2,1,0\n1,2,0.5\n0,0.75,2\n");
    refused(
        &sandbox,
        "k.csv",
        &options,
        &["symmetric", "row 3, column 2", "row 2, column 3", "2.5e-1"],
    );
}

#[test]
fn more_rows_than_the_memory_allows_are_refused_with_what_would_fit() {
    let sandbox = Sandbox::with_tables();
    let options = [
        "-k",
        "5",
        "--approximate",
        "none",
        "--solver",
        "full",
        "--memory",
        "1MB",
    ];
    refused(&sandbox, "digits.csv", &options, &["may be used"]);
}

#[test]
fn what_transform_and_inverse_cannot_do_leaves_no_file() {
    let sandbox = Sandbox::with_tables();
    sandbox.done(&["fit", "kpca", "iris.csv", "-k", "2", "-m", "m", "-q"]);
    sandbox
        .refused(&["transform", "m", "wine.csv", "-o", "new.csv"])
        .says(&["does not fit the model m", "missing: sepal_length"]);
    sandbox.write(
        "some.csv",
        "sepal_length,sepal_width,petal_length,petal_width\n1,2,,4\n5,6,7,8\n",
    );
    sandbox
        .refused(&["transform", "m", "some.csv", "-o", "new.csv"])
        .says(&["some.csv"]);
    sandbox
        .refused(&["inverse", "m", "iris.csv", "-o", "new.csv"])
        .says(&["2 scores (PC1 to PC2) are needed"]);
    sandbox
        .refused(&["fit", "kpca", "iris.csv", "-o", "x.eigenvec"])
        .says(&["eigenvec"]);
}
