"""Pictures without a library for them: PNG files, and labels."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path
from typing import Sequence

import numpy as np

__all__ = ["label", "side_by_side", "write_png"]

#: Rows of five dots, the leftmost the highest bit.
_LETTERS = {
    "A": (14, 17, 17, 31, 17, 17, 17),
    "B": (30, 17, 17, 30, 17, 17, 30),
    "C": (14, 17, 16, 16, 16, 17, 14),
    "D": (30, 17, 17, 17, 17, 17, 30),
    "E": (31, 16, 16, 30, 16, 16, 31),
    "F": (31, 16, 16, 30, 16, 16, 16),
    "G": (14, 17, 16, 23, 17, 17, 14),
    "H": (17, 17, 17, 31, 17, 17, 17),
    "I": (14, 4, 4, 4, 4, 4, 14),
    "J": (7, 2, 2, 2, 2, 18, 12),
    "K": (17, 18, 20, 24, 20, 18, 17),
    "L": (16, 16, 16, 16, 16, 16, 31),
    "M": (17, 27, 21, 21, 17, 17, 17),
    "N": (17, 25, 21, 19, 17, 17, 17),
    "O": (14, 17, 17, 17, 17, 17, 14),
    "P": (30, 17, 17, 30, 16, 16, 16),
    "R": (30, 17, 17, 30, 20, 18, 17),
    "S": (15, 16, 16, 14, 1, 1, 30),
    "T": (31, 4, 4, 4, 4, 4, 4),
    "U": (17, 17, 17, 17, 17, 17, 14),
    "W": (17, 17, 17, 21, 21, 27, 17),
    "X": (17, 17, 10, 4, 10, 17, 17),
    "Y": (17, 17, 10, 4, 4, 4, 4),
}


def label(picture: np.ndarray, text: str, size: int = 3) -> None:
    """Writes capital letters into the top left corner of a picture, shape (H, W, 3) uint8."""
    for place, letter in enumerate(text.upper()):
        rows = _LETTERS.get(letter)
        if rows is None:
            continue
        dots = np.array([[row >> (4 - k) & 1 for k in range(5)] for row in rows], bool)
        dots = dots.repeat(size, axis=0).repeat(size, axis=1)
        top, left = 3 * size, 3 * size + place * 6 * size
        part = picture[top : top + dots.shape[0], left : left + dots.shape[1]]
        part[dots[: part.shape[0], : part.shape[1]]] = 255


def side_by_side(rows: Sequence[Sequence[np.ndarray]], gap: int = 6) -> np.ndarray:
    """Pictures of one size, shape (H, W, 3) uint8 each, in rows."""
    height, width = rows[0][0].shape[:2]
    across = max(len(row) for row in rows)
    out = np.full((len(rows) * (height + gap) - gap, across * (width + gap) - gap, 3), 255, np.uint8)
    for i, row in enumerate(rows):
        for j, picture in enumerate(row):
            top, left = i * (height + gap), j * (width + gap)
            out[top : top + height, left : left + width] = picture
    return out


def write_png(path: Path, picture: np.ndarray) -> None:
    """Writes a picture, shape (H, W, 3) uint8, to a PNG file."""
    height, width, _ = picture.shape
    rows = np.zeros((height, 1 + 3 * width), np.uint8)
    rows[:, 1:] = picture.reshape(height, -1)

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    body = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows.tobytes(), 6)) + chunk(b"IEND", b"")
    Path(path).write_bytes(b"\x89PNG\r\n\x1a\n" + body)
