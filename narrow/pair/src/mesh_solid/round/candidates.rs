//! The points of a region: one of a sphere, two along a lying capsule or cylinder, up to eight
//! around the end of a standing one.
//!
//! The part of the primitive that looks at the mesh is a point, a segment or a disc. Segments and
//! discs are cut by the faces, seen along the normal. The point at which the primitive leaves the
//! mesh last joins them if it is deeper.

use impinge_geometry::Primitive;
use nalgebra::{Point3, Vector3};

use super::faces::RoundFace;
use super::regions::RoundRegion;

/// Primitives whose axis is this near to square to the normal (sine) lie on their side.
const LYING: f64 = 0.35;

/// Faces that look at the primitive by less than this (cosine) carry no points.
const FACING: f64 = 0.3;

/// The part of a depth within which points are as deep, and of a length within which they are at
/// one place.
const AS_DEEP: f64 = 1e-3;
const SAME_PLACE: f64 = 1e-2;

/// The name of the point that is left last.
const LAST: u32 = 15;

/// A point in the primitive's frame (m).
#[derive(Clone, Copy, Debug)]
pub(super) struct LocalPoint {
    pub on_mesh: Point3<f64>,
    pub on_solid: Point3<f64>,
    pub key: u32,
}

/// Finds the points of a region.
pub(super) fn find(
    primitive: &Primitive,
    faces: &[RoundFace],
    region: &RoundRegion,
    out: &mut Vec<LocalPoint>,
) {
    out.clear();
    let normal = &region.normal;
    let size = match *primitive {
        Primitive::Capsule { half_height, radius } if normal.z.abs() <= LYING => {
            let (half, radius) = (f64::from(half_height), f64::from(radius));
            let end = |z: f64| Point3::new(0.0, 0.0, z) - normal * radius;
            cut_segment([end(-half), end(half)], faces, region, out);
            half
        }
        Primitive::Cylinder { half_height, radius } if normal.z.abs() <= LYING => {
            let (half, radius) = (f64::from(half_height), f64::from(radius));
            let flat = Vector3::new(normal.x, normal.y, 0.0);
            let rim = flat * (radius / flat.norm());
            cut_segment([-half, half].map(|z| Point3::new(0.0, 0.0, z) - rim), faces, region, out);
            half
        }
        Primitive::Cylinder { half_height, radius } => {
            cut_disc([half_height, radius].map(f64::from), faces, region, out);
            f64::from(radius)
        }
        _ => 0.0,
    };
    let last = LocalPoint { on_mesh: region.last, on_solid: region.last - normal * region.length, key: LAST };
    let depth = |p: &LocalPoint| (p.on_mesh - p.on_solid).dot(normal);
    let deepest = out.iter().map(depth).fold(f64::NEG_INFINITY, f64::max);
    if deepest >= region.length * (1.0 - AS_DEEP) {
        return;
    }
    let near = |p: &LocalPoint| (p.on_solid - last.on_solid).norm() < SAME_PLACE * size;
    match out.iter_mut().find(|p| near(p)) {
        Some(own) => *own = LocalPoint { key: own.key, ..last },
        None => out.push(last),
    }
}

/// Returns how far a face is above a place along the normal (m).
fn height(face: &RoundFace, normal: &Vector3<f64>, at: &Point3<f64>) -> f64 {
    face.normal.dot(&(face.corners[0] - at)) / face.normal.dot(normal)
}

/// Adds the ends of the part of a segment that is in front of the faces and not above them.
fn cut_segment(
    [p, q]: [Point3<f64>; 2],
    faces: &[RoundFace],
    region: &RoundRegion,
    out: &mut Vec<LocalPoint>,
) {
    let (normal, along) = (&region.normal, q - p);
    let mut ends: [Option<(f64, f64)>; 2] = [None; 2];
    for face in faces.iter().filter(|face| face.normal.dot(normal) > FACING) {
        let [mut from, mut to] = [0.0f64, 1.0f64];
        for k in 0..3 {
            let (c, d) = (face.corners[k], face.corners[(k + 1) % 3]);
            // Seen along the normal, the face lies on the left of its edges.
            let inward = normal.cross(&(d - c));
            cut(inward.dot(&(p - c)), inward.dot(&along), &mut from, &mut to);
        }
        let [first, last] = [p, q].map(|p| height(face, normal, &p));
        // A place that only touches is not above.
        let slack = AS_DEEP * AS_DEEP * region.length;
        cut(first + slack, last - first, &mut from, &mut to);
        if from > to {
            continue;
        }
        for (end, at) in ends.iter_mut().zip([from, to]) {
            let depth = (first + (last - first) * at).min(region.length);
            let (sign, same) = (if at == from { 1.0 } else { -1.0 }, 1e-9);
            let is_farther = end.is_none_or(|(known, deep)| {
                let beyond = (known - at) * sign;
                beyond > same || beyond.abs() <= same && depth > deep
            });
            if is_farther {
                *end = Some((at, depth));
            }
        }
    }
    let [Some(first), Some(last)] = ends else { return };
    if last.0 - first.0 <= SAME_PLACE {
        return;
    }
    for (key, (at, depth)) in [(0, first), (1, last)] {
        let on_solid = p + along * at;
        out.push(LocalPoint { on_mesh: on_solid + normal * depth, on_solid, key });
    }
}

