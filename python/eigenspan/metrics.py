"""How good a map is: whether rows that are near in it are near in the table, and the other way round.

All measures are exact for tables of moderate size. Of more than 20,000 rows (or 2,000,000 pairs), a random sample is used, unless
``sample`` says otherwise; ``return_interval=True`` gives the interval in which the value for all rows lies, with 95 % confidence.

>>> from eigenspan import metrics
>>> float(metrics.trustworthiness([[0], [1], [2], [3], [4]], [[0], [2], [4], [1], [3]], n_neighbors=1))
0.2
"""

from __future__ import annotations

import json
from typing import Any, Literal

from ._base import drawn_seed, means_of
from ._core import map_pairs, map_quality
from ._neighbors import METRICS
from ._parameters import COUNT, FLAG, N_JOBS, NONE, SEED, require, words
from ._rows import rows_in_memory

__all__ = ["continuity", "neighbor_recall", "normalized_stress", "shepard_correlation", "trustworthiness"]


def trustworthiness(
    X: Any,
    X_embedded: Any,
    *,
    n_neighbors: int = 5,
    metric: str = "euclidean",
    per_point: bool = False,
    sample: int | None = None,
    return_interval: bool = False,
    random_state: Any = None,
    n_jobs: int | None = None,
) -> Any:
    """How far neighbors in the map are neighbors in the table (Venna & Kaski 2001), from 0 to 1: scikit-learn's.

    Parameters
    ----------
    X : array of shape (n_rows, n_columns)
        The table.
    X_embedded : array of shape (n_rows, n_components)
        The map.
    n_neighbors : int, default=5
        Neighbors of each row; fewer than half of the rows.
    metric : {'euclidean', 'cosine', 'manhattan', 'correlation', 'hamming', …}, default='euclidean'
        The metric of the table.
    per_point : bool, default=False
        Whether to give the value of every row, whose mean is the measure.
    sample : int or None, default=None
        Rows to use. None are all up to 20,000 rows, and 5,000 random ones of more.
    return_interval : bool, default=False
        Whether to also give the ends of the interval of 95 % confidence.
    random_state : int, RandomState or None, default=None
        Seed of the sample. None is 0.
    n_jobs : int or None, default=None
        Threads. Never changes a result.

    Returns
    -------
    float, or an array with ``per_point``, or (float, (low, high)) with ``return_interval``
    """
    return _judged("trustworthiness", X, X_embedded, n_neighbors, metric, per_point, sample, return_interval, random_state, n_jobs)


def continuity(
    X: Any,
    X_embedded: Any,
    *,
    n_neighbors: int = 5,
    metric: str = "euclidean",
    per_point: bool = False,
    sample: int | None = None,
    return_interval: bool = False,
    random_state: Any = None,
    n_jobs: int | None = None,
) -> Any:
    """How far neighbors in the table are neighbors in the map, from 0 to 1: trustworthiness with both exchanged.

    Parameters are those of :func:`trustworthiness`.
    """
    return _judged("continuity", X, X_embedded, n_neighbors, metric, per_point, sample, return_interval, random_state, n_jobs)


def neighbor_recall(
    X: Any,
    X_embedded: Any,
    *,
    n_neighbors: int = 5,
    metric: str = "euclidean",
    per_point: bool = False,
    sample: int | None = None,
    return_interval: bool = False,
    random_state: Any = None,
    n_jobs: int | None = None,
) -> Any:
    """The share of neighbors in the table that are neighbors in the map.

    Parameters are those of :func:`trustworthiness`; ``n_neighbors`` may be anything below the number of rows.
    """
    return _judged("recall", X, X_embedded, n_neighbors, metric, per_point, sample, return_interval, random_state, n_jobs)


def shepard_correlation(
    X: Any,
    X_embedded: Any,
    *,
    metric: str = "euclidean",
    method: Literal["spearman", "pearson"] = "spearman",
    sample: int | None = None,
    return_interval: bool = False,
    random_state: Any = None,
    n_jobs: int | None = None,
) -> Any:
    """The correlation of distances in the map with distances in the table, over pairs of rows.

    ``sample`` is a number of pairs: None are all up to 2,000,000 pairs, and as many random ones of more. ``method`` is 'spearman', of
    ranks, or 'pearson'.
    """
    require(("method", method, words("spearman", "pearson")))
    return _paired(method, X, X_embedded, metric, sample, return_interval, random_state, n_jobs)


def normalized_stress(
    X: Any,
    X_embedded: Any,
    *,
    metric: str = "euclidean",
    scale: bool = True,
    sample: int | None = None,
    return_interval: bool = False,
    random_state: Any = None,
    n_jobs: int | None = None,
) -> Any:
    """√(Σ(δ − αd)²/Σδ²) with distances δ in the table and d in the map, over pairs of rows; 0 is perfect.

    α is the factor with the least stress, because a map has no unit of its own; with ``scale=False`` it is 1. ``sample`` is as in
    :func:`shepard_correlation`.
    """
    require(("scale", scale, FLAG))
    return _paired("scaled-stress" if scale else "stress", X, X_embedded, metric, sample, return_interval, random_state, n_jobs)


def _judged(
    measure: str,
    X: Any,
    X_embedded: Any,
    n_neighbors: int,
    metric: str,
    per_point: bool,
    sample: int | None,
    return_interval: bool,
    random_state: Any,
    n_jobs: int | None,
) -> Any:
    require(("n_neighbors", n_neighbors, COUNT), ("per_point", per_point, FLAG))
    if per_point and (sample is not None or return_interval):
        raise ValueError("per_point=True gives the values of all rows, so there is no sample and no interval")
    rows, map, means, seed = _inputs(X, X_embedded, metric, sample, return_interval, random_state, n_jobs)
    # Every row, where every row has a value.
    n_rows = 2**32 if per_point else sample
    options = {"n_neighbors": int(n_neighbors), "metric": METRICS[metric], "n_rows": n_rows, "seed": seed}
    found, of_rows, _ = map_quality(measure, json.dumps(options), rows, map, means)
    return of_rows if per_point else _estimated(found, return_interval)


def _paired(measure: str, X: Any, X_embedded: Any, metric: str, sample: int | None, return_interval: bool, random_state: Any, n_jobs: int | None) -> Any:
    rows, map, means, seed = _inputs(X, X_embedded, metric, sample, return_interval, random_state, n_jobs)
    options: dict[str, Any] = {"metric": METRICS[metric], "seed": seed}
    if sample is not None:
        options["n_pairs"] = int(sample)
    return _estimated(map_pairs(measure, json.dumps(options), rows, map, means), return_interval)


def _inputs(X: Any, X_embedded: Any, metric: str, sample: int | None, return_interval: bool, random_state: Any, n_jobs: int | None) -> Any:
    require(
        ("metric", metric, words(*METRICS)),
        ("sample", sample, COUNT | NONE),
        ("return_interval", return_interval, FLAG),
        ("random_state", random_state, SEED),
        ("n_jobs", n_jobs, N_JOBS),
    )
    return rows_in_memory(X), rows_in_memory(X_embedded), means_of(n_jobs, None), drawn_seed(random_state)


def _estimated(found: str, return_interval: bool) -> Any:
    estimate = json.loads(found)
    return (estimate["value"], (estimate["low"], estimate["high"])) if return_interval else estimate["value"]
