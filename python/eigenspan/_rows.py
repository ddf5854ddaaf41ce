"""Turns what users pass as X into rows of the engine: arrays in place, sparse matrices, data frames, files."""

from __future__ import annotations

import datetime
import io
import json
import os
from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import _check_sample_weight, check_array, validate_data

from ._core import Rows, arrow_table
from ._diagnosis import diagnosed
from ._exact import say_rounded, say_rounding
from ._hints import Hints, any_hint, hints_for, warn
from ._kinds import Means

FLOATS = [np.float64, np.float32]
_KINDS = frozenset(map(np.dtype, FLOATS))

WEIGHTS_OF_A_FILE = "weights of rows in a file are a column of it: eigenspan.read(path, weight_column=...)"


def is_path(X: Any) -> bool:
    """Whether X names files."""
    if isinstance(X, (str, os.PathLike)):
        return True
    return isinstance(X, (list, tuple)) and len(X) > 0 and all(isinstance(x, (str, os.PathLike)) for x in X)


def is_batches(X: Any) -> bool:
    """Whether X is an iterator, whose items are batches of rows."""
    if isinstance(X, io.IOBase):
        raise TypeError("an open file is no table and no iterator of batches: pass the path of the file")
    return isinstance(X, Iterator) and not hasattr(X, "__array__") and not hasattr(X, "__arrow_c_stream__")


def one_batch(batch: Any) -> Any:
    """A batch that an iterator gave; rows by themselves are refused."""
    if isinstance(batch, (int, float)) or getattr(batch, "ndim", None) in (0, 1):
        raise ValueError("the iterator gave a row by itself, but it gives batches: arrays with two axes, such as X[i : i + 100]")
    return batch


def refuse_batches(X: Any, what: str) -> None:
    """Refuses an iterator of batches where rows are read more than once."""
    if is_batches(X):
        raise TypeError(f"{what} reads its rows more than once, and an iterator of batches can be read only once: give the rows as an array, a frame or a file")


def files(paths: Any, means: Means, hints: Hints = any_hint, **options: Any) -> Rows:
    """The table in one file or several; `hints` spells the settings that would help."""
    several = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
    rows = Rows.read([os.path.expanduser(path) for path in several], json.dumps(options), means, hints)
    warn(rows.notes, hints)
    return rows


def rows_of(
    estimator: Any,
    X: Any,
    *,
    reset: bool,
    sample_weight: Any = None,
    least: int = 1,
    min_features: int = 1,
) -> Rows:
    """X, checked as in scikit-learn, as rows of the engine; nothing is copied unnecessarily.

    Whether cells are finite is left to the engine, which sees them anyway.
    """
    if sample_weight is None and _is_table(X, estimator, reset, least, min_features):
        return Rows.dense(X, None, None, None, hints_for(estimator))
    if is_batches(X):
        raise TypeError(
            f"X is an iterator, which {type(estimator).__name__} does not take here: give the rows as an array, a frame or a file; PCA.fit and"
            " IncrementalPCA.fit take an iterator of batches"
        )
    if is_path(X):
        X = files(X, estimator._means(), hints_for(estimator), **_model_columns(estimator, X, reset))
    if isinstance(X, Rows):
        return _of_table(estimator, X, reset=reset, sample_weight=sample_weight)
    _check_places(X)
    index = _row_names(X)
    if is_arrow(X):
        X, names = of_arrow(X)
        _fit_columns(estimator, names, X.shape[1], reset)
        wanted = {"ensure_min_samples": least, "ensure_min_features": min_features}
        X = check_array(X, dtype=FLOATS, ensure_all_finite=False, estimator=estimator, **wanted)
    else:
        with diagnosed(X):
            X = validate_data(
                estimator,
                opened(X),
                reset=reset,
                accept_sparse=("csr", "csc"),
                dtype=FLOATS,
                ensure_all_finite=False,
                ensure_min_samples=least,
                ensure_min_features=min_features,
            )
    weights = None if sample_weight is None else _weights(sample_weight, X)
    known = getattr(estimator, "feature_names_in_", None)
    columns = None if known is None else [str(name) for name in known]
    if sparse.issparse(X):
        return _sparse(X, weights, columns, hints_for(estimator))
    return Rows.dense(plain(X), weights, columns, index, hints_for(estimator))


def _is_table(X: Any, estimator: Any, reset: bool, least: int, min_features: int) -> bool:
    """Whether X is an array that the engine reads as it lies and in which scikit-learn would find nothing to refuse, to change or
    to warn of; its own look takes longer than the fit of a small table. Remembers the number of columns, as it does."""
    if not _is_matrix(X) or "feature_names_in_" in estimator.__dict__:
        return False
    n, d = X.shape
    if n < least or d < min_features:
        return False
    if reset:
        estimator.n_features_in_ = d
        return True
    return bool(d == estimator.__dict__.get("n_features_in_"))


