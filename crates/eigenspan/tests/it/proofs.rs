//! A proof never passes for a wrong answer: repeated and clustered eigenvalues, components far below the first, rows too
//! small to be squared.

use eigenspan::kernel::Kernel;
use eigenspan::rng::Rng;
use eigenspan::solve::{Keep, Solver};
use eigenspan::source::{CsrView, Dense, Sparse};
use eigenspan::{Context, Error, KernelPcaOptions, Mat, Note, Pca, PcaOptions, Real};

use crate::support::{fit, with_solver};

const ITERATIVE: [Solver; 3] = [Solver::Partial, Solver::Lanczos, Solver::Randomized];

pub(crate) fn leading(solver: Solver, k: usize) -> PcaOptions {
    PcaOptions {
        n_components: Keep::Count(k),
        ..with_solver(solver)
    }
}

/// Rows ±s·e on every axis: their mean is zero, and along axis j they have the scatter 2·s².
struct Axes {
    indptr: Vec<usize>,
    indices: Vec<u32>,
    values: Vec<f64>,
    d: usize,
}

impl Axes {
    fn new(deviations: &[f64]) -> Self {
        let d = deviations.len();
        let both = |s: &f64| [*s, -*s];
        Axes {
            indptr: (0..=2 * d).collect(),
            indices: (0..d as u32).flat_map(|j| [j, j]).collect(),
            values: deviations.iter().flat_map(both).collect(),
            d,
        }
    }

    fn fit(&self, options: &PcaOptions) -> Pca {
        let view = CsrView::new(self.d, &self.indptr, &self.indices, &self.values);
        let rows = Sparse::new(view.expect("a sparse matrix"));
        options.fit(&Context::new(), &rows).expect("a fit")
    }

    fn dense(&self) -> Mat<f64> {
        Mat::from_fn(2 * self.d, self.d, |i, j| match i / 2 == j {
            true => self.values[i],
            false => 0.0,
        })
    }
}

/// Eigenvalues, largest first, against those of a fit; what it says of itself must hold.
#[track_caller]
fn assert_leading(pca: &Pca, squares: &[f64], what: &str) {
    let divisor = pca.spectrum().divisor;
    for (i, (found, s)) in pca.explained_variance().iter().zip(squares).enumerate() {
        let wanted = 2.0 * s * s / divisor;
        assert!(
            (found / wanted - 1.0).abs() < 1e-6,
            "{what}: component {} of {} has {found:e}, not {wanted:e}",
            i + 1,
            pca.n_components()
        );
    }
    let k = pca.n_components();
    let gap = 1.0 - (squares[k] / squares[k - 1]).powi(2);
    if gap < 1e-9 {
        assert_eq!(pca.spectrum().angle, None, "{what}: there is no gap");
    }
    let rank_note = |note: &&Note| matches!(note, Note::RankBelowK { .. });
    assert_eq!(pca.notes().iter().find(rank_note), None, "{what}");
}

/// The deviation behind the copies, by its place.
type Tail = fn(usize) -> f64;

#[test]
fn every_copy_of_a_repeated_eigenvalue_is_found() {
    let d = 300;
    // Copies, then something below: nothing of the kind, a geometric fall, a flat floor, a second group of copies.
    let tails: [(&str, Tail); 4] = [
        ("all equal", |_| 1.0),
        ("falling", |i| 0.9 * 0.97f64.powi(i as i32)),
        ("a floor", |i| 0.5 + 0.001 * i as f64 / 300.0),
        ("a second group", |i| if i < 100 { 0.7 } else { 0.1 }),
    ];
    for (name, tail) in tails {
        for (copies, k) in [(30, 20), (30, 40), (90, 60), (13, 13)] {
            let mut deviations: Vec<f64> = (0..d)
                .map(|j| if j < copies { 1.0 } else { tail(j - copies) })
                .collect();
            deviations.sort_by(|a, b| b.total_cmp(a));
            let axes = Axes::new(&deviations);
            for solver in ITERATIVE {
                let what = format!("{name}, {copies} copies, k = {k}, {solver}");
                assert_leading(&axes.fit(&leading(solver, k)), &deviations, &what);
                let pca = fit(&leading(solver, k), &axes.dense());
                assert_leading(&pca, &deviations, &format!("{what}, dense"));
            }
        }
    }
}

