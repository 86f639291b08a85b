"""What impinge.ray does about failures, on a stand-in for Ray; ray_cluster.py is about Ray itself."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import impinge
import impinge.ray

from .conftest import random_poses
from .fake_ray import LOST, FakeRay, exceptions


@pytest.fixture
def on(monkeypatch):
    def use(cluster: FakeRay) -> FakeRay:
        monkeypatch.setitem(sys.modules, "ray", cluster)
        return cluster

    return use


@pytest.fixture(scope="module")
def asked(gear, torus):
    poses = random_poses(200, 0.8, seed=41)
    return (gear, torus, poses), impinge.touching(gear, torus, poses)


def test_answers_come_in_order_each_once(on, asked):
    cluster = on(FakeRay(places=3))
    (a, b, poses), expected = asked
    parts = list(impinge.ray.stream(a, b, poses, workers=3, chunk=7))
    assert [len(part) for part in parts] == [7] * 28 + [4]
    np.testing.assert_array_equal(np.concatenate(parts), expected)
    assert sorted(cluster.killed) == [0, 1, 2], "every worker is let go"
    assert len(impinge.ray.check(a, b, iter(()), workers=1)) == 0


@pytest.mark.parametrize("places", [1, 2])
def test_workers_without_a_place_hold_nothing_up(on, asked, places):
    cluster = on(FakeRay(places))
    (a, b, poses), expected = asked
    np.testing.assert_array_equal(impinge.ray.check(a, b, poses, workers=4, chunk=10), expected)
    assert sum(actor.calls > 0 for actor in cluster.actors) == places
    assert sorted(cluster.killed) == [0, 1, 2, 3]


def test_a_cluster_without_any_place_is_told(on, asked):
    cluster = on(FakeRay(places=0))
    with pytest.raises(impinge.WorkerError, match=r"no worker was ready within 2 s: 3 wait for a place .* has 0 of 0 processors free"):
        impinge.ray.check(*asked[0], workers=3, start_timeout=2.0)
    assert sorted(cluster.killed) == [0, 1, 2]


@pytest.mark.parametrize("name", LOST)
@pytest.mark.parametrize("wrapped", [False, True])
def test_whatever_is_lost_is_given_out_again(on, asked, name, wrapped):
    error = getattr(exceptions, name)("gone")
    if wrapped:
        error = exceptions.RayTaskError(error)
    cluster = on(FakeRay(places=2, fail=lambda actor, call: error if actor == 1 and call == 3 else None))
    (a, b, poses), expected = asked
    parts = list(impinge.ray.stream(a, b, poses, workers=2, chunk=10))
    assert [len(part) for part in parts] == [10] * 20
    np.testing.assert_array_equal(np.concatenate(parts), expected)
    # The worker that was given up is killed at once, so that it holds no place and answers nothing twice.
    assert len(cluster.actors) == 3 and cluster.killed == [1, 0, 2]


def test_a_worker_that_fails_to_start_is_replaced(on, asked):
    error = exceptions.ActorUnschedulableError("its node is gone")
    cluster = on(FakeRay(places=2, fail=lambda actor, call: error if actor in (0, 2) else None))
    (a, b, poses), expected = asked
    np.testing.assert_array_equal(impinge.ray.check(a, b, poses, workers=2, chunk=10), expected)
    assert sorted(cluster.killed) == [0, 1, 2, 3]


def test_a_chunk_that_is_always_lost_ends_the_run(on, asked):
    error = exceptions.OutOfMemoryError("too much")
    cluster = on(FakeRay(places=2, fail=lambda actor, call: error if call > 0 else None))
    with pytest.raises(impinge.WorkerError, match="was lost 3 times, the last time with: too much"):
        impinge.ray.check(*asked[0], workers=2, chunk=10, retries=2)
    assert set(cluster.killed) == set(range(len(cluster.actors))) and len(cluster.actors) <= 8


def test_workers_that_never_start_end_the_run(on, asked):
    error = exceptions.RayActorError("no such file")
    cluster = on(FakeRay(places=2, fail=lambda actor, call: error))
    with pytest.raises(impinge.WorkerError, match="could not be started 4 times, the last time with: no such file"):
        impinge.ray.check(*asked[0], workers=2)
    assert set(cluster.killed) == set(range(len(cluster.actors)))


def test_a_kill_that_fails_stops_nothing(on, asked):
    error = exceptions.NodeDiedError("gone")
    cluster = on(FakeRay(places=3, fail=lambda actor, call: error if (actor, call) == (0, 1) else None, killable=False))
    (a, b, poses), expected = asked
    np.testing.assert_array_equal(impinge.ray.check(a, b, poses, workers=2, chunk=10), expected)
    assert cluster.killed == []


def test_what_the_question_raises_is_the_callers_to_see(on, asked):
    cluster = on(FakeRay(places=2))
    (a, b, poses), _ = asked
    poses = poses.copy()
    poses[137, 0, 3] = np.nan
    with pytest.raises(impinge.InvalidPose, match=r"poses\[137\]"):
        impinge.ray.check(a, b, poses, workers=2, chunk=10)
    assert len(cluster.actors) == 2, "it is asked once"
    for name, value in (("workers", 0), ("threads", 0), ("retries", -1), ("start_timeout", 0.0), ("start_timeout", np.nan)):
        with pytest.raises(impinge.InvalidSetting, match=f"{name} is {value}; it must be"):
            impinge.ray.check(a, b, poses, **{"workers": 1, name: value})


def test_poses_are_taken_as_answers_are(on, asked):
    on(FakeRay(places=2))
    (a, b, poses), expected = asked
    taken = []

    def chunks():
        for k in range(0, 200, 10):
            taken.append(k)
            yield poses[k : k + 10]

    most = 0
    for n, part in enumerate(impinge.ray.stream(a, b, chunks(), workers=2, chunk=10)):
        np.testing.assert_array_equal(part, expected[10 * n : 10 * n + 10])
        most = max(most, len(taken) - n)
    assert most <= 9, "memory is bounded by what two workers can have"
