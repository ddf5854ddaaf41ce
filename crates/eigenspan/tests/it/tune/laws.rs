//! What holds for every search: it equals separate fits, goes on where it stopped, and gives the same bits on any threads.

use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use eigenspan::evaluate::{Classes, Classifier, Criterion, Folds, Outcome, Training, TuneOptions};
use eigenspan::kernel::Kernel;
use eigenspan::method::{KernelPcaOptions, PreImageOptions};
use eigenspan::rng::Rng;
use eigenspan::solve::Keep;
use eigenspan::source::Dense;
use eigenspan::{Context, Error, Mat};

use super::{asked, begun, bits, fifths, found, iris};
use crate::support::{assert_close, mixed};

/// Kernels of every relation between rows.
const KERNELS: [&str; 9] = [
    "rbf(gamma=[0.05, 0.5])",
    "rbf(gamma=[scale, median])",
    "poly(degree=1..3)",
    "laplacian(gamma=[0.1, 1])",
    "matern(length=[1, 3])",
    "chi2(gamma=[0.1, 1])",
    "rational_quadratic(alpha=[0.5, 2])",
    "[0.5, 2]*rbf(gamma=0.1) + normalize(poly(degree=[2, 3]))*laplacian",
    "tanh(gamma=[0.001, 0.01])",
];

fn picked(x: &Mat<f64>, rows: &[usize]) -> Mat<f64> {
    Mat::from_fn(rows.len(), x.n_cols(), |i, j| x[(rows[i], j)])
}

/// One kernel, one fold, one number of components, all on their own: what a person would type by hand.
fn apart(kernel: Kernel, k: usize, x: &Mat<f64>, classes: &Classes, fold: usize) -> f64 {
    let ctx = Context::new();
    let (train, test) = fifths(x.n_rows()).split(fold);
    let (rows, held) = (picked(x, &train), picked(x, &test));
    let options = KernelPcaOptions {
        n_components: Keep::Count(k),
        kernel,
        ..Default::default()
    };
    let model = options.fit(&ctx, &Dense::new(rows.view())).expect("a fit");
    let training = model
        .transform(&ctx, &Dense::new(rows.view()))
        .expect("scores");
    let scores = model
        .transform(&ctx, &Dense::new(held.view()))
        .expect("scores");
    let of =
        |rows: &[usize]| -> Vec<usize> { rows.iter().map(|&i| classes.of_rows()[i]).collect() };
    let (known, truth) = (of(&train), of(&test));
    let training = Training {
        rows: &training,
        classes: &known,
        n_classes: classes.names().len(),
    };
    let told = Classifier::Lda
        .predict(&ctx, training, 5, &scores)
        .expect("classes");
    let right = told.iter().zip(&truth).filter(|(a, b)| a == b).count();
    right as f64 / truth.len() as f64
}

#[test]
fn what_is_computed_once_gives_what_separate_fits_give() {
    let (x, labels) = iris();
    let classes = Classes::new(&labels).expect("classes");
    for kernels in KERNELS {
        let options = TuneOptions {
            classifier: Classifier::Lda,
            ..asked(kernels, "1,3")
        };
        let tuning = found(&options, &x, Some(&labels));
        for cell in &tuning.cells {
            let kernel = tuning.grid.kernel(cell.kernel).expect("a kernel");
            for fold in [0, 3] {
                let want = apart(kernel.clone(), cell.n_components, &x, &classes, fold);
                assert_eq!(
                    cell.values[fold],
                    Some(want),
                    "{kernel}, k = {}",
                    cell.n_components
                );
            }
        }
    }
}

#[test]
fn distances_to_pre_images_are_those_of_separate_fits() {
    let (x, _) = iris();
    let ctx = Context::new();
    for kernels in ["rbf(gamma=[0.1, 1])", "poly(degree=[1, 2])"] {
        let tuning = found(&asked(kernels, "1,2"), &x, None);
        assert_eq!(tuning.criterion, Criterion::Reconstruction);
        for cell in &tuning.cells {
            let (train, test) = fifths(150).split(2);
            let (rows, held) = (picked(&x, &train), picked(&x, &test));
            let options = KernelPcaOptions {
                n_components: Keep::Count(cell.n_components),
                kernel: tuning.grid.kernel(cell.kernel).expect("a kernel"),
                ..Default::default()
            };
            let model = options.fit(&ctx, &Dense::new(rows.view())).expect("a fit");
            let scores = model
                .transform(&ctx, &Dense::new(held.view()))
                .expect("scores");
            let back = model
                .pre_images(&ctx, PreImageOptions::default())
                .expect("a way back");
            let z = back.inverse(&ctx, scores.view(), None).expect("rows").rows;
            let cells = z.as_slice().iter().zip(held.as_slice());
            let square: f64 = cells.map(|(a, b)| (a - b) * (a - b)).sum();
            let want = (square / 30.0).sqrt();
            assert_close(&[cell.values[2].expect("a value")], &[want], 1e-7);
        }
    }
}

