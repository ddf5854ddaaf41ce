"""Random projection and selection of columns: scikit-learn's assertions about its own, and what our engine adds."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.feature_selection import f_classif, mutual_info_classif
from sklearn.random_projection import johnson_lindenstrauss_min_dim
from sklearn.utils.estimator_checks import parametrize_with_checks

from support import noise

import eigenspan as es

PROJECTIONS = [es.GaussianRandomProjection, es.SparseRandomProjection]

ESTIMATORS = [
    es.GaussianRandomProjection(n_components=2),
    es.SparseRandomProjection(n_components=2),
    es.SelectColumns(),
    es.SelectColumns(1, by="variance"),
    es.SelectColumns(1, by="anova"),
    es.SelectColumns(1, by="mutual-information"),
]


@pytest.mark.filterwarnings("ignore::eigenspan.EigenspanWarning")
@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_accepts_the_estimator(estimator, check):
    check(estimator)


def test_the_bound_is_scikit_learns():
    for n, eps in [(100, 0.1), (10**6, [0.5, 0.1, 0.01]), ([10**4, 10**5], 0.1)]:
        np.testing.assert_array_equal(es.johnson_lindenstrauss_min_dim(n, eps=eps), johnson_lindenstrauss_min_dim(n, eps=eps))
    for n, eps in [(100, 1.1), (100, 0.0), (100, -0.1), (0, 0.5)]:
        with pytest.raises(ValueError, match="JL bound"):
            es.johnson_lindenstrauss_min_dim(n, eps=eps)


@pytest.mark.parametrize("kind", PROJECTIONS)
def test_pairs_keep_their_distances(kind):
    X = np.random.default_rng(0).normal(size=(10, 5000))
    eps = 0.2
    rp = kind("auto", eps=eps, random_state=0).fit(X)
    assert rp.n_components_ == johnson_lindenstrauss_min_dim(10, eps=eps)
    found = rp.distortion_
    assert found["n_pairs"] == 45 and 1 - eps < found["smallest"] < found["largest"] < 1 + eps
    Z = rp.transform(X)
    np.testing.assert_allclose(Z, X @ np.asarray(sparse.csr_matrix(rp.components_).todense()).T, atol=1e-9)
    np.testing.assert_array_equal(kind("auto", eps=eps, random_state=0).fit_transform(X), Z)
    assert abs(kind("auto", eps=eps, random_state=1).fit_transform(X) - Z).max() > 0.1


@pytest.mark.parametrize("kind", PROJECTIONS)
def test_sparse_and_dense_rows_are_projected_alike(kind):
    X = sparse.random_array((60, 500), density=0.05, format="csr", rng=0)
    rp = kind(20).fit(X)
    np.testing.assert_allclose(rp.transform(X), rp.transform(X.toarray()), atol=1e-12)
    directions = rp.components_.toarray() if sparse.issparse(rp.components_) else rp.components_
    np.testing.assert_allclose(rp.transform(X), X.toarray() @ directions.T, atol=1e-12)
    assert rp.transform(X.astype(np.float32)).dtype == np.float32


def test_entries_of_sparse_directions_have_three_values():
    X = noise(5, 400)
    for density, known in [("auto", 1 / 20), (0.3, 0.3), (1.0, 1.0)]:
        rp = es.SparseRandomProjection(100, density=density).fit(X)
        assert rp.density_ == pytest.approx(known)
        values = np.unique(rp.components_.toarray())
        size = np.sqrt(1 / known) / np.sqrt(100)
        np.testing.assert_allclose(values, [-size, size] if known == 1 else [-size, 0, size])
        assert rp.components_.nnz / 40_000 == pytest.approx(known, abs=0.02)


@pytest.mark.parametrize("kind", PROJECTIONS)
def test_coordinates_of_rebuilt_rows_are_the_coordinates(kind, tmp_path):
    X = noise(40, 100)
    for inverse in (True, False):
        rp = kind(10, compute_inverse_components=inverse).fit(X)
        Z = rp.transform(X)
        np.testing.assert_allclose(rp.transform(rp.inverse_transform(Z)), Z, atol=1e-9)
        assert hasattr(rp, "inverse_components_") == inverse
    rp.save(tmp_path / "rp.safetensors")
    for again in (es.load(tmp_path / "rp.safetensors"), pickle.loads(pickle.dumps(rp))):
        assert type(again) is kind and again.get_params() == rp.get_params()
        np.testing.assert_array_equal(again.transform(X), Z)
    assert "measured on 780 pairs of all 40 rows" in str(rp.describe())


@pytest.mark.parametrize("kind", PROJECTIONS)
def test_what_cannot_be_projected_is_refused(kind):
    with pytest.raises(ValueError, match="with eps = 0.1, 20 rows need 2,567 random directions, but there are only 5 columns"):
        kind().fit(noise(20, 5))
    for wrong in ({"eps": 1.0}, {"eps": 0}, {"n_components": 0}, {"n_components": "many"}, {"random_state": "one"}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            kind(**{"n_components": 2} | wrong).fit(noise(20, 5))
    with pytest.warns(es.EigenspanWarning, match="7 random directions of rows with 5 columns"):
        kind(7).fit(noise(20, 5))


@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer])
def test_scores_are_scikit_learns(load):
    X, y = load(return_X_y=True)
    select = es.SelectColumns(2, by="anova").fit(X, y)
    f, p = f_classif(X, y)
    np.testing.assert_allclose(select.scores_, f, rtol=1e-9)
    np.testing.assert_allclose(select.pvalues_, p, rtol=1e-7, atol=1e-300)
    assert sorted(select.get_support(indices=True)) == sorted(np.argsort(f)[-2:])
    # Equal values are told apart by noise, so that two draws of either differ a little.
    ours = es.SelectColumns(2, by="mutual-information").fit(X, y).scores_
    np.testing.assert_allclose(ours, mutual_info_classif(X, y, random_state=0), atol=0.05)


def test_kept_columns_go_through_and_carry_their_names():
    frame = load_wine(as_frame=True)
    X, y = frame.data, frame.target
    select = es.SelectColumns(3, by="anova").set_output(transform="pandas").fit(X, y)
    out = select.transform(X)
    assert list(out.columns) == list(select.get_feature_names_out()) == list(X.columns[select.get_support()])
    np.testing.assert_array_equal(out.to_numpy(), X.to_numpy()[:, select.get_support()])
    back = select.inverse_transform(out.to_numpy())
    np.testing.assert_array_equal(back[:, select.get_support()], out.to_numpy())
    assert not back[:, ~select.get_support()].any()


def test_shares_add_up_and_files_keep_them(tmp_path):
    X = load_wine().data
    select = es.SelectColumns(0.9, scale="std").fit(X)
    assert select.explained_ >= 0.9 and select.explained_ + select.share_lost_.sum() == pytest.approx(1)
    pca = es.PCA(select.n_components_, scale="std").fit(X)
    assert select.explained_ <= pca.explained_variance_ratio_.sum()
    select.save(tmp_path / "s.safetensors")
    again = es.load(tmp_path / "s.safetensors")
    assert type(again) is es.SelectColumns and again.get_params() == select.get_params()
    np.testing.assert_array_equal(again.scores_, select.scores_)
    with pytest.raises(AttributeError, match="pvalues_"):
        select.pvalues_
    assert "principal-features" in str(select.describe())


def test_what_cannot_be_selected_is_refused():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="it learns from classes, and these rows have no labels"):
        es.SelectColumns(2, by="anova").fit(X)
    with pytest.raises(ValueError, match="5 components asked for"):
        es.SelectColumns(5).fit(X)
    with pytest.raises(ValueError, match="2 columns asked for, but only 1 of 2 can be chosen by variance"):
        es.SelectColumns(2, by="variance").fit(np.column_stack([X[:, 0], np.ones(150)]))
    with pytest.raises(ValueError, match="by='best': it takes 'variance'"):
        es.SelectColumns(by="best").fit(X)
    with pytest.raises(ValueError, match="principal-features takes no threshold"):
        es.SelectColumns(threshold=0.5).fit(X)


@pytest.mark.parametrize("missing", ["drop", "mean"])
def test_rows_with_missing_cells_are_left_out_or_filled(missing):
    X = load_iris().data.copy()
    X[[3, 80], [1, 2]] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        es.SelectColumns(2).fit(X)
    select = es.SelectColumns(2, by="variance", missing=missing).fit(X)
    assert select.notes_ == [{"drop": "2 rows with missing cells left out", "mean": "2 cells missing: filled with their column's mean"}[missing]]
    filled = np.where(np.isnan(X), np.nanmean(X, axis=0), X)
    used = filled if missing == "mean" else X[~np.isnan(X).any(axis=1)]
    np.testing.assert_allclose(select.variances_, used.var(axis=0, ddof=1), rtol=1e-12)
    found = select.transform(X)
    want = filled[:, select.get_support()]
    if missing == "drop":
        want[[3, 80]] = np.nan
    np.testing.assert_allclose(found, want, rtol=1e-12)
