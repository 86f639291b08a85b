"""Shapes: what they accept, what they refuse, how they travel."""

from __future__ import annotations

import pickle
import types

import numpy as np
import pytest

import impinge

TETRA = (np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]]), np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]))


def open_box() -> "tuple[np.ndarray, np.ndarray]":
    corners = np.array([[x, y, z] for z in (0, 1) for y in (0, 1) for x in (0, 1)], float)
    quads = [[0, 2, 3, 1], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]]
    return corners, np.array([t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))])


@pytest.mark.parametrize("floats", [np.float32, np.float64])
@pytest.mark.parametrize("ints", [np.int32, np.int64, np.uint16, np.uint32])
def test_a_mesh_is_made_of_arrays_of_any_width(floats, ints):
    mesh = impinge.Mesh(TETRA[0].astype(floats), TETRA[1].astype(ints))
    assert mesh.is_closed and mesh.is_solid and not mesh.repairs
    assert mesh.volume == pytest.approx(1 / 6, rel=1e-12)
    assert mesh.vertices.dtype == np.float32 and mesh.faces.dtype == np.uint32
    np.testing.assert_array_equal(mesh.faces, TETRA[1])
    np.testing.assert_array_equal(mesh.source_faces, np.arange(4))
    np.testing.assert_array_equal(mesh.bounds, [[0, 0, 0], [1, 1, 1]])


def test_lists_strided_arrays_and_objects_with_vertices_and_faces_will_do():
    wide = np.zeros((4, 6))
    wide[:, ::2] = TETRA[0]
    thing = types.SimpleNamespace(vertices=TETRA[0].tolist(), faces=TETRA[1].tolist())
    for mesh in (impinge.Mesh(wide[:, ::2], TETRA[1].tolist()), impinge.Mesh(thing)):
        np.testing.assert_array_equal(mesh.vertices, TETRA[0])


def test_repairs_are_done_and_reported():
    vertices, faces = TETRA
    turned = faces.copy()
    turned[3] = turned[3][::-1]
    mesh = impinge.Mesh(vertices, turned)
    assert mesh.is_closed and len(mesh.repairs) == 1 and "turned" in mesh.repairs[0]
    raw = impinge.Mesh(vertices, turned, repair=False)
    assert not raw.is_closed and not raw.is_solid and not raw.repairs


def test_an_open_mesh_says_so_and_can_be_closed_on_request():
    mesh = impinge.Mesh(*open_box())
    assert not mesh.is_closed and len(mesh.holes) == 1 and "hole of 4 edges" in mesh.holes[0]
    closed = impinge.Mesh(*open_box(), close_holes=1.0)
    assert closed.is_closed and closed.volume == pytest.approx(1.0)
    assert "open" in repr(mesh) and "closed" in repr(closed)


def test_a_sheet_becomes_one_sided():
    vertices = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0.0]])
    sheet = impinge.Mesh(vertices, [[0, 1, 2], [0, 2, 3]])
    assert sheet.one_sided(0.25).volume == pytest.approx(0.25)
    with pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(sheet.one_sided(0.25))


@pytest.mark.parametrize("name", ["gear.ply", "knot.obj", "torus.stl", "hook.glb", "bowl.obj"])
def test_files_are_read_and_written(assets, tmp_path, name):
    mesh = impinge.load(assets / name)
    assert mesh.is_closed and mesh.volume > 0
    mesh.save(tmp_path / "copy.ply")
    again = impinge.load(str(tmp_path / "copy.ply"), repair=False)
    np.testing.assert_array_equal(again.vertices[again.faces], mesh.vertices[mesh.faces])


