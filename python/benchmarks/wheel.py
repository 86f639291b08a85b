"""What a wheel is: its size, its dependencies, and the time that importing it takes beside importing numpy.

    python benchmarks/wheel.py path/to/impinge-*.whl
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import zipfile

RUNS = 15


def seconds(code: str) -> float:
    """Median time of a fresh interpreter that runs this (s)."""
    program = f"import time; began = time.perf_counter(); {code}; print(time.perf_counter() - began)"
    taken = [float(subprocess.check_output([sys.executable, "-c", program])) for _ in range(RUNS)]
    return statistics.median(taken)


def main() -> int:
    for path in sys.argv[1:]:
        print(f"{os.path.basename(path)}: {os.path.getsize(path) / 1e6:.2f} MB")
        with zipfile.ZipFile(path) as wheel:
            (metadata,) = [name for name in wheel.namelist() if name.endswith("METADATA")]
            lines = wheel.read(metadata).decode().splitlines()
            print("  requires:", ", ".join(line.split(": ", 1)[1] for line in lines if line.startswith("Requires-Dist")))
    # The first run of each fills the caches.
    for code in ("import numpy", "import impinge"):
        seconds(code)
    numpy, both = seconds("import numpy"), seconds("import impinge")
    alone = seconds("import numpy\nbegan = time.perf_counter()\nimport impinge".replace("\n", "; "))
    print(f"import numpy {1e3 * numpy:.0f} ms, import impinge {1e3 * both:.0f} ms, of which {1e3 * alone:.0f} ms after numpy")
    return 0


if __name__ == "__main__":
    sys.exit(main())
