"""Parameters, written by python/tools/write_options.py from the engine's options: change those."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np


class PCAParameters:
    """Parameters
    ----------
    n_components : int or float or str or None, default=None
        X n_components. None is all; 'mle' is Minka's choice, as in scikit-learn.
    copy : bool, default=True
        Not needed: X is never changed.
    whiten : bool, default=False
        X whiten.
    svd_solver : str, default='auto'
        Another name for solver, with scikit-learn's words too: covariance_eigh is covariance, arpack is
        lanczos.
    tol : float, default=0.0
        X tolerance. 0.0 is the default.
    iterated_power : int or str, default='auto'
        Not needed: solvers stop at tol.
    n_oversamples : int, default=10
        Not needed: solvers stop at tol.
    power_iteration_normalizer : str, default='auto'
        Not needed: solvers stop at tol.
    random_state : int or RandomState or None, default=None
        X seed. None is 0.
    center : bool, default=True
        X center.
    scale : str or bool or None, default='none'
        X scale. True is std.
    solver : str, default='auto'
        X solver. 'auto': A.
    convention : str, default='n-1'
        X convention.
    sign : str, default='largest'
        X sign.
    missing : str, default='error'
        X missing.
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
        scale: str | bool | None = "none",
        solver: str = "auto",
        convention: str = "n-1",
        sign: str = "largest",
        missing: str = "error",
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
        self.scale = scale
        self.solver = solver
        self.convention = convention
        self.sign = sign
        self.missing = missing
        self.n_jobs = n_jobs
        self.memory = memory
