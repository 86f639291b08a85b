"""The demonstration, as the command line runs it."""

from __future__ import annotations

import json
import os
import struct
import subprocess
import sys

import numpy as np
import pytest

from impinge.demo import mujoco_scenes, picture


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess:
    command = [sys.executable, "-m", "impinge.demo", "mujoco", *arguments]
    return subprocess.run(command, capture_output=True, text=True, env={**os.environ, **environment}, timeout=300)


def test_the_demonstration_shows_what_falls_where(tmp_path):
    done = run("--json", "--no-sdf", "--seconds", "1.5", "--out", str(tmp_path))
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    for each in told["runs"]:
        assert all(each["in_place"]) == (each["way"] == "impinge"), each
        assert each["step_us"] > 0 and each["steps"] == 750
    assert len(told["runs"]) == 4
    if told["picture"] is None:
        assert "no OpenGL" in told["no_picture"]
        # Shown by `-rs`, and a failure where everything is to be checked.
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(told["no_picture"])
    data = (tmp_path / "mujoco.png").read_bytes()
    width, height = struct.unpack(">II", data[16:24])
    assert data[:4] == b"\x89PNG" and (width, height) == (2 * 440 + 6, 2 * 360 + 6)


def test_without_opengl_the_table_stays_and_the_reason_is_told(tmp_path):
    done = run("--no-sdf", "--seconds", "0.01", "--out", str(tmp_path), MUJOCO_GL="disabled")
    assert done.returncode == 0, done.stderr
    assert "MuJoCo with impinge" in done.stdout and "no picture: " in done.stdout
    assert "MUJOCO_GL=egl" in done.stdout and not list(tmp_path.iterdir())


def test_scenes_can_be_simulated_as_distance_fields():
    run, _, data = mujoco_scenes.simulate(mujoco_scenes.SCENES["rings"](), "rings", "sdf", 0.02)
    assert run.steps == 10 and np.isfinite(data.qpos).all()


def test_pictures_are_written_as_they_are(tmp_path):
    from PIL import Image

    random = np.random.default_rng(0).integers(0, 255, size=(20, 90, 3), dtype=np.uint8)
    picture.label(random, "IMPINGE", size=2)
    picture.write_png(tmp_path / "p.png", picture.side_by_side([[random, random]], gap=4))
    read = np.asarray(Image.open(tmp_path / "p.png"))
    assert read.shape == (20, 184, 3)
    np.testing.assert_array_equal(read[:, 94:], random)
    assert (random == 255).all(axis=-1).sum() > 50
