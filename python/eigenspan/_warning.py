"""Notes of the engine that are worth a warning, at the line of whoever asked for the result."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable
from types import FrameType
from typing import Any

# Packages that stand between a user's line and ours; theirs are not lines that a user could change.
BETWEEN = {"sklearn", "joblib", "threadpoolctl", "imblearn", "concurrent", "threading", "multiprocessing", "contextlib", "functools"}


class EigenspanWarning(UserWarning):
    """What a person should know about a result that is nevertheless a result."""


# What was said about a line through another package, as long as the filters stay the same.
_said: set[tuple[str, int, str]] = set()
_filters: Any = None


def warn(notes: Iterable[tuple[str, bool, str]]) -> None:
    """Warns of those notes that are worth it."""
    for text, is_warning, kind in notes:
        if is_warning:
            caution(text, kind)


def caution(text: str, kind: str) -> None:
    """Warns at the user's line. A line that has another package fit many times, one per fold, is told once of each kind."""
    frame, is_between = _users_line()
    file, line = frame.f_code.co_filename, frame.f_lineno
    if is_between and not _is_new((file, line, kind)):
        return
    registry = frame.f_globals.setdefault("__warningregistry__", {})
    warnings.warn_explicit(text, EigenspanWarning, file, line, module=frame.f_globals.get("__name__"), registry=registry)


def _is_new(said: tuple[str, int, str]) -> bool:
    global _filters
    if _filters is not warnings.filters:
        # As Python forgets what it has shown when filters change, at `catch_warnings` and behind it.
        _said.clear()
        _filters = warnings.filters
    is_new = said not in _said
    _said.add(said)
    return is_new


def _users_line() -> tuple[FrameType, bool]:
    """The innermost frame that is the user's, and whether another package stands between it and us."""
    frame: FrameType = sys._getframe(1)
    is_between = False
    while frame.f_back is not None:
        package = str(frame.f_globals.get("__name__", "")).partition(".")[0]
        if package != "eigenspan" and package not in BETWEEN:
            break
        is_between = is_between or package in BETWEEN
        frame = frame.f_back
    return frame, is_between
