"""Neighbors and measures of maps, against scikit-learn's own."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_digits, load_iris
from sklearn.decomposition import PCA
from sklearn.manifold import Isomap
from sklearn.manifold import trustworthiness as theirs
from sklearn.neighbors import KNeighborsTransformer, NearestNeighbors
from sklearn.pipeline import make_pipeline

import eigenspan as es
from eigenspan import metrics


@pytest.fixture(scope="module")
def rows():
    return np.random.default_rng(0).normal(size=(400, 7))


@pytest.mark.parametrize("metric", ["euclidean", "cosine", "manhattan", "correlation", "minkowski"])
def test_neighbors_are_scikit_learns(rows, metric):
    ours, other = es.NearestNeighbors(n_neighbors=6, metric=metric).fit(rows), NearestNeighbors(n_neighbors=6, metric=metric, algorithm="brute").fit(rows)
    for new in [None, rows[:50] + 0.01]:
        (distances, places), (want, where) = ours.kneighbors(new), other.kneighbors(new)
        np.testing.assert_array_equal(places, where)
        np.testing.assert_allclose(distances, want, rtol=1e-9, atol=1e-14)
    assert places.dtype == np.int64 and ours.n_samples_fit_ == 400 and ours.recall_ is None
    for mode in ["connectivity", "distance"]:
        got, want = ours.kneighbors_graph(mode=mode), other.kneighbors_graph(mode=mode)
        np.testing.assert_allclose(got.toarray(), want.toarray(), atol=1e-12)


@pytest.mark.parametrize("mode", ["connectivity", "distance"])
def test_the_transformer_is_scikit_learns_and_feeds_isomap(rows, mode):
    ours, other = es.KNeighborsTransformer(n_neighbors=6, mode=mode), KNeighborsTransformer(n_neighbors=6, mode=mode)
    got, want = ours.fit_transform(rows), other.fit_transform(rows)
    assert got.nnz == want.nnz and sparse.issparse(got) and got.format == "csr"
    np.testing.assert_allclose(got.toarray(), want.toarray(), atol=1e-7)
    np.testing.assert_allclose(ours.transform(rows[:9] + 1).toarray(), other.transform(rows[:9] + 1).toarray(), atol=1e-7)
    if mode == "distance":
        pipe = make_pipeline(es.KNeighborsTransformer(n_neighbors=8), Isomap(n_neighbors=8, metric="precomputed"))
        np.testing.assert_allclose(np.abs(pipe.fit_transform(rows)), np.abs(Isomap(n_neighbors=8).fit_transform(rows)), atol=1e-6)


def test_sparse_rows_pickles_and_threads_change_nothing(rows):
    cut = np.where(np.abs(rows) > 1.2, rows, 0)
    fitted = es.NearestNeighbors(n_neighbors=4, n_jobs=1).fit(cut)
    want = fitted.kneighbors()
    for other in [pickle.loads(pickle.dumps(fitted)), es.NearestNeighbors(n_neighbors=4).fit(sparse.csr_matrix(cut))]:
        for got, expected in zip(other.kneighbors(), want, strict=True):
            np.testing.assert_array_equal(got, expected)


def test_an_approximate_search_says_what_it_found():
    X = np.random.default_rng(1).normal(size=(6000, 12))
    exact = es.NearestNeighbors(n_neighbors=10, algorithm="exact").fit(X).kneighbors(return_distance=False)
    found = es.NearestNeighbors(n_neighbors=10, algorithm="approximate").fit(X)
    near = found.kneighbors(return_distance=False)
    share = np.mean([len(set(a) & set(b)) / 10 for a, b in zip(near, exact, strict=True)])
    assert share >= 0.95 and found.recall_["low"] <= share <= found.recall_["high"]


def test_measures_of_a_map_of_digits():
    X = load_digits().data
    map = PCA(2, svd_solver="full").fit_transform(X)
    assert abs(metrics.trustworthiness(X, map, n_neighbors=10) - theirs(X, map, n_neighbors=10)) < 1e-5
    assert abs(metrics.continuity(X, map, n_neighbors=10) - theirs(map, X, n_neighbors=10)) < 1e-5
    assert round(metrics.trustworthiness(X, map, n_neighbors=10), 4) == 0.83
    assert round(metrics.continuity(X, map, n_neighbors=10), 4) == 0.9505
    values = metrics.trustworthiness(X, map, n_neighbors=10, per_point=True)
    assert values.shape == (1797,) and abs(values.mean() - metrics.trustworthiness(X, map, n_neighbors=10)) < 1e-12
    value, (low, high) = metrics.neighbor_recall(X, map, n_neighbors=10, sample=300, return_interval=True)
    assert low < metrics.neighbor_recall(X, map, n_neighbors=10) < high and low < value < high
    assert 0.5 < metrics.shepard_correlation(X, map) < 0.6 < 1
    assert metrics.normalized_stress(X, map) < metrics.normalized_stress(X, map, scale=False)


def test_what_does_not_fit_is_refused(rows):
    fitted = es.NearestNeighbors().fit(rows)
    with pytest.raises(ValueError, match="n_neighbors = 400 does not fit: 400 rows have 1 to 399 neighbors each"):
        fitted.kneighbors(n_neighbors=400)
    with pytest.raises(ValueError, match="400 rows have 1 to 400 neighbors to offer"):
        fitted.kneighbors(rows, n_neighbors=401)
    with pytest.raises(ValueError, match="metric='jaccard': it takes 'minkowski'"):
        es.NearestNeighbors(metric="jaccard").fit(rows)
    with pytest.raises(ValueError, match="all zeros"):
        es.NearestNeighbors(metric="cosine").fit(np.zeros((3, 2)))
    with pytest.raises(ValueError, match="fewer than half of the rows"):
        metrics.trustworthiness(rows[:10], rows[:10, :2], n_neighbors=5)
    with pytest.raises(ValueError, match="the map has 9 rows, but the table has 10"):
        metrics.continuity(rows[:10], rows[:9, :2], n_neighbors=2)
    assert es.NearestNeighbors().fit(load_iris().data).kneighbors()[0].shape == (150, 5)
