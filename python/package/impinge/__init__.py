"""Collision detection between arbitrary meshes, without preprocessing.

>>> import impinge, numpy as np
>>> cube = impinge.Box([0.5, 0.5, 0.5])
>>> poses = np.tile(np.eye(4), (3, 1, 1))
>>> poses[:, 2, 3] = [0.0, 0.75, 1.5]
>>> impinge.touching(cube, cube, poses)
array([ True,  True, False])
>>> impinge.distance(cube, cube, poses)
array([0. , 0. , 0.5])
>>> found = impinge.contacts(cube, cube, poses[1])
>>> found.depths.max(), found.normals[0]
(0.25, array([0., 0., 1.]))

Lengths are metres. Shapes are kept in float32, poses in float64. See :mod:`impinge.queries` for what poses may be.
"""

from __future__ import annotations

import os as _os

from . import errors
from ._impinge import (
    Box,
    Capsule,
    Composite,
    Cylinder,
    HalfSpace,
    HeightField,
    Hull,
    LevelSet,
    Mesh,
    Particles,
    Shape,
    Sphere,
    __version__,
    from_json,
    get_threads,
    load,
    set_threads,
)
from ._impinge import after_fork_in_child as _after_fork_in_child
from .errors import (
    Error,
    ForkedWorld,
    ImpingeWarning,
    InvalidMesh,
    InvalidPose,
    InvalidSetting,
    InvalidShape,
    MeshFileError,
    NoTriangles,
    OpenMeshWarning,
    UnknownCollider,
    WorkerError,
)
from .queries import contacts, distance, intersection, intersection_volume, nearest, touching, triangle_pairs
from .results import Contacts, Intersections, Nearest, TrianglePairs, WorldManifolds
from .world import World

if hasattr(_os, "register_at_fork"):
    # The threads of the parent do not exist in a forked child.
    _os.register_at_fork(after_in_child=_after_fork_in_child)

__all__ = [
    "Box",
    "Capsule",
    "Composite",
    "Contacts",
    "Cylinder",
    "Error",
    "ForkedWorld",
    "HalfSpace",
    "HeightField",
    "Hull",
    "ImpingeWarning",
    "Intersections",
    "InvalidMesh",
    "InvalidPose",
    "InvalidSetting",
    "InvalidShape",
    "LevelSet",
    "Mesh",
    "MeshFileError",
    "Nearest",
    "NoTriangles",
    "OpenMeshWarning",
    "Particles",
    "Shape",
    "Sphere",
    "TrianglePairs",
    "UnknownCollider",
    "WorkerError",
    "World",
    "WorldManifolds",
    "__version__",
    "contacts",
    "distance",
    "errors",
    "from_json",
    "get_threads",
    "intersection",
    "intersection_volume",
    "load",
    "nearest",
    "set_threads",
    "touching",
    "triangle_pairs",
]
