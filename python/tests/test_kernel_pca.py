"""Kernel PCA beside scikit-learn's: the same data, what theirs gives and asserts must be ours."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import make_blobs, make_circles
from sklearn.decomposition import KernelPCA as Theirs
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import Perceptron
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline
from support import noise

import eigenspan as es

SOLVERS = ["auto", "dense", "arpack", "randomized"]
KERNELS = ["linear", "rbf", "poly", "sigmoid", "cosine"]


def overlap(x: np.ndarray, y: np.ndarray, **params: object) -> float:
    """Histogram intersection, as scikit-learn's own tests pass it: no parameters may arrive that were not given."""
    assert not params
    return float(np.minimum(x, y).sum())


@pytest.fixture
def rows() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    return rng.random((40, 4)), rng.random((7, 4))


@pytest.mark.filterwarnings("ignore::eigenspan.EigenspanWarning")
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("solver", SOLVERS)
def test_eigenvalues_vectors_and_scores_are_theirs(rows, kernel, solver):
    X, new = rows
    ours = es.KernelPCA(4, kernel=kernel, eigen_solver=solver).fit(X)
    theirs = Theirs(4, kernel=kernel, eigen_solver="dense").fit(X)
    np.testing.assert_allclose(ours.eigenvalues_, theirs.eigenvalues_, rtol=1e-8)
    np.testing.assert_allclose(ours.eigenvectors_, theirs.eigenvectors_, atol=1e-6)
    np.testing.assert_allclose(ours.transform(new), theirs.transform(new), atol=1e-7)
    np.testing.assert_allclose(ours.fit_transform(X), theirs.fit_transform(X), atol=1e-7)


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly", overlap])
@pytest.mark.parametrize("solver", SOLVERS)
def test_fit_transform_is_fit_and_transform(rows, kernel, solver):
    X, new = rows
    kpca = es.KernelPCA(4, kernel=kernel, eigen_solver=solver, fit_inverse_transform=not callable(kernel))
    scores = kpca.fit_transform(X)
    np.testing.assert_array_equal(scores, kpca.fit(X).transform(X))
    assert scores.shape == (40, 4)
    assert kpca.transform(new).shape == (7, 4)
    if not callable(kernel):
        assert kpca.inverse_transform(kpca.transform(new)).shape == new.shape


def test_a_function_of_two_rows_is_a_kernel(rows):
    X, new = rows
    ours = es.KernelPCA(3, kernel=overlap).fit(X)
    theirs = Theirs(3, kernel=overlap).fit(X)
    np.testing.assert_allclose(ours.transform(new), theirs.transform(new), atol=1e-10)
    with pytest.raises(ValueError, match="model file"):
        ours.save("nowhere.safetensors")
    again = pickle.loads(pickle.dumps(ours))
    np.testing.assert_array_equal(again.transform(new), ours.transform(new))


def test_parameters_of_a_function_are_handed_over(rows):
    X, _ = rows

    def scaled(x, y, factor):
        return factor * float(x @ y)

    ours = es.KernelPCA(2, kernel=scaled, kernel_params={"factor": 3.0}).fit(X)
    np.testing.assert_allclose(ours.eigenvalues_, 3 * es.KernelPCA(2).fit(X).eigenvalues_)


def test_what_a_kernel_of_ones_own_raises_is_raised(rows):
    X, _ = rows

    def broken(row):
        raise LookupError("no such row")

    with pytest.raises(LookupError, match="no such row"):
        es.KernelPCA(2, kernel=es.kernels.linear().weighted(broken)).fit(X)


@pytest.mark.parametrize("solver", SOLVERS)
def test_the_linear_kernel_is_pca(rows, solver):
    X, new = rows
    kpca = es.KernelPCA(4, eigen_solver=solver).fit(X)
    pca = es.PCA(4).fit(X)
    np.testing.assert_allclose(np.abs(kpca.transform(new)), np.abs(pca.transform(new)), atol=1e-9)
    np.testing.assert_allclose(kpca.explained_variance_, pca.explained_variance_)
    np.testing.assert_allclose(kpca.explained_variance_ratio_, pca.explained_variance_ratio_)


