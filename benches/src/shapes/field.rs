//! A box and a gear on fields of growing size.

use std::time::Instant;

use impinge::geometry::{HeightField, HeightFieldSettings};
use impinge::query::QueryScratch;
use impinge::{PairQuery, QuerySettings, Shape};
use impinge_scenes::mesh::Gear;
use impinge_scenes::random::Random;
use nalgebra::{Isometry3, Translation3};
use parry3d::math::{Pose, Rotation, Vector};
use parry3d::query;
use parry3d::shape::{Cuboid, HeightField as ParryField};
use parry3d::utils::Array2;

use super::{Choice, Measured, Watch};

/// Samples along a side.
const SIZES: [u32; 5] = [64, 256, 1024, 4096, 8192];

/// Half the box's edges (m); cells are 1 m wide.
const HALF: [f32; 3] = [2.0, 1.2, 0.8];

/// The height of a sample (m): the same every 64 cells.
pub fn height(i: u32, j: u32) -> f32 {
    let turn = std::f64::consts::TAU / 64.0;
    let [x, y] = [i, j].map(|k| f64::from(k % 64) * turn);
    (0.8 * (3.0 * x).sin() * (2.0 * y).cos() + 0.3 * (7.0 * x + 5.0 * y).sin()) as f32
}

fn heights(side: u32) -> Vec<f32> {
    let period: Vec<f32> = (0..64 * 64).map(|k| height(k % 64, k / 64)).collect();
    (0..side)
        .flat_map(|j| {
            let row = &period[(j % 64 * 64) as usize..][..64];
            (0..side).map(move |i| row[(i % 64) as usize])
        })
        .collect()
}

/// A field, and the time that it took to make (ms).
pub fn field(side: u32) -> anyhow::Result<(HeightField, f64)> {
    let heights = heights(side);
    let settings = HeightFieldSettings { bottom: Some(-100.0), ..HeightFieldSettings::default() };
    let start = Instant::now();
    let field = HeightField::new([side; 2], heights, &settings)?;
    Ok((field, start.elapsed().as_secs_f64() * 1e3))
}

/// Answers questions about the ground and one body.
pub trait Contender {
    /// Gives what it found.
    fn ask(&mut self, pose: &Isometry3<f64>) -> u64;
}

/// Asks whether they touch.
pub struct Touching(pub PairQuery, pub QueryScratch);

impl Contender for Touching {
    fn ask(&mut self, pose: &Isometry3<f64>) -> u64 {
        let touching = self.0.touching_with(&Isometry3::identity(), pose, &mut self.1);
        u64::from(touching.is_ok_and(|touching| touching))
    }
}

/// Asks for contacts.
pub struct Contacts(pub PairQuery, pub QueryScratch);

impl Contender for Contacts {
    fn ask(&mut self, pose: &Isometry3<f64>) -> u64 {
        let found = self.0.contacts_with(&Isometry3::identity(), pose, &mut self.1);
        found.map_or(0, |manifolds| manifolds.iter().map(|m| m.points.len() as u64).sum())
    }
}

/// parry's field has its heights along y, and its middle at the origin.
struct Parry {
    field: ParryField,
    half: f32,
    body: Cuboid,
}

impl Parry {
    fn new(side: u32) -> Parry {
        let rows: Vec<f32> =
            (0..side).flat_map(|i| (0..side).map(move |r| height(i, side - 1 - r))).collect();
        let length = (side - 1) as f32;
        let field = ParryField::new(
            Array2::new(side as usize, side as usize, rows),
            Vector::new(length, 1.0, length),
        );
        Parry { field, half: 0.5 * length, body: Cuboid::new(Vector::new(HALF[0], HALF[1], HALF[2])) }
    }
}

impl Contender for Parry {
    fn ask(&mut self, pose: &Isometry3<f64>) -> u64 {
        // Ours turned by a quarter about x: (x, y, z) is at (x, z, −y).
        let turn = Isometry3::rotation(nalgebra::Vector3::x() * -std::f64::consts::FRAC_PI_2);
        let own = (turn * pose).cast::<f32>();
        let (t, q) = (own.translation.vector, own.rotation.coords);
        let at = Vector::new(t.x - self.half, t.y, t.z + self.half);
        let pose = Pose::from_parts(at, Rotation::from_xyzw(q.x, q.y, q.z, q.w));
        // It answers no yes-or-no question about a field as a whole: this is what its contacts begin with.
        let mut touching = false;
        self.field.map_elements_in_local_aabb(&self.body.aabb(&pose), &mut |_, triangle| {
            let found = || query::intersection_test(&Pose::IDENTITY, triangle, &pose, &self.body);
            touching = touching || found().expect("a triangle and a box").intersecting;
        });
        u64::from(touching)
    }
}

