"""MuJoCo with meshes as they are."""

from __future__ import annotations

import copy
import gc
import importlib
import pickle
import sys
import warnings

import mujoco
import numpy as np
import pytest

import impinge
import impinge.mujoco
from impinge.demo import meshes
from impinge.demo.scenes import SCENES, mesh_asset


@pytest.fixture(autouse=True)
def nothing_stays_installed():
    yield
    impinge.mujoco.uninstall()


def stepped(model, steps: int):
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, steps)
    return data


def model_of(arrays, geom: str, height: float, step: float = 0.002) -> "mujoco.MjModel":
    """A fixed mesh, and one free geom above it."""
    return mujoco.MjModel.from_xml_string(
        f'<mujoco><option timestep="{step}"/><asset>{mesh_asset("ground", arrays)}{mesh_asset("ball", meshes.ball(0.1))}'
        '</asset><worldbody><geom type="mesh" mesh="ground"/>'
        f'<body pos="0 0 {height}"><freejoint/>{geom}</body></worldbody></mujoco>'
    )


@pytest.mark.parametrize("name", sorted(SCENES))
def test_bodies_come_to_rest_where_their_meshes_let_them(name):
    scene = SCENES[name]()
    model = mujoco.MjModel.from_xml_string(scene.xml(time_step=0.004))
    steps = int(2.0 / 0.004)
    stock = stepped(model, steps)
    assert not scene.in_place(scene.positions(stock)).any(), "stock MuJoCo has them on the hulls"
    with impinge.mujoco.install() as installation:
        data = stepped(model, steps)
        done = installation.report()
    assert scene.in_place(scene.positions(data)).all()
    assert scene.speeds(data).max() < 0.005
    assert -data.contact.dist.min() < 0.002
    assert done.touching > 100 and done.panics == done.open == done.other == 0


@pytest.mark.parametrize(
    ("geom", "rest"),
    [
        ('<geom type="sphere" size="0.1"/>', 0.1),
        ('<geom type="box" size="0.1 0.1 0.05"/>', None),
        ('<geom type="capsule" size="0.05 0.04"/>', None),
        ('<geom type="cylinder" size="0.05 0.05"/>', None),
        ('<geom type="ellipsoid" size="0.1 0.1 0.06"/>', 0.06),
        ('<geom type="mesh" mesh="ball"/>', 0.1),
    ],
)
def test_every_kind_of_geom_falls_into_a_bowl(geom, rest):
    # The wall is 0.04 m thick, so that this is the height of the bowl's inner bottom.
    model = model_of(meshes.bowl(), geom, 0.25)
    with impinge.mujoco.install():
        data = stepped(model, 220)
    height = data.qpos[2]
    assert 0.04 < height < 0.25, "inside, and not through the wall"
    if rest is not None:
        assert height == pytest.approx(0.04 + rest, abs=0.006)
    data.qpos[:3] = 0, 0, 0.55
    data.qvel[:] = 0
    mujoco.mj_step(model, data, 700)
    assert data.qpos[2] > 0.4, "stock MuJoCo has it on the bowl's lid"


def test_a_mesh_lies_on_a_plane():
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><asset>{mesh_asset("bowl", meshes.bowl())}</asset><worldbody><geom type="plane" size="1 1 1"/>'
        '<body pos="0 0 0.1"><freejoint/><geom type="mesh" mesh="bowl"/></body></worldbody></mujoco>'
    )
    with impinge.mujoco.install() as installation:
        data = stepped(model, 1000)
        assert installation.report().touching > 100
    assert np.abs(data.qvel).max() < 0.05 and abs(data.xipos[1, 2] - model.body_ipos[1, 2] - data.qpos[2]) < 0.2


def test_margins_tell_of_what_is_near():
    model = model_of(meshes.bowl(), '<geom type="mesh" mesh="ball" margin="0.05"/>', 0.15)
    data = mujoco.MjData(model)
    with impinge.mujoco.install():
        mujoco.mj_forward(model, data)
        assert data.ncon > 0 and data.contact.dist.min() == pytest.approx(0.01, abs=0.002)
        model.geom_margin[:] = 0.002
        mujoco.mj_forward(model, data)
        assert data.ncon == 0


def test_distances_of_geoms_are_those_of_their_meshes():
    model = model_of(meshes.bowl(), '<geom type="mesh" mesh="ball"/>', 0.3)
    data = mujoco.MjData(model)
    shapes = []
    for mesh in range(2):
        v, n = model.mesh_vertadr[mesh], model.mesh_vertnum[mesh]
        f, m = model.mesh_faceadr[mesh], model.mesh_facenum[mesh]
        shapes.append(impinge.Mesh(model.mesh_vert[v : v + n], model.mesh_face[f : f + m]))
    with impinge.mujoco.install():
        for place in ((0, 0, 0.3), (0.05, 0.02, 0.16), (0, 0, 0.7), (1.5, 0.3, 0.2), (0, 0.4, -0.6)):
            data.qpos[:3] = place
            mujoco.mj_kinematics(model, data)
            poses = []
            for geom in range(2):
                pose = np.eye(4)
                pose[:3, :3], pose[:3, 3] = data.geom_xmat[geom].reshape(3, 3), data.geom_xpos[geom]
                poses.append(pose)
            expected = impinge.distance(*shapes, np.linalg.inv(poses[0]) @ poses[1])
            ends = np.zeros(6)
            found = mujoco.mj_geomDistance(model, data, 0, 1, 10.0, ends)
            assert expected > 0 and found == pytest.approx(expected, rel=1e-6, abs=1e-9)
            assert np.linalg.norm(ends[3:] - ends[:3]) == pytest.approx(expected, rel=1e-6, abs=1e-9)


