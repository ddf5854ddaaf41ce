//! Several kernels in one text: their values, and errors with the column at which a text goes wrong.

use eigenspan::evaluate::Counts;
use eigenspan::kernel::{Kernel, KernelGrid};

fn grid(text: &str) -> KernelGrid {
    text.parse().unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn every_value_of_every_parameter_may_be_several() {
    let cases = [
        ("rbf", vec!["rbf"]),
        ("rbf(sigma=[1, 2])", vec!["rbf(sigma=1)", "rbf(sigma=2)"]),
        (
            "rbf(gamma=[0.5, scale, \"median\"])",
            vec!["rbf(gamma=0.5)", "rbf(gamma=scale)", "rbf(gamma=median)"],
        ),
        (
            "matern(nu=[0.5, inf], length=1..2)",
            vec![
                "matern(nu=0.5, length=1)",
                "matern(nu=0.5, length=2)",
                "matern(nu=inf, length=1)",
                "matern(nu=inf, length=2)",
            ],
        ),
        (
            "tanh(coef0=[-1, 0])",
            vec!["tanh(coef0=-1)", "tanh(coef0=0)"],
        ),
        (
            "0.1..10:3*linear + normalize(chi2(gamma=[1,2]))",
            vec![
                "0.1*linear + normalize(chi2(gamma=1))",
                "0.1*linear + normalize(chi2(gamma=2))",
                "linear + normalize(chi2(gamma=1))",
                "linear + normalize(chi2(gamma=2))",
                "10*linear + normalize(chi2(gamma=1))",
                "10*linear + normalize(chi2(gamma=2))",
            ],
        ),
    ];
    for (text, kernels) in cases {
        let grid = grid(text);
        let got: Vec<String> = (0..grid.len())
            .map(|i| grid.kernel(i).expect("a kernel").to_string())
            .collect();
        let want: Vec<String> = kernels
            .iter()
            .map(|text| text.parse::<Kernel>().expect("a kernel"))
            // A Gaussian that is not told its γ takes the median.
            .map(|kernel| kernel.with_median_gaussian().to_string())
            .collect();
        assert_eq!(got, want, "{text}");
    }
}

#[test]
fn ranges_have_equal_ratios_and_exact_ends() {
    let values = |text: &str| grid(text).axes()[0].values.clone();
    assert_eq!(
        values("rbf(gamma=1e-3..1e2:6)"),
        ["0.001", "0.01", "0.1", "1", "10", "100"]
    );
    assert_eq!(
        values("rbf(gamma=0.01..1:5)"),
        ["0.01", "0.03162", "0.1", "0.3162", "1"]
    );
    assert_eq!(values("poly(degree=2..4)"), ["2", "3", "4"]);
    assert_eq!(values("rbf(gamma=1..1.00001:3)").len(), 3);
}

#[test]
fn axes_have_names_that_tell_them_apart() {
    let text =
        "[1,2]*rbf(gamma=[1,2]) + laplacian(gamma=[1,2]) + poly(degree=[1,2])*poly(degree=[2,3])";
    let names: Vec<String> = grid(text).axes().iter().map(|a| a.name.clone()).collect();
    assert_eq!(
        names,
        [
            "factor",
            "rbf.gamma",
            "laplacian.gamma",
            "poly.degree1",
            "poly.degree2"
        ]
    );
    assert_eq!(grid("rbf(gamma=[1,2])").label(1), "gamma=2");
    assert_eq!(
        grid("poly(degree=1..3, coef0=[0,1])").label(3),
        "degree=2, coef0=1"
    );
}

#[test]
fn what_is_wrong_is_told_with_its_column() {
    let cases = [
        (
            "rbf(gama=[1,2])",
            "column 5: `gama` is not a parameter of rbf (`gamma`?); there are gamma, sigma",
        ),
        (
            "rbf(gamma=[])",
            "column 12: `]` is not expected here, but a number is expected",
        ),
        (
            "rbf(gamma=[1,2)",
            "column 15: `)` is not expected here, but `,` or `]` is expected",
        ),
        (
            "rbf(gamma=[1,-2])",
            "column 14: gamma = -2 does not fit: rbf takes a number above 0, auto (1 ÷ columns), scale or median",
        ),
        ("rbf(gamma=[1,2,1.0])", "column 16: 1.0 is given twice"),
        (
            "rbf(gamma=3..1)",
            "column 11: the range 3..1 is empty: it goes from a number to a larger one",
        ),
        (
            "rbf(gamma=1..3:1)",
            "column 11: a range takes 2 to 1000 values, not 1, as in 1..3:5",
        ),
        (
            "rbf(gamma=0..3:4)",
            "column 11: the numbers of 0..3:4 have equal ratios, so they lie above 0; others are listed, as in [-1, 0, 1]",
        ),
        (
            "rbf(gamma=0.1..3)",
            "column 11: 0.1..3 without a count stands for at most 1000 whole numbers; 0.1..3:5 would be 5 numbers with equal ratios",
        ),
        (
            "poly(degree=0..3)",
            "column 13: degree = 0 does not fit: poly takes a whole number from 1 to 100",
        ),
        (
            "poly(degree=1..9:4)",
            "column 13: degree = 2.08 does not fit: poly takes a whole number from 1 to 100",
        ),
        (
            "rbf(gamma=1..)",
            "column 14: `)` is not expected here, but a number is expected",
        ),
        (
            "[1, 0]*rbf",
            "column 5: a kernel is multiplied by a number above 0, not by 0",
        ),
        (
            "[1, 2]",
            "column 1: a number alone is not a kernel; it stands before one, as in `0.5*rbf`",
        ),
    ];
    for (text, what) in cases {
        let error = text.parse::<KernelGrid>().expect_err(text).to_string();
        assert_eq!(error, format!("kernel `{text}`, {what}"));
    }
}

#[test]
fn a_kernel_alone_does_not_stand_for_several() {
    let error = "rbf(gamma=[1, 2])".parse::<Kernel>().expect_err("several");
    assert_eq!(
        error.to_string(),
        "kernel `rbf(gamma=[1, 2])`, column 11: several values are given, but one kernel is needed; tune tries several"
    );
}

#[test]
fn counts_are_refused_with_what_they_take() {
    for text in ["", "a", "1..", "..3", "-1", "1.5", "1,,2"] {
        let error = text.parse::<Counts>().expect_err(text).to_string();
        let what = "it takes a count (5), several (2,5,10), a range (1..10) or some counts of a range with equal ratios (1..64:7)";
        assert_eq!(
            error,
            format!("n_components = `{text}` is not known; {what}")
        );
    }
    assert!(
        "5..2"
            .parse::<Counts>()
            .expect_err("empty")
            .to_string()
            .contains("the range 5..2 is empty")
    );
    assert_eq!(
        "0".parse::<Counts>().expect_err("none").to_string(),
        "0 components asked for, but at least 1 is needed"
    );
}
