//! Whether a primitive touches a triangle.

use impinge_geometry::Primitive;
use nalgebra::{Point3, Vector3};

use crate::nearest::{
    nearest_of_segments, nearest_on_segment, nearest_on_triangle, over_triangle, unit_normal,
};

/// Whether a primitive (as a solid) and a triangle (m, in the primitive's frame) share a point;
/// touching counts. Right up to the rounding of `f64`, for needles and degenerate triangles too.
///
/// Source of the box test: Akenine-Möller, "Fast 3D Triangle-Box Overlap Testing", 2001.
pub fn touches_triangle(primitive: &Primitive, t: &[Point3<f64>; 3]) -> bool {
    match *primitive {
        Primitive::HalfSpace => t.iter().any(|p| p.z <= 0.0),
        Primitive::Sphere { radius } => {
            let r = f64::from(radius);
            nearest_on_triangle(t, &Point3::origin()).coords.norm_squared() <= r * r
        }
        Primitive::Cuboid { half } => cuboid(half.map(f64::from), t),
        Primitive::Capsule { half_height, radius } => {
            let (h, r) = (f64::from(half_height), f64::from(radius));
            let axis = [Point3::new(0.0, 0.0, -h), Point3::new(0.0, 0.0, h)];
            let (on_axis, on_triangle) = nearest_to_segment(t, &axis);
            (on_triangle - on_axis).norm_squared() <= r * r
        }
        Primitive::Cylinder { half_height, radius } => {
            let (h, r) = (f64::from(half_height), f64::from(radius));
            let clipped = clip_to_slab(t, h);
            !clipped.is_empty() && distance_from_axis(&clipped) <= r
        }
    }
}

/// The nearest points of a segment and a triangle, the segment's first; one point where they meet.
pub(crate) fn nearest_to_segment(t: &[Point3<f64>; 3], s: &[Point3<f64>; 2]) -> (Point3<f64>, Point3<f64>) {
    if let Some(n) = unit_normal(t) {
        let (h0, h1) = ((s[0] - t[0]).dot(&n), (s[1] - t[0]).dot(&n));
        if (h0 <= 0.0) != (h1 <= 0.0) {
            let p = s[0] + (s[1] - s[0]) * (h0 / (h0 - h1));
            if over_triangle(t, &n, &p) {
                return (p, p);
            }
        }
    }
    let ends = s.map(|p| (p, nearest_on_triangle(t, &p)));
    let edges: [_; 3] = std::array::from_fn(|k| nearest_of_segments(s, &[t[k], t[(k + 1) % 3]]));
    let mut best = ends[0];
    for pair in ends.into_iter().chain(edges) {
        if (pair.1 - pair.0).norm_squared() < (best.1 - best.0).norm_squared() {
            best = pair;
        }
    }
    best
}

/// The corners of a triangle that two planes have cut, at most five.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SlabPolygon {
    corners: [Point3<f64>; 5],
    count: usize,
}

impl std::ops::Deref for SlabPolygon {
    type Target = [Point3<f64>];

    fn deref(&self) -> &[Point3<f64>] {
        &self.corners[..self.count]
    }
}

impl SlabPolygon {
    fn push(&mut self, p: Point3<f64>) {
        if self.count < self.corners.len() {
            self.corners[self.count] = p;
            self.count += 1;
        }
    }
}

/// Returns the part of a triangle within `|z| ≤ half`: a convex polygon, empty where there is nothing.
pub(crate) fn clip_to_slab(t: &[Point3<f64>; 3], half: f64) -> SlabPolygon {
    let mut polygon = SlabPolygon { corners: [t[0], t[1], t[2], t[2], t[2]], count: 3 };
    for sign in [1.0, -1.0] {
        let mut kept = SlabPolygon { corners: [Point3::origin(); 5], count: 0 };
        for (k, p) in polygon.iter().enumerate() {
            let q = polygon[(k + 1) % polygon.len()];
            let (hp, hq) = (sign * p.z - half, sign * q.z - half);
            if hp <= 0.0 {
                kept.push(*p);
            }
            if (hp < 0.0 && hq > 0.0) || (hp > 0.0 && hq < 0.0) {
                let mut cut = p + (q - p) * (hp / (hp - hq));
                cut.z = sign * half;
                kept.push(cut);
            }
        }
        polygon = kept;
    }
    polygon
}

/// Least distance of a convex polygon from the z axis, seen along it.
pub(crate) fn distance_from_axis(polygon: &[Point3<f64>]) -> f64 {
    let flat = |p: &Point3<f64>| Point3::new(p.x, p.y, 0.0);
    let origin = Point3::origin();
    let (mut least, mut turns, mut area, mut size2) = (f64::INFINITY, [false; 2], 0.0, 0.0f64);
    for (k, p) in polygon.iter().enumerate() {
        let (p, q) = (flat(p), flat(&polygon[(k + 1) % polygon.len()]));
        least = least.min(nearest_on_segment(&p, &q, &origin).coords.norm());
        let turn = p.x * q.y - p.y * q.x;
        turns[0] |= turn < 0.0;
        turns[1] |= turn > 0.0;
        area += turn;
        size2 = size2.max((q - p).norm_squared());
    }
    // A polygon seen from its side is its edges; elsewhere the axis passes through it where it turns
    // one way all around. Farther off than its longest edge it cannot surround the axis: there, turns are rounding.
    let near = least * least <= size2;
    let through = near && area.abs() > 1e-12 * size2 && turns != [true, true];
    if through { 0.0 } else { least }
}

/// The 13 axes of triangle and box. Any axis that separates is a proof, however badly it is rounded.
fn cuboid(half: [f64; 3], t: &[Point3<f64>; 3]) -> bool {
    let v = t.map(|p| p.coords);
    let separates = |axis: &Vector3<f64>| {
        let reach = half[0] * axis.x.abs() + half[1] * axis.y.abs() + half[2] * axis.z.abs();
        let p = v.map(|x| axis.dot(&x));
        p[0].min(p[1]).min(p[2]) > reach || p[0].max(p[1]).max(p[2]) < -reach
    };
    let units = [Vector3::x(), Vector3::y(), Vector3::z()];
    if units.iter().any(separates) {
        return false;
    }
    let edges = [v[1] - v[0], v[2] - v[1], v[0] - v[2]];
    if separates(&edges[0].cross(&edges[1])) {
        return false;
    }
    !edges.iter().any(|e| units.iter().any(|u| separates(&e.cross(u))))
}
