//! The work of `auto` compared with the best single solver: at most 1.3 times its work, whatever the spectrum, except for the
//! cases of [`NOT_MET`].
//!
//! Counted in operations, each kind weighted by its measured rate ([`Context::work`]), so that no clock is needed. Four families of
//! spectra: those on which an iteration converges at once, those on which it never converges, and those with equal eigenvalues.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use eigenspan::linalg::product;
use eigenspan::rng::Rng;
use eigenspan::solve::{Keep, Solver};
use eigenspan::source::{Csr, Dense, Source, Sparse};
use eigenspan::{Context, Error, Mat, Note, Pca, PcaOptions, Progress};

/// How much more than the best single solver `auto` may take.
const WITHIN: f64 = 1.3;

/// Work below which `auto` finds all components to rounding, though the leading ones to a tolerance may take less: a twentieth of
/// a second by the rates of `solve/work.rs`.
const NEXT_TO_NOTHING: u64 = 3_250_000_000;

/// The case in which `auto` takes more: `dual` is taken at once, because the product by which the spectrum is judged would cost a
/// quarter of it, and an iteration settles 50 of a few equal eigenvalues in hardly more than that product.
const NOT_MET: [(&str, usize, usize); 1] = [("step", 800, 50)];

const COUNTS: [usize; 3] = [5, 20, 50];

const SINGLE: [Solver; 5] = [
    Solver::Randomized,
    Solver::Lanczos,
    Solver::Partial,
    Solver::Dual,
    Solver::Covariance,
];

#[test]
fn tall_rows_take_no_more_than_the_best_solver() {
    check(4000, 800);
}

#[test]
fn square_tables_take_no_more_than_the_best_solver() {
    check(1200, 1200);
}

#[test]
fn wide_tables_take_no_more_than_the_best_solver() {
    check(800, 5000);
}

#[test]
fn sparse_rows_take_no_more_than_the_best_solver() {
    let (n, d) = (6000, 1500);
    let misses: Vec<String> = [("flat", 0), ("topics", 30)]
        .into_iter()
        .flat_map(|(family, topics)| {
            let cells = counts(n, d, topics);
            misses(family, &Sparse::new(cells.view()), (n, d))
        })
        .collect();
    assert!(misses.is_empty(), "{}", misses.join("\n"));
}

fn check(n: usize, d: usize) {
    let tables = families(n, d);
    let misses: Vec<String> = tables
        .iter()
        .flat_map(|(family, x)| misses(family, &Dense::new(x.view()), (n, d)))
        .collect();
    assert!(misses.is_empty(), "{}", misses.join("\n"));
}

/// The numbers of components for which `auto` takes too much, in words.
fn misses(family: &str, rows: &dyn Source<f64>, (n, d): (usize, usize)) -> Vec<String> {
    let mut misses = Vec::new();
    for k in COUNTS {
        let (auto, plan) = auto(rows, k);
        if auto <= NEXT_TO_NOTHING || NOT_MET.contains(&(family, n, k)) {
            continue;
        }
        // `auto` takes too much if a single solver settles with less than this; one that takes more is stopped there.
        let limit = (auto as f64 / WITHIN) as u64;
        for solver in SINGLE {
            // The covariance of wide rows takes a hundred times as long as their Gram matrix.
            let other_side = match n < d {
                true => matches!(solver, Solver::Covariance | Solver::Partial),
                false => solver == Solver::Dual,
            };
            if other_side {
                continue;
            }
            if let Some(work) = work(rows, solver, k, limit).filter(|work| *work < limit) {
                let ratio = auto as f64 / work as f64;
                misses.push(format!(
                    "{family}, {n} × {d}, k {k}: {plan} took {ratio:.2} times the work of {solver}"
                ));
            }
        }
    }
    misses
}

/// What `auto` takes, and which solvers it went through.
fn auto(rows: &dyn Source<f64>, k: usize) -> (u64, String) {
    let ctx = Context::new();
    let options = options(Solver::Auto, k);
    let planned = options.plan(&ctx, rows).expect("a plan").solver;
    let pca = options.fit(&ctx, rows).expect("a fit");
    assert!(is_settled(&pca), "{planned}: {:?}", pca.notes());
    let last = pca.parts().plan.solver;
    let went = match planned == last {
        true => planned.to_string(),
        false => format!("{planned}, then {last}"),
    };
    (ctx.work(), went)
}

/// What one solver takes, where it settles with no more work than `limit`.
fn work(rows: &dyn Source<f64>, solver: Solver, k: usize, limit: u64) -> Option<u64> {
    let stop = Arc::new(AtomicBool::new(false));
    let counted = Context::new().with_stop(stop.clone());
    let limited = Arc::new(Limited {
        counted: OnceLock::new(),
        stop,
        limit,
    });
    let _ = limited.counted.set(counted.clone());
    let ctx = counted.with_progress(limited.clone());
    match options(solver, k).fit(&ctx, rows) {
        Ok(pca) => is_settled(&pca).then(|| ctx.work()),
        Err(Error::Cancelled) => None,
        Err(other) => panic!("{solver}: {other}"),
    }
}

