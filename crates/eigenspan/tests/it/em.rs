//! Missing cells filled by the model itself (`missing = em`), in training and in new rows.
//!
//! The peer is regularized iterative PCA as its papers write it (Josse & Husson 2016, doi:10.18637/jss.v070.i01), in NumPy
//! 2.4.6, with x the four measurements of the 342 penguins that have any and every cell with (7i + 3j) % 11 = 0 taken out:
//!
//! ```python
//! gone = np.isnan(x); x = np.where(gone, np.nanmean(x, axis=0), x)
//! for step in range(2000):
//!     mean, sd = x.mean(axis=0), x.std(axis=0)
//!     u, s, vt = np.linalg.svd((x - mean) / sd / np.sqrt(n), full_matrices=False)
//!     fitted = np.sqrt(n) * (u[:, :k] * ((s[:k]**2 - (s[k:]**2).mean()) / s[:k])) @ vt[:k]
//!     x = np.where(gone, mean + sd * fitted, x)
//! x, x.mean(axis=0), x.std(axis=0, ddof=1), s**2 / (s**2).sum(), vt[0]
//! ```

use eigenspan::linalg::{norm, product, times_transposed};
use eigenspan::method::PcaParts;
use eigenspan::prepare::{Missing, Scale};
use eigenspan::rng::Rng;
use eigenspan::solve::Keep;
use eigenspan::source::Dense;
use eigenspan::{Context, Mat, Note, Pca, PcaOptions};

use crate::support::{
    assert_close, assert_close_up_to_sign, bits, distance, fit, holed, mixed, scores, table,
};

const MEASUREMENTS: [&str; 4] = [
    "bill_length_mm",
    "bill_depth_mm",
    "flipper_length_mm",
    "body_mass_g",
];

fn em(k: usize) -> PcaOptions {
    PcaOptions {
        n_components: Keep::Count(k),
        missing: Missing::Em,
        ..Default::default()
    }
}

/// The same model, told to do something else about missing cells.
fn told(pca: &Pca, missing: Missing) -> Pca {
    let options = PcaOptions {
        missing,
        ..pca.parts().options.clone()
    };
    Pca::from_parts(PcaParts {
        options,
        ..pca.parts().clone()
    })
    .expect("a model")
}

/// Rows of rank 3 in 10 columns with noise, and the directions they were made of.
fn low_rank(n: usize, seed: u64) -> (Mat<f64>, Mat<f64>) {
    let mut rng = Rng::new(4);
    let mut directions = Mat::from_fn(3, 10, |_, _| rng.normal());
    eigenspan::linalg::orthonormalize_rows(&mut directions);
    let mut rng = Rng::new(seed);
    let along = Mat::from_fn(n, 3, |_, j| [5.0, 3.0, 2.0][j] * rng.normal());
    let mut x = product(along.view(), directions.view());
    let cells = x.as_mut_slice().iter_mut();
    cells.for_each(|x| *x += 7.0 + 0.2 * rng.normal());
    (x, directions)
}

/// What the model expects of every cell: its shrunk reconstruction.
fn expected(pca: &Pca, x: &Mat<f64>) -> Mat<f64> {
    let (mut scores, noise) = (scores(pca, x), pca.noise_variance());
    let variance = pca.explained_variance();
    for i in 0..scores.n_rows() {
        let row = scores.row_mut(i).iter_mut().zip(&variance);
        row.for_each(|(t, v)| *t *= (v - noise) / v);
    }
    pca.inverse(scores.view()).expect("rows")
}

/// ‖(I − VᵀV) Uᵀ‖: how far the directions U lie outside the components.
fn outside(pca: &Pca, directions: &Mat<f64>) -> f64 {
    let along = times_transposed(directions.view(), pca.components().view());
    let inside = product(along.view(), pca.components().view());
    let rest = directions.as_slice().iter().zip(inside.as_slice());
    norm(&rest.map(|(u, v)| u - v).collect::<Vec<f64>>())
}

