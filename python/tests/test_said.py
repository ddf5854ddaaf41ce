"""What is said names things as the caller has them: parameters the class takes, columns from 0, rows by their names."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError
from support import noise

import eigenspan as es

X = noise(40, 4)


def holed(at=(7, 2)):
    cells = X.copy()
    cells[at] = np.nan
    return cells


def said(ask) -> str:
    with pytest.raises(Exception) as raised:
        ask()
    return str(raised.value)


# Integers that floats cannot hold.


@pytest.mark.parametrize(
    "large",
    [
        np.array([[2**63 + 5, 1], [2**63 + 1, 2], [2**63 + 9, 4]], dtype=np.uint64),
        np.array([[2**60 + 5, 1], [2**60 + 1, 2], [2**60 + 9, 4]], dtype=np.int64),
        pd.DataFrame({"a": [2**60 + 5, 2**60 + 1, 2**60 + 9], "b": [1, 2, 4]}),
        [[2**60 + 5, 1], [2**60 + 1, 2], [2**60 + 9, 4]],
        pd.DataFrame({"a": np.array([2**63 + 5, 2**63 + 1, 2**63 + 9], dtype=np.uint64), "b": [1, 2, 4]}),
    ],
    ids=["uint64", "int64", "frame", "list", "unsigned frame"],
)
def test_the_advice_on_large_integers_works(large):
    with pytest.warns(es.EigenspanWarning, match="beyond 2⁵³") as warned:
        es.PCA(1).fit(large)
    advice = str(warned[0].message).rpartition(" first (")[2].removesuffix(")")
    small = eval(advice, {"X": large, "np": np})  # the text between the parentheses is Python
    assert np.asarray(small, dtype=object)[:, 0].tolist() == [0, -4, 4]


# Places.


def test_columns_are_counted_from_zero_or_named():
    below = np.abs(X)
    below[7, 2] = -5
    frame = pd.DataFrame(below, columns=list("abcd"))
    assert "row 7, counted from 0: column 2 is -5" in said(lambda: es.KernelPCA(1, kernel="chi2").fit(below))
    assert "row 7, counted from 0: column \"c\" is -5" in said(lambda: es.KernelPCA(1, kernel="chi2").fit(frame))
    named = frame.set_index(pd.Index([f"r{i}" for i in range(40)]))
    assert "row 'r7': column \"c\" is -5" in said(lambda: es.KernelPCA(1, kernel="chi2").fit(named))
    empty = X.copy()
    empty[:, 2] = np.nan
    assert said(lambda: es.PCA(2, missing="mean").fit(empty)) == "column 2, counted from 0, has no value to take a mean of"
    empty = pd.DataFrame(empty, columns=list("abcd"))
    assert said(lambda: es.PCA(2, missing="mean").fit(empty)) == 'column "c" has no value to take a mean of'


def test_figures_of_unnamed_arrays_count_columns_from_zero():
    rows = np.random.default_rng(0).normal(size=(30, 4)) * [4, 3, 2, 1]
    svg = es.PCA(2, scale="std").fit(rows).plot("circle").svg
    assert all(f">{j}</text>" in svg for j in range(4)) and ">4</text>" not in svg


@pytest.mark.parametrize("bad", [-1, 4, 51, -(2**31)])
@pytest.mark.parametrize("made", [lambda: es.PCA(2), lambda: es.TruncatedSVD(2), lambda: es.KernelPCA(2)])
def test_a_sparse_cell_outside_the_matrix_is_refused(bad, made):
    S = sparse.csr_matrix(X)
    S.indices = S.indices.copy()
    S.indices[5] = bad
    assert said(lambda: made().fit(S)) == f"not a sparse matrix: row 1 has column {bad}, but columns go from 0 to 3"
    S = sparse.csc_matrix(X)
    S.indices = S.indices.copy()
    S.indices[41] = bad
    assert bad in range(40) or f"column 1 has row {bad}, but rows go from 0 to 39" in said(lambda: made().fit(S))


@pytest.mark.parametrize(
    ("index", "name"),
    [
        (pd.Index(np.arange(3, 43)), "10"),
        (pd.Index(np.arange(40) / 2), "3.5"),
        (pd.MultiIndex.from_product([["x"], np.arange(40)]), "('x', 7)"),
        (pd.date_range("2024-01-01", periods=40), "2024-01-08"),
        (pd.Index([f"r{i}" for i in range(40)]), "'r7'"),
    ],
)
def test_rows_of_a_frame_have_the_names_a_person_would_write(index, name):
    frame = pd.DataFrame(holed(), columns=list("abcd"), index=index)
    assert f"the first is row {name}, column \"c\"" in said(lambda: es.PCA(2).fit(frame))


# Parameters.


@pytest.mark.parametrize(
    ("made", "parameter"),
    [
        (lambda: es.KernelPCA(kernel="rbf", gamma=0), "gamma=0: it takes a number above 0"),
        (lambda: es.KernelPCA(alpha=0), "alpha=0: it takes a number above 0"),
        (lambda: es.KernelPCA(degree=0), "degree=0: it takes an integer from 1 to 100"),
        (lambda: es.KernelPCA(degree=2.5), "degree=2.5: it takes an integer from 1 to 100"),
        (lambda: es.KernelPCA(degree=101), "degree=101: it takes an integer from 1 to 100"),
        (lambda: es.KernelPCA(n_neighbors=1), "n_neighbors=1: it takes an integer of at least 2"),
    ],
)
def test_what_the_engine_refuses_is_refused_by_the_parameters_name(made, parameter):
    assert said(lambda: made().fit(X)).startswith(parameter)


@pytest.mark.parametrize(
    "made",
    [
        lambda: es.PCA(2, scale=np.True_),
        lambda: es.PCA(2, memory=10**30),
        lambda: es.PCA(2, memory=2**64),
        lambda: es.KernelPCA(2, scale=np.True_, memory=10**30),
        lambda: es.KernelPCA(2, kernel="poly", degree=100.0, gamma=1e-3),
        lambda: es.KernelPCA(2, kernel="rbf", fit_inverse_transform=True, pre_image="distances", n_neighbors=10**30),
        lambda: es.KernelPCA(2, kernel="rbf", fit_inverse_transform=True, pre_image="fixed-point", pre_image_max_iter=10**30),
        lambda: es.KernelPCA(2, kernel="rbf", approximate="nystrom", n_landmarks=10**30),
    ],
)
@pytest.mark.filterwarnings("ignore::eigenspan.EigenspanWarning")
def test_what_parameters_take_works(made):
    model = made().fit(X)
    scores = model.transform(X)
    assert np.isfinite(scores).all()
    if getattr(model, "fit_inverse_transform", False):
        assert model.inverse_transform(scores[:3]).shape == (3, 4)


@pytest.mark.filterwarnings("error")
def test_a_degree_beside_an_expression_is_warned_of():
    for kernel, given in (("poly + linear", {"degree": 7}), ("poly(degree=2)", {"degree": 4}), ("normalize(poly)", {"coef0": 2.0})):
        with pytest.warns(es.EigenspanWarning, match=f"{next(iter(given))}=.* counts for kernel='poly'"):
            es.KernelPCA(2, kernel=kernel, **given).fit(X)
    es.KernelPCA(2, kernel="poly", degree=2, coef0=2.0).fit(X)
    es.KernelPCA(2, kernel="linear", degree=7).fit(X)


# Hints.


@pytest.mark.parametrize("made", [es.TruncatedSVD, es.IncrementalPCA])
def test_hints_name_parameters_that_the_class_has(made):
    for rows in (holed(), sparse.csr_matrix(holed())):
        text = said(lambda rows=rows: made(2).fit(rows))
        assert 'eigenspan.PCA(missing="mean") fills them' in text and "PCA has" not in text
    assert 'missing="mean" fills them' in said(lambda: es.PCA(2).fit(holed()))
    assert "n_components=0.9 " not in said(lambda: es.TruncatedSVD(4).fit(X[:3])).replace("eigenspan.PCA(n_components=0.9) ", "")
    # What is set already is not advised.
    text = said(lambda: es.PCA(2, missing="mean", center=False).fit(holed()).transform(holed()))
    assert "not a finite number" not in text or "missing=" not in text


@pytest.mark.parametrize("made", [es.PCA, es.TruncatedSVD, es.IncrementalPCA])
def test_notes_name_parameters_that_the_class_has(made):
    wide = X * [1e6, 1, 1, 1]
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        notes = made(4 if made is es.PCA else 3).fit(wide).notes_
    # Without centering there are no variances to be unlike.
    assert warned or made is es.TruncatedSVD
    texts = [str(one.message) for one in warned] + notes
    for option in ("scale=", "solver="):
        for text in texts:
            at = text.find(option)
            assert at < 0 or made is es.PCA or text[:at].endswith("eigenspan.PCA("), text


def test_attributes_that_need_rows_name_the_method_that_takes_them():
    p = es.PCA(2).fit(X)
    for name in ("cos2", "correlations", "contributions"):
        with pytest.raises(AttributeError, match=rf"column_table\('{name}', X\) takes them from the rows") as raised:
            getattr(p, name + "_")
        assert "column_variances" not in str(raised.value)


# Kinds of errors.


def test_an_unfitted_model_is_not_fitted(tmp_path):
    for ask in (lambda: es.KernelPCA().save(tmp_path / "m"), es.KernelPCA().plot_scree, es.PCA().plot_scree, lambda: es.PCA().save(tmp_path / "m")):
        with pytest.raises(NotFittedError, match="is not fitted yet"):
            ask()


def test_what_is_no_table_or_model_is_said(tmp_path):
    with pytest.raises(ValueError, match="missing='mean' needs all rows at once"):
        es.PCA(2, missing="mean").fit(iter([X]))
    for other in ("x", es.KernelPCA(2).fit(X)):
        with pytest.raises(TypeError, match="merge takes a fitted PCA, not"):
            es.PCA().fit(X).merge(other)
    path = tmp_path / "i.csv"
    path.write_text("a,b\n1,2\n3,5\n")
    for option in ({"exclude": "a"}, {"rows": "1-10"}):
        with pytest.raises(ValueError, match=f"^{next(iter(option))}="):
            es.read(path, **option)
    with open(path) as file, pytest.raises(TypeError, match="pass the path of the file"):
        es.PCA().fit(file)


@pytest.mark.parametrize("look", [{"width": -5}, {"width": 300.5}, {"height": 0}, {"width": 2**40}, {"dark": 1}])
def test_a_figure_names_what_it_does_not_take(look):
    name, value = next(iter(look.items()))
    with pytest.raises(ValueError, match=f"^{name}={value}: it takes"):
        es.PCA(2).fit(X).plot_scree(**look)


def test_weights_that_overflow_are_said_to():
    with pytest.raises(ValueError, match="sample_weight sums to more than a 64-bit float can hold"):
        es.PCA(2).fit(X, sample_weight=np.full(40, 1e308))


# Small things.


def test_a_column_named_by_nothing_can_be_drawn():
    frame = pd.DataFrame(X, columns=["a", "", "c", "d"])
    assert es.PCA(2).fit(frame).plot_scores(frame).svg.endswith("</svg>\n")


def test_figures_and_plans_draw_no_random_number():
    for made in (es.PCA, es.KernelPCA):
        state = np.random.RandomState(0)
        model = made(2, random_state=state).fit(X)
        before = state.get_state()[1:3]
        model.plot_scree()
        model.plan(X)
        after = state.get_state()[1:3]
        assert before[1] == after[1] and np.array_equal(before[0], after[0])