def test_the_published_eigenvalues_of_iris_come_out(iris):
    kpca = es.KernelPCA(4, kernel="rbf", gamma=0.25).fit(iris)
    np.testing.assert_allclose(kpca.eigenvalues_, [48.11051564, 19.09429428, 6.63327814, 4.27532381], atol=1e-8)
    first = np.abs(kpca.transform(iris)[0])
    np.testing.assert_allclose(first, [0.82768213, 0.03835128, 0.09855965, 0.06889755], atol=1e-8)
    poly = es.KernelPCA(4, kernel="poly", degree=2, gamma=1, coef0=1).fit(iris)
    np.testing.assert_allclose(poly.eigenvalues_, [113503.05744, 4865.83989, 1750.82613, 509.58743], atol=1e-5)


@pytest.mark.parametrize("n_components", [4, 10, 20])
@pytest.mark.parametrize("solver", ["arpack", "randomized"])
def test_every_solver_gives_what_the_dense_one_gives(n_components, solver):
    X, _ = make_circles(n_samples=400, factor=0.3, noise=0.05, random_state=0)
    dense = es.KernelPCA(n_components, kernel="rbf", gamma=2, eigen_solver="dense").fit(X[:300]).transform(X[300:])
    other = es.KernelPCA(n_components, kernel="rbf", gamma=2, eigen_solver=solver).fit(X[:300]).transform(X[300:])
    np.testing.assert_allclose(np.abs(other), np.abs(dense), atol=1e-6)
    theirs = Theirs(n_components, kernel="rbf", gamma=2, eigen_solver="dense").fit(X[:300]).transform(X[300:])
    np.testing.assert_allclose(np.abs(dense), np.abs(theirs), atol=1e-6)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("solver", ["auto", "arpack", "randomized"])
def test_sparse_rows_give_what_dense_rows_give(rows, kernel, solver):
    X, new = (np.where(part > 0.6, part, 0) for part in rows)
    dense = es.KernelPCA(4, kernel=kernel, eigen_solver=solver).fit(X)
    thin = es.KernelPCA(4, kernel=kernel, eigen_solver=solver)
    scores = thin.fit_transform(sparse.csr_matrix(X))
    np.testing.assert_array_equal(scores, thin.transform(sparse.csc_matrix(X)))
    np.testing.assert_allclose(thin.transform(sparse.csr_matrix(new)), dense.transform(new), atol=1e-10)


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_kernel_matrix_is_taken_for_its_rows(rows, solver):
    X, new = rows
    by_rows = es.KernelPCA(4, eigen_solver=solver, random_state=0).fit(X)
    kpca = es.KernelPCA(4, eigen_solver=solver, kernel="precomputed", random_state=0)
    train = kpca.fit_transform(X @ X.T)
    np.testing.assert_array_equal(train, kpca.fit(X @ X.T).transform(X @ X.T))
    np.testing.assert_allclose(np.abs(kpca.transform(new @ X.T)), np.abs(by_rows.transform(new)), atol=1e-8)


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_matrix_that_is_symmetric_once_centered_will_do(solver):
    kpca = es.KernelPCA(1, kernel="precomputed", eigen_solver=solver, random_state=0).fit(np.array([[1.0, 2], [3, 40]]))
    centered = es.KernelPCA(1, kernel="precomputed", eigen_solver=solver, random_state=0).fit(np.array([[9.0, -9], [-9, 9]]))
    np.testing.assert_allclose(kpca.eigenvectors_, centered.eigenvectors_)
    np.testing.assert_allclose(kpca.eigenvalues_, centered.eigenvalues_)
    with pytest.raises(ValueError, match="symmetric"):
        es.KernelPCA(1, kernel="precomputed").fit(np.array([[1.0, 2, 9], [3, 40, 1], [0, 0, 2]]))


