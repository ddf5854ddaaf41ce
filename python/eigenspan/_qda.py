"""scikit-learn's quadratic discriminant analysis, on eigenspan's engine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ._attributes import derived
from ._core import Model
from ._discriminant import LIMIT, SHARED, Discriminant, absent
from ._look import Drawn
from ._options import QuadraticDiscriminantAnalysisParameters
from ._parameters import CALLBACK, MEMORY, N_JOBS, VERBOSE, number, words
from ._saved import registered

if TYPE_CHECKING:
    from typing_extensions import Self

QuadraticDiscriminantAnalysisParameters.__init__.__qualname__ = "QuadraticDiscriminantAnalysis.__init__"


@registered()
class QuadraticDiscriminantAnalysis(QuadraticDiscriminantAnalysisParameters, Drawn, Discriminant):
    __doc__ = f"""Quadratic discriminant analysis: the class of new rows, as if every class were normal with a covariance of its own.

    X may be all that it may be for :class:`PCA`, also sparse; of a file, y may be its column of classes.

    {QuadraticDiscriminantAnalysisParameters.__doc__}
    Attributes
    ----------
    classes_ : array of shape (n_classes,)
        The classes.
    priors_, means_ : arrays of shape (n_classes,) and (n_classes, n_features_in_)
        Their probabilities before a row is seen, and their means.
    rotations_, scalings_ : lists of n_classes arrays
        The principal axes of each class as columns, and the variance along each, regularized.
    covariance_ : list of n_classes arrays
        The covariances, regularized, with divisor n; with ``store_covariance``.
    n_features_in_, n_samples_ : int
        Columns and rows fitted.
    feature_names_in_ : array of str
        Names of the columns, where they are all strings.
    plan_, notes_
        As for :class:`PCA`.

    Examples
    --------
    >>> import eigenspan as es
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> qda = es.QuadraticDiscriminantAnalysis().fit(X, y)
    >>> int((qda.predict(X) == y).sum())
    147
    """

    _method = "qda"
    _takes = SHARED | {
        "solver": words("svd", "eigen"),
        "reg_param": number("a share from 0 to 1", lambda value: 0 <= value <= 1),
        "tol": LIMIT,
        "missing": words("error", "drop", "mean"),
        "n_jobs": N_JOBS,
        "memory": MEMORY,
        "verbose": VERBOSE,
        "callback": CALLBACK,
    }

    # There are no directions to project on.
    transform = absent()
    fit_transform = absent()
    get_feature_names_out = absent()
    set_output = absent()

    @derived
    def covariance_(self) -> list[NDArray[np.floating[Any]]]:
        self._there("covariance_")
        if not self.store_covariance:
            raise AttributeError("covariance_: it is kept with store_covariance=True")
        return [self._typed(covariance) for covariance in self._covariances()]

    @derived
    def rotations_(self) -> list[NDArray[np.floating[Any]]]:
        self._there("rotations_")
        return [self._typed(np.linalg.eigh(covariance)[1][:, ::-1]) for covariance in self._covariances()]

    @derived
    def scalings_(self) -> list[NDArray[np.floating[Any]]]:
        self._there("scalings_")
        return [self._typed(np.linalg.eigvalsh(covariance)[::-1]) for covariance in self._covariances()]

    def _covariances(self) -> list[NDArray[np.float64]]:
        """Σ = W⁻¹W⁻ᵀ from the map W that makes it the identity."""
        maps = self._fitted().whitening.reshape(len(self._classes), self.n_features_in_, self.n_features_in_)
        back = [np.linalg.inv(maps[place]) for place in self._order]
        return [inverse @ inverse.T for inverse in back]

    def _options(self) -> dict[str, Any]:
        return {
            "reg_param": float(self.reg_param) if self.solver == "svd" else 0.0,
            "shrinkage": self._shrinkage(),
            "priors": None if self.priors is None else [float(prior) for prior in self.priors],
            "rank_tolerance": float(self.tol),
            "missing": self.missing,
        }

    @classmethod
    def _of_options(cls, options: dict[str, Any], model: Model) -> Self:
        shrinkage = options.get("shrinkage", "none")
        known = {
            "tol": options.get("rank_tolerance") or 0.0,
            "solver": "svd" if shrinkage == "none" else "eigen",
            "shrinkage": None if shrinkage == "none" else shrinkage,
        }
        return super()._of_options(options | known, model)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags = None
        return tags
