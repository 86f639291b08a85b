//! A ray and a primitive: the ends of the interval of its line.

use impinge_convex::{LineInterval, SolidLines};
use impinge_geometry::{PairFrame, Side};
use impinge_midphase::Part;
use nalgebra::{Point3, Vector3};

use super::hit::{Faces, PartHit};

/// The part of a primitive that a ray's line passes through.
pub(super) struct SolidRay {
    interval: LineInterval,
    until: f64,
    faces: Faces,
}

impl SolidRay {
    pub fn new(
        part: &Part,
        frame: &PairFrame,
        (origin, direction): (Point3<f64>, Vector3<f64>),
        until: f64,
        faces: Faces,
    ) -> Option<SolidRay> {
        let interval = SolidLines::new(part, frame, Side::A)?.interval(&origin, &direction)?;
        Some(SolidRay { interval, until, faces })
    }

    /// Where it goes in and where it comes out.
    pub fn hits(&self) -> [Option<PartHit>; 2] {
        let LineInterval { enter, exit, enter_normal, exit_normal } = self.interval;
        let hit = |time: f64, normal, entering| {
            // Where a half-space has no end there is no surface.
            let met = (0.0..=self.until).contains(&time) && time.is_finite();
            (met && (entering || self.faces == Faces::Both)).then_some(PartHit {
                // No −0.
                time: time + 0.0,
                triangle: None,
                entering,
                normal,
            })
        };
        [hit(enter, enter_normal, true), hit(exit, exit_normal, false)]
    }
}