def test_directions_without_variance_are_left_out_or_zero():
    X = np.array([[1 - 1e-30, 1], [1, 1], [1, 1 - 1e-20]])
    assert es.KernelPCA().fit_transform(X).shape == (3, 0)
    with pytest.warns(es.EigenspanWarning, match="by more than rounding"):
        assert es.KernelPCA(n_components=2).fit_transform(X).shape == (3, 2)
    with pytest.warns(es.EigenspanWarning, match="by more than rounding"):
        assert es.KernelPCA(n_components=2, remove_zero_eig=True).fit_transform(X).shape == (3, 0)
    two = np.array([[1.0, 1], [0, 0]])
    kpca = es.KernelPCA(n_components=2, eigen_solver="dense")
    np.testing.assert_array_equal(kpca.fit_transform(two), kpca.fit(two).transform(two))
    assert kpca.eigenvalues_[1] == 0


def test_what_is_left_out_is_left_out_of_every_attribute(iris):
    kpca = es.KernelPCA().fit(iris)
    assert kpca.n_components_ == 4
    for name in ("eigenvalues_", "explained_variance_", "explained_variance_ratio_", "residuals_"):
        assert getattr(kpca, name).shape == (4,), name
    assert kpca.weights_.shape == kpca.eigenvectors_.shape == kpca.transform(iris).shape == (150, 4)
    nothing = es.KernelPCA().fit(np.ones((3, 2)))
    assert nothing.explained_variance_.shape == nothing.residuals_.shape == (0,) and nothing.weights_.shape == (3, 0)


def test_an_eigenvalue_below_rounding_is_zero():
    X = np.array([[5, 1], [5 + 1e-8, 1e-8], [5 + 1e-8, 0]])
    kpca = es.KernelPCA(2, fit_inverse_transform=True).fit(X)
    assert kpca.eigenvalues_.min() == 0
    np.testing.assert_allclose(kpca.eigenvalues_, Theirs(2, fit_inverse_transform=True).fit(X).eigenvalues_)


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly", "cosine"])
def test_the_way_back_is_theirs_and_leads_back(kernel):
    X, _ = make_blobs(n_samples=100, n_features=4, random_state=0)
    ours = es.KernelPCA(20, kernel=kernel, fit_inverse_transform=True, alpha=1e-3)
    theirs = Theirs(20, kernel=kernel, fit_inverse_transform=True, alpha=1e-3, eigen_solver="dense")
    back = ours.inverse_transform(ours.fit_transform(X))
    if kernel == "rbf":
        assert np.linalg.norm(X - back) / np.linalg.norm(X) < 1e-1
    want = theirs.inverse_transform(theirs.fit_transform(X))
    np.testing.assert_allclose(back, want, atol=1e-5 * np.abs(X).max())
    np.testing.assert_allclose(ours.X_transformed_fit_, theirs.X_transformed_fit_, atol=1e-6)
    np.testing.assert_allclose(ours.X_fit_, X)


def test_no_ridge_leads_back_by_a_kernel_that_is_not_positive():
    X, _ = make_blobs(n_samples=100, n_features=4, random_state=0)
    settings = {"n_components": 20, "kernel": "sigmoid", "fit_inverse_transform": True, "alpha": 1e-3}
    with pytest.raises(ValueError):
        Theirs(**settings).fit(X)
    kpca = es.KernelPCA(**settings)
    with pytest.warns(es.EigenspanWarning, match="negative"):
        scores = kpca.fit_transform(X)
    with pytest.raises(ValueError, match="larger alpha"):
        kpca.inverse_transform(scores)


def test_coefficients_of_the_way_back_are_theirs(iris):
    settings = {"n_components": 3, "kernel": "rbf", "gamma": 0.25, "fit_inverse_transform": True}
    ours, theirs = es.KernelPCA(**settings).fit(iris), Theirs(**settings).fit(iris)
    np.testing.assert_allclose(ours.dual_coef_, theirs.dual_coef_, atol=1e-7)


