"""How well `missing = em` predicts cells that were taken out, against scikit-learn's IterativeImputer and against means.

Nothing is timed. Columns are standardized, then every cell is taken out with the same probability, save rows that would lose all; errors are
root mean squares over these cells, in standard deviations, means over the seeds. Ours: examples/fill_missing, as many components as K says
(the filling does not depend on it). Theirs: IterativeImputer(random_state=0), a Bayesian ridge regression of every column on all others.
A test (crates/eigenspan/tests/it/em_quality.rs) holds one draw of each.
"""
import csv
import json
import os
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
from sklearn.experimental import enable_iterative_imputer  # noqa: F401
from sklearn.impute import IterativeImputer

DATA = Path(__file__).resolve().parent.parent / "data"
EXAMPLE = Path(os.environ["EIGENSPAN_RELEASE"]) / "examples" / "fill_missing"
TABLES = {
    "penguins": ("penguins/penguins.csv", ["bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g"]),
    "wine": ("wine/wine.csv", None),
    "breast-cancer": ("breast-cancer/breast-cancer.csv", None),
}
SHARES = [0.05, 0.2, 0.4]
SEEDS = range(5)
K = 2


def table(path, columns):
    """The numbers of a table, standardized; incomplete rows left out."""
    with open(DATA / path, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    columns = columns or [c for c in rows[0] if c not in ("target", "diagnosis")]
    cells = [[row[c] for c in columns] for row in rows]
    x = np.array([[float(c) for c in row] for row in cells if all(c not in ("", "NA") for c in row)])
    return (x - x.mean(axis=0)) / x.std(axis=0)


def ours(holed):
    command = [str(EXAMPLE), str(holed.shape[0]), str(holed.shape[1]), str(K)]
    done = subprocess.run(command, input=holed.astype("<f8").tobytes(), check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return np.frombuffer(done.stdout, "<f8").reshape(holed.shape)


def theirs(holed):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return IterativeImputer(random_state=0).fit_transform(holed)


def main():
    results = []
    for name, (path, columns) in TABLES.items():
        x = table(path, columns)
        for share in SHARES:
            errors = []
            for seed in SEEDS:
                gone = np.random.default_rng(seed).random(x.shape) < share
                gone[gone.all(axis=1)] = False
                holed = np.where(gone, np.nan, x)
                fillings = [ours(holed), theirs(holed), np.broadcast_to(np.nanmean(holed, axis=0), x.shape)]
                errors.append([float(np.sqrt(((filled - x)[gone] ** 2).mean())) for filled in fillings])
            means = np.mean(errors, axis=0)
            row = {"table": name, "rows": x.shape[0], "columns": x.shape[1], "missing": share, "seeds": len(SEEDS)}
            row |= {name: round(float(mean), 4) for name, mean in zip(("em", "iterative_imputer", "mean"), means)}
            row |= {"em_better_in": sum(a < b for a, b, _ in errors)}
            print(row, file=sys.stderr)
            results.append(row)
    print(json.dumps({"k": K, "rows": results}))


main()
