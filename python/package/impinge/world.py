"""Worlds of colliders."""

from __future__ import annotations

from typing import Any, Dict

from . import _impinge
from .results import WorldManifolds

__all__ = ["World"]


class World(_impinge.World):
    __doc__ = _impinge.World.__doc__

    def manifolds(self) -> WorldManifolds:
        """The manifolds of the last step, in the order of the colliders' slots."""
        return WorldManifolds(**self.manifold_arrays())

    def set_heights(self, collider: int, first: Any, heights: Any) -> None:
        """Gives samples of the height field that a collider places other heights (m), shape (rows, samples), from ``first``, (sample along x, row), on.

        All colliders that place it in this world change; the shape's object stays what it was. Contacts keep their keys and impulses. Nothing has
        changed where it raises. So it is with all calls below.
        """
        _impinge.set_heights(self, collider, first, heights)

    def edit_levels(self, collider: int, first: Any, values: Any) -> None:
        """Gives samples of a level set other values, shape (along z, along y, along x), from ``first``, (along x, y, z), on."""
        _impinge.edit_levels(self, collider, first, values)

    def edit_vertices(self, collider: int, vertices: Any, places: Any) -> None:
        """Has some vertices of a mesh stand elsewhere (m): their indices, shape (K,), and places, shape (K, 3)."""
        _impinge.edit_vertices(self, collider, vertices, places)

    def remove_triangles(self, collider: int, triangles: Any) -> int:
        """Takes triangles out of a mesh, by their indices, shape (K,), and returns how many."""
        return _impinge.remove_triangles(self, collider, triangles)

    def set_particles(self, collider: int, first: int, centers: Any) -> None:
        """Puts particles from index ``first`` on elsewhere: centres, shape (K, 3) (m)."""
        _impinge.set_particles(self, collider, first, centers)

    def replace_shape(self, collider: int, shape: _impinge.Shape) -> None:
        """Puts another shape in the place of the one that a collider places: ground that is loaded, a ball of another radius."""
        _impinge.replace_shape(self, collider, shape)

    def particle_contacts(self) -> Dict[str, Any]:
        """The contacts of particles that the last step found, as flat arrays.

        ``colliders``, shape (C, 2), that of the particles first; ``particles`` (C,); ``positions`` and ``normals``, shape (C, 3) (m, world), by
        which a particle is pushed out; ``depths`` (C,) (m).
        """
        return _impinge.particle_contacts(self)
