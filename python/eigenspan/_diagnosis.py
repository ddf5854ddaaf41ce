"""What is wrong with X, where the error of NumPy, pandas or scikit-learn names no column, no cell and no way out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from scipy import sparse

# The most columns that an error names; of more, it gives only the number.
NAMED = 6

ROWS = "rows are an array with two axes, a frame, a sparse matrix or the path of a file"


@contextmanager
def diagnosed(X: Any) -> Iterator[None]:
    """Says what is wrong with X where reading it fails without saying so."""
    _refuse(X)
    try:
        yield
    except (ValueError, TypeError, OverflowError) as error:
        said = _said(X)
        if said is None:
            raise
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(said) from error


def _refuse(X: Any) -> None:
    """Refuses what is no table of numbers, though it could be made one: dates would become counts of days."""
    if sparse.issparse(X):
        return
    if X is None or isinstance(X, (dict, set, frozenset, bytes, bytearray)):
        raise TypeError(_no_table(X))
    if hasattr(X, "collect_schema") and not hasattr(X, "__array__"):
        raise TypeError("X is a lazy frame, whose rows are not there yet: X.collect() reads them")
    if _is_frame(X):
        _refuse_columns(X)
        return
    kind = getattr(getattr(X, "dtype", None), "kind", "")
    if kind in "mM" and kind:
        raise ValueError("X holds dates or times, not numbers: X.astype('int64') counts them in the unit of the array")


def _no_table(X: Any) -> str:
    if isinstance(X, dict):
        return f"X is a dict, and not rows: pandas.DataFrame(X) makes columns of it; {ROWS}"
    if isinstance(X, (bytes, bytearray)):
        return f"X is bytes, and not rows: a path is a str, X.decode(); {ROWS}"
    return f"X is {'None' if X is None else 'a ' + type(X).__name__}, and not rows: {ROWS}"


def _is_frame(X: Any) -> bool:
    """Whether X is a frame of pandas, or one like it."""
    return hasattr(X, "columns") and hasattr(X, "iloc")


def _refuse_columns(X: Any) -> None:
    twice = [name for name, count in Counter(X.columns).items() if count > 1]
    if twice:
        raise ValueError(
            f"{_columns(twice)} {'is' if len(twice) == 1 else 'are'} there more than once, and a model knows columns by their names: rename"
            f" {_them(twice)}, or give X.to_numpy()"
        )
    dates = [name for name, dtype in zip(X.columns, X.dtypes, strict=True) if getattr(dtype, "kind", "") in ("m", "M")]
    if dates:
        raise ValueError(f"{_columns(dates)} {_holds(dates)} dates or times, not numbers: {_leave_out(dates)}, or make numbers of {_them(dates)}")


def _said(X: Any) -> str | None:
    """What is wrong, if it is known."""
    if _is_frame(X):
        return _of_frame(X)
    if isinstance(X, (list, tuple)):
        return _of_list(X)
    if not isinstance(X, np.ndarray):
        return None
    if X.dtype.names is not None:
        return "X is a structured array, not a table of numbers: numpy.lib.recfunctions.structured_to_unstructured(X) makes one of it"
    if X.ndim != 2 or X.dtype.kind not in "OSU":
        return None
    found = _first_wrong(X.ravel())
    if found is None:
        return None
    row, col = divmod(found, X.shape[1])
    return _of_cell(row, col, X[row, col])


def _of_frame(X: Any) -> str | None:
    """Columns whose cells are no numbers, by their names."""
    wrong, first = [], None
    for j, name in enumerate(X.columns):
        cells = np.asarray(X.iloc[:, j].to_numpy(dtype=object, na_value=np.nan))
        found = _first_wrong(cells)
        if found is not None:
            wrong.append(name)
            first = cells[found] if first is None else first
    if not wrong:
        return None
    if not isinstance(first, str):
        return f"{_columns(wrong)} {_holds(wrong)} cells that are no numbers ({first!r:.60}): {_leave_out(wrong)}"
    return f"{_columns(wrong)} {_holds(wrong)} text ({first!r:.60}), not numbers: {_leave_out(wrong)}, or make numbers of {_them(wrong)} (pandas.get_dummies(X))"


def _of_list(X: Any) -> str | None:
    """Rows of different lengths, and cells that are no numbers."""
    if X and not any(hasattr(row, "__len__") and not isinstance(row, (str, bytes)) for row in X):
        return f"X is a list of values, and not of rows: one row is [X], one column is [[x] for x in X]; {ROWS}"
    if not all(isinstance(row, (list, tuple)) for row in X):
        return None
    for i, row in enumerate(X):
        if len(row) != len(X[0]):
            return f"row {i}, counted from 0, has {_cells(len(row))}, but row 0 has {_cells(len(X[0]))}: every row needs as many"
    for i, row in enumerate(X):
        for j, cell in enumerate(row):
            if _is_wrong(cell):
                return _of_cell(i, j, cell)
    return None


def _of_cell(row: int, col: int, cell: Any) -> str | None:
    """An error about a cell; of cells that hold other things, scikit-learn's own says enough."""
    if isinstance(cell, (int, np.integer)):
        return f"row {row}, column {col}, counted from 0, is an integer of {len(str(abs(int(cell))))} digits, more than a 64-bit float can hold"
    if not isinstance(cell, (str, bytes)):
        return None
    return f"row {row}, column {col}, counted from 0, holds {cell!r:.60}, which is no number: leave the column out, or make numbers of its texts"


def _first_wrong(cells: Any) -> int | None:
    return next((i for i, cell in enumerate(cells) if _is_wrong(cell)), None)


def _is_wrong(cell: Any) -> bool:
    if cell is None:
        return False
    try:
        float(cell)
    except (ValueError, TypeError, OverflowError):
        return True
    return False


def _columns(names: list[Any]) -> str:
    shown = [f'"{name}"' if isinstance(name, str) else str(name) for name in names[:NAMED]]
    more = len(names) - len(shown)
    listed = f"{', '.join(shown)} and {more} more" if more else " and ".join(filter(None, [", ".join(shown[:-1]), shown[-1]]))
    return f"{'column' if len(names) == 1 else 'columns'} {listed}"


def _holds(names: list[Any]) -> str:
    return "holds" if len(names) == 1 else "hold"


def _them(names: list[Any]) -> str:
    return "it" if len(names) == 1 else "them"


def _leave_out(names: list[Any]) -> str:
    return f"leave {_them(names)} out (X.drop(columns={names!r}))" if len(names) <= NAMED else "leave them out (X.select_dtypes('number'))"


def _cells(count: int) -> str:
    return f"{count} {'cell' if count == 1 else 'cells'}"
