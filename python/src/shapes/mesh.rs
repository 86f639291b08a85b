//! Triangle meshes.

use std::path::PathBuf;
use std::sync::Arc;

use impinge::TriMesh;
use impinge::geometry::RepairSettings;
use impinge::nalgebra::Point3;
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::Shape;
use crate::arrays::{floats, integers, shape_text, triple};
use crate::errors::{InvalidMesh, of_mesh};
use crate::threads::prepared;

/// A triangle mesh, convex or not.
///
/// vertices: (V, 3) real numbers (m), kept as float32; or anything with `.vertices` and `.faces`, such as a `trimesh.Trimesh`.
/// faces: (F, 3) integers, counter-clockwise seen from outside.
/// repair: closes T-junctions, seams of rounding, doubled and turned faces and small holes, and says so in `repairs`.
/// tolerance: the farthest that a place may be moved, as a part of the diagonal of the mesh's box.
/// close_holes: the largest holes that are closed, as a part of the diagonal of the surface around them.
///
/// Raises InvalidMesh for arrays of another shape, a coordinate that is not finite, a face with an index out of range, or
/// where no sound triangle is left; TypeError for arrays that do not hold numbers.
#[pyclass(frozen, weakref, extends = Shape, module = "impinge")]
pub struct Mesh {
    mesh: Arc<TriMesh>,
    /// The arrays before holes were closed, where they were: pickles must close them again.
    open: Open,
}

/// Vertices, triangles, and the tolerance and hole size of the repairs.
type Open = Option<(Vec<Point3<f32>>, Vec<[u32; 3]>, [f64; 2])>;

#[pymethods]
impl Mesh {
    #[new]
    #[pyo3(signature = (vertices, faces=None, *, repair=true, tolerance=1e-6, close_holes=0.1))]
    fn new(
        vertices: &Bound<'_, PyAny>,
        faces: Option<&Bound<'_, PyAny>>,
        repair: bool,
        tolerance: f64,
        close_holes: f64,
    ) -> PyResult<PyClassInitializer<Mesh>> {
        let (vertices, faces) = match faces {
            Some(faces) => (vertices.clone(), faces.clone()),
            None => (attribute(vertices, "vertices")?, attribute(vertices, "faces")?),
        };
        let (points, triangles) = (vertices_of(&vertices)?, triangles_of(&faces)?);
        let kept = repair.then(|| (points.clone(), triangles.clone(), [tolerance, close_holes]));
        let made = vertices.py().detach(move || {
            if !repair {
                return TriMesh::welded(points, triangles);
            }
            let settings = RepairSettings::default().tolerance(tolerance).close_holes(close_holes);
            TriMesh::repaired(points, triangles, &settings)
        });
        let mesh = made.map_err(of_mesh)?;
        let open = kept.filter(|_| mesh.has_closed_holes());
        initializer(vertices.py(), mesh, open)
    }

