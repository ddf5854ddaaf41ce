//! Kernel PCA from the command line: fit, model file, new rows, inverse, figures.

use serde_json::Value;

use crate::support::{Sandbox, assert_close, numbers};

/// Words of a command, and further ones that hold blanks.
fn words<'a>(typed: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    typed.split(' ').chain(more.iter().copied()).collect()
}

#[test]
fn iris_has_the_eigenvalues_and_scores_that_scikit_learn_finds() {
    let sandbox = Sandbox::with_tables();
    let typed = "fit kpca iris.csv -k 4 -o s.csv --kernel";
    let object = sandbox.json(&words(typed, &["rbf(gamma=0.25)"]));
    let expected = [48.11051564, 19.09429428, 6.63327814, 4.27532381];
    assert_close(&numbers(&object, "eigenvalues"), &expected, 1e-9);
    assert_eq!(object["method"], "kpca");
    assert_eq!(object["kernel"], "rbf(gamma=0.25)");
    let scores = sandbox.table("s.csv");
    let first: Vec<f64> = ["PC1", "PC2", "PC3", "PC4"]
        .iter()
        .map(|name| scores.numbers(name)[0].abs())
        .collect();
    let expected = [0.82768213, 0.03835128, 0.09855965, 0.06889755];
    assert_close(&first, &expected, 1e-7);
    let kernel = "poly(degree=2, gamma=1, coef0=1)";
    let object = sandbox.json(&words(typed, &[kernel]));
    let expected = [113503.05744, 4865.83989, 1750.82613, 509.58743];
    assert_close(&numbers(&object, "eigenvalues"), &expected, 1e-9);
}

#[test]
fn a_linear_kernel_is_pca() {
    let sandbox = Sandbox::with_tables();
    sandbox.done(&words(
        "fit pca wine.csv -k 3 -o a.csv --label-column target -q",
        &[],
    ));
    sandbox.done(&words(
        "fit kpca wine.csv -k 3 -o b.csv --label-column target --kernel linear -q",
        &[],
    ));
    let (a, b) = (sandbox.table("a.csv"), sandbox.table("b.csv"));
    assert_eq!(a.names, b.names);
    assert_eq!(a.column("target"), b.column("target"));
    for name in ["PC1", "PC2", "PC3"] {
        let size = |scores: Vec<f64>| scores.into_iter().map(f64::abs).collect::<Vec<_>>();
        assert_close(&size(a.numbers(name)), &size(b.numbers(name)), 1e-7);
    }
}

/// The best that one threshold on one component can do.
fn parted(sandbox: &Sandbox, scores: &str) -> f64 {
    let table = sandbox.table(scores);
    let inner: Vec<bool> = table.column("ring").iter().map(|r| *r == "inner").collect();
    let names = table.names.iter().filter(|name| name.starts_with("PC"));
    let best = names.map(|name| {
        let scores = table.numbers(name);
        let right = |at: f64| {
            let low = scores
                .iter()
                .zip(&inner)
                .filter(|(x, y)| (**x <= at) == **y);
            let low = low.count() as f64 / scores.len() as f64;
            low.max(1.0 - low)
        };
        scores.iter().map(|x| right(*x)).fold(0.0, f64::max)
    });
    best.fold(0.0, f64::max)
}

#[test]
fn kernels_part_rings_that_pca_leaves_mixed() {
    let sandbox = Sandbox::with_tables();
    sandbox.done(&words(
        "fit pca rings.csv -k 2 --label-column ring -o pca.csv -q",
        &[],
    ));
    let by_pca = parted(&sandbox, "pca.csv");
    assert!(by_pca < 0.8, "{by_pca}");
    for kernel in ["poly(degree=2, gamma=1, coef0=1)", "rbf(gamma=0.5)"] {
        let typed = "fit kpca rings.csv -k 5 --label-column ring -o kpca.csv -q --kernel";
        sandbox.done(&words(typed, &[kernel]));
        assert_eq!(parted(&sandbox, "kpca.csv"), 1.0, "{kernel}");
    }
}

