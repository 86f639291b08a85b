"""MuJoCo models of the demonstrations, and what is measured in them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Tuple

import numpy as np

from . import meshes

__all__ = ["SCENES", "Scene", "mesh_asset"]


def mesh_asset(name: str, arrays: meshes.Arrays) -> str:
    """A mesh of MuJoCo's XML."""
    vertices, faces = arrays
    numbers = " ".join(f"{x:.9g}" for x in np.asarray(vertices, float).ravel())
    indices = " ".join(str(int(v)) for v in np.asarray(faces).ravel())
    return f'<mesh name="{name}" vertex="{numbers}" face="{indices}"/>'


@dataclass(frozen=True)
class Scene:
    """Bodies that fall onto a fixed one."""

    title: str
    #: Meshes by name; the first is fixed.
    assets: Dict[str, meshes.Arrays]
    #: Mesh and position (m) of every body that falls.
    bodies: List[Tuple[str, Tuple[float, float, float]]]
    #: How long it is simulated (s).
    duration: float
    #: Where the camera looks and stands (m).
    look_at: Tuple[float, float, float]
    distance: float
    elevation: float
    #: Whether bodies at these positions (B, 3) (m) are where they belong, each.
    in_place: Callable[[np.ndarray], np.ndarray]

    def xml(self, sdf: bool = False, time_step: float = 0.002) -> str:
        """The model: meshes, or signed distance fields that MuJoCo makes of them."""
        names = list(self.assets)
        fixed = names[0]
        colors = ("0.85 0.35 0.25 1", "0.25 0.55 0.85 1", "0.35 0.7 0.35 1", "0.85 0.7 0.25 1")

        def geom(name: str, color: str) -> str:
            kind = "sdf" if sdf else "mesh"
            return f'<geom type="{kind}" mesh="{name}" rgba="{color}" density="700" friction="0.6 0.005 0.0001"/>'

        bodies = "".join(
            f'<body pos="{x} {y} {z}"><freejoint/>{geom(name, colors[k % len(colors)])}</body>'
            for k, (name, (x, y, z)) in enumerate(self.bodies)
        )
        assets = "".join(mesh_asset(name, arrays) for name, arrays in self.assets.items())
        return f"""
<mujoco>
<option timestep="{time_step}" sdf_iterations="10" sdf_initpoints="40"/>
<visual><headlight ambient="0.35 0.35 0.35" diffuse="0.5 0.5 0.5"/><global offwidth="1280" offheight="960"/></visual>
<asset>{assets}</asset>
<worldbody>
<light pos="1 -1 3" dir="-0.3 0.3 -1" castshadow="false"/>
{geom(fixed, "0.75 0.75 0.78 1")}
{bodies}
</worldbody></mujoco>"""

    def positions(self, data: Any) -> np.ndarray:
        """Centres of the bodies' masses (m), shape (B, 3)."""
        return np.array(data.xipos[1:])

    def speeds(self, data: Any) -> np.ndarray:
        """Speeds of the bodies (m/s), shape (B,)."""
        return np.linalg.norm(np.array(data.qvel).reshape(-1, 6)[:, :3], axis=1)


def _rings() -> Scene:
    tube, radius = 0.035, 0.11
    heights = [0.5, 0.65, 0.8]
    return Scene(
        title="three rings on a peg",
        assets={"peg": meshes.peg(), "ring": meshes.ring(radius, tube)},
        bodies=[("ring", (0.01 * k - 0.01, 0.008 * (1 - k), z)) for k, z in enumerate(heights)],
        duration=3.0,
        look_at=(0.0, 0.0, 0.2),
        distance=1.35,
        elevation=-22.0,
        # On the peg: below its top, around its axis.
        in_place=lambda p: (p[:, 2] < 0.4) & (np.hypot(p[:, 0], p[:, 1]) < radius - tube),
    )


def _balls() -> Scene:
    return Scene(
        title="three balls in a bowl",
        assets={"bowl": meshes.bowl(), "ball": meshes.ball(0.1)},
        bodies=[("ball", (0.12, 0.0, 0.55)), ("ball", (-0.08, 0.11, 0.65)), ("ball", (-0.05, -0.12, 0.75))],
        duration=3.0,
        look_at=(0.0, 0.0, 0.22),
        distance=1.5,
        elevation=-38.0,
        # Inside: below the rim.
        in_place=lambda p: (p[:, 2] < 0.4) & (np.hypot(p[:, 0], p[:, 1]) < 0.36),
    )


#: The scenes by name.
SCENES: Dict[str, Callable[[], Scene]] = {"rings": _rings, "balls": _balls}
