//! The two bodies of a job as views see them.

use impinge_geometry::{PairFrame, Side};
use impinge_midphase::{PairJob, Part, Solid};

use nalgebra::{Matrix3, Point3, Vector3};

use crate::settings::NarrowSettings;
use impinge_convex::SolidLines;
use impinge_exact::intersect::Surfaces;
use impinge_image_space::layers::Body;
use impinge_image_space::view::{Axes, Extent};

use crate::penetration::{Swept, bounds_volume};
use crate::region::Region;

/// Axes of the pair frame.
pub(crate) const PAIR_AXES: Axes = Axes {
    right: Vector3::new(1.0, 0.0, 0.0),
    up: Vector3::new(0.0, 1.0, 0.0),
    depth: Vector3::new(0.0, 0.0, 1.0),
};

/// The shortest side of a view (part of how far coordinates reach): 2⁻²⁸.
const REACH_TO_LEAST: f64 = 1.0 / (1u64 << 28) as f64;

/// The bodies of a pair.
pub(crate) struct Scene<'a> {
    pub frame: &'a PairFrame,
    pub bodies: [Body<'a>; 2],
    /// The bodies' surfaces, where exact tests know all there is to know: both have one, without virtual faces.
    pub surfaces: Option<Surfaces<'a>>,
    /// The bodies as B is swept past A, where both bound a volume.
    pub swept: Option<Swept<'a>>,
    /// Whether each side bounds a volume.
    pub closed: [bool; 2],
    /// Holds everything in which the solids overlap (m, pair frame).
    pub interest: Extent,
    /// Radius of the smaller body (m).
    pub radius: f64,
    /// Axes that lattices lie along (columns, pair frame): where an overlap ends at a body's edge, so do the
    /// pixels.
    pub lattice: Matrix3<f64>,
    /// No side of a view is shorter than this (m): below it, `f64` places run out of digits.
    pub least: f64,
    /// Where the bodies may overlap: a box along the lattice's axes.
    pub whole: Region,
    /// Pixels per side of a full view.
    pub resolution: u32,
    /// Whether views have all lines, however small what they show is.
    pub full_views: bool,
}

impl<'a> Scene<'a> {
    /// The bodies of a job; `analytic` for sides that are to be sampled as convex solids where they are.
    /// `None` where a side is neither a surface nor a convex solid.
    pub fn new(job: &'a PairJob<'_>, analytic: [bool; 2], settings: &NarrowSettings) -> Option<Scene<'a>> {
        let [a, b] =
            Side::BOTH.map(|side| body(job.parts[side.index()], &job.frame, side, analytic[side.index()]));
        let interest = Extent { min: job.interest[0].coords.into(), max: job.interest[1].coords.into() };
        let lattice = lattice(job);
        let bodies = [a?, b?];
        let closed = job.parts.map(bounds_volume);
        Some(Scene {
            frame: &job.frame,
            surfaces: surfaces(&bodies, &job.frame)
                .filter(|both| both.meshes.iter().all(|mesh| !mesh.has_virtual_faces())),
            swept: surfaces(&bodies, &job.frame).filter(|_| closed == [true; 2]).map(Swept::Surfaces),
            bodies,
            closed,
            least: reach(job, &interest) * REACH_TO_LEAST,
            interest,
            whole: whole(job, &lattice, &interest),
            lattice,
            radius: f64::from(job.parts[0].sphere.radius.min(job.parts[1].sphere.radius)),
            resolution: settings.resolution,
            full_views: settings.full_views,
        })
    }

    /// Axes of a view along the line of `normal` (unit, pair frame); see [`Axes::along`].
    pub fn along(&self, normal: &Vector3<f64>) -> Axes {
        self.turned(&Axes::along(&self.lattice.tr_mul(normal)))
    }

    /// Axes of a view along `normal` (unit, pair frame).
    pub fn towards(&self, normal: &Vector3<f64>) -> Axes {
        self.turned(&Axes::towards(&self.lattice.tr_mul(normal)))
    }

    /// The lattice's own axes.
    pub fn lattice_axes(&self) -> Axes {
        axes_of(&self.lattice)
    }

    /// A point of the pair frame (m) along the lattice's axes.
    pub fn to_lattice(&self, p: &Point3<f64>) -> Point3<f64> {
        Point3::from(self.lattice.tr_mul(&p.coords))
    }

    /// A point along the lattice's axes (m) in the pair frame.
    pub fn off_lattice(&self, p: &Point3<f64>) -> Point3<f64> {
        Point3::from(self.lattice * p.coords)
    }

    fn turned(&self, axes: &Axes) -> Axes {
        let turn = |v: &Vector3<f64>| self.lattice * v;
        Axes { right: turn(&axes.right), up: turn(&axes.up), depth: turn(&axes.depth) }
    }

    /// The corners of a triangle of one side (m, pair frame).
    pub fn corners(&self, side: Side, triangle: u32) -> Option<[Point3<f64>; 3]> {
        match &self.bodies[side.index()] {
            Body::Surface { mesh, .. } if mesh.has_triangle(triangle) => {
                Some(mesh.corners(triangle).map(|p| self.frame.place(side, &p)))
            }
            _ => None,
        }
    }

    /// A vertex of one side (m, pair frame).
    pub fn vertex(&self, side: Side, vertex: u32) -> Option<Point3<f64>> {
        match &self.bodies[side.index()] {
            Body::Surface { mesh, .. } if mesh.has_vertex(vertex) => {
                Some(self.frame.place(side, &mesh.vertex(vertex)))
            }
            _ => None,
        }
    }

    /// The outward unit normal of a triangle of one side.
    pub fn facet_normal(&self, side: Side, triangle: u32) -> Option<Vector3<f64>> {
        let [a, b, c] = self.corners(side, triangle)?;
        (b - a).cross(&(c - a)).try_normalize(0.0)
    }

    /// How far from the pair frame's origin coordinates reach (m).
    pub fn reach(&self) -> f64 {
        self.least / REACH_TO_LEAST
    }

    /// Whether both sides bound a volume.
    pub fn both_closed(&self) -> bool {
        self.closed == [true, true]
    }

    /// Whether area vectors count every place once: of shells of one body that overlap, contours count both.
    pub fn counts_once(&self) -> bool {
        let overlap = |body: &Body<'_>| matches!(body, Body::Surface { mesh, .. } if mesh.shells_overlap());
        !self.bodies.iter().any(overlap)
    }

    /// Pixels per side of a coarse view, and of a view along a contour's normal.
    pub fn coarse(&self) -> u32 {
        (self.resolution / 2).max(4)
    }

    /// Pixels per side of a view along the normal of a small contour.
    pub fn few(&self) -> u32 {
        (3 * self.resolution / 8).max(4)
    }

    /// Pixels per side of a zoom.
    pub fn zoom(&self) -> u32 {
        (self.resolution / 4).max(4)
    }
}

