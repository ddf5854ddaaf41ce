//! Exact neighbors: definitions, hard rows, and the same bits on every road.

use eigenspan::graph::{Algorithm, EdgeValues, GraphOf, Metric};
use eigenspan::rng::Rng;
use eigenspan::source::{CsrView, Dense, Numbers, Sparse};
use eigenspan::{Context, Mat, MatView};

use super::{METRICS, by_hand, exact, normal, options};

#[test]
fn neighbors_are_those_of_the_definition() {
    for (n, d, k) in [(2, 1, 1), (37, 3, 5), (700, 9, 15), (300, 130, 299)] {
        let rows = normal(n, d, 1);
        for metric in METRICS {
            // Correlation and cosine of a single column are 0 or 2, so the rounding of a definition decides ties.
            if d == 1 && metric != Metric::Euclidean {
                continue;
            }
            let found = exact(&rows, k, metric);
            for (i, want) in by_hand(&rows, k, metric).iter().enumerate() {
                let (near, distances) = found.row(i);
                let same = want
                    .iter()
                    .zip(distances)
                    .all(|(w, x)| (w.0 - x).abs() < 1e-12 * (1.0 + x));
                assert!(
                    same,
                    "{metric:?} {n} × {d}: row {i}: {distances:?} {want:?}"
                );
                if metric != Metric::Hamming {
                    let rows: Vec<u32> = want.iter().map(|(_, j)| *j as u32).collect();
                    assert_eq!(near, rows, "{metric:?} {n} × {d}: row {i}");
                }
            }
        }
    }
}

#[test]
fn among_equally_near_rows_the_first_ones_count() {
    // Cells of few values make many ties and many duplicates.
    let mut rng = Rng::new(3);
    let rows = Mat::from_fn(900, 4, |_, _| rng.below(3) as f64);
    for metric in [Metric::Euclidean, Metric::Manhattan, Metric::Hamming] {
        let found = exact(&rows, 20, metric);
        for (i, want) in by_hand(&rows, 20, metric).iter().enumerate() {
            let want: Vec<u32> = want.iter().map(|(_, j)| *j as u32).collect();
            assert_eq!(found.row(i).0, want, "{metric:?} row {i}");
        }
    }
    let equal = Mat::from_fn(50, 3, |_, _| 0.1);
    let found = exact(&equal, 3, Metric::Euclidean);
    assert_eq!(found.row(0).0, [1, 2, 3]);
    assert_eq!(found.row(49).0, [0, 1, 2]);
    assert!(found.distances().iter().all(|x| *x == 0.0));
}

#[test]
fn rows_far_from_the_origin_and_near_each_other_keep_their_digits() {
    let base = normal(1200, 8, 5);
    let want = by_hand(&base, 10, Metric::Euclidean);
    // Cells of 2²⁶ + whole multiples of 2⁻²⁴ are exact in f64, so the distances are those of the multiples.
    let rounded = Mat::from_fn(1200, 8, |i, j| {
        (base[(i, j)] * 16_777_216.0).round() / 16_777_216.0
    });
    let far = Mat::from_fn(1200, 8, |i, j| rounded[(i, j)] + 67_108_864.0);
    let (near, apart) = (
        exact(&rounded, 10, Metric::Euclidean),
        exact(&far, 10, Metric::Euclidean),
    );
    assert_eq!(near.indices(), apart.indices());
    assert_eq!(near.distances(), apart.distances());
    assert!((near.row(7).1[9] - want[7][9].0).abs() < 1e-6);
    // One column a million times the others, and one row a billion times as far away.
    let mut hard = base.clone();
    (0..1200).for_each(|i| hard[(i, 3)] *= 1e6);
    (0..8).for_each(|j| hard[(600, j)] = 1e9);
    for metric in [Metric::Euclidean, Metric::Cosine] {
        let found = exact(&hard, 10, metric);
        for (i, want) in by_hand(&hard, 10, metric).iter().enumerate() {
            // 1 − cosine loses digits that differences keep, so only distances are compared.
            let same = want.iter().zip(found.row(i).1);
            assert!(
                same.clone()
                    .all(|(w, x)| (w.0 - x).abs() <= 1e-12 * x + 1e-15),
                "{metric:?} {i}"
            );
            if metric == Metric::Euclidean {
                let rows: Vec<u32> = want.iter().map(|(_, j)| *j as u32).collect();
                assert_eq!(found.row(i).0, rows, "row {i}");
            }
        }
    }
}