/// Keeps the part of a range at which `start + rate · t` is not negative.
fn cut(start: f64, rate: f64, from: &mut f64, to: &mut f64) {
    if rate > 0.0 {
        *from = from.max(-start / rate);
    } else if rate < 0.0 {
        *to = to.min(-start / rate);
    } else if start < 0.0 {
        *to = f64::NEG_INFINITY;
    }
}

/// The corners of a disc's polygon.
const DISC: [[f64; 2]; 8] = {
    const S: f64 = std::f64::consts::FRAC_1_SQRT_2;
    [[1.0, 0.0], [S, S], [0.0, 1.0], [-S, S], [-1.0, 0.0], [-S, -S], [0.0, -1.0], [S, -S]]
};

/// Adds the farthest places, in eight directions, of the part of a cylinder's end that is in front
/// of the faces and not above them.
fn cut_disc([half, radius]: [f64; 2], faces: &[RoundFace], region: &RoundRegion, out: &mut Vec<LocalPoint>) {
    let normal = &region.normal;
    let level = if normal.z > 0.0 { -half } else { half };
    let mut farthest: [Option<(f64, Point3<f64>, f64)>; DISC.len()] = [None; DISC.len()];
    for face in faces.iter().filter(|face| face.normal.dot(normal) > FACING) {
        let mut polygon = CutPolygon::disc(radius, level);
        for k in 0..3 {
            let (c, d) = (face.corners[k], face.corners[(k + 1) % 3]);
            let inward = normal.cross(&(d - c));
            polygon.cut(|p| inward.dot(&(p - c)));
        }
        let slack = AS_DEEP * AS_DEEP * region.length;
        polygon.cut(|p| height(face, normal, p) + slack);
        for p in &polygon.corners[..polygon.count] {
            let depth = height(face, normal, p).min(region.length);
            for (best, [x, y]) in farthest.iter_mut().zip(DISC) {
                let far = p.x * x + p.y * y;
                let same = 1e-9 * radius;
                let is_better = best.is_none_or(|(known, _, deep)| {
                    far > known + same || (far - known).abs() <= same && depth > deep
                });
                if is_better {
                    *best = Some((far, *p, depth));
                }
            }
        }
    }
    for (key, best) in (0..).zip(farthest) {
        let Some((_, on_solid, depth)) = best else { continue };
        let is_new = |known: &LocalPoint| (known.on_solid - on_solid).norm() > SAME_PLACE * radius;
        if out.iter().all(is_new) {
            out.push(LocalPoint { on_mesh: on_solid + normal * depth, on_solid, key });
        }
    }
}

/// A convex polygon that is cut by planes.
struct CutPolygon {
    corners: [Point3<f64>; MOST],
    count: usize,
}

/// The most corners of a disc's polygon after four cuts.
const MOST: usize = 12;

impl CutPolygon {
    fn disc(radius: f64, level: f64) -> CutPolygon {
        let mut polygon = CutPolygon { corners: [Point3::origin(); MOST], count: DISC.len() };
        for (corner, [x, y]) in polygon.corners.iter_mut().zip(DISC) {
            *corner = Point3::new(radius * x, radius * y, level);
        }
        polygon
    }

    /// Keeps the part at which `height`, a linear function, is not negative.
    fn cut(&mut self, height: impl Fn(&Point3<f64>) -> f64) {
        let (old, count) = (self.corners, self.count);
        self.count = 0;
        for k in 0..count {
            let (p, q) = (old[k], old[(k + 1) % count]);
            let (hp, hq) = (height(&p), height(&q));
            if hp >= 0.0 {
                self.push(p);
            }
            if (hp < 0.0 && hq > 0.0) || (hp > 0.0 && hq < 0.0) {
                self.push(p + (q - p) * (hp / (hp - hq)));
            }
        }
    }

    fn push(&mut self, p: Point3<f64>) {
        if self.count < MOST {
            self.corners[self.count] = p;
            self.count += 1;
        }
    }
}
