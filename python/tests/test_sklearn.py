"""scikit-learn's own examination, and its machinery around our estimators."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import eigenspan as es

ESTIMATORS = [
    es.PCA(),
    es.PCA(n_components=1, whiten=True, solver="covariance"),
    es.PCA(missing="mean"),
    es.IncrementalPCA(),
    es.TruncatedSVD(n_components=1),
    es.KernelPCA(),
    es.KernelPCA(n_components=2, kernel=es.kernels.rbf() + es.kernels.linear(), fit_inverse_transform=True),
]


# No failure is expected: there is no list of them.
@pytest.mark.filterwarnings("ignore::eigenspan.EigenspanWarning")
@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_accepts_the_estimator(estimator, check):
    check(estimator)


@pytest.fixture
def wine():
    from sklearn.datasets import load_wine

    return load_wine(return_X_y=True)


def test_a_pipeline_is_tuned_by_cross_validation(wine):
    X, y = wine
    pipe = make_pipeline(StandardScaler(), es.PCA(), LogisticRegression(max_iter=1000))
    search = GridSearchCV(pipe, {"pca__n_components": [1, 2, 5], "pca__whiten": [False, True]}, cv=3).fit(X, y)
    assert search.best_score_ > 0.9
    assert search.best_estimator_["pca"].n_components_ == search.best_params_["pca__n_components"]


def test_the_number_of_components_is_tuned_by_likelihood(wine):
    X = StandardScaler().fit_transform(wine[0])
    search = GridSearchCV(es.PCA(), {"n_components": list(range(1, 13))}, cv=5).fit(X)
    from sklearn.decomposition import PCA

    theirs = GridSearchCV(PCA(svd_solver="full"), {"n_components": list(range(1, 13))}, cv=5).fit(X)
    assert search.best_params_ == theirs.best_params_
    np.testing.assert_allclose(search.cv_results_["mean_test_score"], theirs.cv_results_["mean_test_score"])


def test_unions_and_columns_work(wine):
    X, y = wine
    union = FeatureUnion([("a", es.PCA(2)), ("b", es.TruncatedSVD(3))])
    with pytest.warns(es.EigenspanWarning, match="the variance of"):
        assert union.fit_transform(X).shape == (178, 5)
    columns = ColumnTransformer([("a", make_pipeline(StandardScaler(), es.PCA(2)), [0, 1, 2]), ("b", "passthrough", [3])])
    assert columns.fit_transform(X).shape == (178, 3)
    scores = cross_val_score(make_pipeline(StandardScaler(), es.IncrementalPCA(2), LogisticRegression()), X, y)
    assert scores.mean() > 0.9


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames_come_out_with_scikit_learns_names(wine, library):
    frames = pytest.importorskip(library)
    X = StandardScaler().fit_transform(wine[0])
    out = es.PCA(2).set_output(transform=library).fit_transform(X)
    assert isinstance(out, frames.DataFrame)
    assert list(out.columns) == ["pca0", "pca1"]
    assert list(es.IncrementalPCA(2).fit(X).get_feature_names_out()) == ["incrementalpca0", "incrementalpca1"]
    assert list(es.TruncatedSVD(2).fit(X).get_feature_names_out()) == ["truncatedsvd0", "truncatedsvd1"]


def test_a_clone_is_not_fitted_and_has_the_same_parameters(iris):
    pca = es.PCA(2, whiten=True, scale="std", random_state=3).fit(iris)
    other = clone(pca)
    assert other.get_params() == pca.get_params()
    assert not hasattr(other, "components_")
    from sklearn.exceptions import NotFittedError

    with pytest.raises(NotFittedError):
        other.transform(iris)