def _is_matrix(X: Any) -> bool:
    """Whether X is an array of floats with two axes that the engine can read in place."""
    return type(X) is np.ndarray and X.dtype in _KINDS and X.ndim == 2 and _is_plain(X)


def scores_of(estimator: Any, X: Any) -> Any:
    """Scores to be turned back into rows, checked as in scikit-learn: every one must be finite."""
    if _is_matrix(X) and X.size:
        with np.errstate(over="ignore", invalid="ignore"):
            # A sum that is finite has only finite terms.
            if np.isfinite(X.sum()):
                return X
    with diagnosed(X):
        return plain(check_array(opened(X), dtype=FLOATS, estimator=estimator))


def array_of(X: Any) -> Any:
    """X as an array or a sparse matrix of floats, from any type."""
    with diagnosed(X):
        X = of_arrow(X)[0] if is_arrow(X) else opened(X)
        return check_array(X, dtype=FLOATS, accept_sparse="csr", ensure_all_finite=False)


def rows_in_memory(X: Any, sample_weight: Any = None) -> Rows:
    """An array or a sparse matrix as rows of the engine, for any model; sparse rows stay sparse."""
    with diagnosed(X):
        X = check_array(opened(X), dtype=FLOATS, accept_sparse=("csr", "csc"), ensure_all_finite=False)
    weights = None if sample_weight is None else _weights(sample_weight, X)
    return _sparse(X, weights, None, any_hint) if sparse.issparse(X) else Rows.dense(plain(X), weights, None)


def plain(X: Any) -> Any:
    """The array itself if the engine can read it in place, otherwise a copy."""
    return X if _is_plain(X) else np.array(X, dtype=X.dtype.newbyteorder("="), order="C")


def _is_plain(X: Any) -> bool:
    """Whether the engine can read an array in place."""
    flags, dtype = X.flags, X.dtype
    steps = flags.c_contiguous or all(step % dtype.itemsize == 0 for step in X.strides)
    return bool(steps and dtype.isnative and flags.aligned)


def opened(X: Any) -> Any:
    """X for scikit-learn to check. Masked cells count as missing; integers that floats cannot hold exactly raise a warning."""
    if isinstance(X, np.ma.MaskedArray):
        say_rounding(X.filled(0))
        return _unmasked(X)
    listed = isinstance(X, (list, tuple)) and not is_path(X)
    if listed:
        X = _listed(X)
    if not (hasattr(X, "__array__") or hasattr(X, "__array_interface__") or sparse.issparse(X)) and hasattr(X, "__dlpack__"):
        X = np.from_dlpack(X)
    say_rounding(X, listed=listed)
    return X


def is_arrow(X: Any) -> bool:
    """Whether X is a table to be read by Arrow's stream. pandas stores arrays, which NumPy shows without a copy."""
    return hasattr(X, "__arrow_c_stream__") and type(X).__module__.partition(".")[0] != "pandas"


def of_arrow(X: Any) -> tuple[Any, list[str]]:
    """The array of a table that supports Arrow, and the names of its columns."""
    array, names, rounded = arrow_table(X.__arrow_c_stream__())
    advice = "subtract a row as integers first, column by column"
    say_rounded([(f"column {name!r}", count, first) for name, count, first in rounded], advice)
    return array, names


def _unmasked(X: np.ma.MaskedArray[Any, Any]) -> Any:
    """A masked array with NaN in masked cells; unchanged if no cell is masked."""
    if not np.ma.is_masked(X):
        return X.data
    floats: Any = X if X.dtype.kind == "f" else X.astype(np.float64)
    return floats.filled(np.nan)


def _listed(X: Any) -> Any:
    """Rows in a list as an array; a list that cannot become one is left to scikit-learn, whose error says why."""
    if any(isinstance(row, np.ma.MaskedArray) for row in X):
        return _unmasked(np.ma.stack(list(X)))
    try:
        return np.asarray(X)
    except ValueError:
        return X


def _row_names(X: Any) -> Any:
    """The index of a data frame, unless it only numbers the rows."""
    index = getattr(X, "index", None)
    if index is None or callable(index) or not hasattr(X, "columns"):
        return None
    is_range = type(index).__name__ == "RangeIndex" and index.start == 0 and index.step == 1
    return None if is_range else _Names(index)


class _Names:
    """The names in an index, as messages show them."""

    def __init__(self, index: Any) -> None:
        self.index = index

    def __getitem__(self, row: int) -> str:
        return _said(self.index[row])


def _said(name: Any) -> str:
    """A row's name: text in quotes, numbers and dates as they are written, never as NumPy or pandas spell their types."""
    if isinstance(name, tuple):
        return f"({', '.join(_said(part) for part in name)})"
    if isinstance(name, (datetime.date, np.datetime64)):
        return str(name).removesuffix(" 00:00:00")
    return repr(name) if isinstance(name, str) else str(name)


