"""What every estimator here is: parameters, a model of the engine, and attributes that look into it.

A new method of the engine gets a class of its own in one file: :class:`Estimator` with ``_method``, its parameters, and ``_options``,
which says them in the engine's words; ``@registered()`` makes it known to :func:`eigenspan.load`, and a line in ``_public.py`` public.
"""

from __future__ import annotations

import copy
import functools
import json
import numbers
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils import check_random_state

from ._attributes import attribute, remembered
from ._core import Model, Rows, describe_model
from ._hints import hints_for, text_of, warn
from ._kinds import About, Means
from ._parameters import PATH, Takes, check, require
from ._results import Description
from ._rows import rows_of, scores_of
from ._saved import class_to_save, parameters_of
from ._threads import threads_of
from ._watch import Watch, watch_of

if TYPE_CHECKING:
    from typing_extensions import Self

# The smallest residual that rounding allows.
ROUNDING = 1e-13

# Engine names of options that have another name in scikit-learn.
RENAMED = {"tolerance": "tol", "seed": "random_state"}

Method = TypeVar("Method", bound=Callable[..., Any])


def whole(method: Method) -> Method:
    """After a failed fit, the estimator is as it was before: with the old model, or without one."""

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


class Fitted(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """A model of the engine behind scikit-learn's interface."""

    # The name of the method in the engine's list.
    _method: ClassVar[str]
    # The values that its parameters take.
    _takes: ClassVar[dict[str, Takes]] = {}
    # Whether eigenspan.PCA can do the same, with more parameters.
    _points_to_pca: ClassVar[bool] = False
    _model: Any
    _seen: dict[str, Any]
    _single: bool
    n_features_in_: int
    feature_names_in_: Any = remembered()

    explained_variance_: attribute[NDArray[np.floating[Any]]] = attribute(axis=0)
    explained_variance_ratio_: attribute[NDArray[np.floating[Any]]] = attribute(axis=0)
    n_components_: attribute[int] = attribute(axis=0)
    n_samples_: attribute[int] = attribute(lambda model: model.n_rows)
    residuals_: attribute[NDArray[np.floating[Any]]] = attribute(axis=0)
    total_variance_: attribute[float] = attribute()
    plan_: attribute[dict[str, Any]] = attribute(lambda model: json.loads(model.plan))

    @property
    def notes_(self) -> list[str]:
        return [text_of(note, hints_for(self)) for note in self._known("notes_").notes]

    def transform(self, X: Any) -> NDArray[np.floating[Any]]:
        """Scores of the rows of X, prepared as the rows of the fit were."""
        self._fitted()
        return self._scores(rows_of(self, X, reset=False))

    def inverse_transform(self, X: Any) -> NDArray[np.floating[Any]]:
        """Rows rebuilt from scores, in the units of the data."""
        rows: NDArray[Any]
        rows, _, notes = self._fitted().inverse(scores_of(self, X), "{}", self._means())
        warn(notes, hints_for(self))
        return rows

    def denoise(self, X: Any) -> NDArray[np.floating[Any]]:
        """The rows of X without what the components do not hold: projected onto them and brought back, in the units of the data.

        Examples
        --------
        >>> import eigenspan as es
        >>> import numpy as np
        >>> from sklearn.datasets import load_digits
        >>> X = load_digits().data
        >>> noisy = X + np.random.default_rng(0).normal(scale=4, size=X.shape)
        >>> model = es.PCA(16).fit(X)
        >>> bool(abs(model.denoise(noisy) - X).mean() < abs(noisy - X).mean())
        True
        """
        self._fitted()
        return self.inverse_transform(self._scores(rows_of(self, X, reset=False)))

    def describe(self) -> Description:
        """What the model is: spectrum, loadings, solver and proof, as text and as a dictionary (``to_dict()``).

        Examples
        --------
        >>> import eigenspan as es
        >>> from sklearn.datasets import load_iris
        >>> X = load_iris().data
        >>> about = es.PCA(2).fit(X).describe()
        >>> about["solver"], about["n_rows"]
        ('full', 150)
        >>> print(about)  # doctest: +ELLIPSIS
        PCA   150 rows × 4 numeric columns ...
        """
        found, text = describe_model(self._fitted(), type(self).__name__)
        return Description(text.rstrip("\n"), json.loads(found))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the model file, the same that the command line writes and reads; :func:`eigenspan.load` gives the
        estimator back.

        Examples
        --------
        >>> import eigenspan as es
        >>> from sklearn.datasets import load_iris
        >>> X = load_iris().data
        >>> pca = es.PCA(2).fit(X)
        >>> pca.save("iris.safetensors")
        >>> bool((es.load("iris.safetensors").transform(X) == pca.transform(X)).all())
        True
        """
        require(("path", path, PATH))
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

    def _scores(self, rows: Rows) -> NDArray[np.floating[Any]]:
        """Scores of rows, on the components that are kept."""
        scores: NDArray[Any] = self._cut(self._fitted().transform(rows, self._means()), 1)
        return scores

    def _keep(self, model: Model, single: bool, *, warns: bool = True) -> None:
        self._model, self._seen, self._single = model, {}, single
        if warns:
            warn(model.notes, hints_for(self))

    def _about(self) -> About:
        """The description of the estimator in a model file, from which loading restores it."""
        known = class_to_save(type(self))
        return {"class": known.__name__, "single": self._single, "parameters": parameters_of(self, known), "lists": self._lists()}

    def _lists(self) -> dict[str, NDArray[np.float64]]:
        """Numbers of the estimator that the engine's model does not store."""
        return {}

    def _take_back(self, model: Model, about: About) -> None:
        """Takes over a model from a file. Its notes were shown when it was fitted and are not repeated."""
        self.n_features_in_ = model.n_cols
        if model.names is not None:
            self.feature_names_in_ = np.asarray(model.names, dtype=object)
        self._keep(model, about["single"], warns=False)

    @classmethod
    def _of_options(cls, options: dict[str, Any], model: Model) -> Self:
        """An estimator whose fit would give such a model; options without a parameter are left out."""
        given = {RENAMED.get(name, name): value for name, value in options.items()}
        if given.get("n_components") == "all":
            given["n_components"] = None
        if "tol" in given and given["tol"] is None:
            given["tol"] = 0.0
        known = cls._get_param_names()
        return cls(**{name: value for name, value in given.items() if name in known})

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = super().__getstate__()
        # Cached attributes are looked up again, and batches added to a copy are not added to the original.
        growing = state.get("_growing")
        own = {} if growing is None else {"_growing": copy.copy(growing)}
        return state | own | {"_seen": {}} if "_seen" in state else state

    def _there(self, name: str) -> None:
        """Raises AttributeError before a fit."""
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
        """An array of the model, restricted along an axis to the components that are kept."""
        return value

    def _typed(self, value: Any) -> Any:
        """Arrays in the element type of the rows that were fitted."""
        is_array = isinstance(value, np.ndarray) and value.dtype.kind == "f"
        return value.astype(np.float32 if self._single else np.float64, copy=False) if is_array else value

    def _check(self) -> None:
        """Refuses invalid parameters, each by its name."""
        check(self, self._takes)

    def _asked(self) -> Any:
        """The number of components, as the engine's option takes it."""
        asked: Any = self.n_components
        if asked is None:
            return "all"
        if isinstance(asked, numbers.Integral):
            return int(asked)
        return asked if isinstance(asked, str) else float(asked)

    def _options(self) -> dict[str, Any]:
        """The parameters as the engine's options."""
        raise NotImplementedError

    def _means(self) -> Means:
        return means_of(getattr(self, "n_jobs", None), getattr(self, "memory", None))

    def _watched(self) -> Means:
        """The same for work that may take long, with the function to which it reports progress."""
        watch = watch_of(type(self).__name__, getattr(self, "verbose", False), getattr(self, "callback", None))
        return means_of(getattr(self, "n_jobs", None), getattr(self, "memory", None), watch)


class Estimator(Fitted):
    """An estimator that is fitted to all rows at once by the engine's method, as most are."""

    @whole
    def fit(self, X: Any, y: Any = None) -> Self:
        """Fits the model to the rows of X."""
        self._fit_rows(X, y)
        return self

    @whole
    def fit_transform(self, X: Any, y: Any = None) -> NDArray[np.floating[Any]]:
        """Fits the model to the rows of X, and gives their scores: the same bits as ``fit(X).transform(X)``."""
        rows = self._fit_rows(X, y)
        if self._model.takes_new_rows:
            return self._scores(rows)
        scores: NDArray[Any] = self._typed(self._cut(self._model.embedded(rows, self._means()), 1))
        return scores

    def plan(self, X: Any) -> dict[str, Any]:
        """What a fit to X would run, and why; no row is read.

        Examples
        --------
        >>> import eigenspan as es
        >>> from sklearn.datasets import load_iris
        >>> X = load_iris().data
        >>> es.PCA(2).plan(X)["solver"]
        'full'
        """
        self._check()
        other = type(self)(**self.get_params())
        if hasattr(self, "random_state"):
            # A plan draws no random number.
            other.random_state = copy.deepcopy(self.random_state)
        plan: dict[str, Any] = json.loads(other._plan(X))
        return plan

    def _fit_rows(self, X: Any, y: Any = None) -> Any:
        """Fits, and returns the rows as the engine sees them."""
        self._check()
        rows = rows_of(self, X, reset=True, least=2)
        options = json.dumps(self._options())
        self._keep(Model.fit(self._method, options, rows, self._watched(), labels=self._labels(y, rows)), rows.single)
        return rows

    def _labels(self, y: Any, rows: Rows) -> list[str] | None:
        """The class of every row, for methods that learn from classes."""
        return None

    def _plan(self, X: Any) -> str:
        """The engine's plan, as JSON."""
        options = json.dumps(self._options())
        return Model.plan_for(self._method, options, rows_of(self, X, reset=True, least=2), self._means())


def quality_of(model: Any) -> dict[str, Any]:
    """How good the map of the rows is, as a dictionary of measures."""
    if model.quality is None:
        raise ValueError("it is known of 3 rows or more, where they could be compared within the memory allowed")
    quality: dict[str, Any] = json.loads(model.quality)
    return quality


def means_of(n_jobs: Any, memory: Any, watch: Watch | None = None) -> Means:
    """What a computation may use, and the function to which it reports progress."""
    # More bytes than a 64-bit number can count mean no limit.
    return {"threads": threads_of(n_jobs), "memory": None if memory is None or memory >= 2**64 else int(memory), "watch": watch}


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
