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


def test_too_little_room_is_told():
    model, bodies = scene()
    state = model.state()
    newton.eval_fk(model, model.joint_q, model.joint_qd, state)
    poses = state.body_q.numpy()
    poses[bodies[0], :3] = (0.0, 0.0, 0.115)
    state.body_q.assign(poses)
    with pytest.raises(impinge.InvalidSetting, match="room for 1"):
        impinge.newton.Collider(model).collide(state, newton.Contacts(1, 0, device="cpu"))
    with pytest.raises(impinge.InvalidSetting, match="margin"):
        impinge.newton.Collider(model, margin=-1.0)
