"""Kernels as values: inner products in a feature space that is never written out.

Base kernels are functions here; sums, products, positive multiples, :func:`exp`, :func:`normalize` and
``kernel.weighted(g)`` make new ones of them. All of these keep a kernel positive semi-definite; ``kernel.verdict`` says
whether it is.

>>> from eigenspan import kernels
>>> 0.5 * kernels.rbf(gamma=0.1) + kernels.poly(degree=2, coef0=1) * kernels.normalize(kernels.linear())
Kernel('0.5*rbf(gamma=0.1) + poly(degree=2, coef0=1)*normalize(linear)')

The same as text is ``Kernel("0.5*rbf(gamma=0.1) + …")``, and wherever a kernel is asked for, text will do.
"""

from __future__ import annotations

import numbers
from typing import TYPE_CHECKING, Any, Union

from ._core import Kernel

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "Kernel",
    "chi2",
    "cosine",
    "exp",
    "laplacian",
    "linear",
    "matern",
    "matrix",
    "normalize",
    "poly",
    "precomputed",
    "rational_quadratic",
    "rbf",
    "tanh",
]

Gamma = Union[float, str, None]


def _base(name: str, **given: Any) -> Kernel:
    """A base kernel, with the parameters that were given; the engine knows the others, and what it refuses."""
    inside = ", ".join(f"{key}={_said(value)}" for key, value in given.items() if value is not None)
    return Kernel(f"{name}({inside})" if inside else name)


def _said(value: Any) -> str:
    """A parameter as text."""
    if isinstance(value, numbers.Integral):
        return str(int(value))
    return repr(float(value)) if isinstance(value, numbers.Real) else str(value)


def linear() -> Kernel:
    """xᵀx'."""
    return Kernel("linear")


def poly(degree: int | None = None, gamma: Gamma = None, coef0: float | None = None) -> Kernel:
    """(γ·xᵀx' + coef0)^degree; 3, 1 ÷ columns and 1 where they are not given."""
    return _base("poly", degree=degree, gamma=gamma, coef0=coef0)


def rbf(gamma: Gamma = None, *, sigma: float | None = None) -> Kernel:
    """exp(−γ‖x − x'‖²), or exp(−‖x − x'‖² ÷ 2σ²). γ may also be 'scale' or 'median'; 1 ÷ columns where none is given."""
    return _base("rbf", gamma=gamma, sigma=sigma)


def laplacian(gamma: Gamma = None) -> Kernel:
    """exp(−γ·Σ|xⱼ − x'ⱼ|)."""
    return _base("laplacian", gamma=gamma)


def tanh(gamma: Gamma = None, coef0: float | None = None) -> Kernel:
    """tanh(γ·xᵀx' + coef0), scikit-learn's sigmoid: not positive semi-definite."""
    return _base("tanh", gamma=gamma, coef0=coef0)


def cosine() -> Kernel:
    """xᵀx' ÷ ‖x‖‖x'‖."""
    return Kernel("cosine")


def matern(nu: float | None = None, length: float | None = None) -> Kernel:
    """Matérn's kernel for ν = ½, 1½, 2½, … or infinity."""
    return _base("matern", nu=nu, length=length)


def rational_quadratic(alpha: float | None = None, length: float | None = None) -> Kernel:
    """(1 + ‖x − x'‖² ÷ 2·alpha·length²)^−alpha."""
    return _base("rational_quadratic", alpha=alpha, length=length)


def chi2(gamma: Gamma = None) -> Kernel:
    """exp(−γ·Σ(xⱼ − x'ⱼ)² ÷ (xⱼ + x'ⱼ)), for counts and shares."""
    return _base("chi2", gamma=gamma)


def precomputed() -> Kernel:
    """The rows are those of a precomputed kernel matrix."""
    return Kernel("precomputed")


def exp(kernel: Kernel) -> Kernel:
    """exp(k(x, x'))."""
    return kernel.exp()


def normalize(kernel: Kernel) -> Kernel:
    """k(x, x') ÷ √(k(x, x)·k(x', x')): every row has length 1 in feature space."""
    return kernel.normalize()


def matrix(kernel: Kernel | str, X: Any, Y: Any = None, *, n_jobs: int | None = None) -> NDArray[np.float64]:
    """The kernels of all rows of X with all rows of Y (or of X); parameters left open are found on X."""
    import numpy as np
    from sklearn.utils.validation import check_array

    from ._base import means_of
    from ._parameters import N_JOBS, InvalidParameter
    from ._rows import array_of, plain

    if not N_JOBS.holds(n_jobs):
        raise InvalidParameter(f"n_jobs={n_jobs!r}: it takes {N_JOBS.words}")
    known = Kernel(kernel) if isinstance(kernel, str) else kernel
    own = plain(check_array(array_of(X), dtype=np.float64))
    others = None if Y is None else plain(check_array(array_of(Y), dtype=np.float64))
    return known.matrix(own, others, means_of(n_jobs, None))
