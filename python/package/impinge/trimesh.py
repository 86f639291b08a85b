"""A drop-in for ``trimesh.collision.CollisionManager``.

>>> from impinge.trimesh import CollisionManager  # in place of: from trimesh.collision import CollisionManager

It has the same methods, arguments and answers, and needs neither FCL nor, for itself, trimesh: a mesh is anything with ``vertices`` and
``faces``. Three things differ, for the better:

* Two bodies collide where one is inside the other, too, if their meshes are closed. FCL sees surfaces alone.
* A depth is the overlap of a whole region, along a normal from the first object to the second, and not that of two triangles.
  There are at most four points for each region. A body that is inside another has contacts.
* Open meshes have contacts along the lines in which they cross.
"""

from __future__ import annotations

import hashlib
import os
import weakref
from collections import OrderedDict
from typing import Any, Dict, List, Optional, Tuple

import numpy as np

from . import queries
from ._impinge import Mesh
from .errors import InvalidPose
from .world import World

__all__ = ["CollisionManager", "ContactData", "DistanceData", "scene_to_collision"]

#: Name of the mesh that a single question is about.
_SINGLE = "__external"

#: Shapes of meshes that are kept though no object has them.
_RECENT = 16


class ContactData:
    """A contact of two objects."""

    def __init__(
        self,
        names: Tuple[str, str],
        indices: Tuple[int, int],
        normal: np.ndarray,
        point: np.ndarray,
        depth: float,
    ):
        self._names = frozenset(names)
        self._indices = dict(zip(names, indices))
        self._normal = normal
        self._point = point
        self._depth = depth

    @property
    def normal(self) -> np.ndarray:
        """Unit, from the first object to the second (world), shape (3,)."""
        return self._normal

    @property
    def point(self) -> np.ndarray:
        """The point (m, world), shape (3,)."""
        return self._point

    @property
    def depth(self) -> float:
        """The overlap along the normal (m)."""
        return self._depth

    @property
    def names(self) -> frozenset:
        """The names of both objects."""
        return self._names

    def index(self, name: str) -> int:
        """A face of an object at the contact: a row of its ``faces``; where a hole was closed, one beside it."""
        return self._indices[name]


class DistanceData:
    """The nearest points of two objects."""

    def __init__(self, names: Tuple[str, str], distance: float, points: Tuple[np.ndarray, np.ndarray], indices: Tuple[int, int]):
        self._names = frozenset(names)
        self._distance = distance
        self._points = dict(zip(names, points))
        self._indices = dict(zip(names, indices))

    @property
    def distance(self) -> float:
        """The distance (m); minus the greatest depth where they touch."""
        return self._distance

    @property
    def names(self) -> frozenset:
        """The names of both objects."""
        return self._names

    def point(self, name: str) -> np.ndarray:
        """The nearest point of an object (m, world), shape (3,); where they touch, a point of both."""
        return self._points[name]

    def index(self, name: str) -> int:
        """The face of an object that the point is on: a row of its ``faces``."""
        return self._indices[name]


class _Object:
    """A mesh, its pose, and its number in the manager's world; -1 of a mesh that is only asked about."""

    def __init__(self, shape: Mesh, pose: np.ndarray, collider: int = -1):
        self.shape = shape
        self.pose = pose
        self.collider = collider

    def box(self) -> np.ndarray:
        """Lowest and highest corner of a box around it (m, world), shape (2, 3)."""
        low, high = self.shape.bounds
        middle, half = 0.5 * (low + high), 0.5 * (high - low)
        centre = self.pose[:3, :3] @ middle + self.pose[:3, 3]
        reach = np.abs(self.pose[:3, :3]) @ half * (1 + 1e-9) + 1e-12 * (1 + np.abs(centre))
        return np.stack([centre - reach, centre + reach])


def _pose(transform: Any) -> np.ndarray:
    if transform is None:
        return np.eye(4)
    pose = np.array(transform, dtype=float)
    if pose.shape != (4, 4):
        raise InvalidPose(f"transform has shape {pose.shape}; it must be (4, 4)")
    return pose


