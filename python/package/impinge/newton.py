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
from typing import Any, Dict, List, Optional, Tuple

import numpy as np

from . import _impinge, queries
from .errors import ImpingeWarning, InvalidSetting

__all__ = ["Collider"]


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


class Collider:
    """The shapes of a Newton model, made ready.

    model: a finalized ``newton.Model``. Which shapes may collide is the model's ``shape_contact_pairs``. margin: shapes closer than this
    (m), beside the margins that the model gives them, have contacts, too. resolution: columns per side of a view, a power of two.

    Meshes, convex meshes, planes, spheres, capsules, cylinders and boxes collide; pairs with other kinds of shapes are left out, and an
    ImpingeWarning says so. Raises InvalidSetting for a margin or resolution out of range.
    """

    def __init__(self, model: Any, *, margin: float = 0.0, resolution: int = 32):
        import newton

        kinds = newton.GeoType
        self._bodies = model.shape_body.numpy().astype(int)
        self._local = _matrices(model.shape_transform.numpy().reshape(-1, 7).astype(float))
        self._thickness = model.shape_margin.numpy().astype(float)
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
        self._options: Dict[str, Any] = {"margin": margin, "resolution": resolution}
        # Refuses settings out of range here rather than in the first step.
        queries.contacts(_impinge.Sphere(1.0), _impinge.Sphere(1.0), **self._options)

    def _near(self, world: np.ndarray, reach: float) -> np.ndarray:
        """The pairs whose boxes come as near as ``reach`` (m), shape (K, 2)."""
        middle, half = self._bounds.mean(axis=1), 0.5 * (self._bounds[:, 1] - self._bounds[:, 0])
        centre = np.einsum("nij,nj->ni", world[:, :3, :3], middle) + world[:, :3, 3]
        extent = np.einsum("nij,nj->ni", np.abs(world[:, :3, :3]), half) * (1 + 1e-9) + self._thickness[:, None]
        a, b = self._pairs.T
        apart = np.abs(centre[a] - centre[b]) - extent[a] - extent[b]
        return self._pairs[(apart <= reach + 1e-9).all(axis=1)]

    def collide(self, state: Any, contacts: Any) -> int:
        """Fills the rigid contacts of ``contacts`` for the poses of ``state``, and returns their number.

        Soft contacts are cleared. Raises InvalidSetting where ``contacts`` has no room for them all, and InvalidPose for a pose that is not
        finite.
        """
        bodies = _matrices(state.body_q.numpy().reshape(-1, 7).astype(float))
        owners = np.concatenate([bodies, np.eye(4)[None]])[self._bodies]
        world = owners @ self._local
        contacts.clear()
        margin = self._options["margin"] + 2.0 * float(self._thickness.max(initial=0.0))
        pairs = self._near(world, margin)
        if not len(pairs):
            return 0
        a, b = pairs.T
        relative = _inverse(world[a]) @ world[b]
        options = {**self._options, "margin": margin}
        shapes = self._shapes
        found = queries.contacts([shapes[k] for k in a], [shapes[k] for k in b], relative[:, None], **options)
        pair = np.repeat(np.arange(len(pairs)), np.diff(found.offsets))
        a, b = a[pair], b[pair]
        wanted = found.depths > -(self._options["margin"] + self._thickness[a] + self._thickness[b])
        a, b, pair = a[wanted], b[wanted], pair[wanted]
        normals = np.einsum("nij,nj->ni", world[a][:, :3, :3], found.normals[wanted])
        self._fill(contacts, a, b, found.local_a[wanted], found.local_b[wanted], normals, owners)
        return len(a)

    def _fill(
        self, contacts: Any, a: np.ndarray, b: np.ndarray, on_a: np.ndarray, on_b: np.ndarray, normals: np.ndarray, owners: np.ndarray
    ) -> None:
        room, count = contacts.rigid_contact_shape0.shape[0], len(a)
        if count > room:
            raise InvalidSetting(f"there are {count} contacts and room for {room}; make contacts with a greater rigid_contact_max")

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
        put("rigid_contact_point0", in_body(a, on_a))
        put("rigid_contact_point1", in_body(b, on_b))
        put("rigid_contact_offset0", turned(a, 1.0))
        put("rigid_contact_offset1", turned(b, -1.0))
        put("rigid_contact_normal", normals)
        put("rigid_contact_margin0", self._thickness[a])
        put("rigid_contact_margin1", self._thickness[b])
        put("rigid_contact_point_id", np.arange(count))
        if getattr(contacts, "rigid_contact_surface_velocity", None) is not None:
            put("rigid_contact_surface_velocity", np.zeros((count, 3)))
        contacts.rigid_contact_count.assign(np.array([count], np.int32))
