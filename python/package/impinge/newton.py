"""Contacts of a Newton model from its meshes as they are, in place of Newton's own collision pipeline.

>>> from impinge.newton import Collider
>>> collider = Collider(model)             # doctest: +SKIP
>>> collider.collide(state, contacts)      # doctest: +SKIP
>>> solver.step(state, next_state, control, contacts, dt)  # doctest: +SKIP

Works with Newton 1.8, whose ``Contacts`` may change. Contacts are found on the CPU: where the model is on another device, poses and
contacts are copied through the host.
"""

from __future__ import annotations

import warnings
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

import numpy as np

from . import _impinge, queries
from .errors import ImpingeWarning, InvalidPose

__all__ = ["Collider"]

#: Where a gap reaches farther than this part of the smaller shape's diagonal, bodies apart have one contact, at the nearest points: views
#: of so much of the surfaces would be too coarse.
_FAR = 0.25


def _shape_of(kind: int, kinds: Any, scale: np.ndarray, source: Any) -> Optional[_impinge.Shape]:
    """A shape of Newton's; None of kinds that are not known here."""
    if kind == kinds.MESH:
        vertices = np.asarray(source.vertices, float).reshape(-1, 3) * scale
        return _impinge.Mesh(vertices, np.asarray(source.indices, np.int64).reshape(-1, 3))
    if kind == kinds.CONVEX_MESH:
        return _impinge.Hull(np.asarray(source.vertices, float).reshape(-1, 3) * scale)
    if kind == kinds.PLANE:
        return _impinge.HalfSpace()
    if kind == kinds.SPHERE:
        return _impinge.Sphere(float(scale[0]))
    if kind == kinds.CAPSULE:
        return _impinge.Capsule(float(scale[1]), float(scale[0]))
    if kind == kinds.CYLINDER:
        return _impinge.Cylinder(float(scale[1]), float(scale[0]))
    if kind == kinds.BOX:
        return _impinge.Box([float(x) for x in scale])
    return None


def _matrices(poses: np.ndarray) -> np.ndarray:
    """(N, 7) poses x, y, z, qx, qy, qz, qw as matrices, (N, 4, 4)."""
    x, y, z, w = (poses[:, 3:] / np.linalg.norm(poses[:, 3:], axis=1, keepdims=True)).T
    out = np.tile(np.eye(4), (len(poses), 1, 1))
    out[:, 0, :3] = np.stack([1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)], axis=1)
    out[:, 1, :3] = np.stack([2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)], axis=1)
    out[:, 2, :3] = np.stack([2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)], axis=1)
    out[:, :3, 3] = poses[:, :3]
    return out


def _inverse(poses: np.ndarray) -> np.ndarray:
    """Inverses of rigid matrices, (N, 4, 4)."""
    out = np.tile(np.eye(4), (len(poses), 1, 1))
    turned = np.swapaxes(poses[:, :3, :3], 1, 2)
    out[:, :3, :3] = turned
    out[:, :3, 3] = -np.einsum("nij,nj->ni", turned, poses[:, :3, 3])
    return out


class _Points(NamedTuple):
    """Contacts, a row each."""

    #: Numbers of both shapes.
    a: np.ndarray
    b: np.ndarray
    #: The points on both surfaces, each in its shape's frame (m).
    on_a: np.ndarray
    on_b: np.ndarray
    #: Unit, from A to B, in A's frame.
    normals: np.ndarray
    #: Overlap (m), negative for a gap.
    depths: np.ndarray

    def kept(self, rows: np.ndarray) -> "_Points":
        return _Points(*(array[rows] for array in self))

    def beside(self, other: "_Points") -> "_Points":
        return _Points(*(np.concatenate(both) for both in zip(self, other)))


