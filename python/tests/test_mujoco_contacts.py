"""Which contacts MuJoCo gets where a pair has room for few, and a thread that they carry."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

import impinge
import impinge.mujoco
from impinge.demo import meshes
from impinge.demo.scenes import mesh_asset


@pytest.fixture(autouse=True)
def nothing_stays_installed():
    yield
    impinge.mujoco.uninstall()


def assert_least_alike(taken, depths, positions, normals) -> None:
    """The deepest point, then always one that is least like those before it, by place (of the largest distance from the deepest) and normal."""
    assert depths[taken[0]] >= depths.max() - 1e-9
    size = ((positions - positions[taken[0]]) ** 2).sum(axis=1).max()
    for count in range(1, len(taken)):
        unlike = np.min(
            [((positions - positions[k]) ** 2).sum(axis=1) / size + ((normals - normals[k]) ** 2).sum(axis=1) for k in taken[:count]],
            axis=0,
        )
        # Of points that are as unlike to rounding, any.
        assert unlike[taken[count]] >= unlike.max() * (1 - 1e-6), (count, taken)


@pytest.mark.skipif(tuple(map(int, mujoco.__version__.split(".")[:2])) < (3, 9), reason="up to 3.8 a pair has room for all")
def test_where_there_is_little_room_the_deepest_comes_first_then_what_is_least_alike():
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><asset>{mesh_asset("bolt", meshes.bolt(around=32, per_pitch=10))}'
        f'{mesh_asset("nut", meshes.nut(around=32, per_pitch=6))}</asset>'
        '<worldbody><geom type="mesh" mesh="bolt"/><body><freejoint/><geom type="mesh" mesh="nut"/></body></worldbody></mujoco>'
    )
    # The first mesh at the origin: questions have the pose of the second in its frame.
    back, turned_back = np.zeros(3), np.zeros(4)
    mujoco.mju_negPose(back, turned_back, model.geom_pos[0], model.geom_quat[0])
    model.geom_pos[0], model.geom_quat[0] = 0.0, (1.0, 0.0, 0.0, 0.0)
    data = mujoco.MjData(model)
    shapes = []
    for mesh in range(2):
        v, n = model.mesh_vertadr[mesh], model.mesh_vertnum[mesh]
        f, m = model.mesh_faceadr[mesh], model.mesh_facenum[mesh]
        shapes.append(impinge.Mesh(model.mesh_vert[v : v + n], model.mesh_face[f : f + m]))
    short = 0
    with impinge.mujoco.install() as installation:
        # The nut on its thread, a little beside it and tipped, so that it touches in several places.
        for shift in np.random.default_rng(61).normal(size=(40, 6)) * [0.001, 0.001, 0.0005, 0.005, 0.005, 0.005]:
            place, turn = shift[:3] + [0, 0, 0.197], np.array([1, *(0.5 * shift[3:])])
            mujoco.mju_mulPose(data.qpos[:3], data.qpos[3:7], back, turned_back, place, turn)
            mujoco.mj_normalizeQuat(model, data.qpos)
            mujoco.mj_forward(model, data)
            pose = np.eye(4)
            pose[:3, :3], pose[:3, 3] = data.geom_xmat[1].reshape(3, 3), data.geom_xpos[1]
            every = impinge.contacts(*shapes, pose, resolution=16)
            if len(every.depths) <= 4:
                assert data.ncon == len(every.depths)
                continue
            short += 1
            assert data.ncon == 4
            found = np.column_stack([-data.contact.dist, data.contact.pos, data.contact.frame[:, :3]])
            all_found = np.column_stack([every.depths, every.positions, every.normals])
            taken = [int(np.argmin(np.abs(all_found - row).max(axis=1))) for row in found]
            np.testing.assert_allclose(found, all_found[taken], atol=1e-6)
            assert len(set(taken)) == 4
            assert_least_alike(taken, every.depths, every.positions, every.normals)
        assert short > 20 and installation.report().left_out >= short


def test_a_nut_climbs_its_bolt_by_the_pitch_for_each_turn():
    pitch, step, friction = 0.1, 0.002, "0.05 0.0001 0.0001"
    # A thread of 32 corners a turn, and a nut on it that is turned with little friction.
    bolt, nut = meshes.bolt(pitch=pitch, around=32, per_pitch=10), meshes.nut(pitch=pitch, around=32, per_pitch=6)
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><option timestep="{step}"/><asset>{mesh_asset("bolt", bolt)}{mesh_asset("nut", nut)}</asset>'
        f'<worldbody><geom type="mesh" mesh="bolt" friction="{friction}"/><body pos="0 0 0.2"><joint type="free" damping="2"/>'
        f'<geom type="mesh" mesh="nut" density="500" friction="{friction}"/></body></worldbody></mujoco>'
    )
    data = mujoco.MjData(model)
    turns, last, rows = 0.0, 0.0, []
    with impinge.mujoco.install() as installation:
        while turns < 1.25 and data.time < 3.0:
            data.qfrc_applied[5] = 24.0
            mujoco.mj_step(model, data)
            w, x, y, z = data.qpos[3:7]
            now = np.arctan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z)) / (2 * np.pi)
            turns += (now - last + 0.5) % 1.0 - 0.5
            last = now
            rows.append((turns, data.qpos[2]))
        assert installation.report().panics == installation.report().other == 0
    rows = np.array(rows)
    # From where the slack of the thread is used up, over a full turn and more.
    rows = rows[rows[:, 0] > 0.1]
    turned, climbed = rows[-1] - rows[0]
    assert turned > 1.0
    assert climbed / turned == pytest.approx(pitch, rel=0.02)
    # In between it tips within its clearance of 4 mm, and comes off its thread by less.
    off = rows[:, 1] - pitch * rows[:, 0]
    assert off.max() - off.min() < 0.004
