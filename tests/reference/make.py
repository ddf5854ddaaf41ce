"""Computes `genotypes.json`, `stand_ins.json`, `discriminants.json` and `classifiers.json`, numbers of peers for data of this
repository, those of `make_maps.py` (`selection.json`, `random_projection.json`, `scaling.json`) and of `make_spectral.py` (`spectral.json`).

    apt-get install plink2
    pip install numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 pillow==13.0.0
    python tests/reference/make.py [NAME …]

`remake.py` computes the same again and compares; it writes nothing. Whoever has no `plink2` keeps the numbers of PLINK
that are stored.
"""

import csv
import gzip
import hashlib
import json
import platform
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import classifiers
import make_maps
import make_spectral
import numpy as np
import scipy
import scipy.io
import sklearn
from PIL import Image
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis

HERE = Path(__file__).parent
DATA = HERE.parents[1] / "data"

SETS = ["founders", "newcomers"]
# Components whose eigenvalues are kept, and those whose eigenvectors are: the five populations lie in four dimensions.
K, VECTORS = 10, 4


def genotypes() -> dict:
    results = {}
    for name in SETS:
        copies = copies_of(name)
        result = {"people": len(copies), "snps": copies.shape[1], "missing_calls": int(np.isnan(copies).sum())}
        if plink := by_plink(DATA / "genotypes" / name):
            result["plink2"] = plink
        eigenvalues, trace, _, _ = scaled_by_frequency(copies)
        result["numpy_mean_imputed_centred"] = {
            "definition": "Z = (copies − 2p) ÷ √(2p(1 − p)), p over calls, missing calls 0; "
            "eigenvalues of ZZᵀ ÷ M with the columns of Z centred",
            "eigenvalues": eigenvalues[:K].tolist(),
            "trace": trace,
        }
        results[name] = result
    results["projection_founders_to_newcomers"] = projection()
    copies = copies_of("founders")
    filled = np.where(np.isnan(copies), np.nanmean(copies, axis=0), copies)
    results["counts_of_founders"] = {
        "definition": "PCA of copies, missing calls replaced by the column's mean, not scaled; divisor n − 1",
        "eigenvalues": PCA(K, svd_solver="full").fit(filled).explained_variance_.tolist(),
    }
    return results


