"""Rings on a peg and balls in a bowl: stock MuJoCo, MuJoCo's signed distance fields, and meshes as they are."""

from __future__ import annotations

import os
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, List, Optional, Tuple

import numpy as np

from ..errors import Error
from . import picture
from .scenes import SCENES, Scene

__all__ = ["Run", "run_all", "table"]

WAYS = ("stock", "sdf", "impinge")
_LABELS = {"stock": "MuJoCo hulls", "sdf": "MuJoCo SDF", "impinge": "MuJoCo with impinge"}
_SIZE = (360, 440)


@dataclass(frozen=True)
class Run:
    """One scene, simulated one way."""

    scene: str
    way: str
    #: Heights of the bodies at the end (m).
    heights: List[float]
    #: Whether each body is where its mesh lets it fall.
    in_place: List[bool]
    #: Fastest body at the end (mm/s).
    speed_mm_s: float
    #: Deepest contact at the end (mm).
    depth_mm: float
    #: Processor time (µs): mean of all steps.
    step_us: float
    steps: int


def _mujoco() -> Any:
    try:
        import mujoco
    except ImportError as error:
        raise Error("MuJoCo is not installed: pip install mujoco") from error
    return mujoco


def simulate(scene: Scene, name: str, way: str, seconds: Optional[float]) -> Tuple[Run, Any, Any]:
    """Runs a scene to its end. Returns what was measured, the model, and its data."""
    import impinge.mujoco

    mujoco = _mujoco()
    model = mujoco.MjModel.from_xml_string(scene.xml(sdf=way == "sdf"))
    data = mujoco.MjData(model)
    steps = max(1, int(round((seconds or scene.duration) / model.opt.timestep)))
    if way == "impinge":
        impinge.mujoco.install()
    try:
        began = time.process_time()
        mujoco.mj_step(model, data, steps)
        spent = time.process_time() - began
    finally:
        impinge.mujoco.uninstall()
    positions = scene.positions(data)
    run = Run(
        scene=name,
        way=way,
        heights=[round(float(z), 5) for z in positions[:, 2]],
        in_place=[bool(x) for x in scene.in_place(positions)],
        speed_mm_s=round(1e3 * float(scene.speeds(data).max()), 3),
        depth_mm=round(-1e3 * float(data.contact.dist.min()), 3) if data.ncon else 0.0,
        step_us=round(1e6 * spent / steps, 1),
        steps=steps,
    )
    return run, model, data


def draw(scene: Scene, way: str, model: Any, data: Any) -> np.ndarray:
    """A picture of where the bodies are, shape (H, W, 3) uint8."""
    mujoco = _mujoco()
    camera = mujoco.MjvCamera()
    mujoco.mjv_defaultFreeCamera(model, camera)
    camera.lookat[:] = scene.look_at
    camera.distance, camera.elevation, camera.azimuth = scene.distance, scene.elevation, 130.0
    with mujoco.Renderer(model, *_SIZE) as renderer:
        renderer.update_scene(data, camera)
        image = renderer.render().copy()
    picture.label(image, _LABELS[way], size=2)
    return image


def _drawable() -> Optional[str]:
    """Why nothing can be drawn here; None where it can."""
    mujoco = _mujoco()
    try:
        model = mujoco.MjModel.from_xml_string("<mujoco/>")
        with mujoco.Renderer(model, 16, 16):
            return None
    except Exception as error:  # noqa: BLE001 - every backend fails in its own way
        backend = os.environ.get("MUJOCO_GL", "MuJoCo's choice")
        return (
            f"no OpenGL ({backend}: {type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}); set MUJOCO_GL=egl "
            "(Debian: apt-get install libegl1 libgl1-mesa-dri) or MUJOCO_GL=osmesa (libosmesa6)"
        )


def run_all(
    out: Path, seconds: Optional[float] = None, sdf: bool = True, say: Any = sys.stderr
) -> Tuple[List[Run], Optional[Path], Optional[str]]:
    """Simulates every scene every way, and draws them side by side into ``out``.

    Returns the runs, the picture's path, and where there is no picture the reason.
    """
    if sys.platform.startswith("linux") and not os.environ.get("DISPLAY"):
        os.environ.setdefault("MUJOCO_GL", "egl")
    reason = _drawable()
    runs: List[Run] = []
    rows = []
    for name, make in SCENES.items():
        scene, row = make(), []
        for way in WAYS if sdf else ("stock", "impinge"):
            print(f"{scene.title}: {_LABELS[way]} ...", file=say, flush=True)
            run, model, data = simulate(scene, name, way, seconds)
            runs.append(run)
            if reason is None:
                row.append(draw(scene, way, model, data))
        rows.append(row)
    if reason is not None:
        return runs, None, reason
    out.mkdir(parents=True, exist_ok=True)
    path = out / "mujoco.png"
    picture.write_png(path, picture.side_by_side(rows))
    return runs, path, None


def table(runs: List[Run]) -> str:
    """The runs as text."""
    lines = [f"{'scene':8} {'way':20} {'in place':>8} {'heights (m)':24} {'mm/s':>8} {'mm deep':>8} {'µs/step':>9}"]
    for run in runs:
        heights = " ".join(f"{z:.3f}" for z in run.heights)
        place = f"{sum(run.in_place)} of {len(run.in_place)}"
        lines.append(
            f"{run.scene:8} {_LABELS[run.way]:20} {place:>8} {heights:24} {run.speed_mm_s:8.2f} {run.depth_mm:8.2f} {run.step_us:9.0f}"
        )
    return "\n".join(lines)


def as_json(runs: List[Run], path: Optional[Path], reason: Optional[str]) -> Any:
    """What ``--json`` prints."""
    mujoco = _mujoco()
    return {
        "mujoco": mujoco.__version__,
        "picture": None if path is None else str(path),
        "no_picture": reason,
        "runs": [asdict(run) for run in runs],
    }
