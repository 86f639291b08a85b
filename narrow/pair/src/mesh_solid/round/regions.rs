//! The normal of each region, and how far the primitive must move along it.
//!
//! The faces that are locally nearest to the core of a sphere or a capsule each ask for a shift.
//! The shortest translation that gives them all is the first direction. Where the exact shift along
//! it ends on another plane, that plane joins them, until nothing shorter is left (Je et al.,
//! PolyDepth, 2012).

use std::ops::Range;

use impinge_convex::{Placed, closest_on_triangle, latest_shift, touching_shifts};
use impinge_geometry::Primitive;
use nalgebra::{Point3, Vector3};

use super::faces::RoundFace;
use super::volumes;
use crate::penetration::{Plane, nearest_beyond};

/// The most planes that a direction is found from, and the most directions that are tried.
const MOST_PLANES: usize = 8;
const ROUNDS: usize = 8;

/// A shift that is longer than the shortest possible one by no more than this part of it needs no
/// further search.
const AS_SHORT: f64 = 1e-7;

/// Two directions with a cosine beyond this are the same.
const SAME: f64 = 1.0 - 1e-10;

/// A connected region of contact. Places and directions are in the primitive's frame.
#[derive(Clone, Debug)]
pub(super) struct RoundRegion {
    /// The faces of it among those of the pair.
    pub faces: Range<usize>,
    /// The unit normal, from the mesh to the primitive.
    pub normal: Vector3<f64>,
    /// The shift along the normal that frees the primitive (m).
    pub length: f64,
    /// The point of the mesh that the primitive leaves last (m).
    pub last: Point3<f64>,
}

/// Finds the regions of a pair's faces. Faces that the primitive only reaches from behind form
/// none.
pub(super) fn find(primitive: &Primitive, faces: &[RoundFace], regions: &mut Vec<RoundRegion>) {
    regions.clear();
    let mut from = 0;
    for own in faces.chunk_by(|p, q| p.part == q.part) {
        let range = from..from + own.len();
        from = range.end;
        if let Some(shift) = shortest_shift(primitive, own) {
            let last = shift.last_point(primitive, own);
            let Shift { normal, length, .. } = shift;
            regions.push(RoundRegion { faces: range, normal, length, last });
        }
    }
}

/// A direction and the exact shift along it.
#[derive(Clone, Copy, Debug)]
struct Shift {
    normal: Vector3<f64>,
    length: f64,
    /// The face that the primitive leaves last.
    face: usize,
}

impl Shift {
    /// Returns the point of the mesh that the primitive leaves last (m).
    fn last_point(&self, primitive: &Primitive, faces: &[RoundFace]) -> Point3<f64> {
        let moved = self.normal * self.length;
        closest_on_triangle(primitive, &faces[self.face].after(&moved)).on_triangle + moved
    }
}

/// Returns the shortest shift that frees the primitive of some faces, as far as it is found; `None`
/// of faces that it only reaches from behind.
fn shortest_shift(primitive: &Primitive, faces: &[RoundFace]) -> Option<Shift> {
    let mut planes = [Plane { normal: Vector3::zeros(), offset: 0.0 }; MOST_PLANES];
    let mut count = 0;
    let mut best: Option<Shift> = None;
    let has_core = matches!(primitive, Primitive::Sphere { .. } | Primitive::Capsule { .. });
    if has_core {
        for face in faces.iter().filter(|face| face.is_nearest && face.axis.dot(&face.normal) > ON_FRONT) {
            add_plane(&mut planes, &mut count, Plane { normal: face.axis, offset: face.depth });
        }
        if count == 0 {
            return None;
        }
        let first = nearest_beyond(&planes[..count]).and_then(|at| at.try_normalize(0.0));
        // If the bodies only touch, there is no direction but a plane's own.
        let first = first.unwrap_or(planes[0].normal);
        best = exit(primitive, faces, &first, f64::INFINITY);
        let least = planes[..count].iter().map(|plane| plane.offset).fold(0.0, f64::max);
        if best.is_some_and(|best| best.length <= least * (1.0 + AS_SHORT)) {
            return best;
        }
    }
    try_normals(primitive, faces, &mut best);
    refine(primitive, faces, &mut planes, count, &mut best);
    best
}

