"""Files in: tables to be fitted, and models that were saved."""

from __future__ import annotations

import os
from typing import Any

from . import _core
from ._core import Rows
from ._kernel_pca import KernelPCA
from ._pca import PCA
from ._rows import files


def read(
    paths: str | os.PathLike[str] | list[str | os.PathLike[str]],
    *,
    n_jobs: int | None = None,
    **options: Any,
) -> Rows:
    """Opens a table in a file, or in several that are one table, as the command line does.

    What it gives can be passed wherever an estimator takes X; a plain path is read with all options at their
    defaults. Every format of the command line is known: CSV, NPY, NPZ, Parquet, Arrow, Matrix Market, pictures
    and more. Options have the command line's names: ``columns``, ``exclude``, ``label_column``, ``id_column``,
    ``weight_column``, ``missing_values``, ``rows``, ``sample``, ``transpose``, ``one_hot``, ``format``, ...
    """
    return files(paths, {"threads": n_jobs, "memory": None}, **options)


def load(path: str | os.PathLike[str]) -> PCA | KernelPCA:
    """The estimator in a model file, written by its ``save`` or by the command line."""
    model = _core.load(os.path.expanduser(path))
    return PCA._of_model(model) if isinstance(model, _core.Model) else KernelPCA._of_model(model)
