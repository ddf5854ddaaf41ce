//! The claimed residual of a component holds for the data itself, not only for the rounded sums: every source × solver ×
//! element type, on tables that cost digits.

use eigenspan::method::GrowingPca;
use eigenspan::prepare::Scale;
use eigenspan::rng::Rng;
use eigenspan::solve::{Keep, Solver};
use eigenspan::source::{Chain, Csr, CsrView, Dense, Source, Sparse};
use eigenspan::{Context, Mat, Pca, PcaOptions, Real};

use crate::exactly::Exact;
use crate::support::to_f32;

const K: usize = 3;

/// A table by name.
struct Case {
    name: &'static str,
    x: Mat<f64>,
}

/// Tables that lose digits when they are squared about zero, or summed carelessly.
fn cases(n: usize, d: usize) -> Vec<Case> {
    let table = |name: &'static str, seed: u64, cell: &dyn Fn(&mut Rng, usize, usize) -> f64| {
        let mut rng = Rng::new(seed);
        let x = Mat::from_fn(n, d, |i, j| cell(&mut rng, i, j));
        Case { name, x }
    };
    // Deviations that tell the leading components apart.
    let spread = |j: usize| 1.0 + 4.0 * 0.5f64.powi(j as i32);
    let few = |rng: &mut Rng, share: f64| f64::from(u8::from(rng.uniform() < share));
    vec![
        table("a common mean of 1e7", 1, &|rng, _, j| {
            1e7 + spread(j) * rng.normal()
        }),
        table("means that differ", 2, &|rng, _, j| {
            10f64.powi(j as i32 % 9) + spread(j) * rng.normal()
        }),
        table("one column of epoch seconds", 3, &|rng, i, j| match j {
            2 => 1.7e9 + 3.0 * rng.normal() + (i % 7) as f64,
            _ => few(rng, 0.1) * spread(j) * (1.0 + rng.normal()),
        }),
        table("times in several units", 4, &|rng, i, j| match j {
            1 => 1.7e9 + 40.0 * rng.normal(),
            4 => 1.7e12 + (i * 5) as f64 + rng.normal(),
            5 => 2024.0 + rng.below(3) as f64,
            _ => few(rng, 0.05) * rng.normal() * 100.0,
        }),
        table("columns that some rows lack", 5, &|rng, _, j| {
            let share = [0.3, 0.5, 0.9, 0.995][j % 4];
            few(rng, share) * (1e6 * (1 + j) as f64 + rng.normal())
        }),
        table("sorted by time", 6, &|rng, i, j| match j {
            0 => 1.7e9 + i as f64,
            1 if i > 700 => 1e8 + rng.normal(),
            _ => few(rng, 0.2) * spread(j) * rng.normal(),
        }),
        table("one column a million times the others", 7, &|rng, _, j| {
            (if j == 0 { 1e6 } else { spread(j) }) * (5.0 + rng.normal())
        }),
        table("rows that repeat", 8, &|_, i, j| {
            0.1 * (((i % 5) * (j + 3) * 7919) % 11) as f64
        }),
        table("rank one at an offset", 9, &|_, i, j| {
            1e5 + ((i * i) % 101) as f64 * (1 + j) as f64 / 7.0
        }),
        table("zeros and tenths", 10, &|rng, _, j| {
            0.1 * few(rng, 0.3 + 0.04 * j as f64)
        }),
        table("few cells", 11, &|rng, _, j| {
            few(rng, 0.05) * spread(j) * rng.normal()
        }),
    ]
}

fn options(solver: Solver, scale: Scale) -> PcaOptions {
    PcaOptions {
        n_components: Keep::Count(K),
        solver,
        scale,
        ..Default::default()
    }
}

