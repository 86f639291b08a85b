//! Shapes: made ready once, never changed, shared by every thread, query and world.

use std::ffi::{CStr, c_char};
use std::mem::MaybeUninit;
use std::sync::Arc;

use impinge::geometry::RepairSettings;
use impinge::nalgebra::Point3;
use impinge::{PreparedShape, Shape, TriMesh};

use crate::handle::{self, Handle};
use crate::memory::{Sized32, array, array_out, out, settings};
use crate::pose::ImpPose;
use crate::status::{Failure, ImpStatus, call};

/// A shape; never changes, may be used by many threads at once.
pub struct ImpShape {
    _private: [u8; 0],
}

impl Handle for ImpShape {
    type Object = PreparedShape;
    const NAME: &str = "shape";
}

/// How meshes are made.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ImpMeshSettings {
    /// Size of the structure.
    pub size: u32,
    /// Whether T-junctions, seams of rounding, doubled and turned faces and small holes are closed (1), or the mesh is taken as it is (0).
    pub repair: u32,
    /// The farthest that a repair may move a place, as a part of the diagonal of the mesh's box.
    pub tolerance: f64,
    /// The largest holes that are closed, as a part of the diagonal of the surface around them.
    pub close_holes: f64,
}

// SAFETY: integers and floats in order of use, no padding.
unsafe impl Sized32 for ImpMeshSettings {
    const DEFAULT: ImpMeshSettings = ImpMeshSettings {
        size: size_of::<ImpMeshSettings>() as u32,
        repair: 1,
        tolerance: 1e-6,
        close_holes: 0.1,
    };
}

impl ImpMeshSettings {
    fn repairs(&self) -> Option<RepairSettings> {
        let settings = RepairSettings::default().tolerance(self.tolerance).close_holes(self.close_holes);
        (self.repair != 0).then_some(settings)
    }
}

/// A shape in a composite.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ImpChild {
    /// Where it stands in the composite.
    pub pose: ImpPose,
    /// The shape.
    pub shape: *const ImpShape,
}

/// What is known of a shape.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ImpShapeInfo {
    /// Lowest corner of its box (m); infinite of a half-space.
    pub lowest: [f32; 3],
    /// Highest corner of its box (m).
    pub highest: [f32; 3],
    /// Volume (m³); NaN where it has none: open meshes, half-spaces.
    pub volume: f64,
    /// Triangles of a mesh; 0 of other shapes.
    pub triangles: u64,
    /// Vertices of a mesh; 0 of other shapes.
    pub vertices: u64,
    /// Whether it has an inside: whether no mesh of it is open.
    pub is_solid: bool,
}

pub(crate) fn finish(
    out_shape: Option<&mut MaybeUninit<*mut ImpShape>>,
    make: impl FnOnce() -> Result<Shape, Failure>,
) -> Result<(), Failure> {
    let out = out(out_shape, "shape")?;
    out.write(std::ptr::null_mut());
    let shape = make()?;
    shape.check()?;
    out.write(handle::hold(PreparedShape::new(&shape)));
    Ok(())
}

/// The defaults of meshes.
#[unsafe(no_mangle)]
pub extern "C" fn imp_mesh_settings_default() -> ImpMeshSettings {
    ImpMeshSettings::DEFAULT
}

/// A ball of a radius (m).
#[unsafe(no_mangle)]
pub extern "C" fn imp_sphere_new(radius: f32, shape: Option<&mut MaybeUninit<*mut ImpShape>>) -> ImpStatus {
    call(|| finish(shape, || Ok(Shape::sphere(radius)?)))
}

/// A box with edges of twice these (m) along x, y and z.
#[unsafe(no_mangle)]
pub extern "C" fn imp_box_new(
    half_x: f32,
    half_y: f32,
    half_z: f32,
    shape: Option<&mut MaybeUninit<*mut ImpShape>>,
) -> ImpStatus {
    call(|| finish(shape, || Ok(Shape::cuboid([half_x, half_y, half_z])?)))
}

/// A capsule along z, of a half height without its caps and a radius (m).
#[unsafe(no_mangle)]
pub extern "C" fn imp_capsule_new(
    half_height: f32,
    radius: f32,
    shape: Option<&mut MaybeUninit<*mut ImpShape>>,
) -> ImpStatus {
    call(|| finish(shape, || Ok(Shape::capsule(half_height, radius)?)))
}

