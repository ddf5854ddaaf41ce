"""Tables and what becomes of them without an estimator at hand: what they hold, how many components they have, noise taken out."""

from __future__ import annotations

import json
import os
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import has_fit_parameter

from . import _core
from ._base import Estimator, Fitted, means_of
from ._hints import any_hint, with_advice
from ._look import rows_to_look_at
from ._parameters import CALLBACK, MEMORY, N_JOBS, VERBOSE, InvalidParameter, require
from ._pca import PCA
from ._results import Choice, Description
from ._rows import refuse_batches
from ._saved import class_to_load, loadable_methods
from ._watch import Callback, watch_of


def describe(
    X: Any,
    *,
    n_jobs: int | None = None,
    memory: int | None = None,
    verbose: bool | int = False,
    callback: Callback | None = None,
) -> Description:
    """What a table holds, or what a model is: text to read, and a dictionary (``to_dict()``).

    Parameters
    ----------
    X
        Rows in any form that ``PCA.fit`` takes, save batches; a fitted estimator; or the path of a model file.
    n_jobs, memory, verbose, callback
        As for every estimator.

    Examples
    --------
    >>> import eigenspan as es
    >>> about = es.describe([[1.0, 5.0], [2.0, float("nan")], [4.0, 5.0]])
    >>> about["n_rows"], about["columns"][1]["missing"]
    (3, 1)
    """
    if isinstance(X, Fitted):
        return X.describe()
    if isinstance(X, (str, os.PathLike)) and _core.is_model(os.path.expanduser(X)):
        from ._files import load

        return load(X).describe()
    require(("n_jobs", n_jobs, N_JOBS), ("memory", memory, MEMORY), ("verbose", verbose, VERBOSE), ("callback", callback, CALLBACK))
    refuse_batches(X, "describe")
    means = means_of(n_jobs, memory, watch_of("describe", verbose, callback))
    found, text, warnings, remarks = _core.describe_rows(rows_to_look_at(X), means)
    values = json.loads(found)
    for name, said in (("warnings", warnings), ("notes", remarks)):
        values[name] = [with_advice(text, advice, any_hint) for text, advice in said]
    notes = [f"note: {one}" for one in values["warnings"] + values["notes"]]
    return Description("\n".join([text.rstrip("\n"), *notes]), values)


def choose(
    X: Any,
    *,
    share: float = 0.9,
    n_draws: int = 100,
    quantile: float = 0.95,
    n_folds: int = 5,
    n_splits: int = 4,
    max_rows: int = 5000,
    sample_weight: ArrayLike | None = None,
    **parameters: Any,
) -> Choice:
    """How many components of X to keep, by all eleven rules: ``PCA(**parameters).choose(X, ...)``.

    Examples
    --------
    >>> import eigenspan as es
    >>> from sklearn.datasets import load_wine
    >>> es.choose(load_wine().data, scale="std", n_draws=50).k
    3
    """
    return PCA(**parameters).choose(
        X,
        share=share,
        n_draws=n_draws,
        quantile=quantile,
        n_folds=n_folds,
        n_splits=n_splits,
        max_rows=max_rows,
        sample_weight=sample_weight,
    )


def denoise(
    X: Any,
    train: Any,
    *,
    method: str | Estimator = "pca",
    sample_weight: ArrayLike | None = None,
    **parameters: Any,
) -> NDArray[np.floating[Any]]:
    """Projects X onto components of ``train`` and rebuilds the rows, without noise that ``train`` does not have.

    ``method`` is an estimator, which is not changed, or the engine's name of a method ('pca', 'kpca'), with parameters of its estimator. ``sample_weight`` is one weight per
    row of ``train``, for an estimator that takes weights, as a PCA does.

    Examples
    --------
    >>> import numpy as np, eigenspan as es
    >>> line = np.outer(np.arange(20.0), [1.0, 2.0])
    >>> noisy = line + np.random.default_rng(0).normal(scale=0.1, size=line.shape)
    >>> clean = es.denoise(noisy, line, n_components=1)
    >>> bool(np.abs(clean @ [2.0, -1.0]).max() < 1e-9)
    True
    """
    if isinstance(method, str):
        known = class_to_load(method, None)
        if known is None:
            raise InvalidParameter(f"method={method!r}: it takes {', '.join(map(repr, loadable_methods()))} or an estimator")
        estimator: Any = known(**parameters)
    elif parameters:
        raise TypeError(f"an estimator has its own parameters: {', '.join(parameters)} cannot be given beside it")
    else:
        estimator = type(method)(**method.get_params())
    weights = {} if sample_weight is None else {"sample_weight": sample_weight}
    if weights and not has_fit_parameter(estimator, "sample_weight"):
        raise TypeError(f"sample_weight is for a PCA: a {type(estimator).__name__} takes no weights of rows")
    clean: NDArray[Any] = estimator.fit(train, **weights).denoise(X)
    return clean
