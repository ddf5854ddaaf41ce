"""Random projections in scikit-learn's words, on eigenspan's engine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.utils import check_array

from ._attributes import attribute, derived, locked
from ._base import Estimator, drawn_seed
from ._core import Model, Rows
from ._look import Drawn
from ._parameters import AUTO, COUNT, FLAG, LEVEL, SEED, SHARE
from ._rows import scores_of
from ._saved import registered

if TYPE_CHECKING:
    from typing_extensions import Self


class RandomProjection(Drawn, Estimator):
    """What both kinds share: random directions, and how far they change the distances of rows."""

    _method = "random-projection"
    _takes = {
        "n_components": COUNT | AUTO,
        "eps": LEVEL,
        "density": SHARE | AUTO,
        "dense_output": FLAG,
        "compute_inverse_components": FLAG,
        "random_state": SEED,
    }
    n_components: int | str
    eps: float
    compute_inverse_components: bool
    random_state: Any

    _inverse: NDArray[np.float64] | None = None

    components_: Any = attribute()

    @property
    def distortion_(self) -> dict[str, float] | None:
        self._there("distortion_")
        model = self._fitted()
        if model.n_pairs is None:
            return None
        return {
            "n_pairs": model.n_pairs,
            "n_equal_pairs": model.n_equal_pairs,
            "smallest": model.smallest_ratio,
            "largest": model.largest_ratio,
            "share_within_eps": model.share_within_eps,
        }

    @derived
    def inverse_components_(self) -> NDArray[np.floating[Any]]:
        self._there("inverse_components_")
        if not self.compute_inverse_components:
            raise AttributeError("inverse_components_: compute_inverse_components=True computes them")
        inverse: NDArray[Any] = self._typed(self._pseudo_inverse())
        return inverse

    def inverse_transform(self, X: Any) -> NDArray[np.floating[Any]]:
        """The rows of least norm that have these coordinates. They are not the rows that were projected.

        Examples
        --------
        >>> import eigenspan as es
        >>> import numpy as np
        >>> X = np.random.default_rng(0).normal(size=(20, 50))
        >>> rp = es.GaussianRandomProjection(10, compute_inverse_components=True).fit(X)
        >>> Z = rp.transform(X)
        >>> bool(np.allclose(rp.transform(rp.inverse_transform(Z)), Z))
        True
        """
        self._fitted()
        scores = X.toarray() if sparse.issparse(X) else X
        rows: NDArray[Any] = scores_of(self, check_array(scores, dtype=[np.float64, np.float32])) @ self._pseudo_inverse().T
        return rows

    def _pseudo_inverse(self) -> NDArray[np.float64]:
        """The pseudo-inverse of the directions (d × k)."""
        inverse = self._inverse
        if inverse is None:
            inverse = np.asarray(np.linalg.pinv(self._directions()), dtype=np.float64)
            self._inverse = inverse
        return inverse

    def _directions(self) -> NDArray[np.float64]:
        directions = self._fitted().components
        if directions is None:
            raise ValueError("the directions have more than 2**25 cells and are not written out as a matrix")
        known: NDArray[np.float64] = directions
        return known

    def _keep(self, model: Model, single: bool, *, warns: bool = True) -> None:
        super()._keep(model, single, warns=warns)
        self._inverse = None
        if self.compute_inverse_components:
            self._pseudo_inverse()

    @classmethod
    def _of_options(cls, options: dict[str, Any], model: Model) -> Self:
        kind: Any = SparseRandomProjection if options.pop("entries") == "sparse" else GaussianRandomProjection
        if options.get("density") is None:
            options["density"] = "auto"
        return super(RandomProjection, kind)._of_options(options, model)

    def _options(self) -> dict[str, Any]:
        return {"n_components": self._asked(), "eps": float(self.eps), "seed": drawn_seed(self.random_state)}

    def _labels(self, y: Any, rows: Rows) -> list[str] | None:
        return None


@registered()
class GaussianRandomProjection(RandomProjection):
    """Coordinates along random directions of independent normal numbers with variance 1 ÷ ``n_components``, which nearly keep distances.

    Parameters
    ----------
    n_components : int or 'auto', default='auto'
        Directions; 'auto' is :func:`johnson_lindenstrauss_min_dim` of the rows and ``eps``.
    eps : float, default=0.1
        How much squared distances may change, as a share.
    compute_inverse_components : bool, default=False
        Whether the pseudo-inverse of the directions is computed by the fit, and not by the first ``inverse_transform``.
    random_state : int, RandomState or None, default=None
        Seed of the directions. None is 0.

    Attributes
    ----------
    components_ : array of shape (n_components_, n_features_in_)
        The directions.
    n_components_, n_features_in_, n_samples_ : int
        Directions, and columns and rows fitted.
    inverse_components_ : array of shape (n_features_in_, n_components_)
        Their pseudo-inverse, with ``compute_inverse_components``.
    distortion_ : dict, or None
        Squared distances after ÷ before, measured on pairs of up to 128 rows that were drawn: ``n_pairs``, ``smallest``, ``largest``,
        ``share_within_eps``, and ``n_equal_pairs``, which are left out. None where no two of these rows differ.
    plan_, notes_
        As for :class:`PCA`.

    Examples
    --------
    >>> import eigenspan as es
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(30, 1000))
    >>> rp = es.GaussianRandomProjection(200).fit(X)
    >>> rp.transform(X).shape, rp.distortion_["n_pairs"]
    ((30, 200), 435)
    """

    def __init__(
        self,
        n_components: int | str = "auto",
        *,
        eps: float = 0.1,
        compute_inverse_components: bool = False,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_components = n_components
        self.eps = eps
        self.compute_inverse_components = compute_inverse_components
        self.random_state = random_state

    def _options(self) -> dict[str, Any]:
        return super()._options() | {"entries": "gaussian"}


@registered(is_default=False)
class SparseRandomProjection(RandomProjection):
    """Coordinates along random directions that are mostly zeros, which nearly keep distances; sparse rows stay sparse while they are read.

    Parameters
    ----------
    n_components : int or 'auto', default='auto'
        Directions; 'auto' is :func:`johnson_lindenstrauss_min_dim` of the rows and ``eps``.
    density : float or 'auto', default='auto'
        Share of entries that are not zero; 'auto' is 1 ÷ √columns.
    eps : float, default=0.1
        How much squared distances may change, as a share.
    dense_output : bool, default=False
        Not needed: ``transform`` gives an array.
    compute_inverse_components : bool, default=False
        Whether the pseudo-inverse of the directions is computed by the fit, and not by the first ``inverse_transform``.
    random_state : int, RandomState or None, default=None
        Seed of the directions. None is 0.

    Attributes
    ----------
    components_ : sparse matrix of shape (n_components_, n_features_in_)
        The directions: 0 or ±√(1 ÷ (density_ · n_components_)).
    density_ : float
        The probability of an entry that is not zero.
    n_components_, n_features_in_, n_samples_, inverse_components_, distortion_, plan_, notes_
        As for :class:`GaussianRandomProjection`.

    Examples
    --------
    >>> import eigenspan as es
    >>> from scipy import sparse
    >>> words = sparse.random_array((100, 900), density=0.1, format="csr", rng=0)
    >>> rp = es.SparseRandomProjection(50).fit(words)
    >>> rp.transform(words).shape, round(rp.density_, 3)
    ((100, 50), 0.033)
    """

    density_: attribute[float] = attribute()

    def __init__(
        self,
        n_components: int | str = "auto",
        *,
        density: float | str = "auto",
        eps: float = 0.1,
        dense_output: bool = False,
        compute_inverse_components: bool = False,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_components = n_components
        self.density = density
        self.eps = eps
        self.dense_output = dense_output
        self.compute_inverse_components = compute_inverse_components
        self.random_state = random_state

    @derived
    def components_(self) -> Any:
        self._there("components_")
        return locked(sparse.csr_matrix(self._typed(self._directions())))

    def _options(self) -> dict[str, Any]:
        density = None if isinstance(self.density, str) else float(self.density)
        return super()._options() | {"entries": "sparse", "density": density}


def johnson_lindenstrauss_min_dim(n_samples: ArrayLike, *, eps: ArrayLike = 0.1) -> Any:
    """How many random directions keep the squared distances of all pairs of so many rows within 1 ± eps: 4 ln n ÷ (eps²/2 − eps³/3),
    rounded down. For arrays it gives an array.

    Examples
    --------
    >>> import eigenspan as es
    >>> int(es.johnson_lindenstrauss_min_dim(1_000_000, eps=0.5))
    663
    >>> es.johnson_lindenstrauss_min_dim(1_000_000, eps=[0.5, 0.1, 0.01]).tolist()
    [663, 11841, 1112658]
    """
    shares, counts = np.asarray(eps), np.asarray(n_samples)
    if np.any(shares <= 0.0) or np.any(shares >= 1):
        raise ValueError(f"The JL bound is defined for eps in ]0, 1[, got {shares!r}")
    if np.any(counts <= 0):
        raise ValueError(f"The JL bound is defined for n_samples greater than zero, got {counts!r}")
    sizes = (4 * np.log(counts) / ((shares**2 / 2) - (shares**3 / 3))).astype(np.int64)
    return sizes
