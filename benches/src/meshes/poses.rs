//! Where two meshes stand: overlapping, apart by a hair, apart; and small steps along a path.

use std::f64::consts::TAU;

use impinge_scenes::mesh::Tunnel;
use impinge_scenes::random::Random;
use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};

use crate::mesh_peers::Ours;

/// Poses of A and B.
pub type Placement = [Isometry3<f64>; 2];

/// How many poses of each sort, and how near or deep.
#[derive(Clone, Copy, Debug)]
pub struct Mix {
    /// Overlapping poses.
    pub colliding: usize,
    /// Poses at which the meshes come free by `gap` (m) along the line of their origins.
    pub near_misses: usize,
    /// Poses well apart.
    pub clear: usize,
    /// The gap of near misses (m).
    pub gap: f64,
    /// How far beyond first touch overlapping poses are moved.
    pub overlap: Overlap,
}

/// How far beyond first touch.
#[derive(Clone, Copy, Debug)]
pub enum Overlap {
    /// Shares of the way from first touch to coinciding origins, at most this.
    Share(f64),
    /// From this to that (m), evenly on a logarithmic scale.
    Length(f64, f64),
}

/// Two rotations, a line, and where along it B comes free of A.
struct Approach {
    rotations: [UnitQuaternion<f64>; 2],
    line: Vector3<f64>,
    /// The least distance of the origins at which the pair is free (m), to a millionth of the gap.
    free: f64,
    /// Beyond this distance the bounding spheres are apart (m).
    reach: f64,
}

impl Approach {
    fn at(&self, distance: f64) -> Placement {
        place(&self.rotations, &(self.line * distance))
    }
}

fn place(rotations: &[UnitQuaternion<f64>; 2], shift: &Vector3<f64>) -> Placement {
    // The origin of neither stands at the world's, as in any scene.
    let at = Vector3::new(0.3, -0.2, 0.1);
    [
        Isometry3::from_parts(Translation3::from(at), rotations[0]),
        Isometry3::from_parts(Translation3::from(at + shift), rotations[1]),
    ]
}

/// Makes poses; judges by exact tests alone.
pub struct Poses<'o> {
    pub oracle: &'o mut Ours,
    /// The bounding spheres about the origins of both meshes reach no farther than this together (m).
    pub reach: f64,
    pub random: Random,
}

impl Poses<'_> {
    fn touching(&mut self, placement: &Placement) -> bool {
        self.oracle.touching(&placement[0], &placement[1])
    }

    /// Comes along a random line from outside until the meshes touch; `None` where they never do.
    fn approach(&mut self, gap: f64) -> Option<Approach> {
        let rotations = [self.random.rotation(), self.random.rotation()];
        let line = self.random.direction();
        let mut found = Approach { rotations, line, free: self.reach, reach: self.reach };
        let reach = self.reach;
        let mut touching = (0..64).map(|k| reach * f64::from(63 - k) / 64.0).find(|&distance| {
            let touching = self.touching(&found.at(distance));
            if !touching {
                found.free = distance;
            }
            touching
        })?;
        while found.free - touching > gap * 1e-6 {
            let middle = 0.5 * (touching + found.free);
            if self.touching(&found.at(middle)) { touching = middle } else { found.free = middle }
        }
        Some(found)
    }

    /// Poses in a random order.
    pub fn mixed(&mut self, mix: &Mix) -> Vec<Placement> {
        let mut left = [mix.colliding, mix.near_misses, mix.clear];
        let mut found = Vec::new();
        while left.iter().sum::<usize>() > 0 {
            let Some(approach) = self.approach(mix.gap) else { continue };
            let sort = (0..3).filter(|&k| left[k] > 0).collect::<Vec<_>>();
            let sort = sort[self.random.index(sort.len())];
            let distance = match sort {
                0 => match mix.overlap {
                    Overlap::Share(share) => approach.free * (1.0 - share * self.random.unit()),
                    Overlap::Length(low, high) => approach.free - low * (high / low).powf(self.random.unit()),
                },
                1 => approach.free + mix.gap,
                _ => approach.free + (approach.reach - approach.free) * (0.05 + 0.9 * self.random.unit()),
            };
            let placement = approach.at(distance);
            if self.touching(&placement) == (sort == 0) {
                left[sort] -= 1;
                found.push(placement);
            }
        }
        found
    }

    /// Small steps: B swings `swing` (m) to both sides of first touch and turns slowly.
    pub fn steps(&mut self, count: usize, swing: f64, turn: f64) -> Vec<Placement> {
        let approach = loop {
            if let Some(approach) = self.approach(1e-3) {
                break approach;
            }
        };
        let axis = nalgebra::Unit::new_normalize(self.random.direction());
        (0..count)
            .map(|k| {
                let share = k as f64 / count as f64;
                let distance = approach.free + swing * (TAU * share).cos();
                let turned = UnitQuaternion::from_axis_angle(&axis, turn * k as f64);
                place(&[approach.rotations[0], turned * approach.rotations[1]], &(approach.line * distance))
            })
            .collect()
    }
}

/// Frames of a flight through the tunnel (A) with the ship (B): `count` of them between two shares of
/// its length. The pilot weaves and rolls, and does not look.
pub fn flight(tunnel: &Tunnel, from: f64, to: f64, count: usize) -> Vec<Placement> {
    (0..count)
        .map(|k| {
            let share = from + (to - from) * k as f64 / count as f64;
            let (center, along) = tunnel.center(share);
            // Out of the middle by half the radius and more: the tips of the wings come near the wall.
            let (sin, cos) = (23.0 * share).sin_cos();
            let out = tunnel.radius * (0.5 + 0.12 * (31.0 * share).sin());
            let aside = Vector3::new(0.0, cos, sin) * out;
            let heading = UnitQuaternion::rotation_between(&Vector3::x(), &along).unwrap_or_default();
            let roll = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), 0.9 * (17.0 * share).sin());
            let at = center + aside;
            [Isometry3::identity(), Isometry3::from_parts(Translation3::from(at), heading * roll)]
        })
        .collect()
}
