"""Files in: tables to be fitted, and models that were saved."""

from __future__ import annotations

import importlib
import json
import os
from typing import Any

from . import _HOMES, _core
from ._base import Fitted, means_of
from ._core import Rows
from ._parameters import N_JOBS, InvalidParameter
from ._rows import files
from ._saved import class_to_load, given_back


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


def load(path: str | os.PathLike[str]) -> Fitted:
    """The estimator in a model file, as its ``save`` wrote it: class, parameters, element type. A model of the command line
    is a PCA or a KernelPCA."""
    model, about = _core.load(os.path.expanduser(path))
    for home in _HOMES.values():
        # A class registers itself when its module is imported.
        importlib.import_module(f".{home}", __package__)
    name = about.get("class")
    known, options = class_to_load(model.method, name), json.loads(model.options)
    if known is None:
        what = f"method {model.method!r}" if name is None else f"class {name!r}"
        raise ValueError(f"{path}: a model of the {what}, which this version does not know")
    estimator: Fitted
    if name is None:
        # The command line's, or one from before estimators were written down.
        estimator = known._of_options(options, model)
        about |= {"lists": {}}
    else:
        estimator = given_back(known, about["parameters"], options.get("seed", 0))
    estimator._take_back(model, about)
    return estimator
