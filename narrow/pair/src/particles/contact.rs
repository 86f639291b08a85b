//! The contact of a particle.

use nalgebra::{Point3, Vector3};

use super::placement::Placement;

/// What a particle touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PointFeature {
    /// A primitive.
    Smooth,
    /// A triangle of a surface.
    Triangle(u32),
    /// Another particle.
    Particle(u32),
}

/// The contact of a particle with a subshape, or with another particle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointContact {
    /// The particle.
    pub particle: u32,
    /// The child of a composite; 0 of a simple shape and of particles.
    pub subshape: u32,
    /// What it touches.
    pub feature: PointFeature,
    /// Unit, from what it touches to the particle (world): where it is freed soonest.
    pub normal: Vector3<f32>,
    /// Midway between the deepest point of each in the other (m, world).
    pub position: Point3<f64>,
    /// How far the particle has to go along the normal until it is free (m); negative where it is apart by so much.
    pub depth: f64,
}

/// Which contacts are wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PointRange {
    /// What is apart by no more than this has contacts of negative depth, too (m, not negative).
    pub margin: f64,
    /// Contacts that are not deeper than this are dropped, if it is greater than 0 (m).
    pub tolerance: f64,
}

/// Which depths are wanted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Depths {
    least: f64,
    /// How far from a ball something may be for a contact (m).
    pub margin: f64,
}

impl Depths {
    pub fn new(range: &PointRange) -> Depths {
        let dropped = range.tolerance > 0.0;
        Depths {
            least: if dropped { range.tolerance.next_up() } else { -range.margin },
            margin: if dropped { 0.0 } else { range.margin },
        }
    }

    /// The contact of a ball about `center` with something of which the nearest point is `signed` (m) away along `-normal` (all in the frame of
    /// what it touches), if it is wanted.
    #[inline(always)]
    pub fn contact(
        &self,
        (particle, radius): (u32, f64),
        feature: PointFeature,
        (center, normal, signed): (&Point3<f64>, &Vector3<f64>, f64),
        place: &Placement,
    ) -> Option<PointContact> {
        let depth = radius - signed;
        if depth.is_nan() || depth < self.least {
            return None;
        }
        let middle = center - normal * (radius - 0.5 * depth);
        Some(PointContact {
            particle,
            subshape: place.subshape,
            feature,
            normal: place.turn_to_world(normal).cast(),
            position: place.to_world(&middle),
            depth,
        })
    }
}
