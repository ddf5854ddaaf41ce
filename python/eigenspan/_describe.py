"""Tables and what becomes of them without an estimator at hand: what they hold, how many components they have, noise taken out."""

from __future__ import annotations

import inspect
import json
import os
from typing import Any

from numpy.typing import NDArray

from . import _core
from ._base import Estimator, Fitted, means_of
from ._look import rows_to_look_at
from ._parameters import CALLBACK, MEMORY, N_JOBS, VERBOSE, InvalidParameter
from ._pca import PCA
from ._results import Choice, Description
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
    for name, value, takes in (("n_jobs", n_jobs, N_JOBS), ("memory", memory, MEMORY), ("verbose", verbose, VERBOSE), ("callback", callback, CALLBACK)):
        if not takes.holds(value):
            raise InvalidParameter(f"{name}={value!r}: it takes {takes.words}")
    means = means_of(n_jobs, memory, watch_of("describe", verbose, callback))
    found, text = _core.describe_rows(rows_to_look_at(X), means)
    values = json.loads(found)
    notes = [f"note: {one}" for one in values["warnings"] + values["notes"]]
    return Description("\n".join([text.rstrip("\n"), *notes]), values)


def choose(X: Any, **parameters: Any) -> Choice:
    """How many components of X to keep, by all eleven rules: ``PCA(...).choose(X, ...)``, with the parameters of both.

    Examples
    --------
    >>> import eigenspan as es
    >>> from sklearn.datasets import load_wine
    >>> es.choose(load_wine().data, scale="std", n_draws=50).k
    3
    """
    told = inspect.signature(PCA.choose).parameters
    rules = {name: parameters.pop(name) for name in list(parameters) if name in told}
    return PCA(**parameters).choose(X, **rules)


def denoise(X: Any, train: Any, *, method: str | Estimator = "pca", **parameters: Any) -> NDArray[Any]:
    """Rows of X without what the rows of ``train`` would not have: projected onto components of those and brought back.

    ``method`` is an estimator, which is not changed, or the engine's name of a method ('pca', 'kpca'), with parameters of its estimator.

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
    clean: NDArray[Any] = estimator.fit(train).denoise(X)
    return clean
