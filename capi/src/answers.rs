//! Answers of questions and rays as C sees them.

use impinge::{PairDistance, PairSweep, RayHit, ShapeRay};

use crate::contacts::number;

/// How far apart two shapes are.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImpDistance {
    /// The distance (m): 0 where they touch, infinite where they are farther apart than the bound.
    pub distance: f64,
    /// Unit normal from A's point to B's (world); NaN, as the points, where there are none: where they touch, and beyond the bound.
    pub normal: [f64; 3],
    /// A's nearest point (m, world).
    pub on_a: [f64; 3],
    /// B's nearest point (m, world).
    pub on_b: [f64; 3],
    /// The subshapes these belong to.
    pub subshapes: [u32; 2],
}

/// The volume that two bodies share.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImpIntersection {
    /// Volume of the overlap (m³); NaN where it is not known: a body bounds none, or both are primitives without a closed form for it, such as
    /// a box and a ball.
    pub volume: f64,
    /// It is off by no more than this (m³).
    pub error: f64,
    /// What it changes by when A is moved (m²); moving B along it makes the overlap smaller.
    pub gradient: [f64; 3],
    /// Its centroid (m, world); NaN where there is no overlap.
    pub centroid: [f64; 3],
}

/// How two bodies that move meet.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImpMeeting {
    /// They do not: that is proved.
    Free = 0,
    /// They touch before anything moves.
    AtStart = 1,
    /// They meet on the way.
    Impact = 2,
}

/// When and where bodies that move first meet.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImpImpact {
    /// Whether they do.
    pub meeting: ImpMeeting,
    /// The subshapes that meet.
    pub subshapes: [u32; 2],
    /// When (0 to 1): they share no point before; infinite where they never meet.
    pub time: f64,
    /// How far apart they are then (m).
    pub gap: f64,
    /// Unit normal from A to B (world); NaN, as the points, but of an impact.
    pub normal: [f64; 3],
    /// A's point then (m, world).
    pub on_a: [f64; 3],
    /// B's point then (m, world).
    pub on_b: [f64; 3],
}

/// A ray: the points `origin + t * direction`, t from 0 to `length`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImpRay {
    /// Where it begins (m, world).
    pub origin: [f64; 3],
    /// Where it goes, of any length but 0.
    pub direction: [f64; 3],
    /// Where it ends, in units of the direction; may be infinite.
    pub length: f64,
}

/// Where a ray meets a surface.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImpRayHit {
    /// Whether it meets one; else nothing below means anything.
    pub hit: bool,
    /// Whether it goes in there.
    pub entering: bool,
    /// The child of a composite.
    pub subshape: u32,
    /// The triangle of a mesh or hull; `UINT32_MAX` of others.
    pub triangle: u32,
    /// The collider, where a world was asked.
    pub collider: u64,
    /// The ray's t.
    pub time: f64,
    /// Where (m, world).
    pub point: [f64; 3],
    /// Outward unit normal of the surface (world).
    pub normal: [f64; 3],
}

pub(crate) const NAN: [f64; 3] = [f64::NAN; 3];

impl ImpDistance {
    pub(crate) fn of(found: Option<&PairDistance>) -> ImpDistance {
        let nearest = found.and_then(PairDistance::nearest);
        let touching = match found {
            Some(PairDistance::Touching { subshapes, .. }) => *subshapes,
            _ => [0; 2],
        };
        ImpDistance {
            distance: found.map_or(f64::INFINITY, PairDistance::distance),
            normal: nearest.map_or(NAN, |n| n.normal.into()),
            on_a: nearest.map_or(NAN, |n| n.on_a.into()),
            on_b: nearest.map_or(NAN, |n| n.on_b.into()),
            subshapes: nearest.map_or(touching, |n| n.subshapes),
        }
    }
}

impl ImpImpact {
    pub(crate) fn of(sweep: &PairSweep) -> ImpImpact {
        let nothing = ImpImpact {
            meeting: ImpMeeting::Free,
            subshapes: [0; 2],
            time: f64::INFINITY,
            gap: f64::NAN,
            normal: NAN,
            on_a: NAN,
            on_b: NAN,
        };
        match sweep {
            PairSweep::Free => nothing,
            PairSweep::AtStart { subshapes } => ImpImpact {
                meeting: ImpMeeting::AtStart,
                subshapes: *subshapes,
                time: 0.0,
                gap: 0.0,
                ..nothing
            },
            PairSweep::Impact(impact) => ImpImpact {
                meeting: ImpMeeting::Impact,
                subshapes: impact.subshapes,
                time: impact.time,
                gap: impact.gap,
                normal: impact.normal.into(),
                on_a: impact.on_a.into(),
                on_b: impact.on_b.into(),
            },
        }
    }
}

impl ImpRay {
    pub(crate) fn read(&self) -> ShapeRay {
        ShapeRay::new(self.origin, self.direction).length(self.length)
    }
}

impl ImpRayHit {
    pub(crate) fn of(found: Option<&RayHit>) -> ImpRayHit {
        ImpRayHit {
            hit: found.is_some(),
            entering: found.is_some_and(|hit| hit.entering),
            subshape: found.map_or(0, |hit| hit.subshape),
            triangle: found.and_then(|hit| hit.triangle).unwrap_or(u32::MAX),
            collider: found.map_or(0, |hit| number(hit.collider)),
            time: found.map_or(f64::INFINITY, |hit| hit.time),
            point: found.map_or(NAN, |hit| hit.point.into()),
            normal: found.map_or(NAN, |hit| hit.normal.into()),
        }
    }
}
