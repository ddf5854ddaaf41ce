"""Kernel principal component analysis as scikit-learn knows it, on eigenspan's engine."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import NotFittedError

from ._attributes import attribute, derived
from ._base import Estimator, drawn_seed, one_name, scaling, tolerance, whole
from ._core import Kernel, Model, Rows, kernel_of
from ._function import Compared, in_memory
from ._hints import hints_for, no_hint, warn
from ._kinds import About
from ._look import Drawn, Report, method_report
from ._options import KernelPCAParameters
from ._parameters import (
    ALPHA,
    CALLBACK,
    DEGREE,
    FLAG,
    GAMMA,
    KERNEL,
    MEMORY,
    N_JOBS,
    NONE,
    PARAMETERS_OF_KERNEL,
    POWER,
    SCALE,
    SEED,
    TOL,
    VERBOSE,
    number,
    parts,
    words,
)
from ._parameters import whole as integer
from ._rows import counted, opened, rows_of, scores_of
from ._saved import registered
from ._warning import caution

if TYPE_CHECKING:
    from typing_extensions import Self

# scikit-learn's names of solvers, and our solver that each stands for.
EIGEN_SOLVERS = {"dense": "full", "arpack": "lanczos"}

# Kernels that use `degree` and `coef0`.
OFFSET_KERNELS = ("poly", "polynomial", "sigmoid", "tanh")

# Eigenvalues below this share of the largest count as zero, as in scikit-learn; negative ones beyond the other count.
LEAST = 1e-12
SIGNIFICANT = 1e-5

KernelPCAParameters.__init__.__qualname__ = "KernelPCA.__init__"


@registered()
class KernelPCA(KernelPCAParameters, Drawn, Estimator):
    __doc__ = f"""Kernel principal component analysis: PCA in the feature space of a kernel, found from inner products.

    X may be all that it may be for :class:`PCA`, save batches. Kernels are text (``"rbf(gamma=0.1) + linear"``, or
    scikit-learn's words with ``gamma``, ``degree`` and ``coef0``), values of :mod:`eigenspan.kernels`, or functions of
    two rows, which are slow: each pair is a call into Python.

    {KernelPCAParameters.__doc__}
    Attributes
    ----------
    eigenvalues_ : array of shape (n_components_,)
        Eigenvalues of the centered kernel matrix; those below 1e-12 of the largest are zero.
    eigenvectors_ : array of shape (n_samples_, n_components_)
        Its unit eigenvectors, where it was decomposed and not approximated.
    weights_ : array of shape (m, n_components_)
        Components as combinations of the training rows, or of the landmarks, in feature space: each has length 1.
    X_fit_ : array of shape (m, n_features_in_)
        Those rows, as they are compared.
    kernel_ : Kernel
        The kernel, its parameters numbers.
    gamma_ : float
        γ of the kernel; where it has none, what it would be.
    dual_coef_, X_transformed_fit_ : arrays of shape (m, n_features_in_) and (m, n_components_)
        What ridge regression goes back by, and the scores it goes back from; with ``fit_inverse_transform``.
    explained_variance_, explained_variance_ratio_ : arrays of shape (n_components_,)
        Variance along each component in feature space, and its share of the total, which is known exactly.
    eigenvalue_errors_ : array of shape (n_components_,), or None
        How far eigenvalues may lie from the exact ones, where landmarks or random features stand for the kernel matrix.
    n_components_, n_features_in_, n_samples_ : int
        Components kept, columns and rows fitted.
    feature_names_in_ : array of str
        Names of the columns, where they are all strings.
    residuals_ : array of shape (n_components_,)
        The proof: at most so large is ‖Ku − λu‖ ÷ λ of every component (÷ λ₁ where λ cannot be told from zero), rounding
        included. K is the centered kernel matrix; with `approximate` it is the matrix that was decomposed in its place, and
        `eigenvalue_errors_` says how far its eigenvalues may lie from those of the kernel matrix.
    total_variance_, plan_, notes_
        As for :class:`PCA`.

    Examples
    --------
    >>> import eigenspan as es
    >>> from sklearn.datasets import make_circles
    >>> rings, ring = make_circles(n_samples=200, factor=0.3, noise=0.05, random_state=0)
    >>> first = es.KernelPCA(1, kernel=es.kernels.rbf(gamma=2)).fit_transform(rings)[:, 0]
    >>> bool(((first > 0) == (ring == 1)).all())
    True
    """

    _method = "kpca"
    _takes = {
        "n_components": parts(1, "auto", "all"),
        "kernel": KERNEL,
        "gamma": GAMMA,
        "degree": DEGREE,
        "coef0": number("a number", lambda value: True),
        "kernel_params": PARAMETERS_OF_KERNEL,
        "alpha": ALPHA,
        "fit_inverse_transform": FLAG,
        "eigen_solver": words("auto", "dense", "arpack", "randomized", "full", "lanczos"),
        "tol": TOL,
        "max_iter": integer(1) | NONE,
        "iterated_power": POWER,
        "remove_zero_eig": FLAG,
        "random_state": SEED,
        "copy_X": FLAG,
        "n_jobs": N_JOBS,
        "missing": words("error", "drop", "mean"),
        "n_landmarks": integer(1) | NONE,
        "negative": words("auto", *KernelPCAParameters._words["negative"]),
        "scale": SCALE,
        "solver": words("auto", "full", "randomized", "lanczos"),
        "pre_image_max_iter": integer(1),
        "n_neighbors": integer(2),
        "memory": MEMORY,
        "verbose": VERBOSE,
        "callback": CALLBACK,
    } | {name: words(*KernelPCAParameters._words[name]) for name in ("approximate", "landmarks", "sign", "pre_image")}

    # The training rows with which a Python function compares new rows.
    _others: Compared | None = None
    # The eigenvalues of the components that are kept.
    _values: NDArray[np.float64]

    kernel_: attribute[Kernel] = attribute(kernel_of)
    weights_: attribute[NDArray[np.floating[Any]]] = attribute()
    eigenvalue_errors_: attribute[NDArray[np.floating[Any]] | None] = attribute()

    @whole
    def fit_transform(self, X: Any, y: Any = None) -> NDArray[np.floating[Any]]:
        """Fits the model to the rows of X, and gives their scores: the same bits as ``fit(X).transform(X)``."""
        return self._scores(*self._fit_rows(X))

    def transform(self, X: Any) -> NDArray[np.floating[Any]]:
        """Scores of the rows of X, centered by the training rows."""
        self._fitted()
        return self._scores(*self._compared(X))

    def inverse_transform(self, X: Any) -> NDArray[np.floating[Any]]:
        """Rows whose images in feature space lie nearest to scores, by ``pre_image``."""
        return self.pre_images(X)[0]

    def pre_images(self, X: Any) -> tuple[NDArray[Any], NDArray[np.float64]]:
        """The same, with how far in feature space each row stayed from the point that its scores name."""
        self._fitted()
        if not self.fit_inverse_transform:
            raise NotFittedError(
                "The fit_inverse_transform parameter was not set to True when instantiating and hence the inverse"
                " transform is not available."
            )
        return self._rows_near(scores_of(self, X), None)

    def denoise(self, X: Any) -> NDArray[np.floating[Any]]:
        """The rows of X without what the components do not hold: rows whose images lie nearest to the projections of theirs, by
        ``pre_image``; a search begins at the rows themselves."""
        self._fitted()
        if self._others is not None:
            raise ValueError("a kernel that is a function of Python has no way from scores back to rows")
        rows = rows_of(self, X, reset=False)
        noisy = rows.to_numpy(self._means())
        # A search cannot begin at missing cells.
        return self._rows_near(self._scores(rows), noisy if np.isfinite(noisy).all() else None)[0]

    def _rows_near(self, scores: Any, near: NDArray[np.float64] | None) -> tuple[NDArray[Any], NDArray[np.float64]]:
        """Rows found from scores, and how far each stayed; a search begins at the rows of `near`."""
        model = self._fitted()
        lost = model.n_components - self._n_features_out
        if lost and scores.shape[1] == self._n_features_out:
            # Scores on the components that are left out count as zero.
            scores = np.hstack([scores, np.zeros((len(scores), lost), dtype=scores.dtype)])
        rows, residuals, notes = model.inverse(scores, self._back(), self._means(), near)
        warn(notes, hints_for(self))
        return rows, residuals

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the model file, the same that the command line writes and reads."""
        self._fitted()
        if self._others is not None:
            raise ValueError("a kernel that is a function of Python cannot be written to a model file; pickle keeps its name")
        super().save(path)

    def _refuse_to_draw(self) -> None:
        self._fitted()
        if self._others is not None:
            raise ValueError("a kernel that is a function of Python has no figures: the engine, which draws them, does not know the function")

    def report(self, X: Any = None, path: Any = None, *, refit: bool = True, force: bool = False) -> Report:
        """The readable page about a kernel PCA of X with these parameters: its kernel, spectrum and map, how stable they are, and how
        new rows fare; without X about this fitted model, and with ``refit=False`` about the rows of X under it. It shows itself in a
        notebook, and is written to ``path`` where one is given; ``force`` replaces a page of other data there."""
        if X is None or not refit:
            self._fitted()
            if self._others is not None:
                raise ValueError("a kernel that is a function of Python has no page: the engine, which makes it, does not know the function")
            return super().report(X, path, force=force)
        kernel = self._kernel()
        if kernel is None:
            raise ValueError("a report fits parts of the rows again, which a kernel that is a function of Python does not allow")
        return method_report(self, X, path, kernel, force=force)

    @derived
    def eigenvalues_(self) -> NDArray[np.floating[Any]]:
        self._there("eigenvalues_")
        values: NDArray[Any] = self._typed(self._values)
        return values

    @property
    def n_components_(self) -> int:  # type: ignore[override]
        self._there("n_components_")
        return len(self._values)

    @derived
    def eigenvectors_(self) -> NDArray[np.floating[Any]]:
        self._there("eigenvectors_")
        weights = self._cut(self._model.weights)
        if len(weights) != self._model.n_rows:
            raise AttributeError("eigenvectors_: the kernel matrix was approximated, and its eigenvectors were not computed")
        vectors: NDArray[Any] = self._typed(weights * np.sqrt(self._values))
        return vectors

    @derived
    def X_fit_(self) -> NDArray[np.floating[Any]]:
        self._there("X_fit_")
        rows = self._others.rows if self._others is not None else self._model.basis
        if rows is None:
            raise AttributeError("X_fit_: no training rows are kept")
        kept: NDArray[Any] = self._typed(rows)
        return kept

    @property
    def gamma_(self) -> float:
        self._there("gamma_")
        known = self._model.gamma
        if known is not None:
            return float(known)
        return float(self.gamma) if isinstance(self.gamma, (int, float)) else 1.0 / self.n_features_in_

    @derived
    def X_transformed_fit_(self) -> NDArray[np.floating[Any]]:
        self._there("X_transformed_fit_")
        if self._model.basis is None:
            raise AttributeError("X_transformed_fit_: no training rows are kept")
        return self._scores(Rows.dense(self._model.basis, None, None))

    @derived
    def dual_coef_(self) -> NDArray[np.floating[Any]]:
        self._there("dual_coef_")
        if not self.fit_inverse_transform or self.pre_image != "ridge":
            raise AttributeError("dual_coef_: the way back was not asked for, or is not by ridge regression")
        scores = np.ascontiguousarray(self.X_transformed_fit_, dtype=np.float64)
        matrix = kernel_of(self._model).matrix(scores, None, self._means())
        matrix[np.diag_indices_from(matrix)] += self.alpha
        coefficients: NDArray[Any] = self._typed(np.linalg.solve(matrix, self._model.basis))
        return coefficients

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = isinstance(self.kernel, (str, Kernel)) and str(self.kernel).strip() == "precomputed"
        return tags

    def _fit_rows(self, X: Any, y: Any = None) -> tuple[Rows, NDArray[np.bool_] | None]:
        """Fits, and gives the rows as the model compares them, and which rows of X they are where some were left out."""
        self._check()
        kernel = self._kernel()
        if self.fit_inverse_transform and kernel is not None and kernel.is_precomputed:
            raise ValueError("Cannot fit_inverse_transform with a precomputed kernel.")
        complete = None
        if kernel is None:
            rows, complete = self._by_function(X)
            kernel = Kernel("precomputed")
        else:
            self._others = None
            self._say_unused(kernel)
            if kernel.is_precomputed:
                X = _symmetric(X)
            rows = rows_of(self, X, reset=True, least=2)
        model = Model.fit(self._method, self._options_for(rows), rows, self._watched(), kernel)
        self._refuse_negative(model)
        self._keep(model, rows.single)
        return rows, complete

    def _plan(self, X: Any) -> str:
        rows = rows_of(self, X, reset=True, least=2)
        kernel = self._kernel() or Kernel("precomputed")
        return Model.plan_for(self._method, self._options_for(rows), rows, self._means(), kernel)

    def _say_unused(self, kernel: Kernel) -> None:
        """Warns of a degree or an offset beside a kernel expression, which has its own."""
        if str(self.kernel).strip() in OFFSET_KERNELS:
            return
        for name, given, usual, bases, whose in (
            ("degree", self.degree, 3, ("poly",), "kernel='poly'"),
            ("coef0", self.coef0, 1.0, ("poly", "tanh"), "kernel='poly' and kernel='sigmoid'"),
        ):
            if given != usual and any(base in str(kernel) for base in bases):
                caution(f"{name}={given!r} counts for {whose} alone; a kernel that is an expression has its own: {kernel}", f"unused_{name}")

    def _refuse_negative(self, model: Model) -> None:
        """Refuses negative eigenvalues among those asked for, as scikit-learn does. To it 'randomized' asks for the largest in
        magnitude."""
        if self.negative != "auto":
            return
        raw, smallest = model.raw_eigenvalues, model.smallest_eigenvalue
        least, largest = raw.min(initial=0), raw.max(initial=0)
        if self.n_components is None and smallest is not None:
            # All components are requested.
            least = min(least, smallest)
        if self.eigen_solver == "randomized" and smallest is not None and -smallest > raw.min(initial=largest):
            least = smallest
        if -least > SIGNIFICANT * largest:
            raise ValueError(
                f"There are significant negative eigenvalues ({least:.3g} against {largest:.3g}): either the kernel matrix"
                " is not positive semi-definite, or something else went wrong; negative='clip' takes them for zero"
            )

    def _by_function(self, X: Any) -> tuple[Rows, NDArray[np.bool_] | None]:
        """The kernel matrix of rows that a function compares, and which rows those are where some were left out."""
        if self.fit_inverse_transform:
            raise ValueError("Cannot fit_inverse_transform with a kernel that is a function of Python.")
        in_memory(X)
        rows_of(self, X, reset=True, least=2)
        self._others, complete = Compared.from_rows(self, X)
        matrix = self._others.matrix(self._others.rows)
        return Rows.dense(np.ascontiguousarray((matrix + matrix.T) / 2), None, None, None, no_hint), complete

    def _compared(self, X: Any) -> tuple[Rows, NDArray[np.bool_] | None]:
        """Rows of X as the model compares them, and which rows of X they are where some are left out."""
        if self._others is None:
            return rows_of(self, X, reset=False), None
        in_memory(X)
        rows_of(self, X, reset=False)
        cells, complete = self._others.prepared(X)
        pairs = self._others.matrix(cells).astype(cells.dtype, copy=False)
        return Rows.dense(np.ascontiguousarray(pairs), None, None, None, no_hint), complete

    def _cut(self, value: Any, axis: int | None = None) -> Any:
        return value[..., : len(self._values)] if isinstance(value, np.ndarray) else value

    def _scores(self, rows: Rows, complete: NDArray[np.bool_] | None = None) -> NDArray[np.floating[Any]]:
        """Scores of rows; NaN for rows that are incomplete."""
        scores: NDArray[Any] = self._model.transform(rows, self._means())
        scores = np.ascontiguousarray(self._cut(scores))
        empty = scores[:, self._values == 0]
        scores[:, self._values == 0] = np.where(np.isnan(empty), np.nan, 0)
        if complete is None:
            return scores
        of_all = np.full((len(complete), scores.shape[1]), np.nan, dtype=scores.dtype)
        of_all[complete] = scores
        return of_all

    def _keep(self, model: Any, single: bool, *, warns: bool = True) -> None:
        super()._keep(model, single, warns=warns)
        self._values = self._asked_values(model)

    def _asked_values(self, model: Any) -> NDArray[np.float64]:
        """The eigenvalues of the components that the parameters ask for."""
        values: NDArray[np.float64] = _eigenvalues(model)
        return values[values > 0] if self.n_components is None or self.remove_zero_eig else values

    def _lists(self) -> dict[str, NDArray[np.float64]]:
        # A parameter that was set after the fit does not apply to the model.
        as_asked = len(self._asked_values(self._model)) == len(self._values)
        return super()._lists() | ({} if as_asked else {"kept": np.array([float(len(self._values))])})

    def _kernel(self) -> Kernel | None:
        """The kernel; None where it is a function of two rows."""
        kernel: Any = self.kernel
        if isinstance(kernel, Kernel):
            return kernel
        if callable(kernel):
            return None
        words = {
            "poly": f"poly(degree={int(self.degree)}, coef0={float(self.coef0)!r})",
            "sigmoid": f"tanh(coef0={float(self.coef0)!r})",
        }
        words |= {"polynomial": words["poly"], "tanh": words["sigmoid"]}
        return Kernel(words.get(kernel.strip(), kernel))

    def _options_for(self, rows: Rows) -> str:
        """The engine's options for rows, as JSON: no more components than there are rows, as in scikit-learn."""
        options, n_rows = self._options(), rows.shape[0]
        if isinstance(options["n_components"], int) and n_rows is not None:
            options["n_components"] = min(options["n_components"], n_rows)
        return json.dumps(options)

    def _options(self) -> dict[str, Any]:
        """The parameters as the engine's options; the kernel goes beside them."""
        return {
            "n_components": self._asked(),
            "gamma": self.gamma if self.gamma is None or isinstance(self.gamma, str) else float(self.gamma),
            "scale": scaling(self.scale),
            "missing": self.missing,
            "approximate": self.approximate,
            "n_landmarks": None if self.n_landmarks is None else counted(self.n_landmarks),
            "landmarks": self.landmarks,
            "solver": one_name(self.solver, self.eigen_solver, "eigen_solver", EIGEN_SOLVERS),
            "negative": "clip" if self.negative == "auto" else self.negative,
            "tolerance": tolerance(self.tol, self.eigen_solver),
            "sign": self.sign,
            "seed": drawn_seed(self.random_state),
        }

    def _back(self) -> str:
        """The engine's options for pre-images, as JSON."""
        return json.dumps(
            {
                "method": self.pre_image,
                "alpha": float(self.alpha),
                "n_neighbors": counted(self.n_neighbors),
                "max_iterations": counted(self.pre_image_max_iter),
            }
        )

    def _take_back(self, model: Any, about: About) -> None:
        self._others = None
        super()._take_back(model, about)
        kept = about["lists"].get("kept")
        if kept is not None:
            self._values = _eigenvalues(model)[: int(kept[0])]

    @classmethod
    def _of_options(cls, options: dict[str, Any], model: Model) -> Self:
        """An estimator that would fit such a model, and go back from its scores."""
        return super()._of_options(options | {"fit_inverse_transform": not kernel_of(model).is_precomputed}, model)


def _symmetric(X: Any) -> Any:
    """A kernel matrix that is symmetric once centered, made so before: with the same centered matrix and column means.

    scikit-learn takes any square matrix and looks at one half of it; what is not symmetric even then is refused.
    """
    if isinstance(X, (list, np.ma.MaskedArray)):
        X = opened(X)
    if not isinstance(X, np.ndarray) or X.ndim != 2 or X.shape[0] != X.shape[1] or X.dtype.kind not in "fiu":
        return X
    if np.array_equal(X, X.T) or not np.isfinite(X).all():
        return X
    cells = X.astype(np.float64)
    means = cells.mean(axis=0)
    centered = cells - cells.mean(axis=1)[:, None] - means + cells.mean()
    short = X.dtype.kind == "f" and X.dtype.itemsize < 8
    rounding = 32 * float(np.finfo(X.dtype).eps) if short else 1e-12
    if np.abs(centered - centered.T).max() > rounding * np.abs(cells).max():
        return X
    whole = centered / 2 + centered.T / 2 + (means[:, None] + means) - cells.mean()
    return whole.astype(X.dtype) if short else whole


def _eigenvalues(model: Any) -> NDArray[np.float64]:
    """The eigenvalues of a model; 0 if they do not exceed rounding error."""
    values: NDArray[np.float64] = model.eigenvalues
    values[(model.raw_eigenvalues == 0) | (values < LEAST * values.max(initial=0))] = 0
    return values
