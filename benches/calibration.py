"""How long every solver takes over a grid of shapes, for the cost model behind `plan`.

Inside the clock: the fit alone, dense f64 rows in memory, tolerance 1e-9, all threads. The least of three runs.
A test (crates/eigenspan/tests/it/plan.rs) holds what `plan` chooses against the times in results/calibration.json.
"""
import json
import os
import subprocess
import sys
from pathlib import Path

grid = Path(os.environ["EIGENSPAN_RELEASE"]) / "examples" / "solver_grid"
out = subprocess.run([str(grid)], check=True, stdout=subprocess.PIPE, stderr=sys.stderr, text=True).stdout
print(json.dumps({"cases": json.loads(out)}))
