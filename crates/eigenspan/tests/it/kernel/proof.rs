//! What a kernel PCA claims to have proved, against kernel matrices with twice the digits: no true residual is larger than the
//! one claimed, and no exact eigenvalue lies outside the bound for landmarks.

use eigenspan::kernel::Landmarks;
use eigenspan::method::{KernelPca, KernelPcaOptions, SpectrumError};
use eigenspan::rng::Rng;
use eigenspan::solve::{Approximate, Keep, Solver};
use eigenspan::source::Dense;
use eigenspan::{Context, Mat, Note};

use super::twice::Twice;
use super::{asked, fitted, projected};

/// n rows in ten clusters whose middles lie `spread` apart.
fn clusters(n: usize, spread: f64) -> Mat<f64> {
    let mut rng = Rng::new(7);
    let middles = Mat::from_fn(10, 3, |_, _| spread * rng.normal());
    Mat::from_fn(n, 3, |i, j| middles[(i % 10, j)] + rng.normal())
}

/// K with twice the digits.
fn matrix(x: &Mat<f64>, of: impl Fn(&[f64], &[f64]) -> Twice) -> Vec<Vec<Twice>> {
    x.rows()
        .map(|a| x.rows().map(|b| of(a, b)).collect())
        .collect()
}

fn square(a: &[f64], b: &[f64]) -> Twice {
    a.iter().zip(b).fold(Twice::from(0.0), |sum, (a, b)| {
        let difference = Twice::from(*a) - Twice::from(*b);
        sum + difference * difference
    })
}

fn product(a: &[f64], b: &[f64]) -> Twice {
    let terms = a.iter().zip(b);
    terms.fold(Twice::from(0.0), |sum, (a, b)| {
        sum + Twice::from(*a) * Twice::from(*b)
    })
}

/// A kernel by name, with twice the digits.
fn kernel(name: &str, gamma: f64, a: &[f64], b: &[f64]) -> Twice {
    let gamma = Twice::from(gamma);
    let one = Twice::from(1.0);
    match name {
        "rbf" => (-(gamma * square(a, b))).exp(),
        "rational_quadratic" => one / (one + square(a, b) * Twice::from(0.5)),
        "laplacian" => {
            let sum = a.iter().zip(b).fold(Twice::from(0.0), |sum, (a, b)| {
                let apart = Twice::from(*a) - Twice::from(*b);
                sum + if a < b { -apart } else { apart }
            });
            (-(gamma * sum)).exp()
        }
        "matern" => {
            let s = (Twice::from(3.0) * square(a, b)).sqrt();
            (one + s) * (-s).exp()
        }
        "tanh" => {
            let inside = gamma * product(a, b) - one;
            let (sign, size) = match inside.high() < 0.0 {
                true => (-one, -inside),
                false => (one, inside),
            };
            let less = (-(size + size)).exp();
            sign * (one - less) / (one + less)
        }
        "linear" => product(a, b),
        "poly" => {
            let inside = gamma * product(a, b) + one;
            inside * inside * inside
        }
        "cosine" => product(a, b) / (product(a, a) * product(b, b)).sqrt(),
        other => panic!("{other}"),
    }
}

fn text(name: &str, gamma: f64) -> String {
    match name {
        "rbf" | "laplacian" | "poly" => format!("{name}(gamma={gamma})"),
        "tanh" => format!("tanh(gamma={gamma}, coef0=-1)"),
        "matern" => "matern(nu=1.5, length=1)".to_owned(),
        "rational_quadratic" => "rational_quadratic(alpha=1, length=1)".to_owned(),
        name => name.to_owned(),
    }
}

fn centered(mut k: Vec<Vec<Twice>>) -> Vec<Vec<Twice>> {
    let n = Twice::from(k.len() as f64);
    let sum = |row: &[Twice]| row.iter().fold(Twice::from(0.0), |sum, x| sum + *x);
    let means: Vec<Twice> = k.iter().map(|row| sum(row) / n).collect();
    let mean = sum(&means) / n;
    for (i, row) in k.iter_mut().enumerate() {
        for (j, x) in row.iter_mut().enumerate() {
            *x = *x - means[i] - means[j] + mean;
        }
    }
    k
}

