//! Random closed pairs: tori, knots, gears, bolts and boxes at random placements.

use impinge_scenes::mesh::Bolt;
use impinge_scenes::random::Random;
use nalgebra::{Isometry3, Translation3, Vector3};

use super::bodies::{any, block};
use super::case::{Body, Case};
use super::solid::Solid;
use super::{Task, between, log_between};

/// Returns a random pair that touches, from barely to deep.
///
/// # Errors
/// Fails for settings out of range.
pub fn pair(task: &mut Task) -> anyhow::Result<Case> {
    let random = &mut task.random;
    let solids = [solid(random)?, solid(random)?];
    for _ in 0..200 {
        let turns = [random.rotation(), random.rotation()];
        let direction = random.direction();
        let start: Vector3<f64> = random.direction() * (0.3 * random.unit()) - direction * 2.0;
        let poses = [
            Isometry3::from_parts(Translation3::identity(), turns[0]),
            Isometry3::from_parts(Translation3::from(start), turns[1]),
        ];
        let mut case = Case::new(solids.clone().map(Body::Solid), poses, task.settings, random)?;
        // Half of the placements are shallow by orders of magnitude.
        let deeper = match random.index(2) {
            0 => log_between(random, 1e-4, 0.1),
            _ => between(random, 0.0, 0.6),
        };
        if case.push(&direction, deeper)? {
            return Ok(case);
        }
    }
    anyhow::bail!("no placement touches")
}

fn solid(random: &mut Random) -> anyhow::Result<Solid> {
    match random.index(3) {
        0 => {
            let size = [0.0; 3].map(|_: f64| between(random, 0.2, 0.9));
            Ok(block(size).refined_by_chance(random, 3_000))
        }
        1 if random.index(2) == 0 => {
            let bolt = Solid::of(&Bolt::default().mesh()?, 1.0);
            Ok(bolt.moved(&Isometry3::translation(0.0, 0.0, -0.25)))
        }
        _ => any(random),
    }
}
