"""Files larger than the memory that may be used: `fit pca`, then `transform`, each under `--memory 300MB`.

A CSV of 6 GB and a Parquet file of 4 GB: the table of `tables.py`, many times over. Seconds are those of the whole process;
peak memory is that of the process, files in the page cache not counted. Scores go to an NPY file of five columns.
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
MEMORY = "300MB"
TIMES = {"csv": 32, "parquet": 54}

# A process of its own: what starts others must stay small, or its memory counts as theirs.
MAKE_PARQUET = """
import sys, pyarrow.parquet as pq
table = pq.read_table(sys.argv[1])
with pq.ParquetWriter(sys.argv[2], table.schema, compression="snappy", use_dictionary=False) as out:
    for _ in range(int(sys.argv[3])):
        out.write_table(table, row_group_size=100_000)
"""


def say(*words):
    print(*words, file=sys.stderr, flush=True)


def make(kind):
    """The table of `tables.py`, many times over, without ever holding it."""
    small, large = DATA / f"table.{kind}", DATA / f"larger.{kind}"
    if not small.exists():
        sys.exit("run `cargo xtask bench tables` first: its table is repeated here")
    if kind == "csv":
        with open(large, "wb") as out, open(small, "rb") as source:
            out.write(source.readline())
            start = source.tell()
            for _ in range(TIMES[kind]):
                source.seek(start)
                while block := source.read(1 << 22):
                    out.write(block)
    else:
        subprocess.run([sys.executable, "-c", MAKE_PARQUET, str(small), str(large), str(TIMES[kind])], check=True)
    return large


def run(command):
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    assert status == 0, command
    return {"seconds": time.perf_counter() - start, "peak_mb": usage.ru_maxrss / 1024}


def main():
    rows = []
    for kind in TIMES:
        path = make(kind)
        size = path.stat().st_size
        model, scores = DATA / "larger.safetensors", DATA / "larger-scores.npy"
        common = ["--memory", MEMORY, "--quiet", "--threads", "2"]
        fit = run([str(PROGRAM), "fit", "pca", str(path), "--scale", "-k", "5", "-m", str(model), *common])
        transform = run([str(PROGRAM), "transform", str(model), str(path), "-o", str(scores), *common])
        say(f"{kind} {size / 1e9:.1f} GB: fit {fit['seconds']:.1f} s, {fit['peak_mb']:.0f} MB; transform {transform['seconds']:.1f} s, {transform['peak_mb']:.0f} MB")
        rows.append({"case": f"{kind} {size / 1e9:.1f} GB", "bytes": size, "memory": MEMORY, "fit": fit, "transform": transform})
        for file in (path, model, scores):
            file.unlink()
    print(json.dumps({"threads": 2, "rows": rows}))


main()
