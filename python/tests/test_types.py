"""Types that editors and type checkers see: words that a parameter does not take, weights by name, arrays."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import pytest

pytest.importorskip("mypy")

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
"""


def test_a_type_checker_finds_wrong_words_and_knows_arrays(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(textwrap.dedent(CODE).strip())
    words = ["-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), "--config-file", "", str(program)]
    done = subprocess.run([sys.executable, *words], capture_output=True, text=True, cwd=tmp_path, check=False)
    said = {}
    for line in done.stdout.splitlines():
        if line.startswith("program.py:") and ": note: Possible" not in line:
            said.setdefault(int(line.split(":")[1]), line)
    assert sorted(said) == [6, 7, 8, 9, 10, 11, 12, 13], done.stdout + done.stderr
    for line, name in ((6, "scale"), (7, "weights"), (8, "gamma"), (9, "criterion"), (10, "decimal")):
        assert ": error: " in said[line] and name in said[line], said[line]
    assert "ndarray" in said[11] and '"int"' in said[12].replace("builtins.", "") and "float64" in said[13]