class Collider:
    """The shapes of a Newton model, made ready.

    model: a finalized ``newton.Model``. Which shapes may collide is the model's ``shape_contact_pairs``. Two shapes have contacts where
    they are closer than the sum of their ``shape_margin`` and of ``margin`` (m); where they have none, and are closer than this and the
    sum of their ``shape_gap``, they have contacts of bodies apart. resolution: columns per side of a view, a power of two.

    Meshes, convex meshes, planes, spheres, capsules, cylinders and boxes collide; pairs with other kinds of shapes are left out, and an
    ImpingeWarning says so. Raises InvalidSetting for a margin or resolution out of range.
    """

    def __init__(self, model: Any, *, margin: float = 0.0, resolution: int = 32):
        import newton

        kinds = newton.GeoType
        self._bodies = model.shape_body.numpy().astype(int)
        self._local = _matrices(model.shape_transform.numpy().reshape(-1, 7).astype(float))
        self._thickness = model.shape_margin.numpy().astype(float)
        self._gap = model.shape_gap.numpy().astype(float)
        self._left_out = 0
        pairs = model.shape_contact_pairs
        self._pairs = np.zeros((0, 2), int) if pairs is None else pairs.numpy().reshape(-1, 2).astype(int)
        types, scales = model.shape_type.numpy(), model.shape_scale.numpy().reshape(-1, 3)
        self._shapes: List[Optional[_impinge.Shape]] = []
        used = set(self._pairs.ravel().tolist())
        #: Shapes of one mesh and one scale are one.
        known: Dict[Tuple[Any, ...], Optional[_impinge.Shape]] = {}
        unknown = set()
        for k, (kind, scale, source) in enumerate(zip(types.tolist(), scales, model.shape_source)):
            key = (kind, id(source), tuple(scale.tolist()))
            if key not in known and k in used:
                known[key] = _shape_of(kind, kinds, scale, source)
            self._shapes.append(known.get(key) if k in used else None)
            if k in used and self._shapes[k] is None:
                unknown.add(kinds(kind).name)
        if unknown:
            warnings.warn(f"shapes of these kinds have no contacts: {', '.join(sorted(unknown))}", ImpingeWarning, stacklevel=2)
        keep = [all(self._shapes[k] is not None for k in pair) for pair in self._pairs.tolist()]
        self._pairs = self._pairs[np.array(keep, bool)]
        bounds = [np.zeros((2, 3)) if shape is None else shape.bounds for shape in self._shapes]
        self._bounds = np.clip(np.array(bounds).reshape(-1, 2, 3), -1e30, 1e30)
        self._margin, self._resolution = float(margin), resolution
        # Refuses settings out of range here rather than in the first step.
        queries.contacts(_impinge.Sphere(1.0), _impinge.Sphere(1.0), margin=margin, resolution=resolution)

    @property
    def left_out(self) -> int:
        """How many contacts of the last call had no room: those farthest apart."""
        return self._left_out

    def _near(self, world: np.ndarray, pairs: np.ndarray, reach: np.ndarray) -> np.ndarray:
        """Which pairs have boxes as near as their reach (m), shape (K,) bool."""
        middle, half = self._bounds.mean(axis=1), 0.5 * (self._bounds[:, 1] - self._bounds[:, 0])
        centre = np.einsum("nij,nj->ni", world[:, :3, :3], middle) + world[:, :3, 3]
        extent = np.einsum("nij,nj->ni", np.abs(world[:, :3, :3]), half) * (1 + 1e-9)
        a, b = pairs.T
        apart = np.abs(centre[a] - centre[b]) - extent[a] - extent[b]
        return (apart <= reach[:, None] + 1e-9).all(axis=1)

    def _poses(self, state: Any) -> np.ndarray:
        """Where the bodies stand, (N, 7)."""
        poses = state.body_q.numpy().reshape(-1, 7).astype(float)
        used = np.unique(self._bodies[self._pairs])
        usable = np.isfinite(poses).all(axis=1) & (np.linalg.norm(poses[:, 3:], axis=1) > 0.5)
        bad = [body for body in used.tolist() if body >= 0 and not usable[body]]
        if bad:
            raise InvalidPose(
                f"body {bad[0]} stands at {poses[bad[0]].tolist()} (x, y, z, qx, qy, qz, qw), and {len(bad) - 1} more bodies stand "
                "nowhere; every number must be finite and the quaternion of length 1"
            )
        # Of bodies that no pair is about, whatever stands there.
        poses[~usable] = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)
        return poses

    def collide(self, state: Any, contacts: Any) -> int:
        """Fills the rigid contacts of ``contacts`` for the poses of ``state``, and returns their number.

        Soft contacts are cleared. Where there are more contacts than ``contacts`` has room for, those that overlap the most are kept;
        :attr:`left_out` has the number of the others, and an ImpingeWarning says so. Raises InvalidPose for a body that stands nowhere.
        """
        contacts.clear()
        self._left_out = 0
        bodies = _matrices(self._poses(state))
        owners = np.concatenate([bodies, np.eye(4)[None]])[self._bodies]
        world = owners @ self._local
        thickness = self._thickness[self._pairs].sum(axis=1)
        reach = self._margin + thickness + self._gap[self._pairs].sum(axis=1)
        near = self._near(world, self._pairs, reach)
        pairs, reach, margin = self._pairs[near], reach[near], self._margin + thickness[near]
        if not len(pairs):
            return 0
        points, met = self._regions(world, pairs, margin)
        # Bodies that meet have their contacts; of the others what comes near.
        rest = ~met & (reach > margin)
        diagonals = np.linalg.norm(self._bounds[:, 1] - self._bounds[:, 0], axis=1)
        far = reach > _FAR * diagonals[pairs].min(axis=1)
        if (rest & ~far).any():
            points = points.beside(self._regions(world, pairs[rest & ~far], reach[rest & ~far])[0])
        if (rest & far).any():
            points = points.beside(self._nearest(world, pairs[rest & far], reach[rest & far]))
        gaps = -points.depths - self._thickness[points.a] - self._thickness[points.b]
        points = self._fitting(points, gaps, contacts.rigid_contact_shape0.shape[0])
        self._fill(contacts, points, np.einsum("nij,nj->ni", world[points.a][:, :3, :3], points.normals), owners)
        return len(points.a)

    def _regions(self, world: np.ndarray, pairs: np.ndarray, margins: np.ndarray) -> Tuple[_Points, np.ndarray]:
        """The contacts of pairs closer than their margins, and which of the pairs have any."""
        a, b = pairs.T
        relative = (_inverse(world[a]) @ world[b])[:, None]
        first, second = ([self._shapes[k] for k in side] for side in (a, b))
        found = queries.contacts(first, second, relative, margin=margins, resolution=self._resolution)
        counts = np.diff(found.offsets)
        pair = np.repeat(np.arange(len(pairs)), counts)
        return _Points(a[pair], b[pair], found.local_a, found.local_b, found.normals, found.depths), counts > 0

    def _nearest(self, world: np.ndarray, pairs: np.ndarray, reach: np.ndarray) -> _Points:
        """The nearest points of pairs that are closer than their reach."""
        a, b = pairs.T
        relative = _inverse(world[a]) @ world[b]
        first, second = ([self._shapes[k] for k in side] for side in (a, b))
        found = queries.nearest(first, second, relative[:, None], bound=float(reach.max()))
        distances = found.distances[:, 0]
        # Of bodies that share but a point there is no direction.
        rows = np.flatnonzero((distances > 0.0) & (distances <= reach))
        back = _inverse(relative[rows])
        on_b = np.einsum("nij,nj->ni", back[:, :3, :3], found.points_b[rows, 0]) + back[:, :3, 3]
        return _Points(a[rows], b[rows], found.points_a[rows, 0], on_b, found.normals[rows, 0], -distances[rows])

    def _fitting(self, points: _Points, gaps: np.ndarray, room: int) -> _Points:
        """As many contacts as there is room for: those with the least gaps, in their order."""
        count = len(gaps)
        if count <= room:
            return points
        self._left_out = count - room
        warnings.warn(
            f"there are {count} contacts and room for {room}: those farthest apart are left out; make contacts with a greater "
            "rigid_contact_max",
            ImpingeWarning,
            stacklevel=3,
        )
        return points.kept(np.sort(np.argsort(gaps, kind="stable")[:room]))

    def _fill(self, contacts: Any, points: _Points, normals: np.ndarray, owners: np.ndarray) -> None:
        a, b, count = points.a, points.b, len(points.a)

        def put(name: str, values: np.ndarray) -> None:
            array = getattr(contacts, name)
            if array is not None:
                whole = array.numpy()
                whole[:count] = values
                array.assign(whole)

        def in_body(shapes: np.ndarray, points: np.ndarray) -> np.ndarray:
            local = self._local[shapes]
            return np.einsum("nij,nj->ni", local[:, :3, :3], points.astype(float)) + local[:, :3, 3]

        def turned(shapes: np.ndarray, sign: float) -> np.ndarray:
            """The offset from the point to where the margin ends, in the body's frame."""
            turn = np.swapaxes(owners[shapes][:, :3, :3], 1, 2)
            return sign * self._thickness[shapes][:, None] * np.einsum("nij,nj->ni", turn, normals)

        put("rigid_contact_shape0", a)
        put("rigid_contact_shape1", b)
        put("rigid_contact_point0", in_body(a, points.on_a))
        put("rigid_contact_point1", in_body(b, points.on_b))
        put("rigid_contact_offset0", turned(a, 1.0))
        put("rigid_contact_offset1", turned(b, -1.0))
        put("rigid_contact_normal", normals)
        put("rigid_contact_margin0", self._thickness[a])
        put("rigid_contact_margin1", self._thickness[b])
        put("rigid_contact_point_id", np.arange(count))
        if getattr(contacts, "rigid_contact_surface_velocity", None) is not None:
            put("rigid_contact_surface_velocity", np.zeros((count, 3)))
        contacts.rigid_contact_count.assign(np.array([count], np.int32))
