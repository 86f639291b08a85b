//! Shapes and meshes.

use impinge_geometry::{MeshError, Primitive, Shape, TriMesh};
use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};
use parry3d::math::Vector;
use parry3d::shape::{
    Capsule, Compound, HalfSpace, HeightField, Shape as ParryShape, SharedShape, TriMesh as ParryMesh,
    TypedShape,
};

use super::error::ParryError;
use super::pose::{from_point, from_pose, from_vector, to_pose};
use crate::PreparedShape;

/// A shape of parry's. Capsules, cylinders and half-spaces that do not lie along z become a composite of one child.
///
/// ```
/// use impinge::parry::{from_shape, parry3d::shape::SharedShape};
/// use impinge::{Shape, parry::ParryError};
///
/// assert!(matches!(from_shape(&*SharedShape::ball(0.5)), Ok(Shape::Primitive(_))));
/// assert!(matches!(from_shape(&*SharedShape::cone(0.5, 0.5)), Err(ParryError::NoCounterpart { .. })));
/// ```
///
/// # Errors
/// [`ParryError::NoCounterpart`], and what [`Shape`] says of sizes, points and meshes that cannot be used.
pub fn from_shape(shape: &dyn ParryShape) -> Result<Shape, ParryError> {
    let (pose, shape) = placed(shape)?;
    if pose == Isometry3::identity() { Ok(shape) } else { Ok(Shape::composite(vec![(pose, shape)])?) }
}

/// A shape of parry's, ready for queries and worlds.
///
/// # Errors
/// As [`from_shape`].
pub fn prepared(shape: &dyn ParryShape) -> Result<PreparedShape, ParryError> {
    Ok(PreparedShape::new(&from_shape(shape)?))
}

/// A mesh of parry's. Where it is open as it stands, and closed once vertices at equal places are one, it is taken so.
/// Triangles keep their indices ([`TriMesh::source_triangles`]).
///
/// # Errors
/// As [`TriMesh::new`].
pub fn from_mesh(mesh: &ParryMesh) -> Result<TriMesh, MeshError> {
    let vertices = points(mesh.vertices());
    let as_it_is = TriMesh::new(vertices.clone(), mesh.indices().to_vec())?;
    if as_it_is.is_closed() {
        return Ok(as_it_is);
    }
    let welded = TriMesh::welded(vertices, mesh.indices().to_vec())?;
    Ok(if welded.is_closed() { welded } else { as_it_is })
}

/// A mesh for parry, without flags: vertices and triangles as they are, virtual faces left out.
///
/// # Errors
/// [`ParryError::Refused`] where parry does not take it.
pub fn to_mesh(mesh: &TriMesh) -> Result<ParryMesh, ParryError> {
    let faces = (0u32..).zip(mesh.triangles()).filter(|(face, _)| !mesh.is_virtual(*face)).map(|(_, t)| *t);
    Ok(ParryMesh::new(vectors(mesh.vertices()), faces.collect())?)
}

/// A shape for parry. Cylinders, which parry has along y, become a compound of one child.
///
/// # Errors
/// [`ParryError::MeshInCompound`] for composites of meshes, [`ParryError::Refused`] for meshes that parry does not take.
pub fn to_shape(shape: &Shape) -> Result<SharedShape, ParryError> {
    let mut parts = match shape {
        Shape::Composite(composite) => {
            let child = |(child, (pose, shape)): (usize, &(Isometry3<f64>, Shape))| match shape {
                Shape::Mesh(_) => Err(ParryError::MeshInCompound { child }),
                shape => part(pose, shape),
            };
            let children = composite.children().iter().enumerate().map(child);
            return Ok(SharedShape::compound(children.collect::<Result<_, _>>()?));
        }
        shape => vec![part(&Isometry3::identity(), shape)?],
    };
    match parts.pop() {
        Some((pose, shape)) if pose == parry3d::math::Pose::IDENTITY => Ok(shape),
        other => Ok(SharedShape::new(Compound::new(other.into_iter().collect()))),
    }
}

