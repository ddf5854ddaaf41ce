"""The values that parameters take: an estimator checks its own before it reads a row, and names the one that is wrong."""

from __future__ import annotations

import inspect
import math
import numbers
import os
import weakref
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ._core import Kernel


class InvalidParameter(ValueError, TypeError):
    """A parameter with a value that it does not take. Both kinds of error, as scikit-learn's own."""


class Takes(NamedTuple):
    """The values that a parameter takes: in words, and as a function that checks a value."""

    words: str
    holds: Callable[[Any], bool]

    def __or__(self, other: Any) -> Takes:
        mine, theirs = self.holds, other.holds
        return Takes(f"{self.words} or {other.words}".replace(" or ", ", ", self.words.count(" or ")), lambda value: mine(value) or theirs(value))


def check(estimator: Any, takes: dict[str, Takes]) -> None:
    """Refuses a parameter of an estimator that has a value it does not take."""
    for name, usual in _usual(type(estimator)):
        value = getattr(estimator, name)
        known = None if value is usual else takes.get(name)
        if known is not None and not known.holds(value):
            raise InvalidParameter(f"{name}={value!r}: it takes {known.words}")


def require(*given: tuple[str, Any, Takes]) -> None:
    """Refuses parameters of a function that have a value they do not take; each is a name, a value and what it takes."""
    for name, value, takes in given:
        if not takes.holds(value):
            raise InvalidParameter(f"{name}={value!r}: it takes {takes.words}")


# Cached parameters of classes of estimators: reading a signature takes longer than a small fit.
_KNOWN: weakref.WeakKeyDictionary[type, list[tuple[str, Any]]] = weakref.WeakKeyDictionary()


def _usual(kind: Any) -> list[tuple[str, Any]]:
    """The parameters of a kind of estimator, as scikit-learn lists them, each with its default. A default of a class of ours is
    a value that the parameter takes; others are looked at."""
    usual = _KNOWN.get(kind)
    if usual is None:
        known = inspect.signature(kind.__init__).parameters
        ours = kind.__module__.partition(".")[0] == "eigenspan"
        usual = [(name, known[name].default if ours else inspect.Parameter.empty) for name in kind._get_param_names()]
        _KNOWN[kind] = usual
    return usual


def is_whole(value: Any) -> bool:
    """Whether a value is an integer, and not True or False."""
    return isinstance(value, numbers.Integral) and not isinstance(value, (bool, np.bool_))


def is_number(value: Any) -> bool:
    """Whether a value is a finite number, and not True or False."""
    return isinstance(value, numbers.Real) and not isinstance(value, (bool, np.bool_)) and math.isfinite(value)


def words(*known: str) -> Takes:
    """One of some words."""
    quoted = [repr(word) for word in known]
    text = quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} or {quoted[-1]}"
    return Takes(text, lambda value: isinstance(value, str) and value in known)


def whole(least: int, what: str = "an integer") -> Takes:
    """An integer that is not below a minimum."""
    return Takes(f"{what} of at least {least}", lambda value: is_whole(value) and value >= least)


def number(what: str, holds: Callable[[float], bool]) -> Takes:
    """A number that satisfies a condition."""
    return Takes(what, lambda value: is_number(value) and holds(value))


FLAG = Takes("True or False", lambda value: isinstance(value, (bool, np.bool_)))
NONE = Takes("None", lambda value: value is None)
AUTO = words("auto")

N_JOBS = Takes("a number of threads, a negative number (-1 for all cores, -2 for all but one)", lambda value: is_whole(value) and value != 0) | NONE
MEMORY = whole(1, "a number of bytes") | NONE
TOL = number("a residual of at least 0 and below 1 (0.0 is the default)", lambda value: 0 <= value < 1)
SEED = (
    Takes("a seed from 0 on", lambda value: is_whole(value) and 0 <= value < 2**64)
    | Takes("a RandomState", lambda value: isinstance(value, np.random.RandomState))
    | NONE
)
POWER = whole(0) | AUTO
NORMALIZER = words("auto", "QR", "LU", "none")
SCALE = words("none", "std", "genotype") | FLAG | NONE
COUNT = whole(1, "a count")
KERNEL = Takes(
    "text such as 'rbf(gamma=0.1)', a value of eigenspan.kernels or a function of two rows",
    lambda value: isinstance(value, (str, Kernel)) or callable(value),
)
GAMMA = number("a number above 0", lambda value: value > 0) | words("auto", "scale", "median") | NONE
DEGREE = number("an integer from 1 to 100", lambda value: 1 <= value <= 100 and float(value).is_integer())
ALPHA = number("a number above 0", lambda value: value > 0)
PIXELS = Takes("a number of pixels from 1 on, as an integer", lambda value: is_whole(value) and 1 <= value < 2**32) | NONE
VERBOSE = FLAG | whole(0, "a level")
CALLBACK = Takes("a function of a stage, the steps done and their number, which returns True to stop", callable) | NONE
AXIS = whole(1, "the number of a component, counted from 1,") | Takes("its name", lambda value: isinstance(value, str)) | NONE
SHARE = number("a share above 0 and at most 1", lambda value: 0 < value <= 1)
LEVEL = number("a number above 0 and below 1", lambda value: 0 < value < 1)
FIRST = whole(1, "a count") | NONE
PATH = Takes("the path of a file", lambda value: isinstance(value, (str, os.PathLike)))
PARAMETERS_OF_KERNEL = Takes("a dict of keywords", lambda value: isinstance(value, dict)) | NONE


def parts(least: int, *known: str) -> Takes:
    """How many components: a count, a share of the variance, or one of some words; the engine reads '90%' itself."""
    return (
        Takes(
            f"a count from {least} on, a share of the variance above 0 and at most 1, text such as '90%'",
            lambda value: (is_whole(value) and value >= least)
            or (not is_whole(value) and is_number(value) and 0 < value <= 1)
            or (isinstance(value, str) and value.strip().endswith("%")),
        )
        | words(*known)
        | NONE
    )