/// A cylinder along z, of a half height and a radius (m).
#[unsafe(no_mangle)]
pub extern "C" fn imp_cylinder_new(
    half_height: f32,
    radius: f32,
    shape: Option<&mut MaybeUninit<*mut ImpShape>>,
) -> ImpStatus {
    call(|| finish(shape, || Ok(Shape::cylinder(half_height, radius)?)))
}

/// Everything at or below z = 0.
#[unsafe(no_mangle)]
pub extern "C" fn imp_half_space_new(shape: Option<&mut MaybeUninit<*mut ImpShape>>) -> ImpStatus {
    call(|| finish(shape, || Ok(Shape::half_space())))
}

fn points(numbers: &[[f32; 3]]) -> Vec<Point3<f32>> {
    numbers.iter().map(|&p| Point3::from(p)).collect()
}

/// The convex hull of points: `point_count` times x, y, z (m).
///
/// # Safety
/// `points` has as many numbers as that.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn imp_hull_new(
    points: *const f32,
    point_count: usize,
    shape: Option<&mut MaybeUninit<*mut ImpShape>>,
) -> ImpStatus {
    call(|| {
        // SAFETY: the caller's promise.
        let given = unsafe { array(points.cast::<[f32; 3]>(), point_count, "points") }?;
        finish(shape, || Ok(Shape::hull(&self::points(given))?))
    })
}

/// A triangle mesh, convex or not: `vertex_count` times x, y, z (m), and `triangle_count` times three indices, counter-clockwise seen from outside.
/// The arrays are copied. No settings are the defaults: small faults are repaired.
///
/// # Safety
/// The arrays have as many numbers as that; `settings` is null or has its size in front.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn imp_mesh_new(
    vertices: *const f32,
    vertex_count: usize,
    triangles: *const u32,
    triangle_count: usize,
    mesh_settings: *const ImpMeshSettings,
    shape: Option<&mut MaybeUninit<*mut ImpShape>>,
) -> ImpStatus {
    call(|| {
        // SAFETY: the caller's promises.
        let (corners, faces, settings) = unsafe {
            (
                array(vertices.cast::<[f32; 3]>(), vertex_count, "vertices")?,
                array(triangles.cast::<[u32; 3]>(), triangle_count, "triangles")?,
                settings(mesh_settings, "mesh_settings")?,
            )
        };
        finish(shape, || {
            let (corners, faces) = (points(corners), faces.to_vec());
            let mesh = match settings.repairs() {
                Some(repairs) => TriMesh::repaired(corners, faces, &repairs)?,
                None => TriMesh::welded(corners, faces)?,
            };
            Ok(Shape::from(mesh))
        })
    })
}

/// The mesh in an obj, stl, ply, off, gltf or glb file; the path is UTF-8.
///
/// # Safety
/// `path` is null or ends with a zero byte; `mesh_settings` is null or has its size in front.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn imp_mesh_load(
    path: *const c_char,
    mesh_settings: *const ImpMeshSettings,
    shape: Option<&mut MaybeUninit<*mut ImpShape>>,
) -> ImpStatus {
    call(|| {
        if path.is_null() {
            return Err(Failure::new(ImpStatus::Null, "`path` is null; it must name a file"));
        }
        // SAFETY: the caller's promises.
        let (path, settings) = unsafe { (CStr::from_ptr(path), settings(mesh_settings, "mesh_settings")?) };
        let path = path.to_str().map_err(|error| {
            Failure::new(
                ImpStatus::File,
                format!("path {}: it must be UTF-8: {error}", path.to_string_lossy()),
            )
        })?;
        finish(shape, || {
            let mesh = match settings.repairs() {
                Some(repairs) => TriMesh::load_repaired(path, &repairs)?,
                None => TriMesh::load_unrepaired(path)?,
            };
            Ok(Shape::from(mesh))
        })
    })
}

