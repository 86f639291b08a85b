//! Whether shells of a closed mesh overlap each other, so that some places are inside more than once.
//!
//! Shells that overlap either cross, an edge of one passing through the inside of a triangle of the other, or one has a
//! corner strictly inside the other. Both are asked exactly. Of shells that are flush, as two blocks of one width that are pushed into each
//! other are, every edge and corner may lie on the other's surface: there the middles of the triangles beside such corners tell. Shells that
//! only touch, as parts that stand on each other do, do not overlap, and a cavity is inside its shell with the opposite sign.

use nalgebra::Point3;

use crate::Aabb;
use crate::predicate::{crossings_above, orient3d, point_in_triangle};

/// A triangle of a shell, with its box.
struct Face {
    corners: [Point3<f32>; 3],
    aabb: Aabb,
}

/// Whether any place is inside two of `count` shells, counted with their signs; `triangles`: the shell and the corners of each.
/// Of copies of one shell in one place it is not told.
pub(super) fn shells_overlap(count: usize, triangles: impl Iterator<Item = (u32, [Point3<f32>; 3])>) -> bool {
    let mut shells: Vec<(Aabb, Vec<Face>)> = (0..count).map(|_| (EMPTY, Vec::new())).collect();
    for (shell, corners) in triangles {
        let aabb = Aabb::of_points(&corners);
        let (all, faces) = &mut shells[shell as usize];
        *all = all.merged(&aabb);
        faces.push(Face { corners, aabb });
    }
    shells.sort_by(|p, q| p.0.min[0].total_cmp(&q.0.min[0]));
    let shells = &shells;
    let mut flush: Vec<Vec<usize>> = vec![Vec::new(); count];
    let beside = |k: usize| {
        let own = shells[k].0;
        (0..shells.len())
            .filter(move |&other| other != k)
            .filter(move |&other| own.overlaps(&shells[other].0))
    };
    for k in 0..shells.len() {
        for other in beside(k).filter(|&other| other > k) {
            let ((own, faces), (aabb, others)) = (&shells[k], &shells[other]);
            let common = Aabb {
                min: std::array::from_fn(|i| own.min[i].max(aabb.min[i])),
                max: std::array::from_fn(|i| own.max[i].min(aabb.max[i])),
            };
            let mut touched = [Vec::new(), Vec::new()];
            if cross(faces, others, &common, &mut touched) {
                return true;
            }
            for (shell, touched) in [k, other].into_iter().zip(touched) {
                flush[shell].extend(touched);
            }
        }
    }
    (0..shells.len()).any(|k| {
        let others: Vec<&Face> = beside(k).flat_map(|other| &shells[other].1).collect();
        is_inside(&shells[k].1, &others, &mut flush[k])
    })
}

const EMPTY: Aabb = Aabb { min: [f32::INFINITY; 3], max: [f32::NEG_INFINITY; 3] };

/// Whether an edge of one shell passes through the inside of a triangle of the other, in a box that both reach into; `touched`: of
/// each shell, triangles with a corner on the other's surface, some of them again and again.
fn cross(p: &[Face], q: &[Face], common: &Aabb, touched: &mut [Vec<usize>; 2]) -> bool {
    let within = |faces: &[Face]| {
        let mut within: Vec<usize> = (0..faces.len()).filter(|&k| faces[k].aabb.overlaps(common)).collect();
        within.sort_by(|&i, &j| faces[i].aabb.min[0].total_cmp(&faces[j].aabb.min[0]));
        within
    };
    let [own, others] = [within(p), within(q)];
    let [of_own, of_others] = touched;
    sweep((p, &own, of_own), (q, &others, of_others)) || sweep((q, &others, of_others), (p, &own, of_own))
}

/// A shell: its triangles, those of them that count, in the order in which they begin along x, and those that touch.
type Swept<'a> = (&'a [Face], &'a [usize], &'a mut Vec<usize>);

