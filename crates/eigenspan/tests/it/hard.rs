//! Matrices on which careless solvers fail, compared with exact answers or answers to 50 digits.

use eigenspan::rng::Rng;
use eigenspan::solve::Solver;
use eigenspan::source::Dense;
use eigenspan::{Context, Mat, PcaOptions};

use crate::support::{fit, json, npy, repository, to_f32};

#[test]
fn every_singular_value_of_the_hard_matrices_comes_out() {
    let folder = repository().join("tests/accuracy");
    let mut failures = Vec::new();
    let mut seen = 0;
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.extension().is_none_or(|e| e != "json") {
            continue;
        }
        let reference = json(&path);
        let Some(class) = reference["klass"].as_str() else {
            continue;
        };
        let (x, single) = npy(&path.with_extension("npy"));
        let want: Vec<f64> = reference["singular_values"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|v| v.as_str().expect("text").parse().expect("a number"))
            .collect();
        for solver in [Solver::Auto, Solver::Full] {
            let options = PcaOptions {
                solver,
                ..Default::default()
            };
            let pca = if single {
                let x = to_f32(&x);
                options.fit(&Context::new(), &Dense::new(x.view()))
            } else {
                options.fit(&Context::new(), &Dense::new(x.view()))
            };
            let got = pca.expect("a fit").spectrum().singular_values.clone();
            for (i, got) in got.iter().enumerate() {
                let error = (got - want[i]).abs();
                let allowed = if class == "rel" {
                    1e-13 * want[i]
                } else {
                    1e-14 * want[0]
                };
                if error > allowed {
                    let name = &reference["name"];
                    failures.push(format!(
                        "{name} {solver} σ{}: {got:e} not {:e}",
                        i + 1,
                        want[i]
                    ));
                }
            }
        }
        seen += 1;
    }
    assert_eq!(seen, 24, "cases");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn orthogonal_signs_have_equal_eigenvalues() {
    // Columns 1..16 of a Hadamard matrix: every eigenvalue is exactly 16/15.
    let x = Mat::from_fn(16, 15, |i, j| {
        if (i & (j + 1)).count_ones() % 2 == 0 {
            1.0
        } else {
            -1.0
        }
    });
    for solver in [Solver::Auto, Solver::Full, Solver::Covariance] {
        for value in fit(
            &PcaOptions {
                solver,
                ..Default::default()
            },
            &x,
        )
        .explained_variance()
        {
            assert!((value - 16.0 / 15.0).abs() < 1e-14, "{solver}: {value}");
        }
    }
}

#[test]
fn columns_of_any_unit_keep_their_digits() {
    // Scaling a column scales a graded spectrum with it: singular values of X·D against those of each pair of columns.
    let mut rng = Rng::new(4);
    let plain = Mat::from_fn(40, 3, |_, _| rng.normal());
    let scaled = Mat::from_fn(40, 3, |i, j| plain[(i, j)] * [1.0, 1e-90, 1e-180][j]);
    let options = PcaOptions {
        solver: Solver::Full,
        ..Default::default()
    };
    let values = fit(&options, &scaled).spectrum().singular_values.clone();
    // The product of the singular values is the volume, which scales exactly.
    let volume: f64 = fit(&options, &plain)
        .spectrum()
        .singular_values
        .iter()
        .product();
    let got = values[0] * (values[1] * 1e90) * (values[2] * 1e180);
    assert!((got / volume - 1.0).abs() < 1e-13, "{got} against {volume}");
}

#[test]
fn equal_rows_have_no_variance_at_all() {
    let x = Mat::from_fn(37, 3, |_, j| [0.1, 0.2, 0.3][j]);
    for solver in [
        Solver::Auto,
        Solver::Full,
        Solver::Covariance,
        Solver::Dual,
        Solver::Power,
    ] {
        let pca = fit(
            &PcaOptions {
                solver,
                ..Default::default()
            },
            &x,
        );
        assert_eq!(pca.explained_variance(), vec![0.0; 3], "{solver}");
        assert_eq!(pca.spectrum().total_variance(), 0.0, "{solver}");
    }
}

#[test]
fn f32_data_at_a_large_offset_keeps_its_eigenvalues() {
    // 20,000 × 20, deviations 3 … 0.1, mean 10⁴: rounding the data to f32 itself costs 6e-4.
    let mut rng = Rng::new(7);
    let deviations: Vec<f64> = (0..20)
        .map(|j| 3.0 + (0.1 - 3.0) * f64::from(j) / 19.0)
        .collect();
    let x = Mat::from_fn(20_000, 20, |_, j| rng.normal() * deviations[j]);
    let shifted = Mat::from_fn(20_000, 20, |i, j| (x[(i, j)] + 1e4) as f32);
    let want = fit(&PcaOptions::default(), &x).explained_variance();
    for solver in [Solver::Auto, Solver::Covariance, Solver::Full] {
        let options = PcaOptions {
            solver,
            ..Default::default()
        };
        let pca = options
            .fit(&Context::new(), &Dense::new(shifted.view()))
            .expect("a fit");
        for (got, want) in pca.explained_variance().iter().zip(&want) {
            assert!(
                (got / want - 1.0).abs() < 1e-3,
                "{solver}: {got} against {want}"
            );
        }
    }
}

#[test]
fn a_large_offset_costs_the_covariance_no_digits() {
    let mut rng = Rng::new(8);
    let x = Mat::from_fn(50_000, 5, |_, j| {
        (rng.normal() * 1024.0).round() * f64::from(1 << j)
    });
    let shifted = Mat::from_fn(50_000, 5, |i, j| x[(i, j)] + 1e12);
    let options = PcaOptions {
        solver: Solver::Covariance,
        ..Default::default()
    };
    let (plain, shifted) = (fit(&options, &x), fit(&options, &shifted));
    for (a, b) in plain
        .explained_variance()
        .iter()
        .zip(shifted.explained_variance())
    {
        assert!((a / b - 1.0).abs() < 1e-13, "{a} against {b}");
    }
}
