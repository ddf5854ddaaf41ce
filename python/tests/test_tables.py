"""A table that `es.read` gives is taken by everything that takes rows, with the results of the same rows in memory."""

from __future__ import annotations

import numpy as np
import pytest

import eigenspan as es


@pytest.fixture
def table(tmp_path, iris):
    """The rows of Iris as an open file. Text and back, they are the same numbers."""
    lines = [",".join(repr(float(cell)) for cell in row) for row in iris]
    (tmp_path / "iris.csv").write_text("a,b,c,d\n" + "\n".join(lines) + "\n")
    return es.read(tmp_path / "iris.csv")


def same(found, wanted):
    """Two results whose arrays are the same, to the last bit."""
    assert type(found) is type(wanted)
    if isinstance(found, dict):
        assert found.keys() == wanted.keys()
        for name in found:
            same(found[name], wanted[name])
    elif isinstance(found, (list, tuple)):
        assert len(found) == len(wanted)
        for one, other in zip(found, wanted, strict=True):
            same(one, other)
    elif isinstance(found, (np.ndarray, float)):
        np.testing.assert_array_equal(found, wanted)
    elif hasattr(found, "__dict__") and not isinstance(found, type):
        same(vars(found), vars(wanted))
    else:
        assert found == wanted


FACTS = {
    "adequacy": lambda pca, X: pca.adequacy(X),
    "bootstrap": lambda pca, X: pca.bootstrap(X, n_replicates=20),
    "choose": lambda pca, X: pca.choose(X),
    "column_table": lambda pca, X: [pca.column_table(which, X) for which in ("correlations", "cos2", "contributions")],
    "denoise": lambda pca, X: pca.denoise(X),
    "plan": lambda pca, X: pca.plan(X)["solver"],
    "residual_rows": lambda pca, X: pca.residual_rows(X, n_components=1),
    "row_facts": lambda pca, X: pca.row_facts(X),
    "score": lambda pca, X: pca.score(X),
    "score_samples": lambda pca, X: pca.score_samples(X),
    "supplementary": lambda pca, X: pca.supplementary(X, {"number": np.arange(150.0), "kind": ["x", "y", "z"] * 50}),
    "transform": lambda pca, X: pca.transform(X),
}


@pytest.mark.parametrize("name", FACTS)
def test_what_is_known_of_rows_is_known_of_a_table(name, table, iris):
    pca = es.PCA(2).fit(iris)
    same(FACTS[name](pca, table), FACTS[name](pca, iris))


@pytest.mark.parametrize(
    "estimator",
    [
        es.PCA(2),
        es.KernelPCA(2, kernel="rbf", gamma=0.5, fit_inverse_transform=True),
        es.KernelPCA(2, kernel="rbf", gamma=0.5, approximate="nystrom", n_landmarks=40),
        es.TruncatedSVD(2),
        es.IncrementalPCA(2),
    ],
    ids=repr,
)
def test_every_estimator_takes_a_table(estimator, table, iris):
    from sklearn.base import clone

    ours, theirs = clone(estimator).fit(table), clone(estimator).fit(iris)
    np.testing.assert_array_equal(ours.transform(table), theirs.transform(iris))
    np.testing.assert_array_equal(ours.transform(iris), theirs.transform(table))
    np.testing.assert_array_equal(clone(estimator).fit_transform(table), theirs.transform(iris))
    np.testing.assert_array_equal(ours.denoise(table), theirs.denoise(iris))
    assert list(ours.feature_names_in_) == ["a", "b", "c", "d"]
    assert ours.plot("scores", table).csv.count("\n") == theirs.plot("scores", iris).csv.count("\n")


@pytest.mark.parametrize("estimator", [es.PCA(2), es.IncrementalPCA(2)], ids=repr)
def test_a_table_is_a_batch(estimator, table, iris):
    from sklearn.base import clone

    ours, theirs = clone(estimator), clone(estimator)
    for batch in (table, table):
        ours.partial_fit(batch)
    for batch in (iris, iris):
        theirs.partial_fit(batch)
    np.testing.assert_array_equal(ours.components_, theirs.components_)
    np.testing.assert_array_equal(ours.explained_variance_, theirs.explained_variance_)


def test_functions_take_a_table(table, iris):
    asked = {"n_components": 2, "criterion": "reconstruction", "n_folds": 2}
    assert es.describe(table).to_dict()["n_rows"] == 150
    assert es.choose(table).k == es.choose(iris).k
    np.testing.assert_array_equal(es.denoise(table, train=table, n_components=2), es.denoise(iris, train=iris, n_components=2))
    found, wanted = es.tune(table, **asked), es.tune(iris, **asked)
    np.testing.assert_array_equal(found.cv_results_["mean"], wanted.cv_results_["mean"])


def test_a_function_as_kernel_says_that_it_takes_rows_in_memory(table):
    """Python's function is called with two rows at a time, which a table in a file does not hand out."""
    kernel = es.KernelPCA(2, kernel=lambda a, b: float(a @ b))
    with pytest.raises((TypeError, ValueError), match="memory"):
        kernel.fit(table)
