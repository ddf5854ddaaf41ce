"""What linear and quadratic discriminant analysis share as scikit-learn's classifiers: classes of any type, priors, probabilities."""

from __future__ import annotations

import json
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import assert_all_finite, column_or_1d

from ._attributes import derived
from ._classes import Classifying
from ._core import Model, Rows
from ._kinds import About
from ._parameters import FLAG, NONE, Takes, is_number, number, words
from ._rows import rows_of

SHRINKAGE = number("a share from 0 to 1", lambda value: 0 <= value <= 1) | words("auto") | NONE
PRIORS = Takes("a list of one probability for each class", lambda value: np.ndim(value) == 1) | NONE
LIMIT = number("a number of at least 0", lambda value: value >= 0)

SHARED = {"shrinkage": SHRINKAGE, "priors": PRIORS, "store_covariance": FLAG, "covariance_estimator": NONE}

# Types of classes that the text in a model file does not tell apart.
KINDS: list[Any] = [str, np.int64, np.float64, np.bool_]


class absent:
    """A method of other estimators that this one does not have, neither its class: scikit-learn would wrap what it finds there."""

    def __set_name__(self, owner: Any, name: str) -> None:
        self.name = name

    def __get__(self, estimator: Any, owner: Any = None) -> Any:
        raise AttributeError(f"{owner.__name__!r} object has no attribute {self.name!r}")


