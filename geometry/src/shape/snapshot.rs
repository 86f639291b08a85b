//! Shapes through serde: every kind as plain data, checked as by its constructor when it is read.
//!
//! In JSON, for instance: `{"sphere": {"radius": 0.5}}`, `{"mesh": {"vertices": [[0, 0, 0], …], "triangles": [[0, 1, 2], …]}}`. What is written has more:
//! all that a mesh was made into, so that the shape that is read is the same to the last bit.

use nalgebra::{Isometry3, Point3, Quaternion, Translation3, UnitQuaternion};
use robust::{Coord3D, orient3d};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Composite, ConvexHull, Primitive, Shape};
use crate::height_field::FieldData;
use crate::level_set::LevelData;
use crate::mesh::MeshData;
use crate::particles::{Particles, Radii};
use crate::{MeshError, ShapeError, TriMesh};

/// A shape as plain data. Lengths are in metres.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case", rename = "Shape", deny_unknown_fields)]
enum ShapeData {
    HalfSpace,
    Sphere { radius: f32 },
    Cuboid { half: [f32; 3] },
    Capsule { half_height: f32, radius: f32 },
    Cylinder { half_height: f32, radius: f32 },
    Hull(HullData),
    Mesh(MeshData),
    HeightField(FieldData),
    LevelSet(LevelData),
    Particles { centers: Vec<[f32; 3]>, radii: RadiusData },
    Composite(Vec<ChildData>),
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum HullData {
    /// Points to be enclosed.
    Points(Vec<[f32; 3]>),
    /// The surface of one that was made.
    Surface(MeshData),
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum RadiusData {
    One(f32),
    Each(Vec<f32>),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ChildData {
    #[serde(default)]
    name: String,
    #[serde(default)]
    pose: PoseData,
    shape: Shape,
}

/// Translation (m) and quaternion: x, y, z; w, x, y, z.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PoseData {
    #[serde(default)]
    position: [f64; 3],
    #[serde(default = "unturned")]
    rotation: [f64; 4],
}

fn unturned() -> [f64; 4] {
    [1.0, 0.0, 0.0, 0.0]
}

impl Default for PoseData {
    fn default() -> PoseData {
        PoseData { position: [0.0; 3], rotation: unturned() }
    }
}

impl PoseData {
    fn of(pose: &Isometry3<f64>) -> PoseData {
        let q = pose.rotation.quaternion();
        PoseData { position: pose.translation.vector.into(), rotation: [q.w, q.i, q.j, q.k] }
    }

    fn pose(&self) -> Isometry3<f64> {
        let [w, x, y, z] = self.rotation;
        let rotation = UnitQuaternion::new_unchecked(Quaternion::new(w, x, y, z));
        Isometry3::from_parts(Translation3::from(self.position), rotation)
    }
}

impl ShapeData {
    fn of(shape: &Shape) -> ShapeData {
        match shape {
            Shape::Primitive(primitive) => match *primitive {
                Primitive::HalfSpace => ShapeData::HalfSpace,
                Primitive::Sphere { radius } => ShapeData::Sphere { radius },
                Primitive::Cuboid { half } => ShapeData::Cuboid { half },
                Primitive::Capsule { half_height, radius } => ShapeData::Capsule { half_height, radius },
                Primitive::Cylinder { half_height, radius } => ShapeData::Cylinder { half_height, radius },
            },
            Shape::Hull(hull) => ShapeData::Hull(HullData::Surface(MeshData::of(hull.mesh()))),
            Shape::Mesh(mesh) => ShapeData::Mesh(MeshData::of(mesh)),
            Shape::Field(field) => ShapeData::HeightField(FieldData::of(field)),
            Shape::Levels(levels) => ShapeData::LevelSet(LevelData::of(levels)),
            Shape::Particles(particles) => ShapeData::Particles {
                centers: particles.centers().iter().map(|p| (*p).into()).collect(),
                radii: match particles.radii() {
                    Radii::One(radius) => RadiusData::One(*radius),
                    Radii::Each(radii) => RadiusData::Each(radii.clone()),
                },
            },
            Shape::Composite(composite) => {
                let children = composite.children().iter().zip(composite.names());
                ShapeData::Composite(
                    children
                        .map(|((pose, shape), name)| ChildData {
                            name: name.clone(),
                            pose: PoseData::of(pose),
                            shape: shape.clone(),
                        })
                        .collect(),
                )
            }
        }
    }

    fn shape(self) -> Result<Shape, ShapeError> {
        Ok(match self {
            ShapeData::HalfSpace => Shape::half_space(),
            ShapeData::Sphere { radius } => Shape::sphere(radius)?,
            ShapeData::Cuboid { half } => Shape::cuboid(half)?,
            ShapeData::Capsule { half_height, radius } => Shape::capsule(half_height, radius)?,
            ShapeData::Cylinder { half_height, radius } => Shape::cylinder(half_height, radius)?,
            ShapeData::Hull(HullData::Points(points)) => {
                Shape::hull(&points.into_iter().map(Point3::from).collect::<Vec<_>>())?
            }
            ShapeData::Hull(HullData::Surface(surface)) => hull_of(surface.mesh()?)?.into(),
            ShapeData::Mesh(mesh) => mesh.mesh()?.into(),
            ShapeData::HeightField(field) => field.field()?.into(),
            ShapeData::LevelSet(levels) => levels.levels()?.into(),
            ShapeData::Particles { centers, radii } => {
                let centers = centers.into_iter().map(Point3::from).collect();
                let radii = match radii {
                    RadiusData::One(radius) => Radii::One(radius),
                    RadiusData::Each(radii) => Radii::Each(radii),
                };
                Particles::new(centers, radii)?.into()
            }
            ShapeData::Composite(children) => {
                let children: Vec<_> =
                    children.into_iter().map(|child| (child.name, child.pose.pose(), child.shape)).collect();
                Composite::restored(children)?.into()
            }
        })
    }
}

/// The hull that a closed surface is, if it is one: exactly, by the plane of every face.
fn hull_of(surface: TriMesh) -> Result<ConvexHull, ShapeError> {
    let unsound = |reason| ShapeError::Mesh(MeshError::Unsound { reason });
    if !surface.is_closed() || surface.removed_triangles() > 0 || surface.has_virtual_faces() {
        return Err(unsound("the surface of a hull must be closed"));
    }
    let at = |p: &Point3<f32>| Coord3D { x: f64::from(p.x), y: f64::from(p.y), z: f64::from(p.z) };
    let vertices: Vec<_> = surface.vertices().iter().map(at).collect();
    let convex = surface.triangles().iter().all(|face| {
        let [a, b, c] = face.map(|v| vertices[v as usize]);
        // Of a, b, c seen counter-clockwise from outside, what is below counts positive.
        vertices.iter().all(|p| orient3d(a, b, c, *p) >= 0.0)
    });
    match convex {
        true => Ok(ConvexHull { mesh: surface.into() }),
        false => Err(unsound("the surface of a hull must be convex; give its `points`, and it is found")),
    }
}

impl Serialize for Shape {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        ShapeData::of(self).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Shape {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Shape, D::Error> {
        ShapeData::deserialize(deserializer)?.shape().map_err(D::Error::custom)
    }
}