/// Poses over one block of 64 cells: about half of them touch.
fn poses(count: usize) -> Vec<Isometry3<f64>> {
    let mut random = Random::new(9);
    let pose = |_| {
        let [x, y] = [0, 1].map(|_| 20.0 + 24.0 * random.unit());
        let z = f64::from(height(x as u32, y as u32)) + 0.6 + 1.4 * random.unit();
        Isometry3::from_parts(Translation3::new(x, y, z), random.rotation())
    };
    (0..count).map(pose).collect()
}

pub fn run(choice: &Choice<'_>) -> anyhow::Result<Vec<Measured>> {
    let asked = |who: &str| choice.who.is_empty() || choice.who.iter().any(|name| name == who);
    let gear: Shape = Gear::default().mesh()?.into();
    let gear = gear.scaled(2.0 / f64::from(gear.bounding_sphere().radius))?;
    let body = Shape::cuboid(HALF)?;
    let mut all: Vec<Measured> = Vec::new();
    let mut contenders: Vec<(Box<dyn Contender>, f64)> = Vec::new();
    for side in SIZES {
        let scene = format!("field-{side}");
        if choice.scene.is_some_and(|asked| asked != scene && !(side == 64 && asked.starts_with("field-"))) {
            continue;
        }
        // Bodies stand over the middle block.
        let offset = f64::from(side / 128 * 64);
        let (own, build_ms) = field(side)?;
        let bytes = own.bytes();
        let mut add = |query, who, contender: Box<dyn Contender>, bytes, build_ms, beside: &'static str| {
            if asked(who) {
                let beside = (if who == "impinge" { "field-64".to_owned() } else { scene.clone() }, beside);
                let times = Vec::with_capacity(choice.count);
                all.push(Measured {
                    scene: scene.clone(),
                    query,
                    who,
                    times,
                    work: 0,
                    bytes,
                    build_ms,
                    beside,
                });
                contenders.push((contender, offset));
            }
        };
        let mut both = |ground: &Shape,
                        who: &'static str,
                        bytes,
                        build_ms,
                        beside: &'static str|
         -> anyhow::Result<()> {
            let query = |body: &Shape| PairQuery::new(ground, body, QuerySettings::default());
            let scratch = QueryScratch::default;
            add("touching", who, Box::new(Touching(query(&body)?, scratch())), bytes, build_ms, beside);
            add("contacts", who, Box::new(Contacts(query(&gear)?, scratch())), bytes, build_ms, beside);
            Ok(())
        };
        if side == 64 {
            let start = Instant::now();
            let mesh: Shape = own.to_mesh()?.mesh.into();
            both(&mesh, "impinge-mesh", 0, start.elapsed().as_secs_f64() * 1e3, "impinge-mesh")?;
        }
        let ground: Shape = own.into();
        both(&ground, "impinge", bytes, build_ms, "impinge")?;
        // parry's takes 5 bytes for each sample and its time to make.
        if side <= 1024 {
            let start = Instant::now();
            let parry = Parry::new(side);
            add("touching", "parry", Box::new(parry), 0, start.elapsed().as_secs_f64() * 1e3, "impinge");
        }
    }
    for (n, pose) in poses(choice.count + 20).iter().enumerate() {
        for (own, (contender, offset)) in all.iter_mut().zip(&mut contenders) {
            let at = Isometry3::translation(*offset, *offset, 0.0) * pose;
            let watch = Watch::start();
            let found = contender.ask(&at);
            if n >= 20 {
                own.times.push(watch.micros());
                own.work += found;
            }
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use nalgebra::Point3;

    use super::*;

    #[test]
    fn all_contenders_find_about_as_many() {
        let rows = run(&Choice { scene: Some("field-64"), who: &[], count: 120 }).unwrap();
        let work = |who: &str, query: &str| {
            rows.iter().find(|row| row.who == who && row.query == query).map(|row| row.work).unwrap()
        };
        let (own, mesh, parry) =
            (work("impinge", "touching"), work("impinge-mesh", "touching"), work("parry", "touching"));
        assert_eq!(own, mesh);
        assert!(own > 30 && own < 110, "{own}");
        // Its diagonals are others.
        assert!(own.abs_diff(parry) <= 6, "{own} {parry}");
        let (points, of_mesh) = (work("impinge", "contacts"), work("impinge-mesh", "contacts"));
        assert!(points.abs_diff(of_mesh) * 20 <= of_mesh, "{points} {of_mesh}");
        // The first place of the ground is a sample.
        let (field, _) = field(64).unwrap();
        assert_eq!(field.vertex(field.vertex_number([3, 5])), Point3::new(3.0, 5.0, height(3, 5)));
    }
}
