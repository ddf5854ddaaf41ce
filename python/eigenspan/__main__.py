"""``python -m eigenspan`` and the command ``eigenspan``: the same program as the one built without Python."""

from __future__ import annotations

import signal
import sys

from ._core import program


def main() -> int:
    """Runs the command line on the words of this process; gives the exit code."""
    # The program stops its work on Ctrl-C by itself.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return program(["eigenspan", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
