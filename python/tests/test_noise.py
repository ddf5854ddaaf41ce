"""The variance of what was left out keeps its digits, and is refused where there is none."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

import eigenspan as es


def eigenvalues(X):
    """By singular values, which square nothing."""
    return np.linalg.svd(X - X.mean(axis=0), compute_uv=False) ** 2 / (len(X) - 1)


@pytest.mark.filterwarnings("ignore::eigenspan.EigenspanWarning")
@pytest.mark.parametrize("largest", [3e5, 3e7, 1e8])
def test_noise_beside_a_far_larger_component_keeps_its_digits(largest, tmp_path):
    X = np.random.default_rng(0).normal(size=(200, 4)) * [largest, 3, 1, 1]
    # Columns this far apart are decomposed one by one: the small ones do not see the large one's rounding.
    want = eigenvalues(X / [largest / 1e3, 1, 1, 1])[2:].mean()
    p = es.PCA(2).fit(X)
    assert p.noise_variance_ == pytest.approx(want, rel=1e-4)
    assert np.isfinite(p.score(X))
    p.save(tmp_path / "m")
    assert es.load(tmp_path / "m").noise_variance_ == p.noise_variance_


def test_noise_of_breast_cancer_is_its_smallest_eigenvalues():
    X = load_breast_cancer().data
    values = eigenvalues(X)
    assert es.PCA(29).fit(X).noise_variance_ == pytest.approx(values[29], rel=1e-6)
    mle = es.PCA("mle").fit(X)
    assert mle.noise_variance_ == pytest.approx(values[mle.n_components_ :].mean(), rel=1e-6)


def test_a_repeated_column_never_leaves_noise():
    for seed in range(60):
        X = np.random.default_rng(seed).normal(size=(50, 3))
        X[:, 2] = X[:, 0]
        p = es.PCA(2).fit(X)
        assert p.noise_variance_ == 0
        for ask in (p.get_precision, lambda: p.score(X)):
            with pytest.raises(ValueError, match="singular"):
                ask()


@pytest.mark.parametrize("k", [0, 3])
@pytest.mark.parametrize("weights", [(1, 0), (0, 2), (2, 1), (1, 3)])
def test_a_weight_counts_rows_in_the_noise_too(k, weights):
    X = np.random.default_rng(1).normal(size=(20, 40))
    w = np.repeat(weights, 10)
    p = es.PCA(k).fit(X, sample_weight=w)
    assert p.noise_variance_ == pytest.approx(es.PCA(k).fit(np.repeat(X, w, axis=0)).noise_variance_)
