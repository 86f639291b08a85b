"""Where can a gripper reach into a bin of a hundred objects?

    python examples/grasp_check.py [--out grasp_check.png]

Every place of a grid over the bin is tried at eight angles and six heights, as one call. The picture shows, from above, how deep the gripper
gets: the brighter, the deeper; red where it cannot even begin.
"""

# %% A bin of a hundred meshes, as they might lie there.
from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np

import impinge
from impinge.demo import meshes, picture

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--out", type=Path, default=Path("grasp_check.png"))
parser.add_argument("--across", type=int, default=48, help="places along each side of the bin")
arguments = parser.parse_args()
random = np.random.default_rng(7)


def upright(place: np.ndarray, angle: float) -> np.ndarray:
    return np.array([*place, 0.0, 0.0, np.sin(angle / 2), np.cos(angle / 2)])


world = impinge.World()
objects = [
    impinge.Mesh(*meshes.ring(0.05, 0.015, 32, 16)),
    impinge.Mesh(*meshes.bowl(0.06, 0.008, 8, 24)),
    impinge.Mesh(*meshes.nut(0.02, 0.005, 0.012, 0.025, 0.045, 0.001, 32, 6)),
]
for k in range(100):
    turn = random.normal(size=4)
    turn /= np.linalg.norm(turn)
    place = [random.uniform(-0.35, 0.35), random.uniform(-0.35, 0.35), random.uniform(0.03, 0.16)]
    world.add(objects[k % 3], [*place, *turn], fixed=True)
floor, wall = impinge.Box([0.45, 0.45, 0.01]), impinge.Box([0.01, 0.45, 0.15])
world.add(floor, [0, 0, -0.01, 0, 0, 0, 1], fixed=True)
for angle in np.arange(4) * np.pi / 2:
    world.add(wall, upright(np.array([0.44 * np.cos(angle), 0.44 * np.sin(angle), 0.14]), angle), fixed=True)

# %% A gripper of two fingers and a palm, its fingertips at the origin.
finger, palm = impinge.Box([0.006, 0.012, 0.06]), impinge.Box([0.07, 0.02, 0.03])
gripper = impinge.Composite(
    [
        ("left", [-0.05, 0, 0.06, 0, 0, 0, 1], finger),
        ("right", [0.05, 0, 0.06, 0, 0, 0, 1], finger),
        ("palm", [0, 0, 0.15, 0, 0, 0, 1], palm),
    ]
)

# %% Every place, angle and height in one call.
axis = np.linspace(-0.4, 0.4, arguments.across)
angles = np.arange(8) * np.pi / 8
heights = np.linspace(0.02, 0.22, 6)
poses = np.array([upright(np.array([x, y, z]), a) for y in axis for x in axis for a in angles for z in heights])
began = time.perf_counter()
blocked = world.touches(gripper, poses)
spent = time.perf_counter() - began
print(f"{len(poses)} poses among {len(world)} colliders in {spent:.2f} s: {1e6 * spent / len(poses):.1f} µs each")

# %% How deep from above, at the best angle: the lowest height down to which all above is free.
free = ~blocked.reshape(len(axis), len(axis), len(angles), len(heights))
depth = np.cumprod(free[..., ::-1], axis=-1).sum(axis=-1).max(axis=-1)
print(f"to the floor at {100 * (depth == len(heights)).mean():.1f} % of the places, not even in at {100 * (depth == 0).mean():.1f} %")
image = np.repeat((40 * depth)[..., None], 3, axis=-1).astype(np.uint8)
image[depth == 0] = (170, 40, 40)
picture.write_png(arguments.out, image[::-1].repeat(8, axis=0).repeat(8, axis=1))
print(f"picture: {arguments.out}")
