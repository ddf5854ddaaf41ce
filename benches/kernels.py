"""Kernel PCA: kernel matrices, fits and projections beside scikit-learn, on the same rows, two threads.

Inside the clock: the kernel matrix, the fit or the projection alone, rows already in memory; for a million rows the whole
command, file to model. The least of several runs. Both sides must agree before their times are compared.

EIGENSPAN_BENCH_ONLY takes some of: gram, fit, large, million, sampled.
"""
import json
import os
import resource
import subprocess
import time

import numpy as np
from solvers import DATA, RELEASE, low_rank, say, theirs

GAMMA = 0.0005  # distances of these rows are about 40: neither all alike nor all strangers
MEMORY = 2_000_000_000


def rows_of(n, d=50):
    return low_rank(f"kernel-{n}x{d}", n, d, rank=20)


def ours(path, kernel, k, repeats, *more):
    command = [str(RELEASE / "examples" / "kernel_speed"), str(path), kernel, str(k), str(repeats), *more]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def beside(case, our_seconds, peers, agree, repeats=3):
    """One row of the result: our time and each peer's, once `agree` found the answers equal."""
    out = {"case": case, "ours": {"seconds": our_seconds}, "peers": {}}
    for peer, work in peers.items():
        seconds, got = theirs(work, repeats)
        off = agree(got)
        out["peers"][peer] = {"seconds": seconds, "ratio": seconds / our_seconds, "differ_by": off}
        assert off < 1e-6, (case, peer, off)
        say(f"{case:40s} {our_seconds:8.3f} s   {peer:28s} {seconds:8.3f} s   {seconds / our_seconds:6.1f} ×")
    return out


def gram_cases():
    from sklearn.metrics import pairwise as sk

    positive = DATA / "counts-5000x50.npy"
    if not positive.exists():
        np.save(positive, np.random.default_rng(1).poisson(3.0, (5000, 50)).astype(float))
    for case, path, kernel, peer in [
        ("gram rbf 10k", rows_of(10_000), f"rbf(gamma={GAMMA})", lambda x: sk.rbf_kernel(x, gamma=GAMMA)),
        ("gram rbf 5k", rows_of(5000), f"rbf(gamma={GAMMA})", lambda x: sk.rbf_kernel(x, gamma=GAMMA)),
        ("gram poly 5k", rows_of(5000), "poly(degree=3, gamma=0.001, coef0=1)", lambda x: sk.polynomial_kernel(x, degree=3, gamma=0.001, coef0=1)),
        ("gram cosine 5k", rows_of(5000), "cosine", lambda x: sk.cosine_similarity(x)),
        ("gram tanh 5k", rows_of(5000), "tanh(gamma=0.001, coef0=0)", lambda x: sk.sigmoid_kernel(x, gamma=0.001, coef0=0)),
        ("gram laplacian 5k", rows_of(5000), "laplacian(gamma=0.01)", lambda x: sk.laplacian_kernel(x, gamma=0.01)),
        ("gram chi2 5k", positive, "chi2(gamma=0.1)", lambda x: sk.chi2_kernel(x, gamma=0.1)),
        ("gram matern 5k", rows_of(5000), "matern(nu=1.5, length=30)", matern),
    ]:
        x = np.load(path)
        # A fit by products keeps the lower half; the whole matrix, which is what scikit-learn gives, is timed beside it.
        our = ours(path, kernel, 0, 5, "--keep=half")
        agree = lambda matrix: float(abs(matrix.mean() - our["mean"]) / abs(our["mean"]))
        row = beside(case, min(our["gram_seconds"]), {"scikit-learn": lambda: peer(x)}, agree)
        row["ours"]["whole_seconds"] = min(ours(path, kernel, 0, 5, "--keep=whole")["gram_seconds"])
        yield row


def matern(x):
    from sklearn.gaussian_process.kernels import Matern

    return Matern(30, nu=1.5)(x)


def fit_cases():
    from sklearn.decomposition import KernelPCA

    k, new = 10, np.load(rows_of(20_000))[10_000:]
    new_path = DATA / "new-10000x50.npy"
    np.save(new_path, new)
    for n in (5000, 10_000):
        path = rows_of(n)
        x = np.load(path)
        our = ours(path, f"rbf(gamma={GAMMA})", k, 5, f"--new={new_path}", "--tolerance=1e-8")
        say(f"n {n}: worst residual {our['worst_residual']:.1e}, {our['plan']['reason']}")
        values = np.asarray(our["eigenvalues"])
        agree = lambda got: float(np.max(np.abs(got - values)) / values[0])
        made = {
            solver: KernelPCA(k, kernel="rbf", gamma=GAMMA, eigen_solver=solver, tol=1e-8 if solver == "arpack" else 0, random_state=0)
            for solver in ("arpack", "randomized")
        }
        peers = {f"scikit-learn {s}": lambda m=m: m.fit(x).eigenvalues_ for s, m in made.items()}
        if n <= 5000:
            peers["scikit-learn dense (default)"] = lambda: KernelPCA(k, kernel="rbf", gamma=GAMMA, eigen_solver="dense").fit(x).eigenvalues_
        row = beside(f"fit rbf n {n}, k {k}, 1e-8", min(our["seconds"]), peers, agree)
        row["ours"] |= {key: our[key] for key in ("worst_residual", "peak_rss_kb", "plan", "notes")}
        yield row
        scores = np.abs(np.asarray(our["first_scores"]))
        agree = lambda got: float(np.max(np.abs(np.abs(got[0]) - scores)) / np.max(scores))
        yield beside(
            f"project 10k on n {n}",
            min(our["project_seconds"]),
            {"scikit-learn": lambda: made["arpack"].transform(new)},
            agree,
        )


