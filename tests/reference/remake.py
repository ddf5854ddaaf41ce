"""Computes the numbers of this folder again, from the tables in `data`, and says how far the stored ones are off.

    pip install numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 pillow==13.0.0
    python tests/reference/remake.py

Nothing is written. The program ends with an error where a number differs by more than rounding. R is not run: what
`prcomp` and FactoMineR print is compared with NumPy's singular values. PLINK 2 is run where it is installed. Numbers of
tables that are not part of this repository are left out.
"""

import csv
import gzip
import importlib.util
import json
import tempfile
from pathlib import Path

import isomap
import make
import neighbors
import numpy as np
import scipy.io
from PIL import Image
from sklearn.decomposition import PCA, KernelPCA
from sklearn.metrics.pairwise import (
    cosine_similarity,
    laplacian_kernel,
    linear_kernel,
    polynomial_kernel,
    rbf_kernel,
)
from sklearn.model_selection import train_test_split

HERE = Path(__file__).parent
DATA = HERE.parents[1] / "data"

# A table's name in the references, its folder, and the columns that are not data.
TABLES = {
    "uk_foods": ("uk-foods", ["country"]),
    "iris": ("iris", ["species"]),
    "wine": ("wine", ["target"]),
    "breast_cancer": ("breast-cancer", ["diagnosis"]),
    "digits": ("digits", ["digit"]),
    "penguins": ("penguins", ["species", "island", "sex", "year"]),
    "decathlon": ("decathlon", ["athlete", "Rank", "Points", "Competition"]),
    "usarrests": ("usarrests", ["state"]),
    "meats": ("meats", ["water", "fat", "protein"]),
}

worst: dict[str, float] = {}


def reference(name: str) -> dict:
    return json.loads((HERE / f"{name}.json").read_text())


def table(name: str) -> np.ndarray:
    """Rows without missing cells."""
    folder, without = TABLES[name]
    with (DATA / folder / f"{folder}.csv").open() as file:
        header, *rows = csv.reader(file)
    kept = [i for i, column in enumerate(header) if column not in without]
    x = np.array([[np.nan if row[i] == "NA" else float(row[i]) for i in kept] for row in rows])
    return x[~np.isnan(x).any(axis=1)]


def check(what: str, got, want, limit: float, size: float | None = None) -> None:
    """The largest difference relative to `size`, by default the largest number that is wanted."""
    got, want = np.asarray(got, float), np.asarray(want, float)
    assert got.shape == want.shape, (what, got.shape, want.shape)
    away = np.abs(got - want).max() / (size or np.abs(want).max())
    assert away < limit, f"{what} is off by {away:.1e}"
    file = what.split(":")[0]
    worst[file] = max(worst.get(file, 0.0), away)


def signed(got: np.ndarray, want: np.ndarray) -> np.ndarray:
    """Rows of `got`, turned where they point the other way than those of `want`."""
    return got * np.sign((got * want).sum(axis=1, keepdims=True))


def pca_tables() -> None:
    for name, result in reference("pca_tables")["results"].items():
        if name not in TABLES:
            continue
        for kind in ["covariance", "correlation"]:
            x, want = table(name), result[kind]
            if kind == "correlation":
                x = x[:, x.std(axis=0) > 0]
                x = (x - x.mean(axis=0)) / x.std(axis=0, ddof=1)
            pca = PCA(svd_solver="full").fit(x)
            what, k = f"pca_tables: {name}, {kind}", len(want["eigenvalues"])
            check(what, pca.explained_variance_[:k], want["eigenvalues"], 1e-12)
            loadings = np.array(want["loadings_first3"])
            turned = signed(pca.components_[: len(loadings)], loadings)
            check(what, turned, loadings, 1e-9)
            scores = np.array(want["scores_first5_rows"])
            rows = ((x - x.mean(axis=0)) @ turned.T)[: len(scores), : scores.shape[1]]
            check(what, rows, scores, 1e-9)