class Discriminant(ClassifierMixin, Classifying):  # type: ignore[misc]
    """A classifier whose classes may be text, numbers or truth values."""

    inverse_transform = absent()
    denoise = absent()

    # The classes in scikit-learn's order, and the place of each in the model's.
    _classes: NDArray[Any]
    _order: NDArray[np.intp]

    @derived
    def classes_(self) -> NDArray[Any]:
        self._there("classes_")
        return self._classes

    @derived
    def priors_(self) -> NDArray[np.floating[Any]]:
        priors: NDArray[Any] = self._typed(self._known("priors_").priors[self._order])
        return priors

    @derived
    def means_(self) -> NDArray[np.floating[Any]]:
        means: NDArray[Any] = self._typed(self._known("means_").class_means[self._order])
        return means

    def predict(self, X: Any) -> NDArray[Any]:
        """The most probable class of every row of X; None for a row with missing cells that the model does not fill."""
        model = self._fitted()
        numbers = np.asarray(model.predict(rows_of(self, X, reset=False), self._means()), dtype=np.intp)
        # The model's classes, in its own order.
        classes: NDArray[Any] = self._classes[np.argsort(self._order)]
        if (numbers >= 0).all():
            return classes[numbers]
        return np.array([*classes.tolist(), None], dtype=object)[numbers]

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The probability of every class for every row of X, in the order of ``classes_``."""
        model = self._fitted()
        probabilities = model.predict_proba(rows_of(self, X, reset=False), self._means())
        found: NDArray[Any] = self._typed(probabilities[:, self._order])
        return found

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """The logarithms of these, also where probabilities are too small for a number of their own."""
        decisions = self._decisions(X)
        largest = decisions.max(axis=1, keepdims=True)
        total = largest + np.log(np.exp(decisions - largest).sum(axis=1, keepdims=True))
        found: NDArray[Any] = self._typed(decisions - total)
        return found

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """The logarithm of the probability of every class, up to a term that the classes of a row share; with two classes, how far the
        second lies above the first."""
        decisions = self._decisions(X)
        found: NDArray[Any] = self._typed(decisions if len(self._classes) > 2 else decisions[:, 1] - decisions[:, 0])
        return found

    def _decisions(self, X: Any) -> NDArray[np.float64]:
        decisions: NDArray[np.float64] = self._fitted().decisions(rows_of(self, X, reset=False), self._means())
        return decisions[:, self._order]

    def _fit_rows(self, X: Any, y: Any = None) -> Any:
        self._check()
        rows = rows_of(self, X, reset=True, least=2)
        labels = self._labels(y, rows)
        options = self._options()
        if options["priors"] is not None:
            options["priors"] = self._priors(options["priors"])
        model = Model.fit(self._method, json.dumps(options), rows, self._watched(), labels=labels)
        self._keep(model, rows.single)
        self._order_classes(model)
        return rows

    def _labels(self, y: Any, rows: Rows) -> list[str] | None:
        """The class of every row as text, and the classes as they were given."""
        if y is None:
            known = rows.labels
            if known is None:
                raise ValueError(f"This {type(self).__name__} estimator requires y to be passed, but the target y is None.")
            y = known
        labels = column_or_1d(y, warn=True)
        n_rows = rows.shape[0]
        if n_rows is not None and len(labels) != n_rows:
            raise ValueError(f"y has {len(labels)} labels, but it takes one for each of {n_rows} rows: inconsistent numbers of samples")
        if labels.dtype.kind == "f":
            assert_all_finite(labels, input_name="y")
        check_classification_targets(labels)
        self._classes, codes = np.unique(labels, return_inverse=True)
        # The same text for all rows of a class, so that it is made once.
        texts: list[str] = np.array([str(name) for name in self._classes.tolist()], dtype=object)[codes].tolist()
        return texts

    def _priors(self, given: Any) -> list[float]:
        """Priors in the order of the model's classes: numbers by size, words by their letters."""
        priors = np.asarray(given, dtype=np.float64)
        if (priors < 0).any():
            raise ValueError("priors must be non-negative")
        total = float(priors.sum())
        if abs(total - 1.0) > 1e-5:
            warnings.warn("The priors do not sum to 1. Renormalizing", UserWarning, stacklevel=5)
            priors = priors / total
        texts = [str(name) for name in self._classes.tolist()]
        values = [_as_number(text) for text in texts]
        if len(priors) == len(texts) and not any(value is None for value in values):
            priors = priors[np.argsort(np.asarray(values, dtype=np.float64), kind="stable")]
        return [float(prior) for prior in priors]

    def _order_classes(self, model: Model) -> None:
        places = {name: place for place, name in enumerate(model.classes)}
        texts = [str(name).strip() for name in self._classes.tolist()]
        if len(places) != len(texts):
            raise ValueError(f"{len(texts)} classes have only {len(places)} different names as text")
        self._order = np.array([places[text] for text in texts], dtype=np.intp)

    def _lists(self) -> dict[str, NDArray[np.float64]]:
        kinds = {"i": 1.0, "u": 1.0, "f": 2.0, "b": 3.0}
        return {"class_kind": np.array([kinds.get(self._classes.dtype.kind, 0.0)])}

    def _take_back(self, model: Model, about: About) -> None:
        super()._take_back(model, about)
        lists: Any = about.get("lists") or {}
        kind = KINDS[int(lists["class_kind"][0])] if "class_kind" in lists else str
        names = list(model.classes)
        if kind is np.bool_:
            found = np.array([name == "True" for name in names])
        else:
            found = np.array(names if kind is str else [float(name) for name in names])
            found = found.astype(np.int64) if kind is np.int64 else found
        self._classes = np.unique(found)
        self._order_classes(model)

    def _check(self) -> None:
        super()._check()
        priors = getattr(self, "priors")
        if priors is not None and not all(is_number(value) for value in np.asarray(priors).tolist()):
            raise ValueError(f"priors={priors!r}: it takes one probability for each class")
        if self.solver == "svd" and self.shrinkage is not None:
            raise NotImplementedError("shrinkage not supported with 'svd' solver.")

    def _shrinkage(self) -> Any:
        given: Any = getattr(self, "shrinkage")
        if given is None:
            return "none"
        return given if isinstance(given, str) else float(given)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # Rows of a file may have a column of their classes.
        tags.target_tags.required = True
        return tags


def _as_number(text: str) -> float | None:
    """A class as a number, where the engine takes it for one."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if np.isfinite(value) else None
