//! Polygons with holes, cut into triangles.
//!
//! Sources: Eberly, "Triangulation by Ear Clipping", 2002 (holes are joined to what is around them by a bridge); Meisters, "Polygons Have Ears",
//! 1975.

use nalgebra::{Point3, Vector3};
use robust::{Coord, orient2d};

use super::loops::Name;

/// A ring's corners: names, and where they are seen.
type Ring = Vec<(Name, Coord<f64>)>;

/// Cuts what rings bound into triangles that turn counter-clockwise seen against `normal`: rings that turn so are outlines, others holes in
/// them. `None` where that cannot be done (rings that cross).
pub(super) fn triangulate(
    rings: &[Vec<(Name, Point3<f64>)>],
    normal: &Vector3<f64>,
) -> Option<Vec<[Name; 3]>> {
    let axis = normal.iamax();
    let (i, j) =
        if normal[axis] > 0.0 { ((axis + 1) % 3, (axis + 2) % 3) } else { ((axis + 2) % 3, (axis + 1) % 3) };
    let flat = |ring: &Vec<(Name, Point3<f64>)>| -> Ring {
        ring.iter().map(|(name, p)| (*name, Coord { x: p[i], y: p[j] })).collect()
    };
    let (mut outlines, mut holes): (Vec<Ring>, Vec<Ring>) =
        rings.iter().map(flat).partition(|ring| area(ring) >= 0.0);
    let rightmost = |ring: &Ring| ring.iter().map(|(_, p)| p.x).fold(f64::NEG_INFINITY, f64::max);
    holes.sort_by(|p, q| rightmost(q).total_cmp(&rightmost(p)));
    for hole in holes {
        // The smallest outline that holds it.
        let own = (0..outlines.len()).filter(|&k| hole.iter().all(|(_, p)| is_in(&outlines[k], *p)));
        let own = own.min_by(|&p, &q| area(&outlines[p]).total_cmp(&area(&outlines[q])))?;
        bridge(&mut outlines[own], &hole)?;
    }
    let mut triangles = Vec::new();
    for outline in outlines {
        cut_ears(outline, &mut triangles)?;
    }
    Some(triangles)
}

/// Twice the area of a ring.
fn area(ring: &Ring) -> f64 {
    let first = ring[0].1;
    let corner = |k: usize| {
        let p = ring[k % ring.len()].1;
        [p.x - first.x, p.y - first.y]
    };
    (0..ring.len())
        .map(|k| {
            let ([a, b], [c, d]) = (corner(k), corner(k + 1));
            a * d - b * c
        })
        .sum()
}

/// Whether a place is within a ring, by the crossings of a ray to the right.
fn is_in(ring: &Ring, p: Coord<f64>) -> bool {
    let mut inside = false;
    for k in 0..ring.len() {
        let (a, b) = (ring[k].1, ring[(k + 1) % ring.len()].1);
        if (a.y > p.y) != (b.y > p.y) {
            let side = orient2d(a, b, p);
            inside ^= (side > 0.0) == (b.y > a.y);
        }
    }
    inside
}

/// Joins a hole to the outline around it, by an edge there and back that crosses neither.
fn bridge(outline: &mut Ring, hole: &Ring) -> Option<()> {
    let mut best: Option<(f64, usize, usize)> = None;
    for (h, (_, from)) in hole.iter().enumerate() {
        for (o, (_, to)) in outline.iter().enumerate() {
            let length = (from.x - to.x).powi(2) + (from.y - to.y).powi(2);
            if best.is_none_or(|(least, ..)| length < least)
                && opens_to(outline, o, *from)
                && !crosses(outline, *from, *to)
                && !crosses(hole, *from, *to)
            {
                best = Some((length, h, o));
            }
        }
    }
    let (_, h, o) = best?;
    let there_and_back: Ring = hole[h..].iter().chain(&hole[..=h]).copied().chain([outline[o]]).collect();
    outline.splice(o + 1..o + 1, there_and_back);
    Some(())
}

/// Whether a place lies in the angle of a corner of an outline.
fn opens_to(ring: &Ring, corner: usize, p: Coord<f64>) -> bool {
    let n = ring.len();
    let [a, b, c] = [(corner + n - 1) % n, corner, (corner + 1) % n].map(|k| ring[k].1);
    let (after, before) = (orient2d(b, c, p) > 0.0, orient2d(a, b, p) > 0.0);
    if orient2d(a, b, c) > 0.0 { after && before } else { after || before }
}

/// Whether a stretch passes an edge of a ring, or a corner that is none of its ends.
fn crosses(ring: &Ring, p: Coord<f64>, q: Coord<f64>) -> bool {
    (0..ring.len()).any(|k| {
        let (a, b) = (ring[k].1, ring[(k + 1) % ring.len()].1);
        if a == p || a == q || b == p || b == q {
            let other = if a == p || a == q { b } else { a };
            return other != p && other != q && orient2d(p, q, other) == 0.0 && between(p, q, other);
        }
        let (c, d) = (orient2d(p, q, a), orient2d(p, q, b));
        let (e, f) = (orient2d(a, b, p), orient2d(a, b, q));
        (c >= 0.0) != (d > 0.0) && (e >= 0.0) != (f > 0.0) || c == 0.0 && between(p, q, a)
    })
}

/// Whether a place on the line of two others is between them.
fn between(p: Coord<f64>, q: Coord<f64>, at: Coord<f64>) -> bool {
    (at.x - p.x) * (at.x - q.x) + (at.y - p.y) * (at.y - q.y) < 0.0
}

/// Cuts ears until nothing is left, of those there are the one with the shortest cut; `None` where there is none.
fn cut_ears(mut left: Ring, triangles: &mut Vec<[Name; 3]>) -> Option<()> {
    while left.len() > 3 {
        let n = left.len();
        let length = |k: usize| {
            let (a, c) = (left[(k + n - 1) % n].1, left[(k + 1) % n].1);
            (a.x - c.x).powi(2) + (a.y - c.y).powi(2)
        };
        let ears = (0..n).filter(|&k| is_ear(&left, k));
        let tip = ears.min_by(|&p, &q| length(p).total_cmp(&length(q)))?;
        triangles.push([(tip + n - 1) % n, tip, (tip + 1) % n].map(|k| left[k].0));
        left.remove(tip);
    }
    if left.len() == 3 {
        triangles.push([0, 1, 2].map(|k: usize| left[k].0));
    }
    Some(())
}

/// Whether the corner sticks out and no other corner lies in the triangle that it makes with its neighbours.
fn is_ear(left: &Ring, tip: usize) -> bool {
    let n = left.len();
    let [a, b, c] = [(tip + n - 1) % n, tip, (tip + 1) % n].map(|k| left[k].1);
    orient2d(a, b, c) > 0.0
        && left.iter().all(|&(_, p)| {
            p == a
                || p == b
                || p == c
                || orient2d(a, b, p) < 0.0
                || orient2d(b, c, p) < 0.0
                || orient2d(c, a, p) < 0.0
        })
}
