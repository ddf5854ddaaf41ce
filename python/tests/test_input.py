"""What X may be, and what it may not be."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn import decomposition

from support import ROOT, noise

import eigenspan as es


class OnlyArray:
    def __init__(self, array):
        self.array = array

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.array, dtype=dtype)


class OnlyDLPack:
    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class OnlyArrow:
    def __init__(self, table):
        self.table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__(requested_schema)


WAYS = {
    "rows": lambda X: X,
    "columns": np.asfortranarray,
    "every other row": lambda X: np.repeat(X, 2, axis=0)[::2],
    "backward": lambda X: np.ascontiguousarray(X[::-1, ::-1])[::-1, ::-1],
    "not aligned": lambda X: np.frombuffer(b"x" + X.tobytes(), dtype=np.uint8)[1:].view(X.dtype).reshape(X.shape),
    "other byte order": lambda X: X.astype(X.dtype.newbyteorder()),
    "read-only": lambda X: np.frombuffer(X.tobytes()).reshape(X.shape),
    "lists": lambda X: X.tolist(),
    "objects": lambda X: X.astype(object),
    "__array__": OnlyArray,
    "DLPack": OnlyDLPack,
    "memoryview": lambda X: memoryview(np.ascontiguousarray(X)),
}


@pytest.mark.parametrize("way", WAYS)
def test_arrays_of_every_kind_give_the_same_model(way):
    X = noise(60, 6)
    given = WAYS[way](X)
    pca, other = es.PCA(3).fit(X), es.PCA(3).fit(given)
    np.testing.assert_array_equal(other.components_, pca.components_)
    np.testing.assert_array_equal(other.transform(given), pca.transform(X))


def test_frames_give_their_names():
    pandas, polars, pyarrow = (pytest.importorskip(name) for name in ["pandas", "polars", "pyarrow"])
    X, names = noise(50, 3), ["a", "b", "c"]
    frame = pandas.DataFrame(X, columns=names)
    whole = es.PCA().fit(X)
    for given in [frame, polars.DataFrame(frame.to_dict("list")), pyarrow.Table.from_pandas(frame), OnlyArrow(pyarrow.Table.from_pandas(frame))]:
        pca = es.PCA().fit(given)
        np.testing.assert_array_equal(pca.components_, whole.components_)
        np.testing.assert_array_equal(pca.transform(given), whole.transform(X))
        assert list(pca.feature_names_in_) == names
    with pytest.raises(ValueError, match="order|feature names"):
        pca.transform(frame[["b", "a", "c"]])
    with pytest.raises(ValueError, match="order"):
        pca.transform(OnlyArrow(pyarrow.Table.from_pandas(frame[["b", "a", "c"]])))


def test_arrow_types_batches_and_gaps():
    pyarrow = pytest.importorskip("pyarrow")
    X = np.arange(40.0).reshape(20, 2) % 7
    columns = {"a": pyarrow.array(X[:, 0].astype(np.int16)), "b": pyarrow.array(X[:, 1].astype(np.float32))}
    table = pyarrow.concat_tables([pyarrow.table(columns).slice(0, 7), pyarrow.table(columns).slice(7)])
    np.testing.assert_array_equal(es.PCA().fit(OnlyArrow(table)).components_, es.PCA().fit(X).components_)
    single = pyarrow.table({"a": columns["b"], "b": pyarrow.array(X[:, 0].astype(np.float32))})
    assert es.PCA().fit_transform(OnlyArrow(single)).dtype == np.float32
    holed = pyarrow.table({"a": pyarrow.array([1.0, None, 3.0, 5.0]), "b": pyarrow.array([True, False, True, True])})
    assert es.PCA(missing="drop").fit(OnlyArrow(holed)).n_samples_ == 3
    np.testing.assert_allclose(es.PCA(missing="drop").fit(OnlyArrow(holed)).mean_, [3.0, 1.0])
    with pytest.raises(ValueError, match='"t" holds no numbers'):
        es.PCA().fit(OnlyArrow(pyarrow.table({"t": ["a", "b"]})))


def test_sparse_matrices_stay_as_they_were():
    X = sparse.csr_matrix((np.array([1.0, 2.0, 3.0, 4.0, 5.0]), np.array([2, 0, 1, 1, 2]), np.array([0, 2, 4, 5])), shape=(3, 3))
    before = X.copy()
    pca = es.PCA(2).fit(X)
    np.testing.assert_array_equal(X.indices, before.indices)
    dense = es.PCA(2).fit(before.toarray())
    np.testing.assert_allclose(pca.components_, dense.components_, atol=1e-9)


def test_files_are_read_as_by_the_program(tmp_path):
    iris = ROOT / "data/iris/iris.csv"
    from sklearn.datasets import load_iris

    pca = es.PCA(2).fit(str(iris))
    theirs = decomposition.PCA(2).fit(load_iris().data)
    np.testing.assert_allclose(pca.components_, theirs.components_, atol=1e-3)
    assert len(pca.feature_names_in_) == 4
    assert pca.transform(iris).shape == (150, 2)
    some = es.read(iris, rows=(1, 100), exclude=[pca.feature_names_in_[0]])
    assert es.PCA().fit_transform(some).shape == (100, 3)
    with pytest.raises(FileNotFoundError, match="no file"):
        es.PCA().fit(tmp_path / "none.csv")
    (tmp_path / "holes.csv").write_text("a,b\n1,2\n3,\n5,7\n")
    with pytest.raises(ValueError, match="holes.csv"):
        es.PCA().fit(tmp_path / "holes.csv")
    assert es.PCA(missing="drop").fit(tmp_path / "holes.csv").mean_.tolist() == [3.0, 4.5]
    with pytest.raises(TypeError, match="colums"):
        es.read(iris, colums=["a"])


def test_several_files_are_one_table(tmp_path, iris):
    np.save(tmp_path / "a.npy", iris[:100])
    np.save(tmp_path / "b.npy", iris[100:])
    pca = es.PCA(2).fit([tmp_path / "a.npy", tmp_path / "b.npy"])
    np.testing.assert_allclose(pca.components_, es.PCA(2).fit(iris).components_, atol=1e-10)


BAD = {
    "NaN": lambda X: np.where(np.eye(*X.shape) == 1, np.nan, X),
    "infinite": lambda X: np.where(np.eye(*X.shape) == 1, np.inf, X),
    "complex": lambda X: X + 1j,
    "strings": lambda X: np.full(X.shape, "a"),
    "objects": lambda X: np.full(X.shape, {}, dtype=object),
    "one axis": lambda X: X[0],
    "three axes": lambda X: X[None],
    "a number": lambda X: 3.0,
    "no rows": lambda X: X[:0],
    "no columns": lambda X: X[:, :0],
}


@pytest.mark.parametrize("kind", BAD)
@pytest.mark.parametrize("Estimator", ["PCA", "IncrementalPCA"])
def test_what_scikit_learn_refuses_is_refused_with_its_exception(kind, Estimator):
    X = BAD[kind](noise(20, 4))
    with pytest.raises((ValueError, TypeError)) as theirs:
        getattr(decomposition, "PCA")().fit(X)
    with pytest.raises((ValueError, TypeError)) as ours:
        getattr(es, Estimator)().fit(X)
    assert issubclass(ours.type, theirs.type)


@pytest.mark.parametrize("Estimator", [es.PCA, es.IncrementalPCA, es.TruncatedSVD])
def test_one_row_has_no_variance(Estimator):
    with pytest.raises(ValueError, match="1 sample"):
        Estimator().fit(noise(1, 4))


def test_rows_that_do_not_fit_the_model_are_refused(iris):
    pca = es.PCA(2).fit(iris)
    for call in [pca.transform, pca.score, pca.score_samples]:
        with pytest.raises(ValueError, match="X has 3 features, but PCA is expecting 4 features"):
            call(iris[:, :3])
        with pytest.raises(ValueError, match="NaN"):
            call(np.where(np.eye(150, 4) == 1, np.nan, iris))
    with pytest.raises(ValueError, match="3 columns given, but 2 expected"):
        pca.inverse_transform(iris[:, :3])


def test_a_model_file_that_is_none_is_refused(tmp_path):
    (tmp_path / "x.safetensors").write_bytes(b"nothing")
    with pytest.raises(ValueError, match="not a model"):
        es.load(tmp_path / "x.safetensors")
    with pytest.raises(FileNotFoundError):
        es.load(tmp_path / "y.safetensors")
    with pytest.raises(OSError, match="no folder"):
        es.PCA().fit(noise(9, 3)).save(tmp_path / "none" / "x.safetensors")
