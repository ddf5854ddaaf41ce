"""Saved and loaded models are the model: class, parameters, element type and all that they say."""

from __future__ import annotations

import json
import pickle
import warnings
from copy import deepcopy

import numpy as np
import pytest

from support import noise

import eigenspan as es

MODELS = {
    "pca": lambda X: es.PCA(3, whiten=True, scale="std", tol=1e-7, n_jobs=2).fit(X),
    "mle": lambda X: es.PCA("mle", svd_solver="full").fit(X),
    "share": lambda X: es.PCA(0.9).fit(X),
    "batches": lambda X: es.PCA(3).partial_fit(X[:50]).partial_fit(X[50:]),
    "incremental": lambda X: es.IncrementalPCA(3, batch_size=20).fit(X),
    "incremental by batches": lambda X: es.IncrementalPCA(3).partial_fit(X[:50]).partial_fit(X[50:]),
    "truncated": lambda X: es.TruncatedSVD(3, algorithm="arpack", random_state=7).fit(X),
    "kernel": lambda X: es.KernelPCA(3, kernel=es.kernels.rbf(0.3), fit_inverse_transform=True, alpha=0.1, pre_image="distances").fit(X),
    "kernel words": lambda X: es.KernelPCA(kernel="poly", degree=2, gamma=0.5).fit(X),
}
ATTRIBUTES = [
    "components_",
    "explained_variance_",
    "explained_variance_ratio_",
    "singular_values_",
    "mean_",
    "noise_variance_",
    "residuals_",
    "eigenvalues_",
    "eigenvectors_",
    "X_fit_",
    "var_",
    "n_samples_seen_",
    "batch_size_",
    "n_components_",
    "n_features_in_",
    "feature_names_in_",
    "notes_",
    "plan_",
]


def assert_same(got, want, X):
    assert type(got) is type(want)
    ours, theirs = got.get_params(), want.get_params()
    assert {name: str(value) for name, value in ours.items()} == {name: str(value) for name, value in theirs.items()}
    for name in ATTRIBUTES:
        assert hasattr(got, name) == hasattr(want, name), name
        if hasattr(want, name):
            a, b = getattr(got, name), getattr(want, name)
            np.testing.assert_array_equal(a, b, err_msg=name)
            assert getattr(a, "dtype", None) == getattr(b, "dtype", None), name
    np.testing.assert_array_equal(got.transform(X), want.transform(X))
    assert got.transform(X).dtype == want.transform(X).dtype
    assert list(got.get_feature_names_out()) == list(want.get_feature_names_out())


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.filterwarnings("ignore::eigenspan.EigenspanWarning")
def test_a_saved_model_comes_back_as_itself(model, dtype, tmp_path):
    X = noise(100, 6, dtype=dtype)
    fitted = MODELS[model](X)
    place = tmp_path / "model.safetensors"
    fitted.save(place)
    assert_same(es.load(place), fitted, X)
    for copied in (pickle.loads(pickle.dumps(fitted)), deepcopy(fitted)):
        assert_same(copied, fitted, X)


@pytest.mark.parametrize("estimator", [es.PCA(3), es.IncrementalPCA(3)])
def test_a_model_of_batches_goes_on_growing_after_a_file(estimator, tmp_path):
    X = noise(90, 6)
    half = estimator.partial_fit(X[:40])
    half.save(tmp_path / "half.safetensors")
    again = es.load(tmp_path / "half.safetensors").partial_fit(X[40:])
    assert_same(again, half.partial_fit(X[40:]), X)
    assert again.n_samples_ == 90


def test_names_of_columns_come_back(tmp_path):
    pandas = pytest.importorskip("pandas")
    X = pandas.DataFrame(noise(30, 3), columns=["a", "b", "c"])
    for fitted in (es.TruncatedSVD(2).fit(X), es.IncrementalPCA(2).fit(X), es.KernelPCA(2).fit(X)):
        fitted.save(tmp_path / "m.safetensors")
        assert_same(es.load(tmp_path / "m.safetensors"), fitted, X)


