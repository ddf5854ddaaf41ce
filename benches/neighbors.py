"""Neighbors, trustworthiness and maps: ours beside scikit-learn and pynndescent, on the same rows in f64, two threads.

Inside the clock: the search or the fit alone, rows already in memory. The least of several runs; pynndescent also with what it compiles at
its first call (cold: a process of its own, without the import). Distances found, and the recall, are compared before times are.
Memory is the peak of the whole process, with the rows that it reads.
"""
import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[name] = "2"

import numpy as np

DATA = Path(os.environ.get("EIGENSPAN_BENCH_DATA", "target/bench-data"))
RELEASE = Path(os.environ["EIGENSPAN_RELEASE"])
K = 15

COLD = """
import json, sys, time
import numpy as np, pynndescent
x = np.load(sys.argv[1])
seconds = []
for _ in range(3):
    start = time.perf_counter()
    index = pynndescent.NNDescent(x, n_neighbors=16, random_state=0, n_jobs=2)
    near = index.neighbor_graph
    seconds.append(time.perf_counter() - start)
np.save(sys.argv[2], near[0])
print(json.dumps(seconds))
"""


def say(*words):
    print(*words, file=sys.stderr, flush=True)


def rows(n, d=50, inner=12):
    """Normal rows in `inner` directions and noise in all."""
    path = DATA / f"neighbors-{n}.npy"
    if not path.exists():
        DATA.mkdir(parents=True, exist_ok=True)
        rng = np.random.default_rng(0)
        np.save(path, rng.normal(size=(n, inner)) @ rng.normal(size=(inner, d)) + 0.3 * rng.normal(size=(n, d)))
    return path


def ours(path, task, k, repeats, example="neighbor_speed"):
    command = [str(RELEASE / "examples" / example), str(path), task, str(k), str(repeats)]
    found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    return found | {"least": min(found["seconds"]), "peak_kilobytes_of_children_so_far": peak}


def least(work, repeats=3):
    best, value = float("inf"), None
    for _ in range(repeats):
        start = time.perf_counter()
        value = work()
        best = min(best, time.perf_counter() - start)
    return best, value


def exact():
    from sklearn.neighbors import NearestNeighbors

    path = rows(20_000)
    x = np.load(path)
    seconds, (distances, _) = least(lambda: NearestNeighbors(n_neighbors=K, algorithm="brute").fit(x).kneighbors())
    mine = ours(path, "exact", K, 5)
    assert abs(mine["found"] / distances.sum() - 1) < 1e-9
    return {"shape": x.shape, "k": K, "sklearn_brute": seconds, "ours": mine["least"], "ratio": seconds / mine["least"]}


def approximate():
    from sklearn.neighbors import NearestNeighbors

    path = rows(70_000)
    x = np.load(path)
    near = DATA / "pynndescent.npy"
    done = subprocess.run([sys.executable, "-c", COLD, str(path), str(near)], check=True, capture_output=True, text=True)
    cold, *warm = json.loads(done.stdout)
    sample = np.random.default_rng(1).choice(len(x), 1000, replace=False)
    truth = NearestNeighbors(n_neighbors=K + 1, algorithm="brute").fit(x).kneighbors(x[sample], return_distance=False)
    found = np.load(near)[sample]
    recall = np.mean([len(set(a[1:]) & set(b)) / K for a, b in zip(truth, found)])
    mine = ours(path, "approximate", K, 3)
    result = {"shape": x.shape, "k": K, "pynndescent_cold": cold, "pynndescent_warm": min(warm), "pynndescent_recall": recall, "ours": mine["least"], "our_recall": mine["recall"]}
    return result | {"ratio_cold": cold / mine["least"], "ratio_warm": min(warm) / mine["least"]}


def trust():
    from sklearn.manifold import trustworthiness

    path = rows(10_000)
    x = np.load(path)
    seconds, value = least(lambda: trustworthiness(x, x[:, :2], n_neighbors=10), 2)
    mine = ours(path, "trustworthiness", 10, 5)
    assert abs(mine["found"] - value) < 1e-9
    return {"shape": x.shape, "sklearn": seconds, "ours": mine["least"], "ratio": seconds / mine["least"]}


def isomap():
    """Digits and a rolled sheet, 10 neighbors, two dimensions; maps are compared after the best turn of one onto the other."""
    from scipy.spatial import procrustes
    from sklearn.datasets import load_digits, make_swiss_roll
    from sklearn.manifold import Isomap

    # Which of equally near rows are neighbors is not determined, so digits are moved a little.
    digits = load_digits().data
    tables = {"digits": digits + 1e-3 * np.random.default_rng(0).random(digits.shape), "roll": make_swiss_roll(5000, random_state=0)[0]}
    results = []
    for name, x in tables.items():
        path = DATA / f"isomap-{name}.npy"
        DATA.mkdir(parents=True, exist_ok=True)
        np.save(path, np.ascontiguousarray(x))
        theirs = Isomap(n_neighbors=10, n_components=2, n_jobs=2)
        seconds, places = least(lambda: theirs.fit(x).embedding_)
        mine = ours(path, "isomap", 10, 5)
        disparity = procrustes(places, np.reshape(mine["places"], (-1, 2)))[2]
        assert disparity < 1e-12 and abs(mine["found"] / theirs.reconstruction_error() - 1) < 1e-6, disparity
        results.append({"table": name, "shape": x.shape, "k": 10, "sklearn": seconds, "ours": mine["least"], "ratio": seconds / mine["least"], "procrustes": disparity})
    return results