#[test]
fn a_fit_says_which_kernel_how_much_and_how_sure() {
    let sandbox = Sandbox::with_tables();
    let typed = "fit kpca iris.csv -k 2 --gamma median --kernel";
    let run = sandbox.done(&words(typed, &["0.5*rbf + normalize(linear)"]));
    for word in [
        "iris.csv   150 rows × 4 numeric columns",
        "kernel PCA",
        "eigenvalue",
        "PC2",
        "of the variance in feature space",
        "0.5*rbf(gamma=",
        "positive semi-definite by construction",
        "every residual",
    ] {
        assert!(run.out.contains(word), "{word}: {run:#?}");
    }
    let run = sandbox.done(&words(
        "fit kpca iris.csv -k 2 --kernel tanh(gamma=0.01)",
        &[],
    ));
    assert!(
        run.out
            .contains("not positive semi-definite by construction")
    );
    run.says(&["negative eigenvalue", "set to zero"]);
}

#[test]
fn a_gaussian_that_is_not_told_its_width_takes_the_median_distance() {
    let sandbox = Sandbox::with_tables();
    let wine = "fit kpca wine.csv -k 2 --label-column target";
    let kernel = |typed: &str, more: &[&str]| {
        let object = sandbox.json(&words(typed, more));
        object["kernel"].as_str().expect("a kernel").to_owned()
    };
    let median = kernel(wine, &["--kernel", "rbf(gamma=median)"]);
    assert!(median.starts_with("rbf(gamma=0.0000"), "{median}");
    assert_eq!(kernel(wine, &[]), median);
    for name in ["rbf", "gaussian", "Gaussian", "RBF"] {
        assert_eq!(kernel(wine, &["--kernel", name]), median, "{name}");
    }
    // What was said stays: 1 ÷ columns where that is asked for, and a γ of its own.
    let auto = format!("rbf(gamma={})", 1.0 / 13.0);
    assert_eq!(kernel(wine, &["--gamma", "auto"]), auto);
    assert_eq!(kernel(wine, &["--kernel", "rbf(gamma=auto)"]), auto);
    assert_eq!(kernel(wine, &["--gamma", "0.5"]), "rbf(gamma=0.5)");
    assert_eq!(
        kernel(wine, &["--kernel", "gaussian(gamma=2)"]),
        "rbf(gamma=2)"
    );
    // Other kernels keep 1 ÷ columns.
    let laplace = format!("laplacian(gamma={})", 1.0 / 13.0);
    assert_eq!(kernel(wine, &["--kernel", "laplace"]), laplace);
    let poly = format!("poly(degree=2, gamma={}, coef0=1)", 1.0 / 13.0);
    assert_eq!(
        kernel(wine, &["--kernel", "polynomial(degree=2, coef0=1)"]),
        poly
    );
}

#[test]
fn a_kernel_too_narrow_for_the_rows_is_told_with_what_to_type() {
    let sandbox = Sandbox::with_tables();
    let wine = "fit kpca wine.csv --label-column target";
    let run = sandbox.done(&words(wine, &["--gamma", "auto"]));
    run.says(&["nearly the identity", "--scale", "median distance"]);
    let run = sandbox.done(&words(wine, &["--gamma", "1e-12", "-k", "2"]));
    run.says(&["nearly constant", "--kernel 'rbf(gamma=median)'"]);
    // Neither by default nor scaled.
    for more in [&[][..], &["--scale", "--gamma", "auto"]] {
        let object = sandbox.json(&words(wine, more));
        let notes = object["notes"].to_string();
        assert!(!notes.contains("nearly"), "{notes}");
    }
}

