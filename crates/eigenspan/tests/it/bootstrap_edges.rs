//! The bootstrap at its edges: samples, limits, tables that hardly vary, refusals, and being stopped.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use eigenspan::evaluate::{Bootstrap, BootstrapOptions};
use eigenspan::prepare::Missing;
use eigenspan::solve::Keep;
use eigenspan::source::Dense;
use eigenspan::{Context, Error, Mat, PcaOptions, Progress};

use crate::bootstrap::{normal_rows, run, scaled, with};
use crate::support::{close, fit, mixed};

fn all_numbers(b: &Bootstrap) -> Vec<f64> {
    let intervals = [&b.eigenvalues, &b.shares, &b.cumulative_shares];
    let cells = b.loadings.iter().chain(&b.correlations);
    let intervals = intervals.into_iter().chain(cells).flatten();
    let angles = b.angles.iter().chain(&b.span_angles);
    intervals
        .flat_map(|i| {
            let ends = i.interval.unwrap_or_default();
            [[i.estimate, i.deviation], [i.corrected, 0.0], i.draws, ends].concat()
        })
        .chain(angles.flat_map(|a| [a.median, a.upper]))
        .chain(b.stability.iter().copied())
        .collect()
}

#[test]
fn any_number_of_threads_gives_the_same_intervals() {
    for (n, d) in [(60, 8), (20, 50)] {
        let x = mixed(n, d, 4);
        let model = fit(&PcaOptions::default(), &x);
        let with_threads = |threads| {
            let ctx = Context::new().with_threads(threads).expect("threads");
            let rows = Dense::new(x.view());
            with(50).run(&ctx, &model, &rows).expect("a bootstrap")
        };
        assert_eq!(with_threads(1), with_threads(4));
    }
}

#[test]
fn a_sample_gives_the_intervals_of_all_rows_and_says_so() {
    let x = normal_rows(4000, &[9.0, 3.0, 1.0], 6);
    let all = run(&PcaOptions::default(), &with(400), &x);
    let options = BootstrapOptions {
        max_rows: 1000,
        ..with(400)
    };
    let some = run(&PcaOptions::default(), &options, &x);
    assert_eq!((some.n_sampled, some.n_rows), (1000, 4000));
    assert_eq!(
        some.sentence,
        "400 draws of 1,000 rows with replacement, from a sample of 1,000 of 4,000; distances are shrunk by \
         √(1,000/4,000), as all rows would shrink them"
    );
    for (a, b) in all.eigenvalues.iter().zip(&some.eigenvalues) {
        assert_eq!(a.estimate, b.estimate);
        assert!(close(b.deviation, a.deviation, 0.2), "{a:?}, {b:?}");
    }
    assert!(close(some.angles[0].median, all.angles[0].median, 0.25));
}

#[test]
fn large_tables_are_drawn_from_less() {
    let x = mixed(300, 900, 2);
    let model = fit(
        &PcaOptions {
            n_components: Keep::Count(5),
            ..Default::default()
        },
        &x,
    );
    let options = with(5000);
    let rows = Dense::new(x.view());
    let sure = options
        .run(&Context::new(), &model, &rows)
        .expect("a bootstrap");
    assert!(
        (50..5000).contains(&sure.n_replicates),
        "{}",
        sure.n_replicates
    );
    let words = "draws (not 5000, which would take too long) of";
    assert!(sure.sentence.contains(words), "{}", sure.sentence);
}

