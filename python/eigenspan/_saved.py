"""Estimators in model files: the classes that files name, and the parameters that estimators had."""

from __future__ import annotations

import importlib
import json
import numbers
from collections.abc import Callable
from typing import Any, TypeVar

from ._core import Kernel, methods

# The classes of every method that a model file may name, by their names.
_CLASSES: dict[str, dict[str, type[Any]]] = {}
# The default class of every method, for files that name no class, such as those of the command line.
_DEFAULTS: dict[str, type[Any]] = {}

# Parameters about the progress of a fit, which do not affect the model.
WATCHING = {"verbose", "callback"}

Class = TypeVar("Class", bound="type[Any]")


def registered(*, is_default: bool = True) -> Callable[[Class], Class]:
    """Makes a class of estimators known to :func:`eigenspan.load`, under its name and method. `is_default` says whether it is the
    class of files of that method that name none."""

    def register(known: Class) -> Class:
        _CLASSES.setdefault(known._method, {})[known.__name__] = known
        if is_default:
            _DEFAULTS[known._method] = known
        return known

    return register


def class_to_save(kind: type) -> type[Any]:
    """The class that a model file names: the nearest that is registered, since a class that somebody made from one of ours is not
    there when the file is loaded."""
    for known in kind.__mro__:
        classes = _CLASSES.get(getattr(known, "_method", ""), {})
        if classes.get(known.__name__) is known:
            return known
    raise ValueError(f"a model file names the class of its estimator, and {kind.__name__} is not registered to be loaded")


def class_to_load(method: str, name: str | None) -> type[Any] | None:
    """The class of this name among those of a method, or the default class if the file names none."""
    _register_all()
    return _DEFAULTS.get(method) if name is None else _CLASSES.get(method, {}).get(name)


def loadable_methods() -> list[str]:
    """The methods whose models have a class, in the engine's order."""
    _register_all()
    return [method for method, _ in methods() if method in _DEFAULTS]


def _register_all() -> None:
    """Imports every estimator: a class registers itself when its module is imported."""
    importlib.import_module("._public", __package__)


def parameters_of(estimator: Any, known: type) -> str:
    """The parameters of an estimator as JSON, those that a class of ours has: what a class made from it adds is not loaded.
    What JSON cannot hold is left out."""
    held = {}
    for name in known._get_param_names():  # type: ignore[attr-defined]
        if name in WATCHING:
            continue
        value = getattr(estimator, name, None)
        known = _simple(value)
        try:
            held[name] = json.loads(json.dumps(known, allow_nan=False))
        except (TypeError, ValueError):
            continue
    return json.dumps(held)


def _simple(value: Any) -> Any:
    """A value of NumPy as Python's own, a kernel as its text."""
    if isinstance(value, Kernel):
        return str(value)
    if isinstance(value, (bool, int, float, str)) or value is None:
        return value
    if isinstance(value, numbers.Integral):
        return int(value)
    if isinstance(value, numbers.Real):
        return float(value)
    return value.item() if hasattr(value, "item") and getattr(value, "ndim", 1) == 0 else value


def given_back(known: type, parameters: str, seed: int) -> Any:
    """An estimator with the parameters of a file. Instead of a RandomState, it has the seed that was drawn from it."""
    held = json.loads(parameters)
    unknown = set(held) - set(known._get_param_names())  # type: ignore[attr-defined]
    if unknown:
        raise ValueError(f"the model file has parameters that {known.__name__} does not know here: {', '.join(sorted(unknown))}")
    if "random_state" in known._get_param_names():  # type: ignore[attr-defined]
        held.setdefault("random_state", seed)
    return known(**held)
