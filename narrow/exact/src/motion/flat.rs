//! Regions of a surface that cannot meet themselves while their vertices move on lines.
//!
//! Seen along a direction, triangles that all turn the same way cover a place as often as the region's border winds round it. If
//! the border is one loop that does not meet itself, that is once at most: the region has no two points in one place, seen so, and
//! none in space. Both are asked of the whole motion: the normal of a triangle is a quadratic in time, within the hull of three
//! vectors; two edges of the border stay apart if an axis parts them at the beginning and at the end.
//!
//! Sources: Volino, Magnenat-Thalmann, "Efficient Self-Collision Detection on Smoothly Discretized Surface Animations using
//! Geometrical Shape Regularity", 1994 (curvature and contour); Tang, Curtis, Yoon, Manocha, "ICCD: Interactive Continuous Collision Detection
//! between Deformable Models using Connectivity-Based Culling", 2009 (normals over time). The proof by axes for the contour is ours.

use nalgebra::{Point3, Vector2, Vector3};

use super::moving_surface::DeformingSurface;

/// More than products of coordinates beside a corner are off by, in parts of their sizes.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

/// The most triangles of a region that is asked about: the border's edges are compared each with each.
pub const FLAT_TRIANGLES: usize = 128;

/// Whether it is proved that some triangles of a surface never share a point but at their common vertices and edges.
pub fn is_flat(surface: &DeformingSurface<'_>, triangles: &[u32]) -> bool {
    let virtual_face = |&t: &u32| surface.mesh.is_virtual(t);
    if triangles.len() > FLAT_TRIANGLES || triangles.iter().any(virtual_face) {
        return false;
    }
    let Some(direction) = facing(surface, triangles) else { return false };
    let Some(border) = border(surface, triangles) else { return false };
    stays_simple(surface, &border, &direction)
}

/// The corners of a triangle at the beginning and at the end (m).
fn ends(surface: &DeformingSurface<'_>, triangle: u32) -> [[Vector3<f64>; 3]; 2] {
    let corners = surface.mesh.triangles()[triangle as usize];
    [surface.from, surface.to].map(|at| corners.map(|v| at[v as usize].coords.cast::<f64>()))
}

/// A direction that all triangles face at all times.
fn facing(surface: &DeformingSurface<'_>, triangles: &[u32]) -> Option<Vector3<f64>> {
    let edges = |[a, b, c]: [Vector3<f64>; 3]| [b - a, c - a];
    let sides = |t: u32| ends(surface, t).map(edges);
    let mut sum = Vector3::zeros();
    for &t in triangles {
        let [[e, f], [g, h]] = sides(t);
        sum += e.cross(&f) + g.cross(&h);
    }
    let direction = sum.try_normalize(0.0)?;
    let faces = |&t: &u32| {
        let [first, last] = ends(surface, t);
        let size = first.iter().chain(&last).fold(0.0f64, |most, p| most.max(p.amax()));
        let [[e, f], [g, h]] = sides(t);
        let long = e.norm().max(f.norm()).max(g.norm()).max(h.norm());
        // Edges have the rounding of their ends, their product that of both.
        let error = ROUNDING * long * (long + size);
        let middle = (e.cross(&h) + g.cross(&f)) * 0.5;
        [e.cross(&f), middle, g.cross(&h)].iter().all(|n| n.dot(&direction) > error)
    };
    triangles.iter().all(faces).then_some(direction)
}