#[test]
fn designs_and_duplicated_rows_keep_all_their_directions() {
    // Every pair of two levels once: a balanced one-hot table, whose covariance has two groups of equal eigenvalues.
    let (a, b) = (40, 30);
    let rows = a * b;
    let indptr: Vec<usize> = (0..=rows).map(|i| 2 * i).collect();
    let indices: Vec<u32> = (0..rows as u32)
        .flat_map(|i| [i % a as u32, a as u32 + i / a as u32])
        .collect();
    let values = vec![1.0; 2 * rows];
    let view = CsrView::new(a + b, &indptr, &indices, &values).expect("a sparse matrix");
    for solver in [Solver::Lanczos, Solver::Randomized, Solver::Auto] {
        for k in [10, 25, 45] {
            let pca = leading(solver, k)
                .fit(&Context::new(), &Sparse::new(view))
                .expect("a fit");
            let divisor = (rows - 1) as f64;
            for (i, found) in pca.explained_variance().iter().enumerate() {
                // Levels of the factor with fewer of them occur more often.
                let wanted = if i < b - 1 { a } else { b } as f64 / divisor;
                assert!(
                    (found / wanted - 1.0).abs() < 1e-9,
                    "{solver}, {k}: {i} {found}"
                );
            }
            let angle = pca.spectrum().angle;
            assert!(angle.is_none(), "{solver}, {k}: {angle:?} without a gap");
        }
    }
}

#[test]
fn kernel_pca_of_duplicated_rows_keeps_all_their_directions() {
    for (groups, copies, k) in [(20, 50, 12), (30, 20, 29), (40, 15, 25)] {
        let x = Mat::from_fn(groups * copies, groups, |i, j| f64::from(i / copies == j));
        for solver in [Solver::Auto, Solver::Lanczos, Solver::Randomized] {
            let options = KernelPcaOptions {
                n_components: Keep::Count(k),
                kernel: "rbf(gamma=1)".parse::<Kernel>().expect("a kernel"),
                solver,
                ..Default::default()
            };
            let model = options
                .fit(&Context::new(), &Dense::new(x.view()))
                .expect("a fit");
            // K is copies·((1 − e⁻²)I + e⁻²·11ᵀ) on the groups, and centering takes the second part out.
            let wanted = copies as f64 * (1.0 - (-2.0f64).exp());
            for value in model.eigenvalues() {
                assert!(
                    (value / wanted - 1.0).abs() < 1e-9,
                    "{solver}, {groups}: {value}"
                );
            }
            let angle = model.spectrum().angle;
            assert!(k == groups - 1 || angle.is_none(), "{solver}: {angle:?}");
        }
    }
}

/// Normal rows, f32 or f64, whose first column has `factor` times the deviation of the others.
fn behind_one_column<T: Real>(n: usize, d: usize, factor: f64, seed: u64) -> Mat<T> {
    let mut rng = Rng::new(seed);
    Mat::from_fn(n, d, |_, j| {
        T::from_f64(rng.normal() * if j == 0 { factor } else { 1.0 })
    })
}

/// Largest difference of eigenvalues, each relative to itself.
fn relative_error(exact: &Pca, other: &Pca) -> f64 {
    let pairs = exact.explained_variance().into_iter();
    pairs
        .zip(other.explained_variance())
        .fold(0.0, |m, (a, b)| m.max((b / a - 1.0).abs()))
}

#[test]
fn components_behind_a_large_one_are_found_as_well_as_the_large_one() {
    fn try_all<T: Real>(factor: f64, allowed: f64) {
        for (n, d) in [(500, 150), (120, 300)] {
            let x = behind_one_column::<T>(n, d, factor, 3);
            let exact = fit(&leading(Solver::Full, 10), &x);
            for solver in ITERATIVE {
                let pca = fit(&leading(solver, 10), &x);
                let error = relative_error(&exact, &pca);
                let worst = pca.spectrum().residuals.iter().copied().fold(0.0, f64::max);
                let named = |note: &Note| matches!(note, Note::NotResolved { .. });
                assert!(
                    error < allowed || pca.notes().iter().any(named),
                    "{solver}, {n} × {d}, factor {factor:e}: off by {error:e}, residual {worst:e}"
                );
                // An eigenvalue is never farther from a true one than its residual says.
                assert!(
                    error <= worst * 1.01 + 1e-12,
                    "{solver}: {error:e} above {worst:e}"
                );
            }
            // What is not asked for by name is resolved.
            let error = relative_error(&exact, &fit(&leading(Solver::Auto, 10), &x));
            assert!(error < allowed, "auto, factor {factor:e}: {error:e}");
        }
    }
    try_all::<f32>(1e3, 1e-6);
    try_all::<f64>(1e3, 1e-8);
    try_all::<f64>(5e4, 1e-6);
    try_all::<f64>(1e6, 1e-4);
}

