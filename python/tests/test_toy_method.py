"""Methods that only the engine's list knows, taken through Python: an estimator is one small class, and nothing else knows of it."""

from __future__ import annotations

import copy
import importlib.util
import inspect
import json
import pickle
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from support import ROOT, noise

import eigenspan as es
from eigenspan import _core
from eigenspan._base import Estimator, drawn_seed
from eigenspan._classes import Classifying
from eigenspan._look import Drawn
from eigenspan._parameters import COUNT, SEED, number, words
from eigenspan._saved import registered

if not hasattr(_core, "register_toys"):
    pytest.skip("the installed wheel has no toy methods: it is built with the feature as-tested", allow_module_level=True)

_core.register_toys()


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


@registered()
class ToyClasses(Drawn, Classifying):
    """Directions between the means of classes."""

    _method = "toy-classes"
    _takes = {"sharpness": number("a number above 0", lambda value: value > 0)}

    def __init__(self, *, sharpness: float = 1.0) -> None:
        self.sharpness = sharpness

    def _options(self) -> dict[str, Any]:
        return {"sharpness": float(self.sharpness)}


@registered()
class ToyPlaces(Drawn, Estimator):
    """The mean and the range of every row."""

    _method = "toy-places"
    _takes = {"missing": words("error", "drop")}

    def __init__(self, *, missing: str = "error") -> None:
        self.missing = missing

    def _options(self) -> dict[str, Any]:
        return {"missing": self.missing}


X = noise(40, 4)
CENTERED = X[:, :2] - X[:, :2].mean(axis=0)


def test_the_engines_list_knows_it():
    assert ("toy", "The first columns, centered") in _core.methods()
    about = json.loads(_core.schema("toy"))
    assert about["defaults"] == {"n_components": 2, "seed": 0}
    assert about["schema"]["properties"]["n_components"]["description"] == "Columns to keep, from the first on"
    _core.register_toys()
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


def test_it_is_described_and_reported_fitted_and_loaded(tmp_path):
    toy = Toy().fit(X)
    about = toy.describe()
    assert about["method"] == "toy" and "the toy method" in str(about) and "means" in str(about)
    page = toy.report()
    assert "a model of the toy method" in page.html
    assert "data in memory under model in memory" in toy.report(X, tmp_path / "page.html").html
    toy.save(tmp_path / "toy.safetensors")
    again = es.load(tmp_path / "toy.safetensors")
    assert again.report().html == page.html and str(again.describe()) == str(about)


def test_its_parameters_are_written_from_its_options():
    place = ROOT / "python/tools/write_options.py"
    spec = importlib.util.spec_from_file_location("write_options", place)
    tool = importlib.util.module_from_spec(spec)
    import sys

    sys.modules["write_options"] = tool
    spec.loader.exec_module(tool)
    names: dict[str, Any] = {}
    exec(compile(tool.module(), "_options.py", "exec"), names | {"__package__": "eigenspan"}, names)
    known = {name: inspect.signature(names[name]).parameters for name in names if name.startswith("Toy")}
    assert list(known) == ["ToyParameters", "ToyClassesParameters", "ToyPlacesParameters"]
    assert {"n_components", "random_state", "n_jobs"} <= set(known["ToyParameters"]) and "seed" not in known["ToyParameters"]
    assert known["ToyClassesParameters"]["sharpness"].default == 1.0
    assert "Columns to keep, from the first on" in names["ToyParameters"].__doc__


CLASSES = np.repeat(["left", "right"], 20)
PARTED = X + np.where(CLASSES == "left", 0.0, 30.0)[:, None]


