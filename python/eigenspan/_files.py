"""Files in: tables to be fitted, and models that were saved."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Any, Literal, get_args

import numpy as np

from . import _core
from ._base import Fitted, means_of
from ._core import Rows
from ._parameters import COUNT, FLAG, N_JOBS, NONE, PATH, InvalidParameter, Takes, is_whole, require, words
from ._rows import files, is_path
from ._saved import class_to_load, given_back


# Formats of files; the two last are read where the package was built with them, as a wheel is.
Format = Literal["csv", "tsv", "text", "npy", "npz", "mtx", "libsvm", "plink", "parquet", "arrow", "idx", "image", "xlsx", "h5ad"]

TEXT = Takes("text", lambda value: isinstance(value, str)) | NONE
NAMES = Takes(
    "a list of texts",
    lambda value: hasattr(value, "__len__") and hasattr(value, "__iter__") and not isinstance(value, (str, bytes)) and all(isinstance(one, str) for one in value),
)
SPAN = (
    Takes(
        "the first and the last row, two integers counted from 1",
        lambda value: isinstance(value, (tuple, list)) and len(value) == 2 and all(map(is_whole, value)) and 1 <= value[0] <= value[1],
    )
    | NONE
)


def read(
    paths: str | os.PathLike[str] | list[str | os.PathLike[str]],
    *,
    format: Format | None = None,
    member: str | None = None,
    delimiter: str | None = None,
    decimal: Literal[".", ","] | None = None,
    header: bool | None = None,
    columns: Sequence[str] = (),
    exclude: Sequence[str] = (),
    label_column: str | None = None,
    id_column: str | None = None,
    weight_column: str | None = None,
    rows: tuple[int, int] | None = None,
    missing_values: Sequence[str] = (),
    sample: int | None = None,
    seed: int = 0,
    transpose: bool = False,
    one_hot: bool = False,
    patch: int | None = None,
    color: bool = False,
    n_jobs: int | None = None,
) -> Rows:
    """Opens a table in a file, or in several that are one table, as the command line does.

    What it gives can be passed wherever an estimator or a function here takes X; a plain path is read with all options at
    their defaults. It has ``shape``, ``columns``, ``labels`` and ``ids``, and ``to_numpy()`` gives its numbers. Every format of
    the command line is known: CSV, NPY, NPZ, Parquet, Arrow, Matrix Market, pictures and more.

    Parameters
    ----------
    paths : str, path or list of them
        The files; a folder or a pattern names several.
    format : str or None
        Format, where the guess from content and name is wrong.
    member : str or None
        Array to read from an archive of several (NPZ).
    delimiter, decimal, header
        The character between two cells, the decimal mark, whether the first line holds names; where the guess is wrong.
    columns, exclude : sequence of str
        Columns to use or to leave out: names, ranges (``'c-f'``), patterns (``'pix*'``), numbers from 1.
    label_column, id_column, weight_column : str or None
        Columns that hold each row's class, name and weight; they are not analyzed.
    rows : (int, int) or None
        The first and the last row to use, counted from 1.
    missing_values : sequence of str
        Texts to read as missing, besides ``NA``, ``NaN``, ``null``, ``.``, ``?``, ``-``, ``n/a`` and empty cells.
    sample, seed : int
        How many rows to draw at random, and the seed they are drawn by.
    transpose : bool
        Whether the lines of the file are features and its columns the rows.
    one_hot : bool
        Whether columns of text become columns of 0 and 1.
    patch, color
        Pixels on a side of the patches that pictures are cut into, and whether pictures keep their colors.
    n_jobs : int or None
        Threads, as for every estimator.

    Examples
    --------
    >>> import eigenspan as es
    >>> with open("pets.csv", "w") as file:
    ...     _ = file.write("name,weight,age,kind\\nRex,20,3,dog\\nTom,4,7,cat\\nMia,5,2,cat\\n")
    >>> pets = es.read("pets.csv", label_column="kind", id_column="name")
    >>> pets
    <Table pets.csv: 3 rows × 2 columns, ids: name, labels: kind>
    >>> pets.columns, pets.labels
    (['weight', 'age'], ['dog', 'cat', 'cat'])
    >>> es.PCA(1).fit(pets).n_samples_
    3
    """
    require(("n_jobs", n_jobs, N_JOBS))
    require(
        ("format", format, words(*get_args(Format)) | NONE),
        ("member", member, TEXT),
        ("delimiter", delimiter, Takes("one character", lambda value: isinstance(value, str) and len(value) == 1) | NONE),
        ("decimal", decimal, words(".", ",") | NONE),
        ("header", header, FLAG | NONE),
        ("columns", columns, NAMES),
        ("exclude", exclude, NAMES),
        ("label_column", label_column, TEXT),
        ("id_column", id_column, TEXT),
        ("weight_column", weight_column, TEXT),
        ("rows", rows, SPAN),
        ("missing_values", missing_values, NAMES),
        ("sample", sample, COUNT | NONE),
        ("seed", seed, Takes("a seed from 0 on", lambda value: is_whole(value) and 0 <= value < 2**64)),
        ("transpose", transpose, FLAG),
        ("one_hot", one_hot, FLAG),
        ("patch", patch, COUNT | NONE),
        ("color", color, FLAG),
    )
    if not is_path(paths):
        raise InvalidParameter(f"paths={paths!r:.60}: it takes the path of a file, or a list of paths")
    given = {
        "format": format,
        "member": member,
        "delimiter": delimiter,
        "decimal": decimal,
        "header": header,
        "columns": columns,
        "exclude": exclude,
        "label_column": label_column,
        "id_column": id_column,
        "weight_column": weight_column,
        "rows": rows,
        "missing_values": missing_values,
        "sample": sample,
        "seed": seed,
        "transpose": transpose,
        "one_hot": one_hot,
        "patch": patch,
        "color": color,
    }
    options = {name: _plain(value) for name, value in given.items() if value is not None}
    return files(paths, means_of(n_jobs, None), **options)


def _plain(value: Any) -> Any:
    """A value as JSON has it: lists for sequences, and no types of NumPy."""
    if isinstance(value, (str, bool, np.bool_)):
        return bool(value) if isinstance(value, np.bool_) else value
    return min(int(value), 2**64 - 1) if is_whole(value) else [_plain(one) for one in value]


def load(path: str | os.PathLike[str]) -> Fitted:
    """The estimator in a model file, as its ``save`` wrote it: class, parameters, element type. A model of the command line
    becomes the estimator of its method.

    Examples
    --------
    >>> import eigenspan as es
    >>> from sklearn.datasets import load_iris
    >>> X = load_iris().data
    >>> es.PCA(2).fit(X).save("iris.safetensors")
    >>> es.load("iris.safetensors").transform(X).shape
    (150, 2)
    """
    require(("path", path, PATH))
    model, about = _core.load(os.path.expanduser(path))
    name = about.get("class")
    known, options = class_to_load(model.method, name), json.loads(model.options)
    if known is None:
        what = f"method {model.method!r}" if name is None else f"class {name!r}"
        raise ValueError(f"{path}: a model of the {what}, which this version does not know")
    estimator: Fitted
    if name is None:
        # The command line wrote the file, or a version that did not store estimators.
        estimator = known._of_options(options, model)
        about |= {"lists": {}}
    else:
        estimator = given_back(known, about["parameters"], options.get("seed", 0))
    estimator._take_back(model, about)
    return estimator