def rewritten(path, change):
    """A model file whose metadata was changed."""
    held = path.read_bytes()
    length = int.from_bytes(held[:8], "little")
    outer = json.loads(held[8 : 8 + length])
    inner = json.loads(outer["__metadata__"]["eigenspan"])
    change(inner)
    outer["__metadata__"]["eigenspan"] = json.dumps(inner)
    text = json.dumps(outer).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(len(text).to_bytes(8, "little") + text + held[8 + length :])


def test_a_model_file_of_before_loads_as_before(tmp_path):
    X, place = noise(40, 4, dtype=np.float32), tmp_path / "old.safetensors"
    fitted = es.PCA(2, whiten=True, random_state=5).fit(X)
    fitted.save(place)

    def forget(about):
        for key in ("estimator", "element"):
            del about[key]

    rewritten(place, forget)
    old = es.load(place)
    assert type(old) is es.PCA and old.whiten and old.random_state == 5 and old.n_components == 2
    assert old.components_.dtype == np.float64
    np.testing.assert_array_equal(old.components_.astype(np.float32), fitted.components_)


@pytest.mark.parametrize(
    ("fitted", "change", "said"),
    [
        (es.TruncatedSVD(2), {"class": "Popen"}, "the class 'Popen', which this version does not know"),
        (es.TruncatedSVD(2), {"class": "KernelPCA"}, "the class 'KernelPCA', which this version does not know"),
        (es.TruncatedSVD(2), {"parameters": {"shell": True}}, "parameters that TruncatedSVD does not know here: shell"),
        (es.PCA(2), {"class": "TruncatedSVD", "parameters": {}}, "a variance and a share for every component"),
    ],
)
def test_what_a_file_says_about_its_estimator_is_checked(fitted, change, said, tmp_path):
    place = tmp_path / "x.safetensors"
    fitted.fit(noise(40, 4)).save(place)
    rewritten(place, lambda about: about["estimator"].update(change))
    with pytest.raises(ValueError, match=said):
        es.load(place)


def test_the_program_reads_what_was_saved_and_says_the_element_type(program, tmp_path):
    X = noise(60, 5, dtype=np.float32)
    np.save(tmp_path / "x.npy", X)
    fitted = es.TruncatedSVD(2).fit(X)
    fitted.save(tmp_path / "svd.safetensors")
    program("transform", tmp_path / "svd.safetensors", tmp_path / "x.npy", "-o", tmp_path / "z.npy")
    np.testing.assert_array_equal(np.load(tmp_path / "z.npy"), fitted.transform(X))
    program("fit", "pca", tmp_path / "x.npy", "-k", 2, "-m", tmp_path / "pca.safetensors")
    assert es.load(tmp_path / "pca.safetensors").components_.dtype == np.float32


def test_loading_says_nothing_again(tmp_path):
    from sklearn.datasets import load_wine

    X = load_wine().data
    for fitted in (es.PCA(2), es.KernelPCA(2, approximate="nystrom", n_landmarks=20, kernel="rbf(gamma=1e-5)")):
        with pytest.warns(es.EigenspanWarning):
            fitted.fit(X)
        fitted.save(tmp_path / "wine.safetensors")
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert es.load(tmp_path / "wine.safetensors").notes_ == fitted.notes_


@pytest.mark.parametrize("model", MODELS)
def test_skops_loads_what_it_dumped(model):
    skops = pytest.importorskip("skops.io")
    X = noise(100, 6, dtype=np.float32)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", es.EigenspanWarning)
        fitted = MODELS[model](X)
        fitted.explained_variance_
    held = skops.dumps(fitted)
    unknown = skops.get_untrusted_types(data=held)
    assert all(name.startswith("eigenspan.") for name in unknown), unknown
    assert_same(skops.loads(held, trusted=unknown), fitted, X)


