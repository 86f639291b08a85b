//! Primitives and hulls.

use impinge::Shape as LibraryShape;
use impinge::geometry::Primitive;
use impinge::nalgebra::Point3;
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::prelude::*;

use super::{Shape, base};
use crate::arrays::{floats, shape_text, triple};
use crate::errors::{InvalidShape, of_shape};

/// A ball around the origin. `radius` in metres.
#[pyclass(frozen, extends = Shape, module = "impinge")]
pub struct Sphere {
    /// Radius (m).
    #[pyo3(get)]
    radius: f64,
}

#[pymethods]
impl Sphere {
    #[new]
    fn new(radius: f64) -> PyResult<PyClassInitializer<Sphere>> {
        Ok(base(&LibraryShape::sphere(radius as f32).map_err(of_shape)?)?.add_subclass(Sphere { radius }))
    }

    fn __getnewargs__(&self) -> (f64,) {
        (self.radius,)
    }

    fn __repr__(&self) -> String {
        format!("Sphere(radius={})", self.radius)
    }
}

/// A box around the origin, `2 * half_extents[i]` metres along axis i.
#[pyclass(frozen, extends = Shape, module = "impinge")]
pub struct Box {
    half: [f64; 3],
}

#[pymethods]
impl Box {
    #[new]
    fn new(half_extents: &Bound<'_, PyAny>) -> PyResult<PyClassInitializer<Box>> {
        let half_extents = triple(half_extents, "half_extents", InvalidShape::new_err)?;
        let half = half_extents.map(|x| x as f32);
        Ok(base(&LibraryShape::cuboid(half).map_err(of_shape)?)?.add_subclass(Box { half: half_extents }))
    }

    /// Half the edge lengths (m), shape (3,).
    #[getter]
    fn half_extents<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, &self.half)
    }

    fn __getnewargs__(&self) -> ([f64; 3],) {
        (self.half,)
    }

    fn __repr__(&self) -> String {
        format!("Box(half_extents={:?})", self.half)
    }
}

/// All points within `radius` of the segment from `-half_height` to `half_height` on z (m).
#[pyclass(frozen, extends = Shape, module = "impinge")]
pub struct Capsule {
    /// Half the segment's length (m).
    #[pyo3(get)]
    half_height: f64,
    /// Radius (m).
    #[pyo3(get)]
    radius: f64,
}

#[pymethods]
impl Capsule {
    #[new]
    fn new(half_height: f64, radius: f64) -> PyResult<PyClassInitializer<Capsule>> {
        let shape = LibraryShape::capsule(half_height as f32, radius as f32).map_err(of_shape)?;
        Ok(base(&shape)?.add_subclass(Capsule { half_height, radius }))
    }

    fn __getnewargs__(&self) -> (f64, f64) {
        (self.half_height, self.radius)
    }

    fn __repr__(&self) -> String {
        format!("Capsule(half_height={}, radius={})", self.half_height, self.radius)
    }
}

/// A cylinder around z from `-half_height` to `half_height` with flat ends (m).
#[pyclass(frozen, extends = Shape, module = "impinge")]
pub struct Cylinder {
    /// Half the height (m).
    #[pyo3(get)]
    half_height: f64,
    /// Radius (m).
    #[pyo3(get)]
    radius: f64,
}

#[pymethods]
impl Cylinder {
    #[new]
    fn new(half_height: f64, radius: f64) -> PyResult<PyClassInitializer<Cylinder>> {
        let shape = LibraryShape::cylinder(half_height as f32, radius as f32).map_err(of_shape)?;
        Ok(base(&shape)?.add_subclass(Cylinder { half_height, radius }))
    }

    fn __getnewargs__(&self) -> (f64, f64) {
        (self.half_height, self.radius)
    }

    fn __repr__(&self) -> String {
        format!("Cylinder(half_height={}, radius={})", self.half_height, self.radius)
    }
}