    /// Vertices (m), shape (V, 3) float32; those of equal place are one.
    #[getter]
    fn vertices<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let numbers: Vec<f32> = self.mesh.vertices().iter().flat_map(|p| [p.x, p.y, p.z]).collect();
        PyArray1::from_vec(py, numbers).reshape([self.mesh.vertices().len(), 3])
    }

    /// Sound triangles, shape (F, 3) uint32, counter-clockwise seen from outside.
    #[getter]
    fn faces<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u32>>> {
        let numbers = self.mesh.triangles().concat();
        PyArray1::from_vec(py, numbers).reshape([self.mesh.triangles().len(), 3])
    }

    /// For each of `faces` its index in the array that the mesh was made from, shape (F,) uint32; for faces that close holes
    /// the length of that array.
    #[getter]
    fn source_faces<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u32>> {
        PyArray1::from_slice(py, self.mesh.source_triangles())
    }

    /// Whether each of `faces` is virtual, shape (F,) bool: such a face closes a hole, bounds volume and touches nothing.
    #[getter]
    fn virtual_faces<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<bool>> {
        let faces = 0..self.mesh.triangles().len() as u32;
        PyArray1::from_iter(py, faces.map(|face| self.mesh.is_virtual(face)))
    }

    /// Whether the surface is closed. An open one has no inside: it touches where it is crossed, and has no volume.
    #[getter]
    fn is_closed(&self) -> bool {
        self.mesh.is_closed()
    }

    /// What was done to close the surface, a line each: empty where nothing was.
    #[getter]
    fn repairs(&self) -> Vec<String> {
        self.mesh.repairs().done.iter().map(ToString::to_string).collect()
    }

    /// The holes, a line each: closed if the mesh is closed, else what keeps it open.
    #[getter]
    fn holes(&self) -> Vec<String> {
        self.mesh.repairs().holes.iter().map(ToString::to_string).collect()
    }

    /// What is not as it should be, a line each.
    #[getter]
    fn defects(&self) -> Vec<String> {
        self.mesh.report().defects.iter().map(ToString::to_string).collect()
    }

    /// The farthest that a repair moved a place of the surface (m).
    #[getter]
    fn moved(&self) -> f64 {
        self.mesh.repairs().moved
    }

    /// The mesh with all lengths multiplied.
    fn scaled(&self, py: Python<'_>, factor: f64) -> PyResult<Py<Mesh>> {
        Py::new(py, initializer(py, self.mesh.scaled(factor).map_err(of_mesh)?, None)?)
    }

    /// A sheet or terrain as a solid: closed by extrusion over `thickness` (m) against `up`, shape (3,), by default z. The faces that close it bound
    /// volume and touch nothing. Such a mesh cannot be pickled.
    #[pyo3(signature = (thickness, up=None))]
    fn one_sided(&self, py: Python<'_>, thickness: f64, up: Option<&Bound<'_, PyAny>>) -> PyResult<Py<Mesh>> {
        let up = up.map_or(Ok([0.0, 0.0, 1.0]), |up| triple(up, "up", InvalidMesh::new_err))?;
        let made = self.mesh.one_sided(thickness as f32, up.map(|x| x as f32).into()).map_err(of_mesh)?;
        Py::new(py, initializer(py, made, None)?)
    }

    /// Writes the mesh to an obj, stl, ply, off or glb file.
    fn save(&self, path: PathBuf) -> PyResult<()> {
        self.mesh.save(path).map_err(of_mesh)
    }

    fn __getnewargs_ex__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyDict>)> {
        let keywords = PyDict::new(py);
        let arrays = match &self.open {
            Some((vertices, triangles, [tolerance, close_holes])) => {
                keywords.set_item("tolerance", tolerance)?;
                keywords.set_item("close_holes", close_holes)?;
                let numbers: Vec<f32> = vertices.iter().flat_map(|p| [p.x, p.y, p.z]).collect();
                let points = PyArray1::from_vec(py, numbers).reshape([vertices.len(), 3])?;
                (points, PyArray1::from_vec(py, triangles.concat()).reshape([triangles.len(), 3])?)
            }
            None if self.mesh.has_virtual_faces() => {
                return Err(PyTypeError::new_err(
                    "a mesh with virtual faces (one_sided, or scaled after holes were closed) cannot be pickled; pickle the \
                     mesh that it was made of",
                ));
            }
            None => {
                keywords.set_item("repair", false)?;
                (self.vertices(py)?, self.faces(py)?)
            }
        };
        Ok((arrays.into_pyobject(py)?.into_any(), keywords))
    }

    fn __repr__(&self) -> String {
        let closed = if self.mesh.is_closed() { "closed" } else { "open" };
        format!(
            "Mesh({} vertices, {} faces, {closed})",
            self.mesh.vertices().len(),
            self.mesh.triangles().len()
        )
    }
}

