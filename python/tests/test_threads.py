"""Threads: no more than there are cores, pools that are shared, and one in a worker that says so."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest

from support import noise

import eigenspan as es
from eigenspan._threads import threads_of

linux = pytest.mark.skipif(sys.platform != "linux", reason="threads are counted by Linux")

COUNT = """
import os, sys, numpy as np, eigenspan as es
cores = es._core.cores()
def threads():
    # Threads that are done may still be leaving.
    import time
    counts = []
    while len(counts) < 20:
        counts.append(len(os.listdir("/proc/self/task")))
        time.sleep(0.01)
    return min(counts)
# More than light work, which starts no thread.
X = np.random.default_rng(0).normal(size=(20_000, 30))
es.PCA(2, n_jobs=1).fit(X)
before = threads()
"""


def run(code: str, **variables: str) -> str:
    environment = {key: value for key, value in os.environ.items() if not key.endswith("_NUM_THREADS")} | variables
    # NumPy's own threads are not ours.
    environment |= {"OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run([sys.executable, "-c", COUNT + textwrap.dedent(code)], capture_output=True, text=True, timeout=120, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@linux
@pytest.mark.parametrize("estimator", ["PCA(2, n_jobs=1_000_000)", "IncrementalPCA(2, n_jobs=1_000_000)", "TruncatedSVD(2, n_jobs=1_000_000)", "KernelPCA(2, n_jobs=1_000_000)"])
def test_a_million_jobs_are_as_many_threads_as_there_are_cores(estimator):
    rows = "X[:500]" if "Kernel" in estimator else "X"
    assert run(f"es.{estimator}.fit({rows}); print(threads() - before <= cores)") == "True"


@linux
def test_pools_are_shared():
    code = """
    for n_jobs in [None, -1, *range(1, 200), 10**9]:
        es.PCA(2, n_jobs=n_jobs).fit(X)
    print(threads() - before <= cores + min(cores, 3) * cores)
    """
    assert run(code) == "True"


def test_jobs_are_counted_as_scikit_learn_counts_them(monkeypatch):
    for name in ("OMP_NUM_THREADS", "RAYON_NUM_THREADS", "LOKY_MAX_CPU_COUNT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(es._core, "cores", lambda: 8)
    assert [threads_of(n) for n in (None, -1, -2, -8, -9, 1, 3, 8, 9, 10**30)] == [8, 8, 7, 1, 1, 1, 3, 8, 8, 8]
    for name in ("OMP_NUM_THREADS", "RAYON_NUM_THREADS", "LOKY_MAX_CPU_COUNT"):
        with monkeypatch.context() as only:
            only.setenv(name, "3")
            assert [threads_of(n) for n in (None, -1, -2, 1, 6)] == [3, 3, 2, 1, 6]
            for text, threads in {"4,2": 4, "0": 8, "": 8, "all": 8, "-1": 8, "64": 8}.items():
                only.setenv(name, text)
                assert threads_of(None) == threads


@linux
def test_a_variable_says_how_many():
    assert run("es.PCA(2).fit(X); es.KernelPCA(2).fit(X[:500]); print(threads() - before)", OMP_NUM_THREADS="1") == "0"


@linux
def test_light_work_starts_no_thread_and_survives_a_fork():
    code = """
    import threading
    def light():
        pca = es.PCA(2).fit(X[:150, :4])
        return pca.inverse_transform(pca.transform(X[:150, :4])), es.KernelPCA(2).fit_transform(X[:100, :4])
    want = light()
    same = lambda got: all(np.array_equal(a, b) for a, b in zip(got, want))
    print(threads() - before)
    child = os.fork()
    if child == 0:
        os._exit(0 if same(light()) and len(es.PCA(2).fit(X).mean_) == 30 else 1)
    print(os.waitpid(child, 0)[1])
    # More threads than are let to work alone.
    results = []
    for _ in range(400):
        thread = threading.Thread(target=lambda: results.append(same(light())))
        thread.start()
        thread.join()
    print(len(results), all(results))
    """
    assert run(code).split() == ["0", "0", "400", "True"]


@linux
def test_workers_of_joblib_have_their_share():
    code = """
    from joblib import Parallel, delayed, parallel_config
    def work(seed):
        import os, numpy as np, eigenspan as es
        from eigenspan._threads import threads_of
        es.PCA(2).fit(np.random.default_rng(seed).normal(size=(500, 10)))
        return threads_of(None), os.getpid()
    with parallel_config("loky", inner_max_num_threads=1):
        done = Parallel(n_jobs=2)(delayed(work)(seed) for seed in range(4))
    print({threads for threads, _ in done}, os.getpid() in {place for _, place in done})
    """
    assert run(code) == "{1} False"


@pytest.mark.parametrize("estimator", [es.PCA, es.IncrementalPCA, es.TruncatedSVD, es.KernelPCA])
def test_every_estimator_has_jobs_and_they_change_no_bit(estimator):
    X = noise(400, 12)
    want = estimator(3, n_jobs=1).fit(X).transform(X)
    for n_jobs in (2, -2, 100, None):
        np.testing.assert_array_equal(estimator(3).set_params(n_jobs=n_jobs).fit(X).transform(X), want)
    assert "n_jobs : int or None" in estimator.__doc__