def spectral():
    """Laplacian eigenmaps of 20,000 rows on a bent sheet and noise, and LLE of digits; the planes of both maps are compared before their times are."""
    from sklearn.datasets import load_digits, make_swiss_roll
    from sklearn.manifold import LocallyLinearEmbedding, SpectralEmbedding

    DATA.mkdir(parents=True, exist_ok=True)
    # Which of equally near rows are neighbors is not determined, so digits are moved a little.
    digits = load_digits().data
    tables = {
        "roll": make_swiss_roll(20_000, noise=0.05, random_state=0)[0],
        "rows": np.load(rows(20_000)),
        "digits": digits + 1e-3 * np.random.default_rng(0).random(digits.shape),
    }
    results = []
    for name, x in tables.items():
        path = DATA / f"spectral-{name}.npy"
        np.save(path, np.ascontiguousarray(x))
        method = "lle" if name == "digits" else "laplacian"
        # In spectral embedding scikit-learn counts a row among its own neighbors.
        theirs = {
            "laplacian": lambda: {solver: SpectralEmbedding(2, n_neighbors=11, eigen_solver=solver, random_state=0, n_jobs=2) for solver in ("arpack",)},
            "lle": lambda: {solver: LocallyLinearEmbedding(n_neighbors=10, eigen_solver=solver, random_state=0, n_jobs=2) for solver in ("arpack", "dense")},
        }[method]()
        mine = ours(path, method, 10, 3, "spectral_speed")
        places = np.reshape(mine.pop("places"), (-1, 2))
        seconds = {}
        for solver, estimator in theirs.items():
            seconds[solver], found = least(lambda: estimator.fit_transform(x), 1)
            cosines = np.linalg.svd(np.linalg.qr(places)[0].T @ np.linalg.qr(found)[0])[1]
            assert 1 - cosines.min() ** 2 < 1e-10, cosines
        results.append({"table": name, "method": method, "shape": x.shape, "k": 10, "sklearn": seconds, "ours": mine["least"], "ratio": min(seconds.values()) / mine["least"]})
    return results


def smacof():
    """Scaling by stress of 2,000 rows, from the same random places, with the defaults of both: seconds for all steps and for one."""
    from sklearn.manifold import smacof as peer
    from sklearn.metrics import euclidean_distances

    x = np.load(rows(10_000))[:2000]
    distances, start = euclidean_distances(x), np.random.default_rng(0).uniform(size=(len(x), 2))
    places = [DATA / "smacof-distances.npy", DATA / "smacof-start.npy"]
    np.save(places[0], distances)
    np.save(places[1], start)
    found = {"shape": distances.shape, "k": 2}
    for kind in ("metric", "nonmetric"):
        is_metric = kind == "metric"
        seconds, (_, stress, steps) = least(lambda: peer(distances, metric=is_metric, init=start, n_init=1, normalized_stress=not is_metric, return_n_iter=True))
        command = [str(RELEASE / "examples" / "smacof_speed"), *map(str, places), kind, "5"]
        mine = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        assert mine["stress" if is_metric else "stress_1"] <= stress * (1 + 1e-12)
        own = min(mine["seconds"])
        found[kind] = {
            "sklearn": seconds,
            "sklearn_steps": int(steps),
            "sklearn_stress": float(stress),
            "ours": own,
            "our_steps": mine["steps"],
            "our_stress": mine["stress" if is_metric else "stress_1"],
            "ratio": seconds / own,
            "ratio_of_a_step": seconds / steps / (own / mine["steps"]),
        }
    return found


def growth():
    return [{"rows": n, "exact": ours(rows(n), "exact", K, 1)["least"], "approximate": ours(rows(n), "approximate", K, 1)["least"]} for n in (10_000, 40_000, 160_000)]


def large():
    path = rows(1_000_000)
    mine = ours(path, "approximate", K, 1)
    judged = ours(path, "trustworthiness", K, 1)
    return {"shape": [1_000_000, 50], "approximate": mine, "trustworthiness_of_a_sample": judged}


if __name__ == "__main__":
    result = {}
    for task in (exact, approximate, trust, smacof, isomap, spectral, growth, large):
        if len(sys.argv) > 1 and task.__name__ not in sys.argv[1:]:
            continue
        say(task.__name__)
        result[task.__name__] = task()
        say(json.dumps(result[task.__name__]))
    print(json.dumps(result))
