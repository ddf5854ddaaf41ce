"""Missing cells under a kernel, be it the engine's or a function of Python; and precomputed matrices that are nearly symmetric."""

from __future__ import annotations

import numpy as np
import pytest
from support import noise

import eigenspan as es


def by_hand(x, y):
    return float(np.exp(-0.5 * ((x - y) ** 2).sum()))


KERNELS = ["rbf(gamma=0.5)", "linear", by_hand]


@pytest.fixture
def holed():
    X = noise(40, 3)
    X[7, 1] = np.nan
    return X


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_rows_left_out_have_no_scores(kernel, dtype, holed):
    holed = holed.astype(dtype)
    k = es.KernelPCA(2, kernel=kernel, missing="drop")
    scores = k.fit_transform(holed)
    assert scores.dtype == dtype and np.isnan(scores[7]).all() and np.isfinite(np.delete(scores, 7, axis=0)).all()
    assert np.allclose(k.transform(holed), scores, equal_nan=True)
    # What is set after the fit does not change the model; a row alone may be one without scores.
    k.set_params(missing="mean")
    assert np.isnan(k.transform(holed[7:8])).all()
    rest = es.KernelPCA(2, kernel=kernel).fit(np.delete(holed, 7, axis=0))
    assert np.allclose(rest.eigenvalues_, k.eigenvalues_) and k.n_samples_ == 39


@pytest.mark.parametrize("kernel", KERNELS)
def test_cells_filled_have_their_columns_mean(kernel, holed):
    k = es.KernelPCA(2, kernel=kernel, missing="mean").fit(holed)
    filled = holed.copy()
    filled[7, 1] = np.nanmean(holed[:, 1])
    assert np.allclose(k.transform(holed), es.KernelPCA(2, kernel=kernel).fit(filled).transform(filled))
    # New rows are filled with the training rows' means.
    assert np.allclose(k.transform(np.array([[1.0, np.nan, 2.0]])), k.transform(np.array([[1.0, filled[7, 1], 2.0]])))
    empty = holed.copy()
    empty[:39] = np.nan
    with pytest.raises(ValueError, match="2 are needed|1 row is too few"):
        es.KernelPCA(2, kernel=kernel, missing="drop").fit(empty)
    empty = holed.copy()
    empty[:, 1] = np.nan
    with pytest.raises(ValueError, match="column 1, counted from 0, has no value to take a mean of"):
        es.KernelPCA(2, kernel=kernel, missing="mean").fit(empty)


def test_a_function_that_gives_nan_is_not_told_to_fill_cells():
    X = noise(10, 3)
    with pytest.raises(ValueError, match="not finite numbers") as raised:
        es.KernelPCA(2, kernel=lambda x, y: float("nan")).fit(X)
    assert "missing" not in str(raised.value)


def test_a_function_compares_rows_in_memory(tmp_path):
    np.save(tmp_path / "x.npy", noise(10, 3))
    with pytest.raises(TypeError, match="compares rows in memory, not in a file"):
        es.KernelPCA(2, kernel=by_hand).fit(str(tmp_path / "x.npy"))
    k = es.KernelPCA(2, kernel=by_hand).fit(noise(10, 3))
    with pytest.raises(TypeError, match="compares rows in memory, not in a file"):
        k.transform(es.read(tmp_path / "x.npy"))


def test_a_kernel_matrix_of_32_bit_floats_may_be_off_by_their_rounding():
    X = noise(30, 4)
    whole = X @ X.T
    K = whole.astype(np.float32)
    K[3, 5] = np.nextafter(K[3, 5], np.float32(np.inf))
    k = es.KernelPCA(2, kernel="precomputed").fit(K)
    assert k.eigenvalues_.dtype == np.float32
    assert np.allclose(k.eigenvalues_, es.KernelPCA(2, kernel="precomputed").fit(whole).eigenvalues_, rtol=1e-5)
    K[3, 5] += np.float32(0.01) * np.abs(K).max()
    with pytest.raises(ValueError, match="symmetric"):
        es.KernelPCA(2, kernel="precomputed").fit(K)
    with pytest.raises(ValueError, match="symmetric"):
        es.KernelPCA(2, kernel="precomputed").fit(whole + np.triu(np.full_like(whole, 1e-6), 1))


def test_rows_that_are_all_the_same_have_no_component():
    k = es.KernelPCA().fit(np.ones((20, 3)))
    assert k.n_components_ == 0 and k.transform(np.ones((4, 3))).shape == (4, 0)


def test_all_components_of_an_indefinite_kernel_are_refused_as_in_scikit_learn():
    from sklearn.decomposition import KernelPCA

    X = noise(40, 3)
    for made in (KernelPCA, es.KernelPCA):
        with pytest.raises(ValueError, match="negative eigenvalues"):
            made(kernel="sigmoid", gamma=1.0).fit(X)
