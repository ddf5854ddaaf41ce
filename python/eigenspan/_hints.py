"""The engine's advice, given only if the caller can follow it."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any

from ._kinds import Advice, Setting
from ._options import PCAParameters
from ._warning import caution

# A note of the engine: its text, what would help, whether it is worth a warning, and its kind.
Note = tuple[str, Advice, bool, str]
# Spells a setting for a caller; None if the caller cannot follow it.
Hints = Callable[[Setting], "str | None"]

# Parameters of PCA, which the other linear estimators point to.
OF_PCA = frozenset(inspect.signature(PCAParameters).parameters)


@functools.cache
def _of_read() -> frozenset[str]:
    from ._files import read

    return frozenset(inspect.signature(read).parameters)


@functools.cache
def _everywhere() -> frozenset[str]:
    """The parameters of all functions, estimators and their methods."""
    import eigenspan

    from ._look import figure

    public: list[Any] = [getattr(eigenspan, name) for name in dir(eigenspan) if not name.startswith("_")]
    # What a class takes away from the one it was made from is listed, and is not there.
    methods: list[Any] = [getattr(one, name, None) for one in public if inspect.isclass(one) for name in dir(one) if not name.startswith("_")]
    candidates: list[Any] = [figure, *public, *methods]
    called = [one for one in candidates if inspect.isfunction(one) or isinstance(one, type) and not issubclass(one, Exception)]
    return frozenset(name for one in called for name in inspect.signature(one).parameters)


def any_hint(setting: Setting) -> str | None:
    """Hints for a caller that takes every parameter there is."""
    return setting["spelled"] if setting["option"] in _everywhere() else None


def no_hint(setting: Setting) -> str | None:
    """Hints for a caller that takes no parameter."""
    return None


def hints_for(estimator: Any) -> Hints:
    """Hints for an estimator: its own parameters, if they take the advised value and do not have it yet; those of `read`, which
    opens a file in another way; for a linear one also PCA's."""

    def hint(setting: Setting) -> str | None:
        option, text, spelled = setting["option"], setting["value"], setting["spelled"]
        takes = estimator._takes.get(option)
        if takes is not None and text is None:
            return spelled
        value = None if text is None else _value(text)
        if takes is not None and takes.holds(value):
            return None if _is_set(estimator, option, value) else spelled
        if option in _of_read():
            return f"eigenspan.read({spelled})"
        if option in OF_PCA and estimator._points_to_pca:
            return f"eigenspan.PCA({spelled})"
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


def said(advice: Advice, hints: Hints) -> str | None:
    """The clauses that the caller can follow, separated by semicolons; None if there are none."""
    clauses = []
    for clause in advice:
        parts = [part if isinstance(part, str) else hints(part) for part in clause]
        if all(part is not None for part in parts):
            clauses.append("".join(part for part in parts if part is not None))
    return "; ".join(clauses) or None


def with_advice(text: str, advice: Advice, hints: Hints) -> str:
    """A text with what would help behind it."""
    advised = said(advice, hints)
    return text if advised is None else f"{text} ({advised})"


def text_of(note: Note, hints: Hints) -> str:
    """The text of a note, with what would help."""
    return with_advice(note[0], note[1], hints)


def warn(notes: Iterable[Note], hints: Hints) -> None:
    """Warns of the notes that are worth a warning."""
    for note in notes:
        if note[2]:
            caution(text_of(note, hints), note[3])
