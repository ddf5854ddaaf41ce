//! Isomap: its places are scikit-learn's, rows of the fit keep their places when they come again, and what is said of the graph, of the
//! eigenvalues and of the residual variance is so.

mod limits;

use eigenspan::graph::{Metric, NeighborOptions};
use eigenspan::method::contract::Value;
use eigenspan::method::{Fitted, Isomap, IsomapOptions, Method, PcaOptions, Training, registry};
use eigenspan::prepare::Scale;
use eigenspan::solve::Keep;
use eigenspan::source::{Csr, Dense, Numbers, Sparse};
use eigenspan::{Context, Mat, Real};
use serde_json::Value as Json;

use crate::support::{assert_close, distance, mixed, numbers, reference, table_without, to_f32};

fn fit<T: Real>(options: &IsomapOptions, x: &Mat<T>) -> Isomap {
    let rows = Dense::new(x.view());
    options.fit(&Context::new(), &rows).expect("a fit")
}

fn options(n_neighbors: usize, n_components: usize) -> IsomapOptions {
    IsomapOptions {
        n_neighbors,
        n_components,
        ..Default::default()
    }
}

fn transform(model: &Isomap, x: &Mat<f64>) -> Mat<f64> {
    let rows = Dense::new(x.view());
    let model: &dyn Fitted = model;
    match model
        .transform(&Context::new(), Numbers::F64(&rows))
        .expect("places")
    {
        eigenspan::method::contract::Scores::F64(places) => places,
        eigenspan::method::contract::Scores::F32(_) => panic!("of f64"),
    }
}

/// Numbers in [0, 1), as `make_maps.py` draws them.
fn drawn(n: usize, d: usize) -> Mat<f64> {
    let mut state = 1u64;
    Mat::from_fn(n, d, |_, _| {
        state = (1_103_515_245 * state + 12_345) % (1 << 31);
        state as f64 / (1u64 << 31) as f64
    })
}

/// A roll of paper in space: how far along it each row lies, and the rows.
fn swiss_roll(n: usize) -> (Vec<f64>, Mat<f64>) {
    let u = drawn(n, 2);
    let along = |i: usize| 1.5 * std::f64::consts::PI * (1.0 + 2.0 * u[(i, 0)]);
    let rows = Mat::from_fn(n, 3, |i, j| {
        let t = along(i);
        [t * t.cos(), 21.0 * u[(i, 1)], t * t.sin()][j]
    });
    ((0..n).map(along).collect(), rows)
}

fn apart(x: &Mat<f64>, size: f64) -> Mat<f64> {
    let noise = drawn(x.n_rows(), x.n_cols());
    Mat::from_fn(x.n_rows(), x.n_cols(), |i, j| {
        x[(i, j)] + size * noise[(i, j)]
    })
}

fn correlation(a: &[f64], b: &[f64]) -> f64 {
    let mean = |x: &[f64]| x.iter().sum::<f64>() / x.len() as f64;
    let (ma, mb) = (mean(a), mean(b));
    let sum = |f: &dyn Fn(f64, f64) -> f64| -> f64 {
        a.iter().zip(b).map(|(x, y)| f(x - ma, y - mb)).sum()
    };
    sum(&|x, y| x * y) / (sum(&|x, _| x * x) * sum(&|_, y| y * y)).sqrt()
}

/// Compares columns, which may point either way.
#[track_caller]
fn assert_same_places(got: &[Vec<f64>], want: &[Vec<f64>], tolerance: f64, what: &str) {
    let column = |rows: &[Vec<f64>], c: usize| rows.iter().map(|row| row[c]).collect::<Vec<f64>>();
    for c in 0..want[0].len() {
        let (got, want) = (column(got, c), column(want, c));
        let turned: Vec<f64> = got.iter().map(|x| -x).collect();
        let size = want.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        let away = distance(&got, &want).min(distance(&turned, &want)) / size;
        assert!(away < tolerance, "{what}, component {c}: {away:e}");
    }
}

fn rows_of(json: &Json) -> Vec<Vec<f64>> {
    json.as_array().expect("rows").iter().map(numbers).collect()
}

fn every(places: &Mat<f64>, step: usize) -> Vec<Vec<f64>> {
    places.rows().step_by(step).map(<[f64]>::to_vec).collect()
}

