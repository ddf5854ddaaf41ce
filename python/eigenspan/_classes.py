"""Estimators that learn from classes: labels in the fit, and the classes of new rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._attributes import attribute
from ._base import Estimator
from ._core import Rows
from ._rows import labels_of, rows_of


class Classifying(Estimator):
    """An estimator that is fitted to rows and their classes. The model keeps the names of the classes as text, and so do its files."""

    classes_: attribute[NDArray[Any]] = attribute(lambda model: np.asarray(model.classes, dtype=object))

    def predict(self, X: Any) -> NDArray[Any]:
        """The most probable class of every row of X, as text; None for a row with missing cells that the model does not fill."""
        model = self._fitted()
        numbers = model.predict(rows_of(self, X, reset=False), self._means())
        # A row without a class has the number -1.
        classes: NDArray[Any] = np.array([*model.classes, None], dtype=object)[numbers]
        return classes

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The probability of every class for every row of X, in the order of ``classes_``."""
        model = self._fitted()
        probabilities: NDArray[np.float64] = model.predict_proba(rows_of(self, X, reset=False), self._means())
        return probabilities

    def _labels(self, y: Any, rows: Rows) -> list[str] | None:
        return labels_of(y, rows)