/// A face looks at the core if its normal and the axis have a cosine beyond this.
const ON_FRONT: f64 = 1e-9;

/// Adds a plane, in the place of one that asks for less if there is no room.
fn add_plane(planes: &mut [Plane; MOST_PLANES], count: &mut usize, plane: Plane) {
    if let Some(known) = planes[..*count].iter_mut().find(|known| known.normal.dot(&plane.normal) > SAME) {
        known.offset = known.offset.max(plane.offset);
    } else if *count < MOST_PLANES {
        planes[*count] = plane;
        *count += 1;
    } else if let Some(least) = planes.iter_mut().min_by(|p, q| p.offset.total_cmp(&q.offset))
        && least.offset < plane.offset
    {
        *least = plane;
    }
}

/// Tries the direction of the faces' area vector, and the normals of the faces with the largest
/// parts in the primitive.
fn try_normals(primitive: &Primitive, faces: &[RoundFace], best: &mut Option<Shift>) {
    let (area, _) = volumes::wrench_of(faces);
    let mut tried = [Vector3::zeros(); MOST_PLANES];
    let mut count = 0;
    if let Some(mean) = area.try_normalize(0.0) {
        keep_shorter(best, |bound| exit(primitive, faces, &mean, bound));
        (tried[0], count) = (mean, 1);
    }
    while count < MOST_PLANES {
        let is_new = |face: &&RoundFace| {
            face.normal != Vector3::zeros() && tried[..count].iter().all(|n| n.dot(&face.normal) < 0.99)
        };
        let largest = faces
            .iter()
            .filter(is_new)
            .max_by(|p, q| p.section.area.norm_squared().total_cmp(&q.section.area.norm_squared()));
        let Some(face) = largest else { return };
        keep_shorter(best, |bound| exit(primitive, faces, &face.normal, bound));
        tried[count] = face.normal;
        count += 1;
    }
}

/// Puts another shift in the place of the best one if it is shorter. `find` returns a shift that is
/// shorter than a bound (m).
fn keep_shorter(best: &mut Option<Shift>, find: impl FnOnce(f64) -> Option<Shift>) {
    let bound = best.map_or(f64::INFINITY, |best| best.length);
    *best = find(bound).or(*best);
}

/// Looks for a shorter shift on the planes that end the best one.
fn refine(
    primitive: &Primitive,
    faces: &[RoundFace],
    planes: &mut [Plane; MOST_PLANES],
    mut count: usize,
    best: &mut Option<Shift>,
) {
    let Some(mut last) = *best else { return };
    for _ in 0..ROUNDS {
        let Some(plane) = plane_at(primitive, faces, &last) else { return };
        if count == MOST_PLANES {
            planes.copy_within(1.., 0);
            count -= 1;
        }
        planes[count] = plane;
        count += 1;
        let Some(guess) = nearest_beyond(&planes[..count]) else { return };
        let length = best.map_or(f64::INFINITY, |best| best.length);
        let Some(direction) = guess.try_normalize(0.0) else { return };
        if guess.norm() >= length * (1.0 - 1e-4) || direction.dot(&last.normal) > SAME {
            return;
        }
        let Some(found) = exit(primitive, faces, &direction, f64::INFINITY) else { return };
        keep_shorter(best, |bound| Some(found).filter(|found| found.length < bound));
        last = found;
    }
}

/// Returns the plane on which a shift ends.
fn plane_at(primitive: &Primitive, faces: &[RoundFace], shift: &Shift) -> Option<Plane> {
    let moved = shift.normal * (shift.length * (1.0 + 1e-9));
    let last = shift.last_point(primitive, faces);
    let nearest = faces.iter().map(|face| (gap_to(face, &last), face));
    let (_, face) = nearest.min_by(|p, q| p.0.total_cmp(&q.0))?;
    let normal = -closest_on_triangle(primitive, &face.after(&moved)).normal;
    Some(Plane { normal, offset: normal.dot(&shift.normal) * shift.length })
}

