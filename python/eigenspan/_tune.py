"""Parameters of kernel PCA by cross-validation: which kernel and how many components do best on rows they have not seen."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._attributes import locked
from ._axes import draw_search
from ._base import drawn_seed, means_of, scaling
from ._hints import hints_for, text_of, warn
from ._kernel_pca import KernelPCA
from ._parameters import CALLBACK, COUNT, FLAG, MEMORY, N_JOBS, NONE, SCALE, SEED, VERBOSE, InvalidParameter, Takes, is_whole, require, whole, words
from ._results import numbers
from ._rows import counted, labels_of, refuse_batches, rows_of
from ._watch import Callback, watch_of

KERNEL_TEXT = Takes("text such as 'rbf(gamma=0.001..10:5)', a value of eigenspan.kernels", lambda value: isinstance(value, (str, _core.Kernel))) | NONE

if TYPE_CHECKING:
    from ._core import Kernel


class Tuning:
    """What a search found.

    Attributes
    ----------
    best_params_, simplest_params_ : dict
        ``kernel``, ``n_components`` and ``scale`` of the best choice, and of the one with the fewest components whose mean lies
        within one standard error of it.
    best_index_, simplest_index_ : int
        Their places in ``cv_results_``.
    best_score_ : float
        Mean of the best choice.
    cv_results_ : dict of arrays
        One entry per choice: ``kernel``, ``param_…`` of what varies in the kernel, ``n_components``, ``mean``,
        ``standard_error``, and ``values`` (choices × folds).
    best_estimator_ : KernelPCA
        The best choice, fitted to all rows; with ``refit``.
    criterion_ : str
        What was compared.
    more_is_better_ : bool
        Whether a larger mean is better.
    edges_ : list of dict
        Parameters whose best value is the first or last that was tried.
    n_fits_ : int
        Fits that it took.
    notes_ : list of str
        What is worth knowing.
    """

    best_estimator_: KernelPCA

    def __init__(self, found: dict[str, Any], notes: list[str]) -> None:
        cells = found["cells"]
        names = list(cells[0]["parameters"]) if cells else []
        self.criterion_: str = found["criterion"]
        self.more_is_better_: bool = found["more_is_better"]
        self.cv_results_: dict[str, NDArray[Any]] = {
            "kernel": np.array([cell["kernel"] for cell in cells], dtype=object),
            **{f"param_{name}": np.array([cell["parameters"][name] for cell in cells], dtype=object) for name in names},
            "n_components": np.array([cell["n_components"] for cell in cells], dtype=np.int64),
            "mean": numbers([cell["mean"] for cell in cells]),
            "standard_error": numbers([cell["standard_error"] for cell in cells]),
            "values": numbers([cell["values"] for cell in cells]),
        }
        for values in self.cv_results_.values():
            locked(values)
        self._scale = found["options"]["scale"]
        self.best_index_: int = found["best"]
        self.simplest_index_: int = found["simplest"]
        self.edges_: list[dict[str, Any]] = found["edges"]
        self.n_fits_: int = found["n_fits"]
        self.notes_ = notes

    @property
    def best_params_(self) -> dict[str, Any]:
        return self._params(self.best_index_)

    @property
    def simplest_params_(self) -> dict[str, Any]:
        return self._params(self.simplest_index_)

    @property
    def best_score_(self) -> float:
        return float(self.cv_results_["mean"][self.best_index_])

    def _params(self, at: int) -> dict[str, Any]:
        results = self.cv_results_
        return {"kernel": str(results["kernel"][at]), "n_components": int(results["n_components"][at]), "scale": self._scale}

    def plot(self, *, ax: Any = None, title: str | None = None) -> Any:
        """Means with their standard errors on axes of matplotlib; ``ax`` is made where none is given."""
        if ax is None:
            import matplotlib.pyplot as pyplot

            ax = pyplot.subplots()[1]
        return draw_search(ax, self, title)

    def __repr__(self) -> str:
        best, simplest = self.best_params_, self.simplest_params_
        said = f"{best['kernel']}, n_components={best['n_components']}"
        lines = [f"Tuning: {len(self.cv_results_['kernel'])} choices by {self.criterion_}, {self.n_fits_} fits", f"best      {self._line(self.best_index_, said)}"]
        if self.simplest_index_ != self.best_index_:
            said = f"{simplest['kernel']}, n_components={simplest['n_components']}"
            lines.append(f"simplest  {self._line(self.simplest_index_, said)}")
        return "\n".join(lines)

    def _line(self, at: int, said: str) -> str:
        mean, error = self.cv_results_["mean"][at], self.cv_results_["standard_error"][at]
        return f"{mean:.4g}{'' if np.isnan(error) else f' ± {error:.2g}'}  {said}"


def tune(
    X: Any,
    y: Any = None,
    *,
    method: Literal["kpca"] | KernelPCA = "kpca",
    kernel: str | Kernel | None = None,
    n_components: int | Sequence[int] | str | None = None,
    scale: Literal["none", "std", "genotype"] | bool | None = None,
    criterion: Literal["accuracy", "reconstruction", "parallel"] | None = None,
    classifier: Literal["knn", "naive-bayes", "lda"] = "knn",
    n_neighbors: int = 5,
    pre_image: Literal["auto", "fixed-point", "ridge", "distances"] = "auto",
    n_folds: int = 5,
    n_draws: int = 20,
    max_fits: int = 2000,
    random_state: int | np.random.RandomState | None = None,
    refit: bool = True,
    n_jobs: int | None = None,
    memory: int | None = None,
    verbose: bool | int = False,
    callback: Callback | None = None,
) -> Tuning:
    """Finds the kernel and the number of components of a kernel PCA that do best on rows held out.

    Parameters
    ----------
    X
        Rows, in any form that ``KernelPCA.fit`` takes.
    y : array of shape (n_samples,) or None, default=None
        The class of every row. A table of :func:`eigenspan.read` with a ``label_column`` has its own.
    method : 'kpca' or KernelPCA, default='kpca'
        An estimator gives ``scale`` where none is given here, and every other parameter of ``best_estimator_``.
    kernel : str, Kernel or None, default=None
        A kernel in which any value may be a list, ``'rbf(gamma=[0.1, 1, scale])'``, a range with equal ratios,
        ``'rbf(gamma=0.001..10:5)'``, or whole numbers, ``'poly(degree=1..4)'``. None is a Gaussian around the median distance.
    n_components : int, sequence of int, str or None, default=None
        Numbers to try: ``5``, ``[2, 5, 10]``, ``range(1, 9)``, ``'1..64:7'``. None is 1, 2, 4, … as far as folds allow, at most 32.
    scale : {'none', 'std', 'genotype'}, bool or None, default=None
        How columns are scaled, on the training rows of every fold. None is the estimator's, or nothing.
    criterion : {'accuracy', 'reconstruction', 'parallel'} or None, default=None
        What is compared: the accuracy of a classifier on rows held out, their distance to their pre-images, or kernel parallel
        analysis. None is accuracy where there are labels, else reconstruction.
    classifier : {'knn', 'naive-bayes', 'lda'}, default='knn'
        What tells labels apart by the scores.
    n_neighbors : int, default=5
        Neighbors that knn asks.
    pre_image : {'auto', 'fixed-point', 'ridge', 'distances'}, default='auto'
        How rows are found from scores.
    n_folds, n_draws : int, default=5 and 20
        Folds that rows are dealt into; tables with permuted columns for ``'parallel'``.
    max_fits : int, default=2000
        Fits (kernels × folds) beyond which the search is refused.
    random_state : int, RandomState or None, default=None
        Seed of folds and permutations. None is 0.
    refit : bool, default=True
        Whether ``best_estimator_`` is fitted to all rows.
    n_jobs, memory, verbose, callback
        As for every estimator.

    Returns
    -------
    Tuning

    Examples
    --------
    >>> import eigenspan as es
    >>> from sklearn.datasets import make_circles
    >>> rings, ring = make_circles(n_samples=120, factor=0.3, noise=0.05, random_state=0)
    >>> found = es.tune(rings, ring, kernel="rbf(gamma=[0.001, 2])", n_components=1)
    >>> found.best_params_["kernel"], found.best_score_
    ('rbf(gamma=2)', 1.0)
    >>> found.best_estimator_.transform(rings).shape
    (120, 1)
    """
    estimator = _estimator(method)
    require(
        ("kernel", kernel, KERNEL_TEXT),
        ("scale", scale, SCALE),
        ("criterion", criterion, words("accuracy", "reconstruction", "parallel") | NONE),
        ("classifier", classifier, words("knn", "naive-bayes", "lda")),
        ("n_neighbors", n_neighbors, COUNT),
        ("pre_image", pre_image, words("auto", "fixed-point", "ridge", "distances")),
        ("n_folds", n_folds, whole(2, "a count")),
        ("n_draws", n_draws, COUNT),
        ("max_fits", max_fits, COUNT),
        ("random_state", random_state, SEED),
        ("refit", refit, FLAG),
        ("n_jobs", n_jobs, N_JOBS),
        ("memory", memory, MEMORY),
        ("verbose", verbose, VERBOSE),
        ("callback", callback, CALLBACK),
    )
    refuse_batches(X, "tune")
    options = {
        "kernel": None if kernel is None else str(kernel),
        "n_components": None if n_components is None else _counts(n_components),
        "scale": scaling(estimator.scale if scale is None else scale),
        "criterion": criterion,
        "classifier": classifier,
        "n_neighbors": counted(n_neighbors),
        "pre_image": pre_image,
        "n_folds": counted(n_folds),
        "n_draws": counted(n_draws),
        "max_fits": counted(max_fits),
        "seed": drawn_seed(random_state),
    }
    rows = rows_of(estimator, X, reset=True, least=3)
    means = means_of(n_jobs, memory, watch_of("tune", verbose, callback))
    found, notes = _core.tune(json.dumps(options), rows, labels_of(y, rows), means)
    warn(notes, hints_for(estimator))
    tuning = Tuning(json.loads(found), [text_of(note, hints_for(estimator)) for note in notes])
    if refit:
        best = type(estimator)(**estimator.get_params() | tuning.best_params_ | {"n_jobs": n_jobs, "memory": memory})
        tuning.best_estimator_ = best.fit(X)
    return tuning


def _estimator(method: Any) -> KernelPCA:
    if isinstance(method, KernelPCA):
        return type(method)(**method.get_params())
    if method != "kpca":
        raise InvalidParameter(f"method={method!r}: it takes 'kpca' or a KernelPCA")
    return KernelPCA()


def _counts(n_components: Any) -> Any:
    """Numbers of components as the engine reads them."""
    if isinstance(n_components, str):
        return n_components
    several = [n_components] if is_whole(n_components) or not hasattr(n_components, "__iter__") else list(n_components)
    if not several or not all(is_whole(k) and k > 0 for k in several):
        raise InvalidParameter(f"n_components={n_components!r}: it takes counts from 1 on, or text such as '1..10'")
    return ",".join(str(int(k)) for k in several)
