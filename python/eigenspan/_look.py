"""Figures and reports, made by the engine from files; rows in memory are written to one first."""

from __future__ import annotations

import html
import json
import os
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import _get_feature_names, check_array

from . import _core
from ._kinds import Data, Look
from ._rows import _is_arrow, _opened, is_path
from ._warning import warn


class Figure:
    """A drawing that shows itself in a notebook."""

    def __init__(self, title: str, svg: str, draw: Any) -> None:
        self.title, self.svg, self._draw = title, svg, draw

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the drawing as .svg or .png."""
        self._draw(os.path.expanduser(path))

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"<Figure: {self.title}>"


class Report:
    """A page that shows itself in a notebook."""

    def __init__(self, page: str, path: str | None) -> None:
        self.html, self.path = page, path

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the page."""
        Path(path).expanduser().write_text(self.html, encoding="utf-8")

    def _repr_html_(self) -> str:
        # In a frame of its own: its style and script stay there.
        return f'<iframe srcdoc="{html.escape(self.html)}" width="100%" height="800" style="border: 0"></iframe>'

    def __repr__(self) -> str:
        return f"<Report: {self.path or 'not written'}>"


class Drawn:
    """Figures of a fitted model."""

    def plot_scree(self, **look: Any) -> Figure:
        """How many components: their shares, and what rules say. ``look`` is as for :meth:`plot`."""
        return self.plot("scree", **look)

    def plot_scores(self, X: Any, *, color: Any = None, **look: Any) -> Figure:
        """Rows on two components. ``look`` is as for :meth:`plot`."""
        return self.plot("scores", X, color=color, **look)

    def plot(self, kind: str, X: Any = None, *, color: Any = None, **look: Any) -> Figure:
        """A figure of the command line's ``plot``: scree, scores, pairs; of a PCA also biplot, circle, loadings, heatmap,
        contributions, cos2, reconstruction, outliers.

        X are the rows, for figures that show some; ``color`` is one value per row; ``x`` and ``y`` choose components
        (from 1), ``width`` and ``height`` the size in pixels, ``dark`` the paper. The figure shows itself in a
        notebook, and has ``save(path)`` (.svg or .png).
        """
        return figure(self, kind, X, color=color, **look)


def figure(
    estimator: Any,
    kind: str,
    X: Any,
    *,
    color: Any = None,
    x: Any = None,
    y: Any = None,
    width: int | None = None,
    height: int | None = None,
    dark: bool = False,
) -> Figure:
    """A figure of a fitted model."""
    model, options = estimator._fitted(), estimator._drawn_by()
    axis = [None if given is None else str(given) for given in (x, y)]
    in_file = isinstance(color, str) and X is not None and is_path(X)
    named = None if color is None else color if in_file else "color"
    look: Look = {"figure": kind, "x": axis[0], "y": axis[1], "color": named, "width": width, "height": height, "dark": dark}

    def draw(place: str) -> str:
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "model.safetensors")
            model.save(file)
            data = None if X is None else _data(estimator, X, None if in_file else color, folder)
            return _core.plot(file, data, options, look, place, estimator._means())

    with tempfile.TemporaryDirectory() as folder:
        place = os.path.join(folder, "figure.svg")
        title = draw(place)
        svg = Path(place).read_text(encoding="utf-8")
    return Figure(title, svg, draw)


def report(estimator: Any, X: Any, path: Any, *, force: bool) -> Report:
    """The page about a PCA of X."""
    options, _ = estimator._options()
    given = estimator.n_components is not None
    with tempfile.TemporaryDirectory() as folder:
        data = _data(estimator, X, None, folder)
        page = os.path.join(folder, "report.html") if path is None else os.path.expanduser(path)
        warn(_core.report(data, options, given, page, force, estimator._means()))
        text = Path(page).read_text(encoding="utf-8")
    return Report(text, None if path is None else os.fspath(path))


def _data(estimator: Any, X: Any, color: Any, folder: str) -> Data:
    """Where the rows are to be read from."""
    if is_path(X):
        several = [X] if isinstance(X, (str, os.PathLike)) else list(X)
        return {"paths": [os.path.expanduser(path) for path in several], "read": "{}"}
    if isinstance(X, _core.Rows):
        raise TypeError("a figure or a report of a table that was opened takes its path")
    names = _get_feature_names(X)
    if _is_arrow(X):
        X, names = _core.arrow_table(X.__arrow_c_stream__())
    X = _opened(X)
    if sparse.issparse(X):
        X = X.toarray()
    cells = np.ascontiguousarray(check_array(X, dtype=np.float64, ensure_all_finite=False))
    if names is None:
        known = getattr(estimator, "feature_names_in_", None)
        names = range(1, cells.shape[1] + 1) if known is None else known
    texts: list[tuple[str, list[str]]] = []
    read: dict[str, Any] = {}
    if color is not None:
        texts, read = [("color", [str(value) for value in np.asarray(color).tolist()])], {"label_column": "color"}
        if len(texts[0][1]) != cells.shape[0]:
            raise ValueError(f"{len(texts[0][1])} colors given for {cells.shape[0]} rows")
    place = os.path.join(folder, "data.arrow")
    _core.write_table(place, cells, [str(name) for name in names], texts)
    return {"paths": [place], "read": json.dumps(read)}
