"""Warns of the engine's notes at the user's line that asked for the result."""

from __future__ import annotations

import sys
import warnings
from types import FrameType

# Packages whose frames may lie between the user's line and ours; a user cannot change their lines.
BETWEEN = {"sklearn", "joblib", "threadpoolctl", "imblearn", "concurrent", "threading", "multiprocessing", "contextlib", "functools"}


class EigenspanWarning(UserWarning):
    """What a person should know about a result that is nevertheless a result."""


# The name under which a call of another package remembers the warnings given during it.
SAID = "__eigenspan_said__"


def caution(text: str, kind: str) -> None:
    """Warns at the user's line. A call of another package that fits many times, one per fold, is told once of each kind."""
    frame, call = _users_line()
    if call is not None:
        # A local name that the function does not use stays in its frame until the call ends.
        said = call.f_locals.setdefault(SAID, set())
        if kind in said:
            return
        said.add(kind)
    registry = frame.f_globals.setdefault("__warningregistry__", {})
    file, line, module = frame.f_code.co_filename, frame.f_lineno, frame.f_globals.get("__name__")
    warnings.warn_explicit(text, EigenspanWarning, file, line, module=module, registry=registry)


def _users_line() -> tuple[FrameType, FrameType | None]:
    """The innermost frame that is the user's, and the call of another package that it is at, if it is at one."""
    frame: FrameType = sys._getframe(1)
    call = None
    while True:
        package = str(frame.f_globals.get("__name__", "")).partition(".")[0]
        if package != "eigenspan" and package not in BETWEEN:
            return frame, call
        call = frame if package in BETWEEN else None
        if frame.f_back is None:
            return frame, call
        frame = frame.f_back
