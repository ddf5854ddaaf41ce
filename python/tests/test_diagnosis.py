"""X that is no table of numbers: the error names the column or the cell, what it holds and what to do."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from sklearn.base import clone

from support import noise

import eigenspan as es

X = noise(20, 4)
ESTIMATORS = [es.PCA(2), es.IncrementalPCA(2), es.TruncatedSVD(2), es.KernelPCA(2)]


def calls(estimator, known):
    """Every way by which rows reach an estimator."""
    yield estimator.fit
    yield clone(estimator).fit(known).transform
    if isinstance(estimator, es.PCA):
        yield from (estimator.partial_fit, estimator.report, estimator.choose, estimator.plan)


def refused(rows, kind, said):
    for estimator in ESTIMATORS:
        for call in calls(estimator, X):
            if rows is None and getattr(call, "__name__", "") == "report":
                continue  # Without rows it is the report of the fitted model.
            with pytest.raises(kind, match=said):
                call(rows)
    with pytest.raises(kind, match=said):
        es.describe(rows)


def frame(**more):
    pandas = pytest.importorskip("pandas")
    return pandas.DataFrame(X, columns=list("abcd")).assign(**more)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"kind": "dog"}, r"""^column "kind" holds text \('dog'\), not numbers: leave it out \(X.drop\(columns=\['kind'\]\)\), or make numbers of it"""),
        ({"kind": "dog", "name": "Rex"}, """^columns "kind" and "name" hold text .*: leave them out"""),
        ({f"t{i}": "x" for i in range(9)}, """^columns "t0", "t1", "t2", "t3", "t4", "t5" and 3 more hold text .*: leave them out .X.select_dtypes"""),
        ({"born": np.datetime64("2020-01-01")}, """^column "born" holds dates or times, not numbers: leave it out"""),
        ({"list": [[1, 2]] * 20}, """^column "list" holds cells that are no numbers"""),
        ({"a": [10**400] * 20}, """^column "a" holds cells that are no numbers"""),
    ],
)
def test_columns_of_a_frame_that_are_no_numbers_are_named(more, said):
    refused(frame(**more), (ValueError, TypeError), said)


def test_categories_are_named_and_columns_of_truth_values_are_numbers():
    pandas = pytest.importorskip("pandas")
    refused(frame(kind=pandas.Categorical(["u", "v"] * 10)), ValueError, """column "kind" holds text""")
    assert es.PCA(2).fit(frame(flag=[True, False] * 10)).n_features_in_ == 5


def test_names_that_are_there_twice_are_named():
    rows = frame()
    rows.columns = ["a", "b", "a", "c"]
    refused(rows, ValueError, """^column "a" is there more than once, .*: rename it, or give X.to_numpy""")
    rows.columns = [0, 1, 0, 1]
    refused(rows, ValueError, "^columns 0 and 1 are there more than once, .*: rename them, or give X.to_numpy")
    assert es.PCA(2).fit(rows.to_numpy()).n_features_in_ == 4


@pytest.mark.parametrize(
    ("rows", "kind", "said"),
    [
        (np.array([["1", "a"], ["3", "2"], ["4", "5"]], dtype=object), ValueError, "^row 0, column 1, counted from 0, holds 'a', which is no number"),
        ([[1, 2], [3, "two"], [5, 6]], ValueError, "^row 1, column 1, counted from 0, holds 'two', which is no number"),
        ([[1, 2], [3], [5, 6]], ValueError, "^row 1, counted from 0, has 1 cell, but row 0 has 2 cells"),
        ([[1, 10**400], [3, 4], [5, 6]], ValueError, "^row 0, column 1, counted from 0, is an integer of 401 digits"),
        (np.array([(1.0, 2.0), (3.0, 4.0)], dtype=[("a", float), ("b", float)]), TypeError, "structured_to_unstructured"),
        (np.array([["2020-01-01", "2020-01-02"]] * 3, dtype="M8[D]"), ValueError, "^X holds dates or times, not numbers"),
        ({"a": [1, 2, 3]}, TypeError, "^X is a dict, and not rows: pandas.DataFrame"),
        ({1, 2}, TypeError, "^X is a set, and not rows"),
        (None, TypeError, "^X is None, and not rows"),
        ([1.0, 2.0, "x"], ValueError, "^X is a list of values, and not of rows"),
        (b"x.npy", TypeError, "^X is bytes, and not rows: a path is a str"),
        (X + 1j, ValueError, "^Complex data not supported"),
        (X[0], ValueError, "^Expected 2D array, got 1D array instead"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_is_no_table_of_numbers_is_refused_in_words(rows, kind, said):
    refused(rows, kind, said)


def test_a_series_and_a_lazy_frame_are_no_tables():
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    refused(pandas.Series(X[:, 0]), ValueError, "^Expected (2D array|a 2-dimensional container)")
    refused(polars.DataFrame(X).lazy(), TypeError, "^X is a lazy frame, .*: X.collect")


def test_iterators_are_for_fits_by_batches():
    for call in (es.KernelPCA(2).fit, es.TruncatedSVD(2).fit, es.PCA(2).fit(X).transform, es.PCA(2).fit(X).row_facts):
        with pytest.raises(TypeError, match="^X is an iterator, which .* does not take here: give the rows as an array, a frame or a file"):
            call(iter([X]))
    for call in (es.PCA().choose, es.describe, es.tune, es.PCA().report):
        with pytest.raises(TypeError, match="reads its rows more than once"):
            call(iter([X]))
    for estimator in (es.PCA(2), es.IncrementalPCA(2)):
        with pytest.raises(ValueError, match="^the iterator gave a row by itself, but it gives batches"):
            estimator.fit(iter(X))


def test_a_label_for_every_row_is_needed():
    with pytest.raises(ValueError, match=r"^y has shape \(2,\), but it takes one label for each of 20 rows"):
        es.tune(X, ["a", "b"])


def test_columns_beside_the_rows_have_one_value_per_row():
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    pyarrow = pytest.importorskip("pyarrow")
    pca = es.PCA(2).fit(X)
    for wrong, said in (({"g": X}, r"columns\['g'\] has 2 axes: it takes one value per row"), (pandas.Series(X[:, 0]), "columns is of type Series: it takes a frame or a dict")):
        with pytest.raises(ValueError, match=said):
            pca.supplementary(X, wrong)
    known = pca.supplementary(X, {"z": X[:, 0]}).correlations["z"]
    for frame_of in (pandas.DataFrame, polars.DataFrame, pyarrow.table):
        np.testing.assert_array_equal(pca.supplementary(X, frame_of({"z": X[:, 0]})).correlations["z"], known)


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("format", "cvs"), ("member", 3), ("delimiter", "ab"), ("decimal", ";"), ("header", "no"), ("columns", "a"), ("exclude", [1]), ("label_column", 3),
        ("id_column", 3), ("weight_column", 3), ("rows", 5), ("rows", (5, 2)), ("rows", (-1, 2)), ("missing_values", "NA"), ("sample", "x"), ("sample", 0),
        ("seed", -1), ("seed", None), ("transpose", 1), ("one_hot", "yes"), ("patch", -1), ("color", None), ("n_jobs", 0),
    ],
)  # fmt: skip
def test_a_wrong_option_of_read_is_named(option, value):
    with pytest.raises(ValueError, match=f"^{option}=.*: it takes "):
        es.read("x.csv", **{option: value})


def test_a_folder_is_no_place_for_a_page(tmp_path):
    with pytest.raises(IsADirectoryError, match="is a folder: a page is written to a file, such as .*report.html"):
        es.PCA().report(X, tmp_path)


@pytest.mark.parametrize(("estimator", "name"), [(es.PCA, "PCA"), (es.KernelPCA, "KernelPCA")])
def test_a_parameter_that_does_not_exist_is_refused_by_the_class(estimator, name):
    with pytest.raises(TypeError, match=rf"^{name}.__init__\(\) got an unexpected keyword argument 'n_component'"):
        estimator(n_component=2)


@pytest.mark.parametrize("make", [np.asfortranarray, lambda x: x[:, ::-1], lambda x: np.repeat(x, 2, axis=0)[::2], lambda x: x.astype(object), lambda x: x.astype(">f8")])
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)
def test_numbers_in_any_memory_are_the_same_numbers(make, estimator):
    given = make(X)
    given.setflags(write=False)
    np.testing.assert_allclose(clone(estimator).fit_transform(given), clone(estimator).fit_transform(np.array(given, dtype=float)), atol=1e-12)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)
def test_copies_of_a_model_are_the_model(estimator):
    model = clone(estimator).fit(frame())
    for other in (copy.copy(model), copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(other.transform(frame()), model.transform(frame()))
        assert list(other.get_feature_names_out()) == list(model.get_feature_names_out())
        assert list(other.feature_names_in_) == list("abcd")
    assert not hasattr(clone(model), "n_features_in_")


WRONG = [None, "x", -1, 2.5, float("nan"), [1], True]


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("share", lambda pca, value: pca.choose(X, share=value)),
        ("n_draws", lambda pca, value: pca.choose(X, n_draws=value)),
        ("quantile", lambda pca, value: es.choose(X, quantile=value)),
        ("n_folds", lambda pca, value: pca.choose(X, n_folds=value)),
        ("n_splits", lambda pca, value: pca.choose(X, n_splits=value)),
        ("max_rows", lambda pca, value: pca.choose(X, max_rows=value)),
        ("n_components", lambda pca, value: pca.row_facts(X, n_components=value)),
        ("level", lambda pca, value: pca.row_facts(X, level=value)),
        ("n_components", lambda pca, value: pca.residual_rows(X, n_components=value)),
        ("n_components", lambda pca, value: pca.rotate(n_components=value)),
        ("rotation", lambda pca, value: pca.rotate(value)),
        ("kaiser", lambda pca, value: pca.rotate(kaiser=value)),
        ("kappa", lambda pca, value: pca.rotate("promax", kappa=value)),
        ("gamma", lambda pca, value: pca.rotate("oblimin", gamma=value)),
        ("n_replicates", lambda pca, value: pca.bootstrap(X, n_replicates=value)),
        ("level", lambda pca, value: pca.bootstrap(X, level=value)),
        ("n_components", lambda pca, value: pca.bootstrap(X, n_components=value)),
        ("n_samples", lambda pca, value: pca.sample(value)),
        ("random_state", lambda pca, value: pca.sample(random_state=value)),
        ("which", lambda pca, value: pca.column_table(value, X)),
        ("columns", lambda pca, value: pca.supplementary(X, value)),
        ("kind", lambda pca, value: pca.plot(None if value == "x" else value, X)),
        ("x", lambda pca, value: pca.plot_scores(X, x=value)),
        ("y", lambda pca, value: pca.plot_scores(X, y=value)),
        ("color", lambda pca, value: pca.plot_scores(X, color=value)),
        ("width", lambda pca, value: pca.plot_scree(width=value)),
        ("dark", lambda pca, value: pca.plot_scree(dark=value)),
        ("title", lambda pca, value: pca.plot_scree(title=value)),
        ("force", lambda pca, value: es.PCA().report(X, force=value)),
        ("path", lambda pca, value: pca.save(value)),
        ("path", lambda pca, value: es.load(value)),
        ("path", lambda pca, value: es.PCA().report(X, value)),
        ("paths", lambda pca, value: es.read(value)),
        ("kernel", lambda pca, value: es.tune(X, kernel=value)),
        ("n_components", lambda pca, value: es.tune(X, n_components=[0] if value == [1] else value)),
        ("criterion", lambda pca, value: es.tune(X, criterion=value)),
        ("classifier", lambda pca, value: es.tune(X, classifier=value)),
        ("n_neighbors", lambda pca, value: es.tune(X, n_neighbors=value)),
        ("pre_image", lambda pca, value: es.tune(X, pre_image=value)),
        ("n_folds", lambda pca, value: es.tune(X, n_folds=value)),
        ("n_draws", lambda pca, value: es.tune(X, n_draws=value)),
        ("max_fits", lambda pca, value: es.tune(X, max_fits=value)),
    ],
)
def test_a_wrong_value_of_a_functions_parameter_names_it(name, call):
    pca = es.PCA(3).fit(X)
    # What is right for some of them.
    takes = {
        "share": [True], "n_components": [None], "kaiser": [True], "kappa": [2.5], "gamma": [-1, 2.5], "random_state": [None], "x": [None, "x"],
        "y": [None, "x"], "color": [None, [1], "x"], "width": [None], "dark": [True], "title": [None, "x"], "force": [True], "path": [None, "x"],
        "paths": ["x"], "kernel": [None, "x"], "criterion": [None],
    }  # fmt: skip
    for value in WRONG:
        if any(value is right or value == right and type(value) is type(right) for right in takes.get(name, [])):
            continue
        with pytest.raises((ValueError, TypeError)) as error:
            call(pca, value)
        said = str(error.value)
        assert name in said and ("it takes" in said or "at least" in said), said
        for word in ("usize", "f64", "invalid type", "expected value", "NoneType' object"):
            assert word not in said, said
