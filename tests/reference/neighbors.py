"""Computes `neighbors.json`: scikit-learn's neighbors, and its measures of maps.

    pip install numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1
    python tests/reference/neighbors.py
"""

import csv
import json
import platform
from pathlib import Path

import numpy as np
import scipy
import sklearn
from scipy.stats import spearmanr
from scipy.spatial.distance import pdist
from sklearn.decomposition import PCA
from sklearn.manifold import trustworthiness
from sklearn.neighbors import KNeighborsClassifier, NearestNeighbors, kneighbors_graph
from scipy.sparse.csgraph import connected_components

HERE = Path(__file__).parent
DATA = HERE.parents[1] / "data"

METRICS = ["euclidean", "cosine", "manhattan", "correlation", "hamming"]
K = 5
# Rows whose neighbors are kept.
EVERY = 7


def read(name: str, without: list[str]) -> np.ndarray:
    with (DATA / name / f"{name}.csv").open() as file:
        header, *rows = csv.reader(file)
    kept = [i for i, column in enumerate(header) if column not in without]
    return np.array([[float(row[i]) for i in kept] for row in rows])


def distances(x: np.ndarray, metric: str, k: int) -> list:
    """Distances to the k nearest other rows, of every seventh row."""
    found = NearestNeighbors(n_neighbors=k, metric=metric, algorithm="brute").fit(x)
    return found.kneighbors()[0][::EVERY].tolist()


def components(x: np.ndarray, k: int) -> dict:
    graph = kneighbors_graph(x, k, mode="distance")
    weak = connected_components(graph, directed=False)[1]
    there = graph.astype(bool)
    mutual = there.multiply(there.T)
    pieces = connected_components(mutual, directed=False)[1]
    sizes = lambda of: sorted(np.bincount(of).tolist(), reverse=True)
    return {"k": k, "edges": int((there + there.T).nnz), "weak": sizes(weak), "mutual_edges": int(mutual.nnz), "mutual": sizes(pieces)}


def quality(x: np.ndarray, y: np.ndarray, k: int) -> dict:
    near = lambda rows: NearestNeighbors(n_neighbors=k, algorithm="brute").fit(rows).kneighbors(return_distance=False)
    shared = [len(set(a) & set(b)) / k for a, b in zip(near(x), near(y))]
    delta, d = pdist(x), pdist(y)
    alpha = (delta @ d) / (d @ d)
    stress = lambda factor: float(np.sqrt(((delta - factor * d) ** 2).sum() / (delta @ delta)))
    return {
        "k": k,
        "trustworthiness": trustworthiness(x, y, n_neighbors=k),
        "continuity": trustworthiness(y, x, n_neighbors=k),
        "recall": float(np.mean(shared)),
        "spearman": float(spearmanr(delta, d).statistic),
        "pearson": float(np.corrcoef(delta, d)[0, 1]),
        "stress": stress(1.0),
        "stress_scaled": stress(alpha),
    }


def numbers() -> dict:
    wine = read("wine", ["target"])
    digits = read("digits", ["digit"])
    scores = PCA(2, svd_solver="full").fit_transform(digits)
    wine_scores = PCA(2, svd_solver="full").fit_transform(wine)
    return {
        "wine": {metric: distances(wine, metric, K) for metric in METRICS},
        "wine_components": [components(wine, k) for k in (2, 3, 5)],
        "digits_euclidean": distances(digits, "euclidean", 3),
        "digits_pca": quality(digits, scores, 10),
        "wine_pca": quality(wine, wine_scores, 7),
        "line": trustworthiness([[0], [1], [2], [3], [4]], [[0], [2], [4], [1], [3]], n_neighbors=1),
    }


if __name__ == "__main__":
    versions = {"python": platform.python_version(), "numpy": np.__version__, "scipy": scipy.__version__, "sklearn": sklearn.__version__}
    content = {"what": "neighbors of every seventh row, and measures of two maps", "command": "python tests/reference/neighbors.py", "versions": versions, **numbers()}
    (HERE / "neighbors.json").write_text(json.dumps(content, indent=1) + "\n")
