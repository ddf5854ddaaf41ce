//! Laplacian eigenmaps, locally linear embedding and diffusion maps: the peers' places, places that are known beforehand, and what cannot be
//! placed.

use eigenspan::error::GraphFault;
use eigenspan::graph::{Metric, Pieces};
use eigenspan::kernel::Gamma;
use eigenspan::method::{
    Affinity, DiffusionMap, DiffusionOptions, Fitted, HessianWeights, Laplacian, LaplacianOptions,
    Lle, LleOptions, Method, Training, Variant, registry,
};
use eigenspan::prepare::Scale;
use eigenspan::source::{Dense, Numbers};
use eigenspan::{Context, Error, Mat, Note};
use serde_json::Value as Json;

use crate::support::{assert_close, distance, mixed, numbers, reference, table_without, to_f32};

fn laplacian(options: &LaplacianOptions, x: &Mat<f64>) -> Laplacian {
    let rows = Dense::new(x.view());
    options.fit(&Context::new(), &rows).expect("a fit")
}

fn lle(options: &LleOptions, x: &Mat<f64>) -> Lle {
    let rows = Dense::new(x.view());
    options.fit(&Context::new(), &rows).expect("a fit")
}

fn diffusion(options: &DiffusionOptions, x: &Mat<f64>) -> DiffusionMap {
    let rows = Dense::new(x.view());
    options.fit(&Context::new(), &rows).expect("a fit")
}

fn refused(options: &dyn Method, x: &Mat<f64>) -> Error {
    let rows = Dense::new(x.view());
    let training = Training::new(Numbers::from_source(&rows));
    options
        .fit(&Context::new(), &training)
        .expect_err("a refusal")
}

fn wine() -> Mat<f64> {
    table_without("wine/wine.csv", &["target"])
}

fn stored(name: &str) -> Json {
    reference("spectral.json")["results"][name].clone()
}

/// The stored places as rows, one for each coordinate.
fn axes(of: &Json) -> Vec<Vec<f64>> {
    of.as_array().expect("rows").iter().map(numbers).collect()
}

fn centered(axis: &[f64]) -> Vec<f64> {
    let mean = axis.iter().sum::<f64>() / axis.len() as f64;
    axis.iter().map(|x| x - mean).collect()
}

/// Orthonormal rows with the span of these.
fn basis(axes: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let mut out: Vec<Vec<f64>> = Vec::new();
    for axis in axes {
        let mut axis = axis.clone();
        for _ in 0..2 {
            for other in &out {
                let along: f64 = axis.iter().zip(other).map(|(a, b)| a * b).sum();
                axis.iter_mut()
                    .zip(other)
                    .for_each(|(a, b)| *a -= along * b);
            }
        }
        let length = axis.iter().map(|x| x * x).sum::<f64>().sqrt();
        axis.iter_mut().for_each(|x| *x /= length);
        out.push(axis);
    }
    out
}

/// How far places are from the span of others, as a share of their own length.
fn out_of_span(places: &Mat<f64>, axes: &[Vec<f64>]) -> f64 {
    let basis = basis(axes);
    let own: Vec<Vec<f64>> = (0..places.n_cols()).map(|c| places.col(c)).collect();
    let off = own.iter().map(|axis| {
        let mut rest = axis.clone();
        for other in &basis {
            let along: f64 = axis.iter().zip(other).map(|(a, b)| a * b).sum();
            rest.iter_mut()
                .zip(other)
                .for_each(|(a, b)| *a -= along * b);
        }
        let length = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
        length(&rest) / length(axis)
    });
    off.fold(0.0, f64::max)
}

/// Every coordinate of places is that of the peer, up to its sign.
fn assert_same_axes(places: &Mat<f64>, want: &[Vec<f64>], within: f64) {
    assert_eq!(places.n_cols(), want.len());
    for (c, want) in want.iter().enumerate() {
        let own = places.col(c);
        let turned: Vec<f64> = own.iter().map(|x| -x).collect();
        let away = distance(&own, want).min(distance(&turned, want));
        let length = want.iter().map(|x| x * x).sum::<f64>().sqrt();
        assert!(away < within * length, "coordinate {c}: {away:e}");
    }
}

/// A grid of w × h places, bent into three dimensions.
fn sheet(w: usize, h: usize) -> Mat<f64> {
    Mat::from_fn(w * h, 3, |i, j| {
        let (a, b) = ((i % w) as f64 / w as f64, (i / w) as f64 / h as f64);
        [a + 0.01 * (7.0 * b).sin(), b, a * a][j]
    })
}

const N_NEIGHBORS: usize = 20;

