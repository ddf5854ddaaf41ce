"""Files in: tables to be fitted, and models that were saved."""

from __future__ import annotations

import json
import os
from typing import Any

from . import _core
from ._base import means_of
from ._core import Rows
from ._incremental import IncrementalPCA
from ._kernel_pca import KernelPCA
from ._parameters import N_JOBS, InvalidParameter
from ._pca import PCA
from ._rows import files
from ._saved import given_back
from ._truncated import TruncatedSVD

# Classes that a model file may name.
LINEAR: dict[str, type[Any]] = {"PCA": PCA, "IncrementalPCA": IncrementalPCA, "TruncatedSVD": TruncatedSVD}
KERNEL: dict[str, type[Any]] = {"KernelPCA": KernelPCA}


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
    if not N_JOBS.holds(n_jobs):
        raise InvalidParameter(f"n_jobs={n_jobs!r}: it takes {N_JOBS.words}")
    return files(paths, means_of(n_jobs, None), **options)


def load(path: str | os.PathLike[str]) -> PCA | IncrementalPCA | TruncatedSVD | KernelPCA:
    """The estimator in a model file, as its ``save`` wrote it: class, parameters, element type. A model of the command line
    is a PCA or a KernelPCA."""
    estimator: PCA | IncrementalPCA | TruncatedSVD | KernelPCA
    model, about = _core.load(os.path.expanduser(path))
    known = LINEAR if isinstance(model, _core.Model) else KERNEL
    if "class" not in about:
        # The command line's, or one from before estimators were written down.
        estimator = next(iter(known.values()))._of_options(json.loads(model.options), model)
        about |= {"lists": {}}
    else:
        if about["class"] not in known:
            raise ValueError(f"{path}: a model of the class {about['class']!r}, which this version does not know")
        estimator = given_back(known[about["class"]], about["parameters"], json.loads(model.options)["seed"])
    estimator._take_back(model, about)
    return estimator