@pytest.mark.parametrize(
    "make",
    [
        lambda: impinge.Sphere(0.5),
        lambda: impinge.Box([0.1, 0.2, 0.3]),
        lambda: impinge.Capsule(0.5, 0.25),
        lambda: impinge.Cylinder(0.5, 0.25),
        lambda: impinge.HalfSpace(),
        lambda: impinge.Hull(TETRA[0]),
        lambda: impinge.Mesh(*TETRA),
        lambda: impinge.Mesh(*open_box()),
        lambda: impinge.Mesh(*open_box(), close_holes=1.0),
        lambda: impinge.Composite([(np.eye(4), impinge.Sphere(1.0)), ("named", [1, 0, 0, 0, 0, 0, 1], impinge.Box([1, 1, 1]))]),
    ],
)
def test_pickled_shapes_answer_the_same(make):
    shape = make()
    again = pickle.loads(pickle.dumps(shape))
    assert type(again) is type(shape) and repr(again) == repr(shape)
    probe = impinge.Sphere(0.4)
    poses = np.array([[0.7 * x, 0.4 * x, 0.3 * x, 0, 0, 0, 1] for x in np.linspace(-3, 3, 50)])
    np.testing.assert_array_equal(impinge.distance(again, probe, poses), impinge.distance(shape, probe, poses))
    np.testing.assert_array_equal(impinge.touching(again, probe, poses), impinge.touching(shape, probe, poses))


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda: impinge.Sphere(0.0), impinge.InvalidShape, "radius"),
        (lambda: impinge.Sphere(float("nan")), impinge.InvalidShape, "radius"),
        (lambda: impinge.Box([1, -1, 1]), impinge.InvalidShape, r"half\[1\]"),
        (lambda: impinge.Hull(np.zeros((5, 3))), impinge.InvalidShape, "span no volume|plane"),
        (lambda: impinge.Hull(np.zeros((5, 2))), impinge.InvalidShape, r"\(5, 2\)"),
        (lambda: impinge.Composite([]), impinge.InvalidShape, "child"),
        (lambda: impinge.Mesh(TETRA[0][:, :2], TETRA[1]), impinge.InvalidMesh, r"\(4, 2\)"),
        (lambda: impinge.Mesh(TETRA[0], [[0, 1, 2, 3]]), impinge.InvalidMesh, "triangulate"),
        (lambda: impinge.Mesh(TETRA[0], [[0, 1, 9]]), impinge.InvalidMesh, "9"),
        (lambda: impinge.Mesh(TETRA[0], [[0, 1, -1]]), impinge.InvalidMesh, "face 0 has vertex -1"),
        (lambda: impinge.Mesh(TETRA[0] * np.nan, TETRA[1]), impinge.InvalidMesh, "vertex 0"),
        (lambda: impinge.Mesh(TETRA[0], TETRA[1], tolerance=-1.0), impinge.InvalidMesh, "tolerance"),
        (lambda: impinge.load("nowhere.obj"), impinge.MeshFileError, "nowhere.obj"),
        (lambda: impinge.load("mesh.xyz"), impinge.MeshFileError, "xyz"),
        (lambda: impinge.Mesh(*TETRA).save("mesh.xyz"), impinge.MeshFileError, "xyz"),
        (lambda: impinge.Mesh(TETRA[0], TETRA[1].astype(float)), TypeError, "faces must be an array of integers"),
        (lambda: impinge.Mesh([["a", "b", "c"]], TETRA[1]), TypeError, "vertices must be an array of real"),
        (lambda: impinge.Mesh(object()), TypeError, "no `.vertices`"),
        (lambda: impinge.Composite([(np.eye(4), 3)]), TypeError, r"children\[0\]"),
    ],
)
def test_what_cannot_be_used_is_named(make, error, text):
    with pytest.raises(error, match=text) as caught:
        make()
    if error is not TypeError:
        assert isinstance(caught.value, impinge.Error)


def test_every_error_is_a_builtin_one_too():
    assert issubclass(impinge.InvalidMesh, ValueError) and issubclass(impinge.MeshFileError, OSError)
    assert issubclass(impinge.UnknownCollider, KeyError)
