"""Results with names: arrays that are read-only, shown by their shapes."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._attributes import locked

Floats = NDArray[np.float64]


@dataclass(frozen=True, repr=False, eq=False)
class Result:
    """Named values; arrays among them cannot be changed."""

    def __post_init__(self) -> None:
        for field in fields(self):
            locked(getattr(self, field.name))

    def to_dict(self) -> dict[str, Any]:
        """The values by their names; results inside results are dictionaries too."""
        return {field.name: _plain(getattr(self, field.name)) for field in fields(self)}

    def __repr__(self) -> str:
        lines = [f"{field.name}={_short(getattr(self, field.name))}" for field in fields(self) if field.repr]
        return f"{type(self).__name__}({', '.join(lines)})"


def _plain(value: Any) -> Any:
    if isinstance(value, Result):
        return value.to_dict()
    return {name: _plain(one) for name, one in value.items()} if isinstance(value, dict) else value


def _short(value: Any) -> str:
    """A value in one line: an array of more than a few numbers is shown by its shape."""
    if isinstance(value, np.ndarray) and value.size > 6:
        return f"<{' × '.join(map(str, value.shape))} {value.dtype}>"
    if isinstance(value, np.ndarray):
        return np.array2string(value, precision=4, separator=", ").replace("\n", "")
    return f"{value:.4g}" if isinstance(value, float) else repr(value)


def numbers(values: Any) -> Floats:
    """Numbers from JSON as an array; unknown numbers are NaN."""
    return np.array(values, dtype=np.float64)


@dataclass(frozen=True, repr=False, eq=False)
class Limits(Result):
    """Limits of T² and Q that a share ``level`` of all rows stays below if nothing is wrong with them; None where there is no
    limit. ``t2`` is for rows of the fit, ``t2_new`` for new rows; ``q_from`` says where the limit of Q comes from."""

    level: float
    n_components: int
    t2: float | None
    t2_new: float | None
    q: float | None
    q_from: str | None


@dataclass(frozen=True, repr=False, eq=False)
class RowFacts(Result):
    """Rows as a PCA sees them; each array has an entry, or a line, for every row."""

    #: Scores, never whitened.
    scores: Floats
    #: Squared distance to the center, in prepared units.
    squared_distances: Floats
    #: Hotelling's T².
    t2: Floats
    #: Squared prediction error.
    q: Floats
    #: Share of the squared distance that each component holds.
    cos2: Floats
    #: Contribution to each component, in percent.
    contributions: Floats
    limits: Limits

    @property
    def outliers(self) -> NDArray[np.intp]:
        """Rows beyond the limit of T² or of Q for rows of the fit, counted from 0."""
        beyond = np.zeros(len(self.t2), dtype=bool)
        if self.limits.t2 is not None:
            beyond |= self.t2 > self.limits.t2
        if self.limits.q is not None and self.limits.q_from != "nothing_left":
            beyond |= self.q > self.limits.q
        return np.flatnonzero(beyond)


@dataclass(frozen=True, repr=False, eq=False)
class Intervals(Result):
    """Estimates with their intervals; an interval is NaN where there is none."""

    estimate: Floats
    #: The estimate without its bias.
    corrected: Floats
    deviation: Floats
    low: Floats
    high: Floats

    @classmethod
    def from_json(cls, found: Any) -> Intervals:
        """From the engine's JSON: a list, or a list of lists."""
        return cls(
            *(numbers(_each(found, name)) for name in ("estimate", "corrected", "deviation")),
            *(numbers(_ends(found, end)) for end in (0, 1)),
        )


def _each(found: Any, name: str) -> Any:
    return [_each(one, name) for one in found] if isinstance(found, list) else found[name]


def _ends(found: Any, end: int) -> Any:
    if isinstance(found, list):
        return [_ends(one, end) for one in found]
    return None if found["interval"] is None else found["interval"][end]


@dataclass(frozen=True, repr=False, eq=False)
class Bootstrap(Result):
    """How sure the numbers of a PCA are, from rows drawn again with replacement."""

    eigenvalues: Intervals
    shares: Intervals
    cumulative_shares: Intervals
    #: Entries of the components (components × columns).
    loadings: Intervals
    #: Correlations of the columns with the scores (components × columns).
    correlations: Intervals
    #: Angle of every component to its replicates, in radians: the median, and what a share ``level`` stays below.
    angles: Floats
    #: The same of the span of a component and those before it.
    span_angles: Floats
    #: 1 is a component that always comes back, 0 one that is mostly something else.
    stability: Floats
    #: Whether a component can be told apart from its neighbors.
    apart: NDArray[np.bool_]
    level: float
    n_replicates: int
    n_sampled: int
    sentence: str
    notes: list[str]


@dataclass(frozen=True, repr=False, eq=False)
class Groups(Result):
    """A column of groups against the components."""

    levels: list[str]
    n_rows: NDArray[np.int64]
    #: Mean scores (levels × components), never whitened.
    centroids: Floats
    v_tests: Floats
    p_values: Floats
    #: Share of each component that the groups explain, and the probability of so large a share by chance.
    eta2: Floats
    eta2_p_values: Floats


@dataclass(frozen=True, repr=False, eq=False)
class Supplementary(Result):
    """Columns that had no part in the components, held against them."""

    #: Correlations of the columns of numbers with the scores, by the column's name.
    correlations: dict[str, Floats]
    groups: dict[str, Groups]


@dataclass(frozen=True, repr=False, eq=False)
class Adequacy(Result):
    """Whether columns have enough in common: KMO and Bartlett's test of sphericity. None where there is no number, and ``unknown``
    says why; ``kmo_columns`` is NaN for columns that do not vary."""

    kmo: float | None
    kmo_columns: Floats
    chi2: float | None
    df: float | None
    p_value: float | None
    unknown: str | None


@dataclass(frozen=True, repr=False, eq=False)
class Choice(Result):
    """What every rule for the number of components says."""

    #: The number to take; None where no rule has an answer.
    k: int | None
    sentence: str
    why: str
    #: What each rule says: ``k``, ``sentence``, ``assumes``, ``abstains``, ``detail``, by the rule's name.
    rules: dict[str, dict[str, Any]]
    believed: list[str]
    disagreeing: list[str]
    eigenvalues: Floats
    total_variance: float

    def __repr__(self) -> str:
        width = max(map(len, self.rules), default=0)
        lines = [f"{name:<{width}}  {_said(rule):>4}  {rule['sentence']}" for name, rule in self.rules.items()]
        return "\n".join([*lines, "", "No rule has an answer here." if self.k is None else f"Keep {self.sentence}."])


def _said(rule: dict[str, Any]) -> str:
    """A rule's number: in parentheses if it does not count, a dash if the rule gives no number."""
    if rule["k"] is None:
        return "–"
    return str(rule["k"]) if rule["abstains"] is None else f"({rule['k']})"


class Description:
    """What a table holds or what a model is: text to read, and the same as a dictionary."""

    def __init__(self, text: str, values: dict[str, Any]) -> None:
        self.text, self._values = text, values

    def to_dict(self) -> dict[str, Any]:
        """Everything by name, as the command line's ``describe --json`` has it."""
        return self._values

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def __repr__(self) -> str:
        return self.text
