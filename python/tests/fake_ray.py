"""A small stand-in for Ray, in one process: the part of its interface that impinge.ray uses, and workers that fail when they are told to.

It shows what is done about failures. That Ray itself fails as it says is shown by ray_cluster.py, which needs Ray.
"""

from __future__ import annotations

import types
from typing import Any, Callable, Dict, List, Optional, Tuple


class RayError(Exception):
    pass


class RayTaskError(RayError):
    """What a task raised, as its ``cause``."""

    def __init__(self, cause: Exception):
        super().__init__(str(cause))
        self.cause = cause


#: Errors of Ray's that are no answer of the task. (Those of actors have a base class of their own there.)
LOST = ("RayActorError", "WorkerCrashedError", "NodeDiedError", "OutOfMemoryError", "ActorUnschedulableError", "ObjectLostError")
exceptions = types.SimpleNamespace(RayError=RayError, RayTaskError=RayTaskError, **{name: type(name, (RayError,), {}) for name in LOST})


class Stuck(AssertionError):
    """Ray would wait for ever."""


class Reference:
    def __init__(self, actor: "Actor", run: Callable[[], Any]):
        self.actor, self.run = actor, run


class Method:
    def __init__(self, actor: "Actor", name: str):
        self.actor, self.name = actor, name

    def remote(self, *arguments: Any) -> Reference:
        return Reference(self.actor, lambda: getattr(self.actor.made(), self.name)(*arguments))


class Actor:
    """Has a place in the cluster, waits for one, or was killed."""

    def __init__(self, cluster: "FakeRay", number: int, make: Callable[[], Any]):
        self._cluster, self._make, self._object = cluster, make, None
        self.number, self.state, self.calls = number, "waits", 0

    def __getattr__(self, name: str) -> Method:
        return Method(self, name)

    def made(self) -> Any:
        if self._object is None:
            self._object = self._make()
        return self._object


class FakeRay:
    """A cluster with room for so many actors. ``fail(actor, call)`` has the exception of a worker's call, counted from 0, or None.

    Call 0 of every worker is the one that tells that it is ready.
    """

    exceptions = exceptions

    def __init__(self, places: int, fail: Optional[Callable[[int, int], Optional[Exception]]] = None, killable: bool = True):
        self._places, self._killable = places, killable
        self._fail = fail or (lambda actor, call: None)
        self.actors: List[Actor] = []
        self.killed: List[int] = []

    def is_initialized(self) -> bool:
        return True

    def cluster_resources(self) -> Dict[str, float]:
        return {"CPU": float(self._places)}

    def available_resources(self) -> Dict[str, float]:
        return {"CPU": float(self._places - sum(actor.state == "placed" for actor in self.actors))}

    def put(self, value: Any) -> Any:
        return value

    def remote(self, **_: Any) -> Callable[[type], Any]:
        def of(made: type) -> Any:
            def remote(*arguments: Any) -> Actor:
                actor = Actor(self, len(self.actors), lambda: made(*arguments))
                self.actors.append(actor)
                return actor

            return types.SimpleNamespace(remote=remote)

        return of

    def wait(self, references: List[Reference], num_returns: int, timeout: Optional[float]) -> Tuple[List[Reference], List[Reference]]:
        assert num_returns == 1 and references
        for actor in self.actors:
            if actor.state == "waits" and sum(other.state == "placed" for other in self.actors) < self._places:
                actor.state = "placed"
        # The last first: answers come in any order.
        for reference in reversed(references):
            if reference.actor.state != "waits":
                return [reference], [other for other in references if other is not reference]
        if timeout is None:
            raise Stuck("all that is waited for is on actors without a place")
        return [], references

    def get(self, reference: Reference) -> Any:
        actor = reference.actor
        if actor.state == "killed":
            raise exceptions.RayActorError("the actor is dead")
        error = self._fail(actor.number, actor.calls)
        actor.calls += 1
        if error is not None:
            raise error
        try:
            return reference.run()
        except Exception as error:
            raise RayTaskError(error) from error

    def kill(self, actor: Actor) -> None:
        if not self._killable:
            raise ValueError("this actor cannot be killed")
        actor.state = "killed"
        self.killed.append(actor.number)
