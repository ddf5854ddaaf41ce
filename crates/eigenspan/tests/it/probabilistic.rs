//! Probabilistic PCA: noise, covariance, precision, likelihood and samples, against scikit-learn and against the laws.
//!
//! Peers' numbers are scikit-learn 1.9.1 with NumPy 2.4.6, where `x` is a table of `data/` without its labels:
//!
//! ```python
//! p = sklearn.decomposition.PCA(k, svd_solver="full").fit(x)
//! p.noise_variance_, p.score(x), p.score_samples(x)[:5], p.get_covariance(), p.get_precision()
//! ```

use eigenspan::prepare::{Missing, Scale};
use eigenspan::solve::{Convention, Keep, Solver};
use eigenspan::source::Dense;
use eigenspan::{Context, Error, Mat, Pca, PcaOptions};

use crate::support::{assert_close, assert_said, distance, fit, mixed, table_without, to_f32};

fn keeping(k: usize) -> PcaOptions {
    PcaOptions {
        n_components: Keep::Count(k),
        ..Default::default()
    }
}

fn score(pca: &Pca, x: &Mat<f64>) -> f64 {
    pca.score(&Context::new(), &Dense::new(x.view()))
        .expect("a score")
}

fn score_samples(pca: &Pca, x: &Mat<f64>) -> Vec<f64> {
    pca.score_samples(&Context::new(), &Dense::new(x.view()))
        .expect("scores")
}

fn times(a: &Mat<f64>, b: &Mat<f64>) -> Mat<f64> {
    Mat::from_fn(a.n_rows(), b.n_cols(), |i, j| {
        (0..a.n_cols()).map(|l| a[(i, l)] * b[(l, j)]).sum()
    })
}

/// How far precision · covariance is from the identity.
fn off_identity(pca: &Pca) -> f64 {
    let (precision, covariance) = (pca.precision().expect("an inverse"), pca.covariance());
    let product = times(&precision, &covariance);
    let identity = Mat::from_fn(pca.n_cols(), pca.n_cols(), |i, j| f64::from(i == j));
    distance(product.as_slice(), identity.as_slice())
}

/// scikit-learn's covariance of iris with 2 components.
const IRIS_COVARIANCE: [[f64; 4]; 4] = [
    [
        0.679189610612101,
        -0.035715138236429,
        1.271406095986601,
        0.531372082708821,
    ],
    [
        -0.035715138236429,
        0.183039218617423,
        -0.326724691736494,
        -0.137063223775947,
    ],
    [
        1.271406095986601,
        -0.326724691736494,
        3.122379571979114,
        1.284646257775806,
    ],
    [
        0.531372082708821,
        -0.137063223775947,
        1.284646257775806,
        0.588348645771228,
    ],
];

/// scikit-learn's precision of iris with 2 components.
const IRIS_PRECISION: [[f64; 4]; 4] = [
    [
        10.397589072975986,
        -6.829178894707854,
        -4.232521763991129,
        -1.73999651091447,
    ],
    [
        -6.829178894707854,
        11.20882342070824,
        3.361437878780217,
        1.439442241629803,
    ],
    [
        -4.232521763991129,
        3.361437878780217,
        4.923984600024948,
        -6.145684193761424,
    ],
    [
        -1.73999651091447,
        1.439442241629803,
        -6.145684193761424,
        17.0254668502632,
    ],
];

#[test]
fn scikit_learn_reads_iris_the_same_way() {
    let x = table_without("iris/iris.csv", &["species"]);
    let pca = fit(&keeping(2), &x);
    assert_close(&[pca.noise_variance()], &[0.051_022_296_508_184_4], 1e-12);
    assert_close(&[score(&pca, &x)], &[-2.699_796_510_675_664], 1e-12);
    let first = [
        -1.782_961_104_018_3,
        -2.178_970_396_876_204_4,
        -1.750_433_688_854_161_2,
        -1.878_869_080_590_602_5,
        -1.929_902_680_424_308,
    ];
    assert_close(&score_samples(&pca, &x)[..5], &first, 1e-12);
    assert_close(
        pca.covariance().as_slice(),
        IRIS_COVARIANCE.as_flattened(),
        1e-11,
    );
    let got = pca.precision().expect("an inverse");
    assert_close(got.as_slice(), IRIS_PRECISION.as_flattened(), 1e-11);
    // All components: the sample covariance itself, and no noise.
    let full = fit(&keeping(4), &x);
    assert_eq!(full.noise_variance(), 0.0);
    assert_close(&[score(&full, &x)], &[-2.532_808_843_783_386], 1e-12);
}

