//! Kernels of distances that are far too narrow or too wide for the rows, and the default that is neither.

use eigenspan::method::KernelPcaOptions;
use eigenspan::prepare::Scale;
use eigenspan::solve::Approximate;
use eigenspan::{Mat, Note};

use super::{asked, fitted, iris};
use crate::support::table_without;

fn wine() -> Mat<f64> {
    table_without("wine/wine.csv", &["target"])
}

/// Whether the kernel matrix is said to be nearly the identity (true) or nearly constant (false), and the whole note.
fn said(options: &KernelPcaOptions, x: &Mat<f64>) -> Option<(bool, Note)> {
    let model = fitted(options, x);
    let mut notes = model.notes().iter();
    notes.find_map(|note| match note {
        Note::UnsuitedWidth { identity, .. } => Some((*identity, note.clone())),
        _ => None,
    })
}

#[test]
fn a_kernel_that_is_nearly_the_identity_is_noted() {
    let x = wine();
    for kernel in [
        "rbf",
        "rbf(gamma=1)",
        "laplacian",
        "matern(nu=1.5, length=1)",
        "rational_quadratic(alpha=40, length=1)",
        "chi2",
    ] {
        let (identity, note) = said(&asked(kernel, 2), &x).unwrap_or_else(|| panic!("{kernel}"));
        assert!(identity, "{kernel}");
        let text = note.to_string();
        assert!(
            text.starts_with("the kernel matrix is nearly the identity: k(x, x') is below 0.0001"),
            "{text}"
        );
        let hint = note.hint().expect("a hint");
        let wanted = if kernel == "chi2" { "kernel" } else { "scale" };
        assert_eq!(hint.option, wanted, "{kernel}");
        // What it says would do, does.
        let Note::UnsuitedWidth { better, .. } = note else {
            panic!("{kernel}");
        };
        assert!(said(&asked(&better, 2), &x).is_none(), "{better}");
    }
    let scaled = KernelPcaOptions {
        scale: Scale::Std,
        ..asked("rbf", 2)
    };
    assert!(said(&scaled, &x).is_none());
    let narrow = KernelPcaOptions {
        scale: Scale::Std,
        ..asked("rbf(gamma=50)", 2)
    };
    let (_, note) = said(&narrow, &x).expect("a note");
    let hint = note.hint().expect("a hint");
    assert_eq!(
        (hint.option, hint.value.as_str()),
        ("kernel", "rbf(gamma=median)")
    );
}

#[test]
fn a_kernel_that_is_nearly_constant_is_noted() {
    let x = iris();
    for kernel in [
        "rbf(gamma=1e-6)",
        "laplacian(gamma=0.00001)",
        "matern(nu=2.5, length=1000)",
        "rational_quadratic(alpha=1, length=1000)",
    ] {
        let (identity, note) = said(&asked(kernel, 2), &x).unwrap_or_else(|| panic!("{kernel}"));
        assert!(!identity, "{kernel}");
        let text = note.to_string();
        let starts = "the kernel matrix is nearly constant: 1 − k(x, x') is ";
        assert!(text.starts_with(starts), "{text}");
        assert_eq!(
            text.contains("finds what PCA finds"),
            kernel.starts_with("rbf")
        );
        let Note::UnsuitedWidth { better, .. } = note else {
            panic!("{kernel}");
        };
        assert!(said(&asked(&better, 2), &x).is_none(), "{better}");
    }
}

#[test]
fn widths_that_suit_are_not_noted_and_other_kernels_neither() {
    let tables = [
        iris(),
        wine(),
        table_without("breast-cancer/breast-cancer.csv", &["diagnosis"]),
        table_without("rings/rings.csv", &["ring"]),
    ];
    for x in &tables {
        for kernel in [
            "rbf(gamma=median)",
            "laplacian(gamma=median)",
            "linear",
            "poly(degree=2)",
        ] {
            assert!(said(&asked(kernel, 2), x).is_none(), "{kernel}");
        }
    }
    // Rows that come again and again: most pairs are alike or wholly unlike.
    let hot = Mat::from_fn(200, 20, |i, j| f64::from(i % 20 == j));
    assert!(said(&asked("rbf(gamma=median)", 2), &hot).is_none());
}

#[test]
fn by_landmarks_it_is_noted_too() {
    let x = wine();
    let by = |kernel: &str| KernelPcaOptions {
        approximate: Approximate::Nystrom,
        n_landmarks: Some(40),
        ..asked(kernel, 2)
    };
    assert_eq!(
        said(&by("rbf(gamma=1)"), &x).map(|(identity, _)| identity),
        Some(true)
    );
    assert_eq!(
        said(&by("rbf(gamma=1e-12)"), &x).map(|(identity, _)| identity),
        Some(false)
    );
    assert!(said(&by("rbf(gamma=median)"), &x).is_none());
    // A landmark in every tight group: they lie far apart, and yet stand for all rows.
    let groups = Mat::from_fn(400, 2, |i, j| {
        (i % 20 * (7 + 5 * j)) as f64 + 1e-3 * (i / 20) as f64
    });
    assert!(said(&by("rbf(gamma=1)"), &groups).is_none());
}

#[test]
fn where_most_rows_are_alike_the_median_is_that_of_the_others() {
    let x = Mat::from_fn(100, 2, |i, j| if i < 80 { 1.0 } else { (i + 3 * j) as f64 });
    let model = fitted(&asked("rbf(gamma=median)", 2), &x);
    let gamma = model.kernel().kernel().to_string();
    assert!(
        gamma.starts_with("rbf(gamma=0.0000") || gamma.starts_with("rbf(gamma=0.000"),
        "{gamma}"
    );
}