#[test]
fn degenerate_tables_are_answered_without_panic() {
    let constant = Mat::from_fn(30, 4, |i, j| match j {
        0 => 7.0,
        1 => f64::from(u8::from(i == 3)),
        _ => mixed(30, 4, 1)[(i, j)],
    });
    let tables = [
        Mat::from_fn(3, 2, |i, j| (i * i + j * i) as f64),
        Mat::from_fn(3, 8, |i, j| (i * (j + 1) % 5) as f64),
        Mat::from_fn(2, 3, |i, j| (i * (j + 1)) as f64),
        Mat::from_fn(10, 3, |i, _| i as f64),
        Mat::from_fn(4, 5, |i, j| f64::from(u8::from(i == 0 && j == 0))),
        constant,
        Mat::from_fn(20, 3, |i, j| mixed(20, 3, 2)[(i, j)] * 1e120),
    ];
    for x in &tables {
        for pca in [PcaOptions::default(), scaled()] {
            let sure = run(&pca, &with(60), x);
            let rank = fit(&pca, x).spectrum().rank;
            assert_eq!(sure.eigenvalues.len(), rank.min(10));
            assert!(sure.loadings.iter().all(|row| row.len() == x.n_cols()));
            let numbers = all_numbers(&sure);
            assert!(numbers.iter().all(|x| x.is_finite()), "{sure:?}");
            assert!(sure.stability.iter().all(|s| (0.0..=1.0).contains(s)));
        }
    }
    let nothing = run(&PcaOptions::default(), &with(60), &Mat::zeros(5, 3));
    assert!(nothing.eigenvalues.is_empty());
}

#[test]
fn more_components_than_directions_are_not_looked_at() {
    let x = Mat::from_fn(20, 5, |i, j| (i * (j + 1)) as f64 + ((i * i) % 7) as f64);
    let pca = PcaOptions {
        n_components: Keep::Count(5),
        ..Default::default()
    };
    assert_eq!(run(&pca, &with(50), &x).eigenvalues.len(), 2);
}

#[test]
fn what_cannot_be_bootstrapped_is_refused() {
    let x = mixed(20, 3, 1);
    let refused = |options: &BootstrapOptions, pca: &PcaOptions| -> Error {
        let (ctx, rows) = (Context::new(), Dense::new(x.view()));
        let model = pca.fit(&ctx, &rows).expect("a fit");
        options.run(&ctx, &model, &rows).expect_err("a refusal")
    };
    let level = BootstrapOptions {
        level: 1.0,
        ..with(50)
    };
    assert_eq!(
        refused(&level, &PcaOptions::default()).to_string(),
        "level = `1` is not known; it takes a number above 0 and below 1, such as 0.95"
    );
    assert_eq!(
        refused(&with(1), &PcaOptions::default()).to_string(),
        "n_replicates = `1` is not known; it takes a whole number from 2"
    );
    let em = PcaOptions {
        missing: Missing::Em,
        n_components: Keep::Count(1),
        ..Default::default()
    };
    let text = refused(&with(50), &em).to_string();
    assert!(
        text.ends_with("the bootstrap takes missing = error, drop or mean"),
        "{text}"
    );
    let model = fit(&PcaOptions::default(), &x);
    let other = mixed(20, 4, 1);
    let error = with(50).run(&Context::new(), &model, &Dense::new(other.view()));
    let text = error.expect_err("a refusal").to_string();
    assert_eq!(text, "4 columns given, but 3 expected");
    let tight = Context::new().with_memory(2_000);
    let error = with(50).run(&tight, &model, &Dense::new(x.view()));
    let text = error.expect_err("a refusal").to_string();
    assert!(text.starts_with("a bootstrap of 50 draws needs"), "{text}");
}

/// Stops the work once it has begun.
struct Stopper(Arc<AtomicBool>);

impl Progress for Stopper {
    fn begin(&self, stage: &str, _: Option<u64>) {
        if stage == "bootstrap" {
            self.0.store(true, Ordering::Relaxed);
        }
    }
    fn advance(&self, _: u64) {}
}

#[test]
fn a_bootstrap_can_be_stopped() {
    let x = mixed(50, 4, 1);
    let model = fit(&PcaOptions::default(), &x);
    let flag = Arc::new(AtomicBool::new(false));
    let ctx = Context::new()
        .with_stop(flag.clone())
        .with_progress(Arc::new(Stopper(flag)));
    let error = with(50).run(&ctx, &model, &Dense::new(x.view()));
    assert!(matches!(error, Err(Error::Cancelled)));
}