#[test]
fn scikit_learn_reads_wine_and_digits_the_same_way() {
    let wine = table_without("wine/wine.csv", &["target"]);
    let pca = fit(&keeping(3), &wine);
    assert_close(&[pca.noise_variance()], &[0.774_209_391_097_452_8], 1e-9);
    assert_close(&[score(&pca, &wine)], &[-26.580_254_089_584_752], 1e-10);
    let first = [
        -23.638_330_676_021_41,
        -24.065_722_432_172_763,
        -22.824_965_306_310_972,
        -24.000_576_556_523_66,
        -22.915_028_225_390_927,
    ];
    assert_close(&score_samples(&pca, &wine)[..5], &first, 1e-10);
    let (c, p) = (pca.covariance(), pca.precision().expect("an inverse"));
    let got = [c[(0, 0)], c[(12, 12)], c[(0, 12)], c[(2, 3)]];
    let want = [
        1.050_041_175_887_271,
        99_166.717_312_690_58,
        164.568_588_318_636_4,
        0.353_306_481_782_416_5,
    ];
    assert_close(&got, &want, 1e-9);
    let want = [1.288_408_504_740_406_8, -0.058_010_696_348_951_48];
    assert_close(&[p[(2, 2)], p[(2, 3)]], &want, 1e-9);

    let digits = table_without("digits/digits.csv", &["digit"]);
    let pca = fit(&keeping(16), &digits);
    assert_close(&[pca.noise_variance()], &[3.771_676_024_887_59], 1e-12);
    assert_close(&[score(&pca, &digits)], &[-153.516_240_367_674_3], 1e-12);
    let first = [
        -137.405_776_080_043_4,
        -154.575_052_042_134_13,
        -167.569_027_433_644_38,
        -148.192_477_486_146_94,
        -169.058_601_738_856_1,
    ];
    assert_close(&score_samples(&pca, &digits)[..5], &first, 1e-12);
    let (c, p) = (pca.covariance(), pca.precision().expect("an inverse"));
    let want = [
        3.771_676_024_887_59,
        4.938_673_507_239_78,
        11.267_005_900_974_6,
    ];
    assert_close(&[c[(0, 0)], c[(63, 63)], c[(2, 3)]], &want, 1e-11);
    let want = [
        0.193_831_844_208_427_03,
        0.258_030_102_700_863_74,
        -0.021_510_461_858_829_39,
    ];
    assert_close(&[p[(2, 2)], p[(63, 63)], p[(2, 3)]], &want, 1e-11);
}

#[test]
fn precision_times_covariance_is_the_identity() {
    for (n, d, k) in [
        (40, 5, 1),
        (40, 5, 4),
        (40, 5, 5),
        (12, 30, 3),
        (300, 20, 7),
    ] {
        for scale in [Scale::None, Scale::Std] {
            for center in [true, false] {
                let options = PcaOptions {
                    scale,
                    center,
                    whiten: true,
                    ..keeping(k)
                };
                let pca = fit(&options, &mixed(n, d, 11));
                let off = off_identity(&pca);
                assert!(off < 1e-9, "{n} × {d}, k = {k}, {scale:?}: {off:e}");
            }
        }
    }
}

#[test]
fn all_components_give_back_the_sample_covariance() {
    let x = table_without("iris/iris.csv", &["species"]);
    let mean: Vec<f64> = (0..4)
        .map(|j| x.col(j).iter().sum::<f64>() / 150.0)
        .collect();
    let sample = Mat::from_fn(4, 4, |a, b| {
        let products = (0..150).map(|i| (x[(i, a)] - mean[a]) * (x[(i, b)] - mean[b]));
        products.sum::<f64>() / 149.0
    });
    for scale in [Scale::None, Scale::Std] {
        let pca = fit(
            &PcaOptions {
                scale,
                ..keeping(4)
            },
            &x,
        );
        assert!(distance(pca.covariance().as_slice(), sample.as_slice()) < 1e-13);
    }
}