#[test]
fn places_are_scikit_learns_also_of_new_rows() {
    let wine = table_without("wine/wine.csv", &["target"]);
    let digits = apart(&table_without("digits/digits.csv", &["digit"]), 1e-3);
    let iris = apart(&table_without("iris/iris.csv", &["species"]), 1e-3);
    let (_, roll) = swiss_roll(800);
    let stored = reference("isomap.json");
    let cases = [
        ("wine", &wine, Metric::Euclidean, 3, true),
        ("wine manhattan", &wine, Metric::Manhattan, 3, true),
        ("iris", &iris, Metric::Euclidean, 2, false),
        ("digits", &digits, Metric::Euclidean, 2, false),
        ("swiss roll", &roll, Metric::Euclidean, 2, false),
    ];
    for (name, x, metric, k, scaled) in cases {
        let want = &stored["results"][name];
        let options = IsomapOptions {
            metric,
            scale: if scaled { Scale::Std } else { Scale::None },
            ..options(want["n_neighbors"].as_u64().expect("k") as usize, k)
        };
        let model = fit(&options, x);
        assert_close(&model.eigenvalues(), &numbers(&want["eigenvalues"]), 1e-9);
        let want_places = rows_of(&want["embedding"]);
        assert_same_places(&every(model.places(), 5), &want_places, 1e-7, name);
        let error = want["reconstruction_error"].as_f64().expect("an error");
        assert!(
            (model.reconstruction_error() / error - 1.0).abs() < 1e-9,
            "{name}"
        );
        let lengths = model.geodesics(&Context::new()).expect("geodesics");
        let longest = lengths.as_slice().iter().fold(0.0f64, |m, x| m.max(*x));
        let theirs = want["longest_geodesic"].as_f64().expect("a length");
        assert!((longest / theirs - 1.0).abs() < 1e-12, "{name}");
        if !scaled {
            let new = Mat::from_fn(x.n_rows().div_ceil(50), x.n_cols(), |i, j| {
                x[(50 * i, j)] + 0.01
            });
            let moved = every(&transform(&model, &new), 1);
            assert_same_places(&moved, &rows_of(&want["moved"]), 1e-7, name);
        }
    }
}

#[test]
fn cosine_places_are_scikit_learns() {
    // Metrics of directions see columns as they lie relative to zero.
    let wine = table_without("wine/wine.csv", &["target"]);
    let n = wine.n_rows() as f64;
    let columns: Vec<Vec<f64>> = (0..wine.n_cols())
        .map(|j| {
            let column = wine.col(j);
            let mean = column.iter().sum::<f64>() / n;
            let square = column.iter().map(|x| (x - mean).powi(2)).sum::<f64>();
            column
                .iter()
                .map(|x| (x - mean) / (square / (n - 1.0)).sqrt())
                .collect()
        })
        .collect();
    let x = Mat::from_fn(wine.n_rows(), wine.n_cols(), |i, j| columns[j][i]);
    let want = &reference("isomap.json")["results"]["wine cosine"];
    let options = IsomapOptions {
        metric: Metric::Cosine,
        ..options(7, 2)
    };
    let model = fit(&options, &x);
    assert_close(&model.eigenvalues(), &numbers(&want["eigenvalues"]), 1e-9);
    assert_same_places(
        &every(model.places(), 5),
        &rows_of(&want["embedding"]),
        1e-7,
        "cosine",
    );
}

#[test]
fn the_first_coordinate_unrolls_the_roll_and_that_of_pca_does_not() {
    let (along, rows) = swiss_roll(1000);
    let model = fit(&options(10, 2), &rows);
    let r = correlation(&model.places().col(0), &along).abs();
    // Lengths along a spiral grow a little faster than its angle.
    assert!(r > 0.99, "{r}");
    let pca = PcaOptions {
        n_components: Keep::Count(1),
        ..Default::default()
    };
    let source = Dense::new(rows.view());
    let pca = pca.fit(&Context::new(), &source).expect("a fit");
    let scores = pca.transform(&Context::new(), &source).expect("scores");
    let flat = correlation(&scores.col(0), &along).abs();
    assert!(flat < 0.6, "{flat}");
    // A sheet has two dimensions: the residual variance falls twice, and hardly after that.
    let four = fit(&options(10, 4), &rows);
    let left: Vec<f64> = four.residual_variance().iter().flatten().copied().collect();
    assert!(left[0] > 3.0 * left[1] && left[1] < 0.01, "{left:?}");
    assert!(left[3] > left[1] - 0.005, "{left:?}");
    // Landmarks see the same sheet.
    let some = IsomapOptions {
        n_landmarks: Some(60),
        ..options(10, 2)
    };
    let some = fit(&some, &rows);
    for c in 0..2 {
        let r = correlation(&some.places().col(c), &model.places().col(c)).abs();
        assert!(r > 0.999, "component {c}: {r}");
    }
    let r = correlation(&some.places().col(0), &along).abs();
    assert!(r > 0.99, "{r}");
}