def test_threads_rollouts_and_derivatives_see_a_pure_function():
    from mujoco import rollout

    scene = SCENES["balls"]()
    model = mujoco.MjModel.from_xml_string(scene.xml(time_step=0.004))
    with impinge.mujoco.install():
        start = stepped(model, 80)
        spec = mujoco.mjtState.mjSTATE_FULLPHYSICS
        state = np.empty(mujoco.mj_stateSize(model, spec))
        mujoco.mj_getState(model, start, state, spec)
        starts = np.tile(state, (4, 1))
        starts[:, 1] += np.linspace(0, 0.01, 4)
        runs = []
        for threads in (1, 2):
            datas = [mujoco.MjData(model) for _ in range(threads)]
            states, _ = rollout.rollout(model, datas, starts, nstep=60)
            runs.append(states)
        np.testing.assert_array_equal(runs[0], runs[1])
        assert np.abs(runs[0][0] - runs[0][3]).max() > 1e-4
        derivatives = []
        for _ in range(2):
            size = 2 * model.nv + model.na
            a = np.empty((size, size))
            mujoco.mjd_transitionFD(model, start, 1e-6, True, a, None, None, None)
            derivatives.append(a)
        np.testing.assert_array_equal(*derivatives)
        assert np.isfinite(derivatives[0]).all()


def test_copies_pickles_and_other_models_at_the_same_place_are_told_apart():
    with impinge.mujoco.install():

        def rest(model):
            return stepped(model, 400).qpos[2]

        geom = '<geom type="mesh" mesh="ball"/>'
        expected = rest(model_of(meshes.bowl(), geom, 0.3))
        model = model_of(meshes.bowl(), geom, 0.3)
        assert rest(copy.copy(model)) == rest(pickle.loads(pickle.dumps(model))) == rest(model) == expected
        for wall in (0.04, 0.06, 0.08, 0.04, 0.1):
            # Of equal structure, and often at the address of the one before.
            model = model_of(meshes.bowl(wall=wall), geom, 0.3)
            assert rest(model) == pytest.approx(wall + 0.1, abs=0.01), wall
            del model
            gc.collect()


def resident() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096


@pytest.mark.filterwarnings("error")
def test_memory_stays_flat_over_a_hundred_models():
    with impinge.mujoco.install(kept=30000):

        def used(count: int, first: int) -> int:
            for k in range(count):
                # Every model has a mesh of its own.
                model = model_of(meshes.bowl(wall=0.04 + 1e-5 * (first + k)), '<geom type="mesh" mesh="ball"/>', 0.14)
                stepped(model, 80)
            gc.collect()
            return resident()

        before = used(40, 0)
        after = used(100, 40)
        # A model's meshes with their trees take about half a megabyte.
        assert after - before < 15e6, f"{(after - before) / 1e6:.1f} MB for 100 models"


def lone(wall: float) -> "mujoco.MjModel":
    """A model of one small mesh and a sphere in touch with it, where every call of the callback is about that mesh."""
    return mujoco.MjModel.from_xml_string(
        f'<mujoco><asset>{mesh_asset("ball", meshes.ball(wall))}</asset><worldbody><geom type="mesh" mesh="ball"/>'
        '<body pos="0 0 0.1"><freejoint/><geom type="sphere" size="0.05"/></body></worldbody></mujoco>'
    )


def test_many_models_do_not_pile_up():
    each = len(meshes.ball(0.1)[1])
    most = 100 * each
    with impinge.mujoco.install(kept=most) as installation:
        for k in range(200):
            model = lone(0.1 + 1e-5 * k)
            data = mujoco.MjData(model)
            mujoco.mj_forward(model, data)
            assert data.ncon > 0
            assert impinge._impinge.mujoco_kept()[1] <= most
        held, triangles = impinge._impinge.mujoco_kept()
        assert held > 50 and triangles == held * each
        assert installation.report().meshes == 200


