"""Data that tests make, and where the repository is."""

from __future__ import annotations

from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[2]


def noise(n: int, d: int, seed: int = 0, dtype: type = np.float64) -> np.ndarray:
    """Rows along directions of falling variance, away from zero, with no two eigenvalues near each other."""
    rng = np.random.default_rng(seed)
    spread = 0.8 ** np.arange(d)
    mixed = np.linalg.qr(rng.normal(size=(d, d)))[0]
    return ((rng.normal(size=(n, d)) * spread) @ mixed + rng.normal(size=d)).astype(dtype)