#[test]
fn laplacian_eigenmaps_are_scikit_learns() {
    let options = LaplacianOptions {
        n_components: 3,
        n_neighbors: N_NEIGHBORS,
        scale: Scale::Std,
        ..Default::default()
    };
    let want = axes(&stored("laplacian neighbors")["places"]);
    assert_same_axes(laplacian(&options, &wine()).places(), &want, 1e-9);
    let options = LaplacianOptions {
        affinity: Affinity::Rbf,
        gamma: Gamma::Value(0.05),
        ..options
    };
    let want = axes(&stored("laplacian rbf")["places"]);
    assert_same_axes(laplacian(&options, &wine()).places(), &want, 1e-9);
}

#[test]
fn locally_linear_embeddings_are_scikit_learns_in_every_variant() {
    for (name, variant, within) in [
        ("standard", Variant::Standard, 1e-6),
        ("modified", Variant::Modified, 1e-6),
        ("hessian", Variant::Hessian, 1e-6),
        ("ltsa", Variant::Ltsa, 1e-6),
    ] {
        let options = LleOptions {
            n_neighbors: N_NEIGHBORS,
            variant,
            scale: Scale::Std,
            ..Default::default()
        };
        let want = stored(&format!("lle {name}"));
        let model = lle(&options, &wine());
        // Where an eigenvalue is zero, scikit-learn mixes the constant into its places.
        let theirs: Vec<Vec<f64>> = axes(&want["places"])
            .iter()
            .map(|axis| centered(axis))
            .collect();
        let off = out_of_span(model.places(), &theirs);
        assert!(off < within, "{name}: {off:e}");
        let error: f64 = model.eigenvalues().iter().sum();
        let theirs = want["error"].as_f64().expect("a number");
        assert!(
            (error - theirs).abs() < 1e-6 * theirs.abs() + 1e-13,
            "{name}: {error:e} {theirs:e}"
        );
        for c in 0..2 {
            let axis = model.places().col(c);
            let (sum, square) = axis.iter().fold((0.0, 0.0), |(s, q), x| (s + x, q + x * x));
            assert!(
                f64::abs(sum) < 1e-9 && f64::abs(square - 1.0) < 1e-12,
                "{name}"
            );
        }
    }
}

#[test]
fn second_derivatives_are_all_that_is_not_linear_where_neighbors_are_fewest() {
    let x = sheet(10, 9);
    let [all, products] = [HessianWeights::All, HessianWeights::Products].map(|hessian_weights| {
        let options = LleOptions {
            n_neighbors: 6,
            variant: Variant::Hessian,
            hessian_weights,
            ..Default::default()
        };
        lle(&options, &x)
    });
    let scale = 1e-9 + all.eigenvalues()[1];
    for (a, b) in all.eigenvalues().iter().zip(products.eigenvalues()) {
        assert!((a - b).abs() < 1e-6 * scale, "{a:e} {b:e}");
    }
}

#[test]
fn diffusion_maps_are_those_of_their_definition() {
    for (name, alpha, diffusion_time) in
        [("diffusion 1 1", 1.0, 1.0), ("diffusion 0.5 3", 0.5, 3.0)]
    {
        let options = DiffusionOptions {
            n_components: 3,
            gamma: Gamma::Value(0.05),
            alpha,
            diffusion_time,
            scale: Scale::Std,
            ..Default::default()
        };
        let model = diffusion(&options, &wine());
        let want = stored(name);
        assert_close(model.eigenvalues(), &numbers(&want["eigenvalues"]), 1e-11);
        assert_same_axes(model.places(), &axes(&want["places"]), 1e-9);
    }
}

#[test]
fn a_ring_of_rows_has_the_eigenvalues_of_a_ring() {
    // Every row is linked to the one before it and the one after it: λ = 1 − cos(2πj ÷ n), twice each.
    let n = 900;
    let x = Mat::from_fn(n, 2, |i, j| {
        let angle = std::f64::consts::TAU * i as f64 / n as f64;
        if j == 0 { angle.cos() } else { angle.sin() }
    });
    let options = LaplacianOptions {
        n_components: 4,
        n_neighbors: 2,
        ..Default::default()
    };
    let model = laplacian(&options, &x);
    for (i, value) in model.eigenvalues().iter().enumerate() {
        let j = 1 + i / 2;
        let want = 1.0 - (std::f64::consts::TAU * j as f64 / n as f64).cos();
        assert!((value - want).abs() < 1e-12, "{i}: {value:e} {want:e}");
    }
    assert!(model.residuals().iter().all(|r| *r < 1e-11));
    assert!(model.notes().is_empty(), "{:?}", model.notes());
    // The first two coordinates are a circle.
    let radius = |i: usize| {
        model.places().row(i)[..2]
            .iter()
            .map(|x| x * x)
            .sum::<f64>()
    };
    assert!((0..n).all(|i| (radius(i) / radius(0) - 1.0).abs() < 1e-6));
}

