//! Random placements: any two meshes, any orientation, from barely touching to deep.

use impinge::query::QueryScratch;
use impinge::{PairQuery, QuerySettings, Shape};
use impinge_scenes::random::Random;
use nalgebra::{Isometry3, Translation3, Vector3};

use super::pool::{Named, RADIUS};

/// Two meshes where they overlap.
pub struct Placement {
    /// The number of the placement: with the seed it makes the same again.
    pub number: usize,
    pub names: [String; 2],
    pub meshes: [Named; 2],
    pub query: PairQuery,
    pub poses: [Isometry3<f64>; 2],
}

/// Steps in which B comes nearer until it touches (m).
const STEP: f64 = 0.02 * RADIUS;

/// A placement of two meshes of the pool.
pub fn placement(pool: &[Named], seed: u64, number: usize) -> anyhow::Result<Placement> {
    let mut random = stream(seed, number);
    let (meshes, query) = drawn(pool, &mut random)?;
    let scratch = &mut QueryScratch::default();
    loop {
        let rotations = [random.rotation(), random.rotation()];
        let (way, aside) = (random.direction(), random.direction() * (0.3 * RADIUS * random.unit()));
        let poses = |distance: f64| {
            let at = way * distance + aside;
            [
                Isometry3::from_parts(Translation3::identity(), rotations[0]),
                Isometry3::from_parts(Translation3::from(Vector3::from(at)), rotations[1]),
            ]
        };
        let mut touches = |distance: f64| {
            let [a, b] = poses(distance);
            query.touching_with(&a, &b, scratch)
        };
        // From far away B comes to where it first touches.
        let mut near = 2.5 * RADIUS;
        while near > 0.0 && !touches(near)? {
            near -= STEP;
        }
        let mut far = near + STEP;
        for _ in 0..30 {
            let middle = 0.5 * (near + far);
            if touches(middle)? { near = middle } else { far = middle }
        }
        // Half of the placements are shallow by orders of magnitude, half of any depth.
        let share = match random.index(2) {
            0 => 10f64.powf(-4.0 * random.unit()),
            _ => random.unit(),
        };
        let distance = near * (1.0 - 0.9 * share);
        if near > 0.0 && touches(distance)? {
            let names = meshes.each_ref().map(|named| named.name.clone());
            return Ok(Placement { number, names, query, poses: poses(distance), meshes });
        }
    }
}

/// A placement of two meshes of the pool with the middle of B anywhere within reach of A's, where they overlap.
pub fn linked(pool: &[Named], seed: u64, number: usize) -> anyhow::Result<Placement> {
    let mut random = stream(seed, number);
    let (meshes, query) = drawn(pool, &mut random)?;
    let scratch = &mut QueryScratch::default();
    loop {
        let rotations = [random.rotation(), random.rotation()];
        let at = random.direction() * (RADIUS * random.unit());
        let poses = [
            Isometry3::from_parts(Translation3::identity(), rotations[0]),
            Isometry3::from_parts(Translation3::from(at), rotations[1]),
        ];
        if query.touching_with(&poses[0], &poses[1], scratch)? {
            let names = meshes.each_ref().map(|named| named.name.clone());
            return Ok(Placement { number, names, query, poses, meshes });
        }
    }
}

/// Two meshes of the pool, and what is asked about them.
fn drawn(pool: &[Named], random: &mut Random) -> anyhow::Result<([Named; 2], PairQuery)> {
    let meshes = [0, 1].map(|_| pool[random.index(pool.len())].clone());
    let [a, b] = meshes.each_ref().map(|named| Shape::Mesh(named.mesh.clone()));
    let query = PairQuery::new(&a, &b, QuerySettings::default())?;
    Ok((meshes, query))
}

/// The numbers of a placement.
fn stream(seed: u64, number: usize) -> Random {
    let mut random = Random::new(seed.wrapping_mul(0x9e37_79b9).wrapping_add(number as u64) ^ 0x91ac);
    // Those of neighbours share most bits; a few draws part their streams.
    (0..4).for_each(|_| {
        let _ = random.bits();
    });
    random
}