#[test]
fn a_model_of_rows_far_from_zero_keeps_its_digits_in_a_file() {
    let sandbox = Sandbox::with_tables();
    let mut table = "a,b\n".to_owned();
    for i in 0..30 {
        let (a, b) = ((i * 7 % 30) as f64 / 8.0, (i * 11 % 30) as f64 / 16.0);
        table += &format!("{},{}\n", 1e6 + a, 2e6 + b);
    }
    sandbox.write("far.csv", &table);
    for kernel in [
        "linear",
        "poly(degree=2, gamma=1, coef0=1)",
        "rbf(gamma=1e-9)",
    ] {
        let fit = "fit kpca far.csv -k 2 -m m.safetensors -o a.csv -q --kernel";
        let object = sandbox.json(&words(fit, &[kernel]));
        let size = numbers(&object, "eigenvalues")[0].sqrt();
        sandbox.done(&words("transform m.safetensors far.csv -o b.csv -q", &[]));
        let (a, b) = (sandbox.table("a.csv"), sandbox.table("b.csv"));
        for name in ["PC1", "PC2"] {
            let pairs = a.numbers(name).into_iter().zip(b.numbers(name));
            let off = pairs.fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
            assert!(off < 1e-9 * size, "{kernel}: {off:e}");
        }
    }
    let fit = "fit kpca far.csv -k 2 --kernel linear";
    let linear = numbers(&sandbox.json(&words(fit, &[])), "eigenvalues");
    let pca = sandbox.json(&words("fit pca far.csv -k 2", &[]));
    let variances = numbers(&pca, "explained_variance");
    let scatter: Vec<f64> = variances.iter().map(|v| 29.0 * v).collect();
    assert_close(&linear, &scatter, 1e-12);
}

#[test]
fn a_plan_says_what_would_run() {
    let sandbox = Sandbox::with_tables();
    let object = sandbox.json(&words("plan kpca iris.csv -k 2", &[]));
    assert_eq!(object["method"], "kpca");
    assert!(object["bytes"].as_u64().is_some_and(|bytes| bytes > 0));
    let run = sandbox.done(&words("plan kpca iris.csv -k 2", &[]));
    assert!(run.out.contains("150 × 150 kernel matrix"), "{run:#?}");
}

/// Kernels and options whose models differ in what they hold.
const MODELS: [&[&str]; 6] = [
    &["--kernel", "rbf(gamma=0.25)"],
    &[
        "--kernel",
        "0.5*rbf(sigma=2) + poly(degree=2, coef0=1)*normalize(linear)",
    ],
    &["--kernel", "tanh(gamma=0.01)", "--negative", "flip"],
    &["--kernel", "matern(nu=1.5, length=2)", "--scale"],
    &[
        "--kernel",
        "rbf",
        "--approximate",
        "nystrom",
        "--n-landmarks",
        "40",
    ],
    &[
        "--kernel",
        "laplacian",
        "--approximate",
        "fourier",
        "--n-landmarks",
        "64",
    ],
];

#[test]
fn a_model_file_gives_the_same_scores_to_the_bit() {
    let sandbox = Sandbox::with_tables();
    for options in MODELS {
        let fit = words(
            "fit kpca iris.csv -k 3 -m m.safetensors -o a.csv -q",
            options,
        );
        sandbox.done(&fit);
        sandbox.done(&words("transform m.safetensors iris.csv -o b.csv -q", &[]));
        assert_eq!(sandbox.text("a.csv"), sandbox.text("b.csv"), "{options:?}");
        // One thread gives the same bits as two.
        let again = words(
            "fit kpca iris.csv -k 3 -m n.safetensors -o c.csv -q --threads 1",
            options,
        );
        sandbox.done(&again);
        assert_eq!(sandbox.text("a.csv"), sandbox.text("c.csv"), "{options:?}");
    }
}

#[test]
fn a_model_of_missing_cells_fills_those_of_new_rows() {
    let sandbox = Sandbox::with_tables();
    let typed = "fit kpca penguins.csv -k 2 --missing mean -m m -o a.csv -q";
    sandbox.done(&words(typed, &[]));
    sandbox.done(&words("transform m penguins.csv -o b.csv -q", &[]));
    assert_eq!(sandbox.text("a.csv"), sandbox.text("b.csv"));
}

