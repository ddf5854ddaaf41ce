"""What every estimator here is: parameters, a model of the engine, and attributes that look into it."""

from __future__ import annotations

import copy
import functools
import json
import numbers
import os
from collections.abc import Callable
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils import check_random_state

from ._core import Growing, KernelModel, Model
from ._hints import hints_for, text_of, warn
from ._kinds import About, Means
from ._parameters import Takes, check
from ._rows import rows_of, scores_of
from ._saved import parameters_of
from ._threads import threads_of

# scikit-learn's names of solvers, and the road of ours that each stands for.
SVD_SOLVERS = {"covariance_eigh": "covariance", "arpack": "lanczos"}

# A residual that rounding allows.
ROUNDING = 1e-13

Method = TypeVar("Method", bound=Callable[..., Any])


def whole(method: Method) -> Method:
    """A fit that fails leaves its estimator as it was before: the old model, or none."""

    @functools.wraps(method)
    def fitting(estimator: Any, *args: Any, **named: Any) -> Any:
        before = estimator.__dict__.copy()
        try:
            return method(estimator, *args, **named)
        except BaseException:
            estimator.__dict__.clear()
            estimator.__dict__.update(before)
            raise

    return fitting  # type: ignore[return-value]


class attribute:
    """A fitted attribute that is looked up in the model, once. Before a fit it is not there; it cannot be changed."""

    def __init__(self, name: str, look: Callable[[Any], Any], axis: int | None = None) -> None:
        # Along the axis there is one entry per component.
        self.name, self.look, self.axis = name, look, axis

    def __get__(self, estimator: Any, owner: Any = None) -> Any:
        if estimator is None:
            return self
        model, seen = estimator._known(self.name), estimator._seen
        if self.name not in seen:
            try:
                seen[self.name] = estimator._typed(estimator._cut(self.look(model), self.axis))
            except ValueError as error:
                raise AttributeError(f"{self.name}: {error}") from None
        return locked(seen[self.name])

    def __set__(self, estimator: Any, value: Any) -> None:
        raise AttributeError(f"{self.name} is what the fit found: transform and save would not follow a change, so there is none")


class derived(property):
    """A fitted attribute that is computed anew; it cannot be changed."""

    def __get__(self, estimator: Any, owner: Any = None) -> Any:
        return locked(super().__get__(estimator, owner))


class remembered:
    """An array that scikit-learn sets; whoever looks at it cannot change it."""

    def __set_name__(self, owner: Any, name: str) -> None:
        self.name = name

    def __get__(self, estimator: Any, owner: Any = None) -> Any:
        if estimator is None:
            return self
        if self.name not in estimator.__dict__:
            raise AttributeError(f"{type(estimator).__name__!r} object has no attribute {self.name!r}")
        return locked(estimator.__dict__[self.name])

    def __set__(self, estimator: Any, value: Any) -> None:
        estimator.__dict__[self.name] = value

    def __delete__(self, estimator: Any) -> None:
        del estimator.__dict__[self.name]


def locked(value: Any) -> Any:
    """An array that can only be read: the model would not follow a change."""
    if isinstance(value, np.ndarray):
        value.flags.writeable = False
    return value


