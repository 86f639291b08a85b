"""Five meshes in a Newton scene. Not part of the suite, for Warp's size (150 MB): run

    pip install newton==1.8.0 && python -m pytest python/tests/newton_scene.py
"""

from __future__ import annotations

import numpy as np
import pytest

import impinge
import impinge.newton
from impinge.demo import meshes

wp = pytest.importorskip("warp", reason="this file is run where Newton is installed")
newton = pytest.importorskip("newton", reason="this file is run where Newton is installed")


def mesh(arrays) -> "newton.Mesh":
    vertices, faces = arrays
    return newton.Mesh(np.asarray(vertices, np.float32), np.asarray(faces, np.int32).ravel())


def scene():
    """A bowl that stands still, three balls and a ring above it, all meshes; and a plane below."""
    builder = newton.ModelBuilder()
    builder.default_shape_cfg.density = 500.0
    builder.default_shape_cfg.gap = 0.0
    builder.add_shape_mesh(-1, mesh=mesh(meshes.bowl()))
    builder.add_ground_plane(height=-0.5)
    ball = mesh(meshes.ball(0.08))
    bodies = []
    for place in ((0.1, 0.0, 0.3), (-0.1, 0.05, 0.32), (0.0, -0.1, 0.5)):
        bodies.append(builder.add_body(xform=wp.transform(wp.vec3(*place), wp.quat_identity())))
        builder.add_shape_mesh(bodies[-1], mesh=ball)
    bodies.append(builder.add_body(xform=wp.transform(wp.vec3(0.0, 0.0, 0.7), wp.quat_identity())))
    builder.add_shape_mesh(bodies[-1], mesh=mesh(meshes.ring(0.1, 0.03)))
    with wp.ScopedDevice("cpu"):
        return builder.finalize(), bodies


def buffer(model):
    return newton.CollisionPipeline(model).contacts()


def test_five_meshes_come_to_rest_in_a_bowl():
    model, bodies = scene()
    collider, contacts = impinge.newton.Collider(model), buffer(model)
    solver = newton.solvers.SolverXPBD(model, iterations=8)
    state, other, control = model.state(), model.state(), model.control()
    newton.eval_fk(model, model.joint_q, model.joint_qd, state)
    counts = []
    for _ in range(700):
        state.clear_forces()
        counts.append(collider.collide(state, contacts))
        solver.step(state, other, control, contacts, 1.0 / 500.0)
        state, other = other, state
    places = state.body_q.numpy()[bodies, :3]
    assert np.isfinite(places).all()
    # Inside the bowl, which is 0.4 m deep, and not through its wall.
    assert (places[:, 2] < 0.45).all() and (places[:, 2] > 0.05).all(), places
    assert (np.hypot(places[:, 0], places[:, 1]) < 0.36).all(), places
    assert max(counts[-50:]) >= 8 and contacts.rigid_contact_count.numpy()[0] == counts[-1]


def test_contacts_are_those_of_the_shapes_where_they_stand():
    model, bodies = scene()
    state = model.state()
    newton.eval_fk(model, model.joint_q, model.joint_qd, state)
    poses = state.body_q.numpy()
    poses[bodies[0], :3] = (0.0, 0.0, 0.115)
    state.body_q.assign(poses)
    contacts = buffer(model)
    before = int(contacts.contact_generation.numpy()[0])
    count = impinge.newton.Collider(model).collide(state, contacts)
    assert count == contacts.rigid_contact_count.numpy()[0] > 0
    assert int(contacts.contact_generation.numpy()[0]) == before + 1
    bowl, ball = impinge.Mesh(*meshes.bowl()), impinge.Mesh(*meshes.ball(0.08))
    expected = impinge.contacts(bowl, ball, [0, 0, 0.115, 0, 0, 0, 1])
    assert count == len(expected.depths)
    np.testing.assert_allclose(contacts.rigid_contact_normal.numpy()[:count], expected.normals, atol=1e-6)
    first, second = contacts.rigid_contact_point0.numpy()[:count], contacts.rigid_contact_point1.numpy()[:count]
    np.testing.assert_allclose(first, expected.local_a, atol=1e-6)
    np.testing.assert_allclose(second, expected.local_b, atol=1e-6)
    gaps = np.einsum("ij,ij->i", second + np.array([0, 0, 0.115]) - first, expected.normals)
    np.testing.assert_allclose(gaps, -expected.depths, atol=2e-4)


def test_too_little_room_keeps_what_overlaps_the_most():
    model, bodies = scene()
    state = model.state()
    newton.eval_fk(model, model.joint_q, model.joint_qd, state)
    poses = state.body_q.numpy()
    # One ball deep in the bowl's wall, one that dips into it, one that is near.
    poses[bodies[:3], :3] = (0.0, 0.0, 0.119), (0.2, 0.0, 0.19), (0.0, 0.0, 0.6)
    poses[bodies[1], :3] = (0.0, 0.0, -0.43)
    state.body_q.assign(poses)
    collider = impinge.newton.Collider(model)
    full = buffer(model)
    count = collider.collide(state, full)
    assert count > 3 and collider.left_out == 0
    shapes = full.rigid_contact_shape0.numpy()[:count], full.rigid_contact_shape1.numpy()[:count]
    gaps = gaps_of(model, state, full, count)
    for room in (1, 3, count - 1, count):
        small = newton.Contacts(room, 0, device="cpu")
        if room < count:
            with pytest.warns(impinge.ImpingeWarning, match=f"there are {count} contacts and room for {room}"):
                assert collider.collide(state, small) == room
        else:
            assert collider.collide(state, small) == room
        assert collider.left_out == count - room and small.rigid_contact_count.numpy()[0] == room
        np.testing.assert_allclose(np.sort(gaps_of(model, state, small, room)), np.sort(gaps)[:room], atol=1e-7)
    assert len(set(zip(*(side.tolist() for side in shapes)))) > 1, "of several pairs"
    with pytest.raises(impinge.InvalidSetting, match="margin"):
        impinge.newton.Collider(model, margin=-1.0)
    with pytest.raises(impinge.InvalidSetting, match="resolution is -4"):
        impinge.newton.Collider(model, resolution=-4)


