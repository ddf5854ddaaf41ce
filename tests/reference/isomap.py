"""Computes `isomap.json`: scikit-learn's Isomap of four tables.

    pip install numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1
    python tests/reference/isomap.py

Which of several rows at the same distance are neighbors is not determined. Where a table has such rows, a small number that every
language draws alike is added to each cell.
"""

import json
import platform
import warnings
from pathlib import Path

import numpy as np
import scipy
import sklearn
from make_maps import drawn, table
from sklearn.manifold import Isomap

HERE = Path(__file__).parent
# Rows whose places are kept.
EVERY = 5


def swiss_roll(n: int) -> np.ndarray:
    u = drawn(n, 2)
    t = 1.5 * np.pi * (1 + 2 * u[:, 0])
    return np.column_stack([t * np.cos(t), 21 * u[:, 1], t * np.sin(t)])


def apart(x: np.ndarray, size: float) -> np.ndarray:
    return x + size * drawn(*x.shape)


def wine() -> np.ndarray:
    x = table("wine", "target")[0]
    return (x - x.mean(axis=0)) / x.std(axis=0, ddof=1)


def cases() -> dict:
    iris, digits = table("iris", "species")[0], table("digits", "digit")[0]
    return {
        "wine": (wine(), 5, "euclidean", 3),
        "wine manhattan": (wine(), 10, "manhattan", 3),
        "wine cosine": (wine(), 7, "cosine", 2),
        "iris": (apart(iris, 1e-3), 5, "euclidean", 2),
        "digits": (apart(digits, 1e-3), 10, "euclidean", 2),
        "swiss roll": (swiss_roll(800), 10, "euclidean", 2),
    }


def numbers_of(name: str) -> dict:
    x, k, metric, n_components = cases()[name]
    with warnings.catch_warnings():
        # Graphs in several pieces are joined.
        warnings.simplefilter("ignore")
        found = Isomap(n_neighbors=k, n_components=n_components, metric=metric).fit(x)
    return {
        "n_neighbors": k,
        "eigenvalues": found.kernel_pca_.eigenvalues_.tolist(),
        "embedding": found.embedding_[::EVERY].tolist(),
        "moved": found.transform(x[:: 10 * EVERY] + 0.01).tolist(),
        "reconstruction_error": float(found.reconstruction_error()),
        "longest_geodesic": float(found.dist_matrix_.max()),
    }


def numbers() -> dict:
    return {name: numbers_of(name) for name in cases()}


if __name__ == "__main__":
    versions = {"python": platform.python_version(), "numpy": np.__version__, "scipy": scipy.__version__, "sklearn": sklearn.__version__}
    content = {"what": "Isomap: every fifth row, and every fiftieth row moved by 0.01", "command": "python tests/reference/isomap.py", "versions": versions, "results": numbers()}
    (HERE / "isomap.json").write_text(json.dumps(content, indent=1) + "\n")
