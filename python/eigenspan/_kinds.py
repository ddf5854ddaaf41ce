"""Dictionaries that are passed to the engine."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray
    from typing_extensions import NotRequired

    from ._core import Rows


class Means(TypedDict):
    """What a computation may use (threads and bytes), and a function that is called with a stage, the steps done and their total."""

    threads: int | None
    memory: int | None
    watch: NotRequired[Callable[[str, int, int | None], object] | None]


class Setting(TypedDict):
    """A parameter that would help: its name, its value as text (None where the parameter alone is named), both as they are typed."""

    option: str
    value: str | None
    spelled: str


# What would help: clauses, whose parts are words and settings.
Advice = list[list["str | Setting"]]


class Files(TypedDict):
    """Files with rows, and the JSON of the options for reading them."""

    paths: list[str | PathLike[str]]
    read: str


class InMemory(TypedDict):
    """An open table, an array or a sparse matrix; of the last two also the names of columns, and the name and the texts of what
    colors the rows."""

    rows: Rows
    columns: list[str]
    color: tuple[str, list[str]] | None


class Kept(TypedDict):
    """The rule for how many components a report keeps: whether the number is given, and the program whose default it is."""

    given: bool
    like: str | None


class Look(TypedDict):
    """The kind and the style of a figure."""

    figure: str
    x: str | None
    y: str | None
    color: str | None
    width: int | None
    height: int | None
    dark: bool
    title: str | None


# The description of an estimator in its model file. `class` is a keyword of Python, so this cannot be written as a class.
About = TypedDict(
    "About",
    {
        "class": str,
        "single": bool,
        # JSON.
        "parameters": str,
        "lists": "dict[str, NDArray[np.float64]]",
    },
)