#[test]
fn clusters_as_tight_as_rounding_are_told_apart() {
    // Pairs at 1e-9 of each other within clusters that lie 1 apart: products in f32 cannot see the pairs.
    let mut rng = Rng::new(9);
    let rows = Mat::from_fn(600, 5, |i, j| {
        let cluster = ((i / 2 * 7 + j * 3) % 11) as f64;
        cluster + if i % 2 == 1 { 1e-9 * rng.normal() } else { 0.0 }
    });
    let found = exact(&rows, 4, Metric::Euclidean);
    for (i, want) in by_hand(&rows, 4, Metric::Euclidean).iter().enumerate() {
        for (want, got) in want.iter().zip(found.row(i).1) {
            assert!(
                (want.0 - got).abs() <= 1e-14 * got,
                "row {i}: {want:?} {got}"
            );
        }
    }
}

#[test]
fn squares_that_leave_the_range_of_f64_do_no_harm() {
    let base = normal(300, 3, 11);
    let plain = exact(&base, 5, Metric::Euclidean);
    for exponent in [-900, -400, 700, 1000] {
        let factor = 2f64.powi(exponent);
        let scaled = Mat::from_fn(300, 3, |i, j| base[(i, j)] * factor);
        for metric in [Metric::Euclidean, Metric::Cosine, Metric::Manhattan] {
            let (plain, found) = (exact(&base, 5, metric), exact(&scaled, 5, metric));
            assert_eq!(plain.indices(), found.indices(), "{metric:?} 2^{exponent}");
        }
        let found = exact(&scaled, 5, Metric::Euclidean);
        assert!((found.row(0).1[0] / factor / plain.row(0).1[0] - 1.0).abs() < 1e-14);
    }
    let mut one = base.clone();
    one[(17, 1)] = 1e200;
    let found = exact(&one, 5, Metric::Euclidean);
    assert!((found.row(17).1[0] / 1e200 - 1.0).abs() < 1e-14);
    assert_eq!(found.row(0).1, plain.row(0).1);
    assert_eq!(found.row(0).0, plain.row(0).0);
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let rows = normal(1500, 20, 13);
    for metric in METRICS {
        for algorithm in [Algorithm::Exact, Algorithm::Approximate] {
            let options = options(10, metric, algorithm);
            let fit = |threads| {
                let ctx = Context::new().with_threads(threads).expect("threads");
                options
                    .fit(&ctx, &Dense::new(rows.view()))
                    .expect("neighbors")
            };
            let one = fit(1);
            assert_eq!(one, fit(2), "{metric:?} {algorithm:?}");
            assert_eq!(one, fit(8), "{metric:?} {algorithm:?}");
        }
    }
}

/// Rows of which one cell in `one_in` is not zero, and the same as compressed sparse rows.
fn sparse_rows(n: usize, d: usize, one_in: usize) -> (Mat<f64>, Vec<usize>, Vec<u32>, Vec<f64>) {
    let mut rng = Rng::new(17);
    let whole = Mat::from_fn(n, d, |i, j| {
        match (i + j).is_multiple_of(d) || rng.below(one_in) == 0 {
            true => rng.normal(),
            false => 0.0,
        }
    });
    let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
    for row in whole.rows() {
        for (j, x) in row.iter().enumerate().filter(|(_, x)| **x != 0.0) {
            columns.push(j as u32);
            values.push(*x);
        }
        starts.push(values.len());
    }
    (whole, starts, columns, values)
}

