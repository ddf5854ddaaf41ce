"""Writes the files of this folder: the first 500 of the 10,000 test digits of MNIST, and what was written.

    python data/mnist/make.py FOLDER_OF_MNIST

FOLDER_OF_MNIST holds `t10k-images-idx3-ubyte.gz` and `t10k-labels-idx1-ubyte.gz` as published.
"""

import gzip
import hashlib
import struct
import sys
from pathlib import Path

KEPT = 500
# Of the published files, unpacked: https://yann.lecun.com/exdb/mnist
SHA256 = {
    "t10k-images-idx3-ubyte": "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7",
    "t10k-labels-idx1-ubyte": "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2",
}


def main(source: Path, folder: Path) -> None:
    for name, digest in SHA256.items():
        data = gzip.decompress((source / f"{name}.gz").read_bytes())
        if hashlib.sha256(data).hexdigest() != digest:
            sys.exit(f"{name} is not the published file")
        # A head of 4 bytes, then the sizes: digits, and for pictures rows and columns of pixels.
        sizes = struct.unpack(f">{data[3]}I", data[4 : 4 + 4 * data[3]])
        each = 1
        for size in sizes[1:]:
            each *= size
        start = 4 + 4 * data[3]
        head = data[:4] + struct.pack(f">{data[3]}I", KEPT, *sizes[1:])
        few = head + data[start : start + KEPT * each]
        (folder / f"first500-{name.removeprefix('t10k-')}.gz").write_bytes(gzip.compress(few, mtime=0))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(__file__).parent)