class CollisionManager:
    """Named meshes with poses, and the contacts and distances between them. See :mod:`impinge.trimesh`."""

    def __init__(self) -> None:
        self._objs: Dict[str, _Object] = {}
        self._names: Dict[int, str] = {}
        self._made = World()
        self._process = os.getpid()
        #: Shapes of meshes that were seen, by their contents.
        self._shapes: "weakref.WeakValueDictionary[bytes, Mesh]" = weakref.WeakValueDictionary()
        #: The last of them, so that a mesh that is asked about again and again is made ready once.
        self._recent: "OrderedDict[bytes, Mesh]" = OrderedDict()

    @property
    def _world(self) -> World:
        if self._process != os.getpid():
            # The threads of the parent's world do not exist in a forked child.
            self._made, self._process = World(), os.getpid()
            self._names.clear()
            for name, found in self._objs.items():
                found.collider = self._placed(found.shape, found.pose)
                self._names[found.collider] = name
        return self._made

    def _placed(self, shape: Mesh, pose: np.ndarray) -> int:
        # A sensor: of every pair only whether it touches is asked.
        return self._world.add(shape, pose, sensor=True)

    def _shape(self, mesh: Any) -> Mesh:
        if isinstance(mesh, Mesh):
            return mesh
        digest = hashlib.blake2b(digest_size=16)
        for array in (np.ascontiguousarray(mesh.vertices), np.ascontiguousarray(mesh.faces)):
            digest.update(str((array.shape, array.dtype)).encode())
            digest.update(array.data)
        key = digest.digest()
        shape = self._shapes.get(key)
        if shape is None:
            shape = self._shapes[key] = Mesh(mesh)
        self._recent[key] = shape
        self._recent.move_to_end(key)
        if len(self._recent) > _RECENT:
            self._recent.popitem(last=False)
        return shape

    def _found(self, name: str) -> _Object:
        if name not in self._objs:
            raise ValueError(f"{name} not in collision manager!")
        return self._objs[name]

    def add_object(self, name: str, mesh: Any, transform: Any = None) -> Mesh:
        """Adds a mesh under a name, in place of what had it, at a pose (4, 4) (m). Returns its shape."""
        shape, pose = self._shape(mesh), _pose(transform)
        collider = self._placed(shape, pose)
        if name in self._objs:
            self.remove_object(name)
        self._objs[name] = _Object(shape, pose, collider)
        self._names[collider] = name
        return shape

    def remove_object(self, name: str) -> None:
        """Removes an object. Raises ValueError where there is none of this name."""
        found, world = self._found(name), self._world
        collider = found.collider
        world.remove(collider)
        del self._objs[name], self._names[collider]

    def set_transform(self, name: str, transform: Any) -> None:
        """Moves an object to a pose (4, 4) (m). Raises ValueError where there is none of this name."""
        found, pose = self._found(name), _pose(transform)
        world = self._world
        world.set_pose(found.collider, pose)
        found.pose = pose

    def in_collision_single(
        self, mesh: Any, transform: Any = None, return_names: bool = False, return_data: bool = False
    ) -> Any:
        """Whether a mesh at a pose touches any object.

        Returns bool; with ``return_names`` also the set of the objects' names, with ``return_data`` also a list of
        :class:`ContactData`, in which the mesh is named ``"__external"``.
        """
        single = _Object(self._shape(mesh), _pose(transform))
        if not (return_names or return_data):
            return self._world.touches(single.shape, single.pose)
        names = [self._names[k] for k in self._world.touched_by(single.shape, single.pose).tolist()]
        pairs = [(_SINGLE, name) for name in names]
        data = _contact_data(pairs, {_SINGLE: single}, self._objs) if return_data else None
        return _answer(bool(names), set(names), data, return_names, return_data)

    def in_collision_internal(self, return_names: bool = False, return_data: bool = False) -> Any:
        """Whether any two objects touch.

        Returns bool; with ``return_names`` also the set of pairs of names, each sorted, with ``return_data`` also a list of
        :class:`ContactData`.
        """
        self._world.step()
        hits = [(self._names[a], self._names[b]) for a, b in self._world.touching_pairs().tolist()]
        data = _contact_data(hits, self._objs, self._objs) if return_data else None
        return _answer(bool(hits), {_sorted(pair) for pair in hits}, data, return_names, return_data)

    def in_collision_other(
        self, other_manager: "CollisionManager", return_names: bool = False, return_data: bool = False
    ) -> Any:
        """Whether an object touches one of another manager.

        Returns bool; with ``return_names`` also the set of pairs of names, own first, with ``return_data`` also a list of
        :class:`ContactData`.
        """
        hits = []
        for name, found in self._objs.items():
            if not (return_names or return_data):
                if other_manager._world.touches(found.shape, found.pose):
                    return True
                continue
            touched = other_manager._world.touched_by(found.shape, found.pose).tolist()
            hits += [(name, other_manager._names[k]) for k in touched]
        data = _contact_data(hits, self._objs, other_manager._objs) if return_data else None
        return _answer(bool(hits), set(hits), data, return_names, return_data)

    def min_distance_single(
        self, mesh: Any, transform: Any = None, return_name: bool = False, return_data: bool = False
    ) -> Any:
        """The distance (m) of a mesh at a pose to the nearest object; infinite without objects. Where they touch it is minus
        the greatest depth.

        Returns float; with ``return_name`` also that object's name, with ``return_data`` also a :class:`DistanceData`.
        """
        single = {_SINGLE: _Object(self._shape(mesh), _pose(transform))}
        distance, pair = _nearest([(_SINGLE, name) for name in self._objs], single, self._objs)
        data = _distance_data(pair, distance, single, self._objs) if return_data else None
        return _answer(distance, pair and pair[1], data, return_name, return_data)

    def min_distance_internal(
        self, name: Optional[str] = None, return_names: bool = False, return_data: bool = False
    ) -> Any:
        """The least distance (m) between any two objects, or between the one that is named and any other; infinite where there
        is no such pair. Where they touch it is minus the greatest depth.

        Returns float; with ``return_names`` also the pair of names, sorted, with ``return_data`` also a :class:`DistanceData`.
        """
        if name is not None:
            self._found(name)
            pairs = [(name, other) for other in self._objs if other != name]
        else:
            names = list(self._objs)
            pairs = [(a, b) for k, a in enumerate(names) for b in names[k + 1 :]]
        distance, pair = _nearest(pairs, self._objs, self._objs)
        data = _distance_data(pair, distance, self._objs, self._objs) if return_data else None
        return _answer(distance, pair and _sorted(pair), data, return_names, return_data)

    def min_distance_other(
        self, other_manager: "CollisionManager", return_names: bool = False, return_data: bool = False
    ) -> Any:
        """The least distance (m) between an object and one of another manager. Where they touch it is minus the greatest depth.

        Returns float; with ``return_names`` also the pair of names, own first, with ``return_data`` also a :class:`DistanceData`.
        """
        theirs = other_manager._objs
        distance, pair = _nearest([(a, b) for a in self._objs for b in theirs], self._objs, theirs)
        data = _distance_data(pair, distance, self._objs, theirs) if return_data else None
        return _answer(distance, pair, data, return_names, return_data)