/// One of our shapes that is no composite, with parry's pose for it.
fn part(pose: &Isometry3<f64>, shape: &Shape) -> Result<(parry3d::math::Pose, SharedShape), ParryError> {
    shape.check()?;
    let mut pose = *pose;
    let shape = match shape {
        Shape::Primitive(Primitive::HalfSpace) => SharedShape::halfspace(Vector::Z),
        Shape::Primitive(Primitive::Sphere { radius }) => SharedShape::ball(*radius),
        Shape::Primitive(Primitive::Cuboid { half: [x, y, z] }) => SharedShape::cuboid(*x, *y, *z),
        Shape::Primitive(Primitive::Capsule { half_height, radius }) => {
            SharedShape::new(Capsule::new_z(*half_height, *radius))
        }
        Shape::Primitive(Primitive::Cylinder { half_height, radius }) => {
            pose *= z_to_y().inverse();
            SharedShape::cylinder(*half_height, *radius)
        }
        Shape::Hull(hull) => {
            let mesh = hull.mesh();
            let refused = || ParryError::Refused { reason: "its hull of the points is not one".to_owned() };
            SharedShape::convex_mesh(vectors(mesh.vertices()), mesh.triangles()).ok_or_else(refused)?
        }
        Shape::Mesh(mesh) => SharedShape::new(to_mesh(mesh)?),
        other => to_shape(other)?,
    };
    Ok((to_pose(&pose), shape))
}

/// The counterpart of a shape, and where it stands in the shape's frame (m).
fn placed(shape: &dyn ParryShape) -> Result<(Isometry3<f64>, Shape), ParryError> {
    let here = Isometry3::identity();
    Ok(match shape.as_typed_shape() {
        TypedShape::Ball(ball) => (here, Shape::sphere(ball.radius)?),
        TypedShape::Cuboid(cuboid) => (here, Shape::cuboid(cuboid.half_extents.into())?),
        TypedShape::Capsule(capsule) => of_capsule(capsule)?,
        TypedShape::Cylinder(cylinder) => (
            Isometry3::from_parts(here.translation, z_to_y()),
            Shape::cylinder(cylinder.half_height, cylinder.radius)?,
        ),
        TypedShape::HalfSpace(half_space) => (of_half_space(half_space), Shape::half_space()),
        TypedShape::ConvexPolyhedron(polyhedron) => (here, Shape::hull(&points(polyhedron.points()))?),
        TypedShape::TriMesh(mesh) => (here, from_mesh(mesh)?.into()),
        TypedShape::HeightField(field) => (here, of_height_field(field)?.into()),
        TypedShape::Compound(compound) => {
            let child = |(child, (pose, shape)): (usize, &(parry3d::math::Pose, SharedShape))| {
                let (own, shape) =
                    placed(&**shape).map_err(|source| ParryError::Child { child, source: source.into() })?;
                Ok::<_, ParryError>((from_pose(pose) * own, shape))
            };
            let children = compound.shapes().iter().enumerate().map(child).collect::<Result<_, _>>()?;
            (here, Shape::composite(children)?)
        }
        _ => return Err(ParryError::NoCounterpart { shape: shape.shape_type() }),
    })
}

fn of_capsule(capsule: &Capsule) -> Result<(Isometry3<f64>, Shape), ParryError> {
    let [a, b] = [capsule.segment.a, capsule.segment.b].map(from_point);
    let along = b - a;
    let half = (0.5 * along.norm()) as f32;
    let middle = nalgebra::center(&a, &b);
    let at = |rotation| Isometry3::from_parts(middle.into(), rotation);
    if half == 0.0 {
        return Ok((at(UnitQuaternion::identity()), Shape::sphere(capsule.radius)?));
    }
    Ok((at(turned_to(&along)), Shape::capsule(half, capsule.radius)?))
}

fn of_half_space(half_space: &HalfSpace) -> Isometry3<f64> {
    Isometry3::from_parts(Isometry3::identity().translation, turned_to(&from_vector(half_space.normal)))
}

/// A solid below the field, as deep as its longer side: what is under it is inside.
fn of_height_field(field: &HeightField) -> Result<TriMesh, MeshError> {
    let (vertices, triangles) = field.to_trimesh();
    let scale = field.scale();
    TriMesh::welded(points(&vertices), triangles)?.one_sided(scale.x.abs().max(scale.z.abs()), Vector3::y())
}

/// The rotation that turns z to `direction`.
fn turned_to(direction: &Vector3<f64>) -> UnitQuaternion<f64> {
    let back = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f64::consts::PI);
    UnitQuaternion::rotation_between(&Vector3::z(), direction).unwrap_or(back)
}

fn z_to_y() -> UnitQuaternion<f64> {
    turned_to(&Vector3::y())
}

fn points(vectors: &[Vector]) -> Vec<Point3<f32>> {
    vectors.iter().map(|v| Point3::new(v.x, v.y, v.z)).collect()
}

fn vectors(points: &[Point3<f32>]) -> Vec<Vector> {
    points.iter().map(|p| Vector::new(p.x, p.y, p.z)).collect()
}
