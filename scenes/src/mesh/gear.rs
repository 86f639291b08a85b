//! Spur gears.

use std::f64::consts::TAU;

use impinge_geometry::TriMesh;
use nalgebra::Point3;

use super::skin::Skin;
use super::{Check, GeneratorError};

/// Corners of the outline per tooth.
const CORNERS: u32 = 6;

/// A spur gear around z with straight-flanked teeth and a round bore, of `48 · teeth` triangles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gear {
    /// Number of teeth.
    pub teeth: u32,
    /// Radius of the tips (m).
    pub outer: f64,
    /// Radius between the teeth (m).
    pub root: f64,
    /// Radius of the bore (m).
    pub bore: f64,
    /// Half the width (m).
    pub half_width: f64,
}

impl Default for Gear {
    fn default() -> Gear {
        Gear { teeth: 14, outer: 0.39, root: 0.3, bore: 0.14, half_width: 0.11 }
    }
}

impl Gear {
    /// The mesh.
    ///
    /// # Errors
    /// [`GeneratorError`] unless 0 < bore < root < outer, the width is positive and there are from
    /// 3 to 10,000 teeth.
    pub fn mesh(&self) -> Result<TriMesh, GeneratorError> {
        let check = Check("gear");
        check.length("outer", self.outer)?;
        check.length("root", self.root)?;
        check.length("bore", self.bore)?;
        check.length("half_width", self.half_width)?;
        check.below("root", self.root, self.outer, "it must be less than outer")?;
        check.below("bore", self.bore, self.root, "it must be less than root")?;
        if !(3..=10_000).contains(&self.teeth) {
            return Err(check.fail("teeth", f64::from(self.teeth), "from 3 to 10000 teeth are possible"));
        }
        let mut skin = Skin::default();
        for tooth in 0..self.teeth {
            for corner in 0..CORNERS {
                // Angle within the tooth's share of the turn, and the radius there.
                let (share, radius) = [
                    (0.00, self.root),
                    (0.18, self.root),
                    (0.36, self.root),
                    (0.48, self.outer),
                    (0.68, self.outer),
                    (0.88, self.outer),
                ][corner as usize];
                let angle = TAU * (f64::from(tooth) + share) / f64::from(self.teeth);
                let (sin, cos) = libm::sincos(angle);
                let h = self.half_width;
                let section = [(radius, h), (radius, -h), (self.bore, -h), (self.bore, h)];
                skin.ring(section.map(|(r, z)| Point3::new(r * cos, r * sin, z)));
            }
        }
        skin.mesh("gear", true)
    }

    /// Volume of the mesh in exact arithmetic (m³).
    pub fn volume(&self) -> f64 {
        let step = |from: f64, to: f64| libm::sin(TAU * (to - from) / f64::from(self.teeth));
        let (r, o) = (self.root, self.outer);
        let sides = [
            (0.00, 0.18, r * r),
            (0.18, 0.36, r * r),
            (0.36, 0.48, r * o),
            (0.48, 0.68, o * o),
            (0.68, 0.88, o * o),
            (0.88, 1.00, o * r),
        ];
        let area: f64 =
            sides.iter().map(|&(a, b, product)| 0.5 * (product - self.bore * self.bore) * step(a, b)).sum();
        area * f64::from(self.teeth) * 2.0 * self.half_width
    }
}