def r_prcomp_factominer_lda() -> None:
    stored = reference("r_prcomp_factominer_lda")
    for name, result in stored["prcomp"].items():
        for kind, want in result.items():
            if name not in TABLES or "eigenvalues" not in want:
                continue
            x = table(name)
            if kind == "correlation":
                x = x / x.std(axis=0, ddof=1)
            pca, loadings = PCA(svd_solver="full").fit(x), np.array(want["loadings"])
            what = f"r_prcomp_factominer_lda: {name}, {kind}"
            k = len(want["eigenvalues"])
            check(what, pca.explained_variance_[:k], want["eigenvalues"], 1e-12)
            check(what, signed(pca.components_[: len(loadings)], loadings), loadings, 1e-9)
    for key, name, scaled, rows in [
        ("factominer_decathlon", "decathlon", True, "ind_coord_first5"),
        ("factominer_usarrests", "usarrests", True, "ind_coord_first5"),
        ("factominer_uk_foods_cov", "uk_foods", False, "ind_coord"),
    ]:
        x, want = table(name), stored[key]
        x = (x - x.mean(axis=0)) / (x.std(axis=0) if scaled else 1)
        u, s, _ = np.linalg.svd(x, full_matrices=False)
        eigenvalues = np.array(want["eig"])[:, 0]
        what = f"r_prcomp_factominer_lda: {key}"
        check(what, (s**2 / len(x))[: len(eigenvalues)], eigenvalues, 1e-12)
        scores = np.array(want[rows])
        check(what, np.abs((u * s)[: len(scores), : scores.shape[1]]), np.abs(scores), 1e-9)


def kernel_pca() -> None:
    for name, result in reference("kernel_pca")["results"].items():
        if name not in TABLES:
            continue
        x = table(name)
        if name in ["wine", "penguins"]:
            x = (x - x.mean(axis=0)) / x.std(axis=0)
        for key, want in result["kernels"].items():
            gram = kernel(key, want["params"], x[:-20], x[:-20])
            new = kernel(key, want["params"], x[-20:], x[:-20])
            k = KernelPCA(10, kernel="precomputed", eigen_solver="dense").fit(gram)
            values, what = k.eigenvalues_, f"kernel_pca: {name}, {key}"
            check(what, values, np.array(want["eigenvalues"]), 1e-12)
            for rows, scores in [(gram, "train"), (new, "new")]:
                scores = np.array(want[f"scores_{scores}_first3_pc1_3"])
                got = k.transform(rows)[: len(scores), : scores.shape[1]]
                check(what, signed(got.T, scores.T).T, scores, 1e-8, np.sqrt(values[0]))


