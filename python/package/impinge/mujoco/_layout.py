"""Where the fields of MuJoCo's structs are, from MuJoCo's own description of them, checked against a model."""

from __future__ import annotations

import ctypes
from typing import Any, Dict

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

MODEL_FIELDS = (
    "geom_type",
    "geom_dataid",
    "geom_size",
    "mesh_vertadr",
    "mesh_vertnum",
    "mesh_faceadr",
    "mesh_facenum",
    "mesh_vert",
    "mesh_face",
)
DATA_FIELDS = ("geom_xpos", "geom_xmat")

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


def offsets(mujoco: Any) -> Dict[str, int]:
    """Offsets (bytes) of the pointers in mjModel and mjData that the callback reads.

    Raises LayoutError where MuJoCo's description of its structs does not lead to the arrays of a model.
    """
    from mujoco.introspect import structs

    described = _Structs(structs.STRUCTS)
    model = mujoco.MjModel.from_xml_string(_PROBE)
    data = mujoco.MjData(model)
    found = {}
    for owner, name, fields in ((model, "mjModel", MODEL_FIELDS), (data, "mjData", DATA_FIELDS)):
        layout = described.named(name)
        for field in fields:
            offset = getattr(layout, field).offset
            pointer = ctypes.c_void_p.from_address(owner._address + offset).value
            if pointer != getattr(owner, field).ctypes.data:
                raise LayoutError(
                    f"{name}.{field} of MuJoCo {mujoco.__version__} is not where its description has it; "
                    "this version of impinge.mujoco is for MuJoCo 3.3 to 4.0"
                )
            found[field] = offset
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