/// ‖K̄u − λu‖ ÷ λ of every component that varies, u being the eigenvector of length 1 that the weights give.
fn true_residuals(k: &[Vec<Twice>], model: &KernelPca) -> Vec<f64> {
    let (weights, values) = (model.weights(), model.eigenvalues());
    let varying = (0..model.spectrum().rank).filter(|&c| weights.col(c).iter().any(|w| *w != 0.0));
    let residual = |c: usize| {
        let u: Vec<Twice> = weights.col(c).iter().map(|w| Twice::from(*w)).collect();
        let length = u.iter().fold(Twice::from(0.0), |sum, x| sum + *x * *x);
        let value = Twice::from(values[c]);
        let squares = k.iter().zip(&u).map(|(row, own)| {
            let image = row.iter().zip(&u);
            let image = image.fold(Twice::from(0.0), |sum, (k, u)| sum + *k * *u);
            let off = (image - value * *own).high();
            off * off
        });
        (squares.sum::<f64>() / length.high()).sqrt() / values[c]
    };
    varying.map(residual).collect()
}

#[track_caller]
fn assert_proved(k: &[Vec<Twice>], model: &KernelPca, what: &str) {
    let found = true_residuals(k, model);
    for (i, (is, claimed)) in found.iter().zip(&model.spectrum().residuals).enumerate() {
        assert!(
            is <= claimed,
            "{what}: component {} has residual {is:.1e}, and {claimed:.1e} was claimed",
            i + 1
        );
    }
}

#[test]
fn no_kernel_residual_is_larger_than_the_one_claimed() {
    for spread in [0.0, 1.0, 1e2, 1e4, 1e6, 1e8] {
        let x = clusters(26, spread);
        for name in [
            "rbf",
            "rational_quadratic",
            "laplacian",
            "linear",
            "poly",
            "cosine",
            "matern",
            "tanh",
        ] {
            for gamma in [1e-4, 0.03, 0.5, 10.0] {
                if gamma != 0.5 && text(name, gamma) == text(name, 0.5) {
                    continue;
                }
                let k = centered(matrix(&x, |a, b| kernel(name, gamma, a, b)));
                for keep in [Keep::Count(3), Keep::All] {
                    for solver in [Solver::Full, Solver::Lanczos] {
                        if solver == Solver::Lanczos && keep == Keep::All {
                            continue;
                        }
                        let options = KernelPcaOptions {
                            n_components: keep,
                            solver,
                            ..asked(&text(name, gamma), 3)
                        };
                        let what =
                            format!("{} at {spread:e}, {keep:?}, {solver:?}", options.kernel);
                        assert_proved(&k, &fitted(&options, &x), &what);
                    }
                }
            }
        }
    }
}

/// Where products of rows would blur distances, these come from differences: nothing is lost, and little is claimed.
#[test]
fn distances_of_clusters_far_apart_keep_their_digits() {
    for spread in [1e2, 1e4, 1e6, 1e7, 1e8] {
        let x = clusters(60, spread);
        for name in ["rbf", "rational_quadratic"] {
            let k = centered(matrix(&x, |a, b| kernel(name, 0.5, a, b)));
            let model = fitted(&asked(&text(name, 0.5), 3), &x);
            assert_proved(&k, &model, name);
            let claimed = model.spectrum().residuals[2];
            assert!(claimed < 1e-11, "{name} at {spread:e}: {claimed:e}");
            // New rows are compared in the same way.
            let again = projected(&model, &x);
            let scores = model.scores().expect("an exact fit");
            for (a, b) in again.as_slice().iter().zip(scores.as_slice()) {
                assert!((a - b).abs() < 1e-12, "{name} at {spread:e}: {a} {b}");
            }
        }
    }
}

#[test]
fn rows_twice_and_rows_of_f32_have_true_residuals_too() {
    let x = clusters(20, 30.0);
    let twice = Mat::from_fn(40, 3, |i, j| x[(i % 20, j)]);
    let single: Vec<f32> = x.as_slice().iter().map(|x| *x as f32).collect();
    let single = Mat::from_vec(20, 3, single).expect("20 × 3");
    let widened = Mat::from_fn(20, 3, |i, j| f64::from(single[(i, j)]));
    for gamma in [1e-4, 1e-2, 1.0] {
        for keep in [Keep::Count(3), Keep::All] {
            let options = KernelPcaOptions {
                n_components: keep,
                ..asked(&text("rbf", gamma), 3)
            };
            let k = centered(matrix(&twice, |a, b| kernel("rbf", gamma, a, b)));
            assert_proved(&k, &fitted(&options, &twice), "twice");
            let model = options.fit(&Context::new(), &Dense::new(single.view()));
            let k = centered(matrix(&widened, |a, b| kernel("rbf", gamma, a, b)));
            assert_proved(&k, &model.expect("a fit"), "f32");
        }
    }
}

