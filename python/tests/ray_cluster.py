"""A local Ray cluster of two processes, one of which is killed in the middle. Not part of the suite, for Ray's size (240 MB): run

    pip install ray==2.* && python -m pytest python/tests/ray_cluster.py
"""

from __future__ import annotations

import os
import signal
import threading
import time

import numpy as np
import pytest

import impinge
import impinge.ray

from .conftest import random_poses

ray = pytest.importorskip("ray", reason="this file is run where Ray is installed")


@pytest.fixture(scope="module", autouse=True)
def cluster():
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, object_store_memory=256 * 2**20)
    yield
    ray.shutdown()


def test_answers_are_those_of_one_process(gear, knot):
    poses = random_poses(20000, 0.9, seed=31)
    for question in ("touching", "distance"):
        expected = impinge.batch.check(gear, knot, poses[:5000], question=question)
        found = impinge.ray.check(gear, knot, poses[:5000], question=question, workers=2, chunk=600)
        np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(
        impinge.ray.check([gear, knot], knot, poses, workers=2, chunk=999), impinge.touching([gear, knot], knot, poses)
    )


@pytest.mark.parametrize("kills", [1, 3])
def test_a_killed_worker_loses_nothing_and_doubles_nothing(gear, knot, kills):
    poses = random_poses(60000, 0.9, seed=32)
    expected = impinge.distance(gear, knot, poses[:6000])
    killed = []

    def kill(actors):
        def later():
            for _ in range(kills):
                time.sleep(0.7)
                # The list has the workers of now, those that took another's place among them.
                pid = None
                try:
                    pid = ray.get(actors[0].__ray_call__.remote(lambda _: os.getpid()), timeout=20)
                except ray.exceptions.RayError:
                    continue
                os.kill(pid, signal.SIGKILL)
                killed.append(pid)

        threading.Thread(target=later, daemon=True).start()

    parts = list(
        impinge.ray.stream(gear, knot, poses[:6000], question="distance", workers=2, chunk=40, on_start=kill)
    )
    assert killed, "a worker was killed before the end"
    assert [len(part) for part in parts] == [40] * 150, "every chunk once"
    np.testing.assert_array_equal(np.concatenate(parts), expected)


def test_poses_are_taken_as_answers_are(gear, torus):
    poses, taken = random_poses(4000, 0.8, seed=33), []

    def chunks():
        for k in range(0, 4000, 50):
            taken.append(k)
            yield poses[k : k + 50]

    most = 0
    for n, _ in enumerate(impinge.ray.stream(gear, torus, chunks(), workers=2, chunk=50)):
        most = max(most, len(taken) - n)
    assert most <= 9, "memory is bounded by what two workers can have"


def test_what_the_question_refuses_is_the_callers_to_see(gear, torus):
    poses = random_poses(300, 0.8, seed=34)
    poses[250] = np.nan
    with pytest.raises(impinge.InvalidPose, match=r"poses\[250\]"):
        impinge.ray.check(gear, torus, poses, workers=2, chunk=100)
    with pytest.raises(impinge.InvalidSetting, match="workers is 0"):
        impinge.ray.check(gear, torus, poses, workers=0)


def test_a_chunk_that_is_always_lost_is_told(gear, torus):
    def end_them(actors):
        def later():
            end = time.time() + 30
            while time.time() < end and not done.is_set():
                for actor in list(actors):
                    try:
                        ray.kill(actor)
                    except Exception:  # noqa: BLE001 - it may be gone
                        pass
                time.sleep(0.05)

        threading.Thread(target=later, daemon=True).start()

    done = threading.Event()
    try:
        with pytest.raises(impinge.WorkerError, match="(was lost|could not be started) 2 times"):
            impinge.ray.check(gear, torus, random_poses(5000, 0.8), workers=2, chunk=50, retries=1, on_start=end_them)
    finally:
        done.set()


def test_workers_without_a_place_hold_nothing_up(gear, torus):
    poses = random_poses(3000, 0.8, seed=35)
    expected = impinge.touching(gear, torus, poses)
    # Two find a place in this cluster of two processors, and of workers with four threads none.
    np.testing.assert_array_equal(impinge.ray.check(gear, torus, poses, workers=4, chunk=100), expected)
    with pytest.raises(impinge.WorkerError, match="no worker was ready within 3 s: 1 wait for a place .* of 2 processors"):
        impinge.ray.check(gear, torus, poses, workers=1, threads=4, start_timeout=3.0)
