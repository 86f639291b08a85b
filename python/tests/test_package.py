"""The package as it is installed: stubs, threads, forks, dependencies."""

from __future__ import annotations

import ast
import importlib.metadata
import inspect
import multiprocessing
import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import impinge
import impinge.trimesh
from impinge import _impinge

from .conftest import random_poses, translated


def test_stubs_name_what_the_extension_has():
    path = Path(impinge.__file__).with_name("_impinge.pyi")
    tree = ast.parse(path.read_text())
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    public = {name for name in dir(_impinge) if not name.startswith("_")}
    assert public == set(functions) | set(classes)
    for name, node in functions.items():
        stated = [arg.arg for arg in node.args.args + node.args.kwonlyargs]
        assert stated == list(inspect.signature(getattr(_impinge, name)).parameters), name
    for name, node in classes.items():
        made = getattr(_impinge, name)
        methods = {item.name: item for item in node.body if isinstance(item, ast.FunctionDef)}
        inherited = {attribute for base in made.__mro__[1:] for attribute in dir(base)}
        runtime = {attribute for attribute in dir(made) if not attribute.startswith("_")} - inherited
        assert runtime == {method for method in methods if not method.startswith("_")} - inherited, name
        for method, item in methods.items():
            function = getattr(made, method)
            if not method.startswith("__") and callable(function):
                stated = [arg.arg for arg in item.args.args + item.args.kwonlyargs]
                assert stated == list(inspect.signature(function).parameters), f"{name}.{method}"


def test_everything_public_is_documented():
    for name in impinge.__all__:
        if name != "__version__":
            assert inspect.getdoc(getattr(impinge, name)), name
    for name, member in inspect.getmembers(impinge.Mesh):
        if not name.startswith("_"):
            assert inspect.getdoc(member), f"Mesh.{name}"
    assert (Path(impinge.__file__).parent / "py.typed").is_file()


def test_numpy_is_the_only_dependency_and_the_only_import():
    requires = importlib.metadata.requires("impinge") or []
    assert [r for r in requires if "extra ==" not in r] == ["numpy>=1.21"]
    code = (
        "import sys, impinge; heavy = {'mujoco', 'trimesh', 'ray', 'newton', 'scipy', 'warp', 'fcl'} & set(sys.modules); "
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_threads_can_be_set_for_all_calls():
    before = impinge.get_threads()
    try:
        impinge.set_threads(3)
        assert impinge.get_threads() == 3
        with pytest.raises(impinge.InvalidSetting, match="threads is 2000; it must be from 0 to 1024"):
            impinge.set_threads(2000)
        impinge.set_threads(0)
        # As many as the process may use, which quotas and affinities limit.
        assert 1 <= impinge.get_threads() <= (os.cpu_count() or 1)
    finally:
        impinge.set_threads(before)


def _touching_in_child(queue):
    poses = random_poses(300, 1.0)
    queue.put(int(impinge.touching(impinge.Sphere(0.4), impinge.Sphere(0.4), poses).sum()))


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_forked_child_has_threads_of_its_own():
    poses = random_poses(300, 1.0)
    expected = int(impinge.touching(impinge.Sphere(0.4), impinge.Sphere(0.4), poses).sum())
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=_touching_in_child, args=(queue,))
    child.start()
    assert queue.get(timeout=60) == expected and expected > 10
    child.join(timeout=60)
    assert child.exitcode == 0


def _answers(gear: bytes, poses: np.ndarray) -> "list[int]":
    """What needs threads: the tree of a mesh, poses enough to be read by several, a world, a manager."""
    mesh = pickle.loads(gear)
    world = impinge.World()
    world.add(mesh)
    found = [int(impinge.touching(mesh, mesh, poses[:300]).sum())]
    found.append(int(impinge.touching(impinge.Sphere(0.4), impinge.Sphere(0.4), poses).sum()))
    return [*found, int(world.touches(mesh, poses[:300]).sum()), world.step()["colliders"]]


def _work_in_child(queue, gear, poses, world, manager):
    try:
        answers = _answers(gear, poses)
        refused = []
        for call in (world.step, lambda: len(world), lambda: world.touches(impinge.Sphere(1.0), poses[:300])):
            try:
                call()
            except impinge.ForkedWorld as error:
                refused.append(str(error))
        del world
        manager.set_transform("b", np.eye(4))
        queue.put((answers, refused, manager.in_collision_internal(return_names=True)))
    except BaseException as error:
        queue.put(repr(error))
        raise


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_nothing_hangs_in_a_forked_child(gear):
    poses, pickled = random_poses(5000, 1.0), pickle.dumps(gear)
    world, manager = impinge.World(threads=2), impinge.trimesh.CollisionManager()
    world.add(gear)
    for name, shift in (("a", 0.0), ("b", 10.0)):
        manager.add_object(name, gear, translated((shift, 0.0, 0.0))[0])
    assert not manager.in_collision_internal() and world.step()["colliders"] == 1
    expected = _answers(pickled, poses)
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=_work_in_child, args=(queue, pickled, poses, world, manager))
    child.start()
    try:
        answers, refused, touching = queue.get(timeout=60)
        child.join(timeout=60)
    finally:
        child.kill()
    assert child.exitcode == 0 and answers == expected and min(expected) > 0
    assert len(refused) == 3 and "make a new World in the child" in refused[0]
    assert touching == (True, {("a", "b")})
    assert world.step()["colliders"] == 1, "the parent's is as it was"


def test_the_example_of_the_package_is_true():
    cube = impinge.Box([0.5, 0.5, 0.5])
    poses = np.tile(np.eye(4), (3, 1, 1))
    poses[:, 2, 3] = [0.0, 0.75, 1.5]
    assert impinge.touching(cube, cube, poses).tolist() == [True, True, False]
    assert impinge.distance(cube, cube, poses).tolist() == [0.0, 0.0, 0.5]
    found = impinge.contacts(cube, cube, poses[1])
    assert found.depths.max() == pytest.approx(0.25)
