//! 50,000 particles around bodies, over ground, and among themselves.
//!
//! The powder is a cubic lattice, a little shaken, whose neighbours overlap by 2 % of their diameter: five layers poured over the body, the lowest
//! in it by half a radius at most, as a solver leaves it. Each is shaken before every question, so that
//! nothing of the last one's order is of use; putting them there is not timed, what the question makes of it is.
//! parry projects every centre on the shape, which has all that a contact needs.

use impinge::geometry::{HeightField, HeightFieldSettings, Particles};
use impinge::query::ParticleQuery;
use impinge::{PointContact, PointRange, PreparedShape, Shape};
use impinge_scenes::mesh::Blob;
use impinge_scenes::random::Random;
use nalgebra::{Isometry3, Point3, Vector3};
use parry3d::math::Vector;
use parry3d::query::{PointProjection, PointQuery};
use parry3d::shape::{self, TriMesh as ParryMesh, TriMeshFlags};
use parry3d::utils::Array2;

use super::{Choice, Measured, Watch};

const COUNT: usize = 50_000;
/// Radius of a particle (m); bodies are about 2 m wide.
const RADIUS: f32 = 0.01;
/// From one to the next (m).
const STEP: f32 = 2.0 * RADIUS * 0.98;
/// Samples along a side of the ground, and from one to the next (m).
const SIDE: u32 = 129;
const SPACING: f32 = 0.05;
/// Questions asked before any is timed.
const WARM_UP: usize = 3;

const LAYERS: usize = 5;

const SCENE: &str = "particles-50k";

/// A body in the powder.
struct Body {
    query: &'static str,
    shape: Shape,
    parry: Box<dyn PointQuery>,
    /// The middle of the powder, and the lowest level on which it lies (m).
    lowest: [f32; 3],
}

fn ground() -> anyhow::Result<Body> {
    let height =
        |i: u32, j: u32| 0.3 * (0.13 * f64::from(i)).sin() as f32 * (0.17 * f64::from(j)).cos() as f32;
    let heights = (0..SIDE * SIDE).map(|k| height(k % SIDE, k / SIDE)).collect();
    let settings =
        HeightFieldSettings { spacing: [SPACING; 2], bottom: Some(-3.0), ..HeightFieldSettings::default() };
    let field = HeightField::new([SIDE; 2], heights, &settings)?;
    let length = SPACING * (SIDE - 1) as f32;
    // parry's heights are along y; the powder is turned there.
    let rows = (0..SIDE).flat_map(|i| (0..SIDE).map(move |r| height(i, SIDE - 1 - r))).collect();
    let rows = Array2::new(SIDE as usize, SIDE as usize, rows);
    let parry = shape::HeightField::new(rows, Vector::new(length, 1.0, length));
    let lowest = [0.5 * length, 0.5 * length, -0.6];
    Ok(Body { query: "field", shape: field.into(), parry: Box::new(parry), lowest })
}

fn bodies() -> anyhow::Result<Vec<Body>> {
    let around = |query, shape, parry| Body { query, shape, parry, lowest: [0.0; 3] };
    let blob = Blob { radius: 1.0, bump: 0.3, subdivisions: 6, ..Blob::default() }.mesh()?;
    let corners = blob.vertices().iter().map(|p| Vector::new(p.x, p.y, p.z)).collect();
    let parry = ParryMesh::with_flags(corners, blob.triangles().to_vec(), TriMeshFlags::ORIENTED)?;
    Ok(vec![
        around(
            "plane",
            Shape::half_space(),
            Box::new(TurnedFromZ(shape::HalfSpace::new(Vector::new(0.0, 1.0, 0.0)))),
        ),
        around("sphere", Shape::sphere(1.0)?, Box::new(shape::Ball::new(1.0))),
        around(
            "box",
            Shape::cuboid([0.9, 0.7, 0.6])?,
            Box::new(shape::Cuboid::new(Vector::new(0.9, 0.7, 0.6))),
        ),
        around("capsule", Shape::capsule(0.6, 0.6)?, Box::new(TurnedFromZ(shape::Capsule::new_y(0.6, 0.6)))),
        around("cylinder", Shape::cylinder(0.7, 0.8)?, Box::new(TurnedFromZ(shape::Cylinder::new(0.7, 0.8)))),
        ground()?,
        around("mesh-81920", blob.into(), Box::new(parry)),
    ])
}

/// What has its axis along y stands along z.
struct TurnedFromZ<S>(S);

impl<S: PointQuery> PointQuery for TurnedFromZ<S> {
    fn project_local_point(&self, p: Vector, solid: bool) -> PointProjection {
        turned_back(self.0.project_local_point(Vector::new(p.x, p.z, -p.y), solid))
    }

    fn project_local_point_and_get_feature(&self, p: Vector) -> (PointProjection, shape::FeatureId) {
        let (found, feature) = self.0.project_local_point_and_get_feature(Vector::new(p.x, p.z, -p.y));
        (turned_back(found), feature)
    }
}

fn turned_back(mut found: PointProjection) -> PointProjection {
    found.point = Vector::new(found.point.x, -found.point.z, found.point.y);
    found
}

