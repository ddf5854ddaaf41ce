"""What scikit-learn's own tests of IncrementalPCA and TruncatedSVD assert, and what is exact here: batches."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn import decomposition

from support import noise

import eigenspan as es


def test_batches_of_any_size_give_what_all_rows_give(iris):
    whole = es.PCA(solver="covariance").fit(iris)
    for size in [1, 7, 50, 149]:
        pca = es.PCA()
        for start in range(0, 150, size):
            pca.partial_fit(iris[start : start + size])
        np.testing.assert_allclose(pca.components_, whole.components_, atol=1e-10)
        np.testing.assert_allclose(pca.explained_variance_, whole.explained_variance_, rtol=1e-12)
        assert pca.n_samples_ == 150


def test_an_iterator_of_batches_is_a_fit(iris):
    pca = es.PCA(2).fit(iris[start : start + 10] for start in range(0, 150, 10))
    np.testing.assert_allclose(pca.components_, es.PCA(2).fit(iris).components_, atol=1e-10)
    with pytest.raises(ValueError, match="0 batch"):
        es.PCA(2).fit(iter([]))


def test_shards_merge_to_the_whole(iris):
    left, right = es.PCA().fit(iris[:60]), es.PCA().fit(iris[60:])
    left.merge(right)
    np.testing.assert_allclose(left.components_, es.PCA().fit(iris).components_, atol=1e-10)
    with pytest.raises(ValueError, match="all components"):
        es.PCA(2).fit(iris[:60]).merge(right)


def test_a_growing_model_goes_through_pickle_to_the_bit(iris):
    pca = es.PCA(3).partial_fit(iris[:40]).partial_fit(iris[40:41])
    other = pickle.loads(pickle.dumps(pca))
    np.testing.assert_array_equal(other.components_, pca.components_)
    pca.partial_fit(iris[41:])
    other.partial_fit(iris[41:])
    np.testing.assert_array_equal(other.components_, pca.components_)
    np.testing.assert_array_equal(other.transform(iris), pca.transform(iris))


def test_a_batch_after_a_fit_grows_what_can_grow(iris):
    pca = es.PCA().fit(iris[:100]).partial_fit(iris[100:])
    np.testing.assert_allclose(pca.components_, es.PCA().fit(iris).components_, atol=1e-10)
    pca = es.PCA(2).fit(iris[:100])
    with pytest.warns(es.EigenspanWarning, match="left behind.*all components"):
        pca.partial_fit(iris[100:])
    assert pca.n_samples_ == 50
    assert not hasattr(es.PCA(missing="mean"), "partial_fit")


@pytest.mark.parametrize("batch_size", [None, 10, 50])
def test_incremental_pca_is_their_pca(iris, batch_size):
    ours = es.IncrementalPCA(2, batch_size=batch_size).fit(iris)
    theirs = decomposition.PCA(2, svd_solver="full").fit(iris)
    for name in ["components_", "explained_variance_", "explained_variance_ratio_", "singular_values_", "mean_", "noise_variance_"]:
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-9, atol=1e-9)
    incremental = decomposition.IncrementalPCA(2, batch_size=batch_size).fit(iris)
    np.testing.assert_allclose(ours.var_, incremental.var_)
    assert ours.n_samples_seen_ == incremental.n_samples_seen_ == 150
    assert ours.batch_size_ == incremental.batch_size_
    np.testing.assert_allclose(np.abs(ours.transform(iris)), np.abs(incremental.transform(iris)), atol=1e-1)
    np.testing.assert_allclose(ours.get_covariance() @ ours.get_precision(), np.eye(4), atol=1e-11)


def test_incremental_pca_refuses_what_theirs_refuses(iris):
    for Estimator in [es.IncrementalPCA, decomposition.IncrementalPCA]:
        for n_components in [-1, 0, 0.99, 5]:
            with pytest.raises(ValueError):
                Estimator(n_components).fit(iris)
        with pytest.raises(ValueError):
            Estimator(4).partial_fit(iris[:3])
        ipca = Estimator(2).partial_fit(iris)
        with pytest.raises(ValueError):
            ipca.set_params(n_components=3).partial_fit(iris)
        with pytest.raises(ValueError):
            ipca.set_params(n_components=2).partial_fit(iris[:, :3])


@pytest.mark.parametrize("shape", [(50, 10), (10, 50)])
def test_incremental_pca_keeps_as_many_as_its_first_batch_allows(shape):
    X, more = noise(*shape), noise(2 * shape[0], shape[1], seed=1)
    ours, theirs = es.IncrementalPCA(), decomposition.IncrementalPCA()
    for batch in [X, more]:
        assert ours.partial_fit(batch).n_components_ == theirs.partial_fit(batch).n_components_ == min(shape)
        assert ours.components_.shape == theirs.components_.shape


@pytest.mark.parametrize("algorithm", ["arpack", "randomized"])
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_matrix, sparse.csc_array])
def test_truncated_svd_is_theirs(algorithm, container):
    X = sparse.random(120, 55, density=0.2, random_state=42).toarray()
    ours = es.TruncatedSVD(8, algorithm=algorithm, tol=1e-11)
    theirs = decomposition.TruncatedSVD(8, algorithm="arpack", random_state=0)
    mine, other = ours.fit_transform(container(X)), theirs.fit_transform(X)
    np.testing.assert_allclose(mine, other, atol=1e-6)
    for name in ["components_", "singular_values_", "explained_variance_", "explained_variance_ratio_"]:
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), atol=1e-6, err_msg=name)
    np.testing.assert_array_equal(mine, ours.transform(container(X)))
    np.testing.assert_allclose(ours.inverse_transform(mine), theirs.inverse_transform(other), atol=1e-6)
    assert not hasattr(ours, "mean_")


def test_truncated_svd_refuses_what_theirs_refuses():
    X = np.ones((20, 5)) + np.eye(20, 5)
    for Estimator in [es.TruncatedSVD, decomposition.TruncatedSVD]:
        for wrong in [{"n_components": 0}, {"n_components": 6}, {"algorithm": "other"}]:
            with pytest.raises(ValueError):
                Estimator(**wrong).fit(X)


def test_sparse_batches_are_refused_as_theirs_are_and_pca_takes_them():
    X = sparse.random(60, 8, density=0.3, random_state=0, format="csr")
    with pytest.raises(TypeError, match="does not support sparse input"):
        es.IncrementalPCA(2).partial_fit(X)
    assert es.IncrementalPCA(2).fit(X).n_components_ == 2
    assert es.PCA(2).partial_fit(X).n_components_ == 2


def test_the_count_of_rows_may_be_told_again_but_not_otherwise():
    ipca = es.IncrementalPCA(2).partial_fit(noise(20, 4))
    ipca.n_samples_seen_ = float(ipca.n_samples_seen_)
    assert ipca.partial_fit(noise(5, 4)).n_samples_seen_ == 25
    with pytest.raises(AttributeError, match="is 25"):
        ipca.n_samples_seen_ = 3
