"""A parameter that is wrong is named, with what it takes, by every estimator and before a row is read."""

from __future__ import annotations

import numpy as np
import pytest

from support import noise

import eigenspan as es

ESTIMATORS = [es.PCA, es.IncrementalPCA, es.TruncatedSVD, es.KernelPCA]
PAIRS = [(estimator, name) for estimator in ESTIMATORS for name in estimator().get_params()]


class Nonsense:
    def __repr__(self):
        return "<nonsense>"


@pytest.mark.parametrize(("estimator", "name"), PAIRS, ids=lambda value: getattr(value, "__name__", value))
def test_a_wrong_value_of_any_parameter_names_it(estimator, name):
    right = [("n_jobs", -7), ("coef0", -7), ("coef0", 2.5), ("gamma", 2.5), ("alpha", 2.5), ("degree", 2.5)]
    for value in [Nonsense(), [1, 2], b"4", float("nan"), "no such word", -7, 2.5]:
        if (name, value) not in right:
            refuses(estimator, name, value)


def refuses(estimator, name, value):
    with pytest.raises(ValueError) as error:
        estimator(**{name: value}).fit(noise(20, 5))
    said = str(error.value)
    assert name in said, said
    assert "expected value" not in said and " at line " not in said


@pytest.mark.parametrize(
    ("estimator", "wrong", "said"),
    [
        (es.PCA, {"missing": None}, "missing=None: it takes 'error', 'drop', 'mean' or 'em'"),
        (es.PCA, {"center": "no"}, "center='no': it takes True or False"),
        (es.PCA, {"whiten": 1}, "whiten=1: it takes True or False"),
        (es.PCA, {"memory": "4GB"}, "memory='4GB': it takes a number of bytes of at least 1 or None"),
        (es.PCA, {"solver": None}, "solver=None: it takes 'auto', 'covariance'"),
        (es.PCA, {"tol": "tight"}, "tol='tight': it takes a residual"),
        (es.PCA, {"n_jobs": "all"}, "n_jobs='all': it takes a number of threads"),
        (es.PCA, {"scale": "most"}, "scale='most': it takes 'none', 'std', 'genotype', True, False or None"),
        (es.PCA, {"n_components": 1.5}, "n_components=1.5: it takes a count from 0 on, a share of the variance above 0 and at most 1, text such as '90%', 'mle', 'auto', 'all' or None"),
        (es.TruncatedSVD, {"algorithm": "other"}, "algorithm='other': it takes 'randomized' or 'arpack'"),
        (es.TruncatedSVD, {"n_components": None}, "n_components=None: it takes a count of at least 1"),
        (es.IncrementalPCA, {"batch_size": 0}, "batch_size=0: it takes a count of at least 1 or None"),
        (es.KernelPCA, {"kernel": 3}, "kernel=3: it takes text such as"),
        (es.KernelPCA, {"gamma": "wide"}, "gamma='wide': it takes a number"),
        (es.KernelPCA, {"missing": "em"}, "missing='em': it takes 'error', 'drop' or 'mean'"),
    ],
)
def test_the_text_says_what_it_takes(estimator, wrong, said):
    for fit in (estimator(**wrong).fit, estimator(**wrong).fit_transform):
        with pytest.raises(ValueError) as error:
            fit(noise(20, 5))
        assert str(error.value).startswith(said), str(error.value)
        # scikit-learn's own is both.
        assert isinstance(error.value, TypeError)


@pytest.mark.parametrize("estimator", [es.PCA, es.KernelPCA])
def test_plans_and_batches_look_at_parameters_too(estimator):
    with pytest.raises(ValueError, match="memory='4GB'"):
        estimator(memory="4GB").plan(noise(20, 5))
    with pytest.raises(ValueError, match="center='no'"):
        es.PCA(center="no").partial_fit(noise(20, 5))
    with pytest.raises(ValueError, match="center='no'"):
        es.PCA(center="no").report(noise(20, 5))


def test_values_of_numpy_are_values():
    X = noise(30, 5)
    pca = es.PCA(np.int64(2), whiten=np.bool_(True), tol=np.float32(1e-6), n_jobs=np.int32(1), random_state=np.uint32(3))
    assert pca.fit_transform(X).shape == (30, 2)
    assert es.KernelPCA(np.int8(2), kernel="rbf", gamma=np.float32(0.5), degree=np.int64(2)).fit_transform(X).shape == (30, 2)