def copies_of(name: str) -> np.ndarray:
    """Copies of A1, people by SNPs, NaN where the call is missing, read by the format's definition alone."""
    prefix = DATA / "genotypes" / name
    people = len(prefix.with_suffix(".fam").read_text().splitlines())
    packed = np.frombuffer(prefix.with_suffix(".bed").read_bytes()[3:], np.uint8).reshape(-1, -(-people // 4))
    pairs = np.stack([packed >> shift & 3 for shift in (0, 2, 4, 6)], axis=2).reshape(len(packed), -1)
    return np.array([2, np.nan, 1, 0])[pairs[:, :people].T]


def names_of(name: str) -> list[str]:
    lines = (DATA / "genotypes" / f"{name}.bim").read_text().splitlines()
    return [line.split("\t")[1] for line in lines]


def scaled_by_frequency(copies: np.ndarray) -> tuple[np.ndarray, float, np.ndarray, np.ndarray]:
    """Eigenvalues over the SNPs, their sum, the scaled rows' means, and components with their largest entry positive."""
    z = scaled(copies, np.nanmean(copies, axis=0) / 2)
    _, values, components = np.linalg.svd(z - z.mean(axis=0), full_matrices=False)
    largest = np.abs(components).argmax(axis=1)
    components *= np.sign(components[np.arange(len(components)), largest])[:, None]
    return values**2 / z.shape[1], float((values**2).sum() / z.shape[1]), z.mean(axis=0), components


def scaled(copies: np.ndarray, p: np.ndarray) -> np.ndarray:
    return np.nan_to_num((copies - 2 * p) / np.sqrt(2 * p * (1 - p)))


def projection() -> dict:
    """Newcomers on the founders' components, SNPs matched by name."""
    founders, newcomers = copies_of("founders"), copies_of("newcomers")
    ours, theirs = names_of("founders"), names_of("newcomers")
    newcomers = newcomers[:, [theirs.index(name) for name in ours]]
    _, _, mean, components = scaled_by_frequency(founders)
    z = scaled(newcomers, np.nanmean(founders, axis=0) / 2)
    return {
        "snps_in_another_place": sum(a != b for a, b in zip(ours, theirs, strict=True)),
        "sign": "largest |loading| positive",
        "projected_scores_first5": ((z - mean) @ components[:VECTORS].T)[:5].tolist(),
    }


def by_plink(prefix: Path) -> dict | None:
    """What PLINK 2 finds, where it is installed."""
    if not shutil.which("plink2"):
        return None
    with tempfile.TemporaryDirectory() as folder:
        words = ["--pca", str(K), "--freq", "--missing", "--threads", "1"]
        command = ["plink2", "--bfile", str(prefix), *words, "--out", f"{folder}/x"]
        subprocess.run(command, check=True, capture_output=True)

        def rows(end: str) -> list[list[str]]:
            lines = (Path(folder) / f"x.{end}").read_text().splitlines()
            return [line.split("\t") for line in lines if not line.startswith("#")]

        vectors = np.array([row[2:] for row in rows("eigenvec")], float)
        return {
            "command": f"plink2 --bfile data/genotypes/{prefix.name} {' '.join(words)}",
            "version": subprocess.run(["plink2", "--version"], check=True, capture_output=True, text=True).stdout.strip(),
            "eigenvalues": [float(row[0]) for row in rows("eigenval")],
            "eigenvectors_first5_samples_pc1_4": vectors[:5, :VECTORS].tolist(),
            "sum_abs_eigvec": np.abs(vectors).sum(axis=0).tolist(),
            "alt_freqs": [float(row[4]) for row in rows("afreq")],
            "missing_of_snps": [int(row[2]) for row in rows("vmiss")],
        }


def stand_ins() -> dict:
    return {"baskets": baskets(), "mnist_first500": mnist(), "camera_doubled": doubled()}


def baskets() -> dict:
    with gzip.open(DATA / "baskets/baskets.mtx.gz") as file:
        items = scipy.io.mmread(file).tocsr()
    values = PCA(svd_solver="full").fit(items.T.toarray()).explained_variance_
    return {"shape": list(items.T.shape), "nnz": items.nnz, "centred_eigenvalues": values[:20].tolist()}


def mnist() -> dict:
    packed = (DATA / "mnist/first500-images-idx3-ubyte.gz").read_bytes()
    bytes_ = gzip.decompress(packed)
    n, height, width = struct.unpack(">3I", bytes_[4:16])
    x = np.frombuffer(bytes_[16:], np.uint8).reshape(n, height * width).astype(float)
    labels = gzip.decompress((DATA / "mnist/first500-labels-idx1-ubyte.gz").read_bytes())[8:]
    return {
        "shape": list(x.shape),
        "mean_of_255": float(x.mean() / 255),
        "labels": np.bincount(list(labels), minlength=10).tolist(),
        "eigenvalues": PCA(svd_solver="full").fit(x).explained_variance_[:K].tolist(),
    }


def doubled() -> dict:
    """The photograph's upper left part, every pixel four times: its 12 × 12 patches have rank 36 once centered."""
    pixels = np.asarray(Image.open(DATA / "camera/camera.png"), float)[:186, :246]
    pixels = pixels.repeat(2, axis=0).repeat(2, axis=1)
    down, across = pixels.shape[0] // 12, pixels.shape[1] // 12
    x = pixels.reshape(down, 12, across, 12).transpose(0, 2, 1, 3).reshape(-1, 144)
    pca = PCA(16, svd_solver="full").fit(x)
    rebuilt = pca.inverse_transform(pca.transform(x))
    # Halves go up, as everywhere but in NumPy's own `round`.
    rounded = np.floor(rebuilt.clip(0, 255) + 0.5)
    errors = {"mse": float(((rebuilt - x) ** 2).mean()), "mse_rounded_clipped_uint8": float(((rounded - x) ** 2).mean())}
    values = PCA(svd_solver="full").fit(x).explained_variance_
    return {"n_patches": len(x), "eigenvalues": values[:36].tolist(), "per_k": {"16": errors}}


# Tables with classes: the column of the classes, and which rows are stored.
CLASSES = {"iris": ("species", 10), "wine": ("target", 10), "breast-cancer": ("diagnosis", 30), "digits": ("digit", 150)}


def discriminants() -> dict:
    return {name: discriminants_of(name, *about) for name, about in CLASSES.items()}


def discriminants_of(name: str, label: str, step: int) -> dict:
    """Linear and quadratic discriminant analyses of a table, the scores of every step-th row with the largest weight positive."""
    with (DATA / name / f"{name}.csv").open() as file:
        header, *rows = csv.reader(file)
    y = np.array([row[header.index(label)] for row in rows])
    x = np.array([[float(cell) for cell, column in zip(row, header, strict=True) if column != label] for row in rows])
    k = len(np.unique(y))
    priors = (np.arange(k) + 1) / np.arange(1, k + 1).sum()
    linear = {
        "svd": {"solver": "svd"},
        "svd_priors": {"solver": "svd", "priors": priors},
        "eigen": {"solver": "eigen"},
        "eigen_priors": {"solver": "eigen", "priors": priors},
        "eigen_fixed": {"solver": "eigen", "shrinkage": 0.3},
        "eigen_auto": {"solver": "eigen", "shrinkage": "auto"},
        "eigen_auto_priors": {"solver": "eigen", "shrinkage": "auto", "priors": priors},
    }
    quadratic = {
        "plain": {"tol": 0.0},
        "priors": {"tol": 0.0, "priors": priors},
        "reg": {"reg_param": 0.1},
        "auto": {"solver": "eigen", "shrinkage": "auto", "tol": 0.0},
        "fixed": {"solver": "eigen", "shrinkage": 0.3, "tol": 0.0},
    }
    result: dict = {"n": len(x), "d": x.shape[1], "step": step, "lda": {}, "qda": {}}
    for key, params in linear.items():
        # The covariance of the digits is singular: six pixels hardly ever vary.
        if name == "digits" and key in ["eigen", "eigen_priors"]:
            continue
        lda = LinearDiscriminantAnalysis(**params).fit(x, y)
        kept = lda.scalings_[:, : k - 1]
        signs = np.sign(kept[np.abs(kept).argmax(axis=0), np.arange(kept.shape[1])])
        # Solver eigen does not subtract a mean.
        scores = (x - lda.priors_ @ lda.means_) @ kept * signs
        result["lda"][key] = {
            "explained_variance_ratio": short(lda.explained_variance_ratio_),
            "scores": short(scores[::step]),
            "sums_of_magnitudes": short(np.abs(scores).sum(axis=0)),
            "probabilities": short(lda.predict_proba(x)[::step]),
            "right": int((lda.predict(x) == y).sum()),
        }
    for key, params in quadratic.items():
        if name == "digits" and key in ["plain", "priors"]:
            continue
        qda = QuadraticDiscriminantAnalysis(**params).fit(x, y)
        result["qda"][key] = {
            "probabilities": short(qda.predict_proba(x)[::step]),
            "decisions": short(qda._decision_function(x)[::step]),
            "right": int((qda.predict(x) == y).sum()),
        }
    return result


def short(numbers: np.ndarray) -> list:
    """Numbers with 13 digits."""
    flat = [float(f"{number:.13g}") for number in np.ravel(numbers)]
    return np.reshape(flat, np.shape(numbers)).tolist()


MADE = {
    "genotypes": (genotypes, "PCA of the genotypes in data/genotypes by PLINK 2 and NumPy", ["genotypes"]),
    "stand_ins": (
        stand_ins,
        "PCA by scikit-learn of data that stand for others which may not be passed on",
        ["baskets", "mnist", "camera"],
    ),
    "discriminants": (
        discriminants,
        "Linear and quadratic discriminant analyses by scikit-learn",
        list(CLASSES),
    ),
    "selection": (
        make_maps.selection,
        "F statistics and mutual information of columns with classes by scikit-learn",
        ["iris", "wine", "breast-cancer"],
    ),
    "random_projection": (make_maps.random_projection, "sizes of random projections by scikit-learn", []),
    "scaling": (
        make_maps.scaling,
        "classical multidimensional scaling and SMACOF by scikit-learn, from the first two standardized columns",
        ["usarrests", "wine"],
    ),
    "spectral": (
        make_spectral.spectral,
        "Laplacian eigenmaps and locally linear embedding by scikit-learn, diffusion maps by NumPy, of standardized columns",
        ["wine"],
    ),
    "classifiers": (
        classifiers.classifiers,
        "Right rows of scikit-learn's classifiers after its reductions, on given folds",
        ["iris", "wine", "breast-cancer"],
    ),
}


def main() -> None:
    for name, (compute, what, folders) in MADE.items():
        if len(sys.argv) > 1 and name not in sys.argv[1:]:
            continue
        stored = HERE / f"{name}.json"
        results = compute()
        if name == "genotypes" and not shutil.which("plink2"):
            for each in SETS:
                results[each]["plink2"] = json.loads(stored.read_text())["results"][each]["plink2"]
        files = [file for folder in folders for file in sorted((DATA / folder).iterdir()) if file.suffix not in [".py", ".md"]]
        head = {
            "what": what,
            "command": "python tests/reference/make.py",
            "versions": {
                "python": platform.python_version(),
                "numpy": np.__version__,
                "scipy": scipy.__version__,
                "sklearn": sklearn.__version__,
            },
            "threads": "default",
            "data_sha256": {
                file.relative_to(DATA).as_posix(): hashlib.sha256(file.read_bytes()).hexdigest() for file in files
            },
        }
        text = json.dumps(head | {"results": results}, indent=1, ensure_ascii=False)
        stored.write_text(text + "\n")


if __name__ == "__main__":
    main()
