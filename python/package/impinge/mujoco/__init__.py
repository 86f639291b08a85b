"""Contacts of MuJoCo's meshes as they are, and not of their convex hulls.

>>> import impinge.mujoco
>>> impinge.mujoco.install()  # doctest: +SKIP

From then on, in every model of this process, meshes collide by their triangles: with meshes, planes, boxes, spheres, capsules,
cylinders and ellipsoids (as meshes). Height fields, and meshes that are open, stay MuJoCo's; of an open mesh an
:class:`~impinge.OpenMeshWarning` tells once. :func:`uninstall` gives everything back. Nothing else of MuJoCo changes: which pairs
are looked at, friction, solvers, rollouts, derivatives.

Contacts depend on the poses alone, so that rollouts, ``mj_setState`` and ``mjd_transitionFD`` see a pure function, and are the same for any
number of threads. It works with MuJoCo 3.3 to 4.0, on the CPU engine: not with MJX or MuJoCo Warp.
"""

from __future__ import annotations

import ctypes
import glob
import os
import warnings
from dataclasses import dataclass
from typing import Any, List, Optional

from .. import _impinge
from ..errors import Error, InvalidSetting, OpenMeshWarning
from . import _layout
from ._layout import LayoutError

__all__ = ["Installation", "LayoutError", "Report", "forget", "install", "installed", "report", "uninstall"]

_TYPES = 9
_HEIGHT_FIELD = 1
_MESH = 7
#: Room of a pair in versions that do not say it: mjMAXCONPAIR.
_MOST = 50


@dataclass(frozen=True)
class Report:
    """What was done since :func:`install`."""

    #: Pairs of a geom and a mesh that MuJoCo asked about.
    pairs: int
    #: Of these, pairs with contacts.
    touching: int
    #: Contacts given to MuJoCo.
    points: int
    #: Contacts that MuJoCo had no room for.
    left_out: int
    #: Pairs left to MuJoCo's own function because a mesh is open.
    open: int
    #: Pairs left to MuJoCo's own function for another reason.
    other: int
    #: Pairs with a pose that is not finite, which have no contacts.
    not_finite: int
    #: Pairs left to MuJoCo's own function because of a bug of this package: please report it.
    panics: int
    #: Meshes that were made ready.
    meshes: int
    #: Time in all threads (s).
    seconds: float

    def __str__(self) -> str:
        each = 1e6 * self.seconds / self.pairs if self.pairs else 0.0
        return (
            f"{self.pairs} pairs in {self.seconds:.3f} s ({each:.1f} µs each), {self.touching} touching, {self.points} contacts, "
            f"{self.left_out} more without room; left to MuJoCo: {self.open} open, {self.other} other, {self.panics} after a panic; "
            f"{self.not_finite} with a pose that is not finite; {self.meshes} meshes made ready"
        )


class Installation:
    """What :func:`install` returns: a context manager that uninstalls at its end."""

    def __enter__(self) -> "Installation":
        return self

    def __exit__(self, *_: Any) -> None:
        uninstall()

    def report(self) -> Report:
        """As :func:`impinge.mujoco.report`."""
        return report()


@dataclass
class _Installed:
    table: Any
    before: List[Optional[int]]
    counts: dict


#: It outlives a reload of this module.
_installed: Optional[_Installed] = globals().get("_installed")


def _library(mujoco: Any) -> ctypes.CDLL:
    folder = os.path.dirname(mujoco.__file__)
    names = [os.path.join(folder, pattern) for pattern in ("libmujoco.so*", "libmujoco*.dylib", "mujoco.dll")]
    found = sorted(path for name in names for path in glob.glob(name))
    if not found:
        raise Error(f"MuJoCo's library is not in {folder}; install MuJoCo from its wheel")
    # It is loaded already: this is another handle of the same.
    return ctypes.CDLL(found[0])


def _address(function: Any) -> int:
    return ctypes.cast(function, ctypes.c_void_p).value or 0


def _before(table: Any, callback: int) -> List[Optional[int]]:
    """What the table holds, or held before the callback was put there, by whichever copy of this module."""
    known = _installed.before if _installed else _impinge.mujoco_before()
    held = [table[row][_MESH] for row in range(_TYPES)]
    if known is None:
        return held
    return [(known[row] or None) if held[row] == callback else held[row] for row in range(_TYPES)]


def install(*, resolution: int = 16, kept: int = 1_000_000) -> Installation:
    """Has every model of this process collide its meshes as they are. Installing again changes the settings.

    resolution: columns per side of a view, a power of two from 4 to 256. More give finer depths of curved contacts, and cost more.
    kept: triangles of the meshes that are kept ready, at about 0.4 kB each. Beyond, those that were not used for the longest are let
    go, and made ready again when they are met: where models take turns it must hold them all.

    Returns a context manager that uninstalls. Raises ImportError without MuJoCo, InvalidSetting for a setting out of range, and
    LayoutError for a MuJoCo whose structs are not as it says.
    """
    global _installed
    import mujoco

    if kept < 0:
        raise InvalidSetting(f"kept is {kept}; it must not be negative")
    library = _library(mujoco)
    # Rows and columns are types of geoms, the lower first.
    table = ((ctypes.c_void_p * _TYPES) * _TYPES).in_dll(library, "mjCOLLISIONFUNC")
    callback = _impinge.mujoco_callback()
    before = _before(table, callback)
    fields = _layout.offsets(mujoco)
    room = getattr(library, "mj_maxContact", None)
    _impinge.mujoco_setup(
        offsets=fields,
        stride=_layout.contact_stride(mujoco),
        most=_MOST,
        room=_address(room) if room else 0,
        before=[address or 0 for address in before],
        resolution=resolution,
        kept=kept,
    )
    for row in range(_MESH + 1):
        if row != _HEIGHT_FIELD:
            table[row][_MESH] = callback
    if _installed is None:
        _installed = _Installed(table=table, before=before, counts=_impinge.mujoco_counts())
    return Installation()


def uninstall() -> None:
    """Gives MuJoCo its own functions back. Does nothing where nothing is installed."""
    global _installed
    if _installed is None:
        return
    for row in range(_MESH + 1):
        _installed.table[row][_MESH] = _installed.before[row]
    _installed = None
    forget()


def installed() -> bool:
    """Whether MuJoCo's meshes collide as they are."""
    return _installed is not None


def forget() -> None:
    """Forgets every mesh, so that it is read again: after vertices of a model were changed in place."""
    _impinge.mujoco_forget()


def report() -> Report:
    """What was done since :func:`install`; all zero where nothing is installed."""
    now = _impinge.mujoco_counts()
    start = _installed.counts if _installed else now
    since = {name: now[name] - start[name] for name in now}
    seconds = since.pop("nanoseconds") * 1e-9
    return Report(seconds=seconds, **since)


def _warn_of_open_meshes() -> None:
    """Called by the extension once a model with an open mesh was met."""
    for mesh, triangles, reason in _impinge.mujoco_open_meshes():
        warnings.warn(
            f"mesh {mesh} ({triangles} triangles) is open ({reason}); its contacts are MuJoCo's own, of its convex hull. "
            "Close the mesh to have contacts of its surface.",
            OpenMeshWarning,
            stacklevel=2,
        )