/// The mesh in an obj, stl, ply, off, gltf or glb file. Keywords as of Mesh.
///
/// Raises MeshFileError where it cannot be read or is of no known format, InvalidMesh for contents that are no mesh.
#[pyfunction]
#[pyo3(signature = (path, *, repair=true, tolerance=1e-6, close_holes=0.1))]
pub fn load(
    py: Python<'_>,
    path: PathBuf,
    repair: bool,
    tolerance: f64,
    close_holes: f64,
) -> PyResult<Py<Mesh>> {
    let settings = RepairSettings::default().tolerance(tolerance).close_holes(close_holes);
    let read = py.detach(|| TriMesh::load_unrepaired(&path)).map_err(of_mesh)?;
    if !repair {
        return Py::new(py, initializer(py, read, None)?);
    }
    let (mesh, open) = py
        .detach(|| {
            let mesh = TriMesh::load_repaired(&path, &settings)?;
            let arrays = (read.vertices().to_vec(), read.triangles().to_vec(), [tolerance, close_holes]);
            let open = mesh.has_closed_holes().then_some(arrays);
            Ok((mesh, open))
        })
        .map_err(of_mesh)?;
    Py::new(py, initializer(py, mesh, open)?)
}

/// A mesh of the library's.
pub fn new(py: Python<'_>, mesh: TriMesh) -> PyResult<Py<Mesh>> {
    Py::new(py, initializer(py, mesh, None)?)
}

/// As [`new`], of one that is shared.
pub fn new_shared(py: Python<'_>, mesh: Arc<TriMesh>) -> PyResult<Py<Mesh>> {
    let prepared = py.detach(|| prepared(&Arc::clone(&mesh).into()))?;
    Py::new(py, PyClassInitializer::from(Shape { prepared }).add_subclass(Mesh { mesh, open: None }))
}

impl Mesh {
    /// The library's mesh.
    pub fn library(&self) -> Arc<TriMesh> {
        Arc::clone(&self.mesh)
    }
}

fn initializer(py: Python<'_>, mesh: TriMesh, open: Open) -> PyResult<PyClassInitializer<Mesh>> {
    let mesh = Arc::new(mesh);
    let prepared = py.detach(|| prepared(&Arc::clone(&mesh).into()))?;
    Ok(PyClassInitializer::from(Shape { prepared }).add_subclass(Mesh { mesh, open }))
}

fn attribute<'py>(value: &Bound<'py, PyAny>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    value.getattr(name).map_err(|_| {
        let kind = value.get_type();
        PyTypeError::new_err(format!(
            "Mesh needs vertices and faces, or one object with both; a {kind} has no `.{name}`"
        ))
    })
}

/// Vertices, as `f32`.
fn vertices_of(value: &Bound<'_, PyAny>) -> PyResult<Vec<Point3<f32>>> {
    let array = floats(value, "vertices")?;
    let [_, 3] = array.shape() else {
        let shape = shape_text(array.shape());
        return Err(InvalidMesh::new_err(format!("vertices has shape {shape}; it must be (V, 3)")));
    };
    Ok(array
        .as_slice()?
        .chunks_exact(3)
        .map(|p| Point3::new(p[0] as f32, p[1] as f32, p[2] as f32))
        .collect())
}

fn triangles_of(value: &Bound<'_, PyAny>) -> PyResult<Vec<[u32; 3]>> {
    let array = integers(value, "faces")?;
    let [_, 3] = array.shape() else {
        let shape = shape_text(array.shape());
        return Err(InvalidMesh::new_err(format!(
            "faces has shape {shape}; it must be (F, 3): triangulate first"
        )));
    };
    let index = |face: usize, value: i64| {
        u32::try_from(value).map_err(|_| {
            InvalidMesh::new_err(format!(
                "face {face} has vertex {value}; indices count from 0 to below 2**32"
            ))
        })
    };
    let faces = array.as_slice()?.chunks_exact(3).enumerate();
    faces.map(|(face, v)| Ok([index(face, v[0])?, index(face, v[1])?, index(face, v[2])?])).collect()
}
