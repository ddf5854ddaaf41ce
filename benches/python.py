"""What Python adds: the same fit called from Rust and through the Python package, on the same array, two threads.

Inside the clock: the fit alone, rows already in memory. The least of several runs, taken in turns. The package is built and
installed as people do it (pip install .). Both sides must agree before their times are compared. Also: how long the import
takes beyond NumPy's own, how large the installed module is, and small tables (iris) beside scikit-learn, where calls cost more
than what they compute.
"""
import json
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from kernels import GAMMA, rows_of
from kernels import ours as kernel_ours
from solvers import DATA, low_rank, ours, say

ROOT = Path(__file__).parents[1]
ROUNDS = 4
# Calls on a small table; each takes less than a few milliseconds.
SMALL_ROUNDS = 500


def beside(case, from_rust, from_python, repeats=3):
    """One row of the result: times of both, in turns."""
    rust, python = float("inf"), float("inf")
    for _ in range(ROUNDS):
        seconds, want = from_rust(repeats)
        rust = min(rust, seconds)
        for _ in range(repeats):
            start = time.perf_counter()
            model = from_python()
            python = min(python, time.perf_counter() - start)
        got = np.asarray(getattr(model, "explained_variance_" if hasattr(model, "components_") else "eigenvalues_"))
        off = float(np.max(np.abs(got[: len(want)] - want)) / want[0])
        assert off < 1e-6, (case, off)
    say(f"{case:36s} Rust {rust:7.3f} s   Python {python:7.3f} s   {100 * (python / rust - 1):+5.1f} %")
    return {"case": case, "rust_seconds": rust, "python_seconds": python, "overhead": python / rust - 1, "differ_by": off}


def cases():
    import eigenspan as es

    for n, d, k in [(200_000, 256, None), (1_000_000, 100, None), (20_000, 2000, 50)]:
        path = low_rank(f"{n}x{d}-float64", n, d)
        x = np.load(path)

        def from_rust(repeats, path=path, k=k):
            got = ours(path, "auto", k or "all", repeats)
            return got["seconds"], np.asarray(got["explained_variance"])

        yield beside(f"PCA {n} × {d}, k {k or 'all'}", from_rust, lambda x=x, k=k: es.PCA(k).fit(x))
    path = rows_of(10_000)
    x = np.load(path)

    def fit_kernel(repeats):
        got = kernel_ours(path, f"rbf(gamma={GAMMA})", 10, repeats, "--tolerance=1e-8")
        return min(got["seconds"]), np.asarray(got["eigenvalues"])

    yield beside("kernel PCA 10k × 50, k 10", fit_kernel, lambda: es.KernelPCA(10, kernel="rbf", gamma=GAMMA, tol=1e-8).fit(x))


def beside_peer(case, ours, peer, result):
    """One row of the result: a call of ours beside scikit-learn's, in turns, the least of many; `result` is what must agree."""
    want = np.abs(result(peer()))
    off = float(np.max(np.abs(np.abs(result(ours())) - want)) / np.max(want))
    assert off < 1e-9, (case, off)
    best = [float("inf"), float("inf")]
    for _ in range(SMALL_ROUNDS):
        for side, call in enumerate((ours, peer)):
            start = time.perf_counter()
            call()
            best[side] = min(best[side], time.perf_counter() - start)
    our, their = best
    say(f"{case:36s} ours {1e6 * our:7.0f} µs   scikit-learn {1e6 * their:7.0f} µs   {their / our:5.2f} ×")
    return {"case": case, "seconds": our, "peer_seconds": their, "ratio": their / our, "differ_by": off}


def small_cases():
    """Iris, 150 × 4, two components: what a call costs."""
    import eigenspan as es
    import sklearn.decomposition as sk
    from sklearn.datasets import load_iris

    x = load_iris().data
    rbf = {"kernel": "rbf", "gamma": 0.25}
    ours, theirs = es.PCA(2).fit(x), sk.PCA(2).fit(x)
    kernel_ours, kernel_theirs = es.KernelPCA(2, **rbf).fit(x), sk.KernelPCA(2, **rbf).fit(x)
    scores = theirs.transform(x)
    # The same scores for both; signs of components may differ.
    signs = np.sign((theirs.components_ * ours.components_).sum(axis=1))
    itself = lambda array: array
    components = lambda model: model.components_
    eigenvalues = lambda model: model.eigenvalues_
    yield beside_peer("PCA fit", lambda: es.PCA(2).fit(x), lambda: sk.PCA(2).fit(x), components)
    yield beside_peer("PCA transform", lambda: ours.transform(x), lambda: theirs.transform(x), itself)
    yield beside_peer("PCA fit_transform", lambda: es.PCA(2).fit_transform(x), lambda: sk.PCA(2).fit_transform(x), itself)
    own = scores * signs
    yield beside_peer("PCA inverse_transform", lambda: ours.inverse_transform(own), lambda: theirs.inverse_transform(scores), itself)
    yield beside_peer("KernelPCA fit", lambda: es.KernelPCA(2, **rbf).fit(x), lambda: sk.KernelPCA(2, **rbf).fit(x), eigenvalues)
    yield beside_peer("KernelPCA transform", lambda: kernel_ours.transform(x), lambda: kernel_theirs.transform(x), itself)
    # scikit-learn's first batch is exact; ours computes components when they are asked for, so they are.
    batch = lambda kind: lambda: kind(2).partial_fit(x).components_
    yield beside_peer("IncrementalPCA partial_fit", batch(es.IncrementalPCA), batch(sk.IncrementalPCA), itself)


def import_seconds():
    """Beyond NumPy's own import, the least of several."""
    code = "import numpy, time; t = time.perf_counter(); import eigenspan; print(time.perf_counter() - t)"
    run = lambda: float(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout)
    return min(run() for _ in range(5))


def main():
    DATA.mkdir(parents=True, exist_ok=True)
    subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--force-reinstall", str(ROOT)], check=True, stdout=sys.stderr)
    import eigenspan

    size = sum(file.stat().st_size for file in Path(eigenspan.__file__).parent.glob("_core*.so"))
    small = list(small_cases())
    rows = list(cases())
    seconds = import_seconds()
    say(f"import {1e3 * seconds:.1f} ms, module {size / 1e6:.1f} MB")
    print(json.dumps({"threads": 2, "import_seconds": seconds, "module_bytes": size, "rows": rows, "small": small}))


if __name__ == "__main__":
    main()
