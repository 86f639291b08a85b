//! A hand of five fingers, and the bones that its skin follows.

use std::f64::consts::FRAC_PI_2;

use impinge_geometry::{Joint, TriMesh};
use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};

use super::implicit::Grid;
use super::limb::{Limb, boxed, depth};
use super::{Check, GeneratorError};

/// Fingers, the thumb last, and bones of each.
const FINGERS: usize = 5;
const BONES: usize = 3;
/// Lengths of a finger's bones from the knuckle on, and its radii at their ends (m).
const LENGTHS: [f64; BONES] = [0.3, 0.32, 0.24];
const RADII: [f64; BONES + 1] = [0.09, 0.085, 0.08, 0.07];
/// How far to each side of a joint the skin follows both of its bones (m): more than half of what its inner side is bent by.
const BLEND: f64 = 0.11;
/// Skin farther than this from a finger's bones is the palm's (m).
const REACH: f64 = 0.14;
/// How far limbs that meet are rounded into each other (m).
const ROUNDING: f64 = 0.05;

/// An open hand, its palm up about the origin, its fingers along y and its thumb against x: some 10,000 triangles where cells are 0.045 m wide.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hand {
    /// Width of the cells that its surface is made in (m), from 0.02 to 0.06.
    pub cell: f64,
}

/// The hand, its bones, and how its skin follows them.
#[derive(Clone, Debug)]
pub struct HandModel {
    /// The surface, where all joints have the value 0.
    pub mesh: TriMesh,
    /// The joints that carry the bones: first the palm's, which is fixed, then three for each finger, which bend it inward.
    pub joints: Vec<Joint>,
    /// For every vertex four bones and their weights.
    pub influences: Vec<([u32; 4], [f32; 4])>,
}

impl Default for Hand {
    fn default() -> Hand {
        Hand { cell: 0.045 }
    }
}

impl HandModel {
    /// The bones of each finger, from the knuckle on, the thumb's last. Bone 0 is the palm.
    pub fn fingers() -> [[u32; BONES]; FINGERS] {
        std::array::from_fn(|finger| std::array::from_fn(|k| (1 + BONES * finger + k) as u32))
    }
}

impl Hand {
    /// The hand.
    ///
    /// # Errors
    /// [`GeneratorError`] for cells out of range.
    pub fn model(&self) -> Result<HandModel, GeneratorError> {
        if !(0.02..=0.06).contains(&self.cell) {
            return Err(Check("hand").fail("cell", self.cell, "from 0.02 to 0.06 m are possible"));
        }
        let knuckles: [Isometry3<f64>; FINGERS] = std::array::from_fn(knuckle);
        let limbs = limbs(&knuckles);
        let [low, high] = boxed(&limbs, ROUNDING);
        let grid = Grid::covering(low, high, self.cell);
        let (vertices, triangles) = grid.surface(|p: &Point3<f64>| depth(&limbs, ROUNDING, self.cell, p));
        let influences = vertices.iter().map(|p| influence(&knuckles, &p.cast())).collect();
        let mesh = TriMesh::new(vertices, triangles)
            .map_err(|source| GeneratorError::Mesh { mesh: "hand", source })?;
        let mut joints = vec![Joint::fixed()];
        for (knuckle, bones) in knuckles.iter().zip(HandModel::fingers()) {
            joints.push(Joint::revolute(Vector3::x()).on(0).at(*knuckle));
            for (k, length) in LENGTHS.iter().take(BONES - 1).enumerate() {
                let at = Isometry3::translation(0.0, *length, 0.0);
                joints.push(Joint::revolute(Vector3::x()).on(bones[k] as usize).at(at));
            }
        }
        Ok(HandModel { mesh, joints, influences })
    }
}

/// Where a finger begins (m): it lies along y and bends about x.
fn knuckle(finger: usize) -> Isometry3<f64> {
    let turn = |about: Vector3<f64>, angle: f64| UnitQuaternion::from_scaled_axis(about * angle);
    let lifted = turn(Vector3::x(), 0.3);
    if finger + 1 == FINGERS {
        let at = Vector3::new(-0.62, -0.2, 0.0);
        return Isometry3::from_parts(at.into(), turn(Vector3::z(), FRAC_PI_2) * lifted);
    }
    let x = 0.25 * (finger as f64 - 1.5);
    // Spread a little.
    Isometry3::from_parts(Vector3::new(x, 0.6, 0.0).into(), turn(Vector3::z(), -0.1 * x) * lifted)
}

/// Palm, wrist, and the fingers stretched out.
fn limbs(knuckles: &[Isometry3<f64>; FINGERS]) -> Vec<Limb> {
    let limb = |a: [f64; 3], b: [f64; 3], radii: [f64; 2]| Limb { ends: [a.into(), b.into()], radii };
    let mut limbs = vec![
        limb([0.0, -0.42, -0.05], [0.0, -0.85, -0.05], [0.18, 0.16]),
        // The heel of the hand, and the ball of the thumb.
        limb([-0.33, -0.46, 0.04], [0.33, -0.46, 0.04], [0.12, 0.12]),
        limb([-0.3, -0.2, -0.05], [-0.62, -0.2, 0.0], [0.13, RADII[0]]),
    ];
    for knuckle in &knuckles[..FINGERS - 1] {
        let at = knuckle.translation.vector;
        limbs.push(limb([at.x, -0.4, -0.05], [at.x, 0.42, -0.05], [0.14, 0.13]));
        limbs.push(limb([at.x, 0.42, -0.05], at.into(), [0.13, RADII[0]]));
    }
    for knuckle in knuckles {
        let mut at = 0.0;
        for (length, radii) in LENGTHS.iter().zip(RADII.windows(2)) {
            let ends = [at, at + length].map(|along| knuckle * Point3::new(0.0, along, 0.0));
            limbs.push(Limb { ends, radii: [radii[0], radii[1]] });
            at += length;
        }
    }
    limbs
}

/// The bones that a point of the skin follows (m): of the finger that it is nearest to, if it is near enough to that.
fn influence(knuckles: &[Isometry3<f64>; FINGERS], p: &Point3<f64>) -> ([u32; 4], [f32; 4]) {
    let mut nearest = (REACH, [0; BONES], 0.0);
    for (knuckle, bones) in knuckles.iter().zip(HandModel::fingers()) {
        let q = knuckle.inverse_transform_point(p);
        let aside = q.x.hypot(q.z);
        if q.y > -BLEND && aside < nearest.0 {
            nearest = (aside, bones, q.y);
        }
    }
    let (_, bones, along) = nearest;
    if bones == [0; BONES] {
        return ([0; 4], [1.0, 0.0, 0.0, 0.0]);
    }
    // How much of a point follows what is beyond each joint.
    let mut joint = 0.0;
    let beyond: [f64; BONES] = std::array::from_fn(|k| {
        let share = ((along - joint + BLEND) / (2.0 * BLEND)).clamp(0.0, 1.0);
        joint += LENGTHS[k];
        share * share * (3.0 - 2.0 * share)
    });
    let [a, b, c] = beyond;
    let weights = [1.0 - a, a * (1.0 - b), a * b * (1.0 - c), a * b * c];
    ([0, bones[0], bones[1], bones[2]], weights.map(|weight| weight as f32))
}
