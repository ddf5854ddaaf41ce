//! Missing cells filled by a model of the rows' other cells (`missing = em`), in training and in new rows.

use eigenspan::linalg::{norm, product, times_transposed};
use eigenspan::method::PcaParts;
use eigenspan::prepare::{Missing, Scale};
use eigenspan::rng::Rng;
use eigenspan::solve::Keep;
use eigenspan::source::{Block, Dense};
use eigenspan::{Context, Mat, Note, Pca, PcaOptions};

use crate::support::{bits, distance, fit, holed, mixed, scores, table};

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

/// The rows with their missing cells filled.
fn completed(pca: &Pca, x: &Mat<f64>) -> Mat<f64> {
    pca.complete(&Block::from(x.view())).expect("rows")
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
        let filled = error_of_filling(&completed(&pca, &x), &x, &truth);
        let means = Mat::from_fn(150, 10, |_, j| mean.mean()[j]);
        let by_means = error_of_filling(&means, &x, &truth);
        assert!(filled <= 0.5 * by_means, "{share}: {filled} {by_means}");
        let (got, other) = (outside(&pca, &directions), outside(&mean, &directions));
        assert!(got < 0.8 * other, "{share}: {got} {other}");
        assert!(matches!(pca.notes()[0], Note::ImputedCells { cells, .. } if cells > 100));
    }
}

/// Z with A·Z = B, by Gaussian elimination with pivots.
fn solve(a: &Mat<f64>, b: &Mat<f64>) -> Mat<f64> {
    let (n, m) = (b.n_rows(), b.n_cols());
    let mut all = Mat::from_fn(
        n,
        n + m,
        |i, j| if j < n { a[(i, j)] } else { b[(i, j - n)] },
    );
    for c in 0..n {
        let best = (c..n).max_by(|&i, &j| all[(i, c)].abs().total_cmp(&all[(j, c)].abs()));
        let best = best.expect("a pivot");
        for j in 0..n + m {
            let (x, y) = (all[(c, j)], all[(best, j)]);
            (all[(c, j)], all[(best, j)]) = (y, x);
        }
        for i in (0..n).filter(|&i| i != c) {
            let factor = all[(i, c)] / all[(c, c)];
            for j in c..n + m {
                all[(i, j)] -= factor * all[(c, j)];
            }
        }
    }
    Mat::from_fn(n, m, |i, j| all[(i, n + j)] / all[(i, i)])
}

/// One step of EM as a textbook has it: every row by a regression on its observed cells, with the covariance of what is left open.
/// The mean, the covariance, and the filled rows.
fn textbook_step(x: &Mat<f64>, mean: &[f64], c: &Mat<f64>) -> (Vec<f64>, Mat<f64>, Mat<f64>) {
    let (n, d) = (x.n_rows(), x.n_cols());
    let mut filled = x.clone();
    let mut open: Mat<f64> = Mat::zeros(d, d);
    for i in 0..n {
        let (m, o): (Vec<usize>, Vec<usize>) = (0..d).partition(|&j| x[(i, j)].is_nan());
        let seen = Mat::from_fn(o.len(), o.len(), |a, b| c[(o[a], o[b])]);
        let cross = Mat::from_fn(o.len(), m.len(), |a, b| c[(o[a], m[b])]);
        let slopes = solve(&seen, &cross);
        for (b, &j) in m.iter().enumerate() {
            let terms = o.iter().enumerate();
            let away: f64 = terms
                .map(|(a, &l)| slopes[(a, b)] * (x[(i, l)] - mean[l]))
                .sum();
            filled[(i, j)] = mean[j] + away;
            for (e, &l) in m.iter().enumerate() {
                let known: f64 = (0..o.len()).map(|a| cross[(a, b)] * slopes[(a, e)]).sum();
                open[(j, l)] += c[(j, l)] - known;
            }
        }
    }
    let means: Vec<f64> = (0..d)
        .map(|j| filled.col(j).iter().sum::<f64>() / n as f64)
        .collect();
    let at = |a: usize, b: usize| {
        let products = (0..n).map(|i| (filled[(i, a)] - means[a]) * (filled[(i, b)] - means[b]));
        (products.sum::<f64>() + open[(a, b)]) / n as f64
    };
    let covariance = Mat::from_fn(d, d, at);
    (means, covariance, filled)
}

fn holed_penguins() -> Mat<f64> {
    let x = table("penguins/penguins.csv", &MEASUREMENTS);
    let kept: Vec<usize> = (0..x.n_rows()).filter(|&i| !x[(i, 0)].is_nan()).collect();
    Mat::from_fn(kept.len(), 4, |i, j| match (7 * i + 3 * j) % 11 {
        0 | 1 => f64::NAN,
        _ => x[(kept[i], j)],
    })
}

