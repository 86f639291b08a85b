"""What callers give as arrays: numpy's, lists, and whatever numpy makes one of, by DLPack, too."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["array", "floats", "integers", "is_array", "reals"]

#: What arrays may hold that are no numbers, by the kind of their dtype.
_KINDS = {
    "b": "booleans",
    "c": "complex numbers",
    "f": "floating-point numbers",
    "i": "integers",
    "u": "integers",
    "O": "Python objects (a list of rows of different lengths, or of something that is no number)",
    "S": "bytes",
    "U": "text",
    "M": "dates",
    "m": "time differences",
    "V": "records",
}

#: DLPack's number for the memory of the CPU.
_CPU = 1


def is_array(value: Any) -> bool:
    """Whether it is one array, and not several."""
    return hasattr(value, "shape") or hasattr(value, "__dlpack__")


def array(value: Any, name: str) -> np.ndarray:
    """As an array of numpy's, without a copy where it is one already or gives its memory by DLPack."""
    if not isinstance(value, np.ndarray) and hasattr(value, "__dlpack__"):
        return _from_dlpack(value, name)
    if isinstance(value, np.ma.MaskedArray) and np.ma.is_masked(value):
        raise TypeError(f"{name} is masked in {np.ma.count_masked(value)} places; give the rows that are not, or fill it")
    try:
        return np.asarray(value)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{name} must be an array of numbers: {error}") from error


def _from_dlpack(value: Any, name: str) -> np.ndarray:
    device = value.__dlpack_device__()[0] if hasattr(value, "__dlpack_device__") else _CPU
    if device != _CPU:
        raise TypeError(f"{name} is on another device (DLPack's type {int(device)}); copy it to the CPU first")
    if hasattr(np, "from_dlpack"):
        try:
            return np.from_dlpack(value)
        except (BufferError, RuntimeError, TypeError, ValueError) as error:
            # Read-only memory, or what numpy has no type for; some have another way.
            if not hasattr(value, "__array__"):
                raise TypeError(f"{name} cannot be read by DLPack: {error}") from error
    elif not hasattr(value, "__array__"):
        raise TypeError(f"{name} is a {type(value)}; this numpy ({np.__version__}) cannot read DLPack: from 1.22 on it can")
    return np.asarray(value)


def reals(value: Any, name: str) -> np.ndarray:
    """Real numbers of any shape, as they lie."""
    return _of_kind(value, name, "fiu", "real numbers")


def floats(value: Any, name: str) -> np.ndarray:
    """Real numbers of any shape, as float64 that the extension can read: contiguous, aligned, of this machine's byte order."""
    return np.require(reals(value, name), np.float64, ["C_CONTIGUOUS", "ALIGNED"])


def integers(value: Any, name: str) -> np.ndarray:
    """Whole numbers of any shape, as int64, as in :func:`floats`."""
    return np.require(_of_kind(value, name, "iu", "integers"), np.int64, ["C_CONTIGUOUS", "ALIGNED"])


def _of_kind(value: Any, name: str, kinds: str, what: str) -> np.ndarray:
    given = array(value, name)
    kind = given.dtype.kind
    # Of an array without items numpy makes one of floating-point numbers.
    if kind not in kinds and (given.size or kind != "f"):
        held = _KINDS.get(kind, "something else")
        raise TypeError(f"{name} must be an array of {what}; its dtype is {given.dtype}: it holds {held}")
    return given