def scene_to_collision(scene: Any) -> Tuple[CollisionManager, Dict[str, Mesh]]:
    """A manager of all meshes of a ``trimesh.Scene``, each named for its node, and their shapes by name."""
    manager, shapes = CollisionManager(), {}
    for node in scene.graph.nodes_geometry:
        transform, geometry = scene.graph[node]
        shapes[node] = manager.add_object(node, scene.geometry[geometry], transform)
    return manager, shapes


_Objects = Dict[str, _Object]
_Pair = Tuple[str, str]


def _sorted(pair: _Pair) -> _Pair:
    return (min(pair), max(pair))


def _answer(value: Any, names: Any, data: Any, with_names: bool, with_data: bool) -> Any:
    if with_names and with_data:
        return value, names, data
    if with_names:
        return value, names
    if with_data:
        return value, data
    return value


def _relative(pair: _Pair, first: _Objects, second: _Objects) -> np.ndarray:
    """The pose of the second in the first's frame. A pose that is rigid has its transpose for an inverse."""
    a, b = first[pair[0]].pose, second[pair[1]].pose
    turn = a[:3, :3].T
    relative = np.eye(4)
    relative[:3, :3] = turn @ b[:3, :3]
    relative[:3, 3] = turn @ (b[:3, 3] - a[:3, 3])
    return relative


def _asked(pairs: List[_Pair], first: _Objects, second: _Objects) -> Tuple[list, list, np.ndarray]:
    poses = np.array([[_relative(pair, first, second)] for pair in pairs])
    return [first[a].shape for a, _ in pairs], [second[b].shape for _, b in pairs], poses


def _contact_data(hits: List[_Pair], first: _Objects, second: _Objects) -> List[ContactData]:
    """The contacts of pairs that touch."""
    if not hits:
        return []
    found = queries.contacts(*_asked(hits, first, second))
    data = []
    for k, pair in enumerate(hits):
        contacts, a = found[k], first[pair[0]]
        faces = _faces_at(contacts, a.shape, second[pair[1]].shape)
        turn, shift = a.pose[:3, :3], a.pose[:3, 3]
        for n in range(len(contacts.depths)):
            point = turn @ contacts.positions[n] + shift
            normal = turn @ contacts.manifold_normals[contacts.manifolds[n]]
            data.append(ContactData(pair, faces[n], normal, point, float(contacts.depths[n])))
    return data


