"""Questions about pairs of shapes.

``a`` and ``b`` are shapes, or lists of K shapes (of which one may be a single shape): pair k is ``a[k]`` with ``b[k]``.

``poses`` are those of B in A's frame (m): ``None`` for the identity; one, ``(4, 4)`` or ``(7,)`` as x, y, z, qx, qy, qz, qw;
N, ``(N, 4, 4)`` or ``(N, 7)``, the same for all pairs; or ``(K, N, 4, 4)`` or ``(K, N, 7)``, N for each pair. They must be rigid.

An answer is a number for one pair at one pose, else an array of shape ``(N,)``, ``(K,)`` or ``(K, N)``. Answers are the same to
the last bit for any number of threads. The interpreter's lock is free meanwhile. ``threads`` is the number of threads of this call;
without it, it is that of :func:`impinge.set_threads`.

Every function raises :class:`~impinge.InvalidPose` for a pose that is not finite or not rigid (naming it), and ``TypeError`` for what is
no shape.
"""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from . import _impinge
from .results import Contacts, Intersections, Nearest, TrianglePairs

__all__ = [
    "contacts",
    "distance",
    "intersection",
    "intersection_volume",
    "nearest",
    "touching",
    "triangle_pairs",
]


def touching(a: Any, b: Any, poses: Any = None, *, threads: Optional[int] = None) -> Any:
    """Whether the bodies touch: their surfaces share a point (exact for triangles), or one is inside the other.

    Returns bool, or a bool array. See :mod:`impinge.queries` for the arguments.
    """
    return _impinge.touching(a, b, poses, threads=threads)


def distance(
    a: Any, b: Any, poses: Any = None, *, bound: float = np.inf, threads: Optional[int] = None
) -> Any:
    """Distances (m): 0 where the bodies touch. Beyond ``bound`` (m) it is infinite, and found sooner.

    Returns float, or a float64 array. See :mod:`impinge.queries` for the arguments.
    """
    return _impinge.distance(a, b, poses, bound=bound, threads=threads)


def nearest(
    a: Any, b: Any, poses: Any = None, *, bound: float = np.inf, threads: Optional[int] = None
) -> Nearest:
    """Distances with the points in which the bodies are nearest. Arguments as of :func:`distance`."""
    return Nearest(**_impinge.nearest(a, b, poses, bound=bound, threads=threads))


def contacts(
    a: Any,
    b: Any,
    poses: Any = None,
    *,
    margin: Any = 0.0,
    resolution: int = 32,
    max_points: int = 4,
    max_manifolds: int = 4,
    threads: Optional[int] = None,
) -> Contacts:
    """Contact manifolds: for each region of overlap a normal, a depth and at most ``max_points`` points.

    margin: bodies closer than this (m) give points of negative depth; a number, or (K,) of one for each pair. resolution: columns per
    side of a view, a power of two from 4 to 256. max_manifolds: the deepest are kept. Open meshes give contacts where their surfaces cross. See :mod:`impinge.queries`
    for the other arguments.

    Raises InvalidSetting for a setting out of range.
    """
    return Contacts(
        **_impinge.contacts(
            a,
            b,
            poses,
            margin=margin,
            resolution=resolution,
            max_points=max_points,
            max_manifolds=max_manifolds,
            threads=threads,
        )
    )


def triangle_pairs(a: Any, b: Any, poses: Any = None, *, threads: Optional[int] = None) -> TrianglePairs:
    """All pairs of triangles that share a point (exact), sorted. Numbers are rows of :attr:`Mesh.faces`.

    Raises NoTriangles where a shape is smooth: a half-space, sphere, capsule or cylinder.
    """
    return TrianglePairs(**_impinge.triangle_pairs(a, b, poses, threads=threads))


def intersection(a: Any, b: Any, poses: Any = None, *, threads: Optional[int] = None) -> Intersections:
    """The volume that is in both bodies, with its error bound, derivatives and centroid."""
    return Intersections(**_impinge.intersection(a, b, poses, threads=threads))


def intersection_volume(a: Any, b: Any, poses: Any = None, *, threads: Optional[int] = None) -> Any:
    """The volume that is in both bodies (m³), exact to rounding for meshes; NaN where one has no inside.

    Returns float, or a float64 array.
    """
    return _impinge.intersection(a, b, poses, threads=threads)["volumes"]
