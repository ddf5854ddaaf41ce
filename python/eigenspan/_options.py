"""Parameters, written by python/tools/write_options.py from the engine's options: change those."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np


class PCAParameters:
    """Parameters
    ----------
    n_components : int or float or str or None, default=None
        Components to keep: a count (5), a share of the variance (90% or 0.9), as many as the rules of choose
        agree on (auto), or all. None is all; 'mle' is Minka's choice, as in scikit-learn.
    copy : bool, default=True
        Not needed: X is never changed.
    whiten : bool, default=False
        Divide scores by their standard deviation, so that each has variance 1.
    svd_solver : str, default='auto'
        Another name for solver, with scikit-learn's words too: covariance_eigh is covariance, arpack is
        lanczos.
    tol : float, default=0.0
        Residual ‖Cv − λv‖ ÷ λ₁ at which iterative solvers stop [default: 1e-9, for f32 data 1e-5]. 0.0 is
        that default.
    iterated_power : int or str, default='auto'
        Not needed: solvers stop at tol.
    n_oversamples : int, default=10
        Not needed: solvers stop at tol.
    power_iteration_normalizer : str, default='auto'
        Not needed: solvers stop at tol.
    random_state : int or RandomState or None, default=None
        Seed of random starts; the same seed gives the same bits. None is 0.
    center : bool, default=True
        Take the column means out first.
    convention : str, default='n-1'
        Divisor of a variance. 'n-1': n − 1: unbiased, as scikit-learn, R and MATLAB do; 'n': n: as FactoMineR
        does.
    missing : str, default='error'
        What to do with missing cells. 'error': Refuse them; 'drop': Leave out rows that have any; 'mean':
        Fill them with their column's mean; 'em': Fill them with what the components predict, fitted again
        until both agree (probabilistic PCA).
    scale : str or bool or None, default='none'
        Divide every column by its standard deviation (std), by that of an allele count (genotype), or by
        nothing (none). True is std. 'none': Nothing: columns keep their units (covariance PCA); 'std': Its
        standard deviation: every column counts the same (correlation PCA); 'genotype': √(2p(1 − p)) with p
        half the column's mean: counts of an allele (0, 1, 2), as geneticists scale them.
    sign : str, default='largest'
        Which way components point. 'largest': The entry of largest magnitude is positive, as in scikit-learn
        and MATLAB; 'sum': The sum of the entries is positive, as in FactoMineR; where it is zero, the entry
        of largest magnitude.
    solver : str, default='auto'
        Road to the eigenpairs. 'auto': The cheapest that is accurate enough; `plan` says which and why;
        'covariance': All eigenpairs of the d × d covariance, one reading: for many rows; 'partial': Leading
        eigenpairs of the d × d covariance, one reading: for few components of many columns; 'dual':
        Eigenpairs of the n × n Gram matrix: for fewer rows than columns; 'qr': Triangular factor, one
        reading: for many rows, as accurate as full; 'full': Singular value decomposition of the data itself:
        the most accurate; 'lanczos': Thick-restart Lanczos on products with the data: for sparse data;
        'randomized': Block Krylov from a random start on products with the data: for few components of large
        dense data; 'sketch': Random sketches, one reading, approximate: for wide rows that come through a
        pipe; 'power': Power iteration with deflation, as lectures write it.
    n_jobs : int or None, default=None
        Threads; None or -1 are all cores. Never changes a result.
    memory : int or None, default=None
        Bytes that a fit may take beside the data; what needs more is refused.
    """

    def __init__(
        self,
        n_components: int | float | str | None = None,
        *,
        copy: bool = True,
        whiten: bool = False,
        svd_solver: str = "auto",
        tol: float = 0.0,
        iterated_power: int | str = "auto",
        n_oversamples: int = 10,
        power_iteration_normalizer: str = "auto",
        random_state: int | np.random.RandomState | None = None,
        center: bool = True,
        convention: str = "n-1",
        missing: str = "error",
        scale: str | bool | None = "none",
        sign: str = "largest",
        solver: str = "auto",
        n_jobs: int | None = None,
        memory: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.copy = copy
        self.whiten = whiten
        self.svd_solver = svd_solver
        self.tol = tol
        self.iterated_power = iterated_power
        self.n_oversamples = n_oversamples
        self.power_iteration_normalizer = power_iteration_normalizer
        self.random_state = random_state
        self.center = center
        self.convention = convention
        self.missing = missing
        self.scale = scale
        self.sign = sign
        self.solver = solver
        self.n_jobs = n_jobs
        self.memory = memory