@pytest.mark.parametrize("shape", [(4, 6), (6, 4)])
@pytest.mark.parametrize(("setting", "least"), [({}, 0), ({"svd_solver": "full"}, 0), ({"svd_solver": "randomized"}, 1), ({"solver": "qr"}, 0)])
def test_a_count_out_of_range_is_refused_in_scikit_learns_words(shape, setting, least):
    with pytest.raises(ValueError, match=rf"n_components=5 must be between {least} and min\(n_samples, n_features\)=4 with (svd_)?solver='"):
        es.PCA(5, **setting).fit(noise(*shape))


def frame(index):
    pandas = pytest.importorskip("pandas")
    X = noise(6, 3)
    X[2, 1] = np.nan
    return pandas.DataFrame(X, columns=["a", "b", "c"], index=index)


@pytest.mark.parametrize("estimator", [es.PCA(2), es.IncrementalPCA(2), es.TruncatedSVD(2), es.KernelPCA(2)])
def test_places_are_counted_from_0_or_named_as_the_frame_names_them(estimator):
    array = frame(None).to_numpy()
    with pytest.raises(ValueError, match="the first is row 2, column 1, counted from 0"):
        estimator.fit(array)
    with pytest.raises(ValueError, match='the first is row 2, column "b", counted from 0'):
        estimator.fit(frame(None))
    with pytest.raises(ValueError, match="the first is row 'r2', column \"b\""):
        estimator.fit(frame([f"r{i}" for i in range(6)]))
    estimator.fit(np.nan_to_num(array))
    with pytest.raises(ValueError, match="row 2, column 1, counted from 0"):
        estimator.transform(array)


def test_what_an_estimator_does_not_take_is_not_advised():
    with pytest.raises(ValueError, match=r'eigenspan\.PCA\(missing="mean"\) fills them'):
        es.IncrementalPCA(2).fit(frame(None))


def test_notes_count_columns_from_0():
    X = noise(50, 4) * [1, 1, 1e4, 1]
    X[:, 3] = 5
    with pytest.warns(es.EigenspanWarning, match="^the variance of column 2 is .* times that of column [01], so pca0 is only column 2"):
        pca = es.PCA().fit(X)
    assert any(note.startswith("column 3 is constant") for note in pca.notes_)


def test_a_negative_weight_is_named():
    with pytest.raises(ValueError, match=r"sample_weight\[3\] is -0.5, but weights are at least 0"):
        es.PCA().fit(noise(5, 2), sample_weight=[1, 1, 1, -0.5, 1])


def test_kernel_rows_are_counted_from_0():
    X = np.abs(noise(10, 3))
    X[4, 1] = -1
    with pytest.raises(ValueError, match="^row 4, counted from 0: "):
        es.KernelPCA(2, kernel="chi2").fit(X)
    K = np.eye(4)
    K[1, 3] = 1
    with pytest.raises(ValueError, match=r"\[(1, 3|3, 1)\] differs from \[(3, 1|1, 3)\]"):
        es.KernelPCA(2, kernel="precomputed").fit(K)


@pytest.mark.parametrize("sum_", [1.0, 1 + 1e-15, 1 - 1e-15, 0.5, 1.5, 1e-6])
def test_weights_that_sum_to_one_are_refused_or_divided_by_their_sum(sum_):
    from sklearn.datasets import load_wine

    X = load_wine().data
    weights = np.full(178, 1 / 178) * sum_
    for fit in (lambda: es.PCA(2, scale="std").fit(X, sample_weight=weights), lambda: es.PCA(2, scale="std").partial_fit(X, sample_weight=weights).components_):
        with pytest.raises(ValueError, match=r'weights sum to .* n − 1 .* \(convention="n" divides by the sum of the weights\)'):
            fit()
    known = es.PCA(2, convention="n", scale="std").fit(X)
    weighted = es.PCA(2, convention="n", scale="std").fit(X, sample_weight=weights)
    np.testing.assert_allclose(weighted.explained_variance_, known.explained_variance_, rtol=1e-9)


def test_weights_of_the_command_line_are_refused_alike(tmp_path):
    lines = ["a,b,w", *(f"{i % 7},{i * i % 5},0.05" for i in range(20))]
    (tmp_path / "x.csv").write_text("\n".join(lines) + "\n")
    with pytest.raises(ValueError, match='the row weights sum to 1, .*convention="n"'):
        es.PCA().fit(es.read(tmp_path / "x.csv", weight_column="w"))
