"""Principal component analysis as scikit-learn knows it, on eigenspan's engine."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.utils.metaestimators import available_if

from ._attributes import attribute
from ._base import Estimator, drawn_seed, one_name, scaling, tolerance, whole
from ._core import Growing, Model, Rows, pca_choices, pca_column_table, pca_fit, pca_preset, pca_preset_count
from ._kinds import Kept, Means
from ._facts import Interpreted
from ._linear import SVD_SOLVERS
from ._look import Drawn, Report, report
from ._nothing import MayKeepNothing
from ._options import PCAParameters
from ._parameters import (
    CALLBACK,
    FLAG,
    MEMORY,
    N_JOBS,
    NONE,
    NORMALIZER,
    POWER,
    SCALE,
    SEED,
    TOL,
    VERBOSE,
    is_whole,
    parts,
    require,
    words,
)
from ._parameters import whole as integer
from ._rows import is_batches, one_batch, refuse_batches, rows_of
from ._saved import registered
from ._warning import caution

if TYPE_CHECKING:
    from typing_extensions import Self

# Tables of columns against components.
Table = Literal["correlations", "cos2", "contributions"]


# Programs whose conventions `like` takes.
LIKE = ("sklearn", "R", "MATLAB", "FactoMineR", "SPSS")


# Python's error for a parameter that does not exist then names the class that the user called.
PCAParameters.__init__.__qualname__ = "PCA.__init__"


def _grows(pca: PCA) -> bool:
    """Whether batches can be added: they know neither the means of later batches nor how many components a program keeps of all rows."""
    return pca.like is None and pca.missing in ("error", "drop")


@registered()
class PCA(PCAParameters, Drawn, Interpreted, MayKeepNothing, Estimator):
    __doc__ = f"""Principal component analysis: the orthogonal directions along which the rows vary most.

    X may be an array (NumPy, anything with ``__array__`` or DLPack), a frame (pandas, polars, Arrow), a sparse
    matrix, the path of a file or several, what :func:`eigenspan.read` gives, or, to be fitted, an iterator of
    batches. 32-bit floats stay 32-bit floats. Nothing is copied that need not be, and nothing is changed.

    {PCAParameters.__doc__}
    Attributes
    ----------
    components_ : array of shape (n_components_, n_features_in_)
        Unit vectors, by falling variance. The entry of largest magnitude is positive (``sign``).
    explained_variance_, explained_variance_ratio_, singular_values_ : arrays of shape (n_components_,)
        Variance along each component, its share of the total, and the singular values of the prepared rows.
    mean_ : array of shape (n_features_in_,)
        Means that were taken out.
    scale_ : array of shape (n_features_in_,), or None
        What columns were divided by.
    noise_variance_ : float
        Mean variance of the directions that were left out.
    n_components_, n_features_in_, n_samples_ : int
        Components kept, columns and rows fitted.
    feature_names_in_ : array of str
        Names of the columns, where they are all strings.
    residuals_ : array of shape (n_components_,)
        The proof: ‖Cv − λv‖ ÷ λ of every component (÷ λ₁ where λ cannot be told from zero).
    total_variance_ : float
        Variance in all directions, kept or not.
    plan_ : dict
        The solver that ran, why this one, its passes, bytes and flops.
    notes_ : list of str
        What is worth knowing about the fit.
    choose_ : dict
        What the rules for the number of components say to the eigenvalues.
    loadings_, contributions_, correlations_, cos2_ : arrays of shape (n_features_in_, n_components_)
        Of which columns components are made. The last three need the variance of every column: they are there where
        all components were kept or columns were scaled; :meth:`column_table` takes the rows otherwise.

    Examples
    --------
    >>> import eigenspan as es
    >>> from sklearn.datasets import load_iris
    >>> X = load_iris().data
    >>> pca = es.PCA(n_components=0.95).fit(X)
    >>> pca.n_components_, pca.transform(X).shape
    (2, (150, 2))
    >>> bool(pca.residuals_.max() < 1e-12)
    True
    """

    scale_: attribute[NDArray[np.floating[Any]] | None] = attribute()
    loadings_: attribute[NDArray[np.floating[Any]]] = attribute(lambda model: pca_column_table(model, "loadings", None, _ANY), axis=1)
    contributions_: attribute[NDArray[np.floating[Any]]] = attribute(lambda model: pca_column_table(model, "contributions", None, _ANY), axis=1)
    correlations_: attribute[NDArray[np.floating[Any]]] = attribute(lambda model: pca_column_table(model, "correlations", None, _ANY), axis=1)
    cos2_: attribute[NDArray[np.floating[Any]]] = attribute(lambda model: pca_column_table(model, "cos2", None, _ANY), axis=1)
    choose_: attribute[dict[str, Any]] = attribute(lambda model: json.loads(pca_choices(model)))

    _points_to_pca = False
    _takes = {
        "n_components": parts(0, "mle", "auto", "all"),
        "copy": FLAG,
        "whiten": FLAG,
        "svd_solver": words(*dict.fromkeys(["auto", "full", "covariance_eigh", "arpack", "randomized", *PCAParameters._words["solver"]])),
        "tol": TOL,
        "iterated_power": POWER,
        "n_oversamples": integer(1),
        "power_iteration_normalizer": NORMALIZER,
        "random_state": SEED,
        "center": FLAG,
        "scale": SCALE,
        "n_jobs": N_JOBS,
        "memory": MEMORY,
        "like": words(*LIKE) | NONE,
        "verbose": VERBOSE,
        "callback": CALLBACK,
    } | {name: words(*PCAParameters._words[name]) for name in ("convention", "missing", "names", "sign", "solver")}

    @whole
    def fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Self:
        """Fits the model to the rows of X.

        Parameters
        ----------
        X
            Rows; the class says in which forms.
        y
            Not needed.
        sample_weight : array of shape (n_samples,) or None, default=None
            One weight per row: 2 counts as the row twice, 0 as no row.
        """
        self._fit_rows(X, sample_weight)
        return self

    @whole
    def fit_transform(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> NDArray[np.floating[Any]]:
        """Fits the model to the rows of X, and gives their scores: the same bits as ``fit(X).transform(X)``."""
        rows = self._fit_rows(X, sample_weight)
        if rows is None:
            raise ValueError("an iterator of batches can be read only once: fit(X), then transform each batch")
        return self._scores(rows)

    def _fit_rows(self, X: Any, sample_weight: Any = None) -> Any:
        self._check()
        if is_batches(X):
            if self.like is not None:
                raise ValueError("like needs all rows at once: an iterator of batches takes none")
            if not _grows(self):
                raise ValueError(
                    f"missing={self.missing!r} needs all rows at once, since batches do not know the batches to come: an iterator of"
                    " batches takes missing='error' or 'drop'"
                )
            if sample_weight is not None:
                raise ValueError("weights of an iterator of batches are given to partial_fit, batch by batch")
            self._forget()
            for batch in X:
                self.partial_fit(one_batch(batch))
            if not self.__sklearn_is_fitted__():
                raise ValueError("Found iterator with 0 batch(es) while a minimum of 1 is required by PCA.")
            self._fitted()
            return None
        asked = self._options()
        if sparse.issparse(X) and self.svd_solver in ("full", "randomized"):
            raise TypeError(
                f'PCA only support sparse inputs with the "arpack" and "covariance_eigh" solvers, while "{self.svd_solver}" was'
                f" passed as svd_solver; solver={self.svd_solver!r} takes them"
            )
        rows = rows_of(self, X, reset=True, sample_weight=sample_weight, least=2)
        self._keep(self._fit_to(rows, asked, self._watched()), rows.single)
        return rows

    def _fit_to(self, rows: Rows, asked: dict[str, Any], means: Means) -> Model:
        """The model of rows, which keeps as many components as scikit-learn's rules or the program of `like` say."""
        options = self._options_for(rows, asked)
        return pca_fit(json.dumps(options), self._asks_for_mle(), rows, means, self._program_that_counts())

    def _options_for(self, rows: Rows, asked: dict[str, Any]) -> dict[str, Any]:
        """The engine's options for rows of this shape; a number of components that the shape does not allow is refused."""
        n_rows, n_cols = rows.shape
        self._check_count(rows)
        fewer = self._fewer(n_rows, n_cols)
        # A RandomState draws the seed of the fit after the rows were checked.
        is_settled = fewer is None and not isinstance(self.random_state, np.random.RandomState)
        options = asked if is_settled else self._options(fewer)
        if self._asks_for_mle() and n_rows is not None and n_rows < n_cols:
            raise ValueError("n_components='mle' is only supported if n_samples >= n_features")
        return options

    def _program_that_counts(self) -> str | None:
        """The program whose default decides how many components are kept, if one does."""
        return self.like if self.n_components is None else None

    def _plan(self, X: Any) -> str:
        asked = self._options()
        rows = rows_of(self, X, reset=True, least=2)
        options, like = self._options_for(rows, asked), self._program_that_counts()
        if like is not None:
            options["n_components"] = json.loads(pca_preset_count(like, *rows.shape))
        return Model.plan_for(self._method, json.dumps(options), rows, self._means())

    def _check_count(self, rows: Rows) -> None:
        """Refuses a count that the shape does not allow, in scikit-learn's words."""
        asked: Any = self.n_components
        if isinstance(asked, (str, float)) or asked is None or rows.shape[0] is None:
            return
        least = 1 if self.svd_solver in ("arpack", "randomized") else 0
        most = min(rows.shape[0], rows.shape[1])
        if least <= asked <= most:
            return
        if self.svd_solver != "auto" or self.solver != "auto":
            solver = f"svd_solver={self.svd_solver!r}" if self.svd_solver != "auto" else f"solver={self.solver!r}"
        else:
            words = {ours: theirs for theirs, ours in SVD_SOLVERS.items()}
            chosen = json.loads(Model.plan_for(self._method, json.dumps(self._options(most)), rows, self._means()))["solver"]
            solver = f"svd_solver={words.get(chosen, chosen)!r}"
        raise ValueError(
            f"n_components={asked} must be between {least} and min(n_samples, n_features)={most} with {solver}"
            " (n_components=0.9 keeps as many as 90 % of the variance needs)"
        )

    def _fewer(self, n_rows: int | None, n_cols: int) -> int | None:
        """The number of components for ARPACK if none is given, one fewer than possible; ARPACK cannot compute all, so that is refused."""
        if self.svd_solver != "arpack" or n_rows is None:
            return None
        most = min(n_rows, n_cols)
        if self.n_components is None:
            return most - 1
        if isinstance(self.n_components, (int, np.integer)) and self.n_components == most:
            raise ValueError(
                f"n_components={most} must be strictly less than min(n_samples, n_features)={most} with svd_solver='arpack';"
                " solver='lanczos' takes it"
            )
        return None

    @available_if(_grows)  # type: ignore[untyped-decorator]
    @whole
    def partial_fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None, check_input: bool = True) -> Self:
        """Takes in a batch of rows, of any size. What comes out is what a fit to all rows at once gives.

        Components are computed when they are next asked for, not with every batch.
        """
        self._check()
        first = not self.__sklearn_is_fitted__()
        options = self._growing_options()
        rows = rows_of(self, X, reset=first, sample_weight=sample_weight)
        asked: Any = self.n_components
        if is_whole(asked) and asked > rows.shape[1]:
            raise ValueError(f"n_components={asked} must be between 0 and n_features={rows.shape[1]} with partial_fit")
        growing = Growing(options, rows.shape[1]) if first else self._grown_or_new(options)
        growing.add(rows, self._watched())
        self._keep_growing(growing, rows.single and (first or self._single))
        return self

    def _growing_options(self) -> str:
        if self.n_components in ("mle", "auto"):
            raise ValueError(f"n_components={self.n_components!r} needs all rows at once: fit(X)")
        return super()._growing_options()

    def _grown_or_new(self, options: str) -> Growing:
        try:
            return self._grown()
        except ValueError as error:
            caution(f"the rows of the last fit are left behind: {error}", "left_behind")
            return Growing(options, self.n_features_in_)

    @whole
    def merge(self, other: PCA) -> Self:
        """Takes in the rows that another PCA was fitted to: shards of a table become one.

        Both must have been fitted batch by batch, or keep all components.

        Examples
        --------
        >>> import eigenspan as es
        >>> from sklearn.datasets import load_iris
        >>> X = load_iris().data
        >>> both = es.PCA().fit(X[:80]).merge(es.PCA().fit(X[80:]))
        >>> both.n_samples_, bool(abs(both.explained_variance_ - es.PCA().fit(X).explained_variance_).max() < 1e-12)
        (150, True)
        """
        if not isinstance(other, PCA):
            raise TypeError(f"merge takes a fitted PCA, not {type(other).__name__}")
        growing = self._grown()
        growing.merge(other._grown())
        self._keep_growing(growing, self._single and other._single)
        return self

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """What the components are called: ``pca0``, ``pca1``, …, or as ``names`` and ``like`` say."""
        model = self._fitted()
        if json.loads(model.options)["names"] == "pca":
            names: NDArray[np.object_] = super().get_feature_names_out(input_features)
            return names
        return np.asarray(model.axis_names[: self._n_features_out], dtype=object)

    def column_table(self, which: Table, X: Any, *, sample_weight: ArrayLike | None = None) -> NDArray[np.float64]:
        """``correlations``, ``cos2`` or ``contributions`` of columns, with their variances taken from the rows of X, whose weights
        ``sample_weight`` holds.

        Examples
        --------
        >>> import eigenspan as es
        >>> from sklearn.datasets import load_iris
        >>> X = load_iris().data
        >>> es.PCA(2).fit(X).column_table("cos2", X).round(2)
        array([[0.81, 0.15],
               [0.16, 0.68],
               [1.  , 0.  ],
               [0.93, 0.  ]])
        """
        model = self._fitted()
        require(("which", which, words("correlations", "cos2", "contributions")))
        rows = rows_of(self, X, reset=False, sample_weight=sample_weight)
        table: NDArray[np.float64] = self._cut(pca_column_table(model, which, rows, self._means()), 1)
        return table

    def report(
        self, X: Any = None, path: Any = None, *, refit: bool = True, force: bool = False, sample_weight: ArrayLike | None = None
    ) -> Report:
        """The readable page about a PCA of X with these parameters, which keeps as many components as ``fit`` does; without X about
        this fitted model, and with ``refit=False`` about the rows of X under it. It shows itself in a notebook, and is written to
        ``path`` where one is given; ``force`` replaces a page of other data there. ``sample_weight`` is one weight per row of X.

        Examples
        --------
        >>> import eigenspan as es
        >>> from sklearn.datasets import load_iris
        >>> X = load_iris().data
        >>> page = es.PCA(scale="std").report(X, "iris.html")
        >>> page
        <Report: iris.html>
        >>> page.html.startswith("<!DOCTYPE html>")
        True
        """
        if X is None or not refit:
            if sample_weight is not None:
                raise ValueError("sample_weight is for a report that fits the rows of X anew: leave it out, or give X without refit=False")
            return super().report(X, path, force=force)
        self._check()
        other = type(self)(**self.get_params() | {"random_state": deepcopy(self.random_state)})
        rows, options, kept = other._to_report(X, sample_weight)
        return report(self, rows, path, kept, options, force=force, sample_weight=sample_weight)

    def _to_report(self, X: Any, sample_weight: Any) -> tuple[Any, dict[str, Any], Kept]:
        """The rows of a report, the engine's options, and the rule by which it keeps as many components as a fit."""
        if self._asks_for_nothing():
            raise ValueError("there is nothing to report: n_components=0 keeps no component")
        refuse_batches(X, "a report")
        asked = self._options()
        kept: Kept = {"given": self.n_components is not None, "like": self._program_that_counts()}
        if self.n_components in ("auto", "all") or (self.n_components is None and self.svd_solver != "arpack"):
            return X, asked, kept
        rows = rows_of(self, X, reset=True, sample_weight=sample_weight, least=2)
        options = self._options_for(rows, asked)
        share = _share(self.n_components)
        if share is not None or self._asks_for_mle():
            model = pca_fit(json.dumps(options), self._asks_for_mle(), rows, self._means())
            # A share that is only just reached keeps one component more, which the engine's own rule does not.
            is_tie = share is not None and model.explained_variance_ratio[:-1].sum() >= share - 1e-9
            if is_tie or self._asks_for_mle():
                options["n_components"] = model.n_components
        return (rows if rows.is_table else X), options, kept

    def _asks_for_mle(self) -> bool:
        """Whether Minka's evidence chooses how many components are kept."""
        return isinstance(self.n_components, str) and self.n_components == "mle"

    def _options(self, most: int | None = None) -> dict[str, Any]:
        """The parameters as the engine's options. `most` is the number of components if `n_components` is not given."""
        mle = self._asks_for_mle()
        if mle and self.svd_solver in ("arpack", "randomized"):
            raise ValueError(f"n_components='mle' cannot be a string with svd_solver='{self.svd_solver}': it needs all eigenvalues")
        options = {
            "n_components": "all" if mle else self._asked() if most is None else most,
            "center": bool(self.center),
            "scale": scaling(self.scale),
            "whiten": bool(self.whiten),
            "solver": one_name(self.solver, self.svd_solver, "svd_solver", SVD_SOLVERS),
            "tolerance": tolerance(self.tol, self.svd_solver),
            "convention": self.convention,
            "sign": self.sign,
            "names": self.names,
            "missing": self.missing,
            "seed": drawn_seed(self.random_state),
        }
        return options if self.like is None else options | self._conventions()

    def _conventions(self) -> dict[str, Any]:
        """The values that the program of `like` uses for parameters that are left at their defaults."""
        theirs, usual = json.loads(pca_preset(str(self.like))), PCA()
        names = ("scale", "whiten", "convention", "sign", "names", "missing")
        # False means scale='none', and is not the default.
        return {name: theirs[name] for name in names if getattr(self, name) == getattr(usual, name)}


def _share(n_components: Any) -> float | None:
    """The share of the variance that is to be kept, if a share is given."""
    if isinstance(n_components, str):
        text = n_components.strip()
        return float(text[:-1]) / 100 if text.endswith("%") else None
    return None if n_components is None or is_whole(n_components) else float(n_components)


_ANY: Means = {"threads": None, "memory": None}
