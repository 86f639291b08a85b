//! Changes of shapes in a world, and the contacts of particles.

use impinge::nalgebra::Point3;
use impinge::{ColliderId, ShapeId, World as LibraryWorld, WorldError};
use numpy::{PyArray1, PyArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::integers;
use crate::errors::of_world;
use crate::shapes::{grid, one_shape, points};
use crate::whole_numbers;
use crate::world::{Held, World, named, number};

impl Held {
    /// Changes the shape that a collider places, for all that place it. From then on it is this world's own: the object that it was added from places
    /// what it did.
    fn edit<T>(
        &mut self,
        id: ColliderId,
        change: impl FnOnce(&mut LibraryWorld, ShapeId) -> Result<T, WorldError>,
    ) -> PyResult<T> {
        let shape = self.world.shape_of(id).map_err(of_world)?;
        let changed = change(&mut self.world, shape).map_err(of_world)?;
        self.disown(shape);
        Ok(changed)
    }
}

/// Where an edit begins: whole numbers, along x first.
fn read_first<const D: usize>(value: &Bound<'_, PyAny>) -> PyResult<[u32; D]> {
    let array = integers(value, "first")?;
    let numbers = array.as_slice()?;
    let read = numbers.iter().map(|&n| u32::try_from(n).ok()).collect::<Option<Vec<u32>>>();
    read.and_then(|numbers| numbers.try_into().ok()).ok_or_else(|| {
        PyValueError::new_err(format!(
            "first is {numbers:?}; it must be {D} whole numbers from 0 on, along x first"
        ))
    })
}

fn indices(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Vec<u32>> {
    let array = integers(value, name)?;
    let read = array.as_slice()?.iter().map(|&n| {
        u32::try_from(n).map_err(|_| PyValueError::new_err(format!("{name} has {n}; indices run from 0 on")))
    });
    read.collect()
}

/// Gives samples of the height field that a collider places other heights (m), shape (rows, samples), from `first`, (sample along x, row), on. All
/// colliders that place it in this world change; contacts keep their keys and impulses. Nothing has changed where it raises.
#[pyfunction]
fn set_heights(
    py: Python<'_>,
    world: &Bound<'_, World>,
    #[pyo3(from_py_with = whole_numbers::collider)] collider: u64,
    first: &Bound<'_, PyAny>,
    heights: &Bound<'_, PyAny>,
) -> PyResult<()> {
    let (first, (heights, [rows, columns])) = (read_first(first)?, grid(heights, "heights")?);
    world.get().with(py, |held| {
        held.edit(named(collider), |world, shape| world.set_heights(shape, first, [columns, rows], &heights))
    })??;
    Ok(())
}

/// Gives samples of the level set that a collider places other values, shape (along z, along y, along x), from `first`, (along x, y, z), on; as `set_heights`.
#[pyfunction]
fn edit_levels(
    py: Python<'_>,
    world: &Bound<'_, World>,
    #[pyo3(from_py_with = whole_numbers::collider)] collider: u64,
    first: &Bound<'_, PyAny>,
    values: &Bound<'_, PyAny>,
) -> PyResult<()> {
    let (first, (values, [z, y, x])) = (read_first(first)?, grid(values, "values")?);
    world.get().with(py, |held| {
        held.edit(named(collider), |world, shape| world.edit_levels(shape, first, [x, y, z], &values))
    })??;
    Ok(())
}

/// Has some vertices of the mesh that a collider places stand elsewhere (m): their indices, shape (K,), and places, shape (K, 3); as `set_heights`.
#[pyfunction]
fn edit_vertices(
    py: Python<'_>,
    world: &Bound<'_, World>,
    #[pyo3(from_py_with = whole_numbers::collider)] collider: u64,
    vertices: &Bound<'_, PyAny>,
    places: &Bound<'_, PyAny>,
) -> PyResult<()> {
    let (vertices, places) = (indices(vertices, "vertices")?, points(places, "places")?);
    if vertices.len() != places.len() {
        return Err(PyValueError::new_err(format!(
            "{} vertices and {} places were given; there must be a place for each",
            vertices.len(),
            places.len()
        )));
    }
    let edits: Vec<(u32, Point3<f32>)> = vertices.into_iter().zip(places).collect();
    world.get().with(py, |held| {
        held.edit(named(collider), |world, shape| world.edit_vertices(shape, &edits).map(|_| ()))
    })?
}

/// Takes triangles out of the mesh that a collider places, by their indices, shape (K,), and returns how many; as `set_heights`.
#[pyfunction]
fn remove_triangles(
    py: Python<'_>,
    world: &Bound<'_, World>,
    #[pyo3(from_py_with = whole_numbers::collider)] collider: u64,
    triangles: &Bound<'_, PyAny>,
) -> PyResult<u32> {
    let triangles = indices(triangles, "triangles")?;
    world.get().with(py, |held| {
        held.edit(named(collider), |world, shape| world.remove_triangles(shape, &triangles))
    })?
}

/// Puts particles of the shape that a collider places from index `first` on elsewhere: centres, shape (K, 3) (m); as `set_heights`.
#[pyfunction]
fn set_particles(
    py: Python<'_>,
    world: &Bound<'_, World>,
    #[pyo3(from_py_with = whole_numbers::collider)] collider: u64,
    first: usize,
    centers: &Bound<'_, PyAny>,
) -> PyResult<()> {
    let centers = points(centers, "centers")?;
    world.get().with(py, |held| {
        held.edit(named(collider), |world, shape| world.set_particles(shape, first, &centers).map(|_| ()))
    })?
}

/// Puts another shape in the place of the one that a collider places, for all that place it: ground that is loaded, a ball of another radius. Contacts
/// that go on keep their impulses. Nothing has changed where it raises.
#[pyfunction]
fn replace_shape(
    py: Python<'_>,
    world: &Bound<'_, World>,
    #[pyo3(from_py_with = whole_numbers::collider)] collider: u64,
    shape: &Bound<'_, PyAny>,
) -> PyResult<()> {
    let new = one_shape(shape, "shape")?;
    world.get().with(py, |held| {
        held.edit(named(collider), |world, shape| world.replace_prepared(shape, &new).map(|_| ()))
    })?
}

/// The contacts of particles that the last step found, as flat arrays: `colliders`, shape (C, 2), that of the particles first; `particles` (C,);
/// `positions` and `normals`, shape (C, 3) (m, world), by which a particle is pushed out; `depths` (C,) (m).
#[pyfunction]
fn particle_contacts<'py>(py: Python<'py>, world: &Bound<'_, World>) -> PyResult<Bound<'py, PyDict>> {
    let (mut colliders, mut particles) = (Vec::new(), Vec::new());
    let (mut positions, mut normals, mut depths) = (Vec::new(), Vec::new(), Vec::new());
    world.get().with(py, |held| {
        for pair in held.world.particle_contacts() {
            for contact in pair.contacts {
                colliders.extend([number(pair.particles), number(pair.other)]);
                particles.push(contact.particle);
                positions.extend(contact.position.iter().copied());
                normals.extend(contact.normal.iter().map(|&x| f64::from(x)));
                depths.push(contact.depth);
            }
        }
    })?;
    let count = depths.len();
    let out = PyDict::new(py);
    out.set_item("colliders", PyArray1::from_vec(py, colliders).reshape([count, 2])?)?;
    out.set_item("particles", PyArray1::from_vec(py, particles))?;
    out.set_item("positions", PyArray1::from_vec(py, positions).reshape([count, 3])?)?;
    out.set_item("normals", PyArray1::from_vec(py, normals).reshape([count, 3])?)?;
    out.set_item("depths", PyArray1::from_vec(py, depths))?;
    Ok(out)
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(set_heights, module)?)?;
    module.add_function(wrap_pyfunction!(edit_levels, module)?)?;
    module.add_function(wrap_pyfunction!(edit_vertices, module)?)?;
    module.add_function(wrap_pyfunction!(remove_triangles, module)?)?;
    module.add_function(wrap_pyfunction!(set_particles, module)?)?;
    module.add_function(wrap_pyfunction!(replace_shape, module)?)?;
    module.add_function(wrap_pyfunction!(particle_contacts, module)?)
}
