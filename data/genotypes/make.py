"""Writes the files of this folder: two sets of people at the same SNPs, in PLINK's format, and the first set as an array.

    pip install numpy==2.4.6
    python data/genotypes/make.py [FOLDER]

The model is Balding and Nichols' (1995, doi:10.1007/BF01441146). Each SNP has an ancestral frequency p, uniform on 0.1 to
0.9; a population whose distance from the ancestors is F has a frequency of its own from the beta distribution with mean p
and variance F p (1 − p); a person's two alleles are drawn independently with that frequency. NumPy's `RandomState` promises
the same numbers in every version.
"""

import sys
from pathlib import Path

import numpy as np

N_SNPS = 1200
# A population's name, its distance F, founders and newcomers.
POPULATIONS = [
    ("north", 0.05, 35, 17),
    ("east", 0.10, 27, 14),
    ("south", 0.15, 25, 14),
    ("isle", 0.20, 18, 10),
    ("coast", 0.12, 15, 10),
]
# Of the founders' calls; newcomers have them all.
MISSING = 0.005
# PLINK's two bits for 0, 1 and 2 copies of A1, and for a missing call.
CODES = {0: 0b11, 1: 0b10, 2: 0b00, -1: 0b01}


def draw(rng: np.random.RandomState) -> tuple[np.ndarray, np.ndarray]:
    """Copies of allele A1, people by SNPs, of founders and newcomers. Every SNP varies in both."""
    columns: list[tuple[np.ndarray, np.ndarray]] = []
    while len(columns) < N_SNPS:
        ancestral = rng.uniform(0.1, 0.9)
        founders, newcomers = [], []
        for _, f, n_founders, n_newcomers in POPULATIONS:
            shape = (1 - f) / f
            frequency = rng.beta(ancestral * shape, (1 - ancestral) * shape)
            copies = (rng.uniform(size=(n_founders + n_newcomers, 2)) < frequency).sum(axis=1)
            founders.append(copies[:n_founders])
            newcomers.append(copies[n_founders:])
        pair = np.concatenate(founders), np.concatenate(newcomers)
        if all(0.02 < copies.mean() / 2 < 0.98 for copies in pair):
            columns.append(pair)
    founders = np.stack([pair[0] for pair in columns], axis=1)
    newcomers = np.stack([pair[1] for pair in columns], axis=1)
    return np.where(rng.uniform(size=founders.shape) < MISSING, -1, founders), newcomers


def snps(rng: np.random.RandomState) -> list[tuple[int, str, int, str, str]]:
    """Chromosome, name, position and alleles of each SNP, in the order of the chromosomes."""
    chromosomes = np.sort(rng.randint(1, 23, size=N_SNPS))
    steps = rng.randint(1_000, 50_000, size=N_SNPS)
    found, position = [], 0
    for i, chromosome in enumerate(chromosomes):
        position = steps[i] + (position if i and chromosomes[i - 1] == chromosome else 0)
        a1, a2 = rng.permutation(list("ACGT"))[:2]
        found.append((int(chromosome), f"rs{i + 1}", int(position), str(a1), str(a2)))
    return found


def swapped(listed: list[tuple[int, str, int, str, str]]) -> list[int]:
    """The order of SNPs in another assembly of the genome: every fiftieth has changed places with the one behind it."""
    order = list(range(len(listed)))
    for i in range(0, len(order) - 1, 50):
        if listed[i][0] == listed[i + 1][0]:
            order[i], order[i + 1] = order[i + 1], order[i]
    return order


def write_set(prefix: Path, copies: np.ndarray, listed: list, people: list[tuple[str, str]]) -> None:
    """PLINK's .bed, SNP after SNP and four people to a byte, with its .bim and .fam."""
    codes = np.vectorize(CODES.get)(copies).astype(np.uint8)
    codes = np.pad(codes, ((0, -len(codes) % 4), (0, 0)))
    four = codes.reshape(-1, 4, codes.shape[1])
    packed = four[:, 0] | four[:, 1] << 2 | four[:, 2] << 4 | four[:, 3] << 6
    prefix.with_suffix(".bed").write_bytes(b"\x6c\x1b\x01" + packed.T.astype(np.uint8).tobytes())
    lines = [f"{c}\t{name}\t0\t{at}\t{a1}\t{a2}\n" for c, name, at, a1, a2 in listed]
    prefix.with_suffix(".bim").write_bytes("".join(lines).encode())
    lines = [f"{family}\t{person}\t0\t0\t0\t-9\n" for family, person in people]
    prefix.with_suffix(".fam").write_bytes("".join(lines).encode())


def main(folder: Path) -> None:
    rng = np.random.RandomState(0)
    founders, newcomers = draw(rng)
    listed = snps(rng)
    order = swapped(listed)
    # The people of a population bear its name as their family.
    names = [
        [(name, f"{name}-{letter}{i + 1}") for name, _, *n in POPULATIONS for i in range(n[which])]
        for which, letter in enumerate("FN")
    ]
    write_set(folder / "founders", founders, listed, names[0])
    # Positions belong to places: the two that changed places stand in order again.
    moved = [(listed[i][0], listed[i][1], listed[at][2], *listed[i][3:]) for at, i in enumerate(order)]
    write_set(folder / "newcomers", newcomers[:, order], moved, names[1])
    np.savez_compressed(folder / "founders.npz", copies=founders.astype(np.int8))


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