#[test]
fn residual_variance_and_reconstruction_error_are_those_of_their_formulas() {
    let x = table_without("wine/wine.csv", &["target"]);
    let n = x.n_rows();
    for n_landmarks in [None, Some(40)] {
        let options = IsomapOptions {
            scale: Scale::Std,
            n_landmarks,
            ..options(6, 3)
        };
        let model = fit(&options, &x);
        let lengths = model.geodesics(&Context::new()).expect("geodesics");
        let from: Vec<usize> = match model.landmarks() {
            None => (0..n).collect(),
            Some(rows) => rows.to_vec(),
        };
        assert_eq!((lengths.n_rows(), lengths.n_cols()), (from.len(), n));
        for k in 1..=3 {
            let (mut a, mut b) = (Vec::new(), Vec::new());
            for (l, &i) in from.iter().enumerate() {
                for j in (0..n).filter(|&j| if n_landmarks.is_none() { j < i } else { j != i }) {
                    let places = model.places();
                    a.push(lengths[(l, j)]);
                    let (here, there) = (&places.row(i)[..k], &places.row(j)[..k]);
                    let apart = here.iter().zip(there).map(|(x, y)| x - y);
                    b.push(norm(&apart.collect::<Vec<f64>>()));
                }
            }
            let expected = 1.0 - correlation(&a, &b).powi(2);
            let got = model.residual_variance()[k - 1].expect("a value");
            assert!((got - expected).abs() < 1e-10, "{got} {expected}");
        }
    }
}

/// Euclidean length of a difference.
fn norm(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

#[test]
fn training_rows_that_come_again_get_their_own_places() {
    let x = mixed(150, 5, 7);
    for n_landmarks in [None, Some(30)] {
        for (metric, scale) in [
            (Metric::Euclidean, Scale::Std),
            (Metric::Cosine, Scale::None),
            (Metric::Correlation, Scale::Std),
            (Metric::Manhattan, Scale::None),
        ] {
            let options = IsomapOptions {
                n_landmarks,
                metric,
                scale,
                ..options(5, 3)
            };
            let model = fit(&options, &x);
            let again = transform(&model, &x);
            let size = norm(model.places().as_slice());
            let away = distance(again.as_slice(), model.places().as_slice()) / size;
            assert!(away < 1e-9, "{metric:?} {n_landmarks:?}: {away:e}");
            // A row's place does not depend on the rows beside it.
            for i in [0, 77] {
                let one = Mat::from_fn(1, 5, |_, j| x[(i, j)]);
                assert_eq!(transform(&model, &one).row(0), again.row(i));
            }
        }
    }
    // The same of 32-bit rows, and of sparse ones.
    let narrow = fit(&options(5, 2), &to_f32(&x));
    let wide = fit(
        &options(5, 2),
        &Mat::from_fn(150, 5, |i, j| f64::from(x[(i, j)] as f32)),
    );
    assert_eq!(narrow.places(), wide.places());
}

#[test]
fn sparse_rows_are_never_written_out_and_get_the_places_of_dense_ones() {
    let noise = drawn(120, 60);
    let x = Mat::from_fn(120, 60, |i, j| match (i + j) % 23 {
        0 | 5 => 1.0 + noise[(i, j)],
        _ => 0.0,
    });
    let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
    for row in x.rows() {
        for (j, v) in (0u32..).zip(row).filter(|(_, v)| **v != 0.0) {
            columns.push(j);
            values.push(*v);
        }
        starts.push(values.len());
    }
    let sparse = Csr::from_rows(60, starts, columns, values).expect("a sparse matrix");
    let mut wide = sparse.view();
    assert!(wide.n_cols() == 60);
    let dense = fit(&options(8, 2), &x);
    let model = options(8, 2)
        .fit(&Context::new(), &Sparse::new(wide))
        .expect("a fit");
    assert!(distance(dense.places().as_slice(), model.places().as_slice()) < 1e-9);
    assert!(distance(transform(&model, &x).as_slice(), model.places().as_slice()) < 1e-8);
    wide = sparse.view();
    let model: Box<dyn Fitted> = Box::new(model);
    let record = model.record().expect("a record");
    let again = registry::find("isomap")
        .expect("isomap")
        .from_record(&record)
        .expect("a model");
    let (a, b) = (Sparse::new(wide), Sparse::new(sparse.view()));
    let places = |m: &dyn Fitted, s: &Sparse<'_, f64>| {
        m.transform(&Context::new(), Numbers::F64(s))
            .expect("places")
    };
    assert_eq!(places(&*model, &a), places(&*again, &b));
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let (_, rows) = swiss_roll(700);
    let base = drawn(700, 3);
    for (n_landmarks, x) in [(None, &rows), (Some(90), &rows), (None, &base)] {
        let options = IsomapOptions {
            n_landmarks,
            ..options(7, 3)
        };
        let with = |threads| {
            let ctx = Context::new().with_threads(threads).expect("threads");
            let source = Dense::new(x.view());
            let model = options.fit(&ctx, &source).expect("a fit");
            let fitted: &dyn Fitted = &model;
            let again = fitted
                .transform(&ctx, Numbers::F64(&source))
                .expect("places");
            let record = format!("{:?}", model.record().expect("a record"));
            (record, again)
        };
        let one = with(1);
        assert!(one == with(2) && one == with(8));
    }
}

