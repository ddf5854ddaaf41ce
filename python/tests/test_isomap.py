"""Isomap: scikit-learn's assertions about its own, and what our engine adds."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn import manifold
from sklearn.datasets import load_digits, make_blobs, make_s_curve, make_swiss_roll
from sklearn.metrics import euclidean_distances
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KernelCenterer, StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from support import noise

import eigenspan as es

NOTES = "ignore::eigenspan.EigenspanWarning"
ESTIMATORS = [es.Isomap(), es.Isomap(n_neighbors=3, n_landmarks=5, metric="manhattan")]


@pytest.mark.filterwarnings(NOTES)
@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_accepts_the_estimator(estimator, check):
    check(estimator)


def same_up_to_signs(a, b, atol):
    signs = np.sign((a * b).sum(axis=0))
    np.testing.assert_allclose(a * signs, b, atol=atol * np.abs(b).max())


@pytest.mark.filterwarnings(NOTES)
@pytest.mark.parametrize("metric, p", [("minkowski", 2), ("minkowski", 1), ("cityblock", 2), ("cosine", 2), ("euclidean", 2)])
def test_places_geodesics_and_errors_are_scikit_learns(metric, p):
    X, _ = make_s_curve(300, noise=0.1, random_state=0)
    X += 3
    theirs = manifold.Isomap(n_neighbors=8, n_components=3, metric=metric, p=p).fit(X)
    ours = es.Isomap(n_neighbors=8, n_components=3, metric=metric, p=p).fit(X)
    same_up_to_signs(ours.embedding_, theirs.embedding_, 1e-6)
    np.testing.assert_allclose(ours.dist_matrix_, theirs.dist_matrix_, rtol=1e-6, atol=1e-12)
    np.testing.assert_allclose(ours.eigenvalues_, theirs.kernel_pca_.eigenvalues_, rtol=1e-6)
    np.testing.assert_allclose(ours.reconstruction_error(), theirs.reconstruction_error(), rtol=1e-6)
    same_up_to_signs(ours.transform(X[:40] + 0.01), theirs.transform(X[:40] + 0.01), 1e-6)


@pytest.mark.filterwarnings(NOTES)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_grid_keeps_its_distances_when_all_rows_are_neighbors(dtype):
    X = np.stack(np.meshgrid(range(5), range(5)), axis=-1).reshape(-1, 2).astype(dtype)
    isomap = es.Isomap(n_neighbors=24).fit(X)
    np.testing.assert_allclose(euclidean_distances(isomap.embedding_), euclidean_distances(X), atol=1e-5)
    assert isomap.embedding_.dtype == isomap.dist_matrix_.dtype == dtype
    bent = np.column_stack([X, 0.1 * noise(25, 1)]).astype(np.float64)
    isomap = es.Isomap(n_neighbors=24).fit(bent)
    center = KernelCenterer()
    given = center.fit_transform(-0.5 * euclidean_distances(bent) ** 2)
    found = center.fit_transform(-0.5 * euclidean_distances(isomap.embedding_) ** 2)
    np.testing.assert_allclose(np.linalg.norm(given - found) / 25, isomap.reconstruction_error(), rtol=1e-9)


@pytest.mark.filterwarnings(NOTES)
def test_rows_with_noise_come_near_the_places_of_those_without():
    X, _ = make_s_curve(200, random_state=0)
    isomap = es.Isomap(n_components=10, n_neighbors=2)
    places = isomap.fit_transform(X)
    np.testing.assert_array_equal(places, isomap.embedding_)
    np.testing.assert_allclose(isomap.transform(X), places, atol=1e-9)
    moved = isomap.transform(X + 0.01 * np.random.RandomState(0).randn(*X.shape))
    assert np.sqrt(np.mean((places - moved) ** 2)) < 0.02
    np.testing.assert_array_equal(isomap.transform(X[7:8]), isomap.transform(X)[7:8])


@pytest.mark.filterwarnings(NOTES)
def test_it_works_in_a_pipeline_and_on_sparse_rows():
    X, y = make_blobs(random_state=0)
    pipeline = make_pipeline(StandardScaler(), es.Isomap(n_neighbors=5), KNeighborsClassifier()).fit(X, y)
    assert pipeline.score(X, y) > 0.9
    thin = sparse.random(100, 30, density=0.04, random_state=0, format="csr")
    thin = sparse.csr_matrix(thin + sparse.eye(100, 30))
    dense = es.Isomap(n_neighbors=8).fit(thin.toarray())
    np.testing.assert_allclose(es.Isomap(n_neighbors=8).fit(thin).embedding_, dense.embedding_, atol=1e-6)
    assert list(dense.get_feature_names_out()) == ["isomap0", "isomap1"]


def test_several_pieces_are_joined_with_a_warning_or_refused():
    X = np.array([0.0, 1, 2, 5, 6, 7])[:, None]
    with pytest.warns(es.EigenspanWarning, match="the neighbor graph was in 2 pieces of 3 and 3 rows: 1 link was added"):
        isomap = es.Isomap(n_neighbors=2, n_components=1).fit(X)
    np.testing.assert_allclose(np.abs(np.diff(isomap.embedding_[:, 0])), [1, 1, 3, 1, 1])
    assert "pieces" in str(isomap.describe())
    with pytest.raises(ValueError, match=r"2 pieces of 3 and 3 rows(.|\n)*pieces=.join."):
        es.Isomap(n_neighbors=2, n_components=1, pieces="refuse").fit(X)


@pytest.mark.filterwarnings(NOTES)
def test_the_roll_is_unrolled_from_landmarks_too(tmp_path):
    X, along = make_swiss_roll(1000, random_state=0)
    for isomap in (es.Isomap(n_neighbors=10), es.Isomap(n_neighbors=10, n_landmarks=80, random_state=1)):
        places = isomap.fit_transform(X)
        assert abs(np.corrcoef(places[:, 0], along)[0, 1]) > 0.99
        assert isomap.residual_variance_[1] < 0.01 < isomap.residual_variance_[0]
        isomap.save(tmp_path / "m.safetensors")
        for again in (es.load(tmp_path / "m.safetensors"), pickle.loads(pickle.dumps(isomap))):
            assert type(again) is es.Isomap and again.get_params() == isomap.get_params()
            np.testing.assert_array_equal(again.transform(X[:9]), isomap.transform(X[:9]))
        assert "ISO1" in isomap.plot("scores", X).svg
    assert isomap.landmarks_.shape == (80,) and isomap.dist_matrix_.shape == (80, 1000)
    assert es.Isomap(n_neighbors=10).fit(X).landmarks_ is None


@pytest.mark.filterwarnings(NOTES)
def test_digits_keep_their_neighbors():
    X = load_digits().data
    isomap = es.Isomap(n_neighbors=10)
    places = isomap.fit_transform(X)
    assert manifold.trustworthiness(X, places, n_neighbors=10) > 0.837
    assert manifold.trustworthiness(places, X, n_neighbors=10) > 0.969
    one = es.Isomap(n_neighbors=10, n_jobs=1).fit(X)
    np.testing.assert_array_equal(one.embedding_, places)


@pytest.mark.parametrize(
    "given, said",
    [
        ({"n_neighbors": 30}, "n_neighbors = 30 does not fit: 30 rows have 1 to 29 neighbors each"),
        ({"n_neighbors": 0}, "n_neighbors=0: it takes a count"),
        ({"radius": 1.5}, "radius=1.5: it takes None"),
        ({"metric": "chebyshev"}, "metric='chebyshev': it takes 'minkowski'"),
        ({"n_components": 31}, "31 components asked for, but 30 rows allow at most 30"),
        ({"n_landmarks": 31}, "n_landmarks = `31`"),
        ({"pieces": "largest"}, "pieces='largest': it takes 'join' or 'refuse'"),
    ],
)
def test_parameters_that_do_not_fit_are_refused(given, said):
    with pytest.raises(ValueError, match=said):
        es.Isomap(**given).fit(noise(30, 4))


def test_a_fit_that_fails_leaves_the_one_before():
    X = noise(40, 3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        isomap = es.Isomap().fit(X)
    before = isomap.embedding_.copy()
    with pytest.raises(ValueError, match="NaN"):
        isomap.fit(np.full((40, 3), np.nan))
    np.testing.assert_array_equal(isomap.embedding_, before)
    assert not hasattr(es.Isomap(), "embedding_") and not hasattr(es.Isomap(), "dist_matrix_")
