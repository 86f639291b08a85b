//! A winding tunnel with obstacles.

use std::f64::consts::TAU;

use impinge_geometry::TriMesh;
use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};

use super::assembly::joined;
use super::skin::Skin;
use super::{Blob, Check, GeneratorError, Torus};
use crate::random::Random;

/// Steps around the tunnel.
const AROUND: u32 = 80;
/// Rings of the inner side of the wall; the outer side needs fewer.
const INNER: u32 = 350;
/// Rings of the outer side.
const OUTER: u32 = 25;

/// A winding tunnel along x with a rough wall of some thickness; in it hang rocks of two sizes and one
/// ring to fly through. Closed, in 14 pieces, of [`Tunnel::TRIANGLES`] triangles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tunnel {
    /// Length (m).
    pub length: f64,
    /// Radius of the free space, on average (m).
    pub radius: f64,
    /// Thickness of the wall, on average (m).
    pub wall: f64,
    /// How far the middle of the tunnel wanders from the x axis (m).
    pub winding: f64,
    /// Which rocks and which roughness.
    pub seed: u64,
}

impl Default for Tunnel {
    fn default() -> Tunnel {
        Tunnel { length: 60.0, radius: 2.0, wall: 0.5, winding: 2.0, seed: 11 }
    }
}

impl Tunnel {
    /// How many triangles every tunnel has: the wall, four large and eight small rocks, a ring.
    pub const TRIANGLES: u32 = 2 * AROUND * (INNER + OUTER) + 4 * 1280 + 8 * 320 + 2 * 47 * 23;

    /// The mesh.
    ///
    /// # Errors
    /// [`GeneratorError`] for a size that is not positive.
    pub fn mesh(&self) -> Result<TriMesh, GeneratorError> {
        let check = Check("tunnel");
        for (name, value) in
            [("length", self.length), ("radius", self.radius), ("wall", self.wall), ("winding", self.winding)]
        {
            check.length(name, value)?;
        }
        let mut parts = vec![(Isometry3::identity(), self.wall()?)];
        let mut random = Random::new(self.seed);
        for k in 0..12u32 {
            let large = k % 3 == 0;
            let blob = Blob {
                radius: self.radius * if large { 0.16 } else { 0.1 },
                bump: self.radius * if large { 0.1 } else { 0.06 },
                subdivisions: if large { 3 } else { 2 },
                seed: u64::from(k) + 1,
                ..Blob::default()
            };
            let (center, _) = self.center((f64::from(k) + 1.0) / 14.0);
            let (sin, cos) = libm::sincos(TAU * random.unit());
            let aside = Vector3::new(0.0, cos, sin) * (self.radius * (0.4 + 0.2 * random.unit()));
            let pose = Isometry3::from_parts(Translation3::from(center + aside), random.rotation());
            parts.push((pose, blob.mesh()?));
        }
        let ring = Torus { major: 0.8 * self.radius, minor: 0.08 * self.radius, around: 47, across: 23 };
        let (center, along) = self.center(13.0 / 14.0);
        let turn = UnitQuaternion::rotation_between(&Vector3::z(), &along).unwrap_or_default();
        parts.push((Isometry3::from_parts(Translation3::from(center), turn), ring.mesh()?));
        joined(&parts, "tunnel")
    }

    /// The middle of the tunnel and the direction in which it goes on (unit), at a share of its length.
    pub fn center(&self, share: f64) -> (Vector3<f64>, Vector3<f64>) {
        let at = |share: f64| {
            let y = self.winding * libm::sin(2.0 * TAU * share);
            let z = self.winding * 0.5 * libm::sin(3.0 * TAU * share + 1.0);
            Vector3::new(self.length * (share - 0.5), y, z)
        };
        let ahead = at(share + 1e-4) - at(share - 1e-4);
        (at(share), ahead.normalize())
    }

    fn wall(&self) -> Result<TriMesh, GeneratorError> {
        let mut skin = Skin::default();
        let mut ring = |share: f64, outside: f64| {
            let (center, along) = self.center(share);
            let n = along.cross(&Vector3::y()).normalize();
            let b = along.cross(&n);
            skin.ring((0..AROUND).map(|k| {
                let angle = TAU * f64::from(k) / f64::from(AROUND);
                let (sin, cos) = libm::sincos(angle);
                let rough = libm::sin(5.0 * angle + 40.0 * share) * libm::sin(170.0 * share)
                    + 0.5 * libm::sin(11.0 * angle - 230.0 * share);
                let radius = self.radius * (1.0 + 0.06 * rough) + outside;
                Point3::from(center + (n * cos + b * sin) * radius)
            }));
        };
        for k in 0..OUTER {
            ring(f64::from(k) / f64::from(OUTER - 1), self.wall);
        }
        for k in (0..INNER).rev() {
            ring(f64::from(k) / f64::from(INNER - 1), 0.0);
        }
        skin.mesh("tunnel", true)
    }
}
