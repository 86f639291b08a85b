//! Files part by part: the nodes of a glTF file, or each file as one part.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use nalgebra::{Isometry3, Matrix3, Matrix4, Rotation3, Translation3, UnitQuaternion};

use super::file_mesh::FileMesh;
use super::format::Format;
use super::node::{NodeMesh, placed};
use super::{fetch, parse, parse_error};
use crate::mesh::RepairSettings;
use crate::{Composite, MeshError, Shape, ShapeError, TriMesh, canonical};

/// A node's axes may miss being at right angles and of length one by this; it is how a file rounds them.
const ROUNDING: f64 = 1e-6;

impl TriMesh {
    /// The meshes of a file with their names, one by one: of glTF and GLB files each node that has triangles, where the nodes
    /// put it, and of all others the whole file. Each is repaired by itself. A node without a name has its mesh's or the file's; names
    /// may repeat.
    ///
    /// # Errors
    /// As [`TriMesh::load_repaired`]; [`MeshError::InPart`] for the mesh of a node, or of a file without nodes.
    pub fn load_parts(
        path: impl AsRef<Path>,
        settings: &RepairSettings,
    ) -> Result<Vec<(String, TriMesh)>, MeshError> {
        let path = path.as_ref();
        let mut parts = Vec::new();
        for (index, node) in nodes(path)?.into_iter().enumerate() {
            let mesh = placed(node.mesh, &node.transform);
            let mesh = repaired(mesh, settings).map_err(|source| in_part(path, index, &node.name, source))?;
            parts.extend(mesh.map(|mesh| (node.name, mesh)));
        }
        if parts.is_empty() { Err(nothing_sound(path)) } else { Ok(parts) }
    }
}

impl Shape {
    /// The composite that [`Shape::from_files`] makes of one file.
    ///
    /// # Errors
    /// As [`Shape::from_files`].
    pub fn from_file(path: impl AsRef<Path>) -> Result<Shape, ShapeError> {
        Shape::from_files([path])
    }

    /// A composite of mesh files. Each file is a child with the name of the file, at the origin; of a glTF or GLB file each
    /// node with triangles is one, with the node's name (or its mesh's, or the file's), at the node's position and rotation. Scale
    /// and shear of nodes go into the vertices; nodes that place the same mesh unscaled share it.
    /// A file of coordinates far from its origin is a child there, see [`TriMesh::load_placed`].
    /// [`Shape::subshape_name`] gives the names, which may repeat. Meshes are repaired as by [`TriMesh::load`].
    ///
    /// ```no_run
    /// use impinge_geometry::Shape;
    ///
    /// let robot = Shape::from_files(["base.stl", "arm.stl"])?;
    /// assert_eq!(robot.subshape_name(1), Some("arm"));
    /// # Ok::<(), impinge_geometry::ShapeError>(())
    /// ```
    ///
    /// # Errors
    /// [`ShapeError::Mesh`] with an error that names the file, see [`TriMesh::load`], and for a mesh that cannot be used the
    /// part ([`MeshError::InPart`]): the node of a glTF file, part 0 of others; [`ShapeError::EmptyComposite`] without files.
    pub fn from_files<P: AsRef<Path>>(paths: impl IntoIterator<Item = P>) -> Result<Shape, ShapeError> {
        Shape::from_files_repaired(paths, &RepairSettings::default())
    }

    /// As [`Shape::from_files`], with other bounds for repairs.
    ///
    /// # Errors
    /// As [`Shape::from_files`].
    pub fn from_files_repaired<P: AsRef<Path>>(
        paths: impl IntoIterator<Item = P>,
        settings: &RepairSettings,
    ) -> Result<Shape, ShapeError> {
        let mut children = Vec::new();
        for path in paths {
            children.extend(children_of(path.as_ref(), settings)?);
        }
        Ok(Composite::named(children)?.into())
    }
}

