"""High-dimensional data in few dimensions: exact, fast, explained.

Estimators in scikit-learn's words, on eigenspan's engine. They are imported when they are first asked for, and
scikit-learn with them.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from ._core import __version__
from ._warning import EigenspanWarning
from ._watch import Stopped

if TYPE_CHECKING:
    from . import kernels
    from ._describe import choose, denoise, describe
    from ._files import load, read
    from ._incremental import IncrementalPCA
    from ._kernel_pca import KernelPCA
    from ._pca import PCA
    from ._truncated import TruncatedSVD
    from ._tune import tune

__all__ = [
    "EigenspanWarning",
    "IncrementalPCA",
    "KernelPCA",
    "PCA",
    "Stopped",
    "TruncatedSVD",
    "__version__",
    "choose",
    "denoise",
    "describe",
    "kernels",
    "load",
    "read",
    "tune",
]

_HOMES = {
    "IncrementalPCA": "_incremental",
    "KernelPCA": "_kernel_pca",
    "PCA": "_pca",
    "TruncatedSVD": "_truncated",
    "choose": "_describe",
    "denoise": "_describe",
    "describe": "_describe",
    "load": "_files",
    "read": "_files",
    "tune": "_tune",
}


def __getattr__(name: str) -> object:
    if name == "kernels":
        return importlib.import_module(".kernels", __name__)
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f".{home}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
