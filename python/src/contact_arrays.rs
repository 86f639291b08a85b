//! Manifolds as flat arrays.

use impinge::Manifold;
use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The arrays of manifolds that `offsets` shares out to answers. Point k of all belongs to manifold `manifolds[k]`.
pub fn contact_arrays<'py>(
    py: Python<'py>,
    manifolds: &[Manifold],
    manifold_offsets: &[usize],
) -> PyResult<Bound<'py, PyDict>> {
    let count: usize = manifolds.iter().map(|m| m.points.len()).sum();
    let points = || manifolds.iter().flat_map(|m| m.points.iter().map(move |p| (m, p)));
    let mut first_points = Vec::with_capacity(manifolds.len() + 1);
    let mut total = 0i64;
    first_points.push(total);
    for manifold in manifolds {
        total += manifold.points.len() as i64;
        first_points.push(total);
    }
    let offsets: Vec<i64> = manifold_offsets.iter().map(|&m| first_points[m]).collect();
    let vectors = |numbers: Vec<f64>| {
        let rows = numbers.len() / 3;
        PyArray1::from_vec(py, numbers).reshape([rows, 3])
    };
    let mut normals = Vec::with_capacity(3 * count);
    for (manifold, point) in points() {
        normals.extend_from_slice(manifold.normal_at(point).as_slice());
    }
    let local = |take: fn(&impinge::ContactPoint) -> [f32; 3]| {
        let numbers: Vec<f32> = points().flat_map(|(_, p)| take(p)).collect();
        PyArray1::from_vec(py, numbers).reshape([count, 3])
    };
    let out = PyDict::new(py);
    out.set_item("offsets", PyArray1::from_vec(py, offsets))?;
    out.set_item(
        "positions",
        vectors(points().flat_map(|(_, p)| [p.position.x, p.position.y, p.position.z]).collect())?,
    )?;
    out.set_item("normals", vectors(normals)?)?;
    out.set_item("depths", PyArray1::from_iter(py, points().map(|(_, p)| p.depth)))?;
    out.set_item("weights", PyArray1::from_iter(py, points().map(|(_, p)| p.weight)))?;
    out.set_item("keys", PyArray1::from_iter(py, points().map(|(_, p)| p.key)))?;
    out.set_item("local_a", local(|p| [p.local_a.x, p.local_a.y, p.local_a.z])?)?;
    out.set_item("local_b", local(|p| [p.local_b.x, p.local_b.y, p.local_b.z])?)?;
    let of_point =
        manifolds.iter().enumerate().flat_map(|(k, m)| std::iter::repeat_n(k as i64, m.points.len()));
    out.set_item("manifolds", PyArray1::from_iter(py, of_point))?;
    out.set_item("manifold_offsets", PyArray1::from_iter(py, manifold_offsets.iter().map(|&m| m as i64)))?;
    let every = |take: fn(&Manifold) -> [f64; 3]| vectors(manifolds.iter().flat_map(take).collect());
    out.set_item("manifold_normals", every(|m| m.normal.into())?)?;
    out.set_item("manifold_depths", PyArray1::from_iter(py, manifolds.iter().map(|m| m.depth)))?;
    out.set_item("manifold_volumes", PyArray1::from_iter(py, manifolds.iter().map(|m| m.volume)))?;
    out.set_item("manifold_areas", PyArray1::from_iter(py, manifolds.iter().map(|m| m.area)))?;
    out.set_item("manifold_centroids", every(|m| m.centroid.into())?)?;
    let subshapes: Vec<u32> = manifolds.iter().flat_map(|m| m.subshapes).collect();
    out.set_item("subshapes", PyArray1::from_vec(py, subshapes).reshape([manifolds.len(), 2])?)?;
    Ok(out)
}
