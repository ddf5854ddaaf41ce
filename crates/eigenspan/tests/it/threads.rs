//! The number of threads changes the speed and nothing else: the same bits with 1, 2 and 8.

use eigenspan::prepare::Scale;
use eigenspan::rng::Rng;
use eigenspan::solve::{Keep, Solver};
use eigenspan::source::{Dense, Source};
use eigenspan::{Context, Mat, PcaOptions, Real};

use crate::support::{bits, to_f32, with_solver};

fn noise(n: usize, d: usize, seed: u64) -> Mat<f64> {
    let mut rng = Rng::new(seed);
    Mat::from_fn(n, d, |_, j| 5.0 + rng.normal() * (1.0 + j as f64))
}

/// Fits and transforms with 1, 2 and 8 threads and demands the same bits.
#[track_caller]
fn assert_same_bits<T: Real>(options: &PcaOptions, source: &dyn Source<T>) {
    let mut first = None;
    for threads in [1, 2, 8] {
        let ctx = Context::new().with_threads(threads).expect("threads");
        assert_eq!(ctx.threads(), threads);
        let pca = options.fit(&ctx, source).expect("a fit");
        let scores = pca.transform(&ctx, source).expect("scores");
        let scores: Vec<u64> = scores
            .as_slice()
            .iter()
            .map(|x| x.to_f64().to_bits())
            .collect();
        let error = pca.reconstruction_error(&ctx, source).expect("an error");
        let result = (bits(&pca), scores, error.to_bits());
        match &first {
            None => first = Some(result),
            Some(first) => assert!(
                *first == result,
                "{} with {threads} threads gives other bits",
                options.solver
            ),
        }
    }
}

#[test]
fn many_rows_give_the_same_bits_on_any_number_of_threads() {
    let x = noise(20_000, 30, 1);
    for solver in [
        Solver::Auto,
        Solver::Covariance,
        Solver::Full,
        Solver::Power,
    ] {
        let options = PcaOptions {
            n_components: Keep::Count(3),
            ..with_solver(solver)
        };
        assert_same_bits(&options, &Dense::new(x.view()));
    }
}

#[test]
fn many_columns_give_the_same_bits_on_any_number_of_threads() {
    let x = noise(5, 3000, 2);
    for solver in [Solver::Auto, Solver::Dual, Solver::Full] {
        assert_same_bits(&with_solver(solver), &Dense::new(x.view()));
    }
}

#[test]
fn a_square_table_gives_the_same_bits_on_any_number_of_threads() {
    let x = noise(300, 300, 3);
    for solver in [
        Solver::Auto,
        Solver::Covariance,
        Solver::Dual,
        Solver::Full,
        Solver::Power,
    ] {
        // Lectures' power iteration is slow on 300 columns; three components show as much.
        let n_components = match solver {
            Solver::Power => Keep::Count(3),
            _ => Keep::All,
        };
        let options = PcaOptions {
            n_components,
            ..with_solver(solver)
        };
        assert_same_bits(&options, &Dense::new(x.view()));
    }
}

#[test]
fn weights_scaling_and_f32_give_the_same_bits_on_any_number_of_threads() {
    let x = to_f32(&noise(6_000, 12, 4));
    let mut rng = Rng::new(5);
    let weights: Vec<f64> = (0..6_000).map(|_| rng.uniform()).collect();
    for solver in [Solver::Covariance, Solver::Full, Solver::Power] {
        let options = PcaOptions {
            scale: Scale::Std,
            whiten: true,
            ..with_solver(solver)
        };
        let source = Dense::new(x.view())
            .with_weights(&weights)
            .expect("weights");
        assert_same_bits(&options, &source);
    }
}

#[test]
fn the_first_bad_cell_is_the_same_on_any_number_of_threads() {
    let mut x = noise(20_000, 3, 6);
    for i in (1_234..20_000).step_by(1_000) {
        x[(i, 2)] = f64::NAN;
    }
    for threads in [1, 2, 8] {
        let ctx = Context::new().with_threads(threads).expect("threads");
        for solver in [Solver::Covariance, Solver::Full] {
            let error = with_solver(solver)
                .fit(&ctx, &Dense::new(x.view()))
                .expect_err("NaN");
            assert_eq!(
                error.to_string(),
                "19 cells are not finite numbers (19 NaN, 0 infinite); the first is row 1235, column 3"
            );
        }
    }
}