#[test]
fn a_component_that_no_product_can_resolve_is_named() {
    // Variances 1 and 2.5e-13: of the second, products with the data know next to nothing.
    let x = behind_one_column::<f64>(400, 60, 2e6, 4);
    for solver in [Solver::Lanczos, Solver::Randomized] {
        let pca = fit(&leading(solver, 5), &x);
        let named = pca.notes().iter().find_map(|note| match note {
            Note::NotResolved { components, .. } => Some(components.clone()),
            _ => None,
        });
        assert_eq!(named, Some(vec![2, 3, 4, 5]), "{solver}: {:?}", pca.notes());
    }
    let note = Note::NotResolved {
        components: vec![2, 3, 4, 5],
        residual: 0.31,
    };
    assert_eq!(
        note.to_string(),
        "components 2 to 5 are not resolved: residuals up to 3e-1 of their own eigenvalue"
    );
    let note = Note::NotResolved {
        components: vec![7],
        residual: 2e-3,
    };
    assert_eq!(
        note.to_string(),
        "component 7 is not resolved: residuals up to 2e-3 of its own eigenvalue"
    );
}

#[test]
fn what_is_left_of_one_direction_is_proven_or_named() {
    // x = offset + a·b, rounded: one direction, and what rounding the cells left beside it.
    for (n, d) in [(60, 8), (300, 40), (30, 90), (40, 200)] {
        for offset in [0.0, 1.0, 1e3, 1e6] {
            let mut rng = Rng::new(8);
            let (a, b): (Vec<f64>, Vec<f64>) = (
                (0..n).map(|_| rng.normal()).collect(),
                (0..d).map(|_| rng.normal()).collect(),
            );
            let x = Mat::from_fn(n, d, |i, j| offset + a[i] * b[j]);
            for solver in [Solver::Full, Solver::Qr, Solver::Auto] {
                let pca = fit(&leading(solver, 5), &x);
                let spectrum = pca.spectrum();
                let unproven: Vec<usize> = (0..spectrum.rank)
                    .filter(|&i| spectrum.residuals[i] > 0.1)
                    .map(|i| i + 1)
                    .collect();
                let named = pca.notes().iter().find_map(|note| match note {
                    Note::NotProven { components, .. } => Some(components.clone()),
                    _ => None,
                });
                let case = format!("{solver}, {n} × {d}, offset {offset:e}: {:?}", pca.notes());
                assert_eq!(named.unwrap_or_default(), unproven, "{case}");
                assert!(spectrum.residuals[0] < 1e-10, "{case}");
            }
        }
    }
    let note = Note::NotProven {
        components: vec![2, 3],
        residual: 2e10,
    };
    assert_eq!(
        note.to_string(),
        "components 2 to 3 are too small beside the first for a proof of accuracy: residuals up to 2e10 of their own eigenvalue"
    );
    assert!(note.hint().is_none());
}

#[test]
fn rows_too_small_to_be_squared_are_refused_or_right() {
    for exponent in [-150, -155, -160, -165, -170] {
        let factor = 10f64.powi(exponent);
        let mut rng = Rng::new(6);
        let x = Mat::from_fn(300, 60, |_, _| rng.normal());
        let tiny = Mat::from_fn(300, 60, |i, j| factor * x[(i, j)]);
        let exact = fit(&leading(Solver::Full, 4), &x);
        for solver in Solver::ALL {
            let rows = Dense::new(tiny.view());
            match leading(solver, 4).fit(&Context::new(), &rows) {
                Err(Error::Underflow) => assert_ne!(solver, Solver::Auto, "1e{exponent}"),
                Err(other) => panic!("{solver}, 1e{exponent}: {other}"),
                Ok(_) if solver == Solver::Sketch => {}
                Ok(pca) => {
                    let found = &pca.spectrum().singular_values;
                    for (s, wanted) in found.iter().zip(&exact.spectrum().singular_values) {
                        let off = (s / factor / wanted - 1.0).abs();
                        assert!(
                            off < 1e-6,
                            "{solver}, 1e{exponent}: {s:e} is off by {off:e}"
                        );
                    }
                }
            }
        }
    }
}
