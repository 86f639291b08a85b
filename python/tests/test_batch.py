"""Batches: every pose once, in order."""

from __future__ import annotations

import numpy as np
import pytest

import impinge
import impinge.batch

from .conftest import random_poses


@pytest.mark.parametrize("question", sorted(impinge.batch.QUESTIONS))
@pytest.mark.parametrize("chunk", [1, 7, 100, 1000])
def test_chunks_give_what_one_call_gives(gear, torus, question, chunk):
    poses = random_poses(60 if chunk == 1 else 300, 0.8, seed=21)
    expected = impinge.batch.QUESTIONS[question](gear, torus, poses)
    found = impinge.batch.check(gear, torus, poses, question=question, chunk=chunk)
    np.testing.assert_array_equal(found, expected)
    parts = list(impinge.batch.stream(gear, torus, poses, question=question, chunk=chunk))
    assert max(len(part) for part in parts) <= chunk
    np.testing.assert_array_equal(np.concatenate(parts), expected)


def test_poses_may_come_from_files_and_generators(gear, torus, tmp_path):
    poses = random_poses(250, 0.8, seed=22)
    expected = impinge.touching(gear, torus, poses)
    np.save(tmp_path / "poses.npy", poses)
    mapped = np.load(tmp_path / "poses.npy", mmap_mode="r")
    np.testing.assert_array_equal(impinge.batch.check(gear, torus, mapped, chunk=64), expected)
    taken = []

    def endless():
        for k in range(0, 250, 50):
            taken.append(k)
            yield poses[k : k + 50]

    stream = impinge.batch.stream(gear, torus, endless(), chunk=20)
    np.testing.assert_array_equal(next(stream), expected[:20])
    assert taken == [0], "poses are read as answers are taken"
    np.testing.assert_array_equal(impinge.batch.check(gear, torus, endless(), chunk=20), expected)


def test_many_pairs_and_none(gear, torus, knot):
    poses = random_poses(50, 0.8, seed=23)
    found = impinge.batch.check([gear, knot], torus, poses, chunk=16)
    np.testing.assert_array_equal(found, impinge.touching([gear, knot], torus, poses))
    assert impinge.batch.check(gear, torus, np.zeros((0, 4, 4))).shape == (0,)
    assert impinge.batch.check(gear, torus, iter(())).shape == (0,)


def test_progress_is_told_where_it_is_asked_for(gear, torus, capfd):
    poses = random_poses(100, 0.8, seed=24)
    impinge.batch.check(gear, torus, poses, chunk=10)
    assert capfd.readouterr().err == ""
    impinge.batch.check(gear, torus, poses, chunk=10, progress=True)
    told = capfd.readouterr().err
    assert "100.0 %" in told and told.endswith("\n")


def test_what_cannot_be_asked_is_named(gear, torus):
    with pytest.raises(impinge.InvalidSetting, match="question is 'contacts'"):
        impinge.batch.check(gear, torus, [], question="contacts")
    with pytest.raises(impinge.InvalidSetting, match="chunk is 0"):
        impinge.batch.check(gear, torus, random_poses(3, 1.0), chunk=0)
    with pytest.raises(impinge.InvalidPose, match=r"poses has shape \(3, 3\)"):
        impinge.batch.check(gear, torus, np.eye(3))
    poses = random_poses(30, 1.0)
    poses[25, 0, 3] = np.nan
    with pytest.raises(impinge.InvalidPose, match=r"poses\[25\]"):
        impinge.batch.check(gear, torus, poses, chunk=20)


def test_single_poses_are_batches_of_one(gear, torus):
    poses = random_poses(20, 0.8, seed=25)
    expected = impinge.touching(gear, torus, poses)
    check = impinge.batch.check
    assert check(gear, torus, poses[3]).tolist() == [expected[3]]
    assert check(gear, torus, np.array([0.1, 0, 0, 0, 0, 0, 1])).shape == (1,)
    np.testing.assert_array_equal(check(gear, torus, (pose for pose in poses)), expected)
    np.testing.assert_array_equal(check(gear, torus, list(poses)), expected)
    np.testing.assert_array_equal(check(gear, torus, [poses[:5], poses[5:19], poses[19]]), expected)
    np.testing.assert_array_equal(check(gear, torus, poses.tolist()), expected)
    assert check(gear, torus, []).shape == (0,)


@pytest.mark.parametrize("question", sorted(impinge.batch.QUESTIONS))
@pytest.mark.parametrize("chunk", [1, 4, 7, 100])
def test_a_bad_pose_is_named_by_its_place_among_all(gear, torus, question, chunk):
    for bad, text in ((np.nan, r"poses\[25\]: entry"), (1e31, "pair 0 at pose 25: pose of B")):
        poses = random_poses(30, 1.0)
        poses[25, 0, 3] = bad
        for given in (poses, list(poses), (pose for pose in poses), [poses[:11], poses[11:13], poses[13:]]):
            with pytest.raises(impinge.InvalidPose, match=text):
                impinge.batch.check(gear, torus, given, question=question, chunk=chunk)
    with pytest.raises(impinge.InvalidPose, match="pair 0 at pose 25: pose of B"):
        impinge.batch.check([gear, torus], torus, poses, chunk=chunk)


def test_a_part_of_another_shape_is_named(gear, torus):
    poses = random_poses(6, 1.0)
    with pytest.raises(impinge.InvalidPose, match=r"part 1 of poses has shape \(3, 3\)"):
        impinge.batch.check(gear, torus, iter([poses, np.eye(3)]))
    with pytest.raises(impinge.InvalidPose, match=r"part 0 of poses has shape \(2, 3, 4, 4\)"):
        impinge.batch.check(gear, torus, iter([poses.reshape(2, 3, 4, 4)]))
    with pytest.raises(TypeError, match="poses is a .*int"):
        impinge.batch.check(gear, torus, 3)
