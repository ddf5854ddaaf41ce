"""Numbers of scikit-learn for Laplacian eigenmaps and locally linear embedding, and diffusion maps by their definition in NumPy; `make.py`
stores them."""

import numpy as np
from make_maps import table
from sklearn.manifold import LocallyLinearEmbedding, SpectralEmbedding
from sklearn.metrics import euclidean_distances
from sklearn.metrics.pairwise import rbf_kernel

# scikit-learn counts a row among its own neighbors in spectral embedding, and not in locally linear embedding.
NEIGHBORS = 20
GAMMA = 0.05


def diffusion(x: np.ndarray, alpha: float, time: float, k: int = 3) -> dict:
    kernel = np.exp(-GAMMA * euclidean_distances(x, squared=True))
    density = kernel.sum(axis=1) ** alpha
    kernel = kernel / np.outer(density, density)
    degrees = kernel.sum(axis=1)
    values, vectors = np.linalg.eigh(kernel / np.sqrt(np.outer(degrees, degrees)))
    values, vectors = values[::-1][1 : k + 1], vectors[:, ::-1][:, 1 : k + 1]
    stationary = degrees / degrees.sum()
    places = values**time * vectors / np.sqrt(stationary)[:, None]
    return {"eigenvalues": values.tolist(), "places": places.T.tolist()}


def spectral() -> dict:
    x = table("wine", "target")[0]
    x = (x - x.mean(axis=0)) / x.std(axis=0, ddof=1)
    results: dict = {}
    graph = SpectralEmbedding(3, affinity="nearest_neighbors", n_neighbors=NEIGHBORS + 1, random_state=0)
    results["laplacian neighbors"] = {"places": graph.fit_transform(x).T.tolist()}
    dense = SpectralEmbedding(3, affinity="rbf", gamma=GAMMA, random_state=0)
    results["laplacian rbf"] = {"places": dense.fit_transform(x).T.tolist()}
    assert np.allclose(dense.affinity_matrix_, rbf_kernel(x, gamma=GAMMA))
    for variant in ["standard", "modified", "hessian", "ltsa"]:
        lle = LocallyLinearEmbedding(n_components=2, n_neighbors=NEIGHBORS, method=variant, eigen_solver="dense").fit(x)
        results[f"lle {variant}"] = {"places": lle.embedding_.T.tolist(), "error": float(lle.reconstruction_error_)}
        if variant == "standard":
            results[f"lle {variant}"]["new"] = lle.transform(x[:5] + 0.125).T.tolist()
    results["diffusion 1 1"] = diffusion(x, 1.0, 1.0)
    results["diffusion 0.5 3"] = diffusion(x, 0.5, 3.0)
    return results