/// Everything at or below the plane z = 0 of its frame.
#[pyclass(frozen, extends = Shape, module = "impinge")]
pub struct HalfSpace;

#[pymethods]
impl HalfSpace {
    #[new]
    fn new() -> PyResult<PyClassInitializer<HalfSpace>> {
        Ok(base(&LibraryShape::half_space())?.add_subclass(HalfSpace))
    }

    fn __reduce__(slf: &Bound<'_, Self>) -> (Py<PyAny>, ()) {
        (slf.get_type().into_any().unbind(), ())
    }

    fn __repr__(&self) -> &'static str {
        "HalfSpace()"
    }
}

/// The convex hull of points, shape (N, 3) (m).
#[pyclass(frozen, extends = Shape, module = "impinge")]
pub struct Hull {
    vertices: Vec<Point3<f32>>,
}

#[pymethods]
impl Hull {
    #[new]
    fn new(points: &Bound<'_, PyAny>) -> PyResult<PyClassInitializer<Hull>> {
        let array = floats(points, "points")?;
        let [_, 3] = array.shape() else {
            let shape = shape_text(array.shape());
            return Err(InvalidShape::new_err(format!("points has shape {shape}; it must be (N, 3)")));
        };
        let points: Vec<Point3<f32>> = array
            .as_slice()?
            .chunks_exact(3)
            .map(|p| Point3::new(p[0] as f32, p[1] as f32, p[2] as f32))
            .collect();
        hull_initializer(&LibraryShape::hull(&points).map_err(of_shape)?)
    }

    /// Its vertices (m), shape (V, 3).
    #[getter]
    fn vertices<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let numbers =
            self.vertices.iter().flat_map(|p| p.coords.iter().map(|&x| f64::from(x)).collect::<Vec<_>>());
        PyArray1::from_iter(py, numbers).reshape([self.vertices.len(), 3])
    }

    // Of the vertices another hull would be found, with faces of other numbers.
    fn __reduce__(slf: PyRef<'_, Self>) -> PyResult<(Py<PyAny>, (String,))> {
        super::data::reduce(slf.py(), slf.as_super())
    }

    fn __repr__(&self) -> String {
        format!("Hull({} vertices)", self.vertices.len())
    }
}

fn hull_initializer(shape: &LibraryShape) -> PyResult<PyClassInitializer<Hull>> {
    let LibraryShape::Hull(hull) = shape else { return Err(InvalidShape::new_err("it is no hull")) };
    let vertices = hull.mesh().vertices().to_vec();
    Ok(base(shape)?.add_subclass(Hull { vertices }))
}

/// A hull of the library's.
pub fn hull(py: Python<'_>, shape: &LibraryShape) -> PyResult<Py<PyAny>> {
    Ok(Py::new(py, hull_initializer(shape)?)?.into_any())
}

/// A primitive of the library's.
pub fn object(py: Python<'_>, primitive: Primitive) -> PyResult<Py<PyAny>> {
    Ok(match primitive {
        Primitive::HalfSpace => Py::new(py, HalfSpace::new()?)?.into_any(),
        Primitive::Sphere { radius } => Py::new(py, Sphere::new(radius.into())?)?.into_any(),
        Primitive::Cuboid { half } => {
            let shape = base(&LibraryShape::cuboid(half).map_err(of_shape)?)?;
            Py::new(py, shape.add_subclass(Box { half: half.map(f64::from) }))?.into_any()
        }
        Primitive::Capsule { half_height, radius } => {
            Py::new(py, Capsule::new(half_height.into(), radius.into())?)?.into_any()
        }
        Primitive::Cylinder { half_height, radius } => {
            Py::new(py, Cylinder::new(half_height.into(), radius.into())?)?.into_any()
        }
    })
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Sphere>()?;
    module.add_class::<Box>()?;
    module.add_class::<Capsule>()?;
    module.add_class::<Cylinder>()?;
    module.add_class::<HalfSpace>()?;
    module.add_class::<Hull>()
}
