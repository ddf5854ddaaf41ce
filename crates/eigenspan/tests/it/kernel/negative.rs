//! Kernels that are not positive semi-definite: which negative eigenvalues are reported, and how they are treated.
//!
//! Eigenvalues are NumPy 2.4.6's, for the table X of `golden.rs`: `H = np.eye(14) - 1/14; np.linalg.eigvalsh(H @ np.tanh(2*X@X.T - 8) @ H)`.

use eigenspan::method::KernelPcaOptions;
use eigenspan::rng::Rng;
use eigenspan::solve::{Keep, Negative, Solver};
use eigenspan::source::Dense;
use eigenspan::{Context, Mat, Note};

use super::{asked, fitted, own_scores, projected, waves};
use crate::support::{assert_said, distance};

const TANH: &str = "tanh(gamma=2, coef0=-8)";
const SMALLEST: f64 = -1.989061336649;
const LARGEST: f64 = 5.851226262643e-01;

fn dealing(negative: Negative, k: usize) -> KernelPcaOptions {
    KernelPcaOptions {
        negative,
        ..asked(TANH, k)
    }
}

#[test]
fn negative_eigenvalues_are_clipped_flipped_or_shifted_as_asked() {
    let x = waves(14, 3, 1);
    for (negative, values) in [
        (
            Negative::Clip,
            [LARGEST, 1.975821080527e-02, 1.628088243606e-06],
        ),
        (Negative::Flip, [-SMALLEST, LARGEST, 1.975821080527e-02]),
        (
            Negative::Shift,
            [
                LARGEST - SMALLEST,
                1.975821080527e-02 - SMALLEST,
                1.628088243606e-06 - SMALLEST,
            ],
        ),
    ] {
        let model = fitted(&dealing(negative, 3), &x);
        let off = distance(&model.eigenvalues(), &values);
        assert!(off < 1e-10, "{negative:?}: {off:e}");
        assert!(
            model
                .spectrum()
                .residuals_of_first()
                .iter()
                .all(|r| *r < 1e-11),
            "{negative:?}"
        );
        // New rows go the way the training rows went.
        let off = distance(
            projected(&model, &x).as_slice(),
            own_scores(&model).as_slice(),
        );
        assert!(off < 1e-9, "{negative:?}: {off:e}");
        let Some(Note::NegativeEigenvalues {
            count,
            smallest,
            largest,
            ..
        }) = model.notes().first()
        else {
            panic!("{:?}", model.notes());
        };
        assert_eq!(*count, Some(6), "{negative:?}");
        assert!((smallest - SMALLEST).abs() < 1e-10 && (largest - LARGEST).abs() < 1e-10);
    }
}

#[test]
fn shares_are_of_what_counts() {
    let x = waves(14, 3, 1);
    for negative in [Negative::Clip, Negative::Flip, Negative::Shift] {
        let all = KernelPcaOptions {
            n_components: Keep::All,
            ..dealing(negative, 1)
        };
        let sum: f64 = fitted(&all, &x).explained_variance_ratio().iter().sum();
        assert!((sum - 1.0).abs() < 1e-9, "{negative:?}: {sum}");
    }
}

#[test]
fn they_are_told_and_refused_where_that_was_asked() {
    let x = waves(14, 3, 1);
    let error = dealing(Negative::Error, 1)
        .fit(&Context::new(), &Dense::new(x.view()))
        .expect_err("negative eigenvalues");
    assert_said(
        &error,
        "the centered kernel matrix has negative eigenvalues, down to -1.989e0 (the largest is 5.851e-1)",
        Some(
            "negative = clip: takes them for zero; `flip` takes their magnitude, `shift` lifts all",
        ),
    );
    let model = fitted(&dealing(Negative::Clip, 1), &x);
    assert_eq!(
        model.notes()[0].to_string(),
        "the kernel is not positive semi-definite on these rows: 6 negative eigenvalues, down to -1.989e0 (the largest is 5.851e-1); they were set to zero"
    );
    // A kernel that could have some and has none goes through without a word.
    let sound = KernelPcaOptions {
        negative: Negative::Error,
        ..asked("precomputed", 2)
    };
    let identity = Mat::from_fn(9, 9, |i, j| {
        f64::from(i == j) + if i == j { i as f64 } else { 0.0 }
    });
    assert!(fitted(&sound, &identity).notes().is_empty());
}

