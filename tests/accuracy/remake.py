"""Computes the eigenvalues of this folder again, in exact sums and 120 digits, and says how many digits agree.

    pip install numpy==2.4.6 mpmath==1.4.1
    python tests/accuracy/remake.py

Nothing is written. The program ends with an error where fewer than 40 digits (relative to the largest) agree.
"""

import json
from fractions import Fraction
from pathlib import Path

import mpmath
import numpy as np

HERE = Path(__file__).parent
mpmath.mp.dps = 120


def cells(path: Path) -> list[list[Fraction]]:
    """Every float as the fraction that it is."""
    return [[Fraction(float(x)) for x in row] for row in np.load(path)]


def real(x: Fraction) -> mpmath.mpf:
    return mpmath.mpf(x.numerator) / x.denominator


def products(x: list[list[Fraction]]) -> list[list[Fraction]]:
    return [[sum(a * b for a, b in zip(row, other, strict=True)) for other in x] for row in x]


def eigenvalues(matrix: list[list[mpmath.mpf]]) -> list[mpmath.mpf]:
    found = mpmath.eigsy(mpmath.matrix(matrix), eigvals_only=True)
    return sorted(found, reverse=True)


def of_rows(x: list[list[Fraction]]) -> list[mpmath.mpf]:
    """Squares about the mean, of rows or of columns, whichever are fewer; divided by n − 1."""
    n = len(x)
    means = [sum(column) / n for column in zip(*x, strict=True)]
    x = [[cell - mean for cell, mean in zip(row, means, strict=True)] for row in x]
    x = x if n < len(means) else [list(column) for column in zip(*x, strict=True)]
    return eigenvalues([[real(cell / (n - 1)) for cell in row] for row in products(x)])


def of_kernel(x: list[list[Fraction]], params: dict) -> list[mpmath.mpf]:
    """The kernel matrix, centered; not divided."""
    # γ is the float that the text stands for.
    gamma, inner = Fraction(float(params["gamma"])), products(x)
    if params["kernel"] == "poly":
        coef0, degree = Fraction(params["coef0"]), params["degree"]
        k = [[real((gamma * cell + coef0) ** degree) for cell in row] for row in inner]
    else:
        size = [inner[i][i] for i in range(len(x))]
        k = [
            [mpmath.exp(-real(gamma * (size[i] + size[j] - 2 * cell))) for j, cell in enumerate(row)]
            for i, row in enumerate(inner)
        ]
    n = len(k)
    means = [mpmath.fsum(row) / n for row in k]
    total = mpmath.fsum(means) / n
    return eigenvalues([[k[i][j] - means[i] - means[j] + total for j in range(n)] for i in range(n)])


def main() -> None:
    for path in sorted(HERE.glob("*.json")):
        case = json.loads(path.read_text())
        x = cells(path.with_suffix(".npy"))
        got = of_kernel(x, case["params"]) if "params" in case else of_rows(x)
        want = [mpmath.mpf(text) for text in case["eigenvalues"]]
        size = max(abs(want[0]), mpmath.mpf(10) ** -400)
        # There are no more eigenvalues than rows and columns; those left out are zero.
        got = (got + [mpmath.mpf(0)] * len(want))[: len(want)]
        away = max(abs(a - b) for a, b in zip(got, want, strict=True)) / size
        digits = 120 if away == 0 else int(-mpmath.log10(away))
        print(f"{path.stem}: {digits} digits")
        assert digits >= 40, path.stem


if __name__ == "__main__":
    main()