#[test]
fn filtered_products_find_the_pairs_of_a_decomposition() {
    // 500 rows are more than are decomposed.
    let x = sheet(25, 20);
    let options = LaplacianOptions {
        n_components: 5,
        ..Default::default()
    };
    let model = laplacian(&options, &x);
    assert!(model.residuals().iter().all(|r| *r < 1e-11));
    let rbf = LaplacianOptions {
        affinity: Affinity::Rbf,
        gamma: Gamma::Value(20.0),
        n_components: 5,
        ..Default::default()
    };
    let whole = laplacian(&rbf, &x);
    assert!(whole.residuals().iter().all(|r| *r < 1e-11));
    // The same affinities, given: the same places.
    let matrix = Mat::from_fn(x.n_rows(), x.n_rows(), |i, j| {
        let pair = x.row(i).iter().zip(x.row(j));
        let square: f64 = pair.map(|(a, b)| (a - b).powi(2)).sum();
        (-20.0 * square).exp()
    });
    let given = LaplacianOptions {
        affinity: Affinity::Precomputed,
        n_components: 5,
        ..Default::default()
    };
    let given = laplacian(&given, &matrix);
    assert_close(given.eigenvalues(), whole.eigenvalues(), 1e-9);
}

#[test]
fn new_rows_of_an_lle_are_scikit_learns_and_do_not_depend_on_the_batch() {
    let x = wine();
    let n = x.n_rows() as f64;
    let columns: Vec<(f64, f64)> = (0..x.n_cols())
        .map(|j| {
            let column = x.col(j);
            let mean = column.iter().sum::<f64>() / n;
            let square: f64 = column.iter().map(|x| (x - mean).powi(2)).sum();
            (mean, (square / (n - 1.0)).sqrt())
        })
        .collect();
    let z = Mat::from_fn(x.n_rows(), x.n_cols(), |i, j| {
        (x[(i, j)] - columns[j].0) / columns[j].1
    });
    let new = Mat::from_fn(5, z.n_cols(), |i, j| z[(i, j)] + 0.125);
    let options = LleOptions {
        n_neighbors: N_NEIGHBORS,
        ..Default::default()
    };
    let model = lle(&options, &z);
    let ctx = Context::new();
    let transform = |rows: &Mat<f64>| {
        let source = Dense::new(rows.view());
        let scores = (&model as &dyn Fitted).transform(&ctx, Numbers::from_source(&source));
        match scores.expect("places") {
            eigenspan::method::contract::Scores::F64(scores) => scores,
            _ => panic!("f32"),
        }
    };
    let places = transform(&new);
    assert_same_axes(&places, &axes(&stored("lle standard")["new"]), 1e-6);
    for i in 0..5 {
        let one = transform(&Mat::from_fn(1, z.n_cols(), |_, j| new[(i, j)]));
        assert_eq!(one.row(0), places.row(i));
    }
}

#[test]
fn new_rows_of_a_diffusion_map_that_are_rows_of_the_fit_have_their_places() {
    let x = mixed(60, 4, 1);
    let model = diffusion(&DiffusionOptions::default(), &x);
    let source = Dense::new(x.view());
    let scores = (&model as &dyn Fitted).transform(&Context::new(), Numbers::from_source(&source));
    let eigenspan::method::contract::Scores::F64(scores) = scores.expect("places") else {
        panic!("f32")
    };
    let largest = model
        .places()
        .as_slice()
        .iter()
        .fold(0.0f64, |m, x| m.max(x.abs()));
    for (a, b) in scores.as_slice().iter().zip(model.places().as_slice()) {
        assert!((a - b).abs() < 1e-9 * largest, "{a} {b}");
    }
}

#[test]
fn every_number_of_threads_gives_the_same_bits() {
    let x = sheet(24, 20);
    let methods: Vec<Box<dyn Method>> = vec![
        Box::new(LaplacianOptions::default()),
        Box::new(LleOptions::default()),
        Box::new(DiffusionOptions::default()),
    ];
    for method in methods {
        let places = |threads: usize| {
            let ctx = Context::new().with_threads(threads).expect("threads");
            let rows = Dense::new(x.view());
            let training = Training::new(Numbers::from_source(&rows));
            let model = method.fit(&ctx, &training).expect("a fit");
            let places = model.embedding().expect("places").as_slice().to_vec();
            places.iter().map(|x| x.to_bits()).collect::<Vec<u64>>()
        };
        let one = places(1);
        assert!(one == places(2) && one == places(8), "{}", method.name());
    }
}

