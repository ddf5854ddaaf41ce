"""Fits that are watched: lines on standard error, and functions that are called and may stop them."""

from __future__ import annotations

import pickle
import time

import numpy as np
import pytest
from sklearn.base import clone

from support import noise

import eigenspan as es
from eigenspan import _core
from eigenspan._watch import Watch

X = noise(300, 12)
ESTIMATORS = [es.PCA(2), es.KernelPCA(2, kernel="rbf"), es.IncrementalPCA(2), es.TruncatedSVD(2)]


def by_name(value):
    return type(value).__name__


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=by_name)
def test_a_fit_tells_its_stages_to_a_callback(estimator):
    seen = []
    watched = clone(estimator).set_params(callback=lambda *news: seen.append(news))
    watched.fit(X)
    assert seen and all(isinstance(stage, str) and done >= 0 and (total is None or total >= 0) for stage, done, total in seen)
    np.testing.assert_array_equal(watched.transform(X), clone(estimator).fit(X).transform(X))


def test_steps_are_never_more_than_their_number():
    seen = []
    rows = np.random.default_rng(0).normal(size=(2000, 300))
    es.PCA(5, solver="lanczos", callback=lambda *news: seen.append(news)).fit(rows)
    assert all(total is None or done <= total for _, done, total in seen)
    # The solver reads the rows many times, and does not know how often.
    assert any(done > 2000 and total is None for _, done, total in seen)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=by_name)
def test_a_callback_that_returns_true_stops_a_fit_and_leaves_the_model_before(estimator):
    watched = clone(estimator).fit(X)
    before = watched.transform(X)
    watched.set_params(callback=lambda stage, done, total: True)
    with pytest.raises(es.Stopped, match=f"the callback stopped {type(estimator).__name__} in the stage "):
        watched.fit(X[:200])
    np.testing.assert_array_equal(watched.set_params(callback=None).transform(X), before)


def test_a_callback_that_raises_stops_a_long_fit_soon():
    rows = np.random.default_rng(0).normal(size=(3000, 1200))

    def impatient(stage, done, total):
        raise ZeroDivisionError(stage)

    began = time.monotonic()
    with pytest.raises(ZeroDivisionError):
        es.PCA(solver="power", tol=1e-15, callback=impatient).fit(rows)
    assert time.monotonic() - began < 60


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=by_name)
def test_verbose_says_stages_on_standard_error_and_nothing_otherwise(estimator, capfd):
    name = type(estimator).__name__
    clone(estimator).set_params(verbose=True).fit(X)
    out, err = capfd.readouterr()
    assert out == "" and err and all(line.startswith(f"{name}: ") for line in err.splitlines())
    clone(estimator).fit(X).transform(X)
    assert capfd.readouterr() == ("", "")


def test_a_stage_is_said_once_a_second_at_most(capsys):
    watch = Watch("PCA", True, None)
    for done in range(0, 5000, 10):
        watch("reading", done, 5000)
    watch("solving", 7, None)
    assert capsys.readouterr().err == "PCA: reading\nPCA: solving 7\n"
    watch._shown -= 2
    watch("solving", 1200, 4800)
    assert capsys.readouterr().err == "PCA: solving 1,200 of 4,800 (25 %)\n"


def test_searches_choices_and_bootstraps_are_watched_too(capsys):
    seen = []
    es.tune(X[:60], kernel="rbf(gamma=[0.1, 1])", n_components=1, n_folds=3, refit=False, verbose=True, callback=lambda *news: seen.append(news))
    assert "tune: cross-validation" in capsys.readouterr().err
    assert ("cross-validation", 6, 6) in seen
    with pytest.raises(es.Stopped):
        es.PCA(callback=lambda *news: True).choose(X)
    pca = es.PCA(2).fit(X)
    with pytest.raises(es.Stopped):
        pca.set_params(callback=lambda *news: True).bootstrap(X)


def test_who_watches_is_no_part_of_a_model_file(tmp_path):
    es.PCA(2).fit(X).save(tmp_path / "plain")
    es.PCA(2, verbose=1, callback=print_nothing).fit(X).save(tmp_path / "watched")
    assert (tmp_path / "plain").read_bytes() == (tmp_path / "watched").read_bytes()
    again = es.load(tmp_path / "watched")
    assert again.verbose is False and again.callback is None
    assert pickle.loads(pickle.dumps(es.PCA(2, callback=print_nothing).fit(X))).callback is print_nothing


def print_nothing(stage, done, total):
    return None


def test_light_work_that_nobody_watches_goes_without_a_watch():
    assert es.PCA()._watched()["watch"] is None
    rows = _core.Rows.dense(X, None, None)
    assert _core.Model.fit("pca", "{}", rows, {"threads": 1, "memory": None}).n_rows == 300
