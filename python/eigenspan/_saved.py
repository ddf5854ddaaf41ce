"""Estimators in model files: the parameters they had, and the class they come back as."""

from __future__ import annotations

import json
import numbers
from typing import Any

from ._core import Kernel


def parameters_of(estimator: Any, known: type) -> str:
    """The parameters of an estimator as JSON, those that a class of ours has: what a class made from it adds is not loaded.
    What JSON cannot hold is left out."""
    held = {}
    for name in known._get_param_names():  # type: ignore[attr-defined]
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
    """An estimator with the parameters of a file. A state that random numbers came from is the seed that was drawn."""
    held = json.loads(parameters)
    unknown = set(held) - set(known._get_param_names())  # type: ignore[attr-defined]
    if unknown:
        raise ValueError(f"the model file has parameters that {known.__name__} does not know here: {', '.join(sorted(unknown))}")
    if "random_state" in known._get_param_names():  # type: ignore[attr-defined]
        held.setdefault("random_state", seed)
    return known(**held)