/// Root mean square of the error of the missing cells.
fn error_of_filling(filled: &Mat<f64>, holed: &Mat<f64>, truth: &Mat<f64>) -> f64 {
    let cells = holed.as_slice().iter().zip(filled.as_slice());
    let cells = cells.zip(truth.as_slice()).filter(|((h, _), _)| h.is_nan());
    let errors: Vec<f64> = cells.map(|((_, f), t)| f - t).collect();
    norm(&errors) / (errors.len() as f64).sqrt()
}

#[test]
fn missing_cells_and_directions_are_found_better_than_with_means() {
    let (truth, directions) = low_rank(150, 5);
    for share in [0.1, 0.2, 0.3] {
        let x = holed(&truth, share, 6);
        let pca = fit(&em(3), &x);
        let mean = fit(
            &PcaOptions {
                missing: Missing::Mean,
                ..em(3)
            },
            &x,
        );
        let filled = error_of_filling(&expected(&pca, &x), &x, &truth);
        let means = Mat::from_fn(150, 10, |_, j| mean.mean()[j]);
        let by_means = error_of_filling(&means, &x, &truth);
        assert!(filled <= 0.5 * by_means, "{share}: {filled} {by_means}");
        let (got, other) = (outside(&pca, &directions), outside(&mean, &directions));
        assert!(got < 0.8 * other, "{share}: {got} {other}");
        assert!(matches!(pca.notes()[0], Note::ImputedCells { cells, .. } if cells > 100));
    }
}

/// The peer's numbers with 1 component: four cells, means, scales, shares, first component.
const ONE: [&[f64]; 5] = [
    &[
        40.152_948_217_3,
        3_520.943_216_615,
        186.505_947_213,
        18.690_019_667_4,
    ],
    &[
        43.877_639_562_659,
        17.195_951_048_149,
        200.967_019_130_93,
        4_199.045_167_207_4,
    ],
    &[
        5.301_456_845_387_6,
        1.955_475_331_543,
        13.943_901_443_56,
        787.272_998_438_8,
    ],
    &[0.716_799_350_961_57],
    &[
        0.458_949_752_752,
        -0.424_648_203_661,
        0.562_423_128_346,
        0.541_035_352_152,
    ],
];
/// The same with 2 components.
const TWO: [&[f64]; 5] = [
    &[
        40.182_083_278_1,
        3_424.240_651_746,
        184.982_667_931,
        18.328_458_629_4,
    ],
    &[
        43.862_819_681_017,
        17.187_747_780_437,
        200.969_649_599_86,
        4_199.347_908_754_5,
    ],
    &[
        5.371_572_389_846,
        1.969_114_170_994_3,
        14.027_095_271_845,
        793.184_842_818_3,
    ],
    &[0.716_155_214_728_02, 0.183_960_772_450_56],
    &[
        0.456_795_450_936,
        -0.417_476_047_475,
        0.565_293_538_569,
        0.545_430_913_170,
    ],
];

#[test]
fn penguins_come_out_as_the_papers_iteration_fills_them() {
    let x = table("penguins/penguins.csv", &MEASUREMENTS);
    let kept: Vec<usize> = (0..x.n_rows()).filter(|&i| !x[(i, 0)].is_nan()).collect();
    let full = Mat::from_fn(kept.len(), 4, |i, j| x[(kept[i], j)]);
    let x = Mat::from_fn(342, 4, |i, j| match (7 * i + 3 * j) % 11 {
        0 => f64::NAN,
        _ => full[(i, j)],
    });
    for (k, want) in [(1, ONE), (2, TWO)] {
        let pca = fit(
            &PcaOptions {
                scale: Scale::Std,
                ..em(k)
            },
            &x,
        );
        let filled = expected(&pca, &x);
        let cells = [
            filled[(0, 0)],
            filled[(5, 3)],
            filled[(7, 2)],
            filled[(9, 1)],
        ];
        assert_close(&cells, want[0], 1e-7);
        assert_close(pca.mean(), want[1], 1e-8);
        let scale = pca.parts().preparation.scale.as_ref().expect("scales");
        assert_close(scale, want[2], 1e-7);
        assert_close(&pca.explained_variance_ratio(), want[3], 1e-7);
        assert_close_up_to_sign(pca.components().row(0), want[4], 1e-7);
        // scikit-learn 1.9.1's IterativeImputer(max_iter=100, random_state=0) on x / x.std(axis=0), a regression on all
        // columns, errs by 0.607 standard deviations; means err by 0.943.
        let unit = |m: &Mat<f64>| Mat::from_fn(342, 4, |i, j| m[(i, j)] / scale[j]);
        let error = error_of_filling(&unit(&filled), &x, &unit(&full));
        assert!(error < 0.75 && error > 0.6, "{error}");
    }
}

