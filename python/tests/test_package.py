"""The package as it is installed: what it imports, what it promises, what it costs."""

from __future__ import annotations

import os
import platform
import re
import signal
import subprocess
import sys
import textwrap
import time
from importlib.metadata import files, version
from pathlib import Path

import numpy as np
import pytest

from support import ROOT, noise

import eigenspan as es


def python(code: str, **options) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=120, **options)


def test_importing_it_does_not_import_scikit_learn():
    done = python("import sys, eigenspan; print(sorted({'sklearn', 'scipy', 'pandas'} & set(sys.modules)))")
    assert done.stdout.strip() == "[]", done.stderr


def test_its_names_are_there_and_no_others():
    assert set(dir(es)) == set(es.__all__)
    for name in es.__all__:
        assert getattr(es, name) is not None
    with pytest.raises(AttributeError):
        es.TSNE
    assert version("eigenspan") == es.__version__


def test_it_is_typed():
    assert (Path(es.__file__).parent / "py.typed").is_file()
    assert (Path(es.__file__).parent / "_core.pyi").is_file()


def test_tests_and_tools_are_not_installed():
    installed = {str(file) for file in files("eigenspan") or []}
    assert any(name.endswith("_core.pyi") for name in installed)
    assert not any("tests/" in name or "tools/" in name for name in installed)


def test_one_wheel_is_for_every_python_and_for_linux_of_glibc_2_35():
    """docs/python.md says where a wheel can be installed; the tag of the one that was built says what is true."""
    about = next(file for file in files("eigenspan") or [] if file.name == "WHEEL")
    tag = next(line for line in about.read_text().splitlines() if line.startswith("Tag: ")).removeprefix("Tag: ")
    assert tag.startswith("cp310-abi3-"), tag
    libc, here = platform.libc_ver()
    if sys.platform == "linux" and libc == "glibc":
        # maturin names the lowest glibc with all symbols in use; one that is newer than 2.35 can bring newer symbols.
        needed = re.fullmatch(r"cp310-abi3-(?:manylinux\w+\.)*manylinux_2_(\d+)_\w+", tag)
        assert needed, f"not for any Linux but this: {tag}"
        newest = int(here.split(".")[1])
        assert int(needed[1]) <= (35 if newest < 37 else newest), tag


def test_parameters_are_the_engines_options():
    tool = ROOT / "python/tools/write_options.py"
    done = subprocess.run([sys.executable, tool, "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_parameter_is_explained():
    for estimator in (es.PCA, es.KernelPCA):
        for parameter in estimator().get_params():
            assert f"    {parameter} : " in estimator.__doc__, parameter


def test_the_core_has_what_its_stub_promises():
    import ast

    from eigenspan import _core

    stub = ast.parse((Path(es.__file__).parent / "_core.pyi").read_text())
    for node in stub.body:
        if isinstance(node, ast.FunctionDef):
            if node.name == "write_table" and not hasattr(_core, "register_toys"):
                continue  # Both are only in a wheel that is built with the feature as-tested.
            assert callable(getattr(_core, node.name)), node.name
        if isinstance(node, ast.ClassDef):
            for inner in node.body:
                assert hasattr(getattr(_core, node.name), inner.name), f"{node.name}.{inner.name}"


PEAK = r"""
import re, numpy as np, eigenspan as es
def kilobytes(name):
    with open("/proc/self/status") as status:
        return int(re.search(name + r":\s+(\d+) kB", status.read())[1])
def grown(work):
    with open("/proc/self/clear_refs", "w") as peak:
        peak.write("5")
    before = kilobytes("VmRSS")
    result = work()
    return (kilobytes("VmHWM") - before) * 1024 / X.nbytes
X = np.asarray(np.random.default_rng(0).normal(size=(n, 50)), dtype=dtype, order=order)
es.PCA(3).fit(X[:2000]).transform(X[:2000])
print(grown(lambda: es.PCA(3).fit(X)), grown(lambda: X.copy()))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the peak of memory is asked of Linux")
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_a_fit_makes_no_copy_of_its_rows(dtype, order):
    n = 400_000 if order == "C" else 200_000
    done = python(f"n, dtype, order = {n}, {dtype!r}, {order!r}\n" + PEAK)
    assert done.returncode == 0, done.stderr
    fitted, copied = map(float, done.stdout.split())
    assert fitted < 0.3
    # The measure is one: a copy shows.
    assert copied > 0.9


@pytest.mark.skipif(os.name == "nt", reason="signals are others")
@pytest.mark.parametrize(
    "estimator",
    ['es.PCA(solver="power", tol=1e-15)', 'es.KernelPCA(20, kernel="laplacian", solver="full")'],
)
def test_an_interrupt_stops_a_fit(estimator):
    code = f"""
    import numpy as np, eigenspan as es
    X = np.random.default_rng(0).normal(size=(3000, 1500))
    es.PCA(1).fit(X[:50])
    try:
        print("ready", flush=True)
        {estimator}.fit(X)
    except KeyboardInterrupt:
        print("interrupted", flush=True)
    """
    child = subprocess.Popen([sys.executable, "-c", textwrap.dedent(code)], stdout=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "ready\n"
    # So that the fit is under way; the test holds without it, too.
    time.sleep(0.3)
    child.send_signal(signal.SIGINT)
    try:
        out, _ = child.communicate(timeout=100)
    finally:
        child.kill()
    assert out == "interrupted\n"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_forked_process_can_fit():
    done = python(
        """
        import os, numpy as np, eigenspan as es
        X = np.random.default_rng(0).normal(size=(3000, 40))
        es.PCA(2).fit(X)
        child = os.fork()
        if child == 0:
            es.PCA(2).fit(X)
            os._exit(7)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        """
    )
    assert done.stdout.strip() == "7", done.stderr


def test_the_rows_are_not_changed():
    X = noise(100, 5)
    before = X.copy()
    es.PCA(2, whiten=True, scale="std", copy=False).fit_transform(X)
    np.testing.assert_array_equal(X, before)
