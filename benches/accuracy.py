"""How accurate the singular values of hard matrices come out, beside every exact solver of scikit-learn.

The matrices and their values to 50 digits lie in a folder that EIGENSPAN_ACCURACY names (../shared/accuracy). The error is
the largest over all singular values, relative to the first one; for matrices of class "rel" also relative to each value
itself. No clock.
"""
import json
import os
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
from sklearn.decomposition import PCA

FOLDER = Path(os.environ.get("EIGENSPAN_ACCURACY", "../shared/accuracy"))
EXAMPLE = Path(os.environ["EIGENSPAN_RELEASE"]) / "examples" / "singular_values"


def errors(got, want, relative):
    m = min(len(got), len(want))
    got, want = np.asarray(got[:m], dtype=float), np.asarray(want[:m], dtype=float)
    first = want[0] if want[0] > 0 else 1.0
    out = {"absolute": float(np.max(np.abs(got - want)) / first)}
    if relative:
        seen = want > 0
        out["relative"] = float(np.max(np.abs(got - want)[seen] / want[seen]))
    return out


def ours(path, solver):
    run = subprocess.run([str(EXAMPLE), str(path), solver], capture_output=True, text=True)
    return json.loads(run.stdout) if run.returncode == 0 else None


def theirs(x, solver):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return PCA(svd_solver=solver).fit(x).singular_values_
        except Exception:
            return None


def main():
    rows, behind = [], []
    for answer in sorted(FOLDER.glob("*.json")):
        data = answer.with_suffix(".npy")
        reference = json.loads(answer.read_text())
        if answer.name.startswith("kpca") or not data.exists() or "singular_values" not in reference:
            continue
        want = [float(v) for v in reference["singular_values"]]
        relative = reference.get("klass") == "rel"
        x = np.load(data)
        row = {"matrix": answer.stem, "shape": list(x.shape), "class": reference.get("klass"), "ours": {}, "scikit-learn": {}}
        for solver in ("auto", "full"):
            got = ours(data, solver)
            row["ours"][solver] = errors(got, want, relative) if got else None
        for solver in ("full", "covariance_eigh"):
            got = theirs(x, solver)
            finite = got is not None and np.all(np.isfinite(got))
            row["scikit-learn"][solver] = errors(got, want, relative) if finite else None
        key = "relative" if relative else "absolute"
        best = min((e[key] for e in row["scikit-learn"].values() if e), default=float("inf"))
        mine = min((e[key] for e in row["ours"].values() if e), default=float("inf"))
        # Below this both are at the last bit of f64.
        row["at_least_as_accurate"] = bool(mine <= max(best, 2e-15))
        if not row["at_least_as_accurate"]:
            behind.append(answer.stem)
        rows.append(row)
        print(f"{answer.stem:32s} ours {mine:9.1e}   scikit-learn's best {best:9.1e}", file=sys.stderr)
    print(json.dumps({"matrices": len(rows), "behind": behind, "rows": rows}))


main()
