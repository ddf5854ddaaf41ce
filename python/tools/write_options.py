"""Writes python/eigenspan/_options.py from the engine's own description of its options; --check says whether it is current.

The doc comment on a field of the options struct is the text of the command line's help, and of the docstring here. What
scikit-learn calls otherwise, or asks for and the engine does not need, is said below and nowhere else.
"""

from __future__ import annotations

import json
import sys
import textwrap
from pathlib import Path
from typing import Any

from eigenspan import _core

PLACE = Path(__file__).parent.parent / "eigenspan" / "_options.py"

# Options that scikit-learn knows by another name: the name, its type, its default, and what is to be added to the text.
RENAMED: dict[str, tuple[str, str, Any, str]] = {
    "tolerance": ("tol", "float", 0.0, "0.0 is that default"),
    "seed": (
        "random_state",
        "int | np.random.RandomState | None",
        None,
        "None is 0",
    ),
}

# Options whose type and default are scikit-learn's.
RETYPED: dict[str, tuple[str, Any, str]] = {
    "n_components": (
        "int | float | str | None",
        None,
        "None is all; 'mle' is Minka's choice, as in scikit-learn",
    ),
    "scale": ("str | bool | None", "none", "True is std"),
}

# Names of components are scikit-learn's: get_feature_names_out.
LEFT_OUT = {"names"}

# What scikit-learn has and the engine has not.
ADDED: dict[str, tuple[str, Any, str]] = {
    "svd_solver": (
        "str",
        "auto",
        "Another name for solver, with scikit-learn's words too: covariance_eigh is covariance, arpack is lanczos",
    ),
    "n_jobs": ("int | None", None, "Threads; None or -1 are all cores. Never changes a result"),
    "memory": ("int | None", None, "Bytes that a fit may take beside the data; what needs more is refused"),
    "copy": ("bool", True, "Not needed: X is never changed"),
    "iterated_power": ("int | str", "auto", "Not needed: solvers stop at tol"),
    "n_oversamples": ("int", 10, "Not needed: solvers stop at tol"),
    "power_iteration_normalizer": ("str", "auto", "Not needed: solvers stop at tol"),
}

# scikit-learn's order first; what it does not have follows in the engine's order.
FIRST = [
    "n_components",
    "copy",
    "whiten",
    "svd_solver",
    "tol",
    "iterated_power",
    "n_oversamples",
    "power_iteration_normalizer",
    "random_state",
]


def main() -> int:
    text = module("PCA", json.loads(_core.schema("pca")))
    if "--check" not in sys.argv:
        PLACE.write_text(text, encoding="utf-8")
        return 0
    if PLACE.read_text(encoding="utf-8") == text:
        return 0
    print(f"{PLACE} is not what the engine's options say: python python/tools/write_options.py writes it anew")
    return 1


def module(name: str, given: dict[str, Any]) -> str:
    parameters = parameters_of(given["schema"], given["defaults"])
    names = FIRST + [known for known in parameters if known not in FIRST]
    signature = ["        self,"]
    lines = []
    for known in names:
        kind, default, text = parameters[known]
        signature.append(f"        {known}: {kind} = {default!r},".replace("'", '"'))
        if known == "n_components":
            signature.append("        *,")
        lines += [f"    {known} : {plain(kind)}, default={default!r}"]
        lines += textwrap.wrap(text, 110, initial_indent=" " * 8, subsequent_indent=" " * 8)
    body = [f"        self.{known} = {known}" for known in names]
    return "\n".join(
        [
            '"""Parameters, written by python/tools/write_options.py from the engine\'s options: change those."""',
            "",
            "from __future__ import annotations",
            "",
            "from typing import TYPE_CHECKING",
            "",
            "if TYPE_CHECKING:",
            "    import numpy as np",
            "",
            "",
            f"class {name}Parameters:",
            '    """Parameters',
            "    ----------",
            *lines,
            '    """',
            "",
            "    def __init__(",
            *signature,
            "    ) -> None:",
            *body,
            "",
        ]
    )


def parameters_of(schema: dict[str, Any], defaults: dict[str, Any]) -> dict[str, tuple[str, Any, str]]:
    parameters = {}
    for field, about in schema["properties"].items():
        if field in LEFT_OUT:
            continue
        text = sentence(about.get("description", ""))
        known, kind, default, more = field, *typed(about, schema), defaults[field], ""
        if field in RENAMED:
            known, kind, default, more = RENAMED[field]
        if field in RETYPED:
            kind, default, more = RETYPED[field]
        if more:
            text += f" {sentence(more)}"
        parameters[known] = (kind, default, text + words(about, schema))
    return parameters | {known: (*rest[:2], sentence(rest[2])) for known, rest in ADDED.items()}


def typed(about: dict[str, Any], schema: dict[str, Any]) -> list[str]:
    kinds = {"boolean": "bool", "integer": "int", "number": "float", "string": "str", "null": "None"}
    given = about.get("type", "string")
    return [" | ".join(kinds[kind] for kind in ([given] if isinstance(given, str) else given))]


def words(about: dict[str, Any], schema: dict[str, Any]) -> str:
    """The words an option takes, each with its meaning."""
    name = about.get("$ref", "").rsplit("/", 1)[-1]
    choices = schema.get("$defs", {}).get(name, {}).get("oneOf", [])
    said = [f"'{one['const']}': {one['description'].rstrip('.')}" for one in choices if "const" in one]
    return f" {'; '.join(said)}." if said else ""


def sentence(text: str) -> str:
    text = " ".join(text.split()).replace("`", "")
    return text if text.endswith(".") else text + "."


def plain(kind: str) -> str:
    return kind.replace("np.random.", "").replace(" | ", " or ")


if __name__ == "__main__":
    sys.exit(main())