#[test]
fn rows_that_were_dropped_have_no_scores() {
    let sandbox = Sandbox::with_tables();
    let typed = "fit kpca penguins.csv -k 2 --missing drop -o a.csv --keep bill_length_mm -q";
    sandbox.done(&words(typed, &[]));
    let scores = sandbox.table("a.csv");
    let missing = scores.column("bill_length_mm");
    let without: Vec<bool> = missing.iter().map(|cell| *cell == "NA").collect();
    let nan: Vec<bool> = scores.numbers("PC1").iter().map(|x| x.is_nan()).collect();
    assert_eq!(without, nan);
    assert_eq!(nan.iter().filter(|x| **x).count(), 2);
}

#[test]
fn a_precomputed_kernel_matrix_gives_the_scores_of_its_rows() {
    let sandbox = Sandbox::with_tables();
    let iris = sandbox.table("rings.csv");
    let (x, y) = (iris.numbers("x"), iris.numbers("y"));
    let (x, y) = (&x[..60], &y[..60]);
    let names: Vec<String> = (0..60).map(|j| format!("k{j}")).collect();
    let mut matrix = names.join(",") + "\n";
    let mut rows = "x,y\n".to_owned();
    for i in 0..60 {
        let k = |j: usize| (-(x[i] - x[j]).powi(2) - (y[i] - y[j]).powi(2)).exp();
        let cells: Vec<String> = (0..60).map(|j| k(j).to_string()).collect();
        matrix += &(cells.join(",") + "\n");
        rows += &format!("{},{}\n", x[i], y[i]);
    }
    sandbox.write("k.csv", matrix);
    sandbox.write("rows.csv", rows);
    sandbox.done(&words(
        "fit kpca k.csv -k 3 --kernel precomputed -m m -o a.csv -q",
        &[],
    ));
    sandbox.done(&words(
        "fit kpca rows.csv -k 3 --kernel rbf(gamma=1) -o b.csv -q",
        &[],
    ));
    let (a, b) = (sandbox.table("a.csv"), sandbox.table("b.csv"));
    for name in ["PC1", "PC2", "PC3"] {
        assert_close(&a.numbers(name), &b.numbers(name), 1e-8);
    }
    sandbox.done(&words("transform m k.csv -o c.csv -q", &[]));
    assert_eq!(sandbox.text("a.csv"), sandbox.text("c.csv"));
    sandbox
        .refused(&words("inverse m a.csv -o back.csv", &[]))
        .says(&["precomputed", "tip: a precomputed kernel knows no rows"]);
}

#[test]
fn describe_tells_what_is_in_a_model() {
    let sandbox = Sandbox::with_tables();
    let fit = "fit kpca iris.csv -k 3 -m m.safetensors --kernel rbf(gamma=0.25) -q";
    sandbox.done(&words(fit, &[]));
    let run = sandbox.done(&["describe", "m.safetensors"]);
    for word in [
        "150 rows × 4 numeric columns",
        "rbf(gamma=0.25): positive semi-definite by construction",
        "data      iris.csv",
        "command   eigenspan fit kpca iris.csv",
    ] {
        assert!(run.out.contains(word), "{word}: {run:#?}");
    }
    let object = sandbox.json(&["describe", "m.safetensors"]);
    assert_eq!(object["kernel"], "rbf(gamma=0.25)");
    assert_eq!(object["columns"][3], "petal_width");
    assert_eq!(object["options"]["kernel"], "rbf(gamma=0.25)");
}

/// Residuals of each row in what `inverse` or `denoise` say.
fn residuals(object: &Value) -> Vec<f64> {
    numbers(&object["residual"], "each")
}

