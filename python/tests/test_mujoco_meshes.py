"""Meshes that are changed in place, and models that differ in little: no answer is of a mesh as it was."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

import impinge
import impinge.mujoco
from impinge.demo import meshes
from impinge.demo.scenes import mesh_asset

SMALL, LARGE = (0.3, 0.1, 48, 24), (0.3, 0.1, 120, 60)


@pytest.fixture
def installed():
    with impinge.mujoco.install() as installation:
        yield installation


def beside(arrays) -> "tuple[mujoco.MjModel, mujoco.MjData]":
    """A mesh and a ball in touch with it, so that every step asks about the mesh once."""
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><asset>{mesh_asset("ring", arrays)}</asset><worldbody><geom type="mesh" mesh="ring"/>'
        '<body pos="0.02 0.01 0.03"><freejoint/><geom type="sphere" size="0.21"/></body></worldbody></mujoco>'
    )
    return model, mujoco.MjData(model)


def contacts(model, data) -> np.ndarray:
    mujoco.mj_forward(model, data)
    return np.column_stack([data.contact.dist, data.contact.pos, data.contact.frame])


def test_any_number_of_a_small_mesh_is_seen_at_once(installed):
    model, data = beside(meshes.ring(*SMALL))
    vertices, faces = model.mesh_vertnum[0], model.mesh_facenum[0]
    assert len(contacts(model, data))
    random = np.random.default_rng(0)
    for n, vertex in enumerate([0, vertices - 1, *random.permutation(vertices)[:30]]):
        model.mesh_vert[vertex, n % 3] += np.float32(1e-4)
        contacts(model, data)
        assert installed.report().meshes == n + 2, vertex
    before = installed.report().meshes
    for n, face in enumerate(random.permutation(faces)[:10]):
        # The same face, but from its next corner on.
        model.mesh_face[face] = np.roll(model.mesh_face[face], 1)
        contacts(model, data)
        assert installed.report().meshes == before + n + 1, face


def test_any_number_of_a_large_mesh_is_seen_within_few_calls(installed):
    model, data = beside(meshes.ring(*LARGE))
    vertices, faces = model.mesh_vertnum[0], model.mesh_facenum[0]
    numbers = 3 * (vertices + faces)
    # Four parts of 4,096 numbers are compared in a call.
    most = -(-(numbers // 4096 + 2) // 4)
    assert faces == 14400 and most == 5
    contacts(model, data)
    random, calls = np.random.default_rng(1), []
    for n, vertex in enumerate([0, vertices - 1, *random.permutation(vertices)[:6]]):
        model.mesh_vert[vertex, n % 3] += np.float32(1e-4)
        for call in range(1, most + 1):
            contacts(model, data)
            if installed.report().meshes == n + 2:
                break
        calls.append(call)
        assert installed.report().meshes == n + 2, vertex
    assert max(calls) > 1, "not all of it is compared in every call"


def test_answers_after_a_change_are_those_of_the_mesh_as_it_is(installed):
    model, data = beside(meshes.ring(*SMALL))
    before = contacts(model, data)
    start = contacts(model, data)
    np.testing.assert_array_equal(start, before)
    model.mesh_vert[:] *= np.float32(0.95)
    changed = contacts(model, data)
    impinge.mujoco.forget()
    np.testing.assert_array_equal(contacts(model, data), changed)
    assert changed[:, 0].min() < before[:, 0].min() - 0.004, "the hole is narrower"
    model.mesh_vert[:] /= np.float32(0.95)
    np.testing.assert_allclose(contacts(model, data)[:, 0].min(), before[:, 0].min(), atol=1e-5)


def test_models_that_differ_in_one_vertex_are_told_apart(installed):
    vertices, faces = meshes.ring(*LARGE)
    for n, vertex in enumerate(np.random.default_rng(2).permutation(len(vertices))[:6]):
        other = vertices.copy()
        other[vertex] *= 1.0 + 1e-3
        # Often at the address of the one before.
        model, data = beside((other, faces))
        contacts(model, data)
        assert installed.report().meshes == n + 1, "seen in the first call"
        del model, data
