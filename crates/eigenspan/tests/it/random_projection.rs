//! Random projection: its size is scikit-learn's, its entries have the promised moments, distances are measured truly, and stored rows of
//! any kind give the same coordinates.

use eigenspan::method::contract::Value;
use eigenspan::method::{
    Entries, Fitted, RandomProjection, RandomProjectionOptions, johnson_lindenstrauss_size,
    registry,
};
use eigenspan::solve::{Keep, Solver};
use eigenspan::source::{Csr, Dense, Numbers, Sparse};
use eigenspan::{Context, Error, Mat, Note};

use crate::support::{assert_said, mixed, names, numbers, reference, to_f32};

fn options(k: usize, entries: Entries) -> RandomProjectionOptions {
    RandomProjectionOptions {
        n_components: Keep::Count(k),
        entries,
        ..Default::default()
    }
}

fn fit(options: &RandomProjectionOptions, x: &Mat<f64>) -> RandomProjection {
    let rows = Dense::new(x.view());
    options.fit(&Context::new(), &rows).expect("a fit")
}

fn refused(options: &RandomProjectionOptions, x: &Mat<f64>) -> Error {
    let rows = Dense::new(x.view());
    options.fit(&Context::new(), &rows).expect_err("a refusal")
}

/// Coordinates of the rows.
fn scores(model: &RandomProjection, x: &Mat<f64>) -> Mat<f64> {
    let rows = Dense::new(x.view());
    let scores = (model as &dyn Fitted).transform(&Context::new(), Numbers::F64(&rows));
    match scores.expect("scores") {
        eigenspan::method::contract::Scores::F64(scores) => scores,
        _ => unreachable!("the rows are f64"),
    }
}

#[test]
fn the_size_of_auto_is_scikit_learns() {
    let stored = reference("random_projection.json");
    for case in stored["results"]["sizes"].as_array().expect("cases") {
        let case = numbers(case);
        let size = johnson_lindenstrauss_size(case[0] as usize, case[1]).expect("a size");
        assert_eq!(size, case[2] as usize, "{case:?}");
    }
    let x = mixed(30, 200, 1);
    let auto = RandomProjectionOptions {
        eps: 0.5,
        ..Default::default()
    };
    assert_eq!(fit(&auto, &x).n_components(), 163);
}

#[test]
fn entries_have_mean_zero_and_variance_one_over_k() {
    let x = Mat::zeros(3, 400);
    for (entries, density) in [
        (Entries::Gaussian, None),
        (Entries::Sparse, None),
        (Entries::Sparse, Some(1.0 / 3.0)),
        (Entries::Sparse, Some(1.0)),
    ] {
        let asked = RandomProjectionOptions {
            density,
            ..options(300, entries)
        };
        let model = fit(&asked, &x);
        let map = model.components().expect("directions");
        assert_eq!((map.n_rows(), map.n_cols()), (300, 400));
        let n = map.as_slice().len() as f64;
        let mean = map.as_slice().iter().sum::<f64>() / n;
        let square = map.as_slice().iter().map(|x| x * x).sum::<f64>() / n;
        assert!(mean.abs() < 4.0 * (1.0 / 300.0 / n).sqrt(), "{mean}");
        assert!((300.0 * square - 1.0).abs() < 0.06, "{square}");
        let filled = map.as_slice().iter().filter(|x| **x != 0.0).count() as f64 / n;
        let expected = match (entries, density) {
            (Entries::Gaussian, _) => 1.0,
            (_, None) => 1.0 / 20.0,
            (_, Some(density)) => density,
        };
        assert!((filled - expected).abs() < 0.01, "{filled} {expected}");
        assert_eq!(model.density(), expected);
        if entries == Entries::Sparse {
            let size = 1.0 / (expected * 300.0).sqrt();
            let known = |x: &&f64| **x == 0.0 || (x.abs() - size).abs() < 1e-15;
            assert_eq!(
                map.as_slice().iter().filter(known).count(),
                map.as_slice().len()
            );
        }
    }
}