#[test]
fn all_components_lead_back_to_the_rows() {
    let sandbox = Sandbox::with_tables();
    let fit =
        "fit kpca rings.csv -k all -m m -o s.csv -q --label-column ring --kernel rbf(gamma=0.5)";
    sandbox.done(&words(fit, &[]));
    let object = sandbox.json(&words(
        "inverse m s.csv -o back.csv --label-column ring",
        &[],
    ));
    assert_eq!(residuals(&object).len(), 200);
    assert!(residuals(&object).iter().all(|r| *r < 1e-6), "{object:#}");
    let (back, rings) = (sandbox.table("back.csv"), sandbox.table("rings.csv"));
    assert_eq!(back.names, ["ring", "x", "y"]);
    assert_eq!(back.column("ring"), rings.column("ring"));
    for name in ["x", "y"] {
        assert_close(&rings.numbers(name), &back.numbers(name), 1e-5);
    }
}

#[test]
fn every_way_back_says_how_near_it_came() {
    let sandbox = Sandbox::with_tables();
    let fit = "fit kpca rings.csv -k 6 -m m -o s.csv -q --kernel rbf(gamma=0.5)";
    sandbox.done(&words(fit, &[]));
    for method in ["auto", "fixed-point", "ridge", "distances"] {
        let run = sandbox.done(&words("inverse m s.csv -o back.csv --pre-image", &[method]));
        run.says(&["distance in feature space", "median", "written: back.csv"]);
        let object = sandbox.json(&words("inverse m s.csv -o back.csv --pre-image", &[method]));
        assert_eq!(residuals(&object).len(), 200, "{method}");
        // Rows lie within 1.5 of where they were: half the distance of the rings.
        let (back, rings) = (sandbox.table("back.csv"), sandbox.table("rings.csv"));
        let pairs = back.numbers("x").into_iter().zip(rings.numbers("x"));
        let off = pairs.map(|(a, b)| (a - b).abs());
        let mean = off.sum::<f64>() / 200.0;
        assert!(mean < 0.75, "{method}: {mean}");
    }
    let fit = "fit kpca rings.csv -k 2 -m poly -q --kernel poly(degree=2,gamma=1,coef0=1)";
    sandbox.done(&words(fit, &[]));
    sandbox.done(&words("transform poly rings.csv -o p.csv -q", &[]));
    sandbox
        .refused(&words(
            "inverse poly p.csv -o b.csv --pre-image fixed-point",
            &[],
        ))
        .says(&[
            "does not work for the kernel poly",
            "rbf alone",
            "--pre-image auto",
        ]);
    sandbox.done(&words("fit pca rings.csv -k 1 -m pca -o t.csv -q", &[]));
    sandbox
        .refused(&words("inverse pca t.csv -o b.csv --pre-image ridge", &[]))
        .says(&[
            "PCA rebuilds rows by its components",
            "pre-images are for kernel PCA",
        ]);
}

#[test]
fn figures_of_a_kernel_pca_are_drawn_from_its_model() {
    let sandbox = Sandbox::with_tables();
    sandbox.done(&words(
        "fit kpca rings.csv -k 3 -m m --kernel rbf(gamma=0.5) -q",
        &[],
    ));
    for typed in [
        "plot scores m rings.csv -o f.svg --color-by ring -q",
        "plot pairs m rings.csv -o f.svg -q",
        "plot scree m -o f.svg -q",
    ] {
        sandbox.done(&words(typed, &[]));
        assert!(sandbox.text("f.svg").contains("<svg"), "{typed}");
    }
    sandbox
        .refused(&words("plot loadings m rings.csv", &[]))
        .says(&[
            "loadings shows directions in the columns, and kernel PCA has none",
            "scree, scores or pairs",
        ]);
    for (figure, why) in [
        (
            "outliers",
            "shows T² and Q, which are computed for PCA, and not for kernel PCA",
        ),
        (
            "biplot",
            "shows directions in the columns, and kernel PCA has none",
        ),
    ] {
        sandbox
            .refused(&["plot", figure, "m", "rings.csv"])
            .says(&[&format!("{figure} {why}")]);
    }
    sandbox
        .refused(&words("plot scores m", &[]))
        .says(&["shows rows", "plot scores m DATA"]);
}
