//! What holds for every PCA, over shapes × element types × solvers.

use eigenspan::linalg::orthonormalize_rows;
use eigenspan::prepare::Scale;
use eigenspan::rng::Rng;
use eigenspan::solve::{Convention, Keep, Solver};
use eigenspan::source::Dense;
use eigenspan::{Context, Mat, Note, Pca, PcaOptions};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::RngSeed;

use crate::support::{SOLVERS, bits, distance, fit, mixed, scores, to_f32, with_solver};

/// The same cases on every machine and every day.
fn config() -> ProptestConfig {
    ProptestConfig {
        cases: 24,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(20_240_611),
        ..ProptestConfig::default()
    }
}

/// A table of some shape, as f32 or f64, and the road to take.
#[derive(Debug, Clone)]
struct Case {
    x: Mat<f64>,
    single: bool,
    solver: Solver,
}

impl Case {
    /// Fits in the case's own element type; f32 data hold exactly what `x` holds.
    fn fit(&self, options: PcaOptions) -> Pca {
        let options = PcaOptions {
            solver: self.solver,
            ..options
        };
        if self.single {
            fit(&options, &to_f32(&self.x))
        } else {
            fit(&options, &self.x)
        }
    }

    fn n(&self) -> f64 {
        self.x.n_rows() as f64
    }
}

/// Tall, wide, square, two rows, one column, and more rows than one chunk holds.
fn shapes() -> impl Strategy<Value = (usize, usize)> {
    prop_oneof![
        (12usize..40, 2usize..8),
        (3usize..8, 9usize..24),
        (3usize..10).prop_map(|n| (n, n)),
        (2usize..3, 1usize..9),
        (2usize..60, 1usize..2),
        (500usize..700, 2usize..4),
    ]
}

fn cases() -> impl Strategy<Value = Case> {
    (shapes(), any::<u64>(), any::<bool>(), select(&SOLVERS[..])).prop_map(
        |((n, d), seed, single, solver)| {
            let x = mixed(n, d, seed);
            let x = if single {
                Mat::from_fn(n, d, |i, j| f64::from(x[(i, j)] as f32))
            } else {
                x
            };
            Case { x, single, solver }
        },
    )
}

/// Scatter of the columns of `s` about their means.
fn scatter(s: &Mat<f64>) -> Mat<f64> {
    let (n, k) = (s.n_rows(), s.n_cols());
    let mean: Vec<f64> = (0..k)
        .map(|j| s.col(j).iter().sum::<f64>() / n as f64)
        .collect();
    Mat::from_fn(k, k, |a, b| {
        s.rows()
            .map(|row| (row[a] - mean[a]) * (row[b] - mean[b]))
            .sum()
    })
}

/// Components whose eigenvalue lies clear of its neighbors agree, signs included.
fn assert_same_components(a: &Pca, b: &Pca, tolerance: f64) {
    let values = a.explained_variance();
    let clear = |x: f64, y: f64| (x - y).abs() > 1e-3 * values[0];
    for i in 0..values.len() {
        let below = values.get(i + 1).copied().unwrap_or(0.0);
        if (i == 0 || clear(values[i - 1], values[i])) && clear(values[i], below) {
            let away = distance(a.components().row(i), b.components().row(i));
            assert!(away < tolerance, "component {} is off by {away:e}", i + 1);
        }
    }
}

