"""Settings out of range, by name, with what would be right."""

from __future__ import annotations

import numpy as np
import pytest

import impinge
import impinge.batch
import impinge.newton

BOX = impinge.Box([0.5, 0.5, 0.5])
HUGE = 2**70


@pytest.mark.parametrize("value", [-1, -(2**80), 1025, HUGE])
def test_threads_out_of_range_are_named(value):
    for ask in (
        impinge.set_threads,
        lambda threads: impinge.World(threads=threads),
        lambda threads: impinge.batch.check(BOX, BOX, [np.eye(4)] * 3, threads=threads),
        *(
            lambda threads, ask=ask: ask(BOX, BOX, np.tile(np.eye(4), (3, 1, 1)), threads=threads)
            for ask in (
                impinge.touching,
                impinge.distance,
                impinge.nearest,
                impinge.contacts,
                impinge.triangle_pairs,
                impinge.intersection,
                impinge.intersection_volume,
            )
        ),
    ):
        with pytest.raises(impinge.InvalidSetting, match=f"threads is {value}; it must be .* 0 is one per core"):
            ask(value)


@pytest.mark.parametrize(
    ("name", "values", "right"),
    [
        ("resolution", (-4, 0, 12, 512, HUGE), "a power of two from 4 to 256"),
        ("max_points", (-1, 0, 5, HUGE), "(from 1 to 4|1 to 4)"),
        ("max_manifolds", (-1, 0, HUGE), "at least 1"),
    ],
)
def test_settings_of_contacts_out_of_range_are_named(name, values, right):
    for value in values:
        for ask in (lambda **keywords: impinge.contacts(BOX, BOX, **keywords), impinge.World):
            with pytest.raises(impinge.InvalidSetting, match=f"{name}.* {value}.*{right}"):
                ask(**{name: value})


@pytest.mark.parametrize("value", [1.5, "2", None, np.float64(4.0)])
def test_what_is_no_whole_number_is_named(value):
    for name in ("resolution", "max_points", "max_manifolds"):
        with pytest.raises(TypeError, match=f"{name} is a .*; it must be a whole number"):
            impinge.contacts(BOX, BOX, **{name: value})
    with pytest.raises(TypeError, match="threads is a .*; it must be a whole number"):
        impinge.set_threads(value)
    assert impinge.contacts(BOX, BOX, resolution=np.int32(16), max_points=np.uint8(2)).shape == ()


def test_numbers_of_worlds_out_of_range_are_named():
    world = impinge.World()
    collider = world.add(BOX)
    for value in (-1, 2**32, HUGE):
        for name in ("part", "groups", "mask"):
            with pytest.raises(impinge.InvalidSetting, match=f"{name} is {value}; it must be 32 bits"):
                world.add(BOX, **{name: value})
        with pytest.raises(impinge.InvalidSetting, match=f"mask is {value}"):
            world.touches(BOX, mask=value)
        with pytest.raises(impinge.InvalidSetting, match=f"groups is {value}"):
            world.change(collider, groups=value)
    for value in (-1, HUGE):
        with pytest.raises(impinge.InvalidSetting, match=f"user_data is {value}; it must be 64 bits"):
            world.add(BOX, user_data=value)
    for value in (-1, 2**40, HUGE):
        for ask in (world.remove, world.pose, lambda c: world.set_pose(c, np.eye(4)), lambda c: world.change(c, fixed=True)):
            with pytest.raises(impinge.UnknownCollider):
                ask(value)
        assert value not in world
    assert collider in world and len(world) == 1 and "box" not in world
    with pytest.raises(TypeError, match="it must be a number that add"):
        world.remove("box")


def test_settings_of_meshes_out_of_range_are_named():
    vertices, faces = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]
    for name, values in (("tolerance", (-1.0, np.nan, 0.5)), ("close_holes", (-1.0, np.nan))):
        for value in values:
            with pytest.raises(impinge.Error, match=f"{name}"):
                impinge.Mesh(vertices, faces, **{name: value})
    for made in (impinge.Sphere, lambda r: impinge.Box([r, 1, 1]), lambda r: impinge.Capsule(1, r), lambda r: impinge.Cylinder(r, 1)):
        for value in (-1.0, 0.0, np.nan, np.inf):
            with pytest.raises(impinge.InvalidShape):
                made(value)


def test_what_is_no_shape_is_told_with_its_place():
    ball = impinge.Sphere(1.0)
    soup = type("Soup", (), {"vertices": [], "faces": []})()
    world = impinge.World()
    for ask in (world.add, world.touches, world.touched_by):
        with pytest.raises(TypeError, match="shape is a .*Soup.*: make it one once with impinge.Mesh"):
            ask(soup)
        with pytest.raises(TypeError, match=r"shape is a .*int.*: it must be an impinge shape \(Mesh, Sphere, Box, ...\)$"):
            ask(3)
    for children, text in (
        ([ball], r"children\[0\] must be \(pose, shape\) or \(name, pose, shape\)"),
        ([(np.eye(4), ball), (np.eye(4),)], r"children\[1\] must be \(pose, shape\)"),
        ([(np.eye(4), ball), (3, np.eye(4), ball)], r"children\[1\] must be \(pose, shape\)"),
        ([(np.eye(4), soup)], r"children\[0\] is a .*Soup.*: make it one once"),
    ):
        with pytest.raises(TypeError, match=text):
            impinge.Composite(children)


def test_three_numbers_are_three():
    for given in ([1, 2], 1.0, [1, 2, 3, 4], np.ones((1, 3))):
        with pytest.raises(impinge.InvalidShape, match=r"half_extents has shape .*; it must be \(3,\)"):
            impinge.Box(given)
    with pytest.raises(TypeError, match="half_extents must be an array of real numbers"):
        impinge.Box("abc")
    np.testing.assert_array_equal(impinge.Box(np.float32([1, 2, 3])).half_extents, [1, 2, 3])
    sheet = impinge.Mesh([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], [[0, 1, 2], [0, 2, 3]])
    with pytest.raises(impinge.InvalidMesh, match=r"up has shape \(2,\); it must be \(3,\)"):
        sheet.one_sided(0.1, [0, 1])
    assert sheet.one_sided(0.1).bounds[0, 2] == pytest.approx(-0.1) == sheet.one_sided(0.1, (0, 0, 1)).bounds[0, 2]


def test_answers_say_how_much_is_in_them():
    found = impinge.contacts(BOX, BOX, np.tile(np.eye(4), (2, 1, 1)))
    assert repr(found) == f"Contacts(shape=(2,), {len(found.depths)} points in 2 manifolds)"
    pairs = impinge.triangle_pairs(BOX, BOX)
    assert repr(pairs) == f"TrianglePairs(shape=(), {len(pairs.triangles)} pairs)"
    assert repr(impinge.World().manifolds()) == "WorldManifolds(0 manifolds with 0 points)"
