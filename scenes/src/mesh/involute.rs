//! Spur gears with involute teeth.

use std::f64::consts::{PI, TAU};

use impinge_geometry::TriMesh;
use nalgebra::Point3;

use super::skin::Skin;
use super::{Check, GeneratorError};

/// Corners of a flank above its base.
const FLANK: u32 = 6;
/// Share of a tooth's part of the turn by which the root lies beside the base of the flank.
const FILLET: f64 = 0.03;

/// A spur gear around z with involute flanks and a round bore. Two of one module and pressure angle mesh
/// when their axes stand apart by the sum of their pitch radii. Tooth 0 stands around +x.
///
/// Source: ISO 53 (proportions of the basic rack), for the flanks any textbook of gearing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InvoluteGear {
    /// Number of teeth.
    pub teeth: u32,
    /// Pitch diameter over number of teeth (m).
    pub module: f64,
    /// Pressure angle (rad).
    pub pressure: f64,
    /// By how much a tooth is thinner at the pitch circle than half the pitch (m).
    pub backlash: f64,
    /// Radius of the bore (m).
    pub bore: f64,
    /// Half the width (m).
    pub half_width: f64,
}

impl Default for InvoluteGear {
    fn default() -> InvoluteGear {
        InvoluteGear {
            teeth: 18,
            module: 0.04,
            pressure: PI / 9.0,
            backlash: 0.002,
            bore: 0.12,
            half_width: 0.08,
        }
    }
}

impl InvoluteGear {
    /// Radius at which it meets another (m).
    pub fn pitch_radius(&self) -> f64 {
        0.5 * self.module * f64::from(self.teeth)
    }

    /// The mesh.
    ///
    /// # Errors
    /// [`GeneratorError`] for a size that is not positive, a pressure angle outside 0.17 to 0.6, a bore
    /// or a backlash that leaves no tooth, or fewer than 6 or more than 10,000 teeth.
    pub fn mesh(&self) -> Result<TriMesh, GeneratorError> {
        let check = Check("involute gear");
        check.length("module", self.module)?;
        check.length("bore", self.bore)?;
        check.length("half_width", self.half_width)?;
        if !(6..=10_000).contains(&self.teeth) {
            return Err(check.fail("teeth", f64::from(self.teeth), "from 6 to 10000 teeth are possible"));
        }
        if !(0.17..=0.6).contains(&self.pressure) {
            return Err(check.fail("pressure", self.pressure, "it must be from 0.17 to 0.6 rad"));
        }
        if !(0.0..0.3 * self.module).contains(&self.backlash) {
            return Err(check.fail("backlash", self.backlash, "it must be from 0 to 0.3 of the module"));
        }
        check.below("bore", self.bore, self.root_radius(), "it must be less than the radius of the roots")?;
        let outline = self.tooth();
        if outline.windows(2).any(|pair| pair[1].1 <= pair[0].1) {
            return Err(check.fail("backlash", self.backlash, "the teeth come to a point; use more of them"));
        }
        let mut skin = Skin::default();
        for tooth in 0..self.teeth {
            for &(radius, angle) in &outline {
                let (sin, cos) = libm::sincos(angle + TAU * f64::from(tooth) / f64::from(self.teeth));
                let h = self.half_width;
                let section = [(radius, h), (radius, -h), (self.bore, -h), (self.bore, h)];
                skin.ring(section.map(|(r, z)| Point3::new(r * cos, r * sin, z)));
            }
        }
        skin.mesh("involute gear", true)
    }

    fn root_radius(&self) -> f64 {
        self.pitch_radius() - 1.25 * self.module
    }

    /// Radius (m) and angle (rad) of the corners around one tooth, the angles rising.
    fn tooth(&self) -> Vec<(f64, f64)> {
        let base = self.pitch_radius() * libm::cos(self.pressure);
        let involute = |a: f64| libm::tan(a) - a;
        let half = 0.5 * (0.5 * PI * self.module - self.backlash) / self.pitch_radius();
        // Half the tooth's angle at a radius.
        let angle = |r: f64| half + involute(self.pressure) - involute(libm::acos((base / r).min(1.0)));
        let (root, tip) = (self.root_radius(), self.pitch_radius() + self.module);
        let from = root.max(base);
        let mut flank = vec![(root, angle(from) + FILLET * TAU / f64::from(self.teeth))];
        flank.extend((0..=FLANK).map(|k| {
            let r = from + (tip - from) * f64::from(k) / f64::from(FLANK);
            (r, angle(r))
        }));
        let up = flank.iter().map(|&(r, a)| (r, -a));
        up.chain(flank.iter().rev().copied()).collect()
    }
}
