"""Instructions that the innermost loops take, counted by valgrind's callgrind: a guard for speed where clocks are noisy.

Each kernel of crates/eigenspan/examples/hot_kernels.rs runs on one thread, once with a few rounds and once with more. What the
two counts differ by is the kernel alone: start-up and the making of data fall out. Counts of one build hardly move; they say
nothing about waiting for memory, and they are those of the instruction set that valgrind offers, which is named (it has no
AVX-512).

EIGENSPAN_BENCH_CHECK=FILE compares with the counts in FILE instead, and fails where a kernel takes more than 5 % more.
"""
import json
import os
import re
import subprocess
import sys
from pathlib import Path

PROGRAM = str(Path(os.environ["EIGENSPAN_RELEASE"]) / "examples" / "hot_kernels")
VALGRIND = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
ROUNDS = (1, 4)
ALLOWED = 1.05
ONE_THREAD = {**os.environ, "RAYON_NUM_THREADS": "1"}


def say(text):
    print(text, file=sys.stderr, flush=True)


def counted(*arguments):
    """What the program prints under callgrind, and the instructions that it took."""
    try:
        run = subprocess.run([*VALGRIND, PROGRAM, *arguments], capture_output=True, text=True, env=ONE_THREAD)
    except FileNotFoundError:
        sys.exit("valgrind is not installed: instructions cannot be counted")
    found = re.search(r"Collected : (\d+)", run.stderr)
    if run.returncode != 0 or not found:
        sys.exit(f"{' '.join([*VALGRIND, 'hot_kernels', *arguments])} failed:\n{run.stderr}")
    return run.stdout, int(found[1])


def measured():
    listed = json.loads(counted()[0])
    version = subprocess.run(["valgrind", "--version"], capture_output=True, text=True).stdout.strip()
    cases = []
    for kernel in listed["kernels"]:
        few, more = (counted(kernel["kernel"], str(rounds))[1] for rounds in ROUNDS)
        each = (more - few) / (ROUNDS[1] - ROUNDS[0]) / kernel["units"]
        cases.append({"kernel": kernel["kernel"], "unit": kernel["unit"], "instructions": round(each, 5)})
        say(f"{kernel['kernel']:24s} {each:9.4f} instructions for each {kernel['unit']}")
    return {"counted_by": version, "instruction_set": listed["instruction_set"], "rounds": ROUNDS, "cases": cases}


def compare(now, recorded):
    """Sentences about what takes more than was recorded."""
    if now["instruction_set"] != recorded["instruction_set"]:
        return [f"recorded with {recorded['instruction_set']}, counted with {now['instruction_set']}: they cannot be compared"]
    before = {case["kernel"]: case["instructions"] for case in recorded["cases"]}
    out = []
    for case in now["cases"]:
        name, took = case["kernel"], case["instructions"]
        if name not in before:
            out.append(f"{name}: nothing is recorded for it")
        elif took > ALLOWED * before[name]:
            more = 100 * (took / before[name] - 1)
            out.append(f"{name}: {took:.4f} instructions for each {case['unit']}, {more:.1f} % more than the {before[name]:.4f} recorded")
    gone = before.keys() - {case["kernel"] for case in now["cases"]}
    return out + [f"{name}: it is recorded, but no longer run" for name in sorted(gone)]


if __name__ == "__main__":
    against = os.environ.get("EIGENSPAN_BENCH_CHECK")
    recorded = json.loads(Path(against).read_text())["results"] if against else None
    now = measured()
    if recorded is None:
        print(json.dumps(now))
    elif worse := compare(now, recorded):
        sys.exit("\n".join([*worse, "if that is meant: `cargo xtask bench instructions` records the new counts"]))
    else:
        print(f"no kernel takes more than {100 * (ALLOWED - 1):.0f} % more instructions than recorded")
