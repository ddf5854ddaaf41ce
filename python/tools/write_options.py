"""Writes python/eigenspan/_options.py from the engine's own description of its options; --check says whether it is current.

The doc comment on a field of the options struct is the text of the command line's help, and of the docstring here. Every method of the
engine gets a class of parameters; only where scikit-learn calls them otherwise, or asks for what the engine does not need, is that said
below and nowhere else.
"""

from __future__ import annotations

import json
import re
import sys
import textwrap
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from eigenspan import _core

PLACE = Path(__file__).parent.parent / "eigenspan" / "_options.py"

# A parameter: its type, its default, its text.
Parameter = tuple[str, Any, str]


@dataclass
class Estimator:
    """How the parameters of an estimator come from the engine's options."""

    name: str
    # The options it takes, by the names the engine gives their descriptions.
    options: list[str]
    # scikit-learn's order first; what it does not have follows in the engine's order.
    first: list[str]
    # Options that are known by another name: the name, its type, its default, and what is to be added to the text.
    renamed: dict[str, tuple[str, str, Any, str]] = field(default_factory=dict)
    # Options whose type and default are scikit-learn's, and what is to be added to the text.
    retyped: dict[str, Parameter] = field(default_factory=dict)
    # Options that it does not take.
    left_out: set[str] = field(default_factory=set)
    # Options whose own text says which words they take; their type knows more words than these.
    worded: set[str] = field(default_factory=set)
    # What scikit-learn has and the engine has not.
    added: dict[str, Parameter] = field(default_factory=dict)


RENAMED: dict[str, tuple[str, str, Any, str]] = {
    "tolerance": ("tol", "float", 0.0, "0.0 is that default, or rounding where scikit-learn's word for an iterative solver was given"),
    "seed": ("random_state", "int | np.random.RandomState | None", None, "None is 0"),
}

SCALE = ('Literal["none", "std", "genotype"] | bool | None', "none", "True is std")

ADDED: dict[str, Parameter] = {
    "n_jobs": ("int | None", None, "Threads, at most as many as there are cores; None or -1 are all cores, or OMP_NUM_THREADS. Never changes a result"),
    "memory": ("int | None", None, "Bytes that a fit may take beside the data; what needs more is refused"),
    "iterated_power": ('int | Literal["auto"]', "auto", "Not needed: solvers stop at tol"),
    "verbose": ("bool | int", False, "Whether a line on standard error says how far a fit has come, one per stage and second"),
    "callback": (
        "Callback | None",
        None,
        "Called with the stage, the steps done and their number (None where it is not known) while a fit runs; what it raises, or"
        " True (eigenspan.Stopped), stops the fit",
    ),
}