def kernel(key: str, params: dict, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    gamma = 1 / a.shape[1]
    kernels = {
        "linear": lambda: linear_kernel(a, b),
        "rbf": lambda: rbf_kernel(a, b, **params),
        "poly2": lambda: polynomial_kernel(a, b, **params),
        "poly3": lambda: polynomial_kernel(a, b, **params),
        "tanh": lambda: np.tanh(params["gamma"] * a @ b.T + params["coef0"]),
        "cosine": lambda: cosine_similarity(a, b),
        "laplacian": lambda: laplacian_kernel(a, b, gamma),
        "sum": lambda: rbf_kernel(a, b, gamma) + linear_kernel(a, b),
        "product": lambda: rbf_kernel(a, b, gamma) * polynomial_kernel(a, b, 2, 1, 1),
        "exp": lambda: np.exp(cosine_similarity(a, b)),
        "scaled": lambda: 3 * rbf_kernel(a, b, gamma),
    }
    return kernels[key.replace(" ", "_").split("_")[0]]()


def digits_denoising() -> None:
    arrays = np.load(DATA / "digits-denoising/digits-denoising.npz")
    # The arrays themselves, made as scikit-learn's example of denoising digits does.
    with (DATA / "digits/digits.csv").open() as file:
        header, *rows = csv.reader(file)
    label = [row[header.index("digit")] for row in rows]
    split = {"train_size": 1000, "test_size": 100, "random_state": 0, "stratify": label}
    train, test = train_test_split(table("digits") / 16, **split)
    rng = np.random.RandomState(0)
    assert (arrays["X_train"] == train).all() and (arrays["X_test"] == test).all()
    assert (arrays["X_test_noisy"] == test + rng.normal(scale=0.25, size=test.shape)).all()
    assert (arrays["X_train_noisy"] == train + rng.normal(scale=0.25, size=train.shape)).all()
    noisy, results = arrays["X_test_noisy"], reference("digits_denoising")["results"]
    for key, learn in [("clean", "X_train"), ("noisy", "X_train_noisy")]:
        want = results[f"trained_on_{key}"]
        for k, error in want["pca"].items():
            pca = PCA(int(k), svd_solver="full").fit(arrays[learn])
            left = ((pca.inverse_transform(pca.transform(noisy)) - test) ** 2).mean()
            check("digits_denoising: PCA", left, error, 1e-10)
        for case, error in want["kpca_rbf_ridge_alpha5e-3"].items():
            gamma, q = (word.split("=")[1] for word in case.split(","))
            ridge = {"fit_inverse_transform": True, "alpha": 5e-3, "eigen_solver": "dense"}
            kpca = KernelPCA(int(q), kernel="rbf", gamma=float(gamma), **ridge).fit(arrays[learn])
            left = ((kpca.inverse_transform(kpca.transform(noisy)) - test) ** 2).mean()
            check("digits_denoising: kernel PCA", left, error, 1e-6)


def image_patches() -> None:
    pictures = {"camera_crop_372x492": "camera/camera.png"}
    pictures |= {name: f"textures/{name}.png" for name in ["brick", "grass", "gravel"]}
    results = reference("image_patches")["results"]
    for name, file in pictures.items():
        pixels, want = np.asarray(Image.open(DATA / file), float), results[name]
        down, across = pixels.shape[0] // 12, pixels.shape[1] // 12
        patches = pixels[: 12 * down, : 12 * across].reshape(down, 12, across, 12)
        x = patches.transpose(0, 2, 1, 3).reshape(-1, 144)
        pca = PCA(svd_solver="full").fit(x)
        k = len(want["eigenvalues"])
        check(f"image_patches: {name}", pca.explained_variance_[:k], want["eigenvalues"], 1e-12)
        pca = PCA(16, svd_solver="full").fit(x)
        left = ((pca.inverse_transform(pca.transform(x)) - x) ** 2).mean()
        check(f"image_patches: {name}", left, want["per_k"]["16"]["mse"], 1e-10)


def sparse_and_counts() -> None:
    with gzip.open(DATA / "pbmc68k/pbmc68k.mtx.gz") as file:
        x = scipy.io.mmread(file).toarray()
    want = reference("sparse_and_counts")["results"]["pbmc68k_raw_lognorm"]["eigenvalues"]
    got = PCA(svd_solver="full").fit(x).explained_variance_[: len(want)]
    check("sparse_and_counts: pbmc68k", got, want, 1e-10)


def near_rows() -> None:
    """`neighbors.py` finds the numbers that are stored."""
    want = reference("neighbors")
    for name, got in neighbors.numbers().items():
        nested("neighbors: " + name, got, want[name])


def geodesic_maps() -> None:
    """`isomap.py` finds the numbers that are stored."""
    for name, want in reference("isomap")["results"].items():
        got = isomap.numbers_of(name)
        for key in ("embedding", "moved"):
            got[key] = signed(np.array(got[key]).T, np.array(want[key]).T).T
        for key, numbers in want.items():
            check(f"isomap: {name}", got[key], numbers, 1e-8)


def nested(what: str, got, want) -> None:
    if isinstance(want, dict):
        for key in want:
            nested(f"{what}: {key}", got[key], want[key])
    elif isinstance(want, list) and any(isinstance(x, dict) for x in want):
        for one, other in zip(got, want, strict=True):
            nested(what, one, other)
    else:
        # Whole cells make ties, which another order of summation breaks in another way.
        check(what, got, want, 1e-4 if "digits_pca" in what else 1e-9, np.abs(want).max() or 1)


def data_made_here() -> None:
    """The scripts in `data` write what lies beside them, and `make.py` finds the numbers that are stored."""
    for name in ["genotypes", "baskets"]:
        spec = importlib.util.spec_from_file_location(name, DATA / name / "make.py")
        script = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(script)
        with tempfile.TemporaryDirectory() as folder:
            script.main(Path(folder))
            for file in Path(folder).iterdir():
                assert unpacked(file) == unpacked(DATA / name / file.name), f"{file.name} is another"
    for name, (compute, *_) in make.MADE.items():
        same(name, compute(), reference(name)["results"])


def unpacked(file: Path) -> bytes:
    """What a file holds, however it was packed."""
    if file.suffix == ".npz":
        return np.load(file)["copies"].tobytes()
    return gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()


def same(what: str, got, want) -> None:
    if isinstance(want, dict):
        assert set(want) - set(got) <= {"plink2"}, (what, set(want) ^ set(got))
        for key in got:
            same(f"{what}: {key}", got[key], want[key])
    elif isinstance(want, str):
        assert got == want or what.endswith("version"), (what, got)
    else:
        # Counts may all be zero.
        check(what, got, want, 1e-9, np.abs(want).max() or 1)


if __name__ == "__main__":
    data_made_here()
    pca_tables()
    r_prcomp_factominer_lda()
    kernel_pca()
    digits_denoising()
    image_patches()
    sparse_and_counts()
    near_rows()
    geodesic_maps()
    for file, away in worst.items():
        print(f"{file}.json: the largest difference is {away:.1e}")