@pytest.mark.parametrize("kept", [1_000_000, 0])
def test_models_in_turns_are_made_ready_once(kept):
    models = [lone(0.1), lone(0.11)]
    datas = [mujoco.MjData(model) for model in models]
    with impinge.mujoco.install(kept=kept) as installation:
        for _ in range(2):
            for model, data in zip(models, datas):
                # Within the last calls a mesh stays even where nothing may be kept; beyond them where there is room.
                for _ in range(100 if kept else 20):
                    mujoco.mj_collision(model, data) if data.time else mujoco.mj_forward(model, data)
        assert installation.report().pairs >= (400 if kept else 80)
        assert installation.report().meshes == 2
    with pytest.raises(impinge.InvalidSetting, match="kept is -1"):
        impinge.mujoco.install(kept=-1)


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_a_mesh_that_is_another_along_one_axis_is_seen(axis):
    model = lone(0.1)
    data = mujoco.MjData(model)
    with impinge.mujoco.install() as installation:
        mujoco.mj_forward(model, data)
        model.mesh_vert[:, axis] *= np.float32(1.01)
        mujoco.mj_forward(model, data)
        assert installation.report().meshes == 2


def test_poses_that_are_not_finite_have_no_contacts():
    model = model_of(meshes.bowl(), '<geom type="mesh" mesh="ball"/>', 0.14)
    data = mujoco.MjData(model)
    with impinge.mujoco.install() as installation:
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        for bad in (np.nan, np.inf, -np.inf):
            data.geom_xpos[1, 0] = bad
            mujoco.mj_collision(model, data)
            assert np.isfinite(data.contact.dist).all()
        data.geom_xpos[1] = 0.0
        data.geom_xmat[1, 4] = np.nan
        mujoco.mj_collision(model, data)
        assert data.ncon == 0
        assert installation.report().panics == 0


def test_an_open_mesh_is_left_to_mujoco_with_one_warning():
    vertices, faces = meshes.bowl()
    model = model_of((vertices, faces[60:]), '<geom type="sphere" size="0.1"/>', 0.45)
    own = stepped(model, 400).qpos.copy()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with impinge.mujoco.install() as installation:
            ours = stepped(model, 400).qpos.copy()
            assert installation.report().open > 10
        list(range(100000))
    np.testing.assert_array_equal(ours, own)
    told = [w for w in caught if issubclass(w.category, impinge.OpenMeshWarning)]
    assert len(told) == 1 and "is open (hole of" in str(told[0].message)


def test_nothing_of_it_stays():
    model = model_of(meshes.bowl(), '<geom type="sphere" size="0.1"/>', 0.45)
    before = stepped(model, 300).qpos.copy()
    impinge.mujoco.install()
    impinge.mujoco.install(resolution=8)
    assert impinge.mujoco.installed()
    assert stepped(model, 300).qpos[2] < before[2] - 0.1
    impinge.mujoco.uninstall()
    impinge.mujoco.uninstall()
    assert not impinge.mujoco.installed() and impinge.mujoco.report().pairs == 0
    np.testing.assert_array_equal(stepped(model, 300).qpos, before)
    with pytest.raises(impinge.InvalidSetting, match="resolution is 12"):
        impinge.mujoco.install(resolution=12)
    assert not impinge.mujoco.installed()


def test_a_module_that_is_loaded_again_takes_over():
    vertices, faces = meshes.bowl()
    # Open, so that the callback calls what was there before.
    model = model_of((vertices, faces[60:]), '<geom type="sphere" size="0.1"/>', 0.45)
    own = stepped(model, 100).qpos.copy()
    module = sys.modules["impinge.mujoco"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", impinge.OpenMeshWarning)
        impinge.mujoco.install()
        importlib.reload(module)
        assert module.installed()
        module.install()
        np.testing.assert_array_equal(stepped(model, 100).qpos, own)
        module.uninstall()
        module.install()
        del sys.modules["impinge.mujoco"]
        try:
            fresh = importlib.import_module("impinge.mujoco")
            assert fresh is not module
            fresh.install()
            np.testing.assert_array_equal(stepped(model, 100).qpos, own)
            assert fresh.report().open > 0
            fresh.uninstall()
        finally:
            sys.modules["impinge.mujoco"] = impinge.mujoco = module
    assert model.nmesh == 2 and stepped(model_of(meshes.bowl(), '<geom type="sphere" size="0.1"/>', 0.45), 300).qpos[2] > 0.4
    with pytest.raises(impinge.InvalidSetting, match="its own predecessor"):
        fields = impinge.mujoco._layout.offsets(mujoco)
        before = [impinge._impinge.mujoco_callback()] * 9
        impinge._impinge.mujoco_setup(fields, 80, 50, 0, before, 16, 1000)


def test_vertices_changed_in_place_are_seen_after_forget():
    model = model_of(meshes.bowl(), '<geom type="sphere" size="0.05"/>', 0.1)
    data = mujoco.MjData(model)
    with impinge.mujoco.install():
        mujoco.mj_forward(model, data)
        assert data.ncon == 0
        # About the mesh's centre of mass, which raises the bottom.
        model.mesh_vert[: model.mesh_vertnum[0]] *= np.float32(0.85)
        impinge.mujoco.forget()
        mujoco.mj_forward(model, data)
        assert data.ncon > 0
