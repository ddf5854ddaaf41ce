"""Isomap in scikit-learn's words, on eigenspan's engine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from ._attributes import attribute
from ._base import Estimator, drawn_seed, whole
from ._core import Model, Rows
from ._look import Drawn
from ._neighbors import ALGORITHMS, METRIC, METRICS
from ._parameters import COUNT, N_JOBS, NONE, SEED, VERBOSE, Takes, number, words
from ._parameters import whole as integer
from ._saved import registered

if TYPE_CHECKING:
    from typing_extensions import Self


@registered()
class Isomap(Drawn, Estimator, auto_wrap_output_keys=("transform",)):  # type: ignore[call-arg]
    """Isomap: places whose distances are geodesics, lengths of shortest paths from neighbor to neighbor.

    Parameters
    ----------
    n_neighbors : int, default=5
        Neighbors of each row, to which it is linked; the row itself is not one of them.
    radius : None
        Not supported: rows are linked with a number of neighbors.
    n_components : int, default=2
        Dimensions of the places.
    eigen_solver : {'auto', 'arpack', 'dense'}, default='auto'
        'dense' computes all eigenvalues of B, so that shares are known; else those of the places, and all where there are at most 512
        rows or landmarks.
    tol : float, default=0
        Not needed: residuals are measured, and said by ``residuals_``.
    max_iter : int or None, default=None
        Not needed.
    path_method : {'auto', 'FW', 'D'}, default='auto'
        Not needed: paths are the shortest, however they are found.
    neighbors_algorithm : {'auto', 'brute', 'kd_tree', 'ball_tree', 'exact', 'approximate'}, default='auto'
        'auto' is exact where that takes seconds, else approximate; 'approximate' is NN-descent; all others are exact.
    n_jobs : int or None, default=None
        Threads, at most as many as there are cores; None or -1 are all cores, or OMP_NUM_THREADS. Never changes a result.
    metric : {'minkowski', 'euclidean', 'l2', 'manhattan', 'l1', 'cityblock', 'cosine', 'correlation', 'hamming'}, default='minkowski'
        How far two rows are from each other.
    p : {1, 2}, default=2
        Whether 'minkowski' is 'manhattan' or 'euclidean'.
    metric_params : None
        Not needed by these metrics.
    n_landmarks : int or None, default=None
        Rows drawn as landmarks, from which alone geodesics are computed; None computes them from all rows.
    pieces : {'join', 'refuse'}, default='join'
        What is done where the graph of neighbors is in several pieces: joined by the links between the nearest rows of every two pieces,
        with a warning, or refused.
    random_state : int, RandomState or None, default=None
        Seed of the landmarks and of an approximate search for neighbors. None is 0.
    verbose : bool or int, default=False
        Whether a line on standard error says how far a fit has come, one per stage and second.

    Attributes
    ----------
    embedding_ : array of shape (n_samples_, n_components)
        The places of the rows of the fit.
    eigenvalues_ : array of shape (n_components,)
        Eigenvalues of the centered squared geodesics B = −½ C Δ² C that belong to the places.
    residual_variance_ : array of shape (n_components,)
        1 − R² of geodesics and distances in the map, for 1, 2, … dimensions; NaN where no two of them differ.
    dist_matrix_ : array of shape (n_samples_, n_samples_), or (n_landmarks, n_samples_)
        The geodesics. They are not kept: each look computes them again from the graph.
    landmarks_ : array of shape (n_landmarks,), or None
        The rows that were drawn as landmarks.
    n_edges_ : int
        Edges of the graph of neighbors.
    residuals_, plan_, notes_
        As for :class:`PCA`.
    explained_variance_, explained_variance_ratio_, total_variance_
        As for :class:`PCA`, of the places, where all eigenvalues were computed. Shares are of the sum of the positive ones.
    n_components_, n_features_in_, n_samples_ : int
        Dimensions, columns and rows.

    Examples
    --------
    >>> import eigenspan as es
    >>> import numpy as np
    >>> from sklearn.datasets import make_swiss_roll
    >>> X, along = make_swiss_roll(1000, random_state=0)
    >>> isomap = es.Isomap(n_neighbors=10).fit(X)
    >>> bool(abs(np.corrcoef(isomap.embedding_[:, 0], along)[0, 1]) > 0.99)
    True
    >>> isomap.transform(X[:3] + 0.01).shape
    (3, 2)
    """

    _method = "isomap"
    _takes = {
        "n_neighbors": integer(1, "a count"),
        "radius": Takes("None: eigenspan links each row with n_neighbors rows", lambda value: value is None),
        "n_components": COUNT,
        "eigen_solver": words("auto", "arpack", "dense"),
        "tol": number("a number from 0 on", lambda value: value >= 0),
        "max_iter": COUNT | NONE,
        "path_method": words("auto", "FW", "D"),
        "neighbors_algorithm": words(*ALGORITHMS),
        "n_jobs": N_JOBS,
        "metric": METRIC,
        "p": Takes("1 or 2", lambda value: value in (1, 2)),
        "metric_params": NONE,
        "n_landmarks": integer(2, "a count from 2 on") | NONE,
        "pieces": words("join", "refuse"),
        "random_state": SEED,
        "verbose": VERBOSE,
    }

    embedding_: attribute[NDArray[np.floating[Any]]] = attribute()
    eigenvalues_: attribute[NDArray[np.floating[Any]]] = attribute()
    residual_variance_: attribute[NDArray[np.floating[Any]]] = attribute()
    n_edges_: attribute[int] = attribute()
    landmarks_: attribute[Any] = attribute(lambda model: None if model.landmarks is None else np.asarray(model.landmarks, dtype=np.int64))

    def __init__(
        self,
        *,
        n_neighbors: int = 5,
        radius: None = None,
        n_components: int = 2,
        eigen_solver: Literal["auto", "arpack", "dense"] = "auto",
        tol: float = 0,
        max_iter: int | None = None,
        path_method: Literal["auto", "FW", "D"] = "auto",
        neighbors_algorithm: str = "auto",
        n_jobs: int | None = None,
        metric: str = "minkowski",
        p: int = 2,
        metric_params: None = None,
        n_landmarks: int | None = None,
        pieces: Literal["join", "refuse"] = "join",
        random_state: int | np.random.RandomState | None = None,
        verbose: bool | int = False,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.radius = radius
        self.n_components = n_components
        self.eigen_solver = eigen_solver
        self.tol = tol
        self.max_iter = max_iter
        self.path_method = path_method
        self.neighbors_algorithm = neighbors_algorithm
        self.n_jobs = n_jobs
        self.metric = metric
        self.p = p
        self.metric_params = metric_params
        self.n_landmarks = n_landmarks
        self.pieces = pieces
        self.random_state = random_state
        self.verbose = verbose

    @whole
    def fit_transform(self, X: Any, y: Any = None) -> NDArray[np.floating[Any]]:
        """Places the rows of X, and gives the places: ``embedding_``. ``transform(X)`` gives them up to rounding."""
        rows = self._fit_rows(X)
        places: NDArray[Any] = self._typed(self._model.embedded(rows, self._means()))
        return places

    @property
    def dist_matrix_(self) -> NDArray[np.floating[Any]]:
        self._there("dist_matrix_")
        lengths: NDArray[Any] = self._typed(self._fitted().geodesics)
        return lengths

    def reconstruction_error(self) -> float:
        """√(‖B‖² − Σλ²) ÷ n: how far the inner products of the places are from the centered squared geodesics B, per pair of rows (of
        landmarks, where these were drawn).

        Examples
        --------
        >>> import eigenspan as es
        >>> from sklearn.datasets import load_iris
        >>> X = load_iris().data[:50]
        >>> es.Isomap(n_neighbors=10).fit(X).reconstruction_error() < 0.2
        True
        """
        return float(self._fitted().reconstruction_error)

    def _labels(self, y: Any, rows: Rows) -> list[str] | None:
        return None

    def _metric(self) -> str:
        if self.metric == "minkowski":
            return "manhattan" if self.p == 1 else "euclidean"
        return METRICS[self.metric]

    def _options(self) -> dict[str, Any]:
        return {
            "n_neighbors": int(self.n_neighbors),
            "n_components": self._asked(),
            "metric": self._metric(),
            "algorithm": ALGORITHMS[self.neighbors_algorithm],
            "n_landmarks": None if self.n_landmarks is None else int(self.n_landmarks),
            "eigenvalues": "all" if self.eigen_solver == "dense" else None,
            "pieces": self.pieces,
            "seed": drawn_seed(self.random_state),
        }

    @classmethod
    def _of_options(cls, options: dict[str, Any], model: Model) -> Self:
        given = {
            "neighbors_algorithm": options.pop("algorithm"),
            "eigen_solver": "dense" if options.pop("eigenvalues", None) == "all" else "auto",
        }
        return super()._of_options(options | given, model)
