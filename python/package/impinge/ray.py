"""Millions of poses on many machines, through Ray.

>>> import impinge.ray
>>> blocked = impinge.ray.check(gear, knot, poses)  # doctest: +SKIP

Shapes go to the object store once; every worker prepares them once. Workers get chunks of poses, a few at a time each, so that memory stays
bounded however many poses there are. Where a worker cannot be reached any more (it died, its node or its memory went), its chunks are given to
others and another worker takes its place. Answers come in the order of the poses, each once.
"""

from __future__ import annotations

import pickle
from collections import deque
from typing import Any, Deque, Dict, Iterator, List, NamedTuple, Optional, Tuple, Union

import numpy as np

from . import batch
from .errors import InvalidSetting, WorkerError

__all__ = ["check", "stream"]

#: Chunks that a worker has at a time: one in work, one that waits.
_AHEAD = 2


class _Worker:
    """Answers chunks; what an actor runs."""

    def __init__(self, shapes: bytes, question: str, keywords: Dict[str, Any], threads: Optional[int]):
        self._a, self._b = pickle.loads(shapes)
        self._question = question
        self._keywords = keywords
        self._threads = threads

    def is_ready(self) -> bool:
        return True

    def answer(self, first: int, poses: np.ndarray) -> np.ndarray:
        return batch._ask(self._question, self._a, self._b, poses, first, threads=self._threads, **self._keywords)


class _Chunk(NamedTuple):
    """Poses that are asked about in one call."""

    number: int
    #: The place of the first of them among all poses.
    first: int
    poses: np.ndarray
    #: How often they were lost with a worker.
    lost: int = 0


class _Crew:
    """Workers, and the chunks that each of them has."""

    def __init__(self, ray: Any, make: Any, workers: int, retries: int, start_timeout: float):
        self._ray = ray
        self._make = make
        self._retries = retries
        self._start_timeout = start_timeout
        self.actors: List[Any] = []
        #: By the reference of the answer that tells so: workers that are not ready yet. They get no chunks.
        self._starting: Dict[Any, int] = {}
        self._failed_starts = [0] * workers
        #: By the reference of its answer: a chunk and its worker.
        self._given: Dict[Any, Tuple[_Chunk, int]] = {}
        #: How many chunks a worker has; of one that is not ready, as many as it can.
        self._load = [_AHEAD] * workers
        #: Chunks that were lost with a worker, to be given out before others.
        self._lost: Deque[_Chunk] = deque()

    def start(self) -> None:
        for worker in range(len(self._load)):
            self.actors.append(self._make())
            self._await_start(worker)

    def _await_start(self, worker: int) -> None:
        self._starting[self.actors[worker].is_ready.remote()] = worker
        self._load[worker] = _AHEAD

    def has_room(self) -> bool:
        """Whether a worker can take a chunk that was not given out before."""
        return not self._lost and min(self._load) < _AHEAD

    def is_idle(self) -> bool:
        return not self._given and not self._lost

    def give(self, chunk: _Chunk) -> None:
        worker = self._load.index(min(self._load))
        reference = self.actors[worker].answer.remote(chunk.first, chunk.poses)
        self._given[reference] = (chunk, worker)
        self._load[worker] += 1

    def take(self) -> Dict[int, np.ndarray]:
        """Waits for an answer, and returns it by the chunk's number; nothing where a worker became ready or died instead."""
        # Workers with chunks answer or die. Those that are starting may find no place for as long as the cluster is full.
        timeout = None if self._given else self._start_timeout
        ready, _ = self._ray.wait([*self._given, *self._starting], num_returns=1, timeout=timeout)
        if not ready:
            raise WorkerError(
                f"no worker was ready within {self._start_timeout:g} s: {len(self._starting)} wait for a place in a cluster that has "
                f"{self._ray.available_resources().get('CPU', 0):g} of {self._ray.cluster_resources().get('CPU', 0):g} processors free; "
                "ask for fewer threads, or raise start_timeout"
            )
        found = {}
        reference = ready[0]
        try:
            answer = self._ray.get(reference)
        except self._ray.exceptions.RayError as error:
            cause = getattr(error, "cause", None)
            if isinstance(error, self._ray.exceptions.RayTaskError) and not isinstance(cause, self._ray.exceptions.RayError):
                # What the question raises is the caller's to see.
                raise cause if isinstance(cause, Exception) else error
            # A worker, its node or its memory is gone, or an object that it needs.
            self._replace(self._given[reference][1] if reference in self._given else self._starting[reference], error)
        else:
            if reference in self._starting:
                worker = self._starting.pop(reference)
                self._load[worker] = self._failed_starts[worker] = 0
            else:
                chunk, worker = self._given.pop(reference)
                self._load[worker] -= 1
                found[chunk.number] = answer
        while self._lost and min(self._load) < _AHEAD:
            self.give(self._lost.popleft())
        return found

    def _replace(self, worker: int, error: Exception) -> None:
        """Puts a new worker in place of one that cannot be reached, and all that this one had back to be given out."""
        # It may live on where the error is about an object or the network.
        self._kill(self.actors[worker])
        for reference, starting in list(self._starting.items()):
            if starting == worker:
                del self._starting[reference]
                self._failed_starts[worker] += 1
        if self._failed_starts[worker] > self._retries:
            raise WorkerError(f"a worker could not be started {self._failed_starts[worker]} times, the last time with: {error}") from error
        for reference, (chunk, given_to) in list(self._given.items()):
            if given_to == worker:
                del self._given[reference]
                if chunk.lost >= self._retries:
                    raise WorkerError(f"chunk {chunk.number} was lost {chunk.lost + 1} times, the last time with: {error}") from error
                self._lost.append(chunk._replace(lost=chunk.lost + 1))
        self.actors[worker] = self._make()
        self._await_start(worker)

    def _kill(self, actor: Any) -> None:
        try:
            self._ray.kill(actor)
        except Exception:  # noqa: BLE001 - it is gone already, or the cluster is
            pass

    def end(self) -> None:
        for actor in self.actors:
            self._kill(actor)


