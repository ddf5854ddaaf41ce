"""Warnings point at the user's line, and come once."""

from __future__ import annotations

import inspect
import subprocess
import sys
import warnings

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.pipeline import make_pipeline

from support import noise

import eigenspan as es

X, y = load_wine(return_X_y=True)


def fit_pipeline():
    make_pipeline(es.PCA(2), LogisticRegression(max_iter=10000)).fit(X, y)


def validate():
    cross_val_score(make_pipeline(es.PCA(2), LogisticRegression(max_iter=10000)), X, y, cv=KFold(5, shuffle=True, random_state=0))


def search():
    GridSearchCV(es.PCA(), {"n_components": [1, 2, 3]}, cv=4).fit(X)


def grow():
    pca = es.PCA(2).partial_fit(X[:90]).partial_fit(X[90:])
    pca.components_


def landmarks():
    es.KernelPCA(2, kernel="rbf(gamma=1e-5)", approximate="nystrom", n_landmarks=20).fit_transform(X)


def batches():
    es.PCA(2).fit(X[i : i + 50] for i in range(0, 178, 50))


def left_behind():
    es.PCA(1).fit(noise(50, 4)).partial_fit(noise(9, 4))


def integers():
    es.PCA(2).fit(np.arange(60).reshape(20, 3) * 7 % 11 + np.array([0, 2**60, 0]))


def files(tmp_path):
    (tmp_path / "x.csv").write_text("a,b,c\n" + "".join(f"{i},{i * i % 7},word{i % 3} and more\n" for i in range(20)))
    es.read(tmp_path / "x.csv")


@pytest.mark.parametrize("work", [fit_pipeline, validate, search, grow, landmarks, batches, left_behind, integers])
@pytest.mark.parametrize("action", ["default", "always"])
def test_a_warning_points_at_the_users_line_once(work, action):
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter(action)
        work()
    ours = [one for one in said if one.category is es.EigenspanWarning]
    kinds = {str(one.message).split(" ")[0] for one in ours}
    assert len(ours) >= 1 and (len(ours) == 1 or len(kinds) == len(ours)), [str(one.message) for one in ours]
    lines, first = inspect.getsourcelines(work)
    for one in ours:
        assert one.filename == __file__
        assert first < one.lineno < first + len(lines), (one.lineno, first)


def test_direct_fits_are_each_told_of_where_all_warnings_are_wanted():
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        for _ in range(3):
            es.PCA(2).fit(X)
    assert len(said) == 3


def test_a_new_filter_is_told_again():
    for _ in range(2):
        with pytest.warns(es.EigenspanWarning, match="the variance of"):
            validate()


def test_reading_notes_are_told_when_the_file_is_read(tmp_path):
    (tmp_path / "x.csv").write_text("a,b,c\n" + "".join(f"{i},{i * i % 7},word{i}\n" for i in range(20)))
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        rows = es.read(tmp_path / "x.csv", missing_values=["3"])
        told = len(said)
        pca = es.PCA(1, missing="mean").fit(rows)
        pca.transform(rows)
    assert len(said) == told
    assert all(one.filename == __file__ for one in said)


def test_a_script_that_validates_prints_one_warning(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import eigenspan as es\n"
        "from sklearn.datasets import load_wine\n"
        "from sklearn.model_selection import cross_val_score\n"
        "cross_val_score(es.PCA(2), load_wine().data, cv=5)\n"
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("EigenspanWarning") == 1 and "script.py:4: " in done.stderr
