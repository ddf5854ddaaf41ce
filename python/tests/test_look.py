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


def test_figures_and_reports_write_no_temporary_file(iris, monkeypatch):
    import tempfile

    def refuse(*_args, **_kwargs):
        raise AssertionError("a temporary file")

    for name in ("TemporaryDirectory", "NamedTemporaryFile", "mkstemp", "mkdtemp"):
        monkeypatch.setattr(tempfile, name, refuse)
    monkeypatch.setenv("TMPDIR", "/nowhere")
    pca = es.PCA(2).fit(iris)
    assert "<svg" in pca.plot_scores(iris).svg
    assert "</html>" in es.PCA().report(iris).html


def test_sparse_rows_are_drawn_and_reported_without_becoming_dense(monkeypatch):
    sparse = pytest.importorskip("scipy.sparse")
    rows = sparse.random(300, 40, density=0.1, format="csr", random_state=0)
    dense = rows.toarray()

    def refuse(*_args, **_kwargs):
        raise AssertionError("dense rows")

    pca = es.PCA(3).fit(dense)
    expected = {kind: pca.plot(kind, dense) for kind in ("scores", "biplot", "outliers", "pairs")}
    page = es.PCA(3).report(dense).html
    for name in ("toarray", "todense"):
        monkeypatch.setattr(sparse.csr_matrix, name, refuse)
    for kind, figure in expected.items():
        assert pca.plot(kind, rows).title == figure.title
    sparse_page = es.PCA(3).report(rows).html

    def headline(html):
        return re.search(r"<h1.*?</p>", html, flags=re.S).group(0)

    assert headline(sparse_page) == headline(page)


def test_an_opened_table_is_drawn_and_reported():
    path = ROOT / "data/iris/iris.csv"
    rows = es.read(path)
    pca = es.PCA(2).fit(rows)
    for kind in ("scores", "biplot", "outliers"):
        assert pca.plot(kind, rows, color="species").svg == pca.plot(kind, path, color="species").svg
    assert es.PCA().report(rows).html == es.PCA().report(path).html
    with pytest.raises(ValueError, match="name of one of its columns"):
        pca.plot_scores(rows, color=[1, 2, 3])


def test_a_figure_has_its_numbers(iris):
    figure = es.PCA(2).fit(iris).plot_scores(iris)
    lines = figure.csv.splitlines()
    assert lines[0] == "row,pca0,pca1" and len(lines) == 151
    scores = np.array([line.split(",")[1:3] for line in lines[1:]], dtype=float)
    np.testing.assert_allclose(scores, es.PCA(2).fit_transform(iris), rtol=1e-12, atol=1e-12)


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


def test_a_kernel_pca_has_the_page_of_the_program(iris, tmp_path):
    rows = np.asarray(iris)[:, :4].astype(float)
    page = es.KernelPCA(2, kernel="rbf(gamma=0.3)").report(rows, tmp_path / "kpca.html")
    text = (tmp_path / "kpca.html").read_text(encoding="utf-8")
    assert page._repr_html_() and "rbf(gamma=0.3)" in text and "held out" in text
    with pytest.raises(ValueError, match="function of Python"):
        es.KernelPCA(2, kernel=lambda a, b: float(a @ b)).report(rows)
