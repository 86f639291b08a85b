//! Whether shells of a closed mesh overlap each other, so that some places are inside more than once.
//!
//! Shells that overlap either cross, an edge of one passing through the inside of a triangle of the other, or one has a
//! corner strictly inside the other. Both are asked exactly; shells that only touch, as parts that stand on each other do, do not
//! overlap, and a cavity is inside its shell with the opposite sign.

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
    let beside = |k: usize| {
        let own = shells[k].0;
        (0..shells.len())
            .filter(move |&other| other != k)
            .filter(move |&other| own.overlaps(&shells[other].0))
    };
    (0..shells.len()).any(|k| {
        beside(k).filter(|&other| other > k).any(|other| {
            let ((own, faces), (aabb, others)) = (&shells[k], &shells[other]);
            let common = Aabb {
                min: std::array::from_fn(|i| own.min[i].max(aabb.min[i])),
                max: std::array::from_fn(|i| own.max[i].min(aabb.max[i])),
            };
            cross(faces, others, &common)
        })
    }) || (0..shells.len()).any(|k| {
        let others: Vec<&Face> = beside(k).flat_map(|other| &shells[other].1).collect();
        is_inside(&shells[k].1, &others)
    })
}

const EMPTY: Aabb = Aabb { min: [f32::INFINITY; 3], max: [f32::NEG_INFINITY; 3] };

/// Whether an edge of one shell passes through the inside of a triangle of the other, in a box that both reach into.
fn cross(p: &[Face], q: &[Face], common: &Aabb) -> bool {
    let within = |faces: &[Face]| {
        let mut within: Vec<usize> = (0..faces.len()).filter(|&k| faces[k].aabb.overlaps(common)).collect();
        within.sort_by(|&i, &j| faces[i].aabb.min[0].total_cmp(&faces[j].aabb.min[0]));
        within
    };
    let [own, others] = [within(p), within(q)];
    let sweep = |own: &[usize], p: &[Face], others: &[usize], q: &[Face]| {
        own.iter().any(|&i| {
            let face = &p[i];
            // Those that begin before it are met when it is their turn.
            let from = others.partition_point(|&j| q[j].aabb.min[0] < face.aabb.min[0]);
            let beside = others[from..].iter().take_while(|&&j| q[j].aabb.min[0] <= face.aabb.max[0]);
            beside.map(|&j| &q[j]).any(|other| face.aabb.overlaps(&other.aabb) && faces_cross(face, other))
        })
    };
    sweep(&own, p, &others, q) || sweep(&others, q, &own, p)
}

fn faces_cross(s: &Face, t: &Face) -> bool {
    let [s, t] = [s, t].map(|face| face.corners.map(|corner| corner.cast::<f64>()));
    let pierces = |edges: &[Point3<f64>; 3], [a, b, c]: &[Point3<f64>; 3]| {
        let sides = edges.map(|p| orient3d(a, b, c, &p));
        (0..3).any(|k| {
            let (p, q) = (&edges[k], &edges[(k + 1) % 3]);
            sides[k] * sides[(k + 1) % 3] < 0.0 && {
                let around = [orient3d(p, q, a, b), orient3d(p, q, b, c), orient3d(p, q, c, a)];
                around.iter().all(|side| *side > 0.0) || around.iter().all(|side| *side < 0.0)
            }
        })
    };
    pierces(&s, &t) || pierces(&t, &s)
}

/// Whether a shell that others do not cross is inside of them: its first corner that is on none of their surfaces tells.
fn is_inside(inner: &[Face], others: &[&Face]) -> bool {
    let winding = |corner: &Point3<f32>| {
        let place = corner.cast::<f64>();
        let mut winding = 0;
        for face in others {
            let t = face.corners.map(|corner| corner.cast::<f64>());
            let aside = (0..3).any(|k| corner[k] < face.aabb.min[k] || corner[k] > face.aabb.max[k]);
            if !aside && orient3d(&t[0], &t[1], &t[2], &place) == 0.0 && point_in_triangle(&place, &t) {
                return None;
            }
            winding += crossings_above(corner, &face.corners);
        }
        Some(winding)
    };
    !others.is_empty()
        && inner.iter().flat_map(|face| &face.corners).find_map(winding).is_some_and(|winding| winding > 0)
        && outward(inner)
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
