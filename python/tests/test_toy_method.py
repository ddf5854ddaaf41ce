"""A method that only the engine's list knows, taken through Python: an estimator is one small class, and nothing else knows of it."""

from __future__ import annotations

import copy
import json
import pickle
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from support import noise

import eigenspan as es
from eigenspan import _core
from eigenspan._base import Estimator, drawn_seed
from eigenspan._look import Drawn
from eigenspan._parameters import COUNT, SEED
from eigenspan._saved import registered

if not hasattr(_core, "register_toy"):
    pytest.skip("the installed wheel has no toy method: it is built with the feature as-tested", allow_module_level=True)

_core.register_toy()


@registered()
class Toy(Drawn, Estimator):
    """The first columns, centered."""

    _method = "toy"
    _takes = {"n_components": COUNT, "random_state": SEED}

    def __init__(self, n_components: int = 2, *, random_state: Any = None) -> None:
        self.n_components = n_components
        self.random_state = random_state

    def _options(self) -> dict[str, Any]:
        return {"n_components": self._asked(), "seed": drawn_seed(self.random_state)}


X = noise(40, 4)
CENTERED = X[:, :2] - X[:, :2].mean(axis=0)


def test_the_engines_list_knows_it():
    assert ("toy", "The first columns, centered") in _core.methods()
    about = json.loads(_core.schema("toy"))
    assert about["defaults"] == {"n_components": 2, "seed": 0}
    assert about["schema"]["properties"]["n_components"]["description"] == "Columns to keep, from the first on"
    _core.register_toy()
    assert [name for name, _ in _core.methods()].count("toy") == 1


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_it_fits_and_transforms(dtype):
    rows = X.astype(dtype)
    toy = Toy().fit(rows)
    np.testing.assert_allclose(toy.transform(rows), CENTERED, atol=1e-6)
    np.testing.assert_array_equal(Toy().fit_transform(rows), toy.transform(rows))
    assert toy.transform(rows).dtype == dtype
    assert (toy.n_components_, toy.n_features_in_, toy.n_samples_, toy.notes_) == (2, 4, 40, [])
    assert list(toy.get_feature_names_out()) == ["toy0", "toy1"]


def test_frames_files_and_pipelines_are_what_they_are_for_every_estimator(tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=list("abcd"))
    frame.to_csv(tmp_path / "x.csv", index=False)
    toy = Toy().set_output(transform="pandas").fit(frame)
    assert list(toy.feature_names_in_) == list("abcd") and list(toy.transform(frame).columns) == ["toy0", "toy1"]
    np.testing.assert_allclose(Toy().fit(tmp_path / "x.csv").transform(tmp_path / "x.csv"), CENTERED, atol=1e-12)
    scores = make_pipeline(StandardScaler(), Toy(1)).fit_transform(X)
    assert scores.shape == (40, 1)
    assert clone(Toy(3)).n_components == 3


def test_a_plan_says_what_a_fit_ran():
    toy = Toy()
    plan = toy.plan(X)
    assert (plan["solver"], plan["reason"]) == ("full", "means are one sum")
    assert toy.fit(X).plan_ == plan


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_it_is_saved_loaded_pickled_and_copied(dtype, tmp_path):
    rows = X.astype(dtype)
    toy = Toy(3, random_state=7).fit(rows)
    toy.save(tmp_path / "toy.safetensors")
    for again in (es.load(tmp_path / "toy.safetensors"), pickle.loads(pickle.dumps(toy)), copy.deepcopy(toy)):
        assert type(again) is Toy and again.get_params() == toy.get_params()
        np.testing.assert_array_equal(again.transform(rows), toy.transform(rows))
        assert again.transform(rows).dtype == dtype


def test_a_file_that_names_no_class_becomes_the_class_of_its_method(tmp_path):
    from test_saved import rewritten

    place = tmp_path / "toy.safetensors"
    Toy(3, random_state=7).fit(X).save(place)
    rewritten(place, lambda about: about.pop("estimator"))
    again = es.load(place)
    assert type(again) is Toy and again.get_params() == {"n_components": 3, "random_state": 7}


def test_a_class_that_is_not_registered_is_saved_as_the_one_it_was_made_from(tmp_path):
    class Mine(Toy):
        pass

    class Alone(Estimator):
        _method = "toy"
        _options = Toy._options
        __init__ = Toy.__init__

    Mine(3).fit(X).save(tmp_path / "mine.safetensors")
    assert type(es.load(tmp_path / "mine.safetensors")) is Toy
    with pytest.raises(ValueError, match="Alone is not registered to be loaded"):
        Alone().fit(X).save(tmp_path / "alone.safetensors")


def test_it_is_drawn_where_it_has_what_the_figure_shows():
    toy = Toy().fit(X)
    figure = toy.plot_scores(X, color=np.repeat(["left", "right"], 20))
    for text in ("T1", "T2", "left", "right", "<svg"):
        assert text in figure.svg
    with pytest.raises(ValueError, match="scree shows a spectrum, and the toy method has none"):
        toy.plot_scree()
    with pytest.raises(ValueError, match="biplot shows directions in the columns, and the toy method has none"):
        toy.plot("biplot", X)


def test_what_it_does_not_have_is_refused_in_the_engines_words():
    toy = Toy().fit(X)
    with pytest.raises(ValueError, match="the toy method has no way from coordinates back to rows"):
        toy.inverse_transform(toy.transform(X))
    for name in ("explained_variance_", "explained_variance_ratio_", "residuals_", "total_variance_"):
        with pytest.raises(AttributeError, match=f"'Toy' object has no attribute '{name}'$"):
            getattr(toy, name)
    with pytest.raises(ValueError, match="only a model of PCA has this, not one of the toy method"):
        _core.pca_covariance(toy._model)
    with pytest.raises(ValueError, match="a model of the toy method has no kernel"):
        _core.kernel_of(toy._model)
    with pytest.raises(ValueError, match="the method `toy` takes no kernel"):
        _core.Model.fit("toy", "{}", _core.Rows.dense(X, None, None), toy._means(), es.kernels.linear())


def test_what_is_wrong_is_said_as_for_every_estimator():
    with pytest.raises(ValueError, match="n_components=0: it takes a count of at least 1"):
        Toy(0).fit(X)
    with pytest.raises(ValueError, match="5 components asked for"):
        Toy(5).fit(X)
    with pytest.raises(NotFittedError):
        Toy().transform(X)
    toy, holed = Toy().fit(X), X.copy()
    holed[3, 1] = np.nan
    with pytest.raises(ValueError, match="the first is row 3, column 1, counted from 0"):
        toy.transform(holed)
    with pytest.raises(ValueError, match="X has 3 features, but Toy is expecting 4 features as input"):
        toy.transform(X[:, :3])
    np.testing.assert_array_equal(toy.transform(X), Toy().fit(X).transform(X))