fn gap_to(face: &RoundFace, p: &Point3<f64>) -> f64 {
    (impinge_convex::nearest_on_triangle(&face.corners, p) - p).norm_squared()
}

/// Returns how far the primitive must move along a direction (unit) until it is free of some faces;
/// `None` if it touches none of them, or must move by `bound` (m) or more. If it leaves several
/// faces last, the first of them counts.
fn exit(primitive: &Primitive, faces: &[RoundFace], direction: &Vector3<f64>, bound: f64) -> Option<Shift> {
    let reach = Placed::at_origin(*primitive).reach(direction);
    let latest = |index: usize| latest_shift(reach, &faces[index].corners, direction);
    let (_, first) =
        (0..faces.len()).map(|index| (latest(index), index)).max_by(|p, q| p.0.total_cmp(&q.0))?;
    let others = (0..faces.len()).filter(|&index| index != first);
    let mut found: Option<Shift> = None;
    for index in std::iter::once(first).chain(others) {
        if found.is_some_and(|found| found.length > 0.0 && latest(index) < found.length) {
            continue;
        }
        let Some([_, end]) = touching_shifts(primitive, &faces[index].corners, direction) else { continue };
        let length = if end > 0.0 { end } else { 0.0 };
        let is_later = |found: Shift| length > found.length || length == found.length && index < found.face;
        if found.is_none_or(is_later) {
            found = Some(Shift { normal: *direction, length, face: index });
        }
        if length >= bound {
            return None;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use impinge_convex::RoundSection;
    use proptest::prelude::*;

    use super::super::faces::Spot;
    use super::*;

    fn face(corners: [Point3<f64>; 3]) -> RoundFace {
        RoundFace {
            triangle: 0,
            vertices: [0, 1, 2],
            corners,
            normal: Vector3::zeros(),
            section: RoundSection::NONE,
            axis: Vector3::zeros(),
            depth: 0.0,
            spot: Spot::Inside,
            part: 0,
            is_nearest: false,
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]

        /// A shift past many faces is that past each of them in turn, to the bit. It ends on the
        /// first of those that end it, and is found if and only if it is below the bound.
        #[test]
        fn exits_are_those_of_all_faces(
            corners in prop::collection::vec(prop::array::uniform3(-1i32..2), 3..24),
            course in prop::array::uniform3(-1.0f64..1.0),
            kind in 0usize..3,
            is_on_axis in any::<bool>(),
            part in 0.5f64..1.5,
        ) {
            // Faces share corners and planes, so that several of them end a shift.
            let faces: Vec<RoundFace> = corners
                .windows(3)
                .map(|own| face([0, 1, 2].map(|k| Point3::from(own[k].map(|x| 0.4 * f64::from(x))))))
                .collect();
            let course = Vector3::from(course);
            prop_assume!(course.norm() > 1e-3);
            let course = if is_on_axis { Vector3::ith(course.iamax(), 1.0) } else { course.normalize() };
            let (half_height, radius) = (0.5, 0.3);
            let primitive = [
                Primitive::Sphere { radius },
                Primitive::Capsule { half_height, radius },
                Primitive::Cylinder { half_height, radius },
            ][kind];
            let ends = faces.iter().map(|face| touching_shifts(&primitive, &face.corners, &course));
            let ends: Vec<_> = ends.map(|range| range.map(|[_, end]| if end > 0.0 { end } else { 0.0 })).collect();
            let latest = ends.iter().flatten().copied().fold(f64::NEG_INFINITY, f64::max);
            let found = exit(&primitive, &faces, &course, f64::INFINITY);
            match found {
                Some(found) => {
                    prop_assert_eq!(found.length.to_bits(), latest.to_bits());
                    prop_assert_eq!(Some(found.face), ends.iter().position(|end| *end == Some(latest)));
                    let below = exit(&primitive, &faces, &course, part * latest);
                    prop_assert_eq!(below.is_some(), latest < part * latest);
                    prop_assert!(below.is_none_or(|below| below.face == found.face));
                }
                None => prop_assert!(ends.iter().all(Option::is_none)),
            }
        }
    }
}
