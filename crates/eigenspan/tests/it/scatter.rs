//! Mean and scatter of shards merge into those of the whole, however it is cut.

use eigenspan::Mat;
use eigenspan::rng::Rng;
use eigenspan::source::{Block, Rows};
use eigenspan::summary::{Scatter, Summary};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use crate::support::{distance, mixed};

fn summed(x: &Mat<f64>, weights: Option<&[f64]>, from: usize, to: usize) -> Scatter {
    let mut summary = Scatter::new(x.n_cols());
    let rows = Rows {
        first: from,
        block: Block::from(x.view().slice_rows(from, to)),
        weights: weights.map(|w| &w[from..to]),
    };
    summary.add(&rows).expect("rows");
    summary
}

/// What two shards learnt, as one.
fn merge(a: &mut Scatter, b: Scatter) {
    Summary::<f64>::merge(a, b);
}

/// Σ w (x − m)(x − m)ᵀ and m as the definition writes them.
fn by_definition(x: &Mat<f64>, weights: &[f64]) -> (Vec<f64>, Mat<f64>) {
    let (n, d) = (x.n_rows(), x.n_cols());
    let total: f64 = weights.iter().sum();
    let mean: Vec<f64> = (0..d)
        .map(|j| (0..n).map(|i| weights[i] * x[(i, j)]).sum::<f64>() / total)
        .collect();
    let scatter = Mat::from_fn(d, d, |a, b| {
        (0..n)
            .map(|i| weights[i] * (x[(i, a)] - mean[a]) * (x[(i, b)] - mean[b]))
            .sum()
    });
    (mean, scatter)
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 48,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(20_240_612),
        ..ProptestConfig::default()
    })]

    #[test]
    fn merging_any_split_gives_the_whole(
        n in 1usize..700,
        d in 1usize..6,
        seed in any::<u64>(),
        weighted in any::<bool>(),
        cuts in prop::collection::vec(0.0f64..=1.0, 0..6),
        center in any::<bool>(),
    ) {
        let x = mixed(n, d, seed);
        let mut rng = Rng::new(seed);
        // Some rows weigh nothing: a shard of only such rows has no mean.
        let weights: Vec<f64> = (0..n)
            .map(|i| if !weighted || i == 0 { 1.0 } else if rng.below(3) == 0 { 0.0 } else { rng.uniform() })
            .collect();
        let given = weighted.then_some(weights.as_slice());
        // Equal cuts make empty shards, at the ends and between.
        let mut places: Vec<usize> = cuts.iter().map(|c| (c * n as f64) as usize).collect();
        places.extend([0, 0, n, n]);
        places.sort_unstable();
        let mut merged = Scatter::new(d);
        for pair in places.windows(2) {
            merge(&mut merged, summed(&x, given, pair[0], pair[1]));
        }
        let whole = summed(&x, given, 0, n);
        let (mean, scatter) = by_definition(&x, &weights);
        let size = (0..d).map(|j| scatter[(j, j)] + n as f64 * mean[j].powi(2)).sum::<f64>();
        let total: f64 = weights.iter().sum();
        prop_assert_eq!(merged.n_rows(), n);
        prop_assert!((merged.weight() - total).abs() <= 1e-12 * total);
        prop_assert!(distance(&merged.mean(), &mean) <= 1e-12 * size.sqrt());
        prop_assert!(distance(&whole.mean(), &mean) <= 1e-12 * size.sqrt());
        let (merged, whole) = (merged.into_matrix(center), whole.into_matrix(center));
        let want = if center {
            scatter
        } else {
            Mat::from_fn(d, d, |a, b| scatter[(a, b)] + total * mean[a] * mean[b])
        };
        prop_assert!(distance(merged.as_slice(), whole.as_slice()) <= 1e-13 * size);
        prop_assert!(distance(merged.as_slice(), want.as_slice()) <= 1e-12 * size);
    }
}

#[test]
fn an_empty_shard_changes_no_bit_on_either_side() {
    let x = mixed(40, 3, 9);
    let whole = summed(&x, None, 0, 40);
    let mut before = Scatter::new(3);
    merge(&mut before, whole.clone());
    let mut after = whole.clone();
    merge(&mut after, Scatter::new(3));
    for other in [before, after] {
        assert_eq!(other.mean(), whole.mean());
        assert_eq!(other.n_rows(), 40);
        assert_eq!(other.into_matrix(true), whole.clone().into_matrix(true));
    }
}