/// The vertices of the border in order, if it is one loop in which none comes twice.
fn border(surface: &DeformingSurface<'_>, triangles: &[u32]) -> Option<Vec<u32>> {
    let mut edges: Vec<[u32; 2]> = Vec::with_capacity(3 * triangles.len());
    for &t in triangles {
        let corners = surface.mesh.triangles()[t as usize];
        edges.extend((0..3).map(|k| [corners[k], corners[(k + 1) % 3]]));
    }
    edges.sort_unstable();
    // Neighbours that are turned alike go along their common edge both ways.
    if edges.windows(2).any(|pair| pair[0] == pair[1]) {
        return None;
    }
    let inner = |[a, b]: &[u32; 2]| edges.binary_search(&[*b, *a]).is_ok();
    let rim: Vec<[u32; 2]> = edges.iter().copied().filter(|edge| !inner(edge)).collect();
    // From every vertex one edge leads on.
    if rim.is_empty() || rim.windows(2).any(|pair| pair[0][0] == pair[1][0]) {
        return None;
    }
    let mut order = vec![rim[0][0]];
    loop {
        let last = *order.last()?;
        let next = rim[rim.binary_search_by_key(&last, |edge| edge[0]).ok()?][1];
        if next == order[0] {
            break;
        }
        if order.len() == rim.len() {
            return None;
        }
        order.push(next);
    }
    (order.len() == rim.len()).then_some(order)
}

/// Whether a loop, seen along a direction, never meets itself.
fn stays_simple(surface: &DeformingSurface<'_>, border: &[u32], direction: &Vector3<f64>) -> bool {
    let across = if direction.x.abs() < 0.6 { Vector3::x() } else { Vector3::y() };
    let Some(u) = direction.cross(&across).try_normalize(0.0) else { return false };
    let v = direction.cross(&u);
    let seen = |at: &[Point3<f32>]| -> Vec<Vector2<f64>> {
        let origin = at[border[0] as usize].coords.cast::<f64>();
        let place = |&vertex: &u32| at[vertex as usize].coords.cast::<f64>() - origin;
        border.iter().map(place).map(|p| Vector2::new(u.dot(&p), v.dot(&p))).collect()
    };
    let ends = [seen(surface.from), seen(surface.to)];
    let size =
        |at: &[Point3<f32>]| border.iter().fold(0.0f32, |most, &v| most.max(at[v as usize].coords.amax()));
    let error = ROUNDING * f64::from(size(surface.from).max(size(surface.to)));
    let count = border.len();
    (0..count).all(|i| {
        (i + 1..count).all(|j| {
            let (first, second) = ([i, (i + 1) % count], [j, (j + 1) % count]);
            if first[1] == second[0] {
                parted_at_corner(&ends, [first[0], first[1], second[1]], error)
            } else if second[1] == first[0] {
                parted_at_corner(&ends, [second[0], second[1], first[1]], error)
            } else {
                parted(&ends, first, second, error)
            }
        })
    })
}

/// Whether an axis parts two edges at both ends of the motion.
fn parted(ends: &[Vec<Vector2<f64>>; 2], first: [usize; 2], second: [usize; 2], error: f64) -> bool {
    let middle = |k: usize| (ends[0][k] + ends[1][k]) * 0.5;
    let [p, q, r, s] = [middle(first[0]), middle(first[1]), middle(second[0]), middle(second[1])];
    let beside = |e: Vector2<f64>| Vector2::new(-e.y, e.x);
    [r + s - p - q, beside(q - p), beside(s - r)].into_iter().any(|axis| {
        let Some(axis) = axis.try_normalize(0.0) else { return false };
        let gap = |axis: Vector2<f64>| {
            let [low, high] = [0, 1].map(|end: usize| {
                let height = |k: usize| axis.dot(&ends[end][k]);
                let top = height(first[0]).max(height(first[1]));
                let bottom = height(second[0]).min(height(second[1]));
                bottom - top
            });
            low.min(high)
        };
        gap(axis) > error || gap(-axis) > error
    })
}

/// Whether an axis through the corner of two edges has them on both of its sides, at both ends of the motion.
fn parted_at_corner(ends: &[Vec<Vector2<f64>>; 2], [a, corner, b]: [usize; 3], error: f64) -> bool {
    let middle = |k: usize| {
        let arm = (ends[0][k] - ends[0][corner]) + (ends[1][k] - ends[1][corner]);
        arm.try_normalize(0.0)
    };
    let (Some(to_a), Some(to_b)) = (middle(a), middle(b)) else { return false };
    let Some(axis) = (to_b - to_a).try_normalize(0.0) else { return false };
    ends.iter().all(|at| axis.dot(&(at[a] - at[corner])) < -error && axis.dot(&(at[b] - at[corner])) > error)
}
