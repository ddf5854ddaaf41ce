"""Figures, reports, and the examples in the documentation."""

from __future__ import annotations

import re

import numpy as np
import pytest

from support import ROOT, noise

import eigenspan as es


def test_a_scree_needs_the_model_alone(iris, tmp_path):
    figure = es.PCA().fit(iris).plot_scree()
    assert figure._repr_svg_().startswith("<svg") or "<svg" in figure.svg[:200]
    figure.save(tmp_path / "scree.png")
    assert (tmp_path / "scree.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(ValueError, match="no figure"):
        es.PCA().fit(iris).plot("pie")


def test_scores_are_drawn_with_colors(iris):
    pca = es.PCA().fit(iris)
    groups = np.repeat(["setosa", "versicolor", "virginica"], 50)
    figure = pca.plot_scores(iris, color=groups, x=1, y=3, dark=True)
    for text in ["setosa", "virginica", "<svg"]:
        assert text in figure.svg
    with pytest.raises(ValueError, match="3 colors given for 150 rows"):
        pca.plot_scores(iris, color=[1, 2, 3])


def test_a_report_is_a_page(tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(noise(60, 3), columns=["left", "middle", "right"])
    page = es.PCA().report(frame, tmp_path / "x.html")
    assert (tmp_path / "x.html").read_text() == page.html
    for text in ["left", "middle", "right", "</html>"]:
        assert text in page.html
    assert page._repr_html_().startswith("<iframe")
    assert es.PCA().report(ROOT / "data/iris/iris.csv").path is None
    (tmp_path / "mine.html").write_text("mine")
    with pytest.raises(FileExistsError, match="force=True"):
        es.PCA().report(frame, tmp_path / "mine.html")


def test_a_column_called_color_is_a_column(iris):
    pandas = pytest.importorskip("pandas")
    groups = np.repeat(["setosa", "versicolor", "virginica"], 50)
    for names in (["color", "b", "c", "d"], ["color", "color'", "target", "d"]):
        frame = pandas.DataFrame(iris, columns=names)
        for estimator in (es.PCA(2).fit(frame), es.KernelPCA(2, kernel="rbf").fit(frame)):
            for color in (groups, groups.tolist(), pandas.Series(groups, name="target"), pandas.Series(groups, name="color")):
                figure = estimator.plot_scores(frame, color=color)
                for text in ("setosa", "virginica"):
                    assert text in figure.svg
        biplot = es.PCA(2).fit(frame).plot("biplot", frame, color=groups)
        assert "setosa" in biplot.svg


def test_names_of_temporary_files_are_not_shown(iris):
    import tempfile

    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(iris, columns=["a", "b", "c", "d"])
    pca = es.PCA(2).fit(frame)
    shown = [pca.plot(kind, frame) for kind in ("scores", "biplot", "loadings", "outliers", "reconstruction", "pairs")]
    texts = [pca.plot_scree().svg, *(figure.svg for figure in shown), *(figure.title for figure in shown)]
    for X in (frame, iris, iris.astype(np.float32)):
        texts.append(es.PCA(2).report(X).html)
        assert "<title>" in texts[-1] and "data in memory" in texts[-1]
    for text in texts:
        for leaked in ("data.arrow", "model.safetensors", ".arrow", tempfile.gettempdir() + "/tmp"):
            assert leaked not in text
    with pytest.raises(ValueError) as error:
        es.PCA(2).report(frame.where(frame.a > 5))
    assert tempfile.gettempdir() not in str(error.value)


def test_the_estimator_shows_itself_in_a_notebook(iris):
    assert "PCA" in es.PCA(2).fit(iris)._repr_html_()


def test_the_examples_in_the_documentation_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = (ROOT / "docs/python.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", page, flags=re.M | re.S)
    assert len(blocks) >= 3
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, "docs/python.md", "exec"), names)