class Fitted(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """A model of the engine behind scikit-learn's interface."""

    _model: Any
    _seen: dict[str, Any]
    _single: bool
    # What its parameters take.
    _takes: ClassVar[dict[str, Takes]] = {}
    # Whether eigenspan.PCA does the same with more parameters.
    _points_to_pca: ClassVar[bool] = False
    n_features_in_: int
    feature_names_in_: Any = remembered()

    explained_variance_ = attribute("explained_variance_", lambda model: model.explained_variance, 0)
    explained_variance_ratio_ = attribute("explained_variance_ratio_", lambda model: model.explained_variance_ratio, 0)
    n_components_ = attribute("n_components_", lambda model: model.n_components, 0)
    n_samples_ = attribute("n_samples_", lambda model: model.n_rows)
    residuals_ = attribute("residuals_", lambda model: model.residuals, 0)
    total_variance_ = attribute("total_variance_", lambda model: model.total_variance)
    plan_ = attribute("plan_", lambda model: json.loads(model.plan))

    @property
    def notes_(self) -> list[str]:
        return [text_of(note, hints_for(self)) for note in self._known("notes_").notes]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the model file, the same that the command line writes and reads; :func:`eigenspan.load` gives the
        estimator back."""
        self._fitted().save(os.path.expanduser(path), self._about())

    @property
    def _n_features_out(self) -> int:
        return int(self.n_components_)

    def __sklearn_is_fitted__(self) -> bool:
        return getattr(self, "_model", None) is not None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = getattr(self, "missing", "error") != "error"
        return tags

    def _fitted(self) -> Any:
        """The model."""
        if not self.__sklearn_is_fitted__():
            name = type(self).__name__
            raise NotFittedError(
                f"This {name} instance is not fitted yet. Call 'fit' with appropriate arguments before using this estimator."
            )
        return self._model

    def _keep(self, model: Model | KernelModel, single: bool, *, warns: bool = True) -> None:
        self._model, self._seen, self._single = model, {}, single
        if warns:
            warn(model.notes, hints_for(self))

    def _about(self) -> About:
        """What a model file says about the estimator, so that it comes back as itself."""
        known = next(known for known in type(self).__mro__ if known.__module__.startswith("eigenspan."))
        return {"class": known.__name__, "single": self._single, "parameters": parameters_of(self, known), "lists": self._lists()}

    def _lists(self) -> dict[str, NDArray[np.float64]]:
        """Numbers that the model of the engine does not hold."""
        return {}

    def _take_back(self, model: Model | KernelModel, about: About) -> None:
        """Becomes the estimator of a model from a file. What there is to say of the model was said when it was fitted."""
        self.n_features_in_ = model.n_cols
        if model.names is not None:
            self.feature_names_in_ = np.asarray(model.names, dtype=object)
        self._keep(model, about["single"], warns=False)

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = super().__getstate__()
        # What was looked up is looked up again, and batches that come to a copy are its own.
        growing = state.get("_growing")
        own = {} if growing is None else {"_growing": copy.copy(growing)}
        return state | own | {"_seen": {}} if "_seen" in state else state

    def _there(self, name: str) -> None:
        """Refuses to look at what only a fit gives."""
        if not self.__sklearn_is_fitted__():
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}: it is not fitted yet")

    def _known(self, name: str) -> Any:
        """The model that a fitted attribute is looked up in. Where batches so far make no model, there is no such attribute."""
        self._there(name)
        try:
            return self._fitted()
        except ValueError as error:
            raise NotFittedError(f"{name}: {error}") from None

    def _cut(self, value: Any, axis: int | None = None) -> Any:
        """What the model says of its components, along an axis, of those that are kept."""
        return value

    def _typed(self, value: Any) -> Any:
        """Arrays in the element type of the rows that were fitted."""
        is_array = isinstance(value, np.ndarray) and value.dtype.kind == "f"
        return value.astype(np.float32 if self._single else np.float64, copy=False) if is_array else value

    def _check(self) -> None:
        """Refuses parameters that are none, each by its name."""
        check(self, self._takes)

    def _asked(self) -> Any:
        """How many components, as the engine's option takes it."""
        asked: Any = self.n_components
        if asked is None:
            return "all"
        if isinstance(asked, numbers.Integral):
            return int(asked)
        return asked if isinstance(asked, str) else float(asked)

    def _options(self) -> tuple[str, bool]:
        raise NotImplementedError

    def _drawn_by(self) -> str:
        """Options that rows of a figure are read by, as JSON; what was fitted to them is the model's."""
        return "{}"

    def _means(self) -> Means:
        return means_of(getattr(self, "n_jobs", None), getattr(self, "memory", None))


class Linear(Fitted):
    """A model whose components are directions among the columns, and which can grow batch by batch."""

    _growing: Growing | None
    _points_to_pca = True

    components_ = attribute("components_", lambda model: model.components, 0)
    singular_values_ = attribute("singular_values_", lambda model: model.singular_values, 0)
    mean_ = attribute("mean_", lambda model: model.mean)

    def transform(self, X: Any) -> NDArray[Any]:
        """Scores of the rows of X, prepared as the rows of the fit were."""
        model = self._fitted()
        scores: NDArray[Any] = self._cut(model.transform(rows_of(self, X, reset=False), self._means()), 1)
        return scores

    def inverse_transform(self, X: Any) -> NDArray[Any]:
        """Rows rebuilt from scores, in the units of the data."""
        model = self._fitted()
        return model.inverse(scores_of(self, X), self._means())

    def __sklearn_is_fitted__(self) -> bool:
        return super().__sklearn_is_fitted__() or getattr(self, "_growing", None) is not None

    def _fitted(self) -> Model:
        """The model; computed now where batches have come since."""
        model: Model | None = super()._fitted()
        if model is None:
            assert self._growing is not None
            model = self._growing.fit(self._growing_options(), self._means())
            self._model = model
            warn(model.notes, hints_for(self))
        return model

    def _keep(self, model: Model | KernelModel, single: bool, *, warns: bool = True) -> None:
        self._growing = None
        super()._keep(model, single, warns=warns)

    def _keep_growing(self, growing: Growing, single: bool) -> None:
        self._model, self._growing, self._seen, self._single = None, growing, {}, single

    def _lists(self) -> dict[str, NDArray[np.float64]]:
        growing = getattr(self, "_growing", None)
        return {} if growing is None else {"growing": growing.numbers}

    def _take_back(self, model: Model | KernelModel, about: About) -> None:
        super()._take_back(model, about)
        numbers = about["lists"].get("growing")
        if numbers is not None:
            self._growing = Growing(json.dumps(json.loads(model.options) | {"n_components": "all"}), model.n_cols, numbers, model.names)

    def _grown(self) -> Growing:
        """The rows seen so far, ready for more."""
        growing = getattr(self, "_growing", None)
        return Growing.of(self._fitted()) if growing is None else growing

    def _forget(self) -> None:
        self._model, self._growing, self._seen = None, None, {}

    def _growing_options(self) -> str:
        return self._options()[0]

    def _drawn_by(self) -> str:
        return self._fitted().options


class Probabilistic(Linear):
    """A model that is a normal distribution of rows too (Tipping & Bishop 1999, doi:10.1111/1467-9868.00196)."""

    noise_variance_ = attribute("noise_variance_", lambda model: model.noise_variance)

    def get_covariance(self) -> NDArray[Any]:
        """Covariance of the probabilistic model."""
        covariance: NDArray[Any] = self._typed(self._fitted().covariance())
        return covariance

    def get_precision(self) -> NDArray[Any]:
        """Its inverse."""
        precision: NDArray[Any] = self._typed(self._fitted().precision())
        return precision


def means_of(n_jobs: Any, memory: Any) -> Means:
    """What a computation may use."""
    # More bytes than 64 bits can count are no limit.
    return {"threads": threads_of(n_jobs), "memory": None if memory is None or memory >= 2**64 else int(memory)}


def drawn_seed(random_state: Any) -> int:
    """A seed: None is 0, so that the same call gives the same bits."""
    if random_state is None:
        return 0
    if isinstance(random_state, numbers.Integral):
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31))


def one_name(solver: str, other: str, alias: str, words: dict[str, str]) -> str:
    """The solver, by its own name or by scikit-learn's."""
    if other == "auto":
        return str(solver)
    if solver != "auto":
        raise ValueError(f"solver={solver!r} and {alias}={other!r} name the same thing: give one of them")
    return words.get(other, str(other))


def tolerance(tol: Any, other: str) -> float | None:
    """The residual to stop at; None is the engine's own. `other` is the solver in scikit-learn's words: to whom names it
    there, 0 is as accurate as can be."""
    if tol != 0:
        return float(tol)
    return ROUNDING if other in ("arpack", "randomized") else None


def scaling(scale: Any) -> Any:
    """How columns are scaled, as the engine's option takes it."""
    if scale is None or isinstance(scale, (bool, np.bool_)):
        return "std" if scale else "none"
    return scale
