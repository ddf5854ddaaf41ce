"""Weights of rows: a named parameter wherever rows may have some, and the same as repeating rows."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
import sklearn
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from support import noise

import eigenspan as es

X = noise(40, 6)
WEIGHTS = np.arange(40) % 4
REPEATED = X.repeat(WEIGHTS, axis=0)

TAKE_WEIGHTS = [
    *(getattr(es.PCA, name) for name in ("fit", "fit_transform", "partial_fit", "report", "plot", "plot_scores")),
    *(getattr(es.PCA, name) for name in ("choose", "row_facts", "supplementary", "adequacy", "bootstrap", "column_table")),
    *(es.choose, es.denoise),
]


@pytest.mark.parametrize("function", TAKE_WEIGHTS, ids=lambda function: function.__qualname__)
def test_weights_are_a_named_parameter(function):
    known = inspect.signature(function).parameters
    assert known["sample_weight"].default is None
    assert known["sample_weight"].annotation == "ArrayLike | None"


def test_a_method_of_a_fitted_model_shows_its_weights_too():
    assert "sample_weight" in inspect.signature(es.PCA().partial_fit).parameters
    assert not any(p.kind is p.VAR_KEYWORD for p in inspect.signature(es.PCA().fit).parameters.values())


def test_a_weight_counts_a_row_in_all_that_takes_weights():
    pca, repeated = es.PCA(3).fit(X, sample_weight=WEIGHTS), es.PCA(3).fit(REPEATED)
    np.testing.assert_allclose(pca.components_, repeated.components_, atol=1e-10)
    np.testing.assert_allclose(es.PCA(3).fit_transform(X, sample_weight=WEIGHTS), repeated.transform(X), atol=1e-10)
    np.testing.assert_allclose(
        pca.column_table("correlations", X, sample_weight=WEIGHTS), repeated.column_table("correlations", REPEATED), atol=1e-10
    )
    weighted, known = pca.adequacy(X, sample_weight=WEIGHTS), repeated.adequacy(REPEATED)
    assert weighted.kmo == pytest.approx(known.kmo) and weighted.chi2 == pytest.approx(known.chi2)
    beside = pca.supplementary(X, {"half": np.arange(40) < 20}, sample_weight=WEIGHTS).groups["half"]
    other = repeated.supplementary(REPEATED, {"half": (np.arange(40) < 20).repeat(WEIGHTS)}).groups["half"]
    np.testing.assert_allclose(beside.eta2, other.eta2, atol=1e-10)
    facts = pca.row_facts(X, sample_weight=WEIGHTS)
    limits, others = facts.limits, repeated.row_facts(REPEATED).limits
    assert limits.t2 == pytest.approx(others.t2) and limits.q == pytest.approx(others.q)
    assert es.choose(X, sample_weight=WEIGHTS, n_draws=5).eigenvalues == pytest.approx(es.choose(REPEATED, n_draws=5).eigenvalues)
    clean = es.denoise(X, X, n_components=2, sample_weight=WEIGHTS)
    np.testing.assert_allclose(clean, es.denoise(X, REPEATED, n_components=2), atol=1e-10)


@pytest.mark.filterwarnings("ignore::eigenspan.EigenspanWarning")
def test_reports_and_figures_take_weights():
    pca = es.PCA(2).fit(X, sample_weight=WEIGHTS)
    weighted = es.PCA(2).report(X, sample_weight=WEIGHTS).html
    assert weighted != es.PCA(2).report(X).html
    assert f"{100 * pca.explained_variance_ratio_[0]:.1f}" in weighted
    assert "<svg" in pca.plot("outliers", X, sample_weight=WEIGHTS).svg
    sure = pca.bootstrap(X, sample_weight=WEIGHTS, n_replicates=50)
    np.testing.assert_allclose(sure.eigenvalues.estimate, pca.explained_variance_, rtol=1e-9)


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        (np.full(40, np.nan), r"sample_weight\[0\] is nan, but every row needs a finite weight"),
        ([1.0] * 39 + [np.inf], r"sample_weight\[39\] is inf, but every row needs a finite weight"),
        ([1.0] * 39 + [-1.0], r"sample_weight\[39\] is -1, but weights are at least 0"),
        ("all", "sample_weight is of type str: it takes one number per row"),
        ([1.0], r"sample_weight.shape == \(1,\), expected \(40,\)"),
    ],
)
def test_a_wrong_weight_is_named(weights, said):
    for call in (es.PCA().fit, es.PCA().fit_transform, es.PCA().partial_fit, es.PCA().report, es.choose, es.PCA(1).fit(X).row_facts):
        with pytest.raises((ValueError, TypeError), match=said):
            call(X, sample_weight=weights)


def test_files_have_their_weights_in_a_column(tmp_path):
    np.savetxt(tmp_path / "x.csv", X, delimiter=",", header=",".join("abcdef"), comments="")
    for call in (es.PCA().fit, es.PCA().report, es.choose):
        with pytest.raises(ValueError, match="weight_column"):
            call(tmp_path / "x.csv", sample_weight=np.ones(40))


def test_methods_without_weights_say_so():
    with pytest.raises(TypeError, match="sample_weight is for a PCA: a KernelPCA takes no weights of rows"):
        es.denoise(X, X, method="kpca", n_components=2, fit_inverse_transform=True, sample_weight=WEIGHTS)


def test_weights_are_routed_to_a_pca():
    with sklearn.config_context(enable_metadata_routing=True):
        pca = es.PCA(2).set_fit_request(sample_weight=True)
        pipe = make_pipeline(StandardScaler().set_fit_request(sample_weight=True), pca).fit(X, sample_weight=WEIGHTS)
        assert pca.get_metadata_routing().fit.requests == {"sample_weight": True}
        alone = es.PCA(2).fit(StandardScaler().fit(X, sample_weight=WEIGHTS).transform(X), sample_weight=WEIGHTS)
        np.testing.assert_array_equal(pipe["pca"].components_, alone.components_)
        search = GridSearchCV(pca, {"n_components": [1, 2]}, cv=2).fit(X, sample_weight=np.ones(40))
        assert search.best_estimator_.n_components_ in (1, 2)
        with pytest.raises(sklearn.exceptions.UnsetMetadataPassedError, match="sample_weight"):
            make_pipeline(es.PCA(2)).fit(X, sample_weight=WEIGHTS)
        # A kernel PCA takes none, so that there is nothing to ask for.
        with pytest.raises((TypeError, AttributeError)):
            es.KernelPCA(2).set_fit_request(sample_weight=True)
