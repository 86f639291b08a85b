"""Threads: several in one step of MuJoCo's, and a step that runs while functions are installed and given back."""

from __future__ import annotations

import threading
import time

import mujoco
import numpy as np
import pytest

import impinge.mujoco
from impinge.demo.scenes import SCENES


@pytest.fixture(autouse=True)
def nothing_stays_installed():
    yield
    impinge.mujoco.uninstall()


def balls() -> "mujoco.MjModel":
    return mujoco.MjModel.from_xml_string(SCENES["balls"]().xml(time_step=0.004))


@pytest.mark.skipif(not hasattr(mujoco, "mju_threadpool"), reason="mju_threadpool is in Python from MuJoCo 4.0 on")
@pytest.mark.parametrize("threads", [1, 2, 3])
def test_threads_within_a_step_find_the_same_contacts(threads):
    model = balls()
    with impinge.mujoco.install() as installation:
        alone, pooled = mujoco.MjData(model), mujoco.MjData(model)
        mujoco.mju_threadpool(pooled, threads)
        touching = 0
        for _ in range(120):
            mujoco.mj_step(model, alone)
            # From the same state, whatever MuJoCo's own threads do to a sum.
            pooled.qpos[:], pooled.qvel[:], pooled.qacc_warmstart[:] = alone.qpos, alone.qvel, alone.qacc_warmstart
            mujoco.mj_forward(model, alone)
            mujoco.mj_forward(model, pooled)
            assert pooled.ncon == alone.ncon
            touching += alone.ncon > 0
            for name in ("dist", "pos", "frame", "geom"):
                np.testing.assert_array_equal(getattr(pooled.contact, name), getattr(alone.contact, name))
        mujoco.mju_threadpool(pooled, 0)
        assert touching > 20 and installation.report().panics == 0


def test_models_stepped_by_several_threads_at_once_find_the_same_contacts():
    model = balls()
    runs = [mujoco.MjData(model) for _ in range(4)]
    with impinge.mujoco.install() as installation:
        # The interpreter's lock is free while MuJoCo steps.
        threads = [threading.Thread(target=mujoco.mj_step, args=(model, data, 150)) for data in runs]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert installation.report().panics == 0 and runs[0].ncon > 0
        for data in runs[1:]:
            np.testing.assert_array_equal(data.qpos, runs[0].qpos)


def test_it_is_installed_and_uninstalled_while_models_are_stepped():
    model = balls()
    with impinge.mujoco.install():
        expected = mujoco.MjData(model)
        mujoco.mj_step(model, expected, 150)
    ending, steps, failed = threading.Event(), [0, 0], []

    def run(number: int) -> None:
        try:
            data = mujoco.MjData(model)
            while not ending.is_set():
                mujoco.mj_resetData(model, data)
                mujoco.mj_step(model, data, 100)
                steps[number] += 100
                # Each contact is MuJoCo's or ours; nothing is half of both.
                for contact in data.contact:
                    assert np.isfinite(contact.dist) and abs(np.linalg.norm(contact.frame[:3]) - 1.0) < 1e-9
                assert np.isfinite(data.qpos).all()
        except BaseException as error:  # noqa: BLE001 - told below
            failed.append(error)
            raise

    threads = [threading.Thread(target=run, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    panics, turns, end = 0, 0, time.monotonic() + 3.0
    while time.monotonic() < end or min(steps) == 0:
        installation = impinge.mujoco.install(resolution=16 if turns % 2 else 8, kept=1_000_000 if turns % 3 else 0)
        time.sleep(0.002 * (turns % 7))
        impinge.mujoco.forget()
        panics += installation.report().panics
        impinge.mujoco.uninstall()
        time.sleep(0.002 * (turns % 5))
        turns += 1
    ending.set()
    for thread in threads:
        thread.join(timeout=120)
    assert not failed and panics == 0 and turns > 20 and min(steps) > 0
    with impinge.mujoco.install():
        found = mujoco.MjData(model)
        mujoco.mj_step(model, found, 150)
    np.testing.assert_array_equal(found.qpos, expected.qpos)
