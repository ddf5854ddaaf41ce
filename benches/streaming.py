"""Fitting PCA to a file larger than most memories, and how the cost grows with the rows.

Inside the clock: the fit alone, the file in the page cache where it fits. Peak memory is that of the whole process.
"""
import json

import numpy as np
from solvers import DATA, low_rank, ours, say, theirs


def stream_case():
    n, d = 5_000_000, 100
    path = low_rank(f"{n}x{d}-float64", n, d)
    our = ours(path, "auto", 10, 3, "--stream")
    from sklearn.decomposition import IncrementalPCA

    x = np.load(path, mmap_mode="r")
    fit = lambda: IncrementalPCA(10, batch_size=10_000).fit(x).explained_variance_
    seconds, got = theirs(fit, 1)
    off = float(abs(got[0] - our["explained_variance"][0]) / our["explained_variance"][0])
    say(f"stream 5M × 100: {our['seconds']:.2f} s, {our['peak_rss_kb'] / 1e3:.0f} MB; IncrementalPCA {seconds:.1f} s, its first eigenvalue off by {off:.1%}")
    return {
        "case": "stream 4 GB NPY 5M × 100, k 10",
        "shape": [n, d],
        "dtype": "float64",
        "k": 10,
        "ours": our,
        "peers": {"IncrementalPCA batch 10,000": {"seconds": seconds, "ratio": seconds / our["seconds"], "eigenvalues_differ_by": off}},
    }


def growth_case():
    """Cost against n over a 16-fold range: n·d² for the covariance, n·d·k for products."""
    out = []
    x = np.load(low_rank("20000x2000-float64", 20_000, 2000), mmap_mode="r")
    for name, solver, k, d in [("covariance", "covariance", "all", 256), ("randomized", "randomized", 20, 2000)]:
        times = []
        for n in (1250, 2500, 5000, 10_000, 20_000):
            rows = n * 16 if d == 256 else n
            if d == 256:
                source = np.load(low_rank("200000x256-float64", 200_000, 256), mmap_mode="r")[: min(rows, 200_000)]
            else:
                source = x[:n]
            part = DATA / "growth.npy"
            np.save(part, source)
            times.append({"n": len(source), "seconds": ours(part, solver, k, 3)["seconds"]})
            say("growth", name, times[-1])
        out.append({"solver": name, "d": d, "k": k, "times": times})
    return out


def main():
    DATA.mkdir(parents=True, exist_ok=True)
    print(json.dumps({"threads": 2, "rows": [stream_case()], "growth": growth_case()}))


main()
