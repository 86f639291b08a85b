"""Millions of poses on many machines, through Ray.

>>> import impinge.ray
>>> blocked = impinge.ray.check(gear, knot, poses)  # doctest: +SKIP

Shapes go to the object store once; every worker prepares them once. Workers get chunks of poses, a few at a time each, so that memory stays
bounded however many poses there are. Where a worker dies, its chunks are given to others and another worker takes its place. Answers come in the
order of the poses, each once.
"""

from __future__ import annotations

import pickle
from collections import deque
from typing import Any, Deque, Dict, Iterator, List, Optional, Tuple, Union

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
        self._ask = batch.QUESTIONS[question]
        self._keywords = keywords
        self._threads = threads

    def answer(self, poses: np.ndarray) -> np.ndarray:
        return self._ask(self._a, self._b, poses, threads=self._threads, **self._keywords)


class _Crew:
    """Workers, and the chunks that each of them has."""

    def __init__(self, ray: Any, make: Any, workers: int, retries: int):
        self._ray = ray
        self._make = make
        self._retries = retries
        self._actors: List[Any] = [make() for _ in range(workers)]
        #: By the reference of its answer: number of the chunk, its poses, its worker, how often it was tried.
        self._given: Dict[Any, Tuple[int, np.ndarray, int, int]] = {}
        self._load = [0] * workers

    def has_room(self) -> bool:
        return min(self._load) < _AHEAD

    def is_idle(self) -> bool:
        return not self._given

    def give(self, number: int, poses: np.ndarray, tried: int = 0) -> None:
        worker = self._load.index(min(self._load))
        reference = self._actors[worker].answer.remote(poses)
        self._given[reference] = (number, poses, worker, tried)
        self._load[worker] += 1

    def take(self) -> Dict[int, np.ndarray]:
        """Waits for an answer. Returns it by the chunk's number; nothing where a worker died instead."""
        ready, _ = self._ray.wait(list(self._given), num_returns=1)
        reference = ready[0]
        number, poses, worker, tried = self._given[reference]
        try:
            found = self._ray.get(reference)
        except (self._ray.exceptions.RayActorError, self._ray.exceptions.ObjectLostError) as error:
            self._replace(worker, error)
            return {}
        except self._ray.exceptions.RayTaskError as error:
            # What the question raises is the caller's to see.
            raise error.cause if isinstance(getattr(error, "cause", None), Exception) else error
        del self._given[reference]
        self._load[worker] -= 1
        return {number: found}

    def _replace(self, worker: int, error: Exception) -> None:
        """A new worker in place of a dead one; all that the dead one had is given out again."""
        lost = [(reference, given) for reference, given in self._given.items() if given[2] == worker]
        for reference, _ in lost:
            del self._given[reference]
        self._load[worker] = 0
        self._actors[worker] = self._make()
        for _, (number, poses, _, tried) in lost:
            if tried >= self._retries:
                raise WorkerError(f"chunk {number} was lost {tried + 1} times, the last time with: {error}") from error
            self.give(number, poses, tried + 1)

    def end(self) -> None:
        for actor in self._actors:
            self._ray.kill(actor)


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
    on_start: Any = None,
    **keywords: Any,
) -> Iterator[np.ndarray]:
    """As :func:`impinge.batch.stream`, on the workers of a Ray cluster; Ray is started on this machine where it is not running.

    workers: how many actors; by default one for each processor of the cluster. threads: threads, and processors, of each. retries: how
    often a chunk that was lost with its worker is given out again. on_start: called with the list of the actors once they exist.

    Raises ImportError without Ray, WorkerError for a chunk that was lost too often, and what the question raises.
    """
    import ray

    if not ray.is_initialized():
        ray.init(log_to_driver=False, include_dashboard=False)
    batch._question(question)
    if workers is None:
        workers = max(1, int(ray.cluster_resources().get("CPU", 1)) // max(threads, 1))
    if workers < 1 or threads < 1 or retries < 0:
        raise InvalidSetting(
            f"workers is {workers}, threads {threads}, retries {retries}; they must be at least 1, 1 and 0"
        )
    parts, _ = batch._chunks(poses, chunk)
    shapes = ray.put(pickle.dumps((a, b)))
    actor = ray.remote(num_cpus=threads, max_restarts=0)(_Worker)
    crew = _Crew(ray, lambda: actor.remote(shapes, question, keywords, threads), workers, retries)
    try:
        if on_start is not None:
            on_start(crew._actors)
        numbered = enumerate(parts)
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
                order.append(item[0])
                crew.give(*item)
            while order and order[0] in waiting:
                yield waiting.pop(order.popleft())
            if crew.is_idle():
                if not more and not order:
                    return
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
    progress: Union[bool, None] = None,
    on_start: Any = None,
    **keywords: Any,
) -> np.ndarray:
    """The answers at all poses, as :func:`impinge.batch.check`; other arguments as of :func:`stream`."""
    total = len(poses) if hasattr(poses, "__len__") else None
    bar = batch.Progress(total, progress)
    found = []
    options = {"workers": workers, "threads": threads, "retries": retries, "on_start": on_start}
    for part in stream(a, b, poses, question=question, chunk=chunk, **options, **keywords):
        found.append(part)
        bar.add(part.shape[-1])
    bar.end()
    if not found:
        return batch.QUESTIONS[question](a, b, np.zeros((0, 7)), **keywords)
    return np.concatenate(found, axis=-1)
