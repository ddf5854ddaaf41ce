"""Figures and reports, made by the engine from rows in place."""

from __future__ import annotations

import html
import json
import os
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import _get_feature_names

from . import _core
from ._axes import draw_on
from ._diagnosis import diagnosed
from ._hints import hints_for, warn
from ._kinds import Files, InMemory, Kept, Look
from ._parameters import AXIS, FLAG, NONE, PATH, PIXELS, InvalidParameter, Takes, require, words
from ._rows import WEIGHTS_OF_A_FILE, is_arrow, is_path, of_arrow, rows_in_memory


# Figures that `plot` draws.
Kind = Literal[
    "scree",
    "scores",
    "biplot",
    "circle",
    "loadings",
    "heatmap",
    "contributions",
    "cos2",
    "reconstruction",
    "outliers",
    "pairs",
    "pictures",
    "directions",
]


# The color of rows by how far a picture tears them from the rows nearest to them.
TORN = "torn"

TEXT = Takes("text", lambda value: isinstance(value, str)) | NONE


class Figure:
    """A drawing that shows itself in a notebook."""

    def __init__(self, title: str, svg: str, draw: Any, numbers: str = "") -> None:
        self.title, self.svg, self._draw = title, svg, draw
        self.csv = numbers

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the drawing as .svg or .png."""
        require(("path", path, PATH))
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
        require(("path", path, PATH))
        Path(path).expanduser().write_text(self.html, encoding="utf-8")

    def _repr_html_(self) -> str:
        # In an iframe, so that its style and script do not affect the notebook.
        return f'<iframe srcdoc="{html.escape(self.html)}" width="100%" height="800" style="border: 0"></iframe>'

    def __repr__(self) -> str:
        return f"<Report: {self.path or 'not written'}>"


class Drawn:
    """Figures of a fitted model."""

    def plot_scree(
        self,
        *,
        ax: Any = None,
        title: str | None = None,
        width: int | None = None,
        height: int | None = None,
        dark: bool = False,
    ) -> Figure | Any:
        """How many components: their shares, and what rules say. Parameters are those of :meth:`plot`.

        Examples
        --------
        >>> import eigenspan as es
        >>> from sklearn.datasets import load_iris
        >>> X = load_iris().data
        >>> es.PCA().fit(X).plot_scree().save("scree.svg")
        """
        return self.plot("scree", ax=ax, title=title, width=width, height=height, dark=dark)

    def plot_scores(
        self,
        X: Any,
        *,
        color: ArrayLike | str | None = None,
        ax: Any = None,
        title: str | None = None,
        x: int | str | None = None,
        y: int | str | None = None,
        width: int | None = None,
        height: int | None = None,
        dark: bool = False,
        sample_weight: ArrayLike | None = None,
    ) -> Figure | Any:
        """Rows on two components. Parameters are those of :meth:`plot`.

        Examples
        --------
        >>> import eigenspan as es
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> es.PCA(2).fit(X).plot_scores(X, color=y).save("scores.png")
        """
        return self.plot(
            "scores", X, color=color, ax=ax, title=title, x=x, y=y, width=width, height=height, dark=dark, sample_weight=sample_weight
        )

    def report(self, X: Any = None, path: Any = None, *, force: bool = False) -> Report:
        """The readable page about this fitted model; with X, about the rows of X under it. It shows itself in a notebook, and is written
        to ``path`` where one is given; ``force`` replaces a page of other data there.

        Examples
        --------
        >>> import eigenspan as es
        >>> from sklearn.datasets import load_iris
        >>> es.TruncatedSVD(2).fit(load_iris().data).report(path="svd.html")
        <Report: svd.html>
        """
        return model_report(self, X, path, force=force)

    def plot(
        self,
        kind: Kind,
        X: Any = None,
        *,
        color: ArrayLike | str | None = None,
        ax: Any = None,
        title: str | None = None,
        x: int | str | None = None,
        y: int | str | None = None,
        width: int | None = None,
        height: int | None = None,
        dark: bool = False,
        sample_weight: ArrayLike | None = None,
    ) -> Figure | Any:
        """A figure of the command line's ``plot``: scree, scores, pairs; of components that are directions among the columns loadings
        and heatmap; of a PCA also biplot, circle, contributions, cos2, reconstruction, outliers, directions.

        X are the rows, for figures that show some; ``color`` is one value per row, or 'torn': how far the picture tears each row from the
        10 rows nearest to it in X (1 less its continuity); ``x`` and ``y`` choose components
        (from 1), ``width`` and ``height`` the size in pixels, ``dark`` the paper; ``sample_weight`` is one weight per row of X.
        The figure shows itself in a notebook, and has ``save(path)`` (.svg or .png) and its numbers as ``csv``.

        ``ax`` are axes of matplotlib to draw those numbers on instead (of pairs an array of axes, one for each); they come
        back. ``title`` stands above the figure in place of the engine's own.

        Examples
        --------
        >>> import eigenspan as es
        >>> from sklearn.datasets import load_iris
        >>> X = load_iris().data
        >>> drawn = es.PCA().fit(X).plot("scree", title="Iris")
        >>> drawn
        <Figure: Iris>
        >>> drawn.save("iris.svg")
        """
        self._refuse_to_draw()
        look: dict[str, Any] = {"x": x, "y": y, "width": width, "height": height, "dark": dark}
        drawn = figure(self, kind, X, color=color, title=title, sample_weight=sample_weight, **look)
        return drawn if ax is None else draw_on(ax, kind, drawn.csv, drawn.title)

    def _refuse_to_draw(self) -> None:
        """Refuses a model that the engine cannot draw."""


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
    title: str | None = None,
    sample_weight: Any = None,
) -> Figure:
    """A figure of a fitted model."""
    require(("x", x, AXIS), ("y", y, AXIS), ("width", width, PIXELS), ("height", height, PIXELS), ("dark", dark, FLAG), ("title", title, TEXT))
    if not isinstance(kind, str):
        raise InvalidParameter(f"kind={kind!r}: it takes {words(*get_args(Kind)).words}")
    model, names, data, label = _shown_model(estimator, X, color, sample_weight)
    axis = [None if given is None else str(given) for given in (x, y)]
    look: Look = {
        "figure": kind,
        "x": axis[0],
        "y": axis[1],
        "color": label,
        "width": None if width is None else int(width),
        "height": None if height is None else int(height),
        "dark": bool(dark),
        "title": title,
    }

    def draw(place: str | None) -> tuple[str, str | None, str]:
        return _core.plot(model, names, data, look, place, estimator._means())

    said, svg, numbers = draw(None)
    return Figure(said, svg or "", draw, numbers)


def _shown_model(
    estimator: Any, X: Any, color: Any, sample_weight: Any
) -> tuple[Any, list[str] | None, Files | InMemory | None, str | None]:
    """The model, the names of its columns, the rows that are seen with it, and the column that colors them."""
    model = estimator._fitted()
    if sample_weight is not None and model.method != "pca":
        raise TypeError(f"sample_weight is for a PCA: a {type(estimator).__name__} takes no weights of rows")
    if estimator.n_components_ == 0:
        raise ValueError("there is nothing to draw: the model keeps no component")
    # Columns without names are counted from 0, as everywhere in Python; a file has its own.
    data, label, columns = (None, None, _shown(range(model.n_cols))) if X is None else _data(estimator, X, color, sample_weight)
    return model, columns if model.names is None else _shown(model.names), data, label


def model_report(estimator: Any, X: Any, path: Any, *, force: bool) -> Report:
    """The page about a fitted model, alone or with the rows of X."""
    require(("force", force, FLAG), ("path", path, PATH | NONE))
    model, names, data, _ = _shown_model(estimator, X, None, None)
    page, notes = _core.model_report(model, names, data, _place(path), bool(force), estimator._means())
    # Those of the fit were shown when it ran.
    warn([note for note in notes if note not in model.notes], hints_for(estimator))
    return Report(page, None if path is None else os.fspath(path))


def _place(path: Any) -> Any:
    """Where a page is written, if anywhere."""
    place = None if path is None else os.path.expanduser(path)
    if place is not None and os.path.isdir(place):
        raise IsADirectoryError(f"{place} is a folder: a page is written to a file, such as {os.path.join(place, 'report.html')}")
    return place


def report(estimator: Any, X: Any, path: Any, kept: Kept, options: dict[str, Any], *, force: bool, sample_weight: Any) -> Report:
    """The page about a PCA of X with these options of the engine, and the rule for the number of its components."""
    return _reported(estimator, X, path, options, force, _core.report, kept, sample_weight)


def method_report(estimator: Any, X: Any, path: Any, kernel: _core.Kernel | None, *, force: bool) -> Report:
    """The page about another method fitted to X."""
    estimator._check()
    return _reported(estimator, X, path, estimator._options(), force, _core.method_report, kernel, None)


def _reported(estimator: Any, X: Any, path: Any, options: dict[str, Any], force: bool, make: Any, given: Any, sample_weight: Any) -> Report:
    """The page that the engine makes; `given` is what it takes beside the options."""
    require(("force", force, FLAG), ("path", path, PATH | NONE))
    data, _, _ = _data(estimator, X, None, sample_weight)
    page, notes = make(data, estimator._method, json.dumps(options), given, _place(path), bool(force), estimator._means())
    warn(notes, hints_for(estimator))
    return Report(page, None if path is None else os.fspath(path))


def _shown(names: Any) -> list[str]:
    """Names that a file can store: all different, and none empty."""
    shown: list[str] = []
    for j, name in enumerate(map(str, names)):
        shown.append(_unused(name or f"column {j}", shown))
    return shown


def rows_to_look_at(X: Any) -> Files | InMemory:
    """The rows in place, for any model."""
    return _data(None, X, None)[0]


def _data(estimator: Any, X: Any, color: Any, sample_weight: Any = None) -> tuple[Files | InMemory, str | None, list[str] | None]:
    """The rows where they lie, the column of their colors, if they have such, and the names of the columns of rows in memory."""
    if is_path(X) or (isinstance(X, _core.Rows) and X.is_table):
        if sample_weight is not None:
            raise ValueError(WEIGHTS_OF_A_FILE)
        if color is not None and not isinstance(color, str):
            raise ValueError("the color of rows in a file is the name of one of its columns")
        if isinstance(X, _core.Rows):
            return {"rows": X, "columns": [], "color": None}, color, None
        several = [X] if isinstance(X, (str, os.PathLike)) else list(X)
        return {"paths": [os.path.expanduser(path) for path in several], "read": "{}"}, color, None
    if isinstance(X, _core.Rows):
        names, rows = None, X
    else:
        with diagnosed(X):
            names = None if is_arrow(X) else _get_feature_names(X)
        if is_arrow(X):
            X, names = of_arrow(X)
        rows = rows_in_memory(X, sample_weight)
    if names is None:
        known = getattr(estimator, "feature_names_in_", None)
        names = range(rows.shape[1]) if known is None else known
    columns = _shown(names)
    if color is None:
        return {"rows": rows, "columns": columns, "color": None}, None, columns
    if isinstance(color, str) and color == TORN:
        return {"rows": rows, "columns": columns, "color": None}, color, columns
    label = _unused(getattr(color, "name", None), columns)
    listed = np.asarray(color)
    if listed.ndim != 1:
        raise InvalidParameter(f"color={color!r:.60}: it takes one value per row, or {TORN!r}; the name of a column is for rows in a file")
    colors = [str(value) for value in listed.tolist()]
    if len(colors) != rows.shape[0]:
        raise ValueError(f"{len(colors)} colors given for {rows.shape[0]} rows")
    return {"rows": rows, "columns": columns, "color": (label, colors)}, label, columns


def _unused(name: Any, columns: list[str]) -> str:
    """The name of the colors: their own name or `color`, but never that of a column of the rows."""
    known = name if isinstance(name, str) and name else "color"
    while known in columns:
        known += "'"
    return known