#[test]
fn a_score_is_the_density_of_a_normal_distribution() {
    let x = mixed(60, 3, 12);
    for (k, scale) in [
        (1, Scale::None),
        (2, Scale::Std),
        (3, Scale::Std),
        (2, Scale::None),
    ] {
        let pca = fit(
            &PcaOptions {
                scale,
                ..keeping(k)
            },
            &x,
        );
        let c = pca.covariance();
        // Cofactors: the determinant and the inverse of a 3 × 3 matrix, written out.
        let minor = |i: usize, j: usize| {
            let (a, b) = ((i + 1) % 3, (i + 2) % 3);
            let (e, f) = ((j + 1) % 3, (j + 2) % 3);
            c[(a, e)] * c[(b, f)] - c[(a, f)] * c[(b, e)]
        };
        let determinant: f64 = (0..3).map(|j| c[(0, j)] * minor(0, j)).sum();
        let want: Vec<f64> = x
            .rows()
            .map(|row| {
                let z: Vec<f64> = row.iter().zip(pca.mean()).map(|(x, m)| x - m).collect();
                let squares = (0..9).map(|l| z[l / 3] * minor(l / 3, l % 3) * z[l % 3]);
                let distance = squares.sum::<f64>() / determinant;
                -0.5 * (distance + determinant.ln() + 3.0 * std::f64::consts::TAU.ln())
            })
            .collect();
        assert!(distance(&score_samples(&pca, &x), &want) < 1e-9, "k = {k}");
        let mean = want.iter().sum::<f64>() / 60.0;
        assert!((score(&pca, &x) - mean).abs() < 1e-10);
    }
}

#[test]
fn a_score_counts_rows_by_their_weight_and_leaves_out_what_the_model_leaves_out() {
    let mut x = mixed(20, 4, 13);
    let pca = fit(
        &PcaOptions {
            missing: Missing::Drop,
            ..keeping(2)
        },
        &x,
    );
    let samples = score_samples(&pca, &x);
    let weights: Vec<f64> = (0..20).map(|i| f64::from(i % 3)).collect();
    let weighted: f64 = samples.iter().zip(&weights).map(|(s, w)| s * w).sum();
    let source = Dense::new(x.view())
        .with_weights(&weights)
        .expect("weights");
    let got = pca.score(&Context::new(), &source).expect("a score");
    assert!((got - weighted / weights.iter().sum::<f64>()).abs() < 1e-12);
    x[(7, 1)] = f64::NAN;
    let holed = score_samples(&pca, &x);
    assert!(holed[7].is_nan() && holed.iter().filter(|s| s.is_nan()).count() == 1);
    let rest = samples.iter().sum::<f64>() - samples[7];
    assert!((score(&pca, &x) - rest / 19.0).abs() < 1e-12);
    x[(8, 1)] = f64::INFINITY;
    let source = Dense::new(x.view());
    assert!(pca.score(&Context::new(), &source).is_err());
    assert!(pca.score_samples(&Context::new(), &source).is_err());
    // A model that was told nothing about missing cells says where the first bad one is.
    let pca = fit(&keeping(2), &mixed(20, 4, 13));
    let error = pca.score(&Context::new(), &source).expect_err("NaN");
    assert!(
        error.to_string().ends_with("the first is row 8, column 2"),
        "{error}"
    );
    let none = Mat::<f64>::zeros(0, 4);
    let error = pca.score(&Context::new(), &Dense::new(none.view()));
    assert_said(
        &error.expect_err("no rows"),
        "a mean log-likelihood needs at least one row that counts",
        None,
    );
}

#[test]
fn a_singular_model_has_no_density_and_says_why() {
    // Rank 2 in 4 columns: two components leave nothing, three are too many.
    let plain = mixed(30, 2, 14);
    let x = Mat::from_fn(30, 4, |i, j| plain[(i, j % 2)] * (1.0 + j as f64));
    for k in [2, 3, 4] {
        let pca = fit(&keeping(k), &x);
        assert_eq!(pca.noise_variance(), 0.0);
        let singular = |error: Error| {
            let text = "the covariance of the model is singular, so rows have no density: the components hold all the \
                        variance above rounding, in 2 of 4 directions, and leave no noise for the others \
                        (fewer components would)";
            assert_said(&error, text, None);
        };
        let source = Dense::new(x.view());
        singular(pca.precision().expect_err("singular"));
        singular(pca.score(&Context::new(), &source).expect_err("singular"));
        singular(
            pca.score_samples(&Context::new(), &source)
                .expect_err("singular"),
        );
        // What it can still do.
        assert_eq!(pca.covariance().n_rows(), 4);
        assert!(pca.sample(5, 1).as_slice().iter().all(|x| x.is_finite()));
    }
    assert!(fit(&keeping(1), &x).precision().is_ok());
}