/// Only the cells that are not zero.
fn csr<T: Real>(x: &Mat<T>) -> Csr<T> {
    let (mut indptr, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for row in x.rows() {
        for (j, cell) in row.iter().enumerate().filter(|(_, x)| x.to_f64() != 0.0) {
            indices.push(j as u32);
            values.push(*cell);
        }
        indptr.push(values.len());
    }
    Csr::from_rows(x.n_cols(), indptr, indices, values).expect("a matrix")
}

/// Claims that hold: residuals, and the eigenvalues that they are about.
#[track_caller]
fn assert_holds(pca: &Pca, exact: &Exact, want: &Pca, what: &str, failures: &mut Vec<String>) {
    let claimed = &pca.spectrum().residuals;
    for (i, measured) in exact.residuals(pca).iter().enumerate() {
        if measured.is_nan() || *measured > claimed[i] {
            failures.push(format!(
                "{what}, PC{}: {measured:e} above {:e}",
                i + 1,
                claimed[i]
            ));
        }
    }
    let (got, want) = (pca.explained_variance(), want.explained_variance());
    (0..K).for_each(|i| {
        // |λ − λ'| ≤ ‖Cv − λv‖ for some eigenvalue λ', which is the one that is meant where all are far apart.
        let error = (got[i] - want[i]).abs();
        let rank = pca.spectrum().rank;
        let unit = if i < rank { got[i] } else { got[0] };
        if error > claimed[i] * unit + 1e-9 * want[0] {
            failures.push(format!("{what}, λ{}: {} for {}", i + 1, got[i], want[i]));
        }
        // Not too wide, where a component stands above the rounding of the first.
        if claimed[i] > 1e-5 && got[i] > 1e-8 * got[0] {
            failures.push(format!("{what}, PC{} claims only {:e}", i + 1, claimed[i]));
        }
    });
}

const FITTED: [Solver; 6] = [
    Solver::Auto,
    Solver::Covariance,
    Solver::Partial,
    Solver::Qr,
    Solver::Full,
    Solver::Lanczos,
];

/// The same table through every source and solver, held against the rows as they are.
fn hold<T: Real>(case: &Case, x: &Mat<T>, weights: Option<&[f64]>, scale: Scale) -> Vec<String> {
    let mut failures = Vec::new();
    let wide = Mat::from_fn(x.n_rows(), x.n_cols(), |i, j| x[(i, j)].to_f64());
    let exact = Exact::new(&wide, weights, true, scale);
    let prepared = exact.rounded();
    let want = PcaOptions {
        center: false,
        ..options(Solver::Full, Scale::None)
    };
    // The divisor counts rows, not weights, here: variances are brought to the same one.
    let want = want
        .fit(&Context::new(), &Dense::new(prepared.view()))
        .expect("a fit");
    let sparse = csr(x);
    let columns = csr(&x.transposed());
    let turned = Csr::from_columns(x.n_rows(), columns.view()).expect("a matrix");
    let weighted = |view| match weights {
        Some(weights) => Sparse::new(view).with_weights(weights).expect("weights"),
        None => Sparse::new(view),
    };
    let dense = match weights {
        Some(weights) => Dense::new(x.view()).with_weights(weights).expect("weights"),
        None => Dense::new(x.view()),
    };
    let shards = shards(&sparse, weights);
    let sources: [(&str, &dyn Source<T>); 4] = [
        ("dense", &dense),
        ("rows", &weighted(sparse.view())),
        ("columns", &weighted(turned.view())),
        ("shards", &shards),
    ];
    for (kind, source) in sources {
        for solver in FITTED {
            let what = format!("{}, {kind}, {solver}, f{}", case.name, 8 * T::BYTES);
            let pca = options(solver, scale).fit(&Context::new(), source);
            let pca = pca.unwrap_or_else(|e| panic!("{what}: {e}"));
            let same_divisor = same_divisor(&want, &pca);
            assert_holds(&pca, &exact, &same_divisor, &what, &mut failures);
        }
    }
    failures
}

/// The same model with the other's divisor.
fn same_divisor(want: &Pca, pca: &Pca) -> Pca {
    let mut parts = want.parts().clone();
    parts.spectrum.divisor = pca.spectrum().divisor;
    Pca::from_parts(parts).expect("a model")
}

/// Rows in three pieces of unlike length.
fn shards<'a, T: Real>(all: &'a Csr<T>, weights: Option<&'a [f64]>) -> Chain<T, Sparse<'a, T>> {
    let view: CsrView<'a, T> = all.view();
    let n = view.n_rows();
    let cuts = [0, n / 10, n / 2, n];
    let piece = |pair: &[usize]| {
        let source = Sparse::new(view.slice_rows(pair[0], pair[1]));
        match weights {
            Some(w) => source.with_weights(&w[pair[0]..pair[1]]).expect("weights"),
            None => source,
        }
    };
    Chain::new(cuts.windows(2).map(piece).collect()).expect("a chain")
}

fn assert_all_hold(scale: Scale, weighted: bool) {
    let (n, d) = (900, 8);
    let mut rng = Rng::new(77);
    let weights: Vec<f64> = (0..n)
        .map(|i| {
            if i % 13 == 0 {
                0.0
            } else {
                0.01 + 3.0 * rng.uniform()
            }
        })
        .collect();
    let weights = weighted.then_some(&weights[..]);
    let mut failures = Vec::new();
    for case in cases(n, d) {
        failures.extend(hold(&case, &case.x, weights, scale));
        failures.extend(hold(&case, &to_f32(&case.x), weights, scale));
    }
    assert!(
        failures.is_empty(),
        "{}\n{}",
        failures.len(),
        failures.join("\n")
    );
}

#[test]
fn residuals_hold_on_the_data() {
    assert_all_hold(Scale::None, false);
}

#[test]
fn residuals_of_scaled_columns_hold_on_the_data() {
    assert_all_hold(Scale::Std, false);
}

#[test]
fn residuals_of_weighted_rows_hold_on_the_data() {
    assert_all_hold(Scale::None, true);
}

/// Everything that can be held against the rows at once, for one model.
fn held(pca: &Pca, x: &Mat<f64>, what: &str) -> Vec<String> {
    let mut failures = Vec::new();
    let exact = Exact::new(x, None, true, Scale::None);
    for (i, measured) in exact.residuals(pca).iter().enumerate() {
        let claimed = pca.spectrum().residuals[i];
        if measured.is_nan() || *measured > claimed {
            failures.push(format!(
                "{what}, PC{}: {measured:e} above {claimed:e}",
                i + 1
            ));
        }
    }
    failures
}

#[test]
fn residuals_of_fewer_rows_than_columns_hold_on_the_data() {
    let mut failures = Vec::new();
    for case in cases(40, 120) {
        let sparse = csr(&case.x);
        let sources: [(&str, &dyn Source<f64>); 2] = [
            ("dense", &Dense::new(case.x.view())),
            ("sparse", &Sparse::new(sparse.view())),
        ];
        for (kind, source) in sources {
            for solver in [Solver::Dual, Solver::Full, Solver::Lanczos] {
                // A few, which are looked at on the rows, and many, which are not.
                for k in [2, 12] {
                    let options = PcaOptions {
                        n_components: Keep::Count(k),
                        ..options(solver, Scale::None)
                    };
                    let pca = options.fit(&Context::new(), source).expect("a fit");
                    let what = format!("{}, {kind}, {solver}, k = {k}", case.name);
                    failures.extend(held(&pca, &case.x, &what));
                }
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn residuals_of_the_other_solvers_hold_on_the_data() {
    let mut failures = Vec::new();
    for case in cases(300, 8) {
        let sparse = csr(&case.x);
        let sources: [(&str, &dyn Source<f64>); 2] = [
            ("dense", &Dense::new(case.x.view())),
            ("sparse", &Sparse::new(sparse.view())),
        ];
        for (kind, source) in sources {
            for solver in [Solver::Randomized, Solver::Sketch, Solver::Power] {
                let options = PcaOptions {
                    n_components: Keep::Count(2),
                    ..options(solver, Scale::None)
                };
                let pca = options.fit(&Context::new(), source).expect("a fit");
                let what = format!("{}, {kind}, {solver}", case.name);
                failures.extend(held(&pca, &case.x, &what));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn residuals_of_sparse_batches_hold_on_the_data() {
    let ctx = Context::new();
    let mut failures = Vec::new();
    for case in cases(500, 8) {
        let sparse = csr(&case.x);
        for size in [1, 60, 500] {
            let mut growing = GrowingPca::new(options(Solver::Auto, Scale::None), 8);
            for start in (0..500).step_by(size) {
                let rows = sparse.view().slice_rows(start, (start + size).min(500));
                growing.add(&ctx, &Sparse::new(rows)).expect("a batch");
            }
            let what = format!("{}, batches of {size}", case.name);
            failures.extend(held(&growing.fit(&ctx).expect("a fit"), &case.x, &what));
        }
        // What a model says of its rows is no more than what a model grown from it says.
        let all = PcaOptions {
            n_components: Keep::All,
            ..options(Solver::Covariance, Scale::None)
        };
        let pca = all.fit(&ctx, &Sparse::new(sparse.view())).expect("a fit");
        let again = GrowingPca::from_model(&pca).expect("all components");
        let what = format!("{}, grown from a model", case.name);
        failures.extend(held(&again.fit(&ctx).expect("a fit"), &case.x, &what));
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn scores_of_sparse_rows_are_those_of_dense_ones() {
    let ctx = Context::new();
    for case in cases(400, 8) {
        let sparse = csr(&case.x);
        let pca = options(Solver::Full, Scale::None)
            .fit(&ctx, &Dense::new(case.x.view()))
            .expect("a fit");
        let want = pca
            .transform(&ctx, &Dense::new(case.x.view()))
            .expect("scores");
        let got = pca
            .transform(&ctx, &Sparse::new(sparse.view()))
            .expect("scores");
        // Each component against the root of its own variance.
        let standing =
            |j: &usize| pca.explained_variance()[*j] > 1e-8 * pca.explained_variance()[0];
        for j in (0..K).take_while(standing) {
            let size = pca.explained_variance()[j].sqrt();
            let off = (0..400).map(|i| (got[(i, j)] - want[(i, j)]).abs());
            let off = off.fold(0.0, f64::max) / size;
            // A column a million times the others leaves its rounding in their scores.
            assert!(off < 1e-8, "{}, PC{}: {off:e}", case.name, j + 1);
        }
    }
}

/// The sum of what `add` adds up over rows, in chunks: one sum of all repeated rows would round the same way each time.
fn sum_in_chunks(x: &Mat<f32>, add: impl Fn(&mut [f64], &[f32])) -> Vec<f64> {
    const CHUNK: usize = 400;
    let mut total = vec![0.0; x.n_cols()];
    for start in (0..x.n_rows()).step_by(CHUNK) {
        let mut some = vec![0.0; x.n_cols()];
        for i in start..(start + CHUNK).min(x.n_rows()) {
            add(&mut some, x.row(i));
        }
        total.iter_mut().zip(some).for_each(|(to, x)| *to += x);
    }
    total
}

/// ‖Sv − σ²v‖ ÷ σ² in f64, of rows centered about a mean that was summed relative to the first: good to about 1e-14.
fn measured_in_f64(x: &Mat<f32>, pca: &Pca, component: usize) -> f64 {
    let (n, d) = (x.n_rows(), x.n_cols());
    let first: Vec<f64> = x.row(0).iter().map(|x| x.to_f64()).collect();
    let sums = sum_in_chunks(x, |sums, row| {
        let cells = sums.iter_mut().zip(row).zip(&first);
        cells.for_each(|((sum, x), first)| *sum += x.to_f64() - first);
    });
    let center: Vec<f64> = (0..d).map(|j| first[j] + sums[j] / n as f64).collect();
    let spectrum = pca.spectrum();
    let (v, sigma) = (
        spectrum.vectors.row(component),
        spectrum.singular_values[component],
    );
    let image = sum_in_chunks(x, |image, row| {
        let centered = row.iter().zip(&center).map(|(x, c)| x.to_f64() - c);
        let score: f64 = centered.clone().zip(v).map(|(x, v)| x * v).sum();
        let cells = image.iter_mut().zip(centered);
        cells.for_each(|(to, x)| *to += score * x);
    });
    let squares = image
        .iter()
        .zip(v)
        .map(|(z, v)| (z - sigma * sigma * v).powi(2));
    squares.sum::<f64>().sqrt() / (sigma * sigma)
}

#[test]
fn ten_million_cells_in_f32_claim_what_holds() {
    let (n, d) = (156_250, 64);
    let mut rng = Rng::new(12);
    let random = Mat::from_fn(n, d, |_, j| {
        (3.0 + (1.0 + 5.0 * 0.7f64.powi(j as i32)) * rng.normal()) as f32
    });
    let repeated = Mat::from_fn(n, d, |i, j| 0.1 * (((i % 5) * (j + 3) * 7919) % 11) as f32);
    for (name, x) in [("random", random), ("repeated", repeated)] {
        for solver in [Solver::Covariance, Solver::Partial] {
            let options = PcaOptions {
                tolerance: Some(1e-9),
                ..options(solver, Scale::None)
            };
            let pca = options
                .fit(&Context::new(), &Dense::new(x.view()))
                .expect("a fit");
            let claimed = pca.spectrum().residuals[0];
            let measured = measured_in_f64(&x, &pca, 0);
            assert!(
                measured <= claimed + 1e-14,
                "{name}, {solver}: {measured:e} above {claimed:e}"
            );
            assert!(
                claimed <= 10.0 * measured + 1e-11,
                "{name}, {solver}: {claimed:e} for {measured:e}"
            );
        }
    }
}
