//! Poses as Python gives them: matrices, or a position and a quaternion.

use impinge::nalgebra::{Isometry3, Matrix3, Quaternion, Rotation3, Translation3, UnitQuaternion};
use numpy::PyUntypedArrayMethods;
use pyo3::prelude::*;
use rayon::prelude::*;

use crate::arrays::{floats, shape_text};
use crate::errors::{InvalidPose, of_pose};
use crate::threads::pool;

/// How far the product of a rotation matrix with its transpose may be from the unit matrix, entry by entry: what `f32`
/// rounding leaves, a hundred times.
const ORTHONORMAL: f64 = 1e-5;

/// Poses and how they were arranged.
pub struct Poses {
    pub all: Vec<Isometry3<f64>>,
    /// The sizes before the pose's own: none of one pose.
    pub dims: Vec<usize>,
}

/// Reads poses (m): `None` for the identity, `(..., 4, 4)` matrices, or `(..., 7)` of x, y, z and a quaternion qx, qy, qz, qw.
/// `first` is the place of the first among those of the caller's, for errors.
pub fn poses(value: Option<&Bound<'_, PyAny>>, name: &str, first: usize) -> PyResult<Poses> {
    let Some(value) = value.filter(|value| !value.is_none()) else {
        return Ok(Poses { all: vec![Isometry3::identity()], dims: Vec::new() });
    };
    let array = floats(value, name)?;
    let shape = array.shape().to_vec();
    let (dims, size) = match &shape[..] {
        [dims @ .., 4, 4] if dims.len() <= 2 => (dims, 16),
        [dims @ .., 7] if dims.len() <= 2 => (dims, 7),
        _ => {
            return Err(InvalidPose::new_err(format!(
                "{name} has shape {}; it must be (4, 4), (N, 4, 4) or (K, N, 4, 4), or (7,), (N, 7) or (K, N, 7) of x, y, z, qx, qy, \
                 qz, qw",
                shape_text(&shape)
            )));
        }
    };
    let numbers = array.as_slice()?;
    let one = |numbers: &[f64]| if size == 16 { of_matrix(numbers) } else { of_quaternion(numbers) };
    let count = numbers.len() / size;
    let found: Vec<Result<Isometry3<f64>, String>> = if count < 4096 {
        numbers.chunks_exact(size).map(one).collect()
    } else {
        // A copy: without the interpreter's lock other threads may write to the array.
        let (numbers, pool) = (numbers.to_vec(), pool(None)?);
        let each = || numbers.par_chunks_exact(size).map(one).collect();
        value.py().detach(|| pool.install(each))
    };
    let mut all = Vec::with_capacity(count);
    for (index, pose) in found.into_iter().enumerate() {
        all.push(pose.map_err(|reason| {
            let place = place(name, dims, index, first);
            InvalidPose::new_err(format!("{place}: {reason}"))
        })?);
    }
    Ok(Poses { all, dims: dims.to_vec() })
}

/// One pose.
pub fn pose(value: Option<&Bound<'_, PyAny>>, name: &str) -> PyResult<Isometry3<f64>> {
    let Poses { all, dims } = poses(value, name, 0)?;
    match (&dims[..], &all[..]) {
        ([], [one]) => Ok(*one),
        _ => Err(InvalidPose::new_err(format!("{name} must be one pose: (4, 4) or (7,)"))),
    }
}

fn place(name: &str, dims: &[usize], index: usize, first: usize) -> String {
    match dims {
        [] => name.to_owned(),
        [_, each, ..] => format!("{name}[{}, {}]", index / each, first + index % each),
        _ => format!("{name}[{}]", first + index),
    }
}

fn of_matrix(m: &[f64]) -> Result<Isometry3<f64>, String> {
    if let Some(at) = m.iter().position(|x| !x.is_finite()) {
        return Err(format!("entry [{}, {}] is {}; every entry must be finite", at / 4, at % 4, m[at]));
    }
    if (0..4).any(|k| (m[12 + k] - f64::from(u8::from(k == 3))).abs() > 1e-9) {
        return Err(format!("the last row is {:?}; it must be 0, 0, 0, 1", &m[12..16]));
    }
    let rotation = Matrix3::from_fn(|row, column| m[4 * row + column]);
    let off = (rotation.transpose() * rotation - Matrix3::identity()).amax();
    if off > ORTHONORMAL {
        return Err(format!(
            "its rotation is not orthonormal (off by {off:.1e}); poses are rigid: scale the mesh, not the pose"
        ));
    }
    if rotation.determinant() < 0.0 {
        return Err("it mirrors; poses are rigid: mirror the mesh, not the pose".to_owned());
    }
    let turn = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(rotation));
    Ok(Isometry3::from_parts(Translation3::new(m[3], m[7], m[11]), turn))
}

fn of_quaternion(q: &[f64]) -> Result<Isometry3<f64>, String> {
    if let Some(at) = q.iter().position(|x| !x.is_finite()) {
        return Err(format!("entry {at} is {}; every entry must be finite", q[at]));
    }
    let turn = Quaternion::new(q[6], q[3], q[4], q[5]);
    if (turn.norm() - 1.0).abs() > ORTHONORMAL {
        return Err(format!(
            "its quaternion has length {}; it must have length 1 (order x, y, z, qx, qy, qz, qw)",
            turn.norm()
        ));
    }
    Ok(Isometry3::from_parts(Translation3::new(q[0], q[1], q[2]), UnitQuaternion::new_normalize(turn)))
}

/// Checks a pose as the library does.
pub fn usable(pose: &Isometry3<f64>) -> PyResult<Isometry3<f64>> {
    impinge::geometry::canonical::checked_pose(pose).map_err(|error| of_pose(&error))
}

/// A pose as the 16 numbers of a matrix, row by row.
pub fn matrix(pose: &Isometry3<f64>) -> [f64; 16] {
    let m = pose.to_homogeneous();
    std::array::from_fn(|k| m[(k / 4, k % 4)])
}
