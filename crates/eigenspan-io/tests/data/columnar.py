"""Makes the columnar files beside it: python columnar.py (pyarrow 26.0.1, pandas 3.1.1, polars 2.1.0)."""
import datetime as dt
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pyarrow.feather as pf
import pyarrow.parquet as pq
import polars as pl

m = 6
i = np.arange(m)
table = pa.table({
    "name": [f"a name of some length, {k}" for k in i],
    "color": pa.array(["red", "green", "red", None, "blue", "red"]).dictionary_encode(),
    "i8": pa.array(i - 3, pa.int8()),
    "u32": pa.array(i + 4294967290, pa.uint32()),
    "i64": pa.array(i**3 - 7, pa.int64()),
    "f16": pa.array((i / 4).astype("f2")),
    "f32": pa.array((i / 3).astype("f4")),
    "f64": pa.array(np.sin(i)),
    "dec": pa.array([Decimal(int(k)) / 8 for k in i], pa.decimal128(10, 3)),
    "bool": pa.array([bool(k % 2) for k in i]),
    "day": pa.array([dt.date(2024, 2, 27) + dt.timedelta(int(k)) for k in i]),
    "struct": pa.array([{"a": int(k), "b": str(k)} for k in i]),
    "gap": pa.array([0.5, 1.5, None, 3.5, 4.5, 5.5]),
    "none": pa.array([None] * m, pa.float64()),
    "emb": pa.array([[float(k), float(k % 4)] for k in i], pa.list_(pa.float32())),
})
pq.write_table(table, "types.parquet", compression="zstd", row_group_size=4)
pf.write_feather(table, "types.feather", compression="lz4", chunksize=4)
without_halves = pl.from_arrow(table.drop_columns(["f16"]))
without_halves.write_parquet("polars.parquet")
without_halves.write_ipc("polars.arrow", compression="zstd")
frame = table.select(["i8", "f64"]).to_pandas()
frame[frame.i8 != -1].to_parquet("pandas.parquet")
with pa.ipc.new_stream("stream.arrows", table.schema) as stream:
    stream.write_table(table, max_chunksize=4)
pq.write_table(pa.table({"emb": [[1.0, 2.0], [3.0, 4.0], [5.0]]}), "ragged.parquet", compression="none")
pf.write_feather(pa.table({"emb": [[1.0, 2.0], [3.0, 4.0], [5.0]]}), "ragged.feather", compression="uncompressed")
