//! Sources made of others: chains of shards, some rows, wider floats; and what one reading learns of every column.

use eigenspan::rng::Rng;
use eigenspan::source::{Chain, CsrView, Dense, RowSet, Rows, Source, Sparse, Subset, Widened};
use eigenspan::summary::{Profile, Quantiles, summarize};
use eigenspan::{Context, Error, Mat, MatView, PcaOptions, Real};
use proptest::prelude::*;

/// All cells, row after row, and the weights; rows must come in order.
fn all<T: Real>(source: &dyn Source<T>) -> (Vec<f64>, Vec<f64>) {
    let (mut cells, mut weights, mut next) = (Vec::new(), Vec::new(), 0);
    for part in 0..source.n_parts() {
        let mut take = |rows: Rows<'_, T>| {
            assert_eq!(rows.first, next);
            next += rows.block.n_rows();
            let mut block = vec![0.0; rows.block.n_rows() * rows.block.n_cols()];
            rows.block.copy_to_f64(&mut block);
            cells.extend(block);
            weights.extend(rows.weights.unwrap_or_default());
            Ok(())
        };
        source.read_part(part, &mut take).expect("a part");
    }
    assert_eq!(source.n_rows(), Some(next));
    (cells, weights)
}

fn random(n: usize, d: usize) -> Mat<f64> {
    let mut rng = Rng::new(3);
    Mat::from_fn(n, d, |_, j| rng.normal() * (j + 1) as f64 + 10.0)
}

#[test]
fn a_chain_of_shards_is_the_whole_table() {
    let table = random(5_000, 4);
    let weights: Vec<f64> = (0..5_000).map(|i| f64::from(i % 3)).collect();
    let cuts = [0, 1, 1, 2_100, 4_999, 5_000];
    let shard = |pair: &[usize]| {
        let (start, end) = (pair[0], pair[1]);
        Dense::new(table.view().slice_rows(start, end))
            .with_weights(&weights[start..end])
            .unwrap()
    };
    let shards: Vec<Dense<'_, f64>> = cuts.windows(2).map(shard).collect();
    let chain = Chain::new(shards).unwrap();
    let (cells, found) = all(&chain);
    assert_eq!((cells.as_slice(), &found), (table.as_slice(), &weights));
    let whole = Dense::new(table.view()).with_weights(&weights).unwrap();
    let fit = |source: &dyn Source<f64>| PcaOptions::default().fit(&Context::new(), source);
    let (a, b) = (fit(&chain).unwrap(), fit(&whole).unwrap());
    for (x, y) in a.explained_variance().iter().zip(b.explained_variance()) {
        assert!((x - y).abs() <= 1e-12 * y, "{x} {y}");
    }
    for (x, y) in a
        .components()
        .as_slice()
        .iter()
        .zip(b.components().as_slice())
    {
        assert!((x - y).abs() <= 1e-12, "{x} {y}");
    }
}