@pytest.mark.parametrize("model", MODELS)
def test_fitted_arrays_cannot_be_changed(model, tmp_path):
    X = noise(100, 6)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", es.EigenspanWarning)
        fitted = MODELS[model](X)
    fitted.save(tmp_path / "m.safetensors")
    for estimator in (fitted, es.load(tmp_path / "m.safetensors"), pickle.loads(pickle.dumps(fitted)), deepcopy(fitted)):
        scores = estimator.transform(X)
        arrays = 0
        for name in dir(estimator):
            if name.startswith("_") or not name.endswith("_"):
                continue
            try:
                value = getattr(estimator, name)
            except AttributeError:
                continue
            if isinstance(value, np.ndarray):
                arrays += 1
                with pytest.raises(ValueError, match="read-only"):
                    value *= -1
                with pytest.raises(ValueError, match="read-only"):
                    value[...] = 0
        assert arrays >= 4
        with pytest.raises((ValueError, AttributeError)):
            estimator.explained_variance_ *= 2
        with pytest.raises(AttributeError):
            estimator.explained_variance_ = np.ones(3)
        np.testing.assert_array_equal(estimator.transform(X), scores)
        # What is asked for anew is the asker's.
        scores *= 2


def test_names_of_columns_cannot_be_changed():
    pandas = pytest.importorskip("pandas")
    pca = es.PCA(2).fit(pandas.DataFrame(noise(30, 3), columns=["a", "b", "c"]))
    with pytest.raises(ValueError, match="read-only"):
        pca.feature_names_in_[0] = "z"
    pca.fit(noise(30, 3))
    assert not hasattr(pca, "feature_names_in_")


FAILS = {
    "columns": lambda estimator, X: estimator.fit(X[:1]),
    "NaN": lambda estimator, X: estimator.fit(np.full((9, 2), np.nan)),
    "count": lambda estimator, X: estimator.set_params(n_components=50).fit(np.ones((9, 2))),
    "parameter": lambda estimator, X: estimator.set_params(n_jobs="x").fit(np.ones((9, 2))),
    "file": lambda estimator, X: estimator.fit("no such file.csv"),
    "text": lambda estimator, X: estimator.fit(np.full((9, 2), "a")),
}


@pytest.mark.parametrize("model", ["pca", "batches", "incremental", "truncated", "kernel"])
@pytest.mark.parametrize("failure", FAILS)
def test_a_fit_that_fails_leaves_the_old_model_whole(model, failure):
    pandas = pytest.importorskip("pandas")
    X = noise(100, 6)
    estimator = MODELS[model](X)
    if model != "batches":
        X = pandas.DataFrame(X, columns=list("abcdef"))
        estimator.fit(X)
    before, scores = {k: v for k, v in vars(estimator).items() if k.endswith("_")}, estimator.transform(X)
    if (model, failure) == ("kernel", "count"):
        # It keeps as many as there are rows.
        failure = "parameter"
    with pytest.raises((ValueError, TypeError, OSError)):
        FAILS[failure](estimator, X.to_numpy() if hasattr(X, "to_numpy") else X)
    np.testing.assert_array_equal(estimator.set_params(n_components=3, n_jobs=None).transform(X), scores)
    assert before.keys() == {k for k in vars(estimator) if k.endswith("_")}
    assert estimator.n_features_in_ == 6


def test_batches_that_fail_leave_the_old_model_whole():
    X = noise(100, 6)
    for estimator in (es.PCA(3).fit(X), es.IncrementalPCA(3).fit(X)):
        scores = estimator.transform(X)
        with pytest.raises(ValueError):
            estimator.fit(iter([X[:20, :4], np.full((5, 4), np.nan)]))
        with pytest.raises(ValueError):
            estimator.fit(iter([]))
        np.testing.assert_array_equal(estimator.transform(X), scores)
    grown = es.PCA(3).partial_fit(X[:50])
    scores = grown.transform(X)
    with pytest.raises(ValueError):
        grown.partial_fit(np.full((5, 6), np.inf))
    np.testing.assert_array_equal(grown.transform(X), scores)
    np.testing.assert_array_equal(grown.partial_fit(X[50:]).components_, es.PCA(3).partial_fit(X[:50]).partial_fit(X[50:]).components_)
    never = es.PCA(3)
    with pytest.raises(ValueError):
        never.partial_fit(np.full((5, 6), np.inf))
    assert not hasattr(never, "n_features_in_")


def test_a_warning_made_an_error_leaves_the_old_model_whole():
    from sklearn.datasets import load_wine

    X = noise(100, 13)
    pca = es.PCA(2).fit(X)
    scores = pca.transform(X)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(es.EigenspanWarning):
            pca.fit(load_wine().data)
    np.testing.assert_array_equal(pca.transform(X), scores)
