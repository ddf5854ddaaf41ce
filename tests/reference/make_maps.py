"""Numbers of scikit-learn for feature selection, random projection and multidimensional scaling; `make.py` stores them."""

import csv
import warnings
from pathlib import Path

import numpy as np
from sklearn.feature_selection import f_classif, mutual_info_classif
from sklearn.manifold import ClassicalMDS, smacof
from sklearn.metrics.pairwise import euclidean_distances, manhattan_distances
from sklearn.random_projection import johnson_lindenstrauss_min_dim

DATA = Path(__file__).parents[2] / "data"


def table(name: str, label: str) -> tuple[np.ndarray, np.ndarray]:
    with (DATA / name / f"{name}.csv").open() as file:
        header, *rows = csv.reader(file)
    place = header.index(label)
    x = np.array([[float(cell) for i, cell in enumerate(row) if i != place] for row in rows])
    return x, np.array([row[place] for row in rows])


def drawn(n: int, d: int) -> np.ndarray:
    """Numbers in [0, 1) without ties, which every language draws alike."""
    state, cells = 1, []
    for _ in range(n * d):
        state = (1103515245 * state + 12345) % 2**31
        cells.append(state / 2**31)
    return np.array(cells).reshape(n, d)


def selection() -> dict:
    results = {}
    for name, label in [("iris", "species"), ("wine", "target"), ("breast-cancer", "diagnosis")]:
        f, p = f_classif(*table(name, label))
        results[name] = {"f": f.tolist(), "p": p.tolist()}
    # Classes of 40, 30, 19 and 1 rows: that of one row is left out by the estimator.
    x, classes = drawn(90, 5), np.repeat([0, 1, 2, 3], [40, 30, 19, 1])
    x = x + np.outer(classes, [0.0, 0.125, 0.5, 1.0, 0.0])
    results["drawn"] = {
        f"{k} neighbors": mutual_info_classif(x, classes, n_neighbors=k, random_state=0).tolist() for k in [1, 3, 5]
    }
    return results


def random_projection() -> dict:
    cases = [(2, 0.5), (100, 0.1), (150, 0.999), (1_797, 0.3), (1_000_000, 0.1), (10**9, 0.01)]
    return {"sizes": [[n, eps, int(johnson_lindenstrauss_min_dim(n, eps=eps))] for n, eps in cases]}


def scaling() -> dict:
    arrests = table("usarrests", "state")[0]
    arrests = (arrests - arrests.mean(axis=0)) / arrests.std(axis=0, ddof=1)
    wine = table("wine", "target")[0]
    wine = (wine - wine.mean(axis=0)) / wine.std(axis=0, ddof=1)
    results = {}
    for name, x in [("usarrests", arrests), ("wine", wine)]:
        straight, blocks = euclidean_distances(x), manhattan_distances(x)
        classical = {}
        for metric, distances in [("euclidean", straight), ("manhattan", blocks)]:
            mds = ClassicalMDS(3, metric="precomputed").fit(distances)
            classical[metric] = {"eigenvalues": mds.eigenvalues_.tolist(), "embedding_first5": mds.embedding_[:5].tolist()}
        results[name] = {"classical": classical}
        for metric, distances in [("euclidean", straight), ("manhattan", blocks)]:
            for kind, is_metric in [("metric", True), ("nonmetric", False)]:
                stress = {}
                for normalized in [False, True]:
                    with warnings.catch_warnings():
                        warnings.simplefilter("ignore")
                        _, value, steps = smacof(
                            distances, metric=is_metric, init=x[:, :2], n_init=1, return_n_iter=True, normalized_stress=normalized
                        )
                    stress["stress_1" if normalized else "raw"] = float(value)
                results[name][f"{kind} {metric}"] = stress | {"n_iter": int(steps)}
    return results