#[test]
fn a_textbook_step_of_em_changes_nothing_but_the_ridge() {
    let x = holed_penguins();
    let pca = fit(&em(2), &x);
    let imputer = pca.parts().imputer.as_ref().expect("an imputer");
    let (s, d) = (&imputer.scale, 4);
    let at = |i: usize, j: usize| {
        let v = &imputer.directions;
        let along = imputer.variances.iter().enumerate();
        let along = along.map(|(l, value)| (value - imputer.noise) * v[(l, i)] * v[(l, j)]);
        let own = if i == j { imputer.noise } else { 0.0 };
        s[i] * s[j] * (along.sum::<f64>() + own)
    };
    let c = Mat::from_fn(d, d, at);
    let (means, covariance, filled) = textbook_step(&x, &imputer.mean, &c);
    let ridge = covariance[(1, 0)] / c[(1, 0)] - 1.0;
    assert!((0.0..0.2).contains(&ridge), "{ridge}");
    for i in 0..d {
        assert!((means[i] - imputer.mean[i]).abs() < 1e-5 * s[i]);
        for j in 0..d {
            let want = c[(i, j)] * if i == j { 1.0 } else { 1.0 + ridge };
            let off = (covariance[(i, j)] - want) / s[i] / s[j];
            assert!(off.abs() < 1e-4, "{i} {j}: {off}");
        }
    }
    let whole = completed(&pca, &x);
    for i in 0..x.n_rows() {
        for j in 0..d {
            assert!((whole[(i, j)] - filled[(i, j)]).abs() < 1e-4 * s[j]);
        }
    }
    // The components are those of that covariance, which holds more than the filled rows alone.
    let n = x.n_rows() as f64;
    let total: f64 = (0..d).map(|j| covariance[(j, j)] * n / (n - 1.0)).sum();
    let got = pca.spectrum().total_variance();
    assert!((got / total - 1.0).abs() < 1e-4, "{got} {total}");
    let plain = fit(
        &PcaOptions {
            missing: Missing::Error,
            ..em(2)
        },
        &whole,
    );
    assert!(got > 1.01 * plain.spectrum().total_variance());
}

#[test]
fn any_number_of_components_fills_alike_and_fewer_are_the_first_of_more() {
    let x = holed(&low_rank(80, 8).0, 0.2, 9);
    let all = fit(
        &PcaOptions {
            n_components: Keep::All,
            ..em(1)
        },
        &x,
    );
    assert_eq!(all.n_components(), 10);
    for k in [1, 3, 8, 9] {
        let pca = fit(&em(k), &x);
        assert_eq!(completed(&pca, &x), completed(&all, &x));
        let variances = all.explained_variance();
        assert_eq!(pca.explained_variance(), variances[..k]);
        assert_eq!(pca.components(), &all.components().clone().top(k));
    }
}

#[test]
fn wide_tables_are_filled_better_than_with_means() {
    // More columns than the model has directions, and than there are rows.
    let mut rng = Rng::new(31);
    let loadings = Mat::from_fn(3, 90, |_, _| rng.normal());
    let along = Mat::from_fn(60, 3, |_, _| rng.normal());
    let mut truth = product(along.view(), loadings.view());
    truth
        .as_mut_slice()
        .iter_mut()
        .for_each(|x| *x += 0.5 * rng.normal());
    let x = holed(&truth, 0.3, 32);
    let pca = fit(&em(3), &x);
    let filled = error_of_filling(&completed(&pca, &x), &x, &truth);
    // The noise alone is 0.5, and a column's deviation 1.8.
    assert!(filled < 0.75, "{filled}");
}

#[test]
fn columns_that_never_change_stay_as_they_are() {
    let full = mixed(60, 4, 5);
    let x = Mat::from_fn(60, 5, |i, j| match (i * 3 + j) % 7 {
        0 if i > 2 => f64::NAN,
        _ if j == 4 => 0.1,
        _ => full[(i, j)],
    });
    for scale in [Scale::None, Scale::Std] {
        let pca = fit(&PcaOptions { scale, ..em(2) }, &x);
        let whole = completed(&pca, &x);
        assert!((0..60).all(|i| (whole[(i, 4)] - 0.1).abs() < 1e-12));
        assert!(
            pca.notes()
                .iter()
                .any(|note| matches!(note, Note::ConstantColumns { .. }))
        );
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
    let x = holed(&low_rank(80, 8).0, 0.2, 9);
    for (scale, center) in [
        (Scale::None, true),
        (Scale::Std, true),
        (Scale::None, false),
    ] {
        let pca = fit(
            &PcaOptions {
                scale,
                center,
                ..em(3)
            },
            &x,
        );
        let (t, whole) = (scores(&pca, &x), scores(&pca, &completed(&pca, &x)));
        assert!(distance(t.as_slice(), whole.as_slice()) < 1e-9);
        for (i, variance) in pca.explained_variance().iter().enumerate() {
            let (squares, mean) = (norm(&t.col(i)).powi(2) / 79.0, t.col(i).iter().sum::<f64>());
            // What is not known of missing cells adds to the variance.
            assert!(
                squares < *variance && squares > 0.8 * variance,
                "{squares} {variance}"
            );
            assert!(!center || mean.abs() < 1e-4);
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
    // Which cells are held out to choose the ridge differs, and the ridge may.
    assert!(distance(got.mean(), want.mean()) < 0.1);
    let variances = got.explained_variance();
    for (a, b) in variances.iter().zip(want.explained_variance()) {
        assert!((a / b - 1.0).abs() < 0.02, "{a} {b}");
    }
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
