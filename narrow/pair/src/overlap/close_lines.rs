//! Depth of a patch whose view was sampled elsewhere: single lines along its normal in place of a zoom, through
//! vertices and through crossings of edges. Between flat faces the deepest place is one of these.

use nalgebra::{Point3, Vector2, Vector3};

use super::depth::{ExtremeVertices, ending, farthest, is_plateau, line, offer, own_axes, take_line};
use crate::patch::Patch;
use crate::penetration::longest;
use crate::sampler::Sampler;
use crate::scene::Scene;
use crate::tunables;
use impinge_geometry::Side;
use impinge_image_space::intervals::OverlapInterval;
use impinge_image_space::view::View;

/// Corrects the depth of a patch and its deepest point by lines through `extremes`, and through corners and crossings of edges
/// of the triangles at the ends of the longest of its `columns`.
pub(crate) fn deepen_along_lines(
    scene: &Scene<'_>,
    view: &View,
    columns: &[OverlapInterval],
    extremes: &ExtremeVertices,
    patch: &mut Patch,
    close: &mut Sampler,
) {
    let deepest = longest(columns);
    let top = &columns[deepest];
    if top.is_touch() || is_plateau(columns, deepest) {
        return;
    }
    let Some(axes) = own_axes(scene, view, patch) else { return };
    for side in Side::BOTH {
        let Some(tip) = extremes.beyond(side, &patch.normal, patch.depth) else { continue };
        let Some(found) = line(scene, &axes, view, &tip.at, close) else { continue };
        take_line(view, patch, (&found.0, &found.1), tip.key);
    }
    let is_bound =
        |[upper, lower]: [f64; 2]| patch.depth >= (1.0 - tunables::LEAST_DEPTH_GAIN) * (upper - lower);
    if extremes.interval.is_some_and(is_bound) {
        return;
    }
    let middle = view.place(top.i, top.j, 0.5 * (f64::from(top.begin()) + f64::from(top.end())));
    let reach = tunables::VERTEX_REACH * view.pixel[0].max(view.pixel[1]);
    let mut ends = ending(view, top, &patch.normal);
    for _ in 0..tunables::CLIMBED_TRIANGLES {
        let before = patch.points[deepest].depth;
        let mut best = None;
        for place in places(scene, ends, &patch.normal) {
            let across = (place - middle) - patch.normal * (place - middle).dot(&patch.normal);
            if across.norm() > reach {
                continue;
            }
            let Some((line, column)) = line(scene, &axes, view, &place, close) else { continue };
            let was = patch.points[deepest].depth;
            offer(patch, deepest, &line, &column);
            if patch.points[deepest].depth > was {
                best = Some(ending(&line, &column, &patch.normal));
            }
        }
        match best {
            Some(own) if patch.points[deepest].depth > (1.0 + tunables::LEAST_DEPTH_GAIN) * before => {
                ends = own
            }
            _ => break,
        }
    }
    patch.depth = patch.points.iter().map(|p| p.depth).fold(f64::NEG_INFINITY, f64::max);
}

/// Where the overlap between two triangles, of A and of B, may be deepest along a normal: the corners that have gone deepest,
/// and crossings of their edges.
fn places(scene: &Scene<'_>, ends: [(Side, u32); 2], normal: &Vector3<f64>) -> Vec<Point3<f64>> {
    let corners = ends.iter().filter_map(|(side, triangle)| farthest(scene, *side, *triangle, normal));
    let mut places: Vec<Point3<f64>> = corners.collect();
    places.extend(crossings(scene, ends.map(|(_, triangle)| triangle), normal));
    places
}

/// Halfway between edges of A's triangle and of B's that cross each other as seen along a normal, the deepest first.
fn crossings(scene: &Scene<'_>, triangles: [u32; 2], normal: &Vector3<f64>) -> Vec<Point3<f64>> {
    let [Some(a), Some(b)] = Side::BOTH.map(|side| scene.corners(side, triangles[side.index()])) else {
        return Vec::new();
    };
    let right = normal.cross(&Vector3::ith(normal.iamin(), 1.0)).normalize();
    let up = normal.cross(&right);
    let flat = |v: &Vector3<f64>| Vector2::new(v.dot(&right), v.dot(&up));
    let mut found: Vec<(f64, Point3<f64>)> = Vec::new();
    for (i, j) in (0..9).map(|k| (k / 3, k % 3)) {
        let [p, q] = [a[i], b[j]];
        let [u, v] = [a[(i + 1) % 3] - p, b[(j + 1) % 3] - q];
        let [d, e, f] = [flat(&u), flat(&v), flat(&(q - p))];
        let area = d.perp(&e);
        let [s, t] = [f.perp(&e) / area, f.perp(&d) / area];
        if !((0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t)) {
            continue;
        }
        let [on_a, on_b] = [p + u * s, q + v * t];
        let depth = (on_a - on_b).dot(normal);
        if depth > 0.0 {
            found.push((depth, nalgebra::center(&on_a, &on_b)));
        }
    }
    found.sort_by(|p, q| q.0.total_cmp(&p.0));
    found.truncate(tunables::CLOSE_CROSSINGS);
    found.into_iter().map(|(_, place)| place).collect()
}
