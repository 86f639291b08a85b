"""Worlds of colliders."""

from __future__ import annotations

from . import _impinge
from .results import WorldManifolds

__all__ = ["World"]


class World(_impinge.World):
    __doc__ = _impinge.World.__doc__

    def manifolds(self) -> WorldManifolds:
        """The manifolds of the last step, in the order of the colliders' slots."""
        return WorldManifolds(**self.manifold_arrays())
