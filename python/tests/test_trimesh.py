"""The drop-in for trimesh's collision manager: trimesh's own tests, and its answers against questions about pairs."""

from __future__ import annotations

import io
import logging
import re
import subprocess
import sys
import tarfile
import types
import unittest
import weakref
from pathlib import Path

import numpy as np
import pytest
import trimesh

import impinge
import impinge.trimesh
from impinge.trimesh import CollisionManager

from .conftest import random_poses, translated

#: Lines of trimesh's tests that hold of FCL alone, each with the reason. They are about two cubes in the same place: any of six
#: faces is as near, and FCL takes its choice, and one corner for all points.
THEIRS = [
    "            assert g.np.allclose(c.point, g.np.array([5.0, -0.5, 0.5]))\n",
    "            assert g.np.allclose(c.normal, g.np.array([-1.0, 0.0, 0.0]))\n",
]


@pytest.fixture(scope="session")
def theirs(tmp_path_factory) -> str:
    """The text of trimesh's own collision tests, out of the sources of the version that is installed."""
    folder = tmp_path_factory.mktemp("trimesh")
    wanted = f"trimesh=={trimesh.__version__}"
    command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", "trimesh"]
    got = subprocess.run([*command, "-d", str(folder), wanted], capture_output=True, text=True)
    (archive,) = folder.glob("*.tar.gz") if got.returncode == 0 else [None]
    assert archive is not None, f"the sources of {wanted} could not be fetched:\n{got.stderr}"
    with tarfile.open(archive) as sources:
        (member,) = [m for m in sources.getmembers() if m.name.endswith("tests/test_collision.py")]
        return sources.extractfile(member).read().decode()


def stand_in() -> types.ModuleType:
    """What trimesh's tests import as `generic`. Their models are not among the sources: the cube is made here, and so is a scene of
    bodies that touch."""
    generic = types.ModuleType("generic")
    generic.np, generic.unittest, generic.log = np, unittest, logging.getLogger(__name__)
    generic.random = np.random.default_rng(0).random
    generic.trimesh = types.SimpleNamespace(
        collision=impinge.trimesh, creation=trimesh.creation, Scene=trimesh.Scene, util=trimesh.util
    )

    def get_mesh(name: str):
        if name == "unit_cube.STL":
            return trimesh.creation.box()
        scene = trimesh.Scene([trimesh.creation.box(), trimesh.creation.icosphere()])
        scene.add_geometry(trimesh.creation.box(), transform=translated((0.9, 0.2, 0.0))[0])
        return scene

    generic.get_mesh = get_mesh
    return generic


def run(text: str, monkeypatch) -> unittest.TestResult:
    module = types.ModuleType("their_tests")
    monkeypatch.setitem(sys.modules, "generic", stand_in())
    exec(compile(text, "trimesh/tests/test_collision.py", "exec"), module.__dict__)
    # Without FCL the tests would do nothing.
    module.fcl = object()
    suite = unittest.defaultTestLoader.loadTestsFromModule(module)
    assert suite.countTestCases() >= 5
    return unittest.TextTestRunner(stream=io.StringIO()).run(suite)


def test_their_own_tests_pass_but_for_ties(theirs, monkeypatch):
    unchanged = run(theirs, monkeypatch)
    assert not unchanged.errors, unchanged.errors[0][1]
    assert [case.id().split(".")[-1] for case, _ in unchanged.failures] == ["test_collision"]
    (line,) = re.findall(r"line (\d+), in test_collision", unchanged.failures[0][1])
    assert theirs.splitlines(keepends=True)[int(line) - 1] == THEIRS[0]
    for line in THEIRS:
        assert theirs.count(line) == 1
        theirs = theirs.replace(line, "")
    result = run(theirs, monkeypatch)
    assert result.wasSuccessful(), (result.failures + result.errors)[0][1]


def manager_of(count: int, seed: int):
    meshes = [trimesh.creation.icosphere(subdivisions=2), trimesh.creation.torus(0.8, 0.3), trimesh.creation.box()]
    poses = random_poses(count, 2.0, seed=seed)
    manager = CollisionManager()
    objects = {}
    for k, pose in enumerate(poses):
        objects[f"object {k}"] = (impinge.Mesh(meshes[k % 3]), pose)
        manager.add_object(f"object {k}", meshes[k % 3], pose)
    return manager, objects