@pytest.mark.parametrize("method", ["auto", "fixed-point", "ridge", "distances"])
def test_pre_images_come_with_their_residuals(iris, method):
    kpca = es.KernelPCA(kernel="rbf", gamma=0.25, fit_inverse_transform=True, pre_image=method, alpha=1e-9).fit(iris)
    rows, residuals = kpca.pre_images(kpca.transform(iris))
    assert rows.shape == iris.shape and residuals.shape == (150,)
    assert np.abs(rows - iris).mean() < 0.05
    assert np.median(residuals) < 0.05


def test_gamma_is_one_over_columns_where_it_is_not_given(rows):
    X, _ = rows
    open_, told = (es.KernelPCA(4, kernel="rbf", gamma=gamma, fit_inverse_transform=True).fit(X) for gamma in (None, 0.25))
    assert open_.gamma_ == told.gamma_ == 0.25
    scores = told.transform(X)
    np.testing.assert_array_equal(open_.inverse_transform(scores), told.inverse_transform(scores))


def test_what_theirs_refuses_is_refused_alike(rows):
    X, _ = rows
    with pytest.raises(ValueError, match="Cannot fit_inverse_transform with a precomputed kernel"):
        es.KernelPCA(10, kernel="precomputed", fit_inverse_transform=True).fit(X @ X.T)
    with pytest.raises(NotFittedError):
        es.KernelPCA(3).fit(X).inverse_transform(X)
    with pytest.raises(NotFittedError):
        es.KernelPCA(3).transform(X)
    for wrong in [{"kernel": "rbg"}, {"kernel": "rbf", "gamma": -1}, {"n_components": 0}, {"kernel": "poly", "degree": 0.5}]:
        with pytest.raises(ValueError):
            es.KernelPCA(**wrong).fit(X)
    with pytest.raises(TypeError, match="kernel=3"):
        es.KernelPCA(kernel=3).fit(X)
    with pytest.raises(ValueError, match="column 14"):
        es.KernelPCA(kernel="rbf(gamma=0.1").fit(X)
    with pytest.raises(ValueError, match="name the same thing"):
        es.KernelPCA(2, solver="full", eigen_solver="arpack").fit(X)


def test_rows_changed_after_the_fit_do_not_change_the_model(rows):
    X, _ = rows
    X = X.copy()
    kpca = es.KernelPCA(2, kernel="rbf").fit(X)
    before = X.copy()
    scores = kpca.transform(before)
    X[:, 0] = 666
    np.testing.assert_array_equal(kpca.transform(before), scores)


@pytest.mark.parametrize("solver", SOLVERS)
def test_the_same_bits_come_out_every_time(rows, solver):
    X, _ = rows
    first = es.KernelPCA(2, eigen_solver=solver).fit_transform(X)
    for threads in (1, 2, 3):
        np.testing.assert_array_equal(es.KernelPCA(2, eigen_solver=solver, n_jobs=threads).fit_transform(X), first)


def test_single_floats_stay_and_keep_the_shape():
    X, _ = make_blobs(n_samples=30, centers=[[0, 0, 0], [1, 1, 1]], random_state=0, cluster_std=0.1)
    X -= X.mean()
    double, single = es.KernelPCA().fit_transform(X), es.KernelPCA().fit_transform(X.astype(np.float32))
    assert single.shape == double.shape and single.dtype == np.float32
    np.testing.assert_allclose(np.abs(single), np.abs(double), atol=1e-5)


