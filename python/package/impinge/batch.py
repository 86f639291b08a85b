"""Millions of poses on one machine: in chunks, with a progress bar, in bounded memory.

>>> import impinge, impinge.batch
>>> blocked = impinge.batch.check(gear, knot, poses)  # doctest: +SKIP

The chunks go through all threads of :func:`impinge.set_threads` one after the other, so that a long run can be interrupted between two, and
a generator of poses never has to fit into memory at once. :func:`impinge.ray.check` is the same call on many machines.
"""

from __future__ import annotations

import sys
import time
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional, Tuple, Union

import numpy as np

from . import _impinge, queries
from ._arrays import is_array, reals
from .errors import InvalidPose, InvalidSetting

__all__ = ["QUESTIONS", "Progress", "check", "stream"]

#: Questions with one number for an answer, by name.
QUESTIONS: Dict[str, Callable[..., Any]] = {
    "touching": queries.touching,
    "distance": queries.distance,
    "intersection_volume": queries.intersection_volume,
}

#: Poses of a chunk, unless the caller says how many.
CHUNK = 16384


class Progress:
    """A line on standard error that tells how far a run is; silent where that is no terminal, unless it is asked for."""

    def __init__(self, total: Optional[int], show: Optional[bool] = None):
        self._total = total
        self._show = sys.stderr.isatty() if show is None else show
        self._began = time.perf_counter()
        self._told = 0.0
        self._done = 0

    def add(self, count: int) -> None:
        """Counts poses that are done."""
        self._done += count
        now = time.perf_counter()
        if self._show and now - self._told > 0.2:
            self._told = now
            self._write("\r" + self._line(now))

    def end(self) -> None:
        """Ends the line."""
        if self._show:
            self._write("\r" + self._line(time.perf_counter()) + "\n")

    def _line(self, now: float) -> str:
        rate = self._done / max(now - self._began, 1e-9)
        if not self._total:
            return f"{self._done:,} poses, {rate:,.0f} a second "
        part = self._done / self._total
        bar = "#" * int(30 * part)
        left = (self._total - self._done) / rate if rate else float("inf")
        return f"[{bar:30}] {100 * part:5.1f} %  {rate:,.0f} poses a second, {left:,.0f} s left "

    @staticmethod
    def _write(text: str) -> None:
        sys.stderr.write(text)
        sys.stderr.flush()


def _question(name: str) -> Callable[..., Any]:
    if name not in QUESTIONS:
        raise InvalidSetting(f"question is {name!r}; it must be one of {', '.join(QUESTIONS)}")
    return QUESTIONS[name]


def _ask(question: str, a: Any, b: Any, poses: np.ndarray, first: int, **keywords: Any) -> np.ndarray:
    """The answers at some of many poses. Errors name a pose by its place among all, where ``first`` is that of the first of these."""
    if question == "intersection_volume":
        return _impinge.intersection(a, b, poses, first=first, **keywords)["volumes"]
    return getattr(_impinge, question)(a, b, poses, first=first, **keywords)


def _lifted(poses: np.ndarray) -> np.ndarray:
    """One pose, (4, 4) or (7,), as an array of one."""
    return poses[None] if poses.shape in ((4, 4), (7,)) else poses


def _checked(poses: np.ndarray, name: str) -> np.ndarray:
    """Poses of one row each."""
    if poses.shape[1:] not in ((4, 4), (7,)):
        raise InvalidPose(f"{name} has shape {poses.shape}; it must be (N, 4, 4) or (N, 7)")
    return poses


def _chunks(poses: Any, chunk: int) -> Tuple[Iterator[Tuple[int, np.ndarray]], Optional[int]]:
    """The poses in chunks of at most so many, each with the place of its first, and how many there are, if that is known."""
    if chunk < 1:
        raise InvalidSetting(f"chunk is {chunk}; it must be at least 1")
    if is_array(poses) or (isinstance(poses, (list, tuple)) and not any(is_array(part) for part in poses)):
        whole = _lifted(reals(poses, "poses"))
        if whole.size == 0:
            whole = whole.reshape(0, 7)
        whole = _checked(whole, "poses")
        return ((k, whole[k : k + chunk]) for k in range(0, len(whole), chunk)), len(whole)
    if not hasattr(poses, "__iter__"):
        raise TypeError(f"poses is a {type(poses)}; it must be an array, (N, 4, 4) or (N, 7), or an iterable of such arrays")

    def cut(parts: Iterable[Any]) -> Iterator[Tuple[int, np.ndarray]]:
        first = 0
        for number, part in enumerate(parts):
            name = f"part {number} of poses"
            part = _checked(_lifted(reals(part, name)), name)
            for k in range(0, len(part), chunk):
                yield first + k, part[k : k + chunk]
            first += len(part)

    return cut(poses), None


def stream(
    a: Any, b: Any, poses: Any, *, question: str = "touching", chunk: int = CHUNK, threads: Optional[int] = None, **keywords: Any
) -> Iterator[np.ndarray]:
    """Yields the answers of one chunk after the other, in order, each of shape (n,), or (K, n) for lists of K shapes.

    poses: (N, 4, 4) or (N, 7) (m), a memory map among them, or an iterable of such arrays or of single poses, read as answers are taken.
    question: ``"touching"``, ``"distance"`` or ``"intersection_volume"``; ``keywords`` are that function's.
    """
    _question(question)
    parts, _ = _chunks(poses, chunk)
    for first, part in parts:
        yield _ask(question, a, b, part, first, threads=threads, **keywords)


def check(
    a: Any,
    b: Any,
    poses: Any,
    *,
    question: str = "touching",
    chunk: int = CHUNK,
    threads: Optional[int] = None,
    progress: Union[bool, None] = None,
    **keywords: Any,
) -> np.ndarray:
    """The answers at all poses, shape (N,), or (K, N) for lists of K shapes: as :func:`stream`, put together.

    progress: whether a progress bar is shown on standard error; by default where that is a terminal.

    Raises what the question raises; a pose that cannot be used is named by its place among all poses.
    """
    ask = _question(question)
    parts, total = _chunks(poses, chunk)
    bar = Progress(total, progress)
    found: List[np.ndarray] = []
    for first, part in parts:
        found.append(_ask(question, a, b, part, first, threads=threads, **keywords))
        bar.add(len(part))
    bar.end()
    if not found:
        return ask(a, b, np.zeros((0, 7)), threads=threads, **keywords)
    return np.concatenate(found, axis=-1)