def _check_places(X: Any) -> None:
    """Refuses a sparse matrix with indices out of range before they are used; SciPy does not check them."""
    if not sparse.issparse(X) or X.format not in ("csr", "csc") or len(X.indices) == 0:
        return
    what, most = ("column", X.shape[1]) if X.format == "csr" else ("row", X.shape[0])
    outside = (X.indices < 0) | (X.indices >= most)
    if outside.any():
        at = int(np.argmax(outside))
        line = int(np.searchsorted(X.indptr, at, side="right")) - 1
        other = "row" if what == "column" else "column"
        raise ValueError(f"not a sparse matrix: {other} {line} has {what} {X.indices[at]}, but {what}s go from 0 to {most - 1}")


def counted(number: Any) -> int:
    """A count as the engine takes it: no table has more rows than this."""
    return min(int(number), 2**32 - 1)


def _weights(sample_weight: Any, X: Any) -> Any:
    if np.ma.is_masked(sample_weight):
        raise ValueError("sample_weight has masked cells, but every row needs a weight")
    if isinstance(sample_weight, (str, bytes, dict, set)):
        raise TypeError(f"sample_weight is of type {type(sample_weight).__name__}: it takes one number per row")
    try:
        given = np.asarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError):
        given = np.empty(0)
    wrong = ~np.isfinite(np.atleast_1d(given))
    if wrong.any():
        first = int(np.argmax(wrong))
        raise ValueError(f"sample_weight[{first}] is {np.atleast_1d(given)[first]:g}, but every row needs a finite weight")
    weights = np.ascontiguousarray(_check_sample_weight(sample_weight, X, dtype=np.float64))
    if (weights < 0).any():
        first = int(np.argmax(weights < 0))
        raise ValueError(f"sample_weight[{first}] is {weights[first]:g}, but weights are at least 0")
    with np.errstate(over="ignore"):
        if not np.isfinite(weights.sum()):
            raise ValueError("sample_weight sums to more than a 64-bit float can hold: divide the weights by their largest")
    return weights


def _sparse(X: Any, weights: Any, names: list[str] | None, hints: Hints) -> Rows:
    X = X.tocsr()
    if not X.has_canonical_format:
        # Sorted columns without duplicates; the caller's matrix is not changed.
        X = X.copy()
        X.sum_duplicates()
    columns = X.indices
    columns = columns.view(np.uint32) if columns.dtype == np.int32 else columns.astype(np.uint32)
    starts = X.indptr if X.indptr.dtype in (np.int32, np.int64) else X.indptr.astype(np.int64)
    values = np.ascontiguousarray(X.data)
    return Rows.sparse(values, np.ascontiguousarray(columns), np.ascontiguousarray(starts), X.shape[1], weights, names, hints)


def _model_columns(estimator: Any, paths: Any, reset: bool) -> dict[str, Any]:
    """Reads only the model's columns of a file for a fitted model."""
    names = getattr(estimator, "feature_names_in_", None)
    return {} if reset or names is None else {"columns": [str(name) for name in names]}


def _of_table(estimator: Any, rows: Rows, *, reset: bool, sample_weight: Any) -> Rows:
    if sample_weight is not None:
        raise ValueError(WEIGHTS_OF_A_FILE)
    _fit_columns(estimator, rows.columns, rows.shape[1], reset)
    return rows


def _fit_columns(estimator: Any, columns: list[str] | None, width: int, reset: bool) -> None:
    """Remembers the columns at a fit, and compares them with the remembered ones later, as scikit-learn does for data frames."""
    if reset:
        estimator.n_features_in_ = width
        if columns is not None:
            estimator.feature_names_in_ = np.asarray(columns, dtype=object)
        elif hasattr(estimator, "feature_names_in_"):
            del estimator.feature_names_in_
        return
    name = type(estimator).__name__
    known = getattr(estimator, "feature_names_in_", None)
    if known is not None and columns is not None and list(known) != columns:
        unseen = [column for column in columns if column not in known]
        missing = [column for column in known if column not in columns]
        said = "The feature names should match those that were passed during fit"
        if unseen:
            said += f"; unseen at fit time: {', '.join(unseen)}"
        if missing:
            said += f"; seen at fit time, yet now missing: {', '.join(missing)}"
        raise ValueError(said if unseen or missing else f"{said}, in the same order: {', '.join(known)}")
    if width != estimator.n_features_in_:
        raise ValueError(f"X has {width} features, but {name} is expecting {estimator.n_features_in_} features as input.")


def labels_of(y: Any, rows: Rows) -> list[str] | None:
    """The class of every row as text: those that were given, else those of the file."""
    if y is None:
        known: list[str] | None = rows.labels
        return known
    labels = np.asarray(y)
    n_rows = rows.shape[0]
    if labels.ndim != 1 or (n_rows is not None and len(labels) != n_rows):
        raise ValueError(f"y has shape {labels.shape}, but it takes one label for each of {n_rows} rows")
    return [str(label) for label in labels.tolist()]
