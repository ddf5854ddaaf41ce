"""Linear and quadratic discriminant analysis beside scikit-learn's: the same numbers, and what scikit-learn's own tests claim."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn import discriminant_analysis as theirs
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import eigenspan as es

TABLES = {"iris": load_iris, "wine": load_wine, "breast_cancer": load_breast_cancer, "digits": load_digits}
LINEAR: list[dict[str, Any]] = [
    {},
    {"store_covariance": True, "n_components": 1},
    {"solver": "eigen"},
    {"solver": "lsqr"},
    {"solver": "eigen", "shrinkage": 0.3},
    {"solver": "eigen", "shrinkage": "auto"},
    {"solver": "lsqr", "shrinkage": "auto"},
]
pytestmark = pytest.mark.filterwarnings("ignore::eigenspan.EigenspanWarning")


def rising(n):
    return np.arange(1, n + 1) / np.arange(1, n + 1).sum()


def turned(got, want):
    """Columns of `got`, turned where they point the other way."""
    return got * np.sign((got * want).sum(axis=0))


@pytest.mark.parametrize("with_priors", [False, True])
@pytest.mark.parametrize("parameters", LINEAR, ids=str)
@pytest.mark.parametrize("name", TABLES)
def test_linear_numbers_are_scikit_learns(name, parameters, with_priors):
    X, y = TABLES[name](return_X_y=True)
    if name == "digits" and parameters.get("solver") in ("eigen", "lsqr") and "shrinkage" not in parameters:
        pytest.skip("the covariance is singular, which scikit-learn refuses or solves in units of the columns")
    if with_priors:
        parameters = parameters | {"priors": rising(len(np.unique(y)))}
    ours = es.LinearDiscriminantAnalysis(**parameters).fit(X, y)
    want = theirs.LinearDiscriminantAnalysis(**parameters).fit(X, y)
    # scikit-learn's lsqr does not scale columns, and loses digits to their units.
    lost = 1e3 if parameters.get("solver") == "lsqr" else 1
    assert_allclose(ours.predict_proba(X), want.predict_proba(X), rtol=0, atol=1e-10 * lost)
    size = np.abs(want.decision_function(X)).max()
    assert_allclose(ours.decision_function(X) / size, want.decision_function(X) / size, rtol=0, atol=1e-10 * lost)
    for attribute in ("coef_", "intercept_", "means_", "priors_"):
        value = getattr(want, attribute)
        assert getattr(ours, attribute).shape == value.shape
        assert_allclose(getattr(ours, attribute), value, rtol=0, atol=1e-9 * lost * np.abs(value).max())
    assert (ours.classes_ == want.classes_).all() and ours.classes_.dtype == want.classes_.dtype
    assert (ours.predict(X) == want.predict(X)).all() and ours.score(X, y) == want.score(X, y)
    if hasattr(want, "covariance_"):
        assert_allclose(ours.covariance_, want.covariance_, atol=1e-10 * np.abs(want.covariance_).max())
    if parameters.get("solver") == "lsqr":
        with pytest.raises(NotImplementedError, match="transform not implemented for 'lsqr'"):
            ours.transform(X)
        return
    scores = want.transform(X)
    assert_allclose(turned(ours.transform(X), scores), scores, atol=1e-10 * np.abs(scores).max())
    if want.explained_variance_ratio_[0] > 0 and not (with_priors and "shrinkage" in parameters):
        assert_allclose(ours.explained_variance_ratio_, want.explained_variance_ratio_, atol=1e-10)
    # Shrinkage gives constant columns discriminants of their own, in any order, on which all rows lie at one place.
    k = int((np.ptp(scores, axis=0) > 1e-9).sum())
    assert_allclose(turned(ours.scalings_[:, :k], want.scalings_[:, :k]), want.scalings_[:, :k], atol=1e-9 * np.abs(want.scalings_).max())
    assert_allclose(ours.fit_transform(X, y), ours.transform(X), atol=0)
    assert ours.residuals_.max() < 1e-7


@pytest.mark.parametrize("parameters", [{}, {"reg_param": 0.1}, {"solver": "eigen", "shrinkage": "auto"}, {"solver": "eigen", "shrinkage": 0.3}], ids=str)
@pytest.mark.parametrize("name", TABLES)
def test_quadratic_numbers_are_scikit_learns(name, parameters):
    X, y = TABLES[name](return_X_y=True)
    parameters = parameters | {"tol": 0.0, "store_covariance": True}
    if name == "digits" and "shrinkage" not in parameters and "reg_param" not in parameters:
        with pytest.raises(ValueError, match="the covariance of class 0 is singular"):
            es.QuadraticDiscriminantAnalysis(**parameters).fit(X, y)
        return
    for priors in (None, rising(len(np.unique(y)))):
        ours = es.QuadraticDiscriminantAnalysis(priors=priors, **parameters).fit(X, y)
        want = theirs.QuadraticDiscriminantAnalysis(priors=priors, **parameters).fit(X, y)
        assert_allclose(ours.predict_proba(X), want.predict_proba(X), atol=1e-10)
        size = np.abs(want.decision_function(X)).max()
        assert_allclose(ours.decision_function(X) / size, want.decision_function(X) / size, atol=1e-10)
        assert_allclose(ours.means_, want.means_, atol=1e-10 * np.abs(want.means_).max())
        for own, other in zip(ours.covariance_, want.covariance_, strict=True):
            assert_allclose(own, other, atol=1e-8 * np.abs(other).max())
        for own, other in zip(ours.scalings_, want.scalings_, strict=True):
            assert_allclose(own, other, atol=1e-8 * other.max())
    assert not hasattr(ours, "transform") and not hasattr(ours, "fit_transform")


def test_classes_of_any_type_come_back_as_they_were(tmp_path):
    X, y = load_iris(return_X_y=True)
    kinds = [y, y.astype(float), np.array(["c", "a", "b"])[y], np.array([10, 9, 100])[y], np.array(["10", "9", "100"])[y], (y == 1)]
    for labels in kinds:
        for estimator in (es.LinearDiscriminantAnalysis(), es.QuadraticDiscriminantAnalysis()):
            fitted = estimator.fit(X, labels)
            assert list(fitted.classes_) == sorted(set(labels.tolist()))
            assert fitted.predict(X).dtype == labels.dtype and (fitted.predict(X) == labels).mean() > 0.6
            place = tmp_path / "model.safetensors"
            fitted.save(place)
            for again in (es.load(place), pickle.loads(pickle.dumps(fitted))):
                assert list(again.classes_) == list(fitted.classes_)
                assert (again.predict(X) == fitted.predict(X)).all()
                assert (again.predict_proba(X) == fitted.predict_proba(X)).all()


def test_priors_follow_the_order_of_classes_and_are_made_to_sum_to_one():
    X, y = load_iris(return_X_y=True)
    priors = [0.2, 0.3, 0.5]
    numbers = es.LinearDiscriminantAnalysis(priors=priors).fit(X, np.array(["10", "9", "100"])[y])
    # As text, "10" comes before "100" and "9".
    assert list(numbers.classes_) == ["10", "100", "9"]
    assert_allclose(numbers.priors_, priors)
    want = theirs.LinearDiscriminantAnalysis(priors=priors).fit(X, np.array(["10", "9", "100"])[y])
    assert_allclose(numbers.predict_proba(X), want.predict_proba(X), atol=1e-10)
    with pytest.warns(UserWarning, match="The priors do not sum to 1. Renormalizing"):
        lda = es.LinearDiscriminantAnalysis(priors=[1.0, 1.5, 2.5]).fit(X, y)
    assert_allclose(lda.priors_, priors)
    with pytest.raises(ValueError, match="priors must be non-negative"):
        es.LinearDiscriminantAnalysis(priors=[0.5, -0.1, 0.6]).fit(X, y)
    with pytest.raises(ValueError, match="2 priors given for 3 classes"):
        es.LinearDiscriminantAnalysis(priors=[0.5, 0.5]).fit(X, y)


def test_what_cannot_be_fitted_is_refused():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(NotImplementedError, match="shrinkage not supported with 'svd' solver"):
        es.LinearDiscriminantAnalysis(shrinkage="auto").fit(X, y)
    with pytest.raises(ValueError, match="3 components asked for, but 3 classes and 4 columns allow at most 2"):
        es.LinearDiscriminantAnalysis(n_components=3).fit(X, y)
    with pytest.raises(ValueError, match="all rows have one class"):
        es.LinearDiscriminantAnalysis().fit(X, np.zeros(150, int))
    with pytest.raises(ValueError, match="requires y to be passed"):
        es.LinearDiscriminantAnalysis().fit(X)
    with pytest.raises(ValueError, match="Unknown label type"):
        es.LinearDiscriminantAnalysis().fit(X, X[:, 0])
    with pytest.raises(ValueError, match="solver='wrong': it takes"):
        es.LinearDiscriminantAnalysis(solver="wrong").fit(X, y)
    with pytest.raises(ValueError, match="class 3 has 1 row"):
        es.QuadraticDiscriminantAnalysis().fit(X, np.r_[3, y[1:]])
    kept = es.LinearDiscriminantAnalysis().fit(X, y)
    with pytest.raises(ValueError, match="NaN"):
        kept.predict(np.full((1, 4), np.nan))


def test_they_work_in_pipelines_searches_and_on_files(tmp_path):
    pandas = pytest.importorskip("pandas")
    X, y = load_wine(return_X_y=True, as_frame=True)
    pipe = make_pipeline(StandardScaler(), es.LinearDiscriminantAnalysis())
    assert cross_val_score(pipe, X, y).mean() > 0.95
    search = GridSearchCV(es.QuadraticDiscriminantAnalysis(), {"reg_param": [0.0, 0.1, 0.5]}).fit(X, y)
    assert search.best_score_ > 0.95
    frame = es.LinearDiscriminantAnalysis().set_output(transform="pandas").fit_transform(X, y)
    assert list(frame.columns) == ["lineardiscriminantanalysis0", "lineardiscriminantanalysis1"]
    pandas.concat([X, y.map("class {}".format)], axis=1).to_csv(tmp_path / "wine.csv", index=False)
    table = es.read(tmp_path / "wine.csv", label_column="target")
    fitted = es.LinearDiscriminantAnalysis().fit(table)
    assert list(fitted.classes_) == ["class 0", "class 1", "class 2"]
    assert_allclose(fitted.transform(table), es.LinearDiscriminantAnalysis().fit_transform(X, y), atol=1e-9)
    assert clone(fitted).get_params() == fitted.get_params()
    assert "between" in str(fitted.describe())


def test_logarithms_of_probabilities_do_not_end_where_probabilities_do():
    X, y = load_digits(return_X_y=True)
    qda = es.QuadraticDiscriminantAnalysis(reg_param=0.1).fit(X, y)
    logs = qda.predict_log_proba(X)
    assert np.isfinite(logs).all() and logs.min() < -750
    assert_allclose(np.exp(logs), qda.predict_proba(X), atol=1e-12)