#[test]
fn a_model_that_comes_back_from_its_record_is_the_same() {
    let x = mixed(60, 4, 3);
    for (n_landmarks, metric, scale) in [
        (None, Metric::Euclidean, Scale::Std),
        (Some(20), Metric::Cosine, Scale::None),
    ] {
        let method = IsomapOptions {
            n_landmarks,
            metric,
            scale,
            ..options(4, 2)
        };
        let source = Dense::new(x.view());
        let training = Training::new(Numbers::F64(&source));
        let model = Method::fit(&method, &Context::new(), &training).expect("a fit");
        let record = model.record().expect("a record");
        let entry = registry::find("isomap").expect("isomap");
        let again = entry.from_record(&record).expect("a model");
        assert_eq!(again.record().expect("a record"), record);
        let places = |m: &dyn Fitted| {
            m.transform(&Context::new(), Numbers::F64(&source))
                .expect("places")
        };
        assert_eq!(places(&*model), places(&*again));
        // What does not fit together is refused.
        for name in [
            "embedding",
            "mean_squares",
            "rows",
            "graph_columns",
            "landmarks",
            "scale",
        ] {
            let mut damaged = record.clone();
            let Some((_, tensor)) = damaged.tensors.iter_mut().find(|(n, _)| n == name) else {
                continue;
            };
            let shorter = tensor.values.len()
                - tensor
                    .shape
                    .last()
                    .copied()
                    .filter(|_| tensor.shape.len() > 1)
                    .unwrap_or(1);
            tensor.values = tensor.values[..shorter].to_vec().into();
            tensor.shape[0] -= 1;
            assert!(entry.from_record(&damaged).is_err(), "{name}");
        }
    }
}

#[test]
fn a_map_of_all_rows_as_landmarks_is_the_exact_one() {
    let x = mixed(80, 4, 5);
    let exact = fit(&options(6, 2), &x);
    let all = IsomapOptions {
        n_landmarks: Some(80),
        ..options(6, 2)
    };
    let model = fit(&all, &x);
    assert_eq!(model.landmarks().map(<[usize]>::len), Some(80));
    assert!(distance(model.places().as_slice(), exact.places().as_slice()) < 1e-9);
    assert!((model.reconstruction_error() - exact.reconstruction_error()).abs() < 1e-12);
    let error = (0..2).map(|c| {
        Fitted::deviation(&model, c).expect("known") / Fitted::deviation(&exact, c).expect("known")
            - 1.0
    });
    assert!(error.map(f64::abs).fold(0.0, f64::max) < 1e-9);
    let Some(Value::Matrix(lengths)) = Fitted::value(&exact, "geodesics") else {
        panic!("no geodesics")
    };
    assert_eq!(lengths.transposed(), lengths);
    let neighbors = NeighborOptions {
        n_neighbors: 6,
        ..Default::default()
    };
    let near = neighbors
        .fit(&Context::new(), &Dense::new(x.view()))
        .expect("neighbors");
    assert_eq!(lengths[(3, near.row(3).0[0] as usize)], near.row(3).1[0]);
}
