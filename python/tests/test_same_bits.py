"""The same numbers to the bit: over calls, copies, files, threads, and from the program."""

from __future__ import annotations

import json
import pickle
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy

import numpy as np
import pytest
from scipy import sparse

from support import ROOT, noise

import eigenspan as es

CASES = {
    "small": (noise(50, 6), {}),
    "tall": (noise(3000, 20), {"n_components": 5}),
    "wide": (noise(30, 200), {"n_components": 5}),
    "whitened": (noise(100, 10), {"whiten": True, "scale": "std"}),
    "f32": (noise(500, 30, dtype=np.float32), {"n_components": 0.9}),
    "columns": (np.asfortranarray(noise(2000, 30)), {"n_components": 4}),
    "sparse": (sparse.random(400, 60, density=0.05, random_state=0, format="csr"), {"n_components": 3}),
}


def assert_same(a, b, X):
    for name in ["components_", "explained_variance_", "mean_", "residuals_"]:
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name))
    np.testing.assert_array_equal(a.transform(X), b.transform(X))


@pytest.mark.parametrize("case", CASES)
def test_fit_transform_is_fit_then_transform(case):
    X, options = CASES[case]
    np.testing.assert_array_equal(es.PCA(**options).fit_transform(X), es.PCA(**options).fit(X).transform(X))


@pytest.mark.parametrize("case", CASES)
def test_copies_and_files_give_the_same_bits(case, tmp_path):
    X, options = CASES[case]
    pca = es.PCA(**options).fit(X)
    assert_same(pca, pickle.loads(pickle.dumps(pca)), X)
    assert_same(pca, deepcopy(pca), X)
    pca.save(tmp_path / "model.safetensors")
    loaded = es.load(tmp_path / "model.safetensors")
    np.testing.assert_array_equal(loaded.transform(X), pca.transform(X))
    np.testing.assert_array_equal(loaded.components_.astype(pca.components_.dtype), pca.components_)
    assert loaded.whiten == pca.whiten and loaded.n_features_in_ == pca.n_features_in_


@pytest.mark.parametrize("case", CASES)
def test_any_number_of_threads_gives_the_same_bits(case):
    X, options = CASES[case]
    one = es.PCA(n_jobs=1, **options).fit(X)
    for n_jobs in [2, 8, None, -1]:
        assert_same(one, es.PCA(n_jobs=n_jobs, **options).fit(X), X)


def test_eight_fits_at_once_give_the_same_bits():
    X = noise(2000, 60)
    one = es.PCA(10).fit(X)
    with ThreadPoolExecutor(8) as pool:
        for other in pool.map(lambda _: es.PCA(10).fit(X), range(16)):
            assert_same(one, other, X)


def test_eight_kernel_fits_at_once_give_the_same_bits():
    X = noise(600, 20)
    # One of its factors is asked of Python, whose lock the eight share.
    kernels = [es.kernels.rbf(), es.kernels.rbf().weighted(lambda row: 1 + row[0] ** 2)]
    want = [es.KernelPCA(3, kernel=kernel).fit_transform(X) for kernel in kernels]
    with ThreadPoolExecutor(8) as pool:
        for i, got in enumerate(pool.map(lambda i: es.KernelPCA(3, kernel=kernels[i % 2]).fit_transform(X), range(16))):
            np.testing.assert_array_equal(got, want[i % 2])


@pytest.mark.parametrize("shape", [(150, 4), (3000, 20), (40, 300)])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_the_program_gives_the_same_bits(program, tmp_path, shape, dtype):
    X = noise(*shape, dtype=dtype)
    data, model, scores = tmp_path / "x.npy", tmp_path / "x.safetensors", tmp_path / "z.npy"
    np.save(data, X)
    program("fit", "pca", data, "-k", 3, "-m", model, "-o", scores)
    theirs, ours = es.load(model), es.PCA(3).fit(X)
    np.testing.assert_array_equal(ours.components_, theirs.components_.astype(dtype))
    np.testing.assert_array_equal(ours.transform(X), np.load(scores))
    np.testing.assert_array_equal(es.PCA(3).fit_transform(str(data)), np.load(scores))


def test_the_program_reads_our_model(program, tmp_path, iris):
    model = tmp_path / "x.safetensors"
    pca = es.PCA(2).fit(ROOT / "data/iris/iris.csv")
    pca.save(model)
    about = json.loads(program("describe", model, "--json"))
    np.testing.assert_array_equal(about["explained_variance"], pca.explained_variance_)
    np.testing.assert_array_equal(about["components"], pca.components_)


@pytest.mark.parametrize(("n", "d", "k"), [(300, 200, 2), (300, 1000, 10), (2000, 600, 10), (1797, 64, 10)])
@pytest.mark.parametrize("end", ["npy", "csv", "arrow"])
def test_an_array_gives_the_bits_of_its_file_in_any_format(tmp_path, program, n, d, k, end):
    X = noise(n, d)
    place, scores, model = (tmp_path / name for name in (f"x.{end}", "scores.npy", "m.safetensors"))
    if end == "npy":
        np.save(place, X)
    if end == "csv":
        # As many digits as tell any two numbers apart.
        np.savetxt(place, X, delimiter=",", fmt="%.17g", header=",".join(f"c{i}" for i in range(d)), comments="")
    if end == "arrow":
        if not hasattr(es._core, "write_table"):
            pytest.skip("the installed wheel writes no tables: it is built with the feature as-tested")
        es._core.write_table(place, X, [f"c{i}" for i in range(d)], [])
    pca = es.PCA(k).fit(X)
    program("fit", "pca", place, "-k", k, "-m", model, "-o", scores)
    np.testing.assert_array_equal(np.load(scores), pca.transform(X))
    np.testing.assert_array_equal(es.load(model).components_, pca.components_)
