"""High-dimensional data in few dimensions: exact, fast, explained.

Estimators in scikit-learn's words, on eigenspan's engine. They are imported when they are first asked for, and
scikit-learn with them.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from ._core import __version__ as __version__
from ._warning import EigenspanWarning as EigenspanWarning
from ._watch import Stopped as Stopped

if TYPE_CHECKING:
    from . import kernels as kernels, metrics as metrics
    from ._public import *  # noqa: F403

# What is there without scikit-learn.
_AT_ONCE = ("EigenspanWarning", "Stopped", "__version__", "kernels", "metrics")


def __getattr__(name: str) -> object:
    value: object
    if name in ("kernels", "metrics"):
        return importlib.import_module(f".{name}", __name__)
    if name.startswith("_") and name != "__all__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    public = {known: value for known, value in vars(importlib.import_module("._public", __name__)).items() if not known.startswith("_")}
    if name == "__all__":
        value = sorted([*_AT_ONCE, *public])
    elif name in public:
        value = public[name]
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    names = __getattr__("__all__")
    assert isinstance(names, list)
    return names
