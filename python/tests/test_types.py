"""Types that editors and type checkers see: words that a parameter does not take, weights by name, arrays."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
import textwrap
from typing import get_args

import pytest

import eigenspan as es
from eigenspan._files import Format

CODE = """
    import numpy as np
    import eigenspan as es

    X = np.zeros((5, 3))
    es.PCA(scale="std", like="R", names="Dim", solver="lanczos").fit(X, sample_weight=[1, 1, 2, 1, 1])
    es.PCA(scale="stdd")
    es.PCA().fit(X, weights=[1, 1, 2, 1, 1])
    es.KernelPCA(gamma="wide")
    es.tune(X, criterion="beauty")
    es.read("x.csv", decimal=";")
    reveal_type(es.PCA().fit(X).components_)
    reveal_type(es.PCA().fit(X).n_components_)
    reveal_type(es.PCA().fit(X).row_facts(X).t2)
    es.PCA(callback=lambda stage, done, total: done > 3)
    es.read("x.csv", format="cvs")
    es.PCA().fit(X).plot("pie", X)
    reveal_type(es.KernelPCA().fit(X).eigenvalues_)
    reveal_type(es.KernelPCA().fit(X).transform(X))
    reveal_type(es.TruncatedSVD().fit(X).explained_variance_ratio_)
    reveal_type(es.PCA().fit_transform(X, sample_weight=np.ones(5)))
    reveal_type(es.choose(X, sample_weight=np.ones(5)).eigenvalues)
    reveal_type(es.PCA().fit(X).plot_scree())
    es.PCA().report(X, sample_weight="all", forced=True)
"""


def test_a_type_checker_finds_wrong_words_and_knows_arrays(tmp_path):
    pytest.importorskip("mypy")
    program = tmp_path / "program.py"
    program.write_text(textwrap.dedent(CODE).strip())
    words = ["-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), "--config-file", "", str(program)]
    done = subprocess.run([sys.executable, *words], capture_output=True, text=True, cwd=tmp_path, check=False)
    said = {}
    for line in done.stdout.splitlines():
        if line.startswith("program.py:") and ": note: Possible" not in line:
            said.setdefault(int(line.split(":")[1]), line)
    assert sorted(said) == [6, 7, 8, 9, 10, 11, 12, 13, *range(15, 24)], done.stdout + done.stderr
    for line, name in ((6, "scale"), (7, "weights"), (8, "gamma"), (9, "criterion"), (10, "decimal")):
        assert ": error: " in said[line] and name in said[line], said[line]
    for line, name in ((15, "format"), (16, "plot"), (23, "forced")):
        assert ": error: " in said[line] and name in said[line], said[line]
    for line in range(17, 22):
        assert "ndarray" in said[line] and "floating" in said[line] or "float64" in said[line], said[line]
    assert "Figure" in said[22]
    assert "ndarray" in said[11] and '"int"' in said[12].replace("builtins.", "") and "float64" in said[13]


@pytest.mark.parametrize("estimator", [es.PCA, es.IncrementalPCA, es.TruncatedSVD, es.KernelPCA])
def test_words_that_a_parameter_takes_are_in_its_type(estimator):
    known = inspect.signature(estimator).parameters
    for name, takes in estimator._takes.items():
        # These take other text too: '90%', an expression.
        if name in ("n_components", "kernel"):
            continue
        words = re.findall(r"'([^']+)'", takes.words)
        for word in words:
            assert f"'{word}'" in known[name].annotation and "Literal" in known[name].annotation, (name, word)


@pytest.mark.parametrize(
    ("function", "name", "words"),
    [
        (es.PCA.plot, "kind", "Kind"),
        (es.PCA.column_table, "which", "Table"),
        (es.PCA.rotate, "rotation", "Rotation"),
        (es.read, "format", "Format | None"),
        (es.read, "decimal", "Literal['.', ','] | None"),
        (es.tune, "pre_image", "Literal['auto', 'fixed-point', 'ridge', 'distances']"),
    ],
)
def test_words_that_a_function_takes_are_in_its_type(function, name, words):
    assert inspect.signature(function).parameters[name].annotation == words


def test_formats_are_those_of_the_program(program):
    listed = program("look", "--help").partition("--format <FORMAT>")[2].partition("\n\n      --")[0]
    known = set(re.findall(r"^ +- ([a-z0-9]+):", listed, flags=re.M))
    assert known and known <= set(get_args(Format)) and set(get_args(Format)) <= known | {"xlsx", "h5ad"}
