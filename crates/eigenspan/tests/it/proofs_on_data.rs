//! What a component claims holds on the data, and not only on what was summed and rounded on the way: every source × solver ×
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
        table("a common mean of 1e7", 1, &|rng, _, j| 1e7 + spread(j) * rng.normal()),
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
        table("zeros and tenths", 10, &|rng, _, j| 0.1 * few(rng, 0.3 + 0.04 * j as f64)),
        table("few cells", 11, &|rng, _, j| few(rng, 0.05) * spread(j) * rng.normal()),
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
        if !(*measured <= claimed[i]) {
            failures.push(format!("{what}, PC{}: {measured:e} above {:e}", i + 1, claimed[i]));
        }
    }
    let (got, want) = (pca.explained_variance(), want.explained_variance());
    for i in 0..K {
        // |λ − λ'| ≤ ‖Cv − λv‖ for some eigenvalue λ', which is the one that is meant where all are far apart.
        let error = (got[i] - want[i]).abs();
        let rank = pca.spectrum().rank;
        let unit = if i < rank { got[i] } else { got[0] };
        if error > claimed[i] * unit + 1e-9 * want[0] {
            failures.push(format!("{what}, λ{}: {} for {}", i + 1, got[i], want[i]));
        }
        if claimed[i] > 1e-5 {
            failures.push(format!("{what}, PC{} claims only {:e}", i + 1, claimed[i]));
        }
    }
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
    let want = want.fit(&Context::new(), &Dense::new(prepared.view())).expect("a fit");
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
fn shards<'a, T: Real>(
    all: &'a Csr<T>,
    weights: Option<&'a [f64]>,
) -> Chain<T, Sparse<'a, T>> {
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
        .map(|i| if i % 13 == 0 { 0.0 } else { 0.01 + 3.0 * rng.uniform() })
        .collect();
    let weights = weighted.then_some(&weights[..]);
    let mut failures = Vec::new();
    for case in cases(n, d) {
        failures.extend(hold(&case, &case.x, weights, scale));
        failures.extend(hold(&case, &to_f32(&case.x), weights, scale));
    }
    assert!(failures.is_empty(), "{}\n{}", failures.len(), failures.join("\n"));
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

pub(crate) fn run() {
    for (scale, weighted) in [(Scale::None, false), (Scale::Std, false), (Scale::None, true)] {
        let done = std::panic::catch_unwind(|| assert_all_hold(scale, weighted));
        println!("{scale:?} {weighted} {}", done.is_ok());
    }
}
