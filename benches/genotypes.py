"""Genotypes of PLINK: `eigenspan fit pca X.bed` against `plink2 --pca`, whole programs from files to files.

Two sets of files, both made here by a seeded generator: 957 people x 14,079 SNPs of eleven populations (the shape of HapMap3, LD-thinned), and
5,000 x 30,000 without structure; allele frequencies uniform, 1 % of the calls missing. k = 10. Inside the clock: the program from its start to
its files of eigenvectors and eigenvalues. Memory is the largest resident set, mapped files included. plink2 runs where it is installed, with
the same number of threads: `exact`, and `approx`, which it recommends from 5,000 people on.

PLINK divides each cell of its matrix by the number of SNPs that both people have, so its eigenvalues differ a little where calls are missing:
a time counts if the leading eigenvalues agree to 2 % (those of `approx` to 5 %); where there is structure, its eigenvectors have to agree too.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

PROGRAM = Path(os.environ["EIGENSPAN_RELEASE"]) / "eigenspan"
THREADS = 2
K = 10
# People, SNPs, populations, runs.
CASES = [(957, 14_079, 11, 5), (5_000, 30_000, 1, 3)]


def write(folder, n, d, populations, seed):
    """Writes X.bed, X.bim and X.fam, and gives their common name."""
    rng = np.random.default_rng(seed)
    name = folder / f"{n}x{d}"
    of = np.arange(n) % populations
    # What each pair of bits counts: 00 two copies, 10 one, 11 none, 01 missing.
    codes = np.array([3, 2, 0, 1], dtype=np.uint8)
    with open(f"{name}.bed", "wb") as bed:
        bed.write(bytes([0x6C, 0x1B, 1]))
        for _ in range(d):
            ancestral = rng.uniform(0.05, 0.95)
            # Balding and Nichols: frequencies of populations spread about the ancestral one.
            fst = 0.05
            shape = np.array([ancestral, 1 - ancestral]) * (1 - fst) / fst
            p = rng.beta(*shape, size=populations) if populations > 1 else np.array([ancestral])
            copies = rng.binomial(2, p[of])
            copies[rng.random(n) < 0.01] = 3
            bits = np.full((n + 3) // 4 * 4, 0, dtype=np.uint8)
            bits[:n] = codes[copies]
            bits = bits.reshape(-1, 4)
            bed.write((bits[:, 0] | bits[:, 1] << 2 | bits[:, 2] << 4 | bits[:, 3] << 6).tobytes())
    with open(f"{name}.bim", "w", encoding="ascii") as bim:
        bim.writelines(f"1\trs{j + 1}\t0\t{j + 1}\tA\tC\n" for j in range(d))
    with open(f"{name}.fam", "w", encoding="ascii") as fam:
        fam.writelines(f"0\tperson{i + 1}\t0\t0\t0\t-9\n" for i in range(n))
    return str(name)


def timed(command, runs):
    """The least seconds of some runs, and the largest resident set in MB."""
    seconds, memory = [], []
    for _ in range(runs):
        start = time.perf_counter()
        child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        seconds.append(time.perf_counter() - start)
        memory.append(usage.ru_maxrss / 1024)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode != 0:
            raise SystemExit(f"{command} ended with {child.returncode}")
    return {"seconds": round(min(seconds), 3), "megabytes": round(max(memory), 1)}


def results(name):
    """Eigenvalues, and eigenvectors as columns."""
    with open(f"{name}.eigenvec", encoding="utf-8") as file:
        first = file.readline().split().index("PC1")
        vectors = np.array([[float(x) for x in line.split()[first:]] for line in file])
    return np.loadtxt(f"{name}.eigenval"), vectors


def agrees(ours, theirs, structured, tolerance):
    """Whether eigenvalues agree, and the vectors of the largest gap where there is one."""
    if np.abs(ours[0] / theirs[0] - 1).max() > tolerance:
        return False
    cosines = np.linalg.svd(ours[1].T @ theirs[1], compute_uv=False)
    return not structured or bool(cosines.min() > 0.99)


def main():
    rows = []
    plink2 = shutil.which("plink2")
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        for n, d, populations, runs in CASES:
            name = write(folder, n, d, populations, seed=n)
            row = {"people": n, "snps": d, "populations": populations, "k": K, "threads": THREADS, "runs": runs}
            out = f"{folder}/ours"
            command = [str(PROGRAM), "fit", "pca", f"{name}.bed", "-k", str(K), "--threads", str(THREADS), "-o", f"{out}.eigenvec"]
            row["eigenspan"] = timed(command, runs)
            ours = results(out)
            for kind, words, tolerance in (("exact", [], 0.02), ("approx", ["approx"], 0.05)):
                # Exact takes minutes for thousands of people: once is enough to be seen.
                times = 1 if n >= 5_000 else runs
                out = f"{folder}/{kind}"
                command = [str(plink2), "--bfile", name, "--pca", str(K), *words, "--threads", str(THREADS), "--out", out]
                if plink2 is not None:
                    row[f"plink2_{kind}"] = timed(command, times) | {"runs": times}
                    row[f"plink2_{kind}"]["agrees"] = agrees(ours, results(out), populations > 1, tolerance)
            print(row, file=sys.stderr)
            rows.append(row)
    version = subprocess.run([plink2, "--version"], capture_output=True, text=True, check=True).stdout.strip() if plink2 else None
    print(json.dumps({"plink2": version, "rows": rows}))


main()
