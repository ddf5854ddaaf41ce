//! The texts of what is refused.

use eigenspan::evaluate::{Association, MapOptions, PairOptions, label_accuracy};
use eigenspan::graph::{Algorithm, Metric, NeighborOptions};
use eigenspan::source::{Dense, Numbers};
use eigenspan::{Context, Error, Mat};

use super::{normal, options};

fn fails<T>(result: Result<T, Error>, text: &str) {
    match result {
        Ok(_) => panic!("no error, but expected: {text}"),
        Err(error) => assert_eq!(error.to_string(), text),
    }
}

#[test]
fn counts_that_do_not_fit_name_what_is_possible() {
    let ctx = Context::new();
    let rows = normal(5, 2, 1);
    let fit = |k, rows: &Mat<f64>| {
        options(k, Metric::Euclidean, Algorithm::Auto).fit(&ctx, &Dense::new(rows.view()))
    };
    let most = "5 rows have 1 to 4 neighbors each, all other rows";
    fails(
        fit(0, &rows),
        &format!("n_neighbors = 0 does not fit: {most}"),
    );
    fails(
        fit(5, &rows),
        &format!("n_neighbors = 5 does not fit: {most}"),
    );
    assert!(fit(4, &rows).is_ok());
    let one = normal(1, 2, 1);
    fails(
        fit(1, &one),
        "n_neighbors = 1 does not fit: 1 row has no other row to be a neighbor",
    );
    fails(
        fit(1, &normal(0, 2, 1)),
        "there are no rows, so no row has neighbors",
    );
    fails(fit(1, &normal(3, 0, 1)), "no numeric columns to work on");
    let source = Dense::new(rows.view());
    let ready = options(2, Metric::Euclidean, Algorithm::Auto).prepare(&ctx, Numbers::F64(&source));
    let ready = ready.expect("rows");
    fails(
        ready.nearest_to(&ctx, Numbers::F64(&source), 6),
        "n_neighbors = 6 does not fit: 5 rows have 1 to 5 neighbors to offer",
    );
    let wide = normal(5, 3, 1);
    fails(
        ready.nearest_to(&ctx, Numbers::F64(&Dense::new(wide.view())), 1),
        "3 columns given, but 2 expected",
    );
    let options = NeighborOptions {
        recall: 1.5,
        ..NeighborOptions::default()
    };
    fails(
        options.fit(&ctx, &source),
        "recall = `1.5` is not known; it takes a share above 0 and at most 1",
    );
}

#[test]
fn rows_without_a_direction_are_named() {
    let ctx = Context::new();
    let mut rows = normal(8, 3, 1);
    rows.row_mut(4).fill(0.0);
    let fit = |metric, rows: &Mat<f64>| {
        options(2, metric, Algorithm::Auto).fit(&ctx, &Dense::new(rows.view()))
    };
    fails(
        fit(Metric::Cosine, &rows),
        "row 5 is all zeros, so it has no cosine distance to other rows",
    );
    rows.row_mut(4).fill(0.1);
    assert!(fit(Metric::Cosine, &rows).is_ok());
    fails(
        fit(Metric::Correlation, &rows),
        "row 5 is constant, so it has no correlation distance to other rows",
    );
    rows[(2, 1)] = f64::NAN;
    fails(
        fit(Metric::Euclidean, &rows),
        "1 cell is not a finite number (1 NaN, 0 infinite); the first is row 3, column 2",
    );
}

#[test]
fn maps_that_cannot_be_judged_are_refused() {
    let ctx = Context::new();
    let (rows, map, short) = (normal(10, 3, 1), normal(10, 2, 2), normal(9, 2, 2));
    let (rows, map, short) = (
        Dense::new(rows.view()),
        Dense::new(map.view()),
        Dense::new(short.view()),
    );
    let (rows, map, short) = (
        Numbers::F64(&rows),
        Numbers::F64(&map),
        Numbers::F64(&short),
    );
    let judge = |k, map| {
        let options = MapOptions {
            n_neighbors: k,
            ..MapOptions::default()
        };
        options.judge(&ctx, rows, map)
    };
    for k in [0, 5, 9] {
        fails(
            judge(k, map),
            &format!(
                "n_neighbors = {k} does not fit: ranks of 10 rows are judged by 1 to 4 neighbors, fewer than half of the rows"
            ),
        );
    }
    assert!(judge(4, map).is_ok());
    fails(judge(2, short), "the map has 9 rows, but the table has 10");
    let equal = Mat::from_fn(10, 2, |_, _| 1.0);
    let equal = Dense::new(equal.view());
    let pairs = PairOptions::default();
    fails(
        pairs.shepard_correlation(&ctx, rows, Numbers::F64(&equal), Association::Spearman),
        "all distances between rows of the map are zero, so a correlation has no value",
    );
    fails(
        pairs.normalized_stress(&ctx, Numbers::F64(&equal), map, true),
        "all distances between rows of the table are zero, so the stress has no value",
    );
    let labels: Vec<String> = (0..9).map(|i| (i % 2).to_string()).collect();
    fails(
        label_accuracy(&ctx, map, &labels, 3, None),
        "9 labels given for 10 rows, but every row needs one",
    );
    let two = normal(2, 2, 1);
    let two = Dense::new(two.view());
    fails(
        MapOptions::default().judge(&ctx, Numbers::F64(&two), Numbers::F64(&two)),
        "2 rows cannot be judged as a map: at least 3 rows are needed",
    );
}
