"""scikit-learn's NearestNeighbors and KNeighborsTransformer, on the engine's neighbors."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from ._base import drawn_seed, means_of, whole
from ._core import NeighborSearch, Rows
from ._kinds import Means
from ._parameters import N_JOBS, NONE, SEED, SHARE, Takes, check, require, words
from ._parameters import whole as integer
from ._rows import array_of, is_path, rows_in_memory, rows_of

if TYPE_CHECKING:
    from typing_extensions import Self

# Names of metrics in scikit-learn's words, and the engine's.
METRICS = {
    "euclidean": "euclidean",
    "l2": "euclidean",
    "cosine": "cosine",
    "manhattan": "manhattan",
    "l1": "manhattan",
    "cityblock": "manhattan",
    "correlation": "correlation",
    "hamming": "hamming",
}
METRIC = words("minkowski", *METRICS)
ALGORITHMS = {"auto": "auto", "brute": "exact", "exact": "exact", "ball_tree": "exact", "kd_tree": "exact", "approximate": "approximate"}
MODE = words("distance", "connectivity")
TAKES: dict[str, Takes] = {
    "n_neighbors": integer(1, "a count"),
    "algorithm": words(*ALGORITHMS),
    "leaf_size": integer(1, "a count"),
    "metric": METRIC,
    "p": Takes("1 or 2", lambda value: value in (1, 2)),
    "metric_params": NONE,
    "n_jobs": N_JOBS,
    "recall": SHARE,
    "random_state": SEED,
    "mode": MODE,
}


class _Neighbors(BaseEstimator):  # type: ignore[misc]
    """Rows among which neighbors are looked for."""

    _takes: ClassVar[dict[str, Takes]] = TAKES
    _points_to_pca: ClassVar[bool] = False
    _fit_X: Any
    _search: NeighborSearch | None
    n_features_in_: int
    n_samples_fit_: int
    effective_metric_: str

    @whole
    def fit(self, X: Any, y: Any = None) -> Self:
        """Reads the rows of X, among which neighbors are looked for."""
        check(self, self._takes)
        self._seed = drawn_seed(self.random_state)
        rows = rows_of(self, X, reset=True)
        self.effective_metric_ = self._metric()
        self._search = NeighborSearch.fit(self._options(), rows, self._means())
        self._fit_X = rows.to_numpy() if is_path(X) or isinstance(X, Rows) else array_of(X)
        self.n_samples_fit_ = self._search.n_rows
        return self

    def kneighbors(self, X: Any = None, n_neighbors: int | None = None, return_distance: bool = True) -> Any:
        """The nearest rows of the fit: of the rows of X, or without X of the rows of the fit, each of which is then no neighbor of
        itself.

        Returns
        -------
        distances, indices : arrays of shape (n_rows, n_neighbors)
            By rising distance; among equally near rows those of smaller number come first.
        """
        check_is_fitted(self)
        k = self.n_neighbors if n_neighbors is None else n_neighbors
        require(("n_neighbors", k, TAKES["n_neighbors"]))
        if X is None:
            indices, distances, recall = self._engine().neighbors(int(k), rows_in_memory(self._fit_X), self._means())
            self.recall_: dict[str, float] | None = None if recall is None else json.loads(recall)
        else:
            indices, distances = self._engine().nearest(rows_of(self, X, reset=False), int(k), self._means())
        places = indices.astype(np.int64)
        return (distances, places) if return_distance else places

    def kneighbors_graph(self, X: Any = None, n_neighbors: int | None = None, mode: Literal["connectivity", "distance"] = "connectivity") -> Any:
        """The neighbors as a sparse matrix (CSR), with 1 or the distance at every neighbor."""
        require(("mode", mode, MODE))
        distances, places = self.kneighbors(X, n_neighbors)
        values = np.ones(places.size) if mode == "connectivity" else distances.ravel()
        return self._graph(places, values)

    def _graph(self, places: NDArray[np.int64], values: NDArray[np.float64]) -> Any:
        starts = np.arange(0, places.size + 1, places.shape[1])
        return sparse.csr_matrix((values, places.ravel(), starts), shape=(len(places), self.n_samples_fit_))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_fit_X")

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = super().__getstate__()
        # The engine reads the rows again when it is asked.
        return state | {"_search": None} if "_search" in state else state

    def _engine(self) -> NeighborSearch:
        if self._search is None:
            self._search = NeighborSearch.fit(self._options(), rows_in_memory(self._fit_X), self._means())
        return self._search

    def _metric(self) -> str:
        if self.metric == "minkowski":
            return "manhattan" if self.p == 1 else "euclidean"
        return METRICS[self.metric]

    def _options(self) -> str:
        return json.dumps(
            {
                "n_neighbors": int(self.n_neighbors),
                "metric": self.effective_metric_,
                "algorithm": ALGORITHMS[self.algorithm],
                "recall": float(self.recall),
                "seed": self._seed,
            }
        )

    def _means(self) -> Means:
        return means_of(self.n_jobs, None)


class NearestNeighbors(_Neighbors):
    """The nearest rows of rows: scikit-learn's, exact by products, or approximate with its recall measured.

    Parameters
    ----------
    n_neighbors : int, default=5
        Neighbors of a row.
    algorithm : {'auto', 'brute', 'exact', 'approximate', 'ball_tree', 'kd_tree'}, default='auto'
        'approximate' looks for the neighbors of the rows of the fit by NN-descent; 'auto' does so where comparing all rows would take
        more than seconds. All others compare all rows. Neighbors of new rows are always exact.
    leaf_size : int, default=30
        Not needed: there are no trees.
    metric : {'minkowski', 'euclidean', 'l2', 'cosine', 'manhattan', 'l1', 'cityblock', 'correlation', 'hamming'}, default='minkowski'
        How far two rows are from each other; 'minkowski' is by ``p``.
    p : {1, 2}, default=2
        1 is 'manhattan', 2 is 'euclidean'.
    metric_params : None
        Not needed: no metric has parameters.
    n_jobs : int or None, default=None
        Threads, at most as many as there are cores; None or -1 are all cores. Never changes a result.
    recall : float, default=0.95
        The share of true neighbors that an approximate search goes on for.
    random_state : int, RandomState or None, default=None
        Seed of an approximate search. None is 0.

    Attributes
    ----------
    effective_metric_ : str
        The metric.
    n_samples_fit_ : int
        Rows of the fit.
    recall_ : dict or None
        After ``kneighbors()`` without rows: the measured recall of an approximate search, with its interval; None where it was exact.
    n_features_in_, feature_names_in_
        Number of the columns, and their names where they are all strings.

    Examples
    --------
    >>> import eigenspan as es
    >>> X = [[0.0], [1.0], [3.0], [7.0]]
    >>> distances, rows = es.NearestNeighbors(n_neighbors=2).fit(X).kneighbors()
    >>> rows[2].tolist(), distances[2].tolist()
    ([1, 0], [2.0, 3.0])
    """

    def __init__(
        self,
        *,
        n_neighbors: int = 5,
        algorithm: str = "auto",
        leaf_size: int = 30,
        metric: str = "minkowski",
        p: int = 2,
        metric_params: None = None,
        n_jobs: int | None = None,
        recall: float = 0.95,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.metric = metric
        self.p = p
        self.metric_params = metric_params
        self.n_jobs = n_jobs
        self.recall = recall
        self.random_state = random_state


class KNeighborsTransformer(ClassNamePrefixFeaturesOutMixin, TransformerMixin, _Neighbors):  # type: ignore[misc]
    """Rows as a sparse graph of their neighbors in the rows of the fit: scikit-learn's, for what comes after it in a pipeline.

    Parameters
    ----------
    mode : {'distance', 'connectivity'}, default='distance'
        What the graph holds. With distances, every row has one neighbor more than asked for, because a row of the fit is its own
        nearest.
    n_neighbors, algorithm, leaf_size, metric, p, metric_params, n_jobs, recall, random_state
        As in :class:`NearestNeighbors`.

    Attributes
    ----------
    effective_metric_, n_samples_fit_, n_features_in_, feature_names_in_
        As in :class:`NearestNeighbors`.

    Examples
    --------
    >>> import eigenspan as es
    >>> from sklearn.datasets import load_iris
    >>> es.KNeighborsTransformer(n_neighbors=4).fit_transform(load_iris().data).shape
    (150, 150)
    """

    def __init__(
        self,
        *,
        mode: Literal["distance", "connectivity"] = "distance",
        n_neighbors: int = 5,
        algorithm: str = "auto",
        leaf_size: int = 30,
        metric: str = "minkowski",
        p: int = 2,
        metric_params: None = None,
        n_jobs: int | None = None,
        recall: float = 0.95,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.mode = mode
        self.n_neighbors = n_neighbors
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.metric = metric
        self.p = p
        self.metric_params = metric_params
        self.n_jobs = n_jobs
        self.recall = recall
        self.random_state = random_state

    def transform(self, X: Any) -> Any:
        """The graph of the neighbors of the rows of X."""
        check_is_fitted(self)
        return self.kneighbors_graph(X, self.n_neighbors + (self.mode == "distance"), self.mode)

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Fits, and gives the graph of the rows of the fit: the same as ``fit(X).transform(X)``."""
        return self.fit(X).transform(X)

    @property
    def _n_features_out(self) -> int:
        return self.n_samples_fit_
