"""Frames by Arrow's stream, masked arrays, and integers that floats cannot hold."""

from __future__ import annotations

import subprocess
import sys
import textwrap
import warnings

import numpy as np
import pytest
from scipy import sparse

from support import noise

import eigenspan as es

polars, pyarrow, pandas = (pytest.importorskip(name) for name in ("polars", "pyarrow", "pandas"))

NAMES = ["a", "b", "c"]


def as_polars(X):
    return polars.DataFrame({name: X[:, j] for j, name in enumerate(NAMES)})


def as_arrow(X):
    return pyarrow.table({name: np.ascontiguousarray(X[:, j]) for j, name in enumerate(NAMES)})


def as_batch(X):
    return as_arrow(X).to_batches()[0]


def in_chunks(X):
    return pyarrow.concat_tables([as_arrow(X[:7]), as_arrow(X[7:20]), as_arrow(X[20:])])


def in_one_piece(X):
    """Columns behind each other in one buffer, as in a file that was read."""
    sink = pyarrow.BufferOutputStream()
    with pyarrow.ipc.new_stream(sink, as_arrow(X).schema) as writer:
        writer.write_table(as_arrow(X))
    return pyarrow.ipc.open_stream(sink.getvalue()).read_all()


WAYS = {"polars": as_polars, "pyarrow": as_arrow, "a batch": as_batch, "chunks": in_chunks, "one piece": in_one_piece}
ESTIMATORS = [es.PCA(2), es.IncrementalPCA(2), es.TruncatedSVD(2), es.KernelPCA(2, kernel="rbf")]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda estimator: type(estimator).__name__)
def test_frames_give_the_bits_of_their_array_in_its_element_type(way, dtype, estimator):
    X = noise(50, 3, dtype=dtype)
    want = estimator.fit(X).transform(X)
    got = estimator.fit(WAYS[way](X))
    assert list(got.feature_names_in_) == NAMES
    scores = got.transform(WAYS[way](X))
    np.testing.assert_array_equal(scores, want)
    assert scores.dtype == dtype == got.explained_variance_.dtype


def test_columns_in_one_piece_are_not_copied():
    from eigenspan._rows import of_arrow

    for dtype in (np.float64, np.float32):
        table = in_one_piece(noise(64, 3, dtype=dtype))
        array, _ = of_arrow(table)
        addresses = [table.column(j).chunk(0).buffers()[1].address for j in range(3)]
        assert [array[:, j].ctypes.data for j in range(3)] == addresses
        assert not array.flags.writeable
        # The memory stays as long as the array.
        want = array.copy()
        del table
        np.testing.assert_array_equal(array, want)
    copied, _ = of_arrow(in_chunks(noise(64, 3)))
    assert copied.flags.f_contiguous