def gaps_of(model, state, contacts, count: int) -> np.ndarray:
    """Distances along the normals between both surfaces with their margins (m), from what is in Newton's arrays."""
    bodies, poses = model.shape_body.numpy(), state.body_q.numpy()

    def world(shapes, points):
        out = points.astype(float).copy()
        for k, body in enumerate(bodies[shapes]):
            if body >= 0:
                # No body is turned in these scenes.
                np.testing.assert_allclose(np.abs(poses[body, 3:]), (0, 0, 0, 1), atol=1e-6)
                out[k] += poses[body, :3]
        return out

    first = world(contacts.rigid_contact_shape0.numpy()[:count], contacts.rigid_contact_point0.numpy()[:count])
    second = world(contacts.rigid_contact_shape1.numpy()[:count], contacts.rigid_contact_point1.numpy()[:count])
    along = np.einsum("ij,ij->i", second - first, contacts.rigid_contact_normal.numpy()[:count])
    return along - contacts.rigid_contact_margin0.numpy()[:count] - contacts.rigid_contact_margin1.numpy()[:count]


def two_balls(height: float, gap: float, margin: float = 0.0, other: float = 0.0):
    """A ball above a plane, and far from it a ball above a block with a margin of their own."""
    builder = newton.ModelBuilder()
    builder.default_shape_cfg.gap, builder.default_shape_cfg.margin = gap, margin
    builder.add_ground_plane()
    ball = mesh(meshes.ball(0.1))
    body = builder.add_body(xform=wp.transform(wp.vec3(0.0, 0.0, 0.1 + height), wp.quat_identity()))
    builder.add_shape_mesh(body, mesh=ball)
    builder.default_shape_cfg.margin = other
    body = builder.add_body(xform=wp.transform(wp.vec3(5.0, 0.0, 1.0), wp.quat_identity()))
    builder.add_shape_mesh(body, mesh=ball)
    with wp.ScopedDevice("cpu"):
        model = builder.finalize()
    state = model.state()
    newton.eval_fk(model, model.joint_q, model.joint_qd, state)
    return model, state


@pytest.mark.parametrize(("gap", "margin"), [(0.0, 0.0), (0.01, 0.0), (0.02, 0.0), (0.1, 0.0), (0.0, 0.02), (0.01, 0.01)])
@pytest.mark.parametrize("height", [-0.005, 0.015, 0.03])
def test_gaps_and_margins_reach_as_far_as_newtons(gap, margin, height):
    model, state = two_balls(height, gap, margin)
    contacts, theirs = buffer(model), newton.CollisionPipeline(model)
    count = impinge.newton.Collider(model).collide(state, contacts)
    own = theirs.contacts()
    theirs.collide(state, own)
    assert (count > 0) == (own.rigid_contact_count.numpy()[0] > 0) == (height < 2 * (gap + margin) + 1e-9)
    if count:
        # The polyhedron of the ball is within 1 % of it.
        gaps = gaps_of(model, state, contacts, count)
        assert gaps.min() == pytest.approx(height - 2 * margin, abs=1.5e-3)
        assert (gaps <= 2 * gap + 1e-6).all()


def test_a_pair_has_a_margin_of_its_own():
    found = []
    for other in (0.0, 0.3):
        model, state = two_balls(-0.005, 0.0, 0.01, other)
        contacts = buffer(model)
        count = impinge.newton.Collider(model).collide(state, contacts)
        names = ("shape0", "shape1", "point0", "point1", "normal", "margin0", "margin1")
        found.append([getattr(contacts, f"rigid_contact_{name}").numpy()[:count] for name in names])
        assert count > 0
    for one, other in zip(*found):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("bad", [(np.nan, 0, 0, 0, 0, 0, 1), (0, 0, np.inf, 0, 0, 0, 1), (0, 0, 0, np.nan, 0, 0, 1), (0,) * 7])
def test_a_body_that_stands_nowhere_is_named(bad):
    model, bodies = scene()
    state = model.state()
    newton.eval_fk(model, model.joint_q, model.joint_qd, state)
    poses = state.body_q.numpy()
    poses[bodies[0], :3] = (0.0, 0.0, 0.115)
    state.body_q.assign(poses)
    collider, contacts = impinge.newton.Collider(model), buffer(model)
    assert collider.collide(state, contacts) > 0
    poses[bodies[2]] = bad
    state.body_q.assign(poses)
    with pytest.raises(impinge.InvalidPose, match=f"body {bodies[2]} stands at .*, and 0 more"):
        collider.collide(state, contacts)
    assert contacts.rigid_contact_count.numpy()[0] == 0, "contacts of the step before are gone"
