"""What this machine can do at most, and what the symmetric product of a covariance reaches: the floors of docs/performance.md.

GEMM is NumPy's (OpenBLAS), 2048 × 2048, two threads, the least of several runs; memory is the sum of a gigabyte of numbers by one and by two
threads. The symmetric product counts n·d² useful operations: ours by the example scatter_speed, NumPy's XᵀX (a symmetric product by OpenBLAS) on
rows of the same shape, without centering.
"""
import json
import os
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[name] = "2"

import numpy as np

SPEED = Path(os.environ["EIGENSPAN_RELEASE"]) / "examples" / "scatter_speed"
RUNS = 5
SHAPES = [(200_000, 256), (1_000_000, 100), (20_000, 2000)]


def least(work, runs=RUNS):
    seconds = []
    for _ in range(runs):
        start = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def gemm(dtype):
    a = np.random.default_rng(0).standard_normal((2048, 2048)).astype(dtype)
    return 2 * 2048**3 / least(lambda: a @ a) / 1e9


def reading(threads):
    parts = np.array_split(np.ones(2**27), threads)
    with ThreadPoolExecutor(threads) as pool:
        return 2**30 / least(lambda: list(pool.map(np.sum, parts))) / 1e9


def ours():
    """GF/s of the symmetric product with two threads, by shape, from the example's table."""
    lines = subprocess.run([SPEED, str(RUNS), "1", "256", "100", "2000"], check=True, capture_output=True, text=True).stdout.splitlines()
    rows = [line.split() for line in lines[1:]]
    return {f"{row[0]} {row[1]}": float(row[4]) for row in rows}


def theirs(n, d):
    x = np.random.default_rng(0).standard_normal((n, d))
    return n * d * d / least(lambda: x.T @ x) / 1e9


limits = {
    "gemm_f64_gflops": gemm(np.float64),
    "gemm_f32_gflops": gemm(np.float32),
    "read_gb_per_s": {"1": reading(1), "2": reading(2)},
}
reached = ours()
symmetric = [{"shape": [n, d], "ours": reached[f"{n}x{d} f64"], "openblas": theirs(n, d)} for n, d in SHAPES]
print(json.dumps({"threads": 2, "limits": limits, "symmetric_product_gflops": symmetric}))
