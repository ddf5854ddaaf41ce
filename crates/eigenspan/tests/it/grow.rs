//! Batches and shards: the same PCA as of all rows at once.

use eigenspan::method::GrowingPca;
use eigenspan::prepare::Scale;
use eigenspan::solve::{Convention, Keep, Solver};
use eigenspan::source::Dense;
use eigenspan::{Context, Mat, Pca, PcaOptions};

use crate::support::{fit, mixed, table_without, with_solver};

/// The largest angle between the spans of the leading k components, in degrees.
fn degrees(a: &Pca, b: &Pca, k: usize) -> f64 {
    let mut squares = 0.0;
    for i in 0..k {
        let row = a.components().row(i);
        let mut rest = row.to_vec();
        for j in 0..k {
            let other = b.components().row(j);
            let along: f64 = row.iter().zip(other).map(|(x, y)| x * y).sum();
            rest.iter_mut()
                .zip(other)
                .for_each(|(r, o)| *r -= along * o);
        }
        squares += rest.iter().map(|x| x * x).sum::<f64>();
    }
    squares.sqrt().min(1.0).asin().to_degrees()
}

fn in_batches(options: &PcaOptions, x: &Mat<f64>, size: usize) -> Pca {
    let ctx = Context::new();
    let mut growing = GrowingPca::new(options.clone(), x.n_cols());
    for start in (0..x.n_rows()).step_by(size) {
        let end = (start + size).min(x.n_rows());
        growing
            .add(&ctx, &Dense::new(x.view().slice_rows(start, end)))
            .expect("a batch");
    }
    assert_eq!(growing.n_rows(), x.n_rows());
    growing.fit(&ctx).expect("a fit")
}

#[test]
fn batches_of_any_size_give_the_digits_of_the_whole() {
    // scikit-learn's IncrementalPCA is off by 25.7°, 10.9° and 8.9° here.
    let x = table_without("digits/digits.csv", &["digit"]);
    let options = PcaOptions {
        n_components: Keep::Count(10),
        ..Default::default()
    };
    let whole = fit(&options, &x);
    for size in [1, 7, 20, 50, 200, 1797] {
        let grown = in_batches(&options, &x, size);
        let off = degrees(&whole, &grown, 10);
        assert!(off < 1e-6, "batches of {size}: {off}°");
        for (a, b) in whole
            .explained_variance()
            .iter()
            .zip(grown.explained_variance())
        {
            assert!(
                (a / b - 1.0).abs() < 1e-11,
                "batches of {size}: {a} against {b}"
            );
        }
    }
}

#[test]
fn models_of_shards_merge_into_the_model_of_all_rows() {
    let x = mixed(600, 12, 4);
    for scale in [Scale::None, Scale::Std] {
        let options = PcaOptions {
            scale,
            convention: Convention::Population,
            ..with_solver(Solver::Covariance)
        };
        let whole = fit(&options, &x);
        let shard = |from: usize, to: usize| {
            let rows = x.view().slice_rows(from, to).to_mat();
            GrowingPca::from_model(&fit(&options, &rows)).expect("a full model")
        };
        let mut all = shard(0, 100);
        all.merge(shard(100, 350)).expect("a merge");
        all.merge(shard(350, 600)).expect("a merge");
        let merged = all.fit(&Context::new()).expect("a fit");
        for (a, b) in whole
            .explained_variance()
            .iter()
            .zip(merged.explained_variance())
        {
            assert!(
                (a - b).abs() < 1e-11 * whole.explained_variance()[0],
                "{a} against {b}"
            );
        }
        for (a, b) in whole.mean().iter().zip(merged.mean()) {
            assert!((a - b).abs() < 1e-12 * a.abs().max(1.0));
        }
        assert!(degrees(&whole, &merged, 3) < 1e-6);
    }
}

#[test]
fn a_cut_model_is_not_merged() {
    let x = mixed(60, 12, 4);
    let cut = fit(
        &PcaOptions {
            n_components: Keep::Count(2),
            ..Default::default()
        },
        &x,
    );
    let error = GrowingPca::from_model(&cut)
        .expect_err("a refusal")
        .to_string();
    assert!(
        error.starts_with("only models that keep all components grow or merge exactly"),
        "{error}"
    );
}

#[test]
fn a_bad_batch_leaves_what_was_there() {
    let ctx = Context::new();
    let x = mixed(60, 3, 4);
    let mut growing = GrowingPca::new(PcaOptions::default(), 3);
    growing.add(&ctx, &Dense::new(x.view())).expect("a batch");
    let bad = Mat::from_fn(2, 3, |i, _| if i == 1 { f64::NAN } else { 0.0 });
    let error = growing
        .add(&ctx, &Dense::new(bad.view()))
        .expect_err("a refusal")
        .to_string();
    assert_eq!(
        error,
        "3 cells are not finite numbers (3 NaN, 0 infinite); the first is row 2, column 1"
    );
    let narrow = Mat::<f64>::zeros(2, 2);
    let error = growing
        .add(&ctx, &Dense::new(narrow.view()))
        .expect_err("a refusal")
        .to_string();
    assert_eq!(error, "2 columns given, but 3 expected");
    assert_eq!(growing.n_rows(), 60);
    let one = GrowingPca::new(PcaOptions::default(), 3)
        .fit(&ctx)
        .expect_err("no rows")
        .to_string();
    assert_eq!(one, "0 rows is too few: a variance needs at least 2 rows");
}
