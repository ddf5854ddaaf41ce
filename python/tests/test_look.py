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