def large_case():
    """More rows than a kernel matrix has memory for: 20 GB in f64. The residual is the proof; scikit-learn needs 40 GB."""
    our = ours(rows_of(50_000), f"rbf(gamma={GAMMA})", 10, 1, f"--memory={MEMORY}", "--tolerance=1e-8")
    assert our["worst_residual"] < 1e-7 and our["peak_rss_kb"] * 1024 < MEMORY, our
    say(f"fit rbf n 50000 within 2 GB: {our['seconds'][0]:.1f} s, {our['peak_rss_kb'] / 1e3:.0f} MB")
    our["seconds"] = min(our["seconds"])
    return {"case": "fit rbf n 50000, k 10, 1e-8, within 2 GB", "ours": our, "peers": {}}


def million_case():
    """A million rows by Nyström with 2000 landmarks, streamed from a file by the program."""
    path = rows_of(1_000_000)
    model = DATA / "million.eigenspan"
    command = [
        *(str(RELEASE / "eigenspan"), "fit", "kpca", str(path), "-k", "10", "--kernel", f"rbf(gamma={GAMMA})"),
        *("--approximate", "nystrom", "--n-landmarks", "2000", "--memory", "2GB", "-m", str(model)),
    ]
    start = time.perf_counter()
    run = subprocess.run(command, capture_output=True, text=True)
    seconds = time.perf_counter() - start
    # The largest of all children so far: the fits in memory that ran before stay below this one's budget.
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    if run.returncode:
        return {"case": "nystrom n 1M, m 2000", "ours": {"failed": run.stderr[-300:]}, "peers": {}}
    say(f"nystrom n 1M, m 2000: {seconds:.1f} s, {peak / 1e3:.0f} MB")
    our = {"seconds": seconds, "peak_rss_kb": peak, "command": " ".join(command[1:]), "text": run.stdout[:2000]}
    return {"case": "nystrom n 1M, m 2000", "ours": our, "peers": {}}


def sampled_case():
    """100,000 rows by 2000 landmarks, file to model, beside scikit-learn's Nystroem and PCA of its features, rows in memory.

    Landmarks are not the same ones, so eigenvalues agree as far as the bound says, and no further."""
    from sklearn.decomposition import PCA
    from sklearn.kernel_approximation import Nystroem

    path = rows_of(100_000)
    model = DATA / "sampled.eigenspan"
    command = [
        *(str(RELEASE / "eigenspan"), "fit", "kpca", str(path), "-k", "10", "--kernel", f"rbf(gamma={GAMMA})"),
        *("--approximate", "nystrom", "--n-landmarks", "2000", "-m", str(model)),
    ]
    start = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    ours = time.perf_counter() - start
    x = np.load(path)

    def peer():
        features = Nystroem(gamma=GAMMA, n_components=2000, random_state=0).fit_transform(x)
        return PCA(10, svd_solver="randomized", random_state=0).fit(features).explained_variance_

    seconds, _ = theirs(peer, 1)
    say(f"nystrom n 100k, m 2000: {ours:.1f} s   scikit-learn {seconds:.1f} s   {seconds / ours:.1f} ×")
    peers = {"scikit-learn Nystroem + PCA": {"seconds": seconds, "ratio": seconds / ours}}
    return {"case": "nystrom n 100k, m 2000", "ours": {"seconds": ours, "command": " ".join(command[1:])}, "peers": peers}


def main():
    DATA.mkdir(parents=True, exist_ok=True)
    wanted = os.environ.get("EIGENSPAN_BENCH_ONLY", "million,sampled,gram,fit,large").split(",")
    rows = []
    # First, so that no other child has held more memory.
    if "million" in wanted:
        rows.append(million_case())
    if "sampled" in wanted:
        rows.append(sampled_case())
    if "gram" in wanted:
        rows += list(gram_cases())
    if "fit" in wanted:
        rows += list(fit_cases())
    if "large" in wanted:
        rows.append(large_case())
    print(json.dumps({"threads": 2, "gamma": GAMMA, "rows": rows}))


if __name__ == "__main__":
    main()