#[test]
fn too_little_memory_to_share_changes_nothing_but_rounding() {
    let x = mixed(120, 3, 5);
    let labels: Vec<String> = (0..120).map(|i| (i % 2).to_string()).collect();
    let options = TuneOptions {
        criterion: Some(Criterion::Reconstruction),
        ..asked("rbf(gamma=[0.05, 0.2])", "2")
    };
    let run = |ctx: &Context| {
        let tuner = begun(ctx, &options, &x, Some(&labels)).expect("a search");
        tuner.run(ctx, &[], &|_| Ok(())).expect("a result")
    };
    // 120 × 120 distances take 115 kB.
    let (plenty, little) = (
        run(&Context::new()),
        run(&Context::new().with_memory(500_000)),
    );
    let means = |tuning: &eigenspan::evaluate::Tuning| -> Vec<f64> {
        tuning
            .cells
            .iter()
            .map(|cell| cell.mean.expect("a mean"))
            .collect()
    };
    assert_close(&means(&plenty), &means(&little), 1e-8);
}

#[test]
fn a_search_goes_on_where_it_stopped_and_gives_the_same_bits() {
    let (x, labels) = iris();
    let ctx = Context::new();
    for criterion in [
        Criterion::Accuracy,
        Criterion::Reconstruction,
        Criterion::Parallel,
    ] {
        let options = TuneOptions {
            criterion: Some(criterion),
            n_draws: 4,
            n_folds: 3,
            ..asked("rbf(gamma=0.01..1:3)", "1,2")
        };
        let tuner = begun(&ctx, &options, &x, Some(&labels)).expect("a search");
        let whole = tuner.run(&ctx, &[], &|_| Ok(())).expect("a result");
        // Stopped after four fits, whatever their order.
        let kept: Mutex<Vec<Outcome>> = Mutex::default();
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Context::new().with_stop(stop.clone());
        let result = tuner.run(&stopped, &[], &|outcome| {
            let mut kept = kept.lock().expect("a lock");
            if kept.len() < 4 {
                kept.push(outcome.clone());
            }
            stop.store(kept.len() >= 4, Ordering::Relaxed);
            Ok(())
        });
        assert!(matches!(result, Err(Error::Cancelled)), "{result:?}");
        let kept = kept.into_inner().expect("a lock");
        assert_eq!(kept.len(), 4);
        let again = Mutex::new(0);
        let resumed = tuner.run(&ctx, &kept, &|_| {
            *again.lock().expect("a lock") += 1;
            Ok(())
        });
        let resumed = resumed.expect("a result");
        assert_eq!(again.into_inner().expect("a lock"), tuner.n_fits() - 4);
        assert_eq!(bits(&resumed), bits(&whole));
        assert_eq!(resumed, whole);
    }
}

#[test]
fn outcomes_are_the_same_after_being_written_and_read() {
    let (x, _) = iris();
    let ctx = Context::new();
    let tuner = begun(&ctx, &asked("rbf(gamma=[0.1, 1])", "1,2"), &x, None).expect("a search");
    tuner
        .run(&ctx, &[], &|outcome| {
            let text = serde_json::to_string(outcome).expect("text");
            let read: Outcome = serde_json::from_str(&text).expect("an outcome");
            assert_eq!(&read, outcome);
            Ok(())
        })
        .expect("a result");
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let x = mixed(90, 4, 11);
    let labels: Vec<String> = (0..90).map(|i| (i % 3).to_string()).collect();
    for criterion in [
        Criterion::Accuracy,
        Criterion::Reconstruction,
        Criterion::Parallel,
    ] {
        let options = TuneOptions {
            criterion: Some(criterion),
            n_draws: 3,
            ..asked("0.5*rbf(gamma=[0.02, 0.1]) + laplacian", "1,2,4")
        };
        let run = |threads: usize| {
            let ctx = Context::new().with_threads(threads).expect("threads");
            let tuner = begun(&ctx, &options, &x, Some(&labels)).expect("a search");
            (
                tuner.fingerprint(),
                tuner.run(&ctx, &[], &|_| Ok(())).expect("a result"),
            )
        };
        let (one, two) = (run(1), run(2));
        assert_eq!(bits(&one.1), bits(&two.1), "{criterion:?}");
        assert_eq!(one.0, two.0);
    }
}