/// The parts of a file with their poses.
fn children_of(
    path: &Path,
    settings: &RepairSettings,
) -> Result<Vec<(String, Isometry3<f64>, Shape)>, MeshError> {
    let mut children = Vec::new();
    // By their number in the file, meshes that are used as they are.
    let mut shared: BTreeMap<usize, (Arc<TriMesh>, Isometry3<f64>)> = BTreeMap::new();
    for (index, NodeMesh { name, number, mesh, transform }) in nodes(path)?.into_iter().enumerate() {
        let (pose, rest) = split(&transform);
        let as_it_is = rest == Matrix4::identity();
        let pose = canonical::checked_pose(&pose).map_err(|e| in_part(path, index, &name, e.into()))?;
        if let Some((same, origin)) = shared.get(&number).filter(|_| as_it_is) {
            children.push((name, pose * origin, Arc::clone(same).into()));
            continue;
        }
        let mut mesh = placed(mesh, &rest);
        let origin = Translation3::from(mesh.take_origin()).into();
        let made = repaired(mesh, settings);
        let Some(made) = made.map_err(|e| in_part(path, index, &name, e))?.map(Arc::new) else { continue };
        if as_it_is {
            shared.insert(number, (Arc::clone(&made), origin));
        }
        children.push((name, pose * origin, made.into()));
    }
    if children.is_empty() { Err(nothing_sound(path)) } else { Ok(children) }
}

/// The parts of a file as it has them; of one that is not glTF, the file.
fn nodes(path: &Path) -> Result<Vec<NodeMesh>, MeshError> {
    let (format, bytes) = fetch(path)?;
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    match format {
        #[cfg(feature = "gltf")]
        Format::Gltf | Format::Glb => {
            let mut nodes = super::gltf::read_nodes(&bytes, super::folder_of(path))
                .map_err(|reason| parse_error(path, format, reason))?;
            nodes.iter_mut().filter(|node| node.name.is_empty()).for_each(|node| node.name.clone_from(&name));
            Ok(nodes)
        }
        _ => {
            let mesh = parse(path, format, &bytes)?;
            Ok(vec![NodeMesh { name, number: 0, mesh, transform: Matrix4::identity() }])
        }
    }
}

/// `None` where no triangle is sound: nothing is left of such a node, as of the same node in `load`.
fn repaired(mesh: FileMesh, settings: &RepairSettings) -> Result<Option<TriMesh>, MeshError> {
    match mesh.repaired(settings) {
        Err(MeshError::NothingSound { .. }) => Ok(None),
        mesh => mesh.map(Some),
    }
}

fn in_part(path: &Path, part: usize, name: &str, source: MeshError) -> MeshError {
    MeshError::InPart { path: path.to_owned(), part, name: name.to_owned(), source: Box::new(source) }
}

fn nothing_sound(path: &Path) -> MeshError {
    match Format::of(path) {
        Ok(format) => parse_error(path, format, "no part has a triangle with an area".into()),
        Err(extension) => MeshError::UnknownFormat { path: path.to_owned(), extension },
    }
}

/// A transform as a rigid one after what is left: its axes made orthonormal one after the other (Gram, Schmidt), whatever
/// they are, since what they then miss is left.
fn split(transform: &Matrix4<f64>) -> (Isometry3<f64>, Matrix4<f64>) {
    if transform.row(3) != Matrix4::identity().row(3) {
        return (Isometry3::identity(), *transform);
    }
    let axes: Matrix3<f64> = transform.fixed_view::<3, 3>(0, 0).into();
    let rotation = rotation_of(&axes).unwrap_or_default();
    let left = canonical::rotation(&rotation).transpose() * axes;
    let translation = Translation3::new(transform.m14, transform.m24, transform.m34);
    let is_rigid = (left - Matrix3::identity()).amax() <= ROUNDING;
    let left = if is_rigid { Matrix4::identity() } else { left.to_homogeneous() };
    (Isometry3::from_parts(translation, rotation), left)
}

fn rotation_of(axes: &Matrix3<f64>) -> Option<UnitQuaternion<f64>> {
    let x = axes.column(0).try_normalize(0.0)?;
    let y = axes.column(1) - x * x.dot(&axes.column(1));
    let y = y.try_normalize(0.0)?;
    let columns = Matrix3::from_columns(&[x, y, x.cross(&y)]);
    let rotation = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(columns));
    rotation.coords.iter().all(|c| c.is_finite()).then_some(rotation)
}
