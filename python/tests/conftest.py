"""What tests share: tables, and the program whose results must be ours."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import numpy as np
import pytest
from support import ROOT


@pytest.fixture
def iris() -> np.ndarray:
    from sklearn.datasets import load_iris

    return load_iris().data


@pytest.fixture
def digits() -> np.ndarray:
    from sklearn.datasets import load_digits

    return load_digits().data


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
