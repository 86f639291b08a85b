"""Random poses of two real meshes: one call of impinge beside loops over python-fcl and coal, in turns in one run.

    pip install python-fcl coal && python benchmarks/against_peers.py [--poses 100000] [--rounds 5]

Every round runs all of them; medians and spreads are of the rounds. Answers are compared: where one differs, its distance tells why.
"""

from __future__ import annotations

import argparse
import platform
import statistics
import sys
import time
from pathlib import Path
from typing import Callable, Dict, List

import numpy as np

import impinge
import impinge.batch

ASSETS = Path(__file__).parents[2] / "scenes" / "assets"


def random_poses(count: int, reach: float) -> np.ndarray:
    random = np.random.default_rng(0)
    q = random.normal(size=(count, 4))
    q /= np.linalg.norm(q, axis=1, keepdims=True)
    return np.hstack([random.uniform(-reach, reach, size=(count, 3)), q])


def matrices(poses: np.ndarray) -> np.ndarray:
    x, y, z, w = poses[:, 3:].T
    return np.stack(
        [
            np.stack([1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)], axis=1),
            np.stack([2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)], axis=1),
            np.stack([2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)], axis=1),
        ],
        axis=1,
    )


def with_fcl(a: impinge.Mesh, b: impinge.Mesh) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    import fcl

    def model(mesh: impinge.Mesh) -> "fcl.BVHModel":
        made = fcl.BVHModel()
        made.beginModel(len(mesh.vertices), len(mesh.faces))
        made.addSubModel(mesh.vertices.astype(float), mesh.faces.astype(np.int64))
        made.endModel()
        return made

    first, second = (fcl.CollisionObject(model(m), fcl.Transform()) for m in (a, b))

    def ask(turns: np.ndarray, shifts: np.ndarray) -> np.ndarray:
        request = fcl.CollisionRequest()
        out = np.zeros(len(turns), bool)
        for k in range(len(turns)):
            second.setTransform(fcl.Transform(turns[k], shifts[k]))
            out[k] = fcl.collide(first, second, request, fcl.CollisionResult()) > 0
        return out

    return ask


def with_coal(a: impinge.Mesh, b: impinge.Mesh) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    import coal

    def model(mesh: impinge.Mesh) -> "coal.BVHModelOBBRSS":
        made = coal.BVHModelOBBRSS()
        made.beginModel(len(mesh.faces), len(mesh.vertices))
        made.addVertices(mesh.vertices.astype(float))
        for face in mesh.faces.tolist():
            made.addTriangle(*mesh.vertices[face].astype(float))
        made.endModel()
        return made

    first, second = model(a), model(b)
    here = coal.Transform3s.Identity()

    def ask(turns: np.ndarray, shifts: np.ndarray) -> np.ndarray:
        request, result = coal.CollisionRequest(), coal.CollisionResult()
        out = np.zeros(len(turns), bool)
        for k in range(len(turns)):
            result.clear()
            out[k] = coal.collide(first, here, second, coal.Transform3s(turns[k], shifts[k]), request, result) > 0
        return out

    return ask


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--poses", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--large", type=int, default=1_000_000, help="poses of the comparison of threads; 0 for none")
    parser.add_argument("--meshes", nargs=2, default=["gear.ply", "knot.obj"])
    arguments = parser.parse_args()
    a, b = (impinge.load(ASSETS / name) for name in arguments.meshes)
    poses = random_poses(arguments.poses, 0.8)
    turns, shifts = matrices(poses), np.ascontiguousarray(poses[:, :3])
    print(f"{platform.machine()}, Python {platform.python_version()}, impinge {impinge.__version__}: {a} and {b}, {len(poses)} poses")

    asks: Dict[str, Callable[[], np.ndarray]] = {"impinge, one thread": lambda: impinge.touching(a, b, poses, threads=1)}
    asks["impinge, two threads"] = lambda: impinge.touching(a, b, poses, threads=2)
    asks["impinge, pose by pose"] = lambda: np.array([impinge.touching(a, b, pose) for pose in poses])
    for name, make in (("python-fcl", with_fcl), ("coal", with_coal)):
        try:
            ask = make(a, b)
        except ImportError as error:
            print(f"{name} is not there: {error}", file=sys.stderr)
            continue
        asks[name] = lambda ask=ask: ask(turns, shifts)

    times: Dict[str, List[float]] = {name: [] for name in asks}
    answers: Dict[str, np.ndarray] = {}
    for _ in range(arguments.rounds):
        for name, ask in asks.items():
            began = time.perf_counter()
            answers[name] = ask()
            times[name].append(1e6 * (time.perf_counter() - began) / len(poses))
    expected = answers["impinge, one thread"]
    print(f"{100 * expected.mean():.1f} % touch")
    for name, found in answers.items():
        different = np.flatnonzero(found != expected)
        spread = f"{min(times[name]):.2f} to {max(times[name]):.2f}"
        print(f"{name:24} {statistics.median(times[name]):8.2f} µs a check ({spread}), {len(different)} answers differ")
        for k in different[:5]:
            inside = len(impinge.triangle_pairs(a, b, poses[k]).triangles) == 0 and expected[k]
            print(f"    pose {k}: ours {expected[k]}, distance {impinge.distance(a, b, poses[k])}, one inside the other: {inside}")

    if arguments.large:
        many = random_poses(arguments.large, 0.8)
        spent: Dict[int, List[float]] = {1: [], 2: []}
        for _ in range(min(arguments.rounds, 3)):
            for threads in (1, 2):
                began = time.perf_counter()
                impinge.batch.check(a, b, many, threads=threads, progress=False)
                spent[threads].append(time.perf_counter() - began)
        one, two = (statistics.median(spent[k]) for k in (1, 2))
        print(f"{arguments.large} poses: {one:.2f} s on one thread, {two:.2f} s on two: {one / two:.2f} times as fast")
    return 0


if __name__ == "__main__":
    sys.exit(main())