#[test]
fn sparse_and_dense_rows_give_the_same_bits() {
    // Few cells stay sparse, many are stored whole.
    for one_in in [5, 100] {
        let (whole, starts, columns, values) = sparse_rows(400, 203, one_in);
        let view = CsrView::new(203, &starts, &columns, &values).expect("rows");
        for metric in METRICS {
            let options = options(7, metric, Algorithm::Exact);
            let found = options
                .fit(&Context::new(), &Sparse::new(view))
                .expect("neighbors");
            assert_eq!(found, exact(&whole, 7, metric), "{metric:?} 1/{one_in}");
            let some = Mat::from_fn(30, 203, |i, j| whole[(i, j)]);
            let source = Sparse::new(view);
            let ready = options.prepare(&Context::new(), Numbers::F64(&source));
            let ready = ready.expect("rows");
            let some = Dense::new(some.view());
            let near = ready.nearest_to(&Context::new(), Numbers::F64(&some), 1);
            let near = near.expect("neighbors");
            assert!(
                (0..30).all(|i| near.row(i) == (&[i as u32], &[0.0])),
                "{metric:?}"
            );
        }
    }
}

#[test]
fn floats_of_32_bits_give_the_neighbors_of_the_same_numbers_in_64() {
    let base = normal(800, 12, 19);
    let single: Vec<f32> = base.as_slice().iter().map(|x| *x as f32).collect();
    let wide = Mat::from_fn(800, 12, |i, j| f64::from(single[i * 12 + j]));
    let view = MatView::from_rows(&single, 800, 12).expect("rows");
    for metric in METRICS {
        let found = options(6, metric, Algorithm::Exact).fit(&Context::new(), &Dense::new(view));
        assert_eq!(found.expect("neighbors"), exact(&wide, 6, metric));
    }
}

#[test]
fn new_rows_have_the_neighbors_that_they_have_among_all_rows() {
    let rows = normal(500, 6, 23);
    for metric in METRICS {
        let options = options(4, metric, Algorithm::Auto);
        let source = Dense::new(rows.view());
        let ready = options
            .prepare(&Context::new(), Numbers::F64(&source))
            .expect("rows");
        let near = ready.nearest_to(&Context::new(), Numbers::F64(&source), 5);
        let (near, others) = (near.expect("neighbors"), ready.neighbors(&Context::new()));
        let others = others.expect("neighbors");
        if metric == Metric::Hamming {
            continue;
        }
        for i in 0..500 {
            assert_eq!(near.row(i).0[0], i as u32);
            assert_eq!(near.row(i).0[1..], *others.row(i).0);
            assert_eq!(near.row(i).1[1..], *others.row(i).1);
        }
    }
}

#[test]
fn a_symmetric_graph_is_the_union_and_a_mutual_one_the_intersection_of_both_directions() {
    let rows = normal(200, 3, 29);
    let found = exact(&rows, 4, Metric::Euclidean);
    let directed = found.graph(GraphOf::Knn, EdgeValues::Distance);
    let has = |i: usize, j: usize| found.row(i).0.contains(&(j as u32));
    for (of, both) in [(GraphOf::Symmetric, false), (GraphOf::Mutual, true)] {
        let graph = found.graph(of, EdgeValues::Distance);
        for i in 0..200 {
            let want: Vec<u32> = (0..200)
                .filter(|&j| {
                    if both {
                        has(i, j) && has(j, i)
                    } else {
                        has(i, j) || has(j, i)
                    }
                })
                .map(|j| j as u32)
                .collect();
            assert_eq!(graph.row(i).0, want);
            for (&j, &x) in graph.row(i).0.iter().zip(graph.row(i).1) {
                let (back, cells) = graph.row(j as usize);
                let at = back.binary_search(&(i as u32)).expect("both directions");
                assert_eq!(cells[at], x);
            }
        }
    }
    assert_eq!(directed.n_edges(), 800);
    let ones = found.graph(GraphOf::Knn, EdgeValues::Connectivity);
    assert!(ones.values.iter().all(|x| *x == 1.0));
    assert_eq!(ones.columns, directed.columns);
}

#[test]
fn components_are_the_clusters_that_no_edge_joins() {
    let rows = Mat::from_fn(30, 1, |i, _| [0.0, 1000.0, 2000.0][i % 3] + i as f64);
    let pieces = exact(&rows, 2, Metric::Euclidean).graph(GraphOf::Knn, EdgeValues::Distance);
    let pieces = pieces.components();
    assert_eq!(pieces.sizes, [10, 10, 10]);
    assert!((0..30).all(|i| pieces.of_rows[i] == (i % 3) as u32));
    assert_eq!(pieces.len(), 3);
}
