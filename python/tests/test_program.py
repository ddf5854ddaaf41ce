"""The command ``eigenspan`` that comes with the package is the command line's own."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

DATA = Path(__file__).parents[2] / "data"


def run(*words: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "eigenspan", *words], capture_output=True, text=True, cwd=cwd)


def test_a_first_look_is_the_command_lines():
    done = run(str(DATA / "uk-foods/uk-foods.csv"))
    assert done.returncode == 0, done.stderr
    assert "2 components keep 96.5 % (90 % rule)." in done.stdout


def test_a_model_of_the_program_is_read_by_the_package(tmp_path):
    import eigenspan as es

    model = tmp_path / "iris.safetensors"
    done = run("fit", "pca", str(DATA / "iris/iris.csv"), "-k", "2", "-m", str(model), "--json")
    assert done.returncode == 0, done.stderr
    variances = json.loads(done.stdout)["explained_variance"]
    assert es.load(model).explained_variance_.tolist() == variances
    said = run("describe", str(model))
    # The command that made it is the one that was typed, not Python's.
    assert f"command   eigenspan fit pca {DATA / 'iris/iris.csv'} -k 2 -m {model} --json" in said.stdout


def test_bad_input_has_exit_code_2_and_no_traceback():
    done = run("fit", "pca", "no-such-file.csv")
    assert done.returncode == 2
    assert done.stderr.startswith("error: ") and "Traceback" not in done.stderr


def test_the_command_is_installed():
    place = shutil.which("eigenspan", path=sysconfig.get_path("scripts"))
    assert place is not None
    done = subprocess.run([place, "--version"], capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout.startswith("eigenspan ")