#[test]
fn samples_have_the_mean_and_the_covariance_of_the_model() {
    let n = 40_000;
    for scale in [Scale::None, Scale::Std] {
        let pca = fit(
            &PcaOptions {
                scale,
                ..keeping(2)
            },
            &mixed(200, 4, 15),
        );
        let (drawn, covariance) = (pca.sample(n, 5), pca.covariance());
        let mean: Vec<f64> = (0..4)
            .map(|j| drawn.col(j).iter().sum::<f64>() / n as f64)
            .collect();
        for a in 0..4 {
            let deviation = covariance[(a, a)].sqrt();
            assert!((mean[a] - pca.mean()[a]).abs() < 0.02 * deviation);
            for b in 0..4 {
                let sum: f64 = drawn
                    .rows()
                    .map(|r| (r[a] - mean[a]) * (r[b] - mean[b]))
                    .sum();
                let size = (covariance[(a, a)] * covariance[(b, b)]).sqrt();
                assert!((sum / n as f64 - covariance[(a, b)]).abs() < 0.03 * size);
            }
        }
        assert_eq!(pca.sample(7, 5).as_slice(), drawn.top(7).as_slice());
        assert!(pca.sample(7, 5) != pca.sample(7, 6));
    }
}

#[test]
fn every_solver_element_type_and_thread_count_scores_alike() {
    let x = mixed(2_100, 6, 16);
    let want = fit(&keeping(3), &x);
    let first = score(&want, &x);
    for solver in Solver::ALL {
        let pca = fit(
            &PcaOptions {
                solver,
                ..keeping(3)
            },
            &x,
        );
        assert!((pca.noise_variance() / want.noise_variance() - 1.0).abs() < 1e-8);
        assert!((score(&pca, &x) - first).abs() < 1e-6, "{solver}");
    }
    for threads in [1, 2, 8] {
        let ctx = Context::new().with_threads(threads).expect("threads");
        let got = want.score(&ctx, &Dense::new(x.view())).expect("a score");
        assert_eq!(got.to_bits(), first.to_bits());
    }
    let single = to_f32(&x);
    let got = want.score(&Context::new(), &Dense::new(single.view()));
    assert!((got.expect("a score") - first).abs() < 1e-4);
}

#[test]
fn noise_beside_a_far_larger_component_keeps_its_digits() {
    let plain = mixed(200, 4, 21);
    for large in [3e5, 3e7, 1e8] {
        let sizes = [large, 3.0, 1.0, 1.0];
        let x = Mat::from_fn(200, 4, |i, j| plain[(i, j)] * sizes[j]);
        for solver in [Solver::Full, Solver::Qr] {
            let keep = |n_components| PcaOptions {
                n_components,
                solver,
                ..Default::default()
            };
            let all = fit(&keep(Keep::All), &x);
            let variances = all.explained_variance();
            let want = (variances[2] + variances[3]) / 2.0;
            let two = fit(&keep(Keep::Count(2)), &x);
            assert_close(&[two.noise_variance()], &[want], 1e-12);
            assert_close(&[all.truncated(2).noise_variance()], &[want], 1e-12);
            assert!(score(&two, &x).is_finite());
        }
    }
}

#[test]
fn a_repeated_column_never_leaves_noise() {
    for seed in 0..60 {
        let plain = mixed(50, 2, seed);
        let x = Mat::from_fn(50, 3, |i, j| plain[(i, j % 2)]);
        for solver in [Solver::Full, Solver::Qr, Solver::Covariance] {
            let options = PcaOptions {
                solver,
                ..keeping(2)
            };
            let pca = fit(&options, &x);
            assert_eq!(pca.noise_variance(), 0.0, "{solver} with seed {seed}");
            assert!(pca.precision().is_err());
        }
    }
}

#[test]
fn a_weight_counts_rows_in_the_noise_too() {
    let x = mixed(20, 40, 22);
    let ctx = Context::new();
    let weighed = |weights: &[f64], options: &PcaOptions| {
        let rows = Dense::new(x.view()).with_weights(weights).expect("weights");
        options.fit(&ctx, &rows).expect("a fit").noise_variance()
    };
    for weights in [[1.0, 0.0], [2.0, 1.0], [1.0, 2.0], [0.0, 3.0]] {
        let per_row: Vec<f64> = (0..20).map(|i| weights[usize::from(i >= 10)]).collect();
        let rows: Vec<usize> = (0..20)
            .flat_map(|i| std::iter::repeat_n(i, per_row[i] as usize))
            .collect();
        let repeated = Mat::from_fn(rows.len(), 40, |i, j| x[(rows[i], j)]);
        let want = fit(&keeping(3), &repeated).noise_variance();
        assert_close(&[weighed(&per_row, &keeping(3))], &[want], 1e-9);
    }
    // Weights that sum to 1 count no row less than there are.
    let population = PcaOptions {
        convention: Convention::Population,
        ..keeping(3)
    };
    let want = weighed(&[1.0; 20], &population);
    assert_close(&[weighed(&[0.05; 20], &population)], &[want], 1e-9);
}
