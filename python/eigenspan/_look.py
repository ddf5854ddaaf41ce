"""Figures and reports, made by the engine from files; rows in memory are written to one first."""

from __future__ import annotations

import html
import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import _get_feature_names, check_array

from . import _core
from ._hints import hints_for, warn
from ._kinds import About, Data, Look
from ._parameters import FLAG, PIXELS, InvalidParameter
from ._rows import is_arrow, is_path, of_arrow, opened

# What rows that are in no file are called on a page: the name of the file they are written to for its sake.
IN_MEMORY = "data in memory"


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
    for name, given, takes in (("width", width, PIXELS), ("height", height, PIXELS), ("dark", dark, FLAG)):
        if not takes.holds(given):
            raise InvalidParameter(f"{name}={given!r}: it takes {takes.words}")
    model = estimator._fitted()
    options = model.options
    if estimator.n_components_ == 0:
        raise ValueError("there is nothing to draw: the model keeps no component")
    axis = [None if given is None else str(given) for given in (x, y)]
    in_file = isinstance(color, str) and X is not None and is_path(X)

    def draw(place: str) -> str:
        with _folder() as folder:
            file = os.path.join(folder, "model")
            data, label, columns = (None, None, None) if X is None else _data(estimator, X, None if in_file else color, options, folder)
            _save(model, estimator._about(), file, X, columns)
            look: Look = {
                "figure": kind,
                "x": axis[0],
                "y": axis[1],
                "color": color if in_file else label,
                "width": None if width is None else int(width),
                "height": None if height is None else int(height),
                "dark": bool(dark),
            }
            return _core.plot(file, data, look, place, estimator._means())

    with tempfile.TemporaryDirectory() as folder:
        place = os.path.join(folder, "figure.svg")
        title = draw(place)
        svg = Path(place).read_text(encoding="utf-8")
    return Figure(title, svg, draw)


def report(estimator: Any, X: Any, path: Any, *, force: bool) -> Report:
    """The page about a PCA of X."""
    estimator._check()
    options = json.dumps(estimator._options())
    given = estimator.n_components is not None
    with _folder() as folder:
        data, _, _ = _data(estimator, X, None, options, folder)
        page = os.path.join(folder, "report.html") if path is None else os.path.expanduser(path)
        warn(_core.report(data, given, page, force, estimator._means()), hints_for(estimator))
        text = Path(page).read_text(encoding="utf-8")
    return Report(text, None if path is None else os.fspath(path))


@contextmanager
def _folder() -> Iterator[str]:
    """A folder for as long as it is needed; what goes wrong there is told without its name."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            yield folder
        except (ValueError, OSError) as error:
            if folder not in str(error):
                raise
            raise type(error)(str(error).replace(folder + os.sep, "")) from None


def _save(model: Any, about: About, file: str, X: Any, columns: list[str] | None) -> None:
    """Writes the model that a figure is drawn from, its columns named as those of the rows in memory are. Columns without names
    are counted from 0, as everywhere in Python; a file has its own."""
    own = model.names
    of_file = X is not None and columns is None
    if own is None and of_file:
        model.save(file, about)
    elif own is None:
        model.save(file, about, columns or _shown(range(model.n_cols)))
    else:
        model.save(file, about, _shown(own))


def _shown(names: Any) -> list[str]:
    """Names that a file can have: each once, and none of them empty."""
    shown: list[str] = []
    for j, name in enumerate(map(str, names)):
        shown.append(_unused(name or f"column {j}", shown))
    return shown


def _data(estimator: Any, X: Any, color: Any, options: str, folder: str) -> tuple[Data, str | None, list[str] | None]:
    """Where the rows are to be read from and what is fitted to them, the column of their colors, if they have such, and the names of
    rows in memory."""
    method = estimator._method
    if is_path(X):
        several = [X] if isinstance(X, (str, os.PathLike)) else list(X)
        return {"paths": [os.path.expanduser(path) for path in several], "read": "{}", "method": method, "options": options}, None, None
    if isinstance(X, _core.Rows):
        raise TypeError("a figure or a report of a table that was opened takes its path")
    names = None if is_arrow(X) else _get_feature_names(X)
    if is_arrow(X):
        X, names = of_arrow(X)
    X = opened(X)
    if sparse.issparse(X):
        X = X.toarray()
    cells = np.ascontiguousarray(check_array(X, dtype=np.float64, ensure_all_finite=False))
    if names is None:
        known = getattr(estimator, "feature_names_in_", None)
        names = range(cells.shape[1]) if known is None else known
    columns = _shown(names)
    texts: list[tuple[str, list[str]]] = []
    read: dict[str, Any] = {"format": "arrow"}
    label = None
    if color is not None:
        label = _unused(getattr(color, "name", None), columns)
        texts, read["label_column"] = [(label, [str(value) for value in np.asarray(color).tolist()])], label
        if len(texts[0][1]) != cells.shape[0]:
            raise ValueError(f"{len(texts[0][1])} colors given for {cells.shape[0]} rows")
    place = os.path.join(folder, IN_MEMORY)
    _core.write_table(place, cells, columns, texts)
    return {"paths": [place], "read": json.dumps(read), "method": method, "options": options}, label, columns


def _unused(name: Any, columns: list[str]) -> str:
    """What the colors are called: their own name or `color`, and never as a column of the rows."""
    known = name if isinstance(name, str) and name else "color"
    while known in columns:
        known += "'"
    return known
