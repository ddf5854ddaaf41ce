"""Kernels that are functions of Python: rows that they compare, with missing cells filled or left out."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ._core import Rows
from ._rows import array_of, is_path


class Compared(NamedTuple):
    """The training rows, the function that compares others with them, and the treatment of missing cells."""

    rows: Any
    kernel: Any
    kernel_params: dict[str, Any]
    missing: str
    # The value for missing cells of each column, if they are filled.
    fill: NDArray[np.float64] | None

    @classmethod
    def from_rows(cls, estimator: Any, X: Any) -> tuple[Compared, NDArray[np.bool_] | None]:
        """The rows of X, and their positions in X if some were left out."""
        fill = _means(estimator, array_of(X)) if estimator.missing == "mean" else None
        empty = cls(None, estimator.kernel, dict(estimator.kernel_params or {}), estimator.missing, fill)
        cells, complete = empty.prepared(X)
        if complete is not None and len(cells) < 2:
            raise ValueError(f"{len(cells)} of {len(complete)} rows have no missing cell, but at least 2 are needed")
        return empty._replace(rows=cells.copy()), complete

    def prepared(self, X: Any) -> tuple[Any, NDArray[np.bool_] | None]:
        """Rows of X as they are compared, and their positions in X if some are left out."""
        cells = array_of(X)
        if self.missing == "error":
            return cells, None
        # Functions get dense rows anyway.
        cells = cells.toarray() if sparse.issparse(cells) else cells
        empty = np.isnan(cells)
        if not empty.any():
            return cells, None
        if self.fill is not None:
            return np.where(empty, self.fill.astype(cells.dtype), cells), None
        complete: NDArray[np.bool_] = ~empty.any(axis=1)
        return cells[complete], complete

    def matrix(self, cells: Any) -> Any:
        """The kernels of rows with the training rows."""
        from sklearn.metrics.pairwise import pairwise_kernels

        if cells.shape[0] == 0:
            return np.empty((0, self.rows.shape[0]), dtype=cells.dtype)
        return pairwise_kernels(cells, self.rows, metric=self.kernel, **self.kernel_params)


def in_memory(X: Any) -> None:
    """Refuses rows in files: a Python function needs rows in memory."""
    if is_path(X) or isinstance(X, Rows):
        raise TypeError("a kernel that is a function of Python compares rows in memory, not in a file: pass an array or a frame")


def _means(estimator: Any, cells: Any) -> NDArray[np.float64]:
    """Column means of the cells that are not missing."""
    cells = np.asarray(cells.toarray() if sparse.issparse(cells) else cells, dtype=np.float64)
    seen = ~np.isnan(cells)
    counts = seen.sum(axis=0)
    if (counts == 0).any():
        col = int(np.argmax(counts == 0))
        names = getattr(estimator, "feature_names_in_", None)
        label = f"column {col}, counted from 0," if names is None else f"column {names[col]!r}"
        raise ValueError(f"{label} has no value to take a mean of")
    means: NDArray[np.float64] = np.where(seen, cells, 0).sum(axis=0) / counts
    return means
