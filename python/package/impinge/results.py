"""Answers with several arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, Tuple

import numpy as np

__all__ = ["Contacts", "Intersections", "Nearest", "TrianglePairs", "WorldManifolds"]


@dataclass(frozen=True, eq=False, repr=False)
class Contacts:
    """Contact points of many questions, one after the other.

    The points of question ``k`` are ``offsets[k]:offsets[k + 1]`` of every array with a row for each point, its manifolds
    ``manifold_offsets[k]:manifold_offsets[k + 1]`` of every array with a row for each manifold. ``contacts[k]`` has those of
    one question. Positions and normals are in the frame of A.
    """

    #: Sizes of the questions' arrangement: ``()``, ``(N,)``, ``(K,)`` or ``(K, N)``.
    shape: Tuple[int, ...]
    #: Where the points of each question begin, shape (Q + 1,) int64.
    offsets: np.ndarray
    #: Halfway between both surfaces (m), shape (P, 3).
    positions: np.ndarray
    #: Unit, from A to B, shape (P, 3).
    normals: np.ndarray
    #: Overlap along the normal (m), negative for a gap; shape (P,).
    depths: np.ndarray
    #: The area that the point stands for (m²), shape (P,).
    weights: np.ndarray
    #: Names of the points, shape (P,) uint64.
    keys: np.ndarray
    #: The point on A's surface in the frame of A, and on B's in the frame of B (m), shape (P, 3) float32.
    local_a: np.ndarray
    local_b: np.ndarray
    #: The manifold of each point, shape (P,) int64.
    manifolds: np.ndarray
    #: Where the manifolds of each question begin, shape (Q + 1,) int64.
    manifold_offsets: np.ndarray
    #: Unit, from A to B, shape (M, 3).
    manifold_normals: np.ndarray
    #: How far B has to move along the normal to free the region (m), negative for a gap; shape (M,).
    manifold_depths: np.ndarray
    #: Volume of the overlap (m³), shape (M,).
    manifold_volumes: np.ndarray
    #: Area of the region seen along the normal (m²), shape (M,).
    manifold_areas: np.ndarray
    #: Centroid of the overlap (m), shape (M, 3).
    manifold_centroids: np.ndarray
    #: The children of composites that touch, 0 of a simple shape; shape (M, 2) uint32.
    subshapes: np.ndarray

    _BY_POINT = ("positions", "normals", "depths", "weights", "keys", "local_a", "local_b")
    _BY_MANIFOLD = (
        "manifold_normals",
        "manifold_depths",
        "manifold_volumes",
        "manifold_areas",
        "manifold_centroids",
        "subshapes",
    )

    def __repr__(self) -> str:
        return f"Contacts(shape={self.shape}, {len(self.depths)} points in {len(self.manifold_depths)} manifolds)"

    def __len__(self) -> int:
        """How many questions there are."""
        return len(self.offsets) - 1

    def __getitem__(self, question: int) -> "Contacts":
        """The contacts of one question."""
        count = len(self)
        if not -count <= question < count:
            raise IndexError(f"question {question} of {count}")
        question %= count
        points = slice(self.offsets[question], self.offsets[question + 1])
        manifolds = slice(self.manifold_offsets[question], self.manifold_offsets[question + 1])
        fields: Dict[str, Any] = {name: getattr(self, name)[points] for name in self._BY_POINT}
        fields.update({name: getattr(self, name)[manifolds] for name in self._BY_MANIFOLD})
        ends = np.array([0, points.stop - points.start])
        manifold_ends = np.array([0, manifolds.stop - manifolds.start])
        first = self.manifolds[points] - manifolds.start
        return Contacts(shape=(), offsets=ends, manifolds=first, manifold_offsets=manifold_ends, **fields)

    @property
    def counts(self) -> np.ndarray:
        """How many points every question has, in the arrangement of the questions, int64."""
        return np.diff(self.offsets).reshape(self.shape)

    def deepest(self) -> np.ndarray:
        """The greatest depth of every question (m), ``-inf`` without points, in the arrangement of the questions."""
        out = np.full(len(self), -np.inf)
        np.maximum.at(out, np.repeat(np.arange(len(self)), np.diff(self.offsets)), self.depths)
        return out.reshape(self.shape)


@dataclass(frozen=True, eq=False, repr=False)
class WorldManifolds:
    """The manifolds of a world's last step. Rows as of :class:`Contacts`, in the world's frame."""

    #: Numbers of the colliders A and B of every manifold, shape (M, 2) uint64.
    colliders: np.ndarray
    #: Where the points of each manifold begin, shape (M + 1,) int64.
    offsets: np.ndarray
    #: Per point, as in :class:`Contacts`.
    positions: np.ndarray
    normals: np.ndarray
    depths: np.ndarray
    weights: np.ndarray
    keys: np.ndarray
    local_a: np.ndarray
    local_b: np.ndarray
    manifolds: np.ndarray
    #: Per manifold, as in :class:`Contacts`.
    manifold_normals: np.ndarray
    manifold_depths: np.ndarray
    manifold_volumes: np.ndarray
    manifold_areas: np.ndarray
    manifold_centroids: np.ndarray
    subshapes: np.ndarray

    def __repr__(self) -> str:
        return f"WorldManifolds({len(self)} manifolds with {len(self.depths)} points)"

    def __len__(self) -> int:
        """How many manifolds there are."""
        return len(self.offsets) - 1


@dataclass(frozen=True, eq=False, repr=False)
class TrianglePairs:
    """Pairs of triangles that share a point, question after question."""

    #: Sizes of the questions' arrangement: ``()``, ``(N,)``, ``(K,)`` or ``(K, N)``.
    shape: Tuple[int, ...]
    #: Where the pairs of each question begin, shape (Q + 1,) int64.
    offsets: np.ndarray
    #: Rows of ``faces`` of A and of B, shape (P, 2) uint32.
    triangles: np.ndarray
    #: The children of composites that they belong to, 0 of a simple shape; shape (P, 2) uint32.
    subshapes: np.ndarray

    def __repr__(self) -> str:
        return f"TrianglePairs(shape={self.shape}, {len(self.triangles)} pairs)"

    def __len__(self) -> int:
        """How many questions there are."""
        return len(self.offsets) - 1

    def __getitem__(self, question: int) -> np.ndarray:
        """The pairs of one question, shape (p, 2) uint32."""
        count = len(self)
        if not -count <= question < count:
            raise IndexError(f"question {question} of {count}")
        question %= count
        return self.triangles[self.offsets[question] : self.offsets[question + 1]]

    @property
    def counts(self) -> np.ndarray:
        """How many pairs every question has, in the arrangement of the questions, int64."""
        return np.diff(self.offsets).reshape(self.shape)


@dataclass(frozen=True, eq=False)
class Nearest:
    """Nearest points, in the frame of A. Sizes are those of the questions' arrangement, then what is said here."""

    #: Distances (m): 0 where the shapes touch, infinite beyond the bound.
    distances: Any
    #: The nearest point of A (m), (3,); NaN where there is none.
    points_a: np.ndarray
    #: The nearest point of B (m), (3,); NaN where there is none.
    points_b: np.ndarray
    #: Unit, from A's point to B's, (3,); NaN where there is none.
    normals: np.ndarray


@dataclass(frozen=True, eq=False)
class Intersections:
    """What two bodies share, in the frame of A; NaN where a body has no inside. Sizes as of :class:`Nearest`."""

    #: Volumes (m³).
    volumes: Any
    #: No more than this is a volume off by (m³); infinite where no bound is known.
    errors: Any
    #: Derivative of the volume when A is moved (m²), (3,).
    gradients: np.ndarray
    #: Derivative of the volume when A is turned about its origin (m³), (3,).
    moments: np.ndarray
    #: Centroid of the overlap (m), (3,); NaN where there is none.
    centroids: np.ndarray
