"""Copies of a fitted model are models of their own; what is saved is the model, whatever was set after the fit."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from support import noise

import eigenspan as es
from eigenspan import kernels

X = noise(50, 5)


@pytest.mark.parametrize("made", [lambda: es.PCA(2), lambda: es.IncrementalPCA(2)], ids=["PCA", "IncrementalPCA"])
@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda a: pickle.loads(pickle.dumps(a))])
@pytest.mark.parametrize("looked_at", [False, True])
def test_batches_that_come_to_a_copy_are_its_own(made, copied, looked_at):
    a = made().partial_fit(X[:20])
    before = a.components_ if looked_at else None
    b = copied(a)
    b.partial_fit(X[20:] + 100)
    a.partial_fit(X[20:25])
    assert a.n_samples_ == 25 and b.n_samples_ == 50
    assert np.allclose(a.mean_, X[:25].mean(axis=0)) and not np.allclose(a.mean_, b.mean_)
    assert before is None or not np.array_equal(before, b.components_)


def test_a_model_with_too_few_rows_yet_has_no_attributes():
    p = es.PCA(3).partial_fit(X[:2])
    for name in ("components_", "explained_variance_", "noise_variance_", "n_components_", "notes_", "plan_"):
        assert not hasattr(p, name)
    assert "components_" in dir(type(p)) and dir(p) and p._repr_html_()
    with pytest.raises(ValueError, match="3 components asked for, but 2 rows allow at most 2"):
        p.transform(X)
    p.partial_fit(X[2:])
    assert p.components_.shape == (3, 5)


def test_what_batches_can_never_have_is_refused_with_the_first():
    with pytest.raises(ValueError, match="n_components=9 must be between 0 and n_features=5 with partial_fit"):
        es.PCA(9).partial_fit(X)
    for asked in ("mle", "auto"):
        with pytest.raises(ValueError, match=f"n_components='{asked}' needs all rows at once"):
            es.PCA(asked).partial_fit(X)
        with pytest.raises(ValueError, match="needs all rows at once"):
            es.PCA(asked).fit(iter([X]))
        later = es.PCA().partial_fit(X).set_params(n_components=asked)
        with pytest.raises(ValueError, match="needs all rows at once"):
            later.transform(X)
        assert not hasattr(later, "components_")


@pytest.mark.parametrize(
    ("fitted", "later"),
    [
        (lambda: es.PCA(3).fit(X), {"n_components": 0}),
        (lambda: es.PCA(0).fit(X), {"n_components": 3}),
        (lambda: es.PCA(3).partial_fit(X[:30]), {"n_components": 0}),
        (lambda: es.PCA(3).fit(X), {"n_components": "mle", "whiten": True}),
        (lambda: es.KernelPCA(4, kernel="linear").fit(X[:, :2]), {"remove_zero_eig": True}),
        (lambda: es.KernelPCA(4, kernel="linear", remove_zero_eig=True).fit(X[:, :2]), {"remove_zero_eig": False}),
        (lambda: es.KernelPCA(None, kernel="linear").fit(X[:, :2]), {"n_components": 7}),
        (lambda: es.TruncatedSVD(2).fit(X), {"n_components": 4}),
        (lambda: es.IncrementalPCA(2).fit(X), {"n_components": 4}),
    ],
)
@pytest.mark.filterwarnings("ignore::eigenspan.EigenspanWarning")
def test_parameters_set_after_the_fit_do_not_change_what_is_saved(fitted, later, tmp_path):
    model = fitted()
    rows = X[:, : model.n_features_in_]
    scores = model.transform(rows)
    model.set_params(**later)
    assert np.array_equal(model.transform(rows), scores)
    model.save(tmp_path / "m")
    again = es.load(tmp_path / "m")
    assert again.get_params() == model.get_params()
    assert again.n_components_ == model.n_components_
    assert np.array_equal(again.transform(rows), scores)
    if hasattr(model, "partial_fit") and not isinstance(model, es.PCA):
        again.set_params(n_components=2).partial_fit(X)


class Named(es.PCA):
    def __init__(self, n_components=None, *, name="x"):
        super().__init__(n_components)
        self.name = name


def test_a_subclass_with_a_parameter_of_its_own_loads_as_our_class(tmp_path):
    model = Named(2, name="mine").fit(X)
    model.save(tmp_path / "m")
    again = es.load(tmp_path / "m")
    assert type(again) is es.PCA and again.n_components == 2
    assert np.array_equal(again.transform(X), model.transform(X))


def test_a_kernel_with_a_function_is_copied_and_says_why_it_is_not_written(tmp_path):
    weighted = kernels.linear().weighted(lambda row: 1 / (1 + row @ row))
    model = es.KernelPCA(2, kernel=weighted).fit(X)
    for again in (copy.copy(model), copy.deepcopy(model)):
        assert np.array_equal(again.transform(X), model.transform(X))
    # A figure needs no file.
    for figure in (model.plot_scree(), model.plot_scores(X)):
        assert "<svg" in figure.svg
    for write in (lambda: model.save(tmp_path / "m"), lambda: pickle.dumps(model)):
        with pytest.raises(ValueError, match="by a function of Python: neither model files nor pickle can hold it"):
            write()
