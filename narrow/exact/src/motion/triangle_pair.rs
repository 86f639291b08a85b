//! Two triangles in motion, whose corners may move on lines of their own.

use impinge_geometry::predicate::triangles_touch;
use impinge_geometry::{PairPath, Side};
use nalgebra::{Point3, Vector3};

use super::advance::{Approach, NearestPair};
use super::moving_surface::MovingSurface;
use crate::distance::triangle_gap;

/// Two triangles in motion.
pub(super) struct TrianglePair<'s> {
    path: &'s PairPath<'s>,
    surfaces: [MovingSurface<'s>; 2],
    triangles: [u32; 2],
    /// No corner is farther from what its body turns about (m).
    radii: [f64; 2],
    /// Where they stood when last asked.
    at: f64,
    corners: [[Point3<f64>; 3]; 2],
}

impl<'s> TrianglePair<'s> {
    /// A pair that is first asked about a time near `time`.
    pub fn new(
        path: &'s PairPath<'s>,
        surfaces: [MovingSurface<'s>; 2],
        triangles: [u32; 2],
        time: f64,
    ) -> TrianglePair<'s> {
        let corners = placed(path, &surfaces, triangles, time);
        let radii = Side::BOTH.map(|side| path.radius_of(side, &corners[side.index()], time));
        TrianglePair { path, surfaces, triangles, radii, at: time, corners }
    }

    /// The corners at a time (m, pair frame).
    pub fn place(&mut self, time: f64) -> &[[Point3<f64>; 3]; 2] {
        if time != self.at {
            self.corners = placed(self.path, &self.surfaces, self.triangles, time);
            self.at = time;
        }
        &self.corners
    }
}

fn placed(
    path: &PairPath,
    surfaces: &[MovingSurface<'_>; 2],
    triangles: [u32; 2],
    time: f64,
) -> [[Point3<f64>; 3]; 2] {
    let frame = path.at(time);
    Side::BOTH.map(|side| surfaces[side.index()].corners(triangles[side.index()], side, &frame, time))
}

impl Approach for TrianglePair<'_> {
    fn nearest(&mut self, time: f64) -> Option<NearestPair> {
        let [a, b] = self.place(time);
        nearest_of(a, b)
    }

    fn separation(&mut self, time: f64, normal: &Vector3<f64>) -> f64 {
        let [a, b] = self.place(time);
        apart_along(a, b, normal)
    }

    fn sagitta(&self, normal: &Vector3<f64>, span: f64) -> f64 {
        sagitta_of(self.path, &self.radii, normal, span)
    }
}

/// By how much the distance of two triangles along a unit vector may be less than the chord between two times `span` apart (m); `radii`: those of
/// their arcs (m).
pub(super) fn sagitta_of(path: &PairPath<'_>, radii: &[f64; 2], normal: &Vector3<f64>, span: f64) -> f64 {
    let of = |side: Side| path.sagitta(side, normal, radii[side.index()], span);
    of(Side::A) + of(Side::B)
}

/// The nearest points of two triangles, if they are apart.
pub(super) fn nearest_of(a: &[Point3<f64>; 3], b: &[Point3<f64>; 3]) -> Option<NearestPair> {
    let gap = triangle_gap(a, b);
    let between = gap.points[1] - gap.points[0];
    let normal = between.try_normalize(1e-150);
    if let Some(normal) = normal.filter(|_| gap.is_proved(a, b)) {
        return Some(NearestPair { distance: between.norm(), normal });
    }
    // Nearly parallel edges have spoilt the points, or the triangles touch.
    let (distance, normal) = best_axis(a, b);
    (distance > 0.0 && !triangles_touch(a, b)).then_some(NearestPair { distance, normal })
}

/// How far B's triangle begins beyond where A's ends along an axis (m, for a unit axis).
pub(super) fn apart_along(a: &[Point3<f64>; 3], b: &[Point3<f64>; 3], axis: &Vector3<f64>) -> f64 {
    let heights = |t: &[Point3<f64>; 3]| t.map(|p| axis.dot(&p.coords));
    let ([x, y, z], [u, v, w]) = (heights(a), heights(b));
    u.min(v).min(w) - x.max(y).max(z)
}

/// Of the axes that can part two triangles the one that parts them farthest (unit, from A to B), and how far (m).
fn best_axis(a: &[Point3<f64>; 3], b: &[Point3<f64>; 3]) -> (f64, Vector3<f64>) {
    let edges = |t: &[Point3<f64>; 3]| [t[1] - t[0], t[2] - t[1], t[0] - t[2]];
    let (of_a, of_b) = (edges(a), edges(b));
    let normals = [of_a[0].cross(&of_a[1]), of_b[0].cross(&of_b[1])];
    let crosses = of_a.iter().flat_map(|e| of_b.map(|f| e.cross(&f)));
    let sides = normals.iter().zip([&of_a, &of_b]).flat_map(|(n, edges)| edges.map(|e| n.cross(&e)));
    let mut best = (f64::NEG_INFINITY, Vector3::z());
    for axis in normals.into_iter().chain(crosses).chain(sides) {
        let Some(axis) = axis.try_normalize(1e-150) else { continue };
        for axis in [axis, -axis] {
            let apart = apart_along(a, b, &axis);
            if apart > best.0 {
                best = (apart, axis);
            }
        }
    }
    best
}
