"""Everything that the engine and the program can do is reachable from Python: a command, an option or a method that is new fails here
until Python has it, or until a line below says why it does not."""

from __future__ import annotations

import inspect
import json
import re
import subprocess
import sys

import pytest
from sklearn.base import is_classifier
from sklearn.exceptions import NotFittedError
from support import noise

import eigenspan as es
from eigenspan import _core
from eigenspan._look import figure
from eigenspan._saved import _CLASSES, class_to_load

# The methods of the program, and the estimator of each. Toys are those of the tests.
ESTIMATORS = {method: class_to_load(method, None) for method, _ in _core.methods() if not method.startswith("toy")}

# All estimators of a method.
CLASSES = {method: list(_CLASSES.get(method, {}).values()) for method in ESTIMATORS}

# What commands with a method do here, each for the estimator of that method.
BY_METHOD = {
    "fit": lambda estimator: [estimator, es.read],
    "plan": lambda estimator: [estimator, estimator.plan, es.read],
    "denoise": lambda estimator: [es.denoise, estimator, es.read],
    "report": lambda estimator: [estimator.report, estimator, es.read],
}

# What commands do here: the functions whose parameters stand for their options.
COMMANDS = {
    "": [],
    "look": [es.PCA, es.read],
    **{command: [] for command in BY_METHOD},
    "transform": [es.PCA.transform, es.read],
    "inverse": [es.KernelPCA, es.KernelPCA.inverse_transform, es.read],
    "describe": [es.describe, es.PCA.describe, es.read],
    "choose": [es.choose, es.PCA.choose, es.PCA, es.read],
    "tune": [],
    "tune-kpca": [es.tune, es.read],
    "evaluate": [es.evaluate, es.read],
    "neighbors": [es.NearestNeighbors, es.KNeighborsTransformer, es.read],
    "plot": [figure, es.PCA, es.read],
    "report": [es.PCA.report, es.PCA, es.read],
    "select": [es.SelectColumns, es.read],
}

# Options that Python calls otherwise.
NAMES = {
    "seed": "random_state",
    "threads": "n_jobs",
    "tolerance": "tol",
    "rank_tolerance": "tol",
    "weights": "weight_column",
    "no_header": "header",
    "no_center": "center",
    "color_by": "color",
    "max_iterations": "pre_image_max_iter",
}

# Options of one method that its estimators call otherwise.
NAMES_OF = {
    "mds": {
        "distances": "metric",
        "criterion": "metric_mds",
        "start": "init",
        "n_starts": "n_init",
        "max_iterations": "max_iter",
        "tolerance": "eps",
    },
    "isomap": {"algorithm": "neighbors_algorithm", "eigenvalues": "eigen_solver"},
    "laplacian": {"tolerance": "eigen_tol"},
    "lle": {
        "variant": "method",
        "regularization": "reg",
        "hessian_tolerance": "hessian_tol",
        "modified_tolerance": "modified_tol",
        "algorithm": "neighbors_algorithm",
    },
}

# Options of one method that its estimators do not have, and why.
NOT_HERE_OF_METHOD = {
    ("random-projection", "entries"): "GaussianRandomProjection and SparseRandomProjection",
    ("mds", "scale"): "StandardScaler in a pipeline, as with scikit-learn's own",
    ("isomap", "scale"): "StandardScaler in a pipeline, as with scikit-learn's own",
    ("laplacian", "scale"): "StandardScaler in a pipeline, as with scikit-learn's own",
    ("laplacian", "metric"): "affinity=KNeighborsTransformer(metric=...) or any other function of the rows, as with scikit-learn's own",
    ("laplacian", "algorithm"): "affinity takes any function of the rows",
    ("lle", "scale"): "StandardScaler in a pipeline, as with scikit-learn's own",
    ("mds", "missing"): "SimpleImputer in a pipeline, as with scikit-learn's own",
}

# Options that have no counterpart, and why.
NOT_HERE = {
    "json": "results are objects, with to_dict() where they are many",
    "quiet": "warnings are filtered by Python's own filters",
    "output": "results are arrays, and figures have save()",
    "model": "a model is an object, with save()",
    "keep": "columns beside the scores are the caller's own",
    "help": "help() and docstrings",
    "version": "eigenspan.__version__",
}

# Options of one command that have no counterpart, and why.
NOT_HERE_OF = {
    ("report", "tables"): "loadings_, correlations_, cos2_, contributions_ and row_facts() are those tables, as arrays",
    ("report-pca", "tables"): "as for report",
    ("report-pca", "supplementary"): "as for report",
    ("report", "rotate"): "PCA.rotate() turns components; a page of rotated ones is the program's",
    ("report-pca", "rotate"): "as for report",
    ("report", "supplementary"): "PCA.supplementary() holds columns against the components; the page of rows in memory has none",
    ("plot", "supplementary"): "PCA.supplementary() gives their correlations; the circle of rows in memory has none",
    ("inverse", "size"): "pictures are not put together from patches: rows are arrays",
    ("neighbors", "graph"): "SciPy makes a graph symmetric or mutual: graph.maximum(graph.T), graph.minimum(graph.T)",
    ("tune-kpca", "results"): "a search is not kept in a file to go on from",
    ("tune-kpca", "width"): "a search is drawn on axes of matplotlib, which have their own size",
    ("tune-kpca", "height"): "a search is drawn on axes of matplotlib, which have their own size",
    ("evaluate", "table"): "all numbers are arrays of the result",
    ("evaluate", "width"): "accuracies are drawn on axes of matplotlib, which have their own size",
    ("evaluate", "height"): "accuracies are drawn on axes of matplotlib, which have their own size",
    ("evaluate", "dark"): "accuracies are drawn on axes of matplotlib, which have their own style",
    ("tune-kpca", "dark"): "a search is drawn on axes of matplotlib, which have their own style",
}

