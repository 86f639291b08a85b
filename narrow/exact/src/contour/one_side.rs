//! Of a surface that crosses itself, one of the two ways to see each contour.

use super::ContourScratch;
use crate::intersect::Intersections;

/// Of the intersection of a surface with itself, in which every line is told twice, once with each of both strips of triangles along it as A's, keeps
/// the one whose strip of A has the lowest triangle; a line along which both strips are one stays as it is. Of pairs that only touch, the
/// lower triangle stays A's.
pub fn keep_one_side(intersections: &mut Intersections, scratch: &mut ContourScratch) {
    let ContourScratch { links, open, kept, .. } = scratch;
    let segments = &intersections.segments;
    links.find(segments);
    kept.clear();
    kept.resize(segments.len(), true);
    // Chains from their starts, then loops from anywhere.
    for chains in [true, false] {
        for k in 0..links.starts.len() {
            let first = links.starts[k];
            if links.visited[first as usize] || (chains && links.has_previous[first as usize]) {
                continue;
            }
            open.clear();
            links.walk(first, open);
            let lowest = |side: usize| {
                let all = open.iter().map(|&s| segments[s as usize].triangles);
                all.map(|[a, b]| if side == 0 { [a, b] } else { [b, a] }).min()
            };
            if lowest(0) > lowest(1) {
                open.iter().for_each(|&s| kept[s as usize] = false);
            }
        }
    }
    let mut at = 0;
    intersections.segments.retain(|_| {
        at += 1;
        kept[at - 1]
    });
    intersections.degenerate.retain(|pair| pair.triangles[0] < pair.triangles[1]);
    intersections.triangle_pairs /= 2;
}