#[test]
fn coordinates_are_the_rows_times_the_directions_however_rows_are_stored() {
    let x = Mat::from_fn(700, 23, |i, j| {
        if (i * 7 + j * 3) % 5 == 0 {
            (i + j) as f64
        } else {
            0.0
        }
    });
    let csr = {
        let (mut starts, mut places, mut cells) = (vec![0], Vec::new(), Vec::new());
        for row in x.rows() {
            for (j, cell) in row.iter().enumerate().filter(|(_, cell)| **cell != 0.0) {
                places.push(j as u32);
                cells.push(*cell);
            }
            starts.push(cells.len());
        }
        Csr::from_rows(23, starts, places, cells).expect("rows")
    };
    let ctx = Context::new();
    for entries in [Entries::Gaussian, Entries::Sparse] {
        let model = fit(&options(5, entries), &x);
        let map = model.components().expect("directions");
        let got = scores(&model, &x);
        for i in 0..700 {
            for c in 0..5 {
                let want: f64 = x.row(i).iter().zip(map.row(c)).map(|(x, r)| x * r).sum();
                assert!((got[(i, c)] - want).abs() < 1e-10 * (1.0 + want.abs()));
            }
        }
        let sparse = Sparse::new(csr.view());
        let of_sparse = options(5, entries).fit(&ctx, &sparse).expect("a fit");
        assert_eq!(of_sparse.components(), model.components());
        assert_eq!(of_sparse.distortion(), {
            // The sample and the pairs are the same; products may be summed in another order.
            let (a, b) = (of_sparse.distortion(), model.distortion());
            let (a, b) = (a.expect("pairs"), b.expect("pairs"));
            assert!((a.largest - b.largest).abs() < 1e-12 && a.n_equal == b.n_equal);
            Some(a)
        });
        let narrow = to_f32(&x);
        let of_f32 = options(5, entries).fit(&ctx, &Dense::new(narrow.view()));
        assert_eq!(of_f32.expect("a fit").components(), model.components());
    }
}

#[test]
fn distortion_is_that_of_the_pairs_and_equal_rows_are_left_out() {
    let mut x = mixed(60, 40, 3);
    let first = x.row(0).to_vec();
    x.row_mut(7).copy_from_slice(&first);
    x.row_mut(9).copy_from_slice(&first);
    for entries in [Entries::Gaussian, Entries::Sparse] {
        let model = fit(&options(30, entries), &x);
        let after = scores(&model, &x);
        let square = |m: &Mat<f64>, i: usize, j: usize| -> f64 {
            m.row(i)
                .iter()
                .zip(m.row(j))
                .map(|(a, b)| (a - b).powi(2))
                .sum()
        };
        let pairs = (0..60).flat_map(|i| (0..i).map(move |j| (i, j)));
        let ratios: Vec<f64> = pairs
            .filter(|&(i, j)| square(&x, i, j) > 0.0)
            .map(|(i, j)| square(&after, i, j) / square(&x, i, j))
            .collect();
        let found = model.distortion().expect("pairs");
        assert_eq!((found.n_rows, found.n_pairs, found.n_equal), (60, 1767, 3));
        let largest = ratios.iter().copied().fold(0.0, f64::max);
        let smallest = ratios.iter().copied().fold(f64::INFINITY, f64::min);
        assert!((found.largest / largest - 1.0).abs() < 1e-10);
        assert!((found.smallest / smallest - 1.0).abs() < 1e-10);
        let within = ratios.iter().filter(|r| (0.9..=1.1).contains(*r)).count();
        assert_eq!(found.share_within, within as f64 / 1767.0);
        let said = Fitted::facts(&model);
        let (_, said) = said
            .iter()
            .find(|(word, _)| *word == "distances")
            .expect("a fact");
        assert!(
            said.starts_with("measured on 1,767 pairs of all 60 rows (3 pairs of equal rows left out): squared distances after ÷ before lie between "),
            "{said}"
        );
    }
    let same = Mat::from_fn(5, 8, |_, j| j as f64);
    let model = fit(&options(3, Entries::Gaussian), &same);
    assert_eq!(model.distortion(), None);
    assert!(Fitted::facts(&model)[1].1.contains("no two of the rows"));
}

