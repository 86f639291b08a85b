"""Exceptions of the package. All are :class:`Error`, and also the built-in exception that they are a case of."""

from __future__ import annotations

__all__ = [
    "Error",
    "ForkedWorld",
    "ImpingeWarning",
    "InvalidMesh",
    "InvalidPose",
    "InvalidSetting",
    "InvalidShape",
    "MeshFileError",
    "NoTriangles",
    "OpenMeshWarning",
    "UnknownCollider",
    "WorkerError",
]


class Error(Exception):
    """Whatever this package refuses. The message says what, where and what would be right."""


class InvalidMesh(Error, ValueError):
    """Arrays or file contents that are no mesh: a coordinate that is not finite, an index out of range, nothing sound."""


class MeshFileError(Error, OSError):
    """A mesh file that cannot be read or written, or is of no known format."""


class InvalidShape(Error, ValueError):
    """A size of a shape that is not positive and finite, or points that span no volume."""


class InvalidPose(Error, ValueError):
    """A pose that is not finite or not rigid, or an array of poses of another shape."""


class InvalidSetting(Error, ValueError):
    """A setting out of range."""


class NoTriangles(Error, ValueError):
    """Triangles were asked about, and a shape has none."""


class UnknownCollider(Error, KeyError):
    """A number of a collider that is not in the world, or a name of an object that is not in a manager."""

    __str__ = Exception.__str__


class ForkedWorld(Error, RuntimeError):
    """A world of the parent of a forked process. Its threads are not there: make a new one."""


class WorkerError(Error, RuntimeError):
    """Work that could not be done, however often it was tried."""


class ImpingeWarning(UserWarning):
    """Base of the package's warnings."""


class OpenMeshWarning(ImpingeWarning):
    """A mesh is open, so that it has no inside."""