def test_rings_are_told_apart_in_a_pipeline_that_is_tuned():
    X, y = make_circles(n_samples=400, factor=0.3, noise=0.05, random_state=0)
    assert Perceptron(max_iter=5, tol=None).fit(X, y).score(X, y) < 0.8
    kpca = es.KernelPCA(2, kernel="rbf", gamma=2.0)
    assert Perceptron(max_iter=5, tol=None).fit(kpca.fit_transform(X), y).score(kpca.transform(X), y) == 1
    pipe = Pipeline([("kernel_pca", kpca), ("perceptron", Perceptron(max_iter=5, tol=None))])
    grid = {"kernel_pca__gamma": 2.0 ** np.arange(-2, 2)}
    assert GridSearchCV(pipe, param_grid=grid, cv=3).fit(X, y).best_score_ == 1
    # Columns of a kernel matrix are cut with its rows.
    pipe = Pipeline([("kernel_pca", es.KernelPCA(2, kernel="precomputed")), ("perceptron", Perceptron(max_iter=5, tol=None))])
    grid = {"perceptron__max_iter": np.arange(1, 5)}
    assert GridSearchCV(pipe, param_grid=grid, cv=3).fit(rbf_kernel(X, gamma=2.0), y).best_score_ == 1


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames_come_out_with_scikit_learns_names(iris, library):
    frames = pytest.importorskip(library)
    out = es.KernelPCA(2, eigen_solver="arpack").set_output(transform=library).fit_transform(iris)
    assert isinstance(out, frames.DataFrame) and list(out.columns) == ["kernelpca0", "kernelpca1"]


def test_landmarks_say_how_far_their_eigenvalues_may_be_off():
    X = noise(600, 6)
    exact = es.KernelPCA(4, kernel="rbf(gamma=median)").fit(X)
    near = es.KernelPCA(4, kernel=exact.kernel_, approximate="nystrom", n_landmarks=150, random_state=1)
    with pytest.warns(es.EigenspanWarning, match=r"n_landmarks=300 comes nearer"):
        near.fit(X)
    assert near.X_fit_.shape == (150, 6) and near.weights_.shape == (150, 4)
    lost = exact.eigenvalues_ - near.eigenvalues_
    assert (lost > -1e-9).all() and (lost <= near.eigenvalue_errors_ + 1e-9).all()
    assert exact.eigenvalue_errors_ is None
    with pytest.raises(AttributeError, match="approximated"):
        near.eigenvectors_
    assert "landmarks" in near.plan_["reason"]
    assert es.KernelPCA(4, kernel="rbf").plan(X)["solver"] == exact.plan_["solver"]


def test_a_model_travels_by_file_and_by_pickle(rows, tmp_path, program):
    X, new = rows
    kpca = es.KernelPCA(3, kernel="0.5*rbf(gamma=0.1) + poly(degree=2, coef0=1)*normalize(linear)", scale=True, fit_inverse_transform=True).fit(X)
    scores = kpca.transform(new)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(kpca)).transform(new), scores)
    place = tmp_path / "model.safetensors"
    kpca.save(place)
    again = es.load(place)
    assert isinstance(again, es.KernelPCA)
    np.testing.assert_array_equal(again.transform(new), scores)
    np.testing.assert_array_equal(again.inverse_transform(scores), kpca.inverse_transform(scores))
    assert clone(again).fit(X).kernel_ == kpca.kernel_
    # The program reads it too, to the same bits.
    np.save(tmp_path / "new.npy", new)
    program("transform", place, tmp_path / "new.npy", "-o", tmp_path / "scores.npy")
    np.testing.assert_array_equal(np.load(tmp_path / "scores.npy"), scores)


@pytest.mark.parametrize("kernel", ["rbf(gamma=0.3)", "poly(degree=2, gamma=1, coef0=1)", "laplacian"])
@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_the_program_fits_the_same_bits(tmp_path, program, kernel, kind):
    X = noise(300, 5, dtype=kind)
    np.save(tmp_path / "data.npy", X)
    out = tmp_path / "scores.npy"
    program("fit", "kpca", tmp_path / "data.npy", "-k", 3, "--kernel", kernel, "-m", tmp_path / "m.safetensors")
    program("transform", tmp_path / "m.safetensors", tmp_path / "data.npy", "-o", out)
    np.testing.assert_array_equal(es.KernelPCA(3, kernel=kernel).fit_transform(X), np.load(out))


