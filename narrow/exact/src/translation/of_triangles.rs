//! How far B must move along a direction until some of its triangles are past some of A's: the depth of one of several overlaps, by the
//! surfaces that bound it.

use impinge_geometry::Side;
use nalgebra::{Point3, Vector3};

use super::first_free::{Clearance, Last, exchanged, is_reversed, tolerance};
use super::triangles::{Swept, interval, max, min};
use crate::intersect::Surfaces;

/// What [`clearance_of_triangles`] reuses: nothing is allocated once it is warm.
#[derive(Clone, Debug, Default)]
pub struct TrianglesScratch {
    sides: [Vec<Seen>; 2],
}

/// A triangle as it is seen along the direction.
#[derive(Clone, Copy, Debug)]
struct Seen {
    triangle: u32,
    corners: [Point3<f64>; 3],
    /// From where to where it reaches along the direction (m).
    along: [f64; 2],
    /// Its box across (m).
    low: [f64; 2],
    high: [f64; 2],
}

/// The first shift of B along `direction` (unit, pair frame), `from` (m) or more, at which no triangle of A among `triangles` shares a point with
/// one of B among them. Whatever else holds B is not asked; what slides along a wall without entering it is passed.
///
/// All pairs are asked that reach past each other by more than the shift found so far, A's farthest first. Those that do not meet until later, as the turns
/// of a thread do one after the other, hold B only if others hold it up to there.
pub fn clearance_of_triangles(
    surfaces: &Surfaces<'_>,
    direction: &Vector3<f64>,
    from: f64,
    triangles: [&[u32]; 2],
    scratch: &mut TrianglesScratch,
) -> Clearance {
    if is_reversed(surfaces) {
        let (frame, [a, b]) = (surfaces.frame.swapped(), triangles);
        let swapped = exchanged(surfaces, &frame);
        return ask(&swapped, &-direction, from, [b, a], scratch).exchanged();
    }
    ask(surfaces, direction, from, triangles, scratch)
}

/// As [`clearance_of_triangles`], of surfaces that are the right way round.
fn ask(
    surfaces: &Surfaces<'_>,
    direction: &Vector3<f64>,
    from: f64,
    triangles: [&[u32]; 2],
    scratch: &mut TrianglesScratch,
) -> Clearance {
    let tolerance = tolerance(surfaces);
    let right = direction.cross(&Vector3::ith(direction.iamin(), 1.0)).normalize();
    let across = [right, direction.cross(&right)];
    for side in Side::BOTH {
        let seen = &mut scratch.sides[side.index()];
        seen.clear();
        seen.extend(triangles[side.index()].iter().map(|&triangle| {
            let corners = surfaces.meshes[side.index()].corners(triangle);
            let corners = corners.map(|p| surfaces.frame.place(side, &p));
            let along = corners.map(|p| direction.dot(&p.coords));
            let along = [min(&along), max(&along)];
            let [x, y] = across.map(|axis| corners.map(|p| axis.dot(&p.coords)));
            let (low, high) = ([min(&x), min(&y)], [max(&x), max(&y)]);
            Seen { triangle, corners, along, low, high }
        }));
    }
    let [of_a, of_b] = &mut scratch.sides;
    let top = of_a.iter().map(|a| a.along[1]).fold(f64::NEG_INFINITY, f64::max);
    let bottom = of_b.iter().map(|b| b.along[0]).fold(f64::INFINITY, f64::min);
    of_a.retain(|a| a.along[1] - bottom > from);
    of_b.retain(|b| top - b.along[0] > from);
    of_a.sort_unstable_by(|a, b| b.along[1].total_cmp(&a.along[1]).then(a.triangle.cmp(&b.triangle)));
    of_b.sort_unstable_by(|a, b| a.low[0].total_cmp(&b.low[0]).then(a.triangle.cmp(&b.triangle)));
    let widest = of_b.iter().map(|b| b.high[0] - b.low[0]).fold(0.0, f64::max);
    let (mut until, mut ends) = (from, None);
    loop {
        // Where the first of those begin that were passed by as they do not meet yet.
        let mut next = f64::INFINITY;
        for a in of_a.iter() {
            if a.along[1] - bottom <= until {
                break;
            }
            let swept = Swept::new(a.triangle, a.corners);
            let first = of_b.partition_point(|b| b.low[0] < a.low[0] - widest);
            for b in of_b[first..].iter().take_while(|b| b.low[0] <= a.high[0]) {
                let is_past = a.along[1] - b.along[0] <= until;
                if is_past || b.high[0] < a.low[0] || b.low[1] > a.high[1] || b.high[1] < a.low[1] {
                    continue;
                }
                let begin = a.along[0] - b.along[1];
                if begin > until + tolerance {
                    next = next.min(begin);
                    continue;
                }
                let other = Swept::new(b.triangle, b.corners);
                let own = interval([&swept, &other], direction, until, tolerance);
                let Some(own) = own.filter(|own| !own.grazing) else { continue };
                if own.begin > until + tolerance {
                    next = next.min(own.begin);
                    continue;
                }
                (until, ends) = (own.end, Some(Last { axis: own.axis, triangles: [a.triangle, b.triangle] }));
            }
        }
        if next > until + tolerance {
            break;
        }
    }
    Last::clearance(ends, surfaces, direction, until)
}
