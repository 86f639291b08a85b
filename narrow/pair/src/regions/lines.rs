//! Lengths of an overlap on lines along a normal.

use impinge_geometry::Side;
use nalgebra::{Point3, Vector2, Vector3};

use super::candidates::{Across, PointCandidate};
use super::pair_overlaps::PairOverlaps;

/// A line this close to a triangle's edge, relative to its height over it, meets the triangle: none passes between two.
const ON_EDGE: f64 = 1e-9;

/// A crossing of a line and the part of a surface that is inside the other body.
#[derive(Clone, Copy, Debug)]
struct Event {
    line: u32,
    height: f64,
    leaves: bool,
}

/// The part of a line in the overlap: from where it enters, as a rule, B to where it leaves, as a rule, A (m along the normal).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Length {
    pub enters_b: f64,
    pub leaves_a: f64,
}

/// Lines along a normal.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    order: Vec<u32>,
    events: Vec<Event>,
    segments: Vec<u32>,
    /// For each candidate the overlap on its line that is nearest to the candidate's height.
    pub lengths: Vec<Option<Length>>,
}

impl Lines {
    /// Finds for each candidate the overlap on its line, between some triangles of A and of B.
    pub fn find(
        &mut self,
        crossing: &PairOverlaps<'_>,
        across: &Across,
        candidates: &[PointCandidate],
        triangles: [&[u32]; 2],
    ) {
        self.order.clear();
        self.order.extend(0..candidates.len() as u32);
        self.order.sort_unstable_by(|&p, &q| {
            candidates[p as usize].at.x.total_cmp(&candidates[q as usize].at.x).then(p.cmp(&q))
        });
        self.events.clear();
        self.lengths.clear();
        self.lengths.resize(candidates.len(), None);
        for side in Side::BOTH {
            for &triangle in triangles[side.index()] {
                self.cross(crossing, (side, triangle), across, candidates);
            }
        }
        self.events.sort_unstable_by(|p, q| {
            let order = p.line.cmp(&q.line).then(p.height.total_cmp(&q.height));
            order.then(p.leaves.cmp(&q.leaves))
        });
        for own in self.events.chunk_by(|p, q| p.line == q.line) {
            let line = own[0].line as usize;
            let length = &mut self.lengths[line];
            *length = length.or_else(|| nearest(own, candidates[line].height));
        }
    }

    /// Notes where the line of a vertex leaves the other body, if nothing is known to be nearer.
    fn end(&mut self, line: usize, own: Side, at: f64, end: f64) {
        let length = match own {
            Side::A => Length { enters_b: end, leaves_a: at },
            Side::B => Length { enters_b: at, leaves_a: end },
        };
        let long = |length: &Length| length.leaves_a - length.enters_b;
        if long(&length) >= 0.0 && self.lengths[line].is_none_or(|known| long(&length) < long(&known)) {
            self.lengths[line] = Some(length);
        }
    }

    /// Adds the events of one triangle, where lines cross the part of it that is inside the other body.
    fn cross(
        &mut self,
        crossing: &PairOverlaps<'_>,
        (side, triangle): (Side, u32),
        across: &Across,
        candidates: &[PointCandidate],
    ) {
        let mesh = crossing.surfaces.meshes[side.index()];
        let corners = mesh.corners(triangle).map(|p| crossing.surfaces.frame.place(side, &p));
        let [(a, ha), (b, hb), (c, hc)] =
            [across.of(&corners[0]), across.of(&corners[1]), across.of(&corners[2])];
        let [low, high] = [a.inf(&b).inf(&c), a.sup(&b).sup(&c)];
        let from = self.order.partition_point(|&k| candidates[k as usize].at.x < low.x);
        let area = (b - a).perp(&(c - a));
        let mut segments: Option<bool> = None;
        for at in from..self.order.len() {
            let k = self.order[at];
            let x: &Vector2<f64> = &candidates[k as usize].at;
            if x.x > high.x || area == 0.0 {
                break;
            }
            if x.y < low.y || x.y > high.y {
                continue;
            }
            let shares =
                [(b - x).perp(&(c - x)), (c - x).perp(&(a - x)), (a - x).perp(&(b - x))].map(|s| s / area);
            if shares.iter().any(|share| *share < -ON_EDGE) {
                continue;
            }
            let height = shares[0] * ha + shares[1] * hb + shares[2] * hc;
            let leaves = area > 0.0;
            if let Some(own) = candidates[k as usize].vertex_of {
                // Moving along the normal, a vertex of B leaves A, or A's leaves B, whatever else of its body is on the line.
                if own != side && leaves == (side == Side::A) {
                    self.end(k as usize, own, candidates[k as usize].height, height);
                }
            }
            let own = &mut self.segments;
            let is_crossed = *segments.get_or_insert_with(|| {
                own.clear();
                crossing.exact.segments_in(side, triangle, |segment| own.push(segment))
            });
            if is_crossed {
                let normal = (corners[1] - corners[0]).cross(&(corners[2] - corners[0]));
                let place = across.place(x, height);
                let left = is_left(
                    &place,
                    &normal,
                    own.iter().map(|&s| &crossing.found.segments[s as usize].points),
                );
                if left != (side == Side::A) {
                    continue;
                }
            }
            self.events.push(Event { line: k, height, leaves });
        }
    }
}

/// Returns whether a place in a face lies to the left of the nearest of some segments in the face, as seen from where its normal
/// points. Where two segments meet, the one that the place is farther beside counts.
fn is_left<'s>(
    place: &Point3<f64>,
    normal: &Vector3<f64>,
    segments: impl Iterator<Item = &'s [Point3<f64>; 2]>,
) -> bool {
    let (mut best, mut best_beside, mut left) = (f64::INFINITY, 0.0, false);
    for [p, q] in segments {
        let (along, from) = (q - p, place - p);
        let square = along.norm_squared();
        if square == 0.0 {
            continue;
        }
        let part = (from.dot(&along) / square).clamp(0.0, 1.0);
        let apart = (from - along * part).norm_squared();
        let turn = normal.dot(&along.cross(&from));
        let beside = turn * turn / square;
        let same = (apart - best).abs() <= SAME_DISTANCE * best;
        if apart < best && !same || same && beside > best_beside {
            (best, best_beside, left) = (apart, beside, turn > 0.0);
        }
    }
    left
}

/// Segments whose squared distances differ by no more than this part are as near.
const SAME_DISTANCE: f64 = 1e-9;

/// Returns the overlap nearest to a height: from an entry, into either body, to the exit that follows it. It is no longer than the
/// way out of the other body.
fn nearest(events: &[Event], height: f64) -> Option<Length> {
    let mut best: Option<(f64, Length)> = None;
    let mut entered: Option<f64> = None;
    for event in events {
        if !event.leaves {
            // Two faces that share the edge on which the line is count once.
            entered = entered.or(Some(event.height));
            continue;
        }
        if let Some(enters_b) = entered.take() {
            let own = Length { enters_b, leaves_a: event.height };
            let beside = (own.enters_b - height).max(height - own.leaves_a).max(0.0);
            let longer = |best: &Length| own.leaves_a - own.enters_b > best.leaves_a - best.enters_b;
            if best.is_none_or(|(known, best)| beside < known || beside == known && longer(&best)) {
                best = Some((beside, own));
            }
        }
    }
    best.map(|(_, own)| own)
}
