"""What tests share: tables, and the program whose results must be ours."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def iris() -> np.ndarray:
    from sklearn.datasets import load_iris

    return load_iris().data


@pytest.fixture
def digits() -> np.ndarray:
    from sklearn.datasets import load_digits

    return load_digits().data


def noise(n: int, d: int, seed: int = 0, dtype: type = np.float64) -> np.ndarray:
    """Rows along directions of falling variance, away from zero, with no two eigenvalues near each other."""
    rng = np.random.default_rng(seed)
    spread = 0.8 ** np.arange(d)
    mixed = np.linalg.qr(rng.normal(size=(d, d)))[0]
    return ((rng.normal(size=(n, d)) * spread) @ mixed + rng.normal(size=d)).astype(dtype)


@pytest.fixture
def program():
    """Runs the command line."""
    place = os.environ.get("EIGENSPAN", str(ROOT / "target/debug/eigenspan"))
    if not Path(place).is_file():
        if os.environ.get("CI"):
            pytest.fail(f"the program is not there: {place}")
        pytest.skip(f"the program is not built: {place}")

    def run(*args: object) -> str:
        done = subprocess.run([place, *map(str, args)], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run
