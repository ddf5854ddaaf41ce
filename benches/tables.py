"""From a file to a file: read a table, scale, PCA, write the scores, beside the usual Python scripts.

Inside the clock: the whole process, from its start to its end, two threads, files in the page cache. The least of three
runs. Peak memory is that of the process. Both sides must agree on the first scores, up to sign, to 1e-8.
Parsing alone stands beside it: a whole fit of one component that writes nothing, against polars' reader.
"""
import json
import os
import subprocess
import sys
import time
from pathlib import Path

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "POLARS_MAX_THREADS", "RAYON_NUM_THREADS"):
    os.environ[name] = "2"

import numpy as np

DATA = Path(os.environ.get("EIGENSPAN_BENCH_DATA", "target/bench-data"))
PROGRAM = Path(os.environ["EIGENSPAN_RELEASE"]) / "eigenspan"
N, D, K = 200_000, 50, 5
REPEATS = 3

READ = {
    ("pandas", "csv"): "import pandas as pd; x = pd.read_csv(IN).to_numpy()",
    ("pandas", "parquet"): "import pandas as pd; x = pd.read_parquet(IN).to_numpy()",
    ("polars", "csv"): "import polars as pl; x = pl.read_csv(IN).to_numpy()",
    ("polars", "parquet"): "import polars as pl; x = pl.read_parquet(IN).to_numpy()",
    ("numpy", "npy"): "import numpy as np; x = np.load(IN)",
}
WRITE = {
    ("pandas", "csv"): "pd.DataFrame(z).to_csv(OUT, index=False)",
    ("pandas", "parquet"): "pd.DataFrame(z, columns=[f'PC{i + 1}' for i in range(z.shape[1])]).to_parquet(OUT)",
    ("polars", "csv"): "pl.DataFrame(z).write_csv(OUT)",
    ("polars", "parquet"): "pl.DataFrame(z).write_parquet(OUT)",
    ("numpy", "npy"): "np.save(OUT, z)",
}
FIT = "from sklearn.preprocessing import StandardScaler; from sklearn.decomposition import PCA; z = PCA({k}).fit_transform(StandardScaler().fit_transform(x))"


def say(*words):
    print(*words, file=sys.stderr, flush=True)


def make():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((N, 10)) @ rng.standard_normal((10, D)) + rng.standard_normal((N, D))
    paths = {kind: DATA / f"table.{kind}" for kind in ("csv", "parquet", "npy")}
    if not all(path.exists() for path in paths.values()):
        import polars as pl

        frame = pl.DataFrame(x, schema=[f"c{j}" for j in range(D)])
        frame.write_csv(paths["csv"])
        frame.write_parquet(paths["parquet"])
        np.save(paths["npy"], x)
    return paths


def run(command):
    """Seconds and peak memory in MB of a whole process; the best of several."""
    best, peak = float("inf"), 0
    for _ in range(REPEATS):
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        best = min(best, time.perf_counter() - start)
        assert status == 0, command
        peak = max(peak, usage.ru_maxrss / 1024)
    return best, peak


def read_scores(path, kind):
    if kind == "npy":
        return np.load(path)[:100]
    import polars as pl

    frame = pl.read_csv(path) if kind == "csv" else pl.read_parquet(path)
    return frame.to_numpy()[:100]


def same(ours, theirs):
    ours = ours[:, -theirs.shape[1] :]
    signs = np.sign(ours[0] * theirs[0])
    # scikit-learn scales by the deviation with divisor n, we by n − 1.
    return float(np.max(np.abs(ours * signs * np.sqrt(N / (N - 1)) - theirs)))


def main():
    DATA.mkdir(parents=True, exist_ok=True)
    rows = []
    for kind, path in make().items():
        out = DATA / f"scores-ours.{kind}"
        command = [str(PROGRAM), "fit", "pca", str(path), "--scale", "-k", str(K), "-o", str(out), "--quiet", "--threads", "2"]
        seconds, peak = run(command)
        row = {"case": f"{kind} {N} × {D}", "bytes": path.stat().st_size, "ours": {"seconds": seconds, "peak_mb": peak}, "peers": {}}
        for (peer, what), read in READ.items():
            if what != kind:
                continue
            theirs = DATA / f"scores-{peer}.{kind}"
            script = f"IN, OUT = {str(path)!r}, {str(theirs)!r}\n{read}\n{FIT.format(k=K)}\n{WRITE[(peer, kind)]}\n"
            peer_seconds, peer_peak = run([sys.executable, "-c", script])
            off = same(read_scores(out, kind), read_scores(theirs, kind))
            assert off < 1e-8, (kind, peer, off)
            row["peers"][peer] = {"seconds": peer_seconds, "peak_mb": peer_peak, "ratio": peer_seconds / seconds, "memory_ratio": peer_peak / peak}
            say(f"{kind:8s} ours {seconds:6.3f} s {peak:5.0f} MB   {peer:7s} {peer_seconds:6.3f} s {peer_peak:5.0f} MB   {peer_seconds / seconds:5.1f} ×")
        rows.append(row)
    # Parsing alone: a fit of one component that writes nothing, against the reader of polars.
    path = make()["csv"]
    seconds, _ = run([str(PROGRAM), "fit", "pca", str(path), "-k", "1", "--quiet", "--threads", "2"])
    read = f"import polars as pl, time\nt = []\nfor _ in range(3):\n    s = time.perf_counter(); pl.read_csv({str(path)!r}); t.append(time.perf_counter() - s)\nprint(min(t))"
    polars = float(subprocess.run([sys.executable, "-c", read], check=True, capture_output=True, text=True).stdout)
    size = path.stat().st_size
    parsing = {"bytes": size, "whole_fit_mb_per_s": size / seconds / 1e6, "polars_read_csv_mb_per_s": size / polars / 1e6}
    say("parsing", parsing)
    print(json.dumps({"threads": 2, "rows": rows, "parsing": parsing}))


main()