#[test]
fn complete_rows_are_fitted_and_projected_as_if_nothing_had_been_said() {
    let x = mixed(60, 5, 21);
    for keep in [Keep::Count(2), Keep::Share(0.9), Keep::All] {
        let options = PcaOptions {
            n_components: keep,
            scale: Scale::Std,
            whiten: true,
            ..em(2)
        };
        let plain = PcaOptions {
            missing: Missing::Error,
            ..options.clone()
        };
        let (pca, plain) = (fit(&options, &x), fit(&plain, &x));
        assert_eq!(bits(&pca), bits(&plain));
        assert_eq!(scores(&pca, &x), scores(&plain, &x));
        assert!(pca.notes().is_empty());
    }
}

#[test]
fn training_rows_have_the_scores_of_their_filled_cells() {
    // The scores of the filled table have exactly the variances of the components, and none in common.
    let x = holed(&low_rank(80, 8).0, 0.2, 9);
    for scale in [Scale::None, Scale::Std] {
        let pca = fit(&PcaOptions { scale, ..em(3) }, &x);
        let t = scores(&pca, &x);
        let products = product(t.view().transposed(), t.view());
        for (i, variance) in pca.explained_variance().iter().enumerate() {
            for j in 0..3 {
                let want = if i == j { *variance } else { 0.0 };
                assert!((products[(i, j)] / 79.0 - want).abs() < 1e-6, "{i} {j}");
            }
            assert!(t.col(i).iter().sum::<f64>().abs() < 1e-5);
        }
    }
}

#[test]
fn new_rows_with_missing_cells_land_near_where_all_their_cells_put_them() {
    let x = holed(&low_rank(150, 5).0, 0.1, 6);
    let pca = fit(&em(3), &x);
    let truth = low_rank(60, 77).0;
    let new = holed(&truth, 0.3, 78);
    let (want, got) = (scores(&pca, &truth), scores(&pca, &new));
    let by_means = scores(&told(&pca, Missing::Mean), &new);
    let away = |t: &Mat<f64>| {
        let squares = t.as_slice().iter().zip(want.as_slice());
        squares.map(|(a, b)| (a - b).powi(2)).sum::<f64>()
    };
    assert!(
        away(&got) < 0.1 * away(&by_means),
        "{} {}",
        away(&got),
        away(&by_means)
    );
    // A row's scores do not depend on the rows beside it.
    for i in 0..60 {
        let one = Mat::from_fn(1, 10, |_, j| new[(i, j)]);
        assert!(distance(scores(&pca, &one).as_slice(), got.row(i)) < 1e-12);
    }
    // Without any value, a row lies at the mean; with an infinite one it is refused.
    let empty = Mat::from_fn(1, 10, |_, _| f64::NAN);
    assert_eq!(scores(&pca, &empty).as_slice(), [0.0; 3]);
    let broken = Mat::from_fn(1, 10, |_, j| if j == 2 { f64::INFINITY } else { f64::NAN });
    let source = Dense::new(broken.view());
    assert!(pca.transform(&Context::new(), &source).is_err());
}

#[test]
fn a_model_of_all_components_still_completes_new_rows() {
    // Without noise, x₃ is what the regression on x₁ and x₂ says.
    let x = mixed(50, 3, 22);
    let pca = fit(
        &PcaOptions {
            n_components: Keep::All,
            ..em(1)
        },
        &x,
    );
    let row = Mat::from_fn(1, 3, |_, j| if j == 2 { f64::NAN } else { 1.0 });
    let filled = pca.inverse(scores(&pca, &row).view()).expect("a row");
    let (c, m) = (pca.covariance(), pca.mean());
    let determinant = c[(0, 0)] * c[(1, 1)] - c[(0, 1)] * c[(1, 0)];
    let (a, b) = (1.0 - m[0], 1.0 - m[1]);
    let first = (c[(1, 1)] * a - c[(0, 1)] * b) / determinant;
    let second = (c[(0, 0)] * b - c[(0, 1)] * a) / determinant;
    let want = m[2] + c[(2, 0)] * first + c[(2, 1)] * second;
    assert!((filled[(0, 2)] - want).abs() < 1e-8, "{filled:?} {want}");
    assert!((filled[(0, 0)] - 1.0).abs() < 1e-10);
}