#[test]
fn products_alone_find_the_smallest_eigenvalue_too() {
    let mut rng = Rng::new(5);
    let x = Mat::from_fn(400, 4, |_, _| rng.normal());
    for negative in [Negative::Clip, Negative::Shift] {
        let of = |solver| {
            let options = KernelPcaOptions {
                solver,
                negative,
                ..asked("tanh(gamma=0.5, coef0=-1)", 3)
            };
            fitted(&options, &x)
        };
        let (full, some) = (of(Solver::Full), of(Solver::Randomized));
        assert!(
            distance(&full.eigenvalues(), &some.eigenvalues()) < 1e-6,
            "{negative:?}"
        );
        let smallest = |notes: &[Note]| match notes.first() {
            Some(Note::NegativeEigenvalues { smallest, .. }) => *smallest,
            other => panic!("{other:?}"),
        };
        let (a, b) = (smallest(full.notes()), smallest(some.notes()));
        assert!((a - b).abs() < 1e-6 * a.abs(), "{a} and {b}");
    }
    let flip = KernelPcaOptions {
        solver: Solver::Randomized,
        negative: Negative::Flip,
        n_components: Keep::Share(0.9),
        ..asked("tanh", 3)
    };
    let error = flip
        .fit(&Context::new(), &Dense::new(x.view()))
        .expect_err("flip");
    assert_said(
        &error,
        "negative = `flip` with a share of the variance needs all eigenvalues, but solver `randomized` computes only the largest",
        Some("solver = full: finds all; or ask for a count of components"),
    );
}

#[test]
fn products_alone_flip_the_pairs_of_largest_magnitude() {
    // Four directions, two of them negative, and a little of everything.
    let mut rng = Rng::new(6);
    let x = Mat::from_fn(300, 4, |_, _| rng.normal());
    let noise = Mat::from_fn(300, 300, |_, _| 0.01 * rng.normal());
    let signs = [3.0, -5.0, 2.0, -1.0];
    let matrix = Mat::from_fn(300, 300, |i, j| {
        let sum: f64 = (0..4).map(|l| signs[l] * x[(i, l)] * x[(j, l)]).sum();
        sum + noise[(i, j)] + noise[(j, i)]
    });
    let of = |solver| {
        let options = KernelPcaOptions {
            solver,
            negative: Negative::Flip,
            ..asked("precomputed", 4)
        };
        fitted(&options, &matrix)
    };
    let full = of(Solver::Full);
    let size = full.eigenvalues()[0];
    let negative = full.parts().eigenvalues.iter().filter(|x| **x < 0.0);
    assert_eq!(negative.count(), 2);
    for solver in [Solver::Randomized, Solver::Lanczos] {
        let some = of(solver);
        let off = distance(&full.parts().eigenvalues, &some.parts().eigenvalues);
        assert!(off < 1e-7 * size, "{solver}: {off:e}");
        assert!(
            some.spectrum().residuals.iter().all(|r| *r < 1e-8),
            "{solver}"
        );
        let (a, b) = (projected(&full, &matrix), projected(&some, &matrix));
        let off = distance(a.as_slice(), b.as_slice());
        assert!(off < 1e-6 * size.sqrt(), "{solver}: {off:e}");
        assert!(matches!(
            some.notes().first(),
            Some(Note::NegativeEigenvalues { count: None, .. })
        ));
    }
}

#[test]
fn every_treatment_leaves_a_matrix_that_it_says() {
    // The scores' inner products over all components are the matrix that was made positive semi-definite.
    let x = waves(14, 3, 1);
    let plain = fitted(&dealing(Negative::Flip, 13), &x);
    let raw = &plain.parts().eigenvalues;
    for negative in [Negative::Clip, Negative::Flip, Negative::Shift] {
        let all = KernelPcaOptions {
            n_components: Keep::All,
            ..dealing(negative, 1)
        };
        let model = fitted(&all, &x);
        let mut wanted: Vec<f64> = raw
            .iter()
            .map(|value| match negative {
                Negative::Clip => value.max(0.0),
                Negative::Flip => value.abs(),
                _ => value - SMALLEST,
            })
            .filter(|value| *value > 1e-12)
            .collect();
        wanted.sort_by(|a, b| b.total_cmp(a));
        // Where K̄ itself has next to nothing, K̄α has few digits.
        let scores = own_scores(&model);
        let raw = &model.parts().eigenvalues;
        let clear = (0..model.n_components()).filter(|&j| raw[j].abs() > 1e-6);
        for (j, want) in clear.map(|j| (j, wanted[j])) {
            let square: f64 = scores.col(j).iter().map(|x| x * x).sum();
            assert!(
                (square - want).abs() < 1e-6,
                "{negative:?}, {j}: {square} and {want}"
            );
        }
    }
}