#[test]
fn distances_of_very_large_and_very_small_cells_are_measured_all_the_same() {
    let x = mixed(20, 12, 9);
    let plain = fit(&options(6, Entries::Gaussian), &x).distortion();
    let plain = plain.expect("pairs");
    for size in [2f64.powi(600), 2f64.powi(-600)] {
        let far = Mat::from_fn(20, 12, |i, j| size * x[(i, j)]);
        let found = fit(&options(6, Entries::Gaussian), &far).distortion();
        let found = found.expect("pairs");
        assert_eq!(found.n_pairs, plain.n_pairs);
        assert!((found.largest / plain.largest - 1.0).abs() < 1e-9);
        assert!((found.smallest / plain.smallest - 1.0).abs() < 1e-9);
    }
    // A column a million times the others, and rows that differ in their last digits alone.
    let near = Mat::from_fn(4, 3, |i, j| [1e12, 1.0, i as f64 * 1e-10][j]);
    let found = fit(&options(2, Entries::Gaussian), &near).distortion();
    assert_eq!(found.expect("pairs").n_equal, 0);
    let far = |size: f64| Mat::from_fn(3, 40, |i, _| (i as f64 - 1.0) * size);
    let found = fit(&options(5, Entries::Gaussian), &far(1e307)).distortion();
    let found = found.expect("pairs");
    assert!(found.n_pairs == 3 && found.smallest > 0.0 && found.largest < 10.0);
    // Coordinates beyond the range of f64 are refused.
    assert!(matches!(
        refused(&options(5, Entries::Gaussian), &far(1.7e308)),
        Error::Overflow
    ));
}

#[test]
fn the_bound_of_johnson_and_lindenstrauss_holds_on_these_rows() {
    let x = mixed(80, 300, 5);
    for entries in [Entries::Gaussian, Entries::Sparse] {
        let asked = RandomProjectionOptions {
            n_components: Keep::Auto,
            eps: 0.5,
            entries,
            ..Default::default()
        };
        let found = fit(&asked, &x).distortion().expect("pairs");
        assert_eq!(found.share_within, 1.0, "{found:?}");
        assert_eq!(found.n_pairs, 80 * 79 / 2);
    }
}

#[test]
fn the_same_bits_come_out_for_any_number_of_threads() {
    let x = mixed(9_000, 12, 4);
    for entries in [Entries::Gaussian, Entries::Sparse] {
        let mut first: Option<(Vec<u64>, String)> = None;
        for threads in [1, 2, 8] {
            let ctx = Context::new().with_threads(threads).expect("threads");
            let rows = Dense::new(x.view());
            let model = options(6, entries).fit(&ctx, &rows).expect("a fit");
            let scores = (&model as &dyn Fitted).transform(&ctx, Numbers::F64(&rows));
            let cells = match scores.expect("scores") {
                eigenspan::method::contract::Scores::F64(m) => m.into_vec(),
                _ => unreachable!("the rows are f64"),
            };
            let bits: Vec<u64> = cells.iter().map(|x| x.to_bits()).collect();
            let result = (bits, format!("{:?}", model.distortion()));
            match &first {
                None => first = Some(result),
                Some(first) => assert!(*first == result, "{entries:?}, {threads} threads"),
            }
        }
    }
}

#[test]
fn a_stored_model_gives_the_same_coordinates() {
    let x = mixed(50, 30, 2);
    for entries in [Entries::Gaussian, Entries::Sparse] {
        let model = fit(&options(7, entries), &x);
        let record = Fitted::record(&model).expect("a record");
        let entry = registry::find("random-projection").expect("the method");
        let again = entry.from_record(&record).expect("a model");
        let again = again.downcast::<RandomProjection>().expect("its type");
        assert_eq!(scores(again, &x), scores(&model, &x));
        assert_eq!(again.distortion(), model.distortion());
        assert_eq!(Fitted::facts(again), Fitted::facts(&model));
        let mut damaged = record.clone();
        damaged.tensors.truncate(damaged.tensors.len() - 1);
        assert!(matches!(
            entry.from_record(&damaged),
            Err(Error::Damaged { .. })
        ));
    }
}

