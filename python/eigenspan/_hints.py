"""The engine's advice, given only if the caller can follow it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Any

from ._kinds import Advice
from ._options import PCAParameters
from ._warning import caution

# A note of the engine: its text, the option that would help, whether it is worth a warning, and its kind.
Note = tuple[str, "Advice | None", bool, str]
Hints = Callable[[Advice], "str | None"]

# Parameters of PCA, which the other linear estimators point to.
OF_PCA = frozenset(inspect.signature(PCAParameters).parameters)


def any_hint(advice: Advice) -> str | None:
    """Hints for a caller that takes every option."""
    return f"{advice['spelled']} {advice['does']}"


def no_hint(advice: Advice) -> str | None:
    """Hints for a caller that takes no option."""
    return None


def hints_for(estimator: Any) -> Hints:
    """Hints for an estimator: its own parameters, if they take the advised value and do not have it yet; for a linear one also PCA's."""

    def hint(advice: Advice) -> str | None:
        option, value = advice["option"], _value(advice["value"])
        takes = estimator._takes.get(option)
        if takes is not None and takes.holds(value):
            return None if _is_set(estimator, option, value) else any_hint(advice)
        if option in OF_PCA and estimator._points_to_pca:
            return f"eigenspan.PCA({advice['spelled']}) {advice['does']}"
        return None

    return hint


def _is_set(estimator: Any, option: str, value: Any) -> bool:
    """Whether a parameter has the value already; missing cells are dealt with by every other word than 'error'."""
    given = getattr(estimator, option)
    return bool(given != "error") if option == "missing" else isinstance(given, type(value)) and bool(given == value)


def _value(text: str) -> Any:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def text_of(note: Note, hints: Hints) -> str:
    """The text of a note, with the hint."""
    text, advice, _, _ = note
    hint = None if advice is None else hints(advice)
    return text if hint is None else f"{text} ({hint})"


def warn(notes: Iterable[Note], hints: Hints) -> None:
    """Warns of the notes that are worth a warning."""
    for note in notes:
        if note[2]:
            caution(text_of(note, hints), note[3])
