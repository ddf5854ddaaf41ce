"""How often bootstrap intervals at 95 % hold what is true, over rows drawn from known distributions.

Nothing is timed. Each case draws tables of n rows and d columns and bootstraps each; the numbers are shares of these tables, for the
first five components: eigenvalues, shares and cumulative shares always have intervals, loadings and correlations where the
component can be told apart from its neighbors (`loadings_given`; coverage is among those).

Gaps: wide 16, 6, 2.5, then 0.5; falling 10·0.6^i; close 5, 4, 3, then 1; equal 6, 3, 3, then 1; weak 10, 5, then 1; none all 1.
A test (crates/eigenspan/tests/it/bootstrap_coverage.rs) holds a few of these cases.
"""
import json
import os
import subprocess
import sys
from pathlib import Path

DRAWS, REPLICATES = "60", "60"

example = Path(os.environ["EIGENSPAN_RELEASE"]) / "examples" / "coverage"
out = subprocess.run([str(example), DRAWS, REPLICATES], check=True, stdout=subprocess.PIPE, stderr=sys.stderr, text=True).stdout
print(json.dumps({"level": 0.95, "cases": [json.loads(line) for line in out.splitlines()]}))
