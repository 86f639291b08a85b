"""A MuJoCo whose arrays are not as the callback reads them is refused before anything is installed."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

import impinge
import impinge.mujoco
from impinge.mujoco import LayoutError, _layout

WIDE = np.zeros((6, 6))


@pytest.mark.parametrize(
    ("array", "text"),
    [
        (np.zeros((2, 3), np.float32), "holds <f4 and not <f8"),
        (np.zeros((2, 3), ">f8"), "holds >f8 and not <f8"),
        (np.zeros((2, 3), complex), "holds <c16 and not <f8"),
        (np.zeros((2, 3), object), r"holds \|O and not <f8"),
        (np.zeros((2, 3), bool), r"holds \|b1 and not <f8"),
        (np.zeros((2, 3), "U4"), "holds <U4 and not <f8"),
        (np.zeros((2, 4)), r"has shape \(2, 4\) and not \(n, 3\)"),
        (np.zeros((2, 3, 1)), r"has shape \(2, 3, 1\) and not \(n, 3\)"),
        (np.zeros(6), r"has shape \(6,\) and not \(n, 3\)"),
        (np.zeros(()), r"has shape \(\) and not \(n, 3\)"),
        (WIDE[:, ::2], "does not lie in one piece"),
        (WIDE[:, :3], "does not lie in one piece"),
        (np.asfortranarray(np.zeros((2, 3))), "does not lie in one piece"),
        (np.zeros(49, np.uint8)[1:].view(float).reshape(2, 3), "does not lie in one piece"),
        ([[0.0] * 3], "is a list and not an array"),
    ],
)
def test_arrays_that_lie_otherwise_are_told(array, text):
    with pytest.raises(LayoutError, match=f"geom_xpos of MuJoCo 9.9 {text}.*for MuJoCo 3.3 to 4.0"):
        _layout.check_array(array, "geom_xpos", np.float64, (3,), "9.9")
    _layout.check_array(np.zeros((2, 3)), "geom_xpos", np.float64, (3,), "9.9")
    _layout.check_array(np.zeros(2, np.int32), "geom_type", np.int32, (), "9.9")


@pytest.mark.parametrize(
    ("fields", "field", "expected", "text"),
    [
        ("MODEL_FIELDS", "mesh_vert", (np.float64, (3,)), "mjModel.mesh_vert .* holds <f4 and not <f8"),
        ("MODEL_FIELDS", "mesh_face", (np.int32, (4,)), r"mjModel.mesh_face .* has shape \(4, 3\) and not \(n, 4\)"),
        ("DATA_FIELDS", "geom_xmat", (np.float64, (3, 3)), r"mjData.geom_xmat .* has shape \(2, 9\) and not \(n, 3, 3\)"),
        ("MODEL_FIELDS", "mesh_colour", (np.int32, ()), "has no mjModel.mesh_colour"),
    ],
)
def test_nothing_is_installed_where_the_layout_is_another(monkeypatch, fields, field, expected, text):
    monkeypatch.setitem(getattr(_layout, fields), field, expected)
    with pytest.raises(LayoutError, match=text):
        impinge.mujoco.install()
    assert not impinge.mujoco.installed()


def test_an_offset_that_leads_elsewhere_is_told(monkeypatch):
    composed = _layout._Structs._compose

    def shifted(self, name, fields, *rest):
        made = composed(self, name, fields, *rest)
        if name != "mjModel":
            return made
        # As if a pointer had been added before the others.
        return type(name, (_layout.ctypes.Structure,), {"_fields_": [("added", _layout.ctypes.c_void_p), *made._fields_]})

    monkeypatch.setattr(_layout._Structs, "_compose", shifted)
    with pytest.raises(LayoutError, match=f"mjModel.geom_type of MuJoCo {mujoco.__version__} is not where its description has it"):
        impinge.mujoco.install()
    assert not impinge.mujoco.installed()