#[test]
fn other_rows_labels_and_folds_have_another_fingerprint() {
    let (x, labels) = iris();
    let ctx = Context::new();
    let options = asked("rbf", "1");
    let print = |x: &Mat<f64>, labels: &[String], seed: u64| {
        let options = TuneOptions {
            seed,
            ..options.clone()
        };
        let tuner = begun(&ctx, &options, x, Some(labels)).expect("a search");
        tuner.fingerprint()
    };
    let first = print(&x, &labels, 0);
    assert_eq!(first, print(&x, &labels, 0));
    assert_ne!(first, print(&x, &labels, 1));
    let mut other = x.clone();
    other[(149, 3)] += 1e-15;
    assert_ne!(first, print(&other, &labels, 0));
    let mut swapped = labels.clone();
    swapped.swap(0, 149);
    assert_ne!(first, print(&x, &swapped, 0));
}

#[test]
fn folds_have_their_share_of_every_class() {
    let classes: Vec<usize> = (0..97)
        .map(|i| usize::from(i % 9 == 0) + usize::from(i % 4 == 0))
        .collect();
    let folds = Folds::draw(97, 5, Some(&classes), 3).expect("folds");
    let mut seen = [0; 97];
    for fold in 0..5 {
        let (train, test) = folds.split(fold);
        assert_eq!(train.len() + test.len(), 97);
        assert!((19..=20).contains(&test.len()));
        test.iter().for_each(|&row| seen[row] += 1);
        for class in 0..3 {
            let all = classes.iter().filter(|&&c| c == class).count();
            let here = test.iter().filter(|&&row| classes[row] == class).count();
            assert!(
                here == all / 5 || here == all.div_ceil(5),
                "{here} of {all}"
            );
        }
    }
    assert_eq!(seen, [1; 97]);
    assert_ne!(folds, Folds::draw(97, 5, Some(&classes), 4).expect("folds"));
}

#[test]
fn the_simplest_is_the_fewest_components_within_one_standard_error() {
    let (x, labels) = iris();
    let tuning = found(&asked("rbf(gamma=0.001..10:5)", "1..6"), &x, Some(&labels));
    let best = tuning.best();
    let bar = best.mean.expect("a mean") - best.error.expect("an error") - 1e-12;
    let means = tuning.cells.iter().map(|cell| cell.mean.expect("a mean"));
    assert!(
        means
            .clone()
            .all(|mean| mean <= best.mean.expect("a mean") + 1e-12)
    );
    let near = tuning
        .cells
        .iter()
        .filter(|cell| cell.mean.expect("a mean") >= bar);
    let fewest = near.map(|cell| cell.n_components).min();
    assert_eq!(Some(tuning.simplest().n_components), fewest);
    assert!(tuning.simplest().mean.expect("a mean") >= bar);
    assert!(tuning.simplest().n_components < best.n_components);
}

/// Two directions that vary together over six columns, and noise.
fn structured(n: usize) -> Mat<f64> {
    let mut rng = Rng::new(8);
    let mut x = Mat::zeros(n, 6);
    for i in 0..n {
        let (a, b) = (rng.normal(), rng.normal());
        for j in 0..6 {
            x[(i, j)] = if j < 3 { a } else { b } + 0.3 * rng.normal();
        }
    }
    x
}

#[test]
fn parallel_analysis_sees_structure_and_none_in_noise() {
    let options = TuneOptions {
        criterion: Some(Criterion::Parallel),
        ..asked("linear", "1..5")
    };
    let tuning = found(&options, &structured(200), None);
    assert_eq!(tuning.best().n_components, 2);
    assert_eq!(tuning.best().error, None);
    // A scale of width 1e-3 sees nothing but single rows, a moderate one sees the two directions.
    let options = TuneOptions {
        criterion: Some(Criterion::Parallel),
        ..asked("rbf(gamma=[0.1, 1000])", "1..4")
    };
    let tuning = found(&options, &structured(120), None);
    assert_eq!(tuning.best().kernel, 0);
    assert!(tuning.best().mean.expect("a mean") > 0.01);
    let mut rng = Rng::new(1);
    let noise = Mat::from_fn(120, 5, |_, _| rng.normal());
    let options = TuneOptions {
        n_draws: 20,
        ..options
    };
    let tuning = found(&options, &noise, None);
    assert!(
        tuning.best().mean.expect("a mean") < 0.005,
        "{:?}",
        tuning.best()
    );
}

#[test]
fn a_kernel_matrix_can_be_searched_for_components() {
    let (x, labels) = iris();
    let matrix = Mat::from_fn(150, 150, |i, j| {
        x.row(i).iter().zip(x.row(j)).map(|(a, b)| a * b).sum()
    });
    let given = found(&asked("precomputed", "1,2,3"), &matrix, Some(&labels));
    let linear = found(&asked("linear", "1,2,3"), &x, Some(&labels));
    assert_eq!(bits(&given), bits(&linear));
}
