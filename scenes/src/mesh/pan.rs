//! A frying pan.

use std::f64::consts::TAU;

use impinge_geometry::TriMesh;
use nalgebra::Point3;

use super::skin::Skin;
use super::{Check, GeneratorError};

/// Corners of the body's rings, and rings.
const BODY: [u32; 2] = [256, 150];
/// Corners of the handle's rings, and rings.
const HANDLE: [u32; 2] = [32, 80];

/// A round pan that opens toward +z, the middle of its bottom at the origin, with a handle along +x;
/// closed, in two pieces, of [`Pan::TRIANGLES`] triangles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pan {
    /// Radius of the bottom (m).
    pub bottom: f64,
    /// Radius of the rim (m).
    pub rim: f64,
    /// Height of the wall (m).
    pub height: f64,
    /// Thickness of bottom and wall (m).
    pub wall: f64,
    /// Length of the handle (m).
    pub handle: f64,
}

impl Default for Pan {
    fn default() -> Pan {
        Pan { bottom: 0.13, rim: 0.16, height: 0.045, wall: 0.005, handle: 0.2 }
    }
}

impl Pan {
    /// How many triangles every pan has.
    pub const TRIANGLES: u32 = 2 * BODY[0] * BODY[1] + 2 * HANDLE[0] * HANDLE[1];

    /// The mesh.
    ///
    /// # Errors
    /// [`GeneratorError`] for a size that is not positive, a wall as thick as the bottom is wide or the wall
    /// is high, or a rim narrower than the bottom.
    pub fn mesh(&self) -> Result<TriMesh, GeneratorError> {
        let check = Check("pan");
        for (name, value) in [
            ("bottom", self.bottom),
            ("rim", self.rim),
            ("height", self.height),
            ("wall", self.wall),
            ("handle", self.handle),
        ] {
            check.length(name, value)?;
        }
        check.below(
            "wall",
            self.wall,
            self.bottom.min(self.height),
            "it must be less than bottom and height",
        )?;
        check.below("bottom", self.bottom, self.rim * (1.0 + 1e-12), "it must be at most rim")?;
        let (body, handle) = (self.body()?, self.grip()?);
        let first = body.vertices().len() as u32;
        let vertices = body.vertices().iter().chain(handle.vertices()).copied().collect();
        let later = handle.triangles().iter().map(|t| t.map(|v| v + first));
        let triangles = body.triangles().iter().copied().chain(later).collect();
        TriMesh::new(vertices, triangles).map_err(|source| GeneratorError::Mesh { mesh: "pan", source })
    }

    /// Bottom and wall: from the middle below, over the rim, to the middle within.
    fn body(&self) -> Result<TriMesh, GeneratorError> {
        let (w, h) = (self.wall, self.height);
        let corners = [
            [0.0, -w],
            [self.bottom, -w],
            [self.rim, h - 0.5 * w],
            [self.rim - 0.5 * w, h],
            [self.rim - w, h - 0.5 * w],
            [self.bottom - w, 0.0],
            [0.0, 0.0],
        ];
        let steps = [40, 30, 3, 3, 30, 45];
        let mut skin = Skin::default();
        skin.ring([Point3::new(0.0, 0.0, -w)]);
        let mut rings = 0;
        for (leg, count) in steps.iter().enumerate() {
            let ([r0, z0], [r1, z1]) = (corners[leg], corners[leg + 1]);
            for k in 1..=*count {
                let t = f64::from(k) / f64::from(*count);
                let (radius, z) = (r0 + (r1 - r0) * t, z0 + (z1 - z0) * t);
                if leg + 1 < steps.len() || k < *count {
                    skin.circle(
                        Point3::new(0.0, 0.0, z),
                        nalgebra::Vector3::x(),
                        nalgebra::Vector3::y(),
                        radius,
                        BODY[0],
                    );
                    rings += 1;
                }
            }
        }
        debug_assert_eq!(rings, BODY[1]);
        skin.ring([Point3::origin()]);
        skin.mesh("pan", false)
    }

    /// The handle, round at both ends, rising a little.
    fn grip(&self) -> Result<TriMesh, GeneratorError> {
        let start = self.rim - 2.0 * self.wall;
        let at =
            |t: f64| Point3::new(start + self.handle * t, 0.0, 0.7 * self.height + 0.15 * self.handle * t);
        let mut skin = Skin::default();
        skin.ring([at(0.0)]);
        for k in 1..=HANDLE[1] {
            let t = f64::from(k) / f64::from(HANDLE[1] + 1);
            // An ellipse's ends, a bar between.
            let ends = (1.0 - (2.0 * t - 1.0).powi(8)).sqrt();
            skin.ring((0..HANDLE[0]).map(|j| {
                let (sin, cos) = libm::sincos(TAU * f64::from(j) / f64::from(HANDLE[0]));
                at(t)
                    + nalgebra::Vector3::new(0.0, 2.6 * self.wall * ends * cos, 1.2 * self.wall * ends * sin)
            }));
        }
        skin.ring([at(1.0)]);
        skin.mesh("pan", false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pan_is_closed_and_of_the_number_of_triangles_that_it_says() {
        let mesh = Pan::default().mesh().unwrap();
        assert_eq!(mesh.triangles().len(), 81_920);
        assert!(mesh.is_closed());
        assert_eq!(mesh.components().len(), 2);
        let volume = impinge_geometry::Shape::from(mesh).mass_properties().unwrap().volume;
        // Bottom, wall and handle, about; positive: the surface points outward.
        assert!(volume > 4e-4 && volume < 8e-4, "{volume}");
        assert!(Pan { wall: 0.2, ..Pan::default() }.mesh().is_err());
        assert!(Pan { rim: 0.1, ..Pan::default() }.mesh().is_err());
    }
}
