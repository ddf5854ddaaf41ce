"""Laplacian eigenmaps, locally linear embedding and diffusion maps in scikit-learn's words, on eigenspan's engine."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.neighbors import NearestNeighbors as TheirNeighbors
from sklearn.utils import check_array

from ._attributes import attribute
from ._base import Estimator, drawn_seed, whole
from ._core import Model, Rows
from ._look import Drawn
from ._neighbors import ALGORITHMS
from ._parameters import COUNT, N_JOBS, NONE, SEED, VERBOSE, Takes, is_number, number, words
from ._parameters import whole as integer
from ._rows import rows_of
from ._saved import registered

if TYPE_CHECKING:
    from typing_extensions import Self

NOT_NEGATIVE = number("a number from 0 on", lambda value: value >= 0)
GAMMA = Takes("a number above 0", lambda value: is_number(value) and value > 0) | words("auto", "scale", "median")
AFFINITIES = ("nearest_neighbors", "rbf", "precomputed", "precomputed_nearest_neighbors")
SCALE = words("none", "std")


class Map(Drawn, Estimator, auto_wrap_output_keys=None):  # type: ignore[call-arg]
    """What the three share: places of the rows of the fit."""

    n_components: int

    embedding_: attribute[NDArray[np.floating[Any]]] = attribute()
    eigenvalues_: attribute[NDArray[np.floating[Any]]] = attribute()

    @whole
    def fit_transform(self, X: Any, y: Any = None) -> NDArray[np.floating[Any]]:
        """Places the rows of X, and gives the places: ``embedding_``."""
        self.fit(X)
        places: NDArray[Any] = self._typed(self.embedding_)
        return places

    def _labels(self, y: Any, rows: Rows) -> list[str] | None:
        return None


@registered()
class SpectralEmbedding(Map, auto_wrap_output_keys=None):  # type: ignore[call-arg]
    """Laplacian eigenmaps: places that keep linked rows of a graph near each other.

    Parameters
    ----------
    n_components : int, default=2
        Dimensions of the places.
    affinity : {'nearest_neighbors', 'rbf', 'precomputed', 'precomputed_nearest_neighbors'} or callable, default='nearest_neighbors'
        Which affinities rows have: those of the graph of nearest neighbors, a Gaussian kernel, X itself, those of the graph of nearest
        neighbors by the distances in X, or what a function of X gives.
    gamma : float above 0, 'auto', 'scale', 'median' or None, default=None
        γ of the Gaussian kernel; None is 1 ÷ columns.
    random_state : int, RandomState or None, default=None
        Seed of the random start and of an approximate search for neighbors. None is 0.
    eigen_solver : {'arpack', 'lobpcg', 'amg'} or None, default=None
        Not needed: ``plan_`` says what ran.
    eigen_tol : float or 'auto', default='auto'
        Largest residual of an eigenvector; 'auto' and 0 are 1e-12.
    n_neighbors : int or None, default=None
        Neighbors of each row, the row itself counted, as scikit-learn counts them; None is a tenth of the rows.
    n_jobs : int or None, default=None
        Threads, at most as many as there are cores; None or -1 are all cores, or OMP_NUM_THREADS. Never changes a result.
    pieces : {'join', 'refuse'}, default='join'
        What is done where the graph of neighbors is in several pieces: joined by the links between the nearest rows of every two pieces,
        with a warning, or refused.
    verbose : bool or int, default=False
        Whether a line on standard error says how far a fit has come, one per stage and second.

    Attributes
    ----------
    embedding_ : array of shape (n_samples_, n_components)
        The places.
    eigenvalues_ : array of shape (n_components,)
        Eigenvalues of the normalized Laplacian, smallest first, without the zero of the constant.
    residuals_ : array of shape (n_components,)
        ‖Lv − λv‖ of each eigenvector, with a bound on rounding.
    affinity_matrix_ : array or sparse matrix of shape (n_samples_, n_samples_)
        The affinities, where X or a function gave them.
    n_neighbors_ : int
        Neighbors of each row, the row itself counted.
    n_components_, n_features_in_, n_samples_, plan_, notes_
        As for :class:`PCA`.

    Examples
    --------
    >>> import eigenspan as es
    >>> from sklearn.datasets import load_digits
    >>> X = load_digits().data[:200]
    >>> es.SpectralEmbedding(2, n_neighbors=11).fit_transform(X).shape
    (200, 2)
    """

    _method = "laplacian"
    _takes = {
        "n_components": COUNT,
        "affinity": words(*AFFINITIES) | Takes("a function of the rows", callable),
        "gamma": GAMMA | NONE,
        "random_state": SEED,
        "eigen_solver": words("arpack", "lobpcg", "amg") | NONE,
        "eigen_tol": NOT_NEGATIVE | words("auto"),
        "n_neighbors": integer(1, "a count") | NONE,
        "n_jobs": N_JOBS,
        "pieces": words("join", "refuse"),
        "verbose": VERBOSE,
    }

    affinity_matrix_: Any
    n_neighbors_: int

    def __init__(
        self,
        n_components: int = 2,
        *,
        affinity: str | Callable[[Any], Any] = "nearest_neighbors",
        gamma: float | str | None = None,
        random_state: int | np.random.RandomState | None = None,
        eigen_solver: Literal["arpack", "lobpcg", "amg"] | None = None,
        eigen_tol: float | Literal["auto"] = "auto",
        n_neighbors: int | None = None,
        n_jobs: int | None = None,
        pieces: Literal["join", "refuse"] = "join",
        verbose: bool | int = False,
    ) -> None:
        self.n_components = n_components
        self.affinity = affinity
        self.gamma = gamma
        self.random_state = random_state
        self.eigen_solver = eigen_solver
        self.eigen_tol = eigen_tol
        self.n_neighbors = n_neighbors
        self.n_jobs = n_jobs
        self.pieces = pieces
        self.verbose = verbose

    @property
    def transform(self) -> Any:
        raise AttributeError("SpectralEmbedding has places only for the rows it was fitted to, not for new rows: fit_transform gives them")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.affinity in ("precomputed", "precomputed_nearest_neighbors")
        return tags

    def _fit_rows(self, X: Any, y: Any = None) -> Any:
        self._check()
        rows = rows_of(self, X, reset=True, least=2)
        n_rows = rows.shape[0] or 0
        given = self._given(X, n_rows)
        if given is not None:
            self.affinity_matrix_ = given
            whole_matrix = given.toarray() if sparse.issparse(given) else np.asarray(given, dtype=np.float64)
            names, seen = getattr(self, "feature_names_in_", None), self.n_features_in_
            rows_given = rows_of(self, whole_matrix, reset=True, least=2)
            self.n_features_in_ = seen
            if names is not None:
                self.feature_names_in_ = names
            return self._fit_given(rows, rows_given)
        self.n_neighbors_ = self._count(n_rows)
        self._fit_given(rows, rows)
        return rows

    def _fit_given(self, rows: Any, given: Any) -> Any:
        import json

        options = json.dumps(self._options_for(given.shape[0]))
        self._keep(Model.fit(self._method, options, given, self._watched(), labels=None), rows.single)
        return rows

    def _given(self, X: Any, n_rows: int) -> Any:
        """The affinities that X is or gives; None where the engine computes them."""
        if self.affinity in ("nearest_neighbors", "rbf"):
            return None
        if callable(self.affinity):
            return check_array(self.affinity(X), accept_sparse="csr")
        X = X if hasattr(X, "shape") else np.asarray(X)
        if X.shape[0] != X.shape[1]:
            raise ValueError(f"affinity={self.affinity!r} takes a square matrix, but X is {X.shape[0]} × {X.shape[1]}")
        if self.affinity == "precomputed":
            return X
        self.n_neighbors_ = self._count(n_rows)
        near = TheirNeighbors(n_neighbors=self.n_neighbors_, metric="precomputed").fit(X)
        links = near.kneighbors_graph(X=X, mode="connectivity")
        return 0.5 * (links + links.T)

    def _count(self, n_rows: int) -> int:
        """Neighbors of each row, the row itself counted."""
        return int(self.n_neighbors) if self.n_neighbors is not None else max(n_rows // 10, 1)

    def _options(self) -> dict[str, Any]:
        return self._options_for(None)

    def _options_for(self, n_rows: int | None) -> dict[str, Any]:
        known = {"nearest_neighbors": "nearest-neighbors", "rbf": "rbf"}
        count = 10 if n_rows is None and self.n_neighbors is None else self._count(n_rows or 0)
        tolerance = self.eigen_tol if self.eigen_tol not in ("auto", 0) else 1e-12
        return {
            "n_components": self._asked(),
            "affinity": known.get(self.affinity, "precomputed") if isinstance(self.affinity, str) else "precomputed",
            # The engine does not count the row itself.
            "n_neighbors": max(count - 1, 1),
            "gamma": "auto" if self.gamma is None else self.gamma if isinstance(self.gamma, str) else float(self.gamma),
            "pieces": self.pieces,
            "tolerance": float(tolerance),
            "seed": drawn_seed(self.random_state),
        }

    @classmethod
    def _of_options(cls, options: dict[str, Any], model: Model) -> Self:
        options["affinity"] = options["affinity"].replace("-", "_")
        options["n_neighbors"] = options["n_neighbors"] + 1
        return super()._of_options(options | {"eigen_tol": options.pop("tolerance")}, model)


VARIANTS = ("standard", "hessian", "modified", "ltsa")


@registered()
class LocallyLinearEmbedding(Map, auto_wrap_output_keys=("transform",)):  # type: ignore[call-arg]
    """Locally linear embedding: places whose neighborhoods are those of the rows, each seen as flat.

    Parameters
    ----------
    n_neighbors : int, default=5
        Neighbors of each row; the row itself is not one of them.
    n_components : int, default=2
        Dimensions of the places.
    reg : float, default=1e-3
        What is added to the diagonal of a neighborhood's Gram matrix, as a share of its trace.
    eigen_solver : {'auto', 'arpack', 'dense'}, default='auto'
        Not needed: the matrix is decomposed as a whole.
    tol : float, default=1e-6
        Not needed.
    max_iter : int, default=100
        Not needed.
    method : {'standard', 'hessian', 'modified', 'ltsa'}, default='standard'
        What is kept of each neighborhood.
    hessian_tol : float, default=1e-4
        Columns of weights whose sum is below this are not divided by it.
    hessian_weights : {'all', 'products'}, default='all'
        Which weights second derivatives are seen by: all that are orthogonal to the constant and to the coordinates, as in scikit-learn, which
        gives the places of LTSA; or those within the span of the products of coordinates, as in the paper.
    modified_tol : float, default=1e-12
        A reflection by a vector shorter than this is left out.
    neighbors_algorithm : {'auto', 'brute', 'kd_tree', 'ball_tree', 'exact', 'approximate'}, default='auto'
        'auto' is exact where that takes seconds, else approximate; 'approximate' is NN-descent; all others are exact.
    random_state : int, RandomState or None, default=None
        Seed of an approximate search for neighbors. None is 0.
    n_jobs : int or None, default=None
        Threads, at most as many as there are cores; None or -1 are all cores, or OMP_NUM_THREADS. Never changes a result.
    pieces : {'join', 'refuse'}, default='join'
        What is done where the graph of neighbors is in several pieces: joined by the links between the nearest rows of every two pieces,
        with a warning, or refused.
    verbose : bool or int, default=False
        Whether a line on standard error says how far a fit has come, one per stage and second.

    Attributes
    ----------
    embedding_ : array of shape (n_samples_, n_components)
        The places.
    reconstruction_error_ : float
        Σ of the eigenvalues: what the places leave of the cost.
    eigenvalues_ : array of shape (n_components,)
        Eigenvalues of the cost's matrix, smallest first, without the zero of the constant.
    residuals_ : array of shape (n_components,)
        ‖Mv − λv‖ of each eigenvector, with a bound on rounding.
    n_components_, n_features_in_, n_samples_, plan_, notes_
        As for :class:`PCA`.

    Examples
    --------
    >>> import eigenspan as es
    >>> from sklearn.datasets import load_digits
    >>> X = load_digits().data[:200]
    >>> lle = es.LocallyLinearEmbedding(n_neighbors=10).fit(X)
    >>> lle.embedding_.shape, lle.transform(X[:3]).shape
    ((200, 2), (3, 2))
    """

    _method = "lle"
    _takes = {
        "n_neighbors": integer(1, "a count"),
        "n_components": COUNT,
        "reg": NOT_NEGATIVE,
        "eigen_solver": words("auto", "arpack", "dense"),
        "tol": NOT_NEGATIVE,
        "max_iter": COUNT,
        "method": words(*VARIANTS),
        "hessian_tol": NOT_NEGATIVE,
        "hessian_weights": words("all", "products"),
        "modified_tol": NOT_NEGATIVE,
        "neighbors_algorithm": words(*ALGORITHMS),
        "random_state": SEED,
        "n_jobs": N_JOBS,
        "pieces": words("join", "refuse"),
        "verbose": VERBOSE,
    }

    reconstruction_error_: attribute[float] = attribute(lambda model: float(model.reconstruction_error))

    def __init__(
        self,
        *,
        n_neighbors: int = 5,
        n_components: int = 2,
        reg: float = 1e-3,
        eigen_solver: Literal["auto", "arpack", "dense"] = "auto",
        tol: float = 1e-6,
        max_iter: int = 100,
        method: Literal["standard", "hessian", "modified", "ltsa"] = "standard",
        hessian_tol: float = 1e-4,
        modified_tol: float = 1e-12,
        neighbors_algorithm: str = "auto",
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        hessian_weights: Literal["all", "products"] = "all",
        pieces: Literal["join", "refuse"] = "join",
        verbose: bool | int = False,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.n_components = n_components
        self.hessian_weights = hessian_weights
        self.reg = reg
        self.eigen_solver = eigen_solver
        self.tol = tol
        self.max_iter = max_iter
        self.method = method
        self.hessian_tol = hessian_tol
        self.modified_tol = modified_tol
        self.neighbors_algorithm = neighbors_algorithm
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.pieces = pieces
        self.verbose = verbose

    def _options(self) -> dict[str, Any]:
        return {
            "n_components": self._asked(),
            "n_neighbors": int(self.n_neighbors),
            "variant": self.method,
            "regularization": float(self.reg),
            "hessian_tolerance": float(self.hessian_tol),
            "hessian_weights": self.hessian_weights,
            "modified_tolerance": float(self.modified_tol),
            "algorithm": ALGORITHMS[self.neighbors_algorithm],
            "pieces": self.pieces,
            "seed": drawn_seed(self.random_state),
        }

    @classmethod
    def _of_options(cls, options: dict[str, Any], model: Model) -> Self:
        given = {
            "method": options["variant"],
            "reg": options["regularization"],
            "hessian_tol": options["hessian_tolerance"],
            "modified_tol": options["modified_tolerance"],
            "neighbors_algorithm": options.pop("algorithm"),
        }
        return super()._of_options(options | given, model)


@registered()
class DiffusionMap(Map, auto_wrap_output_keys=("transform",)):  # type: ignore[call-arg]
    """Diffusion maps: places whose distances are those between the rows' random walks.

    Parameters
    ----------
    n_components : int, default=2
        Dimensions of the places.
    gamma : float above 0, 'median', 'auto' or 'scale', default='median'
        γ of the Gaussian kernel; 'median' is ½ ÷ the squared median distance of rows.
    alpha : float from 0 to 1, default=1.0
        How far the density of the rows is divided out: 0 not at all, 1 wholly.
    diffusion_time : float, default=1.0
        Steps of the random walk; need not be whole.
    scale : {'none', 'std'}, default='none'
        Whether columns are divided by their standard deviations.
    tol : float, default=1e-12
        Largest residual of an eigenvector.
    random_state : int, RandomState or None, default=None
        Seed of the random start. None is 0.
    n_jobs : int or None, default=None
        Threads, at most as many as there are cores; None or -1 are all cores, or OMP_NUM_THREADS. Never changes a result.
    verbose : bool or int, default=False
        Whether a line on standard error says how far a fit has come, one per stage and second.

    Attributes
    ----------
    embedding_ : array of shape (n_samples_, n_components)
        The places λᵗψ.
    eigenvalues_ : array of shape (n_components,)
        Eigenvalues of the walk, largest first, without the 1 of the constant.
    residuals_ : array of shape (n_components,)
        Residual of each eigenvector, with a bound on rounding.
    gamma_ : float
        γ of the kernel.
    n_components_, n_features_in_, n_samples_, plan_, notes_
        As for :class:`PCA`.

    Examples
    --------
    >>> import eigenspan as es
    >>> from sklearn.datasets import load_iris
    >>> X = load_iris().data
    >>> walk = es.DiffusionMap(2).fit(X)
    >>> walk.embedding_.shape, walk.transform(X[:3]).shape
    ((150, 2), (3, 2))
    """

    _method = "diffusion"
    _takes = {
        "n_components": COUNT,
        "gamma": GAMMA,
        "alpha": number("a number from 0 to 1", lambda value: 0 <= value <= 1),
        "diffusion_time": NOT_NEGATIVE,
        "scale": SCALE,
        "tol": number("a number above 0 and below 1", lambda value: 0 < value < 1),
        "random_state": SEED,
        "n_jobs": N_JOBS,
        "verbose": VERBOSE,
    }

    gamma_: attribute[float] = attribute(lambda model: float(model.gamma))

    def __init__(
        self,
        n_components: int = 2,
        *,
        gamma: float | str = "median",
        alpha: float = 1.0,
        diffusion_time: float = 1.0,
        scale: Literal["none", "std"] = "none",
        tol: float = 1e-12,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        verbose: bool | int = False,
    ) -> None:
        self.n_components = n_components
        self.gamma = gamma
        self.alpha = alpha
        self.diffusion_time = diffusion_time
        self.scale = scale
        self.tol = tol
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _options(self) -> dict[str, Any]:
        return {
            "n_components": self._asked(),
            "gamma": self.gamma if isinstance(self.gamma, str) else float(self.gamma),
            "alpha": float(self.alpha),
            "diffusion_time": float(self.diffusion_time),
            "scale": self.scale,
            "tolerance": float(self.tol),
            "seed": drawn_seed(self.random_state),
        }