# Methods whose estimators have parameters that scikit-learn names.
SPECIAL = {
    "pca": Estimator(
        name="PCA",
        options=["pca"],
        first=[
            "n_components",
            "copy",
            "whiten",
            "svd_solver",
            "tol",
            "iterated_power",
            "n_oversamples",
            "power_iteration_normalizer",
            "random_state",
        ],
        renamed=RENAMED,
        retyped={
            "n_components": (
                "int | float | str | None",
                None,
                "None is all; 'mle' is Minka's choice and 0 is none, as in scikit-learn",
            ),
            "scale": SCALE,
            "names": ('Literal["PC", "pca", "Dim", "Component"]', "pca", "get_feature_names_out and figures use them"),
        },
        added=ADDED
        | {
            "like": (
                'Literal["sklearn", "R", "MATLAB", "FactoMineR", "SPSS"] | None',
                None,
                "A program whose conventions are followed by the parameters that are left at their defaults: scale, whiten,"
                " convention, sign, names, missing and n_components",
            ),
            "svd_solver": (
                'Literal["auto", "full", "covariance_eigh", "arpack", "randomized", "covariance", "partial", "dual", "qr", "lanczos", "sketch", "power"]',
                "auto",
                "Another name for solver, with scikit-learn's words too: covariance_eigh is covariance, arpack is lanczos",
            ),
            "copy": ("bool", True, "Not needed: X is never changed"),
            "n_oversamples": ("int", 10, "Not needed: solvers stop at tol"),
            "power_iteration_normalizer": ('Literal["auto", "QR", "LU", "none"]', "auto", "Not needed: solvers stop at tol"),
        },
    ),
    "kpca": Estimator(
        name="KernelPCA",
        options=["kpca", "pre-image"],
        first=[
            "n_components",
            "kernel",
            "gamma",
            "degree",
            "coef0",
            "kernel_params",
            "alpha",
            "fit_inverse_transform",
            "eigen_solver",
            "tol",
            "max_iter",
            "iterated_power",
            "remove_zero_eig",
            "random_state",
            "copy_X",
            "n_jobs",
        ],
        renamed=RENAMED
        | {
            "method": ("pre_image", 'Literal["auto", "fixed-point", "ridge", "distances"]', "ridge", ""),
            "max_iterations": ("pre_image_max_iter", "int", 1000, ""),
        },
        retyped={
            "n_components": (
                "int | float | str | None",
                None,
                "None is all that vary",
            ),
            "kernel": (
                "str | Kernel | Callable[..., float]",
                "linear",
                "As text, as a value of eigenspan.kernels, or as a function of two rows",
            ),
            "gamma": ('float | Literal["auto", "scale", "median"] | None', None, "None is auto"),
            "missing": ('Literal["error", "drop", "mean"]', "error", ""),
            "solver": ('Literal["auto", "full", "randomized", "lanczos"]', "auto", ""),
            "negative": (
                'Literal["auto", "clip", "flip", "shift", "error"]',
                "auto",
                "'auto' is 'clip', and refuses them among the components asked for, as scikit-learn does",
            ),
            "scale": SCALE,
        },
        worded={"missing", "scale", "solver"},
        added=ADDED
        | {
            "degree": ("int", 3, "Degree of kernel='poly'"),
            "coef0": ("float", 1.0, "What kernel='poly' and kernel='sigmoid' add to the inner product"),
            "kernel_params": ("dict[str, Any] | None", None, "Keywords for a kernel that is a function"),
            "fit_inverse_transform": (
                "bool",
                False,
                "Whether inverse_transform is there",
            ),
            "eigen_solver": (
                'Literal["auto", "dense", "arpack", "randomized", "full", "lanczos"]',
                "auto",
                "Another name for solver, with scikit-learn's words too: dense is full, arpack is lanczos",
            ),
            "max_iter": ("int | None", None, "Not needed: solvers stop at tol"),
            "remove_zero_eig": (
                "bool",
                False,
                "Whether components along which nothing varies are left out; with n_components=None they always are",
            ),
            "copy_X": ("bool", True, "Not needed: X is never changed"),
        },
    ),
    "lda": Estimator(
        name="LinearDiscriminantAnalysis",
        options=["lda"],
        first=["solver", "shrinkage", "priors", "n_components", "store_covariance", "tol", "covariance_estimator"],
        renamed={"rank_tolerance": ("tol", "float", 1e-4, "")},
        retyped={
            "n_components": ("int | float | str | None", None, "None is all"),
            "solver": (
                'Literal["svd", "lsqr", "eigen"]',
                "svd",
                "'svd' works in the span of the rows within their classes, for rows of any rank; 'eigen' solves with the covariances, with"
                " or without shrinkage; 'lsqr' does the same and only predicts",
            ),
            "shrinkage": ('float | Literal["auto"] | None', None, "None is none; not with solver='svd'"),
            "priors": ("np.ndarray[Any, Any] | list[float] | None", None, ""),
            "missing": ('Literal["error", "drop", "mean"]', "error", ""),
        },
        worded={"missing", "solver", "shrinkage"},
        added={name: ADDED[name] for name in ("n_jobs", "memory", "verbose", "callback")}
        | {"covariance_estimator": ("None", None, "Not supported: covariances are those of the rows, with or without shrinkage")},
    ),
    "qda": Estimator(
        name="QuadraticDiscriminantAnalysis",
        options=["qda"],
        first=["solver", "shrinkage", "priors", "reg_param", "store_covariance", "tol", "covariance_estimator"],
        renamed={"rank_tolerance": ("tol", "float", 1e-4, "")},
        retyped={
            "shrinkage": ('float | Literal["auto"] | None', None, "None is none; with solver='eigen' alone"),
            "priors": ("np.ndarray[Any, Any] | list[float] | None", None, ""),
            "missing": ('Literal["error", "drop", "mean"]', "error", ""),
        },
        worded={"missing", "shrinkage"},
        added={name: ADDED[name] for name in ("n_jobs", "memory", "verbose", "callback")}
        | {
            "solver": (
                'Literal["svd", "eigen"]',
                "svd",
                "Which parameter regularizes covariances: with 'svd' it is reg_param, with 'eigen' shrinkage",
            ),
            "store_covariance": ("bool", False, "Whether covariance_ is there"),
            "covariance_estimator": ("None", None, "Not supported: covariances are those of the rows, with or without shrinkage"),
        },
    ),
}


