//! Where a contact of surfaces without an inside can be.
//!
//! Along a line that misses a part of an open surface, through a hole in a scan, its inside goes on for ever. What
//! belongs to the contact is bounded by what is known: the contours and the vertices that they lead to, inside the
//! boxes of both bodies. Behind an open surface that is a mere sheet, as ground is, a body may be as deep as it is
//! high; the box of such a sheet bounds nothing.

use crate::patch::Patch;
use crate::patches::{InteriorVertex, mean};
use crate::scene::Scene;
use crate::tunables;
use impinge_geometry::{FacesRef, Side};
use impinge_image_space::layers::Body;
use impinge_image_space::view::Extent;
use nalgebra::{Point3, Vector3};

use super::intersection::{SurfaceIntersection, Total};

/// The boxes of the bodies that bound a contact (m, pair frame), where one of them has no inside.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct OpenBounds {
    bodies: Option<Extent>,
}

impl OpenBounds {
    /// The bounds of a pair; none where both sides are closed.
    pub fn of_pair(scene: &Scene<'_>) -> OpenBounds {
        if scene.both_closed() {
            return OpenBounds { bodies: None };
        }
        let mut all = [None; 2];
        let mut holding = [false; 2];
        for side in Side::BOTH {
            if let Body::Surface { mesh, .. } = &scene.bodies[side.index()] {
                all[side.index()] = Some(aabb(scene, side, *mesh));
                holding[side.index()] = scene.closed[side.index()] || wraps(*mesh);
            }
        }
        if holding == [false; 2] {
            holding = [true; 2];
        }
        let mut extent = Extent { min: [f64::NEG_INFINITY; 3], max: [f64::INFINITY; 3] };
        for body in all.into_iter().zip(holding).filter(|x| x.1).filter_map(|x| x.0) {
            extent = common(&extent, &body);
        }
        OpenBounds { bodies: Some(extent) }
    }

    /// The box of the contact of some features; `None` where both sides are closed.
    pub fn of(
        &self,
        scene: &Scene<'_>,
        intersection: &SurfaceIntersection<'_>,
        members: &[u32],
    ) -> Option<Extent> {
        let bodies = self.bodies?;
        let mut extent = Total::of(intersection.features, members.iter().copied()).extent;
        let component = |m: &u32| intersection.features.list[*m as usize].component;
        let mut components: Vec<u32> = members.iter().filter_map(component).collect();
        components.sort_unstable();
        let own =
            |i: &&InteriorVertex| components.binary_search(&intersection.interior.of(i.contour)).is_ok();
        for inside in intersection.interior.inside.iter().filter(own) {
            scene.vertex(inside.side, inside.vertex).iter().for_each(|p| extent.add(p.coords.into()));
        }
        let slack = tunables::OPEN_SLACK * extent.longest();
        Some(common(&extent.grown(slack), &bodies))
    }
}

/// Whether a box holds a point.
pub(crate) fn holds(extent: &Extent, p: &Point3<f64>) -> bool {
    (0..3).all(|k| extent.min[k] <= p[k] && p[k] <= extent.max[k])
}

/// Takes the points that lie beyond a box out of a patch; whether any are left.
pub(crate) fn clip(patch: &mut Patch, extent: &Extent) -> bool {
    let before = patch.points.len();
    patch.points.retain(|p| holds(extent, &p.on_a) && holds(extent, &p.on_b));
    let Some(middle) = mean(&patch.points) else { return false };
    if patch.points.len() < before {
        let weight = patch.gradient.norm() / patch.points.len() as f64;
        patch.points.iter_mut().for_each(|p| p.weight = weight);
        patch.depth = patch.points.iter().map(|p| p.depth).fold(f64::NEG_INFINITY, f64::max);
        patch.radius = patch.points.iter().map(|p| (p.on_a - middle).norm()).fold(0.0, f64::max);
        patch.centroid = middle;
    }
    if !holds(extent, &patch.pressure_center) {
        patch.pressure_center = middle;
    }
    true
}

/// The box of a body where it stands (m, pair frame), with room for rounding.
fn aabb(scene: &Scene<'_>, side: Side, mesh: FacesRef<'_>) -> Extent {
    let aabb = mesh.aabb();
    let mut extent = Extent::EMPTY;
    for corner in 0..8usize {
        let at =
            std::array::from_fn::<f32, 3, _>(
                |k| {
                    if corner >> k & 1 == 0 { aabb.min[k] } else { aabb.max[k] }
                },
            );
        extent.add(scene.frame.place(side, &Point3::from(at)).coords.into());
    }
    extent.grown(1e-6 * extent.longest())
}

/// Whether a surface goes round a body, rather than being a sheet that looks one way: a closed one's area vectors
/// add up to nothing, a flat one's to its area, those of half a ball to half of it. Asked of some of the triangles.
fn wraps(mesh: FacesRef<'_>) -> bool {
    let count = mesh.triangle_bound() as usize;
    let step = count.div_ceil(tunables::OPEN_SAMPLES).max(1);
    let (mut sum, mut area) = (Vector3::zeros(), 0.0);
    for triangle in (0..count as u32).step_by(step) {
        let [p, q, r] = mesh.corners(triangle).map(|p| p.cast::<f64>());
        let normal = (q - p).cross(&(r - p));
        sum += normal;
        area += normal.norm();
    }
    sum.norm() < tunables::SHEET_AREA * area
}

fn common(a: &Extent, b: &Extent) -> Extent {
    Extent {
        min: std::array::from_fn(|k| a.min[k].max(b.min[k])),
        max: std::array::from_fn(|k| a.max[k].min(b.max[k])),
    }
}
