"""Where a reduction helps a classifier: accuracies on rows held out, after each of some reductions and without one."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._attributes import locked
from ._axes import draw_accuracy
from ._base import drawn_seed, means_of, scaling
from ._hints import hints_for, text_of, warn
from ._parameters import CALLBACK, COUNT, MEMORY, N_JOBS, SCALE, SEED, VERBOSE, InvalidParameter, is_whole, require, whole
from ._pca import PCA
from ._results import numbers
from ._rows import counted, labels_of, refuse_batches, rows_of
from ._tune import _counts
from ._watch import Callback, watch_of

CLASSIFIERS: tuple[Literal["naive-bayes", "knn", "lda"], ...] = ("naive-bayes", "knn", "lda")


class Accuracy:
    """What a comparison of accuracies found.

    Attributes
    ----------
    reductions_, classifiers_ : list of str
        What was compared, in the order of the arrays' first and second axes.
    n_components_ : array of int
        Numbers of components, the third axis.
    accuracy_, standard_error_ : array of shape (reductions, classifiers, numbers of components)
        Mean share of held-out rows that are predicted right, and its standard error over folds. NaN where a reduction has fewer
        components, and for ``'none'``, whose accuracy is in ``nested_accuracy_``.
    fold_accuracy_ : array of shape (reductions, classifiers, numbers of components, folds)
        The share in every fold.
    nested_accuracy_, nested_standard_error_ : array of shape (reductions, classifiers)
        The same with the number of components chosen inside each fold, by a cross-validation of the other folds.
    chosen_n_components_, chosen_n_neighbors_ : array of shape (reductions, classifiers, folds)
        What was chosen for each fold; 0 where nothing is chosen.
    difference_, difference_error_ : array of shape (reductions, classifiers)
        ``nested_accuracy_`` minus that of ``'none'``, and its standard error, corrected for training rows that folds share.
    verdict_ : array of str of shape (reductions, classifiers)
        ``'better'``, ``'worse'`` or ``'unclear'``; empty where ``'none'`` was not compared.
    guess_ : float
        What guessing the most frequent class comes to.
    classes_ : array of str
        The classes.
    n_fits_ : int
        Fits of reductions that it took.
    sentences_, notes_ : list of str
        What the numbers show; what is worth knowing.
    """

    def __init__(self, found: dict[str, Any], notes: list[str]) -> None:
        self.reductions_: list[str] = [reduction["name"] for reduction in found["reductions"]]
        self.classifiers_: list[str] = found["options"]["classifiers"]
        self.n_components_: NDArray[np.int64] = np.array([int(k) for k in found["options"]["n_components"].split(",")])
        self.guess_: float = found["guess"]["accuracy"]
        self.classes_: NDArray[Any] = np.array([one["name"] for one in found["classes"]], dtype=object)
        self.n_fits_: int = found["n_fits"]
        self.sentences_: list[str] = found["sentences"]
        self.notes_ = notes
        self._n_cols: int = found["n_cols"]
        shape = (len(self.reductions_), len(self.classifiers_))
        folds = (found["n_folds"],)
        self.accuracy_ = np.full((*shape, len(self.n_components_)), np.nan)
        self.standard_error_ = self.accuracy_.copy()
        self.fold_accuracy_ = np.full(self.accuracy_.shape + folds, np.nan)
        self.nested_accuracy_ = np.full(shape, np.nan)
        self.nested_standard_error_, self.difference_, self.difference_error_ = (self.nested_accuracy_.copy() for _ in range(3))
        self.chosen_n_components_ = np.zeros(shape + folds, dtype=np.int64)
        self.chosen_n_neighbors_ = self.chosen_n_components_.copy()
        self.verdict_: NDArray[Any] = np.full(shape, "", dtype=object)
        for place, curve in zip(np.ndindex(shape), found["curves"], strict=True):
            self._fill(place, curve)
        for values in vars(self).values():
            if isinstance(values, np.ndarray):
                locked(values)

    def _fill(self, place: tuple[int, ...], curve: dict[str, Any]) -> None:
        if curve["reduction"] != "none":
            for point in curve["points"]:
                at = (*place, int(np.searchsorted(self.n_components_, point["n_components"])))
                self.accuracy_[at] = point["accuracy"]
                self.standard_error_[at] = point["standard_error"]
                self.fold_accuracy_[at] = numbers(point["folds"])
        nested = curve["nested"]
        if nested is None:
            return
        self.nested_accuracy_[place] = nested["accuracy"]
        self.nested_standard_error_[place] = nested["standard_error"]
        self.chosen_n_components_[place] = nested["n_components"]
        if "n_neighbors" in nested:
            self.chosen_n_neighbors_[place] = nested["n_neighbors"]
        if "against_none" in nested:
            against = nested["against_none"]
            self.difference_[place], self.difference_error_[place] = against["difference"], against["standard_error"]
            self.verdict_[place] = against["verdict"]

    def plot(self, *, ax: Any = None, title: str | None = None) -> Any:
        """Accuracies against the number of components on axes of matplotlib, one for each classifier; they are made where none are
        given."""
        if ax is None:
            import matplotlib.pyplot as pyplot

            n = len(self.classifiers_)
            ax = pyplot.subplots(1, n, sharey=True, squeeze=False, figsize=(4 * n, 4))[1][0]
        return draw_accuracy(ax, self, title)

    def __repr__(self) -> str:
        names = [f"all {self._n_cols} columns" if name == "none" else name for name in self.reductions_]
        wide = max(len(name) for name in names)
        lines = [f"Accuracy: {self.fold_accuracy_.shape[-1]} folds, {len(self.classes_)} classes, guessing comes to {self.guess_:.3f}"]
        lines.append(f"{'':{wide}}" + "".join(f"  {name:>13}" for name in self.classifiers_))
        for r, name in enumerate(names):
            cells = zip(self.nested_accuracy_[r], self.nested_standard_error_[r], strict=True)
            lines.append(f"{name:{wide}}" + "".join(f"  {mean:.3f} ± {error:.3f}" for mean, error in cells))
        return "\n".join(lines)


def evaluate(
    X: Any,
    y: Any = None,
    *,
    after: str | Sequence[str] | None = None,
    n_components: int | Sequence[int] | str | None = None,
    classifiers: str | Sequence[Literal["naive-bayes", "knn", "lda"]] = CLASSIFIERS,
    n_neighbors: int | Sequence[int] | None = None,
    n_folds: int = 5,
    scale: Literal["none", "std", "genotype"] | bool = "none",
    most_rows: int = 5000,
    max_fits: int = 2000,
    random_state: int | np.random.RandomState | None = None,
    n_jobs: int | None = None,
    memory: int | None = None,
    verbose: bool | int = False,
    callback: Callback | None = None,
) -> Accuracy:
    """Compares how well classifiers predict labels after each of some reductions, on rows held out.

    Scales, reductions and everything that is chosen are learnt from the training rows of every fold alone.

    Parameters
    ----------
    X
        Rows, in any form that ``PCA.fit`` takes.
    y : array of shape (n_samples,) or None, default=None
        The class of every row. A table of :func:`eigenspan.read` with a ``label_column`` has its own.
    after : str, sequence of str or None, default=None
        Reductions by name, with options in parentheses: ``'none,pca'``, ``['none', 'kpca(kernel=poly(degree=2))']``. ``'none'`` is the
        columns themselves. None is the columns, PCA, and LDA where that method exists.
    n_components : int, sequence of int, str or None, default=None
        Numbers of components: ``5``, ``[2, 5, 10]``, ``range(1, 9)``, ``'1..64:7'``. None is 1 to 30, as far as columns and folds allow.
    classifiers : str or sequence of {'naive-bayes', 'knn', 'lda'}, default=('naive-bayes', 'knn', 'lda')
        What predicts labels.
    n_neighbors : int, sequence of int or None, default=None
        Neighbors that knn asks; of several, a cross-validation of the training rows chooses one. None is 1, 3, 5, 9 and 15.
    n_folds : int, default=5
        Folds that rows are dealt into.
    scale : {'none', 'std', 'genotype'} or bool, default='none'
        How columns are scaled, on the training rows of every fold.
    most_rows : int, default=5000
        Of more rows a random sample is taken.
    max_fits : int, default=2000
        Fits of reductions beyond which the comparison is refused.
    random_state : int, RandomState or None, default=None
        Seed of folds and of the sample. None is 0.
    n_jobs, memory, verbose, callback
        As for every estimator.

    Returns
    -------
    Accuracy

    Examples
    --------
    >>> import eigenspan as es
    >>> from sklearn.datasets import load_wine
    >>> wine = load_wine()
    >>> found = es.evaluate(wine.data, wine.target, after="none,pca", classifiers="knn", n_neighbors=5)
    >>> scaled = es.evaluate(wine.data, wine.target, after="none,pca", classifiers="knn", n_neighbors=5, scale=True)
    >>> bool((found.nested_accuracy_ < 0.8).all() and (scaled.nested_accuracy_ > 0.9).all())
    True
    """
    require(
        ("n_folds", n_folds, whole(2, "a count")),
        ("scale", scale, SCALE),
        ("most_rows", most_rows, COUNT),
        ("max_fits", max_fits, COUNT),
        ("random_state", random_state, SEED),
        ("n_jobs", n_jobs, N_JOBS),
        ("memory", memory, MEMORY),
        ("verbose", verbose, VERBOSE),
        ("callback", callback, CALLBACK),
    )
    refuse_batches(X, "evaluate")
    options = {
        "after": None if after is None else _reductions(after),
        "n_components": None if n_components is None else _counts(n_components),
        "classifiers": _classifiers(classifiers),
        "n_neighbors": _neighbors(n_neighbors),
        "n_folds": counted(n_folds),
        "scale": scaling(scale),
        "most_rows": counted(most_rows),
        "max_fits": counted(max_fits),
        "seed": drawn_seed(random_state),
    }
    estimator = PCA()
    rows = rows_of(estimator, X, reset=True, least=4)
    means = means_of(n_jobs, memory, watch_of("evaluate", verbose, callback))
    found, notes = _core.evaluate(json.dumps(options), rows, labels_of(y, rows), means)
    warn(notes, hints_for(estimator))
    return Accuracy(json.loads(found), [text_of(note, hints_for(estimator)) for note in notes])


def _reductions(after: Any) -> str:
    several = [after] if isinstance(after, str) else list(after) if hasattr(after, "__iter__") else [after]
    if not several or not all(isinstance(name, str) for name in several):
        raise InvalidParameter(f"after={after!r}: it takes names of methods, such as 'none,pca' or ['none', 'pca']")
    return ",".join(several)


def _classifiers(classifiers: Any) -> list[str]:
    several = classifiers.split(",") if isinstance(classifiers, str) else list(classifiers) if hasattr(classifiers, "__iter__") else [classifiers]
    several = [name.strip() if isinstance(name, str) else name for name in several]
    if not several or not all(name in CLASSIFIERS for name in several):
        raise InvalidParameter(f"classifiers={classifiers!r}: it takes some of {', '.join(map(repr, CLASSIFIERS))}")
    return several


def _neighbors(n_neighbors: Any) -> list[int]:
    if n_neighbors is None:
        return []
    several = [n_neighbors] if is_whole(n_neighbors) or not hasattr(n_neighbors, "__iter__") else list(n_neighbors)
    if isinstance(n_neighbors, str) or not several or not all(is_whole(n) and n > 0 for n in several):
        raise InvalidParameter(f"n_neighbors={n_neighbors!r}: it takes counts from 1 on, one or several")
    return [int(n) for n in several]