/// Stops a fit once its work exceeds a limit.
struct Limited {
    counted: OnceLock<Context>,
    stop: Arc<AtomicBool>,
    limit: u64,
}

impl Progress for Limited {
    fn begin(&self, _: &str, _: Option<u64>) {}
    fn advance(&self, _: u64) {
        if self
            .counted
            .get()
            .is_some_and(|ctx| ctx.work() > self.limit)
        {
            self.stop.store(true, Ordering::Relaxed);
        }
    }
}

fn options(solver: Solver, k: usize) -> PcaOptions {
    PcaOptions {
        n_components: Keep::Count(k),
        solver,
        ..Default::default()
    }
}

fn is_settled(pca: &Pca) -> bool {
    let given_up = |note: &Note| matches!(note, Note::NotConverged { .. });
    !pca.notes().iter().any(given_up)
}

/// Tables of this shape, by what their singular values are like.
fn families(n: usize, d: usize) -> [(&'static str, Mat<f64>); 4] {
    let step = |i: usize| if i < 10 { 10.0 } else { 1.0 };
    [
        (
            "geometric",
            with_values(n, d, |i| 0.9f64.powi(i as i32).max(1e-4)),
        ),
        ("flat floor", flat_floor(n, d)),
        ("step", with_values(n, d, step)),
        (
            "repeated",
            with_values(n, d, |i| 0.8f64.powi((i / 4) as i32).max(1e-3)),
        ),
    ]
}

/// Counts of 15 words a row: any word as often as another, or most of them from the row's own topic.
fn counts(n: usize, d: usize, topics: usize) -> Csr<f64> {
    const WORDS: usize = 15;
    let mut rng = Rng::new(13);
    let mut starts = vec![0];
    let (mut words, mut values) = (Vec::new(), Vec::new());
    for row in 0..n {
        let mut own: Vec<u32> = (0..WORDS)
            .map(|_| match topics {
                0 => rng.below(d) as u32,
                // The first topics are the larger ones: their rows repeat fewer words.
                _ => {
                    let topic = row % topics;
                    let width = 10 + 2 * topic;
                    let from = topic * (d / topics);
                    (from + rng.below(width.min(d / topics))) as u32
                }
            })
            .collect();
        own.sort_unstable();
        own.dedup();
        values.extend(own.iter().map(|_| 1.0 + rng.below(4) as f64));
        words.extend(own);
        starts.push(words.len());
    }
    Csr::from_rows(d, starts, words, values).expect("rows")
}

/// Thirty directions of falling deviation, and noise in all.
fn flat_floor(n: usize, d: usize) -> Mat<f64> {
    let mut rng = Rng::new(11);
    let scores = Mat::from_fn(n, 30, |_, i| rng.normal() * 5.0 * 0.9f64.powi(i as i32));
    let directions = Mat::from_fn(30, d, |_, _| rng.normal());
    let signal = product(scores.view(), directions.view());
    Mat::from_fn(n, d, |i, j| signal[(i, j)] + 0.5 * rng.normal())
}

/// A table with these singular values, before its mean is taken out: a diagonal matrix, reflected a few times on both sides.
fn with_values(n: usize, d: usize, value: impl Fn(usize) -> f64) -> Mat<f64> {
    let mut x = Mat::from_fn(n, d, |i, j| if i == j { value(i) } else { 0.0 });
    let mut rng = Rng::new(7);
    for _ in 0..3 {
        // Rows: X − u(uᵀX), with ‖u‖² = 2.
        let u = reflector(n, &mut rng);
        let along = product(u.view(), x.view());
        for i in 0..n {
            let pair = x.row_mut(i).iter_mut().zip(along.row(0));
            pair.for_each(|(x, a)| *x -= u[(0, i)] * a);
        }
        // Columns: X − (Xv)vᵀ.
        let v = reflector(d, &mut rng);
        let along = product(x.view(), v.view().transposed());
        for i in 0..n {
            let pair = x.row_mut(i).iter_mut().zip(v.row(0));
            pair.for_each(|(x, v)| *x -= along[(i, 0)] * v);
        }
    }
    x
}

fn reflector(size: usize, rng: &mut Rng) -> Mat<f64> {
    let u = Mat::from_fn(1, size, |_, _| rng.normal());
    let squares: f64 = u.row(0).iter().map(|x| x * x).sum();
    Mat::from_fn(1, size, |_, i| u[(0, i)] * (2.0 / squares).sqrt())
}
