"""Multidimensional scaling: scikit-learn's assertions about its own, and what our engine adds."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine
from sklearn.manifold import ClassicalMDS, smacof, trustworthiness
from sklearn.metrics import euclidean_distances, pairwise_distances
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from support import noise

import eigenspan as es

ESTIMATORS = [es.ClassicalMDS(), es.MDS(), es.MDS(metric_mds=False), es.MDS(init="random", n_init=2)]


@pytest.mark.filterwarnings("ignore::eigenspan.EigenspanWarning")
@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_accepts_the_estimator(estimator, check):
    check(estimator)


@pytest.mark.parametrize("metric", ["euclidean", "cityblock"])
def test_classical_places_are_scikit_learns(metric):
    X = StandardScaler().fit_transform(load_wine().data)
    theirs = ClassicalMDS(3, metric=metric).fit(X)
    with pytest.warns(es.EigenspanWarning, match="not Euclidean") if metric == "cityblock" else _quiet():
        ours = es.ClassicalMDS(3, metric=metric).fit(X)
    np.testing.assert_allclose(ours.eigenvalues_, theirs.eigenvalues_, rtol=1e-9)
    np.testing.assert_allclose(ours.embedding_, theirs.embedding_, atol=1e-8)
    given = es.ClassicalMDS(3, metric="precomputed")
    distances = pairwise_distances(X, metric=metric)
    with pytest.warns(es.EigenspanWarning, match="not Euclidean") if metric == "cityblock" else _quiet():
        np.testing.assert_allclose(given.fit_transform(distances), theirs.embedding_, atol=1e-7)


def _quiet():
    import contextlib

    return contextlib.nullcontext()


@pytest.mark.parametrize("metric_mds", [True, False])
@pytest.mark.parametrize("load", [load_iris, load_wine])
def test_stress_is_at_most_scikit_learns_from_the_same_start(load, metric_mds):
    X = StandardScaler().fit_transform(load().data)
    distances, start = euclidean_distances(X), np.random.default_rng(0).normal(size=(len(X), 2))
    for normalized in (True, False):
        _, theirs = smacof(distances, metric=metric_mds, init=start, n_init=1, normalized_stress=normalized)
        mds = es.MDS(2, metric_mds=metric_mds, metric="precomputed", normalized_stress=normalized).fit(distances, init=start)
        assert mds.stress_ <= theirs * (1 + 1e-12) and mds.converged_


def test_the_example_of_borg_and_groenen():
    distances = np.array([[0, 5, 3, 4], [5, 0, 2, 2], [3, 2, 0, 1], [4, 2, 1, 0]], dtype=float)
    start = np.array([[-0.266, -0.539], [0.451, 0.252], [0.016, -0.238], [-0.200, 0.524]])
    with pytest.warns(es.EigenspanWarning, match="the stress had not converged after 1 step"):
        mds = es.MDS(2, metric="precomputed", max_iter=1).fit(distances, init=start)
    np.testing.assert_allclose(mds.embedding_, [[-1.415, -2.471], [1.633, 1.107], [0.249, -0.067], [-0.468, 1.431]], atol=1e-3)


def test_places_are_of_the_rows_of_the_fit_alone(tmp_path):
    X = noise(30, 4)
    for mds in (es.ClassicalMDS(2), es.MDS(2), es.MDS(3, metric_mds=False, random_state=3, init="random")):
        places = mds.fit_transform(X)
        np.testing.assert_array_equal(mds.embedding_, places)
        assert not hasattr(mds, "transform") and mds.n_samples_ == 30
        mds.save(tmp_path / "m.safetensors")
        for again in (es.load(tmp_path / "m.safetensors"), pickle.loads(pickle.dumps(mds))):
            assert type(again) is type(mds) and again.get_params() == mds.get_params()
            np.testing.assert_array_equal(again.embedding_, places)
        assert "MDS1" in mds.plot("scores").svg and "distances" in str(mds.describe())
    assert places.dtype == np.float64 and es.MDS().fit_transform(X.astype(np.float32)).dtype == np.float32


def test_what_is_no_distance_matrix_is_refused():
    X = noise(6, 3)
    D = euclidean_distances(X)
    for change, said in [
        ((1, 3, 9.0), "a distance matrix is symmetric, but row"),
        ((2, 2, 1.0), "the distance of a row from itself is 0, but row 3, column 3 is 1"),
    ]:
        bad = D.copy()
        bad[change[0], change[1]] = change[2]
        for kind in (es.MDS, es.ClassicalMDS):
            with pytest.raises(ValueError, match=said):
                kind(metric="precomputed").fit(bad)
    with pytest.raises(ValueError, match="as many rows as columns, but 6 × 3 were given"):
        es.MDS(metric="precomputed").fit(X)
    bad = D.copy()
    bad[1, 4] = bad[4, 1] = -1
    with pytest.raises(ValueError, match="a distance is at least 0, but row 2, column 5 is -1"):
        es.MDS(metric="precomputed").fit(bad)
    with pytest.raises(ValueError, match="metric='cosine': it takes 'euclidean'"):
        es.MDS(metric="cosine").fit(X)
    with pytest.raises(ValueError, match="7 components asked for, but 6 rows allow at most 6"):
        es.MDS(7).fit(X)


@pytest.mark.parametrize("metric", ["euclidean", "cityblock", "precomputed"])
def test_the_quality_of_a_map_is_scikit_learns(metric, tmp_path):
    X = StandardScaler().fit_transform(load_wine().data)
    given = euclidean_distances(X) if metric == "precomputed" else X
    mds = es.MDS(2, metric=metric).fit(given)
    quality = mds.quality_
    name = "manhattan" if metric == "cityblock" else metric
    want = trustworthiness(given, mds.embedding_, n_neighbors=10, metric="manhattan" if metric == "cityblock" else metric)
    assert abs(quality["trustworthiness"]["value"] - want) < 1e-12
    in_map, in_table = euclidean_distances(mds.embedding_), given if metric == "precomputed" else pairwise_distances(X, metric=metric)
    assert abs(quality["continuity"]["value"] - (1 - _penalty(in_map, in_table, 10))) < 1e-12
    assert quality["recall"]["exact"]
    assert quality["n_neighbors"] == 10 and "label_accuracy" in quality
    mds.save(tmp_path / "m.safetensors")
    assert es.load(tmp_path / "m.safetensors").quality_ == quality
    assert pickle.loads(pickle.dumps(mds)).quality_ == quality
    assert mds.describe().to_dict()["quality"] == quality
    if metric != "precomputed":
        assert f"trustworthiness {quality['trustworthiness']['value']:.3f}" in str(mds.describe())


def _penalty(inside, outside, k):
    """1 - trustworthiness, for two matrices of distances: ranks are taken in the first, neighbors in the second."""
    n, penalty = len(inside), 0
    for i in range(n):
        others = np.flatnonzero(np.arange(n) != i)
        ranks = np.empty(n, dtype=int)
        ranks[others[np.argsort(inside[i, others], kind="stable")]] = np.arange(1, n)
        near = others[np.argsort(outside[i, others], kind="stable")][:k]
        penalty += np.maximum(ranks[near] - k, 0).sum()
    return 2 * penalty / (n * k * (2 * n - 3 * k - 1))


def test_rows_are_colored_by_how_far_the_map_tears_them():
    X = load_wine().data
    mds = es.ClassicalMDS(2).fit(X)
    drawn = mds.plot_scores(X, color="torn")
    torn = [float(line.split(",")[3]) for line in drawn.csv.splitlines()[1:]]
    kept = es.metrics.continuity(X, mds.embedding_, n_neighbors=10, per_point=True)
    np.testing.assert_allclose(torn, 1 - kept, atol=1e-12)
    with pytest.raises(ValueError, match="'torn'"):
        mds.plot_scores(X, color="nearest")
    few = es.ClassicalMDS(1).fit(X[:2])
    with pytest.raises(AttributeError, match="3 rows or more"):
        few.quality_
