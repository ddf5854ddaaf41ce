"""How many threads a computation gets."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from typing import Any

from . import _core

# Environment variables with the number of threads of a process. joblib sets the first for its workers, to their share of the cores.
LIMITS = ("OMP_NUM_THREADS", "RAYON_NUM_THREADS", "LOKY_MAX_CPU_COUNT")


def threads_of(n_jobs: Any) -> int:
    """Threads as scikit-learn counts jobs: None and -1 are all that the process may have, -2 is one less.

    Never more than there are cores: results do not depend on the number, and more would only wait for each other.
    """
    cores = _counted(_core.cores, os.getpid(), _allowed())
    if n_jobs is not None and n_jobs > 0:
        return min(int(n_jobs), cores)
    allowed = min([cores, *filter(None, map(_limit, LIMITS))])
    return allowed if n_jobs is None else max(1, allowed + 1 + int(n_jobs))


@functools.lru_cache(maxsize=16)
def _counted(cores: Callable[[], int], process: int, allowed: frozenset[int]) -> int:
    """Cores that the process may use. To find its quota the system reads files, which takes as long as a small fit; it is
    asked again in another process, and where the process may run on other cores."""
    return cores()


def _allowed() -> frozenset[int]:
    """The cores that the calling thread may run on, if the system reports them."""
    return frozenset(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else frozenset()


def _limit(name: str) -> int | None:
    """The number in an environment variable; of a list, which OpenMP uses for nested threads, the first."""
    text = os.environ.get(name, "").split(",")[0].strip()
    return int(text) if text.isdecimal() and int(text) > 0 else None
