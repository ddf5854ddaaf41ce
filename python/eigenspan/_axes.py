"""Figures on axes of matplotlib, drawn from the numbers that every figure of the engine has; matplotlib is the caller's."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Colors that people with any kind of color vision tell apart (Okabe & Ito), and shapes for more classes than that.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
SHAPES = "osD^vPX"

# The most classes that a legend lists; for more values that are numbers, a color bar is drawn.
LISTED = 20


class Numbers:
    """The numbers behind a figure: columns by their names, in their order."""

    def __init__(self, text: str) -> None:
        lines = list(csv.reader(io.StringIO(text)))
        self.names = lines[0] if lines else []
        self.lines = lines[1:]

    def texts(self, at: int) -> list[str]:
        """A column as it is written."""
        return [line[at] for line in self.lines]

    def floats(self, at: int) -> NDArray[np.float64]:
        """A column of numbers; NaN for a cell without a number."""
        return np.array([float(cell) if cell else np.nan for cell in self.texts(at)])

    def where(self, at: int, value: str) -> Numbers:
        """The lines with this value in a column."""
        some = Numbers("")
        some.names, some.lines = self.names, [line for line in self.lines if line[at] == value]
        return some


def draw_on(ax: Any, kind: str, numbers: str, title: str | None) -> Any:
    """Draws a figure on axes of matplotlib and gives them back. `numbers` is the figure's CSV; a figure of several panels takes an
    array of axes, one for each panel."""
    draw = DRAWN.get(kind)
    if draw is None:
        raise ValueError(f"ax: the figure {kind!r} cannot be drawn on axes of matplotlib; these can: {', '.join(DRAWN)}")
    table = Numbers(numbers)
    if not table.lines:
        raise ValueError(f"ax: the figure {kind!r} has no numbers to draw")
    draw(ax, table)
    if title is not None:
        np.atleast_1d(np.asarray(ax, dtype=object)).flat[0].set_title(title)
    return ax


def _scree(ax: Any, table: Numbers) -> None:
    names, shares, null = table.texts(0), table.floats(1), table.floats(3)
    places = np.arange(len(names))
    ax.bar(places, 100 * shares, color=COLORS[0])
    if np.isfinite(null).any():
        ax.plot(places, 100 * null, color=COLORS[1], linestyle="--", label="permuted columns")
        ax.legend()
    ax.set_xticks(places, names)
    ax.set_ylabel("share of the variance (%)")


def _scores(ax: Any, table: Numbers) -> None:
    """Points; the columns are the row, one or two axes, and what they are colored by."""
    if len(table.names) == 2:
        _points(ax, table.floats(1), np.zeros(len(table.lines)), None, "")
        ax.set_yticks([])
    else:
        color = table.texts(3) if len(table.names) > 3 else None
        _points(ax, table.floats(1), table.floats(2), color, table.names[-1])
        ax.set_ylabel(table.names[2])
    ax.set_xlabel(table.names[1])


def _points(ax: Any, x: Any, y: Any, color: list[str] | None, name: str) -> None:
    if color is None:
        ax.scatter(x, y, s=12, color=COLORS[0])
        return
    classes = list(dict.fromkeys(color))
    if len(classes) > LISTED and all(_is_number(value) for value in classes):
        drawn = ax.scatter(x, y, s=12, c=[float(value) if value else np.nan for value in color], cmap="viridis")
        ax.figure.colorbar(drawn, ax=ax, label=name)
        return
    for i, value in enumerate(classes):
        of_class = np.array([one == value for one in color])
        look = {"color": COLORS[i % len(COLORS)], "marker": SHAPES[(i // len(COLORS) + i) % len(SHAPES)]}
        ax.scatter(x[of_class], y[of_class], s=12, label=value or "(none)", **look)
    ax.legend(title=name)


def _is_number(value: str) -> bool:
    try:
        float(value or "nan")
    except ValueError:
        return False
    return True


def _arrows(ax: Any, table: Numbers, first: int, color: str) -> None:
    """Columns as arrows from the origin, with their names."""
    x, y = table.floats(first), table.floats(first + 1) if first + 1 < len(table.names) else np.zeros(len(table.lines))
    for name, a, b in zip(table.texts(first - 1), x, y, strict=True):
        ax.annotate("", xy=(a, b), xytext=(0, 0), arrowprops={"arrowstyle": "->", "color": color})
        ax.annotate(name, xy=(a, b), color=color)


def _biplot(ax: Any, table: Numbers) -> None:
    rows, columns = table.where(0, "row"), table.where(0, "column")
    has_two = len(table.names) > 3
    _points(ax, rows.floats(2), rows.floats(3) if has_two else np.zeros(len(rows.lines)), None, "")
    _arrows(ax, columns, 2, COLORS[1])
    ax.set_xlabel(table.names[2])
    if has_two:
        ax.set_ylabel(table.names[3])


def _circle(ax: Any, table: Numbers) -> None:
    last = len(table.names) - 1
    angle = np.linspace(0, 2 * np.pi, 181)
    ax.plot(np.cos(angle), np.sin(angle), color="0.6", linewidth=1)
    for value, color in (("no", COLORS[0]), ("yes", COLORS[1])):
        some = table.where(last, value)
        # Without the last column, which is not an axis.
        some.names, some.lines = some.names[:last], [line[:last] for line in some.lines]
        if some.lines:
            _arrows(ax, some, 1, color)
    ax.set_aspect("equal")
    ax.set_xlabel(table.names[1])
    if last > 2:
        ax.set_ylabel(table.names[2])


def _loadings(ax: Any, table: Numbers) -> None:
    """Bars of every component side by side, with intervals where they are known."""
    components = [name for name in table.names[1:] if not (name.endswith((" low", " high")) and name.rsplit(" ", 1)[0] in table.names)]
    places, width = np.arange(len(table.lines)), 0.8 / max(1, len(components))
    for i, name in enumerate(components):
        weights = table.floats(table.names.index(name))
        ends = [f"{name} low", f"{name} high"]
        whiskers = None
        if all(end in table.names for end in ends):
            low, high = (table.floats(table.names.index(end)) for end in ends)
            whiskers = np.nan_to_num(np.maximum(0, [weights - low, high - weights]))
        ax.bar(places + (i + 0.5) * width - 0.4, weights, width, yerr=whiskers, label=name, color=COLORS[i % len(COLORS)])
    ax.set_xticks(places, table.texts(0), rotation=90)
    ax.axhline(0, color="0.6", linewidth=1)
    ax.legend()


def _heatmap(ax: Any, table: Numbers) -> None:
    cells = np.array([table.floats(at) for at in range(1, len(table.names))]).T
    largest = np.nanmax(np.abs(cells), initial=0) or 1.0
    drawn = ax.imshow(cells, cmap="RdBu", vmin=-largest, vmax=largest, aspect="auto")
    ax.set_xticks(np.arange(cells.shape[1]), table.names[1:])
    ax.set_yticks(np.arange(cells.shape[0]), table.texts(0))
    ax.figure.colorbar(drawn, ax=ax)


def _bars(ax: Any, table: Numbers) -> None:
    places = np.arange(len(table.lines))
    ax.barh(places, table.floats(1), color=COLORS[0])
    ax.set_yticks(places, table.texts(0))
    ax.invert_yaxis()
    ax.set_xlabel(table.names[1])


def _reconstruction(ax: Any, table: Numbers) -> None:
    components = table.floats(0)
    for at, label, color in ((1, "fitted rows", COLORS[0]), (2, "held-out blocks", COLORS[1])):
        if np.isfinite(table.floats(at)).any():
            ax.plot(components, table.floats(at), marker="o", markersize=3, label=label, color=color)
    ax.set_xlabel("components")
    ax.set_ylabel("error")
    ax.legend()


def _outliers(ax: Any, table: Numbers) -> None:
    beyond = np.array([value not in ("", "no") for value in table.texts(3)])
    t2, q = table.floats(1), table.floats(2)
    ax.scatter(t2[~beyond], q[~beyond], s=12, color=COLORS[0])
    ax.scatter(t2[beyond], q[beyond], s=16, color=COLORS[1], marker="D", label="beyond a limit")
    for name, x, y in zip(np.array(table.texts(0))[beyond], t2[beyond], q[beyond], strict=True):
        ax.annotate(name, xy=(x, y), color=COLORS[1])
    ax.set_xlabel("T²")
    ax.set_ylabel("Q")
    if beyond.any():
        ax.legend()


def _pairs(ax: Any, table: Numbers) -> None:
    """Components against each other, on a square of axes."""
    axes, k = np.asarray(ax, dtype=object), len(table.names) - 1
    if axes.shape != (k, k):
        raise ValueError(f"ax: pairs of {k} components take {k} × {k} axes, such as those of matplotlib's subplots({k}, {k})")
    for i in range(k):
        for j in range(k):
            if i == j:
                axes[i, j].hist(table.floats(i + 1), color=COLORS[0])
            else:
                axes[i, j].scatter(table.floats(j + 1), table.floats(i + 1), s=6, color=COLORS[0])
            if i == k - 1:
                axes[i, j].set_xlabel(table.names[j + 1])
            if j == 0:
                axes[i, j].set_ylabel(table.names[i + 1])


def _directions(ax: Any, table: Numbers) -> None:
    count = table.floats(0)
    for at, label, color in ((1, "principal directions", COLORS[2]), (2, "random directions", COLORS[1])):
        ax.plot(count, 100 * table.floats(at), label=label, color=color)
    ax.fill_between(count, 100 * table.floats(3), 100 * table.floats(4), color=COLORS[1], alpha=0.2)
    ax.set_xlabel("directions kept")
    ax.set_ylabel("share of the variance kept (%)")
    ax.legend()


DRAWN: dict[str, Callable[[Any, Numbers], None]] = {
    "scree": _scree,
    "scores": _scores,
    "biplot": _biplot,
    "circle": _circle,
    "loadings": _loadings,
    "heatmap": _heatmap,
    "contributions": _bars,
    "cos2": _bars,
    "reconstruction": _reconstruction,
    "outliers": _outliers,
    "pairs": _pairs,
    "directions": _directions,
}


def draw_search(ax: Any, tuning: Any, title: str | None) -> Any:
    """Means of a search against the number of components, a line for every kernel, with standard errors; gives the axes back."""
    results = tuning.cv_results_
    kernels = list(dict.fromkeys(results["kernel"]))
    for i, kernel in enumerate(kernels):
        of_kernel = results["kernel"] == kernel
        errors = np.nan_to_num(results["standard_error"][of_kernel])
        look = {"color": COLORS[i % len(COLORS)], "marker": SHAPES[(i // len(COLORS) + i) % len(SHAPES)], "markersize": 4}
        ax.errorbar(results["n_components"][of_kernel], results["mean"][of_kernel], yerr=errors, label=kernel, capsize=2, **look)
    best = tuning.best_index_
    ax.plot(results["n_components"][best], results["mean"][best], marker="*", markersize=14, color="black", linestyle="none", label="best")
    ax.set_xlabel("components")
    ax.set_ylabel(tuning.criterion_)
    if len(kernels) <= LISTED:
        ax.legend(fontsize="small")
    if title is not None:
        ax.set_title(title)
    return ax


def draw_accuracy(axes: Any, found: Any, title: str | None) -> Any:
    """Accuracies against the number of components, on one axes for each classifier (or on one alone); gives the axes back."""
    several = np.atleast_1d(np.asarray(axes, dtype=object))
    if len(several) != len(found.classifiers_):
        raise ValueError(f"{len(several)} axes for {len(found.classifiers_)} classifiers: each is drawn on its own")
    for c, (ax, classifier) in enumerate(zip(several, found.classifiers_, strict=True)):
        place = 0
        for r, reduction in enumerate(found.reductions_):
            if reduction == "none":
                ax.axhline(found.nested_accuracy_[r, c], color="black", linestyle="--", label="all columns")
                continue
            look = {"color": COLORS[place % len(COLORS)], "marker": SHAPES[place % len(SHAPES)], "markersize": 4}
            ax.errorbar(found.n_components_, found.accuracy_[r, c], yerr=found.standard_error_[r, c], label=reduction, capsize=2, **look)
            place += 1
        ax.axhline(found.guess_, color="gray", linestyle=":", label="most frequent class")
        ax.set_xlabel("components")
        ax.set_title(classifier if title is None else f"{title}: {classifier}")
    several[0].set_ylabel("accuracy")
    several[0].legend(fontsize="small")
    return axes