/// Whether any triangle of a shell crosses one of another that does not begin before it.
fn sweep((p, own, touched): Swept<'_>, (q, others, of_others): Swept<'_>) -> bool {
    own.iter().any(|&i| {
        let face = &p[i];
        // Those that begin before it are met when it is their turn.
        let from = others.partition_point(|&j| q[j].aabb.min[0] < face.aabb.min[0]);
        let beside = others[from..].iter().take_while(|&&j| q[j].aabb.min[0] <= face.aabb.max[0]);
        beside.copied().any(|j| {
            let meet = if face.aabb.overlaps(&q[j].aabb) { meet(face, &q[j]) } else { Meet::default() };
            touched.extend(meet.touch[0].then_some(i));
            of_others.extend(meet.touch[1].then_some(j));
            meet.cross
        })
    })
}

/// How two triangles meet.
#[derive(Clone, Copy, Debug, Default)]
struct Meet {
    /// An edge of one passes through the inside of the other.
    cross: bool,
    /// Which of them has a corner on the other.
    touch: [bool; 2],
}

fn meet(s: &Face, t: &Face) -> Meet {
    let [s, t] = [s, t].map(|face| face.corners.map(|corner| corner.cast::<f64>()));
    let mut all = Meet::default();
    for (k, (edges, triangle)) in [(&s, &t), (&t, &s)].into_iter().enumerate() {
        let [a, b, c] = triangle;
        let sides = edges.map(|p| orient3d(a, b, c, &p));
        all.touch[k] = (0..3).any(|k| sides[k] == 0.0 && point_in_triangle(&edges[k], triangle));
        all.cross |= (0..3).any(|k| {
            let (p, q) = (&edges[k], &edges[(k + 1) % 3]);
            sides[k] * sides[(k + 1) % 3] < 0.0 && {
                let around = [orient3d(p, q, a, b), orient3d(p, q, b, c), orient3d(p, q, c, a)];
                around.iter().all(|side| *side > 0.0) || around.iter().all(|side| *side < 0.0)
            }
        });
    }
    all
}

/// Whether a shell that others do not cross is inside of them: its first corner that is on none of their surfaces tells, or the middle
/// of one of its triangles that touch them (`flush`).
fn is_inside(inner: &[Face], others: &[&Face], flush: &mut Vec<usize>) -> bool {
    if others.is_empty() {
        return false;
    }
    let mut corners = inner.iter().flat_map(|face| &face.corners);
    let corner = corners.find_map(|corner| winding(corner, others, 0.0));
    flush.sort_unstable();
    flush.dedup();
    let middle = |&k: &usize| {
        let [a, b, c] = inner[k].corners.map(|corner| corner.coords.cast::<f64>() / 3.0);
        let middle = Point3::from((a + b + c).cast::<f32>());
        let size = inner[k].aabb.max.iter().chain(&inner[k].aabb.min).fold(0.0, |m: f32, x| m.max(x.abs()));
        winding(&middle, others, f64::from(ROUNDING * size)).is_some_and(|winding| winding > 0)
    };
    (corner.is_some_and(|winding| winding > 0) || flush.iter().any(middle)) && outward(inner)
}

/// By how much more than rounding to `f32` the middle of a triangle lies inside others, part of its coordinates.
const ROUNDING: f32 = 1e-5;

/// How often shells wind around a place; `None` where it lies within `near` (m) of their surfaces, or, as the planes of their triangles
/// have it, may do so.
fn winding(place: &Point3<f32>, shells: &[&Face], near: f64) -> Option<i32> {
    let at = place.cast::<f64>();
    let mut winding = 0;
    for face in shells {
        let reach = near as f32;
        let aside =
            (0..3).any(|k| place[k] < face.aabb.min[k] - reach || place[k] > face.aabb.max[k] + reach);
        if !aside {
            let t = face.corners.map(|corner| corner.cast::<f64>());
            let side = orient3d(&t[0], &t[1], &t[2], &at);
            let close = match near > 0.0 {
                true => side.abs() <= near * (t[1] - t[0]).cross(&(t[2] - t[0])).norm(),
                false => side == 0.0 && point_in_triangle(&at, &t),
            };
            if close {
                return None;
            }
        }
        winding += crossings_above(place, &face.corners);
    }
    Some(winding)
}

