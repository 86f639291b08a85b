"""Worlds, against questions about pairs."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import impinge

from .conftest import random_poses, translated


def filled(gear, knot, **settings):
    world = impinge.World(**settings)
    poses = random_poses(12, 0.8, seed=11)
    shapes = [gear, knot, impinge.Sphere(0.3)] * 4
    return world, shapes, poses, [world.add(shape, pose) for shape, pose in zip(shapes, poses)]


def test_a_step_finds_what_pairs_of_shapes_find(gear, knot):
    world, shapes, poses, ids = filled(gear, knot)
    report = world.step()
    assert report["status"] == "ok" and report["colliders"] == len(world) == 12
    found = {tuple(pair) for pair in world.touching_pairs().tolist()}
    expected, manifolds = set(), 0
    for i in range(12):
        for j in range(i + 1, 12):
            relative = np.linalg.inv(poses[i]) @ poses[j]
            if impinge.touching(shapes[i], shapes[j], relative):
                expected.add((ids[i], ids[j]))
                manifolds += len(impinge.contacts(shapes[i], shapes[j], relative).manifold_depths)
    assert found == expected and len(found) >= 10
    assert report["touching"] == len(found)
    step = world.manifolds()
    assert len(step) == report["manifolds"] and abs(len(step) - manifolds) <= 0.1 * manifolds
    assert {tuple(pair) for pair in step.colliders.tolist()} == found
    assert step.offsets[-1] == report["points"] == len(step.depths)


def test_points_keep_their_keys_and_events_tell_what_began_and_ended():
    box = impinge.Box([0.5, 0.5, 0.5])
    world = impinge.World(threads=1)
    ground = world.add(box, fixed=True)
    body = world.add(box, translated((0, 0, 0.99))[0])
    world.step()
    assert world.events() == [("begin", ground, body)]
    keys = set(world.manifolds().keys.tolist())
    world.set_pose(body, translated((0.001, 0, 0.989))[0])
    world.step()
    assert world.events() == [] and set(world.manifolds().keys.tolist()) == keys
    world.set_poses([body], translated((0, 0, 2.0)))
    world.step()
    assert world.events() == [("end", ground, body)] and len(world.manifolds()) == 0
    np.testing.assert_array_equal(world.pose(body), translated((0, 0, 2.0))[0])


def test_contacts_by_height_maps_are_those_of_lines_and_touching_stays_exact(gear, knot):
    exact, _, _, ids = filled(gear, knot)
    maps, _, _, same = filled(gear, knot)
    assert ids == same
    for collider in ids:
        maps.change(collider, method="height-map")
    assert exact.step()["touching"] == maps.step()["touching"]
    np.testing.assert_array_equal(exact.touching_pairs(), maps.touching_pairs())
    assert not np.array_equal(exact.manifolds().manifold_depths, maps.manifolds().manifold_depths)
    for collider in ids:
        maps.change(collider, method="exact")
    maps.step()
    deep = [sorted(world.manifolds().manifold_depths) for world in (exact, maps)]
    np.testing.assert_allclose(deep[0], deep[1], rtol=0.02)
    lone = impinge.World()
    lone.add(gear, method="height-map")
    with pytest.raises(impinge.InvalidSetting, match="exact, height-map"):
        lone.add(gear, method="guess")
    with pytest.raises(impinge.InvalidSetting, match="guess"):
        lone.change(lone.colliders[0], method="guess")
    assert len(lone) == 1


def test_free_places_are_told_from_taken_ones(gear, knot):
    world, shapes, poses, ids = filled(gear, knot)
    probes = random_poses(60, 1.5, seed=12)
    touches = world.touches(knot, probes)
    for k in range(60):
        relative = np.linalg.inv(poses) @ probes[k]
        hit = [impinge.touching(shapes[n], knot, relative[n]) for n in range(12)]
        assert touches[k] == any(hit)
        assert world.touched_by(knot, probes[k]).tolist() == [ids[n] for n in range(12) if hit[n]]
    assert 5 < touches.sum() < 60
    assert world.touches(gear, poses[0]) is True
    assert ids[0] not in world.touched_by(gear, poses[0], exclude=ids[0])


def test_what_a_collider_is_decides_whom_it_meets():
    box = impinge.Box([0.5, 0.5, 0.5])
    world = impinge.World()
    a = world.add(box, fixed=True)
    b = world.add(box, translated((0.5, 0, 0))[0], fixed=True)
    assert world.step()["touching"] == 0
    world.change(b, fixed=False, sensor=True)
    assert world.step()["touching"] == 1 and len(world.manifolds()) == 0
    world.change(b, sensor=False, groups=2, mask=2)
    assert world.step()["touching"] == 0
    world.change(b, groups=1, mask=1)
    assert world.step()["manifolds"] == 1
    world.remove(b)
    assert b not in world and a in world and world.colliders.tolist() == [a]
    with pytest.raises(impinge.UnknownCollider, match="collider 1.0 is not in this world"):
        world.pose(b)
    assert world.add(box) != b


def test_shapes_stay_no_longer_than_colliders_place_them(gear):
    world = impinge.World()
    ground = world.add(gear)
    for k in range(50):
        ball = impinge.Sphere(0.1 + 0.001 * k)
        assert world.touches(ball, np.eye(4)) == impinge.touching(gear, ball)
        assert world.touched_by(ball).tolist() == ([ground] if impinge.touching(gear, ball) else [])
        first, second = world.add(ball), world.add(ball, translated((3.0, 0, 0))[0])
        assert world.shape_count == 2
        world.remove(first)
        assert world.shape_count == 2 and world.touches(impinge.Sphere(0.05), translated((3.0, 0, 0))[0])
        world.remove(second)
        assert world.shape_count == 1
        with pytest.raises(impinge.InvalidPose):
            world.add(ball, np.array([1e31, 0, 0, 0, 0, 0, 1]))
        with pytest.raises(impinge.InvalidPose):
            world.touches(ball, np.array([1e31, 0, 0, 0, 0, 0, 1]))
        assert world.shape_count == 1
    assert world.touches(gear) and world.shape_count == 1
    world.remove(ground)
    assert world.shape_count == 0


def test_where_one_pose_cannot_be_used_nothing_moves():
    world = impinge.World()
    ids = [world.add(impinge.Sphere(0.5)) for _ in range(2)]
    bad = np.array([[1.0, 0, 0, 0, 0, 0, 1], [1e31, 0, 0, 0, 0, 0, 1]])
    with pytest.raises(impinge.InvalidPose):
        world.set_poses(ids, bad)
    with pytest.raises(impinge.InvalidPose, match="one pose for each"):
        world.set_poses(ids, bad[:1])
    np.testing.assert_array_equal(world.pose(ids[0]), np.eye(4))


def test_threads_of_python_wait_for_each_other(gear, knot):
    world, _, poses, ids = filled(gear, knot, threads=2)
    errors = []

    def work(seed):
        try:
            for step in range(10):
                world.set_poses(ids, random_poses(12, 0.8, seed=seed + step))
                world.step()
                world.manifolds()
        except Exception as error:  # noqa: BLE001
            errors.append(error)

    workers = [threading.Thread(target=work, args=(seed,)) for seed in (0, 100)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not errors
    world.set_poses(ids, poses)
    world.step()
    assert len(world.manifolds()) > 5


@pytest.mark.parametrize(
    ("settings", "text"),
    [({"margin": -1.0}, "contact_margin"), ({"resolution": 5}, "image_resolution"), ({"max_points": 9}, "max_points")],
)
def test_settings_out_of_range_are_named(settings, text):
    with pytest.raises(impinge.InvalidSetting, match=text):
        impinge.World(**settings)