def test_names_are_those_of_the_pairs_that_touch():
    manager, objects = manager_of(14, 1)
    names = list(objects)
    expected = set()
    for i, a in enumerate(names):
        for b in names[i + 1 :]:
            relative = np.linalg.inv(objects[a][1]) @ objects[b][1]
            if impinge.touching(objects[a][0], objects[b][0], relative):
                expected.add(tuple(sorted((a, b))))
    hit, found, data = manager.in_collision_internal(return_names=True, return_data=True)
    assert hit and found == expected and len(found) > 5
    assert {tuple(sorted(contact.names)) for contact in data} == expected
    for contact in data:
        a, b = sorted(contact.names)
        assert contact.depth >= 0 and np.linalg.norm(contact.normal) == pytest.approx(1.0)
        for name in (a, b):
            mesh, pose = objects[name]
            face = mesh.vertices.astype(float)[mesh.faces[contact.index(name)]] @ pose[:3, :3].T + pose[:3, 3]
            # The point is halfway between both surfaces.
            normal = np.cross(face[1] - face[0], face[2] - face[0])
            away = abs((contact.point - face[0]) @ normal) / np.linalg.norm(normal)
            assert away <= 0.5 * contact.depth + 1e-5
    other, theirs = manager_of(6, 2)
    hit, found = manager.in_collision_other(other, return_names=True)
    assert hit == manager.in_collision_other(other) and all(a in objects and b in theirs for a, b in found)
    for name, (mesh, pose) in theirs.items():
        hit, touched = manager.in_collision_single(mesh, pose, return_names=True)
        assert hit == manager.in_collision_single(mesh, pose) == bool(touched)
        assert touched == {a for a, b in found if b == name}


def test_depths_and_normals_are_true():
    manager = CollisionManager()
    box = trimesh.creation.box()
    manager.add_object("box", box)
    hit, data = manager.in_collision_single(box, translated((0, 0, 0.95))[0], return_data=True)
    assert hit and len(data) == 4
    for contact in data:
        # From the mesh that is asked about to the object below it.
        np.testing.assert_allclose(contact.normal, [0, 0, -1], atol=1e-9)
        assert contact.depth == pytest.approx(0.05, abs=1e-6)
        assert contact.names == {"box", "__external"}


def test_one_inside_another_collides_where_the_outer_is_closed():
    inner, outer = trimesh.creation.icosphere(radius=0.2), trimesh.creation.box()
    manager = CollisionManager()
    manager.add_object("outer", outer)
    assert manager.in_collision_single(inner)
    shell = trimesh.Trimesh(outer.vertices, outer.faces[2:], process=False)
    manager.add_object("outer", shell)
    assert not manager.in_collision_single(inner)
    assert manager.min_distance_single(inner) == pytest.approx(0.3, abs=1e-6)
    face = translated((0.45, 0, 0))[0]
    expected = impinge.touching(impinge.Mesh(shell), impinge.Mesh(inner), face)
    assert manager.in_collision_single(inner, face) == expected
    assert manager.in_collision_single(inner, translated((-0.45, 0, 0))[0]) or expected, "not both of two faces are left out"
    assert not manager.in_collision_single(inner, translated((0, 0, 0.8))[0])


def test_distances_are_the_least_of_all_pairs():
    manager, objects = manager_of(5, 3)
    for k, name in enumerate(objects):
        manager.set_transform(name, translated((4.0 * k + 0.3 * k * k, 0.0, 0.0))[0])
    distance, names, data = manager.min_distance_internal(return_names=True, return_data=True)
    pairs = {}
    for k in range(4):
        a, b = objects[f"object {k}"][0], objects[f"object {k + 1}"][0]
        shift = 4.3 + 0.6 * k
        pairs[f"object {k}", f"object {k + 1}"] = impinge.distance(a, b, translated((shift, 0, 0))[0])
    assert distance == pytest.approx(min(pairs.values()), rel=1e-12) and names == min(pairs, key=pairs.get)
    assert np.linalg.norm(data.point(names[0]) - data.point(names[1])) == pytest.approx(distance)
    assert data.distance == distance and data.names == set(names)
    assert manager.min_distance_internal(name="object 4") >= distance
    assert CollisionManager().min_distance_internal() == np.inf


