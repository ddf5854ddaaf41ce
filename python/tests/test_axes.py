"""Figures on axes of matplotlib: what is drawn are the numbers of the engine's own figures."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import pytest

from support import ROOT

import eigenspan as es
from eigenspan._axes import DRAWN, Numbers, draw_on

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
pyplot = pytest.importorskip("matplotlib.pyplot")

IRIS = ROOT / "data/iris/iris.csv"


@pytest.fixture
def ax():
    figure, axes = pyplot.subplots()
    yield axes
    pyplot.close(figure)


@pytest.fixture(scope="module")
def numbers(tmp_path_factory):
    """The numbers of every figure, as the program gives them."""
    import subprocess
    import sys

    def of(kind, *options):
        place = tmp_path_factory.mktemp("figure") / "figure.svg"
        words = ["plot", kind, str(IRIS), "--label-column", "species", "-o", str(place), "--json", *options]
        done = subprocess.run([sys.executable, "-m", "eigenspan", *words], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)["csv"]

    return of


def lines(text):
    return list(csv.reader(io.StringIO(text)))[1:]


def test_scree_bars_are_the_shares(ax, numbers):
    text = numbers("scree")
    assert draw_on(ax, "scree", text, "How many?") is ax
    heights = [bar.get_height() for bar in ax.patches]
    np.testing.assert_allclose(heights, [100 * float(line[1]) for line in lines(text)])
    assert ax.get_title() == "How many?"


def test_scores_are_points_with_a_legend_of_their_classes(ax, numbers):
    text = numbers("scores", "--color-by", "species")
    draw_on(ax, "scores", text, None)
    points = np.vstack([drawn.get_offsets() for drawn in ax.collections])
    given = np.array([[float(line[1]), float(line[2])] for line in lines(text)])
    np.testing.assert_allclose(np.sort(points, axis=0), np.sort(given, axis=0))
    assert len(ax.get_legend().get_texts()) == 3 and ax.get_xlabel() == "PC1" and ax.get_title() == ""


def test_values_of_a_number_have_a_color_bar(ax):
    text = "row,PC1,PC2,age\n" + "\n".join(f"{i},{i},{-i},{i / 7}" for i in range(30))
    draw_on(ax, "scores", text, None)
    assert len(ax.collections) == 1 and len(ax.figure.axes) == 2 and ax.get_legend() is None


@pytest.mark.parametrize("kind", [kind for kind in DRAWN if kind != "pairs"])
def test_every_figure_can_be_drawn(kind, ax, numbers):
    draw_on(ax, kind, numbers(kind), kind)
    assert ax.get_title() == kind and ax.has_data()
    ax.figure.canvas.draw()


def test_pairs_take_a_square_of_axes(numbers):
    text = numbers("pairs")
    k = len(Numbers(text).names) - 1
    figure, axes = pyplot.subplots(k, k, squeeze=False)
    draw_on(axes, "pairs", text, "all")
    assert axes[0, 0].get_title() == "all" and axes[k - 1, 0].get_xlabel() == "PC1"
    with pytest.raises(ValueError, match=f"pairs of {k} components take {k} × {k} axes"):
        draw_on(axes[0, 0], "pairs", text, None)
    pyplot.close(figure)


def test_loadings_have_whiskers_where_intervals_are_known(ax, numbers):
    text = numbers("loadings")
    draw_on(ax, "loadings", text, None)
    heads = Numbers(text).names
    assert "PC1 low" in heads
    assert [entry.get_text() for entry in ax.get_legend().get_texts()] == [name for name in heads[1:] if " " not in name]


def test_a_figure_without_numbers_or_axes_is_named(ax):
    with pytest.raises(ValueError, match="ax: the figure 'pictures' cannot be drawn on axes of matplotlib; these can: scree, scores"):
        draw_on(ax, "pictures", "x,y\n", None)
    with pytest.raises(ValueError, match="ax: the figure 'scree' has no numbers to draw"):
        draw_on(ax, "scree", "component,share,cumulative,null\n", None)


@pytest.mark.parametrize(
    "estimator",
    [es.PCA(2), es.KernelPCA(2, kernel="rbf(gamma=0.2)"), es.IncrementalPCA(2), es.TruncatedSVD(2)],
    ids=lambda estimator: type(estimator).__name__,
)
def test_every_estimator_draws_on_axes(estimator, ax, iris):
    estimator.fit(iris)
    scores = estimator.transform(iris)
    assert estimator.plot_scores(iris, ax=ax, title="mine") is ax
    np.testing.assert_allclose(ax.collections[0].get_offsets(), scores, rtol=1e-9, atol=1e-12)
    assert ax.get_title() == "mine"
    figure, other = pyplot.subplots()
    own = estimator.plot_scree()
    assert estimator.plot_scree(ax=other).get_title() == own.title != ""
    assert "mine" in estimator.plot_scree(title="mine").svg and own.title not in estimator.plot_scree(title="mine").svg
    pyplot.close(figure)
    with pytest.raises(ValueError, match="title=3: it takes text or None"):
        estimator.plot_scree(title=3)


def test_a_search_is_drawn_with_its_means_and_errors(ax):
    rows = np.random.default_rng(0).normal(size=(40, 3))
    found = es.tune(rows, kernel="rbf(gamma=[0.1, 1])", n_components=[1, 2], n_folds=3, refit=False)
    assert found.plot(ax=ax, title="search") is ax
    assert ax.get_title() == "search" and ax.get_ylabel() == "reconstruction"
    drawn = [line.get_ydata() for line in ax.lines]
    np.testing.assert_array_equal(drawn[0], found.cv_results_["mean"][:2])
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["best", "rbf(gamma=0.1)", "rbf(gamma=1)"]
    other = found.plot()
    assert other is not ax
    pyplot.close(other.figure)
