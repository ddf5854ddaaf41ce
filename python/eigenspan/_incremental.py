"""scikit-learn's IncrementalPCA: a PCA that is fitted batch by batch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ._attributes import derived
from ._base import whole
from ._core import Growing, Model
from ._kinds import About
from ._linear import Probabilistic
from ._look import Drawn
from ._parameters import CALLBACK, COUNT, FLAG, N_JOBS, NONE, VERBOSE
from ._rows import is_batches, one_batch, rows_of
from ._saved import registered
from ._watch import Callback

if TYPE_CHECKING:
    from typing_extensions import Self


@registered(is_default=False)
class IncrementalPCA(Drawn, Probabilistic):
    """PCA by batches with scikit-learn's interface; its components are those of a fit to all rows at once.

    ``PCA.partial_fit`` does the same with every option of the engine.

    Parameters
    ----------
    n_components : int or None, default=None
        Components to keep. None keeps min(n_samples, n_features) of the first batch.
    whiten : bool, default=False
        Divide scores by their standard deviation, so that each has variance 1.
    copy : bool, default=True
        Not needed: X is never changed.
    batch_size : int or None, default=None
        Not needed: batches do not change the result. Kept for ``batch_size_``.
    n_jobs : int or None, default=None
        Threads, at most as many as there are cores; None or -1 are all cores, or OMP_NUM_THREADS. Never changes a
        result.
    verbose : bool or int, default=False
        Whether a line on standard error says how far a fit has come, one per stage and second.
    callback : callable or None, default=None
        Called with the stage, the steps done and their number (None where it is not known) while a fit runs; what it raises,
        or True (:class:`eigenspan.Stopped`), stops the fit.

    Attributes
    ----------
    components_, explained_variance_, explained_variance_ratio_, singular_values_, mean_, noise_variance_
        As in :class:`PCA`, of all rows seen.
    var_ : array of shape (n_features_in_,)
        Variance of every column, with divisor n.
    n_samples_seen_ : int
        Rows seen.
    n_features_in_, feature_names_in_
        Number of the columns, and their names where they are all strings.

    Examples
    --------
    >>> import eigenspan as es
    >>> from sklearn.datasets import load_iris
    >>> X, pca = load_iris().data, es.IncrementalPCA(2)
    >>> for start in range(0, 150, 50):
    ...     _ = pca.partial_fit(X[start : start + 50])
    >>> pca.n_samples_seen_
    150
    """

    def __init__(
        self,
        n_components: int | None = None,
        *,
        whiten: bool = False,
        copy: bool = True,
        batch_size: int | None = None,
        n_jobs: int | None = None,
        verbose: bool | int = False,
        callback: Callback | None = None,
    ) -> None:
        self.n_components = n_components
        self.whiten = whiten
        self.copy = copy
        self.batch_size = batch_size
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.callback = callback

    _takes = {"n_components": COUNT | NONE, "whiten": FLAG, "copy": FLAG, "batch_size": COUNT | NONE, "n_jobs": N_JOBS, "verbose": VERBOSE, "callback": CALLBACK}

    # The number of components, decided by the first batch.
    _kept: int

    @whole
    def fit(self, X: Any, y: Any = None) -> Self:
        """Fits the model to the rows of X."""
        self._check()
        self._forget()
        if is_batches(X):
            for batch in X:
                self.partial_fit(one_batch(batch))
            if not self.__sklearn_is_fitted__():
                raise ValueError("Found iterator with 0 batch(es) while a minimum of 1 is required by IncrementalPCA.")
        else:
            self._add(X, least=2)
        self.batch_size_ = self.batch_size or 5 * self.n_features_in_
        self._fitted()
        return self

    @whole
    def partial_fit(self, X: Any, y: Any = None, check_input: bool = True) -> Self:
        """Takes in a batch of rows."""
        self._check()
        if sparse.issparse(X):
            raise TypeError(
                "IncrementalPCA.partial_fit does not support sparse input. Either convert data to dense or use IncrementalPCA.fit to"
                " do so in batches; eigenspan.PCA.partial_fit takes it as it is."
            )
        self._add(X, least=1)
        return self

    def _add(self, X: Any, *, least: int) -> None:
        first = not self.__sklearn_is_fitted__()
        rows = rows_of(self, X, reset=first, least=least)
        n_rows, n_cols = rows.shape
        self._check_count(first, n_rows, n_cols)
        if first:
            self._kept = min(n_rows or n_cols, n_cols) if self.n_components is None else int(self.n_components)
            growing = Growing(self._growing_options(), n_cols)
        else:
            growing = self._grown()
        growing.add(rows, self._watched())
        self._keep_growing(growing, rows.single and (first or self._single))

    def _check_count(self, first: bool, n_rows: int | None, n_cols: int) -> None:
        """Refuses what scikit-learn refuses."""
        asked = self.n_components
        if asked is None:
            return
        if asked > n_cols:
            raise ValueError(f"n_components={asked!r} invalid for n_features={n_cols}, need more rows than columns for IncrementalPCA processing")
        if first and n_rows is not None and asked > n_rows:
            raise ValueError(f"n_components={asked!r} must be less or equal to the batch number of samples {n_rows} for the first partial_fit call.")
        if not first and asked != self._kept:
            raise ValueError(f"n_components={asked!r}, but the model was begun with {self._kept}: components do not change between batches")

    @derived
    def var_(self) -> NDArray[np.floating[Any]]:
        self._there("var_")
        variances: NDArray[Any] = self._typed(self._grown().variances)
        return variances

    @property
    def n_samples_seen_(self) -> int:
        self._there("n_samples_seen_")
        return self._grown().n_rows

    @n_samples_seen_.setter
    def n_samples_seen_(self, value: float) -> None:
        if value != self.n_samples_seen_:
            raise AttributeError(f"n_samples_seen_ is {self.n_samples_seen_}: it counts the rows that were seen, and cannot be told otherwise")

    def _lists(self) -> dict[str, NDArray[np.float64]]:
        batch = [float(self.batch_size_)] if hasattr(self, "batch_size_") else []
        return {"growing": self._grown().numbers, "batch_size": np.array(batch)}

    def _take_back(self, model: Model, about: About) -> None:
        self._kept = model.n_components
        super()._take_back(model, about)
        if len(about["lists"].get("batch_size", [])):
            self.batch_size_ = int(about["lists"]["batch_size"][0])

    def _options(self) -> dict[str, Any]:
        kept = getattr(self, "_kept", None)
        return {"n_components": kept or "all", "whiten": bool(self.whiten), "names": "pca"}