def test_meshes_that_are_asked_about_do_not_pile_up():
    manager = CollisionManager()
    manager.add_object("box", trimesh.creation.box())
    for k in range(40):
        ball = trimesh.creation.icosphere(subdivisions=1, radius=0.1 + 0.01 * k)
        for _ in range(3):
            assert manager.in_collision_single(ball) and manager.in_collision_single(ball, return_names=True)[1] == {"box"}
        kept = weakref.ref(manager._shape(ball))
        assert manager._shape(ball) is kept(), "a mesh that is asked about again is made ready once"
    assert manager._world.shape_count == 1
    assert len(manager._shapes) <= impinge.trimesh._RECENT + 1 and len(manager._recent) == impinge.trimesh._RECENT
    for k in range(40):
        manager.add_object("ball", trimesh.creation.icosphere(subdivisions=1, radius=0.1 + 0.01 * k))
        assert manager._world.shape_count == 2
    manager.remove_object("ball")
    assert manager._world.shape_count == 1


def test_objects_are_replaced_moved_and_removed():
    manager, _ = manager_of(3, 4)
    for name in ("object 0", "object 1", "object 2"):
        manager.set_transform(name, translated((10.0 * int(name[-1]), 0, 0))[0])
    assert not manager.in_collision_internal()
    manager.add_object("object 1", trimesh.creation.box(), translated((10.0 * 0.05, 0, 0))[0])
    assert manager.in_collision_internal(return_names=True) == (True, {("object 0", "object 1")})
    manager.remove_object("object 0")
    assert not manager.in_collision_internal()
    for call in (lambda: manager.remove_object("object 0"), lambda: manager.set_transform("gone", np.eye(4))):
        with pytest.raises(ValueError, match="not in collision manager"):
            call()
    with pytest.raises(impinge.InvalidPose, match="transform has shape"):
        manager.set_transform("object 1", np.eye(3))
    with pytest.raises(impinge.InvalidPose, match="not orthonormal"):
        manager.set_transform("object 1", np.diag([2.0, 2, 2, 1]))


class _Arrays:
    """A mesh as trimesh has it, without its repairs."""

    def __init__(self, vertices, faces):
        self.vertices, self.faces = np.asarray(vertices, float), np.asarray(faces)


@pytest.mark.parametrize("missing", [0, 100, 1279])
def test_indices_are_rows_of_the_faces_where_a_hole_was_closed(missing):
    whole = trimesh.creation.icosphere(subdivisions=3, radius=1.0)
    assert len(whole.faces) == 1280
    faces = np.delete(whole.faces, missing, axis=0)
    holed = _Arrays(whole.vertices, faces)
    mesh = impinge.Mesh(holed)
    assert mesh.is_closed and mesh.virtual_faces.sum() == 1 and mesh.source_faces[mesh.virtual_faces].tolist() == [1279]
    # A ball in the middle of the hole that cuts its rim.
    middle = whole.triangles_center[missing]
    ball = trimesh.creation.icosphere(subdivisions=2, radius=0.06)
    manager = CollisionManager()
    manager.add_object("holed", holed)
    manager.add_object("ball", ball, translated(tuple(middle))[0])
    touches, found = manager.in_collision_internal(return_data=True)
    assert touches and found
    _, distance = manager.min_distance_internal(return_data=True)
    # Those that share an edge or a corner with the hole.
    beside = np.flatnonzero(np.isin(faces, whole.faces[missing]).any(axis=1))
    for data in [*found, distance]:
        assert data.index("holed") in beside
        assert 0 <= data.index("ball") < len(ball.faces)
    given = ~mesh.virtual_faces
    np.testing.assert_array_equal(np.sort(mesh.source_faces[given]), np.arange(1279))
