"""A search for parameters of kernel PCA: what the program finds, in scikit-learn's manners."""

from __future__ import annotations

import json

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_circles

import eigenspan as es

RINGS, RING = make_circles(n_samples=90, factor=0.3, noise=0.05, random_state=0)


def test_it_finds_what_the_program_finds(program, tmp_path):
    np.savetxt(tmp_path / "rings.csv", np.c_[RINGS, RING], delimiter=",", header="x,y,ring", comments="", fmt=["%.17g", "%.17g", "%d"])
    grid = ("--kernel", "rbf(gamma=0.01..10:4)", "-k", "1,2,5", "--n-folds", "4", "--seed", "3")
    theirs = json.loads(program("tune", "kpca", tmp_path / "rings.csv", "--label-column", "ring", *grid, "--json"))
    asked = {"kernel": "rbf(gamma=0.01..10:4)", "n_components": [1, 2, 5], "n_folds": 4, "random_state": 3}
    from_file = es.tune(es.read(tmp_path / "rings.csv", label_column="ring"), **asked)
    for ours in (es.tune(RINGS, RING, **asked), from_file):
        results = ours.cv_results_
        assert list(results["kernel"]) == [cell["kernel"] for cell in theirs["results"]]
        for name in ("n_components", "mean", "standard_error", "values"):
            np.testing.assert_array_equal(results[name], np.array([cell[name] for cell in theirs["results"]], dtype=float))
        assert ours.best_params_["kernel"] == theirs["best"]["kernel"]
        assert ours.best_params_["n_components"] == theirs["best"]["n_components"]
        assert ours.simplest_params_["kernel"] == theirs["simplest"]["kernel"]
        assert ours.best_score_ == theirs["best"]["mean"]
        assert ours.criterion_ == "accuracy" and ours.more_is_better_ and ours.n_fits_ == 16
        assert set(results) == {"kernel", "param_gamma", "n_components", "mean", "standard_error", "values"}


def test_the_best_choice_is_fitted_to_all_rows():
    found = es.tune(RINGS, RING, kernel="rbf(gamma=[0.001, 2])", n_components=1)
    best = found.best_estimator_
    assert str(best.kernel) == found.best_params_["kernel"] and best.n_components == 1
    same = es.KernelPCA(1, kernel=found.best_params_["kernel"]).fit(RINGS)
    np.testing.assert_array_equal(best.transform(RINGS), same.transform(RINGS))
    assert not hasattr(es.tune(RINGS, RING, kernel="rbf(gamma=[0.001, 2])", n_components=1, refit=False), "best_estimator_")


def test_an_estimator_gives_its_other_parameters():
    kpca = es.KernelPCA(scale="std", fit_inverse_transform=True)
    found = es.tune(load_iris().data, method=kpca, kernel="rbf(gamma=[0.1, 1])", n_components=range(1, 4), n_folds=3)
    assert found.criterion_ == "reconstruction" and not found.more_is_better_
    assert found.best_params_["scale"] == "std" and found.best_estimator_.fit_inverse_transform
    assert not hasattr(kpca, "n_features_in_")


def test_labels_and_parallel_analysis_are_told_apart():
    found = es.tune(RINGS, criterion="parallel", kernel="rbf(gamma=[0.1, 2])", n_components="1..3", n_draws=5, refit=False)
    assert found.criterion_ == "parallel" and found.cv_results_["mean"].shape == (6,)


def test_it_shows_its_choices():
    found = es.tune(RINGS, RING, kernel="rbf(gamma=[0.001, 2])", n_components=[1, 2], refit=False)
    assert repr(found).startswith("Tuning: 4 choices by accuracy, 10 fits\nbest      ")
    with pytest.raises(ValueError):
        found.cv_results_["mean"][0] = 2


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"method": "pca"}, "method='pca': it takes 'kpca' or a KernelPCA"),
        ({"n_components": [0]}, "n_components=\\[0\\]: it takes counts from 1 on"),
        ({"kernel": "rbf(gamma="}, "kernel `rbf\\(gamma=`"),
        ({"n_folds": 1}, "n_folds=1: it takes a count of at least 2"),
        ({"criterion": "accuracy"}, "criterion = `accuracy`"),
        ({"criterion": "beauty"}, "beauty"),
        ({"max_fits": 3}, "3"),
        ({"refit": 1}, "refit=1: it takes True or False"),
        ({"scale": "big"}, "scale='big': it takes"),
    ],
)
def test_what_it_does_not_take_is_named(given, said):
    with pytest.raises(ValueError, match=said) as error:
        es.tune(RINGS, **given)
    assert "--" not in str(error.value)
