//! Pre-images: from scores back to rows.

use eigenspan::method::{KernelPca, PreImage, PreImageOptions};
use eigenspan::rng::Rng;
use eigenspan::solve::Keep;
use eigenspan::{Context, Mat, Note, PcaOptions};

use super::{asked, fitted, own_scores, projected, waves};
use crate::support::{distance, fit, scores};

fn by(method: PreImage) -> PreImageOptions {
    PreImageOptions {
        method,
        ..Default::default()
    }
}

fn inverted(
    model: &KernelPca,
    options: PreImageOptions,
    scores: &Mat<f64>,
) -> (Mat<f64>, Vec<f64>) {
    let ctx = Context::new();
    let back = model.pre_images(&ctx, options).expect("a way back");
    let found = back.inverse(&ctx, scores.view(), None).expect("rows");
    assert_eq!(found.notes, []);
    (found.rows, found.residuals)
}

/// ‖Φ(z) − P‖² by the definition, with the Gaussian kernel written out and P's weights from scratch.
fn residual(model: &KernelPca, x: &Mat<f64>, gamma: f64, scores: &[f64], z: &[f64]) -> f64 {
    let n = x.n_rows();
    let k = |a: &[f64], b: &[f64]| {
        let square: f64 = a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum();
        (-gamma * square).exp()
    };
    let weight = |i: usize| {
        let along: f64 = model
            .weights()
            .row(i)
            .iter()
            .zip(scores)
            .map(|(a, s)| a * s)
            .sum();
        1.0 / n as f64 + along
    };
    let weights: Vec<f64> = (0..n).map(weight).collect();
    let mut square = k(z, z);
    for i in 0..n {
        square -= 2.0 * weights[i] * k(z, x.row(i));
        for j in 0..n {
            square += weights[i] * weights[j] * k(x.row(i), x.row(j));
        }
    }
    square.max(0.0).sqrt()
}

#[test]
fn residuals_are_distances_in_feature_space_and_the_fixed_point_is_a_minimum() {
    let (x, new) = (waves(40, 3, 1), waves(5, 3, 90));
    let model = fitted(&asked("rbf(gamma=0.4)", 4), &x);
    let scores = projected(&model, &new);
    for method in [PreImage::FixedPoint, PreImage::Ridge, PreImage::Distances] {
        let (rows, residuals) = inverted(&model, by(method), &scores);
        for (i, got) in residuals.iter().enumerate() {
            let own = residual(&model, &x, 0.4, scores.row(i), rows.row(i));
            assert!((own - got).abs() < 1e-7, "{method:?}: {own} and {got}");
        }
    }
    let (rows, residuals) = inverted(&model, by(PreImage::FixedPoint), &scores);
    for (i, here) in residuals.iter().enumerate() {
        for j in 0..3 {
            for step in [-1e-3, 1e-3] {
                let mut beside = rows.row(i).to_vec();
                beside[j] += step;
                let there = residual(&model, &x, 0.4, scores.row(i), &beside);
                assert!(there >= here - 1e-12, "{there} below {here}");
            }
        }
    }
}

#[test]
fn with_all_components_training_rows_come_back() {
    let x = waves(25, 3, 1);
    for (kernel, method, near) in [
        ("rbf(gamma=1)", PreImage::FixedPoint, 1e-6),
        ("rbf(gamma=1)", PreImage::Distances, 1e-6),
        (
            "rational_quadratic(alpha=2, length=1)",
            PreImage::Distances,
            1e-6,
        ),
        ("matern(nu=0.5, length=1)", PreImage::Distances, 1e-6),
        ("linear", PreImage::Distances, 1e-9),
    ] {
        let options = eigenspan::method::KernelPcaOptions {
            n_components: Keep::All,
            ..asked(kernel, 1)
        };
        let model = fitted(&options, &x);
        let (rows, residuals) = inverted(&model, by(method), own_scores(&model));
        let off = distance(rows.as_slice(), x.as_slice());
        assert!(off < near, "{kernel}, {method:?}: {off:e}");
        assert!(residuals.iter().all(|r| *r < 1e-6), "{kernel}, {method:?}");
    }
}

