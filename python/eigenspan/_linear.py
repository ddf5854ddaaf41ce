"""What the estimators of PCA share: components that are directions among the columns, and models that grow batch by batch."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._attributes import attribute
from ._base import Fitted
from ._core import Growing, Model, pca_covariance, pca_precision
from ._hints import hints_for, warn
from ._kinds import About

# scikit-learn's names of solvers, and our solver that each stands for.
SVD_SOLVERS = {"covariance_eigh": "covariance", "arpack": "lanczos"}


class Linear(Fitted):
    """A model whose components are directions among the columns, and which can grow batch by batch."""

    _method = "pca"
    _growing: Growing | None
    _points_to_pca = True

    components_: attribute[NDArray[np.floating[Any]]] = attribute(axis=0)
    singular_values_: attribute[NDArray[np.floating[Any]]] = attribute(axis=0)
    mean_: attribute[NDArray[np.floating[Any]]] = attribute()

    def __sklearn_is_fitted__(self) -> bool:
        return super().__sklearn_is_fitted__() or getattr(self, "_growing", None) is not None

    def _fitted(self) -> Model:
        """The model; computed now if batches were added since the last fit."""
        model: Model | None = super()._fitted()
        if model is None:
            assert self._growing is not None
            model = self._growing.fit(self._growing_options(), self._means())
            self._model = model
            warn(model.notes, hints_for(self))
        return model

    def _keep(self, model: Model, single: bool, *, warns: bool = True) -> None:
        self._growing = None
        super()._keep(model, single, warns=warns)

    def _keep_growing(self, growing: Growing, single: bool) -> None:
        self._model, self._growing, self._seen, self._single = None, growing, {}, single

    def _lists(self) -> dict[str, NDArray[np.float64]]:
        growing = getattr(self, "_growing", None)
        return {} if growing is None else {"growing": growing.numbers}

    def _take_back(self, model: Model, about: About) -> None:
        super()._take_back(model, about)
        numbers = about["lists"].get("growing")
        if numbers is not None:
            self._growing = Growing(json.dumps(json.loads(model.options) | {"n_components": "all"}), model.n_cols, numbers, model.names)

    def _grown(self) -> Growing:
        """The summary of the rows seen so far, to which rows can be added."""
        growing = getattr(self, "_growing", None)
        return Growing.from_model(self._fitted()) if growing is None else growing

    def _forget(self) -> None:
        self._model, self._growing, self._seen = None, None, {}

    def _growing_options(self) -> str:
        return json.dumps(self._options())


class Probabilistic(Linear):
    """A model that is also a normal distribution of rows (Tipping & Bishop 1999, doi:10.1111/1467-9868.00196)."""

    noise_variance_: attribute[float] = attribute()

    def get_covariance(self) -> NDArray[np.floating[Any]]:
        """Covariance of the probabilistic model."""
        covariance: NDArray[Any] = self._typed(pca_covariance(self._fitted()))
        return covariance

    def get_precision(self) -> NDArray[np.floating[Any]]:
        """Its inverse."""
        precision: NDArray[Any] = self._typed(pca_precision(self._fitted()))
        return precision
