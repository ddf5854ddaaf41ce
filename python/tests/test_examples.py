"""The examples in docstrings are run, and every public thing that takes data has one."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pkgutil

import pytest

import eigenspan as es

MODULES = sorted(f"eigenspan.{module.name}" for module in pkgutil.iter_modules(es.__path__) if module.name not in ("__main__", "_core"))


@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = doctest.testmod(importlib.import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE)
    assert found.failed == 0


def test_every_public_function_and_estimator_has_an_example():
    public = [getattr(es, name) for name in es.__all__]
    lacking = [
        one.__name__
        for one in public
        if (inspect.isfunction(one) or (inspect.isclass(one) and hasattr(one, "fit"))) and ">>> " not in (one.__doc__ or "")
    ]
    assert lacking == []


# Methods whose names and meanings are scikit-learn's: the example of the class is enough.
SCIKIT_LEARNS = {
    "fit",
    "fit_transform",
    "get_covariance",
    "get_feature_names_out",
    "get_precision",
    "inverse_transform",
    "partial_fit",
    "score",
    "score_samples",
    "transform",
}


@pytest.mark.parametrize("estimator", [es.PCA, es.KernelPCA, es.TruncatedSVD, es.IncrementalPCA])
def test_every_method_of_our_own_has_an_example(estimator):
    methods = {name: getattr(estimator, name, None) for name in dir(estimator) if not name.startswith("_")}
    ours = {
        name: method
        for name, method in methods.items()
        if inspect.isroutine(method) and method.__module__.startswith("eigenspan.") and name not in SCIKIT_LEARNS
    }
    assert {"save", "plot", "describe"} <= set(ours)
    assert sorted(name for name, method in ours.items() if ">>> " not in (method.__doc__ or "")) == []


def test_examples_of_methods_are_those_that_run():
    """`doctest` looks into classes for functions, and would pass over one that a decorator hides."""
    finder = doctest.DocTestFinder(exclude_empty=True)
    home = {}
    for name in MODULES:
        for found in finder.find(importlib.import_module(name)):
            if found.examples:
                home[found.name.removeprefix(f"{name}.")] = len(found.examples)
    for name in ["PCA.merge", "PCA.column_table", "PCA.report", "Interpreted.adequacy", "Interpreted.residual_rows", "Drawn.plot", "Fitted.save"]:
        assert home.get(name, 0) >= 4, name


@pytest.mark.parametrize("estimator", [es.PCA, es.KernelPCA, es.TruncatedSVD])
def test_choices_are_spelled_out_in_signatures(estimator):
    """A parameter that takes one of a few words says which, for editors and type checkers."""
    worded = [name for name, takes in estimator._takes.items() if takes.words.startswith("'") and name != "n_components"]
    assert worded
    for name in worded:
        kind = str(inspect.signature(estimator.__init__).parameters[name].annotation)
        assert "Literal[" in kind, f"{name}: {kind}"


def test_weights_are_a_named_parameter():
    for fit in (es.PCA.fit_transform, es.PCA.partial_fit):
        assert "sample_weight" in inspect.signature(fit).parameters
    # By keyword alone, since scikit-learn would otherwise compare directions that nothing varies in.
    assert "sample_weight : array of shape (n_samples,)" in es.PCA.fit.__doc__
    rows, weights = [[1.0, 5.0], [2.0, 3.0], [4.0, 4.0]], [1, 2, 1]
    assert es.PCA().fit(rows, sample_weight=weights).mean_.tolist() == [2.25, 3.75]
    with pytest.raises(TypeError, match="weight"):
        es.PCA().fit(rows, weight=weights)