# Commands that are about the command line itself.
ABOUT_ITSELF = {"completions", "man", "help"}


def functions_of(command):
    """What a command does here; a command with a method is derived from its estimator."""
    name, _, method = command.partition("-")
    if command in COMMANDS:
        return COMMANDS[command]
    return BY_METHOD[name](ESTIMATORS[method]) + CLASSES[method] if name in BY_METHOD and ESTIMATORS.get(method) else None


def has(here, method, option):
    """Whether parameters of a method's estimators stand for an option, or a line above says why none does."""
    names = {option, NAMES.get(option), NAMES_OF.get(method, {}).get(option)}
    return bool(names & here) or (method, option) in NOT_HERE_OF_METHOD


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Every command with its options, from the pages of its manual."""
    folder = tmp_path_factory.mktemp("man")
    done = subprocess.run([sys.executable, "-m", "eigenspan", "man", "--all", str(folder)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    options = {}
    for page in folder.iterdir():
        # The line above the text of an option has its names.
        heads = re.findall(r"^\\fB-.*$", page.read_text(encoding="utf-8").replace("\\-", "-"), flags=re.MULTILINE)
        found = {name.replace("-", "_") for head in heads for name in re.findall(r"--([a-z][a-z0-9-]*)", head)}
        options[page.name.removesuffix(".1").removeprefix("eigenspan").lstrip("-")] = found
    return options


def test_the_pages_were_understood(pages):
    assert {"n_components", "scale", "like"} <= pages["fit-pca"] and "kernel" in pages["tune-kpca"] and len(pages) >= 15


def test_every_command_is_here(pages):
    unknown = {page for page in pages if page.split("-")[0] not in ABOUT_ITSELF and functions_of(page) is None}
    assert unknown == set(), "commands that Python does not have"
    assert set(COMMANDS) <= set(pages), "commands that are gone"


def parameters(functions):
    return {name for function in functions for name in inspect.signature(function).parameters}


def test_every_option_is_here(pages):
    lacking = []
    for command in pages:
        if command.split("-")[0] in ABOUT_ITSELF:
            continue
        here = parameters(functions_of(command)) | {"n_jobs", "memory", "verbose"}
        for option in sorted(pages[command]):
            known = has(here, command.partition("-")[2], option) or option in NOT_HERE or (command, option) in NOT_HERE_OF
            if not known:
                lacking.append(f"{command} --{option.replace('_', '-')}")
    assert lacking == []


def test_no_exception_outlives_its_reason(pages):
    every = set().union(*pages.values())
    assert set(NOT_HERE) <= every
    for command, option in NOT_HERE_OF:
        assert option in pages[command], f"{command} has no --{option} any more"
        assert option not in parameters(functions_of(command)) or option == "supplementary"


def test_every_method_has_an_estimator_with_all_its_options():
    for method, estimator in ESTIMATORS.items():
        assert estimator is not None, f"the method {method!r} has no estimator"
        known = {name for kind in CLASSES[method] for name in kind().get_params()}
        for option in json.loads(_core.schema(method))["schema"]["properties"]:
            assert has(known, method, option), f"{estimator.__name__} has no parameter for {option}"


def test_what_the_core_can_do_is_used():
    """A function of the core that no module of the package calls is one that people cannot reach."""
    import pathlib

    package = pathlib.Path(es.__file__).parent
    text = "\n".join(file.read_text(encoding="utf-8") for file in package.glob("*.py"))
    core = {name for name in dir(_core) if not name.startswith("_")}
    unused = {name for name in core if not re.search(rf"\b{name}\b", text)}
    # Those that tools and tests use.
    assert unused <= {"schema", "register_toys", "write_table"}


@pytest.mark.parametrize("name", [name for name in es.__all__ if hasattr(getattr(es, name), "fit") and hasattr(getattr(es, name), "report")])
def test_every_estimator_reports_on_its_fitted_and_on_its_loaded_model(name, tmp_path):
    rows = noise(60, 4)
    kind = getattr(es, name)
    learns_from_classes = is_classifier(kind())
    estimator = kind() if learns_from_classes else kind(n_components=2)
    with pytest.raises(NotFittedError):
        estimator.report()
    estimator.fit(rows, [f"class {row % 3}" for row in range(60)] if learns_from_classes else None).save(tmp_path / "model.safetensors")
    page = estimator.report(path=tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == page.html
    assert "model in memory" in page.html and "fitted to 60 rows and 4 numeric columns" in page.html
    # A loaded kernel PCA keeps no coordinates: its training rows are projected again, and last digits may differ.
    rounded = lambda html: re.sub(r"-?[0-9]+\.[0-9]{6,}", lambda number: f"{float(number[0]):.6g}", html)  # noqa: E731
    assert rounded(es.load(tmp_path / "model.safetensors").report().html) == rounded(page.html)
    # With other rows, where they lie under the model.
    if not estimator._model.takes_new_rows:
        with pytest.raises(ValueError, match="has coordinates only for the rows it was fitted to, not for new rows"):
            estimator.report(noise(25, 4, seed=1))
        return
    more = {"refit": False} if "refit" in inspect.signature(estimator.report).parameters else {}
    under = estimator.report(noise(25, 4, seed=1), **more).html
    assert "data in memory under model in memory" in under and "25 rows" in under