def stream(
    a: Any,
    b: Any,
    poses: Any,
    *,
    question: str = "touching",
    chunk: int = batch.CHUNK,
    workers: Optional[int] = None,
    threads: int = 1,
    retries: int = 3,
    start_timeout: float = 60.0,
    on_start: Any = None,
    **keywords: Any,
) -> Iterator[np.ndarray]:
    """As :func:`impinge.batch.stream`, on the workers of a Ray cluster; Ray is started on this machine where it is not running.

    workers: how many actors; by default one for each processor of the cluster. Those that find no place there get no work, and the
    others go on. threads: threads, and processors, of each. retries: how often a chunk that was lost with its worker is given out
    again, and how often a worker that cannot be started is replaced. start_timeout: how long to wait for a first worker (s).
    on_start: called with the list of the actors, which has those of now, once they are asked for.

    Raises ImportError without Ray; WorkerError for a chunk that was lost too often, and where no worker can be started; and what the
    question raises.
    """
    import ray

    if not ray.is_initialized():
        ray.init(log_to_driver=False, include_dashboard=False)
    batch._question(question)
    if workers is None:
        workers = max(1, int(ray.cluster_resources().get("CPU", 1)) // max(threads, 1))
    for name, value, fits, right in (
        ("workers", workers, workers >= 1, "at least 1"),
        ("threads", threads, threads >= 1, "at least 1"),
        ("retries", retries, retries >= 0, "at least 0"),
        ("start_timeout", start_timeout, start_timeout > 0.0, "more than 0 s"),
    ):
        if not fits:
            raise InvalidSetting(f"{name} is {value}; it must be {right}")
    parts, _ = batch._chunks(poses, chunk)
    shapes = ray.put(pickle.dumps((a, b)))
    actor = ray.remote(num_cpus=threads, max_restarts=0)(_Worker)
    crew = _Crew(ray, lambda: actor.remote(shapes, question, keywords, threads), workers, retries, start_timeout)
    try:
        crew.start()
        if on_start is not None:
            on_start(crew.actors)
        numbered = (_Chunk(number, first, part) for number, (first, part) in enumerate(parts))
        waiting: Dict[int, np.ndarray] = {}
        order: Deque[int] = deque()
        more = True
        while True:
            # Not more chunks than workers can have are ahead of the one that is yielded next.
            while more and crew.has_room() and len(order) < 2 * _AHEAD * workers:
                item = next(numbered, None)
                if item is None:
                    more = False
                    break
                order.append(item.number)
                crew.give(item)
            while order and order[0] in waiting:
                yield waiting.pop(order.popleft())
            if crew.is_idle():
                if not more:
                    return
                if crew.has_room():
                    continue
            waiting.update(crew.take())
    finally:
        crew.end()


def check(
    a: Any,
    b: Any,
    poses: Any,
    *,
    question: str = "touching",
    chunk: int = batch.CHUNK,
    workers: Optional[int] = None,
    threads: int = 1,
    retries: int = 3,
    start_timeout: float = 60.0,
    progress: Union[bool, None] = None,
    on_start: Any = None,
    **keywords: Any,
) -> np.ndarray:
    """The answers at all poses, as :func:`impinge.batch.check`; other arguments as of :func:`stream`."""
    total = len(poses) if hasattr(poses, "__len__") else None
    bar = batch.Progress(total, progress)
    found = []
    options = {"workers": workers, "threads": threads, "retries": retries, "start_timeout": start_timeout, "on_start": on_start}
    for part in stream(a, b, poses, question=question, chunk=chunk, **options, **keywords):
        found.append(part)
        bar.add(part.shape[-1])
    bar.end()
    if not found:
        return batch.QUESTIONS[question](a, b, np.zeros((0, 7)), **keywords)
    return np.concatenate(found, axis=-1)
