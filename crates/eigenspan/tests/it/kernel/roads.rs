//! Every way to the eigenpairs gives the same model: kernel matrix stored or computed again, in any blocks, on any number of
//! threads.

use eigenspan::method::{KernelPca, KernelPcaOptions, PreImageOptions};
use eigenspan::rng::Rng;
use eigenspan::solve::{Keep, Solver};
use eigenspan::source::{CsrView, Dense, Sparse};
use eigenspan::{Context, Mat};

use super::{asked, fitted, own_scores, projected, waves};
use crate::support::{assert_close, distance, to_f32};

fn cloud(n: usize, d: usize) -> Mat<f64> {
    let mut rng = Rng::new(7);
    Mat::from_fn(n, d, |i, j| {
        rng.normal() * 0.6f64.powi(j as i32) + (i % 3) as f64
    })
}

fn with(kernel: &str, k: usize, solver: Solver) -> KernelPcaOptions {
    KernelPcaOptions {
        solver,
        ..asked(kernel, k)
    }
}

#[test]
fn all_solvers_agree_stored_or_computed_anew() {
    let x = cloud(900, 6);
    let [lean, leanest] = [4, 3].map(|mb| Context::new().with_memory(mb * 1_000_000));
    for kernel in ["rbf(gamma=0.2)", "poly(degree=2)", "laplacian + 0.5*linear"] {
        let full = fitted(&with(kernel, 5, Solver::Full), &x);
        for solver in [Solver::Randomized, Solver::Lanczos] {
            let options = with(kernel, 5, solver);
            let stored = fitted(&options, &x);
            let single = options.fit(&lean, &Dense::new(x.view())).expect("a fit");
            assert!(single.parts().plan.reason.contains("f32"));
            let anew = options.fit(&leanest, &Dense::new(x.view()));
            let anew = anew.expect("a fit");
            assert!(anew.parts().plan.reason.contains("computed again"));
            // f32 has 7 digits; most of what it rounds off cancels out.
            for (model, exact) in [(&stored, 1e-10), (&single, 1e-8), (&anew, 1e-10)] {
                assert_close(&model.eigenvalues(), &full.eigenvalues(), exact);
                let off = distance(own_scores(model).as_slice(), own_scores(&full).as_slice());
                let size = full.spectrum().singular_values[0];
                assert!(off < 1e-6 * size, "{kernel}, {solver}: {off:e}");
                let residuals = model.spectrum().residuals_of_first();
                let worst = residuals.iter().fold(0.0, |m, r| r.max(m));
                assert!(worst < exact.max(2e-9), "{kernel}, {solver}: {worst:e}");
                let (own, all) = (model.spectrum().norm, full.spectrum().norm);
                assert!((own / all - 1.0).abs() < 1e-12);
            }
        }
    }
}

#[test]
fn a_share_of_the_variance_takes_as_many_components_on_every_road() {
    let x = cloud(600, 5);
    let of = |solver| {
        let options = KernelPcaOptions {
            n_components: Keep::Share(0.8),
            ..with("rbf(gamma=0.1)", 1, solver)
        };
        fitted(&options, &x)
    };
    let (full, some) = (of(Solver::Full), of(Solver::Randomized));
    assert_eq!(full.n_components(), some.n_components());
    let share = |model: &KernelPca| model.explained_variance_ratio().iter().sum::<f64>();
    assert!(share(&full) >= 0.8 && (share(&full) - share(&some)).abs() < 1e-9);
    assert!(share(&full) - full.explained_variance_ratio()[full.n_components() - 1] < 0.8);
}

#[test]
fn rows_in_blocks_of_any_size_have_the_same_scores() {
    let (x, new) = (waves(300, 4, 1), waves(40, 4, 500));
    for kernel in ["rbf(gamma=0.5)", "normalize(poly) + laplacian", "chi2"] {
        let model = fitted(&asked(kernel, 4), &x);
        let all = projected(&model, &new);
        for size in [1, 7] {
            for start in (0..40).step_by(size) {
                let end = (start + size).min(40);
                let block = Mat::from_fn(end - start, 4, |i, j| new[(start + i, j)]);
                let scores = projected(&model, &block);
                let off = distance(scores.as_slice(), &all.as_slice()[start * 4..end * 4]);
                assert!(off < 1e-12, "{kernel}: {off:e}");
            }
        }
    }
}

