"""Questions about pairs, against closed forms and brute force."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest

import impinge

from .conftest import random_poses, translated

BOX = impinge.Box([0.5, 0.5, 0.5])


def crossings(p, q, triangles):
    """Which of the segments p-q cross their triangles, by signed volumes; shape (P,)."""
    a, b, c = (triangles[:, k] for k in range(3))

    def volume(u, v, w, x):
        return np.einsum("ij,ij->i", np.cross(v - u, w - u), x - u)

    through = volume(a, b, c, p) * volume(a, b, c, q) < 0
    sides = [volume(p, q, a, b), volume(p, q, b, c), volume(p, q, c, a)]
    return through & ((np.minimum.reduce(sides) > 0) | (np.maximum.reduce(sides) < 0))


def brute_force_pairs(a, b, pose):
    """All pairs of triangles that cross, for surfaces in general position."""
    first = a.vertices.astype(float)[a.faces]
    second = b.vertices.astype(float)[b.faces] @ pose[:3, :3].T + pose[:3, 3]
    low, high = first.min(axis=1)[:, None], first.max(axis=1)[:, None]
    pairs = np.argwhere(((low <= second.max(axis=1)) & (second.min(axis=1) <= high)).all(axis=2))
    one, other = first[pairs[:, 0]], second[pairs[:, 1]]
    found = np.zeros(len(pairs), bool)
    for k in range(3):
        found |= crossings(one[:, k], one[:, (k + 1) % 3], other)
        found |= crossings(other[:, k], other[:, (k + 1) % 3], one)
    return pairs[found]


def test_triangle_pairs_are_those_of_brute_force(gear, torus):
    poses = random_poses(12, 0.6, seed=1)
    found = impinge.triangle_pairs(gear, torus, poses)
    touching = impinge.touching(gear, torus, poses)
    assert len(found) == 12 and found.shape == (12,)
    assert 4 < touching.sum()
    for k, pose in enumerate(poses):
        expected = brute_force_pairs(gear, torus, pose)
        np.testing.assert_array_equal(found[k], expected)
        assert touching[k] or not len(expected)
    np.testing.assert_array_equal(found.counts, np.diff(found.offsets))


def test_distances_of_balls_have_a_closed_form():
    poses = random_poses(200, 1.5, seed=2)
    a, b = impinge.Sphere(0.5), impinge.Sphere(0.25)
    between = np.linalg.norm(poses[:, :3, 3], axis=1) - 0.75
    found = impinge.distance(a, b, poses)
    np.testing.assert_allclose(found, np.maximum(between, 0.0), atol=1e-6)
    np.testing.assert_array_equal(impinge.touching(a, b, poses), found == 0.0)
    bounded = impinge.distance(a, b, poses, bound=0.5)
    np.testing.assert_array_equal(bounded, np.where(found <= 0.5, found, np.inf))
    contacts = impinge.contacts(a, b, poses)
    deep = contacts.deepest()
    np.testing.assert_allclose(deep[between < 0], -between[between < 0], rtol=1e-5)
    assert np.all(deep[between > 1e-6] == -np.inf)


def test_a_mesh_touches_exactly_where_its_distance_is_0(gear, knot):
    poses = random_poses(400, 0.8, seed=3)
    touching, nearest = impinge.touching(gear, knot, poses), impinge.nearest(gear, knot, poses)
    np.testing.assert_array_equal(touching, nearest.distances == 0.0)
    assert 50 < touching.sum() < 350
    apart = ~touching
    gaps = nearest.points_b[apart] - nearest.points_a[apart]
    np.testing.assert_allclose(np.linalg.norm(gaps, axis=1), nearest.distances[apart], rtol=1e-9)
    np.testing.assert_allclose(gaps, nearest.normals[apart] * nearest.distances[apart, None], atol=1e-9)
    assert np.isnan(nearest.points_a[touching]).all()


def test_boxes_share_the_volume_that_a_closed_form_says():
    shifts = np.random.default_rng(4).uniform(-1.2, 1.2, size=(100, 3))
    found = impinge.intersection(BOX, BOX, translated(*shifts))
    sides = np.maximum(1.0 - np.abs(shifts), 0.0)
    np.testing.assert_allclose(found.volumes, sides.prod(axis=1), atol=1e-9)
    assert np.all(found.errors < 1e-6)
    inside = found.volumes > 1e-3
    np.testing.assert_allclose(found.centroids[inside], 0.5 * shifts[inside], atol=1e-6)
    assert np.isnan(found.centroids[found.volumes == 0]).all()
    np.testing.assert_array_equal(impinge.intersection_volume(BOX, BOX, translated(*shifts)), found.volumes)


def test_an_open_mesh_has_no_volume_to_share():
    triangle = impinge.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    assert np.isnan(impinge.intersection_volume(triangle, BOX))
    assert impinge.touching(triangle, BOX) is True


def test_contacts_of_a_box_on_a_box():
    found = impinge.contacts(BOX, BOX, translated((0, 0, 0.9))[0])
    assert found.shape == () and len(found) == 1
    np.testing.assert_allclose(found.manifold_depths, [0.1], atol=1e-6)
    np.testing.assert_allclose(found.manifold_normals, [[0, 0, 1]], atol=1e-9)
    np.testing.assert_allclose(found.manifold_volumes, [0.1], atol=1e-6)
    np.testing.assert_allclose(sorted(map(tuple, np.abs(found.positions))), [(0.5, 0.5, 0.45)] * 4, atol=1e-6)
    np.testing.assert_allclose(found.local_a[:, 2], 0.5)
    np.testing.assert_allclose(found.local_b[:, 2], -0.5)
    assert found.weights.sum() == pytest.approx(1.0) and len(set(found.keys)) == 4
    assert len(impinge.contacts(BOX, BOX, translated((0, 0, 0.9))[0], max_points=2).depths) == 2


def test_a_margin_tells_of_what_is_near():
    pose = translated((0, 0, 1.1))[0]
    assert len(impinge.contacts(BOX, BOX, pose).depths) == 0
    near = impinge.contacts(BOX, BOX, pose, margin=0.2)
    np.testing.assert_allclose(near.manifold_depths, [-0.1], atol=1e-6)
    for margin in (-0.1, np.nan):
        with pytest.raises(impinge.InvalidSetting, match="margin"):
            impinge.contacts(BOX, BOX, pose, margin=margin)


def test_one_pose_n_poses_and_k_pairs_give_the_same_answers(gear, knot, torus):
    poses = random_poses(40, 0.9, seed=5)
    firsts, seconds = [gear, knot, torus], [knot, torus, gear]
    for ask in (impinge.touching, impinge.distance, impinge.intersection_volume):
        shared = ask(firsts, seconds, poses)
        assert shared.shape == (3, 40)
        own = np.stack([poses, poses[::-1], poses])
        each = ask(firsts, seconds, own)
        for k in range(3):
            np.testing.assert_array_equal(ask(firsts[k], seconds[k], poses), shared[k])
            np.testing.assert_array_equal(ask(firsts[k], seconds[k], own[k]), each[k])
        single = ask(gear, knot, poses[7])
        assert np.ndim(single) == 0 and not isinstance(single, np.ndarray) and single == shared[0, 7]
        assert ask(gear, [knot, torus], poses[7]).shape == (2,)
        np.testing.assert_array_equal(ask([gear], knot, poses)[0], shared[0])
    few = poses[:8]
    flat = impinge.contacts(firsts, seconds, few)
    assert flat.shape == (3, 8) and flat.counts.shape == (3, 8) and flat.counts.sum() > 10
    for k in range(3):
        for n in range(8):
            one = impinge.contacts(firsts[k], seconds[k], few[n])
            part = flat[8 * k + n]
            for name in ("positions", "normals", "depths", "keys", "manifold_depths", "manifolds", "subshapes"):
                np.testing.assert_array_equal(getattr(part, name), getattr(one, name), err_msg=name)


def test_quaternions_and_matrices_mean_the_same(gear, knot):
    quaternions = np.array([[0.1, 0.2, 0.3, 0.0, 0.0, np.sqrt(0.5), np.sqrt(0.5)]])
    matrix = np.array([[0, -1, 0, 0.1], [1, 0, 0, 0.2], [0, 0, 1, 0.3], [0, 0, 0, 1.0]])
    assert impinge.distance(gear, knot, quaternions)[0] == pytest.approx(impinge.distance(gear, knot, matrix), abs=1e-12)
    a, b = impinge.contacts(gear, knot, quaternions[0]), impinge.contacts(gear, knot, matrix.astype(np.float32))
    np.testing.assert_allclose(a.deepest(), b.deepest(), rtol=1e-4)


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_answers_do_not_depend_on_threads(gear, knot, threads):
    poses = random_poses(500, 0.9, seed=6)
    expected = impinge.contacts(gear, knot, poses[:50], threads=1)
    found = impinge.contacts(gear, knot, poses[:50], threads=threads)
    for name in vars(expected):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))
    np.testing.assert_array_equal(
        impinge.distance(gear, knot, poses, threads=threads), impinge.distance(gear, knot, poses, threads=1)
    )


def test_other_python_threads_run_meanwhile(gear, knot):
    poses = random_poses(40000, 0.9, seed=7)
    ticks, done = [], threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.0005)

    ticker = threading.Thread(target=tick)
    ticker.start()
    began = time.perf_counter()
    impinge.touching(gear, knot, poses, threads=1)
    ended = time.perf_counter()
    done.set()
    ticker.join()
    inside = [t for t in ticks if began < t < ended]
    # Were the lock held, at most the ticks at both ends would be inside.
    assert len(inside) > 5, (len(inside), ended - began)


def test_empty_questions_have_empty_answers(gear, knot):
    none = np.zeros((0, 4, 4))
    assert impinge.touching(gear, knot, none).shape == (0,)
    assert impinge.distance([], [], random_poses(3, 1.0)).shape == (0, 3)
    assert impinge.contacts(gear, knot, none).offsets.tolist() == [0]


def nan_at(poses, index):
    poses = poses.copy()
    poses[index] = np.nan
    return poses


@pytest.mark.parametrize(
    ("poses", "error", "text"),
    [
        (np.eye(3), impinge.InvalidPose, r"poses has shape \(3, 3\)"),
        (np.zeros((2, 5)), impinge.InvalidPose, r"poses has shape \(2, 5\)"),
        (nan_at(random_poses(9, 1.0), (4, 0, 3)), impinge.InvalidPose, r"poses\[4\]: entry \[0, 3\] is NaN"),
        (2.0 * np.eye(4)[None], impinge.InvalidPose, r"poses\[0\]: the last row"),
        (np.diag([2.0, 2, 2, 1]), impinge.InvalidPose, "poses: its rotation is not orthonormal"),
        (np.diag([1.0, 1, -1, 1]), impinge.InvalidPose, "mirrors"),
        ([0, 0, 0, 0, 0, 0, 2.0], impinge.InvalidPose, "quaternion has length 2"),
        ([np.inf, 0, 0, 0, 0, 0, 1.0], impinge.InvalidPose, "entry 0 is inf"),
        (np.array([[1e31, 0, 0, 0, 0, 0, 1.0]] * 2), impinge.InvalidPose, "pair 0 at pose 0: pose of B"),
        (np.eye(4, dtype=complex), TypeError, "poses must be an array of real numbers"),
        ("here", TypeError, "poses must be an array of real numbers"),
        (np.tile(np.eye(4), (2, 3, 1, 1)), impinge.InvalidPose, "poses are for 2 pairs"),
    ],
)
def test_poses_that_cannot_be_used_are_named(poses, error, text):
    with pytest.raises(error, match=text):
        impinge.touching(BOX, BOX, poses)


@pytest.mark.parametrize(
    ("a", "b", "error", "text"),
    [
        (BOX, 3, TypeError, "b is a .*int"),
        ([BOX, None], BOX, TypeError, "a is a .*NoneType"),
        ([BOX] * 2, [BOX] * 3, ValueError, "a has 2 shapes and b has 3"),
    ],
)
def test_what_is_no_shape_is_named(a, b, error, text):
    with pytest.raises(error, match=text):
        impinge.touching(a, b)


def test_smooth_shapes_have_no_triangles_and_bounds_are_distances():
    with pytest.raises(impinge.NoTriangles, match="B has no triangles"):
        impinge.triangle_pairs(BOX, impinge.Sphere(1.0))
    with pytest.raises(impinge.InvalidSetting, match="bound"):
        impinge.distance(BOX, BOX, bound=-1.0)
    with pytest.raises(impinge.InvalidSetting, match="resolution"):
        impinge.contacts(BOX, BOX, resolution=3)


def test_lists_of_other_lengths_are_named(gear, torus):
    with pytest.raises(impinge.InvalidSetting, match="a has 2 shapes and b has 3"):
        impinge.touching([gear, torus], [gear, gear, gear])
