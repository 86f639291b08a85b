"""Meshes and poses that the tests share."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import impinge

ASSETS = Path(__file__).parents[2] / "scenes" / "assets"


@pytest.fixture(scope="session")
def assets() -> Path:
    assert ASSETS.is_dir(), f"the tests run in a checkout; {ASSETS} is not there"
    return ASSETS


@pytest.fixture(scope="session")
def gear(assets: Path) -> impinge.Mesh:
    return impinge.load(assets / "gear.ply")


@pytest.fixture(scope="session")
def knot(assets: Path) -> impinge.Mesh:
    return impinge.load(assets / "knot.obj")


@pytest.fixture(scope="session")
def torus(assets: Path) -> impinge.Mesh:
    return impinge.load(assets / "torus.stl")


def random_poses(count: int, reach: float, seed: int = 0) -> np.ndarray:
    """Rotations of all directions alike, positions in a cube of +-reach (m)."""
    random = np.random.default_rng(seed)
    q = random.normal(size=(count, 4))
    q /= np.linalg.norm(q, axis=1, keepdims=True)
    x, y, z, w = q.T
    poses = np.tile(np.eye(4), (count, 1, 1))
    poses[:, 0, :3] = np.stack([1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)], axis=1)
    poses[:, 1, :3] = np.stack([2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)], axis=1)
    poses[:, 2, :3] = np.stack([2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)], axis=1)
    poses[:, :3, 3] = random.uniform(-reach, reach, size=(count, 3))
    return poses


def translated(*shifts: "tuple[float, float, float]") -> np.ndarray:
    poses = np.tile(np.eye(4), (len(shifts), 1, 1))
    poses[:, :3, 3] = shifts
    return poses
