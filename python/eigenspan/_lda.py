"""scikit-learn's linear discriminant analysis, on eigenspan's engine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ._attributes import derived
from ._base import whole
from ._core import Model
from ._discriminant import LIMIT, SHARED, Discriminant
from ._look import Drawn
from ._options import LinearDiscriminantAnalysisParameters
from ._parameters import CALLBACK, MEMORY, N_JOBS, VERBOSE, parts, words
from ._saved import registered

if TYPE_CHECKING:
    from typing_extensions import Self

LinearDiscriminantAnalysisParameters.__init__.__qualname__ = "LinearDiscriminantAnalysis.__init__"


@registered()
class LinearDiscriminantAnalysis(LinearDiscriminantAnalysisParameters, Drawn, Discriminant):
    __doc__ = f"""Linear discriminant analysis: the directions in which classes lie furthest apart, measured by how far rows spread within
    classes; and the class of new rows, as if classes were normal with one covariance.

    X may be all that it may be for :class:`PCA`, also sparse; of a file, y may be its column of classes.

    {LinearDiscriminantAnalysisParameters.__doc__}
    Attributes
    ----------
    classes_ : array of shape (n_classes,)
        The classes.
    priors_, means_ : arrays of shape (n_classes,) and (n_classes, n_features_in_)
        Their probabilities before a row is seen, and their means.
    xbar_ : array of shape (n_features_in_,)
        The mean of these means by the priors.
    scalings_ : array of shape (n_features_in_, rank)
        Directions: scores have variance 1 within classes, with divisor n. Those of ``solver='eigen'`` end where classes differ no more.
    explained_variance_ratio_ : array of shape (n_components_,)
        Share of each in the variance between classes.
    explained_variance_ : array of shape (n_components_,)
        Variance between classes along each, in units of that within.
    coef_, intercept_ : arrays of shape (n_classes, n_features_in_) and (n_classes,)
        The functions of ``decision_function``; with two classes a single one, of the second less the first.
    covariance_ : array of shape (n_features_in_, n_features_in_)
        Covariance within classes, weighted by the priors; for ``solver='svd'`` with ``store_covariance``.
    residuals_ : array of shape (n_components_,)
        The proof: ‖S_b v − λ S_w v‖ ÷ ‖λ S_w v‖ of every component is at most so large, rounding included.
    n_components_, n_features_in_, n_samples_ : int
        Components kept, columns and rows fitted.
    feature_names_in_ : array of str
        Names of the columns, where they are all strings.
    plan_, notes_
        As for :class:`PCA`.

    Examples
    --------
    >>> import eigenspan as es
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> lda = es.LinearDiscriminantAnalysis().fit(X, y)
    >>> lda.explained_variance_ratio_.round(4)
    array([0.9912, 0.0088])
    >>> int((lda.predict(X) == y).sum())
    147
    """

    _method = "lda"
    _takes = SHARED | {
        "solver": words("svd", "lsqr", "eigen"),
        "n_components": parts(1, "all"),
        "tol": LIMIT,
        "sign": words(*LinearDiscriminantAnalysisParameters._words["sign"]),
        "missing": words("error", "drop", "mean"),
        "n_jobs": N_JOBS,
        "memory": MEMORY,
        "verbose": VERBOSE,
        "callback": CALLBACK,
    }

    @derived
    def explained_variance_ratio_(self) -> NDArray[np.floating[Any]]:
        model = self._known("explained_variance_ratio_")
        self._refuse_lsqr("explained_variance_ratio_")
        # Covariances that are shrunk apart from each other may have a negative trace, of which there are no shares.
        shares: NDArray[Any] = self._typed(model.ratios / model.trace if model.trace > 0 else model.explained_variance_ratio)
        return shares

    @derived
    def scalings_(self) -> NDArray[np.floating[Any]]:
        model = self._known("scalings_")
        self._refuse_lsqr("scalings_")
        scalings: NDArray[Any] = self._typed(model.scalings.T)
        return scalings

    @derived
    def xbar_(self) -> NDArray[np.floating[Any]]:
        xbar: NDArray[Any] = self._typed(self._known("xbar_").mean)
        return xbar

    @derived
    def coef_(self) -> NDArray[np.floating[Any]]:
        coef = self._known("coef_").coef[self._order]
        found: NDArray[Any] = self._typed(coef if len(coef) > 2 else coef[1:] - coef[:1])
        return found

    @derived
    def intercept_(self) -> NDArray[np.floating[Any]]:
        intercept = self._known("intercept_").intercept[self._order]
        found: NDArray[Any] = self._typed(intercept if len(intercept) > 2 else intercept[1:] - intercept[:1])
        return found

    @derived
    def covariance_(self) -> NDArray[np.floating[Any]]:
        covariance = self._known("covariance_").covariance
        if covariance is None:
            raise AttributeError("covariance_: it is kept with store_covariance=True")
        found: NDArray[Any] = self._typed(covariance)
        return found

    def transform(self, X: Any) -> NDArray[np.floating[Any]]:
        """Scores of the rows of X. As in scikit-learn, those of ``solver='eigen'`` are of rows that are not centered."""
        self._refuse_to_transform()
        return super().transform(X)

    @whole
    def fit_transform(self, X: Any, y: Any = None) -> NDArray[np.floating[Any]]:
        """Fits the model to the rows of X and their classes, and gives their scores: the same bits as ``fit(X, y).transform(X)``."""
        self._refuse_to_transform()
        return super().fit_transform(X, y)

    def _scores(self, rows: Any) -> NDArray[np.floating[Any]]:
        scores = super()._scores(rows)
        if self.solver != "eigen":
            return scores
        model = self._model
        shift = model.mean @ model.components.T
        shifted: NDArray[Any] = (scores + shift).astype(scores.dtype, copy=False)
        return shifted

    def _refuse_to_transform(self) -> None:
        if self.solver == "lsqr":
            raise NotImplementedError("transform not implemented for 'lsqr' solver (use 'svd' or 'eigen').")

    def _refuse_lsqr(self, name: str) -> None:
        if self.solver == "lsqr":
            raise AttributeError(f"{name}: solver='lsqr' only predicts")

    def _check(self) -> None:
        super()._check()
        if self.tol >= 1:
            raise ValueError(f"tol={self.tol!r}: it takes a share of a column's deviation below 1")

    def _options(self) -> dict[str, Any]:
        return {
            "n_components": self._asked(),
            "solver": "svd" if self.solver == "svd" else "eigen",
            "shrinkage": self._shrinkage(),
            "priors": None if self.priors is None else [float(prior) for prior in self.priors],
            "rank_tolerance": float(self.tol),
            "store_covariance": bool(self.store_covariance) or self.solver != "svd",
            "sign": self.sign,
            "missing": self.missing,
        }

    @classmethod
    def _of_options(cls, options: dict[str, Any], model: Model) -> Self:
        shrinkage = options.get("shrinkage", "none")
        solver = options.get("solver", "auto")
        if solver == "auto":
            solver = "svd" if shrinkage == "none" else "eigen"
        known = {"tol": options.get("rank_tolerance", 1e-4), "solver": solver, "shrinkage": None if shrinkage == "none" else shrinkage}
        return super()._of_options(options | known, model)