fn assert_same_values(a: &Pca, b: &Pca, tolerance: f64) {
    let (a, b) = (a.explained_variance(), b.explained_variance());
    let away = distance(&a, &b);
    assert!(away <= tolerance * a[0], "{a:?} against {b:?}");
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn components_are_orthonormal(case in cases()) {
        let pca = case.fit(PcaOptions::default());
        let v = pca.components();
        for a in 0..v.n_rows() {
            for b in 0..v.n_rows() {
                let dot: f64 = v.row(a).iter().zip(v.row(b)).map(|(x, y)| x * y).sum();
                prop_assert!((dot - f64::from(a == b)).abs() < 1e-12, "{a} {b}: {dot}");
            }
        }
    }

    #[test]
    fn the_largest_loading_of_every_component_is_positive(case in cases()) {
        for row in case.fit(PcaOptions::default()).components().rows() {
            let (low, high) = row.iter().fold((0.0f64, 0.0f64), |(l, h), x| (l.min(*x), h.max(*x)));
            prop_assert!(high >= -low * (1.0 - 2e-9), "{row:?}");
        }
    }

    #[test]
    fn the_covariance_of_scores_is_diagonal_with_the_eigenvalues_on_it(case in cases()) {
        let pca = case.fit(PcaOptions::default());
        let values = pca.explained_variance();
        // A residual is a bound on what is left beside the diagonal.
        let residuals = &pca.spectrum().residuals_of_first();
        if case.solver != Solver::Power {
            prop_assert!(residuals.iter().all(|r| *r < 1e-12), "{residuals:?}");
        }
        let c = scatter(&scores(&pca, &case.x));
        for a in 0..values.len() {
            for b in 0..values.len() {
                let want = if a == b { values[a] } else { 0.0 };
                let allowed = (1e-12 + 2.0 * residuals[a].min(residuals[b])) * values[0];
                let got = c[(a, b)] / (case.n() - 1.0);
                prop_assert!((got - want).abs() <= allowed, "{a} {b}: {got} not {want}");
            }
        }
    }

    #[test]
    fn what_reconstruction_loses_is_what_the_discarded_eigenvalues_held(case in cases(), k in 1usize..5) {
        let k = k.min(case.x.n_rows()).min(case.x.n_cols());
        let pca = case.fit(PcaOptions { n_components: Keep::Count(k), ..Default::default() });
        let all = case.fit(PcaOptions::default()).explained_variance();
        let discarded: f64 = all[k..].iter().sum();
        let error = pca.reconstruction_error(&Context::new(), &Dense::new(case.x.view())).unwrap();
        let per_row = error * case.n() / (case.n() - 1.0);
        prop_assert!((per_row - discarded).abs() <= 1e-12 * pca.spectrum().total_variance(), "{per_row} {discarded}");
        // The same through scores and back.
        let rebuilt = pca.inverse(scores(&pca, &case.x).view()).unwrap();
        let squares: f64 = case.x.as_slice().iter().zip(rebuilt.as_slice()).map(|(x, y)| (x - y).powi(2)).sum();
        prop_assert!((squares / case.n() - error).abs() <= 1e-12 * pca.spectrum().total_variance());
    }

    #[test]
    fn all_eigenvalues_sum_to_the_trace(case in cases()) {
        let pca = case.fit(PcaOptions::default());
        let c = scatter(&case.x);
        let trace: f64 = (0..c.n_rows()).map(|j| c[(j, j)]).sum::<f64>() / (case.n() - 1.0);
        let sum: f64 = pca.explained_variance().iter().sum();
        prop_assert!((sum / trace - 1.0).abs() < 1e-12, "{sum} {trace}");
        prop_assert!((pca.spectrum().total_variance() / trace - 1.0).abs() < 1e-12);
        prop_assert!((pca.spectrum().total_share() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn translation_moves_the_mean_and_leaves_the_rest_alone(case in cases()) {
        // Cells are cut to multiples of 2⁻²⁰, so that adding a thousand to them is exact.
        let grid = 1048576.0;
        let x = Mat::from_fn(case.x.n_rows(), case.x.n_cols(), |i, j| (case.x[(i, j)] * grid).round() / grid);
        let moved = Mat::from_fn(x.n_rows(), x.n_cols(), |i, j| x[(i, j)] + 1000.0 * (j + 1) as f64);
        let (a, b) = (fit(&with_solver(case.solver), &x), fit(&with_solver(case.solver), &moved));
        assert_same_values(&a, &b, 1e-12);
        assert_same_components(&a, &b, 1e-8);
        for j in 0..x.n_cols() {
            prop_assert!((b.mean()[j] - a.mean()[j] - 1000.0 * (j + 1) as f64).abs() < 1e-10);
        }
    }

    #[test]
    fn the_order_of_rows_does_not_matter_and_scores_follow_it(case in cases(), seed in any::<u64>()) {
        let (n, d) = (case.x.n_rows(), case.x.n_cols());
        let mut order: Vec<usize> = (0..n).collect();
        let mut rng = Rng::new(seed);
        (1..n).rev().for_each(|i| order.swap(i, rng.below(i + 1)));
        let shuffled = Case { x: Mat::from_fn(n, d, |i, j| case.x[(order[i], j)]), ..case.clone() };
        let (a, b) = (case.fit(PcaOptions::default()), shuffled.fit(PcaOptions::default()));
        assert_same_values(&a, &b, 1e-12);
        assert_same_components(&a, &b, 1e-8);
        let (plain, moved) = (scores(&a, &case.x), scores(&a, &shuffled.x));
        for (i, &from) in order.iter().enumerate() {
            let away = distance(moved.row(i), plain.row(from));
            prop_assert!(away <= 1e-12 * a.spectrum().norm.max(1.0), "row {i}: {away:e}");
        }
    }

    #[test]
    fn weight_2_is_the_row_twice(case in cases(), seed in any::<u64>()) {
        let (n, d) = (case.x.n_rows(), case.x.n_cols());
        let mut rng = Rng::new(seed);
        let times: Vec<usize> = (0..n).map(|_| 1 + rng.below(2)).collect();
        let weights: Vec<f64> = times.iter().map(|t| *t as f64).collect();
        let from: Vec<usize> = (0..n).flat_map(|i| vec![i; times[i]]).collect();
        let twice = Mat::from_fn(from.len(), d, |i, j| case.x[(from[i], j)]);
        let k = Keep::Count(n.min(d));
        for scale in [Scale::None, Scale::Std] {
            let options = PcaOptions { n_components: k, scale, ..with_solver(case.solver) };
            let source = Dense::new(case.x.view()).with_weights(&weights).unwrap();
            let a = options.fit(&Context::new(), &source).unwrap();
            let b = fit(&options, &twice);
            prop_assert_eq!(a.parts().weight, from.len() as f64);
            prop_assert!(distance(a.mean(), b.mean()) < 1e-12 * 10.0);
            assert_same_values(&a, &b, 1e-12);
            assert_same_components(&a, &b, 1e-8);
        }
    }

    #[test]
    fn weights_of_one_are_no_weights_to_the_bit(case in cases()) {
        let weights = vec![1.0; case.x.n_rows()];
        let source = Dense::new(case.x.view()).with_weights(&weights).unwrap();
        let options = with_solver(case.solver);
        let weighted = options.fit(&Context::new(), &source).unwrap();
        prop_assert_eq!(bits(&weighted), bits(&fit(&options, &case.x)));
    }

    #[test]
    fn dual_covariance_and_full_agree(case in cases(), scaled in any::<bool>()) {
        let scale = if scaled { Scale::Std } else { Scale::None };
        let by = |solver| Case { solver, ..case.clone() }.fit(PcaOptions { scale, ..Default::default() });
        let full = by(Solver::Full);
        for other in [by(Solver::Dual), by(Solver::Covariance), by(Solver::Auto)] {
            assert_same_values(&full, &other, 1e-10);
            assert_same_components(&full, &other, 1e-8);
        }
    }

    #[test]
    fn a_spectrum_with_gaps_that_is_put_in_comes_out_by_every_solver(
        n in 8usize..30, d in 2usize..7, seed in any::<u64>(),
    ) {
        // X = 1·mᵀ + Σ 2⁻ʲ·√(n−1)·uⱼvⱼᵀ with uⱼ ⊥ 1: eigenvalues 4⁻ʲ, components vⱼ.
        let mut rng = Rng::new(seed);
        let mut u = Mat::from_fn(d + 1, n, |i, _| if i == 0 { 1.0 } else { rng.normal() });
        let mut v = Mat::from_fn(d, d, |_, _| rng.normal());
        orthonormalize_rows(&mut u);
        orthonormalize_rows(&mut v);
        let root = ((n - 1) as f64).sqrt();
        let x = Mat::from_fn(n, d, |i, j| {
            7.0 + root * (0..d).map(|l| 0.5f64.powi(l as i32) * u[(l + 1, i)] * v[(l, j)]).sum::<f64>()
        });
        for solver in SOLVERS {
            let pca = fit(&with_solver(solver), &x);
            // A random column may well be small beside the others.
            let unlike = |note: &Note| matches!(note, Note::UnlikeScales { .. });
            prop_assert!(pca.notes().iter().all(unlike), "{:?}", pca.notes());
            for (l, value) in pca.explained_variance().iter().enumerate() {
                prop_assert!((value - 0.25f64.powi(l as i32)).abs() < 1e-12, "{solver}: {value}");
                let along: f64 = pca.components().row(l).iter().zip(v.row(l)).map(|(a, b)| a * b).sum();
                prop_assert!((along.abs() - 1.0).abs() < 1e-12, "{solver}: {along}");
            }
        }
    }

    #[test]
    fn a_share_keeps_the_smallest_count_that_reaches_it(case in cases(), share in 0.01f64..1.0) {
        let all = case.fit(PcaOptions::default()).explained_variance_ratio();
        let kept = case.fit(PcaOptions { n_components: Keep::Share(share), ..Default::default() });
        let k = kept.n_components();
        let reached = |k: usize| all[..k].iter().sum::<f64>();
        prop_assert!(reached(k) >= share - 1e-11, "{k} components reach {}", reached(k));
        prop_assert!(reached(k - 1) < share, "{} components are enough", k - 1);
        prop_assert!((kept.spectrum().total_share() - reached(k)).abs() < 1e-11);
    }

    #[test]
    fn scaled_columns_have_the_eigenvalues_of_the_correlations(case in cases(), population in any::<bool>()) {
        let (n, d) = (case.x.n_rows(), case.x.n_cols());
        let convention = if population { Convention::Population } else { Convention::Unbiased };
        // One column more, which is constant and counts for nothing.
        let x = Mat::from_fn(n, d + 1, |i, j| if j < d { case.x[(i, j)] } else { 0.1 });
        let case = Case { x, ..case };
        let options = PcaOptions { scale: Scale::Std, convention, ..Default::default() };
        let pca = case.fit(options);
        let sum: f64 = pca.explained_variance().iter().sum();
        prop_assert!((sum - d as f64).abs() < 1e-11 * d as f64, "{sum} not {d}");
        // tr R² = Σ λ²: the correlations themselves, not only their diagonal.
        let c = scatter(&case.x);
        let mut squares = 0.0;
        for a in 0..d {
            for b in 0..d {
                squares += c[(a, b)].powi(2) / (c[(a, a)] * c[(b, b)]);
            }
        }
        let got: f64 = pca.explained_variance().iter().map(|v| v * v).sum();
        prop_assert!((got / squares - 1.0).abs() < 1e-11, "{got} not {squares}");
    }

    #[test]
    fn whitened_scores_have_variance_1_or_none(case in cases()) {
        let pca = case.fit(PcaOptions { whiten: true, ..Default::default() });
        let c = scatter(&scores(&pca, &case.x));
        for i in 0..pca.n_components() {
            let variance = c[(i, i)] / (case.n() - 1.0);
            if i < pca.spectrum().rank {
                // Rounding of a score counts against the size of its component.
                let size = pca.spectrum().singular_values[0] / pca.spectrum().singular_values[i];
                prop_assert!((variance - 1.0).abs() < 1e-12 * size * size, "{i}: {variance}");
            } else {
                prop_assert_eq!(variance, 0.0);
            }
        }
    }

    #[test]
    fn all_components_take_rows_there_and_back(case in cases(), whiten in any::<bool>(), scaled in any::<bool>()) {
        let scale = if scaled { Scale::Std } else { Scale::None };
        let pca = case.fit(PcaOptions { whiten, scale, ..Default::default() });
        let back = pca.inverse(scores(&pca, &case.x).view()).unwrap();
        // A direction that squaring cannot tell from nothing is left out by whitening, with what it held.
        let blur = if whiten { 1e-7 } else { 1e-13 };
        let away = distance(back.as_slice(), case.x.as_slice());
        prop_assert!(away < blur * (10.0 + pca.spectrum().norm), "{away:e}");
    }

    #[test]
    fn scaling_by_a_power_of_two_is_exact(case in cases(), power in -40i32..40) {
        let factor = 2.0f64.powi(power);
        let x = Mat::from_fn(case.x.n_rows(), case.x.n_cols(), |i, j| factor * case.x[(i, j)]);
        let options = with_solver(Solver::Full);
        let (a, b) = (fit(&options, &case.x), fit(&options, &x));
        let scaled: Vec<f64> = a.spectrum().singular_values.iter().map(|s| factor * s).collect();
        prop_assert_eq!(&scaled, &b.spectrum().singular_values);
        prop_assert_eq!(a.components(), b.components());
    }

    #[test]
    fn scaling_by_anything_scales_singular_values(case in cases(), factor in 1e-3f64..1e3) {
        let x = Mat::from_fn(case.x.n_rows(), case.x.n_cols(), |i, j| factor * case.x[(i, j)]);
        let options = with_solver(case.solver);
        let (a, b) = (fit(&options, &case.x), fit(&options, &x));
        let first = a.explained_variance()[0];
        for (a, b) in a.explained_variance().iter().zip(b.explained_variance()) {
            prop_assert!((a - b / factor / factor).abs() < 1e-12 * first, "{a} {b}");
        }
    }
}