def test_classes_are_learned_predicted_and_kept(tmp_path):
    toy = ToyClasses().fit(PARTED, CLASSES)
    assert toy.classes_.tolist() == ["left", "right"] and toy.n_components_ == 1
    assert toy.predict(PARTED).tolist() == CLASSES.tolist()
    probabilities = toy.predict_proba(PARTED)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    assert probabilities.argmax(axis=1).tolist() == np.repeat([0, 1], 20).tolist()
    toy.save(tmp_path / "toy.safetensors")
    for again in (es.load(tmp_path / "toy.safetensors"), pickle.loads(pickle.dumps(toy))):
        assert type(again) is ToyClasses and again.predict(PARTED).tolist() == CLASSES.tolist()
        np.testing.assert_array_equal(again.transform(PARTED), toy.transform(PARTED))
    assert ToyClasses().fit(PARTED, np.repeat([1, 2], 20)).predict(PARTED[:1]).tolist() == ["1"]
    with pytest.raises(ValueError, match="the toy of classes learns from classes, and these rows have no labels "):
        ToyClasses().fit(PARTED)
    with pytest.raises(ValueError, match=r"y has shape \(39,\), but it takes one label for each of 40 rows"):
        ToyClasses().fit(PARTED, CLASSES[1:])
    with pytest.raises(ValueError, match="sharpness"):
        ToyClasses(sharpness=-1.0).fit(PARTED, CLASSES)


def test_labels_of_a_file_are_classes(tmp_path):
    iris = es.read(ROOT / "data/iris/iris.csv", label_column="species")
    toy = ToyClasses().fit(iris)
    assert toy.classes_.tolist() == ["setosa", "versicolor", "virginica"]
    assert (toy.predict(iris) == np.array(iris.labels)).sum() == 139


def test_directions_are_drawn_described_and_reported():
    toy = ToyClasses().fit(PARTED, CLASSES)
    for kind in ("loadings", "heatmap"):
        assert "C1" in toy.plot(kind).svg
    with pytest.raises(ValueError, match="biplot shows correlations of columns with components, which are computed for PCA, and not for the toy of classes"):
        toy.plot("biplot", PARTED)
    assert "left, right" in str(toy.describe())
    assert 'id="part-loadings"' in toy.report().html
    assert 'id="part-loadings"' in toy.report(PARTED).html


def test_what_learned_no_classes_predicts_none():
    pca = es.PCA(2).fit(X)
    assert not hasattr(pca, "predict")
    rows = _core.Rows.dense(X, None, None)
    for wanted in (lambda: pca._model.predict(rows, pca._means()), lambda: pca._model.predict_proba(rows, pca._means()), lambda: pca._model.classes):
        with pytest.raises(ValueError, match="^PCA predicts no classes$"):
            wanted()


def test_an_embedding_without_new_rows_goes_through_every_call(tmp_path):
    expected = np.column_stack([X.mean(axis=1), np.ptp(X, axis=1)])
    toy = ToyPlaces()
    np.testing.assert_allclose(toy.fit_transform(X), expected, atol=1e-12)
    toy.save(tmp_path / "toy.safetensors")
    for again in (es.load(tmp_path / "toy.safetensors"), pickle.loads(pickle.dumps(toy)), copy.deepcopy(toy)):
        assert type(again) is ToyPlaces
        np.testing.assert_allclose(again._model.embedding, expected, atol=1e-12)
    assert "P1" in toy.plot("scores").svg
    assert "right" in toy.plot_scores(X, color=CLASSES).svg
    assert "mean and range" in str(toy.describe())
    assert 'id="part-scores"' in toy.report().html
    only_known = "the toy of places has coordinates only for the rows it was fitted to, not for new rows"
    with pytest.raises(ValueError, match=only_known):
        toy.transform(X)
    with pytest.raises(ValueError, match=only_known):
        toy.report(X)
    with pytest.raises(ValueError, match="12 rows given, but the toy of places has coordinates for the 40 rows it was fitted to alone"):
        toy.plot_scores(X[:12])
    with pytest.raises(ValueError, match="the toy of places has no way from coordinates back to rows"):
        toy.inverse_transform(expected)


def test_rows_that_a_fit_left_out_have_no_coordinates():
    holed = X.copy()
    holed[[3, 17], 1] = np.nan
    scores = ToyPlaces(missing="drop").fit_transform(holed)
    assert scores.shape == (40, 2) and np.isnan(scores[[3, 17]]).all()
    complete = ~np.isnan(holed).any(axis=1)
    np.testing.assert_allclose(scores[complete], np.column_stack([X.mean(axis=1), np.ptp(X, axis=1)])[complete], atol=1e-12)
