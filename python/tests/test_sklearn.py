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
    es.LinearDiscriminantAnalysis(),
    es.LinearDiscriminantAnalysis(solver="eigen", shrinkage="auto"),
    es.QuadraticDiscriminantAnalysis(),
    es.QuadraticDiscriminantAnalysis(reg_param=0.5),
    es.NearestNeighbors(),
    es.NearestNeighbors(n_neighbors=2, metric="manhattan"),
    es.KNeighborsTransformer(),
]


def expected_to_fail(estimator):
    """Without a number of components as many are kept as there are rows. A check repeats rows by their weights, and then wants
    components along which no row varies: more for the repeated rows, and in directions that neither fit knows."""
    if not isinstance(estimator, es.PCA) or estimator.n_components is not None:
        return {}
    why = "rows that are repeated have more components without variance than rows with weights"
    return {f"check_sample_weight_equivalence_on_{kind}_data": why for kind in ("dense", "sparse")}


# No other failure is expected.
@pytest.mark.filterwarnings("ignore::eigenspan.EigenspanWarning")
@parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected_to_fail)
def test_scikit_learn_accepts_the_estimator(estimator, check):
    check(estimator)


@pytest.mark.filterwarnings("ignore::eigenspan.EigenspanWarning")
def test_what_scikit_learn_says_of_weights_holds_in_all_directions_that_vary():
    rng = np.random.RandomState(42)
    X, weights = rng.rand(15, 30), rng.randint(0, 5, size=15)
    weighted, repeated = es.PCA().fit(X, sample_weight=weights), es.PCA().fit(X.repeat(weights, axis=0))
    k = int((weights > 0).sum()) - 1
    assert weighted.explained_variance_[k:].max() < 1e-20 and repeated.explained_variance_[k:].max() < 1e-20
    np.testing.assert_allclose(weighted.transform(X)[:, :k], repeated.transform(X)[:, :k], atol=1e-9)


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
