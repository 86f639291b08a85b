"""Poses of two real meshes on one Ray worker and on two, in turns.

    pip install ray && python benchmarks/ray_workers.py [--poses 400000] [--rounds 3]

A run's rate is that from its first chunk of answers to its last: workers take seconds to start, and that is told by itself.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
from pathlib import Path
from typing import Dict, List, Tuple

import numpy as np

import impinge
import impinge.ray

ASSETS = Path(__file__).parents[2] / "scenes" / "assets"


def run(a: impinge.Mesh, b: impinge.Mesh, poses: np.ndarray, chunk: int, workers: int) -> Tuple[float, float, np.ndarray]:
    """Seconds to the first answers, poses a second from then on, and the answers."""
    began = time.perf_counter()
    parts, first = [], 0.0
    for part in impinge.ray.stream(a, b, poses, question="distance", bound=0.2, chunk=chunk, workers=workers):
        first = first or time.perf_counter()
        parts.append(part)
    ended = time.perf_counter()
    return first - began, (len(poses) - len(parts[0])) / (ended - first), np.concatenate(parts)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--poses", type=int, default=400_000)
    parser.add_argument("--chunk", type=int, default=4096)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    import ray

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    a, b = (impinge.load(ASSETS / name) for name in ("gear.ply", "knot.obj"))
    random = np.random.default_rng(0)
    q = random.normal(size=(arguments.poses, 4))
    q /= np.linalg.norm(q, axis=1, keepdims=True)
    poses = np.hstack([random.uniform(-0.8, 0.8, size=(arguments.poses, 3)), q])
    rates: Dict[int, List[float]] = {1: [], 2: []}
    expected = None
    for _ in range(arguments.rounds):
        for workers in rates:
            load = os.getloadavg()[0]
            start, rate, answers = run(a, b, poses, arguments.chunk, workers)
            rates[workers].append(rate)
            print(f"{workers} workers: {start:.1f} s to the first answers, then {rate:,.0f} poses a second; load {load:.1f}", flush=True)
            expected = answers if expected is None else expected
            np.testing.assert_array_equal(answers, expected)
    one, two = (statistics.median(rates[workers]) for workers in rates)
    print(f"medians: {one:,.0f} and {two:,.0f} poses a second: two workers do {two / one:.2f} times as many as one")
    return 0


if __name__ == "__main__":
    sys.exit(main())
