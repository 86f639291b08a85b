"""Height fields, level sets, particles, holes, edits, and shapes as data."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import impinge


def ball_values(n=13, spacing=0.25, radius=1.0):
    axis = (np.arange(n) - n // 2) * spacing
    z, y, x = np.meshgrid(axis, axis, axis, indexing="ij")
    return np.sqrt(x * x + y * y + z * z) - radius, spacing, [axis[0]] * 3


def at(x, y, z):
    pose = np.eye(4)
    pose[:3, 3] = x, y, z
    return pose


def test_a_level_set_is_the_body_of_its_values():
    values, spacing, origin = ball_values()
    ball = impinge.LevelSet(values, spacing, origin)
    assert ball.volume == pytest.approx(4 / 3 * np.pi, rel=0.05)
    mesh = ball.to_mesh()
    assert mesh.is_closed and mesh.volume == pytest.approx(ball.volume, rel=1e-6)
    poses = np.stack([at(x, 0.1, 0.2) for x in np.linspace(0, 3, 31)])
    probe = impinge.Sphere(0.5)
    assert (impinge.touching(ball, probe, poses) == impinge.touching(mesh, probe, poses)).all()
    again = impinge.LevelSet.of_mesh(mesh, 0.2)
    assert again.volume == pytest.approx(ball.volume, rel=0.05)
    # Axes in the order of the array: z, y, x.
    longer = impinge.LevelSet(values, [spacing, spacing, 2 * spacing], [origin[0], origin[1], 2 * origin[2]])
    assert longer.bounds[1, 2] == pytest.approx(2 * longer.bounds[1, 0])


def test_a_height_field_is_ground():
    heights = np.zeros((5, 9))
    heights[2, 3] = np.nan
    ground = impinge.HeightField(heights, (0.5, 1.0), bottom=-1)
    assert ground.bounds.tolist() == [[0, 0, -1], [4, 4, 0]]
    assert np.array_equal(ground.heights, heights.astype(np.float32), equal_nan=True)
    assert impinge.Sphere(1).heights is None
    probe = impinge.Sphere(0.1)
    assert impinge.touching(ground, probe, np.stack([at(3, 3, 0.05), at(1.5, 2, 0.05)])).tolist() == [True, False]
    for bad in (np.zeros(5), np.full((3, 3), np.inf), np.zeros((1, 4))):
        with pytest.raises(impinge.InvalidShape):
            impinge.HeightField(bad)


def test_holes_are_cut():
    block = impinge.Box([1, 1, 0.5])
    bored = block.cut(impinge.Cylinder(0.5, 0.25), open="-z +z")
    assert isinstance(bored, impinge.Mesh) and bored.is_closed
    assert bored.volume == pytest.approx(4 - np.pi / 16, rel=1e-3)
    pin = impinge.Cylinder(2, 0.24)
    assert impinge.touching(block, pin) and not impinge.touching(bored, pin)
    assert block.cut(impinge.Sphere(0.25), at(1, 0, 0), facets=24).volume < 4
    with pytest.raises(impinge.InvalidShape, match="sides are"):
        block.cut(impinge.Sphere(0.1), open="up")
    with pytest.raises(impinge.InvalidShape, match="no flat side"):
        block.cut(impinge.Sphere(0.1), open="+x")
    with pytest.raises(impinge.InvalidShape, match="leave the child out"):
        block.cut(impinge.Box([3, 3, 3]))


def test_every_shape_is_the_same_after_data_and_back(assets):
    values, spacing, origin = ball_values()
    turn = np.array([0.3, 0.5, 0.1, 0.8])
    turned = [1, 0, 0, *(turn / np.linalg.norm(turn))]
    composite = impinge.Composite([("one", turned, impinge.Sphere(0.5)), (at(0, 0, 0), impinge.Box([1, 1, 1]))])
    shapes = [
        impinge.Sphere(0.1),
        impinge.Box([1, 2, 0.3]),
        impinge.Capsule(1, 0.1),
        impinge.Cylinder(0.1, 1),
        impinge.HalfSpace(),
        impinge.load(assets / "gear.ply"),
        impinge.Hull(np.random.default_rng(1).normal(size=(20, 3))),
        impinge.HeightField(np.zeros((4, 4))),
        impinge.LevelSet(values, spacing, origin),
        impinge.Particles(np.zeros((3, 3)), [0.1, 0.2, 0.3]),
        composite,
    ]
    for shape in shapes:
        text = shape.to_json()
        assert impinge.from_json(text).to_json() == text
        assert pickle.loads(pickle.dumps(shape)).to_json() == text
        # Objects have the class of what they were, and can be kept again.
        read = impinge.from_json(text)
        assert type(read) is type(shape)
        assert pickle.loads(pickle.dumps(read)).to_json() == text
    with pytest.raises(impinge.InvalidShape, match="radius is -1"):
        impinge.from_json('{"sphere": {"radius": -1}}')


def test_ground_is_edited_under_a_body():
    world = impinge.World(threads=1)
    field = impinge.HeightField(np.zeros((9, 9)), 0.5)
    ground = world.add(field, fixed=True)
    ball = world.add(impinge.Sphere(0.3), at(2, 2, 0.6))
    assert world.step()["touching"] == 0
    world.set_heights(ground, [3, 3], np.full((3, 3), 0.5))
    assert world.step()["touching"] == 1
    assert (field.heights == 0).all()
    # The object places what it did, beside what was changed.
    other = world.add(field, at(10, 0, 0), fixed=True)
    world.set_pose(ball, at(12, 2, 0.6))
    assert world.step()["touching"] == 0 and world.shape_count == 3
    world.remove(other)
    world.set_pose(ball, at(2, 2, 0.6))
    assert world.step()["touching"] == 1
    for wrong in (lambda: world.set_heights(ground, [8, 8], np.zeros((2, 2))), lambda: world.set_heights(ball, [0, 0], [[1]])):
        with pytest.raises(impinge.InvalidSetting):
            wrong()
    assert world.step()["touching"] == 1
    world.replace_shape(ball, impinge.Sphere(0.05))
    assert world.step()["touching"] == 0
    with pytest.raises(impinge.UnknownCollider):
        world.replace_shape(999, impinge.Sphere(1))


def test_level_sets_and_meshes_are_edited():
    values, spacing, origin = ball_values()
    world = impinge.World(threads=1)
    body = world.add(impinge.LevelSet(values, spacing, origin), fixed=True)
    probe = world.add(impinge.Sphere(0.2), at(0.9, 0, 0))
    assert world.step()["touching"] == 1
    world.edit_levels(body, [8, 2, 2], np.full((9, 9, 4), 0.5))
    assert world.step()["touching"] == 0
    with pytest.raises(impinge.InvalidSetting, match="beyond"):
        world.edit_levels(body, [10, 10, 10], np.zeros((9, 9, 9)))
    sheet = impinge.Mesh([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], [[0, 1, 2], [0, 2, 3]], repair=False)
    cloth = world.add(sheet, at(5, 0, 0), fixed=True)
    world.set_pose(probe, at(5.8, 0.3, 0.1))
    assert world.step()["touching"] == 1
    assert world.remove_triangles(cloth, [0]) == 1
    assert world.step()["touching"] == 0
    world.edit_vertices(cloth, [2], [[1.5, 0, 0]])
    assert world.step()["touching"] == 1
    with pytest.raises(ValueError, match="a place for each"):
        world.edit_vertices(cloth, [2, 3], [[1.5, 0, 0]])


def test_particles_have_contacts_in_worlds():
    world = impinge.World(threads=1)
    floor = world.add(impinge.HalfSpace(), fixed=True)
    powder = impinge.Particles([[0, 0, 0.3], [1, 0, 0.3]], 0.1)
    assert len(powder) == 2
    cloud = world.add(powder)
    world.step()
    assert len(world.particle_contacts()["depths"]) == 0
    world.set_particles(cloud, 1, [[1, 0, 0.08]])
    world.step()
    found = world.particle_contacts()
    assert found["colliders"].tolist() == [[cloud, floor]] and found["particles"].tolist() == [1]
    assert found["depths"][0] == pytest.approx(0.02, abs=1e-6) and found["normals"][0, 2] == pytest.approx(1)
    with pytest.raises(impinge.InvalidSetting, match="are 2"):
        world.set_particles(cloud, 2, [[0, 0, 0]])


def test_shapes_that_cannot_be_say_what_is_wrong():
    values, spacing, origin = ball_values()
    soup = impinge.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]], repair=False)
    ball, block = impinge.Sphere(0.3), impinge.Box([1, 1, 1])
    below = values.copy()
    below[0, 1, 2] = -1
    flat = np.zeros((3, 3))
    for make, says in [
        (lambda: impinge.HeightField(np.zeros(9)), "2 dimensions"),
        (lambda: impinge.HeightField(np.zeros((9, 1))), "from 2"),
        (lambda: impinge.HeightField(np.full((3, 3), np.nan)), "no triangle"),
        (lambda: impinge.HeightField(np.full((3, 3), np.inf)), "inf"),
        (lambda: impinge.HeightField(flat, 0), "spacing along x is 0"),
        (lambda: impinge.HeightField(flat, (1, 2, 3)), "3 numbers"),
        (lambda: impinge.HeightField(flat, bottom=0), "below all samples"),
        (lambda: impinge.LevelSet(flat), "3 dimensions"),
        (lambda: impinge.LevelSet(np.ones((5, 5, 5))), "nothing is inside"),
        (lambda: impinge.LevelSet(below, spacing, origin), r"\[2, 1, 0\].*border"),
        (lambda: impinge.LevelSet(values * np.nan, spacing), "NaN"),
        (lambda: impinge.LevelSet(values, -1), "spacing along x is -1"),
        (lambda: impinge.LevelSet(values, spacing, [0, 0, 1e6]), "4096"),
        (lambda: impinge.LevelSet.of_mesh(soup, 0.1), "soup"),
        (lambda: impinge.Particles(np.zeros((2, 2)), 0.1), r"\(N, 3\)"),
        (lambda: impinge.Particles(np.zeros((0, 3)), 0.1), "at least one"),
        (lambda: impinge.Particles(np.zeros((2, 3)), [0.1]), "1 radii"),
        (lambda: impinge.Particles(np.zeros((2, 3)), -1), "radius 0 is -1"),
        (lambda: impinge.Particles(np.full((1, 3), np.nan), 1), "centre 0"),
        (lambda: impinge.Particles(np.zeros((2, 3)), flat), "must be a number"),
        (lambda: block.cut(soup), "a hole is"),
        (lambda: block.cut(ball, facets=3), "8 to 512"),
        (lambda: soup.cut(ball), "close"),
        (lambda: impinge.HeightField(flat).cut(ball), "hole 0"),
        (lambda: impinge.from_json("{"), "EOF"),
        (lambda: impinge.from_json('{"ball": {}}'), "ball"),
    ]:
        with pytest.raises(impinge.InvalidShape, match=says):
            make()


def test_edits_that_are_refused_leave_the_world_as_it_was():
    values, spacing, origin = ball_values()
    world = impinge.World(threads=1)
    ground = world.add(impinge.HeightField(np.zeros((3, 3)), bottom=-1), fixed=True)
    body = world.add(impinge.LevelSet(values, spacing, origin), at(10, 0, 0), fixed=True)
    cloth = world.add(impinge.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]], repair=False), at(20, 0, 0), fixed=True)
    cloud = world.add(impinge.Particles([[1, 1, 0.05], [0.5, 0.5, 0.05]], 0.1))
    world.add(impinge.Sphere(0.5), at(11.2, 0, 0))
    world.add(impinge.Sphere(0.5), at(20.2, 0.2, 0.4))
    before = world.step()["touching"], world.particle_contacts()
    assert before[0] == 3 and len(before[1]["depths"]) == 2
    nan = np.nan
    for edit, says in [
        (lambda: world.set_heights(ground, [2, 2], np.zeros((1, 2))), "beyond"),
        (lambda: world.set_heights(ground, [0, 0], [[np.inf]]), "inf"),
        (lambda: world.set_heights(ground, [0, 0], [[-9]]), "below all samples"),
        (lambda: world.set_heights(ground, [0, 0], np.full((3, 3), nan)), "no triangle"),
        (lambda: world.set_heights(body, [0, 0], [[1]]), "no height field"),
        (lambda: world.edit_levels(body, [13, 0, 0], [[[1]]]), "beyond"),
        (lambda: world.edit_levels(body, [0, 0, 0], [[[-1]]]), "at the border"),
        (lambda: world.edit_levels(body, [1, 1, 1], [[[nan]]]), "NaN"),
        (lambda: world.edit_levels(body, [0, 0, 0], np.ones((13, 13, 13))), "nothing is inside"),
        (lambda: world.edit_levels(ground, [0, 0, 0], [[[1]]]), "no level set"),
        (lambda: world.edit_vertices(cloth, [3], [[0, 0, 0]]), "mesh of 3"),
        (lambda: world.edit_vertices(cloth, [1], [[0, nan, 0]]), "finite"),
        (lambda: world.remove_triangles(cloth, [1]), "mesh of 1"),
        (lambda: world.remove_triangles(cloth, [0]), "has to stay"),
        (lambda: world.remove_triangles(body, [0]), "is no mesh"),
        (lambda: world.set_particles(cloud, 2, [[0, 0, 0]]), "are 2"),
        (lambda: world.set_particles(cloud, 0, [[0, nan, 0]]), "finite"),
        (lambda: world.set_particles(cloth, 0, [[0, 0, 0]]), "none of particles"),
    ]:
        with pytest.raises(impinge.InvalidSetting, match=says):
            edit()
    for edit in (
        lambda: world.set_heights(ground, [-1, 0], [[1]]),
        lambda: world.set_heights(ground, [0], [[1]]),
        lambda: world.remove_triangles(cloth, [-1]),
    ):
        with pytest.raises(ValueError):
            edit()
    with pytest.raises(TypeError):
        world.replace_shape(ground, "a ball")
    with pytest.raises(impinge.UnknownCollider):
        world.set_heights(999, [0, 0], [[1]])
    after = world.step()["touching"], world.particle_contacts()
    assert after[0] == before[0]
    assert all(np.array_equal(before[1][key], after[1][key]) for key in before[1])