#[test]
fn a_model_is_read_back_as_it_was_written() {
    let x = mixed(40, 3, 2);
    let methods: Vec<Box<dyn Method>> = vec![
        Box::new(LaplacianOptions {
            scale: Scale::Std,
            ..Default::default()
        }),
        Box::new(LleOptions {
            scale: Scale::Std,
            ..Default::default()
        }),
        Box::new(DiffusionOptions {
            scale: Scale::Std,
            ..Default::default()
        }),
    ];
    for method in methods {
        let rows = Dense::new(x.view());
        let training = Training::new(Numbers::from_source(&rows));
        let model = method.fit(&Context::new(), &training).expect("a fit");
        let entry = registry::find(method.name()).expect("an entry");
        let mut record = model.record().expect("a record");
        let again = entry.from_record(&record).expect("a model");
        assert_eq!(again.embedding(), model.embedding());
        assert_eq!(again.facts(), model.facts());
        assert_eq!(again.named("eigenvalues"), model.named("eigenvalues"));
        if let (Ok(a), Ok(b)) = (
            model.transform(&Context::new(), Numbers::from_source(&rows)),
            again.transform(&Context::new(), Numbers::from_source(&rows)),
        ) {
            assert_eq!(a, b);
        }
        record.tensors.retain(|(name, _)| name != "eigenvalues");
        assert!(entry.from_record(&record).is_err());
    }
}

#[test]
fn a_graph_in_pieces_is_joined_with_a_note_or_refused() {
    // Two sheets far apart.
    let one = sheet(8, 8);
    let x = Mat::from_fn(128, 3, |i, j| {
        one[(i % 64, j)] + if i < 64 { 0.0 } else { 50.0 }
    });
    let model = laplacian(&LaplacianOptions::default(), &x);
    assert!(
        matches!(
            model.notes(),
            [Note::JoinedPieces {
                pieces: 2,
                links: 1,
                ..
            }]
        ),
        "{:?}",
        model.notes()
    );
    assert!(model.eigenvalues()[0] > 0.0);
    let model = lle(&LleOptions::default(), &x);
    assert!(matches!(
        model.notes(),
        [Note::JoinedPieces { pieces: 2, .. }]
    ));
    let refuse = LaplacianOptions {
        pieces: Pieces::Refuse,
        ..Default::default()
    };
    let said = refused(&refuse, &x).to_string();
    assert!(
        said.contains("2 pieces") && said.contains("64 and 64 rows"),
        "{said}"
    );
    // A given matrix has no distances by which pieces could be joined.
    let blocks = Mat::from_fn(6, 6, |i, j| f64::from(u8::from(i / 2 == j / 2)));
    let given = LaplacianOptions {
        affinity: Affinity::Precomputed,
        ..Default::default()
    };
    let error = refused(&given, &blocks);
    assert!(
        matches!(&error, Error::Graph(GraphFault::InPieces { pieces: 3, sizes }) if sizes == &[2, 2, 2]),
        "{error}"
    );
}