#[test]
fn the_likelihood_of_a_row_is_that_of_its_observed_cells() {
    let x = mixed(60, 3, 23);
    for (k, scale) in [(1, Scale::None), (2, Scale::Std), (3, Scale::Std)] {
        let pca = fit(&PcaOptions { scale, ..em(k) }, &x);
        let (c, m) = (pca.covariance(), pca.mean());
        let nan = f64::NAN;
        let rows = [[2.0, nan, nan], [nan, 4.0, 1.0], [nan, nan, nan]];
        let new = Mat::from_fn(3, 3, |i, j| rows[i][j]);
        let source = Dense::new(new.view());
        let got = pca.score_samples(&Context::new(), &source).expect("scores");
        let tau = std::f64::consts::TAU.ln();
        let one = -0.5 * (tau + c[(0, 0)].ln() + (2.0 - m[0]).powi(2) / c[(0, 0)]);
        let determinant = c[(1, 1)] * c[(2, 2)] - c[(1, 2)].powi(2);
        let (a, b) = (4.0 - m[1], 1.0 - m[2]);
        let squares = c[(2, 2)] * a * a - 2.0 * c[(1, 2)] * a * b + c[(1, 1)] * b * b;
        let two = -0.5 * (2.0 * tau + determinant.ln() + squares / determinant);
        assert!(
            distance(&got, &[one, two, 0.0]) < 1e-9,
            "{k}: {got:?} {one} {two}"
        );
    }
}

#[test]
fn rows_without_any_value_are_left_out_and_weights_count() {
    let (nan, full) = (f64::NAN, low_rank(40, 10).0);
    let mut x = holed(&full, 0.15, 11);
    let want = fit(&em(2), &x);
    let more = Mat::from_fn(42, 10, |i, j| if i < 40 { x[(i, j)] } else { nan });
    let pca = fit(&em(2), &more);
    assert_eq!(bits(&pca), bits(&want));
    let text = pca.notes()[0].to_string();
    assert!(
        text.ends_with("; 2 rows without any value left out"),
        "{text}"
    );
    let source = Dense::new(more.view());
    let lost = pca.reconstruction_error(&Context::new(), &source);
    assert!(lost.expect("an error").is_finite());
    // A weight of 2 is the row twice; a row without weight may hold anything.
    let weights: Vec<f64> = (0..40).map(|i| [1.0, 2.0, 0.0][i % 3]).collect();
    let twice: Vec<usize> = (0..40)
        .flat_map(|i| vec![i; i % 3 % 2 + usize::from(i % 3 < 2)])
        .collect();
    let repeated = Mat::from_fn(twice.len(), 10, |i, j| x[(twice[i], j)]);
    x[(2, 0)] = f64::INFINITY;
    x[(5, 0)] = nan;
    let source = Dense::new(x.view())
        .with_weights(&weights)
        .expect("weights");
    let got = em(2).fit(&Context::new(), &source).expect("a fit");
    let want = fit(&em(2), &repeated);
    assert!(distance(got.mean(), want.mean()) < 1e-7);
    assert_close(&got.explained_variance(), &want.explained_variance(), 1e-6);
}

#[test]
fn filling_gives_the_same_bits_on_any_number_of_threads() {
    let x = holed(&low_rank(2_500, 12).0, 0.1, 13);
    let mut first = None;
    for threads in [1, 2, 8] {
        let ctx = Context::new().with_threads(threads).expect("threads");
        let source = Dense::new(x.view());
        let pca = em(3).fit(&ctx, &source).expect("a fit");
        let scores = pca.transform(&ctx, &source).expect("scores");
        let result = (bits(&pca), scores, pca.notes().to_vec());
        assert!(*first.get_or_insert_with(|| result.clone()) == result);
    }
}
