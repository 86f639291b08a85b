//! Points at a region's true corners.
//!
//! A view's lines stand half a pixel and more inside the region that they sample. Four points chosen among them
//! span less than the region, and a body tips over its edge too early. The region's corners are known: they are
//! corners of its contours, or vertices of one body inside the other. The points nearest to them move there.

use nalgebra::{Point3, Vector2, Vector3};

use super::intersection::{SurfaceIntersection, each_segment};
use crate::patch::{Patch, PatchPoint};
use crate::patches::{FarthestPlaces, halfway};
use crate::scene::Scene;
use crate::tunables;
use impinge_geometry::Side;
use impinge_image_space::intervals::OverlapInterval;
use impinge_image_space::view::View;

/// Two axes across a normal.
pub(super) struct TransversePlane([Vector3<f64>; 2]);

impl TransversePlane {
    pub fn new(view: &View, normal: &Vector3<f64>) -> TransversePlane {
        let right = view.axes.right - normal * view.axes.right.dot(normal);
        let right = right.try_normalize(0.0).unwrap_or(view.axes.right);
        TransversePlane([right, normal.cross(&right)])
    }

    pub fn of(&self, p: &Point3<f64>) -> Vector2<f64> {
        Vector2::new(p.coords.dot(&self.0[0]), p.coords.dot(&self.0[1]))
    }
}

/// Moves points of a patch to the corners of the region that they are nearest to. `columns`: those of the view that the
/// patch was made of.
pub(crate) fn to_corners(
    scene: &Scene<'_>,
    (intersection, members): (&SurfaceIntersection<'_>, &[u32]),
    (view, columns): (&View, &[OverlapInterval]),
    patch: &mut Patch,
) {
    let plane = TransversePlane::new(view, &patch.normal);
    let pixel = view.pixel[0].max(view.pixel[1]);
    let sampled: Vec<Vector2<f64>> = columns
        .iter()
        .map(|c| plane.of(&view.place(c.i, c.j, 0.5 * (f64::from(c.begin()) + f64::from(c.end())))))
        .collect();
    let mut points: Vec<Vector2<f64>> = patch.points.iter().map(|p| plane.of(&halfway(p))).collect();
    let reach = tunables::CORNER_REACH * pixel;
    let nearest = |of: &[Vector2<f64>], to: &Vector2<f64>| {
        let squares = of.iter().map(|p| (p - to).norm_squared()).enumerate();
        let near = squares.reduce(|best, other| if other.1 < best.1 { other } else { best })?;
        (near.1.sqrt() <= reach).then_some(near.0)
    };
    patch.corners.clear();
    for corner in farthest(scene, intersection, members, &plane) {
        let at = plane.of(&corner);
        let Some(moved) = nearest(&points, &at).filter(|&k| !patch.corners.contains(&(k as u32))) else {
            continue;
        };
        // A point that stands there is known better than by the faces beside it.
        if (points[moved] - at).norm() <= 1e-6 * pixel {
            patch.corners.push(moved as u32);
            continue;
        }
        let Some(column) = nearest(&sampled, &at) else { continue };
        let Some(found) = on_faces(scene, view, &columns[column], &corner, &patch.normal) else { continue };
        // What is beyond the faces that the column meets has another depth than theirs.
        let limit = (1.0 + tunables::LEAST_DEPTH_GAIN) * patch.depth;
        if !(0.0..=limit).contains(&found.depth) {
            continue;
        }
        let found = no_deeper(found, patch.depth, &patch.normal);
        let point = &patch.points[moved];
        patch.points[moved] = PatchPoint { weight: point.weight, key: point.key, ..found };
        patch.radius = patch.radius.max((halfway(&patch.points[moved]) - patch.centroid).norm());
        points[moved] = at;
        patch.corners.push(moved as u32);
    }
}

/// A point that rounding has made deeper than its patch.
fn no_deeper(found: PatchPoint, depth: f64, normal: &Vector3<f64>) -> PatchPoint {
    let over = normal * (0.5 * (found.depth - depth));
    match found.depth > depth {
        true => PatchPoint { on_a: found.on_a - over, on_b: found.on_b + over, depth, ..found },
        false => found,
    }
}

/// The corners of some features' overlap: its farthest places in directions all round, those that are so in two beside
/// each other.
fn farthest(
    scene: &Scene<'_>,
    intersection: &SurfaceIntersection<'_>,
    members: &[u32],
    plane: &TransversePlane,
) -> Vec<Point3<f64>> {
    let mut farthest = FarthestPlaces::default();
    let mut offer = |p: &Point3<f64>| farthest.offer(&plane.of(p), p);
    for &m in members {
        each_segment(intersection, m, |p, _| offer(p));
    }
    for inside in &intersection.interior.inside {
        let component = Some(intersection.interior.of(inside.contour));
        if members.iter().any(|&m| intersection.features.list[m as usize].component == component) {
            scene.vertex(inside.side, inside.vertex).iter().for_each(&mut offer);
        }
    }
    farthest.corners()
}

/// The point on a line along the normal, between the planes of the faces that end a column beside it; `None` where these
/// do not lie flat on each other.
fn on_faces(
    scene: &Scene<'_>,
    view: &View,
    column: &OverlapInterval,
    at: &Point3<f64>,
    normal: &Vector3<f64>,
) -> Option<PatchPoint> {
    let [a, b] = &column.solid;
    let triangles = if view.axes.sign(normal) > 0.0 {
        [a.close_triangle, b.open_triangle]
    } else {
        [a.open_triangle, b.close_triangle]
    };
    let mut ends = [*at; 2];
    for (side, end) in Side::BOTH.into_iter().zip(&mut ends) {
        let triangle = triangles[side.index()];
        let face = scene.facet_normal(side, triangle)?;
        let corner = scene.corners(side, triangle)?[0];
        let along = face.dot(normal);
        if along.abs() < tunables::FLAT_FACES {
            return None;
        }
        *end = at + normal * ((corner - at).dot(&face) / along);
    }
    let [on_a, on_b] = ends;
    Some(PatchPoint { on_a, on_b, depth: (on_a - on_b).dot(normal), weight: 0.0, key: 0 })
}
