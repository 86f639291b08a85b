"""Closed meshes of the demonstrations, as arrays."""

from __future__ import annotations

from typing import List, Sequence, Tuple

import numpy as np

Arrays = Tuple[np.ndarray, np.ndarray]

__all__ = ["ball", "bolt", "bowl", "grid_faces", "lathe", "nut", "peg", "ring"]


def grid_faces(rows: int, columns: int, row_wraps: bool) -> np.ndarray:
    """Two triangles for each cell of a grid of vertices whose columns wrap round. Shape (F, 3)."""
    faces: List[Tuple[int, int, int]] = []
    for i in range(rows if row_wraps else rows - 1):
        for j in range(columns):
            a, b = i * columns + j, i * columns + (j + 1) % columns
            c, d = (i + 1) % rows * columns + j, (i + 1) % rows * columns + (j + 1) % columns
            faces += [(a, b, d), (a, d, c)]
    return np.array(faces)


def ring(radius: float, tube: float, around: int = 48, across: int = 24) -> Arrays:
    """A torus around z (m): ``2 * around * across`` triangles."""
    u = np.linspace(0, 2 * np.pi, around, endpoint=False)[:, None]
    v = np.linspace(0, 2 * np.pi, across, endpoint=False)[None]
    r = radius + tube * np.cos(v)
    points = np.stack([r * np.cos(u), r * np.sin(u), np.broadcast_to(tube * np.sin(v), (around, across))], axis=-1)
    # The grid's cells look inward.
    return points.reshape(-1, 3), grid_faces(around, across, row_wraps=True)[:, ::-1]


def lathe(profile: Sequence[Tuple[float, float]], around: int = 40) -> Arrays:
    """The body that a line of (r, z) sweeps about z (m), from the axis (r = 0) upward and back to the axis, counter-clockwise."""
    middle = np.array([p for p in profile if p[0] > 0.0])
    angle = np.linspace(0, 2 * np.pi, around, endpoint=False)
    rim = np.stack(
        [
            middle[:, :1] * np.cos(angle),
            middle[:, :1] * np.sin(angle),
            np.broadcast_to(middle[:, 1:], (len(middle), around)),
        ],
        axis=-1,
    ).reshape(-1, 3)
    faces = grid_faces(len(middle), around, row_wraps=False)
    first, last = len(rim), len(rim) + 1
    j = np.arange(around)
    top = (len(middle) - 1) * around
    caps = [
        np.stack([np.full(around, first), (j + 1) % around, j], axis=1),
        np.stack([np.full(around, last), top + j, top + (j + 1) % around], axis=1),
    ]
    vertices = np.vstack([rim, [[0, 0, profile[0][1]], [0, 0, profile[-1][1]]]])
    return vertices, np.vstack([faces, *caps])


def peg(radius: float = 0.05, height: float = 0.4, plate: float = 0.3, thickness: float = 0.04, around: int = 48) -> Arrays:
    """An upright peg on a round plate whose top is z = 0 (m)."""
    return lathe(
        [(0, -thickness), (plate, -thickness), (plate, 0), (radius, 0), (radius, height), (0, height)], around
    )


def bowl(radius: float = 0.4, wall: float = 0.04, rings: int = 11, around: int = 40) -> Arrays:
    """Half a hollow ball, open at the top, its lowest point at z = 0 (m)."""
    angle = np.linspace(0, np.pi / 2, rings + 1)
    outer = [(radius * np.sin(a), radius - radius * np.cos(a)) for a in angle]
    inner = [((radius - wall) * np.sin(a), radius - (radius - wall) * np.cos(a)) for a in angle[::-1]]
    profile = outer + inner
    profile[0], profile[-1] = (0.0, 0.0), (0.0, wall)
    return lathe(profile, around)


def ball(radius: float, across: int = 12, around: int = 24) -> Arrays:
    """A ball around the origin (m)."""
    angle = np.linspace(-np.pi / 2, np.pi / 2, across + 1)
    profile = [(radius * np.cos(a), radius * np.sin(a)) for a in angle]
    profile[0], profile[-1] = (0.0, -radius), (0.0, radius)
    return lathe(profile, around)


def _thread(radius: float, depth: float, pitch: float, z: np.ndarray, angle: np.ndarray) -> np.ndarray:
    """Radius of a rounded thread that winds to the right (m), at heights ``z`` and angles."""
    return radius + 0.5 * depth * np.cos(2 * np.pi * z / pitch - angle)


def bolt(
    radius: float = 0.15, depth: float = 0.04, pitch: float = 0.1, length: float = 0.7, around: int = 48, per_pitch: int = 14
) -> Arrays:
    """A threaded rod upright on z = 0 (m)."""
    rows = int(round(length / pitch * per_pitch)) + 1
    z = np.linspace(0.0, length, rows)[:, None]
    angle = np.linspace(0, 2 * np.pi, around, endpoint=False)[None]
    r = _thread(radius, depth, pitch, z, angle)
    wall = np.stack([r * np.cos(angle), r * np.sin(angle), np.broadcast_to(z, r.shape)], axis=-1).reshape(-1, 3)
    faces = grid_faces(rows, around, row_wraps=False)
    j = np.arange(around)
    top = (rows - 1) * around
    caps = [
        np.stack([np.full(around, len(wall)), (j + 1) % around, j], axis=1),
        np.stack([np.full(around, len(wall) + 1), top + j, top + (j + 1) % around], axis=1),
    ]
    return np.vstack([wall, [[0, 0, 0], [0, 0, length]]]), np.vstack([faces, *caps])


def nut(
    radius: float = 0.15,
    depth: float = 0.04,
    pitch: float = 0.1,
    height: float = 0.2,
    outer: float = 0.3,
    clearance: float = 0.004,
    around: int = 48,
    per_pitch: int = 8,
) -> Arrays:
    """A hexagonal nut around z that fits :func:`bolt`, its lower face at z = 0 (m)."""
    rows = int(round(height / pitch * per_pitch)) + 1
    z = np.linspace(0.0, height, rows)[:, None]
    angle = np.linspace(0, 2 * np.pi, around, endpoint=False)[None]
    r = _thread(radius + clearance, depth, pitch, z, angle)
    inside = np.stack([r * np.cos(angle), r * np.sin(angle), np.broadcast_to(z, r.shape)], axis=-1)
    flat = outer * np.cos(np.pi / 6) / np.cos((angle[0] + np.pi / 6) % (np.pi / 3) - np.pi / 6)
    side = np.stack([flat * np.cos(angle[0]), flat * np.sin(angle[0])], axis=-1)
    outside = [np.column_stack([side, np.full(around, level)]) for level in (height, 0.0)]
    # Up the thread, over the top, down the outside, and back below.
    vertices = np.vstack([inside.reshape(-1, 3), *outside])
    faces = grid_faces(rows + 2, around, row_wraps=True)[:, ::-1]
    return vertices, faces
