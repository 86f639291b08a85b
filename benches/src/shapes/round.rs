//! Spheres, capsules and cylinders on a box, a torus and a bowl, beside the same bodies as meshes
//! and parry's.
//!
//! At every pose the body's farthest point stands below a random place of the mesh: shallow ones by
//! 2 % of the body's radius, deep ones by half of it.

use impinge::query::QueryScratch;
use impinge::{PairQuery, QuerySettings, Shape};
use impinge_geometry::TriMesh;
use impinge_oracle::solids::block;
use impinge_scenes::mesh::{Bowl, Torus};
use impinge_scenes::random::Random;
use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};
use parry3d::math::{Pose, Rotation, Vector};
use parry3d::query::{ContactManifold, DefaultQueryDispatcher, PersistentQueryDispatcher};
use parry3d::shape;

use super::field::{Contacts, Contender};
use super::{Choice, Measured, Watch};

/// Poses before those that are measured.
const WARM_UP: usize = 20;

/// A body with its axis along z.
#[derive(Clone, Copy)]
struct Body {
    shallow: &'static str,
    deep: &'static str,
    kind: Kind,
    half_height: f32,
    radius: f32,
}

#[derive(Clone, Copy)]
enum Kind {
    Sphere,
    Capsule,
    Cylinder,
}

const BODIES: [Body; 3] = [
    Body {
        shallow: "sphere-shallow",
        deep: "sphere-deep",
        kind: Kind::Sphere,
        half_height: 0.0,
        radius: 0.1,
    },
    Body {
        shallow: "capsule-shallow",
        deep: "capsule-deep",
        kind: Kind::Capsule,
        half_height: 0.12,
        radius: 0.06,
    },
    Body {
        shallow: "cylinder-shallow",
        deep: "cylinder-deep",
        kind: Kind::Cylinder,
        half_height: 0.12,
        radius: 0.08,
    },
];

impl Body {
    fn primitive(&self) -> anyhow::Result<Shape> {
        Ok(match self.kind {
            Kind::Sphere => Shape::sphere(self.radius)?,
            Kind::Capsule => Shape::capsule(self.half_height, self.radius)?,
            Kind::Cylinder => Shape::cylinder(self.half_height, self.radius)?,
        })
    }

    /// Returns the surface, with 32 steps around the axis.
    fn mesh(&self) -> anyhow::Result<TriMesh> {
        let (half, radius) = (f64::from(self.half_height), f64::from(self.radius));
        let arc = |from: u32, to: u32, z: f64| {
            (from..=to).map(move |k| {
                let (sin, cos) = (std::f64::consts::PI * f64::from(k) / 16.0).sin_cos();
                [radius * sin, z - radius * cos]
            })
        };
        let profile: Vec<[f64; 2]> = match self.kind {
            Kind::Sphere => arc(0, 16, 0.0).collect(),
            Kind::Capsule => arc(0, 8, -half).chain(arc(8, 16, half)).collect(),
            Kind::Cylinder => vec![[0.0, -half], [radius, -half], [radius, half], [0.0, half]],
        };
        lathe(&profile)
    }

    /// Returns the point that is farthest along a direction (m, its own frame).
    fn farthest(&self, direction: &Vector3<f64>) -> Vector3<f64> {
        let (half, radius) = (f64::from(self.half_height), f64::from(self.radius));
        let end = Vector3::z() * half * direction.z.signum();
        let round = match self.kind {
            Kind::Cylinder => Vector3::new(direction.x, direction.y, 0.0),
            Kind::Sphere | Kind::Capsule => *direction,
        };
        end + round.normalize() * radius
    }

    /// Returns parry's shape, and how it is turned.
    fn for_parry(&self) -> (Box<dyn shape::Shape>, UnitQuaternion<f64>) {
        let upright = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f64::consts::FRAC_PI_2);
        match self.kind {
            Kind::Sphere => (Box::new(shape::Ball::new(self.radius)), UnitQuaternion::identity()),
            Kind::Capsule => (Box::new(shape::Capsule::new_y(self.half_height, self.radius)), upright),
            Kind::Cylinder => (Box::new(shape::Cylinder::new(self.half_height, self.radius)), upright),
        }
    }
}

