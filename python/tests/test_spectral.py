"""Laplacian eigenmaps, locally linear embedding and diffusion maps: scikit-learn's assertions about its own, and what our engine adds."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from scipy import sparse
from scipy.linalg import eigh
from sklearn import manifold
from sklearn.datasets import load_wine, make_blobs
from sklearn.metrics import euclidean_distances
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.neighbors import KNeighborsClassifier, NearestNeighbors
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import eigenspan as es

NOTES = "ignore::eigenspan.EigenspanWarning"
ESTIMATORS = [
    es.SpectralEmbedding(),
    es.SpectralEmbedding(affinity="rbf"),
    es.LocallyLinearEmbedding(),
    es.DiffusionMap(),
]


@pytest.mark.filterwarnings(NOTES)
@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_accepts_the_estimator(estimator, check):
    check(estimator)


def wine():
    return StandardScaler().fit_transform(load_wine().data)


def same_up_to_signs(a, b, atol):
    signs = np.sign((a * b).sum(axis=0))
    np.testing.assert_allclose(a * signs, b, atol=atol * np.abs(b).max())


def apart(a, b):
    """The sine of the largest angle between the spans of two maps."""
    cosines = np.linalg.svd(np.linalg.qr(a)[0].T @ np.linalg.qr(b)[0])[1]
    return np.sqrt(max(0.0, 1 - cosines.min() ** 2))


@pytest.mark.parametrize("given", [{"n_neighbors": 12}, {"n_neighbors": None}, {"affinity": "rbf", "gamma": 0.1}, {"affinity": "rbf"}])
def test_spectral_embeddings_are_scikit_learns(given):
    X = wine()
    theirs = manifold.SpectralEmbedding(3, random_state=0, **given).fit(X)
    ours = es.SpectralEmbedding(3, **given).fit(X)
    same_up_to_signs(ours.embedding_, theirs.embedding_, 1e-8)
    if given.get("affinity") != "rbf":
        assert ours.n_neighbors_ == theirs.n_neighbors_
    assert (np.diff(ours.eigenvalues_) >= 0).all() and ours.residuals_.max() < 1e-11


def test_affinities_may_be_given_in_every_form():
    X = wine()
    kernel = rbf_kernel(X, gamma=0.1)
    want = es.SpectralEmbedding(2, affinity="rbf", gamma=0.1).fit_transform(X)
    for affinity, rows in [("precomputed", kernel), ("precomputed", sparse.csr_matrix(kernel)), (lambda X: rbf_kernel(X, gamma=0.1), X)]:
        same_up_to_signs(es.SpectralEmbedding(2, affinity=affinity).fit_transform(rows), want, 1e-8)
    near = NearestNeighbors(n_neighbors=20).fit(X)
    graph = near.kneighbors_graph(X, mode="distance")
    given = es.SpectralEmbedding(2, affinity="precomputed_nearest_neighbors", n_neighbors=15).fit_transform(graph)
    same_up_to_signs(given, es.SpectralEmbedding(2, n_neighbors=15).fit_transform(X), 1e-8)
    with pytest.raises(ValueError, match="affinity"):
        es.SpectralEmbedding(affinity="best").fit(X)
    with pytest.raises(ValueError, match="square"):
        es.SpectralEmbedding(affinity="precomputed").fit(X)


def test_two_pieces_that_are_given_are_refused_and_two_that_are_linked_are_told_apart():
    piece = rbf_kernel(np.random.default_rng(0).normal(size=(20, 2)))
    apart_ = np.block([[piece, np.zeros((20, 20))], [np.zeros((20, 20)), piece]])
    with pytest.raises(ValueError, match="2 pieces"):
        es.SpectralEmbedding(1, affinity="precomputed").fit(apart_)
    apart_[0, 21] = apart_[21, 0] = 1e-3
    found = es.SpectralEmbedding(1, affinity="precomputed").fit_transform(apart_).ravel() > 0
    assert found[:20].all() != found[20:].all()


@pytest.mark.parametrize("method", ["standard", "hessian", "modified", "ltsa"])
def test_locally_linear_embeddings_are_scikit_learns(method):
    X = wine()
    given = {"n_neighbors": 20, "n_components": 2, "method": method}
    theirs = manifold.LocallyLinearEmbedding(eigen_solver="dense", **given).fit(X)
    ours = es.LocallyLinearEmbedding(**given).fit(X)
    # Where an eigenvalue is zero, scikit-learn mixes the constant into its places.
    assert apart(ours.embedding_, theirs.embedding_ - theirs.embedding_.mean(axis=0)) < 1e-6
    np.testing.assert_allclose(ours.reconstruction_error_, theirs.reconstruction_error_, rtol=1e-6, atol=1e-13)
    if method == "standard":
        same_up_to_signs(ours.transform(X[:9] + 0.1), theirs.transform(X[:9] + 0.1), 1e-6)
        one_by_one = np.vstack([ours.transform(row[None] + 0.1) for row in X[:9]])
        np.testing.assert_array_equal(one_by_one, ours.transform(X[:9] + 0.1))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_noisy_grid_is_rebuilt_by_weights_of_its_places(dtype):
    X = np.array([[i, j] for i in range(5) for j in range(5)], dtype=dtype)
    X = X + 1e-10 * np.random.default_rng(0).uniform(size=X.shape).astype(dtype)
    lle = es.LocallyLinearEmbedding(n_neighbors=5, n_components=2).fit(X)
    assert lle.embedding_.shape == (25, 2) and lle.embedding_.dtype == dtype
    assert lle.transform(X).dtype == dtype
    noise = np.random.default_rng(0).normal(size=X.shape).astype(dtype) / 100
    assert np.linalg.norm(lle.transform(X + noise) - lle.embedding_) < 0.1


def test_a_pipeline_takes_the_places_of_new_rows():
    X, y = make_blobs(random_state=0)
    pipe = make_pipeline(es.LocallyLinearEmbedding(n_neighbors=10), KNeighborsClassifier()).fit(X, y)
    assert pipe.score(X, y) > 0.9


def test_what_scikit_learn_refuses_is_refused():
    X = np.random.default_rng(0).normal(size=(20, 3))
    for given, said in [
        ({"method": "best"}, "method"),
        ({"n_neighbors": 20}, "n_neighbors = 20 does not fit"),
        ({"n_components": 4}, "at most 3 directions"),
        ({"method": "hessian", "n_neighbors": 5}, "at least 6 neighbors"),
        ({"method": "modified", "n_neighbors": 1}, "at least 2 neighbors"),
    ]:
        with pytest.raises(ValueError, match=said):
            es.LocallyLinearEmbedding(**given).fit(X)
    with pytest.raises(AttributeError, match="new rows"):
        es.SpectralEmbedding(n_neighbors=8).fit(X).transform(X)


def test_a_diffusion_map_has_the_distances_of_its_walk():
    X = wine()[:60]
    n, gamma, time = len(X), 0.05, 2
    walk = es.DiffusionMap(n - 1, gamma=gamma, alpha=0.5, diffusion_time=time).fit(X)
    kernel = np.exp(-gamma * euclidean_distances(X, squared=True))
    density = np.sqrt(kernel.sum(axis=1))
    kernel /= np.outer(density, density)
    steps = kernel / kernel.sum(axis=1, keepdims=True)
    stationary = kernel.sum(axis=1) / kernel.sum()
    after = np.linalg.matrix_power(steps, time) / np.sqrt(stationary)
    np.testing.assert_allclose(euclidean_distances(walk.embedding_), euclidean_distances(after), atol=1e-8)
    values = eigh(kernel, np.diag(kernel.sum(axis=1)), eigvals_only=True)[::-1]
    np.testing.assert_allclose(walk.eigenvalues_, values[1:], atol=1e-12)
    few = es.DiffusionMap(2, gamma=gamma).fit(X)
    np.testing.assert_allclose(few.transform(X), few.embedding_, atol=1e-10)


@pytest.mark.filterwarnings(NOTES)
@pytest.mark.parametrize("estimator", [es.SpectralEmbedding(n_neighbors=12), es.LocallyLinearEmbedding(n_neighbors=12), es.DiffusionMap()])
def test_a_model_is_saved_loaded_copied_and_the_same_for_every_number_of_threads(estimator, tmp_path):
    X = wine()
    estimator.fit(X)
    estimator.save(tmp_path / "m.safetensors")
    loaded = es.load(tmp_path / "m.safetensors")
    np.testing.assert_array_equal(loaded.embedding_, estimator.embedding_)
    assert type(loaded) is type(estimator) and loaded.get_params() == estimator.get_params()
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(estimator)).embedding_, estimator.embedding_)
    for n_jobs in (1, 2, 8):
        np.testing.assert_array_equal(estimator.set_params(n_jobs=n_jobs).fit_transform(X), loaded.embedding_)