#[test]
fn the_linear_kernel_goes_back_as_pca_does() {
    let x = waves(60, 4, 1);
    let pca = fit(
        &PcaOptions {
            n_components: Keep::Count(4),
            ..Default::default()
        },
        &x,
    );
    let rebuilt = pca.inverse(scores(&pca, &x).view()).expect("rows");
    let model = fitted(&asked("linear", 4), &x);
    let (rows, _) = inverted(&model, by(PreImage::Distances), own_scores(&model));
    assert!(distance(rows.as_slice(), rebuilt.as_slice()) < 1e-9);
}

#[test]
fn what_did_not_settle_is_noted() {
    let x = waves(40, 3, 1);
    let model = fitted(&asked("rbf(gamma=0.4)", 2), &x);
    let ctx = Context::new();
    let options = PreImageOptions {
        max_iterations: 2,
        ..by(PreImage::FixedPoint)
    };
    let back = model.pre_images(&ctx, options).expect("a way back");
    let found = back
        .inverse(&ctx, own_scores(&model).view(), None)
        .expect("rows");
    let [
        Note::NotConverged {
            solver,
            iterations: 2,
            ..
        },
    ] = &found.notes[..]
    else {
        panic!("{:?}", found.notes);
    };
    assert_eq!(solver, "fixed-point");
    assert!(found.notes[0].hint().is_none());
}

/// Squared errors of PCA and kernel PCA on one draw of 11 Gaussians in R¹⁰, centers in [−1, 1]¹⁰.
fn denoised(sigma: f64, k: usize, seed: u64) -> (f64, f64) {
    let ctx = Context::new();
    let mut rng = Rng::new(seed);
    let centers = Mat::from_fn(11, 10, |_, _| 2.0 * rng.uniform() - 1.0);
    let mut draw = |each: usize| {
        Mat::from_fn(11 * each, 10, |i, j| {
            centers[(i / each, j)] + sigma * rng.normal()
        })
    };
    let (train, test) = (draw(100), draw(11));
    let error = |rows: &Mat<f64>| {
        let off = |(i, row): (usize, &[f64])| {
            let cells = row.iter().zip(centers.row(i / 11));
            cells.map(|(x, c)| (x - c) * (x - c)).sum::<f64>()
        };
        rows.rows().enumerate().map(off).sum::<f64>()
    };
    let options = PcaOptions {
        n_components: Keep::Count(k),
        ..Default::default()
    };
    let pca = fit(&options, &train);
    let straight = pca.inverse(scores(&pca, &test).view()).expect("rows");
    let gamma = 1.0 / (10.0 * 2.0 * sigma * sigma);
    let model = fitted(&asked(&format!("rbf(gamma={gamma})"), k), &train);
    let back = model
        .pre_images(&ctx, PreImageOptions::default())
        .expect("a way back");
    let noisy = projected(&model, &test);
    let bent = back.inverse(&ctx, noisy.view(), Some(test.view()));
    (error(&straight), error(&bent.expect("rows").rows))
}

/// Mika et al. 1999, table 1: kernel exp(−‖x − y‖²/(10·2σ²)), iteration from the noisy rows. MSE(PCA)/MSE(KPCA) is above 1
/// for σ = 0.4 (theirs: 1.07 to 2.47) and 0.8 (1.23 to 2.39). Reproductions differ at small σ: a few lines of NumPy around
/// scikit-learn's KernelPCA give 6.3 to 7.4 for σ = 0.4 and nine components, and 2.4 to 2.5 for σ = 0.8.
#[test]
fn kernel_pca_denoises_eleven_gaussians_better_than_pca_does() {
    for sigma in [0.4, 0.8] {
        for k in [1, 4, 9] {
            let errors = (0..4).map(|seed| denoised(sigma, k, seed));
            let (straight, bent) = errors.fold((0.0, 0.0), |a, b| (a.0 + b.0, a.1 + b.1));
            let ratio = straight / bent;
            println!("sigma {sigma}, {k} components: {ratio}");
            assert!(ratio >= 1.0, "sigma {sigma}, {k} components: {ratio}");
            if (sigma, k) == (0.8, 9) {
                assert!((ratio / 2.39 - 1.0).abs() < 0.15, "{ratio}");
            }
        }
    }
}