/// Returns the surface that a profile sweeps around z; its ends are on the axis.
fn lathe(profile: &[[f64; 2]]) -> anyhow::Result<TriMesh> {
    const AROUND: u32 = 32;
    let rings = profile.len() as u32 - 2;
    let mut vertices = vec![Point3::new(0.0, 0.0, profile[0][1] as f32)];
    for [r, z] in &profile[1..profile.len() - 1] {
        vertices.extend((0..AROUND).map(|k| {
            let (sin, cos) = (std::f64::consts::TAU * f64::from(k) / f64::from(AROUND)).sin_cos();
            Point3::new(r * cos, r * sin, *z).cast()
        }));
    }
    let top = vertices.len() as u32;
    vertices.push(Point3::new(0.0, 0.0, profile[profile.len() - 1][1] as f32));
    let at = |ring: u32, k: u32| 1 + ring * AROUND + k % AROUND;
    let mut triangles = Vec::new();
    for k in 0..AROUND {
        triangles.push([0, at(0, k + 1), at(0, k)]);
        triangles.push([top, at(rings - 1, k), at(rings - 1, k + 1)]);
        for ring in 1..rings {
            let [a, b] = [at(ring - 1, k), at(ring - 1, k + 1)];
            triangles.extend([[a, b, at(ring, k + 1)], [a, at(ring, k + 1), at(ring, k)]]);
        }
    }
    Ok(TriMesh::new(vertices, triangles)?)
}

/// Returns a pose at which a body's farthest point stands `depth` (m) below a place of a mesh.
fn pose(mesh: &TriMesh, body: &Body, depth: f64, random: &mut Random) -> Isometry3<f64> {
    let triangle = random.index(mesh.triangles().len()) as u32;
    let [a, b, c] = mesh.corners(triangle).map(|p| p.cast::<f64>());
    let (mut s, mut t) = (random.unit(), random.unit());
    if s + t > 1.0 {
        (s, t) = (1.0 - s, 1.0 - t);
    }
    let normal = (b - a).cross(&(c - a)).normalize();
    let turn = random.rotation();
    let farthest = turn * body.farthest(&turn.inverse_transform_vector(&-normal));
    let at = a + (b - a) * s + (c - a) * t - normal * depth - farthest;
    Isometry3::from_parts(at.into(), turn)
}

/// parry's mesh and shape (single precision).
struct Parry {
    mesh: shape::TriMesh,
    body: Box<dyn shape::Shape>,
    turn: UnitQuaternion<f64>,
    manifolds: Vec<ContactManifold<(), ()>>,
}

impl Parry {
    fn new(mesh: &TriMesh, body: &Body) -> anyhow::Result<Parry> {
        let vertices = mesh.vertices().iter().map(|p| Vector::new(p.x, p.y, p.z)).collect();
        let mesh = shape::TriMesh::new(vertices, mesh.triangles().to_vec())?;
        let (body, turn) = body.for_parry();
        Ok(Parry { mesh, body, turn, manifolds: Vec::new() })
    }
}

impl Contender for Parry {
    fn ask(&mut self, pose: &Isometry3<f64>) -> u64 {
        let pose = (pose * self.turn).cast::<f32>();
        let (t, q) = (pose.translation.vector, pose.rotation.coords);
        let pose = Pose::from_parts(Vector::new(t.x, t.y, t.z), Rotation::from_xyzw(q.x, q.y, q.z, q.w));
        self.manifolds.clear();
        DefaultQueryDispatcher
            .contact_manifolds(&pose, &self.mesh, &*self.body, 0.0, &mut self.manifolds, &mut None)
            .expect("parry answers this for meshes");
        self.manifolds.iter().map(|m| m.points.len() as u64).sum()
    }
}

