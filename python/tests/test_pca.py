"""What scikit-learn's own tests of PCA assert, of ours against theirs: the same data, up to nothing but rounding.

The sign rule is the same (the entry of largest magnitude is positive), so components are compared as they are.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn import decomposition, datasets

from support import noise

import eigenspan as es

SOLVERS = ["auto", "full", "covariance_eigh", "arpack", "randomized"]
OURS = ["covariance", "partial", "dual", "qr", "full", "lanczos", "randomized", "power"]
ATTRIBUTES = ["components_", "explained_variance_", "explained_variance_ratio_", "singular_values_", "mean_", "noise_variance_"]


def assert_same(ours, theirs, rtol=1e-9, atol=1e-9):
    for name in ATTRIBUTES:
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=rtol, atol=atol, err_msg=name)
    assert ours.n_components_ == theirs.n_components_


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("n_components", [1, 2, 3])
def test_iris_is_theirs_by_every_solver(iris, solver, n_components):
    ours = es.PCA(n_components, svd_solver=solver, tol=1e-12 if solver in ("arpack", "randomized") else 0.0)
    theirs = decomposition.PCA(n_components, svd_solver="full").fit(iris)
    scores = ours.fit(iris).transform(iris)
    assert_same(ours, theirs)
    np.testing.assert_allclose(scores, theirs.transform(iris), atol=1e-9)
    np.testing.assert_array_equal(scores, ours.fit_transform(iris))
    np.testing.assert_allclose(ours.get_covariance() @ ours.get_precision(), np.eye(4), atol=1e-11)
    np.testing.assert_allclose(ours.get_covariance(), theirs.get_covariance(), atol=1e-11)
    np.testing.assert_allclose(ours.get_precision(), theirs.get_precision(), rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("solver", OURS)
@pytest.mark.parametrize("shape", [(200, 12), (40, 30), (20, 60)])
def test_every_road_of_ours_is_theirs(solver, shape):
    X = noise(*shape)
    ours = es.PCA(4, solver=solver, tol=1e-11).fit(X)
    theirs = decomposition.PCA(4, svd_solver="full").fit(X)
    assert_same(ours, theirs, rtol=1e-7, atol=1e-7)
    assert ours.plan_["solver"] == solver
    assert ours.residuals_.max() < 1e-10


@pytest.mark.parametrize("whiten", [False, True])
@pytest.mark.parametrize("shape", [(100, 80), (50, 100)])
def test_whitened_scores_have_variance_one_and_the_way_back_is_theirs(whiten, shape):
    rng = np.random.RandomState(0)
    X = rng.randn(shape[0], 30) @ np.diag(np.linspace(10.0, 1.0, 30)) @ rng.randn(30, shape[1])
    ours, theirs = es.PCA(20, whiten=whiten), decomposition.PCA(20, whiten=whiten, svd_solver="full")
    mine, other = ours.fit_transform(X), theirs.fit_transform(X)
    np.testing.assert_allclose(mine, other, rtol=1e-8, atol=1e-8)
    if whiten:
        np.testing.assert_allclose(mine.std(ddof=1, axis=0), np.ones(20), rtol=1e-10)
    np.testing.assert_allclose(ours.inverse_transform(mine), theirs.inverse_transform(other), rtol=1e-7, atol=1e-7)


def test_all_components_rebuild_the_rows(iris):
    pca = es.PCA().fit(iris)
    np.testing.assert_allclose(pca.inverse_transform(pca.transform(iris)), iris, atol=1e-12)


@pytest.mark.parametrize("n_components", [None, 1, 5, 0.3, 0.9, 0.999])
def test_the_number_of_components_is_theirs(digits, n_components):
    X = digits[:500]
    ours, theirs = es.PCA(n_components).fit(X), decomposition.PCA(n_components, svd_solver="full").fit(X)
    assert ours.n_components_ == theirs.n_components_
    k = min(ours.n_components_, np.linalg.matrix_rank(X - X.mean(0)))
    np.testing.assert_allclose(ours.explained_variance_[:k], theirs.explained_variance_[:k], rtol=1e-8)


@pytest.mark.parametrize("load", [datasets.load_iris, datasets.load_wine, datasets.load_breast_cancer, datasets.load_diabetes])
def test_minkas_choice_is_theirs(load):
    from sklearn.preprocessing import scale

    X = scale(load().data)
    assert es.PCA("mle").fit(X).n_components_ == decomposition.PCA("mle").fit(X).n_components_


def test_mle_keeps_every_direction_that_varies_where_some_do_not(digits):
    theirs = decomposition.PCA("mle", svd_solver="full").fit(digits)
    assert es.PCA("mle").fit(digits).n_components_ == theirs.n_components_ == 61


def test_mle_finds_one_direction_and_needs_as_many_rows_as_columns():
    rng = np.random.RandomState(0)
    X = rng.randn(100, 5) * 0.1
    X[:20] += np.array([3, 4, 5, 1, 2])
    assert es.PCA("mle").fit(X).n_components_ == 1
    with pytest.raises(ValueError, match="n_samples >= n_features"):
        es.PCA("mle").fit(rng.randn(5, 20))


@pytest.mark.parametrize("n_components", [2, 10, 30])
def test_likelihoods_are_theirs(digits, n_components):
    X = digits[:, 8:40][:, digits[:, 8:40].std(0) > 0]
    n_components = min(n_components, X.shape[1] - 2)
    ours, theirs = es.PCA(n_components).fit(X), decomposition.PCA(n_components, svd_solver="full").fit(X)
    np.testing.assert_allclose(ours.score(X), theirs.score(X), rtol=1e-9)
    np.testing.assert_allclose(ours.score_samples(X), theirs.score_samples(X), rtol=1e-7)


@pytest.mark.parametrize("n,d,k", [(5, 10, 5), (10, 5, 5), (6, 10, 4), (50, 10, 9)])
def test_noise_variance_is_theirs_at_the_edges(n, d, k):
    X = np.random.RandomState(0).randn(n, d)
    theirs = decomposition.PCA(k, svd_solver="full").fit(X)
    np.testing.assert_allclose(es.PCA(k).fit(X).noise_variance_, theirs.noise_variance_, atol=1e-12)


@pytest.mark.parametrize("solver", SOLVERS)
def test_singular_values_that_were_put_in_come_out(solver):
    rng = np.random.RandomState(0)
    theirs = decomposition.PCA(3, svd_solver="full")
    X = rng.randn(100, 110)
    scores = theirs.fit_transform(X)
    scores /= np.sqrt((scores**2).sum(axis=0))
    X_hat = (scores * np.array([3.142, 2.718, 1.0])) @ theirs.components_
    ours = es.PCA(3, svd_solver=solver).fit(X_hat)
    np.testing.assert_allclose(ours.singular_values_, [3.142, 2.718, 1.0], rtol=1e-7)


@pytest.mark.parametrize("container", [sparse.csr_matrix, sparse.csc_matrix, sparse.csr_array, sparse.coo_matrix])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_sparse_rows_give_what_dense_rows_give(container, dtype):
    X = sparse.random(300, 40, density=0.1, random_state=0, dtype=dtype)
    ours = es.PCA(5, tol=1e-11).fit(container(X))
    theirs = decomposition.PCA(5, svd_solver="full").fit(X.toarray().astype(np.float64))
    scores = ours.transform(container(X))
    assert scores.dtype == dtype
    tolerance = 1e-6 if dtype == np.float64 else 1e-3
    np.testing.assert_allclose(ours.components_, theirs.components_, atol=tolerance)
    np.testing.assert_allclose(ours.explained_variance_, theirs.explained_variance_, rtol=tolerance)
    np.testing.assert_allclose(scores, theirs.transform(X.toarray()), atol=10 * tolerance)


@pytest.mark.parametrize("given,kept", [(np.float32, np.float32), (np.float64, np.float64), (np.int32, np.float64), (np.float16, np.float64)])
def test_element_types_are_kept_as_theirs(given, kept):
    X = (100 * noise(200, 4)).astype(given)
    ours, theirs = es.PCA(3).fit(X), decomposition.PCA(3).fit(X)
    for name in ["components_", "explained_variance_", "mean_"]:
        assert getattr(ours, name).dtype == kept == getattr(theirs, name).dtype
    assert ours.transform(X).dtype == ours.inverse_transform(ours.transform(X)).dtype == kept


@pytest.mark.parametrize("n_components", [-1, 5, 4.5, 1.5, -0.5, "five", True, [1]])
def test_numbers_of_components_that_cannot_be_are_refused(iris, n_components):
    with pytest.raises(ValueError, match="component|share|five|n_components"):
        es.PCA(n_components).fit(iris)


@pytest.mark.parametrize("wrong", [{"svd_solver": "best"}, {"solver": "best"}, {"scale": "most"}, {"missing": "guess"}, {"solver": "qr", "svd_solver": "full"}, {"tol": -1.0}, {"random_state": -1}, {"n_jobs": 0}, {"convention": "n-2"}, {"sign": "up"}])
def test_parameters_that_are_none_are_refused_when_fitting(iris, wrong):
    pca = es.PCA(2, **wrong)
    with pytest.raises(ValueError):
        pca.fit(iris)


def test_weights_count_rows(iris):
    weights = np.random.RandomState(0).randint(0, 3, len(iris))
    weighted, repeated = es.PCA(2).fit(iris, sample_weight=weights), es.PCA(2).fit(np.repeat(iris, weights, axis=0))
    np.testing.assert_allclose(weighted.components_, repeated.components_, atol=1e-10)
    np.testing.assert_allclose(weighted.explained_variance_, repeated.explained_variance_)
    with pytest.raises(ValueError, match="weights"):
        es.PCA(2).fit(iris, sample_weight=-weights)
    with pytest.raises(TypeError, match="sample_wieght"):
        es.PCA(2).fit(iris, sample_wieght=weights)
    import sklearn
    from sklearn.pipeline import make_pipeline

    with sklearn.config_context(enable_metadata_routing=True):
        routed = make_pipeline(es.PCA(2).set_fit_request(sample_weight=True)).fit(iris, sample_weight=weights)
    np.testing.assert_array_equal(routed[0].components_, weighted.components_)


def test_missing_cells_are_filled_as_by_an_imputer(iris):
    from sklearn.impute import SimpleImputer

    holed = iris.copy()
    holed[::7, 1] = np.nan
    filled = es.PCA(2, missing="mean").fit(holed)
    theirs = decomposition.PCA(2).fit(SimpleImputer().fit_transform(holed))
    np.testing.assert_allclose(filled.components_, theirs.components_, atol=1e-10)
    assert "filled" in filled.notes_[0]
    dropped = es.PCA(2, missing="drop").fit(holed)
    np.testing.assert_allclose(dropped.mean_, holed[~np.isnan(holed).any(1)].mean(0))
    with pytest.raises(ValueError, match='missing="mean"'):
        es.PCA(2).fit(holed)


def test_what_scikit_learn_has_not_is_there(iris):
    pca = es.PCA().fit(iris)
    np.testing.assert_allclose(pca.loadings_ @ pca.loadings_.T, np.cov(iris.T), atol=1e-12)
    np.testing.assert_allclose(pca.cos2_.sum(axis=1), 1.0)
    np.testing.assert_allclose(pca.contributions_.sum(axis=0), 100.0)
    assert pca.plan_["solver"] == "full" and pca.plan_["reason"]
    assert pca.choose_["consensus"]["k"] >= 1
    some = es.PCA(2).fit(iris)
    with pytest.raises(AttributeError, match="varia"):
        some.cos2_
    np.testing.assert_allclose(some.column_table("cos2", iris), pca.cos2_[:, :2], atol=1e-10)
    assert es.PCA(2).plan(iris)["solver"] == "full"


def test_choose_and_auto_give_one_answer():
    from sklearn.datasets import load_breast_cancer, load_wine

    for X, k in [(load_breast_cancer().data, 5), (load_wine().data, 3)]:
        auto = es.PCA("auto", scale="std").fit(X)
        assert auto.n_components_ == k
        assert auto.choose_["consensus"]["k"] == k
        assert es.PCA(scale="std").fit(X).choose_["consensus"]["k"] == k


def test_scaled_is_standardized(iris):
    from sklearn.preprocessing import StandardScaler

    ours = es.PCA(scale="std").fit(iris)
    theirs = decomposition.PCA().fit(StandardScaler().fit_transform(iris))
    np.testing.assert_allclose(ours.explained_variance_ratio_, theirs.explained_variance_ratio_)
    np.testing.assert_allclose(ours.components_, theirs.components_, atol=1e-12)


def test_notes_become_warnings():
    X, _ = datasets.load_wine(return_X_y=True)
    with pytest.warns(UserWarning, match=r'variance .* times that of .*scale="std"'):
        es.PCA(2).fit(X)
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        es.PCA(2, scale="std").fit(X)


@pytest.mark.parametrize("container", [sparse.csr_matrix, sparse.csc_matrix])
@pytest.mark.parametrize("density", [0.01, 0.1, 0.3])
def test_arpack_in_name_is_as_accurate_as_rounding_allows(container, density):
    rng = np.random.default_rng(0)
    X = sparse.random(1000, 300, density=density, random_state=0).multiply(rng.random(300) * 10)
    thin = es.PCA(10, svd_solver="arpack").fit(container(X))
    dense = es.PCA(10, svd_solver="arpack").fit(X.toarray())
    exact = decomposition.PCA(10, svd_solver="full").fit(X.toarray())
    np.testing.assert_allclose(thin.components_, dense.components_, atol=1e-12)
    np.testing.assert_allclose(np.abs(thin.components_), np.abs(exact.components_), atol=1e-10)


@pytest.mark.parametrize("shape", [(150, 4), (4, 150)])
def test_what_arpack_cannot_do_is_not_done_in_its_name(shape):
    X = noise(*shape)
    assert es.PCA(svd_solver="arpack").fit(X).n_components_ == 3
    with pytest.raises(ValueError, match="strictly less than min"):
        es.PCA(4, svd_solver="arpack").fit(X)
    assert es.PCA(4, solver="lanczos").fit(X).n_components_ == 4
    with pytest.raises(ValueError, match="'mle' cannot be a string with svd_solver='arpack'"):
        es.PCA("mle", svd_solver="arpack").fit(X)


def test_a_share_that_is_met_to_rounding_is_exceeded(iris):
    shares = es.PCA().fit(iris).explained_variance_ratio_.cumsum()
    for k in (1, 2, 3):
        assert es.PCA(shares[k - 1]).fit(iris).n_components_ == k + 1
        assert es.PCA(shares[k - 1] - 1e-6).fit(iris).n_components_ == k


@pytest.mark.parametrize(("n", "d", "k"), [(300, 200, 2), (1000, 500, 10), (100, 2000, 5)])
def test_small_tables_are_decomposed_to_rounding(n, d, k):
    X = noise(n, d)
    ours, theirs = es.PCA(k).fit(X), decomposition.PCA(k, svd_solver="full").fit(X)
    np.testing.assert_allclose(ours.components_, theirs.components_, rtol=1e-7, atol=1e-11)
    assert ours.residuals_.max() < 1e-11


@pytest.mark.parametrize("solver", ["full", "randomized"])
def test_sparse_rows_are_refused_by_their_names_of_solvers_and_taken_by_ours(solver):
    X = sparse.random(60, 20, density=0.3, random_state=0, format="csr")
    with pytest.raises(TypeError, match='only support sparse inputs with the "arpack" and "covariance_eigh"'):
        es.PCA(3, svd_solver=solver).fit(X)
    ours = es.PCA(3, solver=solver).fit(X)
    np.testing.assert_allclose(ours.explained_variance_, es.PCA(3, svd_solver="covariance_eigh").fit(X).explained_variance_)


@pytest.mark.parametrize("setting", [{}, {"svd_solver": "full"}, {"svd_solver": "covariance_eigh"}, {"scale": "std"}])
def test_no_component_leaves_noise_alone_as_theirs_does(iris, setting, tmp_path):
    ours = es.PCA(0, **setting).fit(iris)
    divisor = np.ones(4) if ours.scale_ is None else ours.scale_
    rows = (iris - iris.mean(0)) / divisor
    theirs = decomposition.PCA(0, svd_solver="full").fit(rows)
    assert ours.components_.shape == (0, 4) and ours.n_components_ == 0
    assert ours.explained_variance_.shape == ours.singular_values_.shape == ours.residuals_.shape == (0,)
    assert ours.transform(iris).shape == ours.fit_transform(iris).shape == theirs.transform(iris).shape == (150, 0)
    np.testing.assert_allclose(ours.noise_variance_, theirs.noise_variance_)
    np.testing.assert_allclose(ours.inverse_transform(ours.transform(iris)), np.tile(iris.mean(0), (150, 1)))
    if not setting.get("scale"):
        np.testing.assert_allclose(ours.get_covariance(), theirs.get_covariance())
        np.testing.assert_allclose(ours.get_precision(), theirs.get_precision())
        np.testing.assert_allclose(ours.score_samples(iris), theirs.score_samples(rows))
    np.testing.assert_allclose(ours.get_covariance() @ ours.get_precision(), np.eye(4), atol=1e-12)
    np.testing.assert_allclose(ours.score(iris), theirs.score(rows) - np.log(divisor).sum())
    ours.save(tmp_path / "none.safetensors")
    again = es.load(tmp_path / "none.safetensors")
    assert again.n_components_ == 0 and again.transform(iris).shape == (150, 0)
    with pytest.raises(ValueError, match="keeps no component"):
        ours.plot_scree()
    for solver in ("arpack", "randomized"):
        with pytest.raises(ValueError, match="n_components=0 must be between 1 and min"):
            es.PCA(0, svd_solver=solver).fit(iris)
