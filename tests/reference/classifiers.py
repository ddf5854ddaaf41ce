"""Computes `classifiers.json`: right rows of scikit-learn's classifiers after its reductions, on folds that any language can write down.

Row i is held out in fold i mod 5; of the rows that a fold leaves to learn from, the j-th is held out in inner fold j mod 5. What is
chosen has the most right rows over the inner folds, and the smallest numbers among equals. `make.py` writes the file.
"""

import csv
from pathlib import Path

import numpy as np
from sklearn.decomposition import PCA, KernelPCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import PredefinedSplit, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

DATA = Path(__file__).parents[2] / "data"
TABLES = {"iris": "species", "wine": "target", "breast-cancer": "diagnosis"}
FOLDS, NEIGHBORS = 5, [1, 5, 15]
COUNTS = {"iris": [1, 2, 3, 4], "wine": [1, 2, 3, 5, 8, 13], "breast-cancer": [1, 2, 5, 10]}
KERNEL = {"kernel": "rbf", "gamma": 0.05, "eigen_solver": "dense"}


def classifiers() -> dict:
    return {name: of_table(name, label) for name, label in TABLES.items()}


class ByDeviation(StandardScaler):
    """Divides by the standard deviation with divisor n − 1; only kernels notice."""

    def fit(self, x, y=None, sample_weight=None):
        super().fit(x, y, sample_weight)
        self.scale_ *= np.sqrt(len(x) / (len(x) - 1))
        return self


def labelled(name: str, label: str) -> tuple[np.ndarray, np.ndarray]:
    with (DATA / name / f"{name}.csv").open() as file:
        header, *rows = csv.reader(file)
    at = header.index(label)
    x = np.array([[float(cell) for j, cell in enumerate(row) if j != at] for row in rows])
    return x, np.unique([row[at] for row in rows], return_inverse=True)[1]


def judges(neighbors: int = 5) -> dict:
    # A tree compares rows by their differences, without expanding squares.
    knn = KNeighborsClassifier(neighbors, algorithm="kd_tree")
    return {"naive-bayes": GaussianNB(), "knn": knn, "lda": LinearDiscriminantAnalysis()}


def reductions(k: int) -> dict:
    return {"none": FunctionTransformer(), "pca": PCA(k, svd_solver="full"), "kpca": KernelPCA(k, **KERNEL)}


def of_table(name: str, label: str) -> dict:
    x, y = labelled(name, label)
    folds = np.arange(len(x)) % FOLDS
    right = {}
    for reduction in reductions(1):
        counts = COUNTS[name] if reduction != "none" else [x.shape[1]]
        right[reduction] = {
            judge: [right_rows(reduction, k, classifier, x, y, folds) for k in counts] for judge, classifier in judges().items()
        }
    return {
        "counts": COUNTS[name],
        "right": right,
        "guess": [int((y[folds == f] == np.bincount(y[folds != f]).argmax()).sum()) for f in range(FOLDS)],
        "nested_pca": {judge: nested(judge, COUNTS[name], x, y, folds) for judge in judges()},
        "probabilities": probabilities(x, y),
    }


def right_rows(reduction: str, k: int, classifier, x: np.ndarray, y: np.ndarray, folds: np.ndarray) -> list[int]:
    """Right rows of every fold; columns are scaled and reduced on the training rows."""
    pipe = make_pipeline(ByDeviation(), reductions(k)[reduction], classifier)
    predicted = cross_val_predict(pipe, x, y, cv=PredefinedSplit(folds))
    return np.bincount(folds, predicted == y).astype(int).tolist()


def nested(judge: str, counts: list[int], x: np.ndarray, y: np.ndarray, folds: np.ndarray) -> dict:
    out = {"right": [], "n_components": [], "n_neighbors": []}
    grid = [(k, m) for k in counts for m in (NEIGHBORS if judge == "knn" else [1])]
    for fold in range(FOLDS):
        train, test = folds != fold, folds == fold
        inner = np.arange(train.sum()) % FOLDS
        inside = [sum(right_rows("pca", k, judges(m)[judge], x[train], y[train], inner)) for k, m in grid]
        k, m = grid[int(np.argmax(inside))]
        pipe = make_pipeline(ByDeviation(), PCA(k, svd_solver="full"), judges(m)[judge])
        out["right"].append(int((pipe.fit(x[train], y[train]).predict(x[test]) == y[test]).sum()))
        out["n_components"].append(k)
        out["n_neighbors"].append(m)
    return out


def probabilities(x: np.ndarray, y: np.ndarray) -> dict:
    """Of every third row, by classifiers trained on the others."""
    test = np.arange(len(x)) % 3 == 0
    fitted = {judge: classifier.fit(x[~test], y[~test]) for judge, classifier in judges().items()}
    return {judge: classifier.predict_proba(x[test])[::5].tolist() for judge, classifier in fitted.items()}
