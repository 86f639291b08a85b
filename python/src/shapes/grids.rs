//! Height fields, level sets and particles.

use impinge::geometry::{
    Diagonals, HeightField as LibraryField, HeightFieldSettings, LevelSetSettings,
    Particles as LibraryParticles, Radii,
};
use impinge::nalgebra::Point3;
use impinge::{LevelSet as LibraryLevels, Shape as LibraryShape};
use numpy::{PyArray1, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::prelude::*;

use super::{Mesh, Shape, base};
use crate::arrays::{floats, shape_text, triple};
use crate::errors::{InvalidShape, of_shape};

/// Numbers in `D` dimensions, as `f32`, and how many there are along each.
pub fn grid<const D: usize>(value: &Bound<'_, PyAny>, name: &str) -> PyResult<(Vec<f32>, [u32; D])> {
    let array = floats(value, name)?;
    let refused = || {
        let shape = shape_text(array.shape());
        InvalidShape::new_err(format!("{name} has shape {shape}; it must have {D} dimensions"))
    };
    let counts: [usize; D] = array.shape().try_into().map_err(|_| refused())?;
    let numbers = array.as_slice()?.iter().map(|&x| x as f32).collect();
    Ok((numbers, counts.map(|n| u32::try_from(n).unwrap_or(u32::MAX))))
}

/// Points, shape (N, 3) (m).
pub fn points(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Vec<Point3<f32>>> {
    let array = floats(value, name)?;
    let [_, 3] = array.shape() else {
        let shape = shape_text(array.shape());
        return Err(InvalidShape::new_err(format!("{name} has shape {shape}; it must be (N, 3)")));
    };
    let rows = array.as_slice()?.chunks_exact(3);
    Ok(rows.map(|p| Point3::new(p[0] as f32, p[1] as f32, p[2] as f32)).collect())
}

/// Terrain over a grid. heights (m): shape (rows along y, samples along x), row by row from y = 0; NaN is no terrain. spacing (m): from sample to
/// sample, of both axes or (dx, dy). bottom (m): where the ground ends below; by default as far below as the field is long. falling: whether cells are cut
/// from (i + 1, j) to (i, j + 1) instead of from (i, j) to (i + 1, j + 1).
#[pyclass(frozen, extends = Shape, module = "impinge")]
pub struct HeightField {}

#[pymethods]
impl HeightField {
    #[new]
    #[pyo3(signature = (heights, spacing=None, *, bottom=None, falling=false))]
    fn new(
        heights: &Bound<'_, PyAny>,
        spacing: Option<&Bound<'_, PyAny>>,
        bottom: Option<f64>,
        falling: bool,
    ) -> PyResult<PyClassInitializer<HeightField>> {
        let (heights, [rows, columns]) = grid(heights, "heights")?;
        let spacing = match spacing {
            None => [1.0; 2],
            Some(value) => match floats(value, "spacing")?.as_slice()? {
                &[both] => [both; 2],
                &[x, y] => [x, y],
                other => {
                    let text = format!("spacing has {} numbers; it must be one, or (dx, dy)", other.len());
                    return Err(InvalidShape::new_err(text));
                }
            },
        };
        let settings = HeightFieldSettings {
            spacing: spacing.map(|x| x as f32),
            bottom: bottom.map(|x| x as f32),
            diagonals: if falling { Diagonals::Falling } else { Diagonals::Rising },
            ..HeightFieldSettings::default()
        };
        let made = LibraryField::new([columns, rows], heights, &settings);
        let field = made.map_err(|error| of_shape(error.into()))?;
        Ok(base(&field.into())?.add_subclass(HeightField {}))
    }

    fn __reduce__(slf: PyRef<'_, Self>) -> PyResult<(Py<PyAny>, (String,))> {
        super::data::reduce(slf.py(), slf.as_super())
    }
}

/// A body given by a function over a grid, negative inside, such as signed distances. values: shape (samples along z, along y, along x); those at the border
/// must not be negative. spacing (m): from sample to sample, of all axes or (dx, dy, dz). origin (m), shape (3,): where the first sample stands.
#[pyclass(frozen, extends = Shape, module = "impinge")]
pub struct LevelSet {}

#[pymethods]
impl LevelSet {
    #[new]
    #[pyo3(signature = (values, spacing=None, origin=None))]
    fn new(
        values: &Bound<'_, PyAny>,
        spacing: Option<&Bound<'_, PyAny>>,
        origin: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyClassInitializer<LevelSet>> {
        let (values, [z, y, x]) = grid(values, "values")?;
        let spacing = match spacing {
            None => [1.0; 3],
            Some(value) => match floats(value, "spacing")?.as_slice()? {
                &[all] => [all; 3],
                _ => triple(value, "spacing", InvalidShape::new_err)?,
            },
        };
        let origin = origin.map_or(Ok([0.0; 3]), |origin| triple(origin, "origin", InvalidShape::new_err))?;
        let settings =
            LevelSetSettings { spacing: spacing.map(|x| x as f32), origin: origin.map(|x| x as f32) };
        let made = values_to_levels(values, [x, y, z], &settings)?;
        Ok(base(&made)?.add_subclass(LevelSet {}))
    }

    /// The level set of a closed mesh: its signed distances, a sample every `spacing` metres.
    #[staticmethod]
    fn of_mesh(py: Python<'_>, mesh: PyRef<'_, Mesh>, spacing: f64) -> PyResult<Py<LevelSet>> {
        let own = mesh.library();
        let made = py.detach(|| LibraryLevels::from_mesh(&own, spacing as f32));
        let shape = LibraryShape::from(made.map_err(|error| of_shape(error.into()))?);
        Py::new(py, base(&shape)?.add_subclass(LevelSet {}))
    }

    /// The mesh of its surface, to the last bit.
    fn to_mesh(slf: PyRef<'_, Self>) -> PyResult<Py<Mesh>> {
        let py = slf.py();
        let LibraryShape::Levels(levels) = slf.as_super().prepared.shape() else {
            return Err(InvalidShape::new_err("the shape is no level set"));
        };
        super::mesh::new(py, levels.to_mesh().map_err(crate::errors::of_mesh)?.mesh)
    }

    fn __reduce__(slf: PyRef<'_, Self>) -> PyResult<(Py<PyAny>, (String,))> {
        super::data::reduce(slf.py(), slf.as_super())
    }
}

fn values_to_levels(values: Vec<f32>, size: [u32; 3], settings: &LevelSetSettings) -> PyResult<LibraryShape> {
    Ok(LibraryLevels::new(size, values, settings).map_err(|error| of_shape(error.into()))?.into())
}

/// Many balls that are one shape: their contacts are found in worlds alone (`World.particle_contacts`). centers: (N, 3) (m). radius (m): of all, or shape (N,).
#[pyclass(frozen, extends = Shape, module = "impinge")]
pub struct Particles {}

#[pymethods]
impl Particles {
    #[new]
    fn new(centers: &Bound<'_, PyAny>, radius: &Bound<'_, PyAny>) -> PyResult<PyClassInitializer<Particles>> {
        let centers = points(centers, "centers")?;
        let given = floats(radius, "radius")?;
        let radii = match (given.shape(), given.as_slice()?) {
            ([], &[one]) => Radii::One(one as f32),
            ([_], each) => Radii::Each(each.iter().map(|&r| r as f32).collect()),
            (shape, _) => {
                let text = format!("radius has shape {}; it must be a number or (N,)", shape_text(shape));
                return Err(InvalidShape::new_err(text));
            }
        };
        let made = LibraryParticles::new(centers, radii).map_err(|error| of_shape(error.into()))?;
        Ok(base(&made.into())?.add_subclass(Particles {}))
    }

    /// How many there are.
    fn __len__(slf: PyRef<'_, Self>) -> usize {
        match slf.as_super().prepared.shape() {
            LibraryShape::Particles(particles) => particles.len(),
            _ => 0,
        }
    }

    fn __reduce__(slf: PyRef<'_, Self>) -> PyResult<(Py<PyAny>, (String,))> {
        super::data::reduce(slf.py(), slf.as_super())
    }
}

/// Heights of a field, shape (rows, samples); NaN where there is no terrain.
pub fn heights<'py>(py: Python<'py>, field: &LibraryField) -> PyResult<Bound<'py, PyAny>> {
    let [x, y] = field.size();
    let all = (0..y).flat_map(|j| (0..x).map(move |i| [i, j])).map(|at| field.height(at));
    Ok(PyArray1::from_iter(py, all).reshape([y as usize, x as usize])?.into_any())
}

/// A height field, a level set or particles of the library's.
pub fn object(py: Python<'_>, shape: &LibraryShape) -> PyResult<Py<PyAny>> {
    let base = base(shape)?;
    Ok(match shape {
        LibraryShape::Field(_) => Py::new(py, base.add_subclass(HeightField {}))?.into_any(),
        LibraryShape::Levels(_) => Py::new(py, base.add_subclass(LevelSet {}))?.into_any(),
        LibraryShape::Particles(_) => Py::new(py, base.add_subclass(Particles {}))?.into_any(),
        _ => Py::new(py, base)?.into_any(),
    })
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<HeightField>()?;
    module.add_class::<LevelSet>()?;
    module.add_class::<Particles>()
}
