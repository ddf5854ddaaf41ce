//! Numbers of scikit-learn 1.9.1 (NumPy 2.4.6), made by the script that stands here.
//!
//! ```python
//! import numpy as np
//! from sklearn.decomposition import KernelPCA
//! from sklearn.metrics.pairwise import pairwise_kernels, rbf_kernel, polynomial_kernel
//! from sklearn.gaussian_process.kernels import Matern, RationalQuadratic
//! f = lambda n, s: np.array([[1.5 + np.sin(1.7*(i+s)*(j+2)) + 0.25*j for j in range(3)] for i in range(n)])
//! X, N = f(14, 1), f(3, 40)
//! # K and Kn: pairwise_kernels(X, metric=…), pairwise_kernels(N, X, metric=…) with the parameters named below
//! # (poly, rbf: gamma = 1/3; sigma: gamma = 1/(2·sigma²); scale: 1/(3·X.var())), Matern(length, nu=nu)(X, X),
//! # RationalQuadratic(length, alpha)(X, X), and sums and products of such matrices
//! p = KernelPCA(4, kernel="precomputed", eigen_solver="dense").fit(K)
//! p.eigenvalues_, abs(p.transform(Kn)[0])
//! # pre-images: KernelPCA(3, kernel=…, fit_inverse_transform=True, alpha=0.1, eigen_solver="dense").fit(X)
//! p.inverse_transform(p.transform(N))[:2]
//! ```

use eigenspan::Context;
use eigenspan::method::{PreImage, PreImageOptions};

use super::{asked, fitted, iris, own_scores, projected, waves};
use crate::support::{assert_close, distance};