#[test]
fn the_same_bits_come_out_on_any_number_of_threads() {
    let (x, new) = (cloud(700, 5), cloud(90, 5));
    let bits = |m: &Mat<f64>| m.as_slice().iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    for (solver, memory) in [
        (Solver::Full, u64::MAX),
        (Solver::Randomized, u64::MAX),
        (Solver::Lanczos, 3_000_000),
        (Solver::Lanczos, 2_000_000),
    ] {
        let mut first = None;
        for threads in [1, 4] {
            let ctx = Context::new()
                .with_threads(threads)
                .expect("threads")
                .with_memory(memory);
            let options = with("rbf(gamma=0.3) + 0.1*linear*laplacian", 3, solver);
            let model = options.fit(&ctx, &Dense::new(x.view())).expect("a fit");
            let scores = model
                .transform(&ctx, &Dense::new(new.view()))
                .expect("scores");
            let all = [&scores, model.weights(), own_scores(&model)];
            let all: Vec<_> = all.into_iter().map(bits).collect();
            assert_eq!(first.get_or_insert_with(|| all.clone()), &all, "{solver}");
        }
    }
    let mut first = None;
    for threads in [1, 4] {
        let ctx = Context::new().with_threads(threads).expect("threads");
        let options = asked("rbf(gamma=0.3)", 3);
        let model = options.fit(&ctx, &Dense::new(x.view())).expect("a fit");
        let back = model
            .pre_images(&ctx, PreImageOptions::default())
            .expect("a way back");
        let rows = back
            .inverse(&ctx, own_scores(&model).view(), None)
            .expect("rows")
            .rows;
        let all = bits(&rows);
        assert_eq!(first.get_or_insert_with(|| all.clone()), &all);
    }
}

#[test]
fn sparse_and_dense_and_f32_rows_give_the_same_model() {
    let mut rng = Rng::new(3);
    let x = Mat::from_fn(60, 8, |_, _| match rng.uniform() < 0.4 {
        true => (8.0 * rng.uniform()).round() / 4.0,
        false => 0.0,
    });
    let (mut starts, mut cols, mut values) = (vec![0], Vec::new(), Vec::new());
    for row in x.rows() {
        for (j, value) in row.iter().enumerate().filter(|(_, x)| **x != 0.0) {
            cols.push(j as u32);
            values.push(*value);
        }
        starts.push(values.len());
    }
    let csr = CsrView::new(8, &starts, &cols, &values).expect("a matrix");
    let options = asked("rbf + cosine", 3);
    let dense = fitted(&options, &x);
    let ctx = Context::new();
    let sparse = options.fit(&ctx, &Sparse::new(csr)).expect("a fit");
    assert_eq!(sparse.scores(), dense.scores());
    let single = to_f32(&x);
    let single = options
        .fit(&ctx, &Dense::new(single.view()))
        .expect("a fit");
    assert_eq!(single.scores(), dense.scores());
}

#[test]
fn a_precomputed_matrix_gives_what_its_kernel_gives() {
    let (x, new) = (waves(50, 3, 1), waves(9, 3, 70));
    let by_rows = fitted(&asked("linear", 3), &x);
    let inner = |a: &Mat<f64>, b: &Mat<f64>| {
        Mat::from_fn(a.n_rows(), b.n_rows(), |i, j| {
            a.row(i)
                .iter()
                .zip(b.row(j))
                .map(|(x, y)| x * y)
                .sum::<f64>()
        })
    };
    let given = fitted(&asked("precomputed", 3), &inner(&x, &x));
    assert_close(&given.eigenvalues(), &by_rows.eigenvalues(), 1e-11);
    let (a, b) = (
        projected(&given, &inner(&new, &x)),
        projected(&by_rows, &new),
    );
    assert!(distance(a.as_slice(), b.as_slice()) < 1e-10);
}
