"""How far a fit has come: lines on standard error (``verbose``), and calls of a function (``callback``), which may stop it."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

# A stage, the steps that are done, and their number where it is known; True stops the fit.
Callback = Callable[[str, int, "int | None"], object]

# Seconds between two lines about one stage.
PAUSE = 1.0


class Stopped(RuntimeError):
    """A callback returned True: the fit was stopped, and the estimator is as it was before."""


class Watch:
    """The function that the engine calls while it works, on the calling thread."""

    def __init__(self, name: str, verbose: Any, callback: Callback | None) -> None:
        self.name, self.verbose, self.callback = name, bool(verbose), callback
        self._stage: str | None = None
        self._shown = 0.0

    def __call__(self, stage: str, done: int, total: int | None) -> None:
        if self.verbose:
            self._show(stage, done, total)
        if self.callback is not None and self.callback(stage, done, total) is True:
            raise Stopped(f"the callback stopped {self.name} in the stage {stage!r}, at {_counted(done, total)}")

    def _show(self, stage: str, done: int, total: int | None) -> None:
        """A line for every stage, and one a second while it lasts. Lines, not one that is written over: logs and notebooks show
        them alike."""
        now = time.monotonic()
        if stage == self._stage and now - self._shown < PAUSE:
            return
        self._stage, self._shown = stage, now
        counted = f" {_counted(done, total)}" if done else ""
        print(f"{self.name}: {stage}{counted}", file=sys.stderr, flush=True)


def _counted(done: int, total: int | None) -> str:
    if not total:
        return f"{done:,}"
    return f"{done:,} of {total:,} ({100 * done // total} %)"


def watch_of(name: str, verbose: Any, callback: Callback | None) -> Watch | None:
    """The function to call; None without `verbose` and `callback`, so that light work stays light."""
    return Watch(name, verbose, callback) if verbose or callback is not None else None
