//! Four-legged bodies of blobs and limbs.

use impinge_geometry::TriMesh;
use nalgebra::{Point3, Vector3};

use super::implicit::Grid;
use super::limb::{Limb, boxed, depth};
use super::{Check, GeneratorError};
use crate::random::Random;

/// An animal: a trunk of two or three blobs, four legs with knees, a neck with a head, ears and a tail, grown
/// together smoothly. No two seeds give the same.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Animal {
    /// Length of the trunk, roughly (m).
    pub size: f64,
    /// How many triangles it has, roughly: from 1,000 to 200,000.
    pub triangles: u32,
    /// Which animal.
    pub seed: u64,
}

impl Default for Animal {
    fn default() -> Animal {
        Animal { size: 0.4, triangles: 6000, seed: 1 }
    }
}

/// How far limbs that meet are rounded into each other, for a trunk of length 1.
const ROUNDING: f64 = 0.08;

impl Animal {
    /// The mesh, for a trunk around the origin along x.
    ///
    /// # Errors
    /// [`GeneratorError`] for a size or number of triangles out of range.
    pub fn mesh(&self) -> Result<TriMesh, GeneratorError> {
        let check = Check("animal");
        check.length("size", self.size)?;
        if !(1_000..=200_000).contains(&self.triangles) {
            return Err(check.fail(
                "triangles",
                f64::from(self.triangles),
                "from 1000 to 200000 are possible",
            ));
        }
        let limbs = limbs(&mut Random::new(self.seed ^ 0xa41a));
        let [low, high] = boxed(&limbs, ROUNDING);
        // A limb no thinner than the grid is in one piece. The number of triangles grows with the square of the
        // grid's fineness: a coarse one tells how fast.
        let surface = |step: f64| {
            Grid::covering(low, high, step).surface(|p: &Point3<f64>| depth(&limbs, ROUNDING, step, p))
        };
        let mut step = 0.05;
        for _ in 0..2 {
            step *= (surface(step).1.len() as f64 / f64::from(self.triangles)).sqrt();
        }
        let (vertices, triangles) = surface(step);
        let vertices = vertices.iter().map(|p| p * self.size as f32).collect();
        TriMesh::new(vertices, triangles).map_err(|source| GeneratorError::Mesh { mesh: "animal", source })
    }
}

/// The limbs of an animal whose trunk is about 1 long.
fn limbs(random: &mut Random) -> Vec<Limb> {
    let mut limbs = Vec::new();
    let mut vary = |usual: f64, by: f64| usual * (1.0 + by * random.signed());
    let mut limb = |a: Point3<f64>, b: Point3<f64>, r: [f64; 2]| limbs.push(Limb { ends: [a, b], radii: r });
    let (front, back) = (vary(0.38, 0.2), -vary(0.38, 0.2));
    let girth = [vary(0.22, 0.25), vary(0.24, 0.25)];
    limb(Point3::new(back, 0.0, 0.0), Point3::new(front, 0.0, vary(0.03, 1.0)), girth);
    // Legs: hip, knee, foot.
    let length = vary(0.5, 0.35);
    let thickness = vary(0.085, 0.15);
    for (x, girth) in [(back, girth[0]), (front, girth[1])] {
        for side in [-1.0, 1.0] {
            let hip = Point3::new(x, side * 0.6 * girth, -0.3 * girth);
            let knee = hip + Vector3::new(vary(0.06, 1.5), side * vary(0.05, 1.0), -0.5 * length);
            let foot = knee + Vector3::new(vary(-0.06, 1.5), side * vary(0.02, 3.0), -0.5 * length);
            limb(hip, knee, [1.3 * thickness, thickness]);
            limb(knee, foot, [thickness, 0.85 * thickness]);
            limb(foot, foot + Vector3::x() * vary(0.08, 0.5), [0.85 * thickness; 2]);
        }
    }
    // Neck, head, snout and ears.
    let neck = Point3::new(front, 0.0, 0.08);
    let nape = neck + Vector3::new(vary(0.22, 0.4), vary(0.05, 2.0), vary(0.28, 0.6));
    limb(neck, nape, [0.13, 0.1]);
    let head = vary(0.14, 0.2);
    limb(nape, nape + Vector3::x() * 0.05, [head; 2]);
    limb(nape, nape + Vector3::new(vary(0.26, 0.3), 0.0, vary(-0.06, 1.0)), [0.09, 0.065]);
    let ear = vary(0.2, 0.5);
    for side in [-1.0, 1.0] {
        let at = nape + Vector3::new(-0.02, side * 0.6 * head, 0.5 * head);
        limb(at, at + Vector3::new(-0.2 * ear, side * 0.5 * ear, ear), [0.065, 0.055]);
    }
    // A tail of three bends.
    let (mut at, mut way) =
        (Point3::new(back - 0.5 * girth[0], 0.0, 0.4 * girth[0]), Vector3::new(-0.2, 0.0, 0.02));
    for k in 0..3 {
        let next = at + way * vary(1.0, 0.3);
        limb(at, next, [0.07 - 0.003 * f64::from(k), 0.067 - 0.003 * f64::from(k)]);
        (at, way) = (next, way + Vector3::new(0.04, vary(0.06, 2.0), vary(0.07, 1.5)));
    }
    limbs
}
