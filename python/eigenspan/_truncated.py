"""scikit-learn's TruncatedSVD: components about zero, of sparse or dense rows."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from ._attributes import attribute, derived
from ._base import drawn_seed, tolerance, whole
from ._core import Model
from ._kinds import About
from ._linear import Linear
from ._look import Drawn
from ._parameters import CALLBACK, COUNT, N_JOBS, NORMALIZER, SEED, TOL, VERBOSE, words
from ._parameters import whole as integer
from ._rows import rows_of
from ._saved import registered
from ._watch import Callback

if TYPE_CHECKING:
    from typing_extensions import Self


@registered(is_default=False)
class TruncatedSVD(Drawn, Linear):
    """Singular value decomposition of rows as they are, with no mean taken out; sparse rows stay sparse.

    ``PCA(center=False)`` does the same with every option of the engine.

    Parameters
    ----------
    n_components : int, default=2
        Components to keep.
    algorithm : {'randomized', 'arpack'}, default='randomized'
        Which iterative solver runs; both stop at ``tol``, and give the same components.
    n_iter, n_oversamples, power_iteration_normalizer
        Not needed: solvers stop at ``tol``.
    random_state : int, RandomState or None, default=None
        Seed of random starts. None is 0.
    tol : float, default=0.0
        Residual at which solvers stop. 0.0 is the engine's default.
    n_jobs : int or None, default=None
        Threads, at most as many as there are cores; None or -1 are all cores, or OMP_NUM_THREADS. Never changes a
        result.
    verbose : bool or int, default=False
        Whether a line on standard error says how far a fit has come, one per stage and second.
    callback : callable or None, default=None
        Called with the stage, the steps done and their number (None where it is not known) while a fit runs; what it raises,
        or True (:class:`eigenspan.Stopped`), stops the fit.

    Attributes
    ----------
    components_, singular_values_
        As in :class:`PCA`, about zero.
    explained_variance_ : array of shape (n_components,)
        Variance of the scores about their mean, with divisor n.
    explained_variance_ratio_ : array of shape (n_components,)
        The same as a share of the variance of all columns.
    n_features_in_, feature_names_in_
        Number of the columns, and their names where they are all strings.

    Examples
    --------
    >>> import eigenspan as es
    >>> from scipy import sparse
    >>> words = sparse.random_array((100, 40), density=0.1, format="csr", rng=0)
    >>> es.TruncatedSVD(3).fit_transform(words).shape
    (100, 3)
    """

    def __init__(
        self,
        n_components: int = 2,
        *,
        algorithm: Literal["randomized", "arpack"] = "randomized",
        n_iter: int = 5,
        n_oversamples: int = 10,
        power_iteration_normalizer: Literal["auto", "QR", "LU", "none"] = "auto",
        random_state: int | np.random.RandomState | None = None,
        tol: float = 0.0,
        n_jobs: int | None = None,
        verbose: bool | int = False,
        callback: Callback | None = None,
    ) -> None:
        self.n_components = n_components
        self.algorithm = algorithm
        self.n_iter = n_iter
        self.n_oversamples = n_oversamples
        self.power_iteration_normalizer = power_iteration_normalizer
        self.random_state = random_state
        self.tol = tol
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.callback = callback

    _takes = {
        "n_components": COUNT,
        "algorithm": words("randomized", "arpack"),
        "n_iter": integer(0),
        "n_oversamples": integer(1),
        "power_iteration_normalizer": NORMALIZER,
        "random_state": SEED,
        "tol": TOL,
        "n_jobs": N_JOBS,
        "verbose": VERBOSE,
        "callback": CALLBACK,
    }

    # Variances of the scores about their mean, and their shares: scikit-learn's, which the engine has about zero.
    _about_mean: tuple[NDArray[np.float64], NDArray[np.float64]]

    mean_: attribute[NDArray[np.floating[Any]]] = attribute(lambda model: _absent())

    def fit(self, X: Any, y: Any = None) -> Self:
        """Fits the model to the rows of X."""
        self.fit_transform(X)
        return self

    @whole
    def fit_transform(self, X: Any, y: Any = None) -> NDArray[np.floating[Any]]:
        """Fits the model to the rows of X, and gives their scores."""
        self._check()
        rows = rows_of(self, X, reset=True, least=2, min_features=2)
        if self.n_components > rows.shape[1]:
            raise ValueError(f"n_components({self.n_components}) must be <= n_features({rows.shape[1]}).")
        if self.algorithm == "arpack" and self.n_components == rows.shape[1]:
            raise ValueError(f"n_components={self.n_components} must be strictly less than n_features with algorithm='arpack'")
        model = Model.fit(self._method, json.dumps(self._options()), rows, self._watched())
        scores = model.transform(rows, self._means())
        self._keep(model, rows.single)
        variance, total = np.var(scores, axis=0, dtype=np.float64), rows.variances(self._means()).sum()
        self._about_mean = variance, variance / (total or 1.0)
        return scores

    @derived
    def explained_variance_(self) -> NDArray[np.floating[Any]]:
        self._there("explained_variance_")
        variance: NDArray[Any] = self._typed(self._about_mean[0])
        return variance

    @derived
    def explained_variance_ratio_(self) -> NDArray[np.floating[Any]]:
        self._there("explained_variance_ratio_")
        ratio: NDArray[Any] = self._typed(self._about_mean[1])
        return ratio

    def _lists(self) -> dict[str, NDArray[np.float64]]:
        variance, ratio = self._about_mean
        return super()._lists() | {"explained_variance": variance, "explained_variance_ratio": ratio}

    def _take_back(self, model: Model, about: About) -> None:
        super()._take_back(model, about)
        held = [about["lists"].get(name, np.empty(0)) for name in ("explained_variance", "explained_variance_ratio")]
        if any(len(one) != model.n_components for one in held):
            raise ValueError("damaged model: a TruncatedSVD has a variance and a share for every component")
        self._about_mean = held[0], held[1]

    def _options(self) -> dict[str, Any]:
        return {
            "n_components": self._asked(),
            "center": False,
            "solver": "auto",
            "tolerance": tolerance(self.tol, "arpack" if self.algorithm == "arpack" else ""),
            "names": "pca",
            "seed": drawn_seed(self.random_state),
        }


def _absent() -> Any:
    raise ValueError("rows are taken as they are")
