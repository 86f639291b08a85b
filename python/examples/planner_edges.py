"""Edges of a road map: straight motions of a body past another, checked pose by pose in one call.

    python examples/planner_edges.py [--out planner_edges.png]

A ring is moved in a plane through another one that it is linked with where it can be. Grey in the picture are places where they touch; green edges
are free, red ones are not.
"""

# %% A ring that stands, and one that moves; free places of the moving one.
from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np

import impinge
from impinge.demo import meshes, picture

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--out", type=Path, default=Path("planner_edges.png"))
arguments = parser.parse_args()
random = np.random.default_rng(3)
standing, moving = impinge.Mesh(*meshes.ring(0.5, 0.12)), impinge.Mesh(*meshes.ring(0.4, 0.1))
# The moving ring's axis lies across the other's.
turn = [np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5)]
SIZE, RANGE = 240, 1.4


def poses(places: np.ndarray) -> np.ndarray:
    flat = np.asarray(places, float).reshape(-1, 2)
    return np.hstack([flat, np.zeros((len(flat), 1)), np.tile(turn, (len(flat), 1))])


places = random.uniform(-RANGE, RANGE, size=(400, 2))
places = places[~impinge.touching(standing, moving, poses(places))]

# %% Each place with its five nearest: edges of 40 poses each, all in one call.
distance = np.linalg.norm(places[:, None] - places[None], axis=-1)
nearest = np.argsort(distance, axis=1)[:, 1:6]
edges = np.unique(np.sort([(i, j) for i, row in enumerate(nearest) for j in row], axis=1), axis=0)
along = np.linspace(0, 1, 40)[None, :, None]
motions = places[edges[:, 0]][:, None] * (1 - along) + places[edges[:, 1]][:, None] * along
began = time.perf_counter()
hits = impinge.touching(standing, moving, poses(motions)).reshape(len(edges), 40)
spent = time.perf_counter() - began
free = ~hits.any(axis=1)
print(f"{len(edges)} edges, {hits.size} poses in {1e3 * spent:.1f} ms ({1e6 * spent / hits.size:.2f} µs each): {free.sum()} free")

# %% How much room is left along the free edges?
room = impinge.distance(standing, moving, poses(motions[free])).reshape(-1, 40).min(axis=1)
print(f"the tightest free edge passes at {1e3 * room.min():.1f} mm, the median one at {1e3 * np.median(room):.0f} mm")

# %% The picture.
axis = np.linspace(-RANGE, RANGE, SIZE)
grid = np.stack(np.meshgrid(axis, axis), axis=-1)
touching = impinge.touching(standing, moving, poses(grid)).reshape(SIZE, SIZE)
image = np.where(touching[..., None], 150, 255).repeat(3, axis=-1).astype(np.uint8).repeat(3, axis=0).repeat(3, axis=1)
for motion, is_free in zip(motions, free):
    steps = np.linspace(0, 1, 200)[:, None]
    dots = (((1 - steps) * motion[0] + steps * motion[-1]) + RANGE) / (2 * RANGE) * (3 * SIZE - 1)
    column, row = np.rint(dots).astype(int).T
    image[row, column] = (30, 140, 60) if is_free else (200, 50, 40)
picture.write_png(arguments.out, image[::-1])
print(f"picture: {arguments.out}")