#[test]
fn what_cannot_be_is_refused_with_what_can() {
    let x = mixed(30, 20, 6);
    let auto = RandomProjectionOptions::default();
    assert_said(
        &refused(&auto, &x),
        "with eps = 0.1, 30 rows need 2,915 random directions, but there are only 20 columns: no eps below 1 is possible",
        Some("n_components = 10: takes that many, and the distortion that they cause is measured"),
    );
    let wide = Mat::zeros(30, 100);
    assert_said(
        &refused(&auto, &wide),
        "with eps = 0.1, 30 rows need 2,915 random directions, but there are only 100 columns: eps from 0.72 on is possible",
        Some("n_components = 50: takes that many, and the distortion that they cause is measured"),
    );
    for eps in [0.0, 1.0, -0.1, f64::NAN] {
        let asked = RandomProjectionOptions {
            eps,
            ..options(3, Entries::Gaussian)
        };
        let text = format!("eps = `{eps}` is not known; it takes a number above 0 and below 1");
        assert_said(&refused(&asked, &x), &text, None);
    }
    for density in [0.0, 1.5] {
        let asked = RandomProjectionOptions {
            density: Some(density),
            ..options(3, Entries::Sparse)
        };
        let text =
            format!("density = `{density}` is not known; it takes a share above 0 and at most 1");
        assert_said(&refused(&asked, &x), &text, None);
    }
    let gaussian = RandomProjectionOptions {
        density: Some(0.5),
        ..options(3, Entries::Gaussian)
    };
    assert!(matches!(
        refused(&gaussian, &x),
        Error::OptionsConflict { .. }
    ));
    let share = RandomProjectionOptions {
        n_components: Keep::Share(0.9),
        ..Default::default()
    };
    assert_said(
        &refused(&share, &x),
        "n_components = `90%` is not known; it takes a count such as 100, or auto",
        None,
    );
    assert!(matches!(
        refused(&options(0, Entries::Gaussian), &x),
        Error::NoComponents
    ));
    let tight = Context::new().with_memory(1_000);
    let error = options(9, Entries::Gaussian).fit(&tight, &Dense::new(x.view()));
    assert!(matches!(error, Err(Error::Memory { .. })));
    for entries in [Entries::Gaussian, Entries::Sparse] {
        let mut holed = x.clone();
        holed[(4, 3)] = f64::NAN;
        assert!(matches!(
            refused(&options(3, entries), &holed),
            Error::NotFinite { row: 4, col: 3, .. }
        ));
        let model = fit(&options(3, entries), &x);
        let rows = Dense::new(holed.view());
        let error = (&model as &dyn Fitted).transform(&Context::new(), Numbers::F64(&rows));
        assert!(
            matches!(error, Err(Error::NotFinite { row: 4, col: 3, .. })),
            "{entries:?}"
        );
    }
}

#[test]
fn more_directions_than_columns_are_drawn_with_a_note() {
    let x = mixed(6, 2, 1);
    let model = fit(&options(5, Entries::Gaussian), &x);
    assert_eq!(model.n_components(), 5);
    let notes = Fitted::common(&model).notes;
    assert_eq!(
        notes,
        [Note::MoreThanColumns {
            n_components: 5,
            n_cols: 2
        }]
    );
    assert_eq!(
        notes[0].to_string(),
        "5 random directions of rows with 2 columns have more coordinates than the rows have cells"
    );
    let one = fit(&options(2, Entries::Sparse), &mixed(1, 4, 1));
    assert!(Fitted::facts(&one)[1].1.contains("only one row"));
}

#[test]
fn it_says_of_itself_what_is_true() {
    let x = mixed(300, 64, 7);
    let source = Dense::new(x.view()).with_names((0..64).map(|j| format!("c{j}")).collect());
    let source = source.expect("names");
    let asked = RandomProjectionOptions {
        seed: 3,
        ..options(16, Entries::Sparse)
    };
    let model = asked.fit(&Context::new(), &source).expect("a fit");
    assert_eq!(Fitted::common(&model).plan.solver, Solver::None);
    assert_eq!(Fitted::common(&model).columns.expect("names")[1], "c1");
    let facts = Fitted::facts(&model);
    assert_eq!(
        facts[0].1,
        "16 directions, each entry ±0.707 with probability 0.125 and else 0, seed 3"
    );
    assert!(
        facts[1]
            .1
            .starts_with("measured on 8,128 pairs of 128 rows drawn from 300: ")
    );
    assert_eq!(Fitted::value(&model, "n_pairs"), Some(Value::Count(8128)));
    let renamed = Fitted::renamed(&model, names(&["x"; 64])).expect("a model");
    assert_eq!(renamed.column_names()[5], "x");
    assert_eq!(Fitted::axis_name(&model, 0), "RP1");
    assert!(Fitted::spectrum(&model).is_none() && Fitted::predictor(&model).is_none());
}