/// The axes of the primitive among the bodies, where one is; else of the larger body, on which the other
/// may roll; of bodies as large as each other those halfway between both. A half-space has none of its own.
pub(crate) fn lattice(job: &PairJob<'_>) -> Matrix3<f64> {
    let smooth = |side: Side| matches!(job.parts[side.index()].solid, Solid::Primitive(_));
    let [a, b] = job.parts.map(|part| part.sphere.radius);
    let finite = [a, b].map(|radius| if radius.is_finite() { radius } else { 0.0 });
    let side = match Side::BOTH.map(smooth) {
        [true, false] if a.is_finite() => Side::A,
        [false, true] if b.is_finite() => Side::B,
        _ if finite[0] > finite[1] => Side::A,
        _ if finite[1] > finite[0] => Side::B,
        _ => return job.frame.middle,
    };
    job.frame.rotation[side.index()]
}

/// Where the bodies may overlap, along a lattice.
fn whole(job: &PairJob<'_>, lattice: &Matrix3<f64>, interest: &Extent) -> Region {
    let axes = axes_of(lattice);
    let extent = match job.interest_along(lattice) {
        Some([min, max]) => Extent { min: min.coords.into(), max: max.coords.into() },
        None => Region { axes: PAIR_AXES, extent: *interest }.seen_along(&axes),
    };
    Region { axes, extent }
}

fn axes_of(columns: &Matrix3<f64>) -> Axes {
    let [right, up, depth] = std::array::from_fn(|k| columns.column(k).into_owned());
    Axes { right, up, depth }
}

fn body<'a>(part: &'a Part, frame: &PairFrame, side: Side, analytic: bool) -> Option<Body<'a>> {
    if analytic && let Some(lines) = SolidLines::new(part, frame, side) {
        return Some(Body::Solid(lines));
    }
    match &part.surface {
        Some(surface) => Some(Body::Surface { mesh: surface.faces(), tree: &surface.tree }),
        None => SolidLines::new(part, frame, side).map(Body::Solid),
    }
}

/// How far from the pair frame's origin coordinates reach (m).
fn reach(job: &PairJob<'_>, interest: &Extent) -> f64 {
    let bodies = Side::BOTH.map(|side| {
        let sphere = &job.parts[side.index()].sphere;
        let radius = f64::from(sphere.radius);
        let own = if radius.is_finite() { sphere.center.coords.cast::<f64>().norm() + radius } else { 0.0 };
        own + job.frame.offset[side.index()].norm()
    });
    let corner = (0..3).map(|k| interest.min[k].abs().max(interest.max[k].abs())).fold(0.0, f64::max);
    bodies[0].max(bodies[1]).max(corner).max(f64::MIN_POSITIVE * 2f64.powi(100))
}

/// Two surfaces.
fn surfaces<'a>(bodies: &[Body<'a>; 2], frame: &'a PairFrame) -> Option<Surfaces<'a>> {
    let [Body::Surface { mesh: a, tree: of_a }, Body::Surface { mesh: b, tree: of_b }] = bodies else {
        return None;
    };
    Some(Surfaces { meshes: [*a, *b], trees: [of_a, of_b], frame })
}