def _faces_at(contacts: Any, a: Mesh, b: Mesh) -> List[Tuple[int, int]]:
    """For each contact the faces of both meshes that its points are on."""
    of_a = _nearest_faces(a, contacts.local_a)
    of_b = _nearest_faces(b, contacts.local_b)
    return list(zip(of_a, of_b))


def _nearest_faces(mesh: Mesh, points: np.ndarray) -> List[int]:
    """The face nearest to each point, as a row of the arrays that the mesh was made from. Faces that close a hole are in none."""
    if not len(points):
        return []
    given = ~mesh.virtual_faces
    rows = mesh.source_faces[given]
    corners = mesh.vertices.astype(float)[mesh.faces[given]]
    a, ab, ac = corners[:, 0], corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    normals = np.cross(ab, ac)
    found = []
    for p in points.astype(float):
        ap = p - a
        square = np.maximum(np.einsum("ij,ij->i", normals, normals), np.finfo(float).tiny)
        v = np.einsum("ij,ij->i", np.cross(ap, ac), normals) / square
        w = np.einsum("ij,ij->i", np.cross(ab, ap), normals) / square
        inside = (v >= 0) & (w >= 0) & (v + w <= 1)
        plane = np.einsum("ij,ij->i", ap, normals) ** 2 / square
        edges = [_segment(p, corners[:, k], corners[:, (k + 1) % 3]) for k in range(3)]
        distance = np.where(inside, plane, np.minimum.reduce(edges))
        found.append(int(rows[int(np.argmin(distance))]))
    return found


def _segment(p: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Squares of the distances of a point to segments, shape (F,)."""
    ab, ap = b - a, p - a
    t = np.einsum("ij,ij->i", ap, ab) / np.maximum(np.einsum("ij,ij->i", ab, ab), np.finfo(float).tiny)
    away = ap - np.clip(t, 0.0, 1.0)[:, None] * ab
    return np.einsum("ij,ij->i", away, away)


def _nearest(pairs: List[_Pair], first: _Objects, second: _Objects) -> Tuple[float, Optional[_Pair]]:
    """The least distance and the first pair that has it. Pairs with boxes farther apart than it are not asked about."""
    if not pairs:
        return np.inf, None
    of_a, of_b = ({name: k for k, name in enumerate(objects)} for objects in (first, second))
    boxes_a, boxes_b = (np.array([found.box() for found in objects.values()]) for objects in (first, second))
    a = boxes_a[[of_a[pair[0]] for pair in pairs]]
    b = boxes_b[[of_b[pair[1]] for pair in pairs]]
    gaps = np.linalg.norm(np.maximum(np.maximum(a[:, 0] - b[:, 1], b[:, 0] - a[:, 1]), 0.0), axis=1)
    least, nearest = np.inf, None
    for k in np.argsort(gaps, kind="stable").tolist():
        if gaps[k] > max(least, 0.0):
            break
        one, other = first[pairs[k][0]].shape, second[pairs[k][1]].shape
        relative = _relative(pairs[k], first, second)
        found = queries.distance(one, other, relative, bound=max(least, 0.0))
        if found == 0.0:
            # Of surfaces that share but a point there may be no region of contact.
            found = min(-float(queries.contacts(one, other, relative).deepest()), 0.0)
        if found < least:
            least, nearest = found, k
    return float(least), pairs[0 if nearest is None else nearest]


def _distance_data(
    pair: Optional[_Pair], distance: float, first: _Objects, second: _Objects
) -> Optional[DistanceData]:
    if pair is None:
        return None
    a, b = first[pair[0]], second[pair[1]]
    relative = _relative(pair, first, second)
    turn, shift = a.pose[:3, :3], a.pose[:3, 3]
    if distance > 0.0:
        found = queries.nearest(a.shape, b.shape, relative)
        on_a, on_b = found.points_a, found.points_b
    else:
        contacts = queries.contacts(a.shape, b.shape, relative)
        # Of surfaces that share but a point there may be no region of contact.
        on_a = on_b = contacts.positions[0] if len(contacts.positions) else np.zeros(3)
    back = np.linalg.inv(relative)
    in_b = (back[:3, :3] @ on_b + back[:3, 3])[None]
    faces = (_nearest_faces(a.shape, on_a[None])[0], _nearest_faces(b.shape, in_b)[0])
    return DistanceData(pair, distance, (turn @ on_a + shift, turn @ on_b + shift), faces)