/// Several shapes that move as one. Composites in composites are laid open; the children stay the caller's to free.
///
/// # Safety
/// `children` has as many elements as `child_count` says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn imp_composite_new(
    children: *const ImpChild,
    child_count: usize,
    shape: Option<&mut MaybeUninit<*mut ImpShape>>,
) -> ImpStatus {
    call(|| {
        // SAFETY: the caller's promise.
        let children = unsafe { array(children, child_count, "children") }?;
        finish(shape, || {
            let child = |(k, child): (usize, &ImpChild)| {
                let place = child.pose.read(&format!("children[{k}].pose"))?;
                let shape = handle::object(child.shape).map_err(|error| {
                    Failure::new(error.status, format!("children[{k}].shape: {}", error.text))
                })?;
                Ok((place, shape.shape().clone()))
            };
            let parts: Result<Vec<_>, Failure> = children.iter().enumerate().map(child).collect();
            Ok(Shape::composite(parts?)?)
        })
    })
}

/// Lets go of a shape; queries, worlds and composites made of it keep what they need. Null is nothing.
#[unsafe(no_mangle)]
pub extern "C" fn imp_shape_free(shape: *mut ImpShape) -> ImpStatus {
    call(|| handle::free(shape))
}

fn mesh_of(shape: &Shape) -> Option<&Arc<TriMesh>> {
    match shape {
        Shape::Mesh(mesh) => Some(mesh),
        _ => None,
    }
}

/// What is known of a shape.
#[unsafe(no_mangle)]
pub extern "C" fn imp_shape_info(
    shape: *const ImpShape,
    info: Option<&mut MaybeUninit<ImpShapeInfo>>,
) -> ImpStatus {
    call(|| {
        let out = out(info, "info")?;
        let prepared = handle::object(shape)?;
        let (shape, bounds) = (prepared.shape(), prepared.shape().aabb());
        let mesh = mesh_of(shape);
        out.write(ImpShapeInfo {
            lowest: bounds.min,
            highest: bounds.max,
            volume: shape.mass_properties().map_or(f64::NAN, |mass| mass.volume),
            triangles: mesh.map_or(0, |mesh| mesh.triangles().len() as u64),
            vertices: mesh.map_or(0, |mesh| mesh.vertices().len() as u64),
            is_solid: prepared.is_solid(),
        });
        Ok(())
    })
}

/// What was done to close a mesh, and what keeps it open, a line each (UTF-8), as far as `capacity` bytes hold it, a zero byte in the end. `length` is that of
/// all of it without the zero byte; empty where nothing is to be said. The text may be null where `capacity` is 0.
///
/// # Safety
/// `text` has `capacity` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn imp_shape_repairs(
    shape: *const ImpShape,
    text: *mut c_char,
    capacity: usize,
    length: Option<&mut MaybeUninit<usize>>,
) -> ImpStatus {
    call(|| {
        let length = out(length, "length")?;
        // SAFETY: the caller's promise.
        let text = unsafe { array_out(text, capacity, "text") }?;
        let prepared = handle::object(shape)?;
        let lines: Vec<String> = mesh_of(prepared.shape()).map_or_else(Vec::new, |mesh| {
            let repairs = mesh.repairs();
            repairs
                .done
                .iter()
                .map(ToString::to_string)
                .chain(repairs.holes.iter().map(ToString::to_string))
                .collect()
        });
        let all = lines.join("\n");
        length.write(all.len());
        let mut kept = capacity.saturating_sub(1).min(all.len());
        while !all.is_char_boundary(kept) {
            kept -= 1;
        }
        if capacity > 0 {
            for (to, byte) in text.iter_mut().zip(all[..kept].bytes().chain([0])) {
                to.write(byte as c_char);
            }
        }
        Ok(())
    })
}

/// A shape that must be given.
pub(crate) fn prepared(shape: *const ImpShape, name: &str) -> Result<Arc<PreparedShape>, Failure> {
    handle::object(shape).map_err(|error| Failure::new(error.status, format!("`{name}`: {}", error.text)))
}

/// Three numbers.
///
/// # Safety
/// Where it is not null, it points to three.
pub(crate) unsafe fn triple(value: *const f64, name: &str) -> Result<[f64; 3], Failure> {
    // SAFETY: the caller's promise.
    let numbers = unsafe { array(value, 3, name) }?;
    Ok([numbers[0], numbers[1], numbers[2]])
}
