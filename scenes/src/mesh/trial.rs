//! Bodies for trials, organic and machined: closed, sound, of any fineness, and no two seeds alike.

use impinge_geometry::TriMesh;
use nalgebra::{Point3, UnitQuaternion, Vector3};

use super::blocks::{Block, Blocks, is_in};
use super::skin::Skin;
use super::{Animal, Check, GeneratorError};
use crate::random::Random;

/// A kind of body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TrialKind {
    /// An [`Animal`].
    Animal,
    /// An L of two plates with windows, and a rib between them.
    Bracket,
    /// An open box with ribs, posts and a window.
    Housing,
    /// A pointed cone.
    Spike,
    /// A long beam.
    Bar,
    /// A thin slab.
    Plate,
}

impl TrialKind {
    /// All of them.
    pub const ALL: [TrialKind; 6] = [
        TrialKind::Animal,
        TrialKind::Bracket,
        TrialKind::Housing,
        TrialKind::Spike,
        TrialKind::Bar,
        TrialKind::Plate,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            TrialKind::Animal => "animal",
            TrialKind::Bracket => "bracket",
            TrialKind::Housing => "housing",
            TrialKind::Spike => "spike",
            TrialKind::Bar => "bar",
            TrialKind::Plate => "plate",
        }
    }
}

/// A body for trials.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trial {
    /// The kind.
    pub kind: TrialKind,
    /// Radius of its bounding sphere (m), which is around the origin.
    pub radius: f64,
    /// How many triangles it has, roughly: from 1,000 to 200,000.
    pub triangles: u32,
    /// Which one of its kind. Every other body of blocks is tilted, so that its faces lie along no axis.
    pub seed: u64,
}

impl Trial {
    /// The mesh.
    ///
    /// # Errors
    /// [`GeneratorError`] for a radius or number of triangles out of range.
    pub fn mesh(&self) -> Result<TriMesh, GeneratorError> {
        let kind = self.kind.name();
        let check = Check(kind);
        check.length("radius", self.radius)?;
        if !(1_000..=200_000).contains(&self.triangles) {
            return Err(check.fail(
                "triangles",
                f64::from(self.triangles),
                "from 1000 to 200000 are possible",
            ));
        }
        let mut random = Random::new(self.seed ^ 0x7a1a);
        let tilt = if self.seed.is_multiple_of(2) { UnitQuaternion::identity() } else { random.rotation() };
        let mesh = match self.kind {
            TrialKind::Animal => Animal { size: 1.0, triangles: self.triangles, seed: self.seed }.mesh()?,
            TrialKind::Spike => spike(&mut random, self.triangles)?,
            _ => {
                let (filled, empty) = match self.kind {
                    TrialKind::Bracket => bracket(&mut random),
                    TrialKind::Housing => housing(&mut random),
                    TrialKind::Bar => slab(&mut random, [0.12, 0.15]),
                    _ => slab(&mut random, [0.8, 0.05]),
                };
                let all: Vec<Block> = filled.iter().chain(&empty).copied().collect();
                let is_filled = |p: &Point3<f64>| {
                    filled.iter().any(|b| is_in(b, p)) && !empty.iter().any(|b| is_in(b, p))
                };
                Blocks::of(&all).mesh(kind, self.triangles, &tilt, is_filled)?
            }
        };
        // To the size that was asked for.
        let sphere = mesh.bounding_sphere();
        let (middle, scale) = (sphere.center.cast::<f64>(), self.radius / f64::from(sphere.radius));
        let vertices =
            mesh.vertices().iter().map(|p| Point3::from((p.cast::<f64>() - middle) * scale).cast()).collect();
        TriMesh::new(vertices, mesh.triangles().to_vec())
            .map_err(|source| GeneratorError::Mesh { mesh: kind, source })
    }
}

/// Blocks that are filled, and those that are cut out of them.
type Plan = (Vec<Block>, Vec<Block>);

fn bracket(random: &mut Random) -> Plan {
    let mut between = |low: f64, high: f64| low + (high - low) * random.unit();
    let (width, height, depth) = (between(0.7, 1.1), between(0.6, 1.1), between(0.35, 0.8));
    let thick = between(0.07, 0.14);
    let rib = between(0.4, 0.55) * depth;
    let mut filled =
        vec![[[0.0, 0.0, 0.0], [width, depth, thick]], [[0.0, 0.0, 0.0], [thick, depth, height]]];
    // The rib goes up in steps.
    for k in 1..=4 {
        let share = f64::from(k) / 5.0;
        let out = thick + (width - thick) * 0.8 * (1.0 - share);
        let up = thick + (height - thick) * 0.8 * share;
        filled.push([[0.0, rib, 0.0], [out, rib + 0.8 * thick, up]]);
    }
    // Two windows through the foot on either side of the rib, one through the wall above it.
    let foot = |low: f64, high: f64| [[0.6 * width, low, -0.01], [0.85 * width, high, thick + 0.01]];
    let empty = vec![
        foot(0.25 * rib, 0.75 * rib),
        foot(rib + 0.8 * thick + 0.2 * (depth - rib), rib + 0.8 * thick + 0.5 * (depth - rib)),
        [[-0.01, 0.3 * depth, 0.88 * height], [thick + 0.01, 0.7 * depth, 0.95 * height]],
    ];
    (filled, empty)
}