#[test]
fn what_cannot_be_placed_is_refused_with_what_can() {
    let x = mixed(12, 3, 1);
    let said = |options: &dyn Method, x: &Mat<f64>| refused(options, x).to_string();
    let many = LaplacianOptions {
        n_neighbors: 12,
        ..Default::default()
    };
    assert_eq!(
        said(&many, &x),
        "n_neighbors = 12 does not fit: 12 rows have 1 to 11 neighbors each, all other rows"
    );
    let many = LleOptions {
        n_neighbors: 12,
        ..Default::default()
    };
    assert!(said(&many, &x).starts_with("n_neighbors = 12 does not fit"));
    let wide = LaplacianOptions {
        n_components: 12,
        ..Default::default()
    };
    assert_eq!(
        said(&wide, &x),
        "12 coordinates asked for, but 12 rows allow at most 11: as many eigenvectors as rows, of which one is constant"
    );
    let wide = LleOptions {
        n_components: 4,
        ..Default::default()
    };
    assert!(
        said(&wide, &x).contains("neighborhoods of rows with 3 columns have at most 3 directions")
    );
    let few = LleOptions {
        variant: Variant::Hessian,
        n_neighbors: 5,
        ..Default::default()
    };
    assert_eq!(
        said(&few, &x),
        "n_neighbors = 5 is too few: Hessian LLE of 2 coordinates needs at least 6 neighbors"
    );
    let zero = Mat::from_fn(12, 3, |i, j| if i == 3 { 0.0 } else { x[(i, j)] });
    let cosine = LaplacianOptions {
        metric: Metric::Cosine,
        n_neighbors: 3,
        ..Default::default()
    };
    assert!(said(&cosine, &zero).contains("row 4 is all zeros, so it has no cosine distance"));
    let hole = Mat::from_fn(12, 3, |i, j| {
        if (i, j) == (2, 1) {
            f64::NAN
        } else {
            x[(i, j)]
        }
    });
    for options in [
        &LaplacianOptions {
            n_neighbors: 3,
            ..Default::default()
        } as &dyn Method,
        &LleOptions {
            n_neighbors: 3,
            ..Default::default()
        },
        &DiffusionOptions::default(),
    ] {
        assert!(
            matches!(
                refused(options, &hole),
                Error::NotFinite {
                    nan: 1,
                    row: 2,
                    col: 1,
                    ..
                }
            ),
            "{}",
            options.name()
        );
    }
    let given = LaplacianOptions {
        affinity: Affinity::Precomputed,
        ..Default::default()
    };
    assert!(said(&given, &x).contains("12 × 3"));
    let skew = Mat::from_fn(4, 4, |i, j| (i + 2 * j) as f64);
    assert!(said(&given, &skew).contains("row 1, column 2 is 2 and row 2, column 1 is 1"));
    let below = Mat::from_fn(4, 4, |i, j| if i + j == 3 { -1.0 } else { 1.0 });
    assert!(said(&given, &below).contains("an affinity is at least 0, but row 1, column 4 is -1"));
    let alpha = DiffusionOptions {
        alpha: 2.0,
        ..Default::default()
    };
    assert!(said(&alpha, &x).contains("alpha"));
    let equal = Mat::from_fn(5, 2, |_, _| 1.0);
    assert!(said(&DiffusionOptions::default(), &equal).contains("all rows are equal"));
}

#[test]
fn duplicate_rows_and_few_rows_have_finite_places() {
    let few = mixed(9, 3, 5);
    let twice = Mat::from_fn(36, 3, |i, j| few[(i / 4, j)]);
    for variant in [
        Variant::Standard,
        Variant::Modified,
        Variant::Hessian,
        Variant::Ltsa,
    ] {
        let options = LleOptions {
            variant,
            n_neighbors: 8,
            ..Default::default()
        };
        let model = lle(&options, &twice);
        assert!(
            model.places().as_slice().iter().all(|x| x.is_finite()),
            "{variant:?}"
        );
    }
    let options = LaplacianOptions {
        n_neighbors: 3,
        ..Default::default()
    };
    assert!(
        laplacian(&options, &twice)
            .places()
            .as_slice()
            .iter()
            .all(|x| x.is_finite())
    );
    let equal = Mat::from_fn(6, 2, |_, _| 1.0);
    assert!(
        laplacian(&options, &equal)
            .places()
            .as_slice()
            .iter()
            .all(|x| x.is_finite())
    );
    let two = Mat::from_fn(2, 1, |i, _| i as f64);
    let options = LaplacianOptions {
        n_neighbors: 1,
        n_components: 1,
        ..Default::default()
    };
    assert_eq!(laplacian(&options, &two).places().n_rows(), 2);
    let options = DiffusionOptions {
        n_components: 1,
        ..Default::default()
    };
    let map = diffusion(&options, &two);
    assert!(map.places().as_slice().iter().all(|x| x.is_finite()));
}

#[test]
fn single_precision_and_an_offset_change_places_by_rounding_alone() {
    let x = sheet(12, 10);
    let away = Mat::from_fn(x.n_rows(), 3, |i, j| x[(i, j)] + 1e5);
    let options = LleOptions {
        variant: Variant::Ltsa,
        ..Default::default()
    };
    let plain = lle(&options, &x);
    let moved = lle(&options, &away);
    let axes: Vec<Vec<f64>> = (0..2).map(|c| plain.places().col(c)).collect();
    assert!(out_of_span(moved.places(), &axes) < 1e-4);
    let single = to_f32(&x);
    let rows = Dense::new(single.view());
    let model = LaplacianOptions::default()
        .fit(&Context::new(), &rows)
        .expect("a fit");
    let double = laplacian(
        &LaplacianOptions::default(),
        &Mat::from_fn(x.n_rows(), 3, |i, j| f64::from(single[(i, j)])),
    );
    assert_eq!(model.places(), double.places());
}