def test_files_are_fitted_where_they_are(tmp_path):
    X = noise(200, 4)
    np.save(tmp_path / "data.npy", X)
    np.testing.assert_array_equal(es.KernelPCA(2, kernel="rbf").fit_transform(tmp_path / "data.npy"), es.KernelPCA(2, kernel="rbf").fit_transform(X))


def test_figures_show_themselves(iris):
    kpca = es.KernelPCA(3, kernel="rbf").fit(iris)
    assert "<svg" in kpca.plot_scores(iris, color=np.repeat([0, 1, 2], 50))._repr_svg_()
    assert "<svg" in kpca.plot_scree().svg
    assert "<svg" in kpca.plot("pairs", iris).svg


def test_missing_cells_are_refused_or_filled(rows):
    X = rows[0].copy()
    X[3, 1] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        es.KernelPCA(2).fit(X)
    with pytest.raises(ValueError, match="NaN"):
        es.KernelPCA(2).fit(rows[0]).transform(X)
    assert es.KernelPCA(2, missing="mean").fit_transform(X).shape == (40, 2)


@pytest.mark.parametrize("solver", ["auto", "dense", "arpack"])
def test_negative_eigenvalues_are_refused_where_they_are_asked_for(solver):
    rng = np.random.default_rng(0)
    vectors = np.linalg.qr(rng.normal(size=(8, 8)) - 1)[0]
    K = (vectors * [52.7, 7.6, 5.0, 1.0, 0.5, 0.0, -6.1, -15.1]) @ vectors.T
    K -= K.mean(0) + K.mean(1)[:, None] - K.mean()
    K = (K + K.T) / 2
    for estimator in (es.KernelPCA, Theirs):
        with pytest.raises(ValueError, match="There are significant negative eigenvalues"):
            estimator(7, kernel="precomputed", eigen_solver=solver).fit(K)
    with pytest.warns(es.EigenspanWarning, match="negative"):
        ours = es.KernelPCA(2, kernel="precomputed", eigen_solver=solver).fit(K)
    np.testing.assert_allclose(ours.eigenvalues_, Theirs(2, kernel="precomputed", eigen_solver="dense").fit(K).eigenvalues_)
    with pytest.warns(es.EigenspanWarning, match="negative"):
        assert es.KernelPCA(7, kernel="precomputed", eigen_solver=solver, negative="clip").fit(K).eigenvalues_.min() == 0
    with pytest.raises(ValueError, match="negative"):
        es.KernelPCA(2, kernel="precomputed", eigen_solver=solver, negative="error").fit(K)


def test_a_list_of_lists_is_a_kernel_matrix():
    assert es.KernelPCA(1, kernel="precomputed").fit([[1, 2], [3, 40]]).eigenvalues_ == pytest.approx([18])


def test_randomized_in_scikit_learns_word_asks_for_the_largest_in_magnitude():
    rng = np.random.default_rng(0)
    vectors = np.linalg.qr(rng.normal(size=(8, 8)) - 1)[0]
    K = (vectors * [52.7, 7.6, 5.0, 1.0, 0.5, 0.0, -6.1, -15.1]) @ vectors.T
    K -= K.mean(0) + K.mean(1)[:, None] - K.mean()
    K = (K + K.T) / 2
    for estimator in (es.KernelPCA, Theirs):
        for n_components in (2, 7):
            with pytest.raises(ValueError, match="There are significant negative eigenvalues"):
                estimator(n_components, kernel="precomputed", eigen_solver="randomized", random_state=0).fit(K)
    with pytest.warns(es.EigenspanWarning, match="negative"):
        ours = es.KernelPCA(2, kernel="precomputed", solver="randomized").fit(K)
    np.testing.assert_allclose(ours.eigenvalues_, Theirs(2, kernel="precomputed", eigen_solver="dense").fit(K).eigenvalues_)
