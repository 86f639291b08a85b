//! A rope in a loose knot.

use impinge_geometry::TriMesh;
use nalgebra::{Point3, Vector3};

use super::skin::Skin;
use super::{Check, GeneratorError};

/// The curve is taken from minus this to this.
const END: f64 = 2.25;
/// Steps by which it is measured.
const STEPS: u32 = 4096;

/// A closed tube along an overhand knot that is open at its ends: (t³ − 3t, t⁴ − 4t², 0.15 (t⁵ − 10t)), a long trefoil (Shastri 1992), of
/// `2 · along · across − 4` triangles. Ring `k` has the vertices from `k · across` on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rope {
    /// Metres for each unit of the formula. The curve is 37 units long, and its strands are 0.28 apart.
    pub unit: f64,
    /// Radius of the tube (m).
    pub radius: f64,
    /// Rings along the curve, at equal distances.
    pub along: u32,
    /// Corners of each.
    pub across: u32,
}

impl Default for Rope {
    fn default() -> Rope {
        Rope { unit: 0.1, radius: 0.01, along: 200, across: 6 }
    }
}

impl Rope {
    /// The mesh.
    ///
    /// # Errors
    /// [`GeneratorError`] for sizes that are not positive, a radius of 0.14 units or more, with which the strands would meet, and steps out of
    /// range.
    pub fn mesh(&self) -> Result<TriMesh, GeneratorError> {
        let check = Check("rope");
        check.length("unit", self.unit)?;
        check.length("radius", self.radius)?;
        check.below("radius", self.radius, 0.14 * self.unit, "it must be less than 0.14 units")?;
        check.steps("along", self.along, 3, "from 3 to 65536 steps are possible")?;
        check.steps("across", self.across, 3, "from 3 to 65536 steps are possible")?;
        let place = |t: f64| {
            let t2 = t * t;
            Point3::new(t * (t2 - 3.0), t2 * (t2 - 4.0), 0.15 * t * (t2 * t2 - 10.0)) * self.unit
        };
        let tangent = |t: f64| {
            let t2 = t * t;
            Vector3::new(3.0 * t2 - 3.0, t * (4.0 * t2 - 8.0), 0.15 * (5.0 * t2 * t2 - 10.0)).normalize()
        };
        let at = |step: u32| END * (2.0 * f64::from(step) / f64::from(STEPS) - 1.0);
        let mut lengths = vec![0.0];
        for step in 0..STEPS {
            lengths.push(lengths[step as usize] + (place(at(step + 1)) - place(at(step))).norm());
        }
        let whole = lengths[STEPS as usize];
        let mut skin = Skin::default();
        // A normal is carried along the curve and never turns about it.
        let mut normal = tangent(-END).cross(&Vector3::z()).normalize();
        for ring in 0..self.along {
            let wanted = whole * f64::from(ring) / f64::from(self.along - 1);
            let after = lengths.partition_point(|length| *length < wanted).clamp(1, STEPS as usize);
            let share = (wanted - lengths[after - 1]) / (lengths[after] - lengths[after - 1]);
            let t = at(after as u32 - 1) + (at(1) - at(0)) * share;
            let forward = tangent(t);
            normal = (normal - forward * normal.dot(&forward)).normalize();
            skin.circle(place(t), normal, forward.cross(&normal), self.radius, self.across);
        }
        skin.capped_mesh("rope")
    }
}