#[test]
fn a_chain_refuses_shards_that_do_not_belong_together() {
    let (a, b) = (random(3, 2), random(3, 4));
    let shards = vec![Dense::new(a.view()), Dense::new(b.view())];
    let wrong = Chain::new(shards).map(|_| ()).unwrap_err();
    assert!(matches!(
        wrong,
        Error::WrongWidth {
            given: 4,
            expected: 2
        }
    ));
    let weighted = Dense::new(a.view()).with_weights(&[1.0; 3]).unwrap();
    let shards = vec![Dense::new(a.view()), weighted];
    assert!(matches!(Chain::new(shards), Err(Error::BadWeights { .. })));
    assert!(Chain::<f64, Dense<'_, f64>>::new(Vec::new()).is_err());
}

#[test]
fn some_rows_are_those_rows_in_dense_and_sparse_tables() {
    let table = random(5_000, 3);
    let weights: Vec<f64> = (0..5_000).map(f64::from).collect();
    let dense = Dense::new(table.view()).with_weights(&weights).unwrap();
    let indptr: Vec<usize> = (0..=5_000).map(|i| 3 * i).collect();
    let indices: Vec<u32> = (0..5_000).flat_map(|_| 0..3).collect();
    let view = CsrView::new(3, &indptr, &indices, table.as_slice()).unwrap();
    let sparse = Sparse::new(view).with_weights(&weights).unwrap();
    let sample = RowSet::sample(5_000, 700, 11);
    for rows in [RowSet::Range(1_200..3_700), sample, RowSet::Listed(vec![])] {
        let listed = rows.within(0, 5_000);
        assert_eq!(listed.len(), rows.len());
        let cells: Vec<f64> = listed.iter().flat_map(|&i| table.row(i)).copied().collect();
        let picked: Vec<f64> = listed.iter().map(|&i| weights[i]).collect();
        assert_eq!(
            all(&Subset::new(&dense, &rows)),
            (cells.clone(), picked.clone())
        );
        assert_eq!(all(&Subset::new(&sparse, &rows)), (cells, picked));
    }
}

#[test]
fn a_sample_is_uniform_repeatable_and_without_repeats() {
    let mut hits = [0usize; 20];
    for seed in 0..4_000 {
        let RowSet::Listed(rows) = RowSet::sample(20, 5, seed) else {
            panic!("five of twenty are a list");
        };
        assert_eq!(rows.len(), 5);
        assert!(rows.windows(2).all(|pair| pair[0] < pair[1]) && rows[4] < 20);
        rows.iter().for_each(|&row| hits[row] += 1);
    }
    // 1,000 on average with a deviation of 27.
    assert!(hits.iter().all(|&n| (860..1_140).contains(&n)), "{hits:?}");
    assert_eq!(RowSet::sample(100, 9, 5), RowSet::sample(100, 9, 5));
    assert_ne!(RowSet::sample(100, 9, 5), RowSet::sample(100, 9, 6));
    assert_eq!(RowSet::sample(4, 9, 0), RowSet::Range(0..4));
}

#[test]
fn floats_become_wider_without_becoming_others() {
    let narrow = [1.5f32, -2.25, 0.0, 7.0];
    let dense = Dense::new(MatView::from_rows(&narrow, 2, 2).unwrap());
    assert_eq!(all(&Widened(&dense)).0, [1.5, -2.25, 0.0, 7.0]);
    let view = CsrView::new(2, &[0, 1, 2], &[1, 0], &narrow[..2]).unwrap();
    let sparse = Sparse::new(view);
    assert_eq!(all(&Widened(&sparse)).0, [0.0, 1.5, -2.25, 0.0]);
}

#[test]
fn a_profile_counts_missing_cells_and_sums_up_the_rest() {
    let mut table = random(30_000, 3);
    for i in 0..30_000 {
        if i % 10 == 3 {
            table.row_mut(i)[1] = f64::NAN;
        }
        table.row_mut(i)[2] = (i % 100) as f64 + 1e15;
    }
    let dense = Dense::new(table.view());
    let on = |threads: usize| {
        let ctx = Context::new().with_threads(threads).unwrap();
        summarize(&ctx, &dense, || Profile::new(3)).unwrap()
    };
    let (profile, again) = (on(1), on(3));
    assert_eq!(profile.n_rows(), 30_000);
    for (j, (column, other)) in profile.columns().iter().zip(again.columns()).enumerate() {
        let mut cells: Vec<f64> = (0..30_000).map(|i| table[(i, j)]).collect();
        cells.retain(|x| !x.is_nan());
        cells.sort_by(f64::total_cmp);
        let n = cells.len() as f64;
        let mean = cells[0] + cells.iter().map(|x| x - cells[0]).sum::<f64>() / n;
        let squares: f64 = cells.iter().map(|x| (x - mean).powi(2)).sum();
        assert_eq!(column.count + column.missing, 30_000);
        assert!((column.mean() - mean).abs() <= 1e-12 * mean.abs());
        let deviation = (squares / (n - 1.0)).sqrt();
        assert!((column.deviation() - deviation).abs() <= 1e-9 * deviation);
        assert_eq!(column.quantiles.at(&[0.0, 1.0]), [column.min, column.max]);
        assert_eq!(column.quantiles.rank_error(), 0.0);
        assert_eq!(
            (column.mean(), column.deviation()),
            (other.mean(), other.deviation())
        );
        assert_eq!(column.whole, j == 2);
    }
    assert_eq!(profile.columns()[1].missing, 3_000);
}

#[test]
fn equal_columns_have_equal_fingerprints_and_others_do_not() {
    let table = random(300, 1);
    let wide = Mat::from_fn(300, 3, |i, j| match j {
        2 => table[(299 - i, 0)],
        _ => table[(i, 0)],
    });
    let dense = Dense::new(wide.view());
    let profile = summarize(&Context::new(), &dense, || Profile::new(3)).unwrap();
    let prints: Vec<u64> = profile.columns().iter().map(|c| c.fingerprint).collect();
    assert_eq!(prints[0], prints[1]);
    assert_ne!(prints[0], prints[2]);
}

proptest! {
    /// Any numbers, with ties, in any order, cut anywhere, in a sketch of any width.
    #[test]
    fn a_quantile_is_never_farther_off_than_it_says(
        numbers in prop::collection::vec(-20i32..20, 1..2_000),
        cut in 0usize..2_000,
        exact in 1usize..300,
        width in 2usize..64,
        share in 0.0f64..=1.0,
    ) {
        let n = numbers.len();
        let mut sketch = Quantiles::new(exact, width);
        let mut later = Quantiles::new(exact, width);
        for (i, x) in numbers.iter().enumerate() {
            let half = if i < cut { &mut sketch } else { &mut later };
            half.push(f64::from(*x));
        }
        sketch.merge(later);
        prop_assert_eq!(sketch.n(), n as u64);
        let x = sketch.at(&[share])[0];
        // Between two neighbors it lies in the gap that both bound.
        let below = numbers.iter().filter(|y| f64::from(**y) < x.ceil()).count() as f64;
        let up_to = numbers.iter().filter(|y| f64::from(**y) <= x.floor()).count() as f64;
        let place = share * (n - 1) as f64;
        let slack = sketch.rank_error() * n as f64 + 1.0;
        prop_assert!(below.min(up_to) - slack <= place && place <= below.max(up_to) + slack);
        let total: u64 = sketch.histogram(-20.0, 20.0, 5).iter().sum();
        prop_assert_eq!(total, n as u64);
        if n <= exact.max(width) {
            prop_assert_eq!(sketch.rank_error(), 0.0);
        }
    }
}
