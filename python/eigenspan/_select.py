"""Selection of columns in the manner of scikit-learn's selectors, on eigenspan's engine."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import _check_feature_names_in

from ._attributes import attribute, derived
from ._base import Estimator, drawn_seed, scaling
from ._core import Rows
from ._look import Drawn
from ._options import SelectColumnsParameters
from ._parameters import CALLBACK, FLAG, MEMORY, N_JOBS, NONE, SEED, VERBOSE, number, parts, words
from ._parameters import whole as integer
from ._rows import labels_of, scores_of
from ._saved import registered

SelectColumnsParameters.__init__.__qualname__ = "SelectColumns.__init__"

# Rules that compare columns with classes.
BY_CLASS = ("anova", "mutual-information")


@registered()
class SelectColumns(SelectColumnsParameters, Drawn, Estimator):
    __doc__ = f"""Feature selection: some of the columns as they are, and what dropping the others costs.

    {SelectColumnsParameters.__doc__}
    Attributes
    ----------
    scores_ : array of shape (n_features_in_,)
        The score of every column under the rule: its variance, F, mutual information, or what it added to the share explained. NaN where
        it has none, and infinite F where a column is constant within every class.
    pvalues_ : array of shape (n_features_in_,)
        With ``by="anova"``: the probability of so large an F if no class differed.
    variances_ : array of shape (n_features_in_,)
        Variances, with divisor n − 1.
    explained_ : float
        Share of the variance of all columns that the kept ones explain by linear regression, themselves included.
    determined_ : array of shape (n_features_in_,)
        The share of every column's own variance that the kept ones explain: R², and 1 for those kept.
    share_lost_ : array of shape (n_features_in_,)
        The rest, as a share of the variance of all columns. With ``explained_`` it sums to 1.
    n_components_, n_features_in_, n_samples_ : int
        Columns kept, and columns and rows fitted.
    feature_names_in_ : array of str
        Names of the columns, where they are all strings.
    plan_, notes_
        As for :class:`PCA`.

    Examples
    --------
    >>> import eigenspan as es
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> es.SelectColumns(2, by="anova").fit(X, y).get_support(indices=True).tolist()
    [2, 3]
    >>> es.SelectColumns(0.95).fit(X).transform(X).shape
    (150, 2)
    """

    _method = "select"
    _takes = {
        "n_components": parts(1, "all"),
        "by": words(*SelectColumnsParameters._words["by"]),
        "threshold": number("a number from 0 on", lambda value: value >= 0) | NONE,
        "scale": words("none", "std") | FLAG | NONE,
        "n_neighbors": integer(1),
        "missing": words("error", "drop", "mean"),
        "random_state": SEED,
        "n_jobs": N_JOBS,
        "memory": MEMORY,
        "verbose": VERBOSE,
        "callback": CALLBACK,
    }

    scores_: attribute[NDArray[np.floating[Any]]] = attribute()
    variances_: attribute[NDArray[np.floating[Any]]] = attribute()
    determined_: attribute[NDArray[np.floating[Any]]] = attribute()
    share_lost_: attribute[NDArray[np.floating[Any]]] = attribute()
    explained_: attribute[float] = attribute()

    @derived
    def pvalues_(self) -> NDArray[np.floating[Any]]:
        self._there("pvalues_")
        values = self._fitted().p_values
        if values is None:
            raise AttributeError(f"pvalues_: by={self.by!r} has none")
        known: NDArray[Any] = self._typed(values)
        return known

    def get_support(self, indices: bool = False) -> NDArray[Any]:
        """Which columns are kept: a mask, or their numbers from 0.

        Examples
        --------
        >>> import eigenspan as es
        >>> from sklearn.datasets import load_iris
        >>> X = load_iris().data
        >>> es.SelectColumns(2, by="variance").fit(X).get_support().tolist()
        [True, False, True, False]
        """
        kept: NDArray[np.int64] = self._fitted().kept.astype(np.int64) - 1
        if indices:
            return kept
        mask = np.zeros(self.n_features_in_, dtype=bool)
        mask[kept] = True
        return mask

    def inverse_transform(self, X: Any) -> NDArray[np.floating[Any]]:
        """Rows with the kept columns where they were, and zeros in the others.

        Examples
        --------
        >>> import eigenspan as es
        >>> from sklearn.datasets import load_iris
        >>> X = load_iris().data
        >>> select = es.SelectColumns(2, by="variance").fit(X)
        >>> select.inverse_transform(select.transform(X))[0].tolist()
        [5.1, 0.0, 1.4, 0.0]
        """
        kept = self.get_support(indices=True)
        cells = np.asarray(scores_of(self, X))
        if cells.shape[1] != len(kept):
            raise ValueError(f"X has {cells.shape[1]} columns, but {len(kept)} were kept")
        rows = np.zeros((len(cells), self.n_features_in_), dtype=cells.dtype)
        rows[:, kept] = cells
        return rows

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """The names of the kept columns.

        Examples
        --------
        >>> import eigenspan as es
        >>> from sklearn.datasets import load_iris
        >>> X = load_iris(as_frame=True).data
        >>> es.SelectColumns(1).fit(X).get_feature_names_out().tolist()
        ['petal length (cm)']
        """
        support = self.get_support()
        kept: NDArray[Any] = _check_feature_names_in(self, input_features)[support]
        return kept

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = self.by in BY_CLASS
        return tags

    def _labels(self, y: Any, rows: Rows) -> list[str] | None:
        if self.by not in BY_CLASS:
            return None
        labels = labels_of(y, rows)
        if labels is None:
            raise ValueError(f"by={self.by!r} requires y to be passed, but the target y is None: it learns from classes, and these rows have no labels")
        return labels

    def _options(self) -> dict[str, Any]:
        return {
            "n_components": self._asked(),
            "by": self.by,
            "threshold": None if self.threshold is None else float(self.threshold),
            "scale": scaling(self.scale),
            "n_neighbors": int(self.n_neighbors),
            "missing": self.missing,
            "seed": drawn_seed(self.random_state),
        }
