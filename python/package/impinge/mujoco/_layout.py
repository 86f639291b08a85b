"""Where the fields of MuJoCo's structs are, from MuJoCo's own description of them, checked against a model."""

from __future__ import annotations

import ctypes
from typing import Any, Dict, Tuple

import numpy as np

from ..errors import Error

#: What MuJoCo's types are in C. Names that are not here are enumerations.
_TYPES = {
    "mjtNum": ctypes.c_double,
    "mjtByte": ctypes.c_uint8,
    "mjtBool": ctypes.c_uint8,
    "mjtSize": ctypes.c_int64,
    "int": ctypes.c_int,
    "unsigned int": ctypes.c_uint,
    "float": ctypes.c_float,
    "double": ctypes.c_double,
    "char": ctypes.c_char,
    "unsigned char": ctypes.c_uint8,
    "size_t": ctypes.c_size_t,
    "uintptr_t": ctypes.c_size_t,
    "int64_t": ctypes.c_int64,
    "uint64_t": ctypes.c_uint64,
    "int32_t": ctypes.c_int32,
    "uint32_t": ctypes.c_uint32,
}

#: Of each array that the callback reads what it holds, and the shape of a row.
MODEL_FIELDS: Dict[str, Tuple[Any, Tuple[int, ...]]] = {
    "geom_type": (np.int32, ()),
    "geom_dataid": (np.int32, ()),
    "geom_size": (np.float64, (3,)),
    "mesh_vertadr": (np.int32, ()),
    "mesh_vertnum": (np.int32, ()),
    "mesh_faceadr": (np.int32, ()),
    "mesh_facenum": (np.int32, ()),
    "mesh_vert": (np.float32, (3,)),
    "mesh_face": (np.int32, (3,)),
    "mesh_pos": (np.float64, (3,)),
    "mesh_quat": (np.float64, (4,)),
}
DATA_FIELDS: Dict[str, Tuple[Any, Tuple[int, ...]]] = {"geom_xpos": (np.float64, (3,)), "geom_xmat": (np.float64, (9,))}

_PROBE = """
<mujoco><asset><mesh name="m" vertex="0 0 0  1 0 0  0 1 0  0 0 1"/></asset>
<worldbody><geom type="mesh" mesh="m"/><body><freejoint/><geom type="mesh" mesh="m" mass="1"/></body></worldbody></mujoco>
"""


class LayoutError(Error, RuntimeError):
    """The structs of this MuJoCo are not as it describes them."""


class _Structs:
    def __init__(self, described: Dict[str, Any]):
        self._described = described
        self._made: Dict[str, Any] = {}

    def named(self, name: str) -> Any:
        if name not in self._made:
            self._made[name] = self._compose(name, self._described[name].fields)
        return self._made[name]

    def _compose(self, name: str, fields: Any, base: Any = ctypes.Structure) -> Any:
        members = []
        for number, field in enumerate(fields):
            member = getattr(field, "name", "") or f"anonymous_{number}"
            members.append((member, self._type(field if not hasattr(field, "type") else field.type)))
        return type(name, (base,), {"_fields_": members})

    def _type(self, described: Any) -> Any:
        kind = type(described).__name__
        if kind == "PointerType":
            return ctypes.c_void_p
        if kind == "ArrayType":
            made = self._type(described.inner_type)
            for extent in reversed(described.extents):
                made = made * extent
            return made
        if kind.startswith("Anonymous"):
            base = ctypes.Union if "Union" in kind else ctypes.Structure
            return self._compose(kind, described.fields, base)
        name = described.name
        if name.startswith("struct "):
            name = name[len("struct ") :]
        if name in _TYPES:
            return _TYPES[name]
        if name.rstrip("_") in self._described or name in self._described:
            return self.named(name if name in self._described else name.rstrip("_"))
        return ctypes.c_int


def check_array(array: Any, name: str, dtype: Any, row: Tuple[int, ...], version: str) -> None:
    """Raises LayoutError unless an array of a model lies in memory as the callback reads it."""
    dtype = np.dtype(dtype)
    refused = None
    if not isinstance(array, np.ndarray):
        refused = f"is a {type(array).__name__} and not an array"
    elif array.dtype != dtype:
        # A MuJoCo with single-precision mjtNum, for one. Of another byte order, too.
        refused = f"holds {array.dtype.str} and not {dtype.str}"
    elif array.ndim == 0 or array.shape[1:] != row:
        refused = f"has shape {array.shape} and not {('n', *row)}".replace("'", "")
    elif not (array.flags.c_contiguous and array.flags.aligned):
        refused = "does not lie in one piece, row after row"
    if refused is not None:
        raise LayoutError(f"{name} of MuJoCo {version} {refused}; this version of impinge.mujoco is for MuJoCo 3.3 to 4.0")


def offsets(mujoco: Any) -> Dict[str, int]:
    """Offsets (bytes) of the pointers in mjModel and mjData that the callback reads.

    Raises LayoutError where MuJoCo's description of its structs does not lead to the arrays of a model, and where these hold
    other numbers than the callback reads.
    """
    from mujoco.introspect import structs

    described = _Structs(structs.STRUCTS)
    model = mujoco.MjModel.from_xml_string(_PROBE)
    data = mujoco.MjData(model)
    found = {}
    for owner, name, fields in ((model, "mjModel", MODEL_FIELDS), (data, "mjData", DATA_FIELDS)):
        layout = described.named(name)
        for field, (dtype, row) in fields.items():
            array, member = getattr(owner, field, None), getattr(layout, field, None)
            if array is None or member is None:
                raise LayoutError(f"MuJoCo {mujoco.__version__} has no {name}.{field}; this version of impinge.mujoco is for MuJoCo 3.3 to 4.0")
            check_array(array, f"{name}.{field}", dtype, row, mujoco.__version__)
            pointer = ctypes.c_void_p.from_address(owner._address + member.offset).value
            if pointer != array.ctypes.data:
                raise LayoutError(
                    f"{name}.{field} of MuJoCo {mujoco.__version__} is not where its description has it; "
                    "this version of impinge.mujoco is for MuJoCo 3.3 to 4.0"
                )
            found[field] = member.offset
    return found


def contact_stride(mujoco: Any) -> int:
    """The size (bytes) of what a collision function fills in: mjPreContact where there is one, else mjContact."""
    from mujoco.introspect import structs

    described = _Structs(structs.STRUCTS)
    if "mjPreContact" in structs.STRUCTS:
        return ctypes.sizeof(described.named("mjPreContact"))
    size = ctypes.sizeof(described.named("mjContact"))
    model = mujoco.MjModel.from_xml_string(_PROBE)
    seen = mujoco.MjData(model).contact.dist.strides[0]
    if seen != size:
        raise LayoutError(f"mjContact of MuJoCo {mujoco.__version__} has {seen} bytes and not {size}, as described")
    return size