/// A kernel, its four largest eigenvalues, and the magnitudes of a new row's scores.
type Gold = (&'static str, [f64; 4], [f64; 4]);

const GOLD: [Gold; 18] = [
    (
        "linear",
        [
            7.336054681840e+00,
            6.803812792296e+00,
            6.131172403187e+00,
            0.000000000000e+00,
        ],
        [
            8.240531735006e-01,
            7.857712222526e-01,
            3.704107768302e-01,
            0.000000000000e+00,
        ],
    ),
    (
        "poly",
        [
            3.609835844185e+02,
            1.387643152853e+02,
            1.081644081593e+02,
            7.908515547104e+00,
        ],
        [
            2.406092289757e+00,
            5.097880052991e+00,
            1.589654825021e+00,
            8.698920383772e-01,
        ],
    ),
    (
        "poly(degree=2, gamma=0.5, coef0=0)",
        [
            6.826876152937e+01,
            3.458937229336e+01,
            2.988421060877e+01,
            1.501536136653e+00,
        ],
        [
            1.419714040974e+00,
            2.362643629660e+00,
            9.414235874669e-01,
            3.587730629561e-01,
        ],
    ),
    (
        "rbf",
        [
            2.175096025529e+00,
            1.889638064397e+00,
            1.448701561749e+00,
            6.369445670571e-01,
        ],
        [
            5.796364537986e-01,
            2.986425025433e-01,
            6.923948378443e-02,
            1.945601831289e-01,
        ],
    ),
    (
        "rbf(sigma=0.5)",
        [
            2.002123671668e+00,
            1.526183270009e+00,
            1.309367599305e+00,
            1.105601277788e+00,
        ],
        [
            6.471919163428e-01,
            1.794722841685e-01,
            3.503403259788e-03,
            8.760372458671e-02,
        ],
    ),
    (
        "rbf(gamma=scale)",
        [
            2.438549212127e+00,
            2.017870670279e+00,
            1.513043001167e+00,
            9.654327169789e-01,
        ],
        [
            6.466993869280e-01,
            2.950107439391e-01,
            3.872638475020e-02,
            2.364180204694e-01,
        ],
    ),
    (
        "tanh(gamma=0.1, coef0=0)",
        [
            3.772252787949e-01,
            2.915498915308e-01,
            3.929387113452e-02,
            1.270191070335e-03,
        ],
        [
            2.477098337237e-02,
            2.016652437125e-01,
            5.048692199023e-02,
            8.044502078068e-03,
        ],
    ),
    (
        "cosine",
        [
            7.310095397480e-01,
            6.205376701579e-01,
            1.228537637627e-02,
            0.000000000000e+00,
        ],
        [
            5.367537240215e-02,
            3.068199393818e-01,
            1.315613350780e-02,
            0.000000000000e+00,
        ],
    ),
    (
        "laplacian(gamma=0.7)",
        [
            1.797220244933e+00,
            1.539844285478e+00,
            1.271518669004e+00,
            8.340339968656e-01,
        ],
        [
            4.756620689450e-01,
            2.684461135260e-01,
            4.975652612714e-02,
            1.838100621446e-01,
        ],
    ),
    (
        "chi2(gamma=0.8)",
        [
            1.933616444521e+00,
            1.601759037200e+00,
            1.318625452666e+00,
            4.250143106954e-01,
        ],
        [
            4.992767439898e-01,
            3.530733698640e-01,
            9.544015093666e-02,
            1.285631336307e-01,
        ],
    ),
    (
        "matern(nu=0.5, length=2)",
        [
            1.468792034967e+00,
            1.276591962474e+00,
            1.038655488329e+00,
            5.756928219157e-01,
        ],
        [
            4.687847331729e-01,
            2.094496756872e-01,
            5.162983822021e-02,
            1.567835012603e-01,
        ],
    ),
    (
        "matern",
        [
            2.097362456667e+00,
            1.748839989769e+00,
            1.357978545112e+00,
            8.810200919259e-01,
        ],
        [
            6.060305163825e-01,
            2.500268554320e-01,
            4.300483810794e-02,
            2.063099782870e-01,
        ],
    ),
    (
        "matern(nu=2.5, length=0.5)",
        [
            1.842761204517e+00,
            1.453337807169e+00,
            1.250385077348e+00,
            1.073759745275e+00,
        ],
        [
            6.040045409060e-01,
            1.618532117524e-01,
            2.198369797264e-03,
            1.026449483434e-01,
        ],
    ),
    (
        "matern(nu=inf, length=1)",
        [
            2.390578708783e+00,
            2.015080797901e+00,
            1.509924917070e+00,
            8.715266576868e-01,
        ],
        [
            6.285323768119e-01,
            2.980696857189e-01,
            5.080809526780e-02,
            2.305342686988e-01,
        ],
    ),
    (
        "matern(nu=4.5, length=1)",
        [
            2.288934946528e+00,
            1.911976809408e+00,
            1.449285628128e+00,
            8.824313883225e-01,
        ],
        [
            6.255693760767e-01,
            2.826390409700e-01,
            4.651364809182e-02,
            2.231478061739e-01,
        ],
    ),
    (
        "rational_quadratic(alpha=0.5, length=1.5)",
        [
            1.166101665296e+00,
            1.017003564303e+00,
            8.038779505920e-01,
            3.199617666854e-01,
        ],
        [
            4.226475841520e-01,
            2.242625756284e-01,
            5.734893867003e-02,
            1.405559297757e-01,
        ],
    ),
    (
        "0.5*rbf(gamma=0.1) + poly(degree=2, gamma=1, coef0=1)*normalize(linear)",
        [
            2.998523410173e+02,
            2.042818382288e+02,
            1.795950142048e+02,
            1.626688346361e+01,
        ],
        [
            4.017547782466e+00,
            5.295531660931e+00,
            2.117464426043e+00,
            1.192068905962e+00,
        ],
    ),
    (
        "exp(0.2*linear)",
        [
            5.166136020007e+01,
            1.259776454903e+01,
            8.624966449168e+00,
            1.973014664010e+00,
        ],
        [
            3.347408840300e-01,
            1.633958601674e+00,
            3.972228188238e-01,
            1.885912650440e-01,
        ],
    ),
];

#[test]
fn every_kernel_has_scikit_learns_eigenvalues_and_scores() {
    let (x, new) = (waves(14, 3, 1), waves(3, 3, 40));
    for (kernel, eigenvalues, scores) in GOLD {
        let model = fitted(&asked(kernel, 4), &x);
        let off = distance(&model.eigenvalues(), &eigenvalues);
        assert!(off < 1e-11 * eigenvalues[0], "{kernel}: {off:e}");
        let row = projected(&model, &new);
        let magnitudes: Vec<f64> = row.row(0).iter().map(|x| x.abs()).collect();
        let off = distance(&magnitudes, &scores);
        assert!(off < 1e-10 * eigenvalues[0].max(1.0), "{kernel}: {off:e}");
    }
}

/// Measured with scikit-learn 1.9.1: `KernelPCA(4, kernel="rbf", gamma=0.25)` and `kernel="poly", degree=2, gamma=1`.
#[test]
fn iris_has_the_known_eigenvalues_and_scores() {
    let x = iris();
    let model = fitted(&asked("rbf(gamma=0.25)", 4), &x);
    let eigenvalues = [48.11051564, 19.09429428, 6.63327814, 4.27532381];
    assert_close(&model.eigenvalues(), &eigenvalues, 1e-8);
    let first: Vec<f64> = own_scores(&model).row(0).iter().map(|x| x.abs()).collect();
    let known = [0.82768213, 0.03835128, 0.09855965, 0.06889755];
    assert!(distance(&first, &known) < 1e-8, "{first:?}");
    let model = fitted(&asked("poly(degree=2, gamma=1, coef0=1)", 4), &x);
    let eigenvalues = [113503.05744, 4865.83989, 1750.82613, 509.58743];
    assert_close(&model.eigenvalues(), &eigenvalues, 1e-8);
}

#[test]
fn ridge_pre_images_are_scikit_learns() {
    let (x, new) = (waves(14, 3, 1), waves(3, 3, 40));
    let gold: [(&str, [f64; 6]); 3] = [
        (
            "rbf(gamma=0.5)",
            [
                0.787802658487,
                2.103158969988,
                2.821060993001,
                2.2159036566,
                2.539604128627,
                2.592488485448,
            ],
        ),
        (
            "poly(degree=2, gamma=0.5, coef0=1)",
            [
                0.707166000396,
                1.961646856169,
                3.001704742882,
                2.38766796385,
                2.695591696799,
                2.711761316728,
            ],
        ),
        (
            "linear",
            [
                -0.754018913877,
                0.260201994691,
                0.870165254855,
                0.929924914873,
                1.028986988446,
                0.623212370475,
            ],
        ),
    ];
    let ctx = Context::new();
    for (kernel, rows) in gold {
        let model = fitted(&asked(kernel, 3), &x);
        let options = PreImageOptions {
            method: PreImage::Ridge,
            alpha: 0.1,
            ..Default::default()
        };
        let back = model.pre_images(&ctx, options).expect("a way back");
        let scores = projected(&model, &new);
        let found = back.inverse(&ctx, scores.view(), None).expect("rows");
        let off = distance(&found.rows.as_slice()[..6], &rows);
        assert!(off < 1e-9, "{kernel}: {off:e}");
    }
}