fn housing(random: &mut Random) -> Plan {
    let mut between = |low: f64, high: f64| low + (high - low) * random.unit();
    let size = [between(0.8, 1.2), between(0.6, 0.9), between(0.35, 0.7)];
    let wall = between(0.05, 0.09);
    let [x, y, z] = size;
    let mut filled = vec![
        [[0.0; 3], [x, y, wall]],
        [[0.0; 3], [wall, y, z]],
        [[x - wall, 0.0, 0.0], size],
        [[0.0; 3], [x, wall, z]],
        [[0.0, y - wall, 0.0], size],
    ];
    // Ribs across the floor, and a post in each of two corners.
    for k in 1..=3 {
        let at = x * f64::from(k) / 4.0;
        filled.push([[at, 0.0, 0.0], [at + 0.7 * wall, y, wall + 0.15 * z]]);
    }
    let post = 2.2 * wall;
    filled.push([[0.0; 3], [post, post, 0.85 * z]]);
    filled.push([[x - post, y - post, 0.0], [x, y, 0.85 * z]]);
    // A window through the front.
    let empty = vec![[[0.4 * x, -0.01, 0.5 * z], [0.7 * x, wall + 0.01, 0.85 * z]]];
    (filled, empty)
}

/// A box of length 1; `shape`: about how wide and how thick.
fn slab(random: &mut Random, shape: [f64; 2]) -> Plan {
    let [width, thick] = shape.map(|x| x * (1.0 + 0.3 * random.signed()));
    (vec![[[0.0; 3], [1.0, width, thick]]], vec![])
}

/// A cone along z, its point up.
fn spike(random: &mut Random, triangles: u32) -> Result<TriMesh, GeneratorError> {
    let slope = 0.12 + 0.3 * random.unit();
    // Twice as many squares along the side as around it; each is two triangles.
    let around = ((f64::from(triangles) / 4.0).sqrt() as u32).max(8);
    let along = (triangles / (2 * around)).saturating_sub(4).max(4);
    let mut skin = Skin::default();
    skin.ring([Point3::origin()]);
    for k in 1..=3u32 {
        skin.circle(Point3::origin(), Vector3::x(), Vector3::y(), slope * f64::from(k) / 4.0, around);
    }
    for k in 0..along {
        let z = f64::from(k) / f64::from(along);
        skin.circle(Point3::new(0.0, 0.0, z), Vector3::x(), Vector3::y(), slope * (1.0 - z), around);
    }
    skin.ring([Point3::new(0.0, 0.0, 1.0)]);
    skin.mesh("spike", false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trial_bodies_are_sound_in_one_piece_and_as_fine_as_asked() {
        for kind in TrialKind::ALL {
            for (seed, triangles) in [(0, 2_700), (1, 2_000), (2, 6_000), (3, 20_000)] {
                let trial = Trial { kind, radius: 0.42, triangles, seed };
                let mesh = trial.mesh().unwrap();
                let name = format!("{} {seed}", kind.name());
                assert!(mesh.is_closed(), "{name}: {:?}", mesh.report());
                assert!(mesh.report().defects.is_empty(), "{name}: {:?}", mesh.report());
                assert_eq!(mesh.components().len(), 1, "{name}");
                let mass = mesh.mass_properties().unwrap();
                assert!(mass.volume > 1e-3 * 0.42f64.powi(3), "{name}: {}", mass.volume);
                let count = mesh.triangles().len() as f64 / f64::from(triangles);
                assert!((0.5..2.0).contains(&count), "{name}: {} triangles", mesh.triangles().len());
                let radius = mesh.bounding_sphere().radius;
                assert!((f64::from(radius) - 0.42).abs() < 1e-3, "{name}: {radius}");
            }
        }
    }

    #[test]
    fn seeds_differ_and_a_seed_is_the_same_again() {
        let animal = |seed| {
            Trial { kind: TrialKind::Animal, radius: 1.0, triangles: 2_000, seed }
                .mesh()
                .unwrap()
                .vertices()
                .to_vec()
        };
        assert_eq!(animal(4), animal(4));
        assert_ne!(animal(4), animal(5));
    }
}
