"""Accuracies after reductions: the shapes of the result, what the engine and scikit-learn agree on, and refusals."""

import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine

import eigenspan as es

IRIS = load_iris()


def test_the_result_has_a_number_for_every_reduction_classifier_and_number_of_components():
    found = es.evaluate(IRIS.data, IRIS.target, after="none,pca,kpca", n_components=[1, 2, 6], n_folds=4)
    assert found.reductions_ == ["none", "pca", "kpca"] and found.classifiers_ == ["naive-bayes", "knn", "lda"]
    assert found.accuracy_.shape == (3, 3, 3) and found.fold_accuracy_.shape == (3, 3, 3, 4)
    # Four columns have no six components; kernel PCA has them.
    assert np.isnan(found.accuracy_[0]).all() and np.isnan(found.accuracy_[1, :, 2]).all() and np.isfinite(found.accuracy_[2]).all()
    means = found.fold_accuracy_[1:, :, :2].mean(axis=-1)
    assert np.allclose(means, found.accuracy_[1:, :, :2])
    errors = found.fold_accuracy_[1:, :, :2].std(axis=-1, ddof=1) / 2
    assert np.allclose(errors, found.standard_error_[1:, :, :2])
    assert set(found.chosen_n_components_[1].ravel()) <= {1, 2} and (found.chosen_n_neighbors_[:, 0] == 0).all()
    assert np.isnan(found.difference_[0]).all() and np.allclose(found.difference_[1:], found.nested_accuracy_[1:] - found.nested_accuracy_[0])
    assert found.guess_ < 0.35 and set(found.verdict_[1:].ravel()) <= {"better", "worse", "unclear"}
    assert "all 4 columns" in repr(found) and found.sentences_


def test_one_and_two_threads_give_the_same_bits():
    one, two = (es.evaluate(IRIS.data, IRIS.target, after="pca", n_components=2, n_jobs=n) for n in (1, 2))
    assert (one.fold_accuracy_ == two.fold_accuracy_).all()


def test_labels_without_meaning_are_not_predicted():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 5)), rng.integers(2, size=300)
    found = es.evaluate(X, y, after="none,pca", n_components="1..5")
    assert (found.nested_accuracy_ < 0.6).all()
    assert any("nothing shows that these columns predict the label" in text for text in found.sentences_)


def test_scaling_helps_neighbors_on_wine():
    wine = load_wine()
    plain, scaled = (es.evaluate(wine.data, wine.target, after=["none"], classifiers="knn", scale=scale) for scale in (False, True))
    assert plain.nested_accuracy_[0, 0] < 0.8 < 0.93 < scaled.nested_accuracy_[0, 0]


def test_a_plot_has_an_axes_for_every_classifier():
    pyplot = pytest.importorskip("matplotlib.pyplot")
    found = es.evaluate(IRIS.data, IRIS.target, after="none,pca", n_components="1..2", classifiers=["knn", "lda"])
    axes = found.plot()
    assert [ax.get_title() for ax in axes] == ["knn", "lda"]
    pyplot.close("all")


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"after": "pcaa"}, "`pcaa` is not a reduction"),
        ({"after": 3}, "after=3: it takes"),
        ({"classifiers": "svm"}, "classifiers='svm': it takes"),
        ({"n_neighbors": [0]}, r"n_neighbors=\[0\]: it takes"),
        ({"n_neighbors": 500}, "500 neighbors asked for"),
        ({"n_components": "1..30", "after": "none,pca"}, "30 components asked for, but none,pca can give at most 4 here"),
        ({"n_folds": 1}, "n_folds"),
        ({"max_fits": 3}, "max_fits allows 3"),
    ],
)
def test_what_cannot_be_compared_is_refused(asked, said):
    with pytest.raises((ValueError, TypeError), match=said):
        es.evaluate(IRIS.data, IRIS.target, **asked)


def test_labels_are_needed_and_must_be_classes():
    with pytest.raises(ValueError, match="the rows have no classes"):
        es.evaluate(IRIS.data)
    with pytest.raises(ValueError, match="look like a measurement"):
        es.evaluate(IRIS.data, IRIS.data[:, 0] + np.arange(150) / 1000)
