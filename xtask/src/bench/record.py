"""Runs a benchmark script and writes what it printed, with all that is needed to run it again.

Called by `cargo xtask bench` as: record.py NAME SCRIPT [DATE], from the root of the repository.
"""

import datetime
import importlib.metadata
import json
import os
import platform
import subprocess
import sys
from pathlib import Path


def said_by(*command):
    """What a command prints, or None where it cannot be run."""
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None


def processor():
    """The processor's name as the system gives it."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def memory_gib():
    """Physical memory, or None where the system does not tell."""
    try:
        return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1)
    except (AttributeError, OSError, ValueError):
        return None


def peers():
    """Name and version of every installed peer."""
    found = {d.metadata["Name"]: d.version for d in importlib.metadata.distributions()}
    return dict(sorted(found.items()))


def main(name, script, date=None):
    run = subprocess.run([sys.executable, script], stdout=subprocess.PIPE, text=True)
    if run.returncode != 0:
        sys.exit(f"{script} failed with exit code {run.returncode}; nothing was written")
    try:
        results = json.loads(run.stdout)
    except json.JSONDecodeError as error:
        sys.exit(f"{script} must print one JSON value and nothing else: {error}; nothing was written")
    record = {
        "benchmark": name,
        "command": f"cargo xtask bench {name}",
        "date": date or datetime.date.today().isoformat(),
        "revision": said_by("git", "describe", "--always", "--dirty"),
        "machine": {
            "processor": processor(),
            "cores": os.cpu_count(),
            "memory_gib": memory_gib(),
            "system": f"{platform.system()} {platform.machine()}",
        },
        "versions": {
            "rustc": said_by("rustc", "--version"),
            "python": platform.python_version(),
            **peers(),
        },
        "results": results,
    }
    place = Path("benches/results") / f"{name}.json"
    place.parent.mkdir(parents=True, exist_ok=True)
    # Beside its place, then renamed: the old results or the whole new ones are there, never half.
    beside = place.with_suffix(".json.new")
    beside.write_text(json.dumps(record, indent=2, ensure_ascii=False) + "\n")
    beside.replace(place)
    print(f"written: {place}")


if __name__ == "__main__":
    main(*sys.argv[1:])
