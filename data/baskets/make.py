"""Writes `baskets.mtx.gz`: which of 60 items are in each of 1,500 baskets, as a sparse matrix of items by baskets.

    pip install numpy==2.4.6
    python data/baskets/make.py [FOLDER]

An item is bought on a whim with a probability of its own, 0.5 / rank; and a basket is one of five kinds (or none), each
with six items that it holds with probability one half. NumPy's `RandomState` promises the same numbers in every version.
"""

import gzip
import sys
from pathlib import Path

import numpy as np

N_ITEMS, N_BASKETS, N_KINDS, N_OF_A_KIND = 60, 1500, 5, 6


def draw() -> np.ndarray:
    """Baskets by items, true where the item is in the basket."""
    rng = np.random.RandomState(0)
    whim = 0.5 / np.arange(1, N_ITEMS + 1)
    kinds = np.zeros((N_KINDS + 1, N_ITEMS))
    for kind in kinds[:N_KINDS]:
        kind[rng.permutation(N_ITEMS)[:N_OF_A_KIND]] = 0.5
    kind = rng.randint(N_KINDS + 1, size=N_BASKETS)
    shape = (N_BASKETS, N_ITEMS)
    return (rng.uniform(size=shape) < whim) | (rng.uniform(size=shape) < kinds[kind])


def main(folder: Path) -> None:
    baskets, items = np.nonzero(draw())
    head = f"%%MatrixMarket matrix coordinate pattern general\n{N_ITEMS} {N_BASKETS} {len(items)}\n"
    entries = [f"{item + 1} {basket + 1}\n" for basket, item in zip(baskets, items, strict=True)]
    text = (head + "".join(entries)).encode()
    (folder / "baskets.mtx.gz").write_bytes(gzip.compress(text, mtime=0))


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
