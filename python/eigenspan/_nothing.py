"""A PCA that keeps no component, as scikit-learn has it: all variance is noise, the same in every direction.

The engine keeps at least one component. It is fitted and not shown.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_array

from ._core import Rows, pca_score, pca_score_samples
from ._kinds import About
from ._linear import Probabilistic
from ._parameters import is_whole
from ._rows import array_of, is_path, rows_of


class MayKeepNothing(Probabilistic):
    """A PCA for which ``n_components=0`` is a number of components."""

    _is_empty: bool

    def _keep(self, *args: Any, **named: Any) -> None:
        self._is_empty = self._asks_for_nothing()
        super()._keep(*args, **named)

    def _keep_growing(self, *args: Any) -> None:
        self._is_empty = self._asks_for_nothing()
        super()._keep_growing(*args)

    def _asks_for_nothing(self) -> bool:
        return is_whole(self.n_components) and self.n_components == 0

    def _lists(self) -> dict[str, NDArray[np.float64]]:
        # A parameter that was set after the fit does not apply to the model.
        kept = {} if self._is_empty == self._asks_for_nothing() else {"kept": np.array([float(self.n_components_)])}
        return super()._lists() | kept

    def _take_back(self, model: Any, about: About) -> None:
        super()._take_back(model, about)
        kept = about["lists"].get("kept")
        if kept is not None:
            self._is_empty = bool(kept[0] == 0)

    def _asked(self) -> Any:
        asked = super()._asked()
        return 1 if is_whole(asked) and asked == 0 else asked

    def _cut(self, value: Any, axis: int | None = None) -> Any:
        if not self._is_empty or axis is None:
            return value
        return 0 if isinstance(value, int) else np.take(value, [], axis=axis)

    @property
    def noise_variance_(self) -> float:  # type: ignore[override]
        model = self._known("noise_variance_")
        if not self._is_empty:
            return float(model.noise_variance)
        return float(model.total_variance / model.n_directions)

    def inverse_transform(self, X: Any) -> NDArray[np.floating[Any]]:
        """Rows rebuilt from scores, in the units of the data."""
        if not (self.__sklearn_is_fitted__() and self._is_empty):
            return super().inverse_transform(X)
        scores = check_array(X, estimator=self, ensure_min_features=0)
        if scores.shape[1] != 0:
            raise ValueError(f"{scores.shape[1]} columns given, but 0 expected")
        rows: NDArray[Any] = np.tile(self.mean_, (len(scores), 1))
        return rows

    def get_covariance(self) -> NDArray[np.floating[Any]]:
        """Covariance of the probabilistic model."""
        if not (self.__sklearn_is_fitted__() and self._is_empty):
            return super().get_covariance()
        covariance: NDArray[Any] = self._typed(np.diag(self.noise_variance_ * self._squared_scale()))
        return covariance

    def get_precision(self) -> NDArray[np.floating[Any]]:
        """Its inverse."""
        if not (self.__sklearn_is_fitted__() and self._is_empty):
            return super().get_precision()
        precision: NDArray[Any] = self._typed(np.diag(1 / (self.noise_variance_ * self._squared_scale())))
        return precision

    def score_samples(self, X: Any) -> NDArray[np.float64]:
        """Log-likelihood of every row under the probabilistic model (Tipping & Bishop 1999)."""
        model = self._fitted()
        rows = rows_of(self, X, reset=False)
        if not self._is_empty:
            return pca_score_samples(model, rows, self._means())
        if is_path(X) or isinstance(X, Rows):
            raise ValueError("the likelihood under n_components=0 is computed from rows in memory, not from a file")
        cells = array_of(X)
        cells = np.asarray(cells.todense() if hasattr(cells, "todense") else cells, dtype=np.float64)
        variances = self.noise_variance_ * self._squared_scale()
        squares = ((cells - model.mean) ** 2 / variances).sum(axis=1)
        logs: NDArray[np.float64] = -0.5 * (squares + np.log(2 * np.pi * variances).sum())
        return logs

    def score(self, X: Any, y: Any = None) -> float:
        """Mean log-likelihood of the rows."""
        model = self._fitted()
        if self._is_empty:
            return float(self.score_samples(X).mean())
        return pca_score(model, rows_of(self, X, reset=False), self._means())

    def _squared_scale(self) -> NDArray[np.float64]:
        scale = self._fitted().scale
        return np.ones(self.n_features_in_) if scale is None else scale**2