/// Measures the scenes `round-box`, `round-torus` and `round-bowl`.
pub fn run(choice: &Choice<'_>) -> anyhow::Result<Vec<Measured>> {
    let meshes = [
        ("round-box", block([0.4, 0.4, 0.15])),
        ("round-torus", Torus::default().mesh()?),
        ("round-bowl", Bowl::default().mesh()?),
    ];
    let mut all = Vec::new();
    for (scene, mesh) in &meshes {
        if choice.scene.is_some_and(|asked| asked != *scene) {
            continue;
        }
        for body in &BODIES {
            for (query, part) in [(body.shallow, 0.02), (body.deep, 0.5)] {
                all.extend(measure((scene, mesh), body, (query, part), choice)?);
            }
        }
    }
    Ok(all)
}

/// Measures one question about a body on a mesh; `part` is the depth as a part of the radius.
fn measure(
    (scene, mesh): (&str, &TriMesh),
    body: &Body,
    (query, part): (&'static str, f64),
    choice: &Choice<'_>,
) -> anyhow::Result<Vec<Measured>> {
    let ground: Shape = mesh.clone().into();
    let contacts = |body: &Shape| -> anyhow::Result<Box<dyn Contender>> {
        let query = PairQuery::new(&ground, body, QuerySettings::default())?;
        Ok(Box::new(Contacts(query, QueryScratch::default())))
    };
    let mut contenders = vec![
        ("impinge-mesh", contacts(&body.mesh()?.into())?),
        ("impinge", contacts(&body.primitive()?)?),
        ("parry", Box::new(Parry::new(mesh, body)?)),
    ];
    contenders.retain(|(who, _)| choice.who.is_empty() || choice.who.iter().any(|name| name == who));
    let mut all: Vec<Measured> = contenders
        .iter()
        .map(|(who, _)| Measured {
            scene: scene.to_owned(),
            query,
            who,
            times: Vec::with_capacity(choice.count),
            work: 0,
            bytes: 0,
            build_ms: 0.0,
            beside: (scene.to_owned(), "impinge-mesh"),
        })
        .collect();
    let mut random = Random::new(5);
    for n in 0..choice.count + WARM_UP {
        let at = pose(mesh, body, part * f64::from(body.radius), &mut random);
        for (own, (_, contender)) in all.iter_mut().zip(&mut contenders) {
            let watch = Watch::start();
            let found = contender.ask(&at);
            if n >= WARM_UP {
                own.times.push(watch.micros());
                own.work += found;
            }
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_bodies_and_their_meshes_touch_alike() {
        for scene in ["round-box", "round-torus", "round-bowl"] {
            let rows = run(&Choice { scene: Some(scene), who: &[], count: 12 }).unwrap();
            assert_eq!(rows.len(), 18);
            assert!(rows.iter().filter(|row| row.who == "impinge").all(|row| row.work >= 12));
            let deep = |row: &&Measured| row.query.ends_with("deep");
            assert!(rows.iter().filter(deep).all(|row| row.work >= 12));
        }
    }

    #[test]
    fn a_lathed_body_is_closed_and_as_large_as_it_should_be() {
        // The cylinder's base has 32 corners: its area is 16 sin(2π / 32) r².
        let body = &BODIES[2];
        let mesh = body.mesh().unwrap();
        assert!(mesh.is_closed());
        let area = 16.0 * (std::f64::consts::TAU / 32.0).sin() * f64::from(body.radius).powi(2);
        let volume = area * 2.0 * f64::from(body.half_height);
        let sum: f64 = (0..mesh.triangles().len() as u32)
            .map(|t| {
                let [a, b, c] = mesh.corners(t).map(|p| p.cast::<f64>().coords);
                a.dot(&b.cross(&c)) / 6.0
            })
            .sum();
        assert!((sum / volume - 1.0).abs() < 1e-6, "{sum} {volume}");
        assert!(BODIES.iter().all(|body| body.mesh().unwrap().is_closed()));
    }
}
