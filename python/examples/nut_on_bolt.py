"""A nut climbs its bolt in MuJoCo: by the pitch of the thread for each turn.

    pip install mujoco && python examples/nut_on_bolt.py [--seconds 3] [--out nut_on_bolt.png]

Stock MuJoCo collides hulls, and throws the nut off. Takes about half a minute.
"""

# %% The model: a threaded rod, a hexagonal nut on it with little friction, and a torque on the nut.
from __future__ import annotations

import argparse
import os
from pathlib import Path

import numpy as np

# Before MuJoCo is imported: it looks once.
if not os.environ.get("DISPLAY"):
    os.environ.setdefault("MUJOCO_GL", "egl")
import mujoco

import impinge.mujoco
from impinge.demo import meshes, picture
from impinge.demo.scenes import mesh_asset

# MuJoCo takes the greater friction of two geoms.
PITCH, TORQUE, FRICTION = 0.1, 20.0, "0.05 0.0001 0.0001"

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--seconds", type=float, default=3.0)
parser.add_argument("--out", type=Path, default=Path("nut_on_bolt.png"))
arguments = parser.parse_args()

model = mujoco.MjModel.from_xml_string(
    f"""
<mujoco><option timestep="0.002"/>
<visual><headlight ambient="0.4 0.4 0.4"/></visual>
<asset>{mesh_asset("bolt", meshes.bolt(pitch=PITCH))}{mesh_asset("nut", meshes.nut(pitch=PITCH))}</asset>
<worldbody><light pos="1 -1 2" dir="-0.4 0.4 -1"/><geom type="mesh" mesh="bolt" friction="{FRICTION}" rgba="0.75 0.75 0.78 1"/>
<body pos="0 0 0.2"><joint type="free" damping="2"/><geom type="mesh" mesh="nut" density="500" friction="{FRICTION}" rgba="0.85 0.5 0.2 1"/></body>
</worldbody></mujoco>"""
)

# %% Turn the nut, and follow its height and angle.
data = mujoco.MjData(model)
rows, angle, last = [], 0.0, 0.0
images = []


def draw(renderer: mujoco.Renderer) -> None:
    camera = mujoco.MjvCamera()
    mujoco.mjv_defaultFreeCamera(model, camera)
    camera.lookat[:], camera.distance, camera.elevation = (0, 0, 0.33), 1.7, -25
    renderer.update_scene(data, camera)
    images.append(renderer.render().copy())


steps = int(arguments.seconds / model.opt.timestep)
with impinge.mujoco.install() as installation, mujoco.Renderer(model, 420, 320) as renderer:
    for step in range(steps):
        if step % max(1, steps // 4) == 0:
            mujoco.mj_forward(model, data)
            draw(renderer)
        # About the nut's own axis, which stays upright.
        data.qfrc_applied[5] = TORQUE
        mujoco.mj_step(model, data)
        w, x, y, z = data.qpos[3:7]
        now = np.arctan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))
        angle += (now - last + np.pi) % (2 * np.pi) - np.pi
        last = now
        rows.append((data.qpos[2], angle))
    draw(renderer)
    print(installation.report())

# %% Climbed by the pitch for each turn? The nut tips in its clearance, and stands up to 0.4 mm higher or lower than its angle says: of a
# third of a turn that is 1 %, of a full turn 0.4 %.
heights, angles = np.array(rows).T
# From where the slack of the thread is used up.
first = len(heights) // 6
turns, climbed = (angles[-1] - angles[first]) / (2 * np.pi), heights[-1] - heights[first]
print(f"{turns:.3f} turns, {climbed:.4f} m up: {climbed / turns:.4f} m a turn; the pitch is {PITCH} m")
picture.write_png(arguments.out, picture.side_by_side([images]))
print(f"picture: {arguments.out}")