/// Rows far from zero, and expressions of every kind, whose kernels are taken relative to the image of their mean.
#[test]
fn kernels_relative_to_their_origin_have_true_residuals() {
    type Exact = fn(&[f64], &[f64]) -> Twice;
    /// A row in units of 1,024, which is exact.
    fn scaled(x: &[f64]) -> Vec<f64> {
        x.iter().map(|x| x / 1024.0).collect()
    }
    let cases: [(&str, Exact); 9] = [
        ("matern(nu=1.5, length=1024)", |a, b| {
            kernel("matern", 1.0, &scaled(a), &scaled(b))
        }),
        ("rational_quadratic(alpha=1, length=1024)", |a, b| {
            kernel("rational_quadratic", 1.0, &scaled(a), &scaled(b))
        }),
        ("tanh(gamma=1e-6, coef0=-1)", |a, b| {
            kernel("tanh", 1e-6, a, b)
        }),
        ("linear", |a, b| kernel("linear", 1.0, a, b)),
        ("poly(degree=3, gamma=0.01, coef0=1)", |a, b| {
            kernel("poly", 0.01, a, b)
        }),
        ("cosine", |a, b| kernel("cosine", 1.0, a, b)),
        ("rbf(gamma=1e-6)", |a, b| kernel("rbf", 1e-6, a, b)),
        (
            "0.5*rbf(gamma=1e-6)*cosine + laplacian(gamma=1e-7)",
            |a, b| {
                kernel("rbf", 1e-6, a, b) * kernel("cosine", 1.0, a, b) * Twice::from(0.5)
                    + kernel("laplacian", 1e-7, a, b)
            },
        ),
        ("exp(cosine)*normalize(rbf(gamma=1e-6) + linear)", |a, b| {
            let inside = |a: &[f64], b: &[f64]| kernel("rbf", 1e-6, a, b) + product(a, b);
            kernel("cosine", 1.0, a, b).exp() * inside(a, b) / (inside(a, a) * inside(b, b)).sqrt()
        }),
    ];
    for far in [30.0, 1e3, 1e5] {
        let near = clusters(30, 0.0);
        let x = Mat::from_fn(30, 3, |i, j| near[(i, j)] + far * (1.0 + j as f64));
        for (text, of) in cases {
            let k = centered(matrix(&x, of));
            for keep in [Keep::Count(2), Keep::All] {
                let options = KernelPcaOptions {
                    n_components: keep,
                    ..asked(text, 2)
                };
                assert_proved(&k, &fitted(&options, &x), &format!("{text} at {far:e}"));
            }
        }
    }
}

#[test]
fn a_given_kernel_matrix_with_a_large_mean_is_centered_without_losing_digits() {
    for far in [0.0, 1e2, 1e5, 1e8] {
        let near = clusters(60, 0.0);
        let x = Mat::from_fn(60, 3, |i, j| near[(i, j)] + far);
        let inner = Mat::from_fn(60, 60, |i, j| {
            let (a, b) = (x.row(i.min(j)), x.row(i.max(j)));
            a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>()
        });
        let constant = Mat::from_fn(60, 60, |i, j| 1.0 + 1e-9 * (near[(i, 0)] * near[(j, 0)]));
        for given in [&inner, &constant] {
            let k = given.rows();
            let k = k.map(|row| row.iter().map(|x| Twice::from(*x)).collect());
            let k = centered(k.collect());
            for solver in [Solver::Full, Solver::Lanczos] {
                let options = KernelPcaOptions {
                    solver,
                    ..asked("precomputed", 1)
                };
                let model = fitted(&options, given);
                assert_proved(&k, &model, &format!("{far:e}, {solver:?}"));
                let claimed = model.spectrum().residuals[0];
                assert!(claimed < 1e-9, "{far:e}, {solver:?}: {claimed:e}");
                let again = projected(&model, given);
                let scores = model.scores().expect("an exact fit");
                let scale = scores.as_slice().iter().fold(0.0f64, |m, x| m.max(x.abs()));
                for (a, b) in again.as_slice().iter().zip(scores.as_slice()) {
                    assert!((a - b).abs() < 1e-6 * scale, "{far:e}: {a} {b}");
                }
            }
        }
    }
}