/// Whether a closed shell bounds a volume rather than a cavity.
fn outward(faces: &[Face]) -> bool {
    let origin = faces[0].corners[0].cast::<f64>();
    let sixfold: f64 = faces
        .iter()
        .map(|face| {
            let [a, b, c] = face.corners.map(|corner| corner.cast::<f64>() - origin);
            a.dot(&b.cross(&c))
        })
        .sum();
    sixfold > 0.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TriMesh;

    /// A box as eight vertices and twelve triangles, seen from outside or, of a cavity, from inside.
    fn add(arrays: &mut super::super::Arrays, min: [f32; 3], max: [f32; 3], cavity: bool) {
        let first = arrays.0.len() as u32;
        arrays.0.extend((0..8).map(|k| {
            Point3::from([0, 1, 2].map(|axis| if k >> axis & 1 == 1 { max[axis] } else { min[axis] }))
        }));
        let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
        for [a, b, c, d] in quads.map(|quad| quad.map(|k| first + k)) {
            for [p, q, r] in [[a, b, c], [a, c, d]] {
                arrays.1.push(if cavity { [p, r, q] } else { [p, q, r] });
            }
        }
    }

    fn overlap(boxes: &[([f32; 3], [f32; 3], bool)]) -> bool {
        let mut arrays = (Vec::new(), Vec::new());
        boxes.iter().for_each(|&(min, max, cavity)| add(&mut arrays, min, max, cavity));
        let mesh = TriMesh::new(arrays.0, arrays.1).unwrap();
        assert!(mesh.is_closed() && mesh.shells().len() == boxes.len());
        mesh.shells_overlap()
    }

    #[test]
    fn boxes_that_share_a_volume_overlap() {
        let unit = ([0.0; 3], [1.0; 3], false);
        assert!(!overlap(&[unit]));
        // A peg through a plate, a corner in a corner, and one wholly inside the other.
        assert!(overlap(&[unit, ([0.3, 0.3, -1.0], [0.6, 0.6, 2.0], false)]));
        assert!(overlap(&[unit, ([0.7, 0.6, 0.8], [1.5, 1.5, 1.5], false)]));
        assert!(overlap(&[unit, ([0.3, 0.3, 0.3], [0.6, 0.6, 0.6], false)]));
        // One in a wall of the other: all corners of the peg's end lie in the plate's faces.
        assert!(overlap(&[unit, ([0.25, 0.25, 0.5], [0.5, 0.5, 1.0], false)]));
    }

    #[test]
    fn flush_boxes_that_are_pushed_into_each_other_overlap() {
        let unit = ([0.0; 3], [1.0; 3], false);
        for k in 0..3 {
            let [mut inward, mut beside, mut through] = [unit; 3];
            (inward.0[k], inward.1[k]) = (0.25, 1.25);
            (beside.0[k], beside.1[k]) = (1.0, 1.5);
            // Flush on two sides, and through the other two.
            (through.0[k], through.1[k]) = (0.25, 0.75);
            (through.0[(k + 1) % 3], through.1[(k + 1) % 3]) = (-1.0, 2.0);
            for (other, due) in [(inward, true), (beside, false), (through, true)] {
                assert!(overlap(&[unit, other]) == due, "{other:?}");
                assert!(overlap(&[other, unit]) == due, "{other:?}");
            }
        }
        // Flush on one side, and standing on it.
        assert!(!overlap(&[unit, ([0.1, 0.3, 1.0], [1.0, 1.1, 1.7], false)]));
    }

    #[test]
    fn what_touches_or_is_hollow_does_not_overlap() {
        let unit = ([0.0; 3], [1.0; 3], false);
        // On it, beside an edge, at a corner, far away with boxes that overlap.
        assert!(!overlap(&[unit, ([0.25, 0.25, 1.0], [0.5, 0.5, 2.0], false)]));
        assert!(!overlap(&[unit, ([1.0, 1.0, 0.0], [2.0, 2.0, 1.0], false)]));
        assert!(!overlap(&[unit, ([1.0, 1.0, 1.0], [2.0, 2.0, 2.0], false)]));
        assert!(!overlap(&[unit, ([3.0, 0.0, 0.0], [4.0, 1.0, 1.0], false)]));
        // A cavity, and a body within it.
        let cavity = ([0.1; 3], [0.9; 3], true);
        assert!(!overlap(&[unit, cavity]));
        assert!(!overlap(&[unit, cavity, ([0.4; 3], [0.6; 3], false)]));
    }
}
