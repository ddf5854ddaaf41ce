"""What is handed to the engine as a dictionary."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ._core import Rows


class Means(TypedDict):
    """What a computation may use: threads and bytes."""

    threads: int | None
    memory: int | None


class Advice(TypedDict):
    """An option that would help: its name, its value as text, both as they are typed, and what that does."""

    option: str
    value: str
    spelled: str
    does: str


class Files(TypedDict):
    """Files with rows, and the JSON of the options to read them by."""

    paths: list[str | PathLike[str]]
    read: str


class InMemory(TypedDict):
    """An open table, an array or a sparse matrix; of the last two also the names of columns, and the name and the texts of what
    colors the rows."""

    rows: Rows
    columns: list[str]
    color: tuple[str, list[str]] | None


class Look(TypedDict):
    """What a figure is and looks like."""

    figure: str
    x: str | None
    y: str | None
    color: str | None
    width: int | None
    height: int | None
    dark: bool


# What an estimator says about itself in its model file. `class` is a word of Python, so this is no class.
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
