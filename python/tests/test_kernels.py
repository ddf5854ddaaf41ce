"""Kernels as values, beside scikit-learn's."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from sklearn.gaussian_process.kernels import Matern, RationalQuadratic
from sklearn.metrics import pairwise as sk

import eigenspan as es
from eigenspan import kernels

X = np.random.default_rng(0).random((30, 4))
Y = np.random.default_rng(1).random((20, 4))


@pytest.mark.parametrize(
    ("kernel", "theirs"),
    [
        (kernels.linear(), sk.linear_kernel),
        (kernels.poly(degree=2, gamma=0.5, coef0=2), lambda x, y: sk.polynomial_kernel(x, y, 2, 0.5, 2)),
        (kernels.poly(), sk.polynomial_kernel),
        (kernels.rbf(gamma=0.3), lambda x, y: sk.rbf_kernel(x, y, 0.3)),
        (kernels.rbf(sigma=2.0), lambda x, y: sk.rbf_kernel(x, y, 1 / 8)),
        (kernels.rbf(np.float32(0.5)), lambda x, y: sk.rbf_kernel(x, y, 0.5)),
        (kernels.laplacian(gamma=0.3), lambda x, y: sk.laplacian_kernel(x, y, 0.3)),
        (kernels.tanh(gamma=0.3, coef0=0.1), lambda x, y: sk.sigmoid_kernel(x, y, 0.3, 0.1)),
        (kernels.cosine(), sk.cosine_similarity),
        (kernels.chi2(gamma=0.7), lambda x, y: sk.chi2_kernel(x, y, 0.7)),
        (kernels.matern(nu=1.5, length=0.8), Matern(0.8, nu=1.5)),
        (kernels.matern(nu=np.inf, length=0.8), Matern(0.8, nu=np.inf)),
        (kernels.rational_quadratic(alpha=2, length=0.8), RationalQuadratic(length_scale=0.8, alpha=2)),
    ],
)
def test_base_kernels_are_theirs(kernel, theirs):
    np.testing.assert_allclose(kernels.matrix(kernel, X, Y), theirs(X, Y), atol=1e-13)
    np.testing.assert_allclose(kernels.matrix(str(kernel), X), theirs(X, X), atol=1e-13)


def test_algebra_is_that_of_matrices():
    a, b = kernels.rbf(gamma=0.3), kernels.poly(degree=2, gamma=1, coef0=1)
    ka, kb = kernels.matrix(a, X), kernels.matrix(b, X)
    np.testing.assert_allclose(kernels.matrix(a + b, X), ka + kb)
    np.testing.assert_allclose(kernels.matrix(a * b, X), ka * kb)
    np.testing.assert_allclose(kernels.matrix(0.5 * a, X), 0.5 * ka)
    np.testing.assert_allclose(kernels.matrix(b * 2, X), 2 * kb)
    np.testing.assert_allclose(kernels.matrix(kernels.exp(a), X), np.exp(ka))
    lengths = np.sqrt(np.diag(kb))
    np.testing.assert_allclose(kernels.matrix(kernels.normalize(b), X), kb / lengths[:, None] / lengths)


def test_a_function_of_a_row_weighs_a_kernel():
    def g(row):
        return 1 + row[0]

    kernel = kernels.rbf(gamma=0.3).weighted(g)
    weights = 1 + X[:, 0]
    want = weights[:, None] * sk.rbf_kernel(X, gamma=0.3) * weights
    np.testing.assert_allclose(kernels.matrix(kernel, X), want)
    assert str(kernel) == "weighted(g, rbf(gamma=0.3))" and kernel.verdict.startswith("positive semi-definite")
    kpca = es.KernelPCA(3, kernel=kernel).fit(X)
    ours = es.KernelPCA(3, kernel="precomputed").fit(want)
    np.testing.assert_allclose(kpca.eigenvalues_, ours.eigenvalues_)
    np.testing.assert_allclose(kpca.transform(X), ours.transform(want), atol=1e-9)
    for refused in (lambda: pickle.dumps(kernel), lambda: pickle.dumps(kpca), lambda: kpca.save("nowhere.safetensors")):
        with pytest.raises(ValueError, match="by a function of Python"):
            refused()
    with pytest.raises(TypeError, match="a function of a row"):
        kernels.linear().weighted(3)
    with pytest.raises(TypeError):
        kernels.matrix(kernels.linear().weighted(lambda row: "one"), X)
    with pytest.raises(ValueError, match="not a finite number"):
        kernels.matrix(kernels.linear().weighted(lambda row: np.inf), X)


def test_text_is_read_back_and_copies_are_the_same():
    kernel = 0.5 * kernels.rbf(gamma=0.1) + kernels.poly(degree=2, coef0=1) * kernels.normalize(kernels.linear())
    assert kernels.Kernel(str(kernel)) == kernel and hash(kernels.Kernel(str(kernel))) == hash(kernel)
    assert kernels.Kernel("linear") != kernel
    assert copy.deepcopy(kernel) is kernel and copy.copy(kernel) is kernel
    assert pickle.loads(pickle.dumps(kernel)) == kernel
    assert repr(kernel) == f"Kernel('{kernel}')"


def test_what_is_no_kernel_is_refused():
    for wrong in (lambda: kernels.rbf(gamma=-1), lambda: kernels.poly(degree=0), lambda: -1 * kernels.linear(), lambda: kernels.Kernel("rbf(")):
        with pytest.raises(ValueError):
            wrong()
    with pytest.raises(ValueError, match="rbf"):
        kernels.Kernel("gaus")
    with pytest.raises(ValueError, match="chi2 compares counts"):
        kernels.matrix("chi2", X - 1)
    assert kernels.tanh().verdict.startswith("not")
