"""What a PCA means and how sure it is: its rows, columns beside them, rotations, sampling adequacy, the bootstrap, and every rule for
the number of components."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from ._base import drawn_seed
from ._hints import hints_for, warn
from ._linear import Linear
from ._parameters import COUNT, FIRST, FLAG, LEVEL, SEED, SHARE, InvalidParameter, number, require, whole, words
from ._results import Adequacy, Bootstrap, Choice, Floats, Groups, Intervals, Limits, Result, RowFacts, Supplementary, numbers
from ._rows import counted, refuse_batches, rows_of

Rotation = Literal["varimax", "promax", "oblimin"]

ROTATION = words("varimax", "promax", "oblimin")
KAPPA = number("a number above 1", lambda value: value > 1)
NUMBER = number("a number", lambda value: True)
SEVERAL = whole(2, "a count")


@dataclass(frozen=True, repr=False, eq=False)
class Rotated(Result):
    """Components that were turned."""

    #: What each column is made of (columns × components).
    pattern: Floats
    #: Covariances of the columns with the rotated scores.
    structure: Floats
    #: Rotated scores are standardized scores times this.
    rotation: Floats
    #: Correlations of the rotated components.
    phi: Floats
    #: Variance that each rotated component explains.
    variances: Floats
    _pca: Any = field(repr=False)

    def transform(self, X: Any) -> Floats:
        """Scores of the rows of X on the rotated components; each has variance 1 over the rows of the fit."""
        k = len(self.rotation)
        scores, spread = self._pca.row_facts(X, n_components=k).scores, self._pca._fitted().explained_variance[:k]
        with np.errstate(divide="ignore", invalid="ignore"):
            standardized = np.where(spread > 0, scores / np.sqrt(spread), 0.0)
        rotated: Floats = standardized @ self.rotation
        return rotated


class Interpreted(Linear):
    """A PCA whose rows and columns can be looked at from every side."""

    def choose(
        self,
        X: Any,
        *,
        share: float = 0.9,
        n_draws: int = 100,
        quantile: float = 0.95,
        n_folds: int = 5,
        n_splits: int = 4,
        max_rows: int = 5000,
        sample_weight: ArrayLike | None = None,
    ) -> Choice:
        """How many components of X to keep, by all eleven rules, and which of them to believe. X is prepared as these parameters
        say; ``n_components`` plays no part.

        Parameters
        ----------
        X
            Rows, in any form that ``fit`` takes, save batches.
        share : float, default=0.9
            Share of the variance that is to be kept.
        n_draws : int, default=100
            Tables of permuted columns that parallel analysis draws; fewer where they are large.
        quantile : float, default=0.95
            Quantile of the permuted tables' eigenvalues that a component has to exceed.
        n_folds : int, default=5
            Folds of rows in the cross-validation of probabilistic PCA.
        n_splits : int, default=4
            Random splits into two by two blocks in bi-cross-validation.
        max_rows : int, default=5000
            Rows that are looked at, at most.
        sample_weight : array of shape (n_samples,) or None, default=None
            One weight per row, as for ``fit``.

        Examples
        --------
        >>> import eigenspan as es
        >>> from sklearn.datasets import load_iris
        >>> choice = es.PCA(scale="std").choose(load_iris().data)
        >>> choice.k, choice.rules["share"]["k"], len(choice.rules)
        (1, 2, 11)
        """
        self._check()
        require(
            ("share", share, SHARE),
            ("n_draws", n_draws, COUNT),
            ("quantile", quantile, LEVEL),
            ("n_folds", n_folds, SEVERAL),
            ("n_splits", n_splits, COUNT),
            ("max_rows", max_rows, SEVERAL),
        )
        refuse_batches(X, "choose")
        other = type(self)(**self.get_params() | {"n_components": None})
        rows = rows_of(other, X, reset=True, sample_weight=sample_weight, least=2)
        options = other._options()
        counts = {"n_draws": n_draws, "n_folds": n_folds, "n_splits": n_splits, "max_rows": max_rows}
        rules = {"share": float(share), "quantile": float(quantile)} | {name: counted(value) for name, value in counts.items()}
        found, notes = _core.pca_choose(json.dumps(options), json.dumps(rules | {"seed": options["seed"]}), rows, self._watched())
        warn(notes, hints_for(self))
        found = json.loads(found)
        agreed = found["consensus"]
        return Choice(
            k=agreed["k"],
            sentence=agreed["sentence"],
            why=agreed["why"],
            rules={rule.pop("rule"): rule for rule in found["rules"]},
            believed=agreed["believed"],
            disagreeing=agreed["disagreeing"],
            eigenvalues=numbers(found["eigenvalues"]),
            total_variance=found["total_variance"],
        )

    def _with_components(self) -> _core.Model:
        """The model, which keeps at least one component."""
        model = self._fitted()
        if self.n_components_ == 0:
            raise ValueError("the model keeps no component, so there is nothing to say about any")
        return model

    def row_facts(
        self,
        X: Any,
        *,
        n_components: int | None = None,
        level: float = 0.99,
        sample_weight: ArrayLike | None = None,
    ) -> RowFacts:
        """Scores, cos², contributions, T² and Q of rows, with the limits that a share ``level`` of rows stays below. T² and Q are
        about the first ``n_components``, or all. ``sample_weight`` is one weight per row of X, as for ``fit``.

        Examples
        --------
        >>> import eigenspan as es
        >>> from sklearn.datasets import load_iris
        >>> X = load_iris().data
        >>> facts = es.PCA(2).fit(X).row_facts(X)
        >>> facts.cos2.shape, len(facts.outliers)
        ((150, 2), 3)
        """
        model = self._with_components()
        require(("level", level, LEVEL))
        kept = _first(model, n_components)
        rows = rows_of(self, X, reset=False, sample_weight=sample_weight)
        found, limits = _core.pca_row_facts(model, rows, kept, float(level), self._means())
        return RowFacts(**found, limits=Limits(**json.loads(limits)))

    def residual_rows(self, X: Any, *, n_components: int | None = None) -> Floats:
        """What the first components (or all) leave of the rows of X, in the units of the data."""
        model = self._with_components()
        kept = _first(model, n_components)
        return _core.pca_residual_rows(model, rows_of(self, X, reset=False), kept, self._means())

    def supplementary(self, X: Any, columns: Any, *, sample_weight: ArrayLike | None = None) -> Supplementary:
        """Columns that had no part in the components, held against them: correlations of columns of numbers, mean scores, v-tests
        and η² of columns of groups. ``columns`` is a frame or a dictionary, one value per row of X; ``sample_weight`` is one weight
        per row, as for ``fit``.

        Examples
        --------
        >>> import eigenspan as es
        >>> from sklearn.datasets import load_iris
        >>> iris = load_iris()
        >>> beside = es.PCA(2).fit(iris.data).supplementary(iris.data, {"species": iris.target_names[iris.target]})
        >>> beside.groups["species"].levels
        ['setosa', 'versicolor', 'virginica']
        """
        model = self._with_components()
        as_numbers, as_groups = _beside(columns)
        rows = rows_of(self, X, reset=False, sample_weight=sample_weight)
        found = json.loads(_core.pca_supplementary(model, rows, as_numbers, as_groups, self._means()))
        return Supplementary(
            correlations={one["name"]: numbers(one["correlations"]) for one in found["numeric"]},
            groups={one["name"]: _groups(one) for one in found["categories"]},
        )

    def adequacy(self, X: Any, *, sample_weight: ArrayLike | None = None) -> Adequacy:
        """Kaiser, Meyer and Olkin's measure of the columns of X, and Bartlett's test that no two are correlated. ``sample_weight`` is
        one weight per row, as for ``fit``."""
        model = self._with_components()
        found = json.loads(_core.pca_adequacy(model, rows_of(self, X, reset=False, sample_weight=sample_weight), self._means()))
        adequacy = found["adequacy"]
        kmo, bartlett = adequacy["kmo"], adequacy["bartlett"] or {}
        of_columns = np.full(model.n_cols, np.nan)
        if kmo is not None:
            of_columns[found["columns"]] = kmo["columns"]
        return Adequacy(
            kmo=None if kmo is None else kmo["overall"],
            kmo_columns=of_columns,
            chi2=bartlett.get("chi2"),
            df=bartlett.get("df"),
            p_value=bartlett.get("p_value"),
            unknown=adequacy["unknown"],
        )

    def bootstrap(
        self,
        X: Any,
        *,
        n_replicates: int = 200,
        level: float = 0.95,
        n_components: int = 10,
        max_rows: int = 5000,
        sample_weight: ArrayLike | None = None,
    ) -> Bootstrap:
        """How sure this PCA of X is: intervals, angles and stability, from rows drawn again. X are the rows of the fit, and
        ``sample_weight`` their weights, where the fit had some.

        Examples
        --------
        >>> import eigenspan as es
        >>> from sklearn.datasets import load_iris
        >>> X = load_iris().data
        >>> sure = es.PCA().fit(X).bootstrap(X)
        >>> bool(sure.shares.low[0] < 0.925 < sure.shares.high[0])
        True
        """
        model = self._with_components()
        require(("n_replicates", n_replicates, SEVERAL), ("level", level, LEVEL), ("n_components", n_components, COUNT), ("max_rows", max_rows, SEVERAL))
        asked: dict[str, Any] = {"n_replicates": counted(n_replicates), "level": float(level), "max_rows": counted(max_rows)}
        asked["n_components"] = min(int(n_components), model.n_components)
        asked["seed"] = json.loads(model.options)["seed"]
        rows = rows_of(self, X, reset=False, sample_weight=sample_weight)
        found = json.loads(_core.pca_bootstrap(model, json.dumps(asked), rows, self._watched()))
        spans = {name: np.array([[one["median"], one["upper"]] for one in found[name]]) for name in ("angles", "span_angles")}
        lists = ("eigenvalues", "shares", "cumulative_shares", "loadings", "correlations")
        same = ("level", "n_replicates", "n_sampled", "sentence", "notes")
        values: dict[str, Any] = {name: Intervals.from_json(found[name]) for name in lists} | spans | {name: found[name] for name in same}
        apart = np.array([one["apart"] for one in found["standings"]], dtype=bool)
        return Bootstrap(**values, stability=numbers(found["stability"]), apart=apart)

    def rotate(
        self,
        rotation: Rotation = "varimax",
        *,
        n_components: int | None = None,
        kaiser: bool = True,
        kappa: float = 4.0,
        gamma: float = 0.0,
    ) -> Rotated:
        """The first components (or all), turned so that each column belongs to few of them. ``kaiser`` gives every column the same
        say, ``kappa`` is the power of promax, ``gamma`` says how oblique oblimin may become.

        Examples
        --------
        >>> import eigenspan as es
        >>> from sklearn.datasets import load_iris
        >>> es.PCA(2, scale="std").fit(load_iris().data).rotate("varimax").pattern.shape
        (4, 2)
        """
        model = self._with_components()
        require(("rotation", rotation, ROTATION), ("kaiser", kaiser, FLAG), ("kappa", kappa, KAPPA), ("gamma", gamma, NUMBER))
        kept = _first(model, n_components)
        parameter = {"promax": kappa, "oblimin": gamma}.get(rotation)
        found, notes = _core.pca_rotate(model, rotation, None if parameter is None else float(parameter), kept, bool(kaiser))
        warn(notes, hints_for(self))
        found = json.loads(found)
        parts = ("pattern", "structure", "rotation", "phi", "variances")
        return Rotated(**{name: numbers(found[name]) for name in parts}, _pca=self)

    def sample(self, n_samples: int = 1, *, random_state: int | np.random.RandomState | None = None) -> NDArray[np.floating[Any]]:
        """Rows drawn from the probabilistic model (Tipping & Bishop 1999); ``random_state=None`` is 0.

        Examples
        --------
        >>> import eigenspan as es
        >>> from sklearn.datasets import load_iris
        >>> es.PCA(2).fit(load_iris().data).sample(3).shape
        (3, 4)
        """
        require(("n_samples", n_samples, whole(0, "a count")), ("random_state", random_state, SEED))
        rows: NDArray[Any] = self._typed(_core.pca_sample(self._with_components(), counted(n_samples), drawn_seed(random_state)))
        return rows


def _first(model: Any, n_components: int | None) -> int:
    """How many of the first components are meant; None is all."""
    most: int = model.n_components
    require(("n_components", n_components, FIRST))
    if n_components is not None and n_components > most:
        raise ValueError(f"n_components={n_components}, but the model has {most}")
    return most if n_components is None else int(n_components)


def _groups(found: dict[str, Any]) -> Groups:
    levels = found["levels"]
    return Groups(
        levels=[one["level"] for one in levels],
        n_rows=np.array([one["n_rows"] for one in levels], dtype=np.int64),
        centroids=numbers([one["centroid"] for one in levels]),
        v_tests=numbers([one["v_tests"] for one in levels]),
        p_values=numbers([one["p_values"] for one in levels]),
        eta2=numbers(found["eta2"]),
        eta2_p_values=numbers(found["p_values"]),
    )


def _beside(columns: Any) -> tuple[list[tuple[str, list[float]]], list[tuple[str, list[str | None]]]]:
    """Columns of numbers, and columns of groups: texts, categories and truth values."""
    if not (isinstance(columns, Mapping) or hasattr(columns, "columns") or hasattr(columns, "column_names")):
        raise InvalidParameter(f"columns is of type {type(columns).__name__}: it takes a frame or a dict with one value per row in each column")
    names = list(columns) if isinstance(columns, Mapping) else list(getattr(columns, "column_names", None) or columns.columns)
    as_numbers, as_groups = [], []
    for name in names:
        if np.ndim(columns[name]) != 1:
            raise InvalidParameter(f"columns[{name!r}] has {np.ndim(columns[name])} axes: it takes one value per row")
        cells = np.ma.asarray(columns[name]) if isinstance(columns[name], np.ma.MaskedArray) else np.asarray(columns[name])
        if cells.dtype.kind in "fiu":
            as_numbers.append((str(name), np.ma.filled(cells.astype(np.float64), np.nan).tolist()))
        else:
            as_groups.append((str(name), [None if cell is None or cell != cell else str(cell) for cell in cells.tolist()]))
    return as_numbers, as_groups