#[test]
fn exact_eigenvalues_lie_within_the_bound_for_landmarks() {
    let cases = [
        (1.0, "rbf(gamma=0.5)"),
        (1e4, "rbf(gamma=0.5)"),
        (1e6, "rbf(gamma=0.5)"),
        (1e8, "rbf(gamma=0.5)"),
        (1e8, "rational_quadratic(alpha=1, length=1)"),
        (1.0, "rbf(gamma=1e-4)"),
        (1e2, "poly(degree=2, gamma=0.1, coef0=1)"),
    ];
    for (spread, kernel) in cases {
        let wide = clusters(300, spread);
        // Rows of a cluster are near each other, so that landmarks are nearly alike.
        let x = Mat::from_fn(300, 3, |i, j| {
            wide[(i % 10, j)] + 0.3 * (wide[(i, j)] - wide[(i % 10, j)])
        });
        let exact = fitted(&asked(kernel, 8), &x).eigenvalues();
        for landmarks in [Landmarks::Uniform, Landmarks::KMeans] {
            let options = KernelPcaOptions {
                approximate: Approximate::Nystrom,
                n_landmarks: Some(200),
                landmarks,
                ..asked(kernel, 8)
            };
            let model = fitted(&options, &x);
            let Some(SpectrumError::Bound {
                norm: Some(norm),
                above: Some(above),
                ..
            }) = model.parts().error
            else {
                panic!("no bound");
            };
            // Eigenvalues of the exact fit are not exact themselves.
            let unsure = 1e-11 * exact[0];
            for (found, exact) in model.eigenvalues().iter().zip(&exact) {
                assert!(
                    *exact <= found + norm + unsure && *exact >= found - above - unsure,
                    "{spread:e}: {found} for {exact}, within {norm:e} below and {above:e} above"
                );
            }
            assert!(above < 1e-6 * exact[0], "{spread:e}: {above:e}");
            let note = model.notes().iter().find_map(|note| match note {
                Note::Approximated { error, above, .. } => Some((*error, *above)),
                _ => None,
            });
            let (error, said) = note.expect("a note");
            assert!(error >= norm / model.eigenvalues()[0] * (1.0 - 1e-12));
            assert_eq!(said, Some(above / model.eigenvalues()[0]));
        }
    }
}

#[test]
fn rows_that_are_all_alike_have_no_component_that_varies() {
    for (value, kernel) in [
        (1.0, "rbf"),
        (0.1, "linear"),
        (1e8, "poly"),
        (0.3, "laplacian"),
        (1.7, "cosine"),
    ] {
        let x = Mat::from_fn(20, 3, |_, _| value);
        let options = KernelPcaOptions {
            n_components: Keep::All,
            ..asked(kernel, 1)
        };
        let model = fitted(&options, &x);
        assert_eq!(model.spectrum().rank, 0, "{kernel}");
        assert!(model.eigenvalues().iter().all(|x| *x == 0.0), "{kernel}");
        assert_eq!(model.spectrum().total_variance(), 0.0, "{kernel}");
    }
}

/// One rounding of f32 is no asymmetry of a kernel matrix of f32; of one of f64 it is.
#[test]
fn a_kernel_matrix_is_as_symmetric_as_its_cells_can_be() {
    let x = clusters(12, 1.0);
    let inner = Mat::from_fn(12, 12, |i, j| product(x.row(i), x.row(j)).high() as f32);
    let nudged = Mat::from_fn(12, 12, |i, j| match i > j {
        true => inner[(i, j)] * (1.0 + f32::EPSILON),
        false => inner[(i, j)],
    });
    let options = asked("precomputed", 2);
    let model = options.fit(&Context::new(), &Dense::new(nudged.view()));
    let widened = Mat::from_fn(12, 12, |i, j| f64::from(nudged[(i, j)]));
    let k = widened.rows();
    let k = k.map(|row| row.iter().map(|x| Twice::from(*x)).collect());
    assert_proved(&centered(k.collect()), &model.expect("a fit"), "f32");
    let refused = options.fit(&Context::new(), &Dense::new(widened.view()));
    assert!(refused.is_err());
}

#[test]
fn what_is_said_to_be_at_most_so_much_is() {
    use eigenspan::note::at_most;
    let said = [3.4e-15, 3e-15, 9.4e-12, 0.0, 1.04, 2.5e-308];
    let said = said.map(at_most);
    assert_eq!(said, ["4e-15", "3e-15", "1e-11", "0e0", "2e0", "3e-308"]);
}