def estimators() -> list[Estimator]:
    """The estimator of every method of the engine."""
    return [SPECIAL.get(method) or plain_estimator(method) for method, _ in _core.methods()]


# Estimators that are called otherwise than their method.
NAMES = {"select": "SelectColumns"}


def plain_estimator(method: str) -> Estimator:
    """An estimator with the options of a method under the names that all estimators share. The method `toy-classes` gives
    `ToyClassesParameters`."""
    options = json.loads(_core.schema(method))["schema"]["properties"]
    retyped: dict[str, Parameter] = {}
    if "n_components" in options and options["n_components"].get("type") != "integer":
        retyped["n_components"] = ("int | float | str | None", None, "None is all")
    if "scale" in options:
        retyped["scale"] = SCALE
    # Where the text says which words it takes, em is refused.
    worded = {"missing"} if "(error)" in options.get("missing", {}).get("description", "") else set()
    if worded:
        retyped["missing"] = ('Literal["error", "drop", "mean"]', "error", "")
    return Estimator(
        name=NAMES.get(method) or "".join(part.capitalize() for part in method.split("-")),
        options=[method],
        first=[name for name in ("n_components",) if name in options],
        renamed=RENAMED,
        retyped=retyped,
        worded=worded,
        added={name: ADDED[name] for name in ("n_jobs", "memory", "verbose", "callback")},
    )


def main() -> int:
    text = module()
    if "--check" not in sys.argv:
        PLACE.write_text(text, encoding="utf-8")
        return 0
    if PLACE.read_text(encoding="utf-8") == text:
        return 0
    print(f"{PLACE} is not what the engine's options say: python python/tools/write_options.py writes it anew")
    return 1


def module() -> str:
    lines = [
        '"""Parameters, written by python/tools/write_options.py from the engine\'s options: change those."""',
        "",
        "from __future__ import annotations",
        "",
        "from typing import TYPE_CHECKING",
        "",
        "if TYPE_CHECKING:",
        "    from collections.abc import Callable",
        "    from typing import Any, Literal",
        "",
        "    import numpy as np",
        "",
        "    from ._core import Kernel",
        "    from ._watch import Callback",
    ]
    for estimator in estimators():
        lines += ["", "", *class_of(estimator)]
    return "\n".join([*lines, ""])


