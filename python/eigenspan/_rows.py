"""What people pass as X, as rows of the engine: arrays where they lie, sparse matrices, frames, files."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import _check_sample_weight, check_array, validate_data

from ._core import Rows, arrow_table
from ._kinds import Means
from ._warning import warn

FLOATS = [np.float64, np.float32]


def is_path(X: Any) -> bool:
    """Whether X names files."""
    if isinstance(X, (str, os.PathLike)):
        return True
    return isinstance(X, (list, tuple)) and len(X) > 0 and all(isinstance(x, (str, os.PathLike)) for x in X)


def is_batches(X: Any) -> bool:
    """Whether X is an iterator, whose items are batches of rows."""
    return isinstance(X, Iterator) and not hasattr(X, "__array__") and not hasattr(X, "__arrow_c_stream__")


def files(paths: Any, means: Means, **options: Any) -> Rows:
    """The table in one file or several."""
    several = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
    return Rows.read([os.path.expanduser(path) for path in several], json.dumps(options), means)


def rows_of(
    estimator: Any,
    X: Any,
    *,
    reset: bool,
    sample_weight: Any = None,
    least: int = 1,
    min_features: int = 1,
) -> Rows:
    """X, looked at as scikit-learn looks at it, as rows of the engine; nothing is copied that need not be.

    Whether cells are finite is left to the engine, which sees them anyway.
    """
    if is_path(X):
        X = files(X, estimator._means(), **_model_columns(estimator, X, reset))
    if isinstance(X, Rows):
        return _of_table(estimator, X, reset=reset, sample_weight=sample_weight)
    if _is_arrow(X):
        return _of_arrow(estimator, X, reset=reset, sample_weight=sample_weight, least=least)
    X = validate_data(
        estimator,
        _opened(X),
        reset=reset,
        accept_sparse=("csr", "csc"),
        dtype=FLOATS,
        ensure_all_finite=False,
        ensure_min_samples=least,
        ensure_min_features=min_features,
    )
    weights = None
    if sample_weight is not None:
        weights = _check_sample_weight(sample_weight, X, dtype=np.float64)
        weights = np.ascontiguousarray(weights)
    names = getattr(estimator, "feature_names_in_", None)
    names = None if names is None else [str(name) for name in names]
    if sparse.issparse(X):
        return _sparse(X, weights, names)
    return Rows.dense(plain(X), weights, names)


def plain(X: Any) -> Any:
    """The array itself where the engine can read it as it lies, else a copy."""
    steps = all(step % X.itemsize == 0 for step in X.strides)
    native = X.dtype.isnative and X.flags.aligned and steps
    return X if native else np.array(X, dtype=X.dtype.newbyteorder("="), order="C")


def _opened(X: Any) -> Any:
    """Arrays of other libraries that NumPy does not open by itself."""
    if hasattr(X, "__array__") or hasattr(X, "__array_interface__") or sparse.issparse(X):
        return X
    if hasattr(X, "__dlpack__"):
        return np.from_dlpack(X)
    return X


def _is_arrow(X: Any) -> bool:
    """Whether X is a table of a library that speaks Arrow and not NumPy."""
    return hasattr(X, "__arrow_c_stream__") and not hasattr(X, "__array__")


def _of_arrow(estimator: Any, X: Any, *, reset: bool, sample_weight: Any, least: int) -> Rows:
    array, names = arrow_table(X.__arrow_c_stream__())
    array = check_array(array, dtype=FLOATS, ensure_all_finite=False, ensure_min_samples=least, estimator=estimator)
    _fit_columns(estimator, names, array.shape[1], reset)
    weights = None
    if sample_weight is not None:
        weights = np.ascontiguousarray(_check_sample_weight(sample_weight, array, dtype=np.float64))
    return Rows.dense(plain(array), weights, names)


def _sparse(X: Any, weights: Any, names: list[str] | None) -> Rows:
    X = X.tocsr()
    if not X.has_canonical_format:
        # Columns in order and none twice; what the caller has stays as it is.
        X = X.copy()
        X.sum_duplicates()
    columns = X.indices
    columns = columns.view(np.uint32) if columns.dtype == np.int32 else columns.astype(np.uint32)
    starts = X.indptr if X.indptr.dtype in (np.int32, np.int64) else X.indptr.astype(np.int64)
    values = np.ascontiguousarray(X.data)
    return Rows.sparse(values, np.ascontiguousarray(columns), np.ascontiguousarray(starts), X.shape[1], weights, names)


def _model_columns(estimator: Any, paths: Any, reset: bool) -> dict[str, Any]:
    """Of a file for a fitted model only the model's columns are read."""
    names = getattr(estimator, "feature_names_in_", None)
    return {} if reset or names is None else {"columns": [str(name) for name in names]}


def _of_table(estimator: Any, rows: Rows, *, reset: bool, sample_weight: Any) -> Rows:
    if sample_weight is not None:
        raise ValueError("weights of rows in a file are a column of it: eigenspan.read(path, weight_column=...)")
    warn(rows.notes)
    _fit_columns(estimator, rows.columns, rows.shape[1], reset)
    return rows


def _fit_columns(estimator: Any, columns: list[str] | None, width: int, reset: bool) -> None:
    """Remembers the columns, or holds them against those remembered, as scikit-learn does for frames."""
    if reset:
        estimator.n_features_in_ = width
        if columns is not None:
            estimator.feature_names_in_ = np.asarray(columns, dtype=object)
        elif hasattr(estimator, "feature_names_in_"):
            del estimator.feature_names_in_
        return
    name = type(estimator).__name__
    if width != estimator.n_features_in_:
        raise ValueError(f"X has {width} features, but {name} is expecting {estimator.n_features_in_} features as input.")
    known = getattr(estimator, "feature_names_in_", None)
    if known is not None and columns is not None and list(known) != columns:
        raise ValueError(f"the columns are not those, in their order, that {name} was fitted to: {', '.join(known)}")
