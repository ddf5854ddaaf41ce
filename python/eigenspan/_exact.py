"""Integers that 64-bit floats cannot hold exactly: beyond 2⁵³ some integers are rounded to a neighbor."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from ._warning import caution

# Up to this integer, 64-bit floats hold every integer exactly.
EXACT = 2**53

LISTED = "subtract a row as integers first (np.array(X, dtype=object) - np.array(X[0], dtype=object))"

# The most columns that a warning names; of more, it gives only the number.
NAMED = 6


def say_rounding(X: Any, *, listed: bool = False) -> None:
    """Warns where floats made of X would not be what it holds; `listed` is what was a list before."""
    said = []
    for label, cells in _columns(X):
        found = _rounded(cells)
        if found is not None:
            said.append((label, *found))
    say_rounded(said, LISTED if listed else _advice(X))


def _advice(X: Any) -> str:
    """How to subtract a row from rows of this kind without floats: unsigned integers would wrap around."""
    if sparse.issparse(X):
        return "subtract a row as integers first, from the values as an array (X.toarray())"
    if hasattr(X, "iloc"):
        wraps = any(getattr(dtype, "kind", "") == "u" for dtype in np.atleast_1d(X.dtypes))
        return "subtract a row as integers first (" + ("X.astype(object) - X.astype(object).iloc[0])" if wraps else "X - X.iloc[0])")
    if getattr(X, "dtype", None) is not None and X.dtype.kind == "u":
        return "subtract a row as integers first (X.astype(object) - X[0].astype(object))"
    return "subtract a row as integers first (X - X[0])"


def say_rounded(columns: list[tuple[str, int, str]], advice: str) -> None:
    """Warns of columns whose integers were rounded: each with how many of them, and the first."""
    if not columns:
        return
    names = ", ".join(label for label, _, _ in columns[:NAMED])
    if len(columns) > NAMED:
        names += f" and {len(columns) - NAMED} more"
    count, first = sum(count for _, count, _ in columns), columns[0][2]
    caution(
        f"{names}: {count:,} {'integer' if count == 1 else 'integers'} beyond 2⁵³ cannot be held by 64-bit floats and"
        f" {'was' if count == 1 else 'were'} rounded ({first} to {float(int(first)):.0f}); what tells rows apart may be lost:"
        f" {advice}",
        "rounded_integers",
    )


def _columns(X: Any) -> list[tuple[str, Any]]:
    """The columns of X that may hold such integers, with their names."""
    if sparse.issparse(X):
        return [("X", X.tocoo().data)] if _may_be(X.dtype) else []
    if hasattr(X, "columns") and hasattr(X, "iloc"):
        return [(f"column {name!r}", X.iloc[:, j].to_numpy()) for j, name in enumerate(X.columns) if _may_be(X.dtypes.iloc[j])]
    if not isinstance(X, np.ndarray) or X.ndim != 2 or not _may_be(X.dtype):
        return []
    if X.dtype.kind in "iu" and not ((X > EXACT).any() or (X < -EXACT).any()):
        return []
    return [(f"column {j}", X[:, j]) for j in range(X.shape[1])]


def _may_be(dtype: Any) -> bool:
    """Whether cells of a type may be integers beyond 2⁵³: of 64 bits, of pandas' own kind, or objects of Python."""
    kind = getattr(dtype, "kind", "O")
    return kind == "O" or (kind in "iu" and getattr(dtype, "itemsize", 8) >= 8)


def _rounded(cells: Any) -> tuple[int, str] | None:
    """How many integers a float cannot hold exactly, and the first of them."""
    if cells.dtype.kind == "O":
        large = [int(x) for x in cells.ravel() if isinstance(x, (int, np.integer)) and abs(int(x)) > EXACT]
        lost = [x for x in large if abs(x) > 2**1000 or int(float(x)) != x]
    else:
        large = cells[(cells > EXACT) | (cells < -EXACT)]
        lost = [int(x) for x in large if int(float(x)) != int(x)] if len(large) < 1000 else _all_rounded(large)
    return (len(lost), str(lost[0])) if len(lost) else None


def _all_rounded(large: Any) -> Any:
    near = large.astype(np.float64)
    top = float(2 ** (63 if large.dtype.kind == "i" else 64))
    inside = np.minimum(near, np.nextafter(top, 0)).astype(large.dtype)
    return large[(near >= top) | (inside != large)]