def class_of(estimator: Estimator) -> list[str]:
    parameters: dict[str, Parameter] = {}
    for options in estimator.options:
        given = json.loads(_core.schema(options))
        parameters |= parameters_of(estimator, given["schema"], given["defaults"])
    parameters |= {known: (kind, default, sentence(text)) for known, (kind, default, text) in estimator.added.items()}
    names = estimator.first + [known for known in parameters if known not in estimator.first]
    signature = ["        self,"]
    lines = []
    for known in names:
        kind, default, text = parameters[known]
        signature.append(f"        {known}: {kind} = {default!r},".replace("'", '"'))
        if known == "n_components":
            signature.append("        *,")
        lines += [f"    {known} : {plain(kind)}, default={default!r}"]
        lines += textwrap.wrap(text, 110, initial_indent=" " * 8, subsequent_indent=" " * 8)
    return [
        f"class {estimator.name}Parameters:",
        '    """Parameters',
        "    ----------",
        *lines,
        '    """',
        "",
        *known_words(estimator),
        "    def __init__(",
        *signature,
        "    ) -> None:",
        *(f"        self.{known} = {known}" for known in names),
    ]


def known_words(estimator: Estimator) -> list[str]:
    """The words of options that take one of a few, for whoever checks them."""
    lines = []
    for options in estimator.options:
        schema = json.loads(_core.schema(options))["schema"]
        for option, about in schema["properties"].items():
            choices = [one["const"] for one in choices_of(about, schema) if "const" in one]
            if choices and option not in estimator.left_out | estimator.worded:
                known = estimator.renamed.get(option, (option,))[0]
                lines.append(f"        {known!r}: ({', '.join(map(repr, choices))},),".replace("'", '"'))
    return ["    _words = {", *lines, "    }", ""] if lines else []


def parameters_of(estimator: Estimator, schema: dict[str, Any], defaults: dict[str, Any]) -> dict[str, Parameter]:
    parameters = {}
    for option, about in schema["properties"].items():
        if option in estimator.left_out:
            continue
        text = sentence(about.get("description", ""))
        known, kind, default, more = option, typed(about, schema), defaults[option], ""
        if option in estimator.renamed:
            known, kind, default, more = estimator.renamed[option]
        if option in estimator.retyped:
            kind, default, more = estimator.retyped[option]
        if more:
            text += f" {sentence(more)}"
        parameters[known] = (kind, default, text if option in estimator.worded else text + words(about, schema))
    return parameters


def typed(about: dict[str, Any], schema: dict[str, Any]) -> str:
    """The type of an option: the words it takes, where it takes a few."""
    known = [one["const"] for one in choices_of(about, schema) if "const" in one]
    if known:
        none = " | None" if {"type": "null"} in about.get("anyOf", []) else ""
        return f"Literal[{', '.join(map(repr, known))}]{none}"
    kinds = {"boolean": "bool", "integer": "int", "number": "float", "string": "str", "array": "list[float]", "null": "None"}
    given = about.get("type", "string")
    return " | ".join(kinds[kind] for kind in ([given] if isinstance(given, str) else given))


def words(about: dict[str, Any], schema: dict[str, Any]) -> str:
    """The words an option takes, each with its meaning."""
    said = [f"'{one['const']}': {one['description'].rstrip('.')}" for one in choices_of(about, schema) if "const" in one]
    return f" {'; '.join(said)}." if said else ""


def choices_of(about: dict[str, Any], schema: dict[str, Any]) -> list[dict[str, Any]]:
    # An option that may be left out is one of its words, or null.
    named = [about, *about.get("anyOf", [])]
    name = next((one["$ref"].rsplit("/", 1)[-1] for one in named if "$ref" in one), "")
    choices: list[dict[str, Any]] = schema.get("$defs", {}).get(name, {}).get("oneOf", [])
    return choices


def sentence(text: str) -> str:
    text = " ".join(text.split()).replace("`", "")
    return text if text.endswith(".") else text + "."


def plain(kind: str) -> str:
    """A type in words: `Literal["a", "b"]` is {'a', 'b'}."""
    kind = re.sub(r"Literal\[([^]]*)\]", lambda words: "{" + words[1].replace('"', "'") + "}", kind)
    return kind.replace("np.random.", "").replace("Callback", "callable").replace(" | ", " or ")


if __name__ == "__main__":
    sys.exit(main())
