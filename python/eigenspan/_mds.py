"""Multidimensional scaling in scikit-learn's words, on eigenspan's engine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array

from ._attributes import attribute
from ._base import Estimator, drawn_seed, quality_of, whole
from ._core import Model, Rows
from ._look import Drawn
from ._parameters import COUNT, FLAG, N_JOBS, NONE, SEED, VERBOSE, number, words
from ._saved import registered

if TYPE_CHECKING:
    from typing_extensions import Self

# What scikit-learn calls distances, and what the engine does.
DISTANCES = {"euclidean": "euclidean", "l2": "euclidean", "manhattan": "manhattan", "cityblock": "manhattan", "l1": "manhattan", "precomputed": "precomputed"}


class Places(Drawn, Estimator, auto_wrap_output_keys=None):  # type: ignore[call-arg]
    """What both kinds share: places for the rows of the fit, and none for others."""

    _method = "mds"
    n_components: int
    metric: str
    metric_params: Any

    embedding_: attribute[NDArray[np.floating[Any]]] = attribute()
    quality_: attribute[dict[str, Any]] = attribute(quality_of)

    @property
    def transform(self) -> Any:
        raise AttributeError(f"{type(self).__name__} has places only for the rows it was fitted to, not for new rows: fit_transform gives them")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._distances() == "precomputed"
        tags.input_tags.sparse = self._distances() != "precomputed"
        return tags

    def _distances(self) -> str:
        return DISTANCES.get(self.metric, "euclidean") if isinstance(self.metric, str) else "euclidean"

    def _labels(self, y: Any, rows: Rows) -> list[str] | None:
        return None

    @classmethod
    def _of_options(cls, options: dict[str, Any], model: Model) -> Self:
        criterion, start = options.pop("criterion"), options.pop("start")
        kind: Any = ClassicalMDS if criterion == "classical" else MDS
        given = {
            "metric": options["distances"],
            "metric_mds": criterion == "metric",
            "init": "random" if start == "random" else "classical_mds",
            "n_init": options["n_starts"],
            "max_iter": options["max_iterations"],
            "eps": options.pop("tolerance"),
        }
        return super(Places, kind)._of_options(options | given, model)


@registered(is_default=False)
class ClassicalMDS(Places, auto_wrap_output_keys=None):  # type: ignore[call-arg]
    """Classical multidimensional scaling: places whose inner products are nearest to those of the distances.

    Parameters
    ----------
    n_components : int, default=2
        Dimensions of the places.
    metric : {'euclidean', 'l2', 'manhattan', 'cityblock', 'l1', 'precomputed'}, default='euclidean'
        Distances of the rows; 'precomputed' says that X is their matrix.
    metric_params : None
        Not needed by these distances.

    Attributes
    ----------
    embedding_ : array of shape (n_samples_, n_components)
        The places.
    quality_ : dict
        How good the map is, by the 10 nearest rows of each row (fewer of fewer than 21 rows): ``trustworthiness``, ``continuity``,
        ``recall``, ``shepard_correlation`` and ``normalized_stress``, each with ``value``, and ``low`` and ``high``, between which the
        value for all rows lies with 95 % confidence where it comes from a sample (of more than 10,000 rows, or 500,000 pairs).
    eigenvalues_ : array of shape (n_components,)
        Eigenvalues of the centered squared distances; negative ones are set to zero, with a warning.
    explained_variance_, explained_variance_ratio_, residuals_, total_variance_, plan_, notes_
        As for :class:`PCA`, of the places.
    n_components_, n_features_in_, n_samples_ : int
        Dimensions, columns and rows.

    Examples
    --------
    >>> import eigenspan as es
    >>> from sklearn.datasets import load_digits
    >>> X = load_digits().data[:100]
    >>> es.ClassicalMDS(2).fit_transform(X).shape
    (100, 2)
    """

    _takes = {"n_components": COUNT, "metric": words(*DISTANCES), "metric_params": NONE}

    eigenvalues_: attribute[NDArray[np.floating[Any]]] = attribute()

    def __init__(self, n_components: int = 2, *, metric: str = "euclidean", metric_params: None = None) -> None:
        self.n_components = n_components
        self.metric = metric
        self.metric_params = metric_params

    def _options(self) -> dict[str, Any]:
        return {"n_components": self._asked(), "criterion": "classical", "distances": self._distances()}


@registered()
class MDS(Places, auto_wrap_output_keys=None):  # type: ignore[call-arg]
    """Multidimensional scaling by stress (SMACOF): places whose distances, or the order of whose distances, are nearest to those given.

    Parameters
    ----------
    n_components : int, default=2
        Dimensions of the places.
    metric_mds : bool, default=True
        Whether the distances themselves count, and not their order alone.
    n_init : int, default=1
        Starts, of which the result with the smallest stress is kept; those beyond the first are random.
    init : {'classical_mds', 'random'}, default='classical_mds'
        The first start; ``fit(X, init=...)`` takes places to start from.
    max_iter : int, default=300
        Most steps from each start.
    verbose : bool or int, default=0
        Whether a line on standard error says how far a fit has come, one per stage and second.
    eps : float, default=1e-6
        A step that lowers the stress by less than this share of the sum of squared distances is the last to be compared.
    n_jobs : int or None, default=None
        Threads, at most as many as there are cores; None or -1 are all cores, or OMP_NUM_THREADS. Never changes a result.
    random_state : int, RandomState or None, default=None
        Seed of random starts. None is 0.
    dissimilarity : {'deprecated', 'euclidean', 'precomputed'}, default='deprecated'
        scikit-learn's former name for ``metric``.
    metric : {'euclidean', 'l2', 'manhattan', 'cityblock', 'l1', 'precomputed'}, default='euclidean'
        Distances of the rows; 'precomputed' says that X is their matrix.
    metric_params : None
        Not needed by these distances.
    normalized_stress : bool or 'auto', default='auto'
        Whether ``stress_`` is stress-1; 'auto' is True where the order alone counts.

    Attributes
    ----------
    embedding_ : array of shape (n_samples_, n_components)
        The places.
    quality_ : dict
        How good the map is, by the 10 nearest rows of each row (fewer of fewer than 21 rows): ``trustworthiness``, ``continuity``,
        ``recall``, ``shepard_correlation`` and ``normalized_stress``, each with ``value``, and ``low`` and ``high``, between which the
        value for all rows lies with 95 % confidence where it comes from a sample (of more than 10,000 rows, or 500,000 pairs).
    stress_ : float
        Σ (d − δ)² over all pairs, or stress-1 = √(Σ (d − δ)² ÷ Σ d²).
    n_iter_ : int
        Steps from the start that was kept.
    converged_ : bool
        Whether the search ended before ``max_iter`` steps; if not, a warning says so.
    n_components_, n_features_in_, n_samples_ : int
        Dimensions, columns and rows.
    plan_, notes_
        As for :class:`PCA`.

    Examples
    --------
    >>> import eigenspan as es
    >>> from sklearn.datasets import load_iris
    >>> X = load_iris().data
    >>> mds = es.MDS(2, normalized_stress=True).fit(X)
    >>> mds.embedding_.shape, mds.stress_ < 0.04
    ((150, 2), True)
    """

    _takes = {
        "n_components": COUNT,
        "metric_mds": FLAG,
        "n_init": COUNT,
        "init": words("classical_mds", "random"),
        "max_iter": COUNT,
        "verbose": VERBOSE,
        "eps": number("a number from 0 on and below 1", lambda value: 0 <= value < 1),
        "n_jobs": N_JOBS,
        "random_state": SEED,
        "dissimilarity": words("deprecated", "euclidean", "precomputed"),
        "metric": words(*DISTANCES),
        "metric_params": NONE,
        "normalized_stress": FLAG | words("auto"),
    }

    # Places to start from, during a fit.
    _start: Any = None

    n_iter_: attribute[int] = attribute()
    converged_: attribute[bool] = attribute(lambda model: bool(model.converged))

    def __init__(
        self,
        n_components: int = 2,
        *,
        metric_mds: bool = True,
        n_init: int = 1,
        init: Literal["classical_mds", "random"] = "classical_mds",
        max_iter: int = 300,
        verbose: bool | int = 0,
        eps: float = 1e-6,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        dissimilarity: Literal["deprecated", "euclidean", "precomputed"] = "deprecated",
        metric: str = "euclidean",
        metric_params: None = None,
        normalized_stress: bool | Literal["auto"] = "auto",
    ) -> None:
        self.n_components = n_components
        self.metric_mds = metric_mds
        self.n_init = n_init
        self.init = init
        self.max_iter = max_iter
        self.verbose = verbose
        self.eps = eps
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.dissimilarity = dissimilarity
        self.metric = metric
        self.metric_params = metric_params
        self.normalized_stress = normalized_stress

    @whole
    def fit(self, X: Any, y: Any = None, init: Any = None) -> Self:
        """Places the rows of X, beginning at the places of ``init`` if they are given."""
        self.fit_transform(X, init=init)
        return self

    @whole
    def fit_transform(self, X: Any, y: Any = None, init: Any = None) -> NDArray[np.floating[Any]]:
        """The same, and gives the places."""
        self._start = None if init is None else check_array(init, dtype=np.float64).tolist()
        try:
            rows = self._fit_rows(X)
        finally:
            self._start = None
        places: NDArray[Any] = self._typed(self._model.embedded(rows, self._means()))
        return places

    @property
    def stress_(self) -> float:
        self._there("stress_")
        normalized = not self.metric_mds if self.normalized_stress == "auto" else self.normalized_stress
        model = self._fitted()
        return float(model.stress_1 if normalized else model.stress)

    def _distances(self) -> str:
        return super()._distances() if self.dissimilarity == "deprecated" else self.dissimilarity

    def _options(self) -> dict[str, Any]:
        return {
            "n_components": self._asked(),
            "criterion": "metric" if self.metric_mds else "nonmetric",
            "distances": self._distances(),
            "start": "random" if self.init == "random" else "classical",
            "n_starts": int(self.n_init),
            "max_iterations": int(self.max_iter),
            "tolerance": float(self.eps),
            "places": self._start,
            "seed": drawn_seed(self.random_state),
        }
