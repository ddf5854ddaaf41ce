"""Notes of the engine that are worth a warning."""

from __future__ import annotations

import warnings
from collections.abc import Iterable


class EigenspanWarning(UserWarning):
    """What a person should know about a result that is nevertheless a result."""


def warn(notes: Iterable[tuple[str, bool]]) -> None:
    """Warns of those notes that are worth it."""
    for text, is_warning in notes:
        if is_warning:
            warnings.warn(text, EigenspanWarning, stacklevel=5)