PEAK = """
import re, numpy as np, eigenspan as es, polars, pyarrow
from eigenspan._rows import of_arrow
def kilobytes(name):
    with open("/proc/self/status") as status:
        return int(re.search(name + r":\\s+(\\d+) kB", status.read())[1])
def grown(work):
    with open("/proc/self/clear_refs", "w") as peak:
        peak.write("5")
    before = kilobytes("VmRSS")
    work()
    return (kilobytes("VmHWM") - before) * 1024
rng = np.random.default_rng(0)
n, d = 200_000, 40
columns = {str(j): rng.normal(size=n).astype(np.float32) for j in range(d)}
es.PCA(2).fit(polars.DataFrame({"a": np.arange(9.0), "b": np.arange(9.0) ** 2}))
for table in (polars.DataFrame(columns), pyarrow.table(columns)):
    print(grown(lambda: es.PCA(2).fit(table)) / (4 * n * d))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the peak of memory is asked of Linux")
def test_frames_are_copied_once_and_not_widened():
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(PEAK)], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    for grown in map(float, done.stdout.split()):
        assert grown < 1.6


@pytest.mark.parametrize(
    ("columns", "single"),
    [
        ({"a": "float32", "b": "float32"}, True),
        ({"a": "float32", "b": "int8"}, False),
        ({"a": "float32", "b": "bool"}, False),
        ({"a": "float32", "b": "int32"}, False),
        ({"a": "float32", "b": "float64"}, False),
        ({"a": "int64", "b": "uint8"}, False),
        ({"a": "float16", "b": "float16"}, False),
        ({"a": "float16", "b": "float32"}, False),
    ],
)
def test_columns_of_several_types_are_widened_to_64_bits(columns, single):
    X = np.arange(40).reshape(20, 2) * 7 % 5
    table = pyarrow.table({name: X[:, j].astype(kind) for j, (name, kind) in enumerate(columns.items())})
    cells = np.column_stack([X[:, j].astype(kind).astype(np.float64) for j, kind in enumerate(columns.values())])
    scores = es.PCA().fit_transform(table)
    assert scores.dtype == (np.float32 if single else np.float64)
    np.testing.assert_allclose(scores, es.PCA().fit_transform(cells), atol=1e-5 if single else 1e-12)


def test_cells_without_a_value_are_missing():
    frame = polars.DataFrame({"a": [1.0, None, 3.0, 5.0], "b": [1, 0, None, 7], "c": [None] * 4})
    with pytest.raises(ValueError, match='6 cells .*row 0, column "c"'):
        es.PCA().fit(frame)
    pca = es.PCA(missing="drop").fit(frame.select("a", "b"))
    assert pca.n_samples_ == 2 and pca.mean_.tolist() == [3.0, 4.0]


def test_columns_that_are_no_numbers_are_named():
    for column, held in {"text": ["x", "y"], "dates": pandas.to_datetime(["2024-01-01", "2024-01-02"]), "lists": [[1], [2]]}.items():
        with pytest.raises(ValueError, match='"t" holds no numbers but .*' + column.rstrip("s")):
            es.PCA().fit(pyarrow.table({"a": [1.0, 2.0], "t": held}))
    with pytest.raises(ValueError, match="no numbers but categories"):
        es.PCA().fit(polars.DataFrame({"a": [1.0, 2.0], "t": polars.Series(["x", "y"], dtype=polars.Categorical)}))
    with pytest.raises(ValueError, match="Expected 2D array, got 1D array"):
        es.PCA().fit(polars.Series("a", [1.0, 2.0]))


def test_frames_that_do_not_fit_the_model_are_refused():
    X = noise(30, 3)
    pca = es.PCA(2).fit(as_polars(X))
    with pytest.raises(ValueError, match="feature names should match.*in the same order: a, b, c"):
        pca.transform(as_polars(X).select("b", "a", "c"))
    with pytest.raises(ValueError, match="feature names should match.*unseen at fit time: z; .*now missing: b"):
        pca.transform(as_polars(X).rename({"b": "z"}))
    with pytest.raises(ValueError, match="feature names should match.*now missing: c"):
        pca.transform(as_polars(X).drop("c"))
    with pytest.raises(ValueError, match="minimum of 2 is required"):
        es.PCA(2).fit(as_polars(X[:1]))


def test_a_function_of_two_rows_takes_frames():
    X = noise(20, 3)
    kpca = es.KernelPCA(2, kernel=lambda x, y: float(x @ y)).fit(as_polars(X))
    np.testing.assert_allclose(kpca.transform(as_polars(X)), es.KernelPCA(2).fit_transform(X), atol=1e-9)
    np.testing.assert_array_equal(es.kernels.matrix("rbf", as_polars(X)), es.kernels.matrix("rbf", X))


def masked(X, kind=np.float64):
    mask = np.zeros(X.shape, dtype=bool)
    mask[3, 1] = mask[7, 0] = True
    return np.ma.array(X.astype(kind), mask=mask), np.where(mask, np.nan, X.astype(kind))


@pytest.mark.parametrize("kind", [np.float64, np.float32, np.int64])
def test_masked_cells_are_missing(kind):
    covered, holed = masked(100 * noise(40, 3), kind)
    for missing in ("mean", "drop", "em"):
        pca, want = es.PCA(2, missing=missing).fit(covered), es.PCA(2, missing=missing).fit(holed)
        np.testing.assert_array_equal(pca.components_, want.components_)
        np.testing.assert_array_equal(pca.transform(covered), want.transform(holed))
    for estimator in ESTIMATORS:
        with pytest.raises(ValueError, match="2 NaN"):
            estimator.fit(covered)
        estimator.fit(covered.data)
        with pytest.raises(ValueError, match="2 NaN"):
            estimator.transform(covered)
    with pytest.raises(ValueError, match="NaN"):
        es.KernelPCA(2, kernel=lambda x, y: float(x @ y)).fit(covered)
    with pytest.raises(ValueError, match="NaN"):
        es.kernels.matrix("rbf", covered)
    with pytest.raises(ValueError, match="NaN"):
        es.KernelPCA(2, kernel="precomputed").fit(np.ma.array(np.eye(3), mask=np.eye(3) > 0))
    with pytest.raises(ValueError, match="NaN"):
        es.PCA(2).fit(covered.data).inverse_transform(covered[:, :2])


def test_a_mask_that_covers_nothing_changes_nothing_and_weights_have_none():
    X = noise(40, 3)
    np.testing.assert_array_equal(es.PCA(2).fit(np.ma.array(X)).components_, es.PCA(2).fit(X).components_)
    np.testing.assert_array_equal(es.PCA(2).fit(np.ma.array(X, mask=X > 1e9)).components_, es.PCA(2).fit(X).components_)
    with pytest.raises(ValueError, match="sample_weight has masked cells"):
        es.PCA(2).fit(X, sample_weight=np.ma.array(np.ones(40), mask=np.arange(40) == 3))


def large(kind=np.int64, base=2**60):
    X = np.arange(60).reshape(20, 3) * 7 % 11
    return X.astype(kind) + np.array([0, base, 0]).astype(kind)


LARGE = {
    "int64": (large, "column 1"),
    "negative": (lambda: -large(), "column 1"),
    "uint64": (lambda: large(np.uint64, 2**63), "column 1"),
    "lists": (lambda: large().tolist(), "column 1"),
    "lists of large": (lambda: [[x * 2**60 for x in row] for row in large().tolist()], "column 1"),
    "objects": (lambda: large().astype(object), "column 1"),
    "pandas": (lambda: pandas.DataFrame(large(), columns=NAMES), "column 'b'"),
    "pandas, one column": (lambda: pandas.DataFrame({"x": np.arange(20.0), "y": large()[:, 1]}), "column 'y'"),
    "nullable": (lambda: pandas.DataFrame(large(), columns=NAMES).astype("Int64"), "column 'b'"),
    "polars": (lambda: as_polars(large()), "column 'b'"),
    "pyarrow": (lambda: in_chunks(large(np.uint64, 2**63)), "column 'b'"),
    "sparse": (lambda: sparse.csr_matrix(large()), "X"),
    "sparse by keys": (lambda: sparse.dok_array(large()), "X"),
    "masked": (lambda: np.ma.array(large(), mask=np.zeros((20, 3), dtype=bool)), "column 1"),
}


@pytest.mark.parametrize("case", LARGE)
@pytest.mark.parametrize("estimator", ESTIMATORS[:3], ids=lambda estimator: type(estimator).__name__)
def test_integers_that_floats_cannot_hold_are_spoken_of(case, estimator):
    make, label = LARGE[case]
    X = make()
    with pytest.warns(es.EigenspanWarning, match=rf"^{label}: [\d,]+ integers? beyond 2⁵³ .* subtract a row as integers first"):
        try:
            estimator.fit(X)
        except ValueError:
            # What was rounded may leave nothing to fit.
            pass


def test_integers_that_floats_hold_are_not_spoken_of():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for X in (large(base=2**40), large() // 7 * 0 + np.array([1, 2**60, 3]) * (1 + np.arange(20)[:, None] % 5), large(np.int32, 2**20)):
            es._rows.opened(X)
    X = large()
    np.testing.assert_allclose(es.PCA().fit(X - X[0]).explained_variance_, es.PCA().fit(large(base=0)).explained_variance_)
