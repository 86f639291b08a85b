"""What may be given as an array, and how it is told what may not."""

from __future__ import annotations

import numpy as np
import pytest

import impinge
import impinge.batch
from impinge import _arrays

from .conftest import random_poses

VERTICES = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], float)
FACES = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])
BALL = impinge.Sphere(0.4)
POSES = random_poses(50, 0.8, seed=51)
TOUCHING = impinge.touching(BALL, BALL, POSES)


def unaligned(array: np.ndarray) -> np.ndarray:
    memory = np.zeros(array.nbytes + 1, np.uint8)
    view = memory[1:].view(array.dtype).reshape(array.shape)
    view[...] = array
    assert not view.flags.aligned
    return view


def every_other(array: np.ndarray) -> np.ndarray:
    wide = np.zeros((*array.shape[:-1], 2 * array.shape[-1]), array.dtype)
    wide[..., ::2] = array
    return wide[..., ::2]


class OnlyDLPack:
    """Memory that numpy knows of by DLPack alone, on the CPU or on another device."""

    def __init__(self, array: np.ndarray, device: int = 1):
        self._array, self._device = array, device

    def __dlpack__(self, **keywords):
        return self._array.__dlpack__(**keywords)

    def __dlpack_device__(self):
        return self._device, 0


LAYOUTS = {
    "big-endian": lambda array: array.astype(array.dtype.newbyteorder(">")),
    "column by column": np.asfortranarray,
    "every other": every_other,
    "backwards": lambda array: array[::-1][::-1].copy()[::-1][::-1],
    "unaligned": unaligned,
    "list": np.ndarray.tolist,
    "read-only": lambda array: np.frombuffer(array.tobytes(), array.dtype).reshape(array.shape),
    "masked nowhere": np.ma.masked_array,
    "DLPack": OnlyDLPack,
}


@pytest.mark.parametrize("layout", sorted(LAYOUTS))
def test_numbers_may_lie_as_they_like(layout):
    of = LAYOUTS[layout]
    np.testing.assert_array_equal(impinge.touching(BALL, BALL, of(POSES)), TOUCHING)
    np.testing.assert_array_equal(impinge.batch.check(BALL, BALL, of(POSES), chunk=7), TOUCHING)
    mesh = impinge.Mesh(of(VERTICES), of(FACES))
    np.testing.assert_array_equal(mesh.vertices, VERTICES)
    np.testing.assert_array_equal(mesh.faces, FACES)
    assert impinge.Hull(of(VERTICES)).volume == pytest.approx(1 / 6)
    world = impinge.World()
    numbers = np.array([world.add(BALL) for _ in range(50)], np.int64)
    world.set_poses(of(numbers), of(POSES))
    np.testing.assert_allclose(world.pose(int(numbers[7])), POSES[7], atol=1e-12)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "g", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"])
def test_any_real_numbers_will_do(dtype):
    pose = np.eye(4, dtype=dtype)
    pose[0, 3] = 1
    assert impinge.distance(BALL, BALL, pose) == pytest.approx(0.2, abs=1e-6)
    mesh = impinge.Mesh(VERTICES.astype(dtype), FACES.astype(dtype if dtype[0] in "iu" else int))
    assert mesh.is_closed and mesh.volume == pytest.approx(1 / 6)


@pytest.mark.parametrize(
    ("made", "text"),
    [
        (lambda a: a.astype(complex), "its dtype is complex128: it holds complex numbers"),
        (lambda a: a.astype(object), "its dtype is object: it holds Python objects"),
        (lambda a: a.astype(str), "it holds text"),
        (lambda a: a.astype("S"), "it holds bytes"),
        (lambda a: a.astype(bool), "its dtype is bool: it holds booleans"),
        (lambda a: a.astype(int).astype("M8[s]"), "it holds dates"),
        (lambda a: a.astype(int).astype("m8[s]"), "it holds time differences"),
        (lambda a: np.zeros(a.shape, [("x", float)]), "it holds records"),
        (lambda a: [*a.tolist(), [1.0]], "must be an array of numbers: .*inhomogeneous|it holds Python objects"),
        (lambda a: np.ma.masked_less(a, 0.5), "is masked in"),
        (lambda a: OnlyDLPack(a, device=2), "is on another device .*copy it to the CPU first"),
        (lambda a: "numbers", "it holds text"),
        (lambda a: {1: 2}, "it holds Python objects"),
    ],
)
def test_what_holds_no_real_numbers_is_told(made, text):
    for name, ask, array in (
        ("poses", lambda x: impinge.touching(BALL, BALL, x), POSES),
        ("vertices", lambda x: impinge.Mesh(x, FACES), VERTICES),
        ("faces", lambda x: impinge.Mesh(VERTICES, x), FACES),
        ("points", impinge.Hull, VERTICES),
        ("poses", lambda x: impinge.World().set_poses([], x), POSES),
        ("poses", lambda x: impinge.batch.check(BALL, BALL, [x] if isinstance(x, (str, dict)) else x), POSES),
    ):
        with pytest.raises(TypeError, match=f"{name} .*(?:{text})"):
            ask(made(array))
    with pytest.raises(TypeError, match="faces must be an array of integers; its dtype is float64: it holds floating-point numbers"):
        impinge.Mesh(VERTICES, FACES.astype(float))


@pytest.mark.parametrize("shape", [(), (3,), (12,), (4, 2), (4, 4), (2, 2, 3), (1, 4, 3, 1)])
def test_arrays_of_another_shape_are_told(shape):
    text = str(shape).replace("(", r"\(").replace(")", r"\)")
    with pytest.raises(impinge.InvalidMesh, match=rf"vertices has shape {text}; it must be \(V, 3\)"):
        impinge.Mesh(np.zeros(shape), FACES)
    with pytest.raises(impinge.InvalidMesh, match=rf"faces has shape {text}; it must be \(F, 3\)"):
        impinge.Mesh(VERTICES, np.zeros(shape, int))
    with pytest.raises(impinge.InvalidShape, match=rf"points has shape {text}; it must be \(N, 3\)"):
        impinge.Hull(np.zeros(shape))
    if shape != (4, 4):
        with pytest.raises(impinge.InvalidPose, match=rf"poses has shape {text}; it must be"):
            impinge.touching(BALL, BALL, np.zeros(shape))


def test_answers_go_out_by_dlpack():
    found = impinge.contacts(BALL, BALL, POSES)
    for array in (found.positions, found.depths, found.offsets, impinge.distance(BALL, BALL, POSES)):
        assert array.__dlpack_device__() == (1, 0)
        np.testing.assert_array_equal(np.from_dlpack(OnlyDLPack(array)), array)


def test_memory_given_by_dlpack_is_not_copied():
    poses = POSES.copy()
    given = _arrays.floats(OnlyDLPack(poses), "poses")
    assert np.shares_memory(given, poses) and np.shares_memory(_arrays.floats(poses, "poses"), poses)
