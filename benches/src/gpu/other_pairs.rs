//! Worlds of other pairs than rings in rows, whose passes are counted, too.

use impinge::prelude::*;
use impinge_scenes::mesh::Torus;

use super::counted::CountedStep;

/// Pairs of each kind of solid.
const OF_EACH: usize = 24;
/// Pairs of large meshes.
const LARGE: usize = 8;

/// A world of pairs that no rings in a row are.
pub struct OtherPairs {
    /// What they are, as a heading.
    pub title: &'static str,
    /// Makes the world and moves its bodies in a step.
    place: fn(&mut World, usize) -> anyhow::Result<()>,
}

/// All of them.
pub const OTHER_PAIRS: [OtherPairs; 2] = [
    OtherPairs { title: "Rings on half-spaces, spheres, capsules and cylinders", place: on_solids },
    OtherPairs { title: "Rings of 18,432 triangles", place: large },
];

impl OtherPairs {
    /// Takes some steps, and counts the last.
    pub fn count(&self, adapter: &str, warm_up: usize) -> anyhow::Result<CountedStep> {
        let mut world = CountedStep::world(Parity::Meaning, adapter)?;
        let mut last = None;
        for step in 0..=warm_up {
            (self.place)(&mut world, step)?;
            last = Some(world.step().counts);
        }
        CountedStep::of(Parity::Meaning, &world, last.unwrap_or_default())
    }
}

/// Turned a little about `y` in every step.
fn pose(at: [f64; 3], step: usize) -> Isometry3<f64> {
    let turn = UnitQuaternion::from_euler_angles(0.0, 0.01 * step as f64, 0.0);
    Isometry3::from_parts(Translation3::new(at[0], at[1], at[2]), turn)
}

/// Rings that lie 5 mm deep on a half-space, and others that a sphere, a capsule and a cylinder press 10 mm into.
fn on_solids(world: &mut World, step: usize) -> anyhow::Result<()> {
    if step == 0 {
        let ring = world.add_shape(Torus::default().mesh()?)?;
        let half_space = world.add_shape(Shape::half_space())?;
        let solids = [Shape::sphere(0.3)?, Shape::capsule(0.2, 0.2)?, Shape::cylinder(0.2, 0.2)?]
            .map(|s| world.add_shape(s));
        world.add_collider(Collider::new(half_space).fixed(true))?;
        for _ in 0..OF_EACH {
            world.add_collider(Collider::new(ring))?;
        }
        for solid in solids {
            let solid = solid?;
            for _ in 0..OF_EACH {
                world.add_collider(Collider::new(ring))?;
                world.add_collider(Collider::new(solid).fixed(true))?;
            }
        }
    }
    let Torus { major, minor, .. } = Torus::default();
    let ids: Vec<_> = world.colliders().collect();
    for (k, id) in ids.into_iter().enumerate().skip(1) {
        let place = 3.0 * k as f64;
        if k <= OF_EACH {
            world.set_pose(id, pose([place, 0.0, minor - 0.005], step))?;
            continue;
        }
        let nth = (k - OF_EACH - 1) / 2;
        let radius = if nth < OF_EACH { 0.3 } else { 0.2 };
        let at = 3.0 * nth as f64;
        let is_solid = (k - OF_EACH - 1) % 2 == 1;
        let beside = if is_solid { major + minor + radius - 0.01 } else { 0.0 };
        world.set_pose(id, pose([at + beside, 10.0, 5.0], if is_solid { 0 } else { step }))?;
    }
    Ok(())
}

/// Rings as those in rows, of eight times as many triangles: more than a thousand boxes of them.
fn large(world: &mut World, step: usize) -> anyhow::Result<()> {
    if step == 0 {
        let ring = world.add_shape(Torus { around: 144, across: 64, ..Torus::default() }.mesh()?)?;
        for _ in 0..=LARGE {
            world.add_collider(Collider::new(ring))?;
        }
    }
    let ids: Vec<_> = world.colliders().collect();
    for (k, id) in ids.into_iter().enumerate() {
        world.set_pose(id, super::scene::pose(k, step))?;
    }
    Ok(())
}
