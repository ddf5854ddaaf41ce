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


MAKE = """
import numpy as np, polars as pl
rng = np.random.default_rng(0)
x = rng.standard_normal(({n}, 10)) @ rng.standard_normal((10, {d})) + rng.standard_normal(({n}, {d}))
frame = pl.DataFrame(x, schema=[f"c{{j}}" for j in range({d})])
frame.write_csv({csv!r})
frame.write_parquet({parquet!r})
np.save({npy!r}, x)
"""
COMPARE = """
import sys, numpy as np, polars as pl
kind, ours, theirs, n = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
read = {"csv": lambda p: pl.read_csv(p).to_numpy(), "parquet": lambda p: pl.read_parquet(p).to_numpy(), "npy": np.load}[kind]
a, b = read(ours)[:100], read(theirs)[:100]
a = a[:, -b.shape[1]:].astype(float)
# scikit-learn scales by the deviation with divisor n, we by n − 1.
print(float(np.max(np.abs(a * np.sign(a[0] * b[0]) * np.sqrt(n / (n - 1)) - b))))
"""


def say(*words):
    print(*words, file=sys.stderr, flush=True)


def make():
    """The files, made by a process of its own: what starts others must stay small, or its memory counts as theirs."""
    paths = {kind: DATA / f"table.{kind}" for kind in ("csv", "parquet", "npy")}
    if not all(path.exists() for path in paths.values()):
        subprocess.run([sys.executable, "-c", MAKE.format(n=N, d=D, **{k: str(v) for k, v in paths.items()})], check=True)
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


def differ(kind, ours, theirs):
    command = [sys.executable, "-c", COMPARE, kind, str(ours), str(theirs), str(N)]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


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
            off = differ(kind, out, theirs)
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