/// The powder poured over a body: over each place of a square lattice the lowest layers that lie on the body, or on the level of its lowest half.
fn powder(body: &Body) -> anyhow::Result<Vec<Point3<f32>>> {
    let (side, height) = (((COUNT / LAYERS) as f32).sqrt() as i32, 90);
    let place = |x: i32, y: i32, z: i32| {
        let at = [x - side / 2, y - side / 2, z];
        Point3::from([0, 1, 2].map(|k| body.lowest[k] + STEP * at[k] as f32))
    };
    let columns = || (0..side).flat_map(|x| (0..side).map(move |y| [x, y]));
    let all: Vec<Point3<f32>> =
        columns().flat_map(|[x, y]| (0..height).map(move |z| place(x, y, z))).collect();
    let mut query = ParticleQuery::new(Particles::new(all.clone(), RADIUS)?);
    let (shape, here, mut found) = (PreparedShape::new(&body.shape), Isometry3::identity(), Vec::new());
    query.against(&here, &shape, &here, &PointRange::default(), &mut found)?;
    // The first layer of each column that is above all that are too deep.
    let mut first = vec![0; (side * side) as usize];
    for contact in found.iter().filter(|contact| contact.depth > 1.5 * f64::from(RADIUS)) {
        let (column, layer) =
            (contact.particle as usize / height as usize, contact.particle as usize % height as usize);
        first[column] = first[column].max(layer + 1);
    }
    let columns = first.iter().enumerate();
    let mut kept: Vec<Point3<f32>> = columns
        .flat_map(|(column, &from)| &all[column * height as usize + from..][..LAYERS])
        .copied()
        .collect();
    anyhow::ensure!(kept.len() == COUNT, "{} particles on the {}", kept.len(), body.query);
    // In no order that is of use.
    let mut random = Random::new(4);
    for k in (1..kept.len()).rev() {
        kept.swap(k, random.index(k + 1));
    }
    Ok(kept)
}

/// Shakes every particle by up to a twentieth of its radius.
fn shaken(powder: &[Point3<f32>], random: &mut Random) -> Vec<Point3<f32>> {
    let by = |random: &mut Random| (0.05 * f64::from(RADIUS) * random.signed()) as f32;
    powder.iter().map(|p| p + Vector3::new(by(random), by(random), by(random))).collect()
}

fn project(body: &Body, points: &[Point3<f32>]) -> u64 {
    let on_field = body.query == "field";
    let mut touching = 0;
    for p in points {
        let p = match on_field {
            true => Vector::new(p.x - body.lowest[0], p.z, body.lowest[1] - p.y),
            false => Vector::new(p.x, p.y, p.z),
        };
        let found = body.parry.project_local_point(p, false);
        let gap = (found.point - p).length();
        touching += u64::from(found.is_inside || gap <= RADIUS);
    }
    touching
}

pub fn run(choice: &Choice<'_>) -> anyhow::Result<Vec<Measured>> {
    if choice.scene.is_some_and(|scene| scene != SCENE) {
        return Ok(Vec::new());
    }
    let asked = |who: &str| choice.who.is_empty() || choice.who.iter().any(|name| name == who);
    let rounds = choice.count.min(40);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let row = |query, who| Measured {
        scene: SCENE.to_owned(),
        query,
        who,
        times: Vec::new(),
        work: 0,
        bytes: 0,
        build_ms: 0.0,
        beside: (SCENE.to_owned(), if query == "themselves" { "impinge" } else { "parry" }),
    };
    let (here, range) = (Isometry3::identity(), PointRange::default());
    let mut all = Vec::new();
    for body in bodies()? {
        let (points, mut random) = (powder(&body)?, Random::new(6));
        let shape = PreparedShape::new(&body.shape);
        let mut query = ParticleQuery::new(Particles::new(points.clone(), RADIUS)?);
        let mut found: Vec<PointContact> = Vec::new();
        let [mut own, mut parry, mut among] =
            [row(body.query, "impinge"), row(body.query, "parry"), row("themselves", "impinge")];
        let with_themselves = body.query == "sphere" && asked("impinge");
        for round in 0..rounds + WARM_UP {
            let places = shaken(&points, &mut random);
            let time = |row: &mut Measured, ask: &mut dyn FnMut() -> anyhow::Result<u64>| {
                let watch = Watch::start();
                let work = ask()?;
                if round >= WARM_UP {
                    row.times.push(watch.micros());
                    row.work += work;
                }
                anyhow::Ok(())
            };
            query.set_centers(0, &places)?;
            if asked("impinge") {
                time(&mut own, &mut || {
                    pool.install(|| query.against(&here, &shape, &here, &range, &mut found))?;
                    Ok(found.len() as u64)
                })?;
            }
            if with_themselves {
                time(&mut among, &mut || {
                    pool.install(|| query.themselves(&here, &range, &mut found))?;
                    Ok(found.len() as u64)
                })?;
            }
            // Once in five: it takes that much longer.
            if asked("parry") && round % 5 == 0 {
                time(&mut parry, &mut || Ok(project(&body, &places)))?;
            }
        }
        all.extend([own, parry, among].into_iter().filter(|row| !row.times.is_empty()));
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parry_finds_as_many() {
        for body in bodies().unwrap().into_iter().filter(|body| body.query != "mesh-81920") {
            let places = shaken(&powder(&body).unwrap(), &mut Random::new(6));
            let mut query = ParticleQuery::new(Particles::new(places.clone(), RADIUS).unwrap());
            let (shape, here, mut found) =
                (PreparedShape::new(&body.shape), Isometry3::identity(), Vec::new());
            query.against(&here, &shape, &here, &PointRange::default(), &mut found).unwrap();
            let theirs = project(&body, &places);
            // parry's ground has no inside, and other diagonals.
            let most = if body.query == "field" { found.len() / 20 } else { 5 };
            assert!(
                found.len() > 1000 && theirs.abs_diff(found.len() as u64) <= most as u64,
                "{}: {theirs} {}",
                body.query,
                found.len()
            );
        }
    }
}
